//! Finding a paper's logs among files, by how their names begin.

use crate::Paper;

/// How a log's file name may end.
const ENDINGS: [&str; 3] = [".swf", ".swf.gz", ".swf.zst"];

/// More names than this are counted, not listed.
const LISTED: usize = 12;

/// A log's name and its file's.
pub type FoundLog = (&'static str, String);

/// What a folder lacks of a paper's logs.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("lacks {} of the {needed} logs of {paper}: {}", .lacking.len(), .lacking.join(", "))]
pub struct LackingLogs {
    paper: &'static str,
    needed: usize,
    lacking: Vec<&'static str>,
    held: String,
}

impl LackingLogs {
    /// What helps: what is there, and where to get the rest.
    pub fn hints(&self) -> [String; 2] {
        [format!("it holds {}", self.held), source(&self.lacking)]
    }
}

impl Paper {
    /// What to download, and where.
    pub fn source(&self) -> String {
        source(self.logs)
    }

    /// The file of each of its logs among these names, in their order, then of each optional one that is there.
    pub fn find(&self, names: impl Iterator<Item = String>) -> Result<Vec<FoundLog>, LackingLogs> {
        let mut held: Vec<String> =
            names.filter(|name| ENDINGS.iter().any(|ending| name.ends_with(ending))).collect();
        held.sort();
        let lacking: Vec<&str> =
            self.logs.iter().copied().filter(|log| file_of(log, &held).is_none()).collect();
        if !lacking.is_empty() {
            let (paper, needed) = (self.name, self.logs.len());
            return Err(LackingLogs { paper, needed, lacking, held: listed(&held) });
        }
        let found = |log: &&'static str| Some((*log, file_of(log, &held)?.clone()));
        Ok(self.logs.iter().chain(self.optional).filter_map(found).collect())
    }
}

fn source(logs: &[&str]) -> String {
    format!(
        "needed from the Parallel Workloads Archive (https://www.cs.huji.ac.il/labs/parallel/workload/), \
         as .swf, .swf.gz or .swf.zst: {}",
        logs.join(", ")
    )
}

/// The file that is named as the log is; else the first whose name begins so.
fn file_of<'a>(log: &str, held: &'a [String]) -> Option<&'a String> {
    let is_exact = |name: &&String| name.strip_prefix(log).is_some_and(|rest| ENDINGS.contains(&rest));
    held.iter().find(is_exact).or_else(|| held.iter().find(|name| name.starts_with(log)))
}

fn listed(held: &[String]) -> String {
    match held.len() {
        0 => "no log at all".to_owned(),
        count if count > LISTED => format!("{} and {} more", held[..LISTED].join(", "), count - LISTED),
        _ => held.join(", "),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::PAPERS;

    fn names(names: &[&str]) -> Vec<String> {
        names.iter().map(|name| (*name).to_owned()).collect()
    }

    #[test]
    fn what_is_not_needed_is_not_missed() {
        let paper = Paper { logs: &[], optional: &["KTH-1", "KTH-2"], ..PAPERS[0] };
        let find = |paper: &Paper, held: &[&str]| paper.find(names(held).into_iter());
        assert_eq!(find(&paper, &[]).unwrap(), []);
        let kth = || ("KTH-2", "KTH-2.1.swf".to_owned());
        assert_eq!(find(&paper, &["KTH-2.1.swf", "KTH-1.txt"]).unwrap(), [kth()]);
        let needed = Paper { logs: &["KTH-2"], optional: &["KTH-1"], ..PAPERS[0] };
        let both = find(&needed, &["KTH-1.swf.gz", "KTH-2.1.swf"]).unwrap();
        assert_eq!(both, [kth(), ("KTH-1", "KTH-1.swf.gz".to_owned())]);
        // Control: one that is needed is missed.
        let lacking = find(&needed, &["KTH-1.swf.gz"]).unwrap_err();
        assert!(lacking.to_string().starts_with("lacks 1 of the 1 logs of"), "{lacking}");
        assert_eq!(lacking.hints()[0], "it holds KTH-1.swf.gz");
    }

    #[test]
    fn a_log_is_found_by_its_name_before_its_beginning() {
        let held = names(&["KTH-1.swf.gz", "KTH-1x.swf", "KTH-2-half.swf", "KTH-2.1.swf.zst"]);
        assert_eq!(file_of("KTH-1", &held), Some(&held[0]));
        assert_eq!(file_of("KTH-2", &held), Some(&held[2]));
        assert_eq!(file_of("KTH-2.1", &held), Some(&held[3]));
        assert_eq!(file_of("KTH-3", &held), None);
    }

    #[test]
    fn long_lists_are_cut_short() {
        assert_eq!(listed(&[]), "no log at all");
        assert_eq!(listed(&names(&["a", "b"])), "a, b");
        let many: Vec<String> = (0..15).map(|number| number.to_string()).collect();
        assert!(listed(&many).ends_with("10, 11 and 3 more"));
    }
}

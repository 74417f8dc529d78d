//! Finding a paper's logs in a directory, by how their names begin.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use queuecast_papers::Paper;

use crate::failure::Failure;

/// Where the directory is told when it is not an argument.
pub const VARIABLE: &str = "QUEUECAST_TRACES";

/// How a log's file name may end.
const ENDINGS: [&str; 3] = [".swf", ".swf.gz", ".swf.zst"];

/// More names than this are counted, not listed.
const LISTED: usize = 12;

/// The directory: the argument, else what the environment says. A paper that needs no logs needs no directory; then
/// only the argument has to be one.
pub fn folder(
    argument: Option<&Path>,
    variable: Option<OsString>,
    paper: &Paper,
) -> Result<Option<PathBuf>, Failure> {
    if argument.is_some() {
        return Ok(argument.map(Path::to_owned));
    }
    let told = variable.filter(|value| !value.is_empty()).map(PathBuf::from);
    if paper.logs.is_empty() {
        return Ok(told.filter(|folder| folder.is_dir()));
    }
    told.map(Some).ok_or_else(|| {
        Failure::usage(format!("where are the logs of {}? say --traces DIR or set {VARIABLE}", paper.name))
            .hint(source(paper.logs))
    })
}

/// What to download, and where.
fn source(logs: &[&str]) -> String {
    format!(
        "needed from the Parallel Workloads Archive (https://www.cs.huji.ac.il/labs/parallel/workload/), \
         as .swf, .swf.gz or .swf.zst: {}",
        logs.join(", ")
    )
}

/// A log's name and its file.
pub type Found = (&'static str, PathBuf);

/// The file of each of a paper's logs, in their order, then of each optional one that is there.
pub fn find(folder: &Path, paper: &Paper) -> Result<Vec<Found>, Failure> {
    let held = held(folder)?;
    let found = |log: &&'static str| Some((*log, folder.join(file_of(log, &held)?)));
    let lacking: Vec<&str> = paper.logs.iter().copied().filter(|log| file_of(log, &held).is_none()).collect();
    if lacking.is_empty() {
        return Ok(paper.logs.iter().chain(paper.optional).filter_map(found).collect());
    }
    let (lack, needed) = (lacking.len(), paper.logs.len());
    Err(Failure::input(format!(
        "{} lacks {lack} of the {needed} logs of {}: {}",
        folder.display(),
        paper.name,
        lacking.join(", ")
    ))
    .hint(format!("it holds {}", listed(&held)))
    .hint(source(&lacking)))
}

/// The logs in a directory, by name, sorted.
fn held(folder: &Path) -> Result<Vec<String>, Failure> {
    let name = folder.display();
    let entries = fs::read_dir(folder).map_err(|cause| {
        let refused = if !folder.exists() {
            Failure::input(format!("{name}: no such directory"))
        } else if !folder.is_dir() {
            Failure::input(format!("{name} is not a directory"))
        } else {
            Failure::input(format!("cannot look into {name}")).because(cause)
        };
        refused.hint("--traces names the directory that the logs are in")
    })?;
    let files = entries.flatten().filter(|entry| entry.path().is_file());
    let names = files.filter_map(|entry| entry.file_name().into_string().ok());
    let mut logs: Vec<String> =
        names.filter(|name| ENDINGS.iter().any(|ending| name.ends_with(ending))).collect();
    logs.sort();
    Ok(logs)
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
    use crate::failure::Kind;
    use queuecast_papers::PAPERS;

    fn names(names: &[&str]) -> Vec<String> {
        names.iter().map(|name| (*name).to_owned()).collect()
    }

    #[test]
    fn the_argument_comes_before_the_environment() {
        let paper = &PAPERS[0];
        let environment = || Some(OsString::from("there"));
        let named = |argument, variable| folder(argument, variable, paper).unwrap().unwrap();
        assert_eq!(named(Some(Path::new("here")), environment()), Path::new("here"));
        assert_eq!(named(None, environment()), Path::new("there"));
        for nowhere in [None, Some(OsString::new())] {
            let refused = folder(None, nowhere, paper).unwrap_err();
            assert_eq!(refused.kind(), Kind::Usage);
            assert!(paper.logs.iter().all(|log| refused.hints()[0].contains(log)), "{:?}", refused.hints());
        }
    }

    #[test]
    fn what_is_not_needed_is_not_missed() {
        let paper = Paper { logs: &[], optional: &["KTH-1", "KTH-2"], ..PAPERS[0] };
        let nowhere = Path::new("no such directory");
        for variable in [None, Some(OsString::new()), Some(nowhere.into())] {
            assert_eq!(folder(None, variable, &paper).unwrap(), None);
        }
        // What is named has to be there.
        assert_eq!(folder(Some(nowhere), None, &paper).unwrap().as_deref(), Some(nowhere));
        assert_eq!(find(nowhere, &paper).unwrap_err().kind(), Kind::Input);

        let there = tempfile::tempdir().unwrap();
        let path = there.path();
        assert_eq!(folder(None, Some(path.into()), &paper).unwrap().as_deref(), Some(path));
        assert_eq!(find(path, &paper).unwrap(), []);
        fs::write(path.join("KTH-2.1.swf"), "").unwrap();
        assert_eq!(find(path, &paper).unwrap(), [("KTH-2", path.join("KTH-2.1.swf"))]);
        let needed = Paper { logs: &["KTH-2"], optional: &["KTH-1"], ..PAPERS[0] };
        assert_eq!(find(path, &needed).unwrap(), [("KTH-2", path.join("KTH-2.1.swf"))]);
        fs::write(path.join("KTH-1.swf.gz"), "").unwrap();
        let names: Vec<&str> = find(path, &needed).unwrap().into_iter().map(|(name, _)| name).collect();
        assert_eq!(names, ["KTH-2", "KTH-1"]);
        // Control: one that is needed is missed.
        fs::remove_file(path.join("KTH-2.1.swf")).unwrap();
        assert!(find(path, &needed).unwrap_err().to_string().contains("lacks 1 of the 1 logs"));
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

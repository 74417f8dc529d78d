//! What the answer to each command of a capture must contain.

use super::accounting::column;
use super::capture::ACCOUNTING_FILE;
use super::conf::settings;
use super::file_kind::SiteFileKind;
use super::notes::short;

/// Why a text is no answer to a command of a capture.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AnswerError {
    /// There is nothing in it.
    #[error("it printed nothing")]
    Empty,
    /// It is something else.
    #[error("it printed something else: line {line}, \"{found}\", where {expected} was expected")]
    NotThis {
        /// The line, from 1.
        line: usize,
        /// What is there, shortened.
        found: String,
        /// What was expected.
        expected: &'static str,
    },
    /// Something that every such answer has is not in it.
    #[error("it printed no {0}")]
    Lacks(&'static str),
}

/// Checks an answer for what it must contain: it is of its kind, has at least one record, and has nothing in it that such
/// answers never have.
///
/// # Errors
/// If it is empty, something else, or lacks what every such answer has.
pub fn check_answer(kind: SiteFileKind, text: &str) -> Result<(), AnswerError> {
    let mut lines = (1..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty());
    let Some((number, first)) = lines.next() else { return Err(AnswerError::Empty) };
    let not_this = |line: usize, found: &str, expected: &'static str| AnswerError::NotThis {
        line,
        found: short(found),
        expected,
    };
    // Names of jobs may have any character in them, and the delimiter is one.
    let is_free_text = kind == SiteFileKind::Accounting;
    let mut strange = (1..).zip(text.lines()).filter(|(_, line)| line.chars().any(is_control));
    if let Some((line, found)) = strange.next().filter(|_| !is_free_text) {
        return Err(not_this(line, found, "text"));
    }
    // A comment in another encoding may have unreadable characters; a text with more than 1 % of them is no answer.
    let unreadable = text.chars().filter(|letter| *letter == '\u{fffd}').count();
    if unreadable * 100 > text.chars().count() {
        return Err(not_this(number, first, "text"));
    }
    match kind {
        SiteFileKind::Config => {
            if !first.starts_with("Configuration data as of") {
                return Err(not_this(number, first, "Configuration data as of"));
            }
            let named = settings("", text);
            let has = |key: &str| named.iter().any(|one| one.key.eq_ignore_ascii_case(key));
            if has("ClusterName") { Ok(()) } else { Err(AnswerError::Lacks("ClusterName")) }
        }
        SiteFileKind::Nodes => {
            records(first, number, lines, &["NodeName="], "NodeName=")?;
            if text.contains("CPUTot=") { Ok(()) } else { Err(AnswerError::Lacks("CPUTot")) }
        }
        SiteFileKind::Partitions => {
            records(first, number, lines, &["PartitionName="], "PartitionName=")?;
            if text.contains("Nodes=") { Ok(()) } else { Err(AnswerError::Lacks("Nodes")) }
        }
        SiteFileKind::Reservations if first.starts_with("No reservations in the system") => Ok(()),
        SiteFileKind::Reservations => {
            records(first, number, lines, &["ReservationName="], "ReservationName=")?;
            if text.contains("StartTime=") { Ok(()) } else { Err(AnswerError::Lacks("StartTime")) }
        }
        SiteFileKind::TopologyConf => {
            records(first, number, lines, &["SwitchName=", "BlockName="], "SwitchName=")
        }
        SiteFileKind::Qos => some_rows(rows(first, number, lines, &["name", "priority"], "Name|Priority|…")?),
        SiteFileKind::Associations => some_rows(rows(
            first,
            number,
            lines,
            &["cluster", "account", "user", "share"],
            "Cluster|Account|User|…",
        )?),
        // A site may have had no outage, and no job.
        SiteFileKind::NodeEvents => {
            let needed = ["cluster", "nodename", "timestart"];
            rows(first, number, lines, &needed, "Cluster|NodeName|TimeStart|…").map(|_| ())
        }
        SiteFileKind::Accounting => match SiteFileKind::of(ACCOUNTING_FILE, text) {
            Some(SiteFileKind::Accounting) => Ok(()),
            _ => Err(not_this(number, first, "JobIDRaw, JobID, State and other titles")),
        },
        _ => Err(AnswerError::Lacks("text that a capture asks for")),
    }
}

/// Control characters do not occur in what Slurm prints, besides tabs.
fn is_control(letter: char) -> bool {
    letter.is_control() && letter != '\t'
}

/// Records of `Key=Value` pairs: the first line begins one, and no line is an error or markup.
fn records<'a>(
    first: &str,
    number: usize,
    lines: impl Iterator<Item = (usize, &'a str)>,
    heads: &[&str],
    expected: &'static str,
) -> Result<(), AnswerError> {
    let not_this = |line, found: &str, expected| AnswerError::NotThis { line, found: short(found), expected };
    if !heads.iter().any(|head| first.starts_with(head)) {
        return Err(not_this(number, first, expected));
    }
    for (number, line) in lines {
        let line = line.trim_start();
        // The text of a comment or a reason may go on in the next line, so not every line has a pair.
        if line.starts_with(['<', '{']) || is_error(line) {
            return Err(not_this(number, line, "Key=Value"));
        }
    }
    Ok(())
}

/// Whether a line is what Slurm's commands say when they fail.
fn is_error(line: &str) -> bool {
    // "scontrol: error: …"; what an administrator writes as a reason may have such words too.
    let is_program = |text: &str| text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    ["error:", "fatal:"].iter().any(|word| {
        let named = line.split_once(": ");
        line.starts_with(word)
            || named.is_some_and(|(program, rest)| is_program(program) && rest.starts_with(word))
    })
}

/// At least one row.
fn some_rows(count: usize) -> Result<(), AnswerError> {
    if count == 0 { Err(AnswerError::Lacks("rows")) } else { Ok(()) }
}

/// Titles and rows, each with as many cells as there are titles; how many rows there are.
fn rows<'a>(
    first: &str,
    number: usize,
    lines: impl Iterator<Item = (usize, &'a str)>,
    needed: &[&str],
    expected: &'static str,
) -> Result<usize, AnswerError> {
    let titles: Vec<String> = first.split('|').map(column).collect();
    if !needed.iter().all(|title| titles.iter().any(|one| one == title)) {
        return Err(AnswerError::NotThis { line: number, found: short(first), expected });
    }
    let mut count = 0;
    for (number, line) in lines {
        // A description may have the separator in it; a line with fewer cells is no row.
        if line.split('|').count() < titles.len() {
            let expected = "a row with a cell for each title";
            return Err(AnswerError::NotThis { line: number, found: short(line), expected });
        }
        count += 1;
    }
    Ok(count)
}

#[cfg(test)]
mod tests {
    use super::*;

    const CONFIG: &str = "Configuration data as of 2026-01-01T00:00:00\nAccountingStorageType   = accounting_storage/slurmdbd\nClusterName             = toy\nTopologyPlugin          = topology/flat\n\nSlurmctld(primary) at c0 is UP\n";
    const NODES: &str = "NodeName=n1 Arch=x86_64 CoresPerSocket=4\n   CPUAlloc=0 CPUEfctv=4 CPUTot=4 CPULoad=0.01\n   OS=Linux 5.14 #1 SMP\n   State=DOWN ThreadsPerCore=1\n   Reason=disk fails,\n see ticket 7 [root@2026-01-01T00:00:00]\n\n";
    const PARTITIONS: &str = "PartitionName=p\n   AllowGroups=ALL\n   Nodes=n1\n   State=UP TotalCPUs=4\n";
    const RESERVATIONS: &str = "ReservationName=r StartTime=1 EndTime=2 Duration=00:00:01\n   Nodes=n1\n";
    const QOS: &str = "Name|Priority|GraceTime\nnormal|0|00:00:00\n";
    const ASSOC: &str = "Cluster|Account|User|Share\ntoy|root||1\n";

    const GOOD: [(SiteFileKind, &str); 7] = [
        (SiteFileKind::Config, CONFIG),
        (SiteFileKind::Nodes, NODES),
        (SiteFileKind::Partitions, PARTITIONS),
        (SiteFileKind::Reservations, RESERVATIONS),
        (SiteFileKind::Reservations, "No reservations in the system\n"),
        (SiteFileKind::Qos, QOS),
        (SiteFileKind::Associations, ASSOC),
    ];

    #[test]
    fn what_slurm_prints_is_accepted_and_anything_else_is_not() {
        let garbage = "\u{fffd}\u{1}x\u{fffd}";
        for (kind, good) in GOOD {
            assert_eq!(check_answer(kind, good), Ok(()), "{kind}");
            let half = good.len() / 2;
            let half = (half..).find(|at| good.is_char_boundary(*at)).unwrap();
            for bad in [
                "".to_owned(),
                "\n \n".to_owned(),
                garbage.to_owned(),
                "slurm_load_partitions error: Unable to contact slurm controller\n".to_owned(),
                "scontrol: error: Connection refused\n".to_owned(),
                "<!DOCTYPE html>\n<html><body>502 Bad Gateway</body></html>\n".to_owned(),
                "{\"errors\": []}\n".to_owned(),
                format!("{}{garbage}{}", &good[..half], &good[half..]),
            ] {
                assert!(check_answer(kind, &bad).is_err(), "{kind} accepts {bad:?}");
            }
        }
        // Each is an answer to its own question only.
        for (asked, _) in GOOD {
            for (kind, text) in GOOD {
                assert_eq!(check_answer(asked, text).is_ok(), asked == kind, "{asked}: {text}");
            }
        }
    }

    #[test]
    fn an_answer_without_its_records_or_with_an_error_in_it_is_refused() {
        for (kind, text, said) in [
            (SiteFileKind::Qos, "Name|Priority\n", "it printed no rows"),
            (SiteFileKind::Qos, "Name|Priority\nsacctmgr: error: lost\n", "line 2"),
            (SiteFileKind::Config, "Configuration data as of 5\n", "no ClusterName"),
            (SiteFileKind::Nodes, "NodeName=n1 State=IDLE\n", "no CPUTot"),
            (SiteFileKind::Nodes, "NodeName=n1 CPUTot=4\nscontrol: error: timed out\n", "line 2"),
            (SiteFileKind::Nodes, "NodeName=n1 CPUTot=4\n<html>\n", "line 2"),
            (SiteFileKind::Plan, "{\"dt\": 1, \"op\": 2}\n", "no text that a capture asks for"),
        ] {
            let refused = check_answer(kind, text).unwrap_err().to_string();
            assert!(refused.contains(said), "{refused}");
        }
    }
}

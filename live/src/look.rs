//! One look at a site: the lines of its queue and of its nodes at one moment.
//!
//! Most of a queue is as it was at the look before. What changes by itself (the priority of a waiting job, when it is expected to start)
//! is kept apart from the rest of its line, and how long a job has run follows from when it started, so that a line is stored once.

use std::collections::HashMap;

use queuecast_core::units::Time;

/// What `squeue` and `sinfo` printed, as [`declared`](crate::declared) asks them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Look {
    /// When they were asked, as a Unix time.
    pub at: Time,
    /// What `squeue` printed.
    pub queue: String,
    /// What `sinfo` printed.
    pub nodes: String,
}

const STATE: usize = 1;
const RUN_SO_FAR: usize = 4;
const PRIORITY: usize = 5;
const SUBMIT: usize = 7;
const NODES: usize = 9;
const START: usize = 13;
/// All columns; the last one is free text and may have bars in it.
const COLUMNS: usize = 16;

/// A line of the queue in two parts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct QueueLine<'a> {
    /// The job as it is shown and when it was submitted: a number may be used again, and a requeued job is another one.
    pub key: String,
    /// What stays until something happens to the job.
    pub lasting: String,
    /// What changes by itself: its priority, and for a waiting job when it is expected to start.
    pub passing: (&'a str, &'a str),
}

/// A line of the queue; `None` if it is not as asked for.
pub(crate) fn queue_line(line: &str) -> Option<QueueLine<'_>> {
    let mut cells: Vec<&str> = line.splitn(COLUMNS, '|').collect();
    if cells.len() < COLUMNS {
        return None;
    }
    let key = format!("{} {}", cells[0], cells[SUBMIT]);
    let start = if cells[STATE] == "PENDING" { std::mem::take(&mut cells[START]) } else { "" };
    let passing = (std::mem::take(&mut cells[PRIORITY]), start);
    cells[RUN_SO_FAR] = "";
    Some(QueueLine { key, lasting: cells.join("|"), passing })
}

/// The key of a job that has started, and when; `None` for one that waits, or left the queue before it started.
pub(crate) fn started_job(line: &str) -> Option<(String, Time)> {
    let cells: Vec<&str> = line.splitn(COLUMNS, '|').collect();
    if cells.len() < COLUMNS || cells[STATE] == "PENDING" {
        return None;
    }
    // A job that was cancelled while it waited has no nodes.
    let has_nodes = !cells[NODES].is_empty();
    let start = cells[START].parse().ok().filter(|_| has_nodes)?;
    Some((format!("{} {}", cells[0], cells[SUBMIT]), Time(start)))
}

/// What changes by itself of all waiting jobs and all priorities, one line for each job.
pub(crate) fn passing_text<'a>(lines: impl Iterator<Item = &'a QueueLine<'a>>) -> String {
    let mut text = String::new();
    for QueueLine { key, passing: (priority, start), .. } in lines {
        text.extend([key.as_str(), "\t", priority, "\t", start, "\n"]);
    }
    text
}

/// The parts that [`passing_text`] wrote, by job.
pub(crate) fn passing_parts(text: &str) -> HashMap<&str, (&str, &str)> {
    let part = |line: &'_ str| -> Option<(usize, usize)> {
        let first = line.find('\t')?;
        Some((first, first + 1 + line[first + 1..].find('\t')?))
    };
    let parts = text.lines().filter_map(|line| {
        let (first, second) = part(line)?;
        Some((&line[..first], (&line[first + 1..second], &line[second + 1..])))
    });
    parts.collect()
}

/// A line of the queue as it was printed at a moment; how long it had run is that since it started.
pub(crate) fn printed_line(lasting: &str, passing: Option<&(&str, &str)>, at: Time) -> Option<String> {
    let mut cells: Vec<&str> = lasting.splitn(COLUMNS, '|').collect();
    if cells.len() < COLUMNS {
        return None;
    }
    let (priority, start) = passing.copied().unwrap_or(("0", "N/A"));
    cells[PRIORITY] = priority;
    let ran;
    if cells[STATE] == "PENDING" {
        cells[START] = start;
        cells[RUN_SO_FAR] = "0:00";
    } else {
        ran = clock(cells[START].parse().map_or(0, |start: i64| (at.0 - start).max(0)));
        cells[RUN_SO_FAR] = &ran;
    }
    Some(cells.join("|"))
}

/// A length of time as Slurm prints it: `1-02:03:04`, `2:03:04`, `3:04`.
fn clock(seconds: i64) -> String {
    let (days, hours, minutes) = (seconds / 86_400, seconds / 3600 % 24, seconds / 60 % 60);
    let seconds = seconds % 60;
    match (days, hours) {
        (0, 0) => format!("{minutes}:{seconds:02}"),
        (0, _) => format!("{hours}:{minutes:02}:{seconds:02}"),
        _ => format!("{days}-{hours:02}:{minutes:02}:{seconds:02}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WAITING: &str =
        "52|PENDING|16|5:00|0:00|15256|dave|900|long||biology|high|(null)|1500|(null)|Priority";
    const RUNNING: &str =
        "51_3|RUNNING|4|1-00:00:00|1:40|77|ann|800|long|c1|bio|normal|(null)|900|(null)|a|b";

    #[test]
    fn a_line_comes_back_as_it_was_printed() {
        for (line, at) in [(WAITING, 1000), (RUNNING, 1000)] {
            let parts = queue_line(line).unwrap();
            let text = passing_text([&parts].into_iter());
            let passing = passing_parts(&text);
            let known = passing.get(parts.key.as_str());
            assert_eq!(printed_line(&parts.lasting, known, Time(at)).unwrap(), line);
        }
        assert_eq!(queue_line("52|PENDING|16"), None);
    }

    #[test]
    fn what_changes_by_itself_is_no_difference() {
        let later = WAITING.replace("15256", "15300").replace("1500", "1700");
        assert_eq!(queue_line(WAITING).unwrap().lasting, queue_line(&later).unwrap().lasting);
        let ran = RUNNING.replace("1:40", "3:40").replace("|77|", "|78|");
        assert_eq!(queue_line(RUNNING).unwrap().lasting, queue_line(&ran).unwrap().lasting);
        // Control: another state, or another reason, is one.
        let held = WAITING.replace("Priority", "JobHeldUser");
        assert_ne!(queue_line(WAITING).unwrap().lasting, queue_line(&held).unwrap().lasting);
        assert_ne!(
            queue_line(WAITING).unwrap().key,
            queue_line(&WAITING.replace("|900|", "|950|")).unwrap().key
        );
    }

    #[test]
    fn lengths_are_as_slurm_prints_them() {
        let lengths = [0, 100, 3_723, 93_784].map(clock);
        assert_eq!(lengths, ["0:00", "1:40", "1:02:03", "1-02:03:04"]);
    }
}

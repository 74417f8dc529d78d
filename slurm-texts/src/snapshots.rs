//! Snapshots of what commands of a site showed, again and again: of `sprio` and `squeue`.

use queuecast_core::order;
use std::collections::BTreeMap;

use super::file_kind::SiteFileKind;
use super::notes::{Misread, Notes};
use super::values::digits;
use queuecast_core::job_state::JobState;
use queuecast_core::units::Micros;
use queuecast_slurm_sim::cluster::{ExpectedStart, RunClock};

/// One row of a snapshot.
pub(super) struct SnapshotRow<'t> {
    /// The line it stands in, from 1, and its text.
    pub number: usize,
    pub line: &'t str,
    titles: &'t [&'t str],
    cells: Vec<&'t str>,
    begin: Micros,
}

impl<'t> SnapshotRow<'t> {
    pub fn cell(&self, name: &str) -> Option<&'t str> {
        let place = self.titles.iter().position(|title| *title == name)?;
        self.cells.get(place).map(|cell| cell.trim())
    }

    pub fn columns(&self) -> usize {
        self.titles.len()
    }

    /// Seconds after the recording's begin, as an instant, to the millisecond.
    pub fn instant(&self, name: &str) -> Option<Micros> {
        let after: f64 = self.cell(name)?.parse().ok().filter(|after: &f64| after.abs() < 1e12)?;
        Some(self.begin + Micros::of_millis((after * 1000.0).round() as i64))
    }
}

/// Goes through snapshots: a line of titles after a `#`, then one row for each job and instant.
pub(super) fn rows(text: &str, clock: &RunClock, mut each: impl FnMut(&SnapshotRow<'_>)) {
    let mut lines = (1..).zip(text.lines());
    let titles = lines.next().map_or("", |(_, line)| line.rsplit(' ').next().unwrap_or_default());
    let titles: Vec<&str> = titles.split('|').collect();
    let begin = clock.zero.into();
    for (number, line) in lines.filter(|(_, line)| !line.trim().is_empty() && !line.starts_with('#')) {
        each(&SnapshotRow { number, line, titles: &titles, cells: line.split('|').collect(), begin });
    }
}

/// The starts that a site's own scheduler expected, in the order in which it said so, and what could not be read of them.
pub fn read_expected_starts(
    texts: &BTreeMap<String, String>,
    clock: &RunClock,
) -> (Vec<ExpectedStart>, Vec<Misread>) {
    let (mut found, mut notes) = (Vec::new(), Notes::default());
    for (file, text) in texts {
        if SiteFileKind::of(file, text) != Some(SiteFileKind::ShownQueue) {
            continue;
        }
        rows(text, clock, |row| {
            // A job that runs shows when it started.
            if row.cell("STATE").and_then(JobState::shown) != Some(JobState::Pending)
                || row.cell("START") == Some("N/A")
            {
                return;
            }
            let read = || {
                let (id, task) = row.cell("JOBID").and_then(numbered)?;
                let start = row.instant("START")?.second();
                Some(ExpectedStart { at: row.instant("T")?, id, task, start })
            };
            match read() {
                Some(expected) => found.push(expected),
                None => {
                    let wanted = format!("{} columns of squeue", row.columns());
                    notes.unread_line(file, row.number, row.line, &wanted);
                }
            }
        });
    }
    order::sort_by_key(&mut found, |one| one.at);
    (found, notes.misread)
}

/// The number of a job, and its task: `12`, `12_3`; of `12_[3-5]` all tasks are meant.
fn numbered(text: &str) -> Option<(u64, Option<u32>)> {
    match text.split_once('_') {
        None => Some((digits(text)?, None)),
        Some((id, tasks)) if tasks.starts_with('[') => Some((digits(id)?, None)),
        Some((id, task)) => Some((digits(id)?, Some(task.parse().ok()?))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use queuecast_core::units::Time;

    #[test]
    fn starts_that_were_expected_are_read() {
        let text = "# seconds after t0 in T and START; T|JOBID|STATE|PRIORITY|REASON|START|PARTITION|NODELIST
29.6|1009|PENDING|11|Resources|N/A|normal|
29.6|1002|RUNNING|10|None|3|normal|n1
44.6|1009|PENDING|11|Resources|75|normal|
44.6|1010_[2-3]|PENDING|11|Priority|80|normal|
59.6|1010_2|PENDING|11|Priority|90|normal|
59.6|x|PENDING|11|Priority|90|normal|
";
        let texts = BTreeMap::from([("snap-squeue.txt".to_owned(), text.to_owned())]);
        let clock = RunClock { zero: Time(1000), ..RunClock::default() };
        let (found, misread) = read_expected_starts(&texts, &clock);
        let plain: Vec<_> =
            found.iter().map(|one| (one.at.millis(), one.id, one.task, one.start.0)).collect();
        let expected =
            [(1_044_600, 1009, None, 1075), (1_044_600, 1010, None, 1080), (1_059_600, 1010, Some(2), 1090)];
        assert_eq!(plain, expected);
        assert_eq!(misread.len(), 1, "{misread:?}");
    }
}

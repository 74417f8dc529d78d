//! Rows of accounting, as `sacct` prints them, told apart by job and submission.

use queuecast_core::units::Time;

use crate::forecasts::WaitEnd;

/// What `sacct` printed, with a line of titles, delimited by unit separators.
#[derive(Debug, Clone, Copy)]
pub struct AccountingRows<'a> {
    /// The titles, as printed.
    pub titles: &'a str,
    rows: &'a str,
    id: usize,
    submit: usize,
    end: usize,
    name: usize,
    start: Option<usize>,
    state: Option<usize>,
    given: Option<usize>,
    eligible: Option<usize>,
    partition: Option<usize>,
}

/// A row, and what tells it apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AccountingRow<'a> {
    /// Slurm's number of the job, that of arrays' tasks their own.
    pub id: u64,
    /// When it was submitted; a requeued job has another row with a later submission.
    pub submit: Time,
    /// When it started, unless it has not.
    pub start: Option<Time>,
    /// Whether it ended without ever holding a processor.
    pub never_held: bool,
    /// When it ended, unless it has not.
    pub end: Option<Time>,
    /// The job as it is shown: `141_3` for a task of an array, `141_[4-9]` for those that wait.
    pub name: &'a str,
    /// When it became eligible, unless it has not.
    pub eligible: Option<Time>,
    /// Its partition; several that it may take are joined by commas.
    pub partition: &'a str,
    /// The row as printed.
    pub text: &'a str,
}

const DELIMITER: char = '\x1f';

impl<'a> AccountingRows<'a> {
    /// Text of `sacct` with these columns among others: `JobIDRaw`, `JobID`, `Submit`, `End`. `None` if it is something else.
    pub fn of(text: &'a str) -> Option<AccountingRows<'a>> {
        let (titles, rows) = text.split_once('\n').unwrap_or((text, ""));
        let titles = titles.trim_end_matches('\r');
        let place = |name: &str| titles.split(DELIMITER).position(|title| title == name);
        let (id, submit, end) = (place("JobIDRaw")?, place("Submit")?, place("End")?);
        let (start, state, given) = (place("Start"), place("State"), place("AllocCPUS"));
        let (eligible, partition) = (place("Eligible"), place("Partition"));
        let name = place("JobID")?;
        Some(AccountingRows { titles, rows, id, submit, end, name, start, state, given, eligible, partition })
    }

    /// Every row; in place of one that is broken, as by a line feed in a name, its text. Of a row in several lines the first is broken too.
    pub fn rows(&self) -> impl Iterator<Item = Result<AccountingRow<'a>, &'a str>> + use<'a> {
        let Self { titles, rows, id, submit, end, name, start, state, given, eligible, partition } = *self;
        let columns = titles.matches(DELIMITER).count();
        rows.lines().filter(|line| !line.is_empty()).map(move |text| {
            if text.matches(DELIMITER).count() != columns {
                return Err(text);
            }
            let cell = |place: usize| text.split(DELIMITER).nth(place).unwrap_or_default();
            let (Ok(id), Ok(submit)) = (cell(id).parse(), cell(submit).parse()) else { return Err(text) };
            let end = cell(end).parse().ok().map(Time);
            let eligible = eligible.and_then(|place| cell(place).parse().ok()).map(Time);
            let partition = partition.map(&cell).unwrap_or_default();
            let start = start.and_then(|start| cell(start).parse().ok()).map(Time);
            // Without the column, a job that was cancelled in the second of its start is taken for one that waited.
            let never_held = match given.map(&cell) {
                Some(given) => end.is_some() && given.parse::<u64>().is_ok_and(|given| given == 0),
                None => {
                    let cancelled = state.is_some_and(|state| cell(state).starts_with("CANCELLED"));
                    cancelled && end.is_some() && start == end
                }
            };
            let (submit, name) = (Time(submit), cell(name));
            Ok(AccountingRow { id, submit, start, never_held, end, name, eligible, partition, text })
        })
    }
}

impl AccountingRow<'_> {
    /// The jobs as a look names them: of the tasks of an array that have one row, each. Of a list that is cut short, as Slurm
    /// does with long ones, those that are named.
    pub fn keys(&self) -> Vec<String> {
        let submit = self.submit.0;
        let Some((array, tasks)) = self.name.split_once("_[") else {
            return vec![format!("{} {submit}", self.name)];
        };
        let tasks = tasks.trim_end_matches(']').split('%').next().unwrap_or_default();
        let each = tasks.split(',').filter_map(|part| {
            let (range, step) = part.split_once(':').unwrap_or((part, "1"));
            let (first, last) = range.split_once('-').unwrap_or((range, range));
            let (first, last): (u32, u32) = (first.parse().ok()?, last.parse().ok()?);
            Some((first..=last).step_by(step.parse().ok().filter(|&step| step > 0)?))
        });
        each.flatten().take(MOST_TASKS).map(|task| format!("{array}_{task} {submit}")).collect()
    }

    /// What became of it in the queue, if that is known.
    pub fn outcome(&self) -> Option<WaitEnd> {
        match (self.start, self.end) {
            (_, Some(end)) if self.never_held => Some(WaitEnd::Withdrawn(end)),
            (Some(start), _) => Some(WaitEnd::Started(start)),
            (None, Some(end)) => Some(WaitEnd::Withdrawn(end)),
            (None, None) => None,
        }
    }
}

/// Tasks of one row; Slurm allows no larger arrays.
const MOST_TASKS: usize = 4_000_000;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_told_apart_and_broken_ones_are_shown() {
        let text = "JobIDRaw\x1fSubmit\x1fEnd\x1fJobID\x1fJobName\n7\x1f900\x1f950\x1f7\x1fa|b\n7\x1f970\x1fUnknown\x1f7\x1fa|b\n8\x1f10\x1f20\x1f6_1\x1fbro\nken\n";
        let rows = AccountingRows::of(text).unwrap();
        let all: Vec<_> = rows.rows().collect();
        let keys: Vec<_> =
            all.iter().flatten().map(|row| (row.id, row.submit.0, row.end.map(|end| end.0))).collect();
        assert_eq!(keys, [(7, 900, Some(950)), (7, 970, None), (8, 10, Some(20))]);
        assert_eq!((all[2].unwrap().name, all[3]), ("6_1", Err("ken")));
        assert!(AccountingRows::of("slurm_load_jobs error").is_none());
    }

    fn first(row: &str) -> (Vec<String>, Option<WaitEnd>) {
        let text = format!("JobIDRaw|JobID|Submit|Start|End|State|AllocCPUS\n{row}\n").replace('|', "\x1f");
        let row = AccountingRows::of(&text).unwrap().rows().next().unwrap().unwrap();
        (row.keys(), row.outcome())
    }

    #[test]
    fn what_became_of_a_job_in_the_queue() {
        let (started, withdrawn) = (WaitEnd::Started(Time(50)), WaitEnd::Withdrawn(Time(60)));
        for (row, outcome) in [
            ("7|7|10|50|60|COMPLETED|4", Some(started)),
            ("7|7|10|50|Unknown|RUNNING|4", Some(started)),
            ("7|7|10|Unknown|Unknown|PENDING|0", None),
            ("7|7|10|60|60|CANCELLED by 0|0", Some(withdrawn)),
            ("7|7|10|None|60|CANCELLED|0", Some(withdrawn)),
            ("7|7|10|60|60|DEADLINE|0", Some(withdrawn)),
            // In the second of its start, but it had begun.
            ("7|7|10|50|50|CANCELLED by 0|4", Some(started)),
        ] {
            assert_eq!(first(row).1, outcome, "{row}");
        }
    }

    #[test]
    fn tasks_that_wait_together_are_named_one_by_one() {
        let keys = |name: &str| first(&format!("7|{name}|10|Unknown|Unknown|PENDING|0")).0;
        assert_eq!(keys("7"), ["7 10"]);
        assert_eq!(keys("7_3"), ["7_3 10"]);
        assert_eq!(keys("7_[3-5,9%2]"), ["7_3 10", "7_4 10", "7_5 10", "7_9 10"]);
        assert_eq!(keys("7_[1-7:3]"), ["7_1 10", "7_4 10", "7_7 10"]);
        assert_eq!(keys("7_[1-2,...]"), ["7_1 10", "7_2 10"]);
    }
}

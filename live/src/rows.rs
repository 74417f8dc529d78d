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
    /// Whether it was cancelled.
    pub cancelled: bool,
    /// When it ended, unless it has not.
    pub end: Option<Time>,
    /// The job as it is shown: `141_3` for a task of an array, `141_[4-9]` for those that wait.
    pub name: &'a str,
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
        let (start, state) = (place("Start"), place("State"));
        Some(AccountingRows { titles, rows, id, submit, end, name: place("JobID")?, start, state })
    }

    /// Every row; in place of one that is broken, as by a line feed in a name, its text. Of a row in several lines the first is broken too.
    pub fn rows(&self) -> impl Iterator<Item = Result<AccountingRow<'a>, &'a str>> + use<'a> {
        let Self { titles, rows, id, submit, end, name, start, state } = *self;
        let columns = titles.matches(DELIMITER).count();
        rows.lines().filter(|line| !line.is_empty()).map(move |text| {
            if text.matches(DELIMITER).count() != columns {
                return Err(text);
            }
            let cell = |place: usize| text.split(DELIMITER).nth(place).unwrap_or_default();
            let (Ok(id), Ok(submit)) = (cell(id).parse(), cell(submit).parse()) else { return Err(text) };
            let end = cell(end).parse().ok().map(Time);
            let start = start.and_then(|start| cell(start).parse().ok()).map(Time);
            let cancelled = state.is_some_and(|state| cell(state).starts_with("CANCELLED"));
            Ok(AccountingRow { id, submit: Time(submit), start, cancelled, end, name: cell(name), text })
        })
    }
}

impl AccountingRow<'_> {
    /// The job as a look names it.
    pub fn key(&self) -> String {
        format!("{} {}", self.name, self.submit.0)
    }

    /// What became of it in the queue, if that is known. Of a job that was cancelled while it waited, accounting has no start, or that
    /// of its end.
    pub fn outcome(&self) -> Option<WaitEnd> {
        match (self.start, self.end) {
            (Some(start), Some(end)) if self.cancelled && start == end => Some(WaitEnd::Withdrawn(end)),
            (Some(start), _) => Some(WaitEnd::Started(start)),
            (None, Some(end)) => Some(WaitEnd::Withdrawn(end)),
            (None, None) => None,
        }
    }
}

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
}

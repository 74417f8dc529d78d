//! All of Smith, Foster & Taylor 1998, "Predicting Application Run Times Using Historical Information": what is
//! searched on each log, and what its tables, figures and claims come to.

mod claims;
mod figures;
mod searches;
mod tables;

use std::ops::Range;

use queuecast_core::parallel;
use queuecast_eval::{EvalError, Scorer};
use queuecast_sim::predict::template::TemplateSet;
use queuecast_study::search::Evolution;
use queuecast_trace::Log;

pub use self::searches::{Holdout, LogSearches, search};
use crate::{Done, Paper, Protocol, Reproduction, Request, Work, prepare};

/// The paper's title.
pub const TITLE: &str = "Predicting Application Run Times Using Historical Information";

/// The tables, in order. The last is not in the paper.
pub const TABLES: &[&str] = &["1", "4", "5", "6", "7", "8", "9", "10", "holdout"];

/// The logs, by how their files are called. The paper's first, then others.
pub const LOGS: [&str; 5] = [
    "CTC-SP2-1996-3.1-cln",
    "SDSC-Par-1996-3.1-cln",
    "SDSC-SP2-1998-4.2-cln",
    "KTH-SP2-1996-2.1-cln",
    "LANL-CM5-1994-4.1-cln",
];

/// What they are called here: the paper's names where it has one.
const LOG_NAMES: [&str; 5] = ["CTC", "SDSC96", "SDSC-SP2", "KTH", "LANL"];

/// The paper and what it needs.
pub const PAPER: Paper = Paper {
    name: "smith1998",
    title: TITLE,
    tables: TABLES,
    logs: &LOGS,
    optional: &[],
    without_logs: &[],
    clean: "default",
    seeds: None,
    prepare: prepare::<Smith1998>,
};

/// The paper's own workloads come first, and are searched three times: as the paper does, with sizes of history,
/// and in their first half. The others are searched once.
const PAPERS_OWN: usize = 2;

/// The searches of all logs. Every table comes from the same searches, so one table takes as long as all of them.
pub struct Smith1998 {
    logs: usize,
    evolution: Evolution,
}

impl Protocol for Smith1998 {
    type Results = Vec<LogSearches>;

    fn plan(logs: &[&Log], _request: &Request) -> Result<Smith1998, EvalError> {
        Ok(Smith1998 { logs: logs.len(), evolution: Evolution::default() })
    }

    fn work(&self) -> Work {
        let searches = self.logs + 2 * PAPERS_OWN.min(self.logs);
        Work { what: "searching", steps: searches * self.evolution.generations }
    }

    fn run(&self, logs: &[&Log], done: &Done<'_>) -> Result<Vec<LogSearches>, EvalError> {
        let batch = |scorer: &Scorer<'_>, sets: &[TemplateSet], range: Range<usize>| -> Vec<f64> {
            parallel::map(sets, |set| scorer.score(set, range.clone()).mean_error)
        };
        let search = |(place, log): (usize, &&Log)| {
            search(&log.workload, place < PAPERS_OWN, self.evolution, &batch, &|| done(1))
        };
        logs.iter().enumerate().map(search).collect()
    }

    fn judge(&self, _logs: &[&Log], results: &Vec<LogSearches>) -> Reproduction {
        judge(results)
    }
}

/// What came of the searches, judged. `outcomes` are in the order of the logs.
pub fn judge(outcomes: &[LogSearches]) -> Reproduction {
    let mut reproduction = Reproduction::new("smith1998", TITLE);
    reproduction.notes.extend(
        [
            "ANL and SDSC95 are not to be had: no log of theirs is public. SDSC-SP2, KTH and LANL are not in the paper",
            "the public CTC log has 77,222 jobs of 338 processors, no type, class, script, arguments or network \
             adaptor, but an executable; that of SDSC96 has 32,135 jobs where the paper saw 22,337. So minutes differ \
             with the mean run time, and it is percentages that are judged",
            "searched and scored on the same jobs, as the paper does; the table holdout searches on the first half and \
             scores on the second",
        ]
        .map(str::to_owned),
    );
    for (number, caption) in tables::CAPTIONS {
        reproduction = reproduction.captioned(number, caption);
    }
    for (outcome, name) in outcomes.iter().zip(LOG_NAMES) {
        reproduction.cells.extend(tables::cells(outcome, name));
    }
    // One table after the other, whatever the log.
    let place = |table: &str| TABLES.iter().position(|known| *known == table);
    reproduction.cells.sort_by_key(|cell| place(&cell.table));
    reproduction.claims = claims::judged(outcomes, &LOG_NAMES);
    reproduction.figures = figures::drawn(outcomes, &LOG_NAMES);
    reproduction
}

#[cfg(test)]
mod tests {
    use super::*;
    use queuecast_core::job::{Job, QueueId, Truth, UserId};
    use queuecast_core::units::{Procs, Seconds, Time};
    use queuecast_core::workload::{Machine, Workload};
    use queuecast_eval::Scorer;
    use queuecast_sim::predict::template::TemplateSet;
    use queuecast_study::search::Evolution;

    /// Users with run times of their own, who ask for twice as much.
    fn log() -> Workload {
        let job = |number: i64| {
            let run = 100 * (1 + number % 3) + number % 7;
            let mut job = Job::rigid(
                number as u64,
                Time(number * 50),
                Procs(1 << (number % 4)),
                Some(Seconds(2 * run)),
            );
            job.user = UserId::new((number % 3) as u32);
            job.queue = QueueId::new((number % 2) as u32);
            (job, Truth::rigid(Seconds(run)))
        };
        let (jobs, truths): (Vec<Job>, Vec<Truth>) = (0..120).map(job).unzip();
        let starts = jobs.iter().map(|job| job.submit + Seconds(5)).collect();
        Workload::recorded(Machine { procs: Procs(16) }, jobs, truths, starts).unwrap()
    }

    fn outcome(thorough: bool) -> LogSearches {
        let evolution = Evolution { population: 6, generations: 3, seed: 1 };
        let batch = |scorer: &Scorer<'_>, sets: &[TemplateSet], range: Range<usize>| -> Vec<f64> {
            sets.iter().map(|set| scorer.score(set, range.clone()).mean_error).collect()
        };
        search(&log(), thorough, evolution, &batch, &|| ()).unwrap()
    }

    #[test]
    fn every_table_has_its_cells_and_searching_beats_knowing_nothing() {
        let outcomes = [outcome(true), outcome(true), outcome(false)];
        let reproduction = judge(&outcomes);
        for table in TABLES {
            assert!(reproduction.cells.iter().any(|cell| cell.table == *table), "{table}");
        }
        let found = &outcomes[0].best_genetic.1;
        assert!(found.error_percent < outcomes[0].everything.error_percent / 2.0, "{found:?}");
        assert!(found.error_percent <= outcomes[0].best_greedy[1].1.error_percent);
        assert!(outcomes[2].holdout.is_none() && outcomes[2].with_history.is_none());
        assert_eq!((reproduction.claims.len(), reproduction.figures.len()), (6, 2 * outcomes.len()));
        // Judged is every number that the paper prints in Tables 4 to 10, and no other.
        let judged = reproduction.cells.iter().filter(|cell| cell.within.is_some()).count();
        let printed = reproduction.cells.iter().filter(|cell| cell.paper.is_some() && cell.table != "1");
        assert!(printed.clone().all(|cell| ["CTC", "SDSC96"].contains(&cell.row.as_str())));
        assert_eq!((judged, printed.count()), (37, 37));
    }

    #[test]
    fn a_worse_error_than_the_papers_is_out() {
        let verdict = |percent: f64| {
            let mut found = outcome(true);
            if let Some([_, genetic]) = &mut found.with_history {
                genetic.1.error_percent = percent;
            }
            let column = "Genetic, with history sizes: Percentage of Mean Run Time";
            let cells = judge(&[found]).cells;
            cells.iter().find(|cell| cell.column == column).and_then(|cell| cell.within)
        };
        assert_eq!([58.7, 58.5, 10.0].map(verdict), [Some(false), Some(true), Some(true)]);
    }

    #[test]
    fn what_is_out_is_explained_by_its_method_or_its_log() {
        let cells = judge(&[outcome(true), outcome(true)]).cells;
        let out = |method: &str| {
            let cell = cells.iter().find(|cell| cell.is_out() && cell.column.starts_with(method));
            cell.and_then(|cell| cell.explained.clone()).unwrap_or_default()
        };
        assert!(out("Gibbons").contains("six ways"), "{}", out("Gibbons"));
        assert!(out("Downey").contains("tmin"), "{}", out("Downey"));
        assert!(out("Percentage").contains("smaller error"), "{}", out("Percentage"));
    }
}

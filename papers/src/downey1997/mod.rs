//! All of Downey 1997, "Using Queue Time Predictions for Processor Allocation": its workload, the strategies of its tables
//! recorded (section 5) and carried out (section 6), what they come to over many seeds, and the sweeps it leaves for later.

mod claims;
mod explained;
mod figures;
mod results;
mod setting;
mod tables;
#[cfg(test)]
mod tests;
mod trial;

use queuecast_core::parallel;
use queuecast_eval::EvalError;
use queuecast_trace::Log;

use self::results::SettingResults;
pub use self::setting::{JOBS, Plan, WorkloadSetting};
pub use self::trial::SeedTrial;
use crate::{Done, Paper, Protocol, Reproduction, Request, Work, prepare};
use queuecast_core::workload::Workload;
use queuecast_study::molding::SeedRun;

/// The paper's title.
pub const TITLE: &str = "Using Queue Time Predictions for Processor Allocation";

/// The tables, in order: those of the paper, what its text says of the workload, section 6.1 and Figure 5, then experiments
/// and sweeps.
pub const TABLES: &[&str] = &[
    "workload",
    "1",
    "2",
    "6.1",
    "predictions",
    "readings",
    "caution",
    "literal",
    "variants",
    "loads",
    "machines",
    "distributions",
];

/// How many seeds the paper's tables are means of.
pub const SEEDS: u64 = 20;

/// The log of Figures 3 and 4: not the months of 1995 that the paper has, but the year after them on the same machine.
pub const LOG: &str = "SDSC-Par-1996-3.1-cln";

/// How it is cleaned.
pub const CLEAN: &str = "default";

/// What is simulated together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Part {
    /// The paper's own setting.
    Paper,
    /// Readings of its text: how many processors A is, and what a night is.
    Readings,
    /// Queue times counted twice.
    Caution,
    /// Equation 5 as printed.
    Literal,
    /// Other ways to predict.
    Variants,
    /// From ρ = 0.5 to 1.
    Loads,
    /// From 32 to 512 processors.
    Machines,
    /// Other distributions.
    Laws,
}

impl Part {
    /// All of them, in order.
    pub const ALL: [Part; 8] = [
        Part::Paper,
        Part::Readings,
        Part::Caution,
        Part::Literal,
        Part::Variants,
        Part::Loads,
        Part::Machines,
        Part::Laws,
    ];

    /// The tables that are filled from it.
    pub fn tables(self) -> &'static [&'static str] {
        match self {
            Part::Paper => &["workload", "1", "2", "6.1", "predictions"],
            Part::Readings => &["readings"],
            Part::Caution => &["caution"],
            Part::Literal => &["literal"],
            Part::Variants => &["variants"],
            Part::Loads => &["loads"],
            Part::Machines => &["machines"],
            Part::Laws => &["distributions"],
        }
    }
}

/// What each table shows.
const CAPTIONS: [(&str, &str); 12] = [
    ("workload", "jobs under AVG (sections 4 and 5)"),
    ("1", "strategies from the jobs' point of view: recorded on AVG's schedule"),
    ("2", "strategies from the system's point of view: carried out"),
    ("6.1", "improvements, carried out"),
    ("predictions", "queue times predicted and actual, in natural logarithms of seconds (Figure 5)"),
    ("readings", "what the paper leaves open: how many processors A is, and what a night is"),
    ("caution", "an experiment: predicted queue times counted twice"),
    (
        "literal",
        "a reading: equation 5 as printed, where the time solved for is the lifetime of running jobs; BIAS by the printed line",
    ),
    ("variants", "other ways to predict, and what is known of run times"),
    (
        "loads",
        "strategies by offered load; averse: BIAS with lock-in and risk aversion; social: PRED with internalised cost",
    ),
    ("machines", "strategies by processors of the machine"),
    ("distributions", "strategies by what jobs are like"),
];

/// The paper and what it needs.
pub const PAPER: Paper = Paper {
    name: "downey1997",
    title: TITLE,
    tables: TABLES,
    logs: &[],
    optional: &[LOG],
    without_logs: &[],
    clean: CLEAN,
    seeds: Some(SEEDS),
    prepare: prepare::<Downey1997>,
};

/// Every seed of every setting.
pub struct Downey1997 {
    plan: Plan,
    trials: Vec<SeedTrial>,
}

impl Protocol for Downey1997 {
    type Results = Vec<SeedRun>;

    fn plan(_logs: &[&Log], request: &Request) -> Result<Downey1997, EvalError> {
        let wanted = |part: &Part| part.tables().iter().any(|table| request.tables.wants(table));
        let parts: Vec<Part> = Part::ALL.into_iter().filter(wanted).collect();
        let plan = Plan::new(&parts, request.seeds.unwrap_or(SEEDS))?;
        Ok(Downey1997 { trials: SeedTrial::all(&plan), plan })
    }

    fn work(&self) -> Work {
        Work { what: "simulating", steps: self.trials.len() }
    }

    fn run(&self, _logs: &[&Log], done: &Done<'_>) -> Result<Vec<SeedRun>, EvalError> {
        parallel::try_map(&self.trials, |trial| {
            let outcome = trial.run(&self.plan);
            done(1);
            outcome
        })
    }

    fn judge(&self, logs: &[&Log], results: &Vec<SeedRun>) -> Reproduction {
        judge(&self.plan, &self.trials, results, logs.first().map(|log| &log.workload))
    }
}

/// What came of it, judged. `trials` and `outcomes` belong together and to the plan; with the log of [`LOG`] there are
/// Figures 3 and 4 too.
pub fn judge(
    plan: &Plan,
    trials: &[SeedTrial],
    outcomes: &[SeedRun],
    log: Option<&Workload>,
) -> Reproduction {
    let mut reproduction = Reproduction::new("downey1997", TITLE);
    for (table, caption) in CAPTIONS {
        reproduction = reproduction.captioned(table, caption);
    }
    let results = SettingResults::of(plan, trials, outcomes);
    reproduction.notes.extend(notes(&results));
    reproduction.cells = tables::all(&results);
    reproduction.claims = claims::judged(&results);
    reproduction.figures = figures::drawn(&results, log);
    reproduction
}

/// What a reader has to know.
fn notes(results: &SettingResults<'_>) -> Vec<String> {
    let seeds = results.of_part(Part::Paper).map(|found| found.setting.seeds).max();
    let mut notes = vec![
        "jobs are given at most A processors rounded up, and every day begins on an idle machine: the readings under which \
         the paper's own account of its workload comes out (table readings)"
            .to_owned(),
        "predictions go by equation 5 with the lifetimes of section 2.2.1 (from e^2 to e^12 s); utilization is that of the \
         12 hours in which jobs arrive"
            .to_owned(),
    ];
    notes.extend(seeds.map(|seeds| {
        format!("ours is the mean of {seeds} seeds of {JOBS} jobs; the paper's single run may be two standard deviations of theirs away")
    }));
    notes
}

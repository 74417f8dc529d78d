//! Section 5 of Kumar & Vadhiyar 2014, "Prediction of Queue Waiting Times for Metascheduling on Parallel Batch Systems": which
//! wait predictors its tables and Figure 2 compare on each log, and which metaschedulers on six sites and 32 synthetic scenarios.

mod claims;
mod explained;
mod figures;
pub mod metascheduling;
mod methods;
mod outcome;
mod readings;
pub mod scenarios;
mod setup;
mod tables;
mod walk;

use queuecast::eval::{EvalError, WaitScore, WaitScorer, WaitWindow, Watch};
use queuecast::parallel;
use queuecast::predict::DEFAULT_REQUEST;
use queuecast::seed::Seed;
use queuecast::trace::Log;
use queuecast::units::Time;
use queuecast::workload::Workload;

use self::metascheduling::{
    ALTERNATIVES, DISTRIBUTION, GAINS, HOMES, LIMITED, Metascheduled, SUPER_TABLES, SYNTHETIC,
    SYNTHETIC_TABLES, WAITS, WantedGrids,
};
use self::methods::ComparedMethod;
pub use self::outcome::LogScores;
pub use self::readings::{PaperReading, ReadingScore, SubsetAccuracy};
use self::scenarios::{ComparedReading, ReadingResult, Scenario};
pub use self::setup::JOBS;
use self::setup::{LOADS, SCENARIOS};
use crate::{Done, Paper, Protocol, Reproduction, Request, Work, prepare};

/// The paper's title.
pub const TITLE: &str = "Prediction of Queue Waiting Times for Metascheduling on Parallel Batch Systems";

/// The tables, in order. `4a-expected` is another reading of one of them, `two-class` is Figure 2, `three-class` is told in the
/// text, `figure-3` is Figure 3; `readings`, `homes`, `variants`, `8-limits`, `scenario-gains`, `scenarios` and `scenario-loads` are not in the paper.
pub const TABLES: &[&str] = &[
    "3",
    "4",
    "4a-expected",
    "two-class",
    "three-class",
    "readings",
    WAITS,
    DISTRIBUTION,
    HOMES,
    ALTERNATIVES,
    SYNTHETIC,
    LIMITED,
    GAINS,
    SCENARIOS,
    LOADS,
];

/// The seed of the synthetic scenarios.
pub const SCENARIO_SEED: Seed = Seed(1);

/// Its logs, by how their files are called. ANL Intrepid, the sixth, is not among those that are to be had.
pub const LOGS: [&str; 5] = [
    "CTC-SP2-1996-3.1-cln",
    "LANL-CM5-1994-4.1-cln",
    "HPC2N-2002-2.2-cln",
    "SDSC-BLUE-2000-4.2-cln",
    "SDSC-SP2-1998-4.2-cln",
];

/// The tables that need no logs.
const WITHOUT_LOGS: [&str; 5] = [SYNTHETIC, LIMITED, GAINS, SCENARIOS, LOADS];

/// The paper and what it needs.
pub const PAPER: Paper = Paper {
    name: "kumar2014",
    title: TITLE,
    tables: TABLES,
    logs: &LOGS,
    optional: &[metascheduling::CURIE],
    without_logs: &WITHOUT_LOGS,
    clean: "default",
    seeds: None,
    prepare: prepare::<Kumar2014>,
};

/// The methods that the wanted tables compare, on every log.
pub struct Kumar2014 {
    methods: Vec<ComparedMethod>,
    readings: &'static [PaperReading],
    scenario_readings: Vec<ComparedReading>,
    grids: WantedGrids,
    /// Predictions to make, and jobs to simulate.
    steps: usize,
}

/// What came out.
#[derive(Debug, Clone, Default)]
pub struct KumarResults {
    /// Of section 5.1, in the order of [`LOGS`].
    pub logs: Vec<LogScores>,
    /// Of the synthetic scenarios.
    pub scenarios: Vec<ReadingResult>,
    /// Of section 5.2.
    pub metascheduled: Metascheduled,
}

/// One piece of work on a log.
enum Task {
    Score(ComparedMethod),
    Reread(PaperReading),
}

enum TaskResult {
    Scored(ComparedMethod, Box<WaitScore>),
    Reread(PaperReading, Box<ReadingScore>),
}

/// The paper's jobs.
fn window() -> WaitWindow {
    WaitWindow { from: WaitWindow::FROM, jobs: JOBS, default_request: DEFAULT_REQUEST }
}

impl Protocol for Kumar2014 {
    type Results = KumarResults;

    fn plan(logs: &[&Log], request: &Request) -> Result<Kumar2014, EvalError> {
        let wants = |table: &str| request.tables.wants(table);
        let methods: Vec<ComparedMethod> = ComparedMethod::ALL
            .into_iter()
            .filter(|method| method.tables().iter().any(|table| wants(table)))
            .collect();
        let readings: &[PaperReading] = match (wants("readings"), wants("4a-expected")) {
            (true, _) => &PaperReading::ALL,
            (false, true) => &[PaperReading::AsRead],
            (false, false) => &[],
        };
        let steps = |log: &&Log| {
            let walked = readings.iter().map(|reading| predicted(&log.workload, reading.jobs()));
            methods.len() * predicted(&log.workload, JOBS) + walked.sum::<usize>()
        };
        let scenario_readings = match (wants(SCENARIOS), wants(LOADS)) {
            (true, _) => ComparedReading::all(),
            (false, true) => vec![ComparedReading::default()],
            (false, false) => Vec::new(),
        };
        let simulated =
            scenario_readings.iter().map(|compared| compared.jobs as usize * Scenario::all().len());
        let grids = WantedGrids {
            super_experiments: SUPER_TABLES.into_iter().any(wants),
            synthetic: SYNTHETIC_TABLES.into_iter().any(wants),
            limited: wants(LIMITED),
            variants: wants(ALTERNATIVES),
        };
        let workloads: Vec<&Workload> = logs.iter().map(|log| &log.workload).collect();
        let metascheduled = Metascheduled::steps(&workloads, grids);
        let predicted = own(logs).iter().map(steps).chain(simulated).sum::<usize>();
        Ok(Kumar2014 { steps: predicted + metascheduled, methods, readings, scenario_readings, grids })
    }

    fn work(&self) -> Work {
        let predicts = !(self.methods.is_empty() && self.readings.is_empty());
        Work { what: if predicts { "predicting" } else { "simulating" }, steps: self.steps }
    }

    fn run(&self, all: &[&Log], done: &Done<'_>) -> Result<KumarResults, EvalError> {
        let logs = own(all);
        let scorers = parallel::try_map(logs, |log| WaitScorer::new(&log.workload, window()))?;
        let tasks: Vec<(usize, Task)> = (0..logs.len())
            .flat_map(|place| {
                let scored = self.methods.iter().map(move |&method| (place, Task::Score(method)));
                scored.chain(self.readings.iter().map(move |&reading| (place, Task::Reread(reading))))
            })
            .collect();
        let results = parallel::try_map(&tasks, |(place, task)| match *task {
            Task::Score(method) => {
                let spec = method.spec().parse()?;
                let mut scores = scorers[*place].score(&[spec], Watch { done, clock: None });
                let score = scores.pop().ok_or(EvalError::NoWaits)?;
                Ok::<_, EvalError>((*place, TaskResult::Scored(method, Box::new(score))))
            }
            Task::Reread(reading) => {
                let score = reading.score(&logs[*place].workload, done)?;
                Ok((*place, TaskResult::Reread(reading, Box::new(score))))
            }
        })?;
        let mut outcomes = vec![LogScores::default(); logs.len()];
        for (place, result) in results {
            match result {
                TaskResult::Scored(method, score) => outcomes[place].scores.push((method, *score)),
                TaskResult::Reread(reading, score) => outcomes[place].readings.push((reading, *score)),
            }
        }
        let scenarios = scenarios::readings_compared(&self.scenario_readings, SCENARIO_SEED, done)?;
        let workloads: Vec<&Workload> = all.iter().map(|log| &log.workload).collect();
        let metascheduled = Metascheduled::run(&workloads, SCENARIO_SEED, self.grids, done)?;
        Ok(KumarResults { logs: outcomes, scenarios, metascheduled })
    }

    fn judge(&self, _logs: &[&Log], results: &KumarResults) -> Reproduction {
        judge(results)
    }
}

/// The paper's own logs, without one that stands in.
fn own<'a, 'l>(logs: &'a [&'l Log]) -> &'a [&'l Log] {
    &logs[..logs.len().min(LOGS.len())]
}

/// How many jobs of a workload are predicted, of so many from the paper's first on.
fn predicted(workload: &Workload, jobs: usize) -> usize {
    let starts = workload.starts.iter().skip(WaitWindow::FROM - 1).take(jobs);
    starts.filter(|&&start| start != Time::NEVER).count()
}

/// What came out, judged.
pub fn judge(results: &KumarResults) -> Reproduction {
    let outcomes = &results.logs;
    let mut reproduction = Reproduction::new("kumar2014", TITLE);
    reproduction.notes.extend(
        [
            "ANL Intrepid, the paper's sixth log, is not to be had here: its cells of section 5.1 are left out, and CEA-Curie, the one other \
             large machine, stands in for it in the super experiments of section 5.2; without that log there are five sites",
            "section 5.2: EASY everywhere with requested times; every log begins at the same instant, with all its jobs (whole logs) or \
             those submitted while all logs last; jobs run as long as recorded. Static and Least_Predictedqw in Table 8 are not judged: scenarios and histories are read by them",
            "jobs 10,001 to 50,000 of each log; the history is the last 5,000 jobs that have started, the support vector machine \
             is trained every 5,000 starts, as in the paper. Quick starters are jobs that wait for at most an hour",
            "of Table 3 only the first number, 52, is readable in the text that the values are taken from; Figure 2 has no numbers. Both \
             are shown, and judged by what the text says of them",
            "the paper has no baseline: on every log, always naming the first class (up to an hour) is right more often than its \
             Avg_wt column in Table 4(b)",
        ]
        .map(str::to_owned),
    );
    for (number, caption) in tables::CAPTIONS {
        reproduction = reproduction.captioned(number, caption);
    }
    reproduction.cells = tables::cells(outcomes);
    reproduction.cells.extend(tables::scenario_cells(&results.scenarios));
    reproduction.cells.extend(tables::metascheduling_cells(&results.metascheduled));
    reproduction.notes.extend(tables::readings_compared(&reproduction.cells));
    reproduction.claims = claims::judged(outcomes);
    reproduction
        .claims
        .extend(metascheduling::judged(&results.metascheduled).into_iter().map(explained::claim));
    reproduction.figures = figures::drawn(outcomes);
    reproduction.figures.extend(metascheduling::figure(&results.metascheduled));
    reproduction
}

#[cfg(test)]
mod tests;

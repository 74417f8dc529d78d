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
mod settings;
mod setup;
mod tables;
mod walk;

use queuecast_core::job::Ending;
use queuecast_core::parallel;
use queuecast_core::seed::Seed;
use queuecast_core::units::Time;
use queuecast_core::workload::Workload;
use queuecast_eval::{EvalError, WaitWindow};
use queuecast_trace::Log;
use queuecast_wait::{Regression, WAIT_CLASSES};

use self::metascheduling::{
    ALTERNATIVES, DISTRIBUTION, GAINS, HOMES, LIMITED, Metascheduled, SUPER_TABLES, SYNTHETIC,
    SYNTHETIC_TABLES, WAITS, WantedGrids,
};
use self::methods::ComparedMethod;
pub use self::outcome::LogScores;
pub use self::readings::{PaperReading, ReadingScore, SubsetAccuracy};
use self::scenarios::{ComparedReading, ReadingResult, Scenario};
pub use self::settings::{Known, ReadingSettings};
pub use self::setup::JOBS;
use self::setup::{LOADS, PRINTED, READINGS, SCENARIOS};
pub use self::walk::PredictedJob;
use self::walk::{ClassFollower, RegressionFollower, walk};
use crate::{Done, Paper, Protocol, Reproduction, Request, Work, prepare};

/// The paper's title.
pub const TITLE: &str = "Prediction of Queue Waiting Times for Metascheduling on Parallel Batch Systems";

/// The tables, in order. `4a-expected` is another reading of one of them, `two-class` is Figure 2, `three-class` is told in the
/// text, `figure-3` is Figure 3; `printed`, `readings`, `homes`, `variants`, `8-limits`, `scenario-gains`, `scenarios` and `scenario-loads` are not in the paper.
pub const TABLES: &[&str] = &[
    "3",
    "4",
    "4a-expected",
    "two-class",
    "three-class",
    PRINTED,
    READINGS,
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

/// What the wanted tables need of every log.
pub struct Kumar2014 {
    readings: Vec<PaperReading>,
    /// Whether the support vector machine is wanted, which only two classes need.
    machine: bool,
    /// Whether the techniques of Table 3 are.
    techniques: bool,
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
#[derive(Clone, Copy)]
enum Task {
    /// Points by a reading.
    Reading(PaperReading),
    /// The support vector machine, by the default reading.
    Machine,
    /// A technique of Table 3, by the default reading.
    Technique(ComparedMethod, Regression),
}

enum TaskResult {
    Reading(PaperReading, Vec<PredictedJob>),
    Machine(Vec<[f64; WAIT_CLASSES]>),
    Technique(ComparedMethod, Vec<f64>),
}

impl Task {
    fn run(self, log: &Workload, done: &Done<'_>) -> Result<TaskResult, EvalError> {
        let settings = ReadingSettings::DEFAULT;
        Ok(match self {
            Task::Reading(reading) => TaskResult::Reading(reading, reading.predict(log, done)?),
            Task::Machine => {
                let workload = settings.workload(log)?;
                TaskResult::Machine(walk(&workload, &settings, &mut ClassFollower::default(), done)?)
            }
            Task::Technique(method, by) => {
                let mut follower = RegressionFollower::new(&settings, by);
                TaskResult::Technique(method, walk(&settings.workload(log)?, &settings, &mut follower, done)?)
            }
        })
    }

    /// The settings it follows a log by.
    fn settings(self) -> ReadingSettings {
        match self {
            Task::Reading(reading) => reading.settings(),
            Task::Machine | Task::Technique(..) => ReadingSettings::DEFAULT,
        }
    }
}

impl Kumar2014 {
    /// Of each log, the longest first.
    fn tasks(&self) -> Vec<Task> {
        let techniques = ComparedMethod::REGRESSIONS.into_iter().filter(|_| self.techniques);
        let techniques = techniques.map(|(method, by)| Task::Technique(method, by));
        let machine = self.machine.then_some(Task::Machine);
        techniques.chain(machine).chain(self.readings.iter().map(|&reading| Task::Reading(reading))).collect()
    }
}

/// What came of the tasks of one log.
fn combined(results: Vec<TaskResult>) -> LogScores {
    let mut scores = LogScores::default();
    let (mut default, mut machine, mut techniques) = (None, None, Vec::new());
    for result in results {
        match result {
            TaskResult::Reading(reading, jobs) => {
                scores.readings.push((reading, ReadingScore::of(&jobs)));
                if reading == PaperReading::Default {
                    default = Some(jobs);
                }
            }
            TaskResult::Machine(probabilities) => machine = Some(probabilities),
            TaskResult::Technique(method, waits) => techniques.push((method, waits)),
        }
    }
    if let Some(jobs) = default {
        scores.add_default(&jobs, machine.as_deref());
        for (method, waits) in techniques {
            scores.add_errors(method, &jobs, &waits);
        }
    }
    scores
}

impl Protocol for Kumar2014 {
    type Results = KumarResults;

    fn plan(logs: &[&Log], request: &Request) -> Result<Kumar2014, EvalError> {
        let wants = |table: &str| request.tables.wants(table);
        let own_tables = ["3", "4", "4a-expected", "two-class", "three-class"].into_iter().any(wants);
        let needed = |reading: PaperReading| match reading {
            _ if wants(READINGS) => true,
            PaperReading::Default => own_tables,
            // It explains cells.
            PaperReading::FiftyThousand => wants("3") || wants("4"),
            PaperReading::Printed => wants(PRINTED),
            _ => false,
        };
        let readings = PaperReading::ALL.into_iter().filter(|&reading| needed(reading)).collect();
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
        let steps = metascheduled + simulated.sum::<usize>();
        let mut plan = Kumar2014 {
            readings,
            machine: wants("two-class"),
            techniques: wants("3"),
            scenario_readings,
            grids,
            steps,
        };
        let tasks = plan.tasks();
        for log in own(logs) {
            plan.steps += tasks.iter().map(|task| predicted(&log.workload, task.settings())).sum::<usize>();
        }
        Ok(plan)
    }

    fn work(&self) -> Work {
        let predicts = !self.tasks().is_empty();
        Work { what: if predicts { "predicting" } else { "simulating" }, steps: self.steps }
    }

    fn run(&self, all: &[&Log], done: &Done<'_>) -> Result<KumarResults, EvalError> {
        let logs = own(all);
        let tasks: Vec<(usize, Task)> = (0..logs.len())
            .flat_map(|place| self.tasks().into_iter().map(move |task| (place, task)))
            .collect();
        let results = parallel::try_map(&tasks, |(place, task)| task.run(&logs[*place].workload, done))?;
        let mut of_log: Vec<Vec<TaskResult>> = logs.iter().map(|_| Vec::new()).collect();
        for ((place, _), result) in tasks.iter().zip(results) {
            of_log[*place].push(result);
        }
        let outcomes = of_log.into_iter().map(combined).collect();
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

/// How many jobs of a log a reading predicts.
fn predicted(workload: &Workload, settings: ReadingSettings) -> usize {
    let jobs = workload.truths().iter().zip(&workload.starts);
    let counted = jobs.filter(|(truth, _)| !settings.completed || truth.ending == Ending::Completed);
    let window = counted.skip(WaitWindow::FROM - 1).take(settings.jobs);
    window.filter(|(_, start)| **start != Time::NEVER).count()
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
            "section 5.1, one reading for all logs: jobs of status 1 alone (queue, machine, history, predictions), the 10,001st to the \
             50,000th; the distance of two jobs is the mean over the features of |x - y| / (x + y); what remains of a job that overruns is below 0; \
             QBETS by size and requested time; IBL with equal weights and a kernel of width 0.12; Avg_wt by neighbours alone. With the \
             formula as it is printed: --table printed",
            "the history is the last 5,000 jobs that have started, the support vector machine is trained every 5,000 starts, as in the \
             paper. Quick starters are jobs that wait for at most an hour",
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

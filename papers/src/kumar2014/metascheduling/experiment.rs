//! The grids of section 5.2, and what comes of them under each broker.

use queuecast::broker::{Alignment, BrokerSpec, Grid, GridError, QueueLimits, SiteSetup, merged};
use queuecast::eval::{Brokerage, EvalError};
use queuecast::parallel;
use queuecast::seed::Seed;
use queuecast::sim::LimitRule;
use queuecast::units::Seconds;
use queuecast::wait::Ranges;
use queuecast::workload::Workload;

use crate::Done;
use crate::kumar2014::scenarios::{QUEUE_NAMES, SCENARIO_JOBS, Scenario};
use crate::kumar2014::setup::LOG_NAMES;

/// The log that stands in for that of ANL Intrepid: the one other large machine.
pub const CURIE: &str = "CEA-Curie-2011-2.1-cln";

/// What it is called in the tables.
pub const CURIE_NAME: &str = "Curie (for ANL)";

/// The brokers that are compared: the paper's, the paper's to the letter, K-distributed, ours, and the bound.
pub const COMPARED: [BrokerSpec; 9] = [
    BrokerSpec::Static,
    BrokerSpec::LeastLoaded,
    BrokerSpec::LeastPredictedWait { window: Ranges::WINDOW, literal: false },
    BrokerSpec::LeastPredictedWait { window: Ranges::WINDOW, literal: true },
    BrokerSpec::KDistributed { copies: BrokerSpec::COPIES },
    BrokerSpec::Redundant,
    BrokerSpec::Turnaround { by: BrokerSpec::BY },
    BrokerSpec::RiskAverse { quantile: BrokerSpec::QUANTILE, by: BrokerSpec::BY },
    BrokerSpec::Oracle,
];

/// Which jobs of the logs are in a super experiment; the paper does not say.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SuperReading {
    /// All: sites whose log has ended take the jobs of the others.
    Whole,
    /// Those submitted while all logs last.
    Together,
}

impl SuperReading {
    /// All, the paper's words first: "arrivals as recorded".
    pub const ALL: [SuperReading; 2] = [SuperReading::Whole, SuperReading::Together];

    /// How tables call it.
    pub fn name(self) -> &'static str {
        match self {
            SuperReading::Whole => "whole logs",
            SuperReading::Together => "while all last",
        }
    }
}

/// What came of section 5.2.
#[derive(Debug, Clone, Default)]
pub struct Metascheduled {
    /// The super experiments.
    pub super_experiments: Vec<(SuperReading, Brokerage)>,
    /// The synthetic ones, in the order of [`Scenario::all`].
    pub synthetic: Vec<(Scenario, Brokerage)>,
}

fn failed(error: GridError) -> EvalError {
    EvalError::Grid(error)
}

/// The sites of these logs, EASY everywhere, each log from its first submission on. Jobs run as long as they are recorded to
/// have run: the paper simulates recorded run times, and LANL's requested times are no limit.
pub fn super_grid(logs: &[&Workload], names: &[&str], reading: SuperReading) -> Result<Grid, GridError> {
    let span = |log: &&Workload| Some(log.jobs().last()?.submit - log.begins()?);
    let shortest = logs.iter().filter_map(span).min();
    let period = match reading {
        SuperReading::Whole => None,
        SuperReading::Together => shortest.map(|shortest| shortest + Seconds(1)),
    };
    let sites = logs.iter().zip(names).map(|(log, name)| SiteSetup::easy(*name, log.machine().procs));
    let mut grid = Grid::new(sites.collect(), merged(logs, Alignment::Start, false, period))?;
    grid.options.limit = LimitRule::Ignore;
    Ok(grid)
}

/// The four queues of a scenario, each with its own partition and the limits of Table 6.
pub fn synthetic_grid(scenario: &Scenario, seed: Seed, jobs: u32) -> Result<Grid, EvalError> {
    let workloads = scenario.generate(seed, jobs)?;
    let sites = scenario.queues().into_iter().zip(QUEUE_NAMES).map(|(queue, name)| {
        let limits = QueueLimits {
            name: name.to_owned(),
            max_procs: Some(queue.procs),
            max_time: Some(queue.time),
        };
        SiteSetup { queues: vec![limits], ..SiteSetup::easy(format!("queue {name}"), queue.partition) }
    });
    let logs: Vec<&Workload> = workloads.iter().collect();
    Grid::new(sites.collect(), merged(&logs, Alignment::Recorded, true, None)).map_err(failed)
}

impl Metascheduled {
    /// How many jobs are simulated.
    pub fn steps(logs: &[&Workload], wants_super: bool, wants_synthetic: bool) -> usize {
        let jobs: usize = logs.iter().map(|log| log.len()).sum();
        let synthetic = Scenario::all().len() * SCENARIO_JOBS as usize;
        let together = usize::from(wants_super) * SuperReading::ALL.len() * jobs;
        COMPARED.len() * (together + usize::from(wants_synthetic) * synthetic)
    }

    /// Simulates what is wanted. `logs` are those of the paper in their order, then the one that stands in, if it is there.
    pub fn run(
        logs: &[&Workload],
        seed: Seed,
        wants_super: bool,
        wants_synthetic: bool,
        done: &Done<'_>,
    ) -> Result<Metascheduled, EvalError> {
        let names: Vec<&str> = LOG_NAMES.into_iter().chain([CURIE_NAME]).collect();
        let mut super_experiments = Vec::new();
        for reading in SuperReading::ALL.into_iter().filter(|_| wants_super && !logs.is_empty()) {
            let grid = super_grid(logs, &names, reading).map_err(failed)?;
            super_experiments.push((reading, Brokerage::compare(&grid, &COMPARED, done).map_err(failed)?));
            // Jobs that this reading leaves out.
            let all: usize = logs.iter().map(|log| log.len()).sum();
            done(COMPARED.len() * (all - grid.jobs().len()));
        }
        let scenarios = if wants_synthetic { Scenario::all() } else { Vec::new() };
        let synthetic = parallel::try_map(&scenarios, |scenario| {
            let grid = synthetic_grid(scenario, seed, SCENARIO_JOBS)?;
            Ok::<_, EvalError>((*scenario, Brokerage::compare(&grid, &COMPARED, done).map_err(failed)?))
        })?;
        Ok(Metascheduled { super_experiments, synthetic })
    }
}

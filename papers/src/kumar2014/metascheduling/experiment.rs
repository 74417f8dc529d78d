//! The grids of section 5.2, and what comes of them under each broker.

use queuecast_core::parallel;
use queuecast_core::seed::Seed;
use queuecast_core::units::Seconds;
use queuecast_core::workload::Workload;
use queuecast_eval::EvalError;
use queuecast_forecast::broker::{
    Alignment, BrokerSpec, Grid, GridError, QueueLimits, SiteSetup, WaitHistory, merged,
};
use queuecast_sim::sim::LimitRule;
use queuecast_study::Brokerage;
use queuecast_wait::{FeatureDistance, Ranges};

use crate::Done;
use crate::kumar2014::scenarios::{QUEUE_NAMES, SCENARIO_JOBS, Scenario};
use crate::kumar2014::setup::LOG_NAMES;

/// The log that stands in for that of ANL Intrepid: the one other large machine.
pub const CURIE: &str = "CEA-Curie-2011-2.1-cln";

/// What it is called in the tables.
pub const CURIE_NAME: &str = "Curie (for ANL)";

/// Least_Predictedqw, by the one reading of the features, and by what the paper's histories seem to be: the logs as simulated without a
/// metascheduler.
const OWN: BrokerSpec = BrokerSpec::LeastPredictedWait {
    window: Ranges::WINDOW,
    distance: FeatureDistance::Element,
    overruns: false,
    history: WaitHistory::Own,
    literal: false,
};

/// The predicted wait by what a metascheduler can know.
const SENT: BrokerSpec = BrokerSpec::LeastPredictedWait {
    window: Ranges::WINDOW,
    distance: FeatureDistance::Element,
    overruns: false,
    history: WaitHistory::Sent,
    literal: false,
};

/// The brokers that are compared: the paper's four, what of them can be known, K-distributed, ours, and the oracle.
pub const COMPARED: [BrokerSpec; 9] = [
    BrokerSpec::Static,
    BrokerSpec::LeastLoaded,
    OWN,
    SENT,
    BrokerSpec::KDistributed { copies: BrokerSpec::COPIES },
    BrokerSpec::Redundant,
    BrokerSpec::Turnaround { by: BrokerSpec::BY },
    BrokerSpec::RiskAverse { quantile: BrokerSpec::QUANTILE, by: BrokerSpec::BY },
    BrokerSpec::Oracle,
];

/// Alternatives that were tried, as specs: the distance as printed, predictions believed for any queue, other quantiles, other ways to predict waits.
pub const VARIANTS: [&str; 11] = [
    "static",
    "least-predicted-wait:history=own",
    "least-predicted-wait",
    "least-predicted-wait:distance=element,history=own,literal",
    "least-predicted-wait:distance=element,literal",
    "turnaround+by=planned:recent",
    "turnaround+by=planned:0.5",
    "risk-averse+quantile=0.8",
    "turnaround+by=knn",
    "turnaround+by=ranges:quick",
    "risk-averse+by=ranges:quick",
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
    /// All, that with every job of the logs first.
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
    /// The synthetic ones with queues that take what is within their limits.
    pub limited: Vec<(Scenario, Brokerage)>,
    /// Alternatives, on the super experiment while all logs last.
    pub variants: Option<Brokerage>,
}

/// Which experiments of section 5.2 are wanted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct WantedGrids {
    /// The super experiments.
    pub super_experiments: bool,
    /// The synthetic ones.
    pub synthetic: bool,
    /// The synthetic ones with limits.
    pub limited: bool,
    /// The alternatives.
    pub variants: bool,
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

/// Which jobs of other queues a queue takes. The paper does not say: Table 6 has limits "allowed for a job" of each queue, and
/// its jobs are generated by them, but under a metascheduler "any of the n queues can be chosen".
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Admission {
    /// All that fit its partition: the limits say which jobs its own users submit.
    Fits,
    /// Those within its limits.
    Limits,
}

/// The four queues of a scenario, each with its own partition.
pub fn synthetic_grid(
    scenario: &Scenario,
    seed: Seed,
    jobs: u32,
    admission: Admission,
) -> Result<Grid, EvalError> {
    let workloads = scenario.generate(seed, jobs)?;
    let sites = scenario.queues().into_iter().zip(QUEUE_NAMES).map(|(queue, name)| {
        let limits =
            QueueLimits { name: name.to_owned(), max_procs: Some(queue.procs), max_time: Some(queue.time) };
        let queues = if admission == Admission::Limits { vec![limits] } else { Vec::new() };
        SiteSetup { queues, ..SiteSetup::easy(format!("queue {name}"), queue.partition) }
    });
    let logs: Vec<&Workload> = workloads.iter().collect();
    Ok(Grid::new(sites.collect(), merged(&logs, Alignment::Recorded, true, None))?)
}

impl Metascheduled {
    /// How many jobs are simulated, at most.
    pub fn steps(logs: &[&Workload], wanted: WantedGrids) -> usize {
        let jobs: usize = logs.iter().map(|log| log.len()).sum();
        let synthetic = Scenario::all().len() * SCENARIO_JOBS as usize;
        usize::from(wanted.super_experiments) * SuperReading::ALL.len() * COMPARED.len() * jobs
            + (usize::from(wanted.synthetic) + usize::from(wanted.limited)) * COMPARED.len() * synthetic
            + usize::from(wanted.variants) * VARIANTS.len() * jobs
    }

    /// Simulates what is wanted. `logs` are those of the paper in their order, then the one that stands in, if it is there.
    pub fn run(
        logs: &[&Workload],
        seed: Seed,
        wanted: WantedGrids,
        done: &Done<'_>,
    ) -> Result<Metascheduled, EvalError> {
        let names: Vec<&str> = LOG_NAMES.into_iter().chain([CURIE_NAME]).collect();
        let all: usize = logs.iter().map(|log| log.len()).sum();
        let on_sites = |reading: SuperReading, brokers: &[BrokerSpec]| -> Result<Brokerage, EvalError> {
            let grid = super_grid(logs, &names, reading)?;
            let brokerage = Brokerage::compare(&grid, brokers, done)?;
            // Jobs that this reading leaves out.
            done(brokers.len() * (all - grid.jobs().len()));
            Ok(brokerage)
        };
        let mut results = Metascheduled::default();
        if wanted.super_experiments && !logs.is_empty() {
            for reading in SuperReading::ALL {
                results.super_experiments.push((reading, on_sites(reading, &COMPARED)?));
            }
        }
        if wanted.variants && !logs.is_empty() {
            let variants: Result<Vec<BrokerSpec>, _> = VARIANTS.iter().map(|spec| spec.parse()).collect();
            results.variants = Some(on_sites(SuperReading::Together, &variants?)?);
        }
        let scenarios = |wanted: bool, admission: Admission| {
            let scenarios = if wanted { Scenario::all() } else { Vec::new() };
            parallel::try_map(&scenarios, |scenario| {
                let grid = synthetic_grid(scenario, seed, SCENARIO_JOBS, admission)?;
                Ok::<_, EvalError>((*scenario, Brokerage::compare(&grid, &COMPARED, done)?))
            })
        };
        results.synthetic = scenarios(wanted.synthetic, Admission::Fits)?;
        results.limited = scenarios(wanted.limited, Admission::Limits)?;
        Ok(results)
    }
}

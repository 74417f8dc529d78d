//! All jobs of the logs of several sites, simulated under brokers: the question and the answer.

use serde::Serialize;

use crate::Brokerage;
use queuecast_core::asking::{Messages, Refusal};
use queuecast_core::units::{Procs, Seconds};
use queuecast_core::workload::{Machine, Workload};
use queuecast_forecast::broker::{Alignment, BrokerSpec, Grid, GridError, QueueLimits, merged};
use queuecast_place::{LabelledLog, SitesFile};
use queuecast_trace::{CleaningReport, MachineSize, WorkloadFacts};

/// What became of all jobs under each broker.
#[derive(Debug, Serialize)]
pub struct Brokered {
    /// Of queuecast.
    pub version: &'static str,
    /// What was simulated.
    pub grid: GridSettings,
    /// The first of the jobs that no site takes.
    pub first_unplaced: Option<Unplaced>,
    /// The answer.
    #[serde(flatten)]
    pub report: Brokerage,
}

/// What was simulated.
#[derive(Debug, Serialize)]
pub struct GridSettings {
    /// The file of sites.
    pub file: String,
    /// How clocks were put together.
    #[serde(flatten)]
    pub clocks: Clocks,
    /// Only jobs submitted within this many days of the first.
    pub days: Option<f64>,
    /// Whether users are the same at all sites.
    pub same_people: bool,
    /// What happened to a job at its requested time.
    pub limit: String,
    /// The sites.
    pub sites: Vec<SiteSettings>,
}

/// How the clocks of the logs were put together.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct Clocks {
    /// The way.
    pub align: Alignment,
    /// Whether the file of sites says so.
    #[serde(skip)]
    pub given: bool,
    /// Whether there are several logs.
    #[serde(skip)]
    pub several: bool,
}

/// A site as it was simulated.
#[derive(Debug, Serialize)]
pub struct SiteSettings {
    /// Its name.
    pub site: String,
    /// Its processors.
    pub procs: Procs,
    /// Who ran next.
    pub policy: String,
    /// How long jobs were expected to run.
    pub predictor: String,
    /// How much faster than a plain one its processors are.
    pub speed: f64,
    /// Its queues.
    pub queues: Vec<QueueSettings>,
    /// The machine of the log, where the file of sites does not say its size.
    #[serde(skip)]
    pub guessed: Option<MachineSize>,
    /// Its log; `null` for a site without jobs of its own.
    pub workload: Option<WorkloadFacts>,
    /// What became of the records of its log.
    pub cleaning: Option<CleaningReport>,
}

/// A queue and the largest jobs it takes.
#[derive(Debug, Serialize)]
pub struct QueueSettings {
    /// Its name.
    pub queue: String,
    /// Processors of one job.
    pub max_procs: Option<Procs>,
    /// In seconds.
    pub max_time: Option<Seconds>,
}

/// A job that no site takes.
#[derive(Debug, Serialize)]
pub struct Unplaced {
    /// Its number in its log.
    pub job: u64,
    /// Where it was submitted.
    pub site: Option<String>,
    /// Processors it asks for.
    pub procs: Procs,
    /// The time it asks for, in seconds.
    pub time: Option<Seconds>,
}

impl Brokered {
    /// Simulates the sites of a file, each with its log, under each broker.
    ///
    /// # Errors
    /// If no site has a log, or logs and sites do not go together.
    pub fn compare(
        file: &SitesFile,
        logs: &[Option<LabelledLog<'_>>],
        brokers: &[BrokerSpec],
        messages: &dyn Messages,
    ) -> Result<Brokered, Refusal> {
        if logs.iter().all(Option::is_none) {
            let what = format!("{}: no site has a trace, so there are no jobs to simulate", file.name);
            return Err(Refusal::input(what).hint("write trace = \"FILE\" below at least one [[site]]"));
        }
        let clocks = clocks(file, logs)?;
        let procs = file
            .sites
            .iter()
            .zip(logs)
            .map(|(site, log)| site.procs.or(log.map(|one| one.log.machine.procs)).unwrap_or(Procs(1)));
        let procs: Vec<Procs> = procs.collect();
        let nothing = Workload::new(Machine { procs: Procs(1) }, Vec::new())
            .map_err(|error| Refusal::bug(error.to_string()))?;
        let workloads: Vec<&Workload> =
            logs.iter().map(|log| log.map_or(&nothing, |one| &one.log.workload)).collect();
        let setups = file.sites.iter().zip(&procs).map(|(site, &procs)| site.setup(procs)).collect();
        let jobs = merged(&workloads, clocks.align, file.same_people, file.period);
        let said = |error: GridError| Refusal::input(format!("{}: {error}", file.name));
        let mut grid = Grid::new(setups, jobs).map_err(said)?;
        grid.options.limit = file.limit;
        let first_unplaced = grid.unplaced().next().map(|one| Unplaced {
            job: one.job.id.0,
            site: one.home.map(|home| file.sites[home].name.clone()),
            procs: one.job.shape.procs,
            time: one.job.shape.limit,
        });
        messages.begins("simulating", Brokerage::steps(&grid, brokers));
        let report = Brokerage::compare(&grid, brokers, &|steps| messages.done(steps));
        let report = report.map_err(|error| match error {
            GridError::Simulation { .. } | GridError::Routing(_) => Refusal::bug(error.to_string()),
            error => said(error),
        })?;
        let version = env!("CARGO_PKG_VERSION");
        Ok(Brokered { version, grid: settings(file, logs, &procs, clocks), first_unplaced, report })
    }
}

fn settings(
    file: &SitesFile,
    logs: &[Option<LabelledLog<'_>>],
    procs: &[Procs],
    clocks: Clocks,
) -> GridSettings {
    let queue = |limits: &QueueLimits| {
        let QueueLimits { name, max_procs, max_time } = limits.clone();
        QueueSettings { queue: name, max_procs, max_time }
    };
    let sites = file.sites.iter().zip(logs).zip(procs).map(|((site, log), &procs)| SiteSettings {
        site: site.name.clone(),
        procs,
        policy: site.policy.to_string(),
        predictor: site.predictor.to_string(),
        speed: site.speed,
        queues: site.queues.iter().map(queue).collect(),
        guessed: log.filter(|_| site.procs.is_none()).map(|one| one.log.machine),
        workload: log.map(|one| one.log.facts(one.name)),
        cleaning: log.map(|one| one.log.report.clone()),
    });
    GridSettings {
        file: file.name.clone(),
        clocks,
        days: file.period.map(|period| period.0 as f64 / 86_400.0),
        same_people: file.same_people,
        limit: file.limit.to_string(),
        sites: sites.collect(),
    }
}

/// How the clocks are put together, and whether that was asked for.
fn clocks(file: &SitesFile, logs: &[Option<LabelledLog<'_>>]) -> Result<Clocks, Refusal> {
    let own: Vec<&LabelledLog<'_>> = logs.iter().flatten().collect();
    if file.align == Some(Alignment::Recorded)
        && let Some(one) = own.iter().find(|one| one.log.workload.epoch.is_none())
    {
        let what =
            format!("{}: align = \"recorded\", but {} does not say when it began", file.name, one.name);
        return Err(Refusal::input(what).hint(
            "a UnixStartTime in its header says so; align = \"start\" begins all logs at one instant",
        ));
    }
    let workloads: Vec<&Workload> = own.iter().map(|one| &one.log.workload).collect();
    let align = file.align.unwrap_or_else(|| Alignment::fitting(&workloads));
    Ok(Clocks { align, given: file.align.is_some(), several: workloads.len() > 1 })
}

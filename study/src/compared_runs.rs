//! Recorded runs of a Slurm site beside their simulation, and beside each other; and starts forecast at each of their submissions.

use serde::Serialize;

use crate::{
    ForecastStart, GroupWait, NamedRun, RunDifference, StartForecastScore, group_waits, run_difference,
};
use queuecast_slurm_sim::cluster::{RecordedDecisions, SubmittedJob};
use queuecast_slurm_sim::controller::{DecisionMiss, DecisionShare, Phases, decisions, simulate_cluster};
use queuecast_slurm_texts::RecordedSite;

/// Runs beside their simulation and each other.
#[derive(Debug, Serialize)]
pub struct ComparedRuns {
    /// Of queuecast.
    pub version: &'static str,
    /// Each run and its simulation, then each pair of runs.
    pub pairs: Vec<RunDifference>,
    /// Of each run and its simulation.
    pub waits: Vec<GroupWait>,
    /// Recorded decisions that are decided alike in the recorded state, if that was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub decisions: Option<Vec<RunDecisions>>,
    /// Those that are decided differently.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub misses: Option<Vec<RunMiss>>,
    /// What the sites use and the simulation leaves out.
    pub not_modelled: Vec<String>,
}

/// Decisions of one kind in one run.
#[derive(Debug, Serialize)]
pub struct RunDecisions {
    /// The run.
    pub run: String,
    /// How many are decided alike.
    #[serde(flatten)]
    pub share: DecisionShare,
}

/// A decision of one run that is decided differently.
#[derive(Debug, Serialize)]
pub struct RunMiss {
    /// The run.
    pub run: String,
    /// The decision.
    #[serde(flatten)]
    pub miss: DecisionMiss,
}

/// One run as recorded and simulated.
#[derive(Debug)]
pub struct ComparedRun {
    recorded: NamedRun,
    simulated: NamedRun,
    submissions: Vec<SubmittedJob>,
    decisions: Vec<RunDecisions>,
    misses: Vec<RunMiss>,
    left_out: Vec<String>,
}

impl ComparedRun {
    /// Simulates what was submitted in a run; with recorded decisions, the controller is put into the recorded state at each.
    pub fn of(name: &str, site: RecordedSite, decided: Option<&RecordedDecisions>) -> ComparedRun {
        let RecordedSite { cluster, recording, left_out, .. } = site;
        let phases = Phases::of(&recording.clock, &cluster.settings);
        let found = decided.map(|decided| decisions(&cluster, &recording, phases, decided));
        let (shares, misses) = found.map_or_else(Default::default, |found| (found.shares, found.misses));
        let outcomes = simulate_cluster(&cluster, &recording, phases);
        let (zero, run) = (recording.clock.zero, || name.to_owned());
        ComparedRun {
            recorded: NamedRun { name: run(), zero, outcomes: recording.outcomes },
            simulated: NamedRun { name: "simulated".to_owned(), zero, outcomes },
            submissions: recording.submissions,
            decisions: shares.into_iter().map(|share| RunDecisions { run: run(), share }).collect(),
            misses: misses.into_iter().map(|miss| RunMiss { run: run(), miss }).collect(),
            left_out,
        }
    }

    /// Whether it is recorded what became of its jobs.
    fn is_told(&self) -> bool {
        !self.recorded.outcomes.is_empty()
    }

    /// Whether the same was submitted in both.
    fn is_alike(&self, other: &ComparedRun) -> bool {
        fn asked(job: &SubmittedJob) -> (&String, &String, Option<u32>, &Vec<String>) {
            (&job.key, &job.user, job.request.tasks, &job.request.partitions)
        }
        self.submissions.iter().map(asked).eq(other.submissions.iter().map(asked))
    }
}

impl ComparedRuns {
    /// All runs; with their decisions, if these were asked for.
    pub fn of(runs: Vec<ComparedRun>, with_decisions: bool) -> ComparedRuns {
        let told = || runs.iter().enumerate().filter(|(_, run)| run.is_told());
        let mut pairs: Vec<RunDifference> =
            told().map(|(_, run)| run_difference(&run.recorded, &run.simulated)).collect();
        for (place, one) in told() {
            let others = told().skip_while(|(at, _)| *at <= place).filter(|(_, other)| one.is_alike(other));
            pairs.extend(others.map(|(_, other)| run_difference(&one.recorded, &other.recorded)));
        }
        let mut waits = Vec::new();
        let mut not_modelled: Vec<String> = Vec::new();
        for run in &runs {
            waits.extend(group_waits(&run.recorded));
            let name = format!("{} simulated", run.recorded.name);
            waits.extend(group_waits(&NamedRun { name, ..run.simulated.clone() }));
            for one in &run.left_out {
                if !not_modelled.contains(one) {
                    not_modelled.push(one.clone());
                }
            }
        }
        let (mut decisions, mut misses) = (Vec::new(), Vec::new());
        for run in runs {
            decisions.extend(run.decisions);
            misses.extend(run.misses);
        }
        ComparedRuns {
            version: env!("CARGO_PKG_VERSION"),
            pairs,
            waits,
            decisions: with_decisions.then_some(decisions),
            misses: with_decisions.then_some(misses),
            not_modelled,
        }
    }
}

/// Forecasts of several runs.
#[derive(Debug, Serialize)]
pub struct ForecastRuns {
    /// Of queuecast.
    pub version: &'static str,
    /// One for each run.
    pub runs: Vec<ForecastRun>,
}

impl ForecastRuns {
    /// Of these runs.
    pub fn of(runs: Vec<ForecastRun>) -> ForecastRuns {
        ForecastRuns { version: env!("CARGO_PKG_VERSION"), runs }
    }
}

/// Forecasts of one run.
#[derive(Debug, Serialize)]
pub struct ForecastRun {
    /// The run.
    pub run: String,
    /// How far they are off.
    pub score: StartForecastScore,
    /// One for each job.
    pub jobs: Vec<ForecastStart>,
}

impl ForecastRun {
    /// Judges the forecasts of a run.
    pub fn of(run: String, jobs: Vec<ForecastStart>) -> ForecastRun {
        ForecastRun { run, score: StartForecastScore::of(&jobs), jobs }
    }
}

//! Forecasts of starts at a cluster, at one submission after the other.

use std::collections::BTreeMap;

use super::overdue::{LateStarts, LateWait};
use super::past::ClusterPast;
use super::starts::{ClusterDraws, ExpectedArrivals, cluster_draws, cluster_starts, tasks};
use queuecast_core::distribution::{Conformal, Distribution, LevelQuantiles};
use queuecast_core::seed::Seed;
use queuecast_core::units::Micros;
use queuecast_slurm_sim::cluster::{
    Cluster, ClusterMoment, JobOutcome, RecordedMoments, RecordedRun, SubmittedJob, is_known,
};
use queuecast_slurm_sim::controller::PreparedCluster;

/// When a job starts.
#[derive(Debug, Clone, PartialEq)]
pub struct StartForecast {
    /// Its index in an array.
    pub task: Option<u32>,
    /// Seconds from the moment to its start; `None` if it started in no simulation.
    pub wait: Option<Distribution>,
    /// The share of simulations in which it never started.
    pub never: f64,
}

/// Follows what became of the jobs of a cluster, and forecasts starts with what is known at each moment: run times as learned,
/// the scheduler simulated onwards, and moved by how late jobs were against earlier forecasts.
#[derive(Debug)]
pub struct ClusterForecaster<'r> {
    cluster: PreparedCluster<'r>,
    run: &'r RecordedRun,
    moments: RecordedMoments<'r>,
    past: ClusterPast<'r>,
    draws: ClusterDraws,
    seed: Seed,
    outcomes: BTreeMap<(&'r str, Option<u32>), &'r JobOutcome>,
    earlier: Vec<EarlierForecast<'r>>,
    asked: u64,
}

/// A forecast before it was moved.
#[derive(Debug)]
struct EarlierForecast<'r> {
    at: Micros,
    /// What became of the job.
    outcome: &'r JobOutcome,
    wait: LevelQuantiles,
}

impl<'r> ClusterForecaster<'r> {
    /// Before anything has happened in a recorded run.
    pub fn new(
        cluster: &'r Cluster,
        run: &'r RecordedRun,
        draws: ClusterDraws,
        seed: Seed,
    ) -> ClusterForecaster<'r> {
        let outcomes = run.outcomes.iter().map(|one| ((one.key.as_str(), one.task), one));
        ClusterForecaster {
            moments: RecordedMoments::new(cluster, run),
            past: ClusterPast::of(cluster, run),
            outcomes: outcomes.collect(),
            earlier: Vec::new(),
            asked: 0,
            cluster: PreparedCluster::of(cluster),
            run,
            draws,
            seed,
        }
    }

    /// Forecasts for the tasks of a recorded submission at the instant of its submission. Instants must not decrease
    /// between calls.
    pub fn at_submission(&mut self, place: usize) -> Vec<StartForecast> {
        let run = self.run;
        let Some(submission) = run.submissions.get(place) else { return Vec::new() };
        // It may have started within the same second; what was submitted after it within the same instant is not there yet.
        let mut moment = self.moments.before(place);
        let raw = self.raw(&mut moment, submission);
        let late = self.late_starts(submission.submit);
        let mut found = Vec::new();
        for (task, wait, never) in raw {
            let moved = wait.as_ref().map(|wait| late.moved(wait));
            if let (Some(wait), Some(outcome)) = (wait, self.outcome(&submission.key, task)) {
                let (at, wait) = (submission.submit, Conformal::quantiles(&wait));
                self.earlier.push(EarlierForecast { at, outcome, wait });
            }
            found.push(StartForecast { task, wait: moved, never });
        }
        found
    }

    /// What became of a job; `None` if that is not told.
    pub(super) fn outcome(&self, key: &str, task: Option<u32>) -> Option<&'r JobOutcome> {
        self.outcomes.get(&(key, task)).copied()
    }

    /// Sets the number of simulations and the expected arrivals of later forecasts.
    pub fn set_draws(&mut self, draws: ClusterDraws) {
        self.draws = draws;
    }

    /// Forecasts for the first task of each submission that is not in the run, each as if submitted alone at the moment or
    /// later, with common random numbers.
    pub fn newcomers(&mut self, moment: &ClusterMoment, jobs: &[SubmittedJob]) -> Vec<StartForecast> {
        let late = self.late_starts(moment.now);
        let asked = self.asked;
        let each = jobs.iter().map(|job| {
            self.asked = asked;
            let first = self.raw(&mut moment.clone(), job).into_iter().next();
            let (task, wait, never) = first.unwrap_or((None, None, 1.0));
            StartForecast { task, wait: wait.map(|wait| late.moved(&wait)), never }
        });
        each.collect()
    }

    /// When some jobs of a moment start, by their places among all of its jobs, array tasks one by one: as simulated, simulation by
    /// simulation, in seconds from the moment; `None` where one never does. The same moment has the same random numbers.
    pub(super) fn waiting(&mut self, moment: &ClusterMoment, wanted: &[usize]) -> Vec<Vec<Option<f64>>> {
        self.past.advance_to(moment.now);
        cluster_draws((&self.cluster, moment), &mut self.past, &[], wanted, self.draws, self.seed)
    }

    /// What is learned of run times and limits.
    pub(super) fn past(&mut self) -> &mut ClusterPast<'r> {
        &mut self.past
    }

    /// Forecasts before they are moved.
    fn raw(
        &mut self,
        moment: &mut ClusterMoment,
        submission: &SubmittedJob,
    ) -> Vec<(Option<u32>, Option<Distribution>, f64)> {
        self.past.advance_to(moment.now);
        let first: usize = moment.submissions.iter().map(|one| tasks(one).len()).sum();
        let own = tasks(submission);
        let wanted: Vec<usize> = (first..first + own.len()).collect();
        moment.submissions.push(submission.clone());
        self.asked += 1;
        let seed = Seed(self.seed.0.wrapping_add(self.asked << 20));
        let later = match self.draws.arrivals {
            ExpectedArrivals::Recorded => {
                self.run.submissions.iter().filter(|one| one.submit > moment.now).collect()
            }
            _ => Vec::new(),
        };
        let starts =
            cluster_starts((&self.cluster, moment), &mut self.past, &later, &wanted, self.draws, seed);
        own.into_iter().zip(starts).map(|(task, one)| (task, one.wait, one.never)).collect()
    }

    /// How late jobs were by an instant, against their forecasts.
    fn late_starts(&self, now: Micros) -> LateStarts {
        let late = |earlier: &EarlierForecast<'_>| {
            let EarlierForecast { at, outcome, wait } = earlier;
            let wait_until = |until: Micros| (until - *at).max(Micros::ZERO).as_seconds();
            let so_far = match outcome.start.filter(|start| is_known(*start, now)) {
                Some(start) => LateWait::Started(wait_until(start.into())),
                // It has left without a start.
                None if outcome.start.is_none() && outcome.end.is_some_and(|end| is_known(end, now)) => {
                    return None;
                }
                None => LateWait::Longer(wait_until(now)),
            };
            Some((*wait, so_far))
        };
        LateStarts::of(self.earlier.iter().rev().filter_map(late))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use queuecast_core::units::Seconds;
    use queuecast_slurm_sim::cluster::{
        ClusterNode, ClusterPartition, JobRequest, TaskRun, TimeLimit, classes_of,
    };
    use queuecast_slurm_sim::controller::{Phases, simulate_cluster};

    /// One node, and four jobs for all of it in one instant: the first starts at once, the others one after the other.
    /// A service may hold it and ask it on another thread.
    #[test]
    fn forecasters_can_be_sent() {
        fn is_send<T: Send>() {}
        is_send::<ClusterForecaster<'_>>();
    }

    #[test]
    fn what_comes_later_in_the_same_instant_is_not_ahead() {
        let node = ClusterNode { name: "n1".into(), cpus: 4, cores_per_socket: 4, ..ClusterNode::default() };
        let partition =
            ClusterPartition { name: "all".into(), nodes: vec![0], is_default: true, ..Default::default() };
        let nodes = vec![node];
        let cluster =
            Cluster { classes: classes_of(&nodes), nodes, partitions: vec![partition], ..Cluster::default() };
        let job = |number: usize| SubmittedJob {
            key: format!("j{number}"),
            id: None,
            submit: Micros::of_seconds(1000),
            user: "ann".into(),
            request: JobRequest {
                tasks: Some(4),
                time_limit: Some(TimeLimit::Of(Seconds(600))),
                ..JobRequest::default()
            },
            runs: vec![TaskRun::For(Seconds(300))],
            not_modelled: Vec::new(),
        };
        let mut run = RecordedRun { submissions: (0..4).map(job).collect(), ..RecordedRun::default() };
        run.outcomes = simulate_cluster(&cluster, &run, Phases::from_start(Micros::ZERO, Seconds(30)));
        let draws = ClusterDraws { draws: 5, arrivals: ExpectedArrivals::None };
        let mut forecaster = ClusterForecaster::new(&cluster, &run, draws, Seed(1));
        let medians: Vec<f64> = (0..4)
            .map(|place| forecaster.at_submission(place)[0].wait.as_ref().unwrap().quantile(0.5))
            .collect();
        assert!(medians[0] <= 5.0, "{medians:?}");
        assert!(medians.is_sorted() && medians[3] > 100.0, "control: {medians:?}");
    }
}

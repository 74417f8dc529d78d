//! Calibration of a population to a log: first guesses, then trials. Each trial rearranges the log's jobs, measures the
//! users' behaviour, and corrects each parameter by the statistic that depends on it most.

use super::{Population, UserStatistics};
use crate::synth::SynthError;
use queuecast_core::seed::Seed;
use queuecast_core::units::Seconds;
use queuecast_core::workload::Workload;

/// Number of trials; the last ones change little.
const TRIALS: u64 = 7;

pub(super) fn like(workload: &Workload) -> Result<Population, SynthError> {
    let log = UserStatistics::of(workload);
    if log.users == 0 {
        return Err(SynthError::Unsuitable(
            "the log does not say who submitted its jobs: there are no users to fit to".into(),
        ));
    }
    let (activity, plateau) = activity(&UserStatistics::jobs_by_rank(workload));
    let mut population = Population {
        users: log.users.min(1_000_000) as u32,
        activity,
        plateau,
        jobs_per_session: log.jobs_per_session.clamp(1.0, 1000.0),
        groups: groups(workload),
        ..Population::default()
    };
    let unqueued = unqueued(workload)?;
    for trial in 0..TRIALS {
        let tried = UserStatistics::of(&population.assign_users(&unqueued, Seed(trial))?);
        population.correct(&log, &tried);
    }
    Ok(population)
}

/// The same jobs in one queue, so that queues do not restrict the users.
fn unqueued(workload: &Workload) -> Result<Workload, SynthError> {
    let mut jobs = workload.jobs().to_vec();
    jobs.iter_mut().for_each(|job| job.queue = None);
    let mut unqueued = Workload::from_columns(workload.machine(), jobs, workload.truths().to_vec())?;
    unqueued.epoch = workload.epoch;
    Ok(unqueued)
}

impl Population {
    fn correct(&mut self, log: &UserStatistics, tried: &UserStatistics) {
        // By at most a factor of two per trial; unchanged if nothing was measured.
        let factor =
            |log: f64, tried: f64| if log > 0.0 && tried > 0.0 { (log / tried).clamp(0.5, 2.0) } else { 1.0 };
        self.jobs_per_session =
            (self.jobs_per_session * factor(log.jobs_per_session, tried.jobs_per_session)).clamp(1.0, 1000.0);
        self.session_spread = (self.session_spread + (log.single - tried.single)).clamp(0.0, 3.0);
        let think = self.think.0 as f64 * factor(log.think, tried.think);
        self.think = Seconds(think.round().clamp(1.0, 3600.0) as i64);
        self.think_spread =
            (self.think_spread * factor(log.think_spread, tried.think_spread)).clamp(0.1, 4.0);
        self.presence = (self.presence * factor(log.presence, tried.presence)).clamp(0.01, 1.0);
        self.applications =
            (self.applications * factor(log.sizes_per_user, tried.sizes_per_user)).clamp(1.0, 30.0);
        self.resizing =
            (self.resizing * factor(1.0 - log.same_size, 1.0 - tried.same_size)).clamp(0.001, 0.5);
        self.resuming =
            (self.resuming + 0.5 * (log.same_size_again - tried.same_size_again)).clamp(0.5, 0.97);
        self.switching = (self.switching * factor(log.history, tried.history).powi(2)).clamp(0.001, 1.0);
        self.spread = (self.spread * factor(log.run_spread, tried.run_spread)).clamp(0.01, 5.0);
        self.wandering =
            (self.wandering * factor(log.run_change_again, tried.run_change_again)).clamp(0.001, 1.0);
        self.session_run_spread =
            (self.session_run_spread * factor(log.run_change, tried.run_change)).clamp(0.01, 5.0);
        self.failures =
            (self.failures * factor(log.session_run_spread, tried.session_run_spread)).clamp(0.001, 0.5);
        self.kinship = (self.kinship + 0.5 * (tried.user_run_spread - log.user_run_spread)).clamp(0.0, 1.0);
    }
}

/// The exponent and the plateau whose cumulative shares are closest to those of the log.
fn activity(jobs: &[usize]) -> (f64, f64) {
    let all = jobs.iter().sum::<usize>() as f64;
    let mut best = (f64::INFINITY, 0.0, 0.0);
    for plateau in [0.0, 1.0, 2.0, 4.0, 8.0, 15.0, 30.0, 60.0, 120.0, 250.0] {
        for step in 0..=50 {
            let activity = f64::from(step) / 10.0;
            let weight = |rank: usize| ((rank + 1) as f64 + plateau).powf(-activity);
            let total: f64 = (0..jobs.len()).map(weight).sum();
            let (mut model, mut log, mut apart) = (0.0, 0.0, 0.0_f64);
            for (rank, &jobs) in jobs.iter().enumerate() {
                model += weight(rank) / total;
                log += jobs as f64 / all;
                apart = apart.max((model - log).abs());
            }
            if apart < best.0 {
                best = (apart, activity, plateau);
            }
        }
    }
    (best.1, best.2)
}

fn groups(workload: &Workload) -> u32 {
    let mut groups: Vec<_> = workload.jobs().iter().filter_map(|job| job.group).collect();
    groups.sort_unstable();
    groups.dedup();
    (groups.len() as u32).clamp(1, 1_000_000)
}

//! Learning how right forecasts by a site's own scheduler were.

use super::answer::{ClusterWhenSettings, RecordedStarts, learning_limits};
use super::forecaster::ClusterForecaster;
use super::queue::ClusterQueue;
use super::record::{ClusterRecord, NewcomerRecord};
use super::starts::ClusterDraws;
use queuecast_core::units::Micros;

/// Forecasts are tried anew after this time: that takes hundreds of simulations.
const RENEWED: Micros = Micros::of_seconds(1200);

impl ClusterRecord {
    /// Tries forecasts on the past of a site. `done` is told of each submission that they are tried on. If the queue has a record of lately,
    /// run times are learned alone.
    pub fn learned(
        queue: &ClusterQueue<'_>,
        settings: ClusterWhenSettings,
        done: &(dyn Fn(usize) + Sync),
    ) -> ClusterRecord {
        let ClusterQueue { cluster, history, moment, record } = *queue;
        let learned_runs = || learning_limits(cluster, history, moment.now).learned_until(moment.now);
        // Where there was less to try them on than there could be, they are tried again.
        let is_of_lately = |last: &&ClusterRecord| {
            let is_full = last.newcomers.asked >= settings.trials as u64;
            is_full && last.tried < moment.now && moment.now - last.tried < RENEWED
        };
        if let Some(last) = record.filter(is_of_lately) {
            let ClusterRecord { newcomers, waiting, tried, .. } = last.clone();
            return ClusterRecord { runs: learned_runs(), newcomers, waiting, tried };
        }
        let queue = ClusterQueue { record: None, ..*queue };
        let draws = ClusterDraws { draws: settings.trial_draws, ..settings.draws };
        let mut forecaster = ClusterForecaster::new(cluster, history, draws, settings.seed);
        let waits = RecordedStarts::of(history);
        let newcomers = NewcomerRecord::of(&mut forecaster, &waits, moment.now, settings.trials, done);
        let waiting = queue.past_queues(settings);
        ClusterRecord { runs: learned_runs(), newcomers, waiting, tried: moment.now }
    }
}

#[cfg(test)]
mod tests {
    use super::super::answer::{ClusterQuestion, when_at_cluster};
    use super::super::forecaster::tests::{one_node, recorded};
    use super::*;
    use queuecast_core::units::Seconds;
    use queuecast_slurm_sim::cluster::{ClusterMoment, RecordedRun};

    /// What is learned at a moment, kept and restored answers there as learning anew does; and later it goes on from there.
    #[test]
    fn what_was_kept_answers_as_what_is_learned_now() {
        let cluster = one_node();
        let history = recorded(&cluster, 40, 200);
        let settings = ClusterWhenSettings { trials: 20, ..ClusterWhenSettings::default() };
        let at = |now: Micros| ClusterMoment::recorded(&cluster, &history, now);
        let learned_at = history.submissions[30].submit + Micros::of_seconds(20);
        let (then, later) = (at(learned_at), at(learned_at + Micros::of_seconds(900)));
        let queue = |moment, record| ClusterQueue { cluster: &cluster, history: &history, moment, record };
        let known = ClusterRecord::learned(&queue(&then, None), settings, &|_| {});
        let known = ClusterRecord::restored(&known.stored().unwrap()).unwrap();
        let mut job = history.submissions[30].clone();
        job.key = "asked".into();
        let ask = |moment: &ClusterMoment, record: Option<&ClusterRecord>, history: &RecordedRun| {
            let mut job = job.clone();
            job.submit = moment.now;
            let question =
                ClusterQuestion { cluster: &cluster, history, moment, job: &job, record, schedules: &[] };
            when_at_cluster(&question, settings, &|_| {}).unwrap()
        };
        assert_eq!(ask(&then, Some(&known), &history), ask(&then, None, &history));
        let waiting = |moment, record| queue(moment, record).pending(settings, true);
        assert_eq!(waiting(&then, Some(&known)), waiting(&then, None));
        // A shorter history is enough: of jobs that had ended, all was learned.
        let mut last = history.clone();
        last.outcomes.retain(|one| one.end.is_none_or(|end| Micros::from(end) > learned_at));
        assert!(last.outcomes.len() < history.outcomes.len(), "some had ended");
        let keys: Vec<&str> = last.outcomes.iter().map(|one| one.key.as_str()).collect();
        last.submissions.retain(|one| keys.contains(&one.key.as_str()));
        let short = ask(&later, Some(&known), &last);
        assert_eq!(short.wait, ask(&later, Some(&known), &history).wait);
        let unlearned = ask(&later, None, &last);
        assert_ne!(short.wait, unlearned.wait, "control: by itself it tells less");
        assert!(Seconds(0) < Seconds(short.wait.median as i64));
    }
}

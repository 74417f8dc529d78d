//! What jobs of the past were charged, and how much of that still counts.

use super::association::AssociationPlaces;
use super::indices::AssociationIndex;
use super::recorded::RecordedRun;
use super::whole::Cluster;
use queuecast_core::units::Seconds;

/// What each outcome that ran is billed a second, times the factor of its QOS, and the association that this counts for.
pub(super) fn charges(
    cluster: &Cluster,
    run: &RecordedRun,
    submission_of: &[Option<usize>],
) -> Vec<Option<(AssociationIndex, f64)>> {
    let known = AssociationPlaces::of(&cluster.associations);
    let charge = |(outcome, of): (usize, &Option<usize>)| {
        let (outcome, submission) = (&run.outcomes[outcome], &run.submissions[(*of)?]);
        outcome.start?;
        let account = submission.request.account.as_deref().unwrap_or_default();
        let association = known.get(account, &submission.user)?;
        let qos = cluster.qos_within(submission, Some(association));
        let factor = qos.map_or(1.0, |qos| cluster[qos].usage_factor);
        Some((association, cluster.billed(submission, outcome) * factor))
    };
    submission_of.iter().enumerate().map(charge).collect()
}

impl Cluster {
    /// The part of what was used, 0 to 1, that still counts after this time.
    pub fn usage_left(&self, after: Seconds) -> f64 {
        UsageDecay::of(self).over(after.0)
    }
}

/// How usage decays.
#[derive(Debug)]
pub(super) struct UsageDecay {
    /// A second; `None`: not at all.
    rate: Option<f64>,
}

impl UsageDecay {
    pub fn of(cluster: &Cluster) -> UsageDecay {
        let half_life = cluster.settings.priority.decay_half_life.0;
        UsageDecay { rate: (half_life > 0).then(|| std::f64::consts::LN_2 / half_life as f64) }
    }

    /// The part of recorded usage, 0 to 1, that still counts this many seconds later (`PriorityDecayHalfLife`).
    pub fn over(&self, seconds: i64) -> f64 {
        self.rate.map_or(1.0, |rate| (-rate * seconds as f64).exp())
    }

    /// Decayed usage, in seconds, of a constant use of one unit that lasted from `from` until `until` seconds ago.
    pub fn between(&self, until: i64, from: i64) -> f64 {
        match self.rate {
            None => (from - until) as f64,
            Some(rate) => ((-rate * until as f64).exp() - (-rate * from as f64).exp()) / rate,
        }
    }
}

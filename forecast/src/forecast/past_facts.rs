//! What answers say of the past that was learned from.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use queuecast_core::job::PartitionId;
use queuecast_core::units::{Micros, Time};
use queuecast_core::workload::Workload;
use queuecast_slurm_sim::cluster::{JobOutcome, RecordedRun, is_known};

/// The past of a site at a moment, in numbers.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct PastFacts {
    /// Jobs that had started.
    pub started: usize,
    /// Jobs that had ended.
    pub ended: usize,
    /// Jobs that had left the queue before they started.
    pub withdrawn: usize,
    /// The load of the machine up to then.
    pub load: f64,
    /// Partitions that jobs were submitted to.
    pub partitions: usize,
}

impl PastFacts {
    /// Of a history at a moment.
    pub fn of(history: &Workload, now: Time) -> PastFacts {
        let known = history.jobs().partition_point(|one| one.submit <= now);
        let partitions: BTreeSet<PartitionId> =
            history.jobs()[..known].iter().filter_map(|one| one.partition).collect();
        let last = history.jobs().last().map_or(now, |one| one.submit);
        let ended = history.starts.iter().zip(history.truths());
        PastFacts {
            started: history.starts.iter().filter(|&&start| start <= now).count(),
            ended: ended
                .filter(|(start, truth)| **start != Time::NEVER && **start + truth.run() <= now)
                .count(),
            withdrawn: history.withdrawn.iter().filter(|one| one.left <= now).count(),
            load: history.load_until(now.min(last)),
            partitions: partitions.len(),
        }
    }

    /// Of a Slurm site at a moment; its load is not known, and its partitions are not one machine.
    pub fn of_site(history: &RecordedRun, now: Micros) -> PastFacts {
        let is_past = |at: Option<Time>| at.is_some_and(|at| is_known(at, now));
        let count = |is: &dyn Fn(&JobOutcome) -> bool| history.outcomes.iter().filter(|one| is(one)).count();
        PastFacts {
            started: count(&|one| is_past(one.start)),
            ended: count(&|one| is_past(one.start) && is_past(one.end)),
            withdrawn: count(&|one| one.start.is_none() && is_past(one.end)),
            load: 0.0,
            partitions: 0,
        }
    }
}

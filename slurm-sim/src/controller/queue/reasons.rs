//! What jobs wait for.

use crate::controller::handles::SubmissionHandle;
use queuecast_core::order;
use serde::Serialize;

/// What a job waits for, as the last pass of the main scheduler that looked at it found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum WaitReason {
    /// Resources: it is the first of its partition, and too little is free.
    Resources,
    /// Its turn: no pass has looked at it yet, or jobs before it wait for resources of its partition.
    Priority,
    /// A limit of its QOS or of an association.
    Limit,
    /// Other tasks of its array, of which only some may run at one time.
    ArrayLimit,
    /// Licenses that other jobs have.
    Licenses,
    /// Its reservation to begin.
    Reservation,
    /// The time at which it may begin.
    BeginTime,
    /// Other jobs.
    Dependency,
    /// To be released.
    Held,
}

impl WaitReason {
    /// All, in their order.
    pub const ALL: [WaitReason; 9] = [
        WaitReason::Resources,
        WaitReason::Priority,
        WaitReason::Limit,
        WaitReason::ArrayLimit,
        WaitReason::Licenses,
        WaitReason::Reservation,
        WaitReason::BeginTime,
        WaitReason::Dependency,
        WaitReason::Held,
    ];
}

/// What the passes found of each submission: since when, and what. The tasks of an array wait for what its first does.
#[derive(Debug, Clone, Default)]
pub struct WaitedTimes {
    /// In the order in which it was found.
    found: Vec<FoundReason>,
    /// What was found last, in little memory: passes look at it for most jobs.
    last: Vec<Option<WaitReason>>,
}

/// What a pass found of the jobs of a submission.
#[derive(Debug, Clone, Copy)]
struct FoundReason {
    at: i64,
    submission: u32,
    reason: WaitReason,
}

impl WaitedTimes {
    pub fn of(submissions: usize) -> WaitedTimes {
        WaitedTimes { found: Vec::new(), last: vec![None; submissions] }
    }

    /// The jobs of a submission wait for this from now on.
    pub fn note(&mut self, submission: SubmissionHandle, now: i64, reason: WaitReason) {
        if let Some(last) = self.last.get_mut(submission.0).filter(|last| **last != Some(reason)) {
            *last = Some(reason);
            self.found.push(FoundReason { at: now, submission: submission.0 as u32, reason });
        }
    }

    /// All that was found, to be asked for by submission.
    pub fn by_submission(mut self) -> ReasonsFound {
        self.found.shrink_to_fit();
        order::sort_by_key(&mut self.found, |one| one.submission);
        ReasonsFound(self.found)
    }

    /// Whether the last pass that looked at the jobs of a submission found this.
    pub fn is_known(&self, submission: SubmissionHandle, reason: WaitReason) -> bool {
        self.last.get(submission.0) == Some(&Some(reason))
    }

    /// What the jobs of a submission wait for by the last pass that looked at them; before the first it is `Priority`.
    pub fn last(&self, submission: SubmissionHandle) -> WaitReason {
        self.last.get(submission.0).copied().flatten().unwrap_or(WaitReason::Priority)
    }
}

/// What the passes found of each submission, by submission and then in the order in which it was found.
#[derive(Debug)]
pub struct ReasonsFound(Vec<FoundReason>);

impl ReasonsFound {
    /// What was waited for between two instants, and how long each time. Before the first pass that found a reason it is `Priority`.
    pub fn between(&self, submission: SubmissionHandle, from: i64, to: i64) -> Vec<(WaitReason, i64)> {
        let begin = self.0.partition_point(|one| (one.submission as usize) < submission.0);
        let found = self.0[begin..].iter().take_while(|one| one.submission as usize == submission.0);
        let mut times = Vec::new();
        let (mut since, mut reason) = (from, WaitReason::Priority);
        for one in found {
            let at = one.at.clamp(from, to.max(from));
            times.push((reason, at - since));
            (since, reason) = (at, one.reason);
        }
        times.push((reason, (to - since).max(0)));
        times
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_add_up_whatever_the_interval() {
        let mut times = WaitedTimes::of(1);
        for (now, reason) in
            [(5, WaitReason::Priority), (8, WaitReason::Resources), (9, WaitReason::Resources)]
        {
            times.note(SubmissionHandle(0), now, reason);
        }
        times.note(SubmissionHandle(7), 5, WaitReason::Held);
        let times = times.by_submission();
        let told = |from, to| -> Vec<(WaitReason, i64)> {
            times
                .between(SubmissionHandle(0), from, to)
                .into_iter()
                .filter(|(_, seconds)| *seconds > 0)
                .collect()
        };
        assert_eq!(
            told(2, 20),
            [(WaitReason::Priority, 3), (WaitReason::Priority, 3), (WaitReason::Resources, 12)]
        );
        assert_eq!(told(10, 20), [(WaitReason::Resources, 10)]);
        assert_eq!((told(20, 20), told(2, 4)), (vec![], vec![(WaitReason::Priority, 2)]));
        assert_eq!(times.between(SubmissionHandle(9), 2, 5), [(WaitReason::Priority, 3)]);
    }
}

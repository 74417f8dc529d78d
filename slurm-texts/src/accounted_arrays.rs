//! What the rows of an array tell together.

use std::collections::{BTreeMap, BTreeSet};

use super::rules::RuleCounter;
use queuecast_core::units::Time;
use queuecast_slurm_sim::cluster::{Begin, JobOutcome, SubmittedJob};

/// What is collected of arrays while rows are read, by the place of their submission.
#[derive(Debug, Default)]
pub(super) struct AccountedArrays {
    /// Arrays of which a task waited for others to end.
    pub throttled: BTreeSet<usize>,
    /// The line of the first row of every submission.
    pub lines: Vec<usize>,
}

impl AccountedArrays {
    /// An array begins when its first task became eligible. If a task waited for others, as many may run at once as did.
    pub fn complete(
        &self,
        submissions: &mut [SubmittedJob],
        outcomes: &[JobOutcome],
        known_until: Option<Time>,
        rules: &mut RuleCounter,
    ) {
        let mut tasks: BTreeMap<&str, Vec<&JobOutcome>> = BTreeMap::new();
        for outcome in outcomes.iter().filter(|one| one.task.is_some()) {
            tasks.entry(&outcome.key).or_default().push(outcome);
        }
        for (place, submission) in submissions.iter_mut().enumerate() {
            let line = self.lines.get(place).copied().unwrap_or_default();
            let (true, Some(tasks)) =
                (submission.request.array.is_some(), tasks.get(submission.key.as_str()))
            else {
                continue;
            };
            let request = &mut *submission.request;
            let Some(array) = &mut request.array else { continue };
            if array.throttle.is_none() && self.throttled.contains(&place) {
                array.throttle = most_at_once(tasks, known_until);
                rules.count("arrays whose tasks waited for each other: as many run at once as did", line);
            }
            let eligible = tasks.iter().filter_map(|one| one.eligible).min();
            let waits = eligible.filter(|&eligible| (eligible - submission.submit.second()).0 > 1);
            if let Some(eligible) =
                waits.filter(|_| request.dependency.is_none() && request.terms.begin.is_none())
            {
                rules.count("jobs that became eligible later: they may begin then", line);
                request.terms.begin = Some(Begin::Eligible(eligible));
            }
        }
    }
}

/// The most tasks that ran at the same time, up to a moment.
fn most_at_once(tasks: &[&JobOutcome], known_until: Option<Time>) -> Option<u32> {
    let mut changes: Vec<(Time, i32)> = Vec::new();
    for one in tasks {
        if let (Some(start), Some(end)) = (one.start, one.end) {
            changes.extend([(start, 1), (end, -1)]);
        }
    }
    changes.retain(|change| known_until.is_none_or(|until| change.0 <= until));
    // An end comes before a start of the same second.
    changes.sort_unstable();
    let counts = changes.iter().scan(0, |count, (_, change)| {
        *count += change;
        Some(*count)
    });
    counts.max().and_then(|most| u32::try_from(most).ok()).filter(|&most| most > 0)
}

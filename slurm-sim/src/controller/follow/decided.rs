//! Shares of recorded decisions that are decided alike.

use serde::Serialize;

use crate::cluster::PriorityPartsShown;
use queuecast_core::units::Time;

/// What is decided.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum DecisionKind {
    /// A waiting job's priority with all its parts, as a snapshot shows it.
    Priority,
    /// For when a backfill cycle plans a job, given what the cycle has planned before it.
    PlanStart,
    /// On which nodes a backfill cycle plans a job.
    PlanNodes,
    /// That a backfill cycle starts a job at once.
    BackfillStart,
    /// On which nodes a job starts, by either scheduler.
    StartNodes,
    /// In which second a job is stopped at its time limit.
    Kill,
}

impl DecisionKind {
    /// All of them.
    pub const ALL: [DecisionKind; 6] = [
        DecisionKind::Priority,
        DecisionKind::PlanStart,
        DecisionKind::PlanNodes,
        DecisionKind::BackfillStart,
        DecisionKind::StartNodes,
        DecisionKind::Kill,
    ];

    /// Its name, as it is written in answers.
    pub fn name(self) -> &'static str {
        match self {
            DecisionKind::Priority => "priority",
            DecisionKind::PlanStart => "plan-start",
            DecisionKind::PlanNodes => "plan-nodes",
            DecisionKind::BackfillStart => "backfill-start",
            DecisionKind::StartNodes => "start-nodes",
            DecisionKind::Kill => "kill",
        }
    }
}

/// How many decisions of one kind are equal.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct DecisionShare {
    /// What is decided.
    pub what: DecisionKind,
    /// Recorded decisions.
    pub cases: usize,
    /// Of these, decided alike.
    pub equal: usize,
    /// In percent; `None` without cases.
    pub share: Option<f64>,
}

/// A recorded decision that is decided differently.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct DecisionMiss {
    /// What is decided.
    pub what: DecisionKind,
    /// When.
    pub at: Time,
    /// For which job: its number, and its task.
    pub job: String,
    /// What was recorded.
    pub recorded: String,
    /// What is decided here.
    pub decided: String,
}

/// Recorded decisions beside those that are made here.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct DecisionShares {
    /// One for each kind of decision.
    pub shares: Vec<DecisionShare>,
    /// Every decision that differs, in the order of time.
    pub misses: Vec<DecisionMiss>,
}

impl DecisionShares {
    /// The share of one kind, in percent; `None` without cases.
    pub fn share(&self, what: DecisionKind) -> Option<f64> {
        self.shares.iter().find(|one| one.what == what)?.share
    }
}

/// Counts decisions.
#[derive(Debug, Default)]
pub struct DecisionTally {
    counts: [(usize, usize); DecisionKind::ALL.len()],
    misses: Vec<DecisionMiss>,
}

impl DecisionTally {
    /// Counts one decision; the difference is described only if there is one.
    pub fn count(
        &mut self,
        what: DecisionKind,
        equal: bool,
        miss: impl FnOnce() -> (i64, String, [String; 2]),
    ) {
        let count = &mut self.counts[what as usize];
        count.0 += 1;
        count.1 += usize::from(equal);
        if !equal {
            let (at, job, [recorded, decided]) = miss();
            self.misses.push(DecisionMiss { what, at: Time(at), job, recorded, decided });
        }
    }

    pub fn shares(self) -> DecisionShares {
        let share = |what: DecisionKind| {
            let (cases, equal) = self.counts[what as usize];
            let share = (cases > 0).then(|| 100.0 * equal as f64 / cases as f64);
            DecisionShare { what, cases, equal, share }
        };
        DecisionShares { shares: DecisionKind::ALL.map(share).to_vec(), misses: self.misses }
    }
}

/// A priority, and those of its parts that are not the other's.
pub fn in_words(
    (priority, parts): (u64, PriorityPartsShown),
    (_, others): (u64, PriorityPartsShown),
) -> String {
    let named = |of: PriorityPartsShown| {
        [
            ("age", of.age),
            ("fair share", of.fair_share),
            ("size", of.size),
            ("partition", of.partition),
            ("QOS", of.qos),
            ("nice", of.nice),
        ]
    };
    let differ = named(parts).into_iter().zip(named(others)).filter(|(one, other)| one != other);
    differ.fold(priority.to_string(), |words, ((name, part), _)| format!("{words}, {name} {part}"))
}

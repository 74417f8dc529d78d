//! The columns of the table of waiting jobs.

use std::cmp::Ordering;

use queuecast_core::units::Time;
use queuecast_place::PendingJob;
use queuecast_report::number;

use super::clock::{DayWords, WallClock, brief_length};
use super::trail::SaidStart;

/// A column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WatchColumn {
    Job,
    User,
    Partition,
    Processors,
    Limit,
    Waited,
    Place,
    Starts,
    Why,
}

impl WatchColumn {
    /// All, in their order.
    pub const ALL: [WatchColumn; 9] = [
        WatchColumn::Job,
        WatchColumn::User,
        WatchColumn::Partition,
        WatchColumn::Processors,
        WatchColumn::Limit,
        WatchColumn::Waited,
        WatchColumn::Place,
        WatchColumn::Starts,
        WatchColumn::Why,
    ];

    /// Those that a narrow table does without, the first one first.
    pub const SPARE: [WatchColumn; 5] = [
        WatchColumn::Limit,
        WatchColumn::Waited,
        WatchColumn::Partition,
        WatchColumn::Place,
        WatchColumn::User,
    ];

    /// Its title.
    pub fn title(self) -> &'static str {
        match self {
            WatchColumn::Job => "job",
            WatchColumn::User => "user",
            WatchColumn::Partition => "partition",
            WatchColumn::Processors => "procs",
            WatchColumn::Limit => "limit",
            WatchColumn::Waited => "waited",
            WatchColumn::Place => "place",
            WatchColumn::Starts => "starts between",
            WatchColumn::Why => "waits for",
        }
    }

    /// What it has, for the list of columns.
    pub fn meaning(self) -> &'static str {
        match self {
            WatchColumn::Job => "number of the job",
            WatchColumn::User => "its user",
            WatchColumn::Partition => "its partition or queue",
            WatchColumn::Processors => "processors it asks for",
            WatchColumn::Limit => "time it asks for",
            WatchColumn::Waited => "time since it was submitted",
            WatchColumn::Place => "place in the order of the queue",
            WatchColumn::Starts => "when it most likely starts (80 %)",
            WatchColumn::Why => "what keeps it from starting",
        }
    }

    /// Whether its cells end below each other.
    pub fn is_number(self) -> bool {
        matches!(
            self,
            WatchColumn::Processors | WatchColumn::Limit | WatchColumn::Waited | WatchColumn::Place
        )
    }

    /// The widest that it is shown; what waits is told in as much room as there is.
    pub fn widest(self) -> usize {
        match self {
            WatchColumn::Job => 18,
            WatchColumn::User => 12,
            WatchColumn::Partition => 14,
            WatchColumn::Starts => 34,
            _ => usize::MAX,
        }
    }

    /// The cell of a job; `asked` is the moment of the answer.
    pub fn cell(self, job: &PendingJob, asked: Time, clock: &WallClock, words: DayWords) -> String {
        match self {
            WatchColumn::Job => job.job.clone(),
            WatchColumn::User => job.user.clone().unwrap_or_default(),
            WatchColumn::Partition => job.partition.clone().unwrap_or_default(),
            WatchColumn::Processors => number::integer(job.asked.procs.0.into()),
            WatchColumn::Limit => brief_length(job.asked.time.0),
            WatchColumn::Waited => job.waited.map(|waited| brief_length(waited.0)).unwrap_or_default(),
            WatchColumn::Place => job.place.map(|place| place.to_string()).unwrap_or_default(),
            WatchColumn::Starts => starts(job, asked, clock, words),
            WatchColumn::Why => job.why.clone(),
        }
    }

    /// The order of two jobs by this column. What is not known comes last.
    pub fn order(self, one: &PendingJob, other: &PendingJob) -> Ordering {
        fn last<T: PartialOrd>(one: Option<T>, other: Option<T>) -> Ordering {
            match (one, other) {
                (Some(one), Some(other)) => one.partial_cmp(&other).unwrap_or(Ordering::Equal),
                (one, other) => other.is_some().cmp(&one.is_some()),
            }
        }
        let number = |job: &PendingJob| {
            let digits = |part: &str| part.parse::<u64>().unwrap_or(u64::MAX);
            let (job, task) = job.job.split_once('_').unwrap_or((&job.job, "0"));
            (digits(job), digits(task))
        };
        let soonest = |job: &PendingJob| {
            job.start.map(|start| start.median).or(job.not_before.map(|seconds| seconds as f64))
        };
        match self {
            WatchColumn::Job => number(one).cmp(&number(other)),
            WatchColumn::User => last(one.user.as_ref(), other.user.as_ref()),
            WatchColumn::Partition => last(one.partition.as_ref(), other.partition.as_ref()),
            WatchColumn::Processors => one.asked.procs.cmp(&other.asked.procs),
            WatchColumn::Limit => one.asked.time.cmp(&other.asked.time),
            WatchColumn::Waited => last(one.waited, other.waited),
            WatchColumn::Place => last(one.place, other.place),
            WatchColumn::Starts => last(soonest(one), soonest(other)),
            WatchColumn::Why => one.why.cmp(&other.why),
        }
    }
}

/// When a job starts, as clock times.
pub fn starts(job: &PendingJob, asked: Time, clock: &WallClock, words: DayWords) -> String {
    match (SaidStart::of(job, asked), job.not_before) {
        (Some(said), _) => clock.range(said.low.max(clock.now()), said.high.max(clock.now()), words),
        (None, Some(seconds)) => {
            format!("not before {}", clock.moment(Time(asked.0.saturating_add(seconds)), words))
        }
        (None, None) if job.never > 0.0 => "in no simulation".to_owned(),
        (None, None) => "not in line".to_owned(),
    }
}

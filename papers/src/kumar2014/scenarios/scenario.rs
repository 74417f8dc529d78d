//! System sizes, partitions and queues, as the paper prints them.

use std::fmt;

use queuecast_core::units::{Procs, Seconds};

/// One of the 32 scenarios: a system of four partitions, each with a queue of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Scenario {
    /// Processors of the whole system, the paper's X.
    pub procs: u32,
    /// How they are divided.
    pub partitioning: Partitioning,
    /// How often jobs arrive.
    pub load: LoadLevel,
}

/// How the processors are divided into four partitions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Partitioning {
    /// X/4 each.
    Equal,
    /// X/8, X/8, X/4 and X/2.
    Unequal,
}

/// The rows of Table 5.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LoadLevel {
    /// Every 15 min, 1 h, 2 h and 2 h.
    I,
    /// Every 15 min, 1 h, 1 h and 1 h.
    II,
    /// Every 15 min, 1 h, 2 h and 5 h.
    III,
    /// Every 30 min, 2 h, 2 h and 2 h.
    IV,
}

/// A queue: its limits, its rate and the partition it belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ScenarioQueue {
    /// Processors of its partition.
    pub partition: Procs,
    /// The most processors of a job (Table 6).
    pub procs: Procs,
    /// The longest requested time (Table 6).
    pub time: Seconds,
    /// The mean time between two submissions (Table 5).
    pub mean_gap: Seconds,
}

/// What the paper calls the queues.
pub const QUEUE_NAMES: [&str; 4] = ["I", "II", "III", "IV"];

/// The system sizes: 1K, 16K, 128K and 256K.
const SIZES: [u32; 4] = [1 << 10, 1 << 14, 1 << 17, 1 << 18];

/// Table 6: X is divided by these, and the hours.
const LIMITS: [(u32, i64); 4] = [(32, 12), (16, 18), (8, 24), (4, 48)];

impl Scenario {
    /// All scenarios: by system size, then partitioning, then load.
    pub fn all() -> Vec<Scenario> {
        let of = |procs: u32| {
            [Partitioning::Equal, Partitioning::Unequal].into_iter().flat_map(move |partitioning| {
                LoadLevel::ALL.into_iter().map(move |load| Scenario { procs, partitioning, load })
            })
        };
        SIZES.into_iter().flat_map(of).collect()
    }

    /// The processors of each partition; queue i belongs to partition i.
    pub fn partitions(&self) -> [Procs; 4] {
        let divisors = match self.partitioning {
            Partitioning::Equal => [4, 4, 4, 4],
            Partitioning::Unequal => [8, 8, 4, 2],
        };
        divisors.map(|divisor: u32| Procs(self.procs / divisor))
    }

    /// The queues I to IV.
    pub fn queues(&self) -> [ScenarioQueue; 4] {
        let (partitions, gaps) = (self.partitions(), self.load.mean_gaps());
        [0, 1, 2, 3].map(|place: usize| {
            let (divisor, hours) = LIMITS[place];
            ScenarioQueue {
                partition: partitions[place],
                procs: Procs(self.procs / divisor),
                time: Seconds(3600 * hours),
                mean_gap: gaps[place],
            }
        })
    }

    /// How many of `jobs` jobs each queue gets, at least one each, so that all submit over the same period.
    pub fn job_counts(&self, jobs: u32) -> [u32; 4] {
        let rates = self.load.mean_gaps().map(|gap| 1.0 / gap.0 as f64);
        let all: f64 = rates.iter().sum();
        rates.map(|rate| ((f64::from(jobs) * rate / all).round() as u32).max(1))
    }
}

impl fmt::Display for Scenario {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let partitioning = match self.partitioning {
            Partitioning::Equal => "equal",
            Partitioning::Unequal => "unequal",
        };
        match self.procs % 1024 {
            0 => write!(formatter, "{}K", self.procs / 1024)?,
            _ => write!(formatter, "{}", self.procs)?,
        }
        write!(formatter, " {partitioning}, load {:?}", self.load)
    }
}

impl LoadLevel {
    /// In the order of Table 5.
    pub const ALL: [LoadLevel; 4] = [LoadLevel::I, LoadLevel::II, LoadLevel::III, LoadLevel::IV];

    /// The mean time between two submissions to each queue.
    pub fn mean_gaps(self) -> [Seconds; 4] {
        let minutes = match self {
            LoadLevel::I => [15, 60, 120, 120],
            LoadLevel::II => [15, 60, 60, 60],
            LoadLevel::III => [15, 60, 120, 300],
            LoadLevel::IV => [30, 120, 120, 120],
        };
        minutes.map(|minutes| Seconds(60 * minutes))
    }
}

impl ScenarioQueue {
    /// Whether a job of this size and length is within the limits.
    pub fn admits(&self, procs: Procs, time: Seconds) -> bool {
        procs <= self.procs && time <= self.time
    }
}

//! The answer of a workflow: the generated workload and how it was made.

use serde::Serialize;

use super::Parameter;
use crate::characterization::Modes;
use crate::synth::ScaledQuantity;
use queuecast_core::units::Seconds;
use queuecast_core::workload::Workload;

/// A generated workload and how it was made.
#[derive(Debug, Clone, Serialize)]
pub struct Generated {
    /// The jobs. Left out when serialised: `report::swf` writes them.
    #[serde(skip)]
    pub workload: Workload,
    /// What was done, in order.
    pub steps: Vec<GenerationStep>,
    /// The seed; `None` if nothing was random.
    pub seed: Option<u64>,
    /// Every parameter that was used, by name.
    pub parameters: Vec<Parameter>,
    /// Differences from what was asked for.
    pub warnings: Vec<Warning>,
}

/// One thing that was done.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "snake_case", tag = "step")]
pub enum GenerationStep {
    /// Jobs were drawn from a published model.
    Drawn {
        /// Its authors and year.
        paper: &'static str,
    },
    /// Jobs were drawn from the model of users with habits.
    DrawnFromHabits,
    /// The model was fitted to a log.
    Fitted {
        /// The log's name.
        log: String,
        /// The log's digest, as 16 hexadecimal digits.
        digest: String,
    },
    /// Jobs that run longer than the log's limit were stopped there.
    Stopped {
        /// How many.
        jobs: usize,
        /// The limit.
        limit: Seconds,
    },
    /// The jobs were rearranged among users and their sessions.
    GivenUsers,
    /// The jobs were given requested times.
    GivenRequestedTimes {
        /// Where they come from.
        source: RequestedTimesSource,
        /// How many were raised to the run time of a job.
        raised: u64,
    },
    /// A log was read.
    Read {
        /// Its name.
        log: String,
        /// Its digest, as 16 hexadecimal digits.
        digest: String,
    },
    /// One line of the log's cleaning report.
    Cleaned {
        /// The line.
        line: String,
    },
    /// The offered load was changed.
    Rescaled {
        /// What was changed.
        by: ScaledQuantity,
        /// The offered load before.
        from: f64,
        /// The offered load after.
        to: f64,
    },
    /// Users' weeks were resampled.
    Resampled,
    /// Arrivals were moved at random.
    Shaken {
        /// By at most this, either way.
        by: Seconds,
    },
}

/// Where requested times come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum RequestedTimesSource {
    /// There are none.
    None,
    /// The model of Tsafrir, Etsion & Feitelson 2005.
    Tsafrir,
    /// The log's own, shuffled.
    OwnShuffled,
    /// The log's own, assigned by session.
    OwnBySession,
    /// Twice the log's own.
    OwnDoubled,
    /// The run times.
    Exact,
    /// The f-model.
    Factor,
    /// The model of Mu'alem & Feitelson 2001.
    Feit,
}

/// A difference between what was asked for and what came out.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "snake_case", tag = "warning")]
pub enum Warning {
    /// Requested times of the model were raised, since jobs run longer.
    Raised {
        /// How many.
        requested_times: u64,
    },
    /// Jobs run longer than the longest requested time. They request it and outlive it.
    Outlived {
        /// How many.
        jobs: u64,
        /// The longest requested time.
        longest: Seconds,
        /// The longest run time.
        run: Seconds,
    },
    /// The log has no requested times to calibrate the model to.
    NoRequestedTimes,
    /// Another offered load was reached than was asked for.
    LoadMissed {
        /// The offered load of the workload.
        reached: f64,
        /// The offered load that was asked for.
        asked: f64,
        /// Why.
        limit: LoadLimit,
    },
}

/// Why a workload does not have the load that was asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum LoadLimit {
    /// Jobs cannot be larger than the machine.
    MachineSize,
    /// Jobs have whole processors.
    WholeProcessors,
    /// Times are whole seconds, and at least one second remains of a run.
    WholeSeconds,
    /// The load is met on average over seeds only.
    Sampling,
}

/// The number of most popular requested times that are described together (Tsafrir et al. 2005, section 5).
pub const HEAD: usize = 20;

/// What a workload's users and requested times are like, in a few numbers.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Description {
    /// Users who submit a job.
    pub users: usize,
    /// Executables that are run.
    pub executables: usize,
    /// Distinct requested times.
    pub estimates: usize,
    /// The share of the jobs with one of the [`HEAD`] most popular requested times; `None` without any.
    pub head_share: Option<f64>,
}

impl Description {
    /// Describes a workload.
    pub fn of(workload: &Workload) -> Description {
        let modes = Modes::of(workload);
        let jobs = || workload.jobs().iter();
        Description {
            users: distinct(jobs().filter_map(|job| job.user)),
            executables: distinct(jobs().filter_map(|job| job.executable)),
            estimates: modes.len(),
            head_share: (!modes.is_empty()).then(|| modes.head_share(HEAD)),
        }
    }
}

fn distinct<T: Ord>(values: impl Iterator<Item = T>) -> usize {
    let mut values: Vec<T> = values.collect();
    values.sort_unstable();
    values.dedup();
    values.len()
}

//! The estimate model of Tsafrir, Etsion & Feitelson 2005, "Modeling User Runtime Estimates": how many jobs ask for
//! which time, from the number of jobs and the longest time they may ask for.
//!
//! The result is a series of [`Modes`]: which job gets which estimate is another matter. Sections and tables named in
//! this module are the paper's. Where it can be read in two ways, the place says which way was taken and why.

mod count;
mod popularity;

use serde::{Deserialize, Serialize};

use super::SynthError;
use crate::portrait::Modes;
use crate::seed::Seed;
use crate::units::Seconds;
pub use count::ValueCount;
pub use popularity::{Exponential, PowerLaw};

/// The parameters of the model. Only the first two are mandatory, the third nearly so: it varies more between
/// machines than all the rest together.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EstimateModel {
    /// *N*: how many jobs; 1 to 4,294,967,295.
    pub jobs: u64,
    /// *T_max*: the longest time that may be asked for; 60 to 31,536,000 s.
    pub longest: Seconds,
    /// How many percent of the jobs ask for it; above 0, at most 100. The same as supplying that mode.
    #[serde(default)]
    pub longest_percent: Option<f64>,
    /// Modes that are known (section 9.4); at most 20, the longest time included.
    #[serde(default)]
    pub supplied: Vec<Supplied>,
    /// *K*: how many different estimates there are.
    #[serde(default)]
    pub values: ValueCount,
    /// How evenly they are spread (section 7), above 1; from *K* if not given.
    #[serde(default)]
    pub a: Option<f64>,
    /// How popular the head is, by rank.
    #[serde(default)]
    pub head: Exponential,
    /// How popular the tail is, by rank.
    #[serde(default)]
    pub tail: PowerLaw,
    /// How many percent of the jobs the 20 values of the head cover together; above 0, below 100.
    #[serde(default = "head_percent")]
    pub head_percent: f64,
}

/// A mode that is known beforehand.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Supplied {
    /// The estimate; 1 s to the longest.
    pub time: Seconds,
    /// How many percent of the jobs have it; above 0, at most 100 for all together.
    pub percent: f64,
}

/// How many values are the head.
const HEAD: usize = 20;

/// The invariant of Table 5.
fn head_percent() -> f64 {
    89.0
}

impl EstimateModel {
    /// The model with the paper's defaults.
    pub fn new(jobs: u64, longest: Seconds) -> EstimateModel {
        EstimateModel {
            jobs,
            longest,
            longest_percent: None,
            supplied: Vec::new(),
            values: ValueCount::default(),
            a: None,
            head: Exponential::default(),
            tail: PowerLaw::default(),
            head_percent: head_percent(),
        }
    }

    /// The modes of this seed: exactly [`EstimateModel::jobs`] jobs. The seed decides which times of the head are how
    /// popular, and which of the tail.
    pub fn modes(&self, seed: Seed) -> Result<Modes, SynthError> {
        let _ = (seed, HEAD);
        Err(SynthError::Unsuitable("the estimate model is not there yet".into()))
    }
}

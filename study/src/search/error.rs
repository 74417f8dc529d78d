//! Why a search cannot begin, or cannot go on from a checkpoint.

use queuecast_sim::predict::template::Characteristics;

/// Why a log cannot be searched as asked.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum SearchError {
    /// Too few jobs are left to search on.
    #[error("{searched} of {jobs} jobs to search on, but at least {needed} are needed")]
    TooFewJobs {
        /// Jobs to search on.
        searched: usize,
        /// Jobs of the log.
        jobs: usize,
        /// The fewest that are searched on.
        needed: usize,
    },
    /// Jobs are to be predicted at their starts, which the log does not record.
    #[error("the log does not record how long jobs waited, so their starts are unknown")]
    NoWaits,
    /// A characteristic in which the jobs do not differ.
    #[error("the jobs do not differ in {missing}; they do in {present}")]
    Absent {
        /// What was asked for and is the same for all jobs.
        missing: Similarity,
        /// What the jobs differ in.
        present: Similarity,
    },
}

/// What makes jobs similar: characteristics, with or without ranges of processors.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Similarity {
    /// Of each job.
    pub characteristics: Characteristics,
    /// Whether ranges of processors do.
    pub nodes: bool,
}

impl std::fmt::Display for Similarity {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match (self.characteristics.is_empty(), self.nodes) {
            (true, true) => f.write_str("n (processors)"),
            (_, false) => self.characteristics.fmt(f),
            (false, true) => write!(f, "{}, n (processors)", self.characteristics),
        }
    }
}

/// Why a checkpoint does not belong to a search.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CheckpointError {
    /// Another version may have another form.
    #[error("the checkpoint was written by queuecast {written}; this is {this}")]
    Version {
        /// The version that wrote it.
        written: String,
        /// This version.
        this: String,
    },
    /// Another workload.
    #[error("the checkpoint is of another trace: its digest is {written}, that of this trace {this}")]
    Workload {
        /// Digest of the workload it is of.
        written: String,
        /// Digest of this workload.
        this: String,
    },
    /// The same workload, scored in another way.
    #[error("the checkpoint is of another search: {written}; this one: {this}")]
    Jobs {
        /// When and on how many jobs it predicts.
        written: String,
        /// When and on how many jobs this search predicts.
        this: String,
    },
    /// No text of a checkpoint.
    #[error("not a checkpoint of a search: {0}")]
    NotOne(String),
    /// Not as it was written.
    #[error(
        "the checkpoint has been altered since it was written: the seal at its end does not fit what stands before it"
    )]
    Altered,
    /// Other settings, listed as `name value, now value`.
    #[error("the checkpoint is of a search with other settings: {0}")]
    Settings(String),
}

//! Why sites and jobs do not make a grid, or a simulation of it failed.

use queuecast_sim::sim::SimError;

/// Why sites and jobs do not make a grid, or a simulation of it failed.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum GridError {
    /// There must be a site.
    #[error("there is no site")]
    NoSite,
    /// Sites are told apart by their names.
    #[error("two sites are called '{0}': give each a name of its own")]
    SameName(String),
    /// Output would not show it.
    #[error("site {0} has no name")]
    NoName(usize),
    /// A machine needs processors.
    #[error("site '{0}' has no processors")]
    NoProcessors(String),
    /// Times are divided by it.
    #[error("site '{site}': speed {speed}: give a number from 0.001 to 1000")]
    Speed {
        /// Which site.
        site: String,
        /// What was given.
        speed: f64,
    },
    /// It would have to know the jobs that brokers will send.
    #[error(
        "site '{0}': the predictor 'perfect' needs jobs that are known beforehand, and a broker decides which come here"
    )]
    Perfect(String),
    /// A job says that it comes from a site that there is not.
    #[error("job {job} comes from site {home}, and there are {sites}")]
    NoHome {
        /// The log's number.
        job: u64,
        /// Counted from 0.
        home: usize,
        /// How many there are.
        sites: usize,
    },
    /// A broker named no offer, or one that there is not.
    #[error("the broker sent job {0} to a site that does not take it")]
    Routing(u64),
    /// A policy or a predictor broke its contract.
    #[error("site '{site}': {error}")]
    Simulation {
        /// Which site.
        site: String,
        /// How.
        error: Box<SimError>,
    },
    /// More jobs than can be numbered.
    #[error("a grid holds at most {} jobs", u32::MAX - 1)]
    TooMany,
}

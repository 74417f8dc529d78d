//! Which site: several sites on one clock ([`Grid`]), and brokers that send each job that arrives to one of them, or copies of
//! it to several ([`BrokerSpec`], or a [`Broker`] of one's own).
//!
//! A broker knows of a site what a metascheduler can know: the machine, the queue, what jobs asked for, and predictions
//! learned from the starts there ([`SiteOffer`]). Only the oracle knows run times, and says so.

mod brokers;
mod error;
mod grid;
mod jobs;
mod member;
mod offer;
mod predicted;
mod setup;
mod spec;

pub use brokers::{Broker, Routing};
pub use error::GridError;
pub use grid::{Grid, GridSchedule, GridStart};
pub use jobs::{Alignment, GridJob, merged};
pub use member::{Uses, WaitHistory};
pub use offer::SiteOffer;
pub use setup::{NotTaken, QueueLimits, SiteSetup};
pub use spec::BrokerSpec;

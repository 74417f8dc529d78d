//! The synthetic scenarios of section 5.2: what the paper prints of them, how the rest is read, and what static scheduling comes
//! to under each reading.

mod cells;
mod generate;
mod reading;
mod scenario;
mod static_scheduling;

pub(super) use self::cells::{loads, readings};
pub use self::reading::{
    ArrivalScaling, ComparedReading, JobSelection, SCENARIO_JOBS, ScenarioReading, ScenarioRequests,
};
pub use self::scenario::{LoadLevel, Partitioning, QUEUE_NAMES, Scenario, ScenarioQueue};
pub use self::static_scheduling::{
    QueueResult, ReadingResult, ScenarioResult, WaitCounts, readings_compared, static_scheduling,
};

#[cfg(test)]
mod tests;

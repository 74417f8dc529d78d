//! When will it start: every forecaster of waits by name ([`WaitMethod`]), those included that simulate
//! ([`SimulatedWaits`]); the recorded schedule of a log as they follow it ([`RecordedArrivals`]); and the answer for one job
//! by the one that has been best ([`when()`]).

mod arrivals;
mod method;
mod planned;
mod simulated;
mod when;

pub use arrivals::{Following, RecordedArrivals};
pub use method::WaitMethod;
pub(crate) use planned::{FOREVER, wait_if};
pub use planned::{PlannedRuns, PlannedWaits};
pub use simulated::SimulatedWaits;
pub use when::{
    MethodRecord, PredictedWait, StartedWithin, StateNow, WhenAnswer, WhenError, WhenSettings, WhenSource,
    when,
};

//! Every forecaster of waits by name: [`WaitMethod`].

mod method;

pub use method::WaitMethod;

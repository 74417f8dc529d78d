//! How a caller watches long work.

/// What the caller lends to a run.
#[derive(Clone, Copy)]
pub struct Watch<'a> {
    /// Told how many more simulations are done. Called from several threads.
    pub done: &'a (dyn Fn(usize) + Sync),
    /// A clock in seconds, where simulations are to be timed.
    pub clock: Option<&'a (dyn Fn() -> f64 + Sync)>,
}

impl Default for Watch<'_> {
    fn default() -> Self {
        Watch { done: &|_| (), clock: None }
    }
}

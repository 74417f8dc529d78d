//! Ctrl-C: the first stops a search between two scores, the second ends the process at once.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::failure::{Failure, Kind};

/// Whether a search is to stop.
#[derive(Debug, Clone, Default)]
pub struct Interrupt(Arc<AtomicBool>);

impl Interrupt {
    /// From now on, Ctrl-C asks instead of ending the process, once.
    pub fn listen() -> Result<Interrupt, Failure> {
        let asked = Interrupt::default();
        let refused = |cause| Failure::unexpected("cannot listen for Ctrl-C").because(cause);
        let interrupt = signal_hook::consts::SIGINT;
        // In this order: the first Ctrl-C finds the flag down and raises it.
        let code = i32::from(Kind::Interrupted.code());
        signal_hook::flag::register_conditional_shutdown(interrupt, code, Arc::clone(&asked.0))
            .map_err(refused)?;
        signal_hook::flag::register(interrupt, Arc::clone(&asked.0)).map_err(refused)?;
        Ok(asked)
    }

    /// Whether the search is to stop.
    pub fn is_asked(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    /// One that is asked already.
    #[cfg(test)]
    pub fn asked() -> Interrupt {
        Interrupt(Arc::new(AtomicBool::new(true)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_interrupt_is_asked_for_only_by_a_signal() {
        assert!(!Interrupt::default().is_asked() && Interrupt::asked().is_asked());
    }
}

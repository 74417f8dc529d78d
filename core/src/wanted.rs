//! Whether an answer that is being computed is still wanted. Long computations ask between their steps, and leave the rest out if it is not:
//! what they return then is nonsense, and [`while_wanted`], which alone can say so, does not hand it out.

use std::cell::RefCell;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Whether an answer is wanted: once it is not, it never is again.
#[derive(Clone)]
pub(crate) struct WantedAnswer(Arc<AskedWanted>);

struct AskedWanted {
    is_wanted: Box<dyn Fn() -> bool + Send + Sync>,
    is_over: AtomicBool,
}

impl WantedAnswer {
    fn holds(&self) -> bool {
        if self.0.is_over.load(Ordering::Relaxed) {
            return false;
        }
        let holds = (self.0.is_wanted)();
        if !holds {
            self.0.is_over.store(true, Ordering::Relaxed);
        }
        holds
    }
}

thread_local! {
    /// What this thread computes for; nothing that can become unwanted, if `None`.
    static COMPUTES_FOR: RefCell<Option<WantedAnswer>> = const { RefCell::new(None) };
}

/// Puts back what a thread computed for before.
struct Before(Option<WantedAnswer>);

impl Drop for Before {
    fn drop(&mut self) {
        COMPUTES_FOR.set(self.0.take());
    }
}

/// What this thread computes for, to tell another one.
#[cfg(feature = "parallel")]
pub(crate) fn current() -> Option<WantedAnswer> {
    COMPUTES_FOR.with_borrow(Clone::clone)
}

/// Does work for what another thread computes for.
pub(crate) fn within<R>(wanted: Option<WantedAnswer>, work: impl FnOnce() -> R) -> R {
    let _before = Before(COMPUTES_FOR.replace(wanted));
    work()
}

/// Does work, here and in the threads of the module `parallel` that it uses, until it is done or not wanted any more: `None` then.
pub fn while_wanted<R>(
    is_wanted: impl Fn() -> bool + Send + Sync + 'static,
    work: impl FnOnce() -> R,
) -> Option<R> {
    let asked = AskedWanted { is_wanted: Box::new(is_wanted), is_over: AtomicBool::new(false) };
    let wanted = WantedAnswer(Arc::new(asked));
    let done = within(Some(wanted.clone()), work);
    wanted.holds().then_some(done)
}

/// Whether what this thread computes is still wanted. What is computed otherwise than [`while_wanted`] always is.
pub fn is_wanted() -> bool {
    COMPUTES_FOR.with_borrow(|wanted| wanted.as_ref().is_none_or(WantedAnswer::holds))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_within_work_has_its_own_end() {
        let outer = while_wanted(
            || true,
            || {
                let inner = while_wanted(|| false, is_wanted);
                (inner, is_wanted())
            },
        );
        assert_eq!(outer, Some((None, true)));
    }
}

//! Which limits of running jobs are reached, looked up once for all jobs of a look at the queue.

use super::counted::Limits;
use super::limit_set::{LimitNumber, LimitSet};

/// Of sets of limits, whether a limit of running jobs is reached. Holds until a job starts or ends.
#[derive(Debug, Default)]
pub struct FullLimits(Vec<Option<bool>>);

impl FullLimits {
    /// A job has started or ended.
    pub fn forget(&mut self) {
        self.0.clear();
    }

    /// Whether a limit of running jobs is reached of the set with this number, which is looked up if it is not known.
    #[inline]
    pub fn is_full<'l>(
        &mut self,
        number: LimitNumber,
        limits: &Limits,
        set: impl FnOnce() -> &'l LimitSet,
    ) -> bool {
        let at = number.0 as usize;
        if self.0.len() <= at {
            self.0.resize(at + 1, None);
        }
        *self.0[at].get_or_insert_with(|| limits.is_full(set()))
    }
}

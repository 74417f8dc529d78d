//! What one simulation says of each size.

use queuecast_core::units::Seconds;

/// One simulation: for each size, smallest first, how long the job waits and runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SizeDraw {
    /// Queue time and run time.
    pub each: Vec<(Seconds, Seconds)>,
}

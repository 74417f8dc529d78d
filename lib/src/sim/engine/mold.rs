//! Jobs that start in another shape than the one they prefer.

use super::Engine;
use crate::job::{Ending, JobIndex};
use crate::units::Seconds;

/// No prediction is longer, so that sums stay within the clock.
const FARTHEST: i128 = (i64::MAX / 4) as i128;

impl Engine<'_> {
    /// Has a waiting job run in another shape than it prefers. What is predicted of it changes as its user's requests for
    /// the two do, where there are both.
    pub(super) fn mold(&mut self, index: JobIndex, place: u16) {
        let (job, truth) = (&self.jobs[index.at()], &self.truths[index.at()]);
        let shape = job.shape_at(place);
        let run = self.options.limit.stopped(truth.run_in(place), shape.limit);
        let row = &mut self.rows[index];
        (row.procs, row.run) = (shape.procs.0, run.0);
        row.ending = if run < truth.run_in(place) { Ending::Killed } else { truth.ending };
        if let (Some(preferred), Some(limit)) = (job.shape.limit, shape.limit) {
            // In whole numbers: who predicts the request has that of the new shape, and not a second more.
            let (by, of) = (i128::from(limit.0), i128::from(preferred.0.max(1)));
            let scaled = |length: i64| ((i128::from(length) * by + of - 1) / of).clamp(1, FARTHEST) as i64;
            (row.predicted, row.planned) = (scaled(row.predicted), scaled(row.planned));
            row.first = row.predicted;
        }
        let placement = &mut self.placements[index.at()];
        (placement.ran, placement.killed, placement.shape) = (run, row.ending == Ending::Killed, place);
        placement.predicted = Seconds(row.predicted);
    }
}

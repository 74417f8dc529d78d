//! Predictions that are replaced while a job waits or runs.

use super::{Components, Engine};
use crate::predict::{Forecast, Revision};
use crate::sim::error::SimError;
use crate::sim::options::EventOrder;
use crate::sim::policy::{Change, Policy};
use crate::site::rows::Row;
use queuecast_core::job::{Job, JobIndex};
use queuecast_core::units::{Procs, Seconds, Time};

impl Engine<'_> {
    #[inline(never)]
    pub(super) fn revise_each(&mut self, now: i64, parts: &mut Components<'_, '_>) {
        let mut revisions = std::mem::take(&mut self.revisions);
        for revision in revisions.drain(..) {
            self.revise(&revision, now, parts);
        }
        self.revisions = revisions;
    }

    fn revise(&mut self, revision: &Revision, now: i64, parts: &mut Components<'_, '_>) {
        let (index, predicted) = (revision.job, revision.forecast.point());
        let Some(&row) = self.site.rows().present(index) else {
            let was_here = |left: &Vec<JobIndex>| {
                (self.offset..self.site.submitted().0).contains(&index.0)
                    && left.binary_search(&index).is_err()
            };
            if self.left.as_ref().is_none_or(was_here) {
                let predictor = parts.predictor.name();
                self.fail(SimError::AbsentJob { predictor, index: index.0, at: Time(now) });
            }
            return;
        };
        if row.is_waiting() {
            let bounds = parts.policy.confidence().map(|confidence| {
                let limit = self.site.rows().job(index).shape.limit;
                self.bounds(&revision.forecast, confidence, limit)
            });
            let planned = bounds.map_or_else(|| self.planned(predicted), |(planned, _)| planned);
            self.predict(index, &row, now, predicted, predicted, planned);
            if let Some((_, bound)) = bounds {
                // It waits, by its row.
                let _ = self.site.bound(index, bound);
            }
            let (procs, from) = (Procs(row.procs), Seconds(row.planned));
            parts.policy.note(Change::Revised { job: index, procs, from, to: planned });
        } else {
            let elapsed = Seconds(now - row.start);
            if predicted <= elapsed {
                let (predictor, job) = (parts.predictor.name(), self.site.rows().job(index).id);
                let at = Time(now);
                self.fail(SimError::OutlivedPrediction { predictor, job, predicted, elapsed, at });
                return;
            }
            if self.counts_as_gone(index, &row, now) {
                return;
            }
            let planned = self.planned_end_beyond(index, predicted, elapsed, parts.policy);
            self.move_end(index, &row, now, predicted, predicted, planned, parts);
        }
        let placement = self.placement(index);
        placement.revisions = placement.revisions.saturating_add(1);
    }

    /// A job joins the queue under a policy that asks how long it runs at most, with this probability.
    #[inline(never)]
    pub(super) fn submit_bounded(&mut self, job: &Job, forecast: &Forecast, confidence: f64) {
        let (planned, bound) = self.bounds(forecast, confidence, job.shape.limit);
        let index = self.site.submit(job, forecast.point(), planned);
        // It was submitted a line above.
        let _ = self.site.bound(index, bound);
    }

    /// How long a job runs at the latest, and at most with this probability. The latest is its requested time, or without one the
    /// longer of the other and the prediction.
    fn bounds(&self, forecast: &Forecast, confidence: f64, limit: Option<Seconds>) -> (Seconds, Seconds) {
        let likely = self.planned(forecast.quantile(confidence).max(Seconds(1)));
        match limit.map(|limit| limit.max(Seconds(1))) {
            Some(limit) => (limit, likely.min(limit)),
            None => (likely.max(self.planned(forecast.point())), likely),
        }
    }

    /// What to plan a running job with, which is more than it has run: by its prediction, or by its requested time under a policy
    /// that asks for bounds.
    pub(super) fn planned_end_beyond(
        &self,
        index: JobIndex,
        predicted: Seconds,
        elapsed: Seconds,
        policy: &dyn Policy,
    ) -> Seconds {
        let bounded = policy.confidence().and(self.site.rows().job(index).shape.limit);
        bounded.filter(|limit| *limit > elapsed).unwrap_or_else(|| self.planned_beyond(predicted, elapsed))
    }

    /// Replaces the prediction of a job in the system.
    fn predict(
        &mut self,
        index: JobIndex,
        row: &Row,
        now: i64,
        first: Seconds,
        predicted: Seconds,
        planned: Seconds,
    ) {
        let sum = &mut self.placements[(index.0 - self.offset) as usize].standing;
        self.secrets[index].replace(now, Seconds(row.predicted), sum);
        // The job is in the system: its row was read from there.
        let _ = self.site.revise(index, first, predicted, planned);
    }

    /// Replaces the prediction of a running job, which may be planned to end at another time then.
    #[expect(clippy::too_many_arguments)]
    pub(super) fn move_end(
        &mut self,
        index: JobIndex,
        row: &Row,
        now: i64,
        first: Seconds,
        predicted: Seconds,
        planned: Seconds,
        parts: &mut Components<'_, '_>,
    ) {
        self.predict(index, row, now, first, predicted, planned);
        self.expect_overrun(index);
        let (from, to) = (Time(row.planned_end()), Time(row.start) + planned);
        if from != to {
            parts.policy.note(Change::Moved { job: index, from, to });
        }
    }

    /// Whether a running job ends at this instant, as planned, in an order of events where plans made before its end count
    /// its processors as free: other jobs may hold them already, so it cannot be brought back.
    fn counts_as_gone(&self, index: JobIndex, row: &Row, now: i64) -> bool {
        let ends = row.start.saturating_add(self.secrets[index].run);
        self.options.event_order == EventOrder::Pyss && row.planned_end() <= now && ends <= now
    }
}

//! A site as a broker sees it when a job arrives.

use super::member::{Listener, Member};
use crate::forecast::wait_if;
use queuecast_core::job::{Job, Truth};
use queuecast_core::units::{Seconds, Time};
use queuecast_sim::sim::Options;
use queuecast_sim::site::View;
use queuecast_wait::features::Features;
use queuecast_wait::{Arrival, RangeForecast, WaitForecast};

/// While fewer than this many starts at a site have been learned from, brokers use its load instead of its predicted waits.
pub(super) const FEWEST: usize = 30;

/// A site that takes the job that has arrived, and what a metascheduler may know of it.
pub struct SiteOffer<'a> {
    pub(super) site: usize,
    pub(super) member: &'a mut Member,
    /// The site simulated without a broker; `Some` where predictions learn from the site's own jobs
    /// ([`WaitHistory::Own`](super::WaitHistory)).
    pub(super) own: Option<&'a mut Member>,
    /// The job as it would be submitted there. Its index is that of the grid: predictions are asked and learn by it.
    pub(super) job: Job,
    /// What will happen to it there.
    pub(super) truth: Truth,
    pub(super) now: Time,
    pub(super) is_home: bool,
    pub(super) options: Options,
    pub(super) features: Option<Features>,
    pub(super) forecast: Option<WaitForecast>,
}

impl std::fmt::Debug for SiteOffer<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SiteOffer").field("site", &self.site).field("job", &self.job).finish_non_exhaustive()
    }
}

impl SiteOffer<'_> {
    /// The place of the site in the grid.
    pub fn site(&self) -> usize {
        self.site
    }

    /// The name of the site.
    pub fn name(&self) -> &str {
        &self.member.setup.name
    }

    /// Whether the job was submitted to this site where there was no broker.
    pub fn is_home(&self) -> bool {
        self.is_home
    }

    /// The job as it would be submitted there.
    pub fn job(&self) -> &Job {
        &self.job
    }

    /// The machine and its queue.
    pub fn view(&self) -> View<'_> {
        self.member.view(self.now)
    }

    /// The processor time that waiting and running jobs have asked for and not used, over the processors, in seconds
    /// (Subramani et al. 2002).
    pub fn load(&mut self) -> f64 {
        self.outstanding() / f64::from(self.member.setup.procs.0)
    }

    /// [`SiteOffer::load`] with this job added, in seconds; the job counts with the run time that the site would plan for
    /// it.
    pub fn load_with_job(&mut self) -> f64 {
        let own = f64::from(self.job.shape.procs.0) * self.member.planned_run(&self.job).0 as f64;
        (self.outstanding() + own) / f64::from(self.member.setup.procs.0)
    }

    fn outstanding(&mut self) -> f64 {
        let now = self.now;
        if let Some(known) = self.member.listener.outstanding(now) {
            return known;
        }
        let view = self.member.view(now);
        let time = |procs: u32, length: Seconds| f64::from(procs) * length.0.max(0) as f64;
        let waiting = view.waiting().map(|one| time(one.job.shape.procs.0, one.predicted));
        let running = view.running().map(|one| time(one.procs.0, one.planned_end - now));
        waiting.chain(running).sum()
    }

    /// Whether the job would start now for certain: no job waits, and it fits on the free processors.
    pub fn starts_at_once(&self) -> bool {
        let view = self.view();
        view.queue_length() == 0 && self.job.shape.procs <= view.free()
    }

    /// How many jobs that started there the predictions have learned from.
    pub fn learned(&self) -> usize {
        self.own.as_deref().unwrap_or(self.member).listener.learned
    }

    /// Whether enough has been learned for predictions to be asked.
    pub fn has_history(&self) -> bool {
        self.learned() >= FEWEST
    }

    /// The run time that the site would plan the job with.
    pub fn planned_run(&self) -> Seconds {
        self.member.planned_run(&self.job)
    }

    /// The predicted wait; `None` where the broker did not say how waits are predicted.
    pub fn forecast(&mut self) -> Option<&WaitForecast> {
        if self.forecast.is_none() {
            let features = *self.features()?;
            let (arrival, view, listener) = self.asked(&features);
            self.forecast = listener.forecast(&arrival, view);
        }
        self.forecast.as_ref()
    }

    /// Whether it is expected to start within an hour there, by quick starters; `None` where the sites predict none. It costs
    /// less than [`SiteOffer::ranges`].
    pub fn is_quick(&mut self) -> Option<bool> {
        let features = *self.features()?;
        let (arrival, view, listener) = self.asked(&features);
        listener.quick_starter(&arrival, view)
    }

    /// Ranges of its wait with probabilities; `None` where the sites predict none.
    pub fn ranges(&mut self) -> Option<RangeForecast> {
        let features = *self.features()?;
        let (arrival, view, listener) = self.asked(&features);
        listener.ranges(&arrival, view)
    }

    /// Whether the queue's demand is at most the largest demand seen at the arrival of a recent job that predictions
    /// learned from. Beyond that, predictions would have to extrapolate.
    pub fn is_within_history(&mut self) -> bool {
        let Some(features) = self.features().copied() else { return false };
        let listener = &self.own.as_deref().unwrap_or(self.member).listener;
        self.has_history() && listener.has_seen(&features)
    }

    /// The arrival, the site's view, and the listener whose predictor answers: that of the site without a broker if there
    /// is one.
    fn asked<'s>(&'s mut self, features: &'s Features) -> (Arrival<'s>, View<'s>, &'s mut Listener) {
        let arrival = Arrival { job: &self.job, at: self.now, features };
        let Member { engine, listener, .. } = &mut *self.member;
        let view = engine.site().view(self.now);
        (arrival, view, self.own.as_deref_mut().map_or(listener, |own| &mut own.listener))
    }

    fn features(&mut self) -> Option<&Features> {
        if self.features.is_none() {
            self.features = self.member.features(&self.job, self.now);
        }
        self.features.as_ref()
    }

    /// The wait in seconds, by true run times, if no job is submitted to the site later; only the oracle may ask. `None` if
    /// it is `patience` or longer.
    pub(super) fn true_wait(&self, patience: Seconds) -> Option<Seconds> {
        let engine = &self.member.engine;
        let lengths = (self.planned_run(), self.true_run());
        let policy = &self.member.setup.policy;
        wait_if(&self.job, self.view(), self.options, policy, lengths, patience, |one| {
            engine.true_run(one.job.index)
        })
    }

    /// How long the job really runs there.
    pub(super) fn true_run(&self) -> Seconds {
        self.options.limit.ran(&self.job, &self.truth)
    }
}

//! One site of a grid in a simulation: its engine, what takes part in it, and what is learned from it.

use std::collections::{HashMap, VecDeque};

use super::setup::SiteSetup;
use crate::forecast::{PlannedWaits, WaitMethod, ranges};
use queuecast_core::job::{Event, Job, JobIndex, Truth, What};
use queuecast_core::spec::choices;
use queuecast_core::units::{Seconds, Time};
use queuecast_core::workload::Machine;
use queuecast_sim::predict::RuntimePredictor;
use queuecast_sim::sim::{Components, Engine, Observer, Options, Policy, SimError};
use queuecast_sim::site::View;
use queuecast_wait::features::{Feature, FeatureTracker, Features};
use queuecast_wait::{Arrival, RangeForecast, Ranges, WaitForecast, WaitPredictor};

/// What a broker asks of the sites.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Uses {
    /// Whether it asks for loads.
    pub loads: bool,
    /// How the sites predict waits for it, if they do.
    pub waits: Option<WaitMethod>,
    /// What the predictions learn from.
    pub history: WaitHistory,
}

/// What the predictions of a site learn from.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum WaitHistory {
    /// The starts of the jobs that the broker has sent there.
    #[default]
    Sent,
    /// The starts of the site's own jobs in a simulation without a broker. Unknown once jobs are sent elsewhere, but it is
    /// the history available on the day a broker is introduced.
    Own,
}

choices! { WaitHistory, "history":
    Sent = "sent", "jobs that the broker has sent there";
    Own = "own", "jobs of the site's own users, had there been no broker";
}

/// A site of a grid.
pub(super) struct Member {
    pub setup: SiteSetup,
    pub engine: Engine<'static>,
    policy: Box<dyn Policy>,
    predictor: Box<dyn RuntimePredictor>,
    pub listener: Listener,
    /// Whether a plan is due at this instant.
    pub plan_is_due: bool,
}

impl Member {
    pub fn new(setup: SiteSetup, options: Options, default_request: Seconds, uses: Uses) -> Member {
        let listener = Listener {
            tracker: (uses.loads || uses.waits.is_some()).then(|| FeatureTracker::new(default_request)),
            overruns: uses.waits.as_ref().is_some_and(WaitMethod::counts_overruns).then_some(default_request),
            waits: uses.waits.map(|method| Predictor::of(method, &setup, default_request)),
            features: HashMap::new(),
            learned: 0,
            demands: RecentMaximum::default(),
            numbers: Vec::new(),
            happened: Vec::new(),
        };
        Member {
            engine: Engine::idle(Machine { procs: setup.procs }, options),
            policy: setup.policy.build(),
            predictor: setup.predictor.build(Vec::new, default_request),
            setup,
            listener,
            plan_is_due: false,
        }
    }

    /// Processes the events due before arrivals.
    pub fn settle(&mut self, now: Time) -> Result<(), SimError> {
        self.plan_is_due |= with(self, |engine, parts| engine.settle(now, parts))?;
        Ok(())
    }

    /// A job of the grid joins the queue.
    pub fn admit(&mut self, number: u32, job: Job, truth: Truth, now: Time) -> Result<JobIndex, SimError> {
        if self.listener.waits.is_some()
            && let Some(features) = self.features(&job, now)
        {
            self.listener.features.insert(self.engine.site().submitted(), features);
        }
        self.listener.numbers.push(number);
        self.plan_is_due = true;
        with(self, |engine, parts| engine.admit(Job { submit: now, ..job }, truth, now, parts))
    }

    /// The features of a job that is not in the queue yet; `None` where the broker uses none.
    pub fn features(&mut self, job: &Job, now: Time) -> Option<Features> {
        let features = self.listener.tracker.as_mut()?.features(job, now);
        Some(match self.listener.overruns {
            Some(default_request) => features.with_overruns(job, self.view(now), default_request),
            None => features,
        })
    }

    /// The copy of a job that started elsewhere leaves the queue.
    pub fn withdraw(&mut self, index: JobIndex, now: Time) -> Result<(), SimError> {
        self.listener.features.remove(&index);
        if with(self, |engine, parts| engine.withdraw(index, now, parts))? {
            self.plan_is_due = true;
        }
        Ok(())
    }

    pub fn plan(&mut self, now: Time) -> Result<(), SimError> {
        self.plan_is_due = false;
        with(self, |engine, parts| engine.replan(now, parts))
    }

    pub fn view(&self, now: Time) -> View<'_> {
        self.engine.site().view(now)
    }

    /// The run time that the site would plan a job with.
    pub fn planned_run(&self, job: &Job) -> Seconds {
        self.predictor.estimate(&queuecast_sim::predict::Question { job, elapsed: Seconds::ZERO }).point()
    }
}

fn with<T>(member: &mut Member, work: impl FnOnce(&mut Engine<'static>, &mut Components<'_, '_>) -> T) -> T {
    let observers: &mut [&mut dyn Observer] = &mut [&mut member.listener];
    let mut parts =
        Components { policy: member.policy.as_mut(), predictor: member.predictor.as_mut(), observers };
    work(&mut member.engine, &mut parts)
}

/// A start or an end of a job, by its number in the grid.
#[derive(Debug, Clone, Copy)]
pub(super) enum Happened {
    Started(u32, JobIndex),
    Ended(u32, Seconds),
}

/// Follows the events of one site.
pub(super) struct Listener {
    tracker: Option<FeatureTracker>,
    /// Stands in for a missing requested time, where features count overruns.
    overruns: Option<Seconds>,
    waits: Option<Predictor>,
    /// Features at submission of the jobs that have not started. Looked up, never iterated.
    features: HashMap<JobIndex, Features>,
    /// Starts that were learned from.
    pub learned: usize,
    demands: RecentMaximum,
    /// The number in the grid of each job of this site.
    numbers: Vec<u32>,
    /// Starts and ends since the list was last drained.
    pub happened: Vec<Happened>,
}

impl Observer for Listener {
    fn saw(&mut self, event: &Event<'_>, _view: &View<'_>) {
        if let Some(tracker) = &mut self.tracker {
            tracker.observe(event);
        }
        if let Some(waits) = &mut self.waits {
            waits.by().observe(event);
        }
        let index = event.job.index;
        match event.what {
            What::Started(_) => {
                self.happened.push(Happened::Started(self.numbers[index.at()], index));
                if let (Some(waits), Some(features)) = (&mut self.waits, self.features.remove(&index)) {
                    // Learned under the job's number in the grid, as it was predicted, not its number at this site.
                    let number = JobIndex(self.numbers[index.at()]);
                    let job = Job { index: number, ..event.job.clone() };
                    let arrival = Arrival { job: &job, at: job.submit, features: &features };
                    waits.by().learn(&arrival, event.at - job.submit);
                    self.learned += 1;
                    self.demands.add(features.of(Feature::QueueDemand));
                }
            }
            What::Ended(end) => self.happened.push(Happened::Ended(self.numbers[index.at()], end.ran)),
            _ => {}
        }
    }
}

impl Listener {
    /// Whether the queue's demand is at most the largest one at the arrival of a recent job that was learned from.
    pub fn has_seen(&self, features: &Features) -> bool {
        self.demands.largest().is_some_and(|most| features.of(Feature::QueueDemand) <= most)
    }

    /// The processor time that waiting and running jobs may still take.
    pub fn outstanding(&mut self, now: Time) -> Option<f64> {
        self.tracker.as_mut().map(|tracker| tracker.outstanding(now))
    }
}

/// How a site predicts waits. [`Ranges`] also predicts classes and quick starters, so it is kept apart.
pub(super) enum Predictor {
    Ranges(Box<Ranges>),
    Any(Box<dyn WaitPredictor>),
}

impl Predictor {
    fn of(method: WaitMethod, setup: &SiteSetup, default_request: Seconds) -> Predictor {
        match method {
            // It runs the site's own policy.
            WaitMethod::Planned { runs } => {
                Predictor::Any(Box::new(PlannedWaits::new(setup.policy.clone(), runs, default_request)))
            }
            WaitMethod::Ranges { window, point, quick, .. } => {
                Predictor::Ranges(Box::new(ranges(window, point, quick)))
            }
            method => Predictor::Any(method.build_on_features(default_request)),
        }
    }

    fn by(&mut self) -> &mut dyn WaitPredictor {
        match self {
            Predictor::Ranges(ranges) => ranges.as_mut(),
            Predictor::Any(other) => other.as_mut(),
        }
    }
}

impl Listener {
    /// The predicted wait of a job that is not in the queue yet; `None` if no wait method is set. `site` may be this site
    /// or its counterpart under a broker.
    pub fn forecast(&mut self, arrival: &Arrival<'_>, site: View<'_>) -> Option<WaitForecast> {
        Some(self.waits.as_mut()?.by().predict(arrival, site))
    }

    /// Whether a job is expected to be a quick starter; `None` where the site does not predict ranges with quick starters.
    pub fn quick_starter(&self, arrival: &Arrival<'_>, site: View<'_>) -> Option<bool> {
        match self.waits.as_ref()? {
            Predictor::Ranges(ranges) => Some(ranges.is_quick(arrival, site)),
            Predictor::Any(_) => None,
        }
    }

    /// Ranges of the job's wait with probabilities; `None` unless the site predicts by [`Ranges`].
    pub fn ranges(&mut self, arrival: &Arrival<'_>, site: View<'_>) -> Option<RangeForecast> {
        match self.waits.as_mut()? {
            Predictor::Ranges(ranges) => Some(ranges.ranges(arrival, site)),
            Predictor::Any(_) => None,
        }
    }
}

/// The largest of the last values.
#[derive(Debug, Clone, Default)]
struct RecentMaximum {
    added: usize,
    /// Sequence number and value of those that no later value exceeds, oldest and largest first.
    standing: VecDeque<(usize, f64)>,
}

impl RecentMaximum {
    /// How many values count: as many as the histories of predictions have by default.
    const WINDOW: usize = Ranges::WINDOW;

    fn add(&mut self, value: f64) {
        while self.standing.back().is_some_and(|last| last.1 <= value) {
            self.standing.pop_back();
        }
        self.standing.push_back((self.added, value));
        self.added += 1;
        while self.standing.front().is_some_and(|first| first.0 + RecentMaximum::WINDOW < self.added) {
            self.standing.pop_front();
        }
    }

    fn largest(&self) -> Option<f64> {
        self.standing.front().map(|first| first.1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_recent_maximum_is_that_of_the_window() {
        let value = |place: usize| ((place * 7919) % 1009) as f64;
        let mut recent = RecentMaximum::default();
        assert_eq!(recent.largest(), None);
        for place in 0..12_000 {
            recent.add(value(place));
            if place % 97 == 0 {
                let from = (place + 1).saturating_sub(RecentMaximum::WINDOW);
                let expected = (from..=place).map(value).fold(f64::NEG_INFINITY, f64::max);
                assert_eq!(recent.largest(), Some(expected));
            }
        }
        // Control: what has left the window does not count.
        let mut falling = RecentMaximum::default();
        falling.add(9.0);
        (0..RecentMaximum::WINDOW).for_each(|_| falling.add(1.0));
        assert_eq!(falling.largest(), Some(1.0));
    }
}

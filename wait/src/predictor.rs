//! Wait predictors: a distribution of the wait of a job that arrives, learned from jobs that have started.

use super::class::ClassWaits;
use super::features::Features;
use queuecast_core::distribution::Distribution;
use queuecast_core::job::{Event, Job};
use queuecast_core::units::{Seconds, Time};
use queuecast_sim::site::View;

/// A job at its submission.
#[derive(Debug, Clone, Copy)]
pub struct Arrival<'a> {
    /// The job.
    pub job: &'a Job,
    /// When it is submitted.
    pub at: Time,
    /// The job, the queue and the machine in numbers.
    pub features: &'a Features,
}

/// The predicted wait of a job.
#[derive(Debug, Clone, PartialEq)]
pub struct WaitForecast {
    /// One number, in seconds, where one is asked for.
    pub point: f64,
    /// The distribution of the wait.
    pub wait: Distribution,
    /// By what its classes are named.
    pub rule: PointRule,
}

/// By what classes are named: different questions have different best answers under one distribution.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum PointRule {
    /// The point.
    #[default]
    Point,
    /// Those that are most probable ([`super::BestAnswers`]).
    ByMeasure,
}

impl WaitForecast {
    /// A point and a distribution.
    pub fn new(point: f64, wait: Distribution) -> WaitForecast {
        WaitForecast { point, wait, rule: PointRule::Point }
    }

    /// A distribution whose median is the point.
    pub fn by_median(wait: Distribution) -> WaitForecast {
        WaitForecast::new(wait.quantile(0.5), wait)
    }

    /// A distribution by whose probabilities classes are named. The point is the median.
    pub fn by_measure(wait: Distribution) -> WaitForecast {
        WaitForecast { rule: PointRule::ByMeasure, ..WaitForecast::by_median(wait) }
    }

    /// What is forecast before anything is known: no wait.
    pub fn nothing_known() -> WaitForecast {
        WaitForecast::new(0.0, Distribution::point(0.0))
    }
}

/// A predicted wait and the waits that it was made of.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SimilarWaits {
    /// The point of the forecast, up to rounding.
    pub point: f64,
    /// The waits of the jobs of the history that it was made of, by class. Of a predictor that does not name such jobs there
    /// are none.
    pub by_class: ClassWaits,
}

impl SimilarWaits {
    /// No wait, of no jobs.
    pub fn none() -> SimilarWaits {
        SimilarWaits { point: 0.0, by_class: ClassWaits::default() }
    }
}

/// Predicts waits and learns from those that are known. What it may use is what it is told, in the order of time.
pub trait WaitPredictor: Send + Sync {
    /// The wait of a job that arrives at a site, by the models as they are; the job is not in its queue yet. Nothing is fitted or
    /// remembered.
    fn forecast(&self, arrival: &Arrival<'_>, site: View<'_>) -> WaitForecast;

    /// As [`WaitPredictor::forecast`] after [`WaitPredictor::refit`]. A predictor that is corrected by what became of its answers
    /// remembers this one until the job starts.
    fn predict(&mut self, arrival: &Arrival<'_>, site: View<'_>) -> WaitForecast {
        self.refit();
        self.forecast(arrival, site)
    }

    /// The point alone with the waits it was made of, for callers that need no distribution.
    fn similar(&self, arrival: &Arrival<'_>, site: View<'_>) -> SimilarWaits {
        SimilarWaits { point: self.forecast(arrival, site).point, ..SimilarWaits::none() }
    }

    /// Fits what is due to be fitted anew. Between two events; answers before it are by the models that were there.
    fn refit(&mut self) {}

    /// A job has started; `arrival` is as it was at its submission.
    fn learn(&mut self, arrival: &Arrival<'_>, wait: Seconds);

    /// A job is submitted, whether its wait was asked for or not; it is not in the queue yet. Only a predictor that has features
    /// of its own needs it, to learn from jobs that it was not asked about.
    fn arrives(&mut self, _arrival: &Arrival<'_>, _site: View<'_>) {}

    /// Something happened at the site. A start is told here before it is learned from.
    fn observe(&mut self, _event: &Event<'_>) {}
}

/// A wait predictor that can be copied with what it has learned. Every predictor that can be cloned is one.
pub trait LearnedWaits: WaitPredictor {
    /// A copy that learns on its own from now on.
    fn copied(&self) -> Box<dyn LearnedWaits>;
}

impl Clone for Box<dyn LearnedWaits> {
    fn clone(&self) -> Box<dyn LearnedWaits> {
        (**self).copied()
    }
}

impl<P: WaitPredictor + Clone + 'static> LearnedWaits for P {
    fn copied(&self) -> Box<dyn LearnedWaits> {
        Box::new(self.clone())
    }
}

#[cfg(test)]
pub(super) mod test_support {
    //! Predictors asked and taught about jobs with these features, at an empty site.

    use super::super::features::Features;
    use super::{Arrival, WaitForecast, WaitPredictor};
    use queuecast_core::job::{Job, QueueId};
    use queuecast_core::units::{Procs, Seconds, Time};
    use queuecast_core::workload::Machine;
    use queuecast_sim::site::Site;

    pub fn job(queue: u32) -> Job {
        let mut job = Job::rigid(1, Time(0), Procs(1), None);
        job.queue = QueueId::new(queue);
        job
    }

    pub fn features(values: &[f64]) -> Features {
        let mut features = Features::default();
        features.0[..values.len()].copy_from_slice(values);
        features
    }

    pub fn taught(predictor: &mut dyn WaitPredictor, queue: u32, values: &[f64], wait: i64) {
        let (job, features) = (job(queue), features(values));
        predictor.learn(&Arrival { job: &job, at: Time(0), features: &features }, Seconds(wait));
    }

    pub fn asked(predictor: &mut dyn WaitPredictor, queue: u32, values: &[f64]) -> WaitForecast {
        let (job, features) = (job(queue), features(values));
        let site = Site::new(Machine { procs: Procs(8) });
        predictor.predict(&Arrival { job: &job, at: Time(0), features: &features }, site.view(Time(0)))
    }
}

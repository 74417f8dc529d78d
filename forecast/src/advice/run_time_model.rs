//! What is known of run times at a site at some instant.

use super::outlook::RunTimeOutlook;
use super::request_shares::RequestShares;
use super::situation::Situation;
use queuecast_core::distribution::Distribution;
use queuecast_core::job::{Event, Job, What};
use queuecast_core::units::{Seconds, Time};
use queuecast_sim::predict::{Question, RuntimePredictor};
use queuecast_sim::site::Site;
use queuecast_wait::LifetimeFit;

/// Learns from the events of a site and describes the run time of any job by a distribution.
pub struct RunTimeModel {
    outlook: RunTimeOutlook,
    predictor: Box<dyn RuntimePredictor>,
    fit: LifetimeFit,
    history: RequestShares,
}

impl std::fmt::Debug for RunTimeModel {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("RunTimeModel")
            .field("outlook", &self.outlook)
            .field("ended", &self.ended())
            .finish_non_exhaustive()
    }
}

impl RunTimeModel {
    /// Before the first event.
    pub fn new(outlook: RunTimeOutlook, predictor: Box<dyn RuntimePredictor>) -> RunTimeModel {
        RunTimeModel { outlook, predictor, fit: LifetimeFit::new(), history: RequestShares::default() }
    }

    /// Learns from an event.
    pub fn observe(&mut self, event: &Event<'_>) {
        if let What::Ended(end) = event.what {
            self.fit.observe(end.ran);
            self.history.observe(event.job, end.ran);
        }
        self.predictor.observe(event, &mut Vec::new());
    }

    /// How many jobs have ended so far: what was learned from.
    pub fn ended(&self) -> usize {
        self.fit.count()
    }

    /// A site at an instant, with the distribution of the run time of each job there.
    pub fn situation(&mut self, site: Site, now: Time) -> Situation {
        self.history.settle();
        let history = (self.outlook == RunTimeOutlook::Shares).then(|| self.history.sorted());
        let outlook = self.outlook.outlook();
        Situation::new(site, now, |job: &Job, age: Seconds| -> Distribution {
            if let Some(known) = history.as_ref().and_then(|history| history.run_time(job, age)) {
                return known;
            }
            let forecast = self.predictor.estimate(&Question { job, elapsed: age });
            let run = outlook.run_time(age, &forecast, &self.fit);
            // A job is stopped at the time it requested, unless it has outlived that already.
            match job.shape.limit {
                Some(limit) if limit > age => run.capped(limit.0 as f64),
                _ => run,
            }
        })
    }
}

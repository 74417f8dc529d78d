//! How long the jobs at a site are expected to run, by a run-time predictor.

use std::fmt;

use serde::{Deserialize, Serialize};

use queuecast_core::distribution::Distribution;
use queuecast_core::job::{Event, Job, JobId, JobIndex, What};
use queuecast_core::order;
use queuecast_core::units::Seconds;
use queuecast_sim::predict::mixture::{Mixture, OwnRuns};
use queuecast_sim::predict::{LearnedRuns, Lookup, PredictorSpec, Question, RuntimePredictor};

/// The run-time distributions of the jobs at a site, each as the predictor gave it at the job's arrival and again at its start:
/// asking for all of them at every arrival would cost more than the simulation.
#[derive(Clone, Serialize, Deserialize)]
pub(in crate::forecast) struct ExpectedRuns {
    predictor: ExpectedModel,
    default_request: Seconds,
    /// Looked up, never iterated. The name is compared, since a live site numbers its jobs anew.
    known: Lookup<JobIndex, (JobId, Distribution)>,
}

/// How much is made of an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::forecast) enum RunLearning {
    /// Jobs are predicted at their arrival and again at their start.
    Full,
    /// Again at their start only if other jobs of their users have ended in between.
    Quick,
    /// No job is predicted: the event is older than what any method remembers.
    Past,
}

/// A run-time predictor; the usual one can be stored.
#[derive(Clone, Serialize, Deserialize)]
enum ExpectedModel {
    Mixture(Box<Mixture>),
    #[serde(skip)]
    Other(Box<dyn LearnedRuns>),
}

impl ExpectedModel {
    fn new(predictor: &PredictorSpec, default_request: Seconds) -> ExpectedModel {
        match predictor {
            PredictorSpec::Mixture(settings) => {
                ExpectedModel::Mixture(Box::new(Mixture::new(*settings, default_request)))
            }
            other => ExpectedModel::Other(other.build(Vec::new, default_request)),
        }
    }

    fn run_time(&self, question: &Question<'_>) -> Distribution {
        match self {
            ExpectedModel::Mixture(mixture) => mixture.run_time(question),
            ExpectedModel::Other(predictor) => predictor.estimate(question).distribution(),
        }
    }

    fn observe(&mut self, event: &Event<'_>, learning: RunLearning) {
        match self {
            ExpectedModel::Mixture(mixture) if learning == RunLearning::Past => mixture.observe_only(event),
            ExpectedModel::Mixture(mixture) => mixture.observe(event, &mut Vec::new()),
            ExpectedModel::Other(predictor) => predictor.observe(event, &mut Vec::new()),
        }
    }
}

impl fmt::Debug for ExpectedRuns {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ExpectedRuns").field("known", &self.known.len()).finish_non_exhaustive()
    }
}

impl ExpectedRuns {
    /// `default_request` stands in for a missing requested time.
    pub fn new(predictor: &PredictorSpec, default_request: Seconds) -> ExpectedRuns {
        let predictor = ExpectedModel::new(predictor, default_request);
        ExpectedRuns { predictor, default_request, known: Lookup::default() }
    }

    /// Whether it can be stored.
    pub fn is_stored(&self) -> bool {
        matches!(self.predictor, ExpectedModel::Mixture(_))
    }

    /// Stands in for a missing requested time.
    pub fn default_request(&self) -> Seconds {
        self.default_request
    }

    /// What a job asks for, at least a second.
    pub fn requested(&self, job: &Job) -> Seconds {
        job.shape.limit.unwrap_or(self.default_request).max(Seconds(1))
    }

    /// A job is about to arrive: what is predicted of it is asked for before and after it has.
    pub fn announce(&mut self, job: &Job) {
        if let ExpectedModel::Mixture(mixture) = &mut self.predictor {
            mixture.announce(job, job.submit);
        }
    }

    /// Learns from an event. Of a job that arrives, what is said of it as of [`ExpectedRuns::said`] is returned.
    pub fn observe(&mut self, event: &Event<'_>, learning: RunLearning) -> Option<Distribution> {
        self.predictor.observe(event, learning);
        let (job, index) = (event.job, event.job.index);
        match event.what {
            What::Arrived | What::Started(_) if learning == RunLearning::Past => {}
            What::Started(_) if learning == RunLearning::Quick && self.is_known_well(job) => {}
            What::Arrived | What::Started(_) => {
                let run = self.predicted(job);
                self.known.insert(index, (job.id, capped(run.clone(), job, Seconds::ZERO)));
                return (event.what == What::Arrived).then(|| self.told_by_user(job, run));
            }
            What::Ended(_) | What::Withdrawn => {
                self.known.remove(&index);
            }
            What::Overran { .. } => {}
        }
        None
    }

    /// Whether what is known of a job since its arrival is all that can be known of its user now.
    fn is_known_well(&self, job: &Job) -> bool {
        let known = self.known.get(&job.index).is_some_and(|(id, _)| *id == job.id);
        known
            && match &self.predictor {
                ExpectedModel::Mixture(mixture) => mixture.knows_no_more_of_its_user(job),
                ExpectedModel::Other(_) => false,
            }
    }

    /// What the predictor says of a job that has not run yet.
    pub fn predicted(&self, job: &Job) -> Distribution {
        self.predictor.run_time(&Question { job, elapsed: Seconds::ZERO })
    }

    /// What is said to a user of a job that has not run yet: as predicted, but where none of the user's last jobs asked for its time, the
    /// limit is evidence beside these jobs, and half of the probability is theirs.
    pub fn said(&self, job: &Job) -> Distribution {
        self.told_by_user(job, self.predicted(job))
    }

    fn told_by_user(&self, job: &Job, predicted: Distribution) -> Distribution {
        let own = match &self.predictor {
            ExpectedModel::Mixture(mixture) => mixture.own_runs_under_another_limit(job),
            ExpectedModel::Other(_) => None,
        };
        own.and_then(|own| Distribution::observed(own.into(), 1.0))
            .map_or_else(|| predicted.clone(), |own| pooled(&predicted, &own))
    }

    /// The last jobs of the user of a job that have ended, where the predictor tells.
    pub fn own_runs(&self, job: &Job) -> Option<OwnRuns> {
        match &self.predictor {
            ExpectedModel::Mixture(mixture) => mixture.own_runs(job),
            ExpectedModel::Other(_) => None,
        }
    }

    /// What the predictor says of a job now, cut at what it asks for.
    fn asked(&self, job: &Job, elapsed: Seconds) -> Distribution {
        capped(self.predictor.run_time(&Question { job, elapsed }), job, elapsed)
    }

    /// The whole run time of a job at the site, given how long it has run.
    pub fn run(&self, job: &Job, elapsed: Seconds) -> Distribution {
        let known = self.known.get(&job.index).filter(|(id, _)| *id == job.id);
        let whole = known.map_or_else(|| self.asked(job, elapsed), |(_, run)| run.clone());
        if elapsed > Seconds::ZERO { whole.given(elapsed.0 as f64) } else { whole }
    }

    /// That of a job that is not there yet.
    pub fn newcomer(&self, job: &Job) -> Distribution {
        self.asked(job, Seconds::ZERO)
    }
}

/// Either of two distributions with even odds (a linear pool), by a hundred quantiles of each.
fn pooled(one: &Distribution, other: &Distribution) -> Distribution {
    const PLACES: u32 = 100;
    let level = |place: u32| (f64::from(place) + 0.5) / f64::from(PLACES);
    let quantiles =
        |of: &Distribution| (0..PLACES).map(|place| of.quantile(level(place))).collect::<Vec<_>>();
    let mut both = [quantiles(one), quantiles(other)].concat();
    order::sort_floats(&mut both);
    Distribution::observed(both.into(), 1.0).unwrap_or_else(|| one.clone())
}

/// Cut at what the job asks for, unless it has run for longer.
fn capped(run: Distribution, job: &Job, elapsed: Seconds) -> Distribution {
    match job.shape.limit {
        Some(limit) if limit > elapsed => run.capped(limit.0.max(1) as f64),
        _ => run,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use queuecast_core::job::{End, UserId};
    use queuecast_core::units::{Procs, Time};

    const HOUR: i64 = 3_600;

    fn job(number: u32, user: u32, limit: i64) -> Job {
        let job = Job::rigid(number.into(), Time(i64::from(number) * 60), Procs(4), Some(Seconds(limit)));
        Job { index: JobIndex(number), user: UserId::new(user), ..job }
    }

    /// Of three users with jobs of two hours under a limit of twelve, and others that use a fifth of any limit.
    fn learned() -> ExpectedRuns {
        let mut runs = ExpectedRuns::new(&PredictorSpec::Mixture(Default::default()), Seconds(HOUR));
        for number in 0..600_u32 {
            let (user, limit, ran) = match number % 3 {
                0 => (1, 12 * HOUR, 2 * HOUR - i64::from(number % 50)),
                1 => (2, [1, 4, 24, 60][number as usize / 3 % 4] * HOUR, 0),
                _ => (3, 12 * HOUR, 3 * HOUR),
            };
            let job = job(number, user, limit);
            let ran = Seconds(if ran == 0 { limit / 5 } else { ran });
            for what in [
                What::Arrived,
                What::Started(job.shape),
                What::Ended(End { ran, ending: Default::default() }),
            ] {
                runs.observe(&Event { at: job.submit, job: &job, what }, RunLearning::Full);
            }
        }
        runs
    }

    #[test]
    fn the_limit_is_evidence_beside_what_the_user_ran() {
        let runs = learned();
        let median = |user, hours: i64| runs.said(&job(1_000, user, hours * HOUR)).quantile(0.5);
        assert!((median(1, 12) - 7_200.0).abs() < 300.0, "{}", median(1, 12));
        // Five times the limit: twice the time at most, and more than the same.
        let longer = median(1, 60) / median(1, 12);
        assert!((1.05..3.0).contains(&longer), "{longer}");
        // Control: of a user of whom nothing is known it follows the limit.
        let unknown = median(9, 60) / median(9, 12);
        assert!(unknown > 3.0, "{unknown}");
        // What was asked for before is as predicted.
        let usual = job(1_000, 1, 12 * HOUR);
        assert_eq!(runs.said(&usual), runs.predicted(&usual));
    }

    #[test]
    fn a_pool_has_half_of_either() {
        let both = pooled(&Distribution::point(10.0), &Distribution::point(30.0));
        assert_eq!([0.1, 0.49, 0.51, 0.9].map(|level| both.quantile(level)), [10.0, 10.0, 30.0, 30.0]);
        assert!((both.survival(20.0) - 0.5).abs() < 1e-9);
    }
}

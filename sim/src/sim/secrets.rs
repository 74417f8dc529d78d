//! What the engine alone knows of the jobs in the system: how long they will really run, and how right their predictions have
//! been.

use super::options::LimitRule;
use super::schedule::Standing;
use crate::site::rows::Row;
use queuecast_core::job::{Ending, Job, Truth};
use queuecast_core::units::Seconds;

/// The truth of one job in the system.
#[derive(Debug, Clone)]
pub(super) struct Secret {
    /// How long it runs, in the shape it has.
    pub run: i64,
    /// Since when its prediction has stood.
    pub since: i64,
    pub ending: Ending,
    /// Whether it has had more than one prediction.
    pub changed: bool,
    /// The truth of a moldable job, for its other shapes.
    truth: Option<Box<Truth>>,
}

impl Secret {
    pub const EMPTY: Secret =
        Secret { run: 0, since: 0, ending: Ending::Unknown, changed: false, truth: None };

    /// Of a job that is submitted, in the shape it prefers.
    #[inline]
    pub fn of(job: &Job, truth: &Truth, limit: LimitRule) -> Secret {
        let whole = truth.run();
        let run = limit.stopped(whole, job.shape.limit);
        let ending = if run < whole { Ending::Killed } else { truth.ending };
        let truth = job.other_shapes.as_ref().map(|_| Box::new(truth.clone()));
        Secret { run: run.0, since: job.submit.0, ending, changed: false, truth }
    }

    /// Of a job whose run time is assumed.
    pub fn assumed(run: Seconds, since: i64) -> Secret {
        Secret { run: run.0, since, ..Secret::EMPTY }
    }

    /// Has it run in the shape at this place, for which it requests this time.
    pub fn mold(&mut self, place: u16, requested: Option<Seconds>, limit: LimitRule) {
        let Some(truth) = &self.truth else { return };
        let whole = truth.run_in(place);
        let run = limit.stopped(whole, requested);
        (self.run, self.ending) = (run.0, if run < whole { Ending::Killed } else { truth.ending });
    }

    /// Its prediction is replaced at an instant: adds to a sum how right the old one was, times how long it stood.
    pub fn replace(&mut self, now: i64, old: Seconds, sum: &mut Standing) {
        self.add(now, old, sum);
        (self.since, self.changed) = (now, true);
    }

    fn add(&self, now: i64, predicted: Seconds, sum: &mut Standing) {
        let stood = (now - self.since) as f64;
        let standing = Standing::of(predicted, Seconds(self.run));
        sum.inaccuracy += standing.inaccuracy * stood;
        sum.accuracy += standing.accuracy * stood;
    }

    /// How right its predictions were from submission to its end, each weighted by how long it stood (Talby et al. 2005,
    /// equation 2), given the sum over those before the last.
    pub fn standing(&self, row: &Row, end: i64, mut sum: Standing) -> Standing {
        if self.since == row.submit {
            return Standing::of(Seconds(row.predicted), Seconds(self.run));
        }
        self.add(end, Seconds(row.predicted), &mut sum);
        let lived = (end - row.submit) as f64;
        Standing { inaccuracy: sum.inaccuracy / lived, accuracy: sum.accuracy / lived }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use queuecast_core::units::{Procs, Time};

    /// A job submitted at 100 that will run for 60, and what its earlier predictions add up to.
    struct Predicted {
        row: Row,
        secret: Secret,
        sum: Standing,
    }

    fn predicted(length: i64) -> Predicted {
        let row = Row::waiting(Time(100), Procs(1), Seconds(length), Seconds(length));
        Predicted { row, secret: Secret::assumed(Seconds(60), 100), sum: Standing::default() }
    }

    impl Predicted {
        fn predict(&mut self, now: i64, length: i64) {
            self.secret.replace(now, Seconds(self.row.predicted), &mut self.sum);
            self.row.predicted = length;
        }

        fn standing(&self, end: i64) -> Standing {
            self.secret.standing(&self.row, end, self.sum)
        }
    }

    #[test]
    fn one_prediction_is_as_right_as_it_is() {
        for (length, inaccuracy, accuracy) in [(60, 0.0, 1.0), (90, 30.0, 60.0 / 90.0), (15, 45.0, 0.25)] {
            // However long it waits.
            for end in [160, 1000] {
                assert_eq!(predicted(length).standing(end), Standing { inaccuracy, accuracy });
            }
        }
    }

    #[test]
    fn several_predictions_count_by_how_long_they_stood() {
        let mut job = predicted(15);
        // 15 s from 100 to 120: 45 off, a quarter right.
        job.predict(120, 120);
        // 120 s from 120 to 150: 60 off, half right.
        job.predict(150, 60);
        // 60 s from 150 to 200: right.
        let Standing { inaccuracy, accuracy } = job.standing(200);
        assert_eq!(inaccuracy, (45.0 * 20.0 + 60.0 * 30.0) / 100.0);
        assert_eq!(accuracy, (0.25 * 20.0 + 0.5 * 30.0 + 1.0 * 50.0) / 100.0);
    }

    #[test]
    fn what_stood_for_no_time_does_not_count() {
        let mut job = predicted(15);
        job.predict(100, 90);
        assert_eq!(job.standing(400), predicted(90).standing(400));
        job.predict(130, 1);
        job.predict(130, 60);
        let Standing { inaccuracy, accuracy } = job.standing(200);
        assert_eq!((inaccuracy, accuracy), (30.0 * 30.0 / 100.0, (30.0 * 60.0 / 90.0 + 70.0) / 100.0));
        // A job of no length that never waited does not divide by zero.
        let mut instant = predicted(5);
        instant.secret.run = 0;
        assert_eq!(instant.standing(100), Standing { inaccuracy: 5.0, accuracy: 0.0 });
        instant.predict(100, 2);
        assert_eq!(instant.standing(100), Standing { inaccuracy: 2.0, accuracy: 0.0 });
    }
}

//! What came of one log.

use queuecast_wait::{NamedClasses, WAIT_CLASSES};

use super::methods::ComparedMethod;
use super::readings::{PaperReading, ReadingScore, share_right};
use super::walk::PredictedJob;

/// What came of one log.
#[derive(Debug, Clone, Default)]
pub struct LogScores {
    /// Of each reading that was wanted.
    pub readings: Vec<(PaperReading, ReadingScore)>,
    /// By method, by the default reading.
    pub(super) methods: Vec<(ComparedMethod, MethodScore)>,
    /// The mean error of the response time of each technique, in percent, by the default reading.
    pub(super) errors: Vec<(ComparedMethod, f64)>,
    /// How many waits each class has, by the default reading.
    pub(super) waits: [usize; WAIT_CLASSES],
}

/// How often a method was right with one, two and three classes, in percent: of jobs that waited for more than an hour, and of all. Of two
/// classes nothing is known where the support vector machine was not wanted.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct MethodScore(pub [[Option<f64>; 2]; 3]);

impl MethodScore {
    fn of(jobs: &[(PredictedJob, NamedClasses)], has_two: bool) -> MethodScore {
        type Job = (PredictedJob, NamedClasses);
        let right: [fn(&Job) -> bool; 3] = [
            |(job, named)| named.one == job.actual,
            |(job, named)| named.names_two(job.actual),
            |(job, named)| named.names_three(job.actual),
        ];
        let mut shares = right.map(|right| {
            [share_right(jobs, |one| one.0.actual > 0, right), share_right(jobs, |_| true, right)]
        });
        if !has_two {
            shares[1] = [None; 2];
        }
        MethodScore(shares)
    }
}

impl LogScores {
    /// What came of a method; `None` where no wanted table needs it.
    pub(super) fn of(&self, method: ComparedMethod) -> Option<&MethodScore> {
        self.methods.iter().find(|(known, _)| *known == method).map(|(_, score)| score)
    }

    /// What came of a reading; `None` where no wanted table needs it.
    pub fn reading(&self, reading: PaperReading) -> Option<&ReadingScore> {
        self.readings.iter().find(|(known, _)| *known == reading).map(|(_, score)| score)
    }

    /// Takes in the jobs of the default reading, and the probabilities of the support vector machine for each, where these are wanted.
    pub(super) fn add_default(&mut self, jobs: &[PredictedJob], machine: Option<&[[f64; WAIT_CLASSES]]>) {
        jobs.iter().for_each(|job| self.waits[job.actual] += 1);
        for method in ComparedMethod::PREDICTORS.into_iter().chain([ComparedMethod::Zero]) {
            let named = |(place, job): (usize, &PredictedJob)| {
                let probable = machine.and_then(|machine| machine.get(place)).copied().unwrap_or_default();
                let point = match method {
                    ComparedMethod::Qbets => return (*job, job.qbets),
                    ComparedMethod::Ibl => job.ibl,
                    ComparedMethod::IblQuick => job.with_quick_starters(job.ibl),
                    ComparedMethod::Framework => job.with_quick_starters(job.neighbours),
                    ComparedMethod::Zero => 0.0,
                    _ => job.neighbours,
                };
                (*job, NamedClasses::of(point, &probable))
            };
            let jobs: Vec<(PredictedJob, NamedClasses)> = jobs.iter().enumerate().map(named).collect();
            // Of the first class only one class is a neighbour.
            let has_two = machine.is_some() || matches!(method, ComparedMethod::Zero | ComparedMethod::Qbets);
            self.methods.push((method, MethodScore::of(&jobs, has_two)));
        }
        let zeros = vec![0.0; jobs.len()];
        self.add_errors(ComparedMethod::Zero, jobs, &zeros);
        let neighbours: Vec<f64> = jobs.iter().map(|job| job.neighbours).collect();
        self.add_errors(ComparedMethod::Average, jobs, &neighbours);
    }

    /// Takes in the waits that a technique predicts for the same jobs.
    pub(super) fn add_errors(&mut self, method: ComparedMethod, jobs: &[PredictedJob], predicted: &[f64]) {
        let errors = jobs.iter().zip(predicted).filter_map(|(job, &wait)| job.response_error(wait));
        self.errors.push((method, 100.0 * queuecast_core::stats::mean(errors)));
    }

    /// That of a technique.
    pub(super) fn error(&self, method: ComparedMethod) -> Option<f64> {
        self.errors.iter().find(|(known, _)| *known == method).map(|(_, error)| *error)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use queuecast_core::units::Seconds;
    use queuecast_wait::class_of;

    /// Two jobs, both predicted to wait for two hours: one does not wait, one waits for four.
    #[test]
    fn classes_are_named_by_points_and_probabilities() {
        let job = |wait: i64, is_quick: bool| PredictedJob {
            wait: Seconds(wait),
            actual: class_of(wait as f64),
            qbets: NamedClasses::of(1e6, &[0.0; 6]),
            ibl: 7200.0,
            neighbours: 7200.0,
            request: Seconds(3600),
            is_quick,
        };
        let jobs = [job(0, true), job(14_400, false)];
        let machine = [[0.1, 0.2, 0.7, 0.0, 0.0, 0.0]; 2];
        let mut scores = LogScores::default();
        scores.add_default(&jobs, Some(&machine));
        let of = |method: ComparedMethod| scores.of(method).unwrap().0.map(|parts| parts[1].unwrap());
        // Class 1, classes 2 and 1, classes 0 to 2.
        assert_eq!(of(ComparedMethod::Neighbours), [0.0, 50.0, 100.0]);
        assert_eq!(of(ComparedMethod::Framework), [50.0, 100.0, 100.0]);
        assert_eq!(of(ComparedMethod::Zero), [50.0; 3]);
        assert_eq!(of(ComparedMethod::Qbets), [0.0; 3]);
        assert_eq!(scores.of(ComparedMethod::Neighbours).unwrap().0[1], [Some(100.0), Some(50.0)]);
        assert_eq!(scores.waits, [1, 0, 1, 0, 0, 0]);
        // 7200/3600 and 7200/18,000; without a wait 0 and 14,400/18,000.
        assert_eq!(scores.error(ComparedMethod::Average), Some(120.0));
        assert_eq!(scores.error(ComparedMethod::Zero), Some(40.0));
        // Without the machine nothing is said of two classes.
        let mut without = LogScores::default();
        without.add_default(&jobs, None);
        assert_eq!(without.of(ComparedMethod::Ibl).unwrap().0[1], [None; 2]);
        assert_eq!(without.of(ComparedMethod::Ibl).unwrap().0[2][1], Some(100.0));
    }
}

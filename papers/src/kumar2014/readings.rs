//! The single-class accuracies of Table 4 under several readings of what the paper did.

use queuecast_core::stats::{mean, median};
use queuecast_core::workload::Workload;
use queuecast_eval::EvalError;
use queuecast_wait::{BoundGroups, FeatureDistance, class_of};

use super::settings::{Known, ReadingSettings};
use super::walk::{PointFollower, PredictedJob, walk};
use crate::Done;

/// What the paper may have done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PaperReading {
    /// The one that all tables are judged by, on every log: [`ReadingSettings::DEFAULT`].
    Default,
    /// 50,000 jobs from the 10,001st on.
    FiftyThousand,
    /// The distance as it is printed.
    PrintedDistance,
    /// Jobs of every status.
    EveryStatus,
    /// Nothing remains of a job that overruns.
    Clipped,
    /// QBETS by queues, with change points by autocorrelation, and IBL tuned on the past.
    OwnBaselines,
    /// The recorded run time in place of the requested time.
    RunTimes,
    /// A history of jobs with their waits from their submission on.
    Peeking,
    /// The text and its formula as they are printed: [`ReadingSettings::PRINTED`].
    Printed,
}

/// What came of a reading, in percent.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ReadingScore {
    /// QBETS.
    pub qbets: SubsetAccuracy,
    /// Instance-based learning.
    pub ibl: SubsetAccuracy,
    /// Neighbours alone.
    pub neighbours: SubsetAccuracy,
    /// Quick starters first, then neighbours.
    pub framework: SubsetAccuracy,
    /// The mean error of the predicted response time by neighbours alone.
    pub response_error: f64,
    /// The median of these errors.
    pub median_error: f64,
    /// Waits in the first class.
    pub first_class: f64,
    /// Jobs that are expected to be quick starters.
    pub expected_quick: f64,
}

/// Right answers in percent; `None` of no jobs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SubsetAccuracy {
    /// Of all jobs.
    pub overall: Option<f64>,
    /// Of jobs that waited for more than an hour.
    pub long: Option<f64>,
    /// Of jobs that are not expected to be quick starters.
    pub not_expected_quick: Option<f64>,
}

impl PaperReading {
    /// In the order of the table. All but the first and the last differ from the first in one thing.
    pub const ALL: [PaperReading; 9] = [
        PaperReading::Default,
        PaperReading::FiftyThousand,
        PaperReading::PrintedDistance,
        PaperReading::EveryStatus,
        PaperReading::Clipped,
        PaperReading::OwnBaselines,
        PaperReading::RunTimes,
        PaperReading::Peeking,
        PaperReading::Printed,
    ];

    /// The heading of its row.
    pub fn row(self) -> &'static str {
        match self {
            PaperReading::Default => "default",
            PaperReading::FiftyThousand => "jobs 10,001 to 60,000",
            PaperReading::PrintedDistance => "distance as printed",
            PaperReading::EveryStatus => "jobs of every status",
            PaperReading::Clipped => "nothing remains of overruns",
            PaperReading::OwnBaselines => "QBETS by queues, IBL tuned",
            PaperReading::RunTimes => "recorded run times for requests",
            PaperReading::Peeking => "history by submission (peeks)",
            PaperReading::Printed => "all as printed",
        }
    }

    /// What it is made of.
    pub fn settings(self) -> ReadingSettings {
        let default = ReadingSettings::DEFAULT;
        match self {
            PaperReading::Default => default,
            PaperReading::FiftyThousand => ReadingSettings { jobs: 50_000, ..default },
            PaperReading::PrintedDistance => ReadingSettings { distance: FeatureDistance::Sums, ..default },
            PaperReading::EveryStatus => ReadingSettings { completed: false, ..default },
            PaperReading::Clipped => ReadingSettings { overruns: false, ..default },
            PaperReading::OwnBaselines => {
                ReadingSettings { groups: BoundGroups::Queue, misses: None, width: None, ..default }
            }
            PaperReading::RunTimes => ReadingSettings { run_times: true, ..default },
            PaperReading::Peeking => ReadingSettings { known: Known::Submitted, ..default },
            PaperReading::Printed => ReadingSettings::PRINTED,
        }
    }

    /// Predicts a log by it, job by job.
    pub fn predict(self, log: &Workload, done: &Done<'_>) -> Result<Vec<PredictedJob>, EvalError> {
        let settings = self.settings();
        walk(&settings.workload(log)?, &settings, &mut PointFollower::new(&settings), done)
    }
}

impl ReadingScore {
    /// What these predictions come to.
    pub fn of(predicted: &[PredictedJob]) -> ReadingScore {
        let share = |counts: &dyn Fn(&PredictedJob) -> bool| {
            let counted = predicted.iter().filter(|job| counts(job)).count();
            100.0 * counted as f64 / predicted.len().max(1) as f64
        };
        let mut errors: Vec<f64> =
            predicted.iter().filter_map(|job| job.response_error(job.neighbours)).collect();
        ReadingScore {
            qbets: SubsetAccuracy::of(predicted, |job| job.qbets.one),
            ibl: SubsetAccuracy::of(predicted, |job| class_of(job.ibl)),
            neighbours: SubsetAccuracy::of(predicted, |job| class_of(job.neighbours)),
            framework: SubsetAccuracy::of(predicted, |job| class_of(job.with_quick_starters(job.neighbours))),
            response_error: 100.0 * mean(errors.iter().copied()),
            median_error: 100.0 * median(&mut errors),
            first_class: share(&|job| job.actual == 0),
            expected_quick: share(&|job| job.is_quick),
        }
    }
}

impl SubsetAccuracy {
    fn of(predicted: &[PredictedJob], class: impl Fn(&PredictedJob) -> usize) -> SubsetAccuracy {
        let right = |job: &PredictedJob| class(job) == job.actual;
        SubsetAccuracy {
            overall: share_right(predicted, |_| true, right),
            long: share_right(predicted, |job| job.actual > 0, right),
            not_expected_quick: share_right(predicted, |job| !job.is_quick, right),
        }
    }
}

/// Of the jobs that count, those for which this holds, in percent; `None` of none.
pub(super) fn share_right<T>(
    jobs: &[T],
    counts: impl Fn(&T) -> bool,
    right: impl Fn(&T) -> bool,
) -> Option<f64> {
    let counted = jobs.iter().filter(|job| counts(job)).count();
    let hits = jobs.iter().filter(|job| counts(job) && right(job)).count();
    (counted > 0).then(|| 100.0 * hits as f64 / counted as f64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use queuecast_core::units::Seconds;
    use queuecast_wait::NamedClasses;

    /// Worked by hand: five jobs, two of which waited for more than an hour.
    #[test]
    fn subsets_are_counted() {
        let job = |wait: i64, neighbours: usize, is_quick: bool| PredictedJob {
            wait: Seconds(wait),
            actual: class_of(wait as f64),
            qbets: NamedClasses::of(7200.0, &[0.0; 6]),
            ibl: wait as f64,
            neighbours: neighbours as f64 * 7200.0,
            request: Seconds(7200),
            is_quick,
        };
        let jobs =
            [job(0, 0, true), job(0, 1, true), job(60, 1, false), job(7200, 1, true), job(9000, 1, false)];
        let score = ReadingScore::of(&jobs);
        let both = [score.framework, score.neighbours];
        assert_eq!(both.map(|one| one.overall), [Some(60.0), Some(60.0)]);
        assert_eq!(both.map(|one| one.long), [Some(50.0), Some(100.0)]);
        assert_eq!(both.map(|one| one.not_expected_quick), [Some(50.0), Some(50.0)]);
        assert_eq!((score.first_class, score.expected_quick), (60.0, 60.0));
        // 0, 7200/7200, 7140/7260, 0 and 1800/16,200.
        let errors = [0.0, 1.0, 7140.0 / 7260.0, 0.0, 1.0 / 9.0];
        assert!((score.response_error - 100.0 * mean(errors)).abs() < 1e-9);
        assert!((score.median_error - 100.0 / 9.0).abs() < 1e-9);
        assert_eq!((score.qbets.overall, score.qbets.not_expected_quick), (Some(40.0), Some(50.0)));
        assert_eq!(score.ibl.overall, Some(100.0));
        assert_eq!(ReadingScore::of(&[]).framework.overall, None);
    }

    #[test]
    fn readings_between_the_first_and_the_last_change_one_thing() {
        let default = ReadingSettings::DEFAULT;
        for reading in PaperReading::ALL {
            let own = reading.settings();
            let baselines =
                (own.groups, own.misses, own.width) != (default.groups, default.misses, default.width);
            let changed = [
                own.completed != default.completed,
                own.overruns != default.overruns,
                own.distance != default.distance,
                baselines,
                own.jobs != default.jobs,
                own.known != default.known,
                own.run_times != default.run_times,
            ];
            let expected = match reading {
                PaperReading::Default => 0,
                PaperReading::Printed => 4,
                _ => 1,
            };
            assert_eq!(changed.iter().filter(|one| **one).count(), expected, "{}", reading.row());
        }
    }
}

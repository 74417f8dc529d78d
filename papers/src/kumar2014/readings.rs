//! The single-class accuracies of Table 4 under other readings of what the paper did.

use queuecast::eval::EvalError;
use queuecast::job::Runs;
use queuecast::stats::{mean, median};
use queuecast::units::Seconds;
use queuecast::workload::Workload;

use super::setup::JOBS;
use super::walk::{Known, PredictedClass, walk};
use crate::Done;

/// What else the paper may have done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PaperReading {
    /// Jobs 10,001 to 50,000, the requested time, history from the start of jobs on.
    AsRead,
    /// 50,000 jobs from the 10,001st on.
    FiftyThousand,
    /// All jobs from the 10,001st on.
    WholeLog,
    /// The recorded run time in place of the requested time.
    RunTimes,
    /// A history of jobs with their waits from their submission on.
    Peeking,
}

/// What came of a reading, in percent.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ReadingScore {
    /// QBETS.
    pub qbets: SubsetAccuracy,
    /// Instance-based learning.
    pub ibl: SubsetAccuracy,
    /// Quick starters first, then neighbours.
    pub framework: SubsetAccuracy,
    /// Neighbours alone.
    pub neighbours: SubsetAccuracy,
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
    /// Of jobs that waited at all.
    pub waited: Option<f64>,
    /// Of jobs that are not expected to be quick starters.
    pub not_expected_quick: Option<f64>,
}

impl PaperReading {
    /// In the order of the table.
    pub const ALL: [PaperReading; 5] = [
        PaperReading::AsRead,
        PaperReading::FiftyThousand,
        PaperReading::WholeLog,
        PaperReading::RunTimes,
        PaperReading::Peeking,
    ];

    /// The heading of its row.
    pub fn row(self) -> &'static str {
        match self {
            PaperReading::AsRead => "jobs 10,001 to 50,000",
            PaperReading::FiftyThousand => "jobs 10,001 to 60,000",
            PaperReading::WholeLog => "all jobs from the 10,001st on",
            PaperReading::RunTimes => "recorded run times for requests",
            PaperReading::Peeking => "history by submission (peeks)",
        }
    }

    /// How many jobs it predicts at most.
    pub fn jobs(self) -> usize {
        match self {
            PaperReading::FiftyThousand => 50_000,
            PaperReading::WholeLog => usize::MAX,
            PaperReading::AsRead | PaperReading::RunTimes | PaperReading::Peeking => JOBS,
        }
    }

    /// Predicts a log by it.
    pub fn score(self, workload: &Workload, done: &Done<'_>) -> Result<ReadingScore, EvalError> {
        let known = if self == PaperReading::Peeking { Known::Submitted } else { Known::Started };
        let predicted = if self == PaperReading::RunTimes {
            walk(&with_run_times(workload), self.jobs(), known, done)?
        } else {
            walk(workload, self.jobs(), known, done)?
        };
        Ok(ReadingScore::of(&predicted))
    }
}

/// The same with each job's run time for its requested time.
fn with_run_times(workload: &Workload) -> Workload {
    let mut changed = workload.clone();
    let limits: Vec<Option<Seconds>> = workload
        .jobs()
        .iter()
        .zip(workload.truths())
        .map(|(job, truth)| match truth.runs {
            Runs::Rigid(run) => Some(run.max(Seconds(1))),
            Runs::Moldable(_) => job.shape.limit,
        })
        .collect();
    changed.replace_limits(limits);
    changed
}

impl ReadingScore {
    fn of(predicted: &[PredictedClass]) -> ReadingScore {
        let share = |counts: &dyn Fn(&PredictedClass) -> bool| {
            let counted = predicted.iter().filter(|job| counts(job)).count();
            100.0 * counted as f64 / predicted.len().max(1) as f64
        };
        let mut errors: Vec<f64> = predicted.iter().filter_map(|job| job.response_error).collect();
        ReadingScore {
            qbets: SubsetAccuracy::of(predicted, |job| job.qbets),
            ibl: SubsetAccuracy::of(predicted, |job| job.ibl),
            framework: SubsetAccuracy::of(predicted, PredictedClass::framework),
            neighbours: SubsetAccuracy::of(predicted, |job| job.neighbours),
            response_error: 100.0 * mean(errors.iter().copied()),
            median_error: 100.0 * median(&mut errors),
            first_class: share(&|job| job.actual == 0),
            expected_quick: share(&|job| job.is_quick),
        }
    }
}

impl SubsetAccuracy {
    fn of(predicted: &[PredictedClass], class: impl Fn(&PredictedClass) -> usize) -> SubsetAccuracy {
        let among = |counts: &dyn Fn(&PredictedClass) -> bool| {
            let jobs = || predicted.iter().filter(|job| counts(job));
            let right = jobs().filter(|job| class(job) == job.actual).count();
            Some(jobs().count()).filter(|&jobs| jobs > 0).map(|jobs| 100.0 * right as f64 / jobs as f64)
        };
        SubsetAccuracy {
            overall: among(&|_| true),
            long: among(&|job| job.actual > 0),
            waited: among(&|job| job.wait > Seconds::ZERO),
            not_expected_quick: among(&|job| !job.is_quick),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Worked by hand: five jobs, two of which waited for more than an hour.
    #[test]
    fn subsets_are_counted() {
        let job = |wait: i64, actual: usize, neighbours: usize, is_quick: bool| PredictedClass {
            wait: Seconds(wait),
            actual,
            qbets: 1,
            ibl: actual,
            neighbours,
            response_error: Some(0.5),
            is_quick,
        };
        let jobs = [
            job(0, 0, 0, true),
            job(0, 0, 1, true),
            job(60, 0, 1, false),
            job(7200, 1, 1, true),
            job(9000, 1, 1, false),
        ];
        let score = ReadingScore::of(&jobs);
        let both = [score.framework, score.neighbours];
        assert_eq!(both.map(|one| one.overall), [Some(60.0), Some(60.0)]);
        assert_eq!(both.map(|one| one.long), [Some(50.0), Some(100.0)]);
        assert_eq!(both.map(|one| one.not_expected_quick), [Some(50.0), Some(50.0)]);
        assert_eq!(both.map(|one| one.waited.map(f64::round)), [Some(33.0), Some(67.0)]);
        assert_eq!((score.first_class, score.expected_quick), (60.0, 60.0));
        assert_eq!((score.response_error, score.median_error), (50.0, 50.0));
        assert_eq!((score.qbets.overall, score.qbets.not_expected_quick), (Some(40.0), Some(50.0)));
        assert_eq!(score.ibl.overall, Some(100.0));
        assert_eq!(ReadingScore::of(&[]).framework.overall, None);
    }
}

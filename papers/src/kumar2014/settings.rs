//! What a reading of the paper is made of.

use queuecast_core::job::{Ending, Job, Runs, Truth};
use queuecast_core::units::Seconds;
use queuecast_core::workload::{Workload, WorkloadError};
use queuecast_wait::{BoundGroups, FeatureDistance};

use super::setup::JOBS;

/// When a job is in the history.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Known {
    /// From its start on, when its wait is known.
    Started,
    /// From its submission on, wait included: a look into the future.
    Submitted,
}

/// Everything that the text leaves open, decided.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ReadingSettings {
    /// Whether only jobs of status 1 are in the queue, on the machine, in the history and predicted.
    pub completed: bool,
    /// Whether what remains of a job that overruns is below 0, as Table 1 prints it.
    pub overruns: bool,
    /// How far apart two jobs are.
    pub distance: FeatureDistance,
    /// Which jobs QBETS takes to be similar.
    pub groups: BoundGroups,
    /// Misses in a row that cut a history of QBETS; `None`: by its autocorrelation.
    pub misses: Option<usize>,
    /// The fixed width of the kernel of instance-based learning; `None`: tuned on the past.
    pub width: Option<f64>,
    /// How many jobs are predicted at most, from the 10,001st on.
    pub jobs: usize,
    /// When a job is in the history.
    pub known: Known,
    /// Whether recorded run times stand in for requested times.
    pub run_times: bool,
}

impl ReadingSettings {
    /// The one reading for all logs.
    pub const DEFAULT: ReadingSettings = ReadingSettings {
        completed: true,
        overruns: true,
        distance: FeatureDistance::Element,
        groups: BoundGroups::Request,
        misses: Some(3),
        width: Some(0.12),
        jobs: JOBS,
        known: Known::Started,
        run_times: false,
    };

    /// With the distance as it is printed, all jobs, nothing below 0, QBETS by queues, and a tuned IBL.
    pub const PRINTED: ReadingSettings = ReadingSettings {
        completed: false,
        overruns: false,
        distance: FeatureDistance::Sums,
        groups: BoundGroups::Queue,
        misses: None,
        width: None,
        ..ReadingSettings::DEFAULT
    };

    /// The jobs of a log that a reading has.
    pub fn workload(&self, log: &Workload) -> Result<Workload, WorkloadError> {
        let mut workload = if self.completed {
            let ending = |job: &Job| log.truths().get(job.index.at()).map(|truth| truth.ending);
            let mut kept = log.only(|job| ending(job) == Some(Ending::Completed))?;
            // A job that never ran has no status 1.
            kept.set_withdrawn(Vec::new())?;
            kept
        } else {
            log.clone()
        };
        if self.run_times {
            let run = |(job, truth): (&Job, &Truth)| match truth.runs {
                Runs::Rigid(run) => Some(run.max(Seconds(1))),
                Runs::Moldable(_) => job.shape.limit,
            };
            let limits: Vec<Option<Seconds>> =
                workload.jobs().iter().zip(workload.truths()).map(run).collect();
            workload.replace_limits(limits);
        }
        Ok(workload)
    }
}

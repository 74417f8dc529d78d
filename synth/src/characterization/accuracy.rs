//! Accuracy of requested times (section 1, Figures 1 and 2).

use serde::Serialize;

use queuecast_core::stats::mean;
use queuecast_core::units::Seconds;
use queuecast_core::workload::Workload;

/// The accuracy of a workload's estimates: run time over estimate.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Accuracy {
    /// Jobs with an estimate.
    pub jobs: u64,
    /// The mean accuracy; a job that ran longer than requested counts as 1.
    pub mean: f64,
    /// Jobs that ran shorter than requested, in steps of 5 % (Figure 1).
    pub histogram: Vec<AccuracyBin>,
    /// Jobs that ran exactly as long as requested.
    pub reached: u64,
    /// Jobs that ran longer than requested.
    pub exceeded: u64,
    /// The share of jobs with an accuracy of at least 95 %: the peak of Figure 1.
    pub peak_share: f64,
    /// Jobs in order of run time, in up to 100 groups of equal numbers (Figure 2).
    pub by_run: Vec<RunBin>,
}

/// Jobs whose accuracy is in a range.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct AccuracyBin {
    /// The least accuracy.
    pub from: f64,
    /// Below this.
    pub to: f64,
    /// How many jobs.
    pub jobs: u64,
    /// How many of them ran for less than [`Accuracy::SHORT`].
    pub short: u64,
}

/// Jobs of similar run times.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct RunBin {
    /// How many.
    pub jobs: u64,
    /// Their mean run time, in seconds.
    pub mean_run: f64,
    /// Their mean accuracy; a job that ran longer than requested counts as 1.
    pub mean_accuracy: f64,
}

impl Accuracy {
    /// Number of bins of the histogram.
    pub const BINS: usize = 20;

    /// Number of groups by run time, at most one per job.
    pub const RUN_BINS: usize = 100;

    /// Jobs shorter than this are conjectured to have failed on startup.
    pub const SHORT: Seconds = Seconds(90);

    /// The accuracy of a workload's estimates; `None` if it has none.
    pub fn of(workload: &Workload) -> Option<Accuracy> {
        let mut asked: Vec<(Seconds, Seconds)> = workload
            .jobs()
            .iter()
            .zip(workload.truths())
            .filter_map(|(job, truth)| Some((truth.run(), job.shape.limit?)))
            .collect();
        if asked.is_empty() {
            return None;
        }
        let mut histogram: Vec<AccuracyBin> = (0..Accuracy::BINS)
            .map(|bin| {
                let edge = |bin: usize| bin as f64 / Accuracy::BINS as f64;
                AccuracyBin { from: edge(bin), to: edge(bin + 1), jobs: 0, short: 0 }
            })
            .collect();
        let (mut reached, mut exceeded) = (0, 0);
        for &(run, estimate) in &asked {
            if run >= estimate {
                reached += u64::from(run == estimate);
                exceeded += u64::from(run > estimate);
                continue;
            }
            // Integer arithmetic puts a job at an edge into the upper bin.
            let bin = (run.0.max(0) * Accuracy::BINS as i64 / estimate.0) as usize;
            histogram[bin].jobs += 1;
            histogram[bin].short += u64::from(run < Accuracy::SHORT);
        }
        // By run time, then by estimate, so that the order of the log does not matter.
        asked.sort_unstable();
        let jobs = asked.len() as u64;
        let last = histogram.last().map_or(0, |bin| bin.jobs);
        Some(Accuracy {
            jobs,
            mean: mean(asked.iter().map(used)),
            histogram,
            reached,
            exceeded,
            peak_share: (last + reached + exceeded) as f64 / jobs as f64,
            by_run: by_run(&asked),
        })
    }
}

/// Run time over estimate, at most 1.
fn used(&(run, estimate): &(Seconds, Seconds)) -> f64 {
    (run.0 as f64 / estimate.0 as f64).min(1.0)
}

/// Groups of equal size (within one job) of jobs sorted by run time.
fn by_run(asked: &[(Seconds, Seconds)]) -> Vec<RunBin> {
    let bins = Accuracy::RUN_BINS.min(asked.len());
    let group = |bin: usize| &asked[bin * asked.len() / bins..(bin + 1) * asked.len() / bins];
    (0..bins)
        .map(|bin| {
            let jobs = group(bin);
            RunBin {
                jobs: jobs.len() as u64,
                mean_run: mean(jobs.iter().map(|(run, _)| run.0 as f64)),
                mean_accuracy: mean(jobs.iter().map(used)),
            }
        })
        .collect()
}

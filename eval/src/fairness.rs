//! Fairness: jobs that start later than under a reference schedule.

use serde::Serialize;

use super::evaluation::check;
use super::{EvalError, Excluded, Selection};
use queuecast_core::units::Seconds;
use queuecast_sim::sim::Schedule;

/// How each counted job's start compares with its start under a reference schedule of the same workload,
/// normally first come, first served.
///
/// # Formula
/// `delay = start − start under the reference`; a job is delayed if it is above 0, advanced if below. A mean
/// is over the delayed (advanced) jobs only; `null` if there are none.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Fairness {
    /// How many jobs are compared.
    pub jobs: usize,
    /// The jobs left out, and why.
    pub excluded: Excluded,
    /// Jobs that start later.
    pub delayed: usize,
    /// `delayed / jobs`.
    pub delayed_share: Option<f64>,
    /// `Σ delay over delayed jobs / delayed`, in seconds.
    pub mean_delay: Option<f64>,
    /// The longest delay of a delayed job.
    pub max_delay: Option<Seconds>,
    /// Jobs that start earlier.
    pub advanced: usize,
    /// `advanced / jobs`.
    pub advanced_share: Option<f64>,
    /// `Σ −delay over advanced jobs / advanced`, in seconds.
    pub mean_advance: Option<f64>,
    /// The longest advance of an advanced job.
    pub max_advance: Option<Seconds>,
}

#[derive(Default)]
struct FairnessTally {
    jobs: usize,
    total: i128,
    longest: Option<Seconds>,
}

impl FairnessTally {
    fn add(&mut self, length: Seconds) {
        self.jobs += 1;
        self.total += i128::from(length.0);
        self.longest = self.longest.max(Some(length));
    }

    fn mean(&self) -> Option<f64> {
        (self.jobs > 0).then(|| self.total as f64 / self.jobs as f64)
    }
}

impl Selection<'_> {
    /// Starts of the counted jobs compared with another schedule of the same workload, normally that of first come,
    /// first served.
    pub fn fairness(&self, reference: &Schedule) -> Result<Fairness, EvalError> {
        check(self.evaluation().workload(), reference)?;
        Ok(compare(self, reference))
    }
}

/// `reference` is known to belong to the same workload.
fn compare(selection: &Selection<'_>, reference: &Schedule) -> Fairness {
    let evaluation = selection.evaluation();
    let everyone: Vec<usize> = (0..evaluation.workload().len()).collect();
    let (mut delayed, mut advanced) = (FairnessTally::default(), FairnessTally::default());
    for index in selection.counted() {
        let delay = evaluation.schedule().placements[index].start - reference.placements[index].start;
        if delay > Seconds::ZERO {
            delayed.add(delay);
        } else if delay < Seconds::ZERO {
            advanced.add(Seconds::ZERO - delay);
        }
    }
    let jobs = selection.counted().len();
    let share = |part: usize| (jobs > 0).then(|| part as f64 / jobs as f64);
    Fairness {
        jobs,
        excluded: selection.excluded(&everyone),
        delayed: delayed.jobs,
        delayed_share: share(delayed.jobs),
        mean_delay: delayed.mean(),
        max_delay: delayed.longest,
        advanced: advanced.jobs,
        advanced_share: share(advanced.jobs),
        mean_advance: advanced.mean(),
        max_advance: advanced.longest,
    }
}

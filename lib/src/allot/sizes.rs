//! The sizes a job can be given, each with how long it takes there.

use crate::job::Job;
use crate::units::{Procs, Seconds};

/// One size a job can be given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Size {
    /// Processors.
    pub procs: Procs,
    /// How long it runs on them, as its user says; unknown counts as no time at all.
    pub run: Seconds,
    /// The shape's place in [`Job::shapes`].
    pub shape: u16,
}

/// The sizes up to the one a job prefers, smallest first; never empty.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Sizes(Vec<Size>);

impl Sizes {
    /// The sizes of a job, those below this share (0 to 1) of the preferred one left out: it insists on at least that.
    pub fn of(job: &Job, least: f64) -> Sizes {
        let preferred = job.shape.procs;
        let least = (least * f64::from(preferred.0)).ceil();
        let mut sizes: Vec<Size> = (0..)
            .zip(job.shapes())
            .filter(|(place, shape)| {
                *place == 0 || (shape.procs < preferred && f64::from(shape.procs.0) >= least)
            })
            .map(|(place, shape)| Size {
                procs: shape.procs,
                run: shape.limit.unwrap_or_default(),
                shape: place,
            })
            .collect();
        sizes.sort_by_key(|size| size.procs);
        Sizes(sizes)
    }

    /// Smallest first.
    pub fn all(&self) -> &[Size] {
        &self.0
    }

    /// The largest that fits into so many processors.
    pub fn within(&self, free: Procs) -> Option<Size> {
        self.0[..self.0.partition_point(|size| size.procs <= free)].last().copied()
    }

    /// The smallest of at least so many processors.
    pub fn at_least(&self, procs: f64) -> Option<Size> {
        self.0.iter().find(|size| f64::from(size.procs.0) >= procs).copied()
    }

    /// The one of just so many processors.
    pub fn exactly(&self, procs: Procs) -> Option<Size> {
        self.within(procs).filter(|size| size.procs == procs)
    }

    /// The one it runs shortest in; of those alike the smallest.
    pub fn fastest(&self) -> Option<Size> {
        self.0.iter().min_by_key(|size| size.run).copied()
    }

    /// The preferred one.
    pub fn most(&self) -> Option<Size> {
        self.0.last().copied()
    }
}

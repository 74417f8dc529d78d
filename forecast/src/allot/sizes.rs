//! The sizes a job can be given, each with how long it takes there.

use queuecast_core::job::Job;
use queuecast_core::order;
use queuecast_core::units::{Procs, Seconds};
use queuecast_synth::synth::{Speedup, Viable};

/// No run time is longer than this, in seconds.
const LONGEST: f64 = 1e12;

/// No job is more parallel, and none varies more, than this.
const STEEPEST: f64 = 1e9;

/// Why a job cannot be given sizes.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum SizesError {
    /// No such size on this machine.
    #[error("{procs} processors: sizes are from 1 to {machine} on this machine")]
    Outside {
        /// The size.
        procs: u32,
        /// What there is.
        machine: u32,
    },
    /// The range has no size in it.
    #[error("no viable size from {fewest} to {most} processors: {}", match given {
        Some(given) => format!("there are only {given}"),
        None => format!("the fewest must be from 1 to the most, and the most up to {machine} on this machine"),
    })]
    NoneViable {
        /// The range's low end.
        fewest: u32,
        /// Its high end.
        most: u32,
        /// What the machine has.
        machine: u32,
        /// The sizes there are, as written, if they are given one by one.
        given: Option<String>,
    },
    /// Sizes are named, and of none of them a run time is known that may be used.
    #[error("none of {named} processors has a run time and is viable: there are only {given}")]
    NoneNamed {
        /// The sizes named, as written.
        named: String,
        /// The sizes there are, as written.
        given: String,
    },
    /// The site's limits allow no size.
    #[error("no size is allowed there: a job may have at most {}", limits(*most, *longest))]
    NoneAllowed {
        /// The most processors of a job.
        most: Option<Procs>,
        /// The longest time a job may ask for.
        longest: Option<Seconds>,
    },
    /// Measured run times that no speedup fits.
    #[error("no speedup fits the measured run times: {0}")]
    NoFit(String),
    /// A size with two run times.
    #[error("{0} processors are given twice: give each size once")]
    Twice(u32),
    /// A run time that is none.
    #[error("a run time of {0} s: it must be above 0 and at most 10^12 s")]
    Run(i64),
    /// A parallelism that is none.
    #[error("a parallelism of {0:?}: it must be from 1 to 10^9")]
    Parallelism(f64),
    /// A variance that is none.
    #[error("a variance of {0:?}: it must be from 0 to 10^9")]
    Variance(f64),
}

/// "8 processors and 600 s".
fn limits(most: Option<Procs>, longest: Option<Seconds>) -> String {
    let most = most.map(|most| format!("{most} processors"));
    let longest = longest.map(|longest| format!("{longest} s"));
    most.into_iter().chain(longest).collect::<Vec<_>>().join(" and ")
}

fn none_viable(viable: Viable, machine: Procs, given: Option<String>) -> SizesError {
    SizesError::NoneViable { fewest: viable.fewest.0, most: viable.most.0, machine: machine.0, given }
}

/// This share of some processors. What is whole but for rounding is whole: 0.07 of 100 are 7, not 8.
fn share_of(share: f64, procs: Procs) -> f64 {
    (share * f64::from(procs.0) - 1e-6).ceil()
}

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

/// The sizes up to the one a job prefers, smallest first; empty only by default.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Sizes(Vec<Size>);

impl Sizes {
    /// The sizes of a job from this share (0 to 1) of the preferred size up; smaller ones are not accepted.
    pub fn of(job: &Job, least: f64) -> Sizes {
        let preferred = job.shape.procs;
        let least = share_of(least, preferred);
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
        order::sort_by_key(&mut sizes, |size| size.procs);
        Sizes(sizes)
    }

    /// The part of a range that a machine has. Refused if that is empty, or if an end of the range lies beyond the machine.
    pub fn range(viable: Viable, machine: Procs) -> Result<Viable, SizesError> {
        let open = viable.most == Viable::ANY.most;
        let most = if open { machine } else { viable.most };
        let left = viable.on(machine).ok().filter(|_| viable.fewest >= Procs(1) && most <= machine);
        let none = || none_viable(Viable { fewest: viable.fewest, most }, machine, None);
        left.ok_or_else(none)
    }

    /// One size, and how long the job runs on it.
    pub(crate) fn one(procs: Procs, run: Seconds) -> Sizes {
        Sizes(vec![Size { procs, run, shape: 0 }])
    }

    /// Sizes with the run time measured on each; those that are not viable are left out. Refused as [`Sizes::range`] does, if
    /// a size is outside the machine or given twice, if a run time is none, or if no size is left.
    pub fn measured(runs: &[(Procs, Seconds)], viable: Viable, machine: Procs) -> Result<Sizes, SizesError> {
        let viable = Sizes::range(viable, machine)?;
        let mut runs = runs.to_vec();
        runs.sort_unstable();
        if let Some(pair) = runs.windows(2).find(|pair| pair[0].0 == pair[1].0) {
            return Err(SizesError::Twice(pair[0].0.0));
        }
        for &(procs, run) in &runs {
            if !(1..=machine.0).contains(&procs.0) {
                return Err(SizesError::Outside { procs: procs.0, machine: machine.0 });
            }
            if run <= Seconds::ZERO || run.0 as f64 > LONGEST {
                return Err(SizesError::Run(run.0));
            }
        }
        let within = |procs: &Procs| (viable.fewest..=viable.most).contains(procs);
        // The shape is only an index here; a job has fewer than 65,536 sizes.
        let shape = |place: usize| u16::try_from(place).unwrap_or(u16::MAX);
        let sizes: Vec<Size> = (0..)
            .zip(runs.iter().filter(|(procs, _)| within(procs)))
            .map(|(place, &(procs, run))| Size { procs, run, shape: shape(place) })
            .collect();
        if sizes.is_empty() {
            let given: Vec<String> = runs.iter().map(|(procs, _)| procs.to_string()).collect();
            return Err(none_viable(viable, machine, Some(given.join(", "))));
        }
        Ok(Sizes(sizes))
    }

    /// These sizes, each once, with run times by the speedup of a job that runs for `alone` on one processor: rounded to
    /// seconds, at least one. Refused as [`Sizes::measured`] does, and where the speedup is none.
    pub fn modelled(
        alone: Seconds,
        speedup: Speedup,
        sizes: impl IntoIterator<Item = Procs>,
        viable: Viable,
        machine: Procs,
    ) -> Result<Sizes, SizesError> {
        if !(1.0..=STEEPEST).contains(&speedup.parallelism) {
            return Err(SizesError::Parallelism(speedup.parallelism));
        }
        if !(0.0..=STEEPEST).contains(&speedup.variance) {
            return Err(SizesError::Variance(speedup.variance));
        }
        if alone <= Seconds::ZERO || alone.0 as f64 > LONGEST {
            return Err(SizesError::Run(alone.0));
        }
        let run = |procs: Procs| Seconds((alone.0 as f64 / speedup.of(procs.0)).round().max(1.0) as i64);
        let mut sizes: Vec<(Procs, Seconds)> = sizes.into_iter().map(|procs| (procs, run(procs))).collect();
        sizes.sort_unstable();
        sizes.dedup();
        Sizes::measured(&sizes, viable, machine)
    }

    /// Smallest first.
    pub fn all(&self) -> &[Size] {
        &self.0
    }

    /// The largest size of at most `free` processors.
    pub fn within(&self, free: Procs) -> Option<Size> {
        self.0[..self.0.partition_point(|size| size.procs <= free)].last().copied()
    }

    /// The smallest of at least this share (0 to 1) of the preferred one.
    pub fn at_least(&self, share: f64) -> Option<Size> {
        let least = share_of(share, self.most()?.procs);
        self.0.iter().find(|size| f64::from(size.procs.0) >= least).copied()
    }

    /// The size of exactly this number of processors.
    pub fn exactly(&self, procs: Procs) -> Option<Size> {
        self.within(procs).filter(|size| size.procs == procs)
    }

    /// The size with the shortest run time; the smallest of equal ones.
    pub fn fastest(&self) -> Option<Size> {
        self.0.iter().min_by_key(|size| size.run).copied()
    }

    /// The preferred one.
    pub fn most(&self) -> Option<Size> {
        self.0.last().copied()
    }
}

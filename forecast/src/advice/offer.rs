//! The sizes a job can be given, as its user describes it.

use serde::Serialize;

use crate::allot::{Size, Sizes, SizesError};
use queuecast_core::distribution::{Distribution, LogUniform};
use queuecast_core::units::{Procs, Seconds};
use queuecast_synth::synth::{Speedup, Viable};

/// Ranges of up to this many sizes are looked at in full; of longer ones, a readable choice.
const ALL: u32 = 64;

/// Sizes that become free as running jobs end, looked at besides.
pub(super) const LEVELS: usize = 24;

/// A fitted curve further from a measured run time than this share of it deserves a warning.
const BAD: f64 = 0.2;

/// How the run time of a job depends on its size.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum RunTimeBySize {
    /// As measured.
    Measured {
        /// Processors and run times.
        runs: Vec<(Procs, Seconds)>,
        /// Whether sizes between the measured ones are offered too, by a speedup fitted to them.
        between: bool,
    },
    /// By a speedup.
    Modelled {
        /// The run time on one processor.
        alone: Seconds,
        /// Its average parallelism.
        parallelism: f64,
        /// Its variance in parallelism.
        variance: f64,
    },
}

/// A job that can be given several sizes.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct MoldableJob {
    /// How long it runs.
    pub runs: RunTimeBySize,
    /// The only sizes to look at; all if there are none.
    pub sizes: Vec<u32>,
    /// The fewest processors it needs.
    pub fewest: Option<u32>,
    /// The most processors it can use; by default all, or as many as its parallelism.
    pub most: Option<u32>,
    /// Its run time may be this many times longer or shorter than given.
    pub give_or_take: f64,
}

/// What a site allows one job; by default everything.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct JobLimits {
    /// The most processors.
    pub most: Option<Procs>,
    /// The longest time it may ask for.
    pub longest: Option<Seconds>,
}

/// What the job can be given.
#[derive(Debug, Clone, PartialEq)]
pub struct Offer {
    /// Each size with its run time.
    pub sizes: Sizes,
    /// The curve of those that were not measured.
    pub between: Option<FittedSpeedup>,
    /// Sizes that would be offered if the limits allowed them, ascending.
    pub excluded: Vec<Procs>,
}

/// A speedup fitted to measured run times, for the sizes between them.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FittedSpeedup {
    /// The sizes it was fitted to, ascending.
    pub measured: Vec<Procs>,
    /// The run time on one processor, in seconds.
    pub lifetime: f64,
    /// Average parallelism.
    pub parallelism: f64,
    /// Variance in parallelism.
    pub variance: f64,
    /// Largest deviation of its run times from the measured ones, as a share of these.
    pub deviation: f64,
}

impl MoldableJob {
    /// The run time on this many processors, if it was measured: within the factor by which it may be longer or shorter.
    pub fn run_time_on(&self, procs: Procs) -> Option<Distribution> {
        let RunTimeBySize::Measured { runs, .. } = &self.runs else { return None };
        let (_, run) = runs.iter().find(|(size, _)| *size == procs)?;
        Some(self.spread(*run))
    }

    /// A run time as said, within the factor by which it may be longer or shorter.
    pub(super) fn spread(&self, run: Seconds) -> Distribution {
        let (run, factor) = (run.0.max(1) as f64, self.give_or_take);
        match factor > 1.0 {
            true => Distribution::log_uniform(LogUniform::new(run / factor, run * factor)),
            false => Distribution::point(run),
        }
    }

    /// The sizes to look at on a machine, within these limits. `levels` are numbers of processors that are free now or will be at
    /// once: of very many sizes, these are kept.
    pub fn offered(&self, machine: Procs, levels: &[Procs], limits: JobLimits) -> Result<Offer, SizesError> {
        let mut excluded = Vec::new();
        let most = limits.most.map(|most| most.min(machine));
        let allowed = most.map_or_else(|| self.clone(), |most| self.within(most, &mut excluded));
        let refused = || SizesError::NoneAllowed { most, longest: limits.longest };
        let too_few = most.is_some_and(|most| self.fewest.is_some_and(|fewest| Procs(fewest) > most));
        if too_few || (!excluded.is_empty() && allowed.is_empty()) {
            return Err(refused());
        }
        let between = match (&self.runs, &allowed.runs) {
            (
                RunTimeBySize::Measured { runs: all, between: true },
                RunTimeBySize::Measured { runs: allowed, .. },
            ) => {
                // What is wrong with the measured ones is reported first.
                Sizes::measured(allowed, Viable::ANY, machine)?;
                Some(FittedSpeedup::to(all)?)
            }
            _ => None,
        };
        let mut sizes = allowed.choose(machine, levels, between.as_ref())?;
        if let Some(longest) = limits.longest {
            let asks = |size: &Size| scaled(size.run, self.give_or_take.max(1.0));
            let (short, long): (Vec<Size>, Vec<Size>) =
                sizes.all().iter().partition(|size| asks(size) <= longest);
            excluded.extend(long.iter().map(|size| size.procs));
            if short.is_empty() {
                return Err(refused());
            }
            let short: Vec<(Procs, Seconds)> = short.iter().map(|size| (size.procs, size.run)).collect();
            sizes = Sizes::measured(&short, Viable::ANY, machine)?;
        }
        excluded.sort_unstable();
        excluded.dedup();
        Ok(Offer { sizes, between, excluded })
    }

    /// The job restricted to at most `most` processors; given sizes above that are added to `excluded`.
    fn within(&self, most: Procs, excluded: &mut Vec<Procs>) -> MoldableJob {
        let mut job = self.clone();
        if let RunTimeBySize::Measured { runs, .. } = &mut job.runs {
            excluded.extend(runs.iter().map(|run| run.0).filter(|&procs| procs > most));
            runs.retain(|run| run.0 <= most);
        }
        let named = |procs: &u32| Procs(*procs) <= most;
        excluded.extend(job.sizes.iter().filter(|procs| !named(procs)).copied().map(Procs));
        job.sizes.retain(named);
        if job.sizes.len() < self.sizes.len() && job.sizes.is_empty() {
            // None of the sizes named is left; no other may be looked at.
            job.runs = RunTimeBySize::Measured { runs: Vec::new(), between: false };
        }
        let useful = match job.runs {
            RunTimeBySize::Modelled { parallelism, .. } if job.sizes.is_empty() => {
                Some(parallelism.round().max(1.0) as u32)
            }
            RunTimeBySize::Measured { between: true, .. } => Some(most.0),
            _ => None,
        };
        job.most = job.most.or(useful).map(|own| own.min(most.0));
        job
    }

    /// Whether no size is left.
    fn is_empty(&self) -> bool {
        matches!(&self.runs, RunTimeBySize::Measured { runs, .. } if runs.is_empty())
    }

    fn viable(&self, most: Option<u32>) -> Viable {
        let Viable { fewest, most: any } = Viable::ANY;
        Viable { fewest: self.fewest.map_or(fewest, Procs), most: most.map_or(any, Procs) }
    }

    fn choose(
        &self,
        machine: Procs,
        levels: &[Procs],
        between: Option<&FittedSpeedup>,
    ) -> Result<Sizes, SizesError> {
        if let Some(&procs) = self.sizes.iter().find(|&&procs| procs > machine.0) {
            return Err(SizesError::Outside { procs, machine: machine.0 });
        }
        match &self.runs {
            RunTimeBySize::Measured { runs, .. } => self.choose_measured(runs, between, machine, levels),
            &RunTimeBySize::Modelled { alone, parallelism, variance } => {
                let speedup = Speedup { parallelism, variance };
                // More than this many do not make it faster, on average.
                let useful = parallelism.round().clamp(1.0, f64::from(machine.0)) as u32;
                let most = self.most.or(self.sizes.is_empty().then_some(useful));
                // An impossible speedup is reported first.
                Sizes::modelled(alone, speedup, [Procs(1)], Viable::ANY, machine)?;
                let viable = self.viable(most);
                let left = Sizes::range(viable, machine)?;
                let sizes = if self.sizes.is_empty() {
                    readable(left, levels)
                } else {
                    self.sizes.iter().copied().map(Procs).collect()
                };
                Sizes::modelled(alone, speedup, sizes, viable, machine)
            }
        }
    }

    fn choose_measured(
        &self,
        runs: &[(Procs, Seconds)],
        between: Option<&FittedSpeedup>,
        machine: Procs,
        levels: &[Procs],
    ) -> Result<Sizes, SizesError> {
        let named = |procs: Procs| self.sizes.is_empty() || self.sizes.contains(&procs.0);
        let viable = self.viable(self.most);
        let mut runs = runs.to_vec();
        if let Some(between) = between {
            runs.extend(between.more(&self.sizes, Sizes::range(viable, machine)?, levels));
        }
        let given = Sizes::measured(&runs, viable, machine)?;
        let kept: Vec<(Procs, Seconds)> =
            given.all().iter().filter(|size| named(size.procs)).map(|size| (size.procs, size.run)).collect();
        if kept.is_empty() {
            let named = listed(self.sizes.iter().copied());
            let given = listed(given.all().iter().map(|size| size.procs.0));
            return Err(SizesError::NoneNamed { named, given });
        }
        Sizes::measured(&kept, viable, machine)
    }
}

/// A run time times a factor, at least a second.
pub(super) fn scaled(run: Seconds, factor: f64) -> Seconds {
    Seconds((run.0 as f64 * factor).round().clamp(1.0, 1e12) as i64)
}

fn listed(sizes: impl Iterator<Item = u32>) -> String {
    sizes.map(|procs| procs.to_string()).collect::<Vec<_>>().join(", ")
}

impl FittedSpeedup {
    /// Whether it deviates too far from the measured run times to be trusted between them.
    pub fn is_bad(&self) -> bool {
        self.deviation > BAD
    }

    fn to(runs: &[(Procs, Seconds)]) -> Result<FittedSpeedup, SizesError> {
        let (lifetime, speedup) =
            Speedup::fitted(runs).map_err(|error| SizesError::NoFit(error.to_string()))?;
        let off = |&(procs, run): &(Procs, Seconds)| {
            let measured = run.0 as f64;
            (lifetime / speedup.of(procs.0) - measured).abs() / measured
        };
        let mut measured: Vec<Procs> = runs.iter().map(|run| run.0).collect();
        measured.sort_unstable();
        let Speedup { parallelism, variance } = speedup;
        let deviation = runs.iter().map(off).fold(0.0, f64::max);
        Ok(FittedSpeedup { measured, lifetime, parallelism, variance, deviation })
    }

    /// Run times on viable sizes that were not measured and lie between those that were: the named ones, or a readable choice.
    fn more(&self, named: &[u32], viable: Viable, levels: &[Procs]) -> Vec<(Procs, Seconds)> {
        let (Some(&first), Some(&last)) = (self.measured.first(), self.measured.last()) else {
            return Vec::new();
        };
        let range = Viable { fewest: viable.fewest.max(first), most: viable.most.min(last) };
        if range.fewest > range.most {
            return Vec::new();
        }
        let mut sizes: Vec<Procs> = match named.is_empty() {
            true => readable(range, levels),
            false => named.iter().copied().map(Procs).collect(),
        };
        sizes.sort_unstable();
        sizes.dedup();
        sizes.retain(|procs| (range.fewest..=range.most).contains(procs) && !self.measured.contains(procs));
        let speedup = Speedup { parallelism: self.parallelism, variance: self.variance };
        let run = |procs: Procs| (self.lifetime / speedup.of(procs.0)).round().clamp(1.0, 1e12);
        sizes.into_iter().map(|procs| (procs, Seconds(run(procs) as i64))).collect()
    }
}

/// All sizes of a short range; of a long one its ends, powers of two and half-way between, and what becomes free.
fn readable(viable: Viable, levels: &[Procs]) -> Vec<Procs> {
    let (fewest, most) = (viable.fewest.0, viable.most.0);
    if most - fewest < ALL {
        return (fewest..=most).map(Procs).collect();
    }
    let round = (0..31).flat_map(|power| [1_u32 << power, (1_u32 << power) / 2 * 3]);
    let levels = levels.iter().map(|level| level.0);
    let mut sizes: Vec<u32> = [fewest, most].into_iter().chain(round).chain(levels).collect();
    sizes.retain(|procs| (fewest..=most).contains(procs));
    sizes.sort_unstable();
    sizes.dedup();
    sizes.into_iter().map(Procs).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_sizes_are_thinned_out_but_keep_their_ends_and_what_is_free() {
        let viable = |fewest, most| Viable { fewest: Procs(fewest), most: Procs(most) };
        assert_eq!(readable(viable(3, 10), &[Procs(5000)]).len(), 8);
        let many: Vec<u32> = readable(viable(5, 5000), &[Procs(5000)]).iter().map(|procs| procs.0).collect();
        assert!(many.len() < 40 && many.is_sorted(), "{many:?}");
        assert_eq!((many[0], many[1], many.last()), (5, 6, Some(&5000)));
    }
}

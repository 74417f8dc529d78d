//! The job that can be given several sizes: what is said of it on the command line.

use queuecast::allot::advice::State;
use queuecast::allot::{Sizes, SizesError};
use queuecast::report::duration;
use queuecast::synth::{Speedup, Viable};
use queuecast::units::{Procs, Seconds};
use serde::Serialize;

use crate::failure::Failure;
use crate::spec;

/// So many sizes are all looked at; of more, a readable choice.
const ALL: u32 = 64;

/// Sizes that become free as running jobs end, looked at besides.
const LEVELS: usize = 24;

/// A fitted curve further from a measured run time than this share of it is worth a warning.
const BAD: f64 = 0.2;

/// The job.
#[derive(Debug, Clone, clap::Args)]
#[group(skip)]
#[command(next_help_heading = "The job")]
#[group(id = "the_job")]
pub struct Arguments {
    /// How long it runs on each size, as measured: 8=4h,16=2h10m,32=80m
    #[arg(long, value_name = "N=DURATION,…", value_parser = runs, conflicts_with_all = ["lifetime", "parallelism", "variance"])]
    pub runs: Option<Runs>,
    /// Look at sizes between those of --runs too, by a speedup fitted to them; at least two, better three
    #[arg(long, requires = "runs", conflicts_with_all = ["lifetime", "parallelism", "variance"])]
    pub between: bool,
    /// How long it runs on one processor, instead of --runs; with --parallelism and --variance
    #[arg(long, value_name = "DURATION", value_parser = length, requires = "parallelism", requires = "variance", allow_hyphen_values = true)]
    pub lifetime: Option<Seconds>,
    /// Its average parallelism, from 1 on: no number of processors makes it faster than this
    #[arg(long, value_name = "A", value_parser = number, requires = "lifetime", allow_negative_numbers = true)]
    pub parallelism: Option<f64>,
    /// Its variance in parallelism: 0 for perfect speedup up to A, 1 for what is common, 2 for poor
    #[arg(long, value_name = "S", value_parser = number, requires = "lifetime", allow_negative_numbers = true)]
    pub variance: Option<f64>,
    /// Look at these sizes only: 1,2,4,8
    #[arg(long, value_name = "N,…", value_delimiter = ',', value_parser = spec::at_least_one::<u32>, allow_negative_numbers = true)]
    pub sizes: Vec<u32>,
    /// It needs this many processors, for its memory
    #[arg(long, value_name = "N", value_parser = spec::at_least_one::<u32>, allow_negative_numbers = true)]
    pub fewest: Option<u32>,
    /// It can use this many; by default all, or with --parallelism that many
    #[arg(long, value_name = "N", value_parser = spec::at_least_one::<u32>, allow_negative_numbers = true)]
    pub most: Option<u32>,
    /// Its run time may be this many times longer or shorter than said; from 1, for certain, to 1000
    #[arg(long, value_name = "FACTOR", default_value = "1", value_parser = factor, allow_negative_numbers = true)]
    pub give_or_take: f64,
}

/// Run times by size.
#[derive(Debug, Clone, PartialEq)]
pub struct Runs(Vec<(Procs, Seconds)>);

fn runs(text: &str) -> Result<Runs, String> {
    let each = text.split(',').map(|piece| {
        let (procs, run) = piece
            .split_once('=')
            .ok_or_else(|| format!("\"{}\" is no size with a run time, such as 8=2h10m", piece.trim()))?;
        let procs = spec::at_least_one(procs.trim())
            .map_err(|why| format!("processors \"{}\": {why}", procs.trim()))?;
        Ok((Procs(procs), length(run)?))
    });
    each.collect::<Result<_, String>>().map(Runs)
}

fn length(text: &str) -> Result<Seconds, String> {
    let length = duration::parse(text).map_err(|error| error.to_string())?;
    if length > Seconds::ZERO { Ok(length) } else { Err("expected a time above zero".to_owned()) }
}

/// The library says which numbers make sense.
fn number(text: &str) -> Result<f64, String> {
    text.parse().map_err(|_| "expected a number".to_owned())
}

fn factor(text: &str) -> Result<f64, String> {
    number(text)
        .ok()
        .filter(|factor| (1.0..=1000.0).contains(factor))
        .ok_or_else(|| "expected a number from 1 to 1000".to_owned())
}

impl Arguments {
    /// Refuses a job of which nobody says how long it runs.
    pub fn check(&self) -> Result<(), Failure> {
        if self.runs.is_some() || self.lifetime.is_some() {
            return Ok(());
        }
        Err(Failure::usage(
            "how long does the job run? give --runs, as in --runs 8=4h,16=2h10m; or --lifetime, --parallelism and --variance",
        ))
    }

    /// The sizes to look at on this machine.
    pub fn offered(&self, state: &State) -> Result<Offer, Failure> {
        let between = match &self.runs {
            Some(Runs(runs)) if self.between => {
                // What is wrong with the measured ones is said first.
                Sizes::measured(runs, Viable::ANY, state.machine()).map_err(refused)?;
                Some(Between::fitted(runs)?)
            }
            _ => None,
        };
        let sizes = self.choose(state, between.as_ref()).map_err(refused)?;
        Ok(Offer { sizes, between })
    }

    /// From `fewest` to `most`, where given.
    fn viable(&self, most: Option<u32>) -> Viable {
        let Viable { fewest, most: any } = Viable::ANY;
        Viable { fewest: self.fewest.map_or(fewest, Procs), most: most.map_or(any, Procs) }
    }

    fn choose(&self, state: &State, between: Option<&Between>) -> Result<Sizes, SizesError> {
        let machine = state.machine();
        if let Some(&procs) = self.sizes.iter().find(|&&procs| procs > machine.0) {
            return Err(SizesError::Outside { procs, machine: machine.0 });
        }
        if let Some(Runs(runs)) = &self.runs {
            let named = |procs: Procs| self.sizes.is_empty() || self.sizes.contains(&procs.0);
            let viable = self.viable(self.most);
            let mut runs = runs.clone();
            if let Some(between) = between {
                runs.extend(between.more(self, Sizes::range(viable, machine)?, state));
            }
            let given = Sizes::measured(&runs, viable, machine)?;
            let kept: Vec<(Procs, Seconds)> = given
                .all()
                .iter()
                .filter(|size| named(size.procs))
                .map(|size| (size.procs, size.run))
                .collect();
            if kept.is_empty() {
                let named = listed(self.sizes.iter().copied());
                return Err(SizesError::NoneNamed {
                    named,
                    given: listed(given.all().iter().map(|size| size.procs.0)),
                });
            }
            return Sizes::measured(&kept, viable, machine);
        }
        let speedup = Speedup {
            parallelism: self.parallelism.unwrap_or(f64::NAN),
            variance: self.variance.unwrap_or(f64::NAN),
        };
        let alone = self.lifetime.unwrap_or_default();
        // More than this many do not make it faster, on average.
        let useful = speedup.parallelism.round().clamp(1.0, f64::from(machine.0)) as u32;
        let most = self.most.or(self.sizes.is_empty().then_some(useful));
        // What is no speedup is said first.
        Sizes::modelled(alone, speedup, [Procs(1)], Viable::ANY, machine)?;
        let viable = self.viable(most);
        let left = Sizes::range(viable, machine)?;
        let sizes = if self.sizes.is_empty() {
            readable(left, state)
        } else {
            self.sizes.iter().copied().map(Procs).collect()
        };
        Sizes::modelled(alone, speedup, sizes, viable, machine)
    }
}

fn listed(sizes: impl Iterator<Item = u32>) -> String {
    sizes.map(|procs| procs.to_string()).collect::<Vec<_>>().join(", ")
}

fn refused(error: SizesError) -> Failure {
    let failure = Failure::usage(error.to_string());
    match error {
        SizesError::Outside { .. } | SizesError::NoneViable { given: None, .. } => {
            failure.hint("--procs says how large the machine is, where the log does not")
        }
        _ => failure,
    }
}

/// What the job can be given.
#[derive(Debug, Clone)]
pub struct Offer {
    /// Each with its run time.
    pub sizes: Sizes,
    /// The curve of those that were not measured.
    pub between: Option<Between>,
}

/// A speedup fitted to measured run times, for the sizes between them.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Between {
    /// The sizes it was fitted to, ascending.
    pub measured: Vec<Procs>,
    /// On one processor, in seconds.
    pub lifetime: f64,
    pub parallelism: f64,
    pub variance: f64,
    /// How far its run times are from the measured ones, at most, as a share of these.
    pub deviation: f64,
}

impl Between {
    /// Whether it is too far from what was measured to say much of the sizes between.
    pub fn is_bad(&self) -> bool {
        self.deviation > BAD
    }

    fn fitted(runs: &[(Procs, Seconds)]) -> Result<Between, Failure> {
        let (lifetime, speedup) =
            Speedup::fitted(runs).map_err(|error| Failure::usage(format!("--between: {error}")))?;
        let off = |&(procs, run): &(Procs, Seconds)| {
            let measured = run.0 as f64;
            (lifetime / speedup.of(procs.0) - measured).abs() / measured
        };
        let mut measured: Vec<Procs> = runs.iter().map(|run| run.0).collect();
        measured.sort_unstable();
        let Speedup { parallelism, variance } = speedup;
        let deviation = runs.iter().map(off).fold(0.0, f64::max);
        Ok(Between { measured, lifetime, parallelism, variance, deviation })
    }

    /// Run times on viable sizes that were not measured and lie between those that were: the ones that are named, or a
    /// readable choice.
    fn more(&self, named: &Arguments, viable: Viable, state: &State) -> Vec<(Procs, Seconds)> {
        let (Some(&first), Some(&last)) = (self.measured.first(), self.measured.last()) else {
            return Vec::new();
        };
        let range = Viable { fewest: viable.fewest.max(first), most: viable.most.min(last) };
        if range.fewest > range.most {
            return Vec::new();
        }
        let mut sizes: Vec<Procs> = match named.sizes.is_empty() {
            true => readable(range, state),
            false => named.sizes.iter().copied().map(Procs).collect(),
        };
        sizes.sort_unstable();
        sizes.dedup();
        sizes.retain(|procs| (range.fewest..=range.most).contains(procs) && !self.measured.contains(procs));
        let speedup = Speedup { parallelism: self.parallelism, variance: self.variance };
        let run = |procs: Procs| (self.lifetime / speedup.of(procs.0)).round().clamp(1.0, 1e12);
        sizes.into_iter().map(|procs| (procs, Seconds(run(procs) as i64))).collect()
    }
}

/// All sizes of the range if they are few; else its ends, powers of two and half-way between, and what becomes free.
fn readable(viable: Viable, state: &State) -> Vec<Procs> {
    let (fewest, most) = (viable.fewest.0, viable.most.0);
    if most - fewest < ALL {
        return (fewest..=most).map(Procs).collect();
    }
    let round = (0..31).flat_map(|power| [1_u32 << power, (1_u32 << power) / 2 * 3]);
    let levels = state.levels(LEVELS).into_iter().map(|level| level.0);
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
    fn run_times_by_size() {
        let read = runs("8=4h, 16=2h10m,32=80m").unwrap();
        assert_eq!(
            read,
            Runs(vec![(Procs(8), Seconds(14_400)), (Procs(16), Seconds(7_800)), (Procs(32), Seconds(4_800))])
        );
        for (text, why) in [
            ("", "no size with a run time"),
            ("8", "such as 8=2h10m"),
            ("x=4h", "expected a whole number"),
            ("0=4h", "at least 1"),
            ("-8=4h", "at least 1"),
            ("8=0", "above zero"),
            ("8=-1h", "negative"),
            ("8=NaN", "not a length of time"),
            ("8=4h,", "no size"),
            ("99999999999=4h", "too large"),
            ("8=99999999999999999999d", "too long"),
        ] {
            assert!(runs(text).is_err_and(|said| said.contains(why)), "{text}: {:?}", runs(text));
        }
    }

    #[test]
    fn many_sizes_are_thinned_out_but_keep_their_ends_and_what_is_free() {
        let state = State::new(Procs(5000), Vec::new(), Vec::new());
        let viable = |fewest, most| Viable { fewest: Procs(fewest), most: Procs(most) };
        assert_eq!(readable(viable(3, 10), &state).len(), 8);
        let many: Vec<u32> = readable(viable(5, 5000), &state).iter().map(|procs| procs.0).collect();
        assert!(many.len() < 40 && many.is_sorted(), "{many:?}");
        assert_eq!((many[0], many[1], many.last()), (5, 6, Some(&5000)));
    }
}

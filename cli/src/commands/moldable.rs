//! A job that can be given several sizes: what is said of them on the command line.

use queuecast::allot::advice::{MoldableJob, RunTimeBySize};
use queuecast::units::{Procs, Seconds};

use crate::spec;

/// Its sizes.
#[derive(Debug, Clone, clap::Args)]
#[group(skip)]
#[group(id = "the_sizes")]
pub struct Arguments {
    /// How long it runs on each size, as measured: 8=4h,16=2h10m,32=80m
    #[arg(long, value_name = "N=DURATION,…", value_parser = runs, conflicts_with_all = ["lifetime", "parallelism", "variance"])]
    pub runs: Option<MeasuredRuns>,
    /// Look at sizes between those of --runs too, by a speedup fitted to them; at least two, better three
    #[arg(long, requires = "runs", conflicts_with_all = ["lifetime", "parallelism", "variance"])]
    pub between: bool,
    /// How long it runs on one processor, instead of --runs; with --parallelism and --variance
    #[arg(long, value_name = "DURATION", value_parser = lifetime, requires = "parallelism", requires = "variance", allow_hyphen_values = true)]
    pub lifetime: Option<SerialRun>,
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
}

/// Run times by size.
#[derive(Debug, Clone, PartialEq)]
pub struct MeasuredRuns {
    runs: Vec<(Procs, Seconds)>,
    /// Those given as a plain number below a minute, as written: perhaps another unit is meant.
    bare: Vec<String>,
}

/// The run time on one processor.
#[derive(Debug, Clone, PartialEq)]
pub struct SerialRun {
    length: Seconds,
    /// As for [`MeasuredRuns`].
    bare: Option<String>,
}

/// A plain number below this many seconds may be meant in another unit.
const SHORT: i64 = 60;

/// Whether a length of time is written as a plain number below [`SHORT`].
fn is_bare(text: &str) -> bool {
    text.trim().parse::<i64>().is_ok_and(|seconds| seconds < SHORT)
}

fn lifetime(text: &str) -> Result<SerialRun, String> {
    Ok(SerialRun {
        length: spec::positive_duration(text)?,
        bare: is_bare(text).then(|| text.trim().to_owned()),
    })
}

fn runs(text: &str) -> Result<MeasuredRuns, String> {
    let mut bare = Vec::new();
    let each = text.split(',').map(|piece| {
        let (procs, run) = piece
            .split_once('=')
            .ok_or_else(|| format!("\"{}\" is no size with a run time, such as 8=2h10m", piece.trim()))?;
        let procs = spec::at_least_one(procs.trim())
            .map_err(|why| format!("processors \"{}\": {why}", procs.trim()))?;
        if is_bare(run) {
            bare.push(piece.trim().to_owned());
        }
        Ok((Procs(procs), spec::positive_duration(run)?))
    });
    let runs = each.collect::<Result<_, String>>()?;
    Ok(MeasuredRuns { runs, bare })
}

/// The library says which numbers make sense.
fn number(text: &str) -> Result<f64, String> {
    text.parse().map_err(|_| "expected a number".to_owned())
}

impl Arguments {
    /// Run times that may be meant in another unit.
    pub fn warnings(&self) -> Vec<String> {
        let seconds = |option: &str, text: &str| {
            let number = text.rsplit('=').next().unwrap_or(text).trim();
            format!(
                "{option} {text}: a plain number is in seconds; write {text}m or {text}h if {number} minutes or hours are meant"
            )
        };
        let runs = self.runs.iter().flat_map(|runs| &runs.bare).map(|text| seconds("--runs", text));
        let lifetime = self.lifetime.iter().filter_map(|one| one.bare.as_ref());
        runs.chain(lifetime.map(|text| seconds("--lifetime", text))).collect()
    }

    /// The job described; `None` if its run time is not said.
    pub fn described(&self, give_or_take: f64) -> Option<MoldableJob> {
        let runs = match (&self.runs, &self.lifetime) {
            (Some(MeasuredRuns { runs, .. }), _) => {
                RunTimeBySize::Measured { runs: runs.clone(), between: self.between }
            }
            (None, Some(SerialRun { length, .. })) => RunTimeBySize::Modelled {
                alone: *length,
                parallelism: self.parallelism.unwrap_or(f64::NAN),
                variance: self.variance.unwrap_or(f64::NAN),
            },
            (None, None) => return None,
        };
        let Self { ref sizes, fewest, most, .. } = *self;
        Some(MoldableJob { runs, sizes: sizes.clone(), fewest, most, give_or_take })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn run_times_by_size() {
        let read = runs("8=4h, 16=2h10m,32=80m").unwrap();
        assert_eq!(
            read,
            MeasuredRuns {
                runs: vec![
                    (Procs(8), Seconds(14_400)),
                    (Procs(16), Seconds(7_800)),
                    (Procs(32), Seconds(4_800))
                ],
                bare: Vec::new()
            }
        );
        assert_eq!(runs("8=4, 16=59,32=60,64=4s,65=1:00").unwrap().bare, ["8=4", "16=59"]);
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
}

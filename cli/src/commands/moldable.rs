//! A job that can be given several sizes: what is said of them on the command line.

use queuecast_forecast::advice::{MeasuredRuns, MoldableJob, RunTimeBySize, SerialRun, bare_warning};

use crate::spec;

/// Its sizes.
#[derive(Debug, Clone, clap::Args)]
#[group(skip)]
#[group(id = "the_sizes")]
pub struct Arguments {
    /// How long it runs on each size, as measured: 8=4h,16=2h10m,32=80m
    #[arg(long, value_name = "N=DURATION,…", conflicts_with_all = ["lifetime", "parallelism", "variance"])]
    pub runs: Option<MeasuredRuns>,
    /// Look at sizes between those of --runs too, by a speedup fitted to them; at least two, better three
    #[arg(long, requires = "runs", conflicts_with_all = ["lifetime", "parallelism", "variance"])]
    pub between: bool,
    /// How long it runs on one processor, instead of --runs; with --parallelism and --variance
    #[arg(
        long,
        value_name = "DURATION",
        requires = "parallelism",
        requires = "variance",
        allow_hyphen_values = true
    )]
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

/// The library says which numbers make sense.
fn number(text: &str) -> Result<f64, String> {
    text.parse().map_err(|_| "expected a number".to_owned())
}

impl Arguments {
    /// Run times that may be meant in another unit.
    pub fn warnings(&self) -> Vec<String> {
        let runs = self.runs.iter().flat_map(|runs| &runs.bare).map(|text| bare_warning("--runs", text));
        let lifetime = self.lifetime.iter().filter_map(|one| one.bare.as_ref());
        runs.chain(lifetime.map(|text| bare_warning("--lifetime", text))).collect()
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

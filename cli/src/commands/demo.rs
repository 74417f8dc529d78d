//! `queuecast demo`: something to look at without a trace.

const EXAMPLES: &str = "\
Examples:
  queuecast demo
  queuecast demo --load 0.95 --seed 7
  queuecast demo --jobs 20000 --procs 512 --format json";

/// Make up a workload and compare policies on it, without any files
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Arguments {
    /// How many jobs to make up
    #[arg(long, value_name = "N", default_value_t = 5_000, value_parser = clap::value_parser!(u32).range(1..))]
    pub jobs: u32,
    /// Processors of the machine
    #[arg(long, value_name = "N", default_value_t = 128, value_parser = clap::value_parser!(u32).range(1..))]
    pub procs: u32,
    /// Offered load: how much work arrives per processor; from 1 on the queue only grows
    #[arg(long, value_name = "LOAD", default_value = "0.85", value_parser = crate::spec::positive)]
    pub load: f64,
    /// Another seed is another workload; the same seed is always the same one
    #[arg(long, value_name = "SEED", default_value_t = 1)]
    pub seed: u64,
    /// Leave out the charts
    #[arg(long)]
    pub no_plot: bool,
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Debug, Parser)]
    struct Alone {
        #[command(flatten)]
        arguments: Arguments,
    }

    #[test]
    fn nothing_is_enough_and_nonsense_is_refused() {
        let demo = Alone::try_parse_from(["demo"]).unwrap().arguments;
        assert_eq!((demo.jobs, demo.procs, demo.load, demo.seed), (5_000, 128, 0.85, 1));
        for nonsense in ["--jobs=0", "--procs=0", "--load=0", "--load=x", "--seed=-1"] {
            assert_eq!(Alone::try_parse_from(["demo", nonsense]).unwrap_err().exit_code(), 2, "{nonsense}");
        }
    }
}

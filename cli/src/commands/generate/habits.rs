//! `queuecast generate habits`.

use queuecast_core::units::Seconds;
use queuecast_process::failure::Failure;
use queuecast_process::invocation::Invocation;
use queuecast_process::printer::Printer;
use queuecast_process::progress::Progress;
use queuecast_synth::synth::{Habits, generate};

use super::errors::{self, OPTIONS};
use super::output::OutputOption;
use crate::spec;

const EXAMPLES: &str = "\
Examples:
  queuecast generate habits --output made.swf.gz
  queuecast generate habits --load 0.95 --users 400 --seed 7 -o made.swf.zst";

/// Jobs of users with habits: the workload of the demo, with users, sessions and requested times
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Arguments {
    /// Number of jobs, 2 to 10000000
    #[arg(long, value_name = "N", default_value_t = 20_000, value_parser = spec::at_least::<2, u32>, allow_negative_numbers = true)]
    pub jobs: u32,
    /// Processors of the machine, 1 to 16777216
    #[arg(long, value_name = "N", default_value_t = 256, value_parser = spec::at_least_one::<u32>, allow_negative_numbers = true)]
    pub procs: u32,
    /// Offered load, 0.001 to 10; from 1 on the queue grows without end
    #[arg(long, value_name = "LOAD", default_value = "0.85", allow_negative_numbers = true)]
    pub load: f64,
    /// Number of users, 1 to 1000000
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = spec::at_least_one::<u32>, allow_negative_numbers = true)]
    pub users: u32,
    /// Jobs in a session on average, 1 to 1000
    #[arg(
        long,
        alias = "jobs-per-sitting",
        value_name = "N",
        default_value = "5",
        allow_negative_numbers = true
    )]
    pub jobs_per_session: f64,
    /// Typical requested time divided by run time, before rounding up; 1 to 100
    #[arg(long, value_name = "FACTOR", default_value = "2.5", allow_negative_numbers = true)]
    pub overestimate: f64,
    /// Share of jobs that fail within minutes, 0 to 1
    #[arg(long, value_name = "SHARE", default_value = "0.08", allow_negative_numbers = true)]
    pub failures: f64,
    /// Share of applications that run into their limit, 0 to 1
    #[arg(long, value_name = "SHARE", default_value = "0.06", allow_negative_numbers = true)]
    pub endless: f64,
    /// Longest requested time, 5m to 365d: 18h, 1-12:00:00, plain seconds
    #[arg(long, value_name = "DURATION", default_value = "18h", value_parser = spec::duration, allow_hyphen_values = true)]
    pub max_estimate: Seconds,
    /// Seed: the same seed gives the same workload
    #[arg(long, value_name = "SEED", default_value_t = 1, allow_negative_numbers = true)]
    pub seed: u64,
    #[command(flatten)]
    pub output: OutputOption,
}

impl Arguments {
    fn model(&self) -> Habits {
        Habits {
            jobs: self.jobs,
            procs: self.procs,
            load: self.load,
            users: self.users,
            jobs_per_session: self.jobs_per_session,
            overestimate: self.overestimate,
            failures: self.failures,
            endless: self.endless,
            longest: self.max_estimate,
        }
    }
}

/// Generates the workload and writes it.
pub fn run(arguments: &Arguments, invocation: &Invocation, printer: &Printer) -> Result<(), Failure> {
    let place = arguments.output.plan(&[], printer)?;
    let progress = Progress::uncounted(printer, "generating");
    let generated = generate::habits(&arguments.model(), arguments.seed)
        .map_err(|error| errors::failure(error, OPTIONS, None))?;
    drop(progress);
    place.write(&generated, None, None, invocation, printer)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::commands::arguments_alone;

    #[test]
    fn nothing_given_is_what_the_library_means_by_default() {
        let arguments = arguments_alone::parse::<Arguments>("habits").unwrap();
        assert_eq!(arguments.model(), Habits::default());
    }
}

//! `queuecast metaschedule`: which of several sites a job should go to, for all jobs of their logs under brokers, or for one job.

mod broker_answer;
mod brokers;
mod file;
mod first_start;
mod site_choice;
mod sites_text;

use std::path::PathBuf;

use queuecast::broker::BrokerSpec;
use queuecast::units::{Procs, Seconds};

use self::file::SitesFile;
use super::newcomer::NewJob;
use super::outside::{self, SlurmCommands};
use super::source::Reading;
use crate::failure::Failure;
use crate::plot::Plotting;
use crate::printer::Printer;
use crate::spec::{self, Several, SpecList, SpecParser};

const EXAMPLES: &str = "\
A file of sites:
    [[site]]
    name = \"ctc\"
    trace = \"CTC.swf.gz\"      # beside the file
    [[site]]
    name = \"kth\"
    trace = \"KTH.swf.gz\"
    policy = \"conservative\"   # each site has its own scheduler

Examples:
  What every broker would have done with all jobs of both logs:
    queuecast metaschedule sites.toml

  Two of them:
    queuecast metaschedule sites.toml --broker least-loaded,turnaround

  Where 64 processors for two hours would start first:
    queuecast metaschedule sites.toml -n 64 -t 2h";

/// Say which of several sites to submit to: for one job, or for all jobs of their logs under brokers
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Arguments {
    /// The sites, in TOML: machines, schedulers, and the logs of their jobs
    #[arg(value_name = "SITES.toml")]
    pub file: PathBuf,
    #[arg(long, value_name = "BROKER,...", value_parser = SpecList(broker()), hide_possible_values = true, help_heading = "All jobs")]
    #[arg(help = broker().help(BROKER), long_help = broker().long_help(BROKER))]
    pub broker: Vec<Several<BrokerSpec>>,
    /// How many brokers are simulated at once; by default as many as there are cores
    #[arg(long, value_name = "N", value_parser = spec::at_least_one::<u16>, allow_negative_numbers = true, help_heading = "All jobs")]
    pub threads: Option<u16>,
    /// Processors the job asks for: at which site would it start first?
    #[arg(short = 'n', long, value_name = "N", value_parser = spec::at_least_one::<u32>, allow_negative_numbers = true, help_heading = "One job")]
    #[arg(conflicts_with_all = ["broker", "threads"])]
    pub size: Option<u32>,
    /// Time the job asks for: 2h10m, 1-12:00:00, plain seconds; by default a day, on a live site no more than it allows
    #[arg(short = 't', long, value_name = "DURATION", value_parser = spec::positive_duration, allow_hyphen_values = true, requires = "size", help_heading = "One job")]
    pub time: Option<Seconds>,
    /// Its user: a name or number of the logs
    #[arg(short = 'u', long, value_name = "USER", requires = "size", help_heading = "One job")]
    pub user: Option<String>,
    /// The moment the job is submitted, in each log: a length of time since the log's start, a date, or end, the last submission.
    /// Nothing the logs say of later is looked at. A live site is asked now
    #[arg(
        long,
        value_name = "MOMENT",
        default_value = "end",
        allow_hyphen_values = true,
        requires = "size",
        help_heading = "One job"
    )]
    pub at: String,
    #[command(flatten)]
    pub outside: outside::Arguments,
    #[command(flatten)]
    pub reading: Reading,
    #[command(flatten)]
    pub plotting: Plotting,
}

const BROKER: &str = "How the site of a job is chosen, by default in each of these ways; static is always simulated, and first";

fn broker() -> SpecParser<BrokerSpec> {
    spec::of()
}

impl Arguments {
    /// `static`, then the others in the order they were named; all if none is.
    fn brokers(&self) -> Vec<BrokerSpec> {
        let named = match self.broker.is_empty() {
            true => BrokerSpec::ALL.to_vec(),
            false => Several::together(&self.broker),
        };
        let others = named.into_iter().filter(|one| *one != BrokerSpec::Static);
        std::iter::once(BrokerSpec::Static).chain(others).collect()
    }

    /// The job that is asked about, if one is.
    fn job(&self) -> Option<NewJob> {
        let (time, user) = (self.time, self.user.clone());
        self.size.map(|size| NewJob { procs: Procs(size), time, user, queue: None })
    }
}

/// Reads the sites, and answers for all jobs or for one.
pub fn run(arguments: &Arguments, printer: &Printer) -> Result<(), Failure> {
    let file = SitesFile::read(&arguments.file, printer)?;
    let inputs = file.inputs(&arguments.file);
    let inputs: Vec<&std::path::Path> = inputs.iter().map(PathBuf::as_path).collect();
    let plot = arguments.plotting.plan(&inputs)?;
    let reading = &arguments.reading;
    match arguments.job() {
        None => plot.answer(
            &brokers::compared(&file, &arguments.brokers(), arguments.threads, reading, printer)?,
            printer,
        ),
        Some(job) => {
            let commands = SlurmCommands::within(&arguments.outside, printer);
            let found = first_start::found(&file, &job, &arguments.at, (reading, &commands), printer)?;
            plot.answer(&found, printer)
        }
    }
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

    fn names(line: &str) -> Vec<String> {
        let alone = Alone::try_parse_from(line.split(' ')).unwrap();
        alone.arguments.brokers().iter().map(ToString::to_string).collect()
    }

    #[test]
    fn static_is_first_and_nothing_is_simulated_twice() {
        assert_eq!(names("metaschedule s.toml"), BrokerSpec::ALL.map(|one| one.to_string()));
        let line = "metaschedule s.toml --broker oracle,static,oracle --broker turnaround+by=knn:2000,by=linear,k-distributed:3";
        assert_eq!(names(line), ["static", "oracle", "turnaround+by=knn:2000,by=linear", "k-distributed:3"]);
        // Control: another setting makes another broker.
        assert_eq!(names("metaschedule s.toml --broker k-distributed:3,k-distributed:2").len(), 3);
    }
}

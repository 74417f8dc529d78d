//! `queuecast collect`: follows a Slurm site into a store.

use std::path::PathBuf;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{ArgMatches, FromArgMatches};
use queuecast_core::units::Seconds;
use queuecast_live::SubmissionScript;
use queuecast_operate::{CollectPlan, SiteCollector, cluster_name, script};
use queuecast_process::failure::Failure;
use queuecast_process::invocation::Invocation;
use queuecast_process::printer::Printer;
use queuecast_serve::LogLineFormat;

use super::{outside, store_option};
use crate::spec;

const EXAMPLES: &str = "\
Examples:
  Follow this site until Ctrl-C: a look every two minutes, a year of history at first:
    queuecast collect

  One look, for cron:
    queuecast collect --once --quiet

  Every command that it may run, to read before it does:
    queuecast collect --commands

  Tables for the scripts that tell a user at submission, and such a script:
    queuecast collect --submission-tables /var/lib/queuecast
    queuecast collect --submission-tables /var/lib/queuecast --print-lua cli-filter

  Then, for any number of people, without asking Slurm again:
    queuecast pending --live --me
    queuecast when --live -n 64 -t 2h";

/// Follow this Slurm site: remember its queue and its accounting, for when, pending and advise
///
/// Looks at the queue and the nodes at every interval, by one squeue and one sinfo however many people ask, and loads the accounting in windows of a week, going on where it was left. What Slurm printed is kept in the store, a file or a database of PostgreSQL; commands with --live answer from it while it is fresh. One process collects a cluster at a time; any number may read it. Slurm that does not answer is no end: it is recorded, told, and asked again.
#[derive(Debug, Clone, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Arguments {
    #[command(flatten)]
    pub store: store_option::Arguments,
    /// One look, and the accounting that is missing; then end
    #[arg(long)]
    pub once: bool,
    /// Print every command that may be run, with who answers it, and run none
    #[arg(long, conflicts_with = "once")]
    pub commands: bool,
    /// Keep tables in this folder that Slurm's scripts look up when a job is submitted
    #[arg(long, value_name = "DIR")]
    pub submission_tables: Option<PathBuf>,
    /// Print the script that looks them up, for an administrator to install, and end
    #[arg(long, value_name = "SCRIPT", requires = "submission_tables", conflicts_with_all = ["once", "commands"], value_parser = scripts())]
    pub print_lua: Option<SubmissionScript>,
    /// Write each waiting job's first forecast into its AdminComment, if it has none; needs an operator's rights
    #[arg(long)]
    pub admin_comment: bool,
    /// Learn from what the store has, or forecast, and look at nothing: what a collector runs between looks
    #[arg(long, value_name = "WHAT", conflicts_with_all = ["once", "commands", "print_lua"], value_parser = ["learn", "forecast"])]
    pub compute: Option<String>,
    /// Time between two looks; sites may forbid to ask more often
    #[arg(long, value_name = "DURATION", default_value = "120s", value_parser = spec::positive_duration, allow_hyphen_values = true)]
    pub every: Seconds,
    /// How far back the accounting goes that is loaded at first
    #[arg(long, value_name = "DURATION", default_value = "365d", value_parser = spec::positive_duration, allow_hyphen_values = true)]
    pub history: Seconds,
    /// How long looks are kept; accounting is kept
    #[arg(long, value_name = "DURATION", default_value = "30d", value_parser = spec::positive_duration, allow_hyphen_values = true)]
    pub keep: Seconds,
    /// Name of the cluster in the store; by default the ClusterName that scontrol tells
    #[arg(long, value_name = "NAME")]
    pub cluster: Option<String>,
    /// How messages are written: as text, as logfmt, or as an object of JSON in each line
    #[arg(long, value_name = "FORMAT", default_value = "text", value_parser = ["text", "logfmt", "json"])]
    pub log_format: String,
    /// A file of settings, as of queuecast config --defaults; by default what QUEUECAST_CONFIG names, else queuecast/queuecast.toml in $XDG_CONFIG_HOME or ~/.config, else /etc/queuecast/queuecast.toml
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,
    #[command(flatten)]
    pub outside: outside::Arguments,
}

impl Arguments {
    fn log_format(&self) -> Option<LogLineFormat> {
        match self.log_format.as_str() {
            "logfmt" => Some(LogLineFormat::Logfmt),
            "json" => Some(LogLineFormat::Json),
            _ => None,
        }
    }

    fn plan(&self) -> CollectPlan {
        CollectPlan {
            every: self.every,
            history: self.history,
            keep: self.keep,
            slurm_timeout: self.outside.slurm_timeout,
            tables: self.submission_tables.clone(),
            comments: self.admin_comment,
            log_format: self.log_format(),
        }
    }
}

fn scripts() -> impl TypedValueParser<Value = SubmissionScript> {
    let names = SubmissionScript::NAMES.map(|one| one.0);
    PossibleValuesParser::new(names)
        .try_map(|name| SubmissionScript::named(&name).ok_or("there is no such script"))
}

/// Follows the site, or says which commands that takes.
pub fn run(arguments: &Arguments, invocation: &Invocation, printer: &Printer) -> Result<(), Failure> {
    let plan = arguments.plan();
    printer.log_as(plan.log_format);
    if let (Some(which), Some(folder)) = (arguments.print_lua, &arguments.submission_tables) {
        return printer.write(script(which, folder)?.as_bytes());
    }
    if arguments.commands {
        return printer.answer(&plan.declared());
    }
    let cluster = match &arguments.cluster {
        Some(name) => name.clone(),
        None => cluster_name(&arguments.outside.commands(printer))?,
    };
    let mut collector = SiteCollector::open(plan, cluster, arguments.store.location_to_write()?, printer)?;
    if let Some(what) = &arguments.compute {
        return printer.answer(&collector.compute(what == "learn")?);
    }
    if !arguments.once {
        let plan = |matches: &ArgMatches| Arguments::from_arg_matches(matches).map(|read| read.plan());
        return collector.follow(invocation, &plan);
    }
    let round = collector.once()?;
    printer.answer(&round)?;
    match round.look {
        Some(_) => Ok(()),
        None => Err(Failure::input("Slurm did not answer").hint("its failure is recorded; try again")),
    }
}

//! `queuecast pending`: when each job that waits starts, and what it waits for.

use std::path::PathBuf;

use queuecast_forecast::forecast::{WaitMethod, WhenSettings};
use queuecast_operate::SlurmCommands;
use queuecast_place::pending_at;
use queuecast_process::failure::Failure;
use queuecast_process::printer::Printer;
use queuecast_process::told;

use super::place::ReadPlace;
use super::source::Source;
use super::{live, methods, moment, newcomer, site_option};
use crate::commands::cache_option;
use crate::plot::Plotting;
use crate::spec::{self, Several};

const EXAMPLES: &str = "\
Examples:
  The queue of a Slurm site, now, one's own jobs first:
    queuecast pending --live site.sacct.gz --me

  The queue at a moment of a log:
    queuecast pending LOG.swf.gz --at 1997-02-03T10:00

  By Slurm's own scheduler, on the configuration saved by site capture:
    queuecast pending site.sacct.gz --site mysite -u anna";

/// List every job that waits: when it starts, its place in the order, and what it waits for
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
#[command(mut_arg("at", |at| at.help("The moment asked about, as for when")))]
pub struct Arguments {
    /// The log of the machine, compressed or not; - for standard input. With --live, what to learn from. With --site, by default the accounting in its folder
    #[arg(value_name = "FILE", required_unless_present_any = ["live", "site"])]
    file: Option<PathBuf>,
    /// Whose jobs come first: a name, or a number of the log
    #[arg(short = 'u', long, value_name = "USER")]
    user: Option<String>,
    /// One's own jobs come first, as of the user that id -un names
    #[arg(long, conflicts_with = "user")]
    me: bool,
    /// How many jobs the table has at most; JSON and CSV always have all
    #[arg(long, value_name = "N", default_value_t = 50, value_parser = spec::at_least_one::<usize>, allow_negative_numbers = true, help_heading = "Results")]
    rows: usize,
    /// All jobs in the table
    #[arg(long, conflicts_with = "rows", help_heading = "Results")]
    all: bool,
    /// Answer by Slurm's own scheduler on the configuration in this folder (see site check)
    #[arg(long, value_name = "DIR", help_heading = "A Slurm site")]
    site: Option<PathBuf>,
    #[command(flatten)]
    live: live::Arguments,
    #[command(flatten)]
    moment: moment::Arguments,
    #[command(flatten)]
    cache: cache_option::Arguments,
    #[command(flatten)]
    plotting: Plotting,
    #[command(flatten)]
    pub source: Source,
}

impl Arguments {
    /// The place, as of a question without a job.
    fn asked(&self) -> newcomer::Arguments {
        newcomer::Arguments {
            file: self.file.clone(),
            size: None,
            time: None,
            user: None,
            queue: None,
            waiting: None,
            lines: None,
            slurm: site_option::Arguments { site: self.site.clone(), sbatch: None },
            live: self.live.clone(),
            moment: self.moment.clone(),
            methods: methods::Arguments {
                method: vec![Several(vec![WaitMethod::Best])],
                trials: WhenSettings::TRIALS,
                cache: self.cache.clone(),
            },
            source: self.source.clone(),
        }
    }

    fn user(&self, commands: &SlurmCommands<'_>) -> Result<Option<String>, Failure> {
        if !self.me {
            return Ok(self.user.clone());
        }
        let name = commands.printed("id", &["-un"]);
        let name = name.map_err(|why| why.failure("id -un", "name the user: -u USER"))?;
        Ok(Some(name.trim().to_owned()))
    }
}

/// Reads the place, and says when each waiting job starts.
pub fn run(arguments: &Arguments, printer: &Printer) -> Result<(), Failure> {
    let asked = arguments.asked();
    let plot = arguments.plotting.plan(&asked.inputs())?;
    let user = arguments.user(&asked.commands(printer))?;
    let read = ReadPlace::read(&asked, printer)?;
    // With --me, the user of this machine may be none of a log's.
    if !arguments.me {
        read.check_user(user.as_deref())?;
    }
    let (place, zone) = (read.asked(&asked.live, asked.source.procs), &asked.source.reading.time_zone);
    let settings = WhenSettings::default();
    let mut answer = told::learned(arguments.cache.is_kept(), printer, |messages| {
        pending_at(place, user.as_deref(), &settings, zone, messages)
    })?;
    answer.shown = (!arguments.all).then_some(arguments.rows);
    plot.answer(&answer, printer)
}

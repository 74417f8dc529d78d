//! A job that has not been submitted: what it asks for, where, and how its wait is predicted.

use std::path::{Path, PathBuf};

use queuecast_core::units::{Procs, Seconds, Time};
use queuecast_forecast::forecast::WhenSettings;
use queuecast_operate::SlurmCommands;
use queuecast_place::{AskedPlace, NewJob, SlurmJob};
use queuecast_process::failure::Failure;
use queuecast_process::printer::Printer;

use super::loaded::Loaded;
use super::raw_trace::RawTrace;
use super::slurm_site::AtSite;
use super::source::Source;
use super::{cleaning, live, methods, moment, site_option};
use crate::spec;

/// What `--live` asks, here also at a site with its configuration.
const LIVE: &str = "Ask the site's Slurm which jobs run and wait now, and what each partition allows: by squeue and sinfo, with --site by sacct, scontrol and sshare";

/// What is asked about: the job, where and when it would be submitted, and how its wait is predicted.
#[derive(Debug, Clone, clap::Args)]
#[group(skip)]
#[command(mut_arg("live", |live| live.help(LIVE)))]
pub struct Arguments {
    /// The log of the machine, compressed or not; - for standard input. With --live, what to learn from. With --site, by default the accounting in its folder
    #[arg(value_name = "FILE", required_unless_present_any = ["live", "site"])]
    pub file: Option<PathBuf>,
    /// Processors the job asks for
    #[arg(short = 'n', long, value_name = "N", required_unless_present = "sbatch", value_parser = spec::at_least_one::<u32>, allow_negative_numbers = true, help_heading = "The job")]
    pub size: Option<u32>,
    /// Time limit the job asks for, as of sbatch: 90 for minutes, 2h10m, 02:10:00, 1-12:00:00; by default a day, as of
    /// jobs that ask for none
    #[arg(short = 't', long, value_name = "TIME", value_parser = spec::time_limit, allow_hyphen_values = true, help_heading = "The job")]
    pub time: Option<Seconds>,
    /// Its user: a name or number of the log
    #[arg(short = 'u', long, value_name = "USER", help_heading = "The job")]
    pub user: Option<String>,
    /// Its queue: a name or number of the log; in accounting records the partition
    #[arg(short = 'q', long, value_name = "QUEUE", help_heading = "The job")]
    pub queue: Option<String>,
    /// The job that waits already, where it is asked about: a look that does not have it may be too old.
    #[arg(skip)]
    pub waiting: Option<String>,
    /// All that a job script asks for, as arguments of sbatch.
    #[arg(skip)]
    pub lines: Option<String>,
    #[command(flatten)]
    pub slurm: site_option::Arguments,
    #[command(flatten)]
    pub live: live::Arguments,
    #[command(flatten)]
    pub moment: moment::Arguments,
    #[command(flatten)]
    pub methods: methods::Arguments,
    #[command(flatten)]
    pub source: Source,
}

impl Arguments {
    /// How its wait is predicted.
    pub fn settings(&self) -> WhenSettings {
        self.methods.settings()
    }

    /// The job.
    pub fn job(&self) -> NewJob {
        let (user, queue) = (self.user.clone(), self.queue.clone());
        let (procs, sbatch) = (Procs(self.size.unwrap_or(1)), self.lines.clone());
        NewJob { procs, time: self.time, user, queue, sbatch }
    }

    /// Takes the job of a live site for one of the user who asks, as sbatch would, where none is named; and says so.
    pub fn take_asker(&mut self, place: AskedPlace<'_>, printer: &Printer) {
        if !self.live.live || self.user.is_some() {
            return;
        }
        let Ok(name) = self.commands(printer).printed("id", &["-un"]) else { return };
        let name = name.trim();
        if place.knows_user(name) {
            printer.note(&format!("asked for user {name}, as it would be submitted; -u names another"));
            self.user = Some(name.to_owned());
        } else {
            printer.note(&format!(
                "user {name} is not known at the site: asked for a user of whom nothing is known; -u names one"
            ));
        }
    }

    /// Slurm's commands, with the time that they may take.
    pub fn commands<'a>(&self, printer: &'a Printer) -> SlurmCommands<'a> {
        self.live.outside.commands(printer)
    }

    /// What is asked about at a Slurm site; without a size and arguments of sbatch, its queue.
    pub fn at_site(&self) -> AtSite<'_> {
        let has_job = self.size.is_some() || self.slurm.sbatch.is_some();
        AtSite {
            file: self.file.as_ref(),
            live: &self.live,
            at: &self.moment.at,
            zone: &self.source.reading.time_zone,
            job: has_job.then(|| self.slurm_job()),
        }
    }

    /// Files that are read.
    pub fn inputs(&self) -> Vec<&Path> {
        self.file.iter().map(PathBuf::as_path).collect()
    }

    /// What a log that was read tells of the moment asked about, and that moment.
    pub fn known(&self, raw: &RawTrace, printer: &Printer) -> Result<(Loaded, Time), Failure> {
        let known = raw.known(&self.source, &self.moment.at, &self.commands(printer), printer)?;
        cleaning::note(&known.0.name, &known.0.log.report, cleaning::Overrun::Kept, printer);
        Ok(known)
    }

    /// The job as sbatch would be asked for it.
    fn slurm_job(&self) -> SlurmJob {
        SlurmJob {
            sbatch: self.slurm.sbatch.clone(),
            tasks: self.size,
            time: self.time,
            partition: self.queue.clone().or(self.live.partition.clone()),
            user: self.user.clone(),
            is_alone: false,
        }
    }
}

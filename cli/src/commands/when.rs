//! `queuecast when`: when a job would start.

use std::path::{Path, PathBuf};

use clap::Id;
use clap::builder::Resettable;
use queuecast_forecast::forecast::WhenSettings;
use queuecast_place::{
    NewCampaign, campaign_at, explain_start, is_waiting_campaign, queued_at, waiting_campaign_at, when_at,
};
use queuecast_process::failure::Failure;
use queuecast_process::printer::Printer;
use queuecast_process::told;
use queuecast_report::Explained;

use super::job_script::ScriptNotes;
use super::place::ReadPlace;
use super::{campaign, job_script, newcomer};
use crate::plot::Plotting;

const EXAMPLES: &str = "\
Examples:
  64 processors for two hours, submitted at the end of a log:
    queuecast when LOG.swf.gz -n 64 -t 2h

  The same on a day of the log, for user 12 in queue 3:
    queuecast when LOG.swf.gz --at 1997-02-03T10:00 -n 64 -t 2h -u 12 -q 3

  On a Slurm site, now, with its accounting to learn from:
    queuecast when --live site.sacct.gz -n 64 -t 2h -p batch

  What a job script asks for, and a job that waits already:
    queuecast when --live job.sh
    queuecast when --live 1234_5 --why

  An array of 500 jobs, at most 20 of them at once; ten jobs one after the other; a list of jobs:
    queuecast when LOG.swf.gz -n 4 -t 1h --array 1-500%20
    queuecast when LOG.swf.gz -n 64 -t 1d --chain 10
    queuecast when --live site.sacct.gz --list jobs.csv

  By Slurm's own scheduler, on the configuration saved by site capture:
    queuecast when site.sacct.gz --site mysite -n 64 -t 2h -q batch -u anna";

/// Say when a job would start: most likely between, at the latest, and how often such answers held
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
#[command(mut_arg("size", |size| size.required_unless_present(Resettable::<Id>::Reset)))]
pub struct Arguments {
    #[command(flatten)]
    pub asked: newcomer::Arguments,
    /// A job that waits already, by its number (1234, or 1234_5 of an array); with --live, FILE may be the number, of an array or a chain of dependencies too
    #[arg(long, value_name = "ID", help_heading = "The job")]
    pub job: Option<String>,
    /// A job script: its #SBATCH lines say what the job asks for, where no option does; with --live, FILE may be the script
    #[arg(long, value_name = "FILE", help_heading = "The job")]
    pub script: Option<PathBuf>,
    #[command(flatten)]
    pub several: campaign::Arguments,
    /// Say what keeps the job from starting: each job that runs or waits before it is left out in turn, and the queue simulated again
    #[arg(long, help_heading = "The answer")]
    pub why: bool,
    /// Say what the answer stands on: all quantiles, and how right each method was for the last jobs
    #[arg(long, help_heading = "Results")]
    pub explain: bool,
    #[command(flatten)]
    pub plotting: Plotting,
}

impl Arguments {
    /// What is asked about, with FILE taken for what it is: under --live it may be the number of a job, or a job script.
    fn read(&self, printer: &Printer) -> Result<ReadQuestion, Failure> {
        let (mut asked, mut job, mut script) = (self.asked.clone(), self.job.clone(), self.script.clone());
        let mut notes = None;
        if let Some(file) = asked.file.take_if(|file| self.asked.live.live && self.is_job(file)) {
            job = Some(file.display().to_string());
        } else if let Some(file) =
            asked.file.take_if(|file| self.asked.live.live && script.is_none() && job_script::is_one(file))
        {
            script = Some(file);
        }
        if let Some(job) = &job {
            self.check_alone(job)?;
        } else if let Some(script) = &script {
            notes = job_script::take(&mut asked, script, self.several.given().is_some(), printer)?;
        }
        if let Some(option) = self.several.given() {
            self.check_several(option, script.is_some())?;
        }
        asked.waiting.clone_from(&job);
        let is_listed = self.several.list.is_some();
        if job.is_none() && !is_listed && asked.size.is_none() && asked.slurm.sbatch.is_none() {
            return Err(Failure::usage("--size <N> (-n) is required: how many processors the job asks for")
                .hint("or name a job script (--script job.sh), or a job that waits already (--job 1234)"));
        }
        Ok(ReadQuestion { asked, job, notes })
    }

    /// Refuses options that mean nothing for a job that waits already.
    fn check_alone(&self, job: &str) -> Result<(), Failure> {
        let asked = &self.asked;
        let (own, as_all) = ("it has been submitted with its own", "all waiting jobs are simulated together");
        let options = [
            ("size", asked.size.is_some(), own),
            ("time", asked.time.is_some(), own),
            ("user", asked.user.is_some(), own),
            ("queue", asked.queue.is_some(), own),
            ("sbatch", asked.slurm.sbatch.is_some(), own),
            ("script", self.script.is_some(), own),
            (self.several.given().unwrap_or_default(), self.several.given().is_some(), own),
            ("method or --trials", asked.settings() != WhenSettings::default(), as_all),
            ("explain", self.explain, as_all),
        ];
        match options.iter().find(|one| one.1) {
            Some((option, _, why)) => Err(Failure::usage(format!(
                "--{option} cannot be given for job {job}, which waits already: {why}"
            ))),
            None => Ok(()),
        }
    }

    /// Refuses options that mean nothing for several jobs together.
    fn check_several(&self, option: &str, script: bool) -> Result<(), Failure> {
        let (asked, is_listed) = (&self.asked, self.several.list.is_some());
        let (listed, together) = ("the list says it of each job", "all jobs are simulated together");
        let options = [
            ("size", is_listed && asked.size.is_some(), listed),
            ("user", is_listed && asked.user.is_some(), listed),
            ("queue", is_listed && asked.queue.is_some(), listed),
            ("sbatch", is_listed && asked.slurm.sbatch.is_some(), listed),
            ("script", is_listed && script, listed),
            ("method or --trials", asked.settings() != WhenSettings::default(), together),
            ("why", self.why, together),
            ("explain", self.explain, together),
        ];
        match options.iter().find(|one| one.1) {
            Some((other, _, why)) => {
                Err(Failure::usage(format!("--{other} cannot be used with --{option}: {why}")))
            }
            None => Ok(()),
        }
    }

    /// Whether FILE is the number of a job.
    fn is_job(&self, file: &Path) -> bool {
        let text = file.to_string_lossy();
        let digits = |text: &str| !text.is_empty() && text.bytes().all(|letter| letter.is_ascii_digit());
        let (job, task) = text.split_once('_').map_or((&*text, None), |(job, task)| (job, Some(task)));
        self.job.is_none() && digits(job) && task.is_none_or(digits) && !file.exists()
    }
}

/// A question, with FILE taken for what it is.
struct ReadQuestion {
    asked: newcomer::Arguments,
    /// The job that waits already, if that is asked about.
    job: Option<String>,
    /// What is to be said of the job script.
    notes: Option<ScriptNotes>,
}

/// Reads the place, and says when the job would start.
pub fn run(arguments: &Arguments, printer: &Printer) -> Result<(), Failure> {
    let ReadQuestion { mut asked, job: waiting, notes } = arguments.read(printer)?;
    let inputs: Vec<&Path> = asked.inputs().into_iter().chain(arguments.several.inputs()).collect();
    let plot = arguments.plotting.plan(&inputs)?;
    let several = arguments.several.read(&asked, printer)?;
    // One job has one answer, however it is asked about.
    let alone = several.as_ref().and_then(NewCampaign::alone).cloned();
    let several = several.filter(|_| alone.is_none());
    let read = ReadPlace::read(&asked, printer)?;
    if arguments.asked.queue.is_none() {
        read.forget_unknown_queue(&mut asked, printer);
    }
    let live = asked.live.clone();
    let place = read.asked(&live, asked.source.procs);
    if waiting.is_none() && arguments.several.list.is_none() {
        asked.take_asker(place, printer);
    }
    let zone = &asked.source.reading.time_zone;
    if let Some(notes) = notes {
        notes.tell(place.is_by_scheduler(), printer);
    }
    let (settings, why) = (asked.settings(), arguments.why);
    // --job asks about the one job, whatever belongs to it.
    let is_alone = why || arguments.job.is_some();
    if let Some(name) = waiting.as_ref().filter(|name| !is_alone && is_waiting_campaign(place, name)) {
        let answer = told::learned(asked.methods.cache.is_kept(), printer, |messages| {
            waiting_campaign_at(place, name, &settings, zone, messages)
        })?;
        return plot.answer(&answer, printer);
    }
    if let Some(campaign) = several {
        read.check_user(asked.user.as_deref())?;
        let answer = told::learned(asked.methods.cache.is_kept(), printer, |messages| {
            campaign_at(place, &campaign, &settings, zone, messages)
        })?;
        return plot.answer(&answer, printer);
    }
    if let Some(name) = waiting {
        let answer = told::learned(asked.methods.cache.is_kept(), printer, |messages| {
            queued_at(place, &name, why, &settings, zone, messages)
        })?;
        return plot.answer(&answer, printer);
    }
    let job = alone.unwrap_or_else(|| asked.job());
    read.check_user(job.user.as_deref())?;
    let answer = told::learned(asked.methods.cache.is_kept(), printer, |messages| {
        let mut answer = when_at(place, &job, &settings, zone, messages)?;
        if why {
            explain_start(place, &job, &mut answer, &settings, messages)?;
        }
        Ok(answer)
    })?;
    match arguments.explain {
        true => plot.answer(&Explained(&answer), printer),
        false => plot.answer(&answer, printer),
    }
}

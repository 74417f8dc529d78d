//! The site's own Slurm, asked now through `squeue` and `sinfo`.

use std::io;
use std::process::Command;
use std::time::{SystemTime, UNIX_EPOCH};

use queuecast::job::{Job, JobIndex, UserId};
use queuecast::trace::squeue::{NotAsAsked, Queued, SINFO, SQUEUE, sinfo, squeue};
use queuecast::units::{Procs, Seconds, Time};
use queuecast::workload::Workload;

use crate::failure::Failure;
use crate::printer::Printer;

/// Whether and what to ask.
#[derive(Debug, Clone, clap::Args)]
#[group(skip)]
#[command(next_help_heading = "The site")]
#[group(id = "the_site")]
pub struct Arguments {
    /// Ask the site's Slurm, by squeue and sinfo, who runs and who waits now
    #[arg(long)]
    pub live: bool,
    /// Ask about this partition only
    #[arg(long, value_name = "NAME", requires = "live")]
    pub partition: Option<String>,
}

/// What the site said.
#[derive(Debug)]
pub struct Site {
    /// Processors in use or ready for it.
    pub machine: Procs,
    /// When it was asked, as a Unix time.
    pub asked: Time,
    queue: Vec<Queued>,
}

impl Site {
    /// Asks. Jobs that wait for something else than processors, and those larger than the machine, are left out, which is
    /// said.
    pub fn ask(arguments: &Arguments, procs: Option<u32>, printer: &Printer) -> Result<Site, Failure> {
        let partition = arguments.partition.as_ref().map_or_else(|| vec!["-a"], |name| vec!["-p", name]);
        let said =
            |error: NotAsAsked| Failure::input(error.to_string()).hint("--live knows Slurm from 22.05 on");
        let machine = match procs {
            Some(procs) => Procs(procs),
            None => sinfo(&output("sinfo", &[&SINFO[..], &partition].concat())?).map_err(said)?,
        };
        if machine == Procs(0) {
            return Err(Failure::input("sinfo names no processors that are in use or ready")
                .hint("check --partition"));
        }
        let all = squeue(&output("squeue", &[&SQUEUE[..], &partition].concat())?).map_err(said)?;
        let asked = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs() as i64);
        let count = all.len();
        let queue: Vec<Queued> = all.into_iter().filter(|job| job.in_line && job.procs <= machine).collect();
        if queue.len() < count {
            printer.note(&format!(
                "{} of {count} jobs wait for something else than processors, or want more than {machine}; they are left out",
                count - queue.len()
            ));
        }
        Ok(Site { machine, asked: Time(asked), queue })
    }

    /// Those that run, with their age, and those that wait, as jobs of the users a log knows by name.
    pub fn jobs(&self, known: &Workload) -> (Vec<(Job, Seconds)>, Vec<Job>) {
        let number =
            |name: &str| known.names.users.iter().find(|(_, user)| *user == name).map(|(&number, _)| number);
        let (mut running, mut waiting) = (Vec::new(), Vec::new());
        for (index, queued) in (known.len() as u32..).zip(&self.queue) {
            let mut job = Job::rigid(queued.id, self.asked, queued.procs, queued.limit);
            job.index = JobIndex(index);
            job.user = number(&queued.user).and_then(UserId::new);
            match queued.elapsed {
                Some(age) => running.push((job, age)),
                None => waiting.push(job),
            }
        }
        (running, waiting)
    }
}

/// What a command prints.
fn output(command: &str, arguments: &[&str]) -> Result<String, Failure> {
    const HINT: &str =
        "--live asks the site's Slurm: run it where squeue and sinfo work, or give a log without it";
    let output = Command::new(command).args(arguments).output().map_err(|cause| match cause.kind() {
        io::ErrorKind::NotFound => Failure::input(format!("there is no {command} here")).hint(HINT),
        _ => Failure::input(format!("cannot run {command}")).because(cause).hint(HINT),
    })?;
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
    }
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    let said = said.lines().next().unwrap_or("it does not say why").trim().to_owned();
    Err(Failure::input(format!("{command} failed: {said}")).hint(HINT))
}

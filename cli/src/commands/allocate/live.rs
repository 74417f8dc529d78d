//! The site's own Slurm, asked now through `squeue` and `sinfo`.

use std::io;
use std::process::Command;
use std::time::{SystemTime, UNIX_EPOCH};

use queuecast::site::Site;
use queuecast::trace::squeue::{NotAsAsked, Queued, SINFO, SQUEUE, TIME_FORMAT, sinfo, squeue};
use queuecast::units::{Procs, Seconds, Time};
use queuecast::workload::{Machine, Names};

use crate::failure::Failure;
use crate::printer::Printer;

/// Whether and what to ask.
#[derive(Debug, Clone, clap::Args)]
#[group(skip)]
#[command(next_help_heading = "The site")]
#[group(id = "the_site")]
pub struct Arguments {
    /// Ask the site's Slurm, by squeue and sinfo, which jobs run and wait now
    #[arg(long)]
    pub live: bool,
    /// Ask about this partition only
    #[arg(long, value_name = "NAME", requires = "live")]
    pub partition: Option<String>,
}

/// The queue of the site.
#[derive(Debug)]
pub struct LiveQueue {
    /// Processors in use or ready for it.
    pub machine: Procs,
    /// When it was asked, as a Unix time.
    pub asked: Time,
    queue: Vec<Queued>,
}

impl LiveQueue {
    /// Asks. Jobs that wait for something else than processors, and those larger than the machine, are left out, which is
    /// said.
    pub fn ask(arguments: &Arguments, procs: Option<u32>, printer: &Printer) -> Result<LiveQueue, Failure> {
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
        Ok(LiveQueue { machine, asked: Time(asked), queue })
    }

    /// The site as it is now, with users numbered as in its history.
    pub fn site(&self, names: &Names, default_request: Seconds) -> Site {
        let job = |queued: &Queued| queued.job(self.asked, names);
        let running = self.queue.iter().filter_map(|queued| Some((job(queued), queued.elapsed?)));
        let waiting = self.queue.iter().filter(|queued| queued.elapsed.is_none()).map(job);
        Site::found(Machine { procs: self.machine }, self.asked, running, waiting, default_request)
    }
}

/// What a command prints.
fn output(command: &str, arguments: &[&str]) -> Result<String, Failure> {
    const HINT: &str =
        "--live asks the site's Slurm: run it where squeue and sinfo work, or give a log without it";
    let output = Command::new(command).args(arguments).env(TIME_FORMAT.0, TIME_FORMAT.1).output().map_err(
        |cause| match cause.kind() {
            io::ErrorKind::NotFound => Failure::input(format!("there is no {command} here")).hint(HINT),
            _ => Failure::input(format!("cannot run {command}")).because(cause).hint(HINT),
        },
    )?;
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
    }
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    let said = said.lines().next().unwrap_or("it does not say why").trim().to_owned();
    Err(Failure::input(format!("{command} failed: {said}")).hint(HINT))
}

//! `--site`: a job that is submitted to a Slurm site, answered by the site's own scheduler.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use queuecast_operate::SlurmCommands;
use queuecast_operate::site_now;
use queuecast_place::{SlurmJob, SlurmNow, SlurmPlace};
use queuecast_process::failure::Failure;
use queuecast_process::printer::Printer;
use queuecast_process::told;
use queuecast_slurm_texts::{SACCT_NOW, SSHARE_NOW, SiteFileKind, check_answer};
use queuecast_trace::TimeZone;

use super::live;
use super::site_texts::{log_texts, texts};

/// What is asked about at a site.
pub struct AtSite<'a> {
    /// A log of the site.
    pub file: Option<&'a PathBuf>,
    /// Whether it is asked now.
    pub live: &'a live::Arguments,
    /// The moment of the log.
    pub at: &'a str,
    /// The zone of its times.
    pub zone: &'a TimeZone,
    /// The job; without one it is the queue that is asked about.
    pub job: Option<SlurmJob>,
}

/// Reads the site and what has happened there, and puts the job to the moment asked about; with `--live`, to now.
pub fn read(asked: &AtSite<'_>, site: &Path, printer: &Printer) -> Result<SlurmPlace, Failure> {
    let AtSite { file, live, at, zone, ref job } = *asked;
    let commands = live.outside.commands(printer);
    let (name, mut site_texts) = (site.display().to_string(), texts(site, printer)?);
    if live.live {
        refresh(&mut site_texts, &commands)?;
    }
    let read = |file: &PathBuf| Ok::<_, Failure>((file.display().to_string(), log_texts(file, printer)?));
    let log = file.map(read).transpose()?;
    let site = (name.as_str(), &site_texts);
    let has_history =
        site_texts.iter().any(|(file, text)| SiteFileKind::of(file, text) == Some(SiteFileKind::Accounting));
    let log = match &log {
        Some((name, texts)) => Some((name.as_str(), texts)),
        None => has_history.then_some(site),
    };
    match (log, live.live) {
        (Some(log), false) => {
            told::asked(printer, |messages| SlurmPlace::recorded(site, log, at, job.as_ref(), zone, messages))
        }
        (None, false) => Err(Failure::usage(format!(
            "{name} has no accounting: name a log of the site, or --live"
        ))
        .hint("queuecast site capture saves the accounting of the last 30 days beside the configuration")),
        (log, true) => {
            let sacct = output(&commands, "sacct", &SACCT_NOW)?;
            // Usage is shown to administrators and to users; where it is not, the history tells it.
            let sshare = commands.printed("sshare", &SSHARE_NOW).ok();
            let shown = SlurmNow { sacct, sshare, now: site_now::now() };
            told::asked(printer, |messages| SlurmPlace::live(site, log, &shown, job.as_ref(), zone, messages))
        }
    }
}

/// What a command prints.
fn output(commands: &SlurmCommands<'_>, command: &str, arguments: &[&str]) -> Result<String, Failure> {
    commands.printed(command, arguments).map_err(|why| why.failure(command, SlurmNow::HINT))
}

/// Nodes and reservations change by the hour: they are as Slurm shows them now, the rest is as it was saved.
fn refresh(texts: &mut BTreeMap<String, String>, commands: &SlurmCommands<'_>) -> Result<(), Failure> {
    let live = [
        (SiteFileKind::Nodes, "node", "scontrol-node.txt"),
        (SiteFileKind::Reservations, "reservation", "scontrol-reservation.txt"),
    ];
    for (kind, what, file) in live {
        let shown = output(commands, "scontrol", &["-a", "show", what])?;
        check_answer(kind, &shown)
            .map_err(|why| Failure::input(format!("scontrol -a show {what}: {why}")).hint(SlurmNow::HINT))?;
        texts.retain(|name, text| SiteFileKind::of(name, text) != Some(kind));
        texts.insert(file.to_owned(), shown);
    }
    Ok(())
}

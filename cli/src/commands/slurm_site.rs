//! `--site`: a job that is submitted to a Slurm site, answered by the site's own scheduler.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use queuecast::cluster::{Cluster, ClusterMoment, JobRequest, RecordedRun, SubmittedJob, TimeLimit};
use queuecast::forecast::{ClusterWhenError, ClusterWhenSettings};
use queuecast::slurm::{
    SACCT_NOW, SSHARE_NOW, SiteFileKind, SiteOptions, WhatIf, check_answer, moment_now, read_accounted,
    read_site, read_what_if, sbatch_line, unmodelled,
};
use queuecast::trace::LogSpan;
use queuecast::units::{Micros, Procs, Seconds, Time};

use super::moment;
use super::newcomer::{self, Asked};
use super::outside::SlurmCommands;
use super::site_texts::{log_texts, texts, what_if_failure};
use crate::failure::Failure;
use crate::printer::Printer;
use crate::progress::Progress;

/// A site, what has happened there, and a job that is submitted to it at a moment.
pub struct SiteQuestion {
    pub cluster: Cluster,
    pub history: RecordedRun,
    pub moment: ClusterMoment,
    pub job: SubmittedJob,
    /// What it asks for.
    pub asked: Asked,
    /// The moment on the log's clock, and the Unix time that this begins at.
    pub at: Time,
    pub epoch: Option<i64>,
    /// Where the history comes from.
    pub source: String,
    /// Whether there is a past to try forecasts on, and not only what is there now.
    pub has_past: bool,
}

/// Simulating a whole site costs more than asking a model: past submissions that it is tried on, at most.
const TRIALS: usize = 60;

/// How the answer is found.
pub fn settings(asked: &newcomer::Arguments, question: &SiteQuestion) -> ClusterWhenSettings {
    let trials = if question.has_past { asked.trials.min(TRIALS) } else { 0 };
    ClusterWhenSettings { trials, ..ClusterWhenSettings::default() }
}

/// Progress over the submissions that forecasts are tried on.
pub fn trying(settings: &ClusterWhenSettings, printer: &Printer) -> Progress {
    Progress::new(printer, "trying on past submissions", settings.trials)
}

/// Why there is no answer, with what helps.
pub fn refused(error: &ClusterWhenError) -> Failure {
    Failure::usage(error.to_string()).hint("queuecast site check DIR lists partitions and their limits")
}

/// Reads the site and what has happened there, and puts the job to the moment asked about; with `--live`, to now.
pub fn read(asked: &newcomer::Arguments, site: &Path, printer: &Printer) -> Result<SiteQuestion, Failure> {
    let zone = &asked.source.reading.time_zone;
    let mut site_texts = texts(site, printer)?;
    if asked.live.live {
        refresh(&mut site_texts, &asked.commands(printer))?;
    }
    let mut options = SiteOptions { time_zone: zone.clone(), ..SiteOptions::default() };
    let name = site.display().to_string();
    let past = match &asked.file {
        Some(file) => {
            let (log, source) = (log_texts(file, printer)?, file.display().to_string());
            let read = |options: &SiteOptions| {
                let read = read_what_if(&site_texts, &log, &[], options);
                read.map_err(|error| what_if_failure(error, &name, &source))
            };
            let mut all = read(&options)?;
            // What came later is not known at a moment.
            if let Some(span) = span(&all.run).filter(|_| !asked.live.live) {
                options.known_until = Some(moment::read_within(&asked.moment.at, zone, &span)?);
                all = read(&options)?;
            }
            Some((all, source))
        }
        None => None,
    };
    if asked.live.live {
        return live(asked, &site_texts, past, &name, printer);
    }
    let Some((WhatIf { reading, run: history, .. }, source)) = past else {
        return Err(Failure::usage("--site needs a log of the site, or --live"));
    };
    note_left_out(&reading.cluster, &history, printer);
    let Some(span) = span(&history) else {
        return Err(Failure::input(format!(
            "{source}: no starts are recorded there, so there is nothing to learn from"
        ))
        .hint("expected accounting (sacct -P) with the columns Start and End, or a recorded run"));
    };
    // On the whole log: what is cut off at the moment may end before it.
    let at = match options.known_until {
        Some(at) => at,
        None => moment::read_within(&asked.moment.at, zone, &span)?,
    };
    let moment = ClusterMoment::recorded(&reading.cluster, &history, Micros::last_of(at));
    let (job, wants) = new_job(asked, &reading.cluster, moment.now, printer)?;
    Ok(SiteQuestion {
        cluster: reading.cluster,
        history,
        moment,
        job,
        asked: wants,
        at,
        epoch: span.epoch,
        source,
        has_past: true,
    })
}

/// What the site's own commands are asked for.
const ASKED: &str = "a live site is asked through its Slurm: run this where sacct and scontrol work";

/// What a command prints.
fn output(commands: &SlurmCommands<'_>, command: &str, arguments: &[&str]) -> Result<String, Failure> {
    commands.printed(command, arguments).map_err(|why| why.failure(command, ASKED))
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
            .map_err(|why| Failure::input(format!("scontrol -a show {what}: {why}")).hint(ASKED))?;
        texts.retain(|name, text| SiteFileKind::of(name, text) != Some(kind));
        texts.insert(file.to_owned(), shown);
    }
    Ok(())
}

/// The site now.
fn live(
    asked: &newcomer::Arguments,
    texts: &BTreeMap<String, String>,
    past: Option<(WhatIf, String)>,
    name: &str,
    printer: &Printer,
) -> Result<SiteQuestion, Failure> {
    let zone = &asked.source.reading.time_zone;
    let cluster =
        read_site(texts, &SiteOptions { time_zone: zone.clone(), ..SiteOptions::default() }).cluster;
    if cluster.nodes.is_empty() || cluster.partitions.is_empty() {
        return Err(Failure::input(format!("{name}: no nodes or no partitions are known"))
            .hint("queuecast site capture DIR saves what is needed"));
    }
    let commands = asked.commands(printer);
    let shown = output(&commands, "sacct", &SACCT_NOW)?;
    let (jobs, _) = read_accounted(&shown, &cluster, zone)
        .map_err(|error| Failure::input(format!("sacct: {error}")).hint(ASKED))?;
    // Usage is shown to administrators and to users; where it is not, the history tells it.
    let usage = commands.printed("sshare", &SSHARE_NOW).ok();
    let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs() as i64);
    let has_past = past.is_some();
    let (history, source) = match past {
        Some((past, source)) => (past.run, format!("sacct, learning from {source}")),
        None => (jobs.clone(), "sacct".to_owned()),
    };
    note_left_out(&cluster, &jobs, printer);
    let moment = moment_now(&cluster, &jobs, usage.as_deref(), Some(&history), Time(now));
    let (job, wants) = new_job(asked, &cluster, moment.now, printer)?;
    Ok(SiteQuestion {
        cluster,
        history,
        moment,
        job,
        asked: wants,
        at: Time(now),
        epoch: Some(0),
        source,
        has_past,
    })
}

/// What the site uses and the simulation leaves out is said.
fn note_left_out(cluster: &Cluster, history: &RecordedRun, printer: &Printer) {
    let left_out = unmodelled(cluster, history);
    if !left_out.is_empty() {
        printer.note(&format!("not modelled: {}", left_out.join(", ")));
    }
}

/// The times of a history; `None` without a start.
fn span(history: &RecordedRun) -> Option<LogSpan> {
    history.outcomes.iter().find(|one| one.start.is_some())?;
    let submits = history.submissions.iter().map(|one| one.submit.second());
    let last = submits.clone().max()?;
    let times = history.outcomes.iter().flat_map(|one| [one.start, one.end]).flatten();
    Some(LogSpan {
        first: submits.min()?,
        last,
        until: times.max().unwrap_or(last).max(last),
        epoch: history.clock.is_unix.then_some(0),
    })
}

/// The job as sbatch would be asked for it.
fn new_job(
    asked: &newcomer::Arguments,
    cluster: &Cluster,
    now: Micros,
    printer: &Printer,
) -> Result<(SubmittedJob, Asked), Failure> {
    let mut request = JobRequest::default();
    if let Some(text) = &asked.slurm.sbatch {
        let read = sbatch_line(text).map_err(|error| Failure::usage(format!("--sbatch {text}: {error}")))?;
        if !read.not_modelled.is_empty() {
            printer.warning(&format!("--sbatch: {} is not modelled", read.not_modelled.join(", ")));
        }
        request = read.request;
    }
    request.tasks = asked.size.or(request.tasks);
    request.time_limit = asked.time.map(TimeLimit::Of).or(request.time_limit);
    if let Some(named) = asked.queue.as_ref().or(asked.live.partition.as_ref()) {
        request.partitions = vec![named.clone()];
    }
    for name in &request.partitions {
        if cluster.partition(name).is_none() {
            let names: Vec<&str> = cluster.partitions.iter().map(|one| one.name.as_str()).collect();
            return Err(Failure::usage(format!("partition {name}: the site has no such partition"))
                .hint(format!("partitions of the site: {}", names.join(", "))));
        }
    }
    let user = asked.user.clone().unwrap_or_default();
    let own: Vec<&str> = cluster
        .associations
        .0
        .iter()
        .filter(|one| one.user.as_deref() == Some(&user))
        .map(|one| one.account.as_str())
        .collect();
    if !cluster.associations.0.is_empty() && own.is_empty() {
        let why = match &asked.user {
            Some(user) => format!("--user {user}: the site's accounts have no such user"),
            None => "no --user is given".to_owned(),
        };
        printer.note(&format!("{why}; the job is answered for without a share of its own"));
    }
    request.account = request.account.or_else(|| own.first().map(|&name| name.to_owned()));
    let partition = request.partitions.first().and_then(|name| cluster.partition(name));
    let config = partition.or_else(|| cluster.default_partition()).map(|index| &cluster.partitions[index]);
    let usual = config.and_then(|one| one.default_time.or(one.max_time));
    let time = match request.time_limit {
        Some(TimeLimit::Of(limit)) => limit,
        _ => usual.unwrap_or(Seconds(365 * 86_400)),
    };
    let procs = Procs(request.processors());
    let job = SubmittedJob {
        key: "the job asked about".to_owned(),
        id: None,
        submit: now,
        user,
        request,
        runs: Vec::new(),
        not_modelled: Vec::new(),
    };
    Ok((job, Asked { procs, time }))
}

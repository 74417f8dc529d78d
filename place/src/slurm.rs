//! A Slurm site by its configuration, what has happened there, and a job that is submitted to it at a moment.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::queue_starts::LookStarts;
use super::{JobSize, NewJob};
use queuecast_core::asking::{Messages, Refusal};
use queuecast_core::number::number_of;
use queuecast_core::units::{Micros, Procs, Seconds, Time};
use queuecast_forecast::forecast::{
    ClusterDraws, ClusterQuestion, ClusterRecord, ClusterWhenSettings, ExpectedArrivals, SimulationWork,
};
use queuecast_slurm_sim::cluster::{
    Cluster, ClusterMoment, DependencyKind, DependencyOn, JobRequest, RecordedRun, SubmittedJob, TimeLimit,
    submit_refusal,
};
use queuecast_slurm_texts::{
    SiteOptions, SiteReading, WhatIf, left_out, log_span, moment_now, read_accounted, read_site,
    read_what_if, sbatch_line, span_of,
};
use queuecast_trace::TimeZone;

/// What a question to a log, or to a site that is not followed, may simulate: as usual while up to 340 jobs wait, and with more of them for
/// a minute or two.
const OF_A_LOG: SimulationWork = SimulationWork(120_000_000);

/// Texts by name, and what to call them together.
pub(super) type NamedTexts<'a> = (&'a str, &'a BTreeMap<String, String>);

/// A site at a moment, what has happened there, and a job that is submitted to it, if one is.
#[derive(Debug)]
pub struct SlurmPlace {
    pub(super) cluster: Cluster,
    pub(super) history: RecordedRun,
    pub(super) moment: ClusterMoment,
    /// The job, if one is asked about that has not been submitted, and what it asks for.
    pub(super) job: Option<(SubmittedJob, JobSize)>,
    /// The moment on the log's clock, and the Unix time that this begins at.
    pub(super) at: Time,
    pub(super) epoch: Option<i64>,
    /// Where the history comes from.
    pub(super) source: String,
    /// Whether there is a past to try forecasts on, and not only what is there now.
    pub(super) has_past: bool,
    /// What is expected to be submitted later.
    pub(super) arrivals: ExpectedArrivals,
    /// Whether it is followed: what is simulated of its queue at a look is kept, and new jobs are placed beside that.
    pub(super) is_followed: bool,
    /// How right forecasts were on that past, and when the waiting jobs start, if these were found before, or at an earlier look.
    pub(super) found: FoundBefore,
}

/// What was found of a site before it is asked about.
#[derive(Debug, Clone, Default)]
pub(super) struct FoundBefore {
    pub record: Option<Arc<ClusterRecord>>,
    pub starts: Option<Arc<LookStarts>>,
    pub before: Option<Arc<LookStarts>>,
}

/// A job as sbatch would be asked for it.
#[derive(Debug, Clone, Default)]
pub struct SlurmJob {
    /// Arguments of sbatch.
    pub sbatch: Option<String>,
    /// Its tasks, whatever these say.
    pub tasks: Option<u32>,
    /// Its time limit, whatever these say.
    pub time: Option<Seconds>,
    /// Its partition, whatever these say.
    pub partition: Option<String>,
    /// Its user.
    pub user: Option<String>,
    /// Whether it is one job, whatever array these describe.
    pub is_alone: bool,
}

/// What the commands of a live site print.
#[derive(Debug, Clone)]
pub struct SlurmNow {
    /// [`SACCT_NOW`](queuecast_slurm_texts::SACCT_NOW).
    pub sacct: String,
    /// [`SSHARE_NOW`](queuecast_slurm_texts::SSHARE_NOW), where it is shown; else the history tells usage.
    pub sshare: Option<String>,
    /// When they were asked, as a Unix time.
    pub now: Time,
}

pub(super) fn read(
    site: NamedTexts<'_>,
    log: NamedTexts<'_>,
    options: &SiteOptions,
) -> Result<WhatIf, Refusal> {
    read_what_if(site.1, log.1, &[], options).map_err(|error| error.refusal(site.0, log.0))
}

impl SlurmPlace {
    /// At the moment that a text names in a log of the site: accounting, or a recorded run. Nothing of later is used.
    ///
    /// # Errors
    /// If the texts tell of no machine or no starts, there is no such moment, or the job makes no sense there.
    pub fn recorded(
        site: NamedTexts<'_>,
        log: NamedTexts<'_>,
        at: &str,
        job: Option<&SlurmJob>,
        zone: &TimeZone,
        messages: &dyn Messages,
    ) -> Result<SlurmPlace, Refusal> {
        let mut options = SiteOptions { time_zone: zone.clone(), ..SiteOptions::default() };
        // Of accounting alone the times are read first: what is not known at the moment is read otherwise.
        let (whole, all) = match log_span(log.1, zone) {
            Some(whole) => (Some(whole), None),
            None => {
                let all = read(site, log, &options)?;
                (span_of(&all.run), Some(all))
            }
        };
        let Some(whole) = whole else {
            if let Some(all) = all {
                note_left_out(&all.reading, &all.run, messages);
            }
            return Err(nothing_started(log.0));
        };
        // A moment of the whole log: what is cut off at it may end before it.
        let at = whole.moment(at, zone).or_else(|error| {
            // What is wrong with the site comes first.
            if all.is_none() {
                read(site, log, &options)?;
            }
            Err(error)
        })?;
        let is_all_known = at >= whole.until;
        options.known_until = Some(at).filter(|_| !is_all_known);
        let WhatIf { reading, run: history, log: submissions, .. } = match all {
            Some(all) if is_all_known => all,
            _ => read(site, log, &options)?,
        };
        note_left_out(&reading, &history, messages);
        if !submissions.assumed.is_empty() {
            messages.note(&format!("{}: {}", log.0, submissions.assumed.join("; ")));
        }
        let Some(span) = span_of(&history) else {
            return Err(nothing_started(log.0));
        };
        let moment = ClusterMoment::recorded(&reading.cluster, &history, Micros::last_of(at));
        let job =
            job.map(|job| job.submitted(&reading.cluster, (&moment, &history), messages)).transpose()?;
        let (cluster, source, epoch) = (reading.cluster, log.0.to_owned(), span.epoch);
        Ok(SlurmPlace {
            cluster,
            history,
            moment,
            job,
            at,
            epoch,
            source,
            has_past: true,
            arrivals: ExpectedArrivals::LikePast,
            is_followed: false,
            found: FoundBefore::default(),
        }
        .noted(messages))
    }

    /// Now, as the site's commands show it, with a log to learn from, if there is one.
    ///
    /// # Errors
    /// If the texts tell of no machine, or the job makes no sense there.
    pub fn live(
        site: NamedTexts<'_>,
        log: Option<NamedTexts<'_>>,
        shown: &SlurmNow,
        job: Option<&SlurmJob>,
        zone: &TimeZone,
        messages: &dyn Messages,
    ) -> Result<SlurmPlace, Refusal> {
        let options = SiteOptions { time_zone: zone.clone(), ..SiteOptions::default() };
        let past = log.map(|log| Ok::<_, Refusal>((read(site, log, &options)?.run, log.0))).transpose()?;
        let reading = read_site(site.1, &options);
        let cluster = reading.cluster.clone();
        if cluster.nodes.is_empty() || cluster.partitions.is_empty() {
            return Err(Refusal::input(format!("{}: no nodes or no partitions are known", site.0))
                .hint("queuecast site capture DIR saves what is needed"));
        }
        let (jobs, _) = read_accounted(&shown.sacct, &cluster, zone)
            .map_err(|error| Refusal::input(format!("sacct: {error}")).hint(SlurmNow::HINT))?;
        let has_past = past.is_some();
        let (history, source) = match past {
            Some((run, log)) => (run, format!("sacct, learning from {log}")),
            None => (jobs.clone(), "sacct".to_owned()),
        };
        note_left_out(&reading, &jobs, messages);
        let moment = moment_now(&cluster, &jobs, shown.sshare.as_deref(), Some(&history), shown.now);
        let job = job.map(|job| job.submitted(&cluster, (&moment, &history), messages)).transpose()?;
        let (at, epoch) = (shown.now, Some(0));
        Ok(SlurmPlace {
            cluster,
            history,
            moment,
            job,
            at,
            epoch,
            source,
            has_past,
            arrivals: ExpectedArrivals::LikePast,
            is_followed: false,
            found: FoundBefore::default(),
        }
        .noted(messages))
    }

    /// The job that is asked about, and what it asks for.
    ///
    /// # Errors
    /// If there is none.
    pub(super) fn question(&self) -> Result<(ClusterQuestion<'_>, JobSize), Refusal> {
        let (job, asked) =
            self.job.as_ref().ok_or_else(|| Refusal::bug("no job is asked about at this site"))?;
        Ok((self.question_about(job), *asked))
    }

    /// Processors of all its nodes.
    pub(super) fn procs(&self) -> Procs {
        Procs(u32::try_from(self.cluster.cpus()).unwrap_or(u32::MAX))
    }

    /// How it is simulated: less where many wait, if it is not followed.
    pub(super) fn settings(&self) -> ClusterWhenSettings {
        let usual = self.usual_settings();
        if self.is_followed { usual } else { usual.within(OF_A_LOG, self.waiting_jobs()) }
    }

    /// How it is simulated while few wait.
    fn usual_settings(&self) -> ClusterWhenSettings {
        let usual = ClusterWhenSettings::default();
        let draws = ClusterDraws { arrivals: self.arrivals, ..usual.draws };
        ClusterWhenSettings { draws, is_followed: self.is_followed, ..usual }
    }

    /// The same site. If less is simulated than usual, since many jobs wait, that is said.
    fn noted(self, messages: &dyn Messages) -> SlurmPlace {
        let (settings, usual) = (self.settings(), self.usual_settings());
        let mut less = Vec::new();
        if settings.draws != usual.draws {
            less.push(format!("{} simulations instead of {}", settings.draws.draws, usual.draws.draws));
        }
        if self.has_past && settings.trials != usual.trials {
            less.push(format!("trials of {} past moments instead of {}", settings.trials, usual.trials));
        }
        if !less.is_empty() {
            let waiting = number_of(self.waiting_jobs(), "job");
            messages.note(&format!(
                "{waiting} wait, which takes long to simulate: answers are by {}",
                less.join(", ")
            ));
        }
        self
    }

    /// Asks about a job.
    pub(super) fn question_about<'a>(&'a self, job: &'a SubmittedJob) -> ClusterQuestion<'a> {
        let SlurmPlace { cluster, history, moment, found, .. } = self;
        let schedules = found.starts.as_deref().map_or(&[][..], |starts| &starts.schedules);
        ClusterQuestion { cluster, history, moment, job, record: found.record.as_deref(), schedules }
    }

    /// A job as it would be submitted there, and what it asks for.
    ///
    /// # Errors
    /// If the site would refuse it.
    pub(super) fn newcomer(
        &self,
        job: &SlurmJob,
        messages: &dyn Messages,
    ) -> Result<(SubmittedJob, JobSize), Refusal> {
        job.submitted(&self.cluster, (&self.moment, &self.history), messages)
    }
}

impl SlurmNow {
    /// What to do where the commands do not answer.
    pub const HINT: &'static str =
        "a live site is asked through its Slurm: run this where sacct and scontrol work";
}

/// What the site uses and the simulation leaves out is said.
pub(super) fn note_left_out(reading: &SiteReading, history: &RecordedRun, messages: &dyn Messages) {
    let left_out = left_out(reading, history);
    if !left_out.is_empty() {
        messages.note(&format!("not modelled: {}", left_out.join(", ")));
    }
}

fn nothing_started(log: &str) -> Refusal {
    Refusal::input(format!("{log}: no starts are recorded there, so there is nothing to learn from"))
        .hint("expected accounting (sacct -P) with the columns Start and End, or a recorded run")
}

/// The conditions of a job's dependency, as sbatch writes them, on jobs that are not among these.
fn unknown_dependencies<'a>(
    request: &JobRequest,
    known: impl Iterator<Item = &'a SubmittedJob> + Clone,
) -> Vec<String> {
    let is_known = |on: &DependencyOn| {
        let name = on.job.trim_start_matches('@');
        let whole = name.rsplit_once('_').map_or(name, |(whole, _)| whole);
        let has = |name: &str, one: &SubmittedJob| {
            one.key == name || one.id.is_some_and(|id| id.to_string() == name)
        };
        on.kind == DependencyKind::Singleton || known.clone().any(|one| has(name, one) || has(whole, one))
    };
    let on = request.dependency.iter().flat_map(|one| &one.on);
    on.filter(|on| !is_known(on)).map(|on| format!("{}:{}", on.kind.word(), on.job)).collect()
}

/// The longest time that a partition without a limit is taken to allow.
const UNLIMITED: Seconds = Seconds(365 * 86_400);

/// What a job asks for at a site.
pub(super) fn asked_size(cluster: &Cluster, request: &JobRequest) -> JobSize {
    let partition = request.partitions.first().and_then(|name| cluster.partition(name));
    let config = partition.or_else(|| cluster.default_partition()).map(|index| &cluster[index]);
    let time = match request.time_limit {
        Some(TimeLimit::Of(limit)) => limit,
        _ => config.and_then(|one| one.default_time.or(one.max_time)).unwrap_or(UNLIMITED),
    };
    JobSize { procs: Procs(request.processors()), time }
}

/// The account of a user's jobs that name none.
pub(super) fn account_of(cluster: &Cluster, user: &str) -> Option<String> {
    let mut own = cluster.associations.0.iter().filter(|one| one.user.as_deref() == Some(user));
    own.next().map(|one| one.account.clone())
}

impl SlurmPlace {
    /// Whether the site's accounts, or its accounting, have a user.
    pub(super) fn knows_user(&self, user: &str) -> bool {
        account_of(&self.cluster, user).is_some()
            || self.history.submissions.iter().any(|one| one.user == user)
    }
}

impl SlurmJob {
    /// A job as it would be submitted to the first of some partitions: all that its script asks for, where it has one, else its size.
    pub(super) fn in_partition(new: &NewJob, partitions: &str, time: Seconds) -> SlurmJob {
        SlurmJob {
            sbatch: new.sbatch.clone(),
            tasks: new.sbatch.is_none().then_some(new.procs.0),
            time: Some(time),
            partition: partitions.split(',').next().map(str::to_owned),
            user: new.user.clone(),
            is_alone: true,
        }
    }

    /// The job as it is submitted to a site, and what it asks for there.
    fn submitted(
        &self,
        cluster: &Cluster,
        (moment, history): (&ClusterMoment, &RecordedRun),
        messages: &dyn Messages,
    ) -> Result<(SubmittedJob, JobSize), Refusal> {
        let mut request = self.request(messages)?;
        let user = self.user.clone().unwrap_or_default();
        let account = account_of(cluster, &user);
        if !cluster.associations.0.is_empty() && account.is_none() {
            let why = match &self.user {
                Some(user) => format!("--user {user}: the site's accounts have no such user"),
                None => "no --user is given".to_owned(),
            };
            messages.note(&format!("{why}; the job is answered for without a share of its own"));
        }
        request.account = request.account.or(account);
        for named in unknown_dependencies(&request, moment.submissions.iter().chain(&history.submissions)) {
            messages.note(&format!(
                "--dependency {named}: the site shows no such job by then; it is taken to have ended well"
            ));
        }
        let asked = asked_size(cluster, &request);
        let job = SubmittedJob {
            key: "the job asked about".to_owned(),
            id: None,
            submit: moment.now,
            user,
            request: request.into(),
            runs: Vec::new(),
            not_modelled: Vec::new(),
        };
        match submit_refusal(cluster, &job) {
            Some(why) => Err(Refusal::question(format!("the job would never start there: {why}"))
                .hint("queuecast site check DIR lists partitions, QOS, accounts and their limits")),
            None => Ok((job, asked)),
        }
    }

    fn request(&self, messages: &dyn Messages) -> Result<JobRequest, Refusal> {
        let mut request = JobRequest::default();
        if let Some(text) = &self.sbatch {
            let read = sbatch_line(text);
            let read = read.map_err(|error| Refusal::question(format!("--sbatch {text}: {error}")))?;
            if !read.not_modelled.is_empty() {
                messages.warning(&format!("sbatch: {} is not modelled", read.not_modelled.join(", ")));
            }
            request = read.request;
        }
        request.tasks = self.tasks.or(request.tasks);
        request.time_limit = self.time.map(TimeLimit::Of).or(request.time_limit);
        if let Some(named) = &self.partition {
            request.partitions = named.split(',').map(str::to_owned).collect();
        }
        if self.is_alone {
            request.array = None;
        }
        Ok(request)
    }
}

//! The loop of `queuecast collect`: looks at every interval, and what is computed between them.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use clap::ArgMatches;
use queuecast_core::units::{Seconds, Time};
use queuecast_live::{
    AskedJobs, ClusterNumber, CollectedRound, Collector, CollectorSettings, ComputeSettings, Computed,
    DeclaredCommands, SqlStore, Store, StoreError, StoreLocation, compare_decisions, compute, declared,
    first_forecasts, refused_store, write_comments,
};
use queuecast_process::failure::Failure;
use queuecast_process::interrupt::{ReloadRequest, StopRequest};
use queuecast_process::invocation::Invocation;
use queuecast_process::printer::Printer;
use queuecast_process::progress::Progress;
use queuecast_process::{program, supervisor, told, zone};
use queuecast_serve::LogLineFormat;

use crate::between_looks::BetweenLooks;
use crate::slurm_commands::SlurmCommands;
use crate::submission_files::SubmissionFiles;
use crate::{settings, site_now};

/// What a collector is set to, as far as that may change while it runs.
#[derive(Debug, Clone)]
pub struct CollectPlan {
    /// Time between two looks.
    pub every: Seconds,
    /// How far back the accounting goes that is loaded at first.
    pub history: Seconds,
    /// How long looks are kept.
    pub keep: Seconds,
    /// How long each of Slurm's commands may take.
    pub slurm_timeout: Seconds,
    /// The folder of the tables for submissions.
    pub tables: Option<PathBuf>,
    /// Whether first forecasts are written into comments of jobs.
    pub comments: bool,
    /// How messages are written; as text without.
    pub log_format: Option<LogLineFormat>,
}

impl CollectPlan {
    fn settings(&self) -> CollectorSettings {
        CollectorSettings {
            history: self.history,
            keep_looks: self.keep,
            accounting_every: self.accounting_every(),
            ..CollectorSettings::default()
        }
    }

    fn accounting_every(&self) -> Seconds {
        Seconds(self.every.0.saturating_mul(LOOKS_PER_ACCOUNTING))
    }

    /// Every command that may be run.
    pub fn declared(&self) -> DeclaredCommands {
        let also = declared::AlsoDone { tables: self.tables.is_some(), comments: self.comments };
        let all = declared::all(site_now::now().0, self.settings().window.0, also);
        DeclaredCommands::of(&all, self.every.0, self.accounting_every().0)
    }
}

/// How often it is looked whether the settings are to be read again.
const MOMENT: Duration = Duration::from_millis(500);

/// Accounting is asked for once in this many looks.
const LOOKS_PER_ACCOUNTING: i64 = 10;

/// A collector and the store that it writes to.
pub struct SiteCollector<'a> {
    site: CollectedSite<'a>,
    store: SqlStore,
    number: ClusterNumber,
}

impl<'a> SiteCollector<'a> {
    /// Of a cluster, in the store at this place.
    ///
    /// # Errors
    /// If the store cannot be opened.
    pub fn open(
        plan: CollectPlan,
        cluster: String,
        location: StoreLocation,
        printer: &'a Printer,
    ) -> Result<SiteCollector<'a>, Failure> {
        let mut store = SqlStore::open(&location).map_err(|error| refused_store(&location, error))?;
        let site = CollectedSite {
            settings: plan.settings(),
            asked: AskedJobs::default(),
            commands: SlurmCommands::within(plan.slurm_timeout, printer),
            plan,
            cluster,
            location,
            stop: StopRequest::listen_as_service(),
            printer,
        };
        let number = store.cluster(&site.cluster);
        let number = site.in_store(number)?;
        Ok(SiteCollector { site, store, number })
    }

    /// Looks at nothing: learns, or forecasts, by what the store has.
    ///
    /// # Errors
    /// If the store has no look, or fails.
    pub fn compute(&mut self, learns: bool) -> Result<Computed, Failure> {
        let at = self.site.in_store(self.store.last_look(self.number))?;
        let at = at.ok_or_else(|| {
            Failure::input("the store has no look yet").hint("queuecast collect --once makes one")
        })?;
        self.site.compute(&mut self.store, self.number, at, (learns, !learns))
    }

    /// The first round.
    fn first(&mut self) -> Result<CollectedRound, Failure> {
        self.site.in_store(self.store.hold(self.number))?;
        // There is a store to serve; the first round may load a year of accounting.
        supervisor::tell("READY=1");
        let first = self.site.round(&mut self.store);
        self.site.in_store(first)
    }

    /// One look, the accounting that is missing, and what is computed by them.
    ///
    /// # Errors
    /// If the store fails, or another process collects into it.
    pub fn once(&mut self) -> Result<CollectedRound, Failure> {
        let mut first = self.first()?;
        if let Some(mut files) = self.site.files()?.filter(|_| first.look.is_some()) {
            files.ask_defaults(&self.site.commands);
        }
        self.site.compute_once(&mut self.store, self.number, &mut first)?;
        Ok(first)
    }

    /// Looks at every interval until it is told to end. `plan` makes the settings of a command line, when they are read again.
    ///
    /// # Errors
    /// If the store fails, or another process collects into it.
    pub fn follow(
        &mut self,
        begun: &Invocation,
        plan: &dyn Fn(&ArgMatches) -> Result<CollectPlan, clap::Error>,
    ) -> Result<(), Failure> {
        let first = self.first()?;
        let ended = self.site.follow(&mut self.store, first, (begun, plan));
        supervisor::tell("STOPPING=1");
        ended
    }
}

/// The command line that a collector began with, and how its settings are made of one.
type Begun<'a> = (&'a Invocation, &'a dyn Fn(&ArgMatches) -> Result<CollectPlan, clap::Error>);

/// A site that is followed.
struct CollectedSite<'a> {
    plan: CollectPlan,
    settings: CollectorSettings,
    asked: AskedJobs,
    commands: SlurmCommands<'a>,
    cluster: String,
    location: StoreLocation,
    stop: StopRequest,
    printer: &'a Printer,
}

impl CollectedSite<'_> {
    /// One round: a look, and accounting if it is its turn.
    fn round(&mut self, store: &mut impl Store) -> Result<CollectedRound, StoreError> {
        let now = site_now::now();
        let to_load = {
            let cluster = store.cluster(&self.cluster)?;
            now - store.history_until(cluster)?.unwrap_or(now - self.settings.history)
        };
        let windows = to_load.0.max(0) as usize / self.settings.window.0.max(1) as usize;
        let progress = (windows > 1).then(|| Progress::new(self.printer, "loading history", windows + 1));
        let mut on_window = |_: Time| {
            progress.iter().for_each(Progress::advance);
            !self.stop.is_asked()
        };
        let mut collector = Collector::new(store, &self.cluster, self.settings)?.after(self.asked.clone());
        let round = collector.round(&self.commands, now, &mut on_window)?;
        self.asked = collector.asked();
        Ok(CollectedRound::of(self.location.to_string(), self.cluster.clone(), now, &round))
    }

    /// The next round; `None` if the store is away for now.
    fn next_round(&mut self, store: &mut impl Store) -> Result<Option<CollectedRound>, Failure> {
        match self.round(store) {
            Err(error) if error.may_pass() => {
                self.printer.warning(&format!(
                    "{}: {error}; not stored, and tried again in {} s",
                    self.location, self.plan.every.0
                ));
                Ok(None)
            }
            round => self.in_store(round).map(Some),
        }
    }

    /// Says what a round brought.
    fn told(&self, round: &CollectedRound) {
        if round.failures.is_empty() {
            self.printer.note(&round.line());
        } else {
            self.printer.warning(&round.line());
        }
    }

    /// Looks at every interval until it is told to end.
    fn follow(
        &mut self,
        store: &mut SqlStore,
        first: CollectedRound,
        (begun, plan): Begun<'_>,
    ) -> Result<(), Failure> {
        let (reload, mut last) = (ReloadRequest::listen(), begun.clone());
        let mut between = BetweenLooks::with(self.compute_arguments()?, self.location.argument());
        let mut files = self.files()?;
        let mut round = Some(first);
        loop {
            round.iter().for_each(|round| self.told(round));
            if let Some(is_complete) = round.as_ref().and_then(CollectedRound::is_complete) {
                between.loaded(is_complete);
            }
            if round.is_some_and(|round| round.look.is_some()) {
                files.iter_mut().for_each(|files| files.ask_defaults(&self.commands));
                between.begin();
            }
            let looked = Instant::now();
            // Settings that are read again hold at once: the next look may be due earlier.
            while let Some(left) = self.left(looked) {
                let computed = || {
                    match between.done() {
                        Some(Ok(computed)) => self.tell_computed(&computed),
                        Some(Err(why)) => self.printer.warning(&why),
                        None => {}
                    }
                    Ok(())
                };
                if !self.stop.waited(left.min(MOMENT), computed)? {
                    program::end_all();
                    return Ok(());
                }
                if reload.take() {
                    match self.read_again((begun, plan), &mut last) {
                        Ok(changed) => {
                            between.change(self.compute_arguments()?);
                            files = changed;
                        }
                        Err(failure) => {
                            self.printer.failure(&failure.about("the settings stay as they were"));
                        }
                    }
                }
            }
            round = self.next_round(store)?;
        }
    }

    /// How long it is until the next look; `None` if it is due.
    fn left(&self, looked: Instant) -> Option<Duration> {
        let every = Duration::from_secs(self.plan.every.0.unsigned_abs());
        every.checked_sub(looked.elapsed()).filter(|left| !left.is_zero())
    }

    /// Takes over settings that have changed, and says which: the files that are kept with them.
    fn read_again(
        &mut self,
        (begun, plan): Begun<'_>,
        last: &mut Invocation,
    ) -> Result<Option<SubmissionFiles>, Failure> {
        let (now, found) = settings::again(begun, last)?;
        let matches = now.matches().subcommand_matches("collect");
        let matches = matches.ok_or_else(|| Failure::unexpected("it is another command now"))?;
        let read = plan(matches).map_err(|error| settings::refused(&error))?;
        let before = std::mem::replace(&mut self.plan, read);
        let files = self.files().inspect_err(|_| self.plan = before)?;
        self.settings = self.plan.settings();
        self.commands = SlurmCommands::within(self.plan.slurm_timeout, self.printer);
        self.printer.log_as(self.plan.log_format);
        let changed =
            if found.changed.is_empty() { "none has changed".to_owned() } else { found.changed.join(", ") };
        self.printer.note(&format!("settings read again: {changed}"));
        if !found.fixed.is_empty() {
            let fixed = found.fixed.join(", ");
            self.printer.warning(&format!("settings that need a new start of the collector: {fixed}"));
        }
        *last = now;
        Ok(files)
    }

    /// The arguments of a process that computes.
    fn compute_arguments(&self) -> Result<Vec<OsString>, Failure> {
        let plan = &self.plan;
        let mut words: Vec<OsString> = vec!["--cluster".into(), self.cluster.clone().into()];
        words.extend(["--every".into(), format!("{}s", plan.every.0).into()]);
        words.extend(["--slurm-timeout".into(), format!("{}s", plan.slurm_timeout.0).into()]);
        if let Some(folder) = &plan.tables {
            words.extend(["--submission-tables".into(), folder.into()]);
        }
        words.extend(plan.comments.then(|| "--admin-comment".into()));
        Ok(words)
    }

    /// The tables for submissions, if they are asked for.
    fn files(&self) -> Result<Option<SubmissionFiles>, Failure> {
        let CollectPlan { tables, every, .. } = &self.plan;
        tables.as_ref().map(|folder| SubmissionFiles::within(folder, *every)).transpose()
    }

    /// Computes by what the store has: learns if it is to, and stores that; if it is to, forecasts, stores that, keeps the tables, and
    /// comments jobs.
    fn compute(
        &self,
        store: &mut impl Store,
        cluster: ClusterNumber,
        at: Time,
        (learns, forecasts): (bool, bool),
    ) -> Result<Computed, Failure> {
        let files = self.files()?;
        let with = files.as_ref().map(SubmissionFiles::settings);
        let settings =
            ComputeSettings { learns, forecasts, tables: with.as_ref().map(|with| (&with.0, with.1)) };
        let computed =
            told::asked(self.printer, |messages| Ok(compute(store, cluster, at, settings, messages)))?;
        let mut computed = self.in_store(computed)?;
        if !forecasts {
            return Ok(computed);
        }
        let first = self.in_store(first_forecasts(store, cluster, &computed.said))?;
        if !computed.said.is_empty() {
            self.in_store(store.add_forecasts(cluster, &computed.said))?;
        }
        if let (Some(files), Some(tables)) = (&files, &computed.tables) {
            computed.failures.extend(files.write(tables));
        }
        if self.plan.comments {
            let done = write_comments(&self.commands, &first, &zone::of_machine());
            computed.comments = done.written;
            if done.failure.is_some() {
                computed.failures.push(done.line());
            }
        }
        // Last, since whatever goes wrong there keeps nothing else from being stored.
        let compared =
            told::asked(self.printer, |messages| Ok(compare_decisions(store, cluster, at, messages)))?;
        match compared {
            Ok(compared) => computed.compared = compared,
            Err(error) => {
                computed.failures.push(format!("decisions beside the simulated scheduler: {error}"))
            }
        }
        Ok(computed)
    }

    /// Computes after the only look, as part of its answer.
    fn compute_once(
        &self,
        store: &mut impl Store,
        cluster: ClusterNumber,
        round: &mut CollectedRound,
    ) -> Result<(), Failure> {
        if round.look.is_none() {
            return Ok(());
        }
        let computed = self.compute(store, cluster, round.at, (round.is_complete() == Some(true), true))?;
        computed.failures.iter().for_each(|why| self.warn(why));
        round.learned_until = computed.learned_until;
        round.forecasts = computed.forecasts;
        Ok(())
    }

    /// Says what was computed between looks.
    fn tell_computed(&self, computed: &Computed) {
        computed.failures.iter().for_each(|why| self.warn(why));
        let line = computed.line();
        if !line.is_empty() {
            self.printer.note(&line);
        }
    }

    /// What could not be learned or forecast: that ends no collector.
    fn warn(&self, why: &str) {
        self.printer.warning(&format!("not learned or forecast: {why}"));
    }

    fn in_store<T>(&self, result: Result<T, StoreError>) -> Result<T, Failure> {
        Ok(result.map_err(|error| refused_store(&self.location, error))?)
    }
}

/// The name of the cluster, by Slurm's configuration.
///
/// # Errors
/// If Slurm does not tell.
pub fn cluster_name(commands: &SlurmCommands<'_>) -> Result<String, Failure> {
    const HINT: &str = "run this where squeue and sinfo work, or name the cluster with --cluster";
    let declared = declared::cluster_name();
    let words: Vec<&str> = declared.arguments.iter().map(String::as_str).collect();
    let text = commands
        .printed(declared.program, &words)
        .map_err(|why| why.failure("scontrol show config", HINT))?;
    let value = |line: &str| {
        let (key, value) = line.split_once('=')?;
        (key.trim() == "ClusterName").then(|| value.trim().to_owned())
    };
    let name = text.lines().find_map(value).filter(|name| !name.is_empty());
    name.ok_or_else(|| Failure::input("scontrol show config names no cluster").hint(HINT))
}

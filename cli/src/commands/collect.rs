//! `queuecast collect`: follows a Slurm site into a store.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use clap::FromArgMatches;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use queuecast_core::units::{Seconds, Time};
use queuecast_live::{
    Ask, AskFailed, AskedJobs, ClusterNumber, CollectedRound, Collector, CollectorSettings, ComputeSettings,
    Computed, DeclaredCommands, SqlStore, Store, StoreError, StoreLocation, SubmissionScript,
    compare_decisions, compute, declared, first_forecasts, write_comments,
};
use queuecast_process::failure::Failure;
use queuecast_process::interrupt::{ReloadRequest, StopRequest};
use queuecast_process::printer::Printer;
use queuecast_process::progress::Progress;
use queuecast_process::told;
use queuecast_process::{program, supervisor, zone};
use queuecast_serve::LogLineFormat;

use super::between_looks::BetweenLooks;
use super::live;
use super::outside::{self, SlurmCommands};
use super::store_option::{self, refused};
use super::submission_files::{self, SubmissionFiles};
use crate::invocation::Invocation;
use crate::{settings, spec};

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
    /// Learn from what the store has and forecast, or forecast alone, and look at nothing: what a collector runs between looks
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
}

fn scripts() -> impl TypedValueParser<Value = SubmissionScript> {
    let names = SubmissionScript::NAMES.map(|one| one.0);
    PossibleValuesParser::new(names)
        .try_map(|name| SubmissionScript::named(&name).ok_or("there is no such script"))
}

/// How often it is looked whether the settings are to be read again.
const MOMENT: Duration = Duration::from_millis(500);

/// Accounting is asked for once in this many looks.
const LOOKS_PER_ACCOUNTING: i64 = 10;

impl Ask for SlurmCommands<'_> {
    fn ask(&self, command: &declared::DeclaredCommand) -> Result<String, AskFailed> {
        let words: Vec<&str> = command.arguments.iter().map(String::as_str).collect();
        self.printed(command.program, &words).map_err(|why| AskFailed(why.to_string()))
    }
}

/// Follows the site, or says which commands that takes.
pub fn run(arguments: &Arguments, invocation: &Invocation, printer: &Printer) -> Result<(), Failure> {
    printer.log_as(arguments.log_format());
    let settings = arguments.settings();
    if let (Some(script), Some(folder)) = (arguments.print_lua, &arguments.submission_tables) {
        return printer.write(submission_files::script(script, folder)?.as_bytes());
    }
    if arguments.commands {
        let also = declared::AlsoDone {
            tables: arguments.submission_tables.is_some(),
            comments: arguments.admin_comment,
        };
        let all = declared::all(live::now().0, settings.window.0, also);
        return printer.answer(&DeclaredCommands::of(
            &all,
            arguments.every.0,
            arguments.accounting_every().0,
        ));
    }
    let commands = SlurmCommands::within(&arguments.outside, printer);
    let cluster = match &arguments.cluster {
        Some(name) => name.clone(),
        None => cluster_name(&commands)?,
    };
    let location = arguments.store.location_to_write()?;
    let mut store = SqlStore::open(&location).map_err(|error| refused(&location, error))?;
    let mut following = FollowedSite {
        arguments: arguments.clone(),
        settings,
        asked: AskedJobs::default(),
        commands,
        cluster,
        location,
        stop: StopRequest::listen_as_service(),
        printer,
    };
    let number = store.cluster(&following.cluster);
    let number = following.in_store(number)?;
    if let Some(what) = &arguments.compute {
        let at = following.in_store(store.last_look(number))?;
        let at = at.ok_or_else(|| {
            Failure::input("the store has no look yet").hint("queuecast collect --once makes one")
        })?;
        return printer.answer(&following.compute(&mut store, number, at, what == "learn")?);
    }
    following.in_store(store.hold(number))?;
    // There is a store to serve; the first round may load a year of accounting.
    supervisor::tell("READY=1");
    let first = following.round(&mut store);
    let mut first = following.in_store(first)?;
    if arguments.once {
        if let Some(mut files) = following.files()?.filter(|_| first.look.is_some()) {
            files.ask_defaults(&following.commands);
        }
        following.compute_once(&mut store, number, &mut first)?;
        let failed = first.look.is_none();
        printer.answer(&first)?;
        return if failed {
            Err(Failure::input("Slurm did not answer").hint("its failure is recorded; try again"))
        } else {
            Ok(())
        };
    }
    let ended = following.follow(&mut store, first, invocation);
    supervisor::tell("STOPPING=1");
    ended
}

/// A site that is followed.
struct FollowedSite<'a> {
    arguments: Arguments,
    settings: CollectorSettings,
    asked: AskedJobs,
    commands: SlurmCommands<'a>,
    cluster: String,
    location: StoreLocation,
    stop: StopRequest,
    printer: &'a Printer,
}

impl FollowedSite<'_> {
    /// One round: a look, and accounting if it is its turn.
    fn round(&mut self, store: &mut impl Store) -> Result<CollectedRound, StoreError> {
        let now = live::now();
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
                    self.location, self.arguments.every.0
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
        begun: &Invocation,
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
                    match self.read_again(begun, &mut last) {
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
        let every = Duration::from_secs(self.arguments.every.0.unsigned_abs());
        every.checked_sub(looked.elapsed()).filter(|left| !left.is_zero())
    }

    /// Takes over settings that have changed, and says which: the files that are kept with them.
    fn read_again(
        &mut self,
        begun: &Invocation,
        last: &mut Invocation,
    ) -> Result<Option<SubmissionFiles>, Failure> {
        let (now, found) = settings::again(begun, last)?;
        let matches = now.matches().subcommand_matches("collect");
        let matches = matches.ok_or_else(|| Failure::unexpected("it is another command now"))?;
        let read = Arguments::from_arg_matches(matches).map_err(|error| settings::refused(&error))?;
        let kept = self.arguments.clone();
        let before = std::mem::replace(
            &mut self.arguments,
            Arguments { store: kept.store, cluster: kept.cluster, ..read },
        );
        let files = self.files().inspect_err(|_| self.arguments = before)?;
        self.settings = self.arguments.settings();
        self.commands = SlurmCommands::within(&self.arguments.outside, self.printer);
        self.printer.log_as(self.arguments.log_format());
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
        let arguments = &self.arguments;
        let mut words: Vec<OsString> = vec!["--cluster".into(), self.cluster.clone().into()];
        words.extend(["--every".into(), format!("{}s", arguments.every.0).into()]);
        words.extend(["--slurm-timeout".into(), format!("{}s", arguments.outside.slurm_timeout.0).into()]);
        if let Some(folder) = &arguments.submission_tables {
            words.extend(["--submission-tables".into(), folder.into()]);
        }
        words.extend(arguments.admin_comment.then(|| "--admin-comment".into()));
        Ok(words)
    }

    /// The tables for submissions, if they are asked for.
    fn files(&self) -> Result<Option<SubmissionFiles>, Failure> {
        let Arguments { submission_tables, every, .. } = &self.arguments;
        submission_tables.as_ref().map(|folder| SubmissionFiles::within(folder, *every)).transpose()
    }

    /// Computes by what the store has: learns if it is to, forecasts, stores both, keeps the tables, and comments jobs.
    fn compute(
        &self,
        store: &mut impl Store,
        cluster: ClusterNumber,
        at: Time,
        learns: bool,
    ) -> Result<Computed, Failure> {
        let files = self.files()?;
        let with = files.as_ref().map(SubmissionFiles::settings);
        let settings = ComputeSettings { learns, tables: with.as_ref().map(|with| (&with.0, with.1)) };
        let computed =
            told::asked(self.printer, |messages| Ok(compute(store, cluster, at, settings, messages)))?;
        let mut computed = self.in_store(computed)?;
        let first = self.in_store(first_forecasts(store, cluster, &computed.said))?;
        if !computed.said.is_empty() {
            self.in_store(store.add_forecasts(cluster, &computed.said))?;
        }
        if let (Some(files), Some(tables)) = (&files, &computed.tables) {
            computed.failures.extend(files.write(tables));
        }
        if self.arguments.admin_comment {
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
        let computed = self.compute(store, cluster, round.at, round.is_complete() == Some(true))?;
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
        result.map_err(|error| refused(&self.location, error))
    }
}

/// The name of the cluster, by Slurm's configuration.
fn cluster_name(commands: &SlurmCommands<'_>) -> Result<String, Failure> {
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

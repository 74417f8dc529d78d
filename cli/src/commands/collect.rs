//! `queuecast collect`: follows a Slurm site into a store.

use std::time::Duration;

use queuecast::units::{Seconds, Time};
use queuecast_live::{
    Ask, AskFailed, ClusterNumber, CollectedRound, Collector, CollectorSettings, DeclaredCommands,
    SqliteStore, Store, StoreError, declared,
};

use super::between_looks::{BetweenLooks, Computed, compute_now};
use super::outside::{self, SlurmCommands};
use super::store_option::{self, refused};
use super::{live, told};
use crate::failure::Failure;
use crate::interrupt::StopRequest;
use crate::printer::Printer;
use crate::progress::Progress;
use crate::spec;

const EXAMPLES: &str = "\
Examples:
  Follow this site until Ctrl-C: a look every two minutes, a year of history at first:
    queuecast collect

  One look, for cron:
    queuecast collect --once --quiet

  Every command that it may run, to read before it does:
    queuecast collect --commands

  Then, for any number of people, without asking Slurm again:
    queuecast pending --live --me
    queuecast when --live -n 64 -t 2h";

/// Follow this Slurm site: remember its queue and its accounting, for when, pending and advise
///
/// Looks at the queue and the nodes at every interval, by one squeue and one sinfo however many people ask, and loads the accounting in windows of a week, going on where it was left. What Slurm printed is kept in one file, the store; commands with --live answer from it while it is fresh. One process collects into a store at a time; any number may read it. Slurm that does not answer is no end: it is recorded, told, and asked again.
#[derive(Debug, clap::Args)]
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
    #[command(flatten)]
    pub outside: outside::Arguments,
}

/// Accounting is asked for once in this many looks.
const LOOKS_PER_ACCOUNTING: i64 = 10;

impl Ask for SlurmCommands<'_> {
    fn ask(&self, command: &declared::DeclaredCommand) -> Result<String, AskFailed> {
        let words: Vec<&str> = command.arguments.iter().map(String::as_str).collect();
        self.printed(command.program, &words).map_err(|why| AskFailed(why.to_string()))
    }
}

/// Follows the site, or says which commands that takes.
pub fn run(arguments: &Arguments, printer: &Printer) -> Result<(), Failure> {
    let accounting_every = Seconds(arguments.every.0.saturating_mul(LOOKS_PER_ACCOUNTING));
    let settings = CollectorSettings {
        history: arguments.history,
        keep_looks: arguments.keep,
        accounting_every,
        ..CollectorSettings::default()
    };
    if arguments.commands {
        let all = declared::all(live::now().0, settings.window.0);
        return printer.answer(&DeclaredCommands::of(&all, arguments.every.0, accounting_every.0));
    }
    let commands = SlurmCommands::within(&arguments.outside, printer);
    let cluster = match &arguments.cluster {
        Some(name) => name.clone(),
        None => cluster_name(&commands)?,
    };
    let file = arguments.store.file_to_write()?;
    let mut store = SqliteStore::open(&file).map_err(|error| refused(&file, error))?;
    let mut following =
        FollowedSite { arguments, settings, commands, cluster, stop: StopRequest::listen(), printer };
    let mut first = following.round(&mut store)?;
    let cluster = store.cluster(&following.cluster).map_err(|error| refused(&file, error))?;
    if arguments.once {
        following.compute(&mut store, cluster, &mut first)?;
        let failed = first.look.is_none();
        printer.answer(&first)?;
        return if failed {
            Err(Failure::input("Slurm did not answer").hint("its failure is recorded; try again"))
        } else {
            Ok(())
        };
    }
    let mut between = BetweenLooks::of(&file, cluster);
    let mut round = first;
    loop {
        following.told(&round);
        if let Some(is_complete) = round.is_complete() {
            between.loaded(is_complete);
        }
        if round.look.is_some() {
            between.begin(round.at);
        }
        let every = Duration::from_secs(arguments.every.0.unsigned_abs());
        let kept = || following.store(between.done(), &mut store, cluster);
        if !following.stop.waited(every, kept)? {
            return Ok(());
        }
        round = following.round(&mut store)?;
    }
}

/// A site that is followed.
struct FollowedSite<'a> {
    arguments: &'a Arguments,
    settings: CollectorSettings,
    commands: SlurmCommands<'a>,
    cluster: String,
    stop: StopRequest,
    printer: &'a Printer,
}

impl FollowedSite<'_> {
    /// One round: a look, and accounting if it is its turn.
    fn round(&mut self, store: &mut impl Store) -> Result<CollectedRound, Failure> {
        let file = self.arguments.store.file_to_write()?;
        let now = live::now();
        let to_load = {
            let cluster = store.cluster(&self.cluster).map_err(|error| refused(&file, error))?;
            let known = store.history_until(cluster).map_err(|error| refused(&file, error))?;
            now - known.unwrap_or(now - self.settings.history)
        };
        let windows = to_load.0.max(0) as usize / self.settings.window.0.max(1) as usize;
        let progress = (windows > 1).then(|| Progress::new(self.printer, "loading history", windows + 1));
        let mut on_window = |_: Time| {
            progress.iter().for_each(Progress::advance);
            !self.stop.is_asked()
        };
        let collector = Collector::new(store, &self.cluster, self.settings);
        let round = collector.and_then(|mut one| one.round(&self.commands, now, &mut on_window));
        let round = round.map_err(|error| refused(&file, error))?;
        Ok(CollectedRound::of(file.display().to_string(), self.cluster.clone(), now, &round))
    }

    /// Says what a round brought.
    fn told(&self, round: &CollectedRound) {
        if round.failures.is_empty() {
            self.printer.note(&round.line());
        } else {
            self.printer.warning(&round.line());
        }
    }

    /// Learns if the history is complete and new, and forecasts.
    fn compute(
        &self,
        store: &mut impl Store,
        cluster: ClusterNumber,
        round: &mut CollectedRound,
    ) -> Result<(), Failure> {
        if round.look.is_none() {
            return Ok(());
        }
        let (at, learns) = (round.at, round.is_complete() == Some(true));
        let computed =
            told::asked(self.printer, |messages| Ok(compute_now(store, cluster, at, learns, messages)))?;
        let computed = self.in_store(computed)?;
        self.warn(&computed);
        round.learned_until = computed.learned.as_ref().map(|learned| learned.until);
        round.forecasts = computed.forecasts.len();
        Ok(())
    }

    /// Stores what was computed between looks, and says so.
    fn store(
        &self,
        computed: Option<Computed>,
        store: &mut impl Store,
        cluster: ClusterNumber,
    ) -> Result<(), Failure> {
        let Some(computed) = computed else { return Ok(()) };
        self.in_store(computed.store(store, cluster))?;
        self.warn(&computed);
        let line = computed.line();
        if !line.is_empty() {
            self.printer.note(&line);
        }
        Ok(())
    }

    /// What could not be learned or forecast: that ends no collector.
    fn warn(&self, computed: &Computed) {
        for error in &computed.failures {
            self.printer.warning(&format!("not learned or forecast: {error}"));
        }
    }

    fn in_store<T>(&self, result: Result<T, StoreError>) -> Result<T, Failure> {
        let file = self.arguments.store.file_to_write()?;
        result.map_err(|error| refused(&file, error))
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

//! The arguments of every command that reads a trace or schedules one.

use clap::ValueEnum;
use clap::builder::PossibleValue;
use queuecast_core::units::{Procs, Seconds};
use queuecast_eval::Window;
use queuecast_sim::predict::{Correction, DEFAULT_REQUEST, PredictorSpec};
use queuecast_sim::sim::{Backfill, EventOrder, LimitRule, Options};
use queuecast_study::Experiment;
use queuecast_trace::{FORMATS, LogFormat, ReadOptions, Ruleset, TimeZone};

use crate::spec;

/// How a file is read.
#[derive(Debug, Clone, clap::Args)]
#[command(next_help_heading = "Reading the trace")]
pub struct Reading {
    /// The format of the file; by default detected from its content
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t)]
    pub input_format: InputFormat,
    /// Stop at the first bad record instead of counting and reporting it; trace info, convert and head check
    /// readability only
    #[arg(long)]
    pub strict: bool,
    /// Time zone of local times in accounting records, such as Europe/Stockholm
    #[arg(long, value_name = "ZONE", default_value = "UTC", value_parser = spec::time_zone)]
    pub time_zone: TimeZone,
    /// The cluster whose jobs are read, of accounting records that have a Cluster column
    #[arg(long, value_name = "NAME")]
    pub cluster: Option<String>,
    /// The columns of accounting records without a header line, as sacct's --format names them: JobID,User,…
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub columns: Option<Vec<String>>,
}

/// How a trace becomes a workload.
#[derive(Debug, Clone, clap::Args)]
#[command(next_help_heading = "Reading the trace")]
pub struct Source {
    #[command(flatten)]
    pub reading: Reading,
    /// Processors of the machine; by default what the trace's header says, else the largest job's
    #[arg(long, value_name = "N", value_parser = spec::at_least_one::<u32>, allow_negative_numbers = true)]
    pub procs: Option<u32>,
    #[arg(long, value_name = "RULESET", default_value = "default", value_parser = spec::of::<Ruleset>(), hide_possible_values = true)]
    #[arg(help = spec::of::<Ruleset>().help("Which records become jobs, and how"), long_help = ruleset_help())]
    pub clean: Ruleset,
}

fn ruleset_help() -> String {
    spec::of::<Ruleset>().long_help("Which records become jobs, and how")
}

/// What a trace file is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum InputFormat {
    /// Detected from the content.
    #[default]
    Auto,
    /// Given.
    Of(LogFormat),
}

/// All values; the first is the default.
const INPUT_FORMATS: [InputFormat; FORMATS.len() + 1] = {
    let mut all = [InputFormat::Auto; FORMATS.len() + 1];
    let mut place = 0;
    while place < FORMATS.len() {
        all[place + 1] = InputFormat::Of(FORMATS[place]);
        place += 1;
    }
    all
};

impl ValueEnum for InputFormat {
    fn value_variants<'a>() -> &'a [InputFormat] {
        &INPUT_FORMATS
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        Some(match self {
            InputFormat::Auto => PossibleValue::new("auto").help("Detected from the content"),
            InputFormat::Of(format) => PossibleValue::new(format.word()).help(format.about()),
        })
    }
}

impl Reading {
    /// Options for the library, without cleaning.
    pub fn options(&self, procs: Option<u32>) -> ReadOptions {
        let format = match self.input_format {
            InputFormat::Auto => None,
            InputFormat::Of(format) => Some(format),
        };
        ReadOptions {
            format,
            ruleset: Ruleset::none(),
            strict: self.strict,
            procs: procs.map(Procs),
            time_zone: self.time_zone.clone(),
            cluster: self.cluster.clone(),
            columns: self.columns.clone(),
        }
    }
}

impl Source {
    /// As by default, for a cluster.
    pub fn usual(cluster: Option<String>) -> Source {
        let reading = Reading {
            input_format: InputFormat::Auto,
            strict: false,
            time_zone: TimeZone::UTC,
            cluster,
            columns: None,
        };
        Source { reading, procs: None, clean: Ruleset::default() }
    }

    /// Whether jobs are read as by default, but for the time zone and the cluster.
    pub fn is_usual(&self) -> bool {
        let Reading { strict, columns, .. } = &self.reading;
        self.procs.is_none() && self.clean == Ruleset::default() && !strict && columns.is_none()
    }

    /// Options for the library.
    pub fn options(&self) -> ReadOptions {
        ReadOptions { ruleset: self.clean.clone(), ..self.reading.options(self.procs) }
    }
}

/// What `--policy` accepts, with the settings that may follow a name.
pub fn policy_help() -> String {
    spec::of::<Backfill>().long_help("Who runs next")
}

/// What `--predictor` accepts, with the settings that may follow a name.
pub fn predictor_help() -> String {
    spec::predictor().long_help("How long jobs are expected to run")
}

/// What `--correction` accepts, and that there may be two.
pub fn correction_help() -> String {
    spec::of::<Correction>().long_help("What to expect of a job that outlived its prediction")
}

/// What `--event-order` decides.
pub const EVENT_ORDER: &str = "The order of events in the same second";

/// Options of the scheduler besides its policy, and which jobs are counted.
#[derive(Debug, Clone, clap::Args)]
#[command(next_help_heading = "The scheduler")]
pub struct Scheduling {
    /// Multiply every prediction by this before planning with it
    #[arg(long, alias = "factor", value_name = "F", default_value = "1", value_parser = spec::positive, allow_negative_numbers = true)]
    pub prediction_factor: f64,
    #[arg(long, value_name = "WHAT", default_value = "kill", value_parser = spec::of::<LimitRule>(), hide_possible_values = true)]
    #[arg(help = spec::of::<LimitRule>().help("What happens to a job at its requested time"), long_help = spec::of::<LimitRule>().long_help("What happens to a job at its requested time"))]
    pub limit: LimitRule,
    /// Requested time of jobs that have none: 2h10m, 1-12:00:00, plain seconds; by default a day. For planning
    /// only: such jobs are never killed
    #[arg(long, value_name = "DURATION", value_parser = spec::positive_duration, allow_hyphen_values = true)]
    pub default_request: Option<Seconds>,
    #[arg(long, value_name = "WINDOW", default_value = "all", value_parser = spec::of::<Window>(), hide_possible_values = true)]
    #[arg(help = spec::of::<Window>().help("Which jobs the metrics count (all are simulated)"), long_help = spec::of::<Window>().long_help("Which jobs the metrics count (all are simulated)"))]
    pub window: Window,
}

impl Scheduling {
    /// The experiment with a policy, a predictor, a correction and an order of events.
    pub fn experiment(
        &self,
        policy: Backfill,
        predictor: PredictorSpec,
        correction: Correction,
        event_order: EventOrder,
    ) -> Experiment {
        let options = Options { event_order, limit: self.limit, correction, factor: self.prediction_factor };
        let default_request = self.default_request.unwrap_or(DEFAULT_REQUEST);
        Experiment { options, default_request, ..Experiment::new(policy, predictor) }
    }
}

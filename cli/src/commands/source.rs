//! The arguments of every command that reads a trace or schedules one.

use clap::ValueEnum;
use queuecast::report::duration;
use queuecast::units::Seconds;

use crate::spec;

/// How a trace is read.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Reading the trace")]
pub struct Source {
    /// What the file is; by default its content decides
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t)]
    pub input_format: InputFormat,
    /// Processors of the machine; by default what the trace's header says
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub procs: Option<u32>,
    /// Rules to clean the trace with before anything else
    #[arg(long, value_name = "RULESET")]
    pub clean: Option<spec::RuleSet>,
    /// Stop at the first bad record instead of counting, reporting and skipping it
    #[arg(long)]
    pub strict: bool,
    /// Time zone of local times in the trace, such as Europe/Stockholm
    #[arg(long, value_name = "ZONE")]
    pub time_zone: Option<String>,
    /// Requested time of jobs that have none: 2h10m, 1-12:00:00, plain seconds
    #[arg(long, value_name = "DURATION", value_parser = duration::parse)]
    pub default_request: Option<Seconds>,
}

/// What a trace file is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub enum InputFormat {
    /// Whatever it looks like
    #[default]
    Auto,
    /// The Standard Workload Format
    Swf,
    /// Slurm's accounting: sacct --parsable2
    Sacct,
}

/// What the scheduler does besides its policy.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "The scheduler")]
pub struct Scheduling {
    /// How many waiting jobs hold a reservation, instead of what the policy says: a number or "all"
    #[arg(long, value_name = "N|all", value_parser = spec::depth)]
    pub depth: Option<spec::Depth>,
    #[arg(long, value_name = "ORDER", value_parser = spec::backfill_order(), hide_possible_values = true)]
    #[arg(help = spec::backfill_order().help("Which jobs are tried first for backfilling, instead of what the policy says"), long_help = spec::backfill_order().long_help("Which jobs are tried first for backfilling, instead of what the policy says"))]
    pub backfill_order: Option<spec::BackfillOrder>,
    /// Order the queue by a formula instead of by arrival
    #[arg(long, value_name = "FORMULA")]
    pub priority: Option<String>,
    /// Multiply every prediction by this before planning with it
    #[arg(long, value_name = "F", default_value = "1", value_parser = spec::positive)]
    pub factor: f64,
    /// What happens to a job at its requested time
    #[arg(long, value_name = "WHAT", value_enum, default_value_t)]
    pub limit: Limit,
    #[arg(long, value_name = "ORDER", default_value = "textbook", value_parser = spec::event_order(), hide_possible_values = true)]
    #[arg(help = spec::event_order().help("What comes first among things that happen at the same second"), long_help = spec::event_order().long_help("What comes first among things that happen at the same second"))]
    pub event_order: spec::EventOrder,
    /// Which jobs the metrics count; the simulation always runs all of them
    #[arg(long, value_name = "WINDOW")]
    pub window: Option<String>,
}

/// What happens to a job at its requested time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub enum Limit {
    /// It is killed, as most systems do
    #[default]
    Kill,
    /// It runs on to its recorded end
    Ignore,
}

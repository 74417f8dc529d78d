//! `queuecast site compare`: recorded runs of a Slurm site beside their simulation, and beside each other.

use std::path::PathBuf;

use queuecast::cluster::SubmittedJob;
use queuecast::controller::{DecisionMiss, DecisionShare, Phases, decisions, simulate_cluster};
use queuecast::report::{Answer, Cell, Column, Document, Table};
use queuecast::slurm::read_decisions;
use queuecast::study::{GroupWait, NamedRun, RunDifference, group_waits, run_difference};
use queuecast::trace::TimeZone;
use serde::Serialize;

use super::recorded::{ReadRun, read_run, short};
use crate::failure::Failure;
use crate::printer::Printer;
use crate::progress::Progress;
use crate::spec;

/// Simulate what was submitted in recorded runs of a Slurm site, and say how far starts differ from the recorded ones
///
/// A run is a folder with the site's configuration (as for site check) and what was submitted, with what became of it: jobs.csv, and where there are any submitted.tsv, meta.json (when the controller was started) and sched.log. Each run is simulated under its own configuration and at the phase of its own timers; runs of the same submissions are also compared with each other, since two real runs differ too.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// Folders of recorded runs
    #[arg(value_name = "RUN", required = true)]
    pub runs: Vec<PathBuf>,
    /// Also put the simulation into the recorded state at each recorded decision, and say how many it decides alike
    ///
    /// Decisions are in slurmctld.log and sched.log of a run (backfilling plans, starts, stops at time limits, logged with DebugFlags=Backfill), and in snapshots of sprio.
    #[arg(long)]
    pub decisions: bool,
    /// Time zone of local times in the files
    #[arg(long, value_name = "ZONE", default_value = "UTC", value_parser = spec::time_zone, help_heading = "Reading")]
    pub time_zone: TimeZone,
}

/// Runs beside their simulation and each other.
#[derive(Debug, Serialize)]
pub struct ComparedRuns {
    version: &'static str,
    /// Each run and its simulation, then each pair of runs.
    pairs: Vec<RunDifference>,
    /// Of each run and its simulation.
    waits: Vec<GroupWait>,
    /// Recorded decisions that are decided alike in the recorded state, if that was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    decisions: Option<Vec<RunDecisions>>,
    /// Those that are decided differently.
    #[serde(skip_serializing_if = "Option::is_none")]
    misses: Option<Vec<RunMiss>>,
    /// What the sites use and the simulation leaves out.
    not_modelled: Vec<String>,
}

/// Decisions of one kind in one run.
#[derive(Debug, Serialize)]
struct RunDecisions {
    run: String,
    #[serde(flatten)]
    share: DecisionShare,
}

/// A decision of one run that is decided differently.
#[derive(Debug, Serialize)]
struct RunMiss {
    run: String,
    #[serde(flatten)]
    miss: DecisionMiss,
}

/// One run as read and simulated.
struct ComparedRun {
    recorded: NamedRun,
    simulated: NamedRun,
    submissions: Vec<SubmittedJob>,
}

/// Reads, simulates and compares.
pub fn run(arguments: &Arguments, printer: &Printer) -> Result<(), Failure> {
    let mut runs = Vec::new();
    let mut not_modelled: Vec<String> = Vec::new();
    let mut decided: Vec<RunDecisions> = Vec::new();
    let mut misses: Vec<RunMiss> = Vec::new();
    let progress = Progress::new(printer, "simulating runs", arguments.runs.len());
    for folder in &arguments.runs {
        let name = folder.display().to_string();
        let ReadRun { texts, cluster, recording, left_out } =
            read_run(folder, &arguments.time_zone, printer)?;
        for one in left_out {
            if !not_modelled.contains(&one) {
                not_modelled.push(one);
            }
        }
        let phases = Phases::of(&recording.clock, &cluster.settings);
        if arguments.decisions {
            let found = read_decisions(&texts, &cluster, &recording.clock, &arguments.time_zone);
            for misread in &found.misread {
                printer.warning(&format!("{name}: {misread}"));
            }
            if found.decisions.is_empty() {
                printer.warning(&format!(
                    "{name}: no decisions are recorded there; expected slurmctld.log, sched.log or snapshots of sprio"
                ));
            } else {
                let found = decisions(&cluster, &recording, phases, &found.decisions);
                decided
                    .extend(found.shares.into_iter().map(|share| RunDecisions { run: short(folder), share }));
                misses.extend(found.misses.into_iter().map(|miss| RunMiss { run: short(folder), miss }));
            }
        }
        let outcomes = simulate_cluster(&cluster, &recording, phases);
        let zero = recording.clock.zero;
        let recorded = NamedRun { name: short(folder), zero, outcomes: recording.outcomes.clone() };
        let simulated = NamedRun { name: "simulated".to_owned(), zero, outcomes };
        runs.push(ComparedRun { recorded, simulated, submissions: recording.submissions });
        progress.advance_by(1);
    }
    drop(progress);
    printer.answer(&ComparedRuns {
        decisions: arguments.decisions.then_some(decided),
        misses: arguments.decisions.then_some(misses),
        ..compared(&runs, not_modelled)
    })
}

fn compared(runs: &[ComparedRun], not_modelled: Vec<String>) -> ComparedRuns {
    let mut pairs: Vec<RunDifference> = Vec::new();
    let is_told = |run: &ComparedRun| !run.recorded.outcomes.is_empty();
    pairs.extend(
        runs.iter().filter(|run| is_told(run)).map(|run| run_difference(&run.recorded, &run.simulated)),
    );
    for (place, one) in runs.iter().enumerate() {
        let others =
            runs[place + 1..].iter().filter(|other| is_told(one) && is_told(other) && are_same(one, other));
        pairs.extend(others.map(|other| run_difference(&one.recorded, &other.recorded)));
    }
    let mut waits = Vec::new();
    for run in runs {
        waits.extend(group_waits(&run.recorded));
        let simulated =
            NamedRun { name: format!("{} simulated", run.recorded.name), ..run.simulated.clone() };
        waits.extend(group_waits(&simulated));
    }
    let version = env!("CARGO_PKG_VERSION");
    ComparedRuns { version, pairs, waits, decisions: None, misses: None, not_modelled }
}

/// Whether the same was submitted.
fn are_same(one: &ComparedRun, other: &ComparedRun) -> bool {
    let asked = |run: &ComparedRun| -> Vec<(String, String, Option<u32>, Vec<String>)> {
        let of = |job: &SubmittedJob| {
            (job.key.clone(), job.user.clone(), job.request.tasks, job.request.partitions.clone())
        };
        run.submissions.iter().map(of).collect()
    };
    asked(one) == asked(other)
}

impl Answer for ComparedRuns {
    fn document(&self) -> Document {
        let mut document =
            Document::new().with_table("pairs", self.pairs()).with_table("waits", self.mean_waits());
        if let Some(decisions) = &self.decisions {
            document = document.with_table("decisions", decision_table(decisions));
        }
        if let Some(misses) = self.misses.as_ref().filter(|misses| !misses.is_empty()) {
            document = document.with_table("misses", miss_table(misses));
        }
        if !self.not_modelled.is_empty() {
            document = document.with_paragraph(format!("Not modelled: {}.", self.not_modelled.join(", ")));
        }
        document
    }

    fn table(&self) -> Table {
        self.decisions.as_deref().map_or_else(|| self.pairs(), decision_table)
    }
}

fn decision_table(decisions: &[RunDecisions]) -> Table {
    let mut table = Table::new(vec![
        Column::text("run").naming(),
        Column::text("decision").key("what"),
        Column::integer("cases"),
        Column::integer("equal"),
        Column::number("share (%)").key("share"),
    ])
    .titled("Decisions from the recorded state");
    for one in decisions {
        let DecisionShare { what, cases, equal, share } = one.share;
        table.row([
            Cell::text(&*one.run),
            Cell::text(what.name()),
            Cell::count(cases),
            Cell::count(equal),
            share.map_or(Cell::Missing, |share| Cell::number(share, 2)),
        ]);
    }
    table.note("at each recorded decision the controller is put into the recorded state: what waits and runs since when and where, and what the same pass or cycle decided before");
    table
}

/// So many are shown.
const SHOWN_MISSES: usize = 20;

fn miss_table(misses: &[RunMiss]) -> Table {
    let mut table = Table::new(vec![
        Column::text("run").naming(),
        Column::text("decision").key("what"),
        Column::integer("at"),
        Column::text("job"),
        Column::text("recorded"),
        Column::text("decided here").key("decided"),
    ])
    .titled("Decided differently");
    for RunMiss { run, miss } in misses.iter().take(SHOWN_MISSES) {
        table.row([
            Cell::text(&**run),
            Cell::text(miss.what.name()),
            Cell::Integer(miss.at.0),
            Cell::text(&*miss.job),
            Cell::text(&*miss.recorded),
            Cell::text(&*miss.decided),
        ]);
    }
    table.note("at: in Unix seconds; plans, starts and stops: in seconds after that");
    if misses.len() > SHOWN_MISSES {
        table.note(format!("{SHOWN_MISSES} of {}; --format json has all", misses.len()));
    }
    table
}

impl ComparedRuns {
    fn pairs(&self) -> Table {
        let mut table = Table::new(vec![
            Column::text("run").key("a").naming(),
            Column::text("beside").key("b"),
            Column::integer("jobs"),
            Column::integer("median (s)").key("median"),
            Column::integer("90 % (s)").key("p90"),
            Column::number("within 5 s (%)").key("within_5"),
            Column::number("30 s (%)").key("within_30").spare(3),
            Column::number("60 s (%)").key("within_60").spare(2),
            Column::number("mean wait ratio").key("mean_wait_ratio"),
            Column::number("Spearman").key("spearman").spare(1),
            Column::number("same nodes (%)").key("same_nodes"),
            Column::number("same scheduler (%)").key("same_scheduler"),
        ])
        .titled("Starts that differ");
        let maybe =
            |value: Option<f64>, digits: u8| value.map_or(Cell::Missing, |value| Cell::number(value, digits));
        let whole = |value: Option<i64>| value.map_or(Cell::Missing, Cell::Integer);
        for pair in &self.pairs {
            table.row([
                Cell::text(&*pair.a),
                Cell::text(&*pair.b),
                Cell::count(pair.jobs),
                whole(pair.median),
                whole(pair.p90),
                Cell::number(pair.within_5, 1),
                Cell::number(pair.within_30, 1),
                Cell::number(pair.within_60, 1),
                maybe(pair.mean_wait_ratio, 3),
                maybe(pair.spearman, 3),
                Cell::number(pair.same_nodes, 1),
                maybe(pair.same_scheduler, 1),
            ]);
        }
        table.note("starts are compared after the run's first submission; pairs of recorded runs show how far the real system differs from itself");
        table
    }

    fn mean_waits(&self) -> Table {
        let mut table = Table::new(vec![
            Column::text("run").naming(),
            Column::text("by"),
            Column::text("group"),
            Column::integer("jobs"),
            Column::number("mean wait (s)").key("mean_wait"),
            Column::number("backfilled (%)").key("backfilled"),
        ])
        .titled("Mean waits");
        for one in &self.waits {
            table.row([
                Cell::text(&*one.run),
                Cell::text(one.by),
                Cell::text(&*one.group),
                Cell::count(one.jobs),
                Cell::number(one.mean_wait, 1),
                Cell::number(one.backfilled, 1),
            ]);
        }
        table
    }
}

//! Simulations of several traces side by side: one table, and a chart for each trace.

use std::path::Path;

use crate::simulation::{self, killed};
use crate::words::number_of;
use crate::{Answer, Cell, Column, Document, Table, cleaning, duration, metric, side_by_side};
use queuecast_eval::{Fairness, METRICS};
use queuecast_study::{ComparedTrace, Comparison, ComparisonAnswer, Demonstration, SimulationResult};
use queuecast_trace::WorkloadFacts;
use queuecast_trace::sacct::EXAMPLE_COMMAND;

impl Answer for ComparisonAnswer {
    fn document(&self) -> Document {
        match self {
            ComparisonAnswer::Once(comparison) => comparison.document(),
            ComparisonAnswer::Shaken(shaken) => shaken.document(),
        }
    }

    fn table(&self) -> Table {
        match self {
            ComparisonAnswer::Once(comparison) => comparison.table(),
            ComparisonAnswer::Shaken(shaken) => shaken.table(),
        }
    }
}

impl Answer for Comparison {
    fn document(&self) -> Document {
        let mut document = Document::new().with_table("comparison", text(self));
        for (at, (trace, name)) in self.traces.iter().zip(names(self)).enumerate() {
            let label = |written: &str| self.labels.label(written);
            document = document.with_chart(side_by_side::bars(
                &self.results_of(at),
                &described(trace, &name),
                &label,
            ));
        }
        document
    }

    /// One row per trace and experiment.
    fn table(&self) -> Table {
        let mut columns = simulation::settings_columns();
        columns.extend(METRICS.iter().map(|one| metric::column(one, one.name)));
        columns.extend([Column::integer("delayed"), Column::share("delayed_share")]);
        columns.extend(["mean_delay", "max_delay"].map(|name| Column::duration(name).key(name)));
        columns.extend([Column::integer("advanced"), Column::share("advanced_share")]);
        columns.extend(["mean_advance", "max_advance"].map(|name| Column::duration(name).key(name)));
        let rows = self.rows();
        let timed = rows.iter().any(|row| row.simulate_seconds.is_some());
        columns.extend(timed.then(|| Column::number("simulate_seconds")));
        columns.extend(simulation::identity_columns());
        let mut table = Table::new(columns);
        for row in &rows {
            let trace = &self.traces[row.result.simulation.workload];
            let mut cells = simulation::settings_cells(&trace.facts, row.experiment);
            cells.extend(METRICS.iter().map(|one| metric::cell(one, row.summary)));
            cells.extend(row.fairness.map_or([const { Cell::Missing }; 8], fairness));
            cells.extend(row.simulate_seconds.map(|seconds| Cell::number(seconds, 3)));
            let clean = trace.cleaning.as_ref().map(|report| report.ruleset.to_string());
            cells.extend(simulation::identity_cells(
                &self.window,
                trace.facts.procs,
                clean,
                row.experiment,
                row.summary,
            ));
            table.row(cells);
        }
        table
    }
}

/// The workload in one line.
fn described(trace: &ComparedTrace, name: &str) -> String {
    let WorkloadFacts { jobs, procs, .. } = &trace.facts;
    format!("{name}: {} on {}", number_of(*jobs, "job"), number_of(*procs as usize, "processor"))
}

fn fairness(fairness: &Fairness) -> [Cell; 8] {
    let share = |share: Option<f64>| share.map_or(Cell::Missing, Cell::share);
    let mean = |mean: Option<f64>| mean.map_or(Cell::Missing, Cell::duration);
    [
        Cell::count(fairness.delayed),
        share(fairness.delayed_share),
        mean(fairness.mean_delay),
        fairness.max_delay.into(),
        Cell::count(fairness.advanced),
        share(fairness.advanced_share),
        mean(fairness.mean_advance),
        fairness.max_advance.into(),
    ]
}

/// One table of all traces.
fn text(of: &Comparison) -> Table {
    let names = names(of);
    let workloads = names
        .iter()
        .enumerate()
        .map(|(at, name)| side_by_side::WorkloadResults { name: name.clone(), results: of.results_of(at) });
    let workloads: Vec<_> = workloads.collect();
    let titles: Vec<String> =
        of.traces.iter().zip(&names).map(|(trace, name)| described(trace, name)).collect();
    let mut table =
        side_by_side::table(&workloads, &|written| of.labels.label(written)).titled(titles.join("; "));
    for ((trace, name), workload) in of.traces.iter().zip(&names).zip(&workloads) {
        let mut notes: Vec<String> = workload
            .results
            .first()
            .and_then(|first| killed(&first.summary))
            .map(|(said, _)| said)
            .into_iter()
            .collect();
        let cleaning = trace.cleaning.as_ref();
        notes.extend(cleaning.map(|report| cleaning::line(report, cleaning::Overrun::Decided)));
        notes.extend(trace.notes.iter().cloned());
        let about = if of.traces.len() > 1 { format!("{name}: ") } else { String::new() };
        table.notes.extend(notes.into_iter().map(|note| format!("{about}{note}")));
    }
    table
}

/// What traces are called: by the names of their files, or by their paths where those are alike.
fn names(of: &Comparison) -> Vec<String> {
    let sources: Vec<&str> = of.traces.iter().map(|trace| trace.facts.source.as_str()).collect();
    if sources.len() == 1 {
        return vec![sources[0].to_owned()];
    }
    let file = |source: &str| {
        let name = Path::new(source).file_name().map(|name| name.to_string_lossy().into_owned());
        name.unwrap_or_else(|| source.to_owned())
    };
    let files: Vec<String> = sources.iter().map(|source| file(source)).collect();
    let alike = |name: &String| files.iter().filter(|other| *other == name).count() > 1;
    if files.iter().any(alike) { sources.into_iter().map(str::to_owned).collect() } else { files }
}

impl Answer for Demonstration {
    fn document(&self) -> Document {
        let program = &self.program;
        let simulate = |file: &str| format!("{program} simulate {file} --policy likely --predictor mixture");
        let next = match &self.saved {
            Some(file) => simulate(file),
            None => format!("{program} demo --output demo.swf && {}", simulate("demo.swf")),
        };
        Document::new()
            .with_paragraph(shown(&self.comparison))
            .followed_by(self.comparison.document())
            .with_command("Look closer:", next)
            .with_command("The records of a Slurm site:", format!("{EXAMPLE_COMMAND} > site.sacct"))
            .with_command(
                "What other policies would do there (N is the last number that sinfo -h -o %C prints):",
                format!("{program} compare site.sacct --procs N"),
            )
            .with_command(
                "When jobs start and why they wait, as a page (http://127.0.0.1:8080/), here of made-up jobs:",
                format!("{program} serve --demo"),
            )
    }

    fn table(&self) -> Table {
        self.comparison.table()
    }
}

/// What backfilling on learned distributions does beside EASY with requested times, and to the longest wait.
fn shown(of: &Comparison) -> String {
    let results = of.results_of(0);
    let summary = |policy: &str, predictor: &str| {
        let named = |one: &&&SimulationResult| {
            let experiment = &one.simulation.experiment;
            experiment.policy.to_string() == policy && experiment.predictor.to_string() == predictor
        };
        let summary = &results.iter().find(named)?.summary;
        Some((summary.mean_bounded_slowdown?, summary.max_wait?))
    };
    let (Some((slowdown, longest)), Some((usual, usual_longest))) =
        (summary("likely", "mixture"), summary("easy", "requested"))
    else {
        return "No job is counted, so there is nothing to compare.".to_owned();
    };
    format!(
        "Planned with run times learned from past jobs (likely, mixture) the mean bounded slowdown is {slowdown:.1}; planned \
         with what users ask for (easy, requested) it is {usual:.1}.\nThe longest wait is {} instead of {}.",
        duration::human(longest),
        duration::human(usual_longest)
    )
}

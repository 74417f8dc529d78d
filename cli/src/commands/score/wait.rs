//! `queuecast score wait`.

use std::path::PathBuf;
use std::time::Instant;

use queuecast::eval::{EvalError, WaitScore, WaitScorer, WaitWindow, Watch};
use queuecast::forecast::WaitMethod;
use queuecast::predict::DEFAULT_REQUEST;
use queuecast::report::{Cell, Column, Document, Table};
use queuecast::trace::CleaningReport;
use serde::Serialize;

use crate::answer::Answer;
use crate::commands::loaded::{Facts, Loaded, number_of};
use crate::commands::source::Source;
use crate::commands::{cleaning, threads};
use crate::failure::Failure;
use crate::printer::Printer;
use crate::progress::Progress;
use crate::spec::{self, Several, SpecList};

const EXAMPLES: &str = "\
Examples:
  Nearest neighbours beside the baselines:
    queuecast score wait CTC-SP2.swf.gz --method knn

  Two histories, on the jobs that Kumar & Vadhiyar 2014 predict:
    queuecast score wait CTC-SP2.swf.gz --method knn,knn:10000 --jobs 40000

  A short log, for a program:
    queuecast score wait site.sacct --procs 4096 --from 1000 --format json";

/// Score predicted waits: each job is predicted at its submission and learned from at its start
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Arguments {
    /// The trace, compressed or not; - for standard input
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    #[arg(long, value_name = "METHOD,...", default_value = "knn", value_parser = SpecList(method()), hide_possible_values = true)]
    #[arg(help = method().help("How waits are predicted; several are separated by commas, and the baselines zero and past are always added"), long_help = method().long_help("How waits are predicted; several are separated by commas, and the baselines zero and past are always added"))]
    pub method: Vec<Several<WaitMethod>>,
    /// The first job that is scored, counted from 1 in order of submission; those before it are learned from
    #[arg(long, value_name = "N", default_value_t = WaitWindow::FROM as u32, value_parser = spec::at_least_one::<u32>, allow_negative_numbers = true)]
    pub from: u32,
    /// How many jobs are scored at most; by default all that follow
    #[arg(long, value_name = "N", value_parser = spec::at_least_one::<u32>, allow_negative_numbers = true)]
    pub jobs: Option<u32>,
    #[command(flatten)]
    pub source: Source,
    /// How many methods are scored at once; by default as many as there are cores
    #[arg(long, value_name = "N", help_heading = "Results")]
    #[arg(value_parser = spec::at_least_one::<u16>, allow_negative_numbers = true)]
    pub threads: Option<u16>,
    /// Add how long each method took, in JSON and CSV; without it, results are the same every time
    #[arg(long, help_heading = "Results")]
    pub timings: bool,
}

fn method() -> spec::SpecParser<WaitMethod> {
    spec::of()
}

impl Arguments {
    /// The methods asked for, then the baselines.
    fn methods(&self) -> Vec<WaitMethod> {
        let mut methods = Several::together(&self.method);
        for baseline in ["past", "zero"] {
            if let Ok(baseline) = baseline.parse()
                && !methods.contains(&baseline)
            {
                methods.push(baseline);
            }
        }
        methods
    }
}

/// Scores the methods and shows them side by side.
pub fn run(arguments: &Arguments, printer: &Printer) -> Result<(), Failure> {
    let trace = Loaded::read(&arguments.file, &arguments.source, printer)?;
    let window = WaitWindow {
        from: arguments.from as usize,
        jobs: arguments.jobs.map_or(usize::MAX, |jobs| jobs as usize),
        default_request: DEFAULT_REQUEST,
    };
    let methods = arguments.methods();
    let (jobs, methods) = threads::on_threads(arguments.threads, methods.len(), || {
        let scorer =
            WaitScorer::new(&trace.log.workload, window).map_err(|error| refused(&trace.name, error))?;
        let progress = Progress::new(printer, "scoring", methods.len() * scorer.jobs());
        let begun = Instant::now();
        let clock = || begun.elapsed().as_secs_f64();
        let clock: Option<&(dyn Fn() -> f64 + Sync)> = if arguments.timings { Some(&clock) } else { None };
        let done = |steps| progress.advance_by(steps);
        Ok((scorer.jobs(), scorer.score(&methods, Watch { done: &done, clock })))
    })?;
    let scored = WaitScores {
        version: env!("CARGO_PKG_VERSION"),
        log: trace.name.clone(),
        from: arguments.from,
        jobs,
        methods,
        workload: trace.facts(),
        cleaning: &trace.log.report,
        trace: &trace,
    };
    if printer.shows_rows_only() {
        cleaning::note(&trace.name, &trace.log.report, cleaning::Overrun::Kept, printer);
    }
    printer.answer(&scored)
}

/// Why the log cannot be scored, with what helps.
fn refused(name: &str, error: EvalError) -> Failure {
    match error {
        EvalError::NoWaits => Failure::input(format!(
            "{name} does not record how long jobs waited, so there is nothing to compare predicted waits with"
        ))
        .hint("simulate it (queuecast simulate LOG --schedule-swf OUT.swf) and score the simulated waits"),
        EvalError::TooFewJobs { jobs, needed } => Failure::input(format!(
            "{name} has {}, and scoring begins with job {needed}",
            number_of(jobs, "job")
        ))
        .hint("begin earlier with --from; the jobs before it are those that methods learn from first"),
        other => other.into(),
    }
}

/// The scores of several methods on one log.
#[derive(Debug, Serialize)]
pub struct WaitScores<'a> {
    /// Of queuecast.
    version: &'static str,
    log: String,
    /// The first job scored, from 1.
    from: u32,
    /// How many are.
    jobs: usize,
    methods: Vec<WaitScore>,
    workload: Facts,
    cleaning: &'a CleaningReport,
    /// For text only.
    #[serde(skip)]
    trace: &'a Loaded,
}

impl Answer for WaitScores<'_> {
    fn document(&self) -> Document {
        let document = cleaning::add(
            Document::new().with_table("trace", self.trace.table()),
            self.cleaning,
            cleaning::Overrun::Kept,
        );
        document.with_table("scores", self.scores()).with_table("recall", self.recall())
    }

    fn table(&self) -> Table {
        let mut columns = ["source", "digest", "method"].map(Column::text).to_vec();
        columns.extend(["from", "jobs"].map(Column::integer));
        columns.extend(MEASURES.iter().map(|measure| Column::number(measure.name)));
        columns.extend(["seconds"].map(Column::number));
        columns.push(Column::text("version"));
        let mut table = Table::new(columns);
        for score in &self.methods {
            let mut row = vec![
                Cell::text(&*self.workload.source),
                Cell::text(&*self.workload.digest),
                Cell::text(&*score.method),
                Cell::Integer(i64::from(self.from)),
                Cell::count(score.jobs),
            ];
            row.extend(MEASURES.iter().map(|measure| number((measure.of)(score), 4)));
            row.push(number(score.seconds, 3));
            row.push(Cell::text(self.version));
            table.row(row);
        }
        table
    }
}

fn number(value: Option<f64>, digits: u8) -> Cell {
    value.map_or(Cell::Missing, |value| Cell::number(value, digits))
}

/// One column of the scores.
struct ScoreColumn {
    name: &'static str,
    heading: &'static str,
    digits: u8,
    of: fn(&WaitScore) -> Option<f64>,
}

const fn column(
    name: &'static str,
    heading: &'static str,
    digits: u8,
    of: fn(&WaitScore) -> Option<f64>,
) -> ScoreColumn {
    ScoreColumn { name, heading, digits, of }
}

const MEASURES: [ScoreColumn; 13] = [
    column("one_class", "one class (%)", 1, |score| Some(score.one_class)),
    column("two_class", "two (%)", 1, |score| Some(score.two_class)),
    column("three_class", "three (%)", 1, |score| Some(score.three_class)),
    column("majority_class", "majority (%)", 1, |score| Some(score.majority_class)),
    column("response_error", "response error (%)", 1, |score| Some(score.response_error)),
    column("log10_mse", "log10 MSE", 3, |score| Some(score.log10_mse)),
    column("within_factor_two", "within 2x (%)", 1, |score| score.within_factor_two),
    column("pinball_0.1", "pinball 0.1 (s)", 0, |score| score.pinball.get("0.1").copied()),
    column("pinball_0.5", "pinball 0.5 (s)", 0, |score| score.pinball.get("0.5").copied()),
    column("pinball_0.9", "pinball 0.9 (s)", 0, |score| score.pinball.get("0.9").copied()),
    column("interval_score_80", "interval score (s)", 0, |score| Some(score.interval_score_80)),
    column("coverage_80", "coverage (%)", 1, |score| Some(score.coverage_80)),
    column("mean_width_80", "width (s)", 0, |score| Some(score.mean_width_80)),
];

impl WaitScores<'_> {
    fn scores(&self) -> Table {
        let mut columns = vec![Column::text("method").naming()];
        let spare = ["pinball 0.1 (s)", "pinball 0.9 (s)", "majority (%)", "three (%)", "width (s)"];
        columns.extend(MEASURES.iter().map(|measure| {
            let place = spare.iter().position(|heading| *heading == measure.heading);
            Column::number(measure.heading).spare(place.map_or(0, |place| place as u8 + 1))
        }));
        let mut table = Table::new(columns).titled(format!(
            "Predicted waits of {}, from number {} on",
            number_of(self.jobs, "job"),
            self.from
        ));
        for score in &self.methods {
            let cells = MEASURES.iter().map(|measure| number((measure.of)(score), measure.digits));
            table.row([Cell::text(&*score.method)].into_iter().chain(cells));
        }
        table.note("classes: up to 1, 3, 6, 12, 24 h, and longer; two and three classes are neighbours; majority: always the most frequent class");
        table.note("response error: mean of |predicted - actual wait| / (actual wait + requested time); within 2x: of waits above ten minutes");
        table.note("interval score, coverage, width: of the range from the 10 % to the 90 % quantile; coverage should be 80 %, lower scores are better");
        table.note("past: the last 200 waits of the queue; zero: no wait at all");
        table
    }

    /// How many of the waits of each class were predicted to be in it.
    fn recall(&self) -> Table {
        const CLASSES: [&str; 6] =
            ["up to 1 h", "1 to 3 h", "3 to 6 h", "6 to 12 h", "12 to 24 h", "over 24 h"];
        let mut columns = vec![Column::text("recall (%)").naming()];
        columns.extend(CLASSES.map(Column::number));
        let mut table = Table::new(columns).titled("Waits of each class that were predicted to be in it");
        for score in &self.methods {
            let cells = (1..=CLASSES.len()).map(|class| number(score.recall.get(&class).copied(), 1));
            table.row([Cell::text(&*score.method)].into_iter().chain(cells));
        }
        table
    }
}

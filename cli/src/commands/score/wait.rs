//! `queuecast score wait`.

use std::path::PathBuf;

use queuecast::eval::{WaitScore, WaitScorer};
use queuecast::forecast::WaitMethod;
use queuecast::report::predictions::write_waits;
use queuecast::report::{Answer, Cell, Column, Document, Table};
use queuecast::trace::CleaningReport;
use serde::Serialize;

use super::asked::{ScoreArguments, ScoreFiles, refused, write_rows};
use super::text::{self, ComparedMeasure, ScoreColumn, column, interval, number};
use crate::commands::cleaning;
use crate::commands::loaded::{Facts, Loaded, number_of};
use crate::failure::Failure;
use crate::printer::Printer;
use crate::spec::{self, Several, SpecList};

const EXAMPLES: &str = "\
Examples:
  Nearest neighbours beside the baselines:
    queuecast score wait CTC-SP2.swf.gz --method knn

  Two histories, on the jobs that Kumar & Vadhiyar 2014 predict:
    queuecast score wait CTC-SP2.swf.gz --method knn,knn:10000 --jobs 40000

  A short log, for a program, with what was said of each job:
    queuecast score wait site.sacct --procs 4096 --from 1000 --format json \\
      --predictions said.csv";

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
    #[command(flatten)]
    pub scoring: ScoreArguments,
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
    let ScoreFiles { predictions, plot } = arguments.scoring.plan(&[&arguments.file])?;
    let trace = Loaded::read(&arguments.file, &arguments.scoring.source, printer)?;
    let methods = arguments.methods();
    let prepare = || {
        let scorer = WaitScorer::new(&trace.log.workload, arguments.scoring.window());
        let scorer = scorer.map_err(|error| {
            refused(&trace.name, "there is nothing to compare predicted waits with", error)
        })?;
        Ok((scorer.jobs(), scorer))
    };
    let is_kept = predictions.is_some();
    let (jobs, (methods, said)) =
        arguments.scoring.run(methods.len(), printer, prepare, |scorer, watch| match is_kept {
            true => scorer.score_each(&methods, watch),
            false => (scorer.score(&methods, watch), Vec::new()),
        })?;
    if let Some(planned) = predictions {
        let said: Vec<_> = methods.iter().map(|score| score.method.clone()).zip(said).collect();
        write_rows(planned, |out| write_waits(out, &trace.log.workload.names, &said))?;
    }
    let scored = WaitScores {
        version: env!("CARGO_PKG_VERSION"),
        log: trace.name.clone(),
        from: arguments.scoring.from,
        jobs,
        methods,
        workload: trace.facts(),
        cleaning: &trace.log.report,
        trace: &trace,
    };
    if printer.shows_rows_only() {
        cleaning::note(&trace.name, &trace.log.report, cleaning::Overrun::Kept, printer);
    }
    plot.answer(&scored, printer)
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
        let mut document = cleaning::add(
            Document::new().with_table("trace", self.trace.table()),
            self.cleaning,
            cleaning::Overrun::Kept,
        );
        document = document.with_table("scores", self.classes()).with_table("ranges", self.ranges());
        let months = self.methods.iter();
        let months = months.map(|score| (score.method.clone(), &*score.months, &*score.tenths));
        if let Some(months) = text::months("waits", months) {
            document = document.with_table("months", months);
        }
        if let Some(differences) = self.differences() {
            document = document.with_table("differences", differences);
        }
        document = document.with_table("recall", self.recall());
        if let Some(first) = self.methods.first() {
            document = document.with_table("confusion", confusion(first));
        }
        let curves = self.methods.iter().map(|score| (score.method.clone(), &*score.calibration));
        match text::calibration("waits", curves) {
            Some(chart) => document.with_chart(chart),
            None => document,
        }
    }

    fn table(&self) -> Table {
        let mut columns = ["source", "digest", "method"].map(Column::text).to_vec();
        columns.extend(["from", "jobs", "weeks"].map(Column::integer));
        let measures = || CLASS_MEASURES.iter().chain(&RANGE_MEASURES);
        columns.extend(measures().map(|measure| Column::number(measure.name).key(measure.name)));
        for (name, ..) in COMPARED {
            columns.push(Column::number(format!("{name}_low")).key(format!("{name}_low")));
            columns.push(Column::number(format!("{name}_high")).key(format!("{name}_high")));
        }
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
                Cell::count(score.weeks),
            ];
            row.extend(measures().map(|measure| number((measure.of)(score), 4)));
            for (name, ..) in COMPARED {
                let ends = score.intervals.get(name);
                row.extend([0, 1].map(|end| number(ends.map(|ends| ends[end]), 4)));
            }
            row.push(number(score.seconds, 3));
            row.push(Cell::text(self.version));
            table.row(row);
        }
        table
    }
}

const CLASSES: [&str; 6] = ["up to 1 h", "1 to 3 h", "3 to 6 h", "6 to 12 h", "12 to 24 h", "over 24 h"];

const CLASS_MEASURES: [ScoreColumn<WaitScore>; 13] = [
    column("one_class", "one class (%)", 1, |score| Some(score.one_class)),
    column("two_class", "two (%)", 1, |score| Some(score.two_class)),
    column("three_class", "three (%)", 1, |score| Some(score.three_class)),
    column("majority_class", "majority (%)", 1, |score| Some(score.majority_class)),
    column("one_class_skill", "skill (%)", 1, |score| score.one_class_skill),
    column("one_class_long", "one, long (%)", 1, |score| score.one_class_long),
    column("two_class_long", "two, long (%)", 1, |score| score.two_class_long),
    column("three_class_long", "three, long (%)", 1, |score| score.three_class_long),
    column("response_error", "response error (%)", 1, |score| Some(score.response_error)),
    column("response_point_error", "response point (%)", 1, |score| Some(score.response_point_error)),
    column("own_point_error", "own point (%)", 1, |score| Some(score.own_point_error)),
    column("log10_mse", "log10 MSE", 3, |score| Some(score.log10_mse)),
    column("within_factor_two", "within 2x (%)", 1, |score| score.within_factor_two),
];

const RANGE_MEASURES: [ScoreColumn<WaitScore>; 7] = [
    column("interval_score_80", "interval score (s)", 0, |score| Some(score.interval_score_80)),
    column("interval_skill", "skill (%)", 1, |score| score.interval_skill),
    column("coverage_80", "coverage (%)", 1, |score| Some(score.coverage_80)),
    column("mean_width_80", "width (s)", 0, |score| Some(score.mean_width_80)),
    column("pinball_0.1", "pinball 0.1 (s)", 0, |score| score.pinball.get("0.1").copied()),
    column("pinball_0.5", "pinball 0.5 (s)", 0, |score| score.pinball.get("0.5").copied()),
    column("pinball_0.9", "pinball 0.9 (s)", 0, |score| score.pinball.get("0.9").copied()),
];

/// What methods are compared by.
const COMPARED: [ComparedMeasure; 4] = [
    ("one_class", "one class (points)", 1, true),
    ("two_class", "two classes (points)", 1, true),
    ("response_error", "response error (points)", 1, false),
    ("interval_score_80", "interval score (s)", 0, false),
];

impl WaitScores<'_> {
    /// A table of these measures, the interval of the first beside it. Those named in `spare` are left out of narrow text, the last first.
    fn measured(&self, measures: &[ScoreColumn<WaitScore>], spare: &[&str]) -> Table {
        let mut columns = vec![Column::text("method").naming()];
        for (place, measure) in measures.iter().enumerate() {
            let rank = spare.iter().position(|name| *name == measure.name);
            let rank = rank.map_or(0, |rank| rank as u8 + 1);
            columns.push(Column::number(measure.heading).key(measure.name).spare(rank));
            if place == 0 {
                columns.push(Column::text("95 %").key(format!("{}_interval", measure.name)));
            }
        }
        let mut table = Table::new(columns);
        for score in &self.methods {
            let mut row = vec![Cell::text(&*score.method)];
            for (place, measure) in measures.iter().enumerate() {
                row.push(number((measure.of)(score), measure.digits));
                if place == 0 {
                    row.push(interval(&score.intervals, measure.name, measure.digits));
                }
            }
            table.row(row);
        }
        table
    }

    fn classes(&self) -> Table {
        let spare = [
            "response_error",
            "one_class_long",
            "majority_class",
            "two_class_long",
            "within_factor_two",
            "response_point_error",
            "log10_mse",
            "own_point_error",
            "three_class",
            "three_class_long",
        ];
        let mut table = self.measured(&CLASS_MEASURES, &spare).titled(format!(
            "Predicted waits of {}, from number {} on",
            number_of(self.jobs, "job"),
            self.from
        ));
        table.note("classes: up to 1, 3, 6, 12, 24 h, and longer; two and three classes are neighbours; majority: always the most frequent class");
        table.note("skill: how much of what the majority class leaves wrong is right; long: of the jobs that waited for more than an hour");
        table.note("response error: mean of |median - actual wait| / (actual wait + requested time); response point, own point: the same of the number expected to be least wrong by it, and of the method's own");
        table.note("within 2x: medians, of waits above ten minutes");
        table.note("past: the last 200 waits of the queue; zero: no wait at all");
        table
    }

    fn ranges(&self) -> Table {
        let spare = ["pinball_0.5", "mean_width_80", "pinball_0.9", "pinball_0.1"];
        let mut table =
            self.measured(&RANGE_MEASURES, &spare).titled("Ranges from the 10 % to the 90 % quantile");
        table.note("interval score: width, and ten times the distance of waits outside, lower is better; skill: how much lower than that of past");
        table.note("coverage: waits inside; should be 80 %, but is higher where many jobs do not wait");
        table
    }

    fn differences(&self) -> Option<Table> {
        let first = self.methods.first()?;
        let others = self.methods.iter();
        let others = others.filter_map(|score| Some((score.method.clone(), score.differences.as_ref()?)));
        text::differences(&COMPARED, others, &first.method, first.weeks)
    }

    /// How many of the waits of each class were predicted to be in it.
    fn recall(&self) -> Table {
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

/// How many waits of each class were predicted to be in each.
fn confusion(score: &WaitScore) -> Table {
    let mut columns = vec![Column::text("actual wait").naming()];
    columns.extend(CLASSES.map(Column::integer));
    let mut table =
        Table::new(columns).titled(format!("Waits by actual and by predicted class: {}", score.method));
    for (class, row) in CLASSES.iter().zip(&score.confusion) {
        table.row([Cell::text(*class)].into_iter().chain(row.iter().map(|&jobs| Cell::count(jobs))));
    }
    table
}

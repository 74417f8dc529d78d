//! `queuecast score runtime`.

use std::path::PathBuf;

use queuecast::eval::{RuntimeMeasures, RuntimeMethod, RuntimeScore, RuntimeScorer};
use queuecast::predict::PredictorSpec;
use queuecast::report::predictions::write_run_times;
use queuecast::report::{Answer, Cell, Column, Document, Table};
use queuecast::trace::CleaningReport;
use serde::Serialize;

use super::asked::{ScoreArguments, ScoreFiles, refused, write_rows};
use super::text::{self, ComparedMeasure, ScoreColumn, column, interval, number};
use crate::commands::cleaning;
use crate::commands::loaded::{Facts, Loaded, number_of};
use crate::failure::Failure;
use crate::printer::Printer;
use crate::spec::{self, NamedPredictor, PredictorLabels, Several, SpecList};

const EXAMPLES: &str = "\
Examples:
  The user's last two jobs beside the requested time:
    queuecast score runtime KTH-SP2.swf.gz --method recent:2

  With ranges to plan with:
    queuecast score runtime KTH-SP2.swf.gz --method mixture

  What a set of templates is worth:
    queuecast score runtime KTH-SP2.swf.gz --method template:@templates.txt

  Several predictors, for a program:
    queuecast score runtime site.sacct --procs 4096 --from 1000 \\
      --method recent:2,sbh,gibbons --format json";

/// Score predicted run times: each job is predicted at its submission and at its start, and learned from at its end
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Arguments {
    /// The trace, compressed or not; - for standard input
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    #[arg(long, value_name = "METHOD,...", default_value = "recent:2,sbh", value_parser = SpecList(spec::predictor()), hide_possible_values = true)]
    #[arg(help = spec::predictor().help(METHOD), long_help = spec::predictor().long_help(METHOD))]
    pub method: Vec<Several<NamedPredictor>>,
    #[command(flatten)]
    pub scoring: ScoreArguments,
}

const METHOD: &str = "How run times are predicted; several are separated by commas, and the baselines requested and past (the last run times of all jobs) are always added";

/// Scores the methods and shows them side by side.
pub fn run(arguments: &Arguments, printer: &Printer) -> Result<(), Failure> {
    let ScoreFiles { predictions: planned, plot } = arguments.scoring.plan(&[&arguments.file])?;
    let predictors = Several::together(&arguments.method);
    let mut specs: Vec<PredictorSpec> = Vec::new();
    for spec in predictors.iter().map(|named| &named.spec).chain([&PredictorSpec::Requested]) {
        if !specs.contains(spec) {
            specs.push(spec.clone());
        }
    }
    let trace = Loaded::read(&arguments.file, &arguments.scoring.source, printer)?;
    let jobs = trace.log.workload.jobs();
    if let Some(error) = specs.iter().find_map(|spec| spec.check(jobs).err()) {
        return Err(Failure::usage(format!("{}: {error}", trace.name)));
    }
    let methods: Vec<RuntimeMethod> =
        specs.into_iter().map(RuntimeMethod::Predictor).chain([RuntimeMethod::Past]).collect();
    let prepare = || {
        let scorer = RuntimeScorer::new(&trace.log.workload, arguments.scoring.window());
        let lacks = "it is unknown which run times were known when a job was submitted";
        let scorer = scorer.map_err(|error| refused(&trace.name, lacks, error))?;
        Ok((scorer.jobs(), scorer))
    };
    let is_kept = planned.is_some();
    let (jobs, (methods, said)) =
        arguments.scoring.run(methods.len(), printer, prepare, |scorer, watch| match is_kept {
            true => scorer.score_each(&methods, watch),
            false => (scorer.score(&methods, watch), Vec::new()),
        })?;
    if let Some(planned) = planned {
        let said: Vec<_> = methods.iter().map(|score| score.method.clone()).zip(said).collect();
        write_rows(planned, |out| write_run_times(out, &trace.log.workload.names, &said))?;
    }
    let scored = RuntimeScores {
        version: env!("CARGO_PKG_VERSION"),
        log: trace.name.clone(),
        from: arguments.scoring.from,
        jobs,
        methods,
        workload: trace.facts(),
        cleaning: &trace.log.report,
        trace: &trace,
        labels: PredictorLabels::of(&predictors),
    };
    if printer.shows_rows_only() {
        cleaning::note(&trace.name, &trace.log.report, cleaning::Overrun::Kept, printer);
    }
    plot.answer(&scored, printer)
}

/// The scores of several methods on one log.
#[derive(Debug, Serialize)]
pub struct RuntimeScores<'a> {
    /// Of queuecast.
    version: &'static str,
    log: String,
    /// The first job scored, from 1.
    from: u32,
    /// How many are.
    jobs: usize,
    methods: Vec<RuntimeScore>,
    workload: Facts,
    cleaning: &'a CleaningReport,
    /// For text only, as what follows.
    #[serde(skip)]
    trace: &'a Loaded,
    #[serde(skip)]
    labels: PredictorLabels,
}

/// The moment of a prediction, and the measures of it.
type Moment = (&'static str, fn(&RuntimeScore) -> &RuntimeMeasures);

const MOMENTS: [Moment; 2] =
    [("submission", |score| &score.at_submission), ("start", |score| &score.at_start)];

const MEASURES: [ScoreColumn<RuntimeMeasures>; 9] = [
    column("mean_absolute_error", "mean error (s)", 0, |score| Some(score.mean_absolute_error)),
    column("percent_of_mean", "of mean (%)", 1, |score| Some(score.percent_of_mean)),
    column("within_factor_two", "within 2x (%)", 1, |score| score.within_factor_two),
    column("pinball_0.1", "pinball 0.1 (s)", 0, |score| score.pinball.get("0.1").copied()),
    column("pinball_0.5", "pinball 0.5 (s)", 0, |score| score.pinball.get("0.5").copied()),
    column("pinball_0.9", "pinball 0.9 (s)", 0, |score| score.pinball.get("0.9").copied()),
    column("interval_score_80", "interval score (s)", 0, |score| score.interval_score_80),
    column("coverage_80", "coverage (%)", 1, |score| score.coverage_80),
    column("mean_width_80", "width (s)", 0, |score| score.mean_width_80),
];

/// The measure whose interval stands beside it.
const MAIN: &str = "percent_of_mean";

/// Left out of narrow text, the last first.
const SPARE: [&str; 5] =
    ["mean_absolute_error", "mean_width_80", "pinball_0.5", "pinball_0.9", "pinball_0.1"];

/// What methods are compared by.
const COMPARED: [ComparedMeasure; 3] = [
    ("percent_of_mean", "mean error (% of mean)", 1, false),
    ("within_factor_two", "within 2x (points)", 1, true),
    ("interval_score_80", "interval score (s)", 0, false),
];

impl Answer for RuntimeScores<'_> {
    fn document(&self) -> Document {
        let mut document = cleaning::add(
            Document::new().with_table("trace", self.trace.table()),
            self.cleaning,
            cleaning::Overrun::Kept,
        );
        for moment in MOMENTS {
            document = document.with_table(format!("at_{}", moment.0), self.scores(moment));
        }
        let months = self.methods.iter().map(|score| {
            let measures = &score.at_submission;
            (self.labels.label(&score.method), &*measures.months, &*measures.tenths)
        });
        if let Some(months) = text::months("run times", months) {
            document = document.with_table("months", months);
        }
        if let Some(limits) = self.limits() {
            document = document.with_table("limits", limits);
        }
        if let Some(differences) = self.differences() {
            document = document.with_table("differences", differences);
        }
        let curves = self.methods.iter();
        let curves =
            curves.map(|score| (self.labels.label(&score.method), &*score.at_submission.calibration));
        match text::calibration("run times", curves) {
            Some(chart) => document.with_chart(chart),
            None => document,
        }
    }

    fn table(&self) -> Table {
        let mut columns = ["source", "digest", "method", "asked_at"].map(Column::text).to_vec();
        columns.extend(["from", "jobs", "weeks", "ranges"].map(Column::integer));
        columns.extend(MEASURES.iter().map(|measure| Column::number(measure.name).key(measure.name)));
        for (name, ..) in COMPARED {
            columns.push(Column::number(format!("{name}_low")).key(format!("{name}_low")));
            columns.push(Column::number(format!("{name}_high")).key(format!("{name}_high")));
        }
        columns.extend(["mean_run_time", "seconds"].map(Column::number));
        columns.push(Column::text("version"));
        let mut table = Table::new(columns);
        for score in &self.methods {
            for (asked, of) in MOMENTS {
                let measures = of(score);
                let mut row = vec![
                    Cell::text(&*self.workload.source),
                    Cell::text(&*self.workload.digest),
                    Cell::text(&*score.method),
                    Cell::text(asked),
                    Cell::Integer(i64::from(self.from)),
                    Cell::count(score.jobs),
                    Cell::count(measures.weeks),
                    Cell::count(measures.ranges),
                ];
                row.extend(MEASURES.iter().map(|measure| number((measure.of)(measures), 4)));
                for (name, ..) in COMPARED {
                    let ends = measures.intervals.get(name);
                    row.extend([0, 1].map(|end| number(ends.map(|ends| ends[end]), 4)));
                }
                row.push(Cell::number(score.mean_run_time, 4));
                row.push(number(score.seconds, 3));
                row.push(Cell::text(self.version));
                table.row(row);
            }
        }
        table
    }
}

impl RuntimeScores<'_> {
    fn scores(&self, (asked, of): Moment) -> Table {
        let mut columns = vec![Column::text("method").naming()];
        for measure in &MEASURES {
            let rank = SPARE.iter().position(|name| *name == measure.name);
            let rank = rank.map_or(0, |rank| rank as u8 + 1);
            columns.push(Column::number(measure.heading).key(measure.name).spare(rank));
            if measure.name == MAIN {
                columns.push(Column::text("95 %").key(format!("{}_interval", measure.name)));
            }
        }
        let mut table = Table::new(columns).titled(format!(
            "Run times of {}, from number {} on, predicted at {asked}",
            number_of(self.jobs, "job"),
            self.from
        ));
        for score in &self.methods {
            let measures = of(score);
            let mut row = vec![Cell::text(self.labels.label(&score.method))];
            for measure in &MEASURES {
                row.push(number((measure.of)(measures), measure.digits));
                if measure.name == MAIN {
                    row.push(interval(&measures.intervals, measure.name, measure.digits));
                }
            }
            table.row(row);
        }
        if asked == MOMENTS[0].0 {
            table.note("mean error: of |predicted - actual run time|, also in percent of the mean run time; within 2x: of run times above zero");
            table.note("interval score, coverage, width: of the range from the 10 % to the 90 % quantile, against the run time or the requested time, whichever is shorter");
            table
                .note("past: the last 200 run times of all jobs; methods that predict a point have no range");
        }
        table
    }

    /// What shorter time limits would have done; `None` where no method gives ranges.
    fn limits(&self) -> Option<Table> {
        let mut table = Table::new(vec![
            Column::text("method").naming(),
            Column::share("accepted risk").key("risk"),
            Column::number("shorter for (%)").key("advised"),
            Column::number("stopped (%)").key("stopped"),
            Column::number("expected (%)").key("expected").spare(1),
            Column::number("of requested (%)").key("of_request"),
        ])
        .titled("Time limits that could have been asked for");
        for score in &self.methods {
            for limits in &score.at_submission.limits {
                table.row([
                    Cell::text(self.labels.label(&score.method)),
                    Cell::share(limits.risk),
                    Cell::number(limits.advised, 1),
                    number(limits.stopped, 1),
                    number(limits.expected, 1),
                    number(limits.of_request, 0),
                ]);
            }
        }
        table.note("shorter for: jobs for which a limit below the requested time had kept the risk for earlier jobs; stopped: of these, those that ran that long; expected: the share of earlier jobs");
        (!table.rows().is_empty()).then_some(table)
    }

    fn differences(&self) -> Option<Table> {
        let first = self.methods.first()?;
        let others = self.methods.iter();
        let others = others.filter_map(|score| {
            Some((self.labels.label(&score.method), score.at_submission.differences.as_ref()?))
        });
        let weeks = first.at_submission.weeks;
        text::differences(&COMPARED, others, &self.labels.label(&first.method), weeks)
    }
}

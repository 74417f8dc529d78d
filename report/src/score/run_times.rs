//! Scores of predicted run times.

use super::{ComparedMeasure, ScoreColumn, Scored, column, known};
use crate::words::number_of;
use crate::{Answer, Cell, Column, Document, Table};
use queuecast_eval::{RuntimeMeasures, RuntimeScore};

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

impl Answer for Scored<'_, RuntimeScore> {
    fn document(&self) -> Document {
        let mut document = self.opening();
        for moment in MOMENTS {
            document = document.with_table(format!("at_{}", moment.0), self.scores(moment));
        }
        let labelled =
            || self.methods.iter().map(|score| ((self.label)(&score.method), score, &score.at_submission));
        let months = labelled().map(|(label, _, measures)| (label, &*measures.months, &*measures.tenths));
        let months = super::months("run times", months);
        let others =
            labelled().filter_map(|(label, _, measures)| Some((label, measures.differences.as_ref()?)));
        let differences = labelled()
            .next()
            .and_then(|(first, _, measures)| super::differences(&COMPARED, others, &first, measures.weeks));
        let tables = [("months", months), ("limits", self.limits()), ("differences", differences)];
        for (key, table) in tables {
            document = table.into_iter().fold(document, |document, table| document.with_table(key, table));
        }
        let curves = labelled().map(|(label, _, measures)| (label, &*measures.calibration));
        super::calibration("run times", curves).into_iter().fold(document, Document::with_chart)
    }

    fn table(&self) -> Table {
        let moments = self.methods.iter().flat_map(|score| MOMENTS.map(|moment| (score, moment)));
        Table::records(moments.map(|(score, (asked, of))| {
            let measures = of(score);
            let mut row = vec![
                (Column::text("asked_at"), Cell::text(asked)),
                (Column::integer("from"), Cell::count(self.from)),
                (Column::integer("jobs"), Cell::count(score.jobs)),
                (Column::integer("weeks"), Cell::count(measures.weeks)),
                (Column::integer("ranges"), Cell::count(measures.ranges)),
            ];
            row.extend(super::raw(MEASURES.iter(), &COMPARED, measures, &measures.intervals));
            row.push((Column::number("mean_run_time"), Cell::number(score.mean_run_time, 4)));
            row.push((Column::number("seconds"), known(score.seconds, 3)));
            self.row(&score.method, row)
        }))
    }
}

impl Scored<'_, RuntimeScore> {
    fn scores(&self, (asked, of): Moment) -> Table {
        let methods = self.methods.iter().map(|score| {
            let measures = of(score);
            ((self.label)(&score.method), measures, &measures.intervals)
        });
        let mut table = super::measured(&MEASURES, MAIN, &SPARE, methods).titled(format!(
            "Run times of {}, from number {} on, predicted at {asked}",
            number_of(self.jobs, "job"),
            self.from
        ));
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
                    Cell::text((self.label)(&score.method)),
                    Cell::share(limits.risk),
                    Cell::number(limits.advised, 1),
                    known(limits.stopped, 1),
                    known(limits.expected, 1),
                    known(limits.of_request, 0),
                ]);
            }
        }
        table.note("shorter for: jobs for which a limit below the requested time had kept the risk for earlier jobs; stopped: of these, those that ran that long; expected: the share of earlier jobs");
        (!table.rows().is_empty()).then_some(table)
    }
}

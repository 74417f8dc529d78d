//! Scores of predicted waits.

use super::{ComparedMeasure, ScoreColumn, Scored, column, known};
use crate::words::number_of;
use crate::{Answer, Cell, Column, Document, Table};
use queuecast_eval::WaitScore;

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

impl Answer for Scored<'_, WaitScore> {
    fn document(&self) -> Document {
        let mut document =
            self.opening().with_table("scores", self.classes()).with_table("ranges", self.ranges());
        let methods = || self.methods.iter().map(|score| (score.method.clone(), score));
        let months = methods().map(|(method, score)| (method, &*score.months, &*score.tenths));
        let others = methods().filter_map(|(method, score)| Some((method, score.differences.as_ref()?)));
        let differences = self
            .methods
            .first()
            .and_then(|first| super::differences(&COMPARED, others, &first.method, first.weeks));
        let tables = [
            ("months", super::months("waits", months)),
            ("differences", differences),
            ("recall", Some(self.recall())),
            ("confusion", self.methods.first().map(confusion)),
        ];
        for (key, table) in tables {
            document = table.into_iter().fold(document, |document, table| document.with_table(key, table));
        }
        let curves = methods().map(|(method, score)| (method, &*score.calibration));
        super::calibration("waits", curves).into_iter().fold(document, Document::with_chart)
    }

    fn table(&self) -> Table {
        Table::records(self.methods.iter().map(|score| {
            let mut row = vec![
                (Column::integer("from"), Cell::count(self.from)),
                (Column::integer("jobs"), Cell::count(score.jobs)),
                (Column::integer("weeks"), Cell::count(score.weeks)),
            ];
            let measures = CLASS_MEASURES.iter().chain(&RANGE_MEASURES);
            row.extend(super::raw(measures, &COMPARED, score, &score.intervals));
            row.push((Column::number("seconds"), known(score.seconds, 3)));
            self.row(&score.method, row)
        }))
    }
}

impl Scored<'_, WaitScore> {
    /// A table of these measures, the interval of the first beside it.
    fn measured(&self, measures: &[ScoreColumn<WaitScore>], spare: &[&str]) -> Table {
        let methods = self.methods.iter().map(|score| (score.method.clone(), score, &score.intervals));
        super::measured(measures, measures[0].name, spare, methods)
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
        let mut table = self.measured(&RANGE_MEASURES, &spare).titled("80 % ranges");
        table.note("interval score: width, and ten times the distance of waits outside, lower is better; skill: how much lower than that of past");
        table.note("coverage: waits inside the range, which begins at zero where more than one in ten start within 10 s; should be 80 %. The interval score is of the 10 % and 90 % quantiles");
        table
    }

    /// How many of the waits of each class were predicted to be in it.
    fn recall(&self) -> Table {
        let mut columns = vec![Column::text("recall (%)").naming()];
        columns.extend(CLASSES.map(Column::number));
        let mut table = Table::new(columns).titled("Waits of each class that were predicted to be in it");
        for score in &self.methods {
            let cells = (1..=CLASSES.len()).map(|class| known(score.recall.get(&class).copied(), 1));
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

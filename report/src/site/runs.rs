//! Recorded runs beside their simulation and each other, and forecasts of their starts.

use crate::{Answer, Cell, Column, Document, Table};
use queuecast_study::{ComparedRuns, ForecastRuns, RunDecisions, RunMiss};

impl Answer for ComparedRuns {
    fn document(&self) -> Document {
        let mut document =
            Document::new().with_table("pairs", pairs(self)).with_table("waits", mean_waits(self));
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
        self.decisions.as_deref().map_or_else(|| pairs(self), decision_table)
    }
}

fn decision_table(decisions: &[RunDecisions]) -> Table {
    Table::of(
        decisions,
        [
            (Column::text("run").naming(), |one| (&one.run).into()),
            (Column::text("decision").key("what"), |one| one.share.what.name().into()),
            (Column::integer("cases"), |one| one.share.cases.into()),
            (Column::integer("equal"), |one| one.share.equal.into()),
            (Column::number("share (%)").key("share"), |one| decimals(one.share.share, 2)),
        ],
    )
    .titled("Decisions from the recorded state")
    .noted("at each recorded decision the controller is put into the recorded state: what waits and runs since when and where, and what the same pass or cycle decided before")
}

fn decimals(value: Option<f64>, decimals: u8) -> Cell {
    value.map(|value| Cell::number(value, decimals)).into()
}

/// How many misses are shown.
const SHOWN_MISSES: usize = 20;

fn miss_table(misses: &[RunMiss]) -> Table {
    let mut table = Table::of(
        misses.iter().take(SHOWN_MISSES),
        [
            (Column::text("run").naming(), |one| (&one.run).into()),
            (Column::text("decision").key("what").naming(), |one| one.miss.what.name().into()),
            (Column::integer("at").spare(1), |one| one.miss.at.0.into()),
            (Column::text("job"), |one| (&*one.miss.job).into()),
            (Column::text("recorded"), |one| (&*one.miss.recorded).into()),
            (Column::text("decided here").key("decided"), |one| (&*one.miss.decided).into()),
        ],
    )
    .titled("Decided differently")
    .noted("at: in Unix seconds; plans, starts and stops: in seconds after that");
    if misses.len() > SHOWN_MISSES {
        table.note(format!("{SHOWN_MISSES} of {}; --format json has all", misses.len()));
    }
    table
}

fn pairs(of: &ComparedRuns) -> Table {
    Table::of(
        &of.pairs,
        [
            (Column::text("run").key("a").naming(), |pair| (&pair.a).into()),
            (Column::text("beside").key("b").naming(), |pair| (&pair.b).into()),
            (Column::integer("jobs"), |pair| pair.jobs.into()),
            (Column::integer("median (s)").key("median"), |pair| pair.median.into()),
            (Column::integer("90 % (s)").key("p90").spare(2), |pair| pair.p90.into()),
            (Column::number("within 5 s (%)").key("within_5"), |pair| Cell::number(pair.within_5, 1)),
            (Column::number("30 s (%)").key("within_30").spare(7), |pair| Cell::number(pair.within_30, 1)),
            (Column::number("60 s (%)").key("within_60").spare(6), |pair| Cell::number(pair.within_60, 1)),
            (Column::number("mean wait ratio").key("mean_wait_ratio").spare(3), |pair| {
                decimals(pair.mean_wait_ratio, 3)
            }),
            (Column::number("Spearman").key("spearman").spare(5), |pair| decimals(pair.spearman, 3)),
            (Column::number("same nodes (%)").key("same_nodes").spare(1), |pair| {
                Cell::number(pair.same_nodes, 1)
            }),
            (Column::number("same scheduler (%)").key("same_scheduler").spare(4), |pair| {
                decimals(pair.same_scheduler, 1)
            }),
        ],
    )
    .titled("Starts that differ")
    .noted("starts are compared after the run's first submission; pairs of recorded runs show how far the real system differs from itself")
}

fn mean_waits(of: &ComparedRuns) -> Table {
    Table::of(
        &of.waits,
        [
            (Column::text("run").naming(), |one| (&one.run).into()),
            (Column::text("by"), |one| one.by.into()),
            (Column::text("group"), |one| (&one.group).into()),
            (Column::integer("jobs"), |one| one.jobs.into()),
            (Column::number("mean wait (s)").key("mean_wait"), |one| Cell::number(one.mean_wait, 1)),
            (Column::number("backfilled (%)").key("backfilled").spare(1), |one| {
                Cell::number(one.backfilled, 1)
            }),
        ],
    )
    .titled("Mean waits")
}

impl Answer for ForecastRuns {
    fn document(&self) -> Document {
        Document::new().with_table("runs", self.table())
    }

    fn table(&self) -> Table {
        Table::of(
            &self.runs,
            [
                (Column::text("run").naming(), |one| (&one.run).into()),
                (Column::integer("jobs"), |one| one.score.jobs.into()),
                (Column::integer("answered").spare(3), |one| one.score.answered.into()),
                (Column::integer("compared").spare(2), |one| one.score.compared.into()),
                (Column::integer("median error (s)").key("median_error"), |one| one.score.median_error.into()),
                (Column::integer("no wait (s)").key("zero_error").spare(1), |one| {
                    one.score.zero_error.into()
                }),
                (Column::integer("past waits (s)").key("past_error"), |one| one.score.past_error.into()),
                (Column::number("inside 80 % (%)").key("inside"), |one| decimals(one.score.inside, 1)),
                (Column::number("as simulated (%)").key("simulated_inside").spare(8), |one| {
                    decimals(one.score.simulated_inside, 1)
                }),
                (Column::number("interval score (s)").key("interval_score").spare(7), |one| {
                    decimals(one.score.interval_score, 0)
                }),
                (Column::number("score as simulated (s)").key("simulated_interval_score").spare(9), |one| {
                    decimals(one.score.simulated_interval_score, 0)
                }),
                (Column::integer("answered by both").key("expected").spare(4), |one| {
                    one.score.expected.into()
                }),
                (Column::integer("median error there (s)").key("expected_median_error").spare(6), |one| {
                    one.score.expected_median_error.into()
                }),
                (Column::integer("squeue (s)").key("site_error").spare(5), |one| {
                    one.score.site_error.into()
                }),
            ],
        )
        .titled("Starts forecast at submission")
        .noted("median error: half of the forecasts are off by no more; errors, scores and shares are over the jobs that are compared, before which another had started. as simulated: before ranges were corrected by how wrong earlier forecasts were. interval score: how wide the 80 % range is, and ten times how far a start is outside, in the mean. squeue: the first start that Slurm itself showed for a job that waited; its error and the median error there are over the jobs answered by both")
    }
}

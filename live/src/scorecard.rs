//! How right live forecasts were, beside what Slurm expected and what the last waits tell.

use queuecast_core::number::number_of;
use queuecast_core::order;
use queuecast_core::units::Time;
use queuecast_report::{Answer, Cell, Column, Document, Table};
use queuecast_wait::interval_score;
use serde::Serialize;

use crate::forecasts::{JobForecast, JudgedForecast, SaidSeconds, WaitEnd};

/// How right forecasts of waiting jobs were.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Scorecard {
    /// The store.
    pub store: String,
    /// The cluster.
    pub cluster: String,
    /// The first moment that counts.
    pub since: Time,
    /// When it was judged.
    pub at: Time,
    /// All forecasts.
    pub forecasts: usize,
    /// Those of jobs that left the queue before they started.
    pub withdrawn: usize,
    /// Those of jobs that still wait and whose range is not over.
    pub open: usize,
    /// All that can be judged, and then by group.
    pub rows: Vec<ScoreRow>,
}

/// Forecasts of one group.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ScoreRow {
    /// What they are grouped by.
    pub by: &'static str,
    /// The group.
    pub group: String,
    /// Forecasts whose outcome is known.
    pub forecasts: usize,
    /// The share inside the 80 % range. A job that still waits when its range is over counts as outside.
    pub inside: f64,
    /// The median error of the median, in seconds, of the jobs that have started.
    pub median_error: Option<f64>,
    /// The share of those that Slurm had an expected start for.
    pub slurm_answered: f64,
    /// The median error of Slurm's expected start, in seconds.
    pub slurm_error: Option<f64>,
    /// Ours of the same jobs.
    pub error_there: Option<f64>,
    /// The mean interval score of the 80 % range, in seconds, where the last waits tell something.
    pub interval_score: Option<f64>,
    /// The same of the quantiles of the last waits.
    pub past_score: Option<f64>,
}

impl Scorecard {
    /// Judges what is known at a moment.
    pub fn of(
        (store, cluster): (String, String),
        (since, at): (Time, Time),
        judged: &[JudgedForecast],
    ) -> Scorecard {
        let withdrawn = |one: &&JudgedForecast| matches!(one.outcome, Some(WaitEnd::Withdrawn(_)));
        let known: Vec<Judged<'_>> = judged.iter().filter_map(|one| Judged::of(one, at)).collect();
        let withdrawn = judged.iter().filter(withdrawn).count();
        let mut rows = Vec::new();
        let mut add = |by, group: String, of: &dyn Fn(&Judged<'_>) -> bool| {
            let chosen: Vec<&Judged<'_>> = known.iter().filter(|one| of(one)).collect();
            rows.extend(ScoreRow::of(by, group, &chosen));
        };
        add("all", "all".to_owned(), &|_| true);
        for (name, from, to) in DISTANCES {
            add("distance", name.to_owned(), &|one| {
                one.start.is_some_and(|start| (from..to).contains(&(start as i64)))
            });
        }
        add("ahead", "first in line".to_owned(), &|one| one.said.ahead == 0);
        add("ahead", "behind others".to_owned(), &|one| one.said.ahead > 0);
        let mut partitions: Vec<&str> = known.iter().map(|one| one.said.partition.as_str()).collect();
        order::sort(&mut partitions);
        partitions.dedup();
        for name in partitions {
            add("partition", name.to_owned(), &|one| one.said.partition == name);
        }
        let open = judged.len() - withdrawn - known.len();
        Scorecard { store, cluster, since, at, forecasts: judged.len(), withdrawn, open, rows }
    }
}

/// Forecasts by how long it was until the start: the name, from, and to, in seconds.
const DISTANCES: [(&str, i64, i64); 5] = [
    ("within 10 min", i64::MIN, 600),
    ("10 min to 1 h", 600, 3_600),
    ("1 h to 6 h", 3_600, 21_600),
    ("6 h to 1 d", 21_600, 86_400),
    ("over a day", 86_400, i64::MAX),
];

/// A forecast that can be judged.
struct Judged<'a> {
    said: &'a JobForecast,
    /// Seconds until the start; `None` while the job waits beyond its range.
    start: Option<f64>,
    /// At least that many seconds.
    least: f64,
}

impl<'a> Judged<'a> {
    fn of(JudgedForecast { forecast, outcome }: &'a JudgedForecast, now: Time) -> Option<Judged<'a>> {
        let since = |at: Time| (at - forecast.at).0.max(0) as f64;
        match *outcome {
            Some(WaitEnd::Withdrawn(_)) => None,
            Some(WaitEnd::Started(start)) => {
                Some(Judged { said: forecast, start: Some(since(start)), least: since(start) })
            }
            None => {
                let waited = since(now);
                let is_over = waited > forecast.said.high.round();
                is_over.then_some(Judged { said: forecast, start: None, least: waited })
            }
        }
    }

    /// Ranges are of seconds, and so are starts.
    fn is_inside(&self) -> bool {
        let SaidSeconds { low, high, .. } = self.said.said;
        self.start.is_some_and(|start| (low.round()..=high.round()).contains(&start))
    }
}

impl ScoreRow {
    fn of(by: &'static str, group: String, chosen: &[&Judged<'_>]) -> Option<ScoreRow> {
        if chosen.is_empty() {
            return None;
        }
        let share = |count: usize, of: usize| if of == 0 { 0.0 } else { count as f64 / of as f64 };
        let started: Vec<(&Judged<'_>, f64)> =
            chosen.iter().filter_map(|one| Some((*one, one.start?))).collect();
        let error = |one: &(&Judged<'_>, f64)| (one.0.said.said.median - one.1).abs();
        let with_slurm: Vec<((&Judged<'_>, f64), f64)> = started
            .iter()
            .filter_map(|one| {
                let expected = (one.0.said.slurm? - one.0.said.at).0 as f64;
                Some((*one, (expected - one.1).abs()))
            })
            .collect();
        let with_past: Vec<(&Judged<'_>, SaidSeconds)> =
            chosen.iter().filter_map(|one| Some((*one, one.said.past?))).collect();
        let score = |said: &SaidSeconds, one: &Judged<'_>| interval_score(said.low, said.high, one.least);
        Some(ScoreRow {
            by,
            group,
            forecasts: chosen.len(),
            inside: share(chosen.iter().filter(|one| one.is_inside()).count(), chosen.len()),
            median_error: median(started.iter().map(error)),
            slurm_answered: share(with_slurm.len(), started.len()),
            slurm_error: median(with_slurm.iter().map(|one| one.1)),
            error_there: median(with_slurm.iter().map(|one| error(&one.0))),
            interval_score: mean(with_past.iter().map(|(one, _)| score(&one.said.said, one))),
            past_score: mean(with_past.iter().map(|(one, past)| score(past, one))),
        })
    }
}

fn median(values: impl Iterator<Item = f64>) -> Option<f64> {
    let mut values: Vec<f64> = values.collect();
    order::sort_floats(&mut values);
    values.get(values.len() / 2).copied()
}

fn mean(values: impl Iterator<Item = f64>) -> Option<f64> {
    let (count, sum) = values.fold((0_usize, 0.0), |(count, sum), one| (count + 1, sum + one));
    (count > 0).then(|| sum / count as f64)
}

impl Answer for Scorecard {
    fn document(&self) -> Document {
        let Scorecard { store, cluster, forecasts, withdrawn, open, .. } = self;
        let document = Document::new();
        let Some(all) = self.rows.first() else {
            let said = match forecasts {
                0 => format!(
                    "{store} has no forecasts of {cluster} yet: queuecast collect makes them once it has learned from accounting."
                ),
                _ => format!(
                    "{} of {cluster}, and none can be judged yet: the jobs still wait, or left the queue before they started.",
                    number_of(*forecasts, "forecast")
                ),
            };
            return document.with_paragraph(said);
        };
        let mut said = format!(
            "{} of {cluster}: {:.0} % started within their 80 % range",
            number_of(all.forecasts, "forecast"),
            100.0 * all.inside
        );
        if let (Some(ours), Some(slurm)) = (all.error_there, all.slurm_error) {
            said += &format!(
                "; where Slurm had an expected start ({:.0} %), ours was {ours:.0} s off in the median and Slurm's {slurm:.0} s",
                100.0 * all.slurm_answered
            );
        }
        let mut document = document.with_paragraph(format!("{said}."));
        if withdrawn + open > 0 {
            document = document.with_paragraph(format!(
                "Not judged: {withdrawn} of jobs that left the queue before they started, {open} of jobs that still wait within their range."
            ));
        }
        document.with_table("", self.table())
    }

    fn table(&self) -> Table {
        let time = |seconds: Option<f64>| seconds.map_or(Cell::Missing, Cell::duration);
        let mut table = Table::new([
            Column::text("by").detail(),
            Column::text("forecasts of").key("group").naming(),
            Column::integer("forecasts"),
            Column::share("in 80 % range").key("inside_80"),
            Column::duration("median error"),
            Column::share("Slurm answered").spare(3),
            Column::duration("Slurm's error").key("slurm_error_seconds"),
            Column::duration("ours there").key("error_there_seconds"),
            Column::duration("interval score").spare(2),
            Column::duration("of last waits").key("past_score_seconds").spare(1),
        ]);
        for one in &self.rows {
            table.row([
                one.by.into(),
                (&one.group).into(),
                Cell::count(one.forecasts),
                Cell::share(one.inside),
                time(one.median_error),
                Cell::share(one.slurm_answered),
                time(one.slurm_error),
                time(one.error_there),
                time(one.interval_score),
                time(one.past_score),
            ]);
        }
        table
    }
}

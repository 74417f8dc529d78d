//! How right live forecasts were, beside what Slurm expected and what the last waits tell.

use std::collections::{BTreeMap, HashSet};

use queuecast_core::duration;
use queuecast_core::number::number_of;
use queuecast_core::order;
use queuecast_core::units::{Seconds, Time};
use queuecast_report::{Answer, Cell, Column, Document, Table};
use queuecast_trace::PastSpan;
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
    /// The last one.
    pub until: Time,
    /// When it is judged: at the last look.
    pub at: Time,
    /// All forecasts that were made then.
    pub forecasts: usize,
    /// Those whose range is not over yet, whatever became of the job: if only early starts counted, ranges would seem too high.
    pub open: usize,
    /// Those of jobs that left the queue within their range, before they started.
    pub withdrawn: usize,
    /// Those of jobs that are gone, and of whose start nothing is known.
    pub unknown: usize,
    /// All that can be judged, and then by group.
    pub rows: Vec<ScoreRow>,
    /// Scores by when forecasts were made: periods of 24 hours that end with the last moment, or of a week where there would be more than
    /// 62; the oldest first; those without forecasts are left out.
    pub days: Vec<ScoreDay>,
}

/// Forecasts that were made within 24 hours, or within a week.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ScoreDay {
    /// Their first moment.
    pub from: Time,
    /// The first moment after them.
    pub until: Time,
    /// How right they were.
    #[serde(flatten)]
    pub row: ScoreRow,
}

/// Forecasts of one group.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ScoreRow {
    /// What they are grouped by.
    pub by: &'static str,
    /// The group.
    pub group: String,
    /// Forecasts whose range is over.
    pub forecasts: usize,
    /// The share inside the 80 % range. A job that waits beyond its range, or left the queue then, is outside.
    pub inside: f64,
    /// The median error of the median, in seconds; of a job that has not started, what it is at least.
    pub median_error: Option<f64>,
    /// The share of the jobs started that Slurm had an expected start for.
    pub slurm_answered: f64,
    /// The median error of Slurm's expected start, in seconds.
    pub slurm_error: Option<f64>,
    /// Ours of the same jobs.
    pub error_there: Option<f64>,
    /// Forecasts of jobs started that are compared with the last waits: those of which these tell something, and of which that range
    /// is over too.
    pub compared: usize,
    /// The mean interval score of their 80 % ranges, in seconds.
    pub interval_score: Option<f64>,
    /// The mean interval score of the quantiles of the last waits.
    pub past_score: Option<f64>,
}

impl Scorecard {
    /// Forecasts of this time are scored unless another one is asked about.
    pub const USUAL: Seconds = Seconds(30 * 86_400);

    /// Judges what was forecast in a time by what is known at a look; `waiting` has the jobs that wait then.
    pub fn of(
        (store, cluster): (String, String),
        (PastSpan { from: since, until }, at): (PastSpan, Time),
        judged: &[JudgedForecast],
        waiting: &HashSet<String>,
    ) -> Scorecard {
        let mut known: Vec<Judged<'_>> = Vec::new();
        let (mut open, mut withdrawn, mut unknown, mut forecasts) = (0, 0, 0, 0);
        for one in judged.iter().filter(|one| (since..=until).contains(&one.forecast.at)) {
            forecasts += 1;
            match Judged::of(one, at, waiting) {
                ForecastState::Judged(judged) => known.push(judged),
                ForecastState::Open => open += 1,
                ForecastState::Withdrawn => withdrawn += 1,
                ForecastState::Unknown => unknown += 1,
            }
        }
        let mut rows = Vec::new();
        let mut add = |by, group: String, of: &dyn Fn(&Judged<'_>) -> bool| {
            let chosen: Vec<&Judged<'_>> = known.iter().filter(|one| of(one)).collect();
            rows.extend(ScoreRow::of(by, group, &chosen, at));
        };
        add("all", "all".to_owned(), &|_| true);
        for (name, from, to) in DISTANCES {
            add("said", name.to_owned(), &|one| (from..to).contains(&one.said.said.median));
        }
        add("ahead", "first in line".to_owned(), &|one| one.said.ahead == 0);
        add("ahead", "behind others".to_owned(), &|one| one.said.ahead > 0);
        let mut partitions: Vec<&str> = known.iter().map(|one| one.said.partition.as_str()).collect();
        order::sort(&mut partitions);
        partitions.dedup();
        for name in partitions {
            add("partition", name.to_owned(), &|one| one.said.partition == name);
        }
        let days = by_day(&known, (until, at));
        Scorecard { store, cluster, since, until, at, forecasts, open, withdrawn, unknown, rows, days }
    }
}

const DAY: i64 = 86_400;

/// More days are told by weeks.
const MOST_DAYS: i64 = 62;

/// Forecasts by the days, or weeks, counted back from a moment, on which they were made; judged at another.
fn by_day(known: &[Judged<'_>], (until, at): (Time, Time)) -> Vec<ScoreDay> {
    let back = |one: &Judged<'_>| (until - one.said.at).0.max(0);
    let longest = known.iter().map(back).max().unwrap_or(0);
    let (length, name) = if longest < MOST_DAYS * DAY { (DAY, "days") } else { (7 * DAY, "weeks") };
    let mut days: BTreeMap<i64, Vec<&Judged<'_>>> = BTreeMap::new();
    for one in known {
        days.entry(back(one) / length).or_default().push(one);
    }
    let told = days.iter().rev().filter_map(|(back, chosen)| {
        let row = ScoreRow::of("day", format!("{back} {name} before"), chosen, at)?;
        let ends = until - Seconds(back * length);
        Some(ScoreDay { from: ends - Seconds(length), until: ends, row })
    });
    told.collect()
}

/// Forecasts by the median that was said: the name, from, and to, in seconds.
const DISTANCES: [(&str, f64, f64); 5] = [
    ("said within 10 min", f64::NEG_INFINITY, 600.0),
    ("in 10 min to 1 h", 600.0, 3_600.0),
    ("in 1 h to 6 h", 3_600.0, 21_600.0),
    ("in 6 h to 1 d", 21_600.0, 86_400.0),
    ("in over a day", 86_400.0, f64::INFINITY),
];

/// A forecast that can be judged.
struct Judged<'a> {
    said: &'a JobForecast,
    /// Seconds until the start; `None` of a job that waits, or left the queue, beyond its range.
    start: Option<f64>,
    /// At least that many seconds.
    least: f64,
}

enum ForecastState<'a> {
    Judged(Judged<'a>),
    Open,
    Withdrawn,
    Unknown,
}

impl<'a> Judged<'a> {
    fn of(
        JudgedForecast { forecast, outcome }: &'a JudgedForecast,
        now: Time,
        waiting: &HashSet<String>,
    ) -> ForecastState<'a> {
        let since = |at: Time| (at - forecast.at).0.max(0) as f64;
        let high = forecast.said.high.round();
        if since(now) <= high {
            return ForecastState::Open;
        }
        let waited = |least: f64| ForecastState::Judged(Judged { said: forecast, start: None, least });
        match *outcome {
            Some(WaitEnd::Started(start)) => ForecastState::Judged(Judged {
                said: forecast,
                start: Some(since(start)),
                least: since(start),
            }),
            Some(WaitEnd::Withdrawn(left)) if since(left) > high => waited(since(left)),
            Some(WaitEnd::Withdrawn(_)) => ForecastState::Withdrawn,
            None if waiting.contains(&forecast.job) => waited(since(now)),
            None => ForecastState::Unknown,
        }
    }

    /// Ranges are of seconds, and so are starts.
    fn is_inside(&self) -> bool {
        let SaidSeconds { low, high, .. } = self.said.said;
        self.start.is_some_and(|start| (low.round()..=high.round()).contains(&start))
    }

    fn error(&self) -> f64 {
        (self.said.said.median - self.least).abs()
    }

    /// The range of the last waits, if it is over too.
    fn past(&self, now: Time) -> Option<(&Judged<'a>, SaidSeconds)> {
        let past = self.said.past.filter(|_| self.start.is_some())?;
        ((now - self.said.at).0 as f64 > past.high.round()).then_some((self, past))
    }
}

impl ScoreRow {
    fn of(by: &'static str, group: String, chosen: &[&Judged<'_>], now: Time) -> Option<ScoreRow> {
        if chosen.is_empty() {
            return None;
        }
        let share = |count: usize, of: usize| if of == 0 { 0.0 } else { count as f64 / of as f64 };
        let started = chosen.iter().filter(|one| one.start.is_some()).count();
        // A start that Slurm expected before the forecast was made means now.
        let with_slurm: Vec<(&Judged<'_>, f64)> = chosen
            .iter()
            .filter_map(|one| {
                let expected = (one.said.slurm?.max(one.said.at) - one.said.at).0 as f64;
                Some((*one, (expected - one.start?).abs()))
            })
            .collect();
        let with_past: Vec<(&Judged<'_>, SaidSeconds)> =
            chosen.iter().filter_map(|one| one.past(now)).collect();
        let score = |said: &SaidSeconds, one: &Judged<'_>| interval_score(said.low, said.high, one.least);
        Some(ScoreRow {
            by,
            group,
            forecasts: chosen.len(),
            inside: share(chosen.iter().filter(|one| one.is_inside()).count(), chosen.len()),
            median_error: median(chosen.iter().map(|one| one.error())),
            slurm_answered: share(with_slurm.len(), started),
            slurm_error: median(with_slurm.iter().map(|one| one.1)),
            error_there: median(with_slurm.iter().map(|one| one.0.error())),
            compared: with_past.len(),
            interval_score: mean(with_past.iter().map(|(one, _)| score(&one.said.said, one))),
            past_score: mean(with_past.iter().map(|(one, past)| score(past, one))),
        })
    }
}

fn median(values: impl Iterator<Item = f64>) -> Option<f64> {
    let mut values: Vec<f64> = values.collect();
    order::sort_floats(&mut values);
    let (low, high) = (values.get(values.len().checked_sub(1)? / 2)?, values.get(values.len() / 2)?);
    Some((low + high) / 2.0)
}

fn mean(values: impl Iterator<Item = f64>) -> Option<f64> {
    let (count, sum) = values.fold((0_usize, 0.0), |(count, sum), one| (count + 1, sum + one));
    (count > 0).then(|| sum / count as f64)
}

impl Answer for Scorecard {
    fn document(&self) -> Document {
        let Scorecard { store, cluster, forecasts, open, withdrawn, unknown, .. } = self;
        let document = Document::new();
        let Some(all) = self.rows.first() else {
            let said = match forecasts {
                0 => format!(
                    "{store} has no forecasts of {cluster} from that time: queuecast collect makes them once it has learned from accounting."
                ),
                _ => format!(
                    "{} of {cluster}, and none can be judged: a forecast is judged once its 80 % range is over, and if something is known of its job.",
                    number_of(*forecasts, "forecast")
                ),
            };
            return document.with_paragraph(said);
        };
        let mut said = format!(
            "{} of {cluster}: {:.0} % of the starts were within their 80 % range",
            number_of(all.forecasts, "forecast"),
            100.0 * all.inside
        );
        if let (Some(ours), Some(slurm)) = (all.error_there, all.slurm_error) {
            said += &format!(
                "; where Slurm had an expected start ({:.0} %), ours was {} off in the median and Slurm's {}",
                100.0 * all.slurm_answered,
                duration::about(ours),
                duration::about(slurm)
            );
        }
        let mut document = document.with_paragraph(format!("{said}."));
        if open + withdrawn + unknown > 0 {
            document = document.with_paragraph(format!(
                "Not judged: {open} whose range is not over, {withdrawn} of jobs that left the queue before they started, {unknown} of jobs that are gone without a record."
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
            Column::share("in 80 % range").key("inside"),
            Column::duration("median error"),
            Column::share("Slurm answered").spare(4),
            Column::duration("Slurm's error").key("slurm_error_seconds"),
            Column::duration("ours there").key("error_there_seconds"),
            Column::integer("compared").spare(3),
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
                Cell::count(one.compared),
                time(one.interval_score),
                time(one.past_score),
            ]);
        }
        table
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Said at second 1,000: between 100 and 300 s, 200 by even odds.
    fn said(job: &str, outcome: Option<WaitEnd>) -> JudgedForecast {
        let forecast = JobForecast {
            job: job.to_owned(),
            at: Time(1_000),
            submit: Time(900),
            partition: "batch".to_owned(),
            procs: 4,
            ahead: 0,
            said: SaidSeconds { low: 100.0, median: 200.0, high: 300.0 },
            unwidened: None,
            slurm: Some(Time(1_600)),
            past: Some(SaidSeconds { low: 0.0, median: 50.0, high: 100.0 }),
        };
        JudgedForecast { forecast, outcome }
    }

    fn card(at: i64, all: &[JudgedForecast], waiting: &[&str]) -> Scorecard {
        let waiting = waiting.iter().map(|&job| job.to_owned()).collect();
        let span = PastSpan { from: Time(0), until: Time(at) };
        Scorecard::of((String::new(), String::new()), (span, Time(at)), all, &waiting)
    }

    #[test]
    fn a_forecast_is_judged_once_its_range_is_over() {
        let started = |at: i64| Some(WaitEnd::Started(Time(at)));
        let all = [
            said("early", started(1_050)),
            said("inside", started(1_250)),
            said("late", started(1_400)),
            said("waits", None),
            said("cancelled in its range", Some(WaitEnd::Withdrawn(Time(1_200)))),
            said("cancelled beyond it", Some(WaitEnd::Withdrawn(Time(1_450)))),
            said("gone", None),
        ];
        // An early start does not count before late ones could.
        let soon = card(1_300, &all, &["waits"]);
        assert_eq!((soon.open, soon.rows.len()), (7, 0));
        let later = card(1_500, &all, &["waits"]);
        assert_eq!((later.open, later.withdrawn, later.unknown), (0, 1, 1));
        let row = &later.rows[0];
        assert_eq!((row.forecasts, row.inside), (5, 0.2));
        // Errors: 150, 50, 200; at least 300 of the one that waits, and 250 of the cancelled one.
        assert_eq!(row.median_error, Some(200.0));
        // Slurm's, of the three that started: 550, 350, 200; ours 150, 50, 200.
        assert_eq!((row.slurm_answered, row.slurm_error, row.error_there), (1.0, Some(350.0), Some(150.0)));
        // Widths of 200 and 100; ten times what is missed: 50 and 100 of ours, 0, 150 and 300 of the last waits.
        let ours = 200.0 + 10.0 * (50.0 + 0.0 + 100.0) / 3.0;
        let past = 100.0 + 10.0 * (0.0 + 150.0 + 300.0) / 3.0;
        assert_eq!((row.compared, row.interval_score, row.past_score), (3, Some(ours), Some(past)));
    }

    /// Of a job that started 200 s after it was said.
    fn at(at: i64) -> JudgedForecast {
        let mut one = said("1", Some(WaitEnd::Started(Time(at + 200))));
        one.forecast.at = Time(at);
        one
    }

    #[test]
    fn days_are_counted_back_from_now() {
        let card = card(200_000, &[at(199_000), at(198_000), at(1_000)], &[]);
        let days: Vec<(i64, usize)> = card.days.iter().map(|day| (day.from.0, day.row.forecasts)).collect();
        assert_eq!(days, [(200_000 - 3 * 86_400, 1), (200_000 - 86_400, 2)]);
        assert!(card.days.iter().all(|day| (day.row.inside - 1.0).abs() < 1e-9));
    }

    #[test]
    fn a_long_time_is_told_by_weeks_and_has_an_end() {
        let until = 70 * DAY;
        let all = [at(5), at(until - 3), at(until), at(until + 1)];
        let told = |from: i64| {
            let span = PastSpan { from: Time(from), until: Time(until) };
            let card = Scorecard::of(
                (String::new(), String::new()),
                (span, Time(until + DAY)),
                &all,
                &HashSet::new(),
            );
            let days = card.days.iter().map(|day| (day.from.0, day.until.0, day.row.forecasts));
            (card.forecasts, days.collect::<Vec<_>>())
        };
        assert_eq!(told(5), (3, vec![(0, 7 * DAY, 1), (until - 7 * DAY, until, 2)]));
        assert_eq!(told(6), (2, vec![(until - DAY, until, 2)]));
    }

    #[test]
    fn groups_are_of_what_was_known_then() {
        let late = card(9_000, &[said("1", Some(WaitEnd::Started(Time(8_000))))], &[]);
        let groups: Vec<(&str, &str)> = late.rows.iter().map(|row| (row.by, row.group.as_str())).collect();
        let expected = [
            ("all", "all"),
            ("said", "said within 10 min"),
            ("ahead", "first in line"),
            ("partition", "batch"),
        ];
        assert_eq!(groups, expected);
        assert_eq!([median([3.0, 1.0].into_iter()), median([].into_iter())], [Some(2.0), None]);
    }
}

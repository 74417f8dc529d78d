//! When the first of several jobs starts and the last one ends, as text and rows.

use crate::chart::{RangeBar, RangeBars};
use crate::words::{self, AT_ONCE, number_of, percent, whole};
use crate::{Answer, Cell, Chart, Column, Document, Table, date, duration};
use queuecast_core::units::{Procs, Seconds};
use queuecast_forecast::forecast::{CampaignRecord, PendingRange, RegimeRecord};
use queuecast_place::{AloneStart, AskedCampaign, CampaignAnswer, CampaignTimes};

impl Answer for CampaignAnswer {
    fn document(&self) -> Document {
        let mut document = Document::new();
        let several = self.places.len() > 1;
        for one in &self.places {
            let about = match (&one.partition, several) {
                (Some(name), true) => format!("{name}: "),
                _ => String::new(),
            };
            let key = one
                .partition
                .as_ref()
                .filter(|_| several)
                .map_or_else(String::new, |name| format!(" in {name}"));
            document = document
                .with_paragraph(format!("{about}{}", summary(self, one)))
                .with_table(format!("times{key}"), milestones(self, one, &key));
            if one.forecast.last_end.is_some() {
                document = document.with_chart(Chart::RangeBars(chart(one, &key)));
            }
            document = document.with_paragraph(record(one));
        }
        document = document.with_paragraph(asked(self));
        match self.refused.is_empty() {
            true => document,
            false => document.with_paragraph(self.refused.join("\n\n")),
        }
    }

    fn table(&self) -> Table {
        let rows = self.places.iter().flat_map(|place| rows_of(self, place));
        let part = |range: Option<&PendingRange>, of: fn(&PendingRange) -> f64| {
            Cell::from(range.map(|range| Cell::duration(of(range))))
        };
        Table::records(rows.map(|row| {
            let range = row.range.as_ref();
            vec![
                (Column::text("partition"), row.partition.into()),
                (Column::text("of"), Cell::text(row.of)),
                (Column::text("job"), row.job.into()),
                (Column::integer("procs"), row.procs.into()),
                (Column::duration("time"), row.time.into()),
                (Column::duration("p10"), part(range, |range| range.p10)),
                (Column::duration("median"), part(range, |range| range.median)),
                (Column::duration("p90"), part(range, |range| range.p90)),
                (Column::duration("low"), part(range, |range| range.low)),
                (Column::duration("high"), part(range, |range| range.high)),
            ]
        }))
    }
}

/// A row for programs.
struct CampaignRow<'a> {
    partition: Option<&'a String>,
    of: &'static str,
    job: Option<&'a String>,
    procs: Option<Procs>,
    time: Option<Seconds>,
    range: Option<PendingRange>,
}

/// What is said of a place: of the campaign, then of each job.
fn rows_of<'a>(of: &'a CampaignAnswer, place: &'a CampaignTimes) -> Vec<CampaignRow<'a>> {
    let partition = place.partition.as_ref();
    let mut rows: Vec<CampaignRow<'a>> = MILESTONES
        .iter()
        .map(|(key, _, range)| CampaignRow {
            partition,
            of: key,
            job: None,
            procs: None,
            time: None,
            range: range(place),
        })
        .collect();
    for (job, times) in of.asked.jobs.iter().zip(&place.forecast.jobs) {
        rows.extend([("start", times.start), ("end", times.end)].map(|(of, range)| CampaignRow {
            partition,
            of,
            job: Some(&job.name),
            procs: Some(job.size.procs),
            time: Some(job.size.time),
            range,
        }));
    }
    rows
}

/// What is said of a campaign: its name for programs and for people.
type Milestone = (&'static str, &'static str, fn(&CampaignTimes) -> Option<PendingRange>);

const MILESTONES: [Milestone; 3] = [
    ("first_start", "first starts", |one| one.forecast.first_start),
    ("half_ended", "half have ended", |one| one.forecast.half_ended),
    ("last_end", "last ends", |one| one.forecast.last_end),
];

/// When something is, as a date where the place has dates.
fn clock(of: &CampaignAnswer, seconds: f64) -> Option<String> {
    let at = of.epoch?.saturating_add(of.moment.time.0).saturating_add(seconds.round() as i64);
    date::second(at, &of.zone)
}

/// " (2026-11-18 14:10:00 to 2026-11-18 15:30:00)", where there are dates.
fn clocks(of: &CampaignAnswer, range: &PendingRange) -> String {
    match (clock(of, range.low), clock(of, range.high)) {
        (Some(low), Some(high)) if low == high || range.low < AT_ONCE => format!(" (by {high})"),
        (Some(low), Some(high)) => format!(" ({low} to {high})"),
        _ => String::new(),
    }
}

/// "most likely starts within 5 min (by …); as likely as not at once".
fn sentence(of: &CampaignAnswer, range: &PendingRange, verb: &str) -> String {
    if range.high < AT_ONCE {
        return format!("most likely {verb} at once");
    }
    let high = duration::about(range.high);
    let said = match range.low < AT_ONCE {
        true => format!("within {high}"),
        false if duration::about(range.low) == high => format!("{high} from now"),
        false => format!("between {} and {high} from now", duration::about(range.low)),
    };
    let median = match range.median < AT_ONCE {
        true => "at once".to_owned(),
        false => format!("within {}", duration::about(range.median)),
    };
    format!("most likely {verb} {said}{}; as likely as not {median}", clocks(of, range))
}

fn summary(of: &CampaignAnswer, one: &CampaignTimes) -> String {
    let forecast = &one.forecast;
    let mut lines = Vec::new();
    if let Some(record) = forecast.record.as_ref().filter(|record| !record.is_reliable()) {
        let last = percent(record.last_inside);
        let (which, held) = match record.first_inside {
            Some(first) => ("ranges", format!("{} started and {last} ended within theirs", percent(first))),
            None => ("range of the end", format!("{last} ended within theirs")),
        };
        lines.push(format!("No reliable {which} here: of {} only {held}.", campaigns(record)));
    }
    let inside = one.alone.as_ref().and_then(AloneStart::inside);
    if let Some(inside) = inside.filter(|&inside| inside < RegimeRecord::RELIABLE) {
        let held = percent(inside);
        lines.push(format!("No reliable range of the first start here: of such ranges only {held} held."));
    }
    let (Some(first), Some(last)) = (&forecast.first_start, &forecast.last_end) else {
        lines.push("In no simulation do all of the jobs start.".to_owned());
        return lines.join("\n");
    };
    lines.push(format!("The first job {}.", sentence(of, first, "starts")));
    lines.push(format!("The last job {}.", sentence(of, last, "ends")));
    if forecast.never > 0.0 {
        lines.push(format!("In {} of the simulations some job never starts.", percent(forecast.never)));
    }
    let [low, median, high] = forecast.at_once;
    let simulated = match (low, high) {
        (low, high) if low == high => format!("{} run at once in simulations", whole(median)),
        _ => {
            format!("{} run at once in simulations (mostly {} to {})", whole(median), whole(low), whole(high))
        }
    };
    let limit = match of.asked.at_once[..] {
        [] => String::new(),
        [most] => format!("; at most {} may", whole(most)),
        _ => "; the arrays have limits of their own".to_owned(),
    };
    lines.push(format!("Of the {}, {simulated}{limit}.", number_of(of.asked.jobs.len(), "job")));
    lines.join("\n")
}

fn milestones(of: &CampaignAnswer, one: &CampaignTimes, place: &str) -> Table {
    let mut table = Table::new([
        Column::text("").key("of").naming(),
        Column::duration("one in ten sooner").spare(1),
        Column::duration("even odds"),
        Column::duration("one in ten later").spare(2),
        Column::text("80% range").naming(),
    ])
    .titled(format!("Times from now{place}"));
    for (_, name, range) in MILESTONES {
        let Some(range) = range(one) else { continue };
        let shown = match (clock(of, range.low), clock(of, range.high)) {
            (Some(low), Some(high)) => format!("{low} to {high}"),
            _ => words::range(range.low, range.high, words::wait),
        };
        table.row([
            Cell::text(name),
            Cell::duration(range.p10),
            Cell::duration(range.median),
            Cell::duration(range.p90),
            Cell::text(shown),
        ]);
    }
    table.note("JSON and CSV have the start and the end of each job, as simulated");
    table
}

fn chart(one: &CampaignTimes, place: &str) -> RangeBars {
    let bars = MILESTONES.iter().filter_map(|(_, name, range)| {
        let range = range(one)?;
        Some(RangeBar::of_time((*name).to_owned(), [range.low, range.median, range.high]))
    });
    RangeBars::new(format!("Times from now{place}: 80 % range, with a tick at even odds"), bars)
}

/// "214 past campaigns of 8 to 15 jobs".
fn campaigns(record: &CampaignRecord) -> String {
    let sizes = match record.most {
        Some(most) => format!("{} to {} jobs", whole(record.fewest), whole(most)),
        None => format!("{} jobs or more", whole(record.fewest)),
    };
    format!("{} of {sizes}", number_of(record.campaigns, "past campaign"))
}

/// What the ranges stand on.
fn record(one: &CampaignTimes) -> String {
    let forecast = &one.forecast;
    let simulated = format!(
        "By {} simulations of the queue with these jobs in it, learned from {}",
        forecast.draws, one.history
    );
    let first = one.alone.as_ref().map_or_else(String::new, |alone| {
        let held = alone.inside().map_or_else(String::new, |inside| {
            format!(" (such ranges held for {}; 80% should)", percent(inside))
        });
        format!(
            "\nThe first start is that of job {} asked about alone, by {}{held}.",
            alone.job, alone.method
        )
    });
    let ranges = match &forecast.record {
        Some(record) => {
            let far = match record.is_far {
                true => {
                    " There are too few past campaigns of about this size, so that ranges are made wider, as by errors of a factor of two."
                }
                false => "",
            };
            let last = percent(record.last_inside);
            let held = match record.first_inside {
                Some(first) => {
                    format!(
                        "{} had their first start within its range, and {last} their last end",
                        percent(first)
                    )
                }
                None => format!("{last} had their last end within its range"),
            };
            format!("{simulated}, corrected by {}: of these {held} (80% should).{far}", campaigns(record))
        }
        None => format!(
            "{simulated}. Too few past campaigns (several jobs of one user within a minute) to say how often such ranges hold: they are made as wide as errors of a factor of two."
        ),
    };
    format!("{ranges}{first}")
}

/// What was asked, of what.
fn asked(of: &CampaignAnswer) -> String {
    let date = of.moment.date.as_ref().map_or_else(String::new, |date| format!(" ({date})"));
    let moment = match (of.places.iter().any(|one| one.partition.is_some()), &of.moment.date) {
        (true, Some(date)) => date.clone(),
        _ => format!("{} s{date}", of.moment.time),
    };
    let place = match &of.places[..] {
        [one] => one.partition.as_ref().map_or_else(String::new, |name| format!(", partition {name}")),
        _ => String::new(),
    };
    let state = match &of.places[..] {
        [one] => format!(
            "\n{}; {}.",
            match one.forecast.waiting {
                0 => "No other job waits".to_owned(),
                1 => "1 other job waits".to_owned(),
                count => format!("{} wait", number_of(count, "other job")),
            },
            words::free(one.forecast.free, one.forecast.procs)
        ),
        _ => String::new(),
    };
    format!("Asked: {} at {moment}; {}{place}.{state}", described(&of.asked), of.source)
}

/// "500 jobs of 4 processors for 1 h each, at most 20 at once".
fn described(asked: &AskedCampaign) -> String {
    let count = number_of(asked.jobs.len(), "job");
    let what = match (&asked.name, asked.common_size()) {
        (Some(name), _) if asked.running > 0 => {
            format!("{count} that belong to {name} and wait ({} of it run)", whole(asked.running))
        }
        (Some(name), _) => format!("{count} that belong to {name} and wait"),
        (None, Some((procs, time))) if asked.jobs.len() == 1 => words::asked(procs, time),
        (None, Some((procs, time))) => format!("{count} of {} each", words::asked(procs, time)),
        (None, None) => format!("{count} for {} together", number_of(asked.procs(), "processor")),
    };
    let limit = match asked.at_once[..] {
        [most] => format!(", at most {} at once", whole(most)),
        _ => String::new(),
    };
    let depend = if asked.depend { ", with dependencies" } else { "" };
    format!("{what}{limit}{depend}")
}

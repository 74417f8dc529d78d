//! When a job would start, as text and rows.

use crate::log::guess;
use crate::partitions::partition_table;
use crate::queued::with_blockers;
use crate::start_curve;
use crate::words::{self, AT_ONCE, number_of, percent};
use crate::{Answer, Cell, Column, Document, Table, date, duration};
use queuecast_forecast::forecast::{MethodRecord, RegimeRecord, SITE_METHOD};
use queuecast_place::{StartAnswer, StartTime, StartTimes};

impl Answer for StartAnswer {
    fn document(&self) -> Document {
        match self {
            StartAnswer::One(start) => match &start.blockers {
                Some(why) => with_blockers(document(start), "", why),
                None => document(start),
            },
            StartAnswer::Several(starts) => by_partition(starts),
        }
    }

    fn table(&self) -> Table {
        match self {
            StartAnswer::One(start) => rows([&**start]),
            StartAnswer::Several(starts) => rows(&starts.partitions),
        }
    }

    fn explanation(&self) -> Document {
        match self {
            StartAnswer::One(start) => explanation(start),
            StartAnswer::Several(starts) => {
                starts.partitions.iter().map(explanation).fold(Document::new(), Document::followed_by)
            }
        }
    }
}

/// The answer, why, how often such answers held, the curve, and what was asked.
fn document(of: &StartTime) -> Document {
    let mut document =
        Document::new().with_paragraph(headline(of)).with_paragraph(why(of)).with_paragraph(record(of));
    if let Some(curve) = start_curve::chart(of) {
        document = document.with_chart(curve);
    }
    document.with_paragraph(asked(of))
}

fn by_partition(of: &StartTimes) -> Document {
    let mut document = Document::new();
    let name = |one: &StartTime| one.partition.clone().unwrap_or_default();
    let median = |one: &&StartTime| one.answer.wait.median;
    let soonest = of.partitions.iter().min_by(|one, other| median(one).total_cmp(&median(other)));
    if let Some(soonest) = soonest.filter(|_| of.partitions.len() > 1) {
        document = document.with_paragraph(format!("Soonest, by even odds: {}.", name(soonest)));
    }
    document = document.with_table("partitions", partition_table(of));
    for one in &of.partitions {
        let lines = [headline(one), why(one), record(one), asked(one)];
        document = document.with_paragraph(format!("{}: {}", name(one), lines.join("\n")));
        if let Some(why) = &one.blockers {
            document = with_blockers(document, &format!(" in {}", name(one)), why);
        }
    }
    match of.refused.is_empty() {
        true => document,
        false => document.with_paragraph(of.refused.join("\n\n")),
    }
}

/// What the answer stands on: all quantiles, and the methods tried.
fn explanation(of: &StartTime) -> Document {
    let place = of.partition.as_ref().map_or_else(String::new, |name| format!(" in {name}"));
    let mut document = Document::new().with_table(format!("wait{place}"), waits(of, &place));
    if of.answer.tried.iter().any(|one| one.jobs > 0) {
        document = document.with_table(format!("methods{place}"), tried(of, &place));
    }
    match of.answer.wait.p90 < AT_ONCE {
        true => document,
        false => document.with_paragraph(format!(
            "One number that is least wrong as a share of wait and requested time together: {}.",
            words::wait(of.answer.wait.response_point)
        )),
    }
}

/// One row for each place.
fn rows<'a>(starts: impl IntoIterator<Item = &'a StartTime>) -> Table {
    Table::of(
        starts,
        [
            (Column::text("partition"), |one| one.partition.as_ref().into()),
            (Column::integer("procs"), |one| one.asked.procs.into()),
            (Column::duration("time"), |one| one.asked.time.into()),
            (Column::duration("p10"), |one| Cell::duration(one.answer.wait.p10)),
            (Column::duration("p25"), |one| Cell::duration(one.answer.wait.p25)),
            (Column::duration("median"), |one| Cell::duration(one.answer.wait.median)),
            (Column::duration("p75"), |one| Cell::duration(one.answer.wait.p75)),
            (Column::duration("p90"), |one| Cell::duration(one.answer.wait.p90)),
            (Column::duration("low"), |one| Cell::duration(one.answer.wait.low)),
            (Column::duration("high"), |one| Cell::duration(one.answer.wait.high)),
            (Column::text("method"), |one| (&one.answer.method).into()),
            (Column::share("inside"), |one| {
                one.answer.record.as_ref().map(|one| Cell::share(one.inside)).into()
            }),
            (Column::share("by p90"), |one| {
                one.answer.record.as_ref().map(|one| Cell::share(one.by_p90)).into()
            }),
            (Column::integer("trials"), |one| one.answer.record.as_ref().map(|one| one.jobs).into()),
            (Column::integer("waiting"), |one| one.answer.state.waiting.into()),
            (Column::integer("free"), |one| one.answer.state.free.into()),
        ],
    )
}

/// A time from the moment asked about, as a length and, where the log has dates, as a date.
fn after(of: &StartTime, seconds: f64) -> String {
    let about = words::wait(seconds);
    let date = of.epoch.and_then(|epoch| {
        let at = epoch.saturating_add(of.moment.time.0).saturating_add(seconds.round() as i64);
        date::second(at, &of.zone)
    });
    match date {
        Some(date) if seconds >= AT_ONCE => format!("{about} ({date})"),
        _ => about,
    }
}

fn capitalized(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}

/// The answer in plain words: the range, even odds, and the latest.
fn headline(of: &StartTime) -> String {
    let wait = &of.answer.wait;
    let mut lines = Vec::new();
    lines.extend(of.doubt.as_ref().map(|doubt| format!("No reliable answer here: {doubt}.")));
    lines.push(if wait.p90 < AT_ONCE {
        "Most likely it starts at once.".to_owned()
    } else if duration::about(wait.low) == duration::about(wait.high) {
        format!("Most likely it starts {} from now.", duration::about(wait.median))
    } else {
        let high = duration::about(wait.high);
        let range = match wait.low < AT_ONCE {
            true => format!("within {high}"),
            false => format!("between {} and {high} from now", duration::about(wait.low)),
        };
        let median = match wait.median < AT_ONCE {
            true => "at once".to_owned(),
            false => format!("within {}", duration::about(wait.median)),
        };
        format!("Most likely it starts {range}; as likely as not {median}.")
    });
    lines.push(match wait.p90 < AT_ONCE {
        true => "Nine in ten start at once.".to_owned(),
        false => format!("At the latest, nine times in ten: {}.", after(of, wait.p90)),
    });
    lines.join("\n")
}

/// How often such answers held.
fn record(of: &StartTime) -> String {
    held(of.answer.record.as_ref(), of.answer.regime.as_ref())
        .unwrap_or_else(|| "Too few past jobs to say how often such answers hold.".to_owned())
}

/// How often answers of a record held, and those of the situation of the job that is asked about; `None` without a record.
pub(crate) fn held(record: Option<&MethodRecord>, regime: Option<&RegimeRecord>) -> Option<String> {
    let record = record?;
    let all = format!(
        "Of the last {} so predicted, {} started within such a range (80% should), {} by the latest (90% should).",
        number_of(record.jobs, "job"),
        percent(record.inside),
        percent(record.by_p90)
    );
    // Where all of them were in the same situation, the same number is not said twice.
    let regime = regime.filter(|one| one.is_reliable() && one.jobs != record.jobs);
    let regime = regime.map(|one| format!("\n{}.", capitalized(&one.words(""))));
    Some(all + regime.as_deref().unwrap_or_default())
}

/// A job that starts within this many seconds starts at once, as a [`RegimeRecord`](queuecast_forecast::forecast::RegimeRecord) counts.
const SOON: f64 = 10.0;

/// The queue that it meets, and the room there is; and, where the answer does not follow from these, what such jobs met before.
fn why(of: &StartTime) -> String {
    let (state, wait) = (&of.answer.state, &of.answer.wait);
    let finds_room = state.waiting == 0 && of.asked.procs <= state.free;
    let is_at_once = wait.median <= SOON;
    let against = match (finds_room, is_at_once) {
        (true, false) => Some("It would find room, but so did others that waited"),
        (false, true) if of.asked.procs > state.free => Some("Others found no room and started soon"),
        (false, true) if state.preferred > 0 => {
            Some("Enough is free for it, so that it can start before those ahead of it")
        }
        _ => None,
    };
    let against = against.map(|words| match &of.answer.regime {
        Some(regime) if regime.fits == finds_room => format!(" {words}: {}.", regime.at_once_in_words()),
        _ => format!(" {words}."),
    });
    format!("{}{}", met(of), against.unwrap_or_default())
}

fn met(of: &StartTime) -> String {
    let state = &of.answer.state;
    let free = words::free(state.free, state.procs);
    match state.waiting {
        0 => format!("Why: no job waits; {free}."),
        count => {
            let wait = format!("{} {}", number_of(count, "job"), if count == 1 { "waits" } else { "wait" });
            let preferred = match state.preferred {
                0 if count == 1 => "this job would come before it".to_owned(),
                0 => "none is preferred to it".to_owned(),
                1 if count == 1 => "this job would come behind it".to_owned(),
                one if one == count => "it would come behind all of them".to_owned(),
                one => format!("it would come behind {one} of them, for {}", state.preferred_wanted),
            };
            let by = if of.answer.method == SITE_METHOD { "priority" } else { "past starts" };
            let wanted = number_of(state.wanted, "processor");
            format!("Why: {wait} for {wanted}, and by {by} {preferred}; {free}.")
        }
    }
}

/// What was asked, of what, and by which method it is answered.
fn asked(of: &StartTime) -> String {
    let date = of.moment.date.as_ref().map_or_else(String::new, |date| format!(" ({date})"));
    // Seconds are those of a log; a site has a clock.
    let moment = match (&of.partition, &of.moment.date) {
        (Some(_), Some(date)) => date.clone(),
        _ => format!("{} s{date}", of.moment.time),
    };
    let place = of.partition.as_ref().map_or_else(String::new, |name| format!(", partition {name}"));
    let mut lines = vec![
        format!("Asked: {} at {moment}; {}{place}.", words::asked(of.asked.procs, of.asked.time), of.source),
        format!("Answered by {}, learned from {}.", of.answer.method, of.history),
    ];
    lines.extend(guess(of.machine).map(|guess| format!("{}.", capitalized(&guess))));
    lines.join("\n")
}

fn waits(of: &StartTime, place: &str) -> Table {
    let mut table = Table::new(
        ["one in ten sooner", "one in four sooner", "even odds", "one in four later", "one in ten later"]
            .map(Column::duration),
    )
    .titled(format!("Wait{place}"));
    let wait = &of.answer.wait;
    table.row([wait.p10, wait.p25, wait.median, wait.p75, wait.p90].map(Cell::duration));
    table
}

fn tried(of: &StartTime, place: &str) -> Table {
    Table::of(
        &of.answer.tried,
        [
            (Column::text("method").naming(), |one| (&one.method).into()),
            (Column::integer("jobs"), |one| one.jobs.into()),
            (Column::share("in the range"), |one| Cell::share(one.inside)),
            (Column::share("by the latest"), |one| Cell::share(one.by_p90)),
            (Column::duration("interval score"), |one| Cell::duration(one.interval_score)),
            (Column::duration("mean error"), |one| Cell::duration(one.mean_error)),
        ],
    )
    .titled(format!("Methods tried on the last jobs{place}, the one that answers first"))
    .noted(
        "in the range: that of the answer, 80% should be; by the latest: by one in ten later, 90% should be",
    )
    .noted(
        "interval score: width of the range and ten times the distance of what lies outside; less is better",
    )
}

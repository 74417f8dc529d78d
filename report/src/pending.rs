//! The jobs that wait at a place, as text and rows.

use crate::chart::{RangeBar, RangeBars};
use crate::words::{self, AT_ONCE, number_of, percent, whole};
use crate::{Answer, Cell, Chart, Column, Document, Table, date, duration};
use queuecast_forecast::forecast::{PendingRange, PendingRecord};
use queuecast_place::{AskedQueue, PendingAnswer, PendingJob};

impl Answer for PendingAnswer {
    fn document(&self) -> Document {
        let mut document = Document::new().with_paragraph(summary(self));
        if !self.jobs.is_empty() {
            document = document.with_table("jobs", shown(self));
        }
        if self.jobs.iter().filter(|job| job.start.is_some()).count() > 1 {
            document = document.with_chart(Chart::RangeBars(chart(self)));
        }
        let records: Vec<String> =
            self.queues.iter().map(|queue| record(queue, self.queues.len() > 1)).collect();
        document.with_paragraph(records.join("\n"))
    }

    fn table(&self) -> Table {
        job_rows(&self.jobs)
    }
}

/// One row for each job.
pub(crate) fn job_rows<'a>(jobs: impl IntoIterator<Item = &'a PendingJob>) -> Table {
    let start = |one: &PendingJob, of: fn(&PendingRange) -> f64| {
        Cell::from(one.start.as_ref().map(|start| Cell::duration(of(start))))
    };
    let mut table = Table::new([
        Column::text("job"),
        Column::text("user"),
        Column::integer("own"),
        Column::text("partition"),
        Column::integer("procs"),
        Column::duration("time"),
        Column::duration("waited"),
        Column::integer("place"),
        Column::duration("p10"),
        Column::duration("median"),
        Column::duration("p90"),
        Column::duration("low"),
        Column::duration("high"),
        Column::share("never"),
        Column::duration("not before"),
        Column::text("waits for"),
    ]);
    for one in jobs {
        table.row([
            Cell::text(&*one.job),
            one.user.as_ref().into(),
            Cell::Integer(one.own.into()),
            one.partition.as_ref().into(),
            one.asked.procs.into(),
            one.asked.time.into(),
            one.waited.into(),
            one.place.into(),
            start(one, |start| start.p10),
            start(one, |start| start.median),
            start(one, |start| start.p90),
            start(one, |start| start.low),
            start(one, |start| start.high),
            Cell::share(one.never),
            one.not_before.map(|seconds| Cell::duration(seconds as f64)).into(),
            Cell::text(&*one.why),
        ]);
    }
    table
}

/// When a job starts, in one sentence.
pub(crate) fn start_sentence(job: &PendingJob) -> String {
    let name = &job.job;
    if let Some(until) = job.waits_for.stays_until() {
        return format!("Job {name} does not start until {until}.");
    }
    let Some(start) = &job.start else {
        return match job.not_before {
            Some(seconds) => {
                format!("Job {name} starts no sooner than {} from now.", duration::about(seconds as f64))
            }
            None if job.never > 0.0 => format!("Job {name} starts in no simulation."),
            None => format!("When job {name} starts is not told by the queue."),
        };
    };
    if start.high < AT_ONCE {
        return format!("Job {name} most likely starts at once.");
    }
    let high = duration::about(start.high);
    let range = match start.low < AT_ONCE {
        true => format!("within {high}"),
        false if duration::about(start.low) == high => format!("{high} from now"),
        false => format!("between {} and {high} from now", duration::about(start.low)),
    };
    let never = match job.never > 0.0 {
        true => format!("; in {} of the simulations never", percent(job.never)),
        false => String::new(),
    };
    let median = match start.median < AT_ONCE {
        true => "at once".to_owned(),
        false => format!("within {}", duration::about(start.median)),
    };
    format!("Job {name} most likely starts {range}; as likely as not {median}{never}.")
}

/// Own jobs that have a sentence each.
const OWN: usize = 3;

fn summary(of: &PendingAnswer) -> String {
    let mut lines: Vec<String> =
        of.queues.iter().filter_map(|queue| unreliable(queue, of.queues.len() > 1)).collect();
    let wanted: u64 = of.jobs.iter().map(|job| u64::from(job.asked.procs.0)).sum();
    let free: Vec<String> = of
        .queues
        .iter()
        .map(|queue| match &queue.partition {
            Some(name) => format!("in {name} {}", words::free(queue.free, queue.procs)),
            None => words::free(queue.free, queue.procs),
        })
        .collect();
    let moment = of.moment.date.clone().unwrap_or_else(|| format!("second {}", of.moment.time));
    lines.push(match of.jobs.len() {
        0 => format!("At {moment} no job waits; {}.", free.join(", ")),
        count => format!(
            "At {moment} {} {} for {}; {}.",
            number_of(count, "job"),
            if count == 1 { "waits" } else { "wait" },
            number_of(wanted, "processor"),
            free.join(", ")
        ),
    });
    if let Some(user) = &of.user {
        let own: Vec<&PendingJob> = of.jobs.iter().filter(|job| job.own).collect();
        lines.push(match own.len() {
            0 => format!("None is of user {user}."),
            count => format!(
                "{} {} of user {user}, marked with *.",
                whole(count),
                if count == 1 { "is" } else { "are" }
            ),
        });
        lines.extend(own.iter().take(OWN).map(|job| start_sentence(job)));
    }
    // With a site's own scheduler, the start of a job that waits for others or for a time is known, too.
    let held = of.jobs.iter().filter(|job| job.place.is_none() && job.start.is_none()).count();
    if held > 0 {
        lines.push(format!(
            "{} not in line for processors: no range can be told for {}.",
            match held {
                1 => "1 job is".to_owned(),
                held => format!("{} are", number_of(held, "job")),
            },
            if held == 1 { "it" } else { "them" }
        ));
    }
    lines.join("\n")
}

/// The range of a start in words.
fn range(start: &PendingRange) -> String {
    words::range(start.low, start.high, words::wait)
}

fn shown(of: &PendingAnswer) -> Table {
    let rows = of.shown.unwrap_or(usize::MAX);
    let has = |part: fn(&PendingJob) -> bool| of.jobs.iter().any(part);
    let mut columns = vec![Column::text("job").naming()];
    let (user, partition) = (has(|job| job.user.is_some()), has(|job| job.partition.is_some()));
    columns.extend(user.then(|| Column::text("user")));
    columns.extend(partition.then(|| Column::text("partition").spare(2)));
    columns.push(Column::integer("processors").spare(1));
    columns.push(Column::duration("waited").spare(3));
    columns.push(Column::integer("place"));
    columns.push(Column::duration("starts in"));
    columns.push(Column::text("80% range").naming());
    columns.push(Column::text("waits for").naming());
    let mut table = Table::new(columns).titled("Jobs that wait");
    for (row, job) in of.jobs.iter().take(rows).enumerate() {
        let mut cells = vec![Cell::text(&*job.job)];
        cells.extend(user.then(|| job.user.as_ref().into()));
        cells.extend(partition.then(|| job.partition.as_ref().into()));
        let after = |seconds: i64| {
            let at = of.epoch.and_then(|epoch| date::second(epoch + of.moment.time.0 + seconds, &of.zone));
            format!("not before {}", at.unwrap_or_else(|| duration::about(seconds as f64)))
        };
        cells.extend([
            job.asked.procs.into(),
            job.waited.into(),
            job.place.into(),
            job.start.as_ref().map(|start| Cell::duration(start.median)).into(),
            job.start
                .as_ref()
                .map(range)
                .or_else(|| job.not_before.map(after))
                .map_or(Cell::Missing, Cell::text),
            Cell::text(&*job.why),
        ]);
        table.row(cells);
        if job.own {
            table.mark(row, 0);
        }
    }
    if of.jobs.len() > rows {
        table.note(format!(
            "the first {} of {}; --rows shows more",
            whole(rows),
            number_of(of.jobs.len(), "job")
        ));
    }
    table.note("starts in: even odds; place: in the order in which the site starts jobs");
    table
}

/// Jobs that the chart has at most.
const DRAWN: usize = 20;

/// When the first jobs start, by even odds.
fn chart(of: &PendingAnswer) -> RangeBars {
    let known = of.jobs.iter().filter_map(|job| Some((job, job.start.as_ref()?)));
    let bars = known.take(DRAWN.min(of.shown.unwrap_or(DRAWN)));
    let bars =
        bars.map(|(job, start)| RangeBar::of_time(job.job.clone(), [start.low, start.median, start.high]));
    RangeBars::new("Starts in: 80 % range, with a tick at even odds", bars)
}

/// That ranges are not to be relied on, where those of past queues held too seldom.
pub(crate) fn unreliable(queue: &AskedQueue, named: bool) -> Option<String> {
    let record = queue.record.as_ref().filter(|record| !record.is_reliable())?;
    let place = match (&queue.partition, named) {
        (Some(name), true) => format!("in {name}"),
        _ => "here".to_owned(),
    };
    Some(format!(
        "No reliable ranges {place}: of {} about jobs of past queues only {} held.",
        number_of(record.answers, "answer"),
        percent(record.inside)
    ))
}

fn shares(record: &PendingRecord) -> String {
    let (inside, latest) = (percent(record.inside), percent(record.by_p90));
    format!("{inside} started within their range (80% should), {latest} by the latest (90% should).")
}

/// How often the ranges of a queue held, where that is known.
pub fn queue_record(queue: &AskedQueue) -> Option<String> {
    let record = queue.record.as_ref()?;
    Some(format!("Of {} about jobs of past queues {}", number_of(record.answers, "answer"), shares(record)))
}

/// What the ranges stand on.
pub(crate) fn record(queue: &AskedQueue, named: bool) -> String {
    let about = match (&queue.partition, named) {
        (Some(name), true) => format!("{name}: "),
        _ => String::new(),
    };
    let simulated =
        format!("{about}By {} simulations of the queue, learned from {}", queue.draws, queue.history);
    match &queue.record {
        Some(record) => format!(
            "{simulated}, corrected by {} about jobs of past queues: of these {}",
            number_of(record.answers, "answer"),
            shares(record)
        ),
        None => format!("{simulated}; too few past jobs to say how often such ranges hold."),
    }
}

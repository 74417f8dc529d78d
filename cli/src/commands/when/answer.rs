//! When a job would start, as text, rows and JSON.

use queuecast::forecast::{MethodRecord, SITE_METHOD, WhenAnswer};
use queuecast::report::chart::{Bar, Bars};
use queuecast::report::{Answer, Cell, Chart, Column, Document, Page, Table, date, duration};
use queuecast::trace::{MachineSize, TimeZone};
use queuecast::units::Seconds;
use serde::Serialize;

use crate::commands::moment::Moment;
use crate::commands::newcomer::Asked;
use queuecast::report::log::guess;
use queuecast::report::words::number_of;

/// When a job would start. Uses nothing that a log records of later.
#[derive(Debug, Serialize)]
pub struct StartTime {
    pub version: &'static str,
    pub source: String,
    pub moment: Moment,
    #[serde(skip)]
    pub epoch: Option<i64>,
    #[serde(skip)]
    pub zone: TimeZone,
    /// The partition, on a live site; several names if their nodes, limits and tier are the same.
    pub partition: Option<String>,
    pub machine: MachineSize,
    /// Whose past it was learned from.
    pub history: String,
    pub asked: Asked,
    #[serde(flatten)]
    pub answer: WhenAnswer,
}

/// A range hardly shorter than this is "at once".
const AT_ONCE: f64 = 1.0;

impl StartTime {
    /// A time from the moment asked about, as a length and, where the log has dates, as a date.
    fn after(&self, seconds: f64) -> String {
        let about = if seconds < AT_ONCE { "at once".to_owned() } else { duration::about(seconds) };
        let date = self.epoch.and_then(|epoch| {
            let at = epoch.saturating_add(self.moment.time.0).saturating_add(seconds.round() as i64);
            date::second(at, &self.zone)
        });
        match date {
            Some(date) if seconds >= AT_ONCE => format!("{about} ({date})"),
            _ => about,
        }
    }

    /// The answer in plain words.
    fn sentence(&self) -> String {
        let wait = &self.answer.wait;
        let mut lines = Vec::new();
        lines.push(if wait.p90 < AT_ONCE {
            "Most likely it starts at once.".to_owned()
        } else if duration::about(wait.low) == duration::about(wait.high) {
            format!("Most likely it starts {} from now.", duration::about(wait.median))
        } else {
            format!(
                "Most likely it starts between {} and {} from now; as likely as not within {}.",
                if wait.low < AT_ONCE { "at once".to_owned() } else { duration::about(wait.low) },
                duration::about(wait.high),
                duration::about(wait.median),
            )
        });
        lines.push(match wait.p90 < AT_ONCE {
            true => "Nine in ten start at once.".to_owned(),
            false => format!("At the latest, nine times in ten: {}.", self.after(wait.p90)),
        });
        if wait.p90 >= AT_ONCE {
            lines.push(format!(
                "One number that is least wrong as a share of wait and requested time together: {}.",
                if wait.response_point < AT_ONCE {
                    "at once".to_owned()
                } else {
                    duration::about(wait.response_point)
                }
            ));
        }
        lines.push(match &self.answer.record {
            Some(record) => format!(
                "Of the last {} so predicted, {} started within such a range (80% should), {} by the latest (90% should).",
                number_of(record.jobs, "job"),
                percent(record.inside),
                percent(record.by_p90)
            ),
            None => "Too few past jobs to say how often such answers hold.".to_owned(),
        });
        let state = &self.answer.state;
        let free = format!("{} of {} processors are free", state.free, state.procs);
        lines.push(match state.waiting {
            0 => format!("No job waits; {free}."),
            count => {
                let wait = if count == 1 { "1 job waits".to_owned() } else { format!("{count} jobs wait") };
                let preferred = match state.preferred {
                    0 => "none is preferred to it".to_owned(),
                    one if one == count => "it would come behind all of them".to_owned(),
                    one => format!("it would come behind {one} of them, for {}", state.preferred_wanted),
                };
                let by = if self.answer.method == SITE_METHOD { "priority" } else { "past starts" };
                format!("{wait} for {} processors, and by {by} {preferred}; {free}.", state.wanted)
            }
        });
        lines.join("\n")
    }

    fn facts(&self) -> Table {
        let fact = |name: &str, value: String| (Column::text(name), Cell::text(value));
        let date = self.moment.date.as_ref().map_or_else(String::new, |date| format!(" ({date})"));
        // Seconds are those of a log; a site has a clock.
        let moment = match (&self.partition, &self.moment.date) {
            (Some(_), Some(date)) => date.clone(),
            _ => format!("{} s{date}", self.moment.time),
        };
        let mut facts = vec![fact("log", self.source.clone())];
        facts.extend(self.partition.as_ref().map(|name| fact("partition", name.clone())));
        facts.extend([
            fact("moment", moment),
            fact("job", format!("{} processors for {}", self.asked.procs, duration::human(self.asked.time))),
            fact("learned from", self.history.clone()),
            fact("method", self.answer.method.clone()),
        ]);
        let mut table = Table::facts(facts).titled("Question");
        if let Some(guess) = guess(self.machine) {
            table.note(guess);
        }
        table
    }

    fn waits(&self) -> Table {
        let mut table = Table::new(
            ["one in ten sooner", "one in four sooner", "even odds", "one in four later", "one in ten later"]
                .map(Column::duration),
        )
        .titled("Wait");
        let wait = &self.answer.wait;
        table.row([wait.p10, wait.p25, wait.median, wait.p75, wait.p90].map(Cell::duration));
        table
    }

    fn tried(&self) -> Table {
        let mut table = Table::new(vec![
            Column::text("method").naming(),
            Column::integer("jobs"),
            Column::share("in the range"),
            Column::share("by the latest"),
            Column::duration("interval score"),
            Column::duration("mean error"),
        ])
        .titled("Methods tried on the last jobs, the best first");
        for MethodRecord { method, jobs, inside, by_p90, interval_score, mean_error } in &self.answer.tried {
            table.row([
                Cell::text(&**method),
                Cell::count(*jobs),
                Cell::share(*inside),
                Cell::share(*by_p90),
                Cell::duration(*interval_score),
                Cell::duration(*mean_error),
            ]);
        }
        table.note("in the range: that of the answer, 80% should be; by the latest: by one in ten later, 90% should be");
        table.note("interval score: width of the range and ten times the distance of what lies outside; less is better");
        table
    }

    /// How likely it is to have started by then.
    fn chart(&self) -> Bars {
        let within = self.answer.wait.within.iter();
        let bars =
            within.map(|one| Bar::new(duration::human(Seconds(one.seconds)), Cell::share(one.probability)));
        let name = self.partition.as_ref().map_or_else(String::new, |name| format!(" in {name}"));
        Bars::new(format!("Probability of having started{name} within"), bars).on(format!(
            "{} processors for {}",
            self.asked.procs,
            duration::human(self.asked.time)
        ))
    }

    fn add_row(&self, table: &mut Table) {
        let (wait, state) = (&self.answer.wait, &self.answer.state);
        let record = self.answer.record.as_ref();
        let share =
            |of: fn(&MethodRecord) -> f64| record.map_or(Cell::Missing, |record| Cell::share(of(record)));
        table.row([
            self.partition.as_ref().map_or(Cell::Missing, |name| Cell::text(&**name)),
            self.asked.procs.into(),
            Cell::duration(self.asked.time.0 as f64),
            Cell::duration(wait.p10),
            Cell::duration(wait.p25),
            Cell::duration(wait.median),
            Cell::duration(wait.p75),
            Cell::duration(wait.p90),
            Cell::text(&*self.answer.method),
            share(|record| record.inside),
            share(|record| record.by_p90),
            record.map_or(Cell::Missing, |record| Cell::count(record.jobs)),
            Cell::count(state.waiting),
            state.free.into(),
        ]);
    }

    fn columns() -> Vec<Column> {
        let mut columns = vec![Column::text("partition"), Column::integer("procs"), Column::duration("time")];
        columns.extend(["p10", "p25", "median", "p75", "p90"].map(Column::duration));
        columns.push(Column::text("method"));
        columns.extend(["inside", "by p90"].map(Column::share));
        columns.extend(["trials", "waiting", "free"].map(Column::integer));
        columns
    }
}

fn percent(share: f64) -> String {
    Cell::share(share).shown(&Page::default())
}

impl Answer for StartTime {
    fn document(&self) -> Document {
        let mut document =
            Document::new().with_table("question", self.facts()).with_table("wait", self.waits());
        if self.answer.tried.iter().any(|one| one.jobs > 0) {
            document = document.with_table("methods", self.tried());
        }
        document.with_chart(Chart::Bars(self.chart())).with_paragraph(self.sentence())
    }

    fn table(&self) -> Table {
        let mut table = Table::new(StartTime::columns());
        self.add_row(&mut table);
        table
    }
}

/// One answer for each partition; never empty.
#[derive(Debug, Serialize)]
pub struct StartTimes {
    pub partitions: Vec<StartTime>,
    /// Partitions that do not allow the job, and why.
    pub refused: Vec<String>,
}

impl Answer for StartTimes {
    fn document(&self) -> Document {
        let mut document = Document::new();
        let mut lines = Vec::new();
        for one in &self.partitions {
            let name = one.partition.clone().unwrap_or_default();
            document = document
                .with_table(format!("question {name}"), one.facts().titled(format!("Partition {name}")))
                .with_table(format!("wait {name}"), one.waits());
            lines.push(format!("{name}: {}", one.sentence()));
        }
        lines.extend(self.refused.iter().cloned());
        let median = |one: &&StartTime| one.answer.wait.median;
        let soonest = self.partitions.iter().min_by(|one, other| median(one).total_cmp(&median(other)));
        lines.extend(
            soonest
                .filter(|_| self.partitions.len() > 1)
                .map(|one| format!("Soonest, by even odds: {}.", one.partition.clone().unwrap_or_default())),
        );
        document.with_paragraph(lines.join("\n\n"))
    }

    fn table(&self) -> Table {
        let mut table = Table::new(StartTime::columns());
        self.partitions.iter().for_each(|one| one.add_row(&mut table));
        table
    }
}

//! Brokers side by side: waits, where jobs went, and what the users of each site gained or lost.

use queuecast::broker::{Alignment, BrokerSpec, QueueLimits};
use queuecast::report::chart::{Bar, Bars};
use queuecast::report::{Align, Answer, Best, Cell, Chart, Column, Document, Layout, Page, Table, duration};
use queuecast::study::{BrokerResult, Brokerage};
use queuecast::trace::{CleaningReport, MachineSize};
use queuecast::units::{Procs, Seconds};
use serde::Serialize;

use crate::commands::cleaning;
use crate::commands::loaded::{Facts, number_of};

/// What became of all jobs under each broker, for every format.
#[derive(Debug, Serialize)]
pub struct Brokered {
    version: &'static str,
    grid: GridSettings,
    /// The first of the jobs that no site takes.
    first_unplaced: Option<Unplaced>,
    #[serde(flatten)]
    report: Brokerage,
}

/// What was simulated.
#[derive(Debug, Serialize)]
pub struct GridSettings {
    pub file: String,
    #[serde(flatten)]
    pub clocks: Clocks,
    /// Only jobs submitted within so many days of the first.
    pub days: Option<f64>,
    pub same_people: bool,
    /// What happened to a job at its requested time.
    pub limit: String,
    pub sites: Vec<SiteSettings>,
}

/// How the clocks of the logs were put together.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct Clocks {
    pub align: Alignment,
    /// Whether the file of sites says so.
    #[serde(skip)]
    pub given: bool,
    /// Whether there are several logs.
    #[serde(skip)]
    pub several: bool,
}

/// A site as it was simulated.
#[derive(Debug, Serialize)]
pub struct SiteSettings {
    pub site: String,
    pub procs: Procs,
    pub policy: String,
    pub predictor: String,
    pub speed: f64,
    pub queues: Vec<QueueSettings>,
    /// The machine of the log, where the file of sites does not say its size.
    #[serde(skip)]
    pub guessed: Option<MachineSize>,
    /// Its log; `null` for a site without jobs of its own.
    pub workload: Option<Facts>,
    pub cleaning: Option<CleaningReport>,
}

/// A queue and the largest jobs it takes.
#[derive(Debug, Serialize)]
pub struct QueueSettings {
    pub queue: String,
    pub max_procs: Option<Procs>,
    /// In seconds.
    pub max_time: Option<Seconds>,
}

impl QueueSettings {
    /// Of the limits of a queue.
    pub fn of(limits: &QueueLimits) -> QueueSettings {
        let QueueLimits { name, max_procs, max_time } = limits.clone();
        QueueSettings { queue: name, max_procs, max_time }
    }
}

/// A job that no site takes.
#[derive(Debug, Serialize)]
pub struct Unplaced {
    /// Its number in its log.
    pub job: u64,
    /// Where it was submitted.
    pub site: Option<String>,
    pub procs: Procs,
    /// The time it asks for, in seconds.
    pub time: Option<Seconds>,
}

/// Tables that have sites side by side are turned where they would be wider.
const PAGE: usize = 80;

impl Brokered {
    /// Of a report.
    pub fn new(grid: GridSettings, first_unplaced: Option<Unplaced>, report: Brokerage) -> Brokered {
        Brokered { version: env!("CARGO_PKG_VERSION"), grid, first_unplaced, report }
    }

    fn title(&self) -> String {
        let sites = number_of(self.report.sites.len(), "site");
        format!("{} at {sites} of {}", number_of(self.report.jobs, "job"), self.grid.file)
    }

    fn brokers(&self) -> Table {
        let shown = |column: Column, is_shown: bool| if is_shown { column } else { column.detail() };
        let interval = Column { align: Align::Right, ..Column::text("95% interval").spare(1) };
        let mut table = Table::new([
            Column::text("broker").naming(),
            Column::duration("mean wait"),
            Column::share("against static"),
            shown(interval, self.has_intervals()),
            Column::duration("median wait").spare(6),
            Column::duration("90% wait at most").spare(5),
            Column::share("within 1 h").spare(2),
            Column::share("over 1 day").spare(4),
            Column::number("bounded slowdown").spare(7),
            shown(Column::share("of the oracle's gain").spare(3), self.has_oracle()),
        ])
        .titled(self.title());
        for one in &self.report.brokers {
            let change = one.against_static.filter(|_| !is_static(one));
            let interval = change.and_then(|change| change.interval);
            let interval = interval.map(|[low, high]| format!("{} to {}", percent(low), percent(high)));
            table.row([
                Cell::text(&*one.broker),
                Cell::duration(one.mean_wait),
                change.map_or(Cell::Missing, |change| Cell::share(change.change)),
                interval.into(),
                Cell::duration(one.p50_wait),
                Cell::duration(one.p90_wait),
                Cell::share(one.within_hour),
                Cell::share(one.over_day),
                Cell::number(one.mean_bounded_slowdown, 1),
                one.of_oracle.filter(|_| !is_static(one)).map_or(Cell::Missing, Cell::share),
            ]);
        }
        table.mark_best(1, 0..self.report.brokers.len(), Best::Lowest);
        if table.has_marks() {
            table.note("*: the lowest");
        }
        let interval = match self.has_intervals() {
            true => ", with its interval by drawing whole weeks",
            false => "; fewer than two weeks of jobs have no interval",
        };
        table.note(format!("against static: the mean wait less that of static, as a share of it{interval}"));
        table.notes.extend(self.notes());
        table
    }

    /// Whether there are weeks enough for intervals.
    fn has_intervals(&self) -> bool {
        let changes = self.report.brokers.iter().filter_map(|one| one.against_static);
        changes.filter_map(|change| change.interval).next().is_some()
    }

    fn has_oracle(&self) -> bool {
        self.report.broker(BrokerSpec::Oracle).is_some()
    }

    /// What the tables do not say.
    pub fn notes(&self) -> Vec<String> {
        let (grid, report) = (&self.grid, &self.report);
        let mut notes = Vec::new();
        let clocks = match (grid.clocks.align, grid.clocks.given) {
            (Alignment::Start, true) => "all logs begin at the same instant (align = \"start\")",
            (Alignment::Start, false) => {
                "the logs have no time in common, or do not say when they were, so all begin at the same instant (align = \"start\")"
            }
            (Alignment::Recorded, true) => "jobs arrive at the times recorded (align = \"recorded\")",
            (Alignment::Recorded, false) => {
                "the logs overlap in time, so jobs arrive at the times recorded (align = \"recorded\")"
            }
        };
        notes.extend(grid.clocks.several.then(|| clocks.to_owned()));
        if let Some(days) = grid.days {
            notes.push(format!("only jobs submitted within {} of the first", days_of(days)));
        }
        if let Some(first) = &self.first_unplaced {
            let site = first.site.as_ref().map_or_else(String::new, |site| format!(" of {site}"));
            let time = first.time.map_or_else(String::new, |time| format!(" for {}", duration::human(time)));
            let (fit, is) = if report.unplaced == 1 { ("fits", "it is") } else { ("fit", "they are") };
            notes.push(format!(
                "{} {fit} no site, so {is} left out; the first: job {}{site}, {} processors{time}",
                number_of(report.unplaced, "job"),
                first.job,
                first.procs
            ));
        }
        if self.has_oracle() {
            notes.push(
                "oracle knows run times, which no broker can: a yardstick, not a choice. It looks at each job alone, so others may \
                 come out ahead of it"
                    .to_owned(),
            );
        }
        for site in &grid.sites {
            if let Some(machine) = site.guessed.filter(|machine| machine.is_guessed()) {
                notes.push(format!("{} is taken to have {machine} (procs = N says otherwise)", site.site));
            }
            let report = site.cleaning.as_ref().filter(|report| !report.rules.is_empty());
            let line = report.map(|report| cleaning::line(report, cleaning::Overrun::Kept));
            notes.extend(line.map(|line| format!("{}: {line}", site.site)));
        }
        notes
    }

    /// A row for each site, a column for each broker that is shown; on its side where that is narrower.
    fn by_site(&self, first: Vec<Column>, brokers: impl Iterator<Item = Column>) -> Table {
        let names = self.report.sites.iter().map(|one| one.site.chars().count().max(12) + 2);
        let widest = self.report.brokers.iter().map(|one| one.broker.len()).max().unwrap_or(0);
        let fits = widest + names.sum::<usize>() <= PAGE;
        let columns = first.into_iter().chain(brokers);
        Table::new(columns).laid_out(if fits { Layout::Tall } else { Layout::Wide })
    }

    fn shares(&self) -> Table {
        let report = &self.report;
        let first =
            vec![Column::text("site").naming(), Column::integer("processors"), Column::share("own jobs")];
        let brokers = report.brokers.iter().map(|one| Column::share(&*one.broker).spare(1));
        let mut table = self.by_site(first, brokers).titled("Where jobs ran: share of all jobs");
        for (place, site) in report.sites.iter().enumerate() {
            let own = site.jobs as f64 / report.sites.iter().map(|one| one.jobs).sum::<usize>().max(1) as f64;
            let cells = report.brokers.iter().map(|one| Cell::share(one.sites[place].share));
            let first = [Cell::text(&*site.site), Cell::Integer(i64::from(site.procs)), Cell::share(own)];
            table.row(first.into_iter().chain(cells));
        }
        table
    }

    fn homes(&self) -> Table {
        let report = &self.report;
        let others = || report.brokers.iter().filter(|one| !is_static(one));
        let first = vec![
            Column::text("site").naming(),
            Column::integer("their jobs"),
            Column::duration("mean wait, static"),
        ];
        let brokers =
            others().map(|one| Column { align: Align::Right, ..Column::text(&*one.broker).spare(1) });
        let title = "What it means for each site's own users: change of their mean wait";
        let mut table = self.by_site(first, brokers).titled(title);
        let of_static = report.brokers.iter().find(|one| is_static(one));
        for (place, site) in report.sites.iter().enumerate() {
            let home = of_static.map(|one| &one.homes[place]);
            let wait = home.and_then(|home| home.mean_wait).map_or(Cell::Missing, Cell::duration);
            let jobs = home.map_or(Cell::Missing, |home| Cell::count(home.jobs));
            let cells = others().map(|one| one.homes[place].change.map(signed).into());
            table.row([Cell::text(&*site.site), jobs, wait].into_iter().chain(cells));
        }
        table.note("their jobs, wherever they ran; below zero they wait less than at home under static");
        table
    }

    fn bars(&self) -> Chart {
        let bar = |one: &BrokerResult| Bar::new(&*one.broker, Cell::duration(one.mean_wait));
        let bars = Bars::new("Mean wait", self.report.brokers.iter().map(bar)).on(self.title());
        Chart::Bars(bars.best(Best::Lowest))
    }
}

fn is_static(one: &BrokerResult) -> bool {
    one.broker == "static"
}

fn percent(share: f64) -> String {
    Cell::share(share).shown(&Page::default())
}

/// A change, with its sign.
fn signed(seconds: f64) -> String {
    let shown = duration::about(seconds);
    if seconds > 0.0 && shown != "0 s" { format!("+{shown}") } else { shown }
}

fn days_of(days: f64) -> String {
    duration::about(days * 86_400.0)
}

impl Answer for Brokered {
    fn document(&self) -> Document {
        let mut document = Document::new().with_table("brokers", self.brokers());
        if self.report.sites.len() > 1 {
            document = document.with_table("sites", self.shares()).with_table("homes", self.homes());
        }
        document.with_chart(self.bars())
    }

    /// One row per broker and site.
    fn table(&self) -> Table {
        let mut columns = vec![Column::text("broker"), Column::text("site"), Column::integer("procs")];
        columns.push(Column::integer("jobs"));
        columns.push(Column::share("share"));
        let time = |name: &str| Column::duration(name).key(name);
        columns.push(time("mean_wait_here"));
        columns.push(Column::share("load"));
        columns.push(Column::integer("longest_queue"));
        columns.push(Column::integer("own_jobs"));
        columns.push(Column::share("own_stayed"));
        columns.extend(["own_mean_wait", "own_change", "mean_wait", "p50_wait", "p90_wait"].map(time));
        columns.extend(["within_hour", "over_day"].map(Column::share));
        columns.push(time("mean_response"));
        columns.push(Column::number("mean_bounded_slowdown"));
        columns.push(Column::integer("withdrawn"));
        columns.extend(
            ["against_static", "against_static_low", "against_static_high", "of_oracle"].map(Column::share),
        );
        columns.push(Column::integer("unplaced"));
        let mut table = Table::new(columns);
        for one in &self.report.brokers {
            let change = one.against_static;
            let interval = change.and_then(|change| change.interval);
            let share = |share: Option<f64>| share.map_or(Cell::Missing, Cell::share);
            let time = |time: Option<f64>| time.map_or(Cell::Missing, Cell::duration);
            for ((site, here), home) in self.report.sites.iter().zip(&one.sites).zip(&one.homes) {
                table.row([
                    Cell::text(&*one.broker),
                    Cell::text(&*site.site),
                    Cell::Integer(i64::from(site.procs)),
                    Cell::count(here.jobs),
                    Cell::share(here.share),
                    time(here.mean_wait),
                    Cell::share(here.load),
                    Cell::count(here.longest_queue),
                    Cell::count(home.jobs),
                    share(Some(home.stayed).filter(|_| home.jobs > 0)),
                    time(home.mean_wait),
                    time(home.change),
                    Cell::duration(one.mean_wait),
                    Cell::duration(one.p50_wait),
                    Cell::duration(one.p90_wait),
                    Cell::share(one.within_hour),
                    Cell::share(one.over_day),
                    Cell::duration(one.mean_response),
                    Cell::number(one.mean_bounded_slowdown, 3),
                    Cell::count(one.withdrawn),
                    share(change.map(|change| change.change)),
                    share(interval.map(|interval| interval[0])),
                    share(interval.map(|interval| interval[1])),
                    share(one.of_oracle),
                    Cell::count(self.report.unplaced),
                ]);
            }
        }
        table
    }
}

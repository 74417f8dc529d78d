//! Brokers side by side: waits, where jobs went, and what the users of each site gained or lost.

use crate::chart::{Bar, Bars};
use crate::words::{number_of, percent};
use crate::{Align, Answer, Best, Cell, Chart, Column, Document, Layout, Table, cleaning, duration};
use queuecast_forecast::broker::{Alignment, BrokerSpec};
use queuecast_study::{BrokerResult, Brokered};

/// Tables that have sites side by side are turned where they would be wider.
const PAGE: usize = 80;

fn title(of: &Brokered) -> String {
    let sites = number_of(of.report.sites.len(), "site");
    format!("{} at {sites} of {}", number_of(of.report.jobs, "job"), of.grid.file)
}

fn brokers(of: &Brokered) -> Table {
    let shown = |column: Column, is_shown: bool| if is_shown { column } else { column.detail() };
    let interval = Column { align: Align::Right, ..Column::text("95% interval").spare(1) };
    let mut table = Table::new([
        Column::text("broker").naming(),
        Column::duration("mean wait"),
        Column::share("against static"),
        shown(interval, has_intervals(of)),
        Column::duration("median wait").spare(6),
        Column::duration("90% wait at most").spare(5),
        Column::share("within 1 h").spare(2),
        Column::share("over 1 day").spare(4),
        Column::number("bounded slowdown").spare(7),
        shown(Column::share("of the oracle's gain").spare(3), has_oracle(of)),
    ])
    .titled(title(of));
    for one in &of.report.brokers {
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
    table.mark_best(1, 0..of.report.brokers.len(), Best::Lowest);
    if table.has_marks() {
        table.note("*: the lowest");
    }
    let interval = match has_intervals(of) {
        true => ", with its interval by drawing whole weeks",
        false => "; fewer than two weeks of jobs have no interval",
    };
    table.note(format!("against static: the mean wait less that of static, as a share of it{interval}"));
    table.notes.extend(broker_notes(of));
    table
}

/// Whether there are weeks enough for intervals.
fn has_intervals(of: &Brokered) -> bool {
    let changes = of.report.brokers.iter().filter_map(|one| one.against_static);
    changes.filter_map(|change| change.interval).next().is_some()
}

fn has_oracle(of: &Brokered) -> bool {
    of.report.broker(BrokerSpec::Oracle).is_some()
}

/// What the tables do not say.
pub fn broker_notes(of: &Brokered) -> Vec<String> {
    let (grid, report) = (&of.grid, &of.report);
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
    if let Some(first) = &of.first_unplaced {
        let site = first.site.as_ref().map_or_else(String::new, |site| format!(" of {site}"));
        let time = first.time.map_or_else(String::new, |time| format!(" for {}", duration::human(time)));
        let (fit, is) = if report.unplaced == 1 { ("fits", "it is") } else { ("fit", "they are") };
        notes.push(format!(
            "{} {fit} no site, so {is} left out; the first: job {}{site}, {}{time}",
            number_of(report.unplaced, "job"),
            first.job,
            number_of(first.procs.0, "processor")
        ));
    }
    if has_oracle(of) {
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
fn by_site(of: &Brokered, first: Vec<Column>, brokers: impl Iterator<Item = Column>) -> Table {
    let names = of.report.sites.iter().map(|one| one.site.chars().count().max(12) + 2);
    let widest = of.report.brokers.iter().map(|one| one.broker.len()).max().unwrap_or(0);
    let fits = widest + names.sum::<usize>() <= PAGE;
    let columns = first.into_iter().chain(brokers);
    Table::new(columns).laid_out(if fits { Layout::Tall } else { Layout::Wide })
}

fn shares(of: &Brokered) -> Table {
    let report = &of.report;
    let first = vec![Column::text("site").naming(), Column::integer("processors"), Column::share("own jobs")];
    let brokers = report.brokers.iter().map(|one| Column::share(&*one.broker).spare(1));
    let mut table = by_site(of, first, brokers).titled("Where jobs ran: share of all jobs");
    for (place, site) in report.sites.iter().enumerate() {
        let own = site.jobs as f64 / report.sites.iter().map(|one| one.jobs).sum::<usize>().max(1) as f64;
        let cells = report.brokers.iter().map(|one| Cell::share(one.sites[place].share));
        let first = [Cell::text(&*site.site), Cell::Integer(i64::from(site.procs)), Cell::share(own)];
        table.row(first.into_iter().chain(cells));
    }
    table
}

fn homes(of: &Brokered) -> Table {
    let report = &of.report;
    let others = || report.brokers.iter().filter(|one| !is_static(one));
    let first = vec![
        Column::text("site").naming(),
        Column::integer("their jobs"),
        Column::duration("mean wait, static"),
    ];
    let brokers = others().map(|one| Column { align: Align::Right, ..Column::text(&*one.broker).spare(1) });
    let title = "What it means for each site's own users: change of their mean wait";
    let mut table = by_site(of, first, brokers).titled(title);
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

fn bars(of: &Brokered) -> Chart {
    let bar = |one: &BrokerResult| Bar::new(&*one.broker, Cell::duration(one.mean_wait));
    let bars = Bars::new("Mean wait", of.report.brokers.iter().map(bar)).on(title(of));
    Chart::Bars(bars.best(Best::Lowest))
}

fn is_static(one: &BrokerResult) -> bool {
    one.broker == "static"
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
        let mut document = Document::new().with_table("brokers", brokers(self));
        if self.report.sites.len() > 1 {
            document = document.with_table("sites", shares(self)).with_table("homes", homes(self));
        }
        document.with_chart(bars(self))
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
            let share = |share: Option<f64>| Cell::from(share.map(Cell::share));
            let time = |time: Option<f64>| Cell::from(time.map(Cell::duration));
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

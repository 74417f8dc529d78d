//! The portrait in tables.

use super::described::user;
use crate::words::whole;
use crate::{Cell, Column, Document, Table, date, duration};
use queuecast_core::stats::Percentiles;
use queuecast_synth::characterization::{
    Accuracy, AccuracyBin, Characterization, Disparity, Flurries, Growth, GrowthPoint, Owner, Owners,
    Repeats, SessionStatistics,
};

/// How many owners are listed.
const OWNERS: usize = 5;

/// Adds every table there is something to put into.
pub fn add(mut document: Document, portrait: &Characterization, epoch: Option<i64>) -> Document {
    if let Some(estimates) = &portrait.estimates {
        document = document
            .with_table("popular_estimates", popular(estimates))
            .with_table("covering", covering(estimates));
    }
    if let Some(one) = &portrait.growth {
        document = document.with_table("growth", growth(one));
    }
    if let Some(one) = portrait.owners.as_ref().filter(|one| !one.owners.is_empty()) {
        document = document.with_table("owners", owners(one));
    }
    if let Some(one) = &portrait.accuracy {
        document = document.with_table("accuracy", accuracy(one));
    }
    if let Some(one) = &portrait.sessions {
        document = document.with_table("sessions", sessions(one)).with_table("repeats", repeats(one));
    }
    if let Some(one) = portrait.flurries.as_ref().filter(|one| !one.flurries.is_empty()) {
        document = document.with_table("flurries", flurries(one, epoch));
    }
    document
}

fn popular(estimates: &Disparity) -> Table {
    let mut table = Table::new([
        Column::integer("rank"),
        Column::duration("requested time").key("estimate_seconds"),
        Column::integer("jobs"),
        Column::share("share"),
        Column::share("covered"),
        Column::integer("weeks"),
        Column::integer("users"),
    ])
    .titled(format!("The most popular requested times; {} weeks", estimates.weeks));
    for mode in estimates.head() {
        table.row([
            Cell::count(mode.rank),
            mode.time.into(),
            Cell::count(mode.jobs),
            Cell::share(mode.share),
            Cell::share(mode.covered),
            Cell::count(mode.weeks),
            mode.users.map_or(Cell::Missing, Cell::count),
        ]);
    }
    table
}

fn covering(estimates: &Disparity) -> Table {
    let mut columns = vec![Column::text("jobs covered")];
    let mut cells = vec![Cell::text("values needed")];
    for one in &estimates.covering {
        columns.push(Column::integer(format!("{:.0}%", one.share * 100.0)));
        cells.push(Cell::count(one.values));
    }
    let mut table = Table::new(columns);
    table.row(cells);
    table
}

/// At the points of Table 3 and at the last job.
fn growth(growth: &Growth) -> Table {
    let told = |jobs: u64| Growth::TABLE_3.iter().any(|&(point, _)| point == jobs);
    let last = growth.points.len().saturating_sub(1);
    let points = growth.points.iter().enumerate().filter(|&(at, point)| at == last || told(point.jobs));
    let points: Vec<_> = points.map(|(_, point)| point).collect();
    let mut columns = vec![Column::text("after so many jobs").naming()];
    columns.extend(points.iter().map(|point| Column::integer(whole(point.jobs))));
    let mut table = Table::new(columns);
    let row = |name: &str, cell: fn(&GrowthPoint) -> Cell| {
        let mut row = vec![Cell::text(name)];
        row.extend(points.iter().map(|point| cell(point)));
        row
    };
    table.row(row("different requested times", |point| Cell::count(point.values)));
    table.row(row("Tsafrir et al. 2005, Table 3", |point| Cell::number(point.expected, 0)));
    table
}

fn owners(owners: &Owners) -> Table {
    let mut table = Table::new([
        Column::text("user").naming(),
        Column::integer("requested times").key("estimates"),
        Column::share("of all"),
        Column::integer("jobs"),
    ])
    .titled("Users with requested times that no other user has");
    let (named, rest) = owners.owners.split_at(owners.owners.len().min(OWNERS));
    for owner in named {
        table.row([
            Cell::text(user(owner.user, owner.name.as_ref())),
            Cell::count(owner.modes),
            Cell::share(owner.share),
            Cell::count(owner.jobs),
        ]);
    }
    if !rest.is_empty() {
        let sum = |of: fn(&Owner) -> u64| Cell::count(rest.iter().map(of).sum::<u64>());
        table.row([
            Cell::text(format!("{} others", rest.len())),
            sum(|owner| owner.modes),
            Cell::share(rest.iter().map(|owner| owner.share).sum()),
            sum(|owner| owner.jobs),
        ]);
    }
    table
}

/// The histogram in larger steps, but for its two ends.
fn accuracy(accuracy: &Accuracy) -> Table {
    let mut table = Table::new([
        Column::text("used of the requested time").naming(),
        Column::integer("jobs"),
        Column::share("share"),
        Column::share("ran below 90 s"),
    ])
    .titled("How much of the time asked for is used");
    let all = accuracy.jobs as f64;
    let mut row = |name: String, jobs: u64, short: Option<u64>| {
        let short = Cell::share_of(short.filter(|_| jobs > 0).map(|short| short as f64 / jobs as f64));
        table.row([Cell::text(name), Cell::count(jobs), Cell::share(jobs as f64 / all), short]);
    };
    let edges = [(0, 1), (1, 2), (2, 5), (5, 10), (10, 15), (15, 19), (19, 20)];
    for (from, to) in edges {
        let bins: &[AccuracyBin] = &accuracy.histogram[from..to];
        let sum = |of: fn(&AccuracyBin) -> u64| bins.iter().map(of).sum::<u64>();
        let name = format!("{:.0}% to {:.0}%", bins[0].from * 100.0, bins[bins.len() - 1].to * 100.0);
        row(name, sum(|bin| bin.jobs), Some(sum(|bin| bin.short)));
    }
    row("all of it".to_owned(), accuracy.reached, None);
    row("more than it".to_owned(), accuracy.exceeded, None);
    table
}

fn sessions(habits: &SessionStatistics) -> Table {
    let mut columns = vec![Column::text("").naming(), Column::integer("number")];
    columns.extend(["mean", "median", "75%", "90%", "99%", "max"].map(|name| {
        let spare = ["75%", "99%"].iter().position(|one| *one == name);
        Column::number(name).spare(spare.map_or(0, |place| place as u8 + 1))
    }));
    let gap = duration::human(habits.gap);
    let mut table = Table::new(columns)
        .titled(format!("Sessions: jobs of one user, none later than {gap} after the one before"));
    let mut row = |name: &str, of: Option<&Percentiles>, show: fn(f64) -> Cell, mean: fn(f64) -> Cell| {
        let Some(one) = of else { return };
        let mut row = vec![Cell::text(name), Cell::count(one.count), mean(one.mean)];
        row.extend([one.median, one.p75, one.p90, one.p99, one.max].map(|value| show(value as f64)));
        table.row(row);
    };
    row("jobs", Some(&habits.jobs_per_session), |value| Cell::number(value, 0), |mean| Cell::number(mean, 1));
    row("next job after", habits.gaps.as_ref(), Cell::duration, Cell::duration);
    row("next session after", habits.breaks.as_ref(), Cell::duration, Cell::duration);
    table
}

fn repeats(habits: &SessionStatistics) -> Table {
    let mut table = Table::new([
        Column::text("a user's next job").naming(),
        Column::integer("pairs"),
        Column::share("same requested time").key("same_estimate"),
        Column::share("same processors"),
        Column::share("same executable"),
    ]);
    for (name, one) in [("in the same session", habits.within), ("in the next session", habits.across)] {
        let Repeats { pairs, estimate, processors, executable } = one;
        let shares = [estimate, processors, executable].map(Cell::share_of);
        table.row([Cell::text(name), Cell::count(pairs)].into_iter().chain(shares));
    }
    table
}

fn flurries(flurries: &Flurries, epoch: Option<i64>) -> Table {
    let mut table = Table::new([
        Column::text("user").naming(),
        Column::text("from"),
        Column::integer("weeks"),
        Column::integer("jobs"),
        Column::share("of all jobs"),
        Column::number("times median"),
    ])
    .titled("Flurries: weeks that one user filled");
    for one in &flurries.flurries {
        let day = epoch.and_then(|epoch| date::day(epoch.saturating_add(one.begins.0)));
        table.row([
            Cell::text(user(one.user, one.name.as_ref())),
            Cell::text(day.unwrap_or_else(|| format!("week {}", one.week + 1))),
            Cell::count(one.weeks),
            Cell::count(one.jobs),
            Cell::share(one.share),
            Cell::number(one.times_median, 1),
        ]);
    }
    table.note(format!(
        "weeks in which a user submits as many jobs as all users in a median week ({}), half of that week's jobs, \
         and {} times the user's own median week",
        whole(flurries.median_week),
        Flurries::SURGE
    ));
    table
}

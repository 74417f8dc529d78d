//! The sites at which a job could start, the soonest first, as text and rows.

use crate::chart::{RangeBar, RangeBars};
use crate::{Answer, Cell, Chart, Column, Document, Table, words};
use queuecast_forecast::forecast::TOLD_APART;
use queuecast_place::{SiteChoice, SiteStart};

impl Answer for SiteChoice {
    fn document(&self) -> Document {
        let document =
            Document::new().with_paragraph(self.sentence.clone()).with_table("sites", starts(self));
        if self.sites.len() > 1 { document.with_chart(ranges(self)) } else { document }
    }

    /// One row per site, the soonest first, then those that do not take it.
    fn table(&self) -> Table {
        let time = |name: &str| Column::duration(name);
        let mut columns = vec![Column::text("site"), Column::integer("procs"), Column::integer("free")];
        columns.extend(["running", "waiting"].map(Column::integer));
        columns.push(time("time"));
        columns.extend(["p10", "p25", "median", "p75", "p90", "low", "high"].map(time));
        columns.extend([Column::text("method"), Column::integer("learned"), Column::integer("first")]);
        columns.push(Column::text("refused"));
        let mut table = Table::new(columns);
        for one in &self.sites {
            let (wait, state) = (&one.answer.wait, &one.answer.state);
            table.row([
                Cell::text(&*one.site),
                state.procs.into(),
                state.free.into(),
                Cell::count(state.running),
                Cell::count(state.waiting),
                Cell::duration(one.asked.time.0 as f64),
                Cell::duration(wait.p10),
                Cell::duration(wait.p25),
                Cell::duration(wait.median),
                Cell::duration(wait.p75),
                Cell::duration(wait.p90),
                Cell::duration(wait.low),
                Cell::duration(wait.high),
                Cell::text(&*one.answer.method),
                Cell::count(one.answer.learned),
                Cell::Integer(i64::from(self.first.contains(&one.site))),
                Cell::Missing,
            ]);
        }
        for one in &self.refused {
            let mut cells = vec![Cell::text(&*one.site)];
            cells.extend(std::iter::repeat_n(Cell::Missing, 14));
            cells.extend([Cell::Integer(0), Cell::text(&*one.why)]);
            table.row(cells);
        }
        table
    }
}

fn starts(of: &SiteChoice) -> Table {
    let mut table = Table::new([
        Column::text("site").naming(),
        Column::integer("processors"),
        Column::integer("free"),
        Column::integer("jobs waiting"),
        Column::duration("median wait"),
        Column::text("80% range").naming(),
        Column::text("method").spare(1),
    ])
    .titled(words::asked(of.asked.procs, of.asked.time));
    for one in &of.sites {
        let (wait, state) = (&one.answer.wait, &one.answer.state);
        table.row([
            Cell::text(&*one.site),
            state.procs.into(),
            state.free.into(),
            Cell::count(state.waiting),
            Cell::duration(wait.median),
            one.range().into(),
            Cell::text(&*one.answer.method),
        ]);
    }
    for one in &of.refused {
        let mut cells = vec![Cell::text(&*one.site)];
        cells.extend(std::iter::repeat_n(Cell::Missing, 4));
        cells.extend([Cell::text("not taken"), Cell::Missing]);
        table.row(cells);
    }
    table.notes = choice_notes(of);
    table
}

/// What the table does not say.
pub fn choice_notes(of: &SiteChoice) -> Vec<String> {
    let mut notes: Vec<String> =
        of.refused.iter().map(|one| format!("{} does not take it: {}", one.site, one.why)).collect();
    for one in &of.sites {
        let moment = match (&one.moment.date, one.is_live) {
            (Some(date), true) => format!("now, {date}"),
            (Some(date), false) => format!("at {date}"),
            (None, _) => format!("at {} s", one.moment.time),
        };
        let place = one.partition.as_ref().map_or_else(String::new, |name| format!(", partition {name}"));
        let queue = one.queue.as_ref().map_or_else(String::new, |name| format!(", queue {name}"));
        let learned = match one.answer.learned {
            0 => "no history yet, so its wait is simulated from its queue alone".to_owned(),
            _ => format!("learned from {}", one.history),
        };
        notes.push(format!("{}: {}{place}{queue}, {moment}; {learned}", one.site, one.source));
        if one.machine.is_guessed() {
            notes.push(format!("{} is taken to have {} (procs = N says otherwise)", one.site, one.machine));
        }
        if let Some(user) = of.user.as_ref().filter(|_| one.is_strange) {
            notes.push(format!("{} has no user {user}; its answer is that for any", one.site));
        }
    }
    if of.has_speeds {
        notes.push("a faster site is asked for less time; compared are starts, not ends".to_owned());
    }
    if of.sites.len() > 1 {
        notes.push(format!(
            "80% range: eight in ten start within it; sites are too close to call unless one starts sooner in {} of 10 cases",
            (TOLD_APART * 10.0).round(),
        ));
    }
    notes
}

/// The wait at each site; the first is marked where it can be told from the others.
fn ranges(of: &SiteChoice) -> Chart {
    let range = |one: &SiteStart| {
        let wait = &one.answer.wait;
        RangeBar::of_time(&*one.site, [wait.low, wait.median, wait.high])
    };
    let asked = words::asked(of.asked.procs, of.asked.time);
    let ranges =
        RangeBars::new("Wait: 80% range, with a tick at the median", of.sites.iter().map(range)).on(asked);
    Chart::RangeBars(ranges.marking((of.first.len() == 1).then_some(0), "soonest"))
}

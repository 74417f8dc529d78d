//! Summary of a trace before cleaning.

use super::described::DescribedLog;
use crate::words::{percent, whole};
use crate::{Cell, Column, Document, Table, cleaning, log};
use queuecast_trace::CleaningReport;
use queuecast_trace::clean::Withdrawals;

/// Adds the tables of the summary.
pub fn add(document: Document, described: &DescribedLog) -> Document {
    document
        .with_table("trace", described.facts())
        .with_table("distributions", described.distributions())
        .with_table("fields", described.fields())
}

/// Adds the report of reading: lines that are not records, and unusual values.
pub fn add_reading(document: Document, reading: &CleaningReport) -> Document {
    let said = cleaning::reading(reading);
    if reading.rules.is_empty() {
        return document.with_paragraph(said);
    }
    document.with_table("reading", cleaning::table(reading).titled(said))
}

impl DescribedLog {
    fn facts(&self) -> Table {
        let info = &self.info;
        let header = &info.header;
        let mut facts: Vec<(Column, Cell)> = Vec::new();
        let mut say = |name: &str, value: Cell| facts.push((Column::text(name), value));
        say("format", Cell::text(format!("{}, {}", info.format, info.compression)));
        for (name, value) in [("computer", &header.computer), ("installation", &header.installation)] {
            if let Some(value) = value {
                say(name, Cell::text(&**value));
            }
        }
        say("records", Cell::count(info.records));
        say("machine", info.machine.map_or(Cell::Missing, |machine| Cell::text(machine.to_string())));
        say("submitted", Cell::text(log::span(info.first_submit, info.last_submit, info.epoch)));
        say("offered load", Cell::share_of(info.offered_load));
        let distinct = &info.distinct;
        let kinds = [
            ("users", distinct.users),
            ("groups", distinct.groups),
            ("accounts", distinct.accounts),
            ("executables", distinct.executables),
            ("queues", distinct.queues),
            ("partitions", distinct.partitions),
            ("QOS", distinct.qos),
        ];
        for (name, count) in kinds.into_iter().filter(|(_, count)| *count > 0) {
            say(name, Cell::count(count));
        }
        let statuses: Vec<String> = info
            .statuses
            .iter()
            .map(|(&status, count)| format!("{} {}", whole(*count), words(status)))
            .collect();
        say("ended", Cell::text(statuses.join(", ")));
        say("not ended", Cell::count(info.unfinished));
        let withdrawn = self.cleaning.as_ref().and_then(|report| report.withdrawn);
        if let Some(Withdrawals { jobs: jobs @ 1.., kinds, queue_time_share, .. }) = withdrawn {
            let share = queue_time_share.map(|share| format!(" ({} of all queue time)", percent(share)));
            say("never started", Cell::text(format!("{}{}", whole(jobs), share.unwrap_or_default())));
            say("as recorded", Cell::text(kinds.to_string()));
        }
        if let Some(Withdrawals { unplaced: unplaced @ 1.., .. }) = withdrawn {
            let text = format!("{}: no wait is recorded, so they are in no queue", whole(unplaced));
            say("cancelled, unknown when", Cell::text(text));
        }
        say("longer than requested", Cell::count(info.runs_above_request));
        for thanks in &header.acknowledge {
            say("acknowledge", Cell::text(thanks.replace('\n', " ")));
        }
        Table::facts(facts).titled(&*self.source)
    }

    fn distributions(&self) -> Table {
        let mut columns = vec![Column::text("").naming(), Column::integer("known").spare(1)];
        let spared = ["min", "75%", "25%", "99%", "10%"];
        columns.extend(["mean", "min", "10%", "25%", "median", "75%", "90%", "99%", "max"].map(|name| {
            let spare = spared.iter().position(|one| *one == name);
            Column::number(name).spare(spare.map_or(0, |place| place as u8 + 2))
        }));
        let mut table = Table::new(columns);
        let info = &self.info;
        let count = |value: f64| Cell::number(value, 0);
        for (name, distribution, show) in [
            ("processors", &info.sizes, count as fn(f64) -> Cell),
            ("run time", &info.runs, Cell::duration),
            ("requested time", &info.requests, Cell::duration),
            ("wait", &info.waits, Cell::duration),
        ] {
            let Some(one) = distribution else { continue };
            let mut row = vec![Cell::text(name), Cell::count(one.count)];
            row.push(if name == "processors" { Cell::number(one.mean, 1) } else { show(one.mean) });
            let ranks = [one.min, one.p10, one.p25, one.median, one.p75, one.p90, one.p99, one.max];
            row.extend(ranks.map(|value| show(value as f64)));
            table.row(row);
        }
        table
    }

    fn fields(&self) -> Table {
        let mut table = Table::new([
            Column::integer("column"),
            Column::text("field"),
            Column::integer("known"),
            Column::share("of records"),
        ]);
        for field in &self.info.fields {
            let share = if self.info.records == 0 {
                Cell::Missing
            } else {
                Cell::share(field.known as f64 / self.info.records as f64)
            };
            table.row([Cell::count(field.column), Cell::text(field.name), Cell::count(field.known), share]);
        }
        table
    }
}

/// What the format's status codes mean.
fn words(status: i64) -> String {
    match status {
        0 => "failed".to_owned(),
        1 => "completed".to_owned(),
        2 => "partial".to_owned(),
        3 => "completed in parts".to_owned(),
        4 => "failed in parts".to_owned(),
        5 => "cancelled".to_owned(),
        ..0 => "unknown".to_owned(),
        other => format!("with status {other}"),
    }
}

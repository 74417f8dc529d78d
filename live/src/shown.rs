//! What the collector says.

use queuecast_core::units::Time;
use queuecast_report::{Answer, Cell, Column, Document, Table};
use serde::Serialize;

use crate::collector::Collected;
use crate::declared::{DeclaredCommand, Frequency};

/// The commands that following a site may run, for an administrator to read.
#[derive(Debug, Clone, Serialize)]
pub struct DeclaredCommands {
    /// All of them.
    pub commands: Vec<ShownCommand>,
}

/// A command.
#[derive(Debug, Clone, Serialize)]
pub struct ShownCommand {
    /// As it would be typed.
    pub command: String,
    /// Which daemon answers.
    pub daemon: &'static str,
    /// How often it is run.
    pub often: String,
    /// What for.
    pub purpose: &'static str,
    /// Who may run it.
    pub rights: &'static str,
}

impl DeclaredCommands {
    /// Those of a collector that looks every `look` seconds, and asks for accounting every `accounting` seconds.
    pub fn of(commands: &[DeclaredCommand], look: i64, accounting: i64) -> DeclaredCommands {
        let shown = |one: &DeclaredCommand| ShownCommand {
            command: one.line(),
            daemon: one.daemon,
            often: match one.frequency {
                Frequency::Look => format!("every {look} s"),
                Frequency::Window => format!("every {accounting} s, and once for each week of the history"),
                Frequency::NewJobs => format!("every {look} s, if there are new jobs"),
                Frequency::NewArrays => {
                    format!("every {look} s, if there are new arrays that cannot start yet")
                }
                Frequency::Hour => "every hour".to_owned(),
                Frequency::Once => "once".to_owned(),
                Frequency::Forecast(most) => {
                    format!("once for each job that is forecast, of at most {most} every {look} s")
                }
            },
            purpose: one.purpose,
            rights: one.rights,
        };
        DeclaredCommands { commands: commands.iter().map(shown).collect() }
    }
}

impl Answer for DeclaredCommands {
    fn document(&self) -> Document {
        let mut document = Document::new();
        for one in &self.commands {
            let about = format!(
                "{}: {}. Answered by {}; rights: {}.",
                one.often, one.purpose, one.daemon, one.rights
            );
            document = document.with_paragraph(about).with_command("", &one.command);
        }
        let changes = match self.commands.iter().any(|one| one.command.starts_with("scontrol update ")) {
            true => "None of them changes anything but scontrol update",
            false => "None of them changes anything",
        };
        document
            .with_paragraph(format!("{changes}. Times are asked for in Unix seconds (SLURM_TIME_FORMAT=%s)."))
    }

    fn table(&self) -> Table {
        Table::of(
            &self.commands,
            [
                (Column::text("command"), |one| (&one.command).into()),
                (Column::text("daemon"), |one| one.daemon.into()),
                (Column::text("often"), |one| (&one.often).into()),
                (Column::text("purpose"), |one| one.purpose.into()),
                (Column::text("rights"), |one| one.rights.into()),
            ],
        )
    }
}

/// What one round brought, and where it is.
#[derive(Debug, Clone, Serialize)]
pub struct CollectedRound {
    /// The store.
    pub store: String,
    /// The cluster.
    pub cluster: String,
    /// When it was asked, as a Unix time.
    pub at: Time,
    /// The number of the look, unless it failed.
    pub look: Option<i64>,
    /// Lines of the queue that differ from the look before.
    pub changed_lines: usize,
    /// Rows of accounting that were new or had changed, if accounting was asked.
    pub accounting_rows: Option<usize>,
    /// Lines of accounting that are no whole row.
    pub broken_lines: usize,
    /// Up to when the history is complete, as a Unix time.
    pub history_until: Option<Time>,
    /// Up to when accounting has been learned from, if that was done now, as a Unix time.
    pub learned_until: Option<Time>,
    /// Waiting jobs that were forecast now.
    pub forecasts: usize,
    /// What could not be asked, and why.
    pub failures: Vec<String>,
}

impl CollectedRound {
    /// A round at a moment.
    pub fn of(store: String, cluster: String, at: Time, round: &Collected) -> CollectedRound {
        let history = round.history.unwrap_or_default();
        CollectedRound {
            store,
            cluster,
            at,
            look: round.look.map(|look| look.0),
            changed_lines: round.look.map_or(0, |look| look.1),
            accounting_rows: round.history.map(|history| history.rows),
            broken_lines: history.broken,
            history_until: history.until,
            learned_until: None,
            forecasts: 0,
            failures: round.failures.clone(),
        }
    }

    /// Whether the history is complete up to now; `None` if accounting was not asked.
    pub fn is_complete(&self) -> Option<bool> {
        self.accounting_rows.map(|_| self.history_until.is_some_and(|until| until >= self.at))
    }

    /// In one line.
    pub fn line(&self) -> String {
        let mut said = Vec::new();
        if let Some(look) = self.look {
            let lines = if self.changed_lines == 1 { "line has" } else { "lines have" };
            said.push(format!("look {look}: {} {lines} changed", self.changed_lines));
        }
        if let Some(rows) = self.accounting_rows {
            let rows = if rows == 1 { "1 job".to_owned() } else { format!("{rows} jobs") };
            said.push(format!("{rows} of accounting new or changed"));
        }
        if self.broken_lines > 0 {
            said.push(format!("{} lines of accounting are no whole row", self.broken_lines));
        }
        said.extend(self.failures.iter().map(|why| format!("not answered: {why}")));
        said.join("; ")
    }
}

impl Answer for CollectedRound {
    fn document(&self) -> Document {
        let mut document =
            Document::new().with_paragraph(format!("{} into {}: {}", self.cluster, self.store, self.line()));
        if let Some(until) = self.history_until {
            let late = self.at - until;
            document = document.with_paragraph(match late.0 {
                0 => "The history is complete up to now.".to_owned(),
                late => format!("The history is complete up to {late} s ago; the next round goes on there."),
            });
        }
        if self.learned_until.is_some() || self.forecasts > 0 {
            let learned = if self.learned_until.is_some() { "Accounting was learned from, and " } else { "" };
            let jobs = match self.forecasts {
                1 => "1 waiting job was forecast".to_owned(),
                jobs => format!("{jobs} waiting jobs were forecast"),
            };
            document = document.with_paragraph(format!("{learned}{jobs}."));
        }
        document
    }

    fn table(&self) -> Table {
        let mut table = Table::new([
            Column::text("cluster"),
            Column::integer("at"),
            Column::integer("look"),
            Column::integer("changed_lines"),
            Column::integer("accounting_rows"),
            Column::integer("broken_lines"),
            Column::integer("history_until"),
            Column::integer("learned_until"),
            Column::integer("forecasts"),
            Column::text("failures"),
        ]);
        table.row([
            Cell::text(&*self.cluster),
            self.at.0.into(),
            self.look.into(),
            self.changed_lines.into(),
            self.accounting_rows.into(),
            self.broken_lines.into(),
            self.history_until.map(|until| until.0).into(),
            self.learned_until.map(|until| until.0).into(),
            Cell::count(self.forecasts),
            self.failures.join("; ").into(),
        ]);
        table
    }
}

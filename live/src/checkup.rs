//! What works of a site's service, what does not, and what to do about it.

use queuecast_report::{Answer, Column, Document, Table};
use serde::Serialize;

/// What was checked.
#[derive(Debug, Clone, Default, Serialize)]
pub struct Checkup {
    /// Whether nothing is wrong.
    pub works: bool,
    /// All that was checked.
    pub checks: Vec<ServiceCheck>,
}

/// How a check came out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum CheckState {
    /// It works.
    Ok,
    /// It works, and something is worth knowing.
    Note,
    /// It does not work.
    Wrong,
}

/// A check.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ServiceCheck {
    /// What it is of: `settings`, `slurm`, `clock`, `store`, `service`.
    pub area: &'static str,
    /// What was checked.
    pub check: String,
    /// How it came out.
    pub state: CheckState,
    /// What was found.
    pub found: String,
    /// What to do; `None` of what works.
    pub to_do: Option<String>,
}

impl ServiceCheck {
    /// It works.
    pub fn ok(area: &'static str, check: &str, found: impl Into<String>) -> ServiceCheck {
        ServiceCheck {
            area,
            check: check.to_owned(),
            state: CheckState::Ok,
            found: found.into(),
            to_do: None,
        }
    }

    /// It works, and something is worth knowing.
    pub fn note(
        area: &'static str,
        check: &str,
        found: impl Into<String>,
        to_do: impl Into<String>,
    ) -> ServiceCheck {
        ServiceCheck {
            state: CheckState::Note,
            to_do: Some(to_do.into()),
            ..ServiceCheck::ok(area, check, found)
        }
    }

    /// It does not work.
    pub fn wrong(
        area: &'static str,
        check: &str,
        found: impl Into<String>,
        to_do: impl Into<String>,
    ) -> ServiceCheck {
        ServiceCheck { state: CheckState::Wrong, ..ServiceCheck::note(area, check, found, to_do) }
    }
}

impl CheckState {
    fn word(self) -> &'static str {
        match self {
            CheckState::Ok => "ok",
            CheckState::Note => "note",
            CheckState::Wrong => "WRONG",
        }
    }
}

impl Checkup {
    /// Of these checks.
    pub fn of(checks: Vec<ServiceCheck>) -> Checkup {
        Checkup { works: checks.iter().all(|one| one.state != CheckState::Wrong), checks }
    }

    /// How many checks found something wrong.
    pub fn wrong(&self) -> usize {
        self.checks.iter().filter(|one| one.state == CheckState::Wrong).count()
    }
}

impl Answer for Checkup {
    fn document(&self) -> Document {
        let table = Table::of(
            &self.checks,
            [
                (Column::text("state"), |one| one.state.word().into()),
                (Column::text("area"), |one| one.area.into()),
                (Column::text("check"), |one| (&one.check).into()),
                (Column::text("found").naming(), |one| (&one.found).into()),
            ],
        );
        let mut document = Document::new().with_table("checks", table);
        for one in &self.checks {
            if let Some(to_do) = &one.to_do {
                document = document.with_paragraph(format!("{}, {}: {to_do}.", one.area, one.check));
            }
        }
        // How many are wrong is the message that the command ends with.
        if self.works { document.with_paragraph("All of it works.") } else { document }
    }

    fn table(&self) -> Table {
        Table::of(
            &self.checks,
            [
                (Column::text("area"), |one| one.area.into()),
                (Column::text("check"), |one| (&one.check).into()),
                (Column::text("state"), |one| one.state.word().to_lowercase().into()),
                (Column::text("found"), |one| (&one.found).into()),
                (Column::text("to_do"), |one| one.to_do.clone().unwrap_or_default().into()),
            ],
        )
    }
}

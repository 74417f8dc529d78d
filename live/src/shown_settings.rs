//! The settings of the services as they are shown.

use queuecast_report::{Answer, Column, Document, Table};
use serde::Serialize;

/// The settings of collector and service, and where each comes from.
#[derive(Debug, Clone, Serialize)]
pub struct ShownSettings {
    /// The file that is read, if there is one.
    pub file: Option<String>,
    /// All of them.
    pub settings: Vec<ShownSetting>,
}

/// A setting.
#[derive(Debug, Clone, Serialize)]
pub struct ShownSetting {
    /// The table that it stands in; empty above all tables.
    pub section: String,
    /// Its key.
    pub key: String,
    /// What holds; `None` if it is not set, or decided at the start.
    pub value: Option<String>,
    /// Where that comes from.
    pub source: SettingSource,
    /// The line of the file, if it comes from there.
    pub line: Option<usize>,
    /// What would hold by itself.
    pub default: Option<String>,
    /// How it is decided at the start where it is not set.
    pub decided: Option<String>,
    /// What it is.
    pub about: String,
}

/// Where a setting comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum SettingSource {
    /// It is not set.
    Default,
    /// The file.
    File,
    /// A variable of the environment.
    Environment,
    /// An option of the command.
    Option,
}

impl ShownSetting {
    fn from(&self) -> String {
        match self.source {
            SettingSource::Default => "default".to_owned(),
            SettingSource::File => format!("file, line {}", self.line.unwrap_or_default()),
            SettingSource::Environment => "environment".to_owned(),
            SettingSource::Option => "option".to_owned(),
        }
    }

    fn name(&self) -> String {
        if self.section.is_empty() { self.key.clone() } else { format!("{}.{}", self.section, self.key) }
    }

    fn shown(&self) -> String {
        let decided = || self.decided.as_ref().map(|words| format!("({words})"));
        self.value.clone().or_else(decided).unwrap_or_else(|| "(none)".to_owned())
    }
}

impl Answer for ShownSettings {
    fn document(&self) -> Document {
        let said = match &self.file {
            Some(file) => format!("Settings of {file}:"),
            None => "No file of settings is read; queuecast config --defaults prints one to begin with."
                .to_owned(),
        };
        Document::new().with_paragraph(said).with_table("settings", self.table())
    }

    fn table(&self) -> Table {
        Table::of(
            &self.settings,
            [
                (Column::text("setting"), |one| one.name().into()),
                (Column::text("value"), |one| one.shown().into()),
                (Column::text("from"), |one| one.from().into()),
            ],
        )
    }
}

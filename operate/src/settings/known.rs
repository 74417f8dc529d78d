//! What can be set, and how it is told.

use std::path::Path;

use clap::{Arg, Command};

/// Settings of both services.
pub const SHARED: &str = "";

/// What can be set: the tables of the file, and the options of the commands that are keys in them.
pub const SECTIONS: [(&str, &[&str]); 3] = [
    (SHARED, &["store"]),
    (
        "collect",
        &[
            "every",
            "history",
            "keep",
            "cluster",
            "slurm-timeout",
            "submission-tables",
            "admin-comment",
            "log-format",
        ],
    ),
    (
        "serve",
        &[
            "listen",
            "metrics-listen",
            "token-file",
            "proxy-user-header",
            "administrator",
            "anonymous",
            "cluster",
            "time-zone",
            "log-requests",
            "log-format",
            "answer-timeout",
            "client-timeout",
            "max-connections",
            "max-viewers",
            "max-computed",
            "max-campaigns",
        ],
    ),
];

/// Settings whose default is decided when a service begins, in words.
pub const DECIDED: [(&str, &str, &str); 6] = [
    (SHARED, "store", "queuecast/store.sqlite in $XDG_DATA_HOME or ~/.local/share"),
    ("collect", "cluster", "the ClusterName that scontrol tells"),
    ("serve", "cluster", "all clusters of the store"),
    ("serve", "time-zone", "that of this machine"),
    ("serve", "max-computed", "as many as there are cores"),
    ("serve", "max-campaigns", "half of max_computed"),
];

/// What is said of settings whose option says it for a log.
pub const ABOUT: [(&str, &str, &str); 2] = [
    ("serve", "cluster", "The only cluster of the store to serve"),
    ("serve", "time-zone", "The zone of dates, such as Europe/Stockholm"),
];

/// Settings that are paths; those of a file are relative to its folder.
const PATHS: [&str; 3] = ["store", "token-file", "submission-tables"];

/// A setting in a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GivenSetting {
    /// The table that it stands in.
    pub section: &'static str,
    /// The long name of the option.
    pub option: &'static str,
    /// Its values as they would be typed; none of a flag that is not set.
    pub values: Vec<String>,
    /// The line.
    pub line: usize,
}

/// The key of an option in a file.
pub fn key(option: &str) -> String {
    option.replace('-', "_")
}

/// The sections that hold for a command.
pub fn sections_of(command: &str) -> impl Iterator<Item = (&'static str, &'static [&'static str])> {
    SECTIONS.into_iter().filter(move |(section, _)| *section == SHARED || *section == command)
}

/// The option of a section: that of the command, or of a command that has all shared ones.
pub fn argument<'t>(tree: &'t Command, section: &str, option: &str) -> Option<&'t Arg> {
    let command = tree.find_subcommand(if section == SHARED { "serve" } else { section })?;
    command.get_arguments().find(|one| one.get_long() == Some(option))
}

/// What a setting is, in words.
pub fn about(section: &str, argument: &Arg) -> String {
    let option = argument.get_long().unwrap_or_default();
    let own = ABOUT.iter().find(|one| (one.0, one.1) == (section, option)).map(|one| one.2.to_owned());
    own.unwrap_or_else(|| argument.get_help().map(ToString::to_string).unwrap_or_default())
}

/// What holds for a setting that is not given, as it would be typed; `None` if that is decided when a service begins.
pub fn default_of(section: &str, argument: &Arg) -> Option<String> {
    let option = argument.get_long().unwrap_or_default();
    if decided(section, option).is_some() {
        return None;
    }
    if !argument.get_action().takes_values() {
        return Some("false".to_owned());
    }
    argument.get_default_values().first().map(|value| value.to_string_lossy().into_owned())
}

/// What holds for a setting whose default is decided when a service begins, in words.
pub fn decided(section: &str, option: &str) -> Option<&'static str> {
    DECIDED.iter().find(|one| (one.0, one.1) == (section, option)).map(|one| one.2)
}

/// A path of a file of settings, as it is meant there.
pub fn in_folder_of(file: &Path, option: &str, value: String) -> String {
    // A store may be named by a URL.
    match file.parent().filter(|_| PATHS.contains(&option) && !value.contains("://")) {
        Some(folder) => folder.join(value).display().to_string(),
        None => value,
    }
}

//! Settings of the services, `collect` and `serve`: a file of them counts as options that were not typed.

mod file;
mod known;

use std::env;
use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Command, Error};
use queuecast_process::failure::Failure;
use queuecast_process::invocation::Invocation;

pub use file::{SettingsFile, described};
pub use known::{
    ABOUT, DECIDED, GivenSetting, SECTIONS, SHARED, about, argument, decided, default_of, key, sections_of,
};

/// The file that is read where none is named with `--config`; empty for none.
pub const VARIABLE: &str = "QUEUECAST_CONFIG";

/// Where the store is told when it is neither typed nor in a file.
pub const STORE_VARIABLE: &str = "QUEUECAST_STORE";

/// The file of a machine.
pub const OF_MACHINE: &str = "/etc/queuecast/queuecast.toml";

/// Settings that are taken over while a service runs.
pub const CHANGEABLE: [(&str, &[&str]); 2] = [
    (
        "collect",
        &["every", "history", "keep", "slurm-timeout", "submission-tables", "admin-comment", "log-format"],
    ),
    (
        "serve",
        &[
            "token-file",
            "proxy-user-header",
            "administrator",
            "log-requests",
            "log-format",
            "answer-timeout",
            "client-timeout",
        ],
    ),
];

/// The file to read where none is named, if there is one.
pub fn usual_file(variable: impl Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
    if let Some(named) = variable(VARIABLE) {
        return (!named.is_empty()).then(|| named.into());
    }
    let told = |name: &str| variable(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let own = told("XDG_CONFIG_HOME").or_else(|| Some(told("HOME")?.join(".config")));
    let own = own.map(|folder| folder.join("queuecast/queuecast.toml"));
    own.into_iter().chain([OF_MACHINE.into()]).find(|file| file.exists())
}

/// The settings file that holds for a command line, if there is one. A service that is tried out reads none but one that is named.
pub fn file_for(invocation: &Invocation) -> Result<Option<SettingsFile>, Failure> {
    let named = invocation.given_value("config").map(PathBuf::from);
    let given = invocation.given().1;
    let is_tried = given.iter().any(|option| ["demo", "replay"].contains(&option.as_str()));
    let file = named.or_else(|| usual_file(|name| env::var_os(name)).filter(|_| !is_tried));
    file.map(|file| SettingsFile::open(&file, invocation.whole())).transpose()
}

/// The command line with what the settings file says, where it is one of a service and there is such a file.
pub fn applied(invocation: &Invocation) -> Result<Option<Invocation>, Failure> {
    let (name, typed) = invocation.given();
    if !CHANGEABLE.iter().any(|one| one.0 == name) {
        return Ok(None);
    }
    let Some(file) = file_for(invocation)? else { return Ok(None) };
    let options = options(&file, &name, &typed, invocation.whole());
    invocation.with_options(&name, options).map(Some).map_err(|error| refused(&error).about(&file.name))
}

/// The settings of a file that hold for a command, as they would be typed: those that are not typed, and exclude none that is.
fn options(file: &SettingsFile, name: &str, typed: &[String], tree: &Command) -> Vec<OsString> {
    let holding = file.given.iter().filter(|one| holds(one, name, typed, tree));
    let words = holding.flat_map(|one| {
        let argument = argument(tree, one.section, one.option);
        let takes_value = argument.is_some_and(|argument| argument.get_action().takes_values());
        let word = move |value: &String| match takes_value {
            true => format!("--{}={value}", one.option),
            false => format!("--{}", one.option),
        };
        one.values.iter().map(word)
    });
    words.map(OsString::from).collect()
}

/// Whether a setting of a file holds for a command of which these options were typed.
pub fn holds(one: &GivenSetting, name: &str, typed: &[String], tree: &Command) -> bool {
    let is_typed = |option: &str| typed.iter().any(|one| one == option);
    if (one.section != SHARED && one.section != name) || is_typed(one.option) {
        return false;
    }
    if one.option == "store" && env::var_os(STORE_VARIABLE).is_some_and(|value| !value.is_empty()) {
        return false;
    }
    let Some(command) = tree.find_subcommand(name) else { return false };
    let excluding = command.get_arguments().filter(|other| other.get_long().is_some_and(is_typed));
    let excluded = excluding.flat_map(|other| command.get_arg_conflicts_with(other));
    !excluded.into_iter().any(|other| other.get_long() == Some(one.option))
}

/// A command line that makes no sense with what a settings file says: all that is told of it, without how the command is used.
pub fn refused(error: &Error) -> Failure {
    let text = error.to_string();
    let is_use = |line: &&str| line.starts_with("Usage:") || line.starts_with("For more information");
    let lines = text.lines().take_while(|line| !is_use(line)).map(str::trim).filter(|line| !line.is_empty());
    let (tips, told): (Vec<&str>, Vec<&str>) = lines.partition(|line| line.starts_with("tip: "));
    let failure = Failure::usage(told.join(" ").trim_start_matches("error: "));
    tips.iter().fold(failure, |failure, tip| failure.hint(tip.trim_start_matches("tip: ")))
}

/// What is different after a settings file was read again.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct ReadAgain {
    /// Settings that are taken over.
    pub changed: Vec<String>,
    /// Settings that differ, and need a new start.
    pub fixed: Vec<String>,
}

/// Reads the settings again: the command line with them, and what is different from what was read last, and from what the service began with.
pub fn again(begun: &Invocation, last: &Invocation) -> Result<(Invocation, ReadAgain), Failure> {
    let typed = begun.as_typed().map_err(|error| refused(&error))?;
    let now = applied(&typed)?.unwrap_or(typed);
    let (mut found, name) = (ReadAgain::default(), begun.given().0);
    let changeable = CHANGEABLE.iter().find(|one| one.0 == name).map_or(&[][..], |one| one.1);
    for option in sections_of(&name).flat_map(|(_, options)| options) {
        let id = key(option);
        let is_changeable = changeable.contains(option);
        let before = if is_changeable { last } else { begun };
        if before.given_value(&id) != now.given_value(&id) {
            let list = if is_changeable { &mut found.changed } else { &mut found.fixed };
            list.push(id);
        }
    }
    Ok((now, found))
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Arg;

    #[test]
    fn all_that_is_wrong_is_told_and_not_its_first_line_alone() {
        let command = || {
            let other = Arg::new("other").long("other");
            let needs = Arg::new("needs").long("needs").requires("other");
            Command::new("serve").args([needs, other, Arg::new("not").long("not").conflicts_with("needs")])
        };
        let told = |words: &str| {
            let error = command().try_get_matches_from(words.split(' ')).unwrap_err();
            refused(&error).to_string()
        };
        let lacking = told("serve --needs x");
        assert_eq!(lacking, "the following required arguments were not provided: --other <other>");
        let conflict = told("serve --needs x --other y --not z");
        assert!(conflict.contains("--needs") && conflict.contains("--not"), "{conflict}");
        assert!(!conflict.contains("Usage") && !conflict.contains("--help"), "{conflict}");
    }
}

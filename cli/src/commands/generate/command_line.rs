//! The command line as a trace's header records it: the arguments that the trace depends on, and no others.

use std::ffi::{OsStr, OsString};
use std::path::Path;

use clap::parser::ValueSource;
use clap::{Arg, ArgMatches, Command, CommandFactory};

use crate::args::Args;
use crate::failure::Failure;

/// Arguments that only say where and how to show something.
const SHOWING: [&str; 5] = ["output", "format", "quiet", "ascii", "color"];

/// The command line in the order of the help, without arguments about output. Files are named without directories, so
/// that the same trace has the same header anywhere.
pub fn typed() -> Result<String, Failure> {
    recorded(std::env::args_os())
}

fn recorded(typed: impl IntoIterator<Item = OsString>) -> Result<String, Failure> {
    let mut command = Args::command();
    command.build();
    let matches = command
        .clone()
        .try_get_matches_from(typed)
        .map_err(|cause| Failure::unexpected("cannot read the arguments twice").because(cause))?;
    let mut words = vec![command.get_name().to_owned()];
    add(&command, &matches, &mut words);
    Ok(words.join(" "))
}

fn add(command: &Command, matches: &ArgMatches, words: &mut Vec<String>) {
    if let Some((name, below)) = matches.subcommand() {
        words.push(name.to_owned());
        if let Some(command) = command.find_subcommand(name) {
            add(command, below, words);
        }
        return;
    }
    // Files come first.
    let (files, options): (Vec<&Arg>, Vec<&Arg>) =
        command.get_arguments().partition(|one| one.is_positional());
    for argument in files.into_iter().chain(options) {
        let id = argument.get_id().as_str();
        let typed =
            matches.try_contains_id(id).is_ok() && matches.value_source(id) == Some(ValueSource::CommandLine);
        if !typed || SHOWING.contains(&id) {
            continue;
        }
        let option = argument.get_long().map(|long| format!("--{long}"));
        if !argument.get_action().takes_values() {
            words.extend(option);
            continue;
        }
        for values in matches.get_raw_occurrences(id).into_iter().flatten() {
            words.extend(option.clone());
            words.extend(values.map(|value| quoted(name_of(id, value))));
        }
    }
}

/// A file by its name; everything else as it is.
fn name_of<'a>(id: &str, value: &'a OsStr) -> &'a OsStr {
    if !["file", "like"].contains(&id) {
        return value;
    }
    Path::new(value).file_name().unwrap_or(value)
}

/// One word for a shell.
fn quoted(word: &OsStr) -> String {
    let word = word.to_string_lossy();
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./:,=+@%".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        return word.into_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn again(line: &[&str]) -> String {
        recorded(line.iter().map(OsString::from)).unwrap()
    }

    #[test]
    fn only_what_decides_the_trace_is_kept() {
        let line = [
            "queuecast",
            "generate",
            "shake",
            "../logs/my log.swf.gz",
            "--seed",
            "3",
            "--by=1h",
            "-o",
            "a.swf",
            "-q",
        ];
        assert_eq!(again(&line), "queuecast generate shake 'my log.swf.gz' --by 1h --seed 3");
    }

    #[test]
    fn repeated_options_stay_in_their_order() {
        let line = "queuecast generate lublin --mode 1h=10 --jobs 50 --mode 30m=5 --format json -o x";
        let line: Vec<&str> = line.split(' ').collect();
        let again = again(&line);
        assert_eq!(again, "queuecast generate lublin --jobs 50 --mode 1h=10 --mode 30m=5");
    }
}

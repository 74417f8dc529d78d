//! The command line of this process: the words that were typed and the tree of commands they are read by.

use std::ffi::{OsStr, OsString};
use std::path::Path;

use clap::parser::ValueSource;
use clap::{Arg, ArgMatches, Command, Error};

/// Options that decide where and how a result is written, not what it is.
const SHOWING: [&str; 7] = ["output", "force", "plot", "format", "quiet", "ascii", "color"];

/// The words of a command line, the program's name first, the tree of commands, and what is read by it.
#[derive(Debug, Clone)]
pub struct Invocation {
    tree: Command,
    /// The tree as it was before it was read by.
    whole: Command,
    words: Vec<OsString>,
    matches: ArgMatches,
}

impl Invocation {
    /// Of these words, read by this tree.
    pub fn read(mut tree: Command, words: impl IntoIterator<Item = OsString>) -> Result<Invocation, Error> {
        let words: Vec<OsString> = words.into_iter().collect();
        // Reading builds only what the words name; completion is made of the whole tree.
        let whole = tree.clone();
        let matches = tree.try_get_matches_from_mut(&words)?;
        Ok(Invocation { tree, whole, words, matches })
    }

    /// The same command line with options that were not typed, given to the command of this name.
    pub fn with_options(&self, name: &str, options: Vec<OsString>) -> Result<Invocation, Error> {
        let mut words = self.words.clone();
        let place = words.iter().skip(1).position(|word| word == name).map_or(words.len(), |place| place + 2);
        words.splice(place..place, options);
        Ok(Invocation { words: self.words.clone(), ..Invocation::read(self.whole.clone(), words)? })
    }

    /// The command line as it was typed.
    pub fn as_typed(&self) -> Result<Invocation, Error> {
        Invocation::read(self.whole.clone(), self.words.clone())
    }

    /// The value of a command's option as it was given, from wherever; `None` if there is none, or it has its default.
    pub fn given_value(&self, id: &str) -> Option<String> {
        let (_, matches) = self.matches.subcommand()?;
        if !is_typed(matches, id) {
            return None;
        }
        let raw = matches.get_raw(id).into_iter().flatten().map(|value| value.to_string_lossy());
        let values: Vec<_> = raw.collect();
        Some(if values.is_empty() { "true".to_owned() } else { values.join(",") })
    }

    /// The values that were read.
    pub fn matches(&self) -> &ArgMatches {
        &self.matches
    }

    /// The name of the command, and the long names of the options that were typed.
    pub fn given(&self) -> (String, Vec<String>) {
        let Some((name, matches)) = self.matches.subcommand() else { return Default::default() };
        let command = self.tree.find_subcommand(name);
        let options = command.into_iter().flat_map(Command::get_arguments);
        let typed = options.filter(|one| is_typed(matches, one.get_id().as_str()));
        (name.to_owned(), typed.filter_map(|one| one.get_long().map(str::to_owned)).collect())
    }

    /// All commands with their options.
    pub fn whole(&self) -> &Command {
        &self.whole
    }

    /// The command as it was started, for a hint that works when it is pasted: a path, or its name if that was found.
    pub fn program(&self) -> String {
        let typed = self.words.first().map(|word| word.to_string_lossy());
        let path = typed.filter(|word| word.contains(std::path::MAIN_SEPARATOR));
        path.map_or_else(|| self.tree.get_name().to_owned(), |path| quoted(&path))
    }

    /// The command as a generated trace's header records it: options in the order of the help, without those that
    /// decide only where and how the result is written. Files are reduced to their names, so that the same trace has
    /// the same header in every directory.
    pub fn recorded(&self) -> String {
        let mut words = vec![self.tree.get_name().to_owned()];
        add(&self.tree, &self.matches, &mut words);
        words.join(" ")
    }

    /// The same command line with `--resume`, ready for a shell.
    pub fn resumed(&self) -> String {
        let mut words: Vec<String> =
            self.words.iter().skip(1).map(|word| quoted(&word.to_string_lossy())).collect();
        if words.iter().all(|word| word != "--resume") {
            words.push("--resume".to_owned());
        }
        format!("{} {}", self.tree.get_name(), words.join(" "))
    }
}

fn add(command: &Command, matches: &ArgMatches, words: &mut Vec<String>) {
    if let Some((name, below)) = matches.subcommand() {
        words.push(name.to_owned());
        if let Some(command) = command.find_subcommand(name) {
            add(command, below, words);
        }
        return;
    }
    // Files first, then options.
    let (files, options): (Vec<&Arg>, Vec<&Arg>) =
        command.get_arguments().partition(|one| one.is_positional());
    for argument in files.into_iter().chain(options) {
        let id = argument.get_id().as_str();
        if !is_typed(matches, id) || SHOWING.contains(&id) {
            continue;
        }
        let option = argument.get_long().map(|long| format!("--{long}"));
        if !argument.get_action().takes_values() {
            words.extend(option);
            continue;
        }
        for values in matches.get_raw_occurrences(id).into_iter().flatten() {
            words.extend(option.clone());
            words.extend(values.map(|value| quoted(&name_of(id, value).to_string_lossy())));
        }
    }
}

/// Whether an option was typed, and does not have its default.
fn is_typed(matches: &ArgMatches, id: &str) -> bool {
    matches.try_contains_id(id).is_ok() && matches.value_source(id) == Some(ValueSource::CommandLine)
}

/// A file's name without its directory; any other value unchanged.
fn name_of<'a>(id: &str, value: &'a OsStr) -> &'a OsStr {
    if !["file", "like"].contains(&id) {
        return value;
    }
    Path::new(value).file_name().unwrap_or(value)
}

/// The word as a shell reads it, quoted only where necessary.
pub fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./,:=@+%".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', "'\\''"))
}

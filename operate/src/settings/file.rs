//! The file of settings: TOML whose keys are options.

use std::ffi::OsString;
use std::io::Read;
use std::ops::Range;
use std::path::Path;

use clap::error::ErrorKind;
use clap::{ArgAction, Command};
use queuecast_process::failure::Failure;
use queuecast_process::input::Input;
use queuecast_process::nearest;
use queuecast_report::wrap;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::known::{GivenSetting, SECTIONS, SHARED, about, argument, decided, default_of, in_folder_of, key};

/// A file of settings, checked.
#[derive(Debug, Clone)]
pub struct SettingsFile {
    /// What to call it.
    pub name: String,
    /// What it sets, from its first line on.
    pub given: Vec<GivenSetting>,
}

/// A longer file is none.
const LONGEST: u64 = 1 << 20;

/// What a refusal is about: the file, and where in it.
struct SettingsText<'a> {
    name: &'a str,
    text: &'a str,
}

impl SettingsText<'_> {
    fn line(&self, span: &Range<usize>) -> usize {
        1 + self.text.bytes().take(span.start).filter(|&byte| byte == b'\n').count()
    }

    fn refused(&self, span: &Range<usize>, what: &str) -> Failure {
        Failure::input(format!("{}, line {}: {what}", self.name, self.line(span)))
    }
}

impl SettingsFile {
    /// Reads and checks a file.
    pub fn open(path: &Path, tree: &Command) -> Result<SettingsFile, Failure> {
        if !path.exists() {
            return Err(Failure::input(format!("{}: there is no such file", path.display()))
                .hint("queuecast config --defaults prints one"));
        }
        let mut text = String::new();
        // An empty file sets nothing.
        if !std::fs::metadata(path).is_ok_and(|about| about.is_file() && about.len() == 0) {
            let input = Input::of_file(path)?;
            let read = input.take(LONGEST).read_to_string(&mut text);
            read.map_err(|cause| Failure::input(format!("cannot read {}", path.display())).because(cause))?;
        }
        SettingsFile::parse(path, &text, tree)
    }

    /// Reads and checks the text of a file.
    pub fn parse(path: &Path, text: &str, tree: &Command) -> Result<SettingsFile, Failure> {
        let name = path.display().to_string();
        let page = SettingsText { name: &name, text };
        let table = DeTable::parse(text).map_err(|error| {
            let span = error.span().unwrap_or_default();
            page.refused(&span, error.message().trim())
                .hint("queuecast config --defaults prints a file that is right")
        })?;
        let mut given = Vec::new();
        for (key, value) in in_order(table.get_ref()) {
            let section = SECTIONS.iter().find(|one| one.0 == key.get_ref().as_ref() && one.0 != SHARED);
            match (section, value.get_ref()) {
                (Some((section, _)), DeValue::Table(table)) => {
                    for (key, value) in in_order(table) {
                        given.push(page.setting(section, key.get_ref(), (&key.span(), value), path, tree)?);
                    }
                }
                (Some((section, _)), _) => {
                    return Err(page
                        .refused(&key.span(), &format!("{section} is a table"))
                        .hint(format!("write [{section}] on a line of its own, and the settings below it")));
                }
                (None, DeValue::Table(_)) => return Err(page.unknown_table(key)),
                (None, _) => {
                    given.push(page.setting(SHARED, key.get_ref(), (&key.span(), value), path, tree)?);
                }
            }
        }
        Ok(SettingsFile { name, given })
    }
}

/// What is in a table, from its first line on.
fn in_order<'t, 'i>(
    table: &'t DeTable<'i>,
) -> Vec<(&'t Spanned<std::borrow::Cow<'i, str>>, &'t Spanned<DeValue<'i>>)> {
    let mut all: Vec<_> = table.iter().collect();
    all.sort_by_key(|one| one.0.span().start);
    all
}

impl SettingsText<'_> {
    fn unknown_table(&self, key: &Spanned<std::borrow::Cow<'_, str>>) -> Failure {
        let names = SECTIONS.iter().map(|one| one.0).filter(|name| *name != SHARED);
        let likely = nearest(key.get_ref(), names.clone().map(str::to_owned));
        let refused = self.refused(&key.span(), &format!("there is no table [{}]", key.get_ref()));
        match likely.first() {
            Some(name) => refused.hint(format!("did you mean [{name}]?")),
            None => refused.hint(format!("there are [{}]", names.collect::<Vec<_>>().join("], ["))),
        }
    }

    /// A key that is not of its table.
    fn unknown(&self, section: &str, given: &str, span: &Range<usize>) -> Failure {
        let place = if section == SHARED { "above all tables".to_owned() } else { format!("in [{section}]") };
        let refused = self.refused(span, &format!("there is no setting {given} {place}"));
        let of = |wanted: &str| {
            let all = SECTIONS.iter().find(|one| one.0 == wanted).map_or(&[][..], |one| one.1);
            all.iter().map(|option| key(option)).collect::<Vec<_>>()
        };
        if let Some(name) = nearest(given, of(section)).into_iter().next() {
            return refused.hint(format!("did you mean {name}?"));
        }
        let elsewhere = SECTIONS.iter().find(|one| of(one.0).iter().any(|name| name == given));
        match elsewhere {
            Some((SHARED, _)) => refused.hint(format!("{given} stands above all tables")),
            Some((name, _)) => refused.hint(format!("it belongs into [{name}]")),
            None => refused.hint(format!("there are {}", of(section).join(", "))),
        }
    }

    fn setting(
        &self,
        section: &'static str,
        given: &str,
        (span, value): (&Range<usize>, &Spanned<DeValue<'_>>),
        path: &Path,
        tree: &Command,
    ) -> Result<GivenSetting, Failure> {
        let options = SECTIONS.iter().find(|one| one.0 == section).map_or(&[][..], |one| one.1);
        let found = options.iter().find(|option| key(option) == given);
        let found = found.and_then(|option| Some((*option, argument(tree, section, option)?)));
        let Some((option, argument)) = found else { return Err(self.unknown(section, given, span)) };
        let wrong = |why: &str| {
            let shown = self.text.get(value.span()).unwrap_or_default();
            self.refused(&value.span(), &format!("{given} = {shown}: {why}"))
        };
        let takes_value = argument.get_action().takes_values();
        let is_list = matches!(argument.get_action(), ArgAction::Append);
        let text = |value: &DeValue<'_>| match value {
            DeValue::String(text) => Some(in_folder_of(path, option, text.clone().into_owned())),
            DeValue::Integer(number) => Some(number.as_str().to_owned()),
            DeValue::Float(number) => Some(number.as_str().to_owned()),
            _ => None,
        };
        let values: Vec<String> = match (value.get_ref(), takes_value) {
            (DeValue::Boolean(is_set), false) => is_set.then(|| "true".to_owned()).into_iter().collect(),
            (_, false) => return Err(wrong("give true or false")),
            (DeValue::Array(all), true) if is_list => {
                let all: Option<Vec<String>> = all.iter().map(|one| text(one.get_ref())).collect();
                all.ok_or_else(|| wrong("give texts in quotes"))?
            }
            (one, true) => vec![text(one).ok_or_else(|| wrong("give a text in quotes, or a number"))?],
        };
        for value in values.iter().filter(|_| takes_value) {
            let command = if section == SHARED { "serve" } else { section };
            check(tree, command, option, value).map_err(|why| wrong(&why))?;
        }
        Ok(GivenSetting { section, option, values, line: self.line(span) })
    }
}

/// Whether an option takes a value; why not.
fn check(tree: &Command, command: &str, option: &str, value: &str) -> Result<(), String> {
    let Some(command) = tree.find_subcommand(command) else { return Ok(()) };
    let words = [command.get_name().into(), OsString::from(format!("--{option}={value}"))];
    let Err(error) = command.clone().try_get_matches_from(words) else { return Ok(()) };
    match error.kind() {
        ErrorKind::ValueValidation => {
            let cause = std::error::Error::source(&error).map(ToString::to_string);
            Err(cause.unwrap_or_else(|| "it is not such a value".to_owned()))
        }
        ErrorKind::InvalidValue => {
            let argument = command.get_arguments().find(|one| one.get_long() == Some(option));
            let known = argument.into_iter().flat_map(clap::Arg::get_possible_values);
            let known: Vec<String> = known.map(|one| one.get_name().to_owned()).collect();
            Err(format!("give one of {}", known.join(", ")))
        }
        // Options that belong together are checked with all others.
        _ => Ok(()),
    }
}

/// How wide the comments of a file are.
const WIDTH: usize = 98;

/// A file of settings that sets every default, with what each setting is.
pub fn described(tree: &Command) -> String {
    let mut text = "\
# Settings of queuecast collect and queuecast serve. Every value here is the default; a line that begins with # has
# none. Options of the command win over this file; SIGHUP makes a service read it again.
"
    .to_owned();
    for (section, options) in SECTIONS {
        if section != SHARED {
            text += &format!("\n[{section}]\n");
        }
        for option in options {
            let Some(argument) = argument(tree, section, option) else { continue };
            text.push('\n');
            let mut said = about(section, argument);
            if let Some(words) = decided(section, option).filter(|_| !said.contains("by default")) {
                said += &format!("; by default {words}");
            }
            wrap(&said, WIDTH).iter().for_each(|line| text += &format!("# {line}\n"));
            let name = argument.get_value_names().and_then(<[_]>::first).map_or("", |name| name.as_str());
            let is_bare = |value: &str| value == "false" || value.parse::<u64>().is_ok();
            text += &match default_of(section, argument) {
                Some(value) if is_bare(&value) => format!("{} = {value}\n", key(option)),
                Some(value) => format!("{} = {value:?}\n", key(option)),
                None if matches!(argument.get_action(), ArgAction::Append) => {
                    format!("# {} = [{name:?}]\n", key(option))
                }
                None => format!("# {} = {name:?}\n", key(option)),
            };
        }
    }
    text
}

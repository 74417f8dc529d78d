//! `queuecast config`: the settings that hold for the services, and where each comes from.

use std::env;
use std::ffi::OsString;
use std::path::PathBuf;

use queuecast_live::{SettingSource, ShownSetting, ShownSettings, StoreLocation};
use queuecast_operate::settings::{
    self, GivenSetting, SECTIONS, SHARED, STORE_VARIABLE, SettingsFile, argument, key,
};
use queuecast_process::failure::Failure;
use queuecast_process::invocation::Invocation;
use queuecast_process::printer::Printer;

use super::store_option;

const EXAMPLES: &str = "\
Examples:
  What holds for collect and serve, and where each setting comes from:
    queuecast config

  The same for a command line:
    queuecast config serve --listen 127.0.0.1:9000

  A file with every default, to begin with:
    queuecast config --defaults > queuecast.toml";

/// Print the settings of collect and serve, and where each comes from
///
/// A setting comes from the command line, else from the environment, else from the file of settings, else it has its default. The file is what --config names, else QUEUECAST_CONFIG, else queuecast/queuecast.toml in $XDG_CONFIG_HOME or ~/.config, else /etc/queuecast/queuecast.toml.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Arguments {
    /// The file of settings
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Print a file that sets every default, with what each setting is
    #[arg(long, conflicts_with_all = ["config", "command"])]
    defaults: bool,
    /// A command line of collect or serve that the settings are to hold for
    #[arg(value_name = "COMMAND", trailing_var_arg = true, allow_hyphen_values = true)]
    command: Vec<OsString>,
}

/// Prints the settings.
pub fn run(arguments: &Arguments, invocation: &Invocation, printer: &Printer) -> Result<(), Failure> {
    let tree = invocation.whole();
    if arguments.defaults {
        return printer.write(settings::described(tree).as_bytes());
    }
    let typed = match arguments.command.first() {
        None => None,
        Some(name) if ["collect", "serve"].iter().any(|known| name == known) => {
            let words = std::iter::once("queuecast".into()).chain(arguments.command.iter().cloned());
            let read = Invocation::read(tree.clone(), words);
            Some(read.map_err(|error| settings::refused(&error))?)
        }
        Some(other) => {
            let what = format!("{} has no settings", other.to_string_lossy());
            return Err(
                Failure::usage(what).hint("collect and serve have: queuecast config serve --listen …")
            );
        }
    };
    let of_command = typed.as_ref().filter(|typed| typed.given_value("config").is_some());
    let file = settings::file_for(of_command.unwrap_or(invocation))?;
    printer.answer(&shown(invocation, typed.as_ref(), file.as_ref()))
}

fn shown(invocation: &Invocation, typed: Option<&Invocation>, file: Option<&SettingsFile>) -> ShownSettings {
    let tree = invocation.whole();
    let named = typed.map(Invocation::given);
    let mut all = Vec::new();
    for (section, options) in SECTIONS {
        if named.as_ref().is_some_and(|(name, _)| section != SHARED && section != name) {
            continue;
        }
        let (name, given) = named
            .clone()
            .unwrap_or_else(|| (if section == SHARED { "serve" } else { section }.to_owned(), Vec::new()));
        for option in options {
            let Some(argument) = argument(tree, section, option) else { continue };
            let of_section = |one: &&GivenSetting| one.section == section && one.option == *option;
            let set = file.into_iter().flat_map(|file| &file.given);
            let set = set.filter(of_section).find(|one| settings::holds(one, &name, &given, tree));
            let default = settings::default_of(section, argument);
            let of_variable =
                env::var(STORE_VARIABLE).ok().filter(|value| *option == "store" && !value.is_empty());
            let (value, source) =
                match (typed.and_then(|one| one.given_value(&key(option))), of_variable, set) {
                    (Some(value), ..) => (Some(value), SettingSource::Option),
                    (None, Some(value), _) => (Some(value), SettingSource::Environment),
                    (None, None, Some(set)) => {
                        let value = set.values.join(",");
                        let value = if value.is_empty() { "false".to_owned() } else { value };
                        (Some(value), SettingSource::File)
                    }
                    (None, None, None) if *option == "store" => {
                        let usual = store_option::Arguments::default().location().ok().flatten();
                        (usual.map(|usual| usual.to_string()), SettingSource::Default)
                    }
                    (None, None, None) => (default.clone(), SettingSource::Default),
                };
            // Without its password, if it has one.
            let value = match (*option == "store", value) {
                (true, Some(name)) => StoreLocation::named(name.as_ref()).ok().map(|one| one.to_string()),
                (_, value) => value,
            };
            all.push(ShownSetting {
                section: section.to_owned(),
                key: key(option),
                value,
                source,
                line: set.filter(|_| source == SettingSource::File).map(|set| set.line),
                default,
                decided: settings::decided(section, option).map(str::to_owned),
                about: settings::about(section, argument),
            });
        }
    }
    ShownSettings { file: file.map(|file| file.name.clone()), settings: all }
}

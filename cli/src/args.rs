//! The command line as a value. The arguments of each command are defined with the command.

use std::ffi::OsString;

use clap::{CommandFactory, Parser};
use queuecast_report::wrap;
use queuecast_trace::{FORMATS, LogFormat};

use crate::commands::Command;
use crate::showing::Showing;

const EXIT_CODES: &str = "\
Exit codes:
  0  done (also when the reader of a pipe went away)
  1  something unexpected, such as a full disk
  2  the arguments do not make sense
  3  the input cannot be used
  4  a reproduced table is out of tolerance
  130  interrupted with Ctrl-C

Standard output has the results and nothing else, so they can be piped:
  queuecast COMMAND --format json | jq";

/// Commands by who needs them.
const GROUPS: [(&str, &[&str]); 4] = [
    ("For users", &["when", "pending", "watch", "notify", "advise", "allocate", "metaschedule"]),
    ("For administrators", &["collect", "serve", "doctor", "config", "trace", "site", "simulate", "compare"]),
    ("For researchers", &["score", "generate", "search", "mold", "reproduce"]),
    ("Also", &["demo", "completions", "help"]),
];

/// What to try first; `FORMATS` stands for the formats of job logs.
const START: &str = "\
Where to start:
  queuecast demo              policies compared on made-up jobs; needs no file
  queuecast trace info LOG    what is in a job log (FORMATS)
  queuecast compare LOG       what other policies would have done with it
  queuecast when LOG -n 64 -t 2h                when a job would start
  queuecast advise LOG -n 64 -t 2h              what to ask for
  queuecast allocate LOG --runs 8=4h,16=2h10m   how many processors to ask for
  queuecast metaschedule SITES.toml -n 64       at which of several sites first";

/// The words that ask for help.
const HELP: [&str; 3] = ["-h", "--help", "help"];

/// The tree of commands that these words are read by, the program's name first. The help that lists all commands is made only where these
/// words may show it: it takes as long as the tree itself.
pub fn tree(words: &[OsString]) -> clap::Command {
    let tree = Args::command();
    let words = || words.iter().skip(1).filter_map(|word| word.to_str());
    let is_command = |word: &str| tree.find_subcommand(word).is_some();
    match words().find(|word| HELP.contains(word) || is_command(word)) {
        Some(word) if is_command(word) => tree,
        _ => tree.help_template(help()),
    }
}

/// The help: where to start, the commands by who needs them, and the options.
fn help() -> String {
    let mut commands = Args::command();
    commands.build();
    let mut listed = String::new();
    for (who, names) in GROUPS {
        listed += &format!("{who}:\n");
        for name in names {
            let Some(command) = commands.find_subcommand(name) else { continue };
            let about = command.get_about().map(ToString::to_string).unwrap_or_default();
            let mut lines = wrap(&about, 64).into_iter();
            listed += &format!("  {name:<14}{}\n", lines.next().unwrap_or_default());
            lines.for_each(|line| listed += &format!("{:16}{line}\n", ""));
        }
        listed.push('\n');
    }
    let start = START.replace("FORMATS", &FORMATS.map(LogFormat::brief).join(", or "));
    format!(
        "{{about-with-newline}}\n{{usage-heading}} {{usage}}\n\n{start}\n\n{listed}Options:\n{{options}}{{after-help}}"
    )
}

/// How long will my job run, when will it start, and what would the scheduler do if it knew.
#[derive(Debug, Parser)]
#[command(
    name = "queuecast",
    bin_name = "queuecast",
    version,
    after_help = "Run queuecast COMMAND --help for its options and examples.",
    after_long_help = EXIT_CODES,
    arg_required_else_help = true,
    propagate_version = false,
    max_term_width = 80,
)]
pub struct Args {
    #[command(flatten)]
    pub showing: Showing,
    #[command(subcommand)]
    pub command: Command,
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use clap::Command as Tree;

    use super::*;

    /// What the page must name of a command and those below it: each command and each long option.
    fn names(command: &Tree, above: &str, found: &mut Vec<String>) {
        for argument in command.get_arguments() {
            found.extend(argument.get_long().map(|long| format!("`--{long}")));
            found.extend(argument.get_short().map(|short| format!("`-{short}`")));
        }
        for below in command.get_subcommands().filter(|below| below.get_name() != "help") {
            let name = format!("{above}{}", below.get_name());
            // A group of commands has no section of its own.
            if below.has_subcommands() {
                names(below, &format!("{name} "), found);
            } else {
                found.push(format!("\n## {name}\n"));
                names(below, "", found);
            }
        }
    }

    fn missing(page: &str) -> Vec<String> {
        let mut found = Vec::new();
        let mut command = Args::command();
        command.build();
        names(&command, "", &mut found);
        assert!(found.len() > 40, "the tree has been walked: {found:?}");
        found.retain(|name| !page.contains(name.as_str()));
        found
    }

    #[test]
    fn the_reference_page_names_every_command_and_option() {
        let page = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/reference/cli.md"))
            .unwrap();
        assert_eq!(missing(&page), [""; 0]);
        // Control: without one option the page would be found wanting.
        let wanting = page.replace("`--queue-series", "`--queue");
        assert_eq!(missing(&wanting), ["`--queue-series"]);
    }

    #[test]
    fn the_reference_page_has_every_default_and_exit_code() {
        let page = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/reference/cli.md"))
            .unwrap();
        let mut command = Args::command();
        command.build();
        for below in command.get_subcommands() {
            for argument in below.get_arguments().filter(|argument| !argument.get_default_values().is_empty())
            {
                if !argument.get_action().takes_values() {
                    continue;
                }
                let default = argument.get_default_values()[0].to_string_lossy();
                assert!(page.contains(&format!("`{default}`")), "{} {argument}: {default}", below.get_name());
            }
        }
        for line in
            EXIT_CODES.lines().filter(|line| line.starts_with("  ") && line.as_bytes()[2].is_ascii_digit())
        {
            let code = line.split_whitespace().next().unwrap_or_default();
            assert!(page.contains(&format!("\n| {code} | ")), "{line}");
        }
    }

    #[test]
    fn the_help_says_where_to_start_and_has_every_command_in_one_group() {
        let mut command = tree(&[]);
        command.build();
        let listed: Vec<&str> = GROUPS.iter().flat_map(|(_, names)| *names).copied().collect();
        for below in command.get_subcommands() {
            let name = below.get_name();
            assert_eq!(listed.iter().filter(|other| **other == name).count(), 1, "{name}");
        }
        let help = command.render_help().to_string();
        for part in
            ["Where to start:\n  queuecast demo", "For users:\n  when", "For administrators:", "--format"]
        {
            assert!(help.contains(part), "{part} is not in\n{help}");
        }
        assert!(help.lines().all(|line| line.chars().count() <= 80), "{help}");
    }

    /// Every option of a command and those below it, with the command's name.
    fn options<'a>(command: &'a Tree, found: &mut Vec<(String, &'a clap::Arg)>) {
        let name = command.get_bin_name().unwrap_or_default();
        found.extend(command.get_arguments().map(|argument| (name.to_owned(), argument)));
        command.get_subcommands().for_each(|below| options(below, found));
    }

    #[test]
    fn an_option_takes_the_same_kind_of_value_wherever_it_is() {
        let mut command = Args::command();
        command.build();
        let mut found = Vec::new();
        options(&command, &mut found);
        let mut kinds: BTreeMap<&str, BTreeSet<String>> = BTreeMap::new();
        for (_, argument) in &found {
            let value = argument.get_value_names().and_then(<[_]>::first);
            if let (Some(long), Some(value)) = (argument.get_long(), value) {
                // Comparisons take several; some take a word too; files are called by what is in them.
                let value = value.trim_end_matches(",...").split('|').next().unwrap_or_default();
                let value = if value.starts_with("OUT.") { "FILE" } else { value };
                kinds.entry(long).or_default().insert(value.to_owned());
            }
        }
        let several = kinds.iter().filter(|(_, values)| values.len() > 1).map(|(long, _)| *long);
        // search replays the log that it reads, as of submissions or starts; watch names the log to play.
        assert_eq!(several.collect::<Vec<_>>(), ["replay"], "{kinds:?}");
        assert!(kinds.len() > 60 && kinds["policy"].contains("POLICY"), "{kinds:?}");
        for former in ["by", "factor", "save"] {
            assert!(!kinds.contains_key(former), "{former}");
        }
    }

    #[test]
    fn values_are_in_kebab_case() {
        let mut command = Args::command();
        command.build();
        let mut found = Vec::new();
        options(&command, &mut found);
        let mut seen = 0;
        for (command, argument) in found {
            for value in argument.get_possible_values() {
                seen += 1;
                let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
                // What may follow a name is in brackets or after a colon.
                let name = value.get_name().split([':', '[']).next().unwrap_or_default();
                assert!(name.chars().all(plain), "{command} {argument}: {}", value.get_name());
            }
        }
        assert!(seen > 50, "{seen} values");
    }

    #[test]
    fn the_tree_is_sound() {
        Args::command().debug_assert();
    }
}

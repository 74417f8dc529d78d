//! Settings of the services and the options that they are.

use std::ffi::OsString;
use std::path::Path;

use clap::{Arg, CommandFactory};
use queuecast_operate::settings::*;
use queuecast_process::invocation::Invocation;

use crate::args::Args;

/// Options of the services that are no settings: they say what is done once, or how a log is read that is tried out.
const TYPED_ONLY: [&str; 14] = [
    "config",
    "once",
    "commands",
    "print-lua",
    "compute",
    "demo",
    "replay",
    "speed",
    "at",
    "input-format",
    "strict",
    "columns",
    "procs",
    "clean",
];

#[test]
fn every_option_of_a_service_is_a_setting_or_is_not_on_purpose() {
    let tree = Args::command();
    for name in ["collect", "serve"] {
        let command = tree.find_subcommand(name).unwrap();
        let settings: Vec<&str> = sections_of(name).flat_map(|one| one.1).copied().collect();
        for option in command.get_arguments().filter_map(Arg::get_long) {
            let is_typed_only = TYPED_ONLY.contains(&option);
            assert!(settings.contains(&option) != is_typed_only, "{name} --{option}");
        }
    }
    for (section, options) in SECTIONS {
        for option in options {
            let argument = argument(&tree, section, option).unwrap();
            assert_eq!(argument.get_id().as_str(), key(option), "{section}");
        }
    }
    for (section, option, _) in DECIDED.into_iter().chain(ABOUT) {
        assert!(SECTIONS.iter().any(|one| one.0 == section && one.1.contains(&option)), "{option}");
    }
    for (section, options) in CHANGEABLE {
        let all = SECTIONS.iter().find(|one| one.0 == section).unwrap().1;
        assert!(options.iter().all(|option| all.contains(option)), "{section}");
    }
}

fn invocation(line: &str) -> Invocation {
    let words = line.split(' ').map(OsString::from);
    Invocation::read(Args::command(), words).unwrap()
}

fn with(file: &Path, line: &str) -> Invocation {
    let line = format!("queuecast {line} --config {}", file.display());
    applied(&invocation(&line)).unwrap().unwrap()
}

#[test]
fn what_is_typed_wins_over_the_file_and_what_excludes_it_leaves_it_out() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("q.toml");
    std::fs::write(
        &file,
        "store = \"s.sqlite\"\n[serve]\nlisten = \"127.0.0.1:81\"\nlog_requests = true\nanonymous = false\n\
         [collect]\nevery = \"30s\"\n",
    )
    .unwrap();
    let value = |line: &str, id: &str| with(&file, line).given_value(id);
    assert_eq!(value("serve", "listen").as_deref(), Some("127.0.0.1:81"));
    assert_eq!(value("serve --listen 127.0.0.1:82", "listen").as_deref(), Some("127.0.0.1:82"));
    assert_eq!(
        (value("serve", "log_requests").as_deref(), value("serve", "anonymous")),
        (Some("true"), None)
    );
    let store = folder.path().join("s.sqlite").display().to_string();
    assert_eq!(value("serve", "store"), Some(store));
    // Made-up jobs have no store.
    assert_eq!(value("serve --demo", "store"), None);
    assert_eq!(value("collect", "every").as_deref(), Some("30s"));
}

#[test]
fn what_can_be_changed_while_running_is_told_apart() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("q.toml");
    std::fs::write(&file, "[serve]\nlisten = \"127.0.0.1:81\"\n").unwrap();
    let before = with(&file, "serve");
    std::fs::write(&file, "[serve]\nlisten = \"127.0.0.1:82\"\nanswer_timeout = \"5s\"\n").unwrap();
    let (now, found) = again(&before, &before).unwrap();
    assert_eq!(found, ReadAgain { changed: vec!["answer_timeout".into()], fixed: vec!["listen".into()] });
    let (_, found) = again(&before, &now).unwrap();
    assert_eq!(found, ReadAgain { changed: vec![], fixed: vec!["listen".into()] });
    std::fs::write(&file, "[serve]\nlisten = 5\n").unwrap();
    assert!(again(&before, &now).unwrap_err().to_string().contains("line 2"));
}

#[test]
fn the_file_of_the_user_comes_before_that_of_the_machine() {
    let folder = tempfile::tempdir().unwrap();
    let own = folder.path().join("queuecast/queuecast.toml");
    std::fs::create_dir_all(own.parent().unwrap()).unwrap();
    std::fs::write(&own, "").unwrap();
    let home = |name: &str| (name == "XDG_CONFIG_HOME").then(|| folder.path().into());
    assert_eq!(usual_file(home), Some(own));
    assert_eq!(usual_file(|name| (name == VARIABLE).then(OsString::new)), None);
    assert_eq!(usual_file(|name| (name == VARIABLE).then(|| "x".into())), Some("x".into()));
}

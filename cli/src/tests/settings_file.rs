//! The file of settings, read by the options of the services.

use std::path::Path;

use clap::CommandFactory;
use queuecast_operate::settings::*;
use queuecast_process::failure::Failure;

use crate::args::Args;

fn read(text: &str) -> Result<SettingsFile, Failure> {
    SettingsFile::parse(Path::new("/etc/q.toml"), text, &Args::command())
}

#[test]
fn the_defaults_are_a_file_that_sets_them() {
    let tree = Args::command();
    let text = described(&tree);
    let file = read(&text).unwrap();
    let count = |section: &str| file.given.iter().filter(|one| one.section == section).count();
    assert_eq!((count("collect"), count("serve")), (6, 8), "{text}");
    for one in &file.given {
        let argument = argument(&tree, one.section, one.option).unwrap();
        let default = default_of(one.section, argument).filter(|value| value != "false");
        assert_eq!(one.values.first(), default.as_ref(), "{}", one.option);
    }
    for (_, options) in SECTIONS {
        assert!(options.iter().all(|option| text.contains(&format!("{} = ", key(option)))));
    }
}

#[test]
fn what_is_wrong_is_told_with_its_line_and_what_helps() {
    for (text, said, hint) in [
        ("[serve]\n\nlisen = \"x\"", "line 3: there is no setting lisen in [serve]", "did you mean listen?"),
        ("every = \"1m\"", "line 1: there is no setting every above", "it belongs into [collect]"),
        ("[collect]\nstore = \"x\"", "line 2: there is no setting store in [collect]", "above all tables"),
        ("[serv]\nlisten = 1", "line 1: there is no table [serv]", "did you mean [serve]?"),
        ("serve = 5", "line 1: serve is a table", "[serve]"),
        ("[serve]\nlisten = \"here\"", "line 2: listen = \"here\": give an address and a port", ""),
        ("[serve]\nlisten = true", "line 2: listen = true: give a text", ""),
        ("[serve]\nanonymous = \"yes\"", "line 2: anonymous = \"yes\": give true or false", ""),
        ("[collect]\nevery = \"-1\"", "line 2: every = \"-1\": ", ""),
        ("[serve]\nlog_format = \"xml\"", "line 2: log_format = \"xml\": give one of logfmt, json", ""),
        ("[serve]\nlisten = \"a\"\nlisten = \"b\"", "line 3: duplicate key", "--defaults"),
        ("[serve\n", "line 1: ", "--defaults"),
    ] {
        let refused = read(text).unwrap_err();
        let (what, hints) = (refused.to_string(), refused.hints().join(" "));
        assert!(what.starts_with("/etc/q.toml, ") && what.contains(said), "{text:?}: {what}");
        assert!(hints.contains(hint), "{text:?}: {hints}");
    }
    assert!(read("").unwrap().given.is_empty());
}

#[test]
fn paths_are_relative_to_the_file() {
    let value = |text: &str| read(text).unwrap().given[0].values[0].clone();
    assert_eq!(value("store = \"s.sqlite\""), "/etc/s.sqlite");
    assert_eq!(value("store = \"/var/s.sqlite\""), "/var/s.sqlite");
    assert_eq!(value("[serve]\nmax_viewers = 5"), "5");
    let all = read("[serve]\nadministrator = [\"ann\", \"bob\"]").unwrap();
    assert_eq!(all.given[0].values, ["ann", "bob"]);
    assert!(read("[serve]\nlisten = [\"127.0.0.1:1\"]").is_err());
}

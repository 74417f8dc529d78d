//! Help of every command fits a terminal of 80 columns.

use crate::{queuecast, stdout};

/// What a terminal shows in one line.
const WIDEST: usize = 80;

fn help(path: &[String], option: &str) -> String {
    stdout(queuecast().args(path).arg(option))
}

/// The commands that a help text lists.
fn listed(help: &str) -> Vec<String> {
    // The first help has its commands in groups.
    let is_group = |line: &str| line == "Commands:" || line == "Also:" || line.starts_with("For ");
    let mut within = false;
    let section = help.lines().filter(|line| {
        within = is_group(line) || (within && !line.is_empty());
        within && !is_group(line)
    });
    let names = section.filter(|line| line.starts_with("  ") && !line.starts_with("   "));
    let names = names.filter_map(|line| line.split_whitespace().next());
    names.filter(|name| *name != "help").map(str::to_owned).collect()
}

/// The words of every command, of groups of commands too.
fn paths() -> Vec<Vec<String>> {
    let (mut paths, mut next) = (Vec::new(), vec![Vec::new()]);
    while let Some(path) = next.pop() {
        let below = listed(&help(&path, "--help"));
        next.extend(below.into_iter().map(|name| [path.clone(), vec![name]].concat()));
        paths.push(path);
    }
    paths
}

fn too_wide(text: &str) -> Vec<&str> {
    text.lines().filter(|line| line.chars().count() > WIDEST).collect()
}

#[test]
fn the_reference_has_every_command_and_every_form() {
    let page = std::fs::read_to_string(crate::docs::root().join("docs/reference/cli.md")).unwrap();
    let paths = paths();
    // A group of commands has a row for each of them.
    let is_group =
        |path: &Vec<String>| paths.iter().any(|other| other.len() > path.len() && other.starts_with(path));
    let missing: Vec<String> = paths
        .iter()
        .filter(|path| !path.is_empty() && !is_group(path))
        .map(|path| format!("| [`{0}`](#{1})", path.join(" "), path.join("-")))
        .filter(|row| !page.contains(row))
        .collect();
    assert_eq!(missing, [""; 0]);
    for (option, fewest) in [("--policy", 5), ("--predictor", 10), ("--correction", 3)] {
        let output = queuecast().args(["simulate", "x", option, "?"]).output().unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        let values = said.split("[possible values: ").nth(1).unwrap().split_once("]\n").unwrap().0;
        let row = page.lines().find(|line| line.starts_with(&format!("| `{option} "))).unwrap();
        let row = row.replace("\\|", "|");
        let forms: Vec<&str> = values.split(", ").collect();
        assert!(forms.len() >= fewest, "{option}: {values}");
        for form in forms {
            assert!(row.contains(&format!("`{form}`")), "{option}: {form} is not in {row}");
        }
    }
}

#[test]
fn help_fits_80_columns() {
    let paths = paths();
    assert!(paths.len() > 20, "every command is found: {paths:?}");
    for path in &paths {
        for option in ["-h", "--help"] {
            assert_eq!(too_wide(&help(path, option)), [""; 0], "{} {option}", path.join(" "));
        }
    }
    // Control: a line of 81 characters would be found.
    assert_eq!(too_wide(&"x".repeat(WIDEST + 1)).len(), 1);
}

#[test]
fn help_stays_narrow_on_a_wide_terminal() {
    let wide = stdout(queuecast().env("COLUMNS", "200").args(["simulate", "--help"]));
    assert_eq!(too_wide(&wide), [""; 0]);
}

/// Of a list of forms, what each means has a column of its own.
#[test]
fn methods_are_listed_with_a_hanging_indent() {
    for (command, begins, names) in [
        ("when", "beyond chance:", vec!["zero", "past", "knn", "ranges", "simulated", "trees", "downey"]),
        ("simulate", "Who runs next:", vec!["fcfs", "easy", "sjbf", "conservative", "likely"]),
    ] {
        let text = help(&[command.to_owned()], "--help");
        let list = text.lines().skip_while(|line| !line.ends_with(begins)).skip(1);
        let list: Vec<&str> = list.take_while(|line| line.starts_with("            ")).collect();
        let indent = |line: &str| line.len() - line.trim_start().len();
        let begun: Vec<&str> = list.iter().copied().filter(|line| indent(line) == 12).collect();
        assert!(list.len() > begun.len(), "some meanings need several lines: {list:#?}");
        for name in names {
            assert_eq!(
                begun.iter().filter(|line| line.trim_start().starts_with(name)).count(),
                1,
                "{begun:#?}"
            );
        }
        let column = list.iter().map(|line| indent(line)).max().unwrap();
        assert!(column >= 16 && list.iter().all(|line| [12, column].contains(&indent(line))), "{list:#?}");
    }
}

/// With a site's configuration a live site is asked by other commands than without; `allocate` never has one.
#[test]
fn what_a_live_site_is_asked_by_is_said() {
    let said = |command: &str| {
        let text = help(&[command.to_owned()], "-h");
        text.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    for command in ["when", "advise"] {
        assert!(said(command).contains("with --site by sacct, scontrol and sshare"), "{command}");
    }
    assert!(said("allocate").contains("by squeue and sinfo") && !said("allocate").contains("sshare"));
}

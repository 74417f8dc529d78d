//! Holds the house to its plan: floors, module docs, file sizes, banned calls, plain words, unique names. The plan is
//! ARCHITECTURE.md; change both together.

mod names;
mod words;

mod circles;

use std::fs;
use std::path::{Path, PathBuf};

/// Rooms of the library and their floors. A room may import lower floors and itself.
const FLOORS: [(&str, u32); 24] = [
    ("parallel", 0),
    ("units", 0),
    ("job", 1),
    ("seed", 1),
    ("stats", 1),
    ("spec", 1),
    ("workload", 1),
    ("distribution", 1),
    ("trees", 1),
    ("cluster", 1),
    ("controller", 2),
    ("trace", 2),
    ("slurm", 3),
    ("predict", 2),
    ("characterization", 2),
    ("synth", 3),
    ("site", 3),
    ("sim", 4),
    ("wait", 5),
    ("allot", 6),
    ("forecast", 7),
    ("broker", 8),
    ("eval", 9),
    ("report", 10),
];

/// Imports that floors allow and the plan forbids: these rooms work on events and jobs from any source.
const FORBIDDEN: [(&str, &str); 9] = [
    ("site", "trace"),
    ("site", "synth"),
    ("sim", "trace"),
    ("sim", "slurm"),
    ("wait", "slurm"),
    ("wait", "trace"),
    ("predict", "trace"),
    ("sim", "synth"),
    ("wait", "synth"),
];

/// The library computes; it does not touch the world.
const WORLD: [&str; 11] = [
    "std::fs",
    "std::env",
    "std::net",
    "std::process",
    "std::thread",
    "std::time",
    "println!",
    "print!(",
    "dbg!(",
    "rand::rng()",
    "thread_rng",
];

/// Names that say nothing.
const VAGUE: [&str; 7] = ["Manager", "Handler", "Helper", "utils", "Utils", "fn get_", "mod common"];

/// A file of more lines has a second noun in it.
const LONGEST: usize = 500;

struct Source {
    /// With forward slashes; relative to `src` where rooms matter, else to the repository.
    path: String,
    text: String,
}

impl Source {
    fn room(&self) -> &str {
        self.path.split(['/', '.']).next().unwrap_or_default()
    }

    /// Without its tests, which may do more.
    fn code(&self) -> &str {
        self.text.split("#[cfg(test)]").next().unwrap_or_default()
    }

    /// Lines of code with their numbers, comments left out.
    fn lines(&self) -> impl Iterator<Item = (usize, &str)> {
        (1..).zip(self.code().lines()).filter(|(_, line)| !line.trim_start().starts_with("//"))
    }
}

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// The folders of the workspace's crates.
fn crates() -> Vec<String> {
    let members = listed(&repository()).into_iter().filter(|path| path.join("Cargo.toml").is_file());
    members.filter_map(|path| Some(path.file_name()?.to_str()?.to_owned())).collect()
}

/// The sources of a crate, their paths relative to `src`.
fn sources(krate: &str) -> Vec<Source> {
    let root = repository().join(krate).join("src");
    let mut found = Vec::new();
    collect(&root, &root, "rs", &mut found);
    found.sort_by(|a, b| a.path.cmp(&b.path));
    assert!(!found.is_empty(), "no sources under {}", root.display());
    found
}

/// All Rust files of the workspace: sources, tests and benches.
fn programs() -> Vec<Source> {
    let mut found = Vec::new();
    for krate in crates() {
        collect(&repository(), &repository().join(krate), "rs", &mut found);
    }
    found
}

/// All pages: those of the repository's root, the documentation, the experiments, the crates.
fn pages() -> Vec<Source> {
    let mut found = Vec::new();
    for folder in ["docs".to_owned(), "experiments".to_owned()].into_iter().chain(crates()) {
        collect(&repository(), &repository().join(folder), "md", &mut found);
    }
    for path in listed(&repository()) {
        take(&repository(), &path, "md", &mut found);
    }
    found
}

fn listed(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut paths: Vec<PathBuf> = entries.filter_map(|entry| entry.ok().map(|entry| entry.path())).collect();
    paths.sort();
    paths
}

fn collect(root: &Path, folder: &Path, extension: &str, found: &mut Vec<Source>) {
    for path in listed(folder) {
        if path.is_dir() {
            collect(root, &path, extension, found);
        } else {
            take(root, &path, extension, found);
        }
    }
}

fn take(root: &Path, path: &Path, extension: &str, found: &mut Vec<Source>) {
    if path.extension().is_some_and(|one| one == extension) {
        let name = path.strip_prefix(root).unwrap_or(path).to_string_lossy().replace('\\', "/");
        let text = fs::read_to_string(path).unwrap_or_else(|error| panic!("{name}: {error}"));
        found.push(Source { path: name, text });
    }
}

fn floor(room: &str) -> Option<u32> {
    FLOORS.iter().find(|(name, _)| *name == room).map(|(_, floor)| *floor)
}

/// Imports that lead upwards or sideways.
fn climbing_imports(source: &Source) -> Vec<String> {
    let room = source.room();
    if room == "lib" {
        return Vec::new();
    }
    let Some(here) = floor(room) else { return vec![format!("{}: room {room:?} has no floor", source.path)] };
    let mut wrong = Vec::new();
    for (number, line) in source.lines() {
        for import in line.split("crate::").skip(1) {
            let other: String = import.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
            let Some(there) = floor(&other) else { continue };
            let sideways = there == here && there != 1 && other != room;
            if there > here || sideways || FORBIDDEN.contains(&(room, other.as_str())) {
                wrong.push(format!("{}:{number} imports {other}", source.path));
            }
        }
    }
    wrong
}

fn lines_with(source: &Source, banned: &[&str]) -> Vec<String> {
    let hits = source.lines().filter(|(_, line)| banned.iter().any(|word| line.contains(word)));
    hits.map(|(number, line)| format!("{}:{number} {}", source.path, line.trim())).collect()
}

fn complain(what: &str, wrong: Vec<String>) {
    assert!(wrong.is_empty(), "{what}:\n{}", wrong.join("\n"));
}

#[test]
fn imports_go_downwards_only() {
    complain("imports that climb", sources("lib").iter().flat_map(climbing_imports).collect());
}

#[test]
fn the_library_never_touches_the_world() {
    let all = ["lib", "papers"].into_iter().flat_map(sources);
    let wrong = all.flat_map(|source| lines_with(&source, &WORLD)).collect();
    complain("calls that belong in the command", wrong);
}

#[test]
fn the_command_prints_in_one_place() {
    let printing = ["println!", "print!(", "eprintln!", "eprint!(", "io::stdout()", "io::stderr()"];
    let others =
        sources("cli").into_iter().filter(|source| !["printer.rs", "lib.rs"].contains(&source.path.as_str()));
    complain(
        "printing outside the printer",
        others.flat_map(|source| lines_with(&source, &printing)).collect(),
    );
}

#[test]
fn every_module_says_what_it_is_for() {
    let all = ["lib", "papers", "cli"].into_iter().flat_map(sources);
    let silent = all.filter(|source| !source.text.starts_with("//!")).map(|source| source.path).collect();
    complain("files without module docs", silent);
}

#[test]
fn files_hold_one_noun() {
    let all = ["lib", "papers", "cli"].into_iter().flat_map(sources);
    let long = all.filter(|source| source.code().lines().count() > LONGEST);
    complain("files to split", long.map(|source| source.path).collect());
}

#[test]
fn names_say_something() {
    let all = ["lib", "papers", "cli"].into_iter().flat_map(sources);
    complain("vague names", all.flat_map(|source| lines_with(&source, &VAGUE)).collect());
}

#[test]
fn control_each_check_can_fail() {
    let source = |path: &str, text: &str| Source { path: path.into(), text: text.into() };
    assert_eq!(climbing_imports(&source("units.rs", "use crate::job::Job;")).len(), 1);
    assert_eq!(climbing_imports(&source("predict/recent.rs", "use crate::synth::Habits;")).len(), 1);
    assert_eq!(climbing_imports(&source("sim/engine.rs", "x(crate::trace::read)")).len(), 1);
    assert_eq!(climbing_imports(&source("attic.rs", "")).len(), 1);
    assert!(climbing_imports(&source("workload.rs", "use crate::job::Job;")).is_empty());
    assert_eq!(lines_with(&source("a.rs", "let x = std::env::args();"), &WORLD).len(), 1);
    assert!(lines_with(&source("a.rs", "// std::env\n#[cfg(test)]\nstd::env"), &WORLD).is_empty());
}

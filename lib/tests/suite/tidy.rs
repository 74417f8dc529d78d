//! Holds the house to its plan: floors, module docs, file sizes, banned calls, plain words, unique names. The plan is
//! ARCHITECTURE.md; change both together.

mod names;
mod words;

mod circles;
mod exports;

use std::fs;
use std::path::{Path, PathBuf};

/// The crates of the workspace in their order, and the crates that each may import. Cargo holds that there is no circle; this list holds
/// the plan: `sim` works on jobs and events from any source, so it knows neither logs nor models of workloads.
const CRATES: [(&str, &[&str]); 21] = [
    ("core", &[]),
    ("sim", &["core"]),
    ("wait", &["core", "sim"]),
    ("slurm-sim", &["core", "sim"]),
    ("trace", &["core"]),
    ("slurm-texts", &["core", "slurm-sim", "trace"]),
    ("synth", &["core"]),
    ("forecast", &["core", "sim", "slurm-sim", "synth", "wait"]),
    ("place", &["core", "forecast", "sim", "slurm-sim", "slurm-texts", "trace"]),
    ("eval", &["core", "forecast", "sim", "synth", "wait"]),
    (
        "study",
        &["core", "eval", "forecast", "place", "sim", "slurm-sim", "slurm-texts", "synth", "trace", "wait"],
    ),
    ("display", &["core"]),
    (
        "report",
        &[
            "core",
            "display",
            "eval",
            "forecast",
            "place",
            "sim",
            "slurm-sim",
            "slurm-texts",
            "study",
            "synth",
            "trace",
            "wait",
        ],
    ),
    ("watch", &["core", "place", "report", "trace"]),
    (
        "lib",
        &[
            "core",
            "eval",
            "forecast",
            "place",
            "report",
            "sim",
            "slurm-sim",
            "slurm-texts",
            "study",
            "synth",
            "trace",
            "wait",
        ],
    ),
    ("papers", &["core", "eval", "forecast", "report", "sim", "study", "synth", "trace", "wait"]),
    ("live", &["core", "forecast", "place", "report", "slurm-texts", "trace", "wait"]),
    ("serve", &["core", "live", "place", "report", "study", "trace"]),
    ("process", &["core", "eval", "report", "serve", "sim", "trace"]),
    ("operate", &["core", "live", "place", "process", "report", "serve", "trace"]),
    (
        "cli",
        &[
            "core",
            "eval",
            "forecast",
            "live",
            "operate",
            "papers",
            "place",
            "process",
            "report",
            "serve",
            "sim",
            "slurm-sim",
            "slurm-texts",
            "study",
            "synth",
            "trace",
            "wait",
            "watch",
        ],
    ),
];

/// The crates that compute, and never touch the world.
const PURE: [&str; 16] = [
    "core",
    "sim",
    "wait",
    "slurm-sim",
    "trace",
    "slurm-texts",
    "synth",
    "forecast",
    "place",
    "eval",
    "study",
    "display",
    "report",
    "watch",
    "lib",
    "papers",
];

/// Crates of several rooms: each room may import those before it.
const ROOMS: [(&str, &[&str]); 5] = [
    (
        "core",
        &[
            "wanted",
            "parallel",
            "units",
            "number",
            "order",
            "duration",
            "asking",
            "stats",
            "seed",
            "spec",
            "job",
            "job_state",
            "long_array",
            "workload",
            "distribution",
            "trees",
        ],
    ),
    ("sim", &["site", "predict", "sim"]),
    ("slurm-sim", &["cluster", "controller"]),
    ("synth", &["characterization", "synth"]),
    ("forecast", &["allot", "forecast", "advice", "broker"]),
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

/// A file of more lines has a second noun in it, or tests that belong into a file beside it (`NAME/tests.rs`).
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

    /// Whether the whole file is a module of tests.
    fn is_of_tests(&self) -> bool {
        self.path.ends_with("tests.rs") || self.path.starts_with("tests/")
    }

    /// Without the module of its tests, which may do more.
    fn code(&self) -> &str {
        let is_module = |after: &str| {
            let item = after.lines().nth(1).unwrap_or_default();
            item.ends_with('{') && item.split(' ').any(|word| word == "mod")
        };
        let tests = self.text.match_indices("#[cfg(test)]\n").map(|(at, _)| at);
        let end = tests.into_iter().find(|&at| is_module(&self.text[at..])).unwrap_or(self.text.len());
        &self.text[..end]
    }

    /// Lines of code with their numbers; comments, and the first lines of what is for tests only, are left out.
    fn lines(&self) -> impl Iterator<Item = (usize, &str)> {
        let before = std::iter::once("").chain(self.code().lines());
        let lines = (1..).zip(self.code().lines()).zip(before);
        let lines = lines.filter(|(_, before)| before.trim() != "#[cfg(test)]").map(|(line, _)| line);
        lines.filter(|(_, line)| !line.trim_start().starts_with("//"))
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
            // What the tests of the page install is not ours.
            if path.file_name().is_some_and(|name| name == "node_modules") {
                continue;
            }
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

/// Imports of rooms that come later in the crate's list.
fn climbing_imports(rooms: &[&str], source: &Source) -> Vec<String> {
    let place = |room: &str| rooms.iter().position(|name| *name == room);
    let room = source.room();
    if room == "lib" {
        return Vec::new();
    }
    let Some(here) = place(room) else { return vec![format!("{}: room {room:?} has no place", source.path)] };
    let mut wrong = Vec::new();
    for (number, line) in source.lines() {
        for import in line.split("crate::").skip(1) {
            let other: String = import.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
            if place(&other).is_some_and(|there| there > here) {
                wrong.push(format!("{}:{number} imports {other}", source.path));
            }
        }
    }
    wrong
}

/// The crates of the workspace that a manifest depends on, tests left out.
fn dependencies(manifest: &str) -> Vec<String> {
    let section = manifest.split("\n[dependencies]\n").nth(1).unwrap_or_default();
    let lines = section.lines().take_while(|line| !line.starts_with('['));
    let names = lines.filter_map(|line| line.split(['.', ' ', '=']).next());
    let ours = names.filter_map(|name| match name.strip_prefix("queuecast") {
        Some("") => Some("lib".to_owned()),
        Some(rest) => rest.strip_prefix('-').map(str::to_owned),
        None => None,
    });
    let mut ours: Vec<String> = ours.collect();
    ours.sort();
    ours
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
    let climbing = ROOMS.iter().flat_map(|(krate, rooms)| {
        sources(krate).into_iter().flat_map(move |source| climbing_imports(rooms, &source))
    });
    complain("imports that climb", climbing.collect());
}

#[test]
fn crates_import_what_the_plan_says() {
    let planned: Vec<&str> = CRATES.iter().map(|(krate, _)| *krate).collect();
    let mut found = crates();
    found.sort_by_key(|krate| planned.iter().position(|name| name == krate));
    assert_eq!(found, planned, "the crates of the workspace");
    for (krate, imports) in CRATES {
        let path = repository().join(krate).join("Cargo.toml");
        assert_eq!(dependencies(&fs::read_to_string(path).unwrap()), imports, "{krate}");
    }
}

/// Whether a file's documentation has an example that can be run, of its own or from a page.
fn has_example(source: &Source) -> bool {
    let mut is_open = false;
    let comments = source.text.lines().map(str::trim_start);
    let fences = comments.filter_map(|line| {
        let text = line.strip_prefix("//!").or(line.strip_prefix("///"))?;
        text.trim_start().strip_prefix("```")
    });
    let mut begins = fences.filter(|_| {
        is_open = !is_open;
        is_open
    });
    begins.any(|kind| kind != "text") || source.text.contains("doc = include_str!")
}

/// Looking for examples takes a crate as long as documenting it.
#[test]
fn examples_are_looked_for_where_there_are_some() {
    for (krate, _) in CRATES {
        let manifest = fs::read_to_string(repository().join(krate).join("Cargo.toml")).unwrap();
        let is_searched = !manifest.contains("\ndoctest = false");
        assert_eq!(is_searched, sources(krate).iter().any(has_example), "{krate}: `doctest` in its manifest");
    }
    let found = |text: &str| has_example(&Source { path: "a.rs".to_owned(), text: text.to_owned() });
    assert!(found("//! ```\n//! 1;\n//! ```\n") && found("    /// ```text\n/// a\n/// ```\n/// ```rust\n"));
    assert!(!found("//! ```text\n//! 1;\n//! ```\n") && !found("// ```\nlet fence = \"```\";\n"));
}

#[test]
fn the_library_never_touches_the_world() {
    let all = PURE.into_iter().flat_map(sources).filter(|source| !source.is_of_tests());
    let wrong = all.flat_map(|source| lines_with(&source, &WORLD)).collect();
    complain("calls that belong in the command", wrong);
}

#[test]
fn the_command_prints_in_one_place() {
    let printing = ["println!", "print!(", "eprintln!", "eprint!(", "io::stdout()", "io::stderr()"];
    let all = ["process", "operate", "cli"].into_iter().flat_map(sources);
    let others = all.filter(|source| !["printer.rs", "screen.rs"].contains(&source.path.as_str()));
    complain(
        "printing outside the printer",
        others.flat_map(|source| lines_with(&source, &printing)).collect(),
    );
}

#[test]
fn every_module_says_what_it_is_for() {
    let all = crates().into_iter().flat_map(|krate| sources(&krate));
    let silent = all.filter(|source| !source.text.starts_with("//!")).map(|source| source.path).collect();
    complain("files without module docs", silent);
}

#[test]
fn files_hold_one_noun() {
    let all = crates().into_iter().flat_map(|krate| sources(&krate));
    let long = all.filter(|source| source.text.lines().count() > LONGEST);
    complain("files to split", long.map(|source| source.path).collect());
}

/// The command reads arguments and prints: what it computes is elsewhere.
const LONGEST_COMMAND: usize = 9_000;

#[test]
fn the_command_is_thin() {
    let code = sources("cli").into_iter().filter(|source| !source.is_of_tests());
    let lines: usize = code.map(|source| source.code().lines().count()).sum();
    assert!((5_000..LONGEST_COMMAND).contains(&lines), "cli/src has {lines} lines without tests");
}

#[test]
fn names_say_something() {
    let all = crates().into_iter().flat_map(|krate| sources(&krate));
    complain("vague names", all.flat_map(|source| lines_with(&source, &VAGUE)).collect());
}

/// A struct of more fields has a second noun in it.
const MOST_FIELDS: usize = 20;

/// Structs that list what is given from outside: columns of a format, parameters of a partition, measures of an answer.
const LISTS: [&str; 4] = ["ClusterPartition", "Header", "Record", "WaitScore"];

/// Structs with too many fields, also those that a macro makes of a table with a row for each field.
fn wide_structs(source: &Source) -> Vec<String> {
    let (mut wide, mut open) = (Vec::new(), None::<(&str, usize)>);
    for (_, line) in source.lines() {
        let words: Vec<&str> = line.split(|c: char| !(c.is_alphanumeric() || c == '_')).collect();
        let name = words.iter().position(|word| *word == "struct").and_then(|at| words.get(at + 1));
        let table = line.strip_prefix("    ").and_then(|line| line.strip_suffix(" {"));
        let table = table.filter(|name| name.chars().all(char::is_alphanumeric));
        if let Some(name) = name.filter(|_| !line.starts_with(' ') && line.ends_with('{')).copied().or(table)
        {
            open = Some((name, 0));
        } else if let Some((name, fields)) = open.take_if(|_| ["}", "    } } };"].contains(&line)) {
            wide.extend((fields > MOST_FIELDS).then(|| name.to_owned()));
        } else if let Some((_, fields)) = &mut open {
            let depth = line.len() - line.trim_start().len();
            let is_row = depth == 8 && line.contains(" = ") && line.ends_with(';');
            let is_field = (depth == 4 || is_row) && line.contains(": ");
            *fields += usize::from(is_field && !line.trim_start().starts_with('#'));
        }
    }
    wide
}

#[test]
fn structs_hold_one_noun() {
    let all = crates().into_iter().flat_map(|krate| sources(&krate));
    let mut wide: Vec<String> = all.flat_map(|source| wide_structs(&source)).collect();
    wide.sort();
    assert_eq!(wide, LISTS, "structs to split, or no longer wide");
}

/// Instants and lengths of time have types, not suffixes.
fn untyped_times(source: &Source) -> Vec<String> {
    let names = ["ms", "us"].map(|unit| [format!("_{unit}: i64"), format!("_{unit}: Option<i64>")]);
    let names: Vec<&str> = names.iter().flatten().map(String::as_str).collect();
    lines_with(source, &names)
}

#[test]
fn times_are_typed() {
    complain("times without a type", programs().iter().flat_map(untyped_times).collect());
}

#[test]
fn control_each_check_can_fail() {
    let source = |path: &str, text: &str| Source { path: path.into(), text: text.into() };
    let rooms = ["units", "job", "workload"];
    assert_eq!(climbing_imports(&rooms, &source("units.rs", "use crate::job::Job;")).len(), 1);
    assert_eq!(climbing_imports(&rooms, &source("job/shape.rs", "x(crate::workload::read)")).len(), 1);
    assert_eq!(climbing_imports(&rooms, &source("attic.rs", "")).len(), 1);
    assert!(climbing_imports(&rooms, &source("workload.rs", "use crate::job::Job;")).is_empty());
    let manifest = "[features]\nqueuecast-a.x = 1\n\n[dependencies]\nserde = 1\nqueuecast-b.workspace = true\nqueuecast = 2\n[lints]\n";
    assert_eq!(dependencies(manifest), ["b", "lib"]);
    assert_eq!(lines_with(&source("a.rs", "let x = std::env::args();"), &WORLD).len(), 1);
    let fields = "    pub(super) a: u8,\n".repeat(21);
    assert_eq!(wide_structs(&source("a.rs", &format!("pub struct A<'c> {{\n{fields}}}\n"))).len(), 1);
    assert!(wide_structs(&source("a.rs", &format!("struct A {{\n{}}}\n", &fields[23..]))).is_empty());
    assert_eq!(untyped_times(&source("a.rs", concat!("at_", "ms: i64,"))).len(), 1);
    assert!(
        lines_with(&source("a.rs", "// std::env\n#[cfg(test)]\nmod tests {\nstd::env"), &WORLD).is_empty()
    );
    assert_eq!(lines_with(&source("a.rs", "#[cfg(test)]\nmod tests;\nstd::env\nstd::fs"), &WORLD).len(), 2);
    let rows = "        a: u8 = 1, [\"A\"];\n".repeat(21);
    assert_eq!(wide_structs(&source("a.rs", &format!("    Group {{\n{rows}    }} }} }};\n"))), ["Group"]);
}

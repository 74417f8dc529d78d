//! What a crate exports is used: outside of it, or in an interface that is.

use std::collections::{BTreeMap, BTreeSet};

use super::{Source, complain, crates, pages, repository, sources};

type Words = BTreeSet<String>;

fn words(text: &str) -> impl Iterator<Item = String> + '_ {
    let words = text.split(|letter: char| !(letter.is_alphanumeric() || letter == '_'));
    words.filter(|word| !word.is_empty()).map(str::to_owned)
}

fn code(source: &Source) -> String {
    source.lines().map(|(_, line)| line.to_owned() + "\n").collect()
}

/// The statements of a text that begin with these words at the beginning of a line, up to their semicolon.
fn statements<'t>(text: &'t str, begin: &str) -> Vec<&'t str> {
    let starts = text.match_indices(begin).map(|(at, _)| at);
    let starts = starts.filter(|&at| at == 0 || text[..at].ends_with('\n'));
    starts.filter_map(|at| text[at + begin.len()..].split(';').next()).collect()
}

/// The names that a source exports: the last words of the paths of `pub use`.
fn exported(code: &str) -> Vec<String> {
    let mut found = Vec::new();
    for statement in statements(code, "pub use ") {
        let listed = statement.split([',', '{', '}']).map(str::trim);
        let names = listed.filter(|path| !path.is_empty() && !path.ends_with("::"));
        found.extend(names.filter_map(|path| path.rsplit([':', ' ']).next().map(str::to_owned)));
    }
    found
}

/// The words of public signatures, and of the bodies of public types and traits.
fn interface(code: &str) -> Words {
    let (mut found, mut is_inside, mut is_function) = (Words::new(), false, false);
    for line in code.lines() {
        let begun = line.trim_start();
        let is_type = ["pub struct ", "pub enum ", "pub trait "].iter().any(|kind| begun.starts_with(kind));
        let is_item = begun.starts_with("pub ") && !begun.starts_with("pub use") && !is_type;
        is_function |= is_item && begun.contains("fn ");
        if is_function || is_item || is_inside || is_type && begun.contains('(') {
            found.extend(words(line));
        }
        is_function &= !line.ends_with(['{', ';', '}']);
        is_inside = (is_inside || is_type && line.ends_with('{')) && line != "}";
    }
    found
}

/// What stands outside the sources of a crate: other crates, tests, benchmarks, pages.
fn outside() -> BTreeMap<String, Words> {
    let mut found = BTreeMap::<String, Words>::new();
    for krate in crates() {
        let all =
            sources(&krate).iter().flat_map(|source| words(&code(source)).collect::<Vec<_>>()).collect();
        found.insert(krate.clone(), all);
        let mut programs = Vec::new();
        for folder in ["tests", "benches"].map(|name| repository().join(&krate).join(name)) {
            if folder.is_dir() {
                super::collect(&repository(), &folder, "rs", &mut programs);
            }
        }
        found.insert(
            format!("{krate}, tests"),
            programs.iter().flat_map(|source| words(&source.text).collect::<Vec<_>>()).collect(),
        );
    }
    let with_code = ["docs/guides/library.md", "docs/guides/extending.md"];
    let guides = pages().into_iter().filter(|page| with_code.contains(&page.path.as_str()));
    found.insert("pages".to_owned(), guides.flat_map(|page| words(&page.text).collect::<Vec<_>>()).collect());
    found
}

fn unused(krate: &str, sources: &[Source], outside: &BTreeMap<String, Words>) -> Vec<String> {
    let own: Words = sources.iter().flat_map(|source| interface(&code(source))).collect();
    let mut wrong = Vec::new();
    for source in sources {
        for name in exported(&code(source)) {
            let is_used = outside.iter().any(|(place, words)| place != krate && words.contains(&name));
            if !is_used && !own.contains(&name) {
                wrong.push(format!("{krate}/src/{} exports {name}", source.path));
            }
        }
    }
    wrong
}

#[test]
fn what_a_crate_exports_is_used() {
    let outside = outside();
    let all = crates().into_iter().filter(|krate| !["lib", "cli"].contains(&krate.as_str()));
    let wrong: Vec<String> = all.flat_map(|krate| unused(&krate, &sources(&krate), &outside)).collect();
    complain("exported, and used nowhere else", wrong);
}

/// What the library of users lists can be read as a whole: a few hundred names.
const MOST_IN_LIBRARY: usize = 500;

/// The modules and the names that the library of users lists.
fn in_library() -> (Vec<String>, Vec<String>) {
    let file = sources("lib").into_iter().find(|source| source.path == "lib.rs").expect("the library");
    let lines: Vec<&str> = file.lines().map(|(_, line)| line.trim_start()).collect();
    let modules = lines.iter().filter_map(|line| line.strip_prefix("pub mod ")?.strip_suffix(" {"));
    (modules.map(str::to_owned).collect(), exported(&lines.join("\n")))
}

#[test]
fn the_library_of_users_is_short() {
    let (modules, names) = in_library();
    assert!(modules.len() > 20 && names.len() > 300, "{} names were read", names.len());
    assert!(!names.iter().any(|name| name == "*"), "names are listed one by one");
    assert!(names.len() <= MOST_IN_LIBRARY, "{} names in lib/src/lib.rs", names.len());
}

#[test]
fn pages_name_what_the_library_has() {
    let (modules, names) = in_library();
    let is_there = |part: &String| modules.contains(part) || names.contains(part);
    let mut wrong = Vec::new();
    for page in pages().into_iter().filter(|page| page.path.starts_with("docs/") || page.path == "README.md")
    {
        for path in page.text.split("`queuecast::").skip(1) {
            let path = path.split(|letter: char| !(letter.is_alphanumeric() || "_:".contains(letter))).next();
            let parts = path.unwrap_or_default().split("::").map(str::to_owned);
            wrong.extend(parts.filter(|part| !is_there(part)).map(|part| format!("{}: {part}", page.path)));
        }
    }
    complain("named, and not in the library", wrong);
}

#[test]
fn exports_that_are_not_used_are_found() {
    let text = "pub use a::{self, Used, b::{Shown, Alone}};\npub use c::D as Renamed;\npub fn show(one: Shown) {\n    Alone\n}\n";
    assert_eq!(exported(text), ["self", "Used", "Shown", "Alone", "Renamed"]);
    assert_eq!(interface(text), Words::from(["pub", "fn", "show", "one", "Shown"].map(str::to_owned)));
    let source = Source { path: "x.rs".to_owned(), text: text.to_owned() };
    let outside = BTreeMap::from([
        ("other".to_owned(), Words::from(["Used", "Renamed", "self"].map(str::to_owned))),
        ("here".to_owned(), Words::from(["Alone".to_owned()])),
    ]);
    assert_eq!(unused("here", &[source], &outside), ["here/src/x.rs exports Alone"]);
}

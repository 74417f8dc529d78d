//! One name, one meaning: no two types of the workspace have the same name.

use std::collections::BTreeMap;

use super::{Source, complain, programs};

/// Names that several types share, and why that confuses no reader.
const SHARED: [(&str, &str); 1] = [("Arguments", "what one command takes, in the module of the command")];

/// The types that each file declares outside its tests.
fn types(source: &Source) -> Vec<&str> {
    let name = |line: &str| -> Option<usize> {
        let start = line.len() - line.trim_start().len();
        let mut rest = &line[start..];
        if let Some(after) = rest.strip_prefix("pub") {
            rest = match after.strip_prefix('(') {
                Some(scope) => scope.split_once(')')?.1,
                None => after,
            };
            rest = rest.strip_prefix(' ')?;
        }
        let rest = ["struct ", "enum ", "union "].iter().find_map(|keyword| rest.strip_prefix(keyword))?;
        Some(line.len() - rest.len())
    };
    let declared = source.lines().filter_map(|(_, line)| {
        let rest = &line[name(line)?..];
        Some(&rest[..rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len())])
    });
    declared.filter(|name| name.starts_with(char::is_uppercase)).collect()
}

/// Names declared more than once, with the files that declare them.
fn shared(all: &[Source]) -> Vec<String> {
    let mut files: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for source in all {
        for name in types(source) {
            files.entry(name).or_default().push(&source.path);
        }
    }
    files.retain(|name, files| files.len() > 1 && !SHARED.iter().any(|(shared, _)| shared == name));
    files.into_iter().map(|(name, files)| format!("{name}: {}", files.join(", "))).collect()
}

#[test]
fn no_two_types_have_one_name() {
    let tests = |path: &str| path.ends_with("/tests.rs") || path.contains("/tests/");
    let inside = |path: &str| path.contains("/src/") && !tests(path);
    let all: Vec<Source> = programs().into_iter().filter(|source| inside(&source.path)).collect();
    assert!(all.len() > 100, "only {} files were read", all.len());
    complain("types of one name", shared(&all));
}

#[test]
fn control_two_types_of_one_name_are_found() {
    let source = |path: &str, text: &str| Source { path: path.into(), text: text.into() };
    let one = source("a.rs", "pub struct Placed {\n}\n// struct Single;\nenum Sort<T> {}");
    let other = source(
        "b.rs",
        "    pub(in crate::a) enum Placed {}\nstruct Single(u32);\n#[cfg(test)]\nstruct Sort;",
    );
    assert_eq!(types(&one), ["Placed", "Sort"]);
    assert_eq!(types(&other), ["Placed", "Single"]);
    assert_eq!(shared(&[one, other]), ["Placed: a.rs, b.rs"]);
    let arguments = || source("c.rs", "pub struct Arguments;");
    assert!(shared(&[arguments(), arguments()]).is_empty());
}

//! No circles among the files of a crate: the files are ordered so that each uses only files below it.
//!
//! The graph is read from `use` declarations and from paths in code. A path counts as a use of the file that defines
//! the item, found through re-exports where that is possible by name, else of the file of the module it names.
//! Declaring a child module or re-exporting its items is not a use of the child.

use std::collections::{BTreeMap, BTreeSet};

use super::{Source, crates, sources};

/// Circles that are still to be removed: a crate, and modules that may use each other and those below them. The list
/// only gets shorter.
const KNOWN: [(&str, &[&str]); 0] = [];

fn is_known(krate: &str, circle: &[String]) -> bool {
    let within = |name: &str, room: &str| name == room || parent(name) == room;
    let known = KNOWN.iter().filter(|(place, _)| *place == krate);
    known.into_iter().any(|(_, rooms)| circle.iter().all(|name| rooms.iter().any(|room| within(name, room))))
}

/// One file as a module.
#[derive(Debug, Default)]
struct Module {
    /// Names of items defined at the top level.
    defined: BTreeSet<String>,
    imports: Vec<Import>,
    /// Every path and every bare name in the code outside `use` declarations.
    mentions: Vec<Vec<String>>,
}

/// One leaf of a `use` declaration.
#[derive(Debug)]
struct Import {
    path: Vec<String>,
    /// The name it goes by here; `*` for a glob.
    name: String,
    exported: bool,
}

/// What a path leads to.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Target {
    Module(String),
    Item(String),
}

impl Target {
    fn module(self) -> String {
        match self {
            Target::Module(name) | Target::Item(name) => name,
        }
    }
}

/// The modules of one crate by their paths (`sim::engine`), the root by the empty path.
#[derive(Debug, Default)]
struct Crate(BTreeMap<String, Module>);

fn module_path(file: &str) -> String {
    let bare = file.trim_end_matches(".rs").trim_end_matches("/mod");
    if ["lib", "main", "mod"].contains(&bare) { String::new() } else { bare.replace('/', "::") }
}

fn joined(module: &str, name: &str) -> String {
    if module.is_empty() { name.to_owned() } else { format!("{module}::{name}") }
}

fn parent(module: &str) -> String {
    module.rsplit_once("::").map_or(String::new(), |(above, _)| above.to_owned())
}

/// The code without its tests, comments and `use` declarations, and those declarations.
fn split(text: &str) -> (String, Vec<String>) {
    let code = text.split("#[cfg(test)]\nmod ").next().unwrap_or_default();
    let (mut rest, mut uses, mut open) = (String::new(), Vec::new(), None::<String>);
    for line in code.lines().filter(|line| !line.trim_start().starts_with("//")) {
        let begins = open.is_none() && {
            let bare = line.trim_start();
            bare.starts_with("use ")
                || (bare.starts_with("pub") && bare.split_whitespace().nth(1) == Some("use"))
        };
        if begins || open.is_some() {
            let mut declaration = open.take().unwrap_or_default();
            declaration.push(' ');
            declaration.push_str(line.trim());
            if declaration.trim_end().ends_with(';') {
                uses.push(declaration.trim().trim_end_matches(';').to_owned());
            } else {
                open = Some(declaration);
            }
        } else {
            rest.push_str(line);
            rest.push('\n');
        }
    }
    (rest, uses)
}

/// Adds the leaves of a tree of imports.
fn expand(tree: &str, above: &[String], exported: bool, into: &mut Vec<Import>) {
    let tree = tree.trim();
    let (head, inner) = match tree.find('{') {
        Some(brace) => (&tree[..brace], Some(&tree[brace + 1..tree.len() - 1])),
        None => (tree, None),
    };
    let (head, alias) =
        head.split_once(" as ").map_or((head, None), |(head, alias)| (head, Some(alias.trim())));
    let mut path = above.to_vec();
    path.extend(head.split("::").map(str::trim).filter(|part| !part.is_empty()).map(str::to_owned));
    let Some(inner) = inner else {
        if path.len() > 1 && path.last().is_some_and(|last| last == "self") {
            path.pop();
        }
        let name = alias.unwrap_or(path.last().map_or("", String::as_str)).to_owned();
        into.push(Import { path, name, exported });
        return;
    };
    let (mut depth, mut begin) = (0, 0);
    for (at, c) in inner.char_indices() {
        match c {
            '{' => depth += 1,
            '}' => depth -= 1,
            ',' if depth == 0 => {
                expand(&inner[begin..at], &path, exported, into);
                begin = at + 1;
            }
            _ => {}
        }
    }
    if !inner[begin..].trim().is_empty() {
        expand(&inner[begin..], &path, exported, into);
    }
}

/// Every path and bare name in some code, without string literals.
fn mentions(code: &str) -> Vec<Vec<String>> {
    let mut found: BTreeSet<Vec<String>> = BTreeSet::new();
    for (place, part) in code.split('"').enumerate() {
        if place % 2 == 1 {
            continue;
        }
        for path in part.split(|c: char| !(c.is_alphanumeric() || c == '_' || c == ':')) {
            let names: Vec<String> = path.split("::").map(|name| name.trim_matches(':').to_owned()).collect();
            if names.iter().all(|name| name.starts_with(|c: char| c.is_alphabetic() || c == '_')) {
                found.insert(names);
            }
        }
    }
    found.into_iter().collect()
}

/// The name of an item defined on this line, if it is at the top level.
fn defined(line: &str) -> Option<String> {
    if line.starts_with(char::is_whitespace) {
        return None;
    }
    let mut words = line.split(|c: char| !(c.is_alphanumeric() || c == '_')).filter(|word| !word.is_empty());
    let keywords = ["fn", "struct", "enum", "trait", "type", "const", "static", "macro_rules", "union"];
    let before = ["pub", "crate", "super", "in", "async", "unsafe", "self"];
    let mut word = words.next()?;
    while before.contains(&word) || (word == "const" && line.contains("const fn")) {
        word = words.next()?;
    }
    keywords.contains(&word).then(|| words.next().map(str::to_owned))?
}

impl Crate {
    fn of(sources: &[Source]) -> Crate {
        let mut modules = BTreeMap::new();
        for source in sources.iter().filter(|source| !source.path.ends_with("tests.rs")) {
            let (code, uses) = split(&source.text);
            let mut imports = Vec::new();
            for declaration in &uses {
                let (before, tree) = declaration.split_once("use ").unwrap_or_default();
                expand(tree, &[], before.starts_with("pub"), &mut imports);
            }
            let module = Module {
                defined: code.lines().filter_map(defined).collect(),
                imports,
                mentions: mentions(&code),
            };
            modules.insert(module_path(&source.path), module);
        }
        Crate(modules)
    }

    /// Where a path leads from a module; `None` for what is not of this crate.
    fn resolve(&self, from: &str, path: &[String], depth: usize) -> Option<Target> {
        let mut module = from.to_owned();
        let mut rest = path;
        let mut anchored = false;
        while let Some(first) = rest.first() {
            match first.as_str() {
                "crate" => module.clear(),
                "super" => module = parent(&module),
                "self" => {}
                _ => break,
            }
            anchored = true;
            rest = &rest[1..];
        }
        let Some(first) = rest.first() else { return anchored.then_some(Target::Module(module)) };
        if !anchored && !self.0.contains_key(&joined(&module, first)) {
            // A name that was imported, or one of another crate.
            let import = self.0.get(&module)?.imports.iter().find(|import| import.name == *first)?;
            let longer: Vec<String> = import.path.iter().chain(&rest[1..]).cloned().collect();
            return if depth > 0 && longer != path {
                self.resolve(&module, &longer, depth - 1)
            } else {
                None
            };
        }
        for (at, name) in rest.iter().enumerate() {
            let below = joined(&module, name);
            if self.0.contains_key(&below) {
                module = below;
                continue;
            }
            return Some(self.item(&module, &rest[at..], depth).unwrap_or(Target::Item(module)));
        }
        Some(Target::Module(module))
    }

    /// The item of this name in a module, through what the module imports.
    fn item(&self, module: &str, path: &[String], depth: usize) -> Option<Target> {
        let here = self.0.get(module)?;
        let name = path.first()?;
        if here.defined.contains(name) {
            return Some(Target::Item(module.to_owned()));
        }
        let depth = depth.checked_sub(1)?;
        if let Some(import) = here.imports.iter().find(|import| import.name == *name) {
            let longer: Vec<String> = import.path.iter().chain(&path[1..]).cloned().collect();
            return self.resolve(module, &longer, depth);
        }
        here.imports.iter().filter(|import| import.name == "*").find_map(|glob| {
            let Target::Module(other) = self.resolve(module, &glob.path[..glob.path.len() - 1], depth)?
            else {
                return None;
            };
            if other == module { None } else { self.item(&other, path, depth) }
        })
    }

    /// The modules that a module uses.
    fn used_by(&self, name: &str) -> BTreeSet<String> {
        const DEPTH: usize = 8;
        let module = &self.0[name];
        let imports = module.imports.iter().filter(|import| !import.exported).map(|import| &import.path);
        let globs_end = |path: &Vec<String>| path.last().is_some_and(|last| last == "*");
        let imported = imports.filter_map(|path| {
            let path = if globs_end(path) { &path[..path.len() - 1] } else { &path[..] };
            self.resolve(name, path, DEPTH)
        });
        let mentioned = module.mentions.iter().filter_map(|path| {
            // A module's own name without a path is its declaration.
            let declared = path.len() == 1 && self.0.contains_key(&joined(name, &path[0]));
            // As in `pub(super)`.
            let visibility = path.len() == 1 && ["crate", "super", "self"].contains(&path[0].as_str());
            if declared || visibility { None } else { self.resolve(name, path, DEPTH) }
        });
        imported.chain(mentioned).map(Target::module).filter(|other| other != name).collect()
    }

    /// Groups of modules that all use each other, directly or not, each sorted.
    fn circles(&self) -> Vec<Vec<String>> {
        let uses: BTreeMap<&str, BTreeSet<String>> =
            self.0.keys().map(|name| (name.as_str(), self.used_by(name))).collect();
        let reached: BTreeMap<&str, BTreeSet<&str>> = uses
            .keys()
            .map(|&from| {
                let (mut seen, mut next) = (BTreeSet::new(), vec![from]);
                while let Some(at) = next.pop() {
                    next.extend(uses[at].iter().map(String::as_str).filter(|&to| seen.insert(to)));
                }
                (from, seen)
            })
            .collect();
        let mut circles: Vec<Vec<String>> = Vec::new();
        for (&from, seen) in reached.iter().filter(|(from, seen)| seen.contains(*from)) {
            let circle: Vec<String> =
                seen.iter().filter(|to| reached[*to].contains(from)).map(|&to| to.to_owned()).collect();
            if !circles.contains(&circle) {
                circles.push(circle);
            }
        }
        circles
    }

    /// The uses that close a circle, one a line.
    fn told(&self, circle: &[String]) -> String {
        let lines = circle.iter().map(|name| {
            let used = self.used_by(name).into_iter().filter(|other| circle.contains(other));
            format!("  {name} uses {}", used.collect::<Vec<_>>().join(", "))
        });
        lines.collect::<Vec<_>>().join("\n")
    }
}

#[test]
fn no_files_of_a_crate_use_each_other_in_a_circle() {
    let mut told = Vec::new();
    for krate in crates() {
        let modules = Crate::of(&sources(&krate));
        for circle in modules.circles().into_iter().filter(|circle| !is_known(&krate, circle)) {
            told.push(format!("{krate}:\n{}", modules.told(&circle)));
        }
    }
    super::complain("circles of files", told);
}

#[test]
fn control_a_circle_is_found() {
    let circles = |files: &[(&str, &str)]| {
        let source = |(path, text): &(&str, &str)| Source { path: (*path).into(), text: (*text).into() };
        Crate::of(&files.iter().map(source).collect::<Vec<_>>()).circles()
    };
    let root = ("main.rs", "mod printer;\nmod args;\nmod commands;\nuse crate::args::Args;");
    let args = ("args.rs", "use crate::commands::Command;\npub struct Args;");
    let commands = ("commands/mod.rs", "mod one;\npub use one::Command;");
    let one = ("commands/one.rs", "use crate::printer::{Printer, json};\npub struct Command;");
    let leaf = ("printer.rs", "pub struct Printer;\npub fn json() {}");
    assert_eq!(circles(&[root, args, commands, one, leaf]), Vec::<Vec<String>>::new());
    // The printer wants an argument's type.
    let climbing = ("printer.rs", "use crate::args::Args;\npub struct Printer;\npub fn json() {}");
    assert_eq!(circles(&[root, args, commands, one, climbing]), [["args", "commands::one", "printer"]]);
    // A path in code is a use; a test's is not.
    let path = ("printer.rs", "pub struct Printer;\npub fn json() -> crate::args::Args {}");
    assert_eq!(circles(&[root, args, commands, one, path]).len(), 1);
    let tested = ("printer.rs", "pub struct Printer;\n#[cfg(test)]\nmod tests {\n use crate::args::Args;\n}");
    assert_eq!(circles(&[root, args, commands, one, tested]).len(), 0);
    // A parent that uses what its child defines, and a child that uses what its parent defines.
    let child = ("a/b.rs", "use super::Form;\npub fn read() -> Form {}");
    assert_eq!(circles(&[("a/mod.rs", "mod b;\npub use b::read;\npub struct Form;"), child]).len(), 0);
    assert_eq!(circles(&[("a/mod.rs", "mod b;\npub struct Form;\nfn all() { b::read() }"), child]).len(), 1);
    assert_eq!(
        circles(&[("a/mod.rs", "mod b;\npub use b::read;\npub struct Form;\nfn all() { read() }"), child])
            .len(),
        1
    );
}

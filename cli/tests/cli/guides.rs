//! What a guide shows as printed is what its commands print, on a terminal of 80 columns.

use std::fs;

use crate::docs::{commands, files, pages, root};
use crate::{Folder, column, stdout};

/// A test for each guide that shows what a command prints, and the list of them.
macro_rules! guides {
    ($($name:ident: $page:literal;)*) => {
        const SHOWING: &[&str] = &[$($page),*];

        $(
            #[test]
            fn $name() {
                holds($page);
            }
        )*
    };
}

guides! {
    advising: "advise.md";
    choosing_a_size: "choosing-a-size.md";
    first_ten_minutes: "first-ten-minutes.md";
    generating: "generating.md";
    metascheduling: "metascheduling.md";
    predicting: "predicting.md";
    scoring: "scoring.md";
    searching: "searching.md";
    when: "when.md";
}

/// What stands in for lines that a page leaves out.
const LEFT_OUT: &str = "…";

/// The fenced blocks of a page in order: what their fence says, and their text.
fn blocks(page: &str) -> Vec<(&str, &str)> {
    let fenced = page.split("```").skip(1).step_by(2);
    fenced.map(|block| block.split_once('\n').unwrap_or((block, ""))).collect()
}

/// Whether the lines are among those printed, one after the other but for those that are left out.
fn is_printed(shown: &str, printed: &str) -> bool {
    let printed: Vec<&str> = printed.lines().collect();
    let mut from = 0;
    shown.trim_end().split(&format!("{LEFT_OUT}\n")).all(|part| {
        let part: Vec<&str> = part.trim_end_matches('\n').lines().collect();
        let found =
            (from..=printed.len().saturating_sub(part.len())).find(|&at| printed[at..].starts_with(&part));
        from = found.map_or(from, |at| at + part.len());
        found.is_some() && !part.is_empty()
    })
}

/// The files that a line writes for later lines of its page.
fn written(line: &str) -> Vec<&str> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let pairs = words.windows(2).filter(|pair| ["--output", "--schedule-swf"].contains(&pair[0]));
    pairs.map(|pair| pair[1]).collect()
}

/// The commands of a page that must be run: for each block those whose output is shown next, and those that write what these or the
/// page's own files need.
fn to_run(blocks: &[(&str, &str)], own_files: &[(String, String)]) -> Vec<Vec<String>> {
    let mut needed: String = own_files.iter().map(|(_, content)| content.as_str()).collect();
    let mut is_shown = false;
    let mut found: Vec<Vec<String>> = Vec::new();
    for (kind, text) in blocks.iter().rev() {
        let mut run = Vec::new();
        if kind.is_empty() {
            for line in commands(&format!("```\n{text}```\n")).into_iter().rev() {
                if std::mem::take(&mut is_shown) || written(&line).iter().any(|file| needed.contains(file)) {
                    needed += &line;
                    run.insert(0, line);
                }
            }
        }
        is_shown = *kind == "text";
        found.insert(0, run);
    }
    found
}

/// Runs the commands of a page that its outputs need, and compares what it shows.
fn holds(name: &str) {
    let page = fs::read_to_string(root().join("docs/guides").join(name)).unwrap();
    let folder = Folder::with("unused", "");
    let own_files = files(&page);
    for (name, content) in &own_files {
        fs::write(folder.path(name), content).unwrap();
    }
    let blocks = blocks(&page);
    let (mut printed, mut shown) = (String::new(), 0);
    for ((kind, text), lines) in blocks.iter().zip(to_run(&blocks, &own_files)) {
        if *kind == "text" {
            assert!(is_printed(text, &printed), "{name} shows\n{text}\nand the command prints\n{printed}");
            shown += 1;
        }
        for line in lines {
            let arguments = line.strip_prefix("queuecast ").unwrap().replace('\'', "");
            let said = stdout(folder.recalling(&arguments).env("COLUMNS", "80"));
            // The page is for the command that is installed.
            printed = said.replace(env!("CARGO_BIN_EXE_queuecast"), "queuecast");
        }
    }
    assert!(shown > 0, "{name} shows nothing");
}

#[test]
fn every_guide_that_shows_output_is_compared() {
    let shows = |text: &str| text.contains("```text");
    for page in pages(&root().join("docs")) {
        let name = page.file_name().unwrap().to_string_lossy().into_owned();
        let is_guide = page.parent().unwrap().ends_with("guides");
        let shows = shows(&fs::read_to_string(&page).unwrap());
        assert_eq!(shows, is_guide && SHOWING.contains(&name.as_str()), "{}", page.display());
    }
}

#[test]
fn a_guide_fits_on_two_pages_and_can_be_reached() {
    let readme = fs::read_to_string(root().join("README.md")).unwrap();
    for page in pages(&root().join("docs/guides")) {
        let lines = fs::read_to_string(&page).unwrap().lines().count();
        assert!(
            lines <= MOST_LINES,
            "{} has {lines} lines; details belong in docs/reference",
            page.display()
        );
        let link = format!("docs/guides/{}", page.file_name().unwrap().to_string_lossy());
        assert!(readme.contains(&link), "README.md has no link to {link}");
    }
    assert!(readme.lines().count() <= MOST_LINES);
}

#[test]
fn the_readme_has_the_numbers_of_the_demo() {
    let readme = fs::read_to_string(root().join("README.md")).unwrap();
    let csv = stdout(&mut Folder::with("unused", "").queuecast("demo --format csv"));
    let columns = ["policy", "predictor", "mean_bounded_slowdown", "max_wait"].map(|name| column(&csv, name));
    let of = |policy: &str, predictor: &str| {
        let is = |place: &usize| columns[0][*place] == policy && columns[1][*place] == predictor;
        let place = (0..columns[0].len()).find(is).unwrap();
        (columns[2][place].parse::<f64>().unwrap(), columns[3][place].parse::<i64>().unwrap())
    };
    let (likely, easy) = (of("likely", "mixture"), of("easy", "requested"));
    let longest =
        |(_, wait): (f64, i64)| queuecast_report::duration::human(queuecast_core::units::Seconds(wait));
    for said in [
        format!("`likely` with `mixture`: {:.1}.", likely.0),
        format!("SJBF with perfect knowledge: {:.1}.", of("sjbf", "perfect").0),
        format!("EASY with what users ask for: {:.1}.", easy.0),
        format!("The longest wait is {} under `likely`, {} under EASY.", longest(likely), longest(easy)),
    ] {
        assert!(readme.contains(&said), "README.md lacks: {said}");
    }
}

/// The most lines of a guide and of the README, outputs included.
const MOST_LINES: usize = 90;

#[test]
fn what_is_printed_is_told_from_what_is_not() {
    let printed = "one\ntwo\nthree\nfour\n";
    for shown in ["one\ntwo\n", "three\n", "one\n…\nfour\n", "one\ntwo\n…\nfour\n"] {
        assert!(is_printed(shown, printed), "{shown}");
    }
    // Controls: a digit, another order, lines left out that are not said to be.
    for shown in ["one\ntwo 1\n", "two\none\n", "one\nthree\n", "four\n…\none\n", "thre\n"] {
        assert!(!is_printed(shown, printed), "{shown}");
    }
    assert_eq!(blocks("a\n```\nb\n```\nc\n```text\nd\n```\n"), [("", "b\n"), ("text", "d\n")]);
}

#[test]
fn what_a_page_shows_is_run_with_what_it_needs() {
    let page = "```\nqueuecast demo --output a.swf\nqueuecast search a.swf --output b.swf\nqueuecast demo --output c.swf\n```\n\
                ```\nqueuecast plan\nqueuecast search a.swf\n```\n```text\nfound\n```\n```\nqueuecast simulate b.swf\n```\n";
    let own = [("sites.toml".to_owned(), "log = \"c.swf\"".to_owned())];
    let run = |own: &[(String, String)]| to_run(&blocks(page), own).concat();
    assert_eq!(run(&[]), ["queuecast demo --output a.swf", "queuecast search a.swf"]);
    assert_eq!(
        run(&own),
        ["queuecast demo --output a.swf", "queuecast demo --output c.swf", "queuecast search a.swf"]
    );
}

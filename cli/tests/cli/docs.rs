//! What the documentation shows can be typed, and what it links to is there.

use std::fs;
use std::path::{Path, PathBuf};

use crate::{Folder, SACCT, json};

pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// The pages below a directory, in order.
pub fn pages(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut entries: Vec<PathBuf> =
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            found.extend(pages(&path));
        } else if path.extension().is_some_and(|extension| extension == "md") {
            found.push(path);
        }
    }
    found
}

/// The lines of a page's fenced blocks that begin with the command.
pub fn commands(page: &str) -> Vec<String> {
    lines(page).into_iter().filter(|line| line.starts_with("queuecast ")).collect()
}

/// The lines of a page's fenced blocks, comments taken off, continued lines joined.
fn lines(page: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut fenced = false;
    let mut begun = String::new();
    for line in page.lines() {
        if line.trim_start().starts_with("```") {
            fenced = !fenced;
            begun.clear();
            continue;
        }
        if !fenced {
            continue;
        }
        let line = line.trim().trim_start_matches("$ ");
        let line = line.split("  #").next().unwrap_or_default().trim();
        begun += line.trim_end_matches('\\');
        if line.ends_with('\\') {
            continue;
        }
        found.push(std::mem::take(&mut begun));
    }
    found
}

/// The files that a page shows: blocks of TOML whose first line is a comment with their name.
pub fn files(page: &str) -> Vec<(String, String)> {
    let blocks = page.split("```toml\n").skip(1).filter_map(|rest| rest.split("```").next());
    let named = |text: &str| Some((text.lines().next()?.strip_prefix("# ")?.to_owned(), text.to_owned()));
    blocks.filter_map(named).filter(|(name, _)| name.ends_with(".toml")).collect()
}

/// Small files under the names the pages use.
fn stand_ins() -> Folder {
    let folder = Folder::with("unused", "");
    for name in
        ["LOG.swf.gz", "log.swf.gz", "KTH-SP2-1996-2.swf.gz", "CTC-SP2-1996-3.1-cln.swf.gz", "site.sacct.gz"]
    {
        stand_in(&folder, name);
    }
    let site = |name: &str, log: &str| format!("[[site]]\nname = \"{name}\"\ntrace = \"{log}\"\n");
    let sites = site("kth", "KTH-SP2-1996-2.swf.gz") + &site("ctc", "CTC-SP2-1996-3.1-cln.swf.gz");
    fs::write(folder.path("sites.toml"), sites).unwrap();
    // Scores need recorded waits, and jobs to learn from.
    for line in ["demo --jobs 800 --output made.swf.gz", "simulate made.swf.gz --schedule-swf LOG.swf.gz"] {
        folder.queuecast(line).assert().success();
    }
    folder
}

/// A small file under a name that a page uses.
fn stand_in(folder: &Folder, name: &str) {
    if !name.contains("sacct") {
        // Simulated, so that it records how long jobs waited.
        folder.queuecast("demo --jobs 200 --output submitted.swf --force").assert().success();
        folder.queuecast(&format!("simulate submitted.swf --schedule-swf {name}")).assert().success();
        return;
    }
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    std::io::Write::write_all(&mut gzip, SACCT.as_bytes()).unwrap();
    fs::write(folder.path(name), gzip.finish().unwrap()).unwrap();
}

/// A small site in a folder that a page captures; there is no Slurm here to ask.
fn stand_in_site(folder: &Folder, name: &str) {
    fs::create_dir(folder.path(name)).unwrap();
    let conf = "NodeName=n[1-4] CPUs=8\nPartitionName=batch Nodes=n[1-4] Default=YES\nPartitionName=debug Nodes=n1\n";
    fs::write(folder.path(name).join("slurm.conf"), conf).unwrap();
    fs::write(folder.path(name).join("sacct.psv"), SACCT).unwrap();
}

/// The file that a line gets from elsewhere: accounting that is redirected, or a download.
fn fetched(line: &str) -> Option<&str> {
    let redirected = line.contains("sacct -a").then(|| line.rsplit("> ").next()).flatten();
    let download = line.strip_prefix("curl -O ").and_then(|address| address.rsplit('/').next());
    redirected.or(download)
}

/// What a page shows going wrong on purpose, and how it ends.
const MISTAKES: [(&str, i32); 2] = [("--policy eazy", 2), ("no-such-file.swf", 3)];

/// Lines for a shell, or with a place to fill in, cannot be typed as they are. What stands in single quotes can.
fn can_be_typed(line: &str) -> bool {
    let bare: String = line.split('\'').step_by(2).collect();
    !bare.contains(['|', '<', '$', '*', '…', ';', '&', '"', '[', '(']) && !line.contains(" - ")
}

/// A line as the command gets it: without quotes. Nothing quoted on the pages has a space in it.
fn unquoted(line: &str) -> String {
    line.split('\'').skip(1).step_by(2).for_each(|quoted| assert!(!quoted.contains(' '), "{line}"));
    line.replace('\'', "")
}

/// Runs one line of a page, if it can be typed, with a small demo; what went wrong.
fn run(folder: &Folder, shown: &str, ran: &mut Vec<String>) -> Result<(), String> {
    // Where standard output goes to is not the command's business.
    let line = shown.split(" > ").next().unwrap_or_default();
    if !can_be_typed(line) {
        return Ok(());
    }
    // It serves until it is ended; tests of its own ask it.
    if line.starts_with("queuecast serve") {
        return Ok(());
    }
    let line = unquoted(line);
    let arguments = line.strip_prefix("queuecast ").unwrap();
    let demo = arguments.starts_with("demo") && !arguments.contains("--jobs");
    let small = if demo { " --jobs 400" } else { "" };
    // Where there is no Slurm, what it is asked is understood all the same.
    let no_slurm = line.contains(" --live");
    let expected = MISTAKES.iter().find(|(part, _)| line.contains(part)).map_or(0, |&(_, code)| code);
    let expected = if no_slurm { 3 } else { expected };
    // Here is no terminal either; a test of its own watches on one.
    let is_watch = arguments.starts_with("watch");
    // Pages that are tried in one folder make files of the same name.
    let force = if arguments.contains("--output") { " --force" } else { "" };
    let mut command = folder.recalling(&format!("{arguments}{small}{force}"));
    if no_slurm {
        command.env("PATH", "/nowhere");
    }
    let output = command.output().unwrap();
    ran.push(line.clone());
    if output.status.code() == Some(expected) {
        return Ok(());
    }
    if is_watch && String::from_utf8_lossy(&output.stderr).contains("watch needs a terminal") {
        return Ok(());
    }
    Err(format!("{line}: {:?}\n{}", output.status.code(), String::from_utf8_lossy(&output.stderr)))
}

#[test]
fn every_command_the_pages_show_runs() {
    let folder = stand_ins();
    let mut all = vec![root().join("README.md")];
    all.extend(pages(&root().join("docs/concepts")));
    let (mut ran, mut wrong) = (Vec::new(), Vec::new());
    for page in all {
        for shown in commands(&fs::read_to_string(&page).unwrap()) {
            if let Some(name) = shown.strip_prefix("queuecast site capture ") {
                stand_in_site(&folder, name);
                continue;
            }
            wrong
                .extend(run(&folder, &shown, &mut ran).err().map(|why| format!("{}: {why}", page.display())));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(ran.len() >= 5, "the pages have been read: {ran:#?}");
}

#[test]
fn every_file_a_guide_uses_is_made_by_an_earlier_line_of_it() {
    let (mut ran, mut wrong) = (Vec::new(), Vec::new());
    for page in pages(&root().join("docs/guides")) {
        if page.ends_with("metascheduling.md") {
            // Run in an empty directory by the test that compares what it shows.
            continue;
        }
        let folder = Folder::with("unused", "");
        let text = fs::read_to_string(&page).unwrap();
        for (name, content) in files(&text) {
            fs::write(folder.path(&name), content).unwrap();
        }
        for shown in lines(&text) {
            if let Some(name) = fetched(&shown) {
                stand_in(&folder, name);
            } else if let Some(name) = shown.strip_prefix("queuecast site capture ") {
                stand_in_site(&folder, name);
            } else if let Some(name) = shown.strip_prefix("cp -r mysite ") {
                stand_in_site(&folder, name);
            } else if shown.starts_with("queuecast ") {
                wrong.extend(
                    run(&folder, &shown, &mut ran).err().map(|why| format!("{}: {why}", page.display())),
                );
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(ran.len() >= 40, "the pages have been read: {ran:#?}");
    assert!(MISTAKES.iter().all(|(part, _)| ran.iter().any(|line| line.contains(part))), "{ran:#?}");
}

#[test]
fn there_is_one_recipe_for_sacct() {
    let mut all = vec![root().join("README.md")];
    all.extend(pages(&root().join("docs")));
    let recipes: Vec<String> = all
        .iter()
        .flat_map(|page| lines(&fs::read_to_string(page).unwrap()))
        .filter(|line| line.contains("sacct -a"))
        .collect();
    assert!(recipes.len() >= 2, "{recipes:#?}");
    for recipe in recipes {
        let recipe: Vec<&str> = recipe.split(" |").next().unwrap().split_whitespace().collect();
        let known: Vec<&str> = queuecast_trace::sacct::EXAMPLE_COMMAND.split_whitespace().collect();
        assert_eq!(recipe, known);
    }
}

/// The commands in the tables of the page of predictors, each with the predictor it stands for.
fn commands_in_tables(page: &str) -> Vec<(String, String)> {
    let rows = page.lines().map(|line| line.split(" | ").collect::<Vec<_>>());
    let rows = rows.filter(|cells| cells.len() == 4 && cells[2].starts_with("`queuecast "));
    rows.map(|cells| {
        let predictor = cells[3].trim_end_matches(" |").trim_matches('`');
        (unquoted(cells[2].trim_matches('`')), predictor.to_owned())
    })
    .collect()
}

#[test]
fn the_predictors_of_the_papers_are_what_their_commands_run() {
    let page = fs::read_to_string(root().join("docs/reference/predictors.md")).unwrap();
    let folder = stand_ins();
    let shown = commands_in_tables(&page);
    assert!(shown.len() >= 11, "{shown:#?}");
    let value = |line: &str, option: &str| {
        let mut words = line.split_whitespace().skip_while(|word| *word != option);
        words.nth(1).unwrap_or_else(|| panic!("{line} lacks {option}")).to_owned()
    };
    for (line, predictor) in shown {
        let arguments = line.strip_prefix("queuecast ").unwrap();
        let experiment =
            json(&mut folder.queuecast(&format!("{arguments} --format json")))["experiment"].take();
        assert_eq!(experiment["predictor"], predictor, "{line}");
        for (option, field) in [("--policy", "policy"), ("--correction", "correction"), ("--limit", "limit")]
        {
            assert_eq!(experiment[field], value(&line, option), "{line}");
        }
    }
    let row = "| X | table 9 | `queuecast simulate a --predictor 'sbh:[P]'` | `sbh:[P]` |";
    let control = ("queuecast simulate a --predictor sbh:[P]".to_owned(), "sbh:[P]".to_owned());
    assert_eq!(commands_in_tables(row), [control]);
}

/// The targets of a page's links to pages and other files, each with the anchor in it.
fn links(page: &str) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut fenced = false;
    for line in page.lines() {
        fenced ^= line.trim_start().starts_with("```");
        if fenced {
            continue;
        }
        for after in line.split("](").skip(1) {
            let target = after.split([')', ' ']).next().unwrap_or_default();
            let (target, anchor) = target.split_once('#').unwrap_or((target, ""));
            if !target.contains("://") && !target.starts_with("mailto:") {
                found.push((target.to_owned(), anchor.to_owned()));
            }
        }
    }
    found
}

/// The anchors of a page: its headings in lower case, blanks as hyphens, other signs left out; a heading that is there already has a number.
fn anchors(page: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let mut fenced = false;
    for line in page.lines() {
        fenced ^= line.trim_start().starts_with("```");
        let heading = line.trim_start_matches('#');
        if fenced || heading.len() == line.len() || !heading.starts_with(' ') {
            continue;
        }
        // Of a link its text counts.
        let heading: String =
            heading.split("](").map(|part| part.split_once(')').map_or(part, |(_, rest)| rest)).collect();
        let kept = heading.trim().to_lowercase().replace(' ', "-");
        let anchor: String = kept.chars().filter(|c| c.is_alphanumeric() || "-_".contains(*c)).collect();
        let earlier = found
            .iter()
            .filter(|one| one.trim_end_matches(|c: char| c.is_ascii_digit()).trim_end_matches('-') == anchor)
            .count();
        found.push(if earlier == 0 { anchor } else { format!("{anchor}-{earlier}") });
    }
    found
}

#[test]
fn every_relative_link_leads_somewhere() {
    let mut all: Vec<PathBuf> =
        ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md"].map(|name| root().join(name)).to_vec();
    all.extend(pages(&root().join("docs")));
    all.extend(pages(&root().join("experiments")));
    let (mut followed, mut into, mut broken) = (0, 0, Vec::new());
    for page in all {
        for (target, anchor) in links(&fs::read_to_string(&page).unwrap()) {
            followed += 1;
            let file = if target.is_empty() { page.clone() } else { page.parent().unwrap().join(&target) };
            let is_page = file.extension().is_some_and(|extension| extension == "md");
            let is_there = file.exists()
                && (anchor.is_empty()
                    || !is_page
                    || anchors(&fs::read_to_string(&file).unwrap()).contains(&anchor));
            into += usize::from(is_page && !anchor.is_empty());
            if !is_there {
                broken.push(format!("{}: {target}#{anchor}", page.display()));
            }
        }
    }
    assert_eq!(broken, [""; 0]);
    assert!(
        followed >= 20 && into >= 20,
        "{followed} and {into} links are too few: the pages have not been read"
    );
}

#[test]
fn commands_and_links_are_found_where_they_are() {
    let page = "queuecast no\n```sh\n$ queuecast a b  # why\nqueuecast c \\\n  d\ncargo run\n```\n[x](y.md#z) [w](https://w)\n";
    assert_eq!(commands(page), ["queuecast a b", "queuecast c d"]);
    assert_eq!(links(page), [("y.md".to_owned(), "z".to_owned())]);
    let headings = "# A `b`, c?\n```\n# no\n```\n## See [d](e.md) too\n## What: 2 of 3\n## A b c\n";
    assert_eq!(anchors(headings), ["a-b-c", "see-d-too", "what-2-of-3", "a-b-c-1"]);
    assert_eq!(fetched("SLURM_TIME_FORMAT=%s sacct -a -X | gzip > site.sacct.gz"), Some("site.sacct.gz"));
    assert_eq!(fetched("curl -O https://w/x/LOG.swf.gz"), Some("LOG.swf.gz"));
    assert_eq!(fetched("queuecast demo > here"), None);
    assert!(can_be_typed("queuecast a 'sbh:[P,*]' b") && !can_be_typed("queuecast a sbh:[P,*] 'b'"));
    assert_eq!(unquoted("queuecast a 'sbh:[P,*]' b"), "queuecast a sbh:[P,*] b");
}

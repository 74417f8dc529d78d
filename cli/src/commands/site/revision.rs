//! A configuration as it is in a folder, in a file, or in a commit of a git repository, which is only read.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use queuecast_process::failure::Failure;
use queuecast_process::printer::Printer;
use queuecast_process::program::{Unanswered, answered};
use queuecast_trace::plain_text;

use crate::commands::site_texts::{log_texts, texts};

/// How long git may take for one file.
const LIMIT: Duration = Duration::from_secs(60);

/// A longer file is nothing that describes a site.
const LONGEST: u64 = 1 << 28;

const HINT: &str =
    "name a folder or slurm.conf, or COMMIT:PATH of a git repository (of the current folder, or --repo DIR)";

/// The texts of a configuration by name: of a folder, of a file (read as `slurm.conf`), or of `COMMIT:PATH`.
pub fn configured(
    given: &Path,
    repository: Option<&Path>,
    printer: &Printer,
) -> Result<BTreeMap<String, String>, Failure> {
    if given.is_dir() && repository.is_none() {
        return texts(given, printer);
    }
    if given.is_file() && repository.is_none() {
        let file = log_texts(given, printer)?;
        return Ok(file.into_values().map(|text| ("slurm.conf".to_owned(), text)).collect());
    }
    let name = given.display().to_string();
    // A commit alone is its whole tree; without --repo, only what has a colon can be one.
    let object = match (name.contains(':'), repository.is_some()) {
        (true, _) => name.clone(),
        (false, true) => format!("{name}:"),
        (false, false) => {
            return Err(Failure::input(format!("{name}: there is no such folder or file")).hint(HINT));
        }
    };
    if object.starts_with('-') {
        return Err(Failure::usage(format!("{name} is not a commit")).hint(HINT));
    }
    of_commit(&Git { folder: repository.unwrap_or(Path::new(".")) }, &object, printer)
}

/// git, in a folder of a repository.
struct Git<'a> {
    folder: &'a Path,
}

impl Git<'_> {
    /// What a command of git prints. Only commands that write nothing are run, and without locks.
    fn printed(&self, arguments: &[&str]) -> Result<Vec<u8>, Failure> {
        let mut command = Command::new("git");
        command.arg("-C").arg(self.folder).args(arguments).env("GIT_OPTIONAL_LOCKS", "0").env("LC_ALL", "C");
        let (status, stdout, stderr) = answered(command, LIMIT, || {}).map_err(|why| match why {
            Unanswered::Absent => Failure::input("there is no git here, which reads COMMIT:PATH")
                .hint("install git, or name two folders: git worktree add and git archive make them"),
            why => Failure::input(format!("git {}: {why}", arguments.join(" "))),
        })?;
        if status.success() {
            return Ok(stdout);
        }
        let said = String::from_utf8_lossy(&stderr).into_owned();
        let said = said.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or("it does not say why");
        let said = said.trim_start_matches("fatal: ").to_owned();
        Err(Failure::input(format!("git {}: {said}", arguments.join(" "))).hint(HINT))
    }
}

fn of_commit(git: &Git<'_>, object: &str, printer: &Printer) -> Result<BTreeMap<String, String>, Failure> {
    let kind = git.printed(&["cat-file", "-t", object])?;
    if kind.trim_ascii() == b"blob" {
        let text = text_of(object, git.printed(&["cat-file", "blob", object])?)?;
        return Ok([("slurm.conf".to_owned(), text)].into());
    }
    let mut files = BTreeMap::new();
    let listed = git.printed(&["ls-tree", "-z", "-l", object])?;
    for line in listed.split(|&byte| byte == 0).filter(|line| !line.is_empty()) {
        let line = String::from_utf8_lossy(line);
        // Mode, kind, object and size, a tab, the name.
        let Some((about, file)) = line.split_once('\t') else { continue };
        let mut about = about.split_whitespace();
        let (mode, kind, hash, size) = (about.next(), about.next(), about.next(), about.next());
        let size = size.and_then(|size| size.parse::<u64>().ok()).unwrap_or_default();
        let (Some("blob"), Some(hash)) = (kind, hash) else { continue };
        if mode == Some("120000") {
            printer.warning(&format!("{object}/{file} is left out: it is a link, which is not followed"));
            continue;
        }
        if size > LONGEST {
            printer.warning(&format!("{object}/{file} is left out: it is longer than {} MB", LONGEST >> 20));
            continue;
        }
        match text_of(file, git.printed(&["cat-file", "blob", hash])?) {
            Ok(text) => {
                let plain = file.trim_end_matches(".gz").trim_end_matches(".zst").to_owned();
                files.entry(plain).or_insert(text);
            }
            Err(why) => printer.warning(&format!("{object}/{file} is left out: {why}")),
        }
    }
    if files.is_empty() {
        return Err(Failure::input(format!("{object}: there are no files")).hint(HINT));
    }
    Ok(files)
}

/// A file of a commit as text, undone if it is compressed.
fn text_of(name: &str, bytes: Vec<u8>) -> Result<String, Failure> {
    plain_text(std::io::Cursor::new(bytes), LONGEST)
        .map_err(|cause| Failure::input(format!("cannot read {name}")).because(cause))
}

//! The texts of a site's folder, and of what is submitted to it.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io;
use std::path::Path;

use queuecast::eval::SitePolicy;
use queuecast::sim::Backfill;
use queuecast::slurm::WhatIfError;
use queuecast::trace::plain_text;

use crate::failure::Failure;
use crate::input::Input;
use crate::printer::Printer;

/// A longer text is nothing that describes a site.
const LONGEST: u64 = 1 << 28;

/// Accounting of years is no longer.
const LONGEST_LOG: u64 = 1 << 32;

/// The texts of a log: of one file, of standard input for `-`, or of the folder of a recorded run.
pub fn log_texts(path: &Path, printer: &Printer) -> Result<BTreeMap<String, String>, Failure> {
    if path.is_dir() {
        return texts(path, printer);
    }
    let input = Input::open(path, printer)?;
    let name = input.name.clone();
    let text = plain_text(input, LONGEST_LOG)
        .map_err(|cause| Failure::input(format!("cannot read {name}")).because(cause))?;
    let file = path.file_name().map_or(name, |file| file.to_string_lossy().into_owned());
    Ok([(file.trim_end_matches(".gz").trim_end_matches(".zst").to_owned(), text)].into())
}

/// The files of a folder as texts by name, compressed ones undone; `.gz` and `.zst` are taken off their names. A file that
/// cannot be read is warned of.
pub fn texts(folder: &Path, printer: &Printer) -> Result<BTreeMap<String, String>, Failure> {
    let name = folder.display().to_string();
    let entries = fs::read_dir(folder).map_err(|cause| match cause.kind() {
        io::ErrorKind::NotFound => Failure::input(format!("{name}: there is no such folder"))
            .hint("queuecast site capture DIR makes one on a machine of the site"),
        io::ErrorKind::NotADirectory => {
            Failure::input(format!("{name} is not a folder")).hint("name the folder that the files are in")
        }
        _ => Failure::input(format!("cannot read {name}")).because(cause),
    })?;
    let mut texts = BTreeMap::new();
    for entry in entries {
        let path =
            entry.map_err(|cause| Failure::input(format!("cannot read {name}")).because(cause))?.path();
        if !path.is_file() {
            continue;
        }
        let file = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let plain = file.trim_end_matches(".gz").trim_end_matches(".zst").to_owned();
        match File::open(&path).and_then(|source| plain_text(source, LONGEST)) {
            Ok(text) => {
                texts.insert(plain, text);
            }
            Err(cause) => printer.warning(&format!("{file} is left out: {cause}")),
        }
    }
    Ok(texts)
}

/// Who runs next at a site: Slurm's own scheduler if no policy is given.
pub fn site_policy(given: Option<&Backfill>) -> Result<SitePolicy, Failure> {
    let Some(policy) = given else { return Ok(SitePolicy::SLURM) };
    SitePolicy::of(policy.clone()).map_err(|error| {
        Failure::usage(error.to_string())
            .hint("fcfs, easy, sjbf and conservative do, with their depth, order and form")
    })
}

/// Why nothing can be simulated at a site, and what to do.
pub fn what_if_failure(error: WhatIfError, site: &str, log: &str) -> Failure {
    match error {
        WhatIfError::Change(error) => Failure::usage(format!("a setting cannot be changed: {error}"))
            .hint("queuecast site check DIR --format json lists partitions, QOS, accounts, nodes and settings"),
        WhatIfError::NoMachine(_) => Failure::input(format!("{site}: {error}"))
            .hint("expected slurm.conf, or outputs of scontrol show node and partition"),
        WhatIfError::Log(_) | WhatIfError::NoSubmissions(_) => Failure::input(format!("{log}: {error}"))
            .hint("a list of submissions has the columns submit,user,account,run,args (docs/reference/submissions.md)"),
    }
}

//! The tables that Slurm's scripts look up at a submission, kept as files by a collector.

use std::fs::OpenOptions;
use std::path::{Path, PathBuf};

use queuecast_core::asking::Refusal;
use queuecast_core::units::Seconds;
use queuecast_live::{
    Ask, LIMITS_FILE, STARTS_FILE, SiteDefaults, SubmissionScript, SubmissionTables, declared,
};
use queuecast_process::failure::Failure;
use queuecast_process::output::PlannedFile;

/// A folder of tables.
#[derive(Debug)]
pub struct SubmissionFiles {
    folder: PathBuf,
    /// A table is used for this long.
    valid: Seconds,
    /// Whether the defaults were asked for since this process began.
    has_asked: bool,
}

/// What the site gives to jobs that do not ask for it, as `sinfo` prints it.
const DEFAULTS_FILE: &str = "defaults";

/// How many looks a table is used for; no less than ten minutes in any case.
const LOOKS_VALID: i64 = 5;
const LEAST_VALID: Seconds = Seconds(600);

impl SubmissionFiles {
    /// In a folder, which is made; tables are written at looks that far apart.
    pub fn within(folder: &Path, every: Seconds) -> Result<SubmissionFiles, Failure> {
        std::fs::create_dir_all(folder)
            .map_err(|cause| Failure::input(format!("cannot make {}", folder.display())).because(cause))?;
        let limits = folder.join(LIMITS_FILE);
        let mut made = OpenOptions::new();
        made.write(true).create_new(true);
        // It tells of each user how long its jobs ran. One that is there keeps its permissions.
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut made, 0o600);
        drop(made.open(&limits));
        let valid = Seconds(every.0.saturating_mul(LOOKS_VALID)).max(LEAST_VALID);
        Ok(SubmissionFiles { folder: folder.to_owned(), valid, has_asked: false })
    }

    /// Asks for the site's defaults until Slurm has answered once, and keeps them beside the tables.
    pub fn ask_defaults(&mut self, slurm: &dyn Ask) {
        if self.has_asked {
            return;
        }
        if let Ok(text) = slurm.ask(&declared::defaults()) {
            self.has_asked = written(&self.folder.join(DEFAULTS_FILE), &text).is_none();
        }
    }

    /// What tables are made with: the site's defaults as they were asked for, and how long a table holds.
    pub fn settings(&self) -> (SiteDefaults, Seconds) {
        let text = std::fs::read_to_string(self.folder.join(DEFAULTS_FILE)).unwrap_or_default();
        (SiteDefaults::read(&text), self.valid)
    }

    /// Writes tables, each whole. What cannot be written ends no collector: it is returned.
    pub fn write(&self, tables: &SubmissionTables) -> Vec<String> {
        let files = [(STARTS_FILE, &tables.starts), (LIMITS_FILE, &tables.limits)];
        files.iter().filter_map(|(name, text)| written(&self.folder.join(name), text)).collect()
    }
}

/// Writes a file whole; why it could not be.
fn written(file: &Path, text: &str) -> Option<String> {
    let done = PlannedFile::new(file, &[]).and_then(|planned| planned.write(text));
    done.err().map(|failure| failure.to_string())
}

/// The text of a script with its tables in a folder.
pub fn script(which: SubmissionScript, folder: &Path) -> Result<String, Failure> {
    let folder = std::path::absolute(folder).unwrap_or_else(|_| folder.to_owned());
    let refused = || Refusal::question(format!("{}: its name is no text of UTF-8", folder.display()));
    Ok(which.text(folder.to_str().ok_or_else(refused)?)?)
}

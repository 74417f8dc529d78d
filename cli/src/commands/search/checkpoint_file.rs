//! The file that a search is kept in: written whole after each step, and read only for the same search.

use std::fs;
use std::path::{Path, PathBuf};

use queuecast_process::failure::Failure;
use queuecast_process::output::PlannedFile;
use queuecast_study::search::SearchRun;

/// A file that a search is kept in.
#[derive(Debug)]
pub struct CheckpointFile {
    path: PathBuf,
    trace: PathBuf,
}

impl CheckpointFile {
    /// Refuses a file that cannot be written, and one that exists unless the search is resumed from it.
    pub fn new(path: &Path, trace: &Path, resume: bool) -> Result<CheckpointFile, Failure> {
        PlannedFile::new(path, &[trace])?;
        let name = path.display();
        match (path.exists(), resume) {
            (true, false) => Err(Failure::usage(format!("{name} is there already"))
                .hint("resume from it with --resume, remove it, or name another file")),
            (false, true) => {
                Err(Failure::usage(format!("there is no checkpoint {name}")).hint("begin without --resume"))
            }
            _ => Ok(CheckpointFile { path: path.to_owned(), trace: trace.to_owned() }),
        }
    }

    /// The path as it was given.
    pub fn name(&self) -> String {
        self.path.display().to_string()
    }

    /// Writes the state of the search.
    pub fn write(&self, run: &SearchRun<'_>) -> Result<(), Failure> {
        let text = run
            .checkpoint_text()
            .map_err(|cause| Failure::unexpected("cannot write the search as JSON").because(cause))?;
        PlannedFile::new(&self.path, &[&self.trace])?.write(&text)
    }

    /// Goes on with the search from the state in the file.
    pub fn resume(&self, run: &mut SearchRun<'_>) -> Result<(), Failure> {
        let name = self.name();
        let text = fs::read_to_string(&self.path)
            .map_err(|cause| Failure::input(format!("cannot read {name}")).because(cause))?;
        run.resume_text(&text).map_err(|why| {
            Failure::input(format!("{name}: {why}"))
                .hint("search again without --resume and with another --checkpoint, or give the same trace and options")
        })
    }
}

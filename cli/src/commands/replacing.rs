//! `--force`: what becomes of a file that is there already.

use std::path::Path;

use queuecast_process::failure::Failure;
use queuecast_process::output::PlannedFile;

/// What becomes of a file that `--output` names and that is there already.
#[derive(Debug, Clone, Copy, Default, clap::Args)]
#[group(skip)]
pub struct Replacing {
    /// Replace the file of --output if it exists; without this, only an empty one is replaced
    #[arg(long)]
    pub force: bool,
}

impl Replacing {
    /// Plans the file of `--output`, if one is asked for.
    pub fn plan(self, path: Option<&Path>, inputs: &[&Path]) -> Result<Option<PlannedFile>, Failure> {
        PlannedFile::kept(path, inputs, self.force)
    }
}

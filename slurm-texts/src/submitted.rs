//! Submissions that are described by a question: a list of them, or an array.

use super::expressions::array;
use super::jobs::jobs;
use super::notes::{Misread, Notes};
use queuecast_slurm_sim::cluster::{JobArray, SubmittedJob};

/// Reads a list of submissions, as [`write_submissions`](super::write_submissions) writes it.
///
/// # Errors
/// The first line that cannot be read.
pub fn read_submissions(file: &str, text: &str) -> Result<Vec<SubmittedJob>, Misread> {
    let mut notes = Notes::default();
    let list = jobs(file, text, &mut notes);
    match notes.misread.into_iter().next() {
        Some(misread) => Err(misread),
        None => Ok(list.submissions),
    }
}

/// Reads the indices of an array as sbatch takes them: `1-500`, `1-500:2`, `1,3,7`, each with `%20` for how many may run at once.
pub fn read_array(text: &str) -> Option<JobArray> {
    array(text)
}

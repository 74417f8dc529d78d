//! Which files this command reads and which it writes: none is both, and none is written twice, however they are named.
//!
//! Every file that is opened for reading is noted here, and every file that is to be written. The later of the two finds out.

use std::fs::{self, File, Metadata};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::failure::Failure;

static FILES: Mutex<NotedFiles> =
    Mutex::new(NotedFiles { inputs: Vec::new(), outputs: Vec::new(), stdout: None, next: 0 });

struct NotedFiles {
    inputs: Vec<NotedInput>,
    outputs: Vec<NotedOutput>,
    /// The file that standard output is, if it is one.
    stdout: Option<FileId>,
    next: u64,
}

struct NotedInput {
    id: FileId,
    /// `None` of standard input.
    path: Option<PathBuf>,
}

impl NotedInput {
    /// Whether it is this file. One that has been removed since may have left its number to another.
    fn is(&self, id: &FileId) -> bool {
        self.id == *id && self.path.as_ref().is_none_or(|path| id_of(path).as_ref() == Some(id))
    }
}

struct NotedOutput {
    claim: u64,
    name: String,
    target: PathBuf,
}

/// What tells a file from all others: the same through links and other spellings of its path.
#[derive(Debug, Clone, PartialEq, Eq)]
struct FileId {
    #[cfg(unix)]
    device: u64,
    #[cfg(unix)]
    number: u64,
    #[cfg(not(unix))]
    path: PathBuf,
}

/// A file that will be written, until this is dropped.
#[derive(Debug)]
pub struct OutputClaim(u64);

impl Drop for OutputClaim {
    fn drop(&mut self) {
        files().outputs.retain(|one| one.claim != self.0);
    }
}

fn files() -> MutexGuard<'static, NotedFiles> {
    FILES.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Notes that a file is read. Refuses one that will be written.
pub fn reads(path: &Path) -> Result<(), Failure> {
    let Some(id) = fs::metadata(path).ok().and_then(|about| id(path, &about)) else { return Ok(()) };
    reads_file(id, Some(path))
}

/// Notes that standard input is read, which may be a file. Refuses one that will be written.
pub fn reads_stdin() -> Result<(), Failure> {
    match stream(&io::stdin()) {
        Some(id) => reads_file(id, None),
        None => Ok(()),
    }
}

/// Notes where answers are printed, which may be a file.
#[cfg(unix)]
pub fn prints_to(stdout: &impl std::os::fd::AsFd) {
    files().stdout = stream(stdout);
}

/// Notes where answers are printed; nothing is known of it here.
#[cfg(not(unix))]
pub fn prints_to<T>(_: &T) {}

fn reads_file(id: FileId, path: Option<&Path>) -> Result<(), Failure> {
    let mut files = files();
    if files.stdout.as_ref().is_some_and(|output| *output == id) {
        let name = path.map_or_else(|| "standard input".to_owned(), |path| path.display().to_string());
        return Err(Failure::usage(format!("standard output is a file that is read: {name}"))
            .hint("write to another file"));
    }
    if let Some(output) = files.outputs.iter().find(|one| id_of(&one.target).is_some_and(|one| one == id)) {
        return Err(both(&output.name));
    }
    if !files.inputs.iter().any(|one| one.is(&id)) {
        files.inputs.push(NotedInput { id, path: path.map(Path::to_owned) });
    }
    Ok(())
}

/// Notes that a file will be written. Refuses one that is read, here or by what `inputs` name, and one that another output is
/// written to.
pub fn writes(name: &str, target: &Path, inputs: &[&Path]) -> Result<OutputClaim, Failure> {
    let mut files = files();
    let own = id_of(target);
    if let Some(own) = &own {
        let named = inputs.iter().filter_map(|input| id_of(input));
        if files.inputs.iter().any(|one| one.is(own)) || named.into_iter().any(|input| input == *own) {
            return Err(both(name));
        }
    }
    let is_same = |one: &&NotedOutput| match (&own, id_of(&one.target)) {
        (Some(own), Some(other)) => *own == other,
        (None, None) => place(&one.target) == place(target),
        _ => false,
    };
    // A device may well be written twice.
    let is_file = fs::metadata(target).map_or(true, |about| about.is_file());
    if is_file && files.outputs.iter().any(|one| is_same(&one)) {
        return Err(Failure::usage(format!("{name} is asked for twice"))
            .hint("name a file of its own for each output"));
    }
    let claim = files.next;
    files.next += 1;
    files.outputs.push(NotedOutput { claim, name: name.to_owned(), target: target.to_owned() });
    Ok(OutputClaim(claim))
}

fn both(name: &str) -> Failure {
    Failure::usage(format!("{name} is both input and output")).hint("write to another file")
}

/// The folder that a file is in or would be in.
pub fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|parent| *parent != Path::new("")).unwrap_or(Path::new("."))
}

/// The folder that a file would be in, whatever its spelling, and its name.
fn place(path: &Path) -> (Option<PathBuf>, Option<&std::ffi::OsStr>) {
    (folder_of(path).canonicalize().ok(), path.file_name())
}

/// A file that is there; `None` for folders, pipes and devices, which are never replaced.
fn id_of(path: &Path) -> Option<FileId> {
    fs::metadata(path).ok().and_then(|about| id(path, &about))
}

#[cfg(unix)]
fn id(_: &Path, about: &Metadata) -> Option<FileId> {
    use std::os::unix::fs::MetadataExt;
    about.is_file().then(|| FileId { device: about.dev(), number: about.ino() })
}

#[cfg(not(unix))]
fn id(path: &Path, about: &Metadata) -> Option<FileId> {
    about.is_file().then(|| path.canonicalize().ok()).flatten().map(|path| FileId { path })
}

/// The file that a standard stream is, if it is one.
#[cfg(unix)]
fn stream(stream: &impl std::os::fd::AsFd) -> Option<FileId> {
    let file = File::from(stream.as_fd().try_clone_to_owned().ok()?);
    id(Path::new(""), &file.metadata().ok()?)
}

#[cfg(not(unix))]
fn stream<T>(_: &T) -> Option<FileId> {
    let _: Option<File> = None;
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_read_or_written_whichever_comes_first() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        for name in ["a", "b"] {
            fs::write(path(name), "x").unwrap();
        }
        fs::hard_link(path("a"), path("hard")).unwrap();
        reads(&path("a")).unwrap();
        for same in ["a", "./a", "hard"] {
            let refused = writes("out", &path(same), &[]).unwrap_err();
            assert_eq!(refused.to_string(), "out is both input and output", "{same}");
        }
        let claim = writes("out", &path("b"), &[]).unwrap();
        assert!(reads(&path("b")).is_err(), "the input comes later");
        assert!(writes("again", &path("./b"), &[]).unwrap_err().to_string().contains("asked for twice"));
        drop(claim);
        reads(&path("b")).unwrap();
        // Files that are not there yet.
        let claim = writes("new", &path("new"), &[]).unwrap();
        assert!(writes("new", &path("./new"), &[]).is_err());
        assert!(writes("other", &path("other"), &[]).is_ok());
        drop(claim);
        assert!(writes("new", &path("new"), &[&path("a")]).is_ok());
        assert!(writes("b", &path("b"), &[&path("b")]).is_err());
    }

    /// Files of these crates that open files, before their tests.
    fn opening(folder: &Path, found: &mut Vec<String>) {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                opening(&path, found);
                continue;
            }
            let text = fs::read_to_string(&path).unwrap();
            let code = text.split("#[cfg(test)]").next().unwrap_or_default();
            let code = code.split("#[cfg(all(test").next().unwrap_or_default();
            if ["File::open(", "fs::read(", "read_to_string(path", "read_to_string(&self", "File::options()"]
                .iter()
                .any(|call| code.contains(call))
            {
                found.push(path.file_name().unwrap().to_string_lossy().into_owned());
            }
        }
    }

    #[test]
    fn every_place_that_opens_files_is_known() {
        let mut found = Vec::new();
        for krate in ["process", "operate", "cli"] {
            opening(&Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(krate).join("src"), &mut found);
        }
        found.sort();
        // A checkpoint and the cache are read and written by design; outputs and temporary files are written; a job script is looked into
        // before it is read as one; files of settings and tokens are no inputs of an answer; the rest notes what it reads.
        let known = [
            "cache.rs",
            "checkpoint_file.rs",
            "input.rs",
            "job_script.rs",
            "output.rs",
            "settings.rs",
            "site_texts.rs",
            "staged.rs",
            "templates.rs",
            "temporary.rs",
            "token_file.rs",
        ];
        assert_eq!(found, known);
    }
}

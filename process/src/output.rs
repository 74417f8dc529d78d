//! Files that are written whole or not at all: into a temporary file beside the target, then renamed.

use std::fmt;
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use queuecast_trace as trace;
use queuecast_trace::Compression;
use tempfile::NamedTempFile;

use crate::failure::Failure;
use crate::roles::{self, OutputClaim, folder_of};
use crate::temporary;

/// What became of the files this command writes, for a message when it is interrupted.
static FILES: Mutex<Vec<WrittenFile>> = Mutex::new(Vec::new());

struct WrittenFile {
    name: String,
    state: FileState,
}

enum FileState {
    /// Asked for, not begun.
    Planned,
    /// Being written to a temporary file or folder.
    Begun(PathBuf),
    /// Being written in place: a pipe, a device, or standard output.
    Through,
    /// Complete.
    Complete,
}

fn files() -> MutexGuard<'static, Vec<WrittenFile>> {
    FILES.lock().unwrap_or_else(PoisonError::into_inner)
}

fn remember(files: &mut Vec<WrittenFile>, name: &str, state: FileState) {
    files.retain(|file| file.name != name);
    files.push(WrittenFile { name: name.to_owned(), state });
}

/// Notes that a folder's files are being written into a temporary folder.
pub fn staging(name: &str, temporary: &Path) {
    remember(&mut files(), name, FileState::Begun(temporary.to_owned()));
}

/// Puts a folder's files in place: `exchange` is done whole, and is not interrupted.
pub fn exchange<T>(name: &str, exchange: impl FnOnce() -> io::Result<T>) -> Result<T, Failure> {
    let mut files = files();
    let done = exchange().map_err(|cause| Failure::writing(name, cause))?;
    remember(&mut files, name, FileState::Complete);
    Ok(done)
}

/// Notes that a result is being written to standard output.
pub fn streaming() {
    remember(&mut files(), "standard output", FileState::Through);
}

/// Removes the temporary files of a command that ends now, and says what became of its files. Nothing can be written
/// afterwards.
pub fn abandon() -> String {
    let files = files();
    let said = told(&files);
    for file in files.iter() {
        if let FileState::Begun(temporary) = &file.state {
            // What cannot be removed is left.
            let _ =
                if temporary.is_dir() { fs::remove_dir_all(temporary) } else { fs::remove_file(temporary) };
        }
    }
    // The lock is kept, so that no file is begun or completed before the process ends.
    std::mem::forget(files);
    said
}

fn told(files: &[WrittenFile]) -> String {
    let names = |is: fn(&FileState) -> bool| {
        let names: Vec<&str> =
            files.iter().filter(|file| is(&file.state)).map(|file| file.name.as_str()).collect();
        (!names.is_empty()).then(|| names.join(", "))
    };
    let written =
        names(|state| matches!(state, FileState::Complete)).map(|names| format!("written: {names}"));
    let partly =
        names(|state| matches!(state, FileState::Through)).map(|names| format!("incomplete: {names}"));
    let not = names(|state| matches!(state, FileState::Planned | FileState::Begun(_)))
        .map(|names| format!("not written: {names}"));
    let said: Vec<String> = [written, partly, not].into_iter().flatten().collect();
    if said.is_empty() { "no file was written".to_owned() } else { said.join("; ") }
}

/// A file that will be written. That it can be written has been checked; nothing has been created yet, so an
/// interrupted command leaves nothing behind.
#[derive(Debug)]
pub struct PlannedFile {
    name: String,
    target: PathBuf,
    claim: OutputClaim,
}

/// A file being written, compressed as its name says (`.gz`, `.zst`). Until [`Output::commit`], the target is
/// as it was; dropping it leaves no trace.
pub struct Output {
    name: String,
    target: PathBuf,
    sink: trace::CompressedOutput<Sink>,
    /// Until it is written or given up, nothing else is written there.
    _claim: OutputClaim,
}

#[derive(Debug)]
enum Sink {
    Beside(BufWriter<NamedTempFile>),
    /// A pipe or a device must not be replaced by a file.
    Through(BufWriter<File>),
}

impl fmt::Debug for Output {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Output").field("target", &self.target).finish_non_exhaustive()
    }
}

impl PlannedFile {
    /// Plans a file. Refuses one that is also an input, through links too and whether it has been opened yet or not, one that
    /// another output is written to, and one that cannot be written.
    pub fn new(path: &Path, inputs: &[&Path]) -> Result<PlannedFile, Failure> {
        let name = path.display().to_string();
        if path == Path::new("-") {
            return Err(Failure::usage("this output needs a file, not -").hint("use /dev/stdout if you must"));
        }
        // Through a symbolic link, the file it points to is replaced, not the link.
        let target = path.canonicalize().unwrap_or_else(|_| path.to_owned());
        let claim = roles::writes(&name, &target, inputs)?;
        let about = fs::metadata(&target).ok();
        if about.as_ref().is_some_and(fs::Metadata::is_dir) {
            return Err(Failure::usage(format!("{name} is a directory")).hint("name a file in it"));
        }
        let planned = PlannedFile { name, target, claim };
        let mut files = files();
        if about.is_none_or(|about| about.is_file()) {
            // Removed at the end of this line: it only shows that the file can be created.
            drop(planned.temporary()?);
        }
        remember(&mut files, &planned.name, FileState::Planned);
        Ok(planned)
    }

    /// Plans a file if one is asked for.
    pub fn asked(path: Option<&Path>, inputs: &[&Path]) -> Result<Option<PlannedFile>, Failure> {
        path.map(|path| PlannedFile::new(path, inputs)).transpose()
    }

    /// Plans the file of `--output`, if one is asked for. What may be the only copy of something is not replaced
    /// unasked: a file with something in it is refused unless `is_replaced`.
    pub fn kept(
        path: Option<&Path>,
        inputs: &[&Path],
        is_replaced: bool,
    ) -> Result<Option<PlannedFile>, Failure> {
        let planned = PlannedFile::asked(path, inputs)?;
        let is_there = |planned: &PlannedFile| {
            fs::metadata(&planned.target).is_ok_and(|about| about.is_file() && about.len() > 0)
        };
        match planned {
            Some(planned) if !is_replaced && is_there(&planned) => {
                Err(Failure::usage(format!("{} exists already", planned.name))
                    .hint("name another file, or replace it with --force"))
            }
            planned => Ok(planned),
        }
    }

    /// The path as it was given.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Writes a text into it.
    pub fn write(self, text: &str) -> Result<(), Failure> {
        self.write_by(|output| output.write_all(text.as_bytes()))
    }

    /// Writes it.
    pub fn write_by(self, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<(), Failure> {
        let mut output = self.begin()?;
        write(&mut output).map_err(|cause| Failure::writing(&output.name, cause))?;
        output.commit()
    }

    /// Begins to write it.
    pub fn begin(self) -> Result<Output, Failure> {
        if fs::metadata(&self.target).is_ok_and(|about| !about.is_file()) {
            let file = File::options().write(true).open(&self.target);
            let file = file.map_err(|cause| Failure::writing(&self.name, cause))?;
            remember(&mut files(), &self.name, FileState::Through);
            return Ok(self.into(Sink::Through(BufWriter::new(file))));
        }
        let mut files = files();
        let file = self.temporary()?;
        remember(&mut files, &self.name, FileState::Begun(file.path().to_owned()));
        drop(files);
        Ok(self.into(Sink::Beside(BufWriter::new(file))))
    }

    fn into(self, sink: Sink) -> Output {
        let PlannedFile { name, target, claim } = self;
        let sink = trace::CompressedOutput::new(sink, Compression::of_name(&name));
        Output { name, target, sink, _claim: claim }
    }

    /// A temporary file beside the target.
    fn temporary(&self) -> Result<NamedTempFile, Failure> {
        let PlannedFile { name, target, .. } = self;
        let folder = folder_of(target);
        let replaced = fs::metadata(target).ok().map(|about| about.permissions());
        temporary::create(folder, replaced).map_err(|cause| match cause.kind() {
            // Some file systems say so of every new file.
            io::ErrorKind::NotFound if !folder.is_dir() => Failure::usage(format!("cannot write {name}"))
                .hint(format!("the directory {} does not exist", folder.display())),
            io::ErrorKind::PermissionDenied => Failure::writing(name, cause)
                .hint(format!("check who may write there: ls -ld {}", folder.display())),
            _ => Failure::writing(name, cause),
        })
    }
}

impl Output {
    /// Puts what was written in place.
    pub fn commit(self) -> Result<(), Failure> {
        let Output { name, target, sink, _claim } = self;
        let done = sink.finish().and_then(|sink| match sink {
            Sink::Through(mut file) => file.flush(),
            Sink::Beside(file) => {
                let file = file.into_inner().map_err(io::IntoInnerError::into_error)?;
                let mut files = files();
                file.persist(&target).map_err(|refused| refused.error)?;
                remember(&mut files, &name, FileState::Complete);
                Ok(())
            }
        });
        done.map_err(|cause| Failure::writing(&name, cause))
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.sink.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.sink.flush()
    }
}

impl Write for Sink {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Sink::Beside(file) => file.write(bytes),
            Sink::Through(file) => file.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Sink::Beside(file) => file.flush(),
            Sink::Through(file) => file.flush(),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs::Permissions;

    use super::*;
    use crate::failure::Kind;

    fn planned(path: &Path, inputs: &[&Path]) -> Result<Output, Failure> {
        PlannedFile::new(path, inputs)?.begin()
    }

    fn names(folder: &Path) -> Vec<String> {
        let mut names: Vec<String> = fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    #[test]
    fn the_target_appears_only_when_complete() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("out.csv");
        let mut output = planned(&path, &[]).unwrap();
        output.write_all(b"a,b\n").unwrap();
        output.flush().unwrap();
        assert!(!path.exists());
        output.commit().unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"a,b\n");

        let mut abandoned = planned(&path, &[]).unwrap();
        abandoned.write_all(b"half").unwrap();
        drop(abandoned);
        assert_eq!(fs::read(&path).unwrap(), b"a,b\n");
        assert_eq!(names(folder.path()), ["out.csv"]);
    }

    #[test]
    fn what_became_of_the_files_is_told() {
        let mut files = Vec::new();
        assert_eq!(told(&files), "no file was written");
        remember(&mut files, "a.csv", FileState::Planned);
        remember(&mut files, "b.swf", FileState::Planned);
        assert_eq!(told(&files), "not written: a.csv, b.swf");
        remember(&mut files, "a.csv", FileState::Begun(PathBuf::from(".queuecast-1")));
        remember(&mut files, "a.csv", FileState::Complete);
        remember(&mut files, "standard output", FileState::Through);
        assert_eq!(told(&files), "written: a.csv; incomplete: standard output; not written: b.swf");
    }

    #[test]
    fn a_file_with_something_in_it_is_replaced_only_when_asked() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("out.swf");
        let plan = |force: bool| PlannedFile::kept(Some(&path), &[], force);
        assert!(plan(false).unwrap().is_some(), "it is not there yet");
        fs::write(&path, "").unwrap();
        assert!(plan(false).unwrap().is_some(), "nothing is lost");
        fs::write(&path, "old").unwrap();
        let refused = plan(false).unwrap_err();
        assert_eq!(refused.kind(), Kind::Usage);
        assert!(refused.to_string().ends_with("out.swf exists already"), "{refused}");
        assert!(refused.hints()[0].contains("--force"));
        plan(true).unwrap().unwrap().write("new").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"new");
        assert!(PlannedFile::kept(None, &[], false).unwrap().is_none());
        assert!(PlannedFile::kept(Some(Path::new("/dev/null")), &[], false).is_ok());
    }

    #[test]
    fn a_planned_file_creates_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let planned = PlannedFile::new(&folder.path().join("out.csv"), &[]).unwrap();
        assert_eq!(names(folder.path()), [""; 0]);
        let output = planned.begin().unwrap();
        assert!(names(folder.path())[0].starts_with(".queuecast-"));
        output.commit().unwrap();
        assert_eq!(names(folder.path()), ["out.csv"]);
    }

    #[test]
    fn the_name_decides_the_compression() {
        let folder = tempfile::tempdir().unwrap();
        for (name, begins) in
            [("a.csv", &b"a,b"[..]), ("a.csv.gz", &[0x1f, 0x8b]), ("a.csv.zst", &[0x28, 0xb5, 0x2f])]
        {
            let path = folder.path().join(name);
            let mut output = planned(&path, &[]).unwrap();
            output.write_all(b"a,b\n").unwrap();
            output.commit().unwrap();
            assert!(fs::read(&path).unwrap().starts_with(begins), "{name}");
        }
        assert_eq!(planned(Path::new("-"), &[]).unwrap_err().kind(), Kind::Usage);
    }

    #[test]
    fn an_input_is_never_overwritten() {
        let folder = tempfile::tempdir().unwrap();
        let input = folder.path().join("in.swf");
        fs::write(&input, "x").unwrap();
        let detour = folder.path().join(".").join("in.swf");
        let refused = planned(&detour, &[&input]).unwrap_err();
        assert_eq!(refused.kind(), Kind::Usage);
        assert!(refused.to_string().ends_with("in.swf is both input and output"), "{refused}");
        assert!(planned(&folder.path().join("other"), &[&input]).is_ok());
    }

    #[test]
    fn a_directory_and_a_missing_directory_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(planned(folder.path(), &[]).unwrap_err().kind(), Kind::Usage);
        let nowhere = planned(&folder.path().join("no").join("out"), &[]).unwrap_err();
        assert_eq!(nowhere.kind(), Kind::Usage);
        assert!(nowhere.hints()[0].ends_with("no does not exist"), "{:?}", nowhere.hints());
    }

    #[cfg(unix)]
    #[test]
    fn links_are_followed_permissions_kept_and_devices_left_alone() {
        use std::os::unix::fs::{FileTypeExt, PermissionsExt, symlink};
        let folder = tempfile::tempdir().unwrap();
        let (real, link) = (folder.path().join("real"), folder.path().join("link"));
        fs::write(&real, "old").unwrap();
        fs::set_permissions(&real, Permissions::from_mode(0o640)).unwrap();
        symlink(&real, &link).unwrap();
        assert!(planned(&link, &[&real]).is_err());
        let mut output = planned(&link, &[]).unwrap();
        output.write_all(b"new").unwrap();
        output.commit().unwrap();
        assert_eq!(fs::read(&real).unwrap(), b"new");
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(fs::metadata(&real).unwrap().permissions().mode() & 0o777, 0o640);

        let null = Path::new("/dev/null");
        let mut output = planned(null, &[]).unwrap();
        output.write_all(b"gone").unwrap();
        output.commit().unwrap();
        assert!(fs::metadata(null).unwrap().file_type().is_char_device());
    }
}

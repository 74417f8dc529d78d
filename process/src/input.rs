//! Opening an input: a path, or `-` for standard input. Every failure is one line and a hint.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, IsTerminal, Read};
use std::path::Path;

use queuecast_trace::{FORMATS, LogFormat};

use crate::failure::Failure;
use crate::nearest::nearest;
use crate::printer::Printer;
use crate::roles::{self, folder_of};

/// An open input that holds at least one byte.
pub struct Input {
    /// What to call it: the path, or "standard input".
    pub name: String,
    reader: Box<dyn BufRead + Send>,
}

impl std::fmt::Debug for Input {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Input").field("name", &self.name).finish_non_exhaustive()
    }
}

impl Input {
    /// Opens a path, or standard input for `-`.
    pub fn open(path: &Path, printer: &Printer) -> Result<Input, Failure> {
        if path == Path::new("-") {
            if io::stdin().is_terminal() {
                printer.note("reading from the terminal; end with Ctrl-D on a line of its own");
            }
            roles::reads_stdin()?;
            return Input::over("standard input".to_owned(), BufReader::new(io::stdin()));
        }
        Input::of_file(path)
    }

    /// Opens a path.
    pub fn of_file(path: &Path) -> Result<Input, Failure> {
        let name = path.display().to_string();
        let file = File::open(path).map_err(|cause| refused(path, &name, cause))?;
        // Opening a directory succeeds on Unix; reading it does not.
        if file.metadata().is_ok_and(|about| about.is_dir()) {
            return Err(directory(path, &name));
        }
        roles::reads(path)?;
        Input::over(name, BufReader::with_capacity(1 << 16, file))
    }

    fn over(name: String, mut reader: impl BufRead + Send + 'static) -> Result<Input, Failure> {
        let first = reader
            .fill_buf()
            .map_err(|cause| Failure::input(format!("cannot read {name}")).because(cause))?;
        if first.is_empty() {
            return Err(Failure::empty(&name));
        }
        Ok(Input { name, reader: Box::new(reader) })
    }
}

impl Read for Input {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.reader.read(buffer)
    }
}

impl BufRead for Input {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        self.reader.fill_buf()
    }

    fn consume(&mut self, amount: usize) {
        self.reader.consume(amount);
    }
}

fn refused(path: &Path, name: &str, cause: io::Error) -> Failure {
    match cause.kind() {
        io::ErrorKind::NotFound => missing(path, name),
        io::ErrorKind::PermissionDenied => {
            Failure::input(format!("{name}: permission denied")).hint("check who may read it: ls -l")
        }
        _ => Failure::input(format!("cannot open {name}")).because(cause),
    }
}

fn missing(path: &Path, name: &str) -> Failure {
    let failure = Failure::input(format!("{name}: no such file"));
    let folder = folder_of(path);
    if !folder.is_dir() {
        return failure.hint(format!("the directory {} does not exist", folder.display()));
    }
    let wanted = path.file_name().map(OsStr::to_string_lossy);
    match wanted.and_then(|wanted| nearest(&wanted, files_in(folder)).into_iter().next()) {
        Some(similar) => failure.hint(format!("did you mean {}?", path.with_file_name(similar).display())),
        None => failure.hint("paths are relative to the current directory; use - for standard input"),
    }
}

fn directory(path: &Path, name: &str) -> Failure {
    let failure = Failure::input(format!("{name} is a directory"));
    let files = files_in(path);
    if files.iter().any(|file| is_slurm_conf(file)) {
        return failure.hint(format!(
            "it has a Slurm site's configuration: simulate, compare, when and advise take it as --site {name}, beside the jobs; \
             the jobs of a recorded run are in the same folder, as in queuecast simulate {name} --site {name}"
        ));
    }
    let traces = files.into_iter().filter(|file| looks_like_a_trace(file)).collect::<Vec<_>>();
    match traces.first() {
        Some(first) => failure.hint(format!("name a file in it, such as {}", path.join(first).display())),
        None => failure.hint("name a file in it"),
    }
}

/// The names of a directory's files, sorted.
fn files_in(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let files = entries.filter(|entry| entry.path().is_file());
    let mut names: Vec<String> = files.filter_map(|entry| entry.file_name().into_string().ok()).collect();
    names.sort();
    names
}

fn looks_like_a_trace(name: &str) -> bool {
    let bare = name.trim_end_matches(".gz").trim_end_matches(".zst");
    let endings = FORMATS.into_iter().filter_map(LogFormat::ending);
    endings.chain([".sacct", ".csv", ".txt", ".psv"]).any(|ending| bare.ends_with(ending))
}

/// Whether this is the configuration that every Slurm site has.
fn is_slurm_conf(name: &str) -> bool {
    name.trim_end_matches(".gz").trim_end_matches(".zst") == "slurm.conf"
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(path: &Path) -> (String, String) {
        let failure = Input::open(path, &Printer::silent()).unwrap_err();
        assert_eq!(failure.kind(), crate::failure::Kind::Input);
        (failure.to_string(), failure.hints().join(" "))
    }

    #[test]
    fn a_file_is_read_from_its_first_byte() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.swf");
        fs::write(&path, "; header\n").unwrap();
        let mut text = String::new();
        Input::open(&path, &Printer::silent()).unwrap().read_to_string(&mut text).unwrap();
        assert_eq!(text, "; header\n");
    }

    #[test]
    fn a_missing_file_suggests_its_neighbour() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["KTH-SP2-1996-2.1-cln.swf.gz", "SDSC-BLUE.swf", "notes.md"] {
            fs::write(folder.path().join(name), "x").unwrap();
        }
        for (asked, meant) in [
            ("kth-sp2-1996-2.1-cln.swf.gz", "KTH-SP2-1996-2.1-cln.swf.gz"),
            ("KTH-SP2-1996-2.1-cln.swf", "KTH-SP2-1996-2.1-cln.swf.gz"),
            ("SDSC-BLEU.swf", "SDSC-BLUE.swf"),
        ] {
            let (what, hint) = said(&folder.path().join(asked));
            assert_eq!(what, format!("{}: no such file", folder.path().join(asked).display()));
            assert_eq!(hint, format!("did you mean {}?", folder.path().join(meant).display()));
        }
        assert!(!said(&folder.path().join("something else")).1.contains("did you mean"));
    }

    #[test]
    fn directories_and_empty_files_are_told_apart() {
        let folder = tempfile::tempdir().unwrap();
        let inside = folder.path().join("a.swf");
        fs::write(&inside, "").unwrap();
        let (what, hint) = said(folder.path());
        assert_eq!(what, format!("{} is a directory", folder.path().display()));
        assert_eq!(hint, format!("name a file in it, such as {}", inside.display()));
        assert_eq!(said(&inside).0, format!("{} is empty", inside.display()));
        let nowhere = folder.path().join("no").join("b.swf");
        assert_eq!(
            said(&nowhere).1,
            format!("the directory {} does not exist", folder.path().join("no").display())
        );
    }
}

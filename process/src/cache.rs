//! What was learned from logs, kept in the user's cache directory for the next question.

use std::env;
use std::ffi::OsString;
use std::fs::{self, Metadata, Permissions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use queuecast_core::asking::Kept;

use crate::printer::Printer;
use crate::temporary;

/// All files together are no larger; those that were used longest ago go first.
const MOST_BYTES: u64 = 1_000_000_000;

/// How the names of its files end.
const ENDING: &str = "forecaster";

/// A folder with a file for each key. Files are written beside their place and moved there, so that any number of processes can use it
/// at once. Where it cannot be written or read, nothing is kept, and no more is said of it.
pub struct Cache<'a> {
    folder: PathBuf,
    printer: &'a Printer,
}

impl<'a> Cache<'a> {
    /// The one of this user; `None` if there is no place for it.
    pub fn of_user(printer: &'a Printer) -> Option<Cache<'a>> {
        Some(Cache { folder: folder(|name| env::var_os(name))?, printer })
    }

    fn file(&self, key: &str) -> PathBuf {
        self.folder.join(key).with_extension(ENDING)
    }

    /// Removes the files that were used longest ago until all are small enough together; never that of `kept`.
    fn shrink(&self, kept: &Path, most: u64) {
        let Ok(entries) = fs::read_dir(&self.folder) else { return };
        let mut files: Vec<(SystemTime, u64, PathBuf)> = entries
            .filter_map(|entry| {
                let path = entry.ok()?.path();
                let about = path.metadata().ok().filter(Metadata::is_file)?;
                let is_own = path.extension().is_some_and(|ending| ending == ENDING);
                is_own.then_some((about.modified().ok()?, about.len(), path))
            })
            .collect();
        files.sort();
        let mut all: u64 = files.iter().map(|one| one.1).sum();
        for (_, bytes, path) in files {
            if all <= most {
                break;
            }
            if path != kept && fs::remove_file(&path).is_ok() {
                all = all.saturating_sub(bytes);
            }
        }
    }
}

impl Kept for Cache<'_> {
    fn recall(&self, key: &str) -> Option<Vec<u8>> {
        let path = self.file(key);
        let bytes = fs::read(&path).ok()?;
        // The time of its last use. Where it cannot be set, that of its writing decides.
        let _ = fs::File::options()
            .append(true)
            .open(&path)
            .and_then(|file| file.set_modified(SystemTime::now()));
        Some(bytes)
    }

    fn keep(&self, key: &str, bytes: &[u8]) {
        if bytes.len() as u64 > MOST_BYTES || made(&self.folder).is_err() {
            return;
        }
        let path = self.file(key);
        let Ok(mut file) = temporary::create(&self.folder, own_only()) else { return };
        if file.write_all(bytes).is_ok() && file.persist(&path).is_ok() {
            self.shrink(&path, MOST_BYTES);
        }
    }

    fn refused(&self, key: &str, why: &str) {
        let path = self.file(key);
        self.printer.note(&format!("{}: {why}; the log is learned from anew", path.display()));
    }
}

/// Files are for this user only, in a folder that was there before too.
fn own_only() -> Option<Permissions> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        Some(Permissions::from_mode(0o600))
    }
    #[cfg(not(unix))]
    None
}

/// Makes the folder, for this user only: what was learned tells of others' jobs.
fn made(folder: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    #[cfg(unix)]
    {
        use std::os::unix::fs::DirBuilderExt;
        builder.mode(0o700);
    }
    builder.recursive(true).create(folder)
}

/// The folder for it, by the environment.
fn folder(variable: impl Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
    // As other programs do, a relative path is taken for none.
    let absolute = |name: &str| variable(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let caches = absolute("XDG_CACHE_HOME").or_else(|| {
        if cfg!(windows) {
            absolute("LOCALAPPDATA")
        } else {
            let within = if cfg!(target_os = "macos") { "Library/Caches" } else { ".cache" };
            absolute("HOME").map(|home| home.join(within))
        }
    });
    caches.map(|caches| caches.join("queuecast"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn printer() -> Printer {
        Printer::silent()
    }

    #[test]
    fn the_folder_is_that_of_the_user() {
        let found = |known: &[(&str, &str)]| {
            folder(|name| known.iter().find(|one| one.0 == name).map(|one| OsString::from(one.1)))
        };
        assert_eq!(found(&[]), None);
        assert_eq!(found(&[("XDG_CACHE_HOME", "here"), ("HOME", "there")]), None, "relative");
        let given = found(&[("XDG_CACHE_HOME", "/caches"), ("HOME", "/home/ada")]);
        assert_eq!(given, Some(PathBuf::from("/caches/queuecast")));
        if cfg!(target_os = "linux") {
            let usual = found(&[("HOME", "/home/ada")]);
            assert_eq!(usual, Some(PathBuf::from("/home/ada/.cache/queuecast")));
        }
    }

    #[test]
    fn what_was_used_longest_ago_goes_first() {
        let folder = tempfile::tempdir().unwrap();
        let printer = printer();
        let cache = Cache { folder: folder.path().to_owned(), printer: &printer };
        for (key, seconds) in [("a", 30), ("b", 10), ("c", 20)] {
            cache.keep(key, &[0; 100]);
            let file = fs::File::options().append(true).open(cache.file(key)).unwrap();
            file.set_modified(SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(seconds)).unwrap();
        }
        let other = folder.path().join("of-another-program");
        fs::write(&other, [0; 1000]).unwrap();
        // What is recalled is used now.
        assert_eq!(cache.recall("b"), Some(vec![0; 100]));
        cache.shrink(&cache.file("c"), 250);
        assert_eq!((cache.recall("a"), cache.recall("c").is_some()), (None, true));
        // What was just kept stays, whatever the limit.
        cache.shrink(&cache.file("c"), 0);
        assert!(cache.recall("c").is_some() && cache.recall("b").is_none() && other.exists());
    }

    #[test]
    fn a_folder_that_cannot_be_written_is_no_error() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("file");
        fs::write(&file, "not a folder").unwrap();
        let printer = printer();
        let cache = Cache { folder: file.join("queuecast"), printer: &printer };
        cache.keep("a", &[1]);
        assert_eq!(cache.recall("a"), None);
    }
}

//! Several files of a folder, written as one: into a folder beside them, which a last file then makes the files of the folder.

use std::fs::{self, File, TryLockError};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use crate::failure::Failure;
use crate::output;

const PREFIX: &str = ".queuecast-capture-";

/// Files of a folder that are being written. Until [`StagedFiles::commit`], the folder's files are as they were; dropping it
/// leaves no trace.
#[derive(Debug)]
pub struct StagedFiles {
    name: String,
    folder: PathBuf,
    staged: TempDir,
    /// Held until the files are in place; `None` where folders cannot be locked.
    lock: Option<File>,
}

impl StagedFiles {
    /// Begins to write files of a folder, which is made if it does not exist.
    pub fn begin(folder: &Path) -> Result<StagedFiles, Failure> {
        let name = folder.display().to_string();
        let cannot =
            |cause: io::Error| Failure::usage(format!("cannot make the folder {name}")).because(cause);
        fs::create_dir_all(folder).map_err(cannot)?;
        let lock = File::open(folder).and_then(|lock| match lock.try_lock() {
            Ok(()) => Ok(Some(lock)),
            Err(TryLockError::WouldBlock) => Err(io::ErrorKind::WouldBlock.into()),
            Err(TryLockError::Error(_)) => Ok(None),
        });
        let lock = match lock {
            Err(cause) if cause.kind() == io::ErrorKind::WouldBlock => {
                return Err(Failure::input(format!("another capture writes to {name} now"))
                    .hint("wait until it is done, or name another folder"));
            }
            lock => lock.unwrap_or(None),
        };
        let staged = tempfile::Builder::new().prefix(PREFIX).tempdir_in(folder);
        let staged = staged.map_err(|cause| Failure::writing(&name, cause))?;
        #[cfg(unix)]
        {
            // As of any new folder: the files in it are put beside it, and who may read them is for the umask to say.
            use std::os::unix::fs::PermissionsExt;
            let open = fs::metadata(folder).map(|about| about.permissions().mode() & 0o777);
            let open = fs::Permissions::from_mode(open.unwrap_or(0o700) | 0o700);
            fs::set_permissions(staged.path(), open).map_err(|cause| Failure::writing(&name, cause))?;
        }
        output::staging(&name, staged.path());
        Ok(StagedFiles { name, folder: folder.to_owned(), staged, lock })
    }

    /// The name of the folder beside the files.
    pub fn staged_in(&self) -> String {
        self.staged.path().file_name().unwrap_or_default().to_string_lossy().into_owned()
    }

    /// Writes a file, with the permissions of the one that it replaces.
    pub fn write(&self, file: &str, text: &str) -> Result<(), Failure> {
        let path = self.staged.path().join(file);
        let write = || {
            let mut staged = File::create(&path)?;
            staged.write_all(text.as_bytes())?;
            staged.sync_all()?;
            match fs::metadata(self.folder.join(file)) {
                Ok(replaced) if replaced.is_file() => fs::set_permissions(&path, replaced.permissions()),
                _ => Ok(()),
            }
        };
        write().map_err(|cause| Failure::writing(&self.name, cause))
    }

    /// Puts the files in place. The file `record` comes first and decides: from then on the files written here count,
    /// and files called `gone` do not, even if this process ends before they are moved or removed.
    pub fn commit(self, record: &str, files: &[&str], gone: &[&str]) -> Result<(), Failure> {
        let StagedFiles { name, folder, staged, lock } = self;
        output::exchange(&name, || {
            fs::rename(staged.path().join(record), folder.join(record))?;
            // What fails from here on is read where it is.
            let staged = staged.keep();
            let moved = files.iter().filter(|file| fs::rename(staged.join(file), folder.join(file)).is_ok());
            let is_moved = moved.count() == files.len();
            for file in gone {
                let _ = fs::remove_file(folder.join(file));
            }
            // Of an earlier capture, compressed since.
            for file in files.iter().chain(gone) {
                for ending in ["gz", "zst"] {
                    let _ = fs::remove_file(folder.join(format!("{file}.{ending}")));
                }
            }
            if is_moved {
                let _ = fs::remove_dir(&staged);
            }
            if lock.is_some() {
                remove_others(&folder, &staged);
            }
            Ok(())
        })
    }
}

/// Removes what captures that were killed left in a folder; none other runs there.
fn remove_others(folder: &Path, staged: &Path) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let random = name.to_str().and_then(|name| name.strip_prefix(PREFIX));
        let is_ours = random.is_some_and(|rest| rest.len() == 6) && entry.path() != staged;
        if is_ours && entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).unwrap();
        let mut names: Vec<String> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    #[test]
    fn all_files_are_exchanged_or_none() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("site");
        let staged = StagedFiles::begin(&path).unwrap();
        staged.write("a", "1").unwrap();
        drop(staged);
        assert_eq!(names(&path), [""; 0]);
        fs::write(path.join("a"), "old").unwrap();
        fs::write(path.join("c"), "old").unwrap();
        fs::write(path.join("own"), "kept").unwrap();
        let staged = StagedFiles::begin(&path).unwrap();
        let refused = StagedFiles::begin(&path).unwrap_err().to_string();
        assert!(refused.contains("another capture writes"), "{refused}");
        // Left by a capture that was killed.
        fs::create_dir(path.join(".queuecast-capture-aaaaaa")).unwrap();
        for (file, text) in [("a", "new"), ("b", "new"), ("record", "r")] {
            staged.write(file, text).unwrap();
            assert_eq!(fs::read_to_string(path.join("a")).unwrap(), "old");
        }
        staged.commit("record", &["a", "b"], &["c"]).unwrap();
        assert_eq!(names(&path), ["a", "b", "own", "record"]);
        assert_eq!(fs::read_to_string(path.join("a")).unwrap(), "new");
    }

    #[test]
    fn files_that_cannot_be_moved_stay_where_they_are_read() {
        let folder = tempfile::tempdir().unwrap();
        // A folder of the file's name stands in its way.
        fs::create_dir_all(folder.path().join("a").join("x")).unwrap();
        let staged = StagedFiles::begin(folder.path()).unwrap();
        let beside = folder.path().join(staged.staged_in());
        staged.write("a", "new").unwrap();
        staged.write("record", "r").unwrap();
        staged.commit("record", &["a"], &[]).unwrap();
        assert_eq!(fs::read_to_string(beside.join("a")).unwrap(), "new");
    }
}

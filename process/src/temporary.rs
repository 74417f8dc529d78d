//! Temporary files beside the files that they become. Each is locked while its writer lives, so that those of writers that
//! were killed can be told from all others and are removed by the next writer in the folder.

use std::fs::Permissions;
use std::io;
use std::path::Path;

use tempfile::NamedTempFile;

/// A temporary file, with the permissions of the file that it replaces. Those that killed processes left in the folder are
/// removed.
pub fn create(folder: &Path, replaced: Option<Permissions>) -> io::Result<NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    let prefix = prefix();
    builder.prefix(&prefix);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        // For a new file the umask applies, as it does to every program's files.
        builder.permissions(replaced.clone().unwrap_or_else(|| Permissions::from_mode(0o666)));
    }
    loop {
        let file = builder.tempfile_in(folder)?;
        #[cfg(unix)]
        if !locks::is_locked(&file) {
            // Another process took it for one that was left, and has removed it.
            continue;
        }
        if let Some(permissions) = replaced {
            file.as_file().set_permissions(permissions)?;
        }
        #[cfg(unix)]
        locks::remove_left(folder, &prefix, &file);
        return Ok(file);
    }
}

/// How the names of temporary files begin: with the machine, since locks need not reach beyond it.
fn prefix() -> String {
    format!(".queuecast-{:08x}-", machine())
}

/// A number for this machine.
#[cfg(unix)]
fn machine() -> u32 {
    let about = rustix::system::uname();
    about
        .nodename()
        .to_bytes()
        .iter()
        .fold(0x811c_9dc5_u32, |hash, &byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193))
}

#[cfg(not(unix))]
fn machine() -> u32 {
    0
}

#[cfg(unix)]
mod locks {
    use std::collections::BTreeSet;
    use std::fs::{self, File, Metadata, TryLockError};
    use std::os::unix::fs::MetadataExt;
    use std::path::{Path, PathBuf};
    use std::sync::{Mutex, PoisonError};
    use std::thread;
    use std::time::Duration;

    use tempfile::NamedTempFile;

    /// Locks a new temporary file until it is closed; `false` if it is gone by now. Where files cannot be locked, none is
    /// removed either.
    pub fn is_locked(file: &NamedTempFile) -> bool {
        // A process that takes it for one that was left holds the lock for an instant.
        for _ in 0..100 {
            match file.as_file().try_lock() {
                Ok(()) => {
                    let own = file.as_file().metadata().ok();
                    let there = fs::symlink_metadata(file.path()).ok();
                    return own.zip(there).is_some_and(|(own, there)| is_same(&own, &there));
                }
                Err(TryLockError::WouldBlock) => thread::sleep(Duration::from_millis(1)),
                Err(TryLockError::Error(_)) => return true,
            }
        }
        false
    }

    /// Removes the temporary files that killed processes left, once for each folder.
    pub fn remove_left(folder: &Path, prefix: &str, own: &NamedTempFile) {
        static SEEN: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());
        if !SEEN.lock().unwrap_or_else(PoisonError::into_inner).insert(folder.to_owned()) {
            return;
        }
        remove_all_left(folder, prefix, own);
    }

    /// Removes the temporary files that killed processes of the same user and machine left in a folder. What cannot be
    /// removed is left.
    pub fn remove_all_left(folder: &Path, prefix: &str, own: &NamedTempFile) {
        let (Ok(entries), Ok(own)) = (fs::read_dir(folder), own.as_file().metadata()) else { return };
        for entry in entries.flatten() {
            let name = entry.file_name();
            let random = name.to_str().and_then(|name| name.strip_prefix(prefix));
            if random.is_some_and(|rest| rest.len() == 6 && rest.bytes().all(|b| b.is_ascii_alphanumeric())) {
                remove_if_left(&entry.path(), &own);
            }
        }
    }

    fn remove_if_left(path: &Path, own: &Metadata) {
        let Ok(about) = fs::symlink_metadata(path) else { return };
        if !about.is_file() || about.uid() != own.uid() || about.nlink() != 1 {
            return;
        }
        let Ok(file) = File::options().read(true).write(true).open(path) else { return };
        // A file that is locked belongs to a process that runs; so may one that cannot be locked.
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock | TryLockError::Error(_)) => return,
        }
        let is_there = file.metadata().is_ok_and(|opened| is_same(&opened, &about))
            && fs::symlink_metadata(path).is_ok_and(|now| is_same(&now, &about));
        if is_there {
            let _ = fs::remove_file(path);
        }
    }

    fn is_same(one: &Metadata, other: &Metadata) -> bool {
        (one.dev(), one.ino()) == (other.dev(), other.ino())
    }
}

#[cfg(unix)]
#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn what_a_killed_process_left_is_removed_and_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: String| folder.path().join(name);
        let of = |random: &str| path(format!("{}{random}", prefix()));
        // Left by a process that is gone: not locked.
        fs::write(of("aB3xY9"), "half").unwrap();
        // Not ours: another name, another machine, longer, a link, a folder, a file with two names.
        let others = [
            path(".queuecast-notes".to_owned()),
            path(".queuecast-00000000-aB3xY9".to_owned()),
            of("aB3xY99"),
            of("aB3x.9"),
        ];
        others.iter().for_each(|other| fs::write(other, "kept").unwrap());
        std::os::unix::fs::symlink(&others[0], of("linked")).unwrap();
        fs::create_dir(of("folder")).unwrap();
        fs::write(of("twofil"), "kept").unwrap();
        fs::hard_link(of("twofil"), path("second name".to_owned())).unwrap();
        // Of a writer that lives, here in the same process.
        let written = create(folder.path(), None).unwrap();
        assert!(!of("aB3xY9").exists());
        fs::write(of("aB3xY9"), "half").unwrap();
        let own = create(folder.path(), None).unwrap();
        assert!(of("aB3xY9").exists(), "a folder is looked through once");
        locks::remove_all_left(folder.path(), &prefix(), &own);
        assert!(!of("aB3xY9").exists());
        assert!(written.path().exists() && own.path().exists());
        for kept in others.iter().chain(&[of("linked"), of("folder"), of("twofil")]) {
            assert!(kept.exists(), "{}", kept.display());
        }
        // Control: once its writer is gone, it is removed.
        let (_, left) = written.keep().unwrap();
        locks::remove_all_left(folder.path(), &prefix(), &own);
        assert!(!left.exists());
    }

    #[test]
    fn writers_in_one_folder_do_not_lose_their_files() {
        let folder = tempfile::tempdir().unwrap();
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for _ in 0..300 {
                        let file = create(folder.path(), None).unwrap();
                        locks::remove_all_left(folder.path(), &prefix(), &file);
                        assert!(file.path().exists(), "a file of a living writer has been removed");
                    }
                });
            }
        });
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
    }
}

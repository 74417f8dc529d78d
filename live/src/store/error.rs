//! Why a store cannot be used, and what to do.

use std::io;

use rusqlite::ErrorCode;

/// Why a store cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// It is no store, or was written by something else.
    #[error("it is a database, but no store of queuecast")]
    Foreign,
    /// It was written by a later version.
    #[error("its form is {found}, and this version of queuecast knows forms up to {known}")]
    Newer {
        /// The form of the store.
        found: i64,
        /// The newest one that is known here.
        known: i64,
    },
    /// It was written by an earlier version, and can be brought up to date.
    #[error("its form is {found}, and this version of queuecast reads form {known}")]
    Older {
        /// The form of the store.
        found: i64,
        /// The one that is known here.
        known: i64,
    },
    /// Another process holds it.
    #[error("another process has been writing to it for longer than {0} s")]
    Locked(u64),
    /// It may not be written to.
    #[error("it may not be written to")]
    ReadOnly,
    /// There is no space left for it.
    #[error("there is no space left on its device")]
    Full,
    /// It is damaged, or no database.
    #[error("it is damaged, or no database")]
    Damaged,
    /// What was stored cannot be read as it was written.
    #[error("what it has of {0} cannot be read")]
    Unreadable(&'static str),
    /// Anything else that the database says.
    #[error("{0}")]
    Database(rusqlite::Error),
    /// What was read from it could not be written elsewhere.
    #[error("{0}")]
    Written(#[from] io::Error),
}

/// How long another process may hold a store.
pub(crate) const PATIENCE: u64 = 10;

impl From<rusqlite::Error> for StoreError {
    fn from(error: rusqlite::Error) -> StoreError {
        match error.sqlite_error_code() {
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => StoreError::Locked(PATIENCE),
            Some(ErrorCode::ReadOnly | ErrorCode::PermissionDenied) => StoreError::ReadOnly,
            Some(ErrorCode::DiskFull) => StoreError::Full,
            Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => StoreError::Damaged,
            _ => StoreError::Database(error),
        }
    }
}

impl StoreError {
    /// What to do about it.
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            StoreError::Foreign => Some("name another file with --store"),
            StoreError::Newer { .. } => {
                Some("use the version of queuecast that wrote it, or name another file with --store")
            }
            StoreError::Older { .. } => {
                Some("queuecast collect of this version brings it up to date: start it again")
            }
            StoreError::Locked(_) => Some("one collector writes to a store: is another one running?"),
            StoreError::ReadOnly => {
                Some("readers need no more than that; a collector must own the file and its folder")
            }
            StoreError::Full => Some("free some space; what was stored before is whole"),
            StoreError::Damaged | StoreError::Unreadable(_) => {
                Some("move the file away: a collector begins a new one and loads the history again")
            }
            StoreError::Database(_) | StoreError::Written(_) => None,
        }
    }
}

//! Why a store cannot be used, and what to do.

use std::io;

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
    /// A server has no store yet.
    #[error("nothing has been collected into it")]
    Empty,
    /// Another process holds it.
    #[error("another process has been writing to it for longer than {0} s")]
    Locked(u64),
    /// Another collector follows the same cluster into it.
    #[error("another collector follows this cluster into it")]
    Held,
    /// It may not be written to.
    #[error("it may not be written to")]
    ReadOnly,
    /// It, or what stands beside it, cannot be opened.
    #[error("it cannot be opened: {0}")]
    Unopened(String),
    /// There is no space left for it.
    #[error("there is no space left on its device")]
    Full,
    /// It is damaged, or no database.
    #[error("it is damaged, or no database")]
    Damaged,
    /// What was stored cannot be read as it was written.
    #[error("what it has of {0} cannot be read")]
    Unreadable(&'static str),
    /// The server of the database cannot be reached, or has ended the connection.
    #[error("its server does not answer: {0}")]
    Away(String),
    /// The server of the database refuses the user.
    #[error("its server refuses: {0}")]
    Denied(String),
    /// Where the store is cannot be understood.
    #[error("{0}")]
    Address(String),
    /// Anything else that the database says.
    #[error("{0}")]
    Database(String),
    /// What was read from it could not be written elsewhere.
    #[error("{0}")]
    Written(#[from] io::Error),
}

/// How long another process may hold a store.
pub(crate) const PATIENCE: u64 = 10;

impl StoreError {
    /// Whether it may be over at the next look, so that a collector goes on.
    pub fn may_pass(&self) -> bool {
        matches!(self, StoreError::Away(_) | StoreError::Locked(_))
    }

    /// What to do about it.
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            StoreError::Foreign => Some("name another one with --store"),
            StoreError::Newer { .. } => {
                Some("use the version of queuecast that wrote it, or name another one with --store")
            }
            StoreError::Older { .. } => {
                Some("queuecast collect of this version brings it up to date: start it again")
            }
            StoreError::Empty => Some("queuecast collect fills it"),
            StoreError::Locked(_) => Some("one collector writes to a store: is another one running?"),
            StoreError::Held => Some("end that one first; each cluster has one collector"),
            StoreError::ReadOnly => Some(
                "readers need no more than that; a collector must own the file and its folder, or the schema queuecast of the server",
            ),
            StoreError::Unopened(_) => Some(
                "this user must be able to read it and the files beside it that begin with its name; if its collector was killed, start it again",
            ),
            StoreError::Full => Some("free some space; what was stored before is whole"),
            StoreError::Damaged | StoreError::Unreadable(_) => {
                Some("move the file away: a collector begins a new one and loads the history again")
            }
            StoreError::Away(_) => Some("is the server running, and are host and port right?"),
            StoreError::Denied(_) => {
                Some("the URL names user and database; the password is told by PGPASSWORD or ~/.pgpass")
            }
            StoreError::Address(_) => Some("such as postgresql://user@host:5432/database"),
            StoreError::Database(_) | StoreError::Written(_) => None,
        }
    }
}

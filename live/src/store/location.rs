//! Where a store is.

use std::ffi::{OsStr, OsString};
use std::fmt;
use std::path::PathBuf;

use super::{ServerAddress, StoreError};

/// Where a store is: a file, or a server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StoreLocation {
    /// A file of SQLite.
    File(PathBuf),
    /// A database of PostgreSQL.
    Server(ServerAddress),
}

impl StoreLocation {
    /// What a user names: a URL of PostgreSQL, else a file.
    ///
    /// # Errors
    /// If it is such a URL and cannot be read.
    pub fn named(name: &OsStr) -> Result<StoreLocation, StoreError> {
        match name.to_str().filter(|name| ServerAddress::is_one(name)) {
            Some(url) => Ok(StoreLocation::Server(ServerAddress::of_url(url)?)),
            None => Ok(StoreLocation::File(name.into())),
        }
    }

    /// The name that [`StoreLocation::named`] reads, with what is secret.
    pub fn argument(&self) -> OsString {
        match self {
            StoreLocation::File(file) => file.into(),
            StoreLocation::Server(server) => server.url().into(),
        }
    }

    /// What it is, in a word.
    pub fn kind(&self) -> &'static str {
        match self {
            StoreLocation::File(_) => "file",
            StoreLocation::Server(_) => "server",
        }
    }

    /// Whether there may be a store: of a server that is not asked.
    pub fn may_exist(&self) -> bool {
        match self {
            StoreLocation::File(file) => file.exists(),
            StoreLocation::Server(_) => true,
        }
    }
}

/// As it is told, without a password.
impl fmt::Display for StoreLocation {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            StoreLocation::File(file) => file.display().fmt(to),
            StoreLocation::Server(server) => server.fmt(to),
        }
    }
}

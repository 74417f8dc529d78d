//! `--store`: where the store of a followed site is.

use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use queuecast_live::StoreError;

use crate::failure::Failure;

/// Where the store is.
#[derive(Debug, Clone, Default, clap::Args)]
#[group(skip)]
pub struct Arguments {
    /// The store of queuecast collect; by default what QUEUECAST_STORE names, else queuecast/store.sqlite in $XDG_DATA_HOME or ~/.local/share
    #[arg(long, value_name = "FILE")]
    pub store: Option<PathBuf>,
}

/// Where the store is told when it is no argument.
const VARIABLE: &str = "QUEUECAST_STORE";

impl Arguments {
    /// The file that is named, or that of this user; `None` if there is no place for one.
    pub fn file(&self) -> Option<PathBuf> {
        self.store.clone().or_else(|| usual(|name| env::var_os(name)))
    }

    /// Whether a store is named, so that there must be one.
    pub fn is_named(&self) -> bool {
        self.store.is_some() || env::var_os(VARIABLE).is_some()
    }

    /// The file to write to; its folder is made.
    pub fn file_to_write(&self) -> Result<PathBuf, Failure> {
        let file = self.file().ok_or_else(|| {
            Failure::usage("there is no home directory to keep a store in").hint("name a file with --store")
        })?;
        if let Some(folder) =
            file.parent().filter(|folder| !folder.as_os_str().is_empty() && !folder.exists())
        {
            std::fs::create_dir_all(folder).map_err(|cause| {
                Failure::input(format!("cannot make {}", folder.display())).because(cause)
            })?;
        }
        Ok(file)
    }
}

/// The store of this user.
fn usual(variable: impl Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
    let told = |name: &str| variable(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    if let Some(file) = told(VARIABLE) {
        return Some(file);
    }
    let data = told("XDG_DATA_HOME").or_else(|| Some(told("HOME")?.join(".local/share")))?;
    Some(data.join("queuecast/store.sqlite"))
}

/// What a store says is wrong with it.
pub fn refused(file: &Path, error: StoreError) -> Failure {
    let hint = error.hint();
    let failure = Failure::input(format!("{}: {error}", file.display()));
    match hint {
        Some(hint) => failure.hint(hint),
        None => failure,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_store_is_where_the_user_keeps_data() {
        let told = |pairs: &'static [(&str, &str)]| {
            usual(|name| pairs.iter().find(|one| one.0 == name).map(|one| one.1.into()))
        };
        assert_eq!(told(&[]), None);
        let home = "/h/.local/share/queuecast/store.sqlite";
        assert_eq!(told(&[("HOME", "/h")]).as_deref(), Some(Path::new(home)));
        assert_eq!(told(&[("HOME", "/h"), ("QUEUECAST_STORE", "s")]).as_deref(), Some(Path::new("s")));
        let data = "/d/queuecast/store.sqlite";
        assert_eq!(told(&[("XDG_DATA_HOME", "/d"), ("HOME", "/h")]).as_deref(), Some(Path::new(data)));
    }
}

//! `--store`: where the store of a followed site is.

use std::env;
use std::ffi::OsString;
use std::path::PathBuf;

use clap::builder::{OsStringValueParser, TypedValueParser};
use queuecast_live::{OpenStore, StoreError, StoreLocation};
use queuecast_process::failure::Failure;

/// Where the store is.
#[derive(Debug, Clone, Default, clap::Args)]
#[group(skip)]
pub struct Arguments {
    /// The store of queuecast collect: a file, or postgresql://USER@HOST:PORT/DATABASE; by default what QUEUECAST_STORE names, else queuecast/store.sqlite in $XDG_DATA_HOME or ~/.local/share
    #[arg(long, value_name = "STORE", value_parser = locations())]
    pub store: Option<StoreLocation>,
}

fn locations() -> impl TypedValueParser<Value = StoreLocation> {
    OsStringValueParser::new().try_map(|name| StoreLocation::named(&name))
}

/// Where the store is told when it is no argument.
const VARIABLE: &str = "QUEUECAST_STORE";

impl Arguments {
    /// The store that is named, or that of this user; `None` if there is no place for one.
    pub fn location(&self) -> Result<Option<StoreLocation>, Failure> {
        self.told().map_err(|error| {
            Failure::usage(format!("{VARIABLE}: {error}")).hint(error.hint().unwrap_or_default())
        })
    }

    /// The location, or what is wrong with its name.
    pub fn told(&self) -> Result<Option<StoreLocation>, StoreError> {
        match (&self.store, usual(|name| env::var_os(name))) {
            (Some(location), _) => Ok(Some(location.clone())),
            (None, Some(name)) => StoreLocation::named(&name).map(Some),
            (None, None) => Ok(None),
        }
    }

    /// Whether a store is named, so that there must be one.
    pub fn is_named(&self) -> bool {
        self.store.is_some() || env::var_os(VARIABLE).is_some()
    }

    /// The store with the cluster that is named, or the only one in it; `None` if there is none, and it is not named.
    pub fn open(&self, cluster: Option<&str>) -> Result<Option<OpenStore>, Failure> {
        let Some(location) = self.location()? else { return Ok(None) };
        Ok(OpenStore::find(location, self.is_named(), cluster)?)
    }

    /// The store to write to; the folder of a file is made.
    pub fn location_to_write(&self) -> Result<StoreLocation, Failure> {
        let location = self.location()?.ok_or_else(|| {
            Failure::usage("there is no home directory to keep a store in").hint("name a file with --store")
        })?;
        let StoreLocation::File(file) = &location else { return Ok(location) };
        if let Some(folder) =
            file.parent().filter(|folder| !folder.as_os_str().is_empty() && !folder.exists())
        {
            std::fs::create_dir_all(folder).map_err(|cause| {
                Failure::input(format!("cannot make {}", folder.display())).because(cause)
            })?;
        }
        Ok(location)
    }
}

/// The store of this user, by its name.
fn usual(variable: impl Fn(&str) -> Option<OsString>) -> Option<OsString> {
    let told = |name: &str| variable(name).filter(|value| !value.is_empty());
    if let Some(name) = told(VARIABLE) {
        return Some(name);
    }
    let data = told("XDG_DATA_HOME").map(PathBuf::from);
    let data = data.or_else(|| Some(PathBuf::from(told("HOME")?).join(".local/share")))?;
    Some(data.join("queuecast/store.sqlite").into())
}

#[cfg(test)]
mod tests {
    use std::ffi::OsStr;

    use super::*;

    #[test]
    fn the_store_is_where_the_user_keeps_data() {
        let told = |pairs: &'static [(&str, &str)]| {
            usual(|name| pairs.iter().find(|one| one.0 == name).map(|one| one.1.into()))
        };
        assert_eq!(told(&[]), None);
        let home = "/h/.local/share/queuecast/store.sqlite";
        assert_eq!(told(&[("HOME", "/h")]).as_deref(), Some(OsStr::new(home)));
        assert_eq!(told(&[("HOME", "/h"), ("QUEUECAST_STORE", "s")]).as_deref(), Some(OsStr::new("s")));
        let data = "/d/queuecast/store.sqlite";
        assert_eq!(told(&[("XDG_DATA_HOME", "/d"), ("HOME", "/h")]).as_deref(), Some(OsStr::new(data)));
    }
}

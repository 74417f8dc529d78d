//! Real logs, where they are present.

use std::fs::File;
use std::path::{Path, PathBuf};

use queuecast_trace as trace;
use queuecast_trace::{Log, ReadOptions};

/// `QUEUECAST_TRACES`, or `../shared/traces` beside the checkout.
pub fn traces() -> Option<PathBuf> {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/traces");
    let folder = std::env::var_os("QUEUECAST_TRACES").map_or(beside, PathBuf::from);
    Some(folder).filter(|path| path.is_dir())
}

/// Reads a log under a ruleset.
pub fn read(path: &Path, ruleset: &str) -> Log {
    let options = ReadOptions { ruleset: ruleset.parse().unwrap(), ..ReadOptions::default() };
    let file = File::open(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    trace::read(file, &options).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Whether tests that take minutes run as well (`scripts/test --thorough`).
pub fn is_thorough() -> bool {
    std::env::var_os("QUEUECAST_THOROUGH").is_some()
}

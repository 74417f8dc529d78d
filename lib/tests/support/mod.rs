//! What tests and benches share: jobs and workloads, real logs and other simulators' schedules, comparisons.

#![allow(dead_code)] // every program takes what it needs

pub mod compare;
pub mod jobs;
pub mod made_site;

use std::fs::File;
use std::path::{Path, PathBuf};

use proptest::test_runner::Config as ProptestConfig;
use queuecast_core::units::Procs;
use queuecast_trace as trace;
use queuecast_trace::{Log, ReadOptions, Ruleset};

/// This number of random cases of each property with `QUEUECAST_THOROUGH` (`scripts/test --thorough`), else a tenth. A failing case is
/// printed, not kept in a file.
pub fn cases(cases: u32) -> ProptestConfig {
    let cases = if is_thorough() { cases } else { cases.div_ceil(10) };
    ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() }
}

/// Whether tests that take minutes run as well (`scripts/test --thorough`).
pub fn is_thorough() -> bool {
    std::env::var_os("QUEUECAST_THOROUGH").is_some()
}

/// `QUEUECAST_TRACES`, or `../shared/traces` beside the checkout.
pub fn traces() -> Option<PathBuf> {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/traces");
    std::env::var_os("QUEUECAST_TRACES")
        .map_or(Some(beside), |path| Some(path.into()))
        .filter(|path| path.is_dir())
}

/// `QUEUECAST_PEERS`, or `peers` beside the traces.
pub fn peers() -> Option<PathBuf> {
    let beside = || traces().map(|traces| traces.join("../peers"));
    std::env::var_os("QUEUECAST_PEERS").map(PathBuf::from).or_else(beside).filter(|path| path.is_dir())
}

/// Reads a log under a ruleset.
pub fn read(path: &Path, ruleset: &str, procs: Option<u32>) -> Log {
    let ruleset: Ruleset = ruleset.parse().expect("a known ruleset");
    let options = ReadOptions { ruleset, procs: procs.map(Procs), ..ReadOptions::default() };
    let file = File::open(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    trace::read(file, &options).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

//! Reproduced papers against the pages of `experiments/`: `cargo test -p queuecast-papers --test reproduced MODULE`.
//!
//! The logs are not part of the repository. `QUEUECAST_TRACES` names their directory (default `../shared/traces` beside
//! the checkout); a test whose log is missing counts as ignored.

#![allow(clippy::unwrap_used)] // a test that cannot set up its case should fail

mod downey1997;
mod estimates;
mod kumar2014;
mod logs;
mod pages;

use libtest_mimic::{Arguments, Trial};

fn main() {
    let modules: [fn() -> Vec<Trial>; 4] =
        [downey1997::trials, estimates::trials, kumar2014::trials, pages::trials];
    let trials = modules.into_iter().flat_map(|trials| trials()).collect();
    libtest_mimic::run(&Arguments::from_args(), trials).exit();
}

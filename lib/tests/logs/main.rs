//! Tests made from data: real logs, schedules of other simulators, scenario files.
//! `cargo test -p queuecast --test logs MODULE`.
//!
//! The logs are not part of the repository. `QUEUECAST_TRACES` names their directory (default `../shared/traces` beside
//! the checkout); a test whose log is missing counts as ignored.

#![allow(clippy::unwrap_used)] // a test that cannot set up its case should fail

mod advice_real;
mod characterization_real;
mod golden;
mod lublin_real;
mod population;
mod scenarios;
mod slurm_accounting;
mod slurm_runs;
mod slurm_sites;
#[path = "../support/mod.rs"]
mod support;
mod template_real;
mod trace_real;

use libtest_mimic::{Arguments, Failed, Trial};
use queuecast_core::workload::Workload;

fn main() {
    let modules: [fn() -> Vec<Trial>; 11] = [
        advice_real::trials,
        golden::trials,
        lublin_real::trials,
        population::trials,
        characterization_real::trials,
        scenarios::trials,
        slurm_accounting::trials,
        slurm_runs::trials,
        slurm_sites::trials,
        template_real::trials,
        trace_real::trials,
    ];
    let trials = modules.into_iter().flat_map(|trials| trials()).collect();
    libtest_mimic::run(&Arguments::from_args(), trials).exit();
}

/// A test of one log, ignored where the log is missing.
fn on_log(
    name: String,
    file: &str,
    check: impl FnOnce(&Workload) -> Result<(), Failed> + Send + 'static,
) -> Trial {
    let path = support::traces().map(|traces| traces.join(file)).filter(|path| path.is_file());
    let missing = path.is_none();
    let trial = move || {
        let path = path.ok_or("the log is missing")?;
        check(&support::read(&path, "default", None).workload)
    };
    Trial::test(name, trial).with_ignored_flag(missing)
}

/// Ignored unless tests are thorough.
fn if_thorough(trial: Trial) -> Trial {
    if support::is_thorough() { trial } else { trial.with_ignored_flag(true) }
}

/// A control: passes where a check fails.
fn fails(check: Result<(), Failed>) -> Result<(), Failed> {
    check.err().map(|_| ()).ok_or_else(|| "the check found nothing".into())
}

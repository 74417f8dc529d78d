//! Every benchmark in one program: `cargo bench -p queuecast` runs all, `cargo bench -p queuecast -- wait` those whose path has `wait` in it.
//!
//! Real logs are found as in the tests (`QUEUECAST_TRACES`); benchmarks of logs that are missing are left out.

#![allow(clippy::unwrap_used, clippy::print_stderr)] // a benchmark that cannot set up its case should stop

mod allot;
mod broker;
mod controller;
mod engine;
mod forecast;
mod predict;
mod queue_time;
mod run_on;
mod swf;
mod synth;
mod template;
mod trees;
mod wait;
mod warm;

#[path = "../tests/support/mod.rs"]
mod support;

fn main() {
    if support::traces().is_none() {
        eprintln!("no real logs: set QUEUECAST_TRACES to measure with them");
    }
    divan::main();
}

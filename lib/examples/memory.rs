//! How much memory reading a log takes beyond the jobs that are kept of it (Linux).
//!
//! `cargo run --release -p queuecast --example memory LOG…`

#![allow(clippy::print_stdout)]

use std::error::Error;
use std::fs::{self, File};

use queuecast::job::{Job, Truth};
use queuecast::trace::{self, ReadOptions};

/// Bytes the kernel reports under a name.
fn bytes(name: &str) -> Result<f64, Box<dyn Error>> {
    let status = fs::read_to_string("/proc/self/status")?;
    let line = status.lines().find(|line| line.starts_with(name)).ok_or("no such line")?;
    Ok(line.split_whitespace().nth(1).ok_or("no number")?.parse::<f64>()? * 1024.0)
}

fn main() -> Result<(), Box<dyn Error>> {
    for path in std::env::args().skip(1) {
        // A process remembers its own peak only, so name the largest log last.
        let before = bytes("VmRSS:")?;
        let log = trace::read(File::open(&path)?, &ReadOptions::default())?;
        let jobs = log.workload.len() as f64;
        let kept = (size_of::<Job>() + size_of::<Truth>()) as f64;
        let peak = (bytes("VmHWM:")? - before) / jobs;
        println!("{path}: {jobs} jobs, {kept} bytes a job kept, {:.1} beyond them at the peak", peak - kept);
    }
    Ok(())
}

//! A trace made of another: what the commands share that read one, change it and write it again.

use std::path::PathBuf;

use queuecast::report::Cell;
use queuecast::trace::Format;
use queuecast::workload::Workload;

use super::making::file_name;
use super::product::{Product, Target};
use crate::commands::cleaning;
use crate::commands::loaded::{Loaded, digest};
use crate::commands::source::Source;
use crate::failure::Failure;
use crate::invocation::Invocation;
use crate::printer::Printer;

/// Which trace, and where the other goes.
#[derive(Debug, clap::Args)]
pub struct Derived {
    /// The trace, compressed or not; - for standard input
    #[arg(value_name = "TRACE")]
    pub file: PathBuf,
    #[command(flatten)]
    pub source: Source,
    #[command(flatten)]
    pub into: Target,
}

/// What became of it.
#[derive(Debug)]
pub struct Changed {
    /// The jobs.
    pub workload: Workload,
    /// What was done, in words.
    pub how: String,
    /// Every parameter.
    pub parameters: Vec<(String, String)>,
    /// Decided what was left to chance.
    pub seed: Option<u64>,
}

impl Derived {
    /// Reads the trace, has it changed, and writes it: its comments, what was done, and the jobs.
    pub fn run(
        &self,
        change: impl FnOnce(&Loaded) -> Result<Changed, Failure>,
        invocation: &Invocation,
        printer: &Printer,
    ) -> Result<(), Failure> {
        let place = self.into.plan(&[&self.file], printer)?;
        let trace = Loaded::read(&self.file, &self.source, printer)?;
        cleaning::note(&trace.name, &trace.log.report, cleaning::Overrun::Kept, printer);
        let mut changed = change(&trace)?;
        // Nobody waited for what is made up.
        changed.workload.starts.clear();
        let Changed { workload, how, parameters, seed } = changed;
        let from = format!(
            "made of {} (digest {}): waits, memory and processor times are left out",
            file_name(&trace.name),
            digest(&trace.log.workload)
        );
        let mut told = vec![from];
        told.extend(trace.log.report.to_string().lines().map(|line| format!("cleaned: {}", line.trim())));
        told.push(how);
        let header = (trace.log.format == Format::Swf).then_some(&trace.log.header);
        Product { workload, header, how: told, parameters, seed }.deliver(place, invocation, printer)
    }
}

/// Says that another load was reached than was asked for, if they differ by more than this part of it.
pub fn missed(reached: f64, asked: f64, tolerance: f64) -> Option<String> {
    let shown = |load: f64| Cell::share(load).shown(&Default::default());
    let differs = (reached / asked - 1.0).abs() > tolerance;
    differs.then(|| format!("reached {}, asked {}", shown(reached), shown(asked)))
}

//! A trace that was read: its workload and its source.

use std::path::Path;
use std::time::Instant;

use queuecast_core::units::Time;
use queuecast_core::workload::WorkloadError;
use queuecast_eval::Summary;
use queuecast_place::LiveSite;
use queuecast_process::failure::Failure;
use queuecast_process::input::Input;
use queuecast_process::printer::Printer;
use queuecast_process::progress::Progress;
use queuecast_report::{log, simulation};
use queuecast_study::Experiment;
use queuecast_trace as trace;
use queuecast_trace::{Log, ReadOptions, WorkloadFacts};

use super::cleaning;
use super::source::Source;

/// A trace that was read.
#[derive(Debug)]
pub struct Loaded {
    /// What to call it: the path as given, or "standard input".
    pub name: String,
    /// What was read.
    pub log: Log,
    /// How long that took.
    pub seconds: f64,
}

impl Loaded {
    /// Reads a file, or standard input for `-`.
    pub fn read(path: &Path, source: &Source, printer: &Printer) -> Result<Loaded, Failure> {
        let loaded = Loaded::by(path, &source.options(), printer)?;
        loaded.warn(source, printer);
        Ok(loaded)
    }

    /// Reads a file by options of the library, and warns of lines that could not be read.
    pub fn by(path: &Path, options: &ReadOptions, printer: &Printer) -> Result<Loaded, Failure> {
        let begun = Instant::now();
        let mut input = Input::open(path, printer)?;
        let _progress = Progress::uncounted(printer, &format!("reading {}", input.name));
        let log = trace::read(&mut input, options).map_err(|error| Failure::reading(&input.name, error))?;
        let seconds = begun.elapsed().as_secs_f64();
        let loaded = Loaded { name: input.name, log, seconds };
        cleaning::warn_unreadable(&loaded.name, &loaded.log.report, printer);
        Ok(loaded)
    }

    /// Warns of jobs removed because of --procs, which may be wrong.
    pub fn warn(&self, source: &Source, printer: &Printer) {
        let said = source.procs.and_then(|procs| log::too_large(&self.name, &self.log, procs));
        said.iter().for_each(|said| printer.warning(said));
    }

    /// Adds the jobs that had not ended when the log was taken, and takes partitions for queues where there are none.
    pub fn take_unfinished(&mut self, taken: Time, printer: &Printer) -> Result<(), Failure> {
        let added = self.log.take_unfinished(taken);
        self.tell_unfinished(added, printer)
    }

    /// Prepares accounting of a live site to be learned from.
    pub fn learned_by(mut self, site: &LiveSite, printer: &Printer) -> Result<Loaded, Failure> {
        let added = site.take_history(&mut self.log);
        self.tell_unfinished(added, printer)?;
        Ok(self)
    }

    fn tell_unfinished(&self, added: Result<usize, WorkloadError>, printer: &Printer) -> Result<(), Failure> {
        let added = added.map_err(|error| Failure::input(format!("{}: {error}", self.name)))?;
        log::unfinished(&self.name, added).iter().for_each(|said| printer.note(said));
        Ok(())
    }

    /// The facts of the workload, for JSON and CSV.
    pub fn facts(&self) -> WorkloadFacts {
        self.log.facts(&self.name)
    }

    /// Refuses experiments whose predictor needs a field that this trace does not have.
    pub fn check(&self, experiments: &[Experiment]) -> Result<(), Failure> {
        let refused = experiments.iter().find_map(|one| one.predictor.check(self.log.workload.jobs()).err());
        refused.map_or(Ok(()), |error| Err(Failure::usage(format!("{}: {error}", self.name))))
    }

    /// Everything that is assumed because the trace does not say it.
    pub fn assumptions(&self, experiments: &[Experiment]) -> Vec<String> {
        log::assumptions(&self.log, experiments)
    }
}

/// Says that jobs were killed at their limit: as a warning where they are many, else where the format has no place for notes.
pub fn tell_killed(summary: &Summary, name: &str, printer: &Printer) {
    let Some((said, many)) = simulation::killed(summary) else { return };
    if many {
        printer.warning(&format!("{name}: {said}"));
    } else if printer.shows_rows_only() {
        printer.note(&format!("{name}: {said}"));
    }
}

//! A trace that is asked about a moment of it.

use std::path::Path;
use std::time::Instant;

use queuecast_core::units::{Procs, Time};
use queuecast_operate::SlurmCommands;
use queuecast_process::failure::Failure;
use queuecast_process::input::Input;
use queuecast_process::printer::Printer;
use queuecast_process::progress::Progress;
use queuecast_trace::{Log, LogSpan, RawLog, ReadOptions, TimeZone, TraceError};

use super::loaded::Loaded;
use super::source::Source;
use super::{cleaning, live};

/// A trace whose records were read, to be asked what was known at a moment of it.
#[derive(Debug)]
pub struct RawTrace {
    /// What to call it.
    pub name: String,
    raw: RawLog,
    seconds: f64,
}

impl RawTrace {
    /// Reads a file by options of the library, or standard input for `-`.
    pub fn read(path: &Path, options: &ReadOptions, printer: &Printer) -> Result<RawTrace, Failure> {
        let begun = Instant::now();
        let mut input = Input::open(path, printer)?;
        let _progress = Progress::uncounted(printer, &format!("reading {}", input.name));
        let raw = RawLog::read(&mut input, options).map_err(|error| Failure::reading(&input.name, error))?;
        Ok(RawTrace { name: input.name, raw, seconds: begun.elapsed().as_secs_f64() })
    }

    /// Reads a text of this name by options of the library.
    pub fn of_text(name: &str, text: &[u8], options: &ReadOptions) -> Result<RawTrace, Failure> {
        let begun = Instant::now();
        let raw = RawLog::read(text, options).map_err(|error| Failure::reading(name, error))?;
        Ok(RawTrace { name: name.to_owned(), raw, seconds: begun.elapsed().as_secs_f64() })
    }

    /// What was known at a moment, for a live site to learn from.
    pub fn known_by(&self, at: Time, printer: &Printer) -> Result<Loaded, Failure> {
        self.cleaned(self.raw.known_at(at), printer)
    }

    /// The times that it tells of.
    pub fn span(&self) -> Result<LogSpan, Failure> {
        self.raw.span().ok_or_else(|| {
            Failure::input(format!("{}: the log has no jobs, so it has no moments", self.name))
        })
    }

    /// The moment that a text names in it.
    pub fn moment(&self, text: &str, zone: &TimeZone) -> Result<Time, Failure> {
        Ok(self.span()?.moment(text, zone)?)
    }

    /// What was known at the moment that a text names, and that moment.
    pub fn known(
        &self,
        source: &Source,
        text: &str,
        commands: &SlurmCommands<'_>,
        printer: &Printer,
    ) -> Result<(Loaded, Time), Failure> {
        let at = self.moment(text, &source.reading.time_zone)?;
        let loaded = self.known_at(at, Some(commands), printer)?;
        loaded.warn(source, printer);
        Ok((loaded, at))
    }

    /// What was known then; with jobs that had not ended when the log was taken, as running or waiting. With the commands of a
    /// Slurm, accounting that does not tell the size of the machine is that of this Slurm.
    pub fn known_at(
        &self,
        at: Time,
        commands: Option<&SlurmCommands<'_>>,
        printer: &Printer,
    ) -> Result<Loaded, Failure> {
        let mut trace = self.cleaned(self.raw.known_at(at), printer)?;
        if let Some(commands) = commands {
            live::take_size(&mut trace, commands);
        }
        trace.take_unfinished(at, printer)?;
        Ok(trace)
    }

    /// What is known at a moment, on a machine of this size, whatever the log says.
    pub fn known_on(&mut self, procs: Procs, at: Time, printer: &Printer) -> Result<Loaded, Failure> {
        self.raw.set_machine(procs);
        self.known_at(at, None, printer)
    }

    /// All of it.
    pub fn whole(&self, printer: &Printer) -> Result<Loaded, Failure> {
        self.cleaned(self.raw.cleaned(), printer)
    }

    fn cleaned(&self, log: Result<Log, TraceError>, printer: &Printer) -> Result<Loaded, Failure> {
        let log = log.map_err(|error| Failure::reading(&self.name, error))?;
        cleaning::warn_unreadable(&self.name, &log.report, printer);
        Ok(Loaded { name: self.name.clone(), log, seconds: self.seconds })
    }
}

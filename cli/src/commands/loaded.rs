//! A trace that was read: its workload and its source.

use std::path::Path;
use std::time::Instant;

use queuecast::predict::PredictorSpec;
use queuecast::report::{Cell, Column, Table, date, duration};
use queuecast::study::Experiment;
use queuecast::trace::clean::Effect;
use queuecast::trace::{self, Log, MachineSize, MachineSource, ReadOptions, Rule};
use queuecast::units::{Procs, Seconds, Time};
use queuecast::workload::{Machine, Workload};
use serde::Serialize;

use super::cleaning;
use super::source::Source;
use crate::failure::Failure;
use crate::input::Input;
use crate::printer::Printer;
use crate::progress::Progress;

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
        let too_large = self.log.report.rule(Rule::TooLarge).filter(|rule| rule.effect == Effect::Removed);
        if let (Some(procs), Some(rule)) = (source.procs, too_large) {
            let first =
                rule.example.as_ref().map_or_else(String::new, |example| format!(" (first: {example})"));
            printer.warning(&format!(
                "{}: {} of {} records need more than --procs {procs} and are left out{first}",
                self.name,
                whole(rule.count),
                whole(self.log.report.lines)
            ));
        }
    }

    /// Adds the jobs that had not ended when the log was taken, and takes partitions for queues where there are none.
    pub fn take_unfinished(&mut self, taken: Time, printer: &Printer) -> Result<(), Failure> {
        let (log, name) = (&mut self.log, &self.name);
        let ended = log.workload.len();
        if !log.unfinished.is_empty() {
            let joined = log.workload.with_unfinished(&log.unfinished, taken);
            log.workload = joined.map_err(|error| Failure::input(format!("{name}: {error}")))?;
        }
        log.workload.take_partitions_for_queues();
        let added = log.workload.len() - ended;
        if added > 0 {
            let (jobs, they) = match added {
                1 => ("1 job".to_owned(), "it counts"),
                count => (number_of(count, "job"), "they count"),
            };
            printer.note(&format!("{name}: {jobs} had not ended; {they} as running or waiting"));
        }
        Ok(())
    }

    /// Gives a log whose machine is guessed the size that the site says, unless a job is larger.
    pub fn take_size(&mut self, procs: Option<Procs>) {
        if let Some(procs) = procs
            && self.log.workload.set_machine(Machine { procs }).is_ok()
        {
            self.log.machine = MachineSize { procs, source: MachineSource::Sinfo };
        }
    }

    /// The facts of the workload, for JSON and CSV.
    pub fn facts(&self) -> Facts {
        Facts {
            source: self.name.clone(),
            format: Some(self.log.format),
            compression: Some(self.log.compression),
            machine: Some(self.log.machine),
            ..Facts::of(&self.log.workload, &self.name)
        }
    }

    /// What was read, as a table.
    pub fn table(&self) -> Table {
        let workload = &self.log.workload;
        let report = &self.log.report;
        let computer = self.log.header.computer.as_deref().filter(|text| !text.is_empty());
        let mut facts = vec![(Column::text("file"), Cell::text(&*self.name))];
        facts.extend(computer.map(|computer| (Column::text("computer"), Cell::text(computer))));
        let of =
            if report.removed > 0 { format!(" of {} records", whole(report.lines)) } else { String::new() };
        facts.push((Column::text("jobs"), Cell::text(format!("{}{of}", whole(report.jobs)))));
        facts.push((Column::text("machine"), Cell::text(self.log.machine.to_string())));
        facts.push((Column::text("submitted"), Cell::text(period(workload))));
        facts.push((Column::share("offered load"), Cell::share(workload.offered_load())));
        facts.push((Column::text("digest"), Cell::text(digest(workload))));
        Table::facts(facts).titled("Trace")
    }

    /// Refuses experiments whose predictor needs a field that this trace does not have.
    pub fn check(&self, experiments: &[Experiment]) -> Result<(), Failure> {
        let refused = experiments.iter().find_map(|one| one.predictor.check(self.log.workload.jobs()).err());
        refused.map_or(Ok(()), |error| Err(Failure::usage(format!("{}: {error}", self.name))))
    }

    /// Everything that is assumed because the trace does not say it.
    pub fn assumptions(&self, experiments: &[Experiment]) -> Vec<String> {
        guess(self.log.machine).into_iter().chain(self.unknowns(experiments)).collect()
    }

    /// How many jobs lack a field that one of the experiments needs, and what is assumed instead.
    pub fn unknowns(&self, experiments: &[Experiment]) -> Vec<String> {
        let request = experiments.first().and_then(|experiment| self.assumed_request(experiment));
        let any = |needs: fn(&PredictorSpec) -> bool| {
            experiments.iter().any(|one| one.predictor.spec().is_some_and(needs))
        };
        let lacking = self.log.workload.lacking();
        let strangers = any(|spec| spec.needs().user).then(|| {
            self.lacking(lacking.user, "user", "no history is known of them and none is learned from them")
        });
        let scripts = any(|spec| spec.needs().executable).then(|| {
            self.lacking(lacking.executable, "executable", "in this they count as alike (unknown=alike)")
        });
        request.into_iter().chain(strangers.flatten()).chain(scripts.flatten()).collect()
    }

    /// How many jobs lack a field, and what follows.
    fn lacking(&self, missing: usize, fact: &str, so: &str) -> Option<String> {
        let jobs = number_of(self.log.workload.len(), "job");
        let have = if missing == 1 { "has" } else { "have" };
        (missing > 0).then(|| format!("{} of {jobs} {have} no {fact}; {so}", whole(missing as u64)))
    }

    /// What is assumed about jobs without a requested time.
    fn assumed_request(&self, experiment: &Experiment) -> Option<String> {
        let workload = &self.log.workload;
        let missing = workload.lacking().request;
        (missing > 0).then(|| {
            format!(
                "{} of {} {} no requested time; where one is needed, {} is assumed (--default-request)",
                whole(missing as u64),
                number_of(workload.len(), "job"),
                if missing == 1 { "has" } else { "have" },
                duration::human(experiment.default_request)
            )
        })
    }
}

/// What is assumed of a machine whose size the trace does not say.
pub fn guess(machine: MachineSize) -> Option<String> {
    machine.is_guessed().then(|| format!("the machine is taken to have {machine} (--procs)"))
}

/// "1 job", "2,000 jobs".
pub fn number_of(count: usize, what: &str) -> String {
    format!("{} {what}{}", whole(count as u64), if count == 1 { "" } else { "s" })
}

fn whole(count: u64) -> String {
    Cell::Integer(i64::try_from(count).unwrap_or(i64::MAX)).shown(&Default::default())
}

/// From the first to the last submission.
pub fn period(workload: &Workload) -> String {
    let (Some(first), Some(last)) = (workload.begins(), workload.jobs().last().map(|job| job.submit)) else {
        return "never".to_owned();
    };
    let length = duration::human(last - first);
    let day = |time: i64| workload.epoch.and_then(|epoch| date::day(epoch.saturating_add(time)));
    match (day(first.0), day(last.0)) {
        (Some(from), Some(until)) => format!("{from} to {until} ({length})"),
        _ => format!("over {length}"),
    }
}

/// The workload's digest as it is written everywhere.
pub fn digest(workload: &Workload) -> String {
    format!("{:016x}", workload.digest())
}

/// The workload of a result: two results are comparable if these facts are equal.
#[derive(Debug, Clone, Serialize)]
pub struct Facts {
    /// Where the jobs come from.
    pub source: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    format: Option<trace::LogFormat>,
    #[serde(skip_serializing_if = "Option::is_none")]
    compression: Option<trace::Compression>,
    /// Jobs simulated.
    pub jobs: usize,
    /// See [`digest`].
    pub digest: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    machine: Option<MachineSize>,
    /// Processors of the machine.
    pub procs: u32,
    epoch: Option<i64>,
    first_submit: Option<i64>,
    last_submit: Option<i64>,
    offered_load: f64,
    without_request: usize,
    without_user: usize,
    without_executable: usize,
}

impl Facts {
    /// Of a workload that was not read from a file.
    pub fn of(workload: &Workload, source: &str) -> Facts {
        let lacking = workload.lacking();
        Facts {
            source: source.to_owned(),
            format: None,
            compression: None,
            jobs: workload.len(),
            digest: digest(workload),
            machine: None,
            procs: workload.machine().procs.0,
            epoch: workload.epoch,
            first_submit: workload.begins().map(|time| time.0),
            last_submit: workload.jobs().last().map(|job| job.submit.0),
            offered_load: workload.offered_load(),
            without_request: lacking.request,
            without_user: lacking.user,
            without_executable: lacking.executable,
        }
    }
}

/// Seconds with two decimals, or a duration from ten seconds on.
pub fn took(seconds: f64) -> String {
    if seconds < 10.0 { format!("{seconds:.2} s") } else { duration::human(Seconds(seconds.round() as i64)) }
}

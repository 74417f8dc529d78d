//! `queuecast notify`: tells when a waiting job is about to start, or its start slips.

use std::io::Write;
use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

use queuecast_core::units::{Seconds, Time};
use queuecast_forecast::forecast::WhenSettings;
use queuecast_live::{
    CalendarEntry, JobNow, Notice, NoticeReason, NoticeRules, SaidSeconds, WatchedJob, calendar,
};
use queuecast_operate::site_now;
use queuecast_place::{AskedPlace, PendingJob, pending_at, queued_at};
use queuecast_process::failure::Failure;
use queuecast_process::interrupt::StopRequest;
use queuecast_process::output::PlannedFile;
use queuecast_process::printer::{self, Printer};
use queuecast_process::program::answered;
use queuecast_process::told;
use queuecast_process::zone;
use queuecast_trace::{Moment, TimeZone};

use super::place::{ReadPlace, StoreUse, read_live};
use super::source::Source;
use super::{cache_option, live, moment, outside, store_option};
use crate::spec;

const EXAMPLES: &str = "\
Examples:
  Print a line ten minutes before job 1234 is expected to start, and when it does:
    queuecast notify 1234

  A message on the desktop, half an hour before:
    queuecast notify 1234 --before 30m --run 'notify-send \"$QUEUECAST_TEXT\"'

  A calendar file that follows the forecast, and a message to a chat:
    queuecast notify 1234_5 --calendar job.ics --webhook https://chat.example.org/hook";

/// Tell when a waiting job is about to start, when its start slips, and when it starts
///
/// Asks the store of queuecast collect while that is fresh, else Slurm itself, at every interval, until the job has started or left the queue. What is told is printed, one line each (with --format json, one object each): at first when it is expected to start. All later notices go to every target that is named; a target that fails is warned of.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Arguments {
    /// The job: 1234, or 1234_5 of an array
    #[arg(value_name = "JOB")]
    pub job: String,
    /// How long before its expected start, by even odds
    #[arg(long, value_name = "DURATION", default_value = "10m", value_parser = spec::positive_duration, allow_hyphen_values = true)]
    pub before: Seconds,
    /// Tell too when the start is expected this much later than was told last
    #[arg(long, value_name = "DURATION", default_value = "30m", value_parser = spec::positive_duration, allow_hyphen_values = true)]
    pub slips: Seconds,
    /// A command of the shell to run, with QUEUECAST_JOB, QUEUECAST_EVENT (soon, slipped, started, gone), QUEUECAST_TEXT and QUEUECAST_START (Unix seconds) in its environment
    #[arg(long, value_name = "COMMAND", help_heading = "Targets")]
    pub run: Option<String>,
    /// An address to send the JSON of the notice to, by curl
    #[arg(long, value_name = "URL", help_heading = "Targets")]
    pub webhook: Option<String>,
    /// A calendar file (.ics) that has the range of the start, written anew when the forecast changes
    #[arg(long, value_name = "FILE", help_heading = "Targets")]
    pub calendar: Option<PathBuf>,
    /// Time between two questions
    #[arg(long, value_name = "DURATION", default_value = "120s", value_parser = spec::positive_duration, allow_hyphen_values = true)]
    pub every: Seconds,
    /// Name of the cluster, where the store has several
    #[arg(long, value_name = "NAME")]
    pub cluster: Option<String>,
    #[command(flatten)]
    pub store: store_option::Arguments,
    #[command(flatten)]
    pub outside: outside::Arguments,
    #[command(flatten)]
    pub cache: cache_option::Arguments,
}

/// How long a command or a webhook may take.
const PATIENCE: Duration = Duration::from_secs(30);

/// How often it is looked whether there is a look that may have a new job.
const AWAITED: Duration = Duration::from_secs(2);

/// Follows the job until it has started or is gone.
pub fn run(arguments: &Arguments, printer: &Printer) -> Result<(), Failure> {
    let asked = Asked {
        arguments,
        live: live::Arguments {
            live: true,
            partition: None,
            store: arguments.store.clone(),
            outside: arguments.outside.clone(),
        },
        source: Source::usual(arguments.cluster.clone()),
        zone: zone::of_machine(),
        begun: site_now::now(),
        printer,
    };
    if let Some(file) = &arguments.calendar {
        // Refused before the first wait.
        PlannedFile::new(file, &[])?;
    }
    let stop = StopRequest::listen();
    let mut job = WatchedJob::new(NoticeRules {
        job: arguments.job.clone(),
        before: arguments.before,
        slips: arguments.slips,
        zone: asked.zone.clone(),
    });
    let (mut is_first, mut is_awaited, mut shown, mut missed) = (true, false, None, 0_usize);
    loop {
        let mut every = Duration::from_secs(arguments.every.0.unsigned_abs());
        match asked.job_now(is_first) {
            Ok((at, None)) => {
                if !is_awaited {
                    asked.await_look(at);
                }
                is_awaited = true;
                every = every.min(AWAITED);
            }
            Ok((at, Some(now))) => {
                is_awaited = false;
                // A job may be missing from one look, as while it is requeued.
                missed = if now == JobNow::Gone { missed + 1 } else { 0 };
                if missed != 1 {
                    if shown != Some(now) {
                        asked.write_calendar(at, now);
                        shown = Some(now);
                    }
                    if is_first && now == JobNow::Waiting(None) {
                        printer.note(&format!(
                            "job {} waits, and when it starts is not told by the queue; it is followed until it is, or starts",
                            arguments.job
                        ));
                    }
                    if let Some(notice) = job.seen(at, now) {
                        asked.tell(&notice)?;
                        if matches!(notice.reason, NoticeReason::Started | NoticeReason::Gone) {
                            return Ok(());
                        }
                    }
                }
            }
            // What cannot be asked now may be asked later; a job that never waited cannot.
            Err(failure) if is_first => return Err(failure),
            Err(failure) => printer.warning(&failure.to_string()),
        }
        is_first = is_awaited;
        if !stop.waited(every, || Ok(()))? {
            return Ok(());
        }
    }
}

struct Asked<'a> {
    arguments: &'a Arguments,
    live: live::Arguments,
    source: Source,
    zone: TimeZone,
    /// When this process began.
    begun: Time,
    printer: &'a Printer,
}

impl Asked<'_> {
    /// The job as it is now. At first, one that does not wait is refused with what is known of it; `None` of one that may have been submitted
    /// after the last look, which was before this process began.
    fn job_now(&self, is_first: bool) -> Result<(Time, Option<JobNow>), Failure> {
        let Asked { arguments, live, source, zone, begun, printer } = self;
        let from = (None, source, StoreUse::of(true, arguments.cache.no_cache), None);
        let (site, history) = read_live(from, live, moment::END, printer)?;
        let read = ReadPlace::Live { site, history };
        let (place, settings) = (read.asked(live, None), WhenSettings::default());
        let AskedPlace::Live { site, .. } = place else {
            return Err(Failure::unexpected("a live site is none"));
        };
        let (at, runs) = (site.asked, site.runs(&arguments.job));
        if runs && !is_first {
            return Ok((at, Some(JobNow::Running)));
        }
        if is_first && at < *begun && site.may_be_newer(&arguments.job) {
            return Ok((at, None));
        }
        let name = arguments.job.as_str();
        let waiting = told::learned(arguments.cache.is_kept(), printer, |messages| match is_first {
            true => queued_at(place, name, false, &settings, zone, messages).map(|answer| Some(answer.job)),
            false => pending_at(place, None, &settings, zone, messages)
                .map(|answer| answer.jobs.into_iter().find(|job| job.job == name)),
        })?;
        Ok((at, Some(waiting.map_or(JobNow::Gone, |job| JobNow::Waiting(said(&job))))))
    }

    /// Says that the next look is waited for.
    fn await_look(&self, last: Time) {
        let looked = Moment::of(last, Some(0), &self.zone).date.unwrap_or_default();
        self.printer.note(&format!(
            "job {} is not in the last look at Slurm ({looked}): the next one is waited for",
            self.arguments.job
        ));
    }

    fn tell(&self, notice: &Notice) -> Result<(), Failure> {
        self.printer.told(notice, &notice.text)?;
        if notice.reason == NoticeReason::Expected {
            return Ok(());
        }
        let start = notice.median.map_or(String::new(), |start| start.0.to_string());
        let event = serde_json::to_value(notice.reason).ok();
        let event = event.as_ref().and_then(|value| value.as_str()).unwrap_or_default();
        if let Some(line) = &self.arguments.run {
            let mut command = Command::new("/bin/sh");
            command.args(["-c", line]).envs([
                ("QUEUECAST_JOB", notice.job.as_str()),
                ("QUEUECAST_EVENT", event),
                ("QUEUECAST_TEXT", notice.text.as_str()),
                ("QUEUECAST_START", start.as_str()),
            ]);
            self.done("--run", command);
        }
        if let Some(address) = &self.arguments.webhook {
            self.post(address, &printer::json(notice)?)?;
        }
        Ok(())
    }

    /// Sends a text to an address, by curl. The address may be a secret: it is in a file of this user, not among the arguments, which
    /// others of the machine can read.
    fn post(&self, address: &str, text: &str) -> Result<(), Failure> {
        let cannot = |cause| Failure::writing("a temporary file", cause);
        let mut settings = tempfile::NamedTempFile::new().map_err(cannot)?;
        let quoted = address.replace('\\', "\\\\").replace('"', "\\\"");
        writeln!(settings, "url = \"{quoted}\"").map_err(cannot)?;
        let mut command = Command::new("curl");
        command.arg("--config").arg(settings.path());
        command.args(["-fsS", "--max-time", "20", "-H", "Content-Type: application/json"]);
        command.args(["--data-binary", text]);
        self.done("--webhook", command);
        Ok(())
    }

    /// Runs a target's command, and says if it fails.
    fn done(&self, option: &str, command: Command) {
        match answered(command, PATIENCE, || {}) {
            Ok((status, _, _)) if status.success() => {}
            Ok((status, _, stderr)) => {
                let said = String::from_utf8_lossy(&stderr);
                let said = said.lines().next().unwrap_or_default();
                self.printer.warning(&format!("{option} failed ({status}) {said}"));
            }
            Err(why) => self.printer.warning(&format!("{option}: {why}")),
        }
    }

    /// Writes the calendar file, and says if that fails.
    fn write_calendar(&self, at: Time, now: JobNow) {
        let Some(file) = &self.arguments.calendar else { return };
        let entry = match now {
            JobNow::Waiting(None) => return,
            JobNow::Waiting(Some(said)) => CalendarEntry::Expected(said, self.arguments.before),
            JobNow::Running => CalendarEntry::Started,
            JobNow::Gone => CalendarEntry::Gone,
        };
        let Some(text) = calendar(&self.arguments.job, at, entry) else { return };
        if let Err(failure) = PlannedFile::new(file, &[]).and_then(|planned| planned.write(&text)) {
            self.printer.warning(&failure.to_string());
        }
    }
}

fn said(job: &PendingJob) -> Option<SaidSeconds> {
    job.start.map(|start| SaidSeconds { low: start.low, median: start.median, high: start.high })
}

//! A workload, or a schedule of it, in the Standard Workload Format: what was simulated can be read again by
//! everything that reads logs. Refuses to know files; compression is the sink's affair.

use std::io::{self, Write};

use crate::job::{Ending, Job, Truth};
use crate::sim::{Placement, Schedule};
use crate::trace::{Header, Record, SwfWriter, UNKNOWN};
use crate::workload::Workload;

/// What goes above the records.
#[derive(Debug, Clone, Copy, Default)]
pub struct Heading<'a> {
    /// The comments of the log it was made from, kept to the byte: its makers ask to be acknowledged in what
    /// is derived from it. `None` for one without comments, which gets a header made from the workload.
    pub header: Option<&'a Header>,
    /// Said below the header, one `Note:` each.
    pub notes: &'a [String],
}

/// Writes the jobs, each with the wait and the run time of its placement; without a schedule, with its own
/// run time and no wait. Hands the sink back, flushed.
pub fn write<W: Write>(
    sink: W,
    heading: Heading<'_>,
    workload: &Workload,
    schedule: Option<&Schedule>,
) -> io::Result<W> {
    let mut writer = SwfWriter::new(sink);
    let origin = match heading.header {
        Some(header) => {
            writer.header(header)?;
            let machine = i64::from(workload.machine().procs.0);
            if header.max_procs != Some(machine) {
                // A later header line replaces an earlier one.
                writer.comment(format!("; MaxProcs: {machine}").as_bytes())?;
            }
            0
        }
        None => made_header(&mut writer, workload)?,
    };
    for note in heading.notes {
        writer.comment(format!("; Note: {note}").as_bytes())?;
    }
    for (index, (job, truth)) in workload.jobs().iter().zip(workload.truths()).enumerate() {
        let placement = schedule.and_then(|schedule| schedule.placements.get(index));
        writer.record(&record(job, truth, placement, origin))?;
    }
    writer.finish()
}

/// A header for a workload without one; returns the instant that is second 0 of the file.
fn made_header<W: Write>(writer: &mut SwfWriter<W>, workload: &Workload) -> io::Result<i64> {
    // The format counts from the log's start and knows no negative times.
    let begins = workload.begins().map_or(0, |time| time.0);
    let origin = if workload.epoch == Some(0) || begins < 0 { begins } else { 0 };
    let mut say = |text: String| writer.comment(format!("; {text}").as_bytes());
    say("Version: 2.2".into())?;
    say(format!("MaxJobs: {}", workload.len()))?;
    say(format!("MaxRecords: {}", workload.len()))?;
    if let Some(epoch) = workload.epoch {
        say(format!("UnixStartTime: {}", epoch.saturating_add(origin)))?;
    }
    say(format!("MaxProcs: {}", workload.machine().procs))?;
    writer.names(&workload.names)?;
    Ok(origin)
}

fn record(job: &Job, truth: &Truth, placement: Option<&Placement>, origin: i64) -> Record {
    let number = |number: Option<u32>| number.map_or(UNKNOWN, i64::from);
    let requested = job.shape.procs;
    let allocated = placement.map_or(requested, |placement| placement.procs(job));
    let killed = placement.is_some_and(|placement| placement.killed);
    Record {
        job: i64::try_from(job.id.0).unwrap_or(UNKNOWN),
        submit: job.submit.0 - origin,
        wait: placement.map_or(UNKNOWN, |placement| (placement.start - job.submit).0),
        run: placement.map_or(truth.run(), |placement| placement.ran).0,
        allocated_procs: allocated.0.into(),
        requested_procs: requested.0.into(),
        requested_time: job.shape.limit.map_or(UNKNOWN, |limit| limit.0),
        status: if killed { 0 } else { status(truth.ending) },
        user: number(job.user.map(|id| id.number())),
        group: number(job.group.map(|id| id.number())),
        executable: number(job.executable.map(|id| id.number())),
        queue: number(job.queue.map(|id| id.number())),
        partition: number(job.partition.map(|id| id.number())),
        qos: number(job.qos.map(|id| id.number())),
        ..Record::default()
    }
}

/// The format's word for an end. A job killed at its limit counts as failed there.
fn status(ending: Ending) -> i64 {
    match ending {
        Ending::Completed => 1,
        Ending::Failed | Ending::Killed => 0,
        Ending::Cancelled => 5,
        Ending::Unknown => UNKNOWN,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::job::UserId;
    use crate::predict::PredictorSpec;
    use crate::sim::Backfill;
    use crate::trace::{ReadOptions, Ruleset, read};
    use crate::units::{Procs, Seconds, Time};
    use crate::workload::Machine;

    fn two(epoch: Option<i64>) -> Workload {
        let job = |id, submit| {
            let mut job = Job::rigid(id, Time(submit), Procs(3), Some(Seconds(60)));
            job.user = UserId::new(0);
            (job, Truth { ending: Ending::Completed, ..Truth::rigid(Seconds(50)) })
        };
        let mut workload =
            Workload::new(Machine { procs: Procs(4) }, vec![job(7, 1000), job(8, 1010)]).unwrap();
        workload.epoch = epoch;
        workload.names.users.insert(0, "ada".into());
        workload
    }

    fn written(heading: Heading<'_>, workload: &Workload, schedule: Option<&Schedule>) -> String {
        String::from_utf8(write(Vec::new(), heading, workload, schedule).unwrap()).unwrap()
    }

    #[test]
    fn what_is_written_reads_back_as_the_same_workload() {
        let workload = two(Some(5));
        let text = written(Heading::default(), &workload, None);
        let options = ReadOptions { ruleset: Ruleset::none(), ..ReadOptions::default() };
        let log = read(text.as_bytes(), &options).unwrap();
        assert_eq!(log.workload, workload);
    }

    #[test]
    fn unix_times_are_written_relative_to_the_first() {
        let text = written(Heading::default(), &two(Some(0)), None);
        assert!(text.contains("; UnixStartTime: 1000\n"), "{text}");
        let records: Vec<&str> = text.lines().filter(|line| !line.starts_with(';')).collect();
        assert_eq!(records[1].split_whitespace().nth(1), Some("10"));
    }

    #[test]
    fn a_schedule_keeps_the_logs_comments_and_says_when_jobs_started() {
        let mut header = Header::default();
        header.push(1, b";\t Acknowledge:  Somebody");
        let workload = two(None);
        let schedule =
            crate::eval::Experiment::new(Backfill::easy(), PredictorSpec::Requested).run(&workload).unwrap();
        let notes = ["simulated".to_owned()];
        let text = written(Heading { header: Some(&header), notes: &notes }, &workload, Some(&schedule));
        let (comments, records): (Vec<&str>, Vec<&str>) =
            text.lines().partition(|line| line.starts_with(';'));
        assert_eq!(comments, [";\t Acknowledge:  Somebody", "; MaxProcs: 4", "; Note: simulated"]);
        let fields: Vec<Vec<&str>> = records.iter().map(|line| line.split_whitespace().collect()).collect();
        // The second job waits for the first to end at 1050.
        assert_eq!(fields[0][..5], ["7", "1000", "0", "50", "3"]);
        assert_eq!(fields[1][..5], ["8", "1010", "40", "50", "3"]);
    }
}

//! Writes a workload, or a schedule of it, in the Standard Workload Format. Compression is up to the sink.

use std::io::{self, Write};

use queuecast_core::job::{Ending, Job, Truth};
use queuecast_core::workload::Workload;
use queuecast_sim::sim::{Placement, Schedule};
use queuecast_trace::swf::Renamed;
use queuecast_trace::{Header, Record, SwfWriter, UNKNOWN};

/// What goes above the records.
#[derive(Debug, Clone, Copy, Default)]
pub struct Heading<'a> {
    /// The comments of the log it was made from, kept to the byte: its authors ask to be acknowledged in
    /// derived files. `None` for one without comments, which gets a header made from the workload.
    pub header: Option<&'a Header>,
    /// Said below the header and above what names there are, one `Note:` each.
    pub notes: &'a [String],
}

/// Writes the jobs, each with the wait and the run time of its placement; without a schedule, with its own
/// run time and no wait. Returns the sink, flushed.
pub fn write<W: Write>(
    mut sink: W,
    heading: Heading<'_>,
    workload: &Workload,
    schedule: Option<&Schedule>,
) -> io::Result<W> {
    write_to(&mut sink, heading, workload, schedule)?;
    Ok(sink)
}

fn write_to(
    sink: &mut dyn Write,
    heading: Heading<'_>,
    workload: &Workload,
    schedule: Option<&Schedule>,
) -> io::Result<()> {
    let mut writer = SwfWriter::new(sink);
    let origin = match heading.header {
        Some(header) => {
            let origin = kept_header(&mut writer, header, workload)?;
            say_notes(&mut writer, heading.notes)?;
            origin
        }
        None => {
            let origin = made_header(&mut writer, workload)?;
            say_notes(&mut writer, heading.notes)?;
            // Last, because there may be thousands.
            writer.names(&workload.names)?;
            origin
        }
    };
    for (index, (job, truth)) in workload.jobs().iter().zip(workload.truths()).enumerate() {
        let placement = schedule.and_then(|schedule| schedule.placements.get(index));
        writer.record(&record(job, truth, placement, origin))?;
    }
    writer.finish()?;
    Ok(())
}

/// A header for a workload without one; returns the instant that is second 0 of the file.
fn made_header(writer: &mut SwfWriter<&mut dyn Write>, workload: &Workload) -> io::Result<i64> {
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
    Ok(origin)
}

fn say_notes(writer: &mut SwfWriter<&mut dyn Write>, notes: &[String]) -> io::Result<()> {
    notes.iter().try_for_each(|note| writer.comment(format!("; Note: {note}").as_bytes()))
}

/// The log's own comments, then those that replace them; returns the instant that is second 0 of the file.
fn kept_header(
    writer: &mut SwfWriter<&mut dyn Write>,
    header: &Header,
    workload: &Workload,
) -> io::Result<i64> {
    let renamed = Renamed::of(header, &workload.names);
    for comment in header.comments.iter().filter(|comment| !renamed.is_stale(&comment.bytes)) {
        writer.comment(&comment.bytes)?;
    }
    // A later header line replaces an earlier one.
    let jobs = i64::try_from(workload.len()).unwrap_or(i64::MAX);
    let origin = workload.begins().map_or(0, |time| time.0.min(0));
    let start = workload.epoch.map(|epoch| epoch.saturating_add(origin));
    for (key, said, is) in [
        ("MaxJobs", header.max_jobs, header.max_jobs.map(|_| jobs)),
        ("MaxRecords", header.max_records, header.max_records.map(|_| jobs)),
        ("UnixStartTime", header.unix_start_time, start.or(header.unix_start_time)),
        ("MaxProcs", header.max_procs, Some(i64::from(workload.machine().procs.0))),
    ] {
        if let Some(is) = is.filter(|_| is != said) {
            writer.comment(format!("; {key}: {is}").as_bytes())?;
        }
    }
    writer.names(&renamed.names)?;
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
    use queuecast_core::job::UserId;
    use queuecast_core::units::{Procs, Seconds, Time};
    use queuecast_core::workload::Machine;
    use queuecast_sim::predict::PredictorSpec;
    use queuecast_sim::sim::Backfill;
    use queuecast_trace::{ReadOptions, Ruleset, read};

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
        header.push(1, b";\t Acknowledge:  A. Author");
        let workload = two(None);
        let schedule = queuecast_study::Experiment::new(Backfill::easy(), PredictorSpec::Requested)
            .run(&workload)
            .unwrap();
        let notes = ["simulated".to_owned()];
        let text = written(Heading { header: Some(&header), notes: &notes }, &workload, Some(&schedule));
        let (comments, records): (Vec<&str>, Vec<&str>) =
            text.lines().partition(|line| line.starts_with(';'));
        let ours = ["; MaxProcs: 4", "; Note: User 0 = ada", "; Note: simulated"];
        assert_eq!(comments[0], ";\t Acknowledge:  A. Author");
        assert_eq!(comments[1..], ours);
        let fields: Vec<Vec<&str>> = records.iter().map(|line| line.split_whitespace().collect()).collect();
        // The second job waits for the first to end at 1050.
        assert_eq!(fields[0][..5], ["7", "1000", "0", "50", "3"]);
        assert_eq!(fields[1][..5], ["8", "1010", "40", "50", "3"]);
    }

    #[test]
    fn what_is_no_longer_so_is_said_anew() {
        let mut header = Header::default();
        for (number, line) in [
            "; MaxJobs: 9",
            "; MaxProcs: 4",
            "; UnixStartTime: 500",
            "; Note: User 0 = bob",
            "; Note: User 7 = eve",
            "; Note: x",
        ]
        .iter()
        .enumerate()
        {
            header.push(number as u64 + 1, line.as_bytes());
        }
        let mut workload = two(Some(500));
        let text = written(Heading { header: Some(&header), notes: &[] }, &workload, None);
        let comments: Vec<&str> = text.lines().filter(|line| line.starts_with(';')).collect();
        let expected = [
            "; MaxJobs: 9",
            "; MaxProcs: 4",
            "; UnixStartTime: 500",
            "; Note: x",
            "; MaxJobs: 2",
            "; Note: User 0 = ada",
        ];
        assert_eq!(comments, expected);
        // Control: what is still so is left as it is.
        workload.names = header.names.clone();
        let text = written(Heading { header: Some(&header), notes: &[] }, &workload, None);
        assert!(text.contains("= bob") && text.contains("= eve") && !text.contains("ada"), "{text}");
    }

    #[test]
    fn times_before_the_log_begins_move_its_beginning() {
        let jobs = [-50, 10].map(|at| (Job::rigid(1, Time(at), Procs(1), None), Truth::rigid(Seconds(5))));
        let mut workload = Workload::new(Machine { procs: Procs(4) }, jobs.to_vec()).unwrap();
        workload.epoch = Some(1000);
        let mut header = Header::default();
        header.push(1, b"; UnixStartTime: 1000");
        let text = written(Heading { header: Some(&header), notes: &[] }, &workload, None);
        let log = read(text.as_bytes(), &ReadOptions::default()).unwrap();
        assert_eq!((log.workload.epoch, log.workload.begins()), (Some(950), Some(Time(0))));
        assert_eq!(log.workload.jobs()[1].submit, Time(60));
    }
}

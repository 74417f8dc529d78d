//! A log as it was known at a moment: what came later has no effect.

use queuecast_core::units::{Procs, Seconds, Time};
use queuecast_core::workload::Workload;
use queuecast_trace::{LogSpan, MachineSource, RawLog, ReadOptions, Rule, Ruleset, TraceError};

/// At 200 job 1 has ended, 2 runs, 3 has been cancelled, 4 to 6 wait, and 7 has not been submitted. Of those that wait, 4 will
/// start, and 5 and 6 will be cancelled.
const LOG: &str = "\
1 100 30 60 4 50 -1 4 120 -1 1 3 -1 -1 -1 -1 -1 -1
2 110 50 700 2 50 -1 2 120 -1 0 3 -1 -1 -1 -1 -1 -1
3 120 40 -1 4 -1 -1 4 120 -1 5 3 -1 -1 -1 -1 -1 -1
4 130 200 10 2 50 -1 3 120 -1 1 3 -1 -1 -1 -1 -1 -1
5 140 300 -1 -1 -1 -1 4 120 -1 5 3 -1 -1 -1 -1 -1 -1
6 150 300 -1 5 -1 -1 5 120 -1 5 3 -1 -1 -1 -1 -1 -1
7 201 0 10 16 50 -1 16 120 -1 1 9 -1 -1 -1 -1 -1 -1
";

fn raw(text: &str, ruleset: &str) -> RawLog {
    let options = ReadOptions { ruleset: ruleset.parse::<Ruleset>().unwrap(), ..ReadOptions::default() };
    RawLog::read(text.as_bytes(), &options).unwrap()
}

/// Id, processors, start and end of each job.
fn jobs(workload: &Workload) -> Vec<(u64, u32, i64, i64)> {
    let each = workload.jobs().iter().zip(&workload.starts).zip(workload.truths());
    each.map(|((job, start), truth)| (job.id.0, job.shape.procs.0, start.0, (*start + truth.run()).0))
        .collect()
}

fn known(text: &str, at: i64) -> queuecast_trace::Log {
    raw(text, "default").known_at(Time(at)).unwrap()
}

#[test]
fn jobs_that_wait_or_run_do_so_whatever_becomes_of_them() {
    let log = known(LOG, 200);
    // What runs ends in the next second, and what waits starts then.
    let expected = [(1, 4, 130, 190), (2, 2, 160, 201), (4, 3, 201, 201), (5, 4, 201, 201), (6, 5, 201, 201)];
    assert_eq!(jobs(&log.workload), expected);
    let withdrawn: Vec<_> = log.workload.withdrawn.iter().map(|one| (one.job.id.0, one.left.0)).collect();
    assert_eq!(withdrawn, [(3, 160)]);
    assert_eq!((log.report.lines, log.report.removed), (6, 1));
    assert_eq!(log.report.fired(Rule::RunMissing), 1, "that of the job that was cancelled before");
    // Control: all of the log has other jobs.
    let whole = raw(LOG, "default").cleaned().unwrap();
    assert_eq!((whole.workload.len(), whole.workload.withdrawn.len()), (4, 3));
}

#[test]
fn what_came_later_makes_no_difference() {
    let cut = "\
1 100 30 60 4 50 -1 4 120 -1 1 3 -1 -1 -1 -1 -1 -1
2 110 50 91 2 80 77 2 120 -1 5 3 -1 -1 -1 -1 -1 -1
3 120 40 -1 4 -1 -1 4 120 -1 5 3 -1 -1 -1 -1 -1 -1
4 130 71 -1 3 -1 -1 3 120 -1 5 3 -1 -1 -1 -1 -1 -1
5 140 61 800 4 -1 -1 4 120 -1 0 3 -1 -1 -1 -1 -1 -1
6 150 999 0 -1 -1 -1 5 120 -1 1 3 -1 -1 -1 -1 -1 -1
";
    let (one, other) = (known(LOG, 200), known(cut, 200));
    assert_eq!(one.workload, other.workload);
    assert_eq!((one.report, one.machine), (other.report, other.machine));
    // Control: a second later the log tells them apart.
    assert_ne!(known(LOG, 201).workload, known(cut, 201).workload);
    let accomplished = |text: &str| raw(text, "default").cleaned().unwrap().workload;
    assert_ne!(accomplished(LOG), accomplished(cut));
}

#[test]
fn a_size_that_the_log_does_not_tell_is_that_of_the_largest_job_by_then() {
    let size = |text: &str, at| {
        let machine = known(text, at).machine;
        (machine.procs.0, machine.source)
    };
    assert_eq!(size(LOG, 149), (4, MachineSource::LargestJobByThen));
    assert_eq!(size(LOG, 200), (5, MachineSource::LargestJobByThen));
    assert_eq!(size(LOG, 201), (16, MachineSource::LargestJobByThen));
    // A record of which it is not known when it was submitted tells nothing.
    let undated = format!("{LOG}8 -1 0 10 64 50 -1 64 120 -1 1 9 -1 -1 -1 -1 -1 -1\n");
    assert_eq!(size(&undated, 200), (5, MachineSource::LargestJobByThen));
    let header = |lines: &str| format!("{lines}\n{LOG}");
    assert_eq!(size(&header("; MaxProcs: 64"), 200), (64, MachineSource::MaxProcs));
    assert!(known(LOG, 200).workload.is_machine_guessed);
    assert!(!known(&header("; MaxProcs: 64"), 200).workload.is_machine_guessed);
    assert!(known(LOG, 200).machine.to_string().contains("by then"));
    // A size that a note calls that of the largest job is known at the end only.
    let sacct = "JobIDRaw|State|Submit|Eligible|Start|End|ElapsedRaw|TimelimitRaw|ReqCPUS|AllocCPUS\n\
                 1|COMPLETED|1000|1000|1030|1090|60|2|4|4\n2|COMPLETED|1200|1200|1230|1290|60|2|32|32\n";
    let made = queuecast_trace::convert(sacct.as_bytes(), Vec::new(), &ReadOptions::default()).unwrap();
    let converted = String::from_utf8(made.sink).unwrap();
    assert_eq!(size(&converted, 100), (4, MachineSource::LargestJobByThen));
    assert_eq!(raw(&converted, "default").cleaned().unwrap().machine.procs, Procs(32));
}

#[test]
fn rules_apply_to_what_was_known() {
    // Requests are not filled in from run times that are not known yet.
    let limitless = "\
1 100 30 60 4 50 -1 4 -1 -1 1 3 -1 -1 -1 -1 -1 -1
2 110 50 700 4 50 -1 4 -1 -1 1 3 -1 -1 -1 -1 -1 -1
";
    let log = raw(limitless, "reference").known_at(Time(200)).unwrap();
    let limits: Vec<_> = log.workload.jobs().iter().map(|job| job.shape.limit).collect();
    assert_eq!(limits, [Some(Seconds(60)), None]);
    assert_eq!(raw(limitless, "predictsim").known_at(Time(200)).unwrap_err().to_string(), {
        let none = raw(limitless, "predictsim").cleaned().unwrap_err();
        none.to_string()
    });
    // Partial executions that follow their sum are not jobs, also of a job that runs.
    let parts = format!(
        "{}{}",
        &LOG[..LOG.find("3 120").unwrap()],
        "\
2 110 50 300 2 50 -1 2 120 -1 2 3 -1 -1 -1 -1 -1 -1
2 110 600 100 2 50 -1 2 120 -1 3 3 -1 -1 -1 -1 -1 -1
"
    );
    let log = known(&parts, 200);
    assert_eq!(jobs(&log.workload), [(1, 4, 130, 190), (2, 2, 160, 201)]);
    // Strictness is about records that are wrong, not about those that are not over.
    let strict = ReadOptions { strict: true, ..ReadOptions::default() };
    let running = LOG.lines().take(2).collect::<Vec<_>>().join("\n");
    let log = RawLog::read(running.as_bytes(), &strict).unwrap();
    assert_eq!(log.known_at(Time(200)).unwrap().workload.len(), 2);
}

#[test]
fn before_any_end_there_are_only_jobs_that_wait_and_run() {
    assert_eq!(jobs(&known(LOG, 111).workload), [(1, 4, 112, 112), (2, 2, 112, 112)]);
    let nothing = raw(LOG, "default").known_at(Time(99));
    assert!(matches!(nothing, Err(TraceError::NoJobs { lines: 0, .. })));
}

#[test]
fn moments_are_those_from_the_first_submission_to_the_last_end() {
    let span = raw(LOG, "default").span();
    let [first, last, until] = [100, 201, 860].map(Time);
    assert_eq!(span, Some(LogSpan { first, last, until, epoch: None }));
    let none = "1 -1 30 60 4 50 -1 4 -1 -1 1 3 -1 -1 -1 -1 -1 -1\n";
    assert_eq!(raw(none, "default").span(), None);
}

#[test]
fn the_whole_of_it_is_what_reading_returns() {
    let read = queuecast_trace::read(LOG.as_bytes(), &ReadOptions::default()).unwrap();
    let whole = raw(LOG, "default").cleaned().unwrap();
    assert_eq!((read.workload, read.report, read.machine), (whole.workload, whole.report, whole.machine));
}

#[test]
fn jobs_that_had_not_ended_when_accounting_was_taken_stay_so() {
    let text = "JobIDRaw|State|Submit|Eligible|Start|End|ElapsedRaw|TimelimitRaw|ReqCPUS|AllocCPUS|User\n\
                1|COMPLETED|1000|1000|1030|1090|60|2|4|4|ada\n\
                2|RUNNING|1010|1010|1040|Unknown|60|20|4|4|ada\n\
                3|RUNNING|1020|1020|1300|Unknown|60|20|4|4|ada\n\
                4|PENDING|1030|1030|Unknown|Unknown|0|20|4|0|ada\n";
    let log = raw(text, "default").known_at(Time(1200)).unwrap();
    // The third started later: it still waits.
    let expected = [(1, 4, 1030, 1090), (2, 4, 1040, 1201), (3, 4, 1201, 1201), (4, 4, 1201, 1201)];
    assert_eq!((jobs(&log.workload), log.unfinished.len()), (expected.to_vec(), 0));
    // Whether they have ended by the time that the accounting was taken makes no difference.
    let later = text
        .replace("2|RUNNING|1010|1010|1040|Unknown|60", "2|FAILED|1010|1010|1040|1240|200")
        .replace("3|RUNNING|1020|1020|1300|Unknown|60", "3|CANCELLED|1020|1020|None|1700|0")
        .replace("4|PENDING|1030|1030|Unknown|Unknown", "4|COMPLETED|1030|1030|1900|1960");
    assert_eq!(raw(&later, "default").known_at(Time(1200)).unwrap().workload, log.workload);
    // One that is overdue by more than an hour has ended, and its end was never recorded.
    let log = raw(text, "default").known_at(Time(1040 + 1200 + 3601)).unwrap();
    let ids: Vec<u64> = log.workload.jobs().iter().map(|job| job.id.0).collect();
    assert_eq!(ids, [1, 3, 4]);
}

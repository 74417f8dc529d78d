//! Jobs that left the queue before they started: which records are taken for such, and what is kept of them.

use queuecast_core::units::{Procs, Seconds, Time};
use queuecast_core::workload::Withdrawn;
use queuecast_trace as trace;
use queuecast_trace::clean::{Withdrawals, WithdrawnKinds};
use queuecast_trace::{Log, ReadOptions, Rule, Ruleset};

fn read_by(ruleset: &str, text: &str) -> Log {
    let options = ReadOptions { ruleset: ruleset.parse::<Ruleset>().unwrap(), ..ReadOptions::default() };
    trace::read(text.as_bytes(), &options).unwrap()
}

/// Id, submission, leaving and rank of each withdrawn job.
fn withdrawn(log: &Log) -> Vec<(u64, i64, i64, u32)> {
    let row = |one: &Withdrawn| (one.job.id.0, one.job.submit.0, one.left.0, one.job.index.0);
    log.workload.withdrawn.iter().map(row).collect()
}

/// A machine of 8; one job that ran for 60 s after a wait of 30 s, then the given lines.
fn log(lines: &str) -> String {
    format!("; MaxProcs: 8\n1 100 30 60 4 50 -1 4 120 -1 1 3 -1 -1 -1 -1 -1 -1\n{lines}\n")
}

#[test]
fn a_cancelled_record_without_run_and_processors_is_withdrawn() {
    let found = read_by("default", &log("2 110 90 -1 -1 -1 -1 6 300 -1 5 4 7 -1 2 -1 -1 -1"));
    assert_eq!(withdrawn(&found), [(2, 110, 200, 1)]);
    let job = &found.workload.withdrawn[0].job;
    assert_eq!((job.shape.procs, job.shape.limit), (Procs(6), Some(Seconds(300))));
    assert_eq!((job.user.unwrap().number(), job.group.unwrap().number()), (4, 7));
    assert_eq!(found.workload.len(), 1, "simulations leave it out");
    assert_eq!((found.report.removed, found.report.fired(Rule::RunMissing)), (1, 1));
    let kinds = WithdrawnKinds { neither: 1, ..WithdrawnKinds::default() };
    let (queue_time, queue_time_share) = (Seconds(90), Some(0.75));
    assert_eq!(
        found.report.withdrawn,
        Some(Withdrawals { jobs: 1, kinds, unplaced: 0, queue_time, queue_time_share })
    );
    let text = found.report.to_string();
    let line = "withdrawn: 1 of the removed left the queue before they started; 75.0% of all queue time";
    assert!(text.contains(line), "{text}");
    let json = serde_json::to_value(&found.report).unwrap();
    assert_eq!(json["withdrawn"]["jobs"], 1);
    assert_eq!(json["withdrawn"]["queue_time_share"], 0.75);
}

#[test]
fn records_that_may_have_started_are_not_withdrawn() {
    for (line, why) in [
        ("2 110 -1 -1 -1 -1 -1 6 300 -1 5 4 -1 -1 -1 -1 -1 -1", "its wait is unknown"),
        ("2 110 90 -1 6 -1 -1 6 300 -1 0 4 -1 -1 -1 -1 -1 -1", "it held processors, and was not cancelled"),
        ("2 110 90 -1 -1 7 -1 6 300 -1 5 4 -1 -1 -1 -1 -1 -1", "it used CPU time"),
        ("2 110 90 -1 -1 -1 -1 6 300 -1 1 4 -1 -1 -1 -1 -1 -1", "it completed"),
        ("2 110 90 -1 -1 -1 -1 6 300 -1 2 4 -1 -1 -1 -1 -1 -1", "it is a partial execution"),
        ("2 -1 90 -1 -1 -1 -1 6 300 -1 5 4 -1 -1 -1 -1 -1 -1", "its submission is unknown"),
        ("2 110 90 -1 -1 -1 -1 -1 300 -1 5 4 -1 -1 -1 -1 -1 -1", "its size is unknown"),
        ("2 110 90 -1 -1 -1 -1 9 300 -1 5 4 -1 -1 -1 -1 -1 -1", "it is larger than the machine"),
    ] {
        let found = read_by("default", &log(line));
        assert_eq!((found.workload.withdrawn.len(), found.report.removed), (0, 1), "{why}");
        let jobs = found.report.withdrawn.map(|withdrawn| withdrawn.jobs);
        assert_eq!(jobs, Some(0), "{why}");
        assert!(!found.report.to_string().contains("withdrawn"), "{why}");
    }
}

#[test]
fn a_run_of_zero_is_withdrawn_where_cleaning_removes_it() {
    let cancelled = log("2 110 90 0 -1 -1 -1 6 300 -1 5 4 -1 -1 -1 -1 -1 -1");
    assert_eq!(read_by("default,run-zero=drop", &cancelled).workload.withdrawn.len(), 1);
    let kept = read_by("default", &cancelled);
    assert_eq!((kept.workload.len(), kept.workload.withdrawn.len()), (2, 0));
    let ran = log("2 110 90 0 6 -1 -1 6 300 -1 0 4 -1 -1 -1 -1 -1 -1");
    assert_eq!(read_by("default,run-zero=drop", &ran).workload.withdrawn.len(), 0, "it held processors");
}

#[test]
fn cancelled_jobs_wait_in_the_queue_however_they_are_recorded() {
    // The same job, cancelled after 90 s, as five systems record it.
    for (line, kind, ruleset) in [
        ("2 110 90 -1 -1 -1 -1 6 300 -1 5 4 -1 -1 -1 -1 -1 -1", [1, 0, 0, 0], "default"),
        ("2 110 90 -1 6 -1 -1 6 300 -1 5 4 -1 -1 -1 -1 -1 -1", [0, 1, 0, 0], "default"),
        ("2 110 90 -1 6 -1 -1 -1 300 -1 5 4 -1 -1 -1 -1 -1 -1", [0, 1, 0, 0], "default"),
        ("2 110 90 0 -1 -1 -1 6 300 -1 5 4 -1 -1 -1 -1 -1 -1", [0, 0, 1, 0], "default,run-zero=drop"),
        ("2 110 90 0 6 -1 -1 6 300 -1 5 4 -1 -1 -1 -1 -1 -1", [0, 0, 0, 1], "default,run-zero=drop"),
    ] {
        let found = read_by(ruleset, &log(line));
        assert_eq!(withdrawn(&found), [(2, 110, 200, 1)], "{line}");
        assert_eq!(found.workload.withdrawn[0].job.shape.procs, Procs(6), "{line}");
        let withdrawn = found.report.withdrawn.unwrap();
        let kinds = withdrawn.kinds;
        let counts = [kinds.neither, kinds.processors, kinds.zero_run, kinds.zero_run_processors];
        assert_eq!((counts, withdrawn.unplaced), (kind, 0), "{line}");
    }
    // Of one whose wait is unknown it is only known that it was there.
    let unplaced = read_by("default", &log("2 110 -1 -1 6 -1 -1 6 300 -1 5 4 -1 -1 -1 -1 -1 -1"));
    let withdrawn = unplaced.report.withdrawn.unwrap();
    assert_eq!((withdrawn.jobs, withdrawn.unplaced), (0, 1));
}

#[test]
fn withdrawn_jobs_obey_the_ruleset() {
    let large = log("2 110 90 -1 -1 -1 -1 9 300 -1 5 4 -1 -1 -1 -1 -1 -1");
    let capped = read_by("default,too-large=cap", &large);
    assert_eq!(capped.workload.withdrawn[0].job.shape.procs, Procs(8));
    assert_eq!(capped.report.fired(Rule::TooLarge), 0, "the record is counted by one rule");
    let limitless = log("2 110 90 -1 -1 -1 -1 6 0 -1 5 99999999999 -1 -1 -1 -1 -1 -1");
    let kept = read_by("default", &limitless);
    assert_eq!(kept.workload.withdrawn[0].job.shape.limit, None);
    let user = kept.workload.withdrawn[0].job.user.unwrap().number();
    assert_eq!(kept.workload.names.users[&user], "99999999999");
    assert_eq!(read_by("predictsim", &limitless).workload.withdrawn.len(), 0);
    assert_eq!(read_by("reference", &limitless).workload.withdrawn[0].job.shape.limit, None);
}

#[test]
fn a_size_declared_below_the_records_holds_for_withdrawn_jobs() {
    let text = "\
1 100 30 60 4 50 -1 4 120 -1 1 3 -1 -1 -1 -1 -1 -1
2 110 90 -1 -1 -1 -1 9 300 -1 5 4 -1 -1 -1 -1 -1 -1
3 110 0 5 16 -1 -1 16 300 -1 1 4 -1 -1 -1 -1 -1 -1
4 110 90 -1 -1 -1 -1 2 300 -1 5 4 -1 -1 -1 -1 -1 -1
5 110 0 5 2 -1 -1 2 300 -1 1 4 -1 -1 -1 -1 -1 -1
; MaxProcs: 8
";
    let found = read_by("default", text);
    assert_eq!(found.workload.len(), 2);
    assert_eq!(withdrawn(&found), [(4, 110, 200, 1)]);
    assert_eq!(withdrawn(&read_by("default,too-large=cap", text)), [(2, 110, 200, 1), (4, 110, 200, 2)]);
}

#[test]
fn ranks_are_by_submission_then_place_in_the_log() {
    let ran = |id, submit| format!("{id} {submit} 0 60 4 50 -1 4 120 -1 1 3 -1 -1 -1 -1 -1 -1");
    let left = |id, submit| format!("{id} {submit} 9 -1 -1 -1 -1 4 120 -1 5 3 -1 -1 -1 -1 -1 -1");
    let sorted = [ran(1, 0), left(2, 5), ran(3, 5), left(4, 5), ran(5, 5), left(6, 9), ran(7, 9)].join("\n");
    assert_eq!(withdrawn(&read_by("default", &sorted)), [(2, 5, 14, 1), (4, 5, 14, 2), (6, 9, 18, 3)]);
    let unsorted =
        [ran(7, 9), left(6, 9), left(2, 5), ran(3, 5), ran(1, 0), left(4, 5), ran(5, 5)].join("\n");
    assert_eq!(withdrawn(&read_by("default", &unsorted)), [(2, 5, 14, 1), (4, 5, 14, 2), (6, 9, 18, 4)]);
    // By number: 3 and 5 are in order, 4 between them, whatever the log's order.
    let by_number = [ran(5, 5), left(4, 5), left(2, 5), ran(3, 5), ran(1, 0)].join("\n");
    assert_eq!(withdrawn(&read_by("default", &by_number)), [(4, 5, 14, 2), (2, 5, 14, 2)]);
    assert_eq!(withdrawn(&read_by("default,ties=number", &by_number)), [(2, 5, 14, 1), (4, 5, 14, 2)]);
}

const HEADER: &str =
    "JobIDRaw|State|Submit|Eligible|Start|End|ElapsedRaw|TimelimitRaw|ReqCPUS|AllocCPUS|User";
const RAN: &str = "1|COMPLETED|1000|1000|1030|1090|60|2|4|4|ada";

fn sacct(rows: &[&str]) -> String {
    format!("{HEADER}\n{RAN}\n{}\n", rows.join("\n"))
}

#[test]
fn accounting_rows_without_a_start_are_withdrawn_when_they_end() {
    let rows = [
        "2|CANCELLED by 0|1010|1020|None|1110|0|5|6|0|bob",
        // Slurm 22.05 prints what was requested as allocated.
        "3|CANCELLED|1010|1020|Unknown|1110|0|5|6|6|bob",
        "4|DEADLINE|1010|1020|None|1120|0|5|6|0|bob",
    ];
    let log = read_by("default", &sacct(&rows));
    assert_eq!(withdrawn(&log), [(2, 1020, 1110, 1), (3, 1020, 1110, 1), (4, 1020, 1120, 1)]);
    assert_eq!(log.workload.withdrawn[1].job.shape.procs, Procs(6));
    let by_submission = read_by("default,eligible=submit", &sacct(&rows));
    assert_eq!(by_submission.workload.withdrawn[0].waited(), Seconds(100));
    // As SWF, they are the same jobs.
    let swf = trace::convert(sacct(&rows).as_bytes(), Vec::new(), &ReadOptions::default()).unwrap().sink;
    let again = trace::read(swf.as_slice(), &ReadOptions::default()).unwrap();
    assert_eq!(withdrawn(&again), [(2, 20, 110, 1), (3, 20, 110, 1), (4, 20, 120, 1)]);
}

#[test]
fn accounting_rows_that_never_waited_are_not_withdrawn() {
    for (row, why) in [
        ("2|CANCELLED by 0|1010|Unknown|None|1110|0|5|6|0|bob", "it never became eligible"),
        ("2|CANCELLED by 0|1010|1200|None|1110|0|5|6|0|bob", "it left before it became eligible"),
        ("2|CANCELLED by 0|1010|1020|None|Unknown|0|5|6|0|bob", "when it left is unknown"),
        ("2|PENDING|1010|1020|Unknown|Unknown|0|5|6|0|bob", "it still waits"),
    ] {
        let log = read_by("default", &sacct(&[row]));
        assert_eq!((log.workload.len(), log.workload.withdrawn.len()), (1, 0), "{why}");
    }
    let held = "2|CANCELLED by 0|1010|Unknown|None|1110|0|5|6|0|bob";
    let log = read_by("default,eligible=submit", &sacct(&[held]));
    assert_eq!(log.workload.withdrawn[0].left, Time(1110), "control: it waited since its submission");
}

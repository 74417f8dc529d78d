//! Accounting text as Slurm prints it: every trap an ingester has met, one test each.

use queuecast_core::job::Ending;
use queuecast_core::units::{Procs, Seconds, Time};
use queuecast_trace as trace;
use queuecast_trace::{
    Log, LogFormat, MachineSource, ReadOptions, Record, Records, Rule, TimeZone, TraceError,
};

const HEADER: &str = "JobIDRaw|JobID|JobName|User|Group|Account|Partition|QOS|State|Submit|Eligible|Start|End|ElapsedRaw|Suspended|TimelimitRaw|ReqCPUS|AllocCPUS|ReqMem|NNodes|TotalCPU";
/// A complete row, for tests to vary.
const ROW: &str = "12|12|run.sh|alice|staff|physics|short|normal|COMPLETED|1000|1000|1010|1070|60|00:00:00|2|4|4|4000M|2|00:02.400";

fn column(name: &str) -> usize {
    HEADER.split('|').position(|column| column == name).unwrap()
}

/// [`ROW`] with some columns replaced.
fn row(changes: &[(&str, &str)]) -> String {
    let mut fields: Vec<&str> = ROW.split('|').collect();
    for (name, value) in changes {
        fields[column(name)] = value;
    }
    fields.join("|")
}

fn table(rows: &[String]) -> String {
    format!("{HEADER}\n{}\n", rows.join("\n"))
}

fn read(text: &str) -> Log {
    trace::read(text.as_bytes(), &ReadOptions::default()).unwrap()
}

fn records(text: &str) -> Vec<Record> {
    Records::open(text.as_bytes(), &ReadOptions::default()).unwrap().collect::<Result<_, _>>().unwrap()
}

#[test]
fn a_row_becomes_a_record() {
    let [record] = &records(&table(&[row(&[])]))[..] else { panic!("one record") };
    let expected = Record {
        line: 2,
        job: 12,
        submit: 1000,
        wait: 10,
        run: 60,
        allocated_procs: 4,
        cpu: 0.6,
        requested_procs: 4,
        requested_time: 120,
        requested_memory: 1_024_000,
        status: 1,
        user: 1,
        group: 1,
        executable: 1,
        partition: 1,
        account: 1,
        qos: 1,
        ending: Ending::Completed,
        ..Record::default()
    };
    assert_eq!(record, &expected);
}

#[test]
fn a_row_becomes_a_job_and_names_stay_known() {
    let text =
        table(&[row(&[]), row(&[("JobID", "13"), ("JobIDRaw", "13"), ("User", "bob"), ("QOS", "high")])]);
    let log = read(&text);
    assert_eq!((log.format, log.workload.len(), log.workload.epoch), (LogFormat::SACCT, 2, Some(0)));
    let job = &log.workload.jobs()[1];
    assert_eq!((job.submit, job.shape.procs, job.shape.limit), (Time(1000), Procs(4), Some(Seconds(120))));
    let names = &log.workload.names;
    assert_eq!(names.users[&job.user.unwrap().number()], "bob");
    assert_eq!(names.qos[&job.qos.unwrap().number()], "high");
    assert_eq!(names.groups[&1], "staff");
    assert_eq!(names.accounts[&1], "physics");
    assert_eq!(names.partitions[&1], "short");
    assert_eq!(names.executables[&1], "run.sh");
    assert_eq!(log.machine.source, MachineSource::LargestJob);
}

#[test]
fn any_single_delimiter_and_any_column_order_will_do() {
    let expected = records(&table(&[row(&[])]));
    for delimiter in ["\x1f", ";", ",", "\t"] {
        assert_eq!(records(&table(&[row(&[])]).replace('|', delimiter)), expected, "{delimiter:?}");
    }
    let reversed: String = table(&[row(&[])])
        .lines()
        .map(|line| line.split('|').rev().collect::<Vec<_>>().join("|") + "\n")
        .collect();
    assert_eq!(records(&reversed), expected);
    // sacct -p ends every line with the delimiter.
    let trailing: String = table(&[row(&[])]).lines().map(|line| format!("{line}|\r\n")).collect();
    assert_eq!(records(&trailing), expected);
}

#[test]
fn missing_columns_are_listed_with_a_command() {
    let error = trace::read(&b"JobID|State|Start\n1|COMPLETED|5\n"[..], &ReadOptions::default()).unwrap_err();
    assert!(matches!(error, TraceError::MissingColumns { .. }));
    let message = error.to_string();
    assert!(message.contains("Eligible (or Submit), ElapsedRaw (or Elapsed, or End), ReqCPUS"), "{message}");
    assert!(message.contains("sacct -a -X -D -P"), "{message}");
}

#[test]
fn the_command_that_is_recommended_asks_for_columns_that_are_understood() {
    let format = trace::sacct::EXAMPLE_COMMAND.split("--format=").nth(1).unwrap();
    assert!(include_str!("../../../docs/reference/sacct.md").contains(&format!("--format={format}\n")));
    let header = format.replace(',', "\x1f");
    let row = "1\x1f1\x1fCOMPLETED\x1f5\x1f5\x1f6\x1f9\x1f3\x1f00:00:00\x1f1\x1f2\x1f2\x1f1\x1f1G\x1f00:01.000\x1fu\x1fg\x1fa\x1fq\x1fp\x1fcpu=2\x1fcpu=2\x1fn1\x1f\x1f\x1f5\x1f\x1fn\x1fsbatch -n 2";
    let log = read(&format!("{header}\n{row}\n"));
    assert_eq!(log.workload.len(), 1);
}

#[test]
fn waiting_counts_from_eligibility_unless_told_otherwise() {
    let text = table(&[row(&[("Eligible", "1005")])]);
    let log = read(&text);
    assert_eq!(log.workload.jobs()[0].submit, Time(1005));
    assert_eq!(log.report.fired(Rule::Eligible), 1);
    assert_eq!(records(&text)[0].wait, 5);
    let options =
        ReadOptions { ruleset: "default,eligible=submit".parse().unwrap(), ..ReadOptions::default() };
    assert_eq!(trace::read(text.as_bytes(), &options).unwrap().workload.jobs()[0].submit, Time(1000));
    // Cancelled before it was eligible.
    let unknown = records(&table(&[row(&[("Eligible", "Unknown")])]));
    assert_eq!(unknown[0].submit, 1000);
}

#[test]
fn every_final_state_has_its_ending() {
    for (state, ending, status) in [
        ("COMPLETED", Ending::Completed, 1),
        ("FAILED", Ending::Failed, 0),
        ("NODE_FAIL", Ending::Failed, 0),
        ("OUT_OF_MEMORY", Ending::Failed, 0),
        ("BOOT_FAIL", Ending::Failed, 0),
        ("TIMEOUT", Ending::Killed, 0),
        ("DEADLINE", Ending::Killed, 0),
        ("CANCELLED", Ending::Cancelled, 5),
        ("CANCELLED by 1001", Ending::Cancelled, 5),
        ("PREEMPTED", Ending::Cancelled, 5),
        ("REQUEUED", Ending::Cancelled, 5),
        ("REVOKED", Ending::Cancelled, 5),
    ] {
        let [record] = &records(&table(&[row(&[("State", state)])]))[..] else { panic!("{state}") };
        assert_eq!((record.ending, record.status, record.unfinished), (ending, status, false), "{state}");
    }
}

#[test]
fn jobs_that_have_not_ended_are_removed_and_counted() {
    let open = [
        row(&[("State", "PENDING"), ("JobID", "141_[6-9%4]"), ("Start", "Unknown"), ("End", "Unknown")]),
        row(&[("State", "RUNNING"), ("JobID", "14"), ("End", "Unknown")]),
        row(&[("State", "SUSPENDED"), ("JobID", "15")]),
        row(&[("State", "RESIZING"), ("JobID", "16")]),
    ];
    let log = read(&table(&[&open[..], &[row(&[])]].concat()));
    assert_eq!((log.workload.len(), log.report.fired(Rule::Unfinished)), (1, 4));
}

#[test]
fn jobs_that_never_started_have_no_run_time() {
    let never = row(&[("State", "CANCELLED by 0"), ("Start", "None"), ("ElapsedRaw", "0"), ("JobID", "13")]);
    let log = read(&table(&[never, row(&[])]));
    assert_eq!((log.workload.len(), log.report.fired(Rule::RunMissing)), (1, 1));
}

#[test]
fn steps_are_skipped_and_counted() {
    let step = |id| row(&[("JobID", id), ("JobIDRaw", id)]);
    let text = table(&[row(&[]), step("12.batch"), step("12.extern"), step("12.0"), step("143+0.0")]);
    let log = read(&text);
    assert_eq!((log.workload.len(), log.report.fired(Rule::Step), log.report.lines), (1, 4, 5));
    let strict = ReadOptions { strict: true, ..ReadOptions::default() };
    let message = trace::read(text.as_bytes(), &strict).unwrap_err().to_string();
    assert!(message.contains("line 3") && message.contains("sacct -X"), "{message}");
}

#[test]
fn array_tasks_and_heterogeneous_components_are_jobs() {
    let text = table(&[
        row(&[("JobID", "141_3"), ("JobIDRaw", "145")]),
        row(&[("JobID", "141_9"), ("JobIDRaw", "141")]),
        row(&[("JobID", "143+0"), ("JobIDRaw", "143")]),
        row(&[("JobID", "143+1"), ("JobIDRaw", "144")]),
    ]);
    let log = read(&text);
    let ids: Vec<u64> = log.workload.jobs().iter().map(|job| job.id.0).collect();
    assert_eq!(ids, [145, 141, 143, 144]);
    assert_eq!((log.report.fired(Rule::HetComponent), log.report.fired(Rule::Incarnation)), (2, 0));
    let without_raw = "JobID|State|Submit|Start|Elapsed|NCPUS\n141_3|COMPLETED|5|6|1-00:00:01|2\n";
    assert_eq!((records(without_raw)[0].job, records(without_raw)[0].run), (141, 86_401));
}

#[test]
fn every_run_of_a_requeued_job_is_kept_and_noted() {
    let text = table(&[
        row(&[("State", "NODE_FAIL")]),
        row(&[("Submit", "1100"), ("Eligible", "1220"), ("Start", "1230")]),
    ]);
    let log = read(&text);
    assert_eq!((log.workload.len(), log.report.fired(Rule::Incarnation)), (2, 1));
    assert_eq!(log.workload.jobs()[1].submit, Time(1220));
}

#[test]
fn suspended_time_is_no_run_time() {
    let log = read(&table(&[row(&[("Suspended", "00:00:20"), ("End", "1090")])]));
    assert_eq!((log.workload.truths()[0].run(), log.report.fired(Rule::Suspended)), (Seconds(60), 1));
}

#[test]
fn limits_come_in_minutes_in_words_or_not_at_all() {
    let limit = |raw: &str| records(&table(&[row(&[("TimelimitRaw", raw)])]))[0].requested_time;
    assert_eq!((limit("3"), limit(""), limit("UNLIMITED"), limit("Partition_Limit")), (180, -1, -1, -1));
    let text = |limit: &str| {
        let text =
            format!("JobID|State|Submit|Start|Elapsed|NCPUS|Timelimit\n1|COMPLETED|5|6|00:00:01|2|{limit}\n");
        records(&text)[0].requested_time
    };
    assert_eq!((text("00:10:00"), text("1-12:00:00"), text("UNLIMITED")), (600, 129_600, -1));
}

#[test]
fn memory_is_per_processor() {
    let memory = |text: &str| records(&table(&[row(&[("ReqMem", text)])]))[0].requested_memory;
    assert_eq!(
        (memory("4G"), memory("1Gc"), memory("2Gn"), memory("")),
        (1_048_576, 1_048_576, 1_048_576, -1)
    );
    assert_eq!((memory("512K"), memory("?")), (128, -1));
}

#[test]
fn rows_broken_by_names_are_malformed_with_their_lines() {
    let broken = ["13|13|new", "line|bob", "14|14|a|b|alice"].map(str::to_owned);
    let more = ["15", "16"].map(|id| row(&[("JobID", id)]));
    let log = read(&table(&[&[row(&[])], &broken[..], &more[..]].concat()));
    assert_eq!((log.workload.len(), log.report.fired(Rule::Malformed)), (3, 3));
    let example = log.report.rule(Rule::Malformed).unwrap().example.as_ref().unwrap();
    assert_eq!(example.line, Some(3));
    assert!(example.value.contains("has 3 columns, the header line 21"), "{example}");
    let all = table(&broken);
    let error = trace::read(all.as_bytes(), &ReadOptions::default()).unwrap_err();
    assert!(error.to_string().contains("--delimiter=$'\\x1f'"), "{error}");
}

#[test]
fn bad_fields_are_named() {
    for (name, value, reason) in [
        ("State", "SLEEPING", "not a job state"),
        ("JobIDRaw", "x12", "not a job number"),
        ("Submit", "yesterday", "neither Unix seconds nor"),
        ("ElapsedRaw", "-5", "not a number of seconds"),
        ("TimelimitRaw", "soon", "not a time limit"),
        ("ReqCPUS", "four", "not a number of processors"),
        ("ReqCPUS", "99999999999999999999", "not a number of processors"),
    ] {
        let strict = ReadOptions { strict: true, ..ReadOptions::default() };
        let text = table(&[row(&[(name, value)])]);
        let message = trace::read(text.as_bytes(), &strict).unwrap_err().to_string();
        let place = format!("line 2, field {} ({name}) \"{value}\"", column(name) + 1);
        assert!(message.contains(&place) && message.contains(reason), "{message}");
    }
}

#[test]
fn local_times_need_a_zone_and_changed_clocks_are_counted() {
    let zone = TimeZone::get("Europe/Paris").unwrap();
    let text = table(&[row(&[
        ("Submit", "2026-10-25T02:30:00"),
        ("Eligible", "2026-10-25T02:30:00"),
        ("Start", "2026-10-25T03:30:00"),
        ("End", "2026-10-25T03:31:00"),
    ])]);
    let options = ReadOptions { time_zone: zone, ..ReadOptions::default() };
    let log = trace::read(text.as_bytes(), &options).unwrap();
    assert_eq!(log.report.fired(Rule::DstFold), 1);
    assert_eq!(log.workload.jobs()[0].submit, Time(1_792_888_200));
    let utc = read(&text);
    assert_eq!((utc.report.fired(Rule::DstFold), utc.workload.jobs()[0].submit), (0, Time(1_792_895_400)));
    let strict = ReadOptions { strict: true, ..options };
    assert!(trace::read(text.as_bytes(), &strict).unwrap_err().to_string().contains("rule dst-fold"));
}

#[test]
fn accounting_converts_to_the_standard_workload_format() {
    let text = table(&[
        row(&[
            ("Submit", "2000"),
            ("Eligible", "2000"),
            ("Start", "2010"),
            ("JobID", "20"),
            ("JobIDRaw", "20"),
            ("User", "bob"),
        ]),
        row(&[]),
        row(&[("State", "PENDING"), ("JobID", "21"), ("JobIDRaw", "21"), ("Start", "Unknown")]),
        "broken".to_owned(),
    ]);
    let options = ReadOptions { procs: Some(Procs(64)), ..ReadOptions::default() };
    let converted = trace::convert(text.as_bytes(), Vec::new(), &options).unwrap();
    assert_eq!((converted.records, converted.report.fired(Rule::Malformed)), (3, 1));
    let swf = trace::read(converted.sink.as_slice(), &ReadOptions::default()).unwrap();
    assert_eq!((swf.format, swf.workload.len(), swf.workload.epoch), (LogFormat::SWF, 2, Some(1000)));
    assert_eq!(swf.machine.source, MachineSource::MaxProcs);
    let submits: Vec<Time> = swf.workload.jobs().iter().map(|job| job.submit).collect();
    assert_eq!(submits, [Time(0), Time(1000)]);
    let names = &swf.workload.names;
    assert_eq!((names.users[&1].as_str(), names.users[&2].as_str()), ("bob", "alice"));
    assert_eq!((names.queues[&1].as_str(), names.partitions[&1].as_str()), ("normal", "short"));
    assert_eq!((names.groups[&1].as_str(), names.executables[&1].as_str()), ("staff", "run.sh"));
    assert_eq!(swf.workload.jobs()[0].queue.unwrap().number(), 1);

    let cleaned = trace::clean(text.as_bytes(), &options).unwrap();
    let again =
        trace::read(cleaned.write_swf(Vec::new()).unwrap().as_slice(), &ReadOptions::default()).unwrap();
    assert_eq!(again.workload.digest(), swf.workload.digest());
}

#[test]
fn a_name_cannot_smuggle_a_record_into_a_header() {
    let text = table(&[row(&[("JobName", "a\r1 2 3")])]);
    let converted = trace::convert(text.as_bytes(), Vec::new(), &ReadOptions::default()).unwrap();
    let lines = String::from_utf8(converted.sink).unwrap();
    assert_eq!(
        lines.split(['\n', '\r']).filter(|line| !line.starts_with(';') && !line.is_empty()).count(),
        1
    );
}

#[test]
fn the_machine_has_one_size_in_every_call() {
    let never = row(&[
        ("State", "CANCELLED by 0"),
        ("Start", "None"),
        ("ElapsedRaw", "0"),
        ("JobID", "13"),
        ("ReqCPUS", "32"),
        ("AllocCPUS", "0"),
    ]);
    let text = table(&[never, row(&[("AllocCPUS", "16")]), "broken|64".to_owned()]);
    let guess = (Procs(32), MachineSource::LargestJob);
    let asked = ReadOptions::default();
    let of = |size: trace::MachineSize| (size.procs, size.source);
    assert_eq!(of(read(&text).machine), guess);
    assert_eq!(read(&text).workload.machine().procs, Procs(32));
    assert_eq!(of(trace::describe(text.as_bytes(), &asked).unwrap().machine.unwrap()), guess);
    let cleaned = trace::clean(text.as_bytes(), &asked).unwrap();
    assert_eq!(of(cleaned.machine), guess);

    // Written down, the guess stays one: converted, and cleaned without the job that made it.
    let converted = trace::convert(text.as_bytes(), Vec::new(), &asked).unwrap().sink;
    for swf in [converted, cleaned.write_swf(Vec::new()).unwrap()] {
        assert!(String::from_utf8_lossy(&swf).contains("; MaxProcs: 32\n"));
        assert_eq!(of(trace::read(swf.as_slice(), &asked).unwrap().machine), guess);
        assert_eq!(of(trace::describe(swf.as_slice(), &asked).unwrap().machine.unwrap()), guess);
        // A guess does not make a larger job impossible; a size that is declared afterwards is one.
        let more = [swf.as_slice(), b"99 9 1 1 64 -1 -1 64 9 -1 1 1 1 1 1 1 -1 -1\n"].concat();
        assert_eq!(of(trace::read(more.as_slice(), &asked).unwrap().machine), (Procs(64), guess.1));
        let declared = [swf.as_slice(), b"; MaxProcs: 48\n"].concat();
        let declared = trace::read(declared.as_slice(), &asked).unwrap();
        assert_eq!(of(declared.machine), (Procs(48), MachineSource::MaxProcs));
    }
}

#[test]
fn a_job_is_as_large_as_what_it_held_and_the_difference_is_counted() {
    let text = table(&[
        row(&[("ReqCPUS", "1")]),
        row(&[("JobID", "13"), ("JobIDRaw", "13"), ("AllocCPUS", "0")]),
        row(&[("JobID", "14"), ("JobIDRaw", "14")]),
    ]);
    let sizes = |log: &Log| log.workload.jobs().iter().map(|job| job.shape.procs.0).collect::<Vec<_>>();
    let log = read(&table(&[row(&[("ReqCPUS", "1")])]));
    let differ = log.report.rule(Rule::ProcessorsDiffer).unwrap();
    assert_eq!((sizes(&log), differ.count), (vec![4], 1));
    assert_eq!(differ.example.as_ref().unwrap().value, "requested 1, allocated 4: 4 taken");
    assert_eq!(read(&text).report.fired(Rule::ProcessorsDiffer), 1);
    assert_eq!(sizes(&read(&text)), [4, 4, 4]);
    let info = trace::describe(text.as_bytes(), &ReadOptions::default()).unwrap();
    assert_eq!(info.sizes.unwrap().min, 4);
    for ruleset in ["default,processors=requested", "predictsim", "reference"] {
        let options = ReadOptions { ruleset: ruleset.parse().unwrap(), ..ReadOptions::default() };
        let requested = trace::read(text.as_bytes(), &options).unwrap();
        assert_eq!(sizes(&requested), [1, 4, 4], "{ruleset}");
        let differ = requested.report.rule(Rule::ProcessorsDiffer).unwrap();
        assert!(differ.example.as_ref().unwrap().value.ends_with(": 1 taken"), "{ruleset}");
        // Cleaned that way and written down, it stays that way.
        let written = trace::clean(text.as_bytes(), &options).unwrap().write_swf(Vec::new()).unwrap();
        assert_eq!(sizes(&trace::read(written.as_slice(), &ReadOptions::default()).unwrap()), [1, 4, 4]);
    }
    let strict = ReadOptions { strict: true, ..ReadOptions::default() };
    assert_eq!(trace::read(text.as_bytes(), &strict).unwrap().workload.len(), 3);
    // The same jobs by way of SWF.
    let swf = trace::convert(text.as_bytes(), Vec::new(), &ReadOptions::default()).unwrap().sink;
    assert_eq!(sizes(&trace::read(swf.as_slice(), &ReadOptions::default()).unwrap()), [4, 4, 4]);
}

#[test]
fn overlapping_dumps_joined_are_one_dump() {
    let first = [row(&[("State", "NODE_FAIL")]), row(&[("Start", "1200"), ("End", "1260")])];
    let second = [first[1].clone(), row(&[("JobID", "13"), ("JobIDRaw", "13"), ("Submit", "1001")])];
    let text = table(&[&first[..], &[HEADER.to_owned()], &second[..]].concat());
    let log = read(&text);
    assert_eq!((log.workload.len(), log.report.lines, log.report.removed), (3, 5, 2), "{}", log.report);
    for (rule, line) in [(Rule::RepeatedHeader, 4), (Rule::DuplicateRow, 5)] {
        let fired = log.report.rule(rule).unwrap();
        assert_eq!((fired.count, fired.example.as_ref().unwrap().line), (1, Some(line)));
    }
    // The requeued run is another run, not a duplicate; nothing is malformed.
    assert_eq!((log.report.fired(Rule::Incarnation), log.report.fired(Rule::Malformed)), (1, 0));
    let keep = ReadOptions { ruleset: "default,-duplicate-row".parse().unwrap(), ..ReadOptions::default() };
    let kept = trace::read(text.as_bytes(), &keep).unwrap();
    assert_eq!((kept.workload.len(), kept.report.fired(Rule::DuplicateRow)), (4, 1));
    assert_eq!(trace::convert(text.as_bytes(), Vec::new(), &ReadOptions::default()).unwrap().records, 3);
    let strict = ReadOptions { strict: true, ..ReadOptions::default() };
    let message = trace::read(text.as_bytes(), &strict).unwrap_err().to_string();
    assert!(message.contains("line 4") && message.contains("rule repeated-header"), "{message}");
}

#[test]
fn eligibility_out_of_order_is_no_disorder() {
    let text = table(&[
        row(&[("Eligible", "1500"), ("Start", "1510")]),
        row(&[("JobID", "13"), ("JobIDRaw", "13"), ("Submit", "1001"), ("Eligible", "1001")]),
    ]);
    let strict = ReadOptions { strict: true, ..ReadOptions::default() };
    let log = trace::read(text.as_bytes(), &strict).unwrap();
    let ids: Vec<u64> = log.workload.jobs().iter().map(|job| job.id.0).collect();
    assert_eq!((ids, log.report.fired(Rule::SubmitUnordered)), (vec![13, 12], 0));
    let swf = trace::convert(text.as_bytes(), Vec::new(), &ReadOptions::default()).unwrap().sink;
    assert_eq!(trace::read(swf.as_slice(), &strict).unwrap().workload.len(), 2);
    // Submissions out of order are one, and the refusal names the columns of the file.
    let text = table(&[row(&[]), row(&[("JobID", "13"), ("Submit", "900"), ("Eligible", "1100")])]);
    assert_eq!(read(&text).report.fired(Rule::SubmitUnordered), 1);
    let message = trace::read(text.as_bytes(), &strict).unwrap_err().to_string();
    assert!(message.contains("(sacct column Eligible or Submit), job 12: 900 after 1000"), "{message}");
}

#[test]
fn local_times_read_as_utc_are_counted() {
    let local =
        row(&[("Submit", "2026-10-25T02:30:00"), ("Eligible", "2026-10-25T02:30:00"), ("Start", "Unknown")]);
    let text = table(&[row(&[]), local.replace("Unknown", "2026-10-25T02:31:00")]);
    let strict = ReadOptions { strict: true, ..ReadOptions::default() };
    let log = trace::read(text.as_bytes(), &strict).unwrap();
    let fired = log.report.rule(Rule::LocalTime).unwrap();
    assert_eq!((fired.count, fired.example.as_ref().unwrap().line), (1, Some(3)));
    assert!(fired.description.contains("read as UTC") && fired.description.contains("--time-zone"));
    let zone = ReadOptions { time_zone: TimeZone::get("Asia/Tokyo").unwrap(), ..ReadOptions::default() };
    assert_eq!(trace::read(text.as_bytes(), &zone).unwrap().report.fired(Rule::LocalTime), 0);
}

#[test]
fn a_converted_file_that_is_cleaned_keeps_the_sizes_it_was_given() {
    let text = table(&[row(&[("ReqCPUS", "1")])]);
    let swf = trace::convert(text.as_bytes(), Vec::new(), &ReadOptions::default()).unwrap().sink;
    let options = ReadOptions {
        ruleset: "default,processors=requested".parse().unwrap(),
        procs: Some(Procs(64)),
        ..ReadOptions::default()
    };
    let written = trace::clean(swf.as_slice(), &options).unwrap().write_swf(Vec::new()).unwrap();
    let again = trace::read(written.as_slice(), &ReadOptions::default()).unwrap();
    assert_eq!((again.workload.jobs()[0].shape.procs, again.machine.procs), (Procs(1), Procs(64)));
    assert_eq!(again.machine.source, MachineSource::MaxProcs);
}

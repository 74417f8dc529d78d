//! Files as public projects keep them, with the peculiarities that occur there: read, or refused with what they are.

use queuecast_core::job::Ending;
use queuecast_core::units::{Procs, Seconds, Time};
use queuecast_sim::predict::PredictorSpec;
use queuecast_sim::sim::Backfill;
use queuecast_study::Experiment;
use queuecast_trace as trace;
use queuecast_trace::{ClusterJobs, Log, ReadOptions, Record, Records, Rule, TraceError};

use crate::support::jobs::{job, workload};

/// A file of `lib/tests/foreign`.
macro_rules! foreign {
    ($name:literal) => {
        include_str!(concat!("../foreign/", $name))
    };
}

fn read(text: &str) -> Log {
    trace::read(text.as_bytes(), &ReadOptions::default()).unwrap()
}

fn refused(text: &str, options: &ReadOptions) -> TraceError {
    trace::read(text.as_bytes(), options).unwrap_err()
}

fn records(text: &str, options: &ReadOptions) -> Vec<Record> {
    Records::open(text.as_bytes(), options).unwrap().collect::<Result<_, _>>().unwrap()
}

fn users(log: &Log) -> Vec<&str> {
    let name = |user: queuecast_core::job::UserId| log.workload.names.users[&user.number()].as_str();
    log.workload.jobs().iter().map(|job| job.user.map_or("", name)).collect()
}

#[test]
fn users_numbered_by_hashes_have_a_history() {
    let log = read(foreign!("wide-users.swf"));
    let of = |user: &str| users(&log).iter().filter(|name| **name == user).count();
    assert_eq!((of("55432781906437"), of("81234567890123"), of("9007199254740993")), (3, 2, 1));
    let predicted = |predictor: &str| {
        let predictor = predictor.parse::<PredictorSpec>().unwrap();
        let schedule = Experiment::new(Backfill::easy(), predictor).run(&log.workload).unwrap();
        schedule.placements.iter().map(|placement| placement.predicted.0).collect::<Vec<_>>()
    };
    assert_ne!(predicted("recent:2"), predicted("requested"));
}

#[test]
fn bars_and_line_ends_within_names_lose_no_row() {
    let text = foreign!("bars-and-line-ends.psv");
    let log = read(text);
    let jobs: Vec<(u64, u32)> = log.workload.jobs().iter().map(|job| (job.id.0, job.shape.procs.0)).collect();
    assert_eq!(jobs, [(101, 2), (102, 2), (103, 4), (104, 4), (105, 4), (106, 4), (107, 8)]);
    assert_eq!(users(&log), ["alice", "alice", "bob", "carol", "carol", "bob", "dave"]);
    let name = |at: usize| {
        let executable = log.workload.jobs()[at].executable.unwrap();
        log.workload.names.executables[&executable.number()].as_str()
    };
    assert_eq!((name(0), name(1), name(2)), ("login", "lo|gin", "check"));
    assert_eq!((name(3), name(5), name(6)), ("two", "a|b", "last"));
    assert_eq!((log.report.fired(Rule::SplitName), log.report.fired(Rule::Malformed)), (5, 0));
    assert_eq!((log.report.fired(Rule::Step), log.report.lines), (1, 8));
    assert_eq!(log.report.rule(Rule::SplitName).unwrap().example.as_ref().unwrap().line, Some(2));
    // Nothing of a joined row is changed, so strict reading accepts it; a step it does not.
    let without_step: String = text
        .lines()
        .filter(|line| !line.starts_with("103.0") && *line != "b|bob|bash")
        .map(|line| format!("{line}\n"))
        .collect();
    let strict = ReadOptions { strict: true, ..ReadOptions::default() };
    assert_eq!(trace::read(without_step.as_bytes(), &strict).unwrap().workload.len(), 7);
    // A name with a line end is one comment in a converted file.
    let swf = trace::convert(text.as_bytes(), Vec::new(), &ReadOptions::default()).unwrap().sink;
    assert_eq!(read(&String::from_utf8(swf).unwrap()).workload.len(), 7);
}

#[test]
fn two_broken_rows_are_not_made_one() {
    let header = "JobID|State|Submit|Start|End|NCPUS|User|JobName";
    let good = "1|COMPLETED|5|6|7|2|ada|a";
    // Each lacks its last column; two of them together have more than one row.
    let short = "2|COMPLETED|5|6|7|2|ada";
    let text = format!("{header}\n{good}\n{short}\n{short}\n{good}\n{short}\n{good}\n{good}\n");
    let mut log = trace::describe(text.as_bytes(), &ReadOptions::default()).unwrap();
    assert_eq!((log.reading.fired(Rule::Malformed), log.reading.lines), (3, 7));
    assert_eq!(log.reading.fired(Rule::SplitName), 0);
    // At the end of the file a row may be cut off.
    let cut = format!("{header}\n{good}\n{short}");
    log = trace::describe(cut.as_bytes(), &ReadOptions::default()).unwrap();
    assert_eq!((log.records, log.reading.fired(Rule::Malformed)), (1, 1));
}

#[test]
fn lines_that_continue_no_row_are_malformed() {
    let header = "JobID|State|Submit|Start|End|NCPUS|User|JobName\n";
    let row = |id: u32| format!("{id}|COMPLETED|5|6|7|2|ada|a\n");
    let with = |line: &str, lines: usize| {
        header.to_owned() + &(1..=3).map(|id| row(id) + &line.repeat(lines)).collect::<String>()
    };
    let messages = with("sacct: error: slurmdbd: Connection refused\n", 4);
    let error = refused(&messages, &ReadOptions::default());
    assert!(matches!(error, TraceError::MostlyMalformed { malformed: 12, lines: 15, .. }), "{error}");
    assert!(error.to_string().contains("a message of a program"), "{error}");
    // Few messages are counted, and no name goes on after one.
    let log = read(&(row_block(header, 20) + "sacct: error: lost\nsecond line\n" + &row(99)));
    assert_eq!((log.report.fired(Rule::Malformed), log.report.fired(Rule::SplitName)), (2, 0));
    assert_eq!((log.workload.len(), log.report.lines), (21, 23));
    // A name of four lines is one name; what is below belongs to nothing.
    let read_all = |text: &str| {
        let mut records = Records::open(text.as_bytes(), &ReadOptions::default()).unwrap();
        let count = records.by_ref().map(Result::unwrap).count() as u64;
        (count, records.counts().fired(Rule::Malformed), records.joined_lines())
    };
    assert_eq!(read_all(&with("more\n", 3)), (3, 0, 9), "control");
    assert_eq!(read_all(&with("more\n", 4)), (3, 3, 9));
    let error = refused(&with("more\n", 12), &ReadOptions::default());
    assert!(matches!(error, TraceError::MostlyMalformed { malformed: 27, lines: 30, .. }), "{error}");
}

/// A header line and some rows.
fn row_block(header: &str, rows: u32) -> String {
    header.to_owned() + &(1..=rows).map(|id| format!("{id}|COMPLETED|5|6|7|2|ada|a\n")).collect::<String>()
}

#[test]
fn a_log_most_of_which_would_be_lost_is_refused_with_its_lines() {
    let header = "JobID|State|Submit|Start|End|NCPUS|User|Whatever";
    let good = "1|COMPLETED|5|6|7|2|ada|x";
    let bad = "1|COMPLETED|5|6|7|2|ada|x|y|z";
    let some = |good_rows: usize, bad_rows: usize| {
        let rows: Vec<&str> =
            std::iter::repeat_n(good, good_rows).chain(std::iter::repeat_n(bad, bad_rows)).collect();
        format!("{header}\n{}\n", rows.join("\n"))
    };
    let keep = ReadOptions { ruleset: "default,-duplicate-row".parse().unwrap(), ..ReadOptions::default() };
    let error = refused(&some(4, 5), &keep);
    assert!(matches!(error, TraceError::MostlyMalformed { malformed: 5, lines: 9, .. }), "{error}");
    let message = error.to_string();
    assert!(message.contains("5 of 9 data lines are malformed (lines 6, 7, 8, 9, 10)"), "{message}");
    assert!(message.contains("--delimiter=$'\\x1f'") && message.contains("SubmitLine"), "{message}");
    assert_eq!(trace::read(some(5, 5).as_bytes(), &keep).unwrap().workload.len(), 5, "control: half is read");
    // Not only at the beginning of a file.
    let error = refused(&some(400, 500), &keep);
    assert!(matches!(error, TraceError::MostlyMalformed { malformed: 500, lines: 900, .. }), "{error}");
    assert!(
        error.to_string().contains("(lines 402, 403, 404, 405, 406, 407, 408, 409 and 492 more)"),
        "{error}"
    );
    let line = "1 0 -1 60 4 -1 -1 4 120 -1 1 3 -1 -1 -1 -1 -1 -1\n";
    let swf = line.repeat(150) + &"rubbish\n".repeat(151);
    assert!(matches!(refused(&swf, &keep), TraceError::MostlyMalformed { malformed: 151, lines: 301, .. }));
    // Steps are neither.
    let steps = some(4, 5)
        .replace(&format!("{header}\n"), &format!("{header}\n{}", "1.0|COMPLETED|5|6|7|2||\n".repeat(50)));
    assert!(matches!(refused(&steps, &keep), TraceError::MostlyMalformed { malformed: 5, lines: 9, .. }));
}

#[test]
fn clusters_are_machines_of_their_own() {
    let text = foreign!("two-clusters.psv");
    let error = refused(text, &ReadOptions::default());
    let expected = [("east", 3), ("west", 2)].map(|(name, jobs)| ClusterJobs { cluster: name.into(), jobs });
    assert!(matches!(&error, TraceError::SeveralClusters { clusters } if *clusters == expected), "{error}");
    let message = error.to_string();
    assert!(message.contains("2 clusters: east (3 jobs), west (2 jobs)"), "{message}");
    assert!(message.contains("--cluster"), "{message}");
    for (cluster, ids, procs) in [("east", vec![7, 8, 10], 64), ("west", vec![7, 9], 4)] {
        let options = ReadOptions { cluster: Some(cluster.into()), ..ReadOptions::default() };
        let log = trace::read(text.as_bytes(), &options).unwrap();
        let found: Vec<u64> = log.workload.jobs().iter().map(|job| job.id.0).collect();
        assert_eq!((found, log.machine.procs), (ids, Procs(procs)));
        assert_eq!(log.report.fired(Rule::OtherCluster), 5 - log.workload.len() as u64);
        assert_eq!(log.report.fired(Rule::DuplicateRow), 0);
        let converted = trace::convert(text.as_bytes(), Vec::new(), &options).unwrap();
        assert_eq!(converted.records, log.workload.len() as u64);
        // The choice is the caller's, so strict reading accepts it.
        let readable = text.replace("8.batch|east|COMPLETED|1005|1070|1100|30|64|\n", "");
        let strict = ReadOptions { strict: true, ..options };
        assert!(trace::read(readable.as_bytes(), &strict).is_ok());
    }
    let options = |name: &str| ReadOptions { cluster: Some(name.into()), ..ReadOptions::default() };
    let message = refused(text, &options("north")).to_string();
    assert!(message.contains("\"north\"; there are east (3 jobs), west (2 jobs)"), "{message}");
    let one = "JobID|Cluster|State|Submit|Start|End|NCPUS\n1|east|COMPLETED|5|6|7|2\n";
    assert_eq!(read(one).workload.len(), 1, "control: one cluster needs no choice");
    assert_eq!(trace::read(one.as_bytes(), &options("east")).unwrap().workload.len(), 1);
    assert!(matches!(
        refused(&one.replace("Cluster", "Other"), &options("east")),
        TraceError::NoClusterColumn
    ));
    let swf = "1 0 -1 60 4 -1 -1 4 120 -1 1 3 -1 -1 -1 -1 -1 -1\n";
    assert!(matches!(refused(swf, &options("east")), TraceError::AccountingOnly { .. }));
}

#[test]
fn a_cluster_may_have_a_name_that_is_not_unicode_or_none() {
    let header = b"JobID|Cluster|State|Submit|Start|End|NCPUS\n".to_vec();
    let rows = |clusters: &[&[u8]]| {
        let mut text = header.clone();
        for (id, cluster) in clusters.iter().enumerate() {
            text.extend_from_slice(format!("{}|", id + 1).as_bytes());
            text.extend_from_slice(cluster);
            text.extend_from_slice(b"|COMPLETED|5|6|7|2\n");
        }
        text
    };
    let latin = rows(&[b"caf\xe9", b"caf\xe9", b"caf\xe9"]);
    assert_eq!(trace::read(latin.as_slice(), &ReadOptions::default()).unwrap().workload.len(), 3);
    let two = rows(&[b"caf\xe9", b"west", b"caf\xe9"]);
    let Err(TraceError::SeveralClusters { clusters }) = trace::read(two.as_slice(), &ReadOptions::default())
    else {
        panic!("two clusters")
    };
    assert_eq!(clusters.iter().map(|one| one.jobs).collect::<Vec<_>>(), [2, 1]);
    // The name that the error lists is one that can be asked for.
    let options = ReadOptions { cluster: Some(clusters[0].cluster.clone()), ..ReadOptions::default() };
    let log = trace::read(two.as_slice(), &options).unwrap();
    assert_eq!((log.workload.len(), log.report.fired(Rule::OtherCluster)), (2, 1));
    // Jobs without a cluster are kept, and counted.
    let some = rows(&[b"east", b"", b"west", b" "]);
    let options = ReadOptions { cluster: Some("east".into()), ..ReadOptions::default() };
    let log = trace::read(some.as_slice(), &options).unwrap();
    assert_eq!((log.workload.len(), log.report.fired(Rule::ClusterMissing)), (3, 2));
    assert_eq!(log.report.rule(Rule::ClusterMissing).unwrap().example.as_ref().unwrap().line, Some(3));
    assert_eq!(
        read("JobID|State|Submit|Start|End|NCPUS\n1|COMPLETED|5|6|7|2\n").report.fired(Rule::ClusterMissing),
        0
    );
}

#[test]
fn a_run_time_that_nothing_tells_is_unknown() {
    let text = "JobID|State|Submit|Start|End|Elapsed|NCPUS\n1|COMPLETED|5|6|Unknown|INVALID|2\n2|COMPLETED|5|6|9|INVALID|2\n";
    let log = read(text);
    let invalid = log.report.rule(Rule::ElapsedInvalid).unwrap();
    assert_eq!(
        invalid.example.as_ref().unwrap().to_string(),
        "line 2, job 1: \"INVALID\": no End either, so the run time is unknown"
    );
    assert_eq!((log.report.fired(Rule::RunMissing), log.workload.truths()[0].run()), (1, Seconds(3)));
}

#[test]
fn offsets_and_fractions_of_seconds_are_read() {
    let log = read(foreign!("offsets.psv"));
    let submits: Vec<i64> = log.workload.jobs().iter().map(|job| job.submit.0).collect();
    assert_eq!(submits, [1_746_187_779, 1_746_187_800, 1_746_187_860, 1_746_187_920]);
    let waits: Vec<i64> =
        log.workload.starts.iter().zip(&submits).map(|(start, submit)| start.0 - submit).collect();
    assert_eq!(waits, [13, 30, 5, 10]);
    // Only the last has local times.
    assert_eq!(log.report.rule(Rule::LocalTime).unwrap().example.as_ref().unwrap().job, Some(4));
    assert_eq!((log.report.fired(Rule::LocalTime), log.report.fired(Rule::Malformed)), (1, 0));
}

#[test]
fn tables_that_spreadsheets_and_programs_have_written_are_read() {
    let log = read(foreign!("spreadsheet.csv"));
    assert_eq!((log.workload.len(), log.workload.withdrawn.len()), (2, 1), "{}", log.report);
    let runs: Vec<i64> = log.workload.truths().iter().map(|truth| truth.run().0).collect();
    assert_eq!(runs, [23 * 3600 + 33 * 60 + 25, 1800]);
    let shapes: Vec<(u32, Option<Seconds>)> =
        log.workload.jobs().iter().map(|job| (job.shape.procs.0, job.shape.limit)).collect();
    assert_eq!(shapes, [(4, Some(Seconds(172_800))), (16, Some(Seconds(3600)))]);
    let invalid = log.report.rule(Rule::ElapsedInvalid).unwrap();
    assert_eq!(
        invalid.example.as_ref().unwrap().to_string(),
        "line 3, job 502: \"INVALID\": 1800 s between Start and End"
    );
    assert_eq!(log.workload.names.executables[&1], "train, second try");
}

#[test]
fn memory_flagged_as_per_processor_is_not_that_of_a_node() {
    let columns = "JobID,JobIDRaw,Cluster,Partition,Account,Group,GID,User,UID,Submit,Eligible,Start,End,Elapsed,ExitCode,State,NNodes,NCPUS,ReqCPUS,ReqMem,ReqTRES,Timelimit,NodeList,JobName";
    let columns = Some(columns.split(',').map(str::to_owned).collect());
    let options = ReadOptions { columns, ..ReadOptions::default() };
    let text = foreign!("no-header.psv");
    let [first, second] = &records(text, &options)[..] else { panic!("two records") };
    assert_eq!(
        (first.requested_memory, first.allocated_procs, first.requested_procs),
        (2_800 * 1024, 108, 100)
    );
    assert_eq!((first.submit, first.run, first.requested_time), (1_483_135_992, 938, 259_200));
    assert_eq!((second.requested_memory, second.ending), (4_000 * 1024, Ending::Failed));
    let log = trace::read(text.as_bytes(), &options).unwrap();
    assert_eq!((users(&log), log.report.fired(Rule::SplitName)), (vec!["hardu", "ada"], 1));
    assert_eq!(log.workload.names.executables[&2], "a|b");
    // Bit 63 in later versions; a large request without a flag stays one.
    for (memory, expected) in [
        ("9223372036854779808M", 4_000 * 1024),
        ("2097152M", 2_097_152 * 1024 / 108),
        ("2147487648M", 4_000 * 1024),
    ] {
        let text = text.replace("2147486448Mn", memory);
        assert_eq!(records(&text, &options)[0].requested_memory, expected, "{memory}");
    }
}

#[test]
fn columns_can_be_named_where_there_is_no_header_line() {
    let named = |columns: &str| {
        let columns = Some(columns.split(',').map(str::to_owned).collect());
        ReadOptions { columns, ..ReadOptions::default() }
    };
    let rows = "1|COMPLETED|5|6|7|2|ada\n2|COMPLETED|8|9|20|2|bob\n";
    let options = named("JobID,State,Submit,Start,End,NCPUS,User");
    let log = trace::read(rows.as_bytes(), &options).unwrap();
    assert_eq!((log.workload.len(), users(&log)), (2, vec!["ada", "bob"]));
    let message = refused(rows, &ReadOptions::default()).to_string();
    assert!(message.contains("--columns"), "{message}");
    // A header line there is one, and is not a row.
    let headed = format!("JobID|State|Submit|Start|End|NCPUS|User\n{rows}");
    let log = trace::read(headed.as_bytes(), &options).unwrap();
    assert_eq!((log.workload.len(), log.report.fired(Rule::RepeatedHeader)), (2, 1));
    let message = refused(rows, &named("JobID,State,Submit")).to_string();
    assert!(message.contains("lacks Start"), "{message}");
    let message = refused(rows, &named("JobID,State,Submit,Start,End,NCPUS,User,Group,Account")).to_string();
    assert!(message.contains("9 columns are named, the first line has 7"), "{message}");
    // Too few names: the last column would take the rest of every row.
    let message = refused(
        &rows.replace("ada", "ada|x").replace("bob", "bob|y"),
        &named("JobID,State,Submit,Start,End,NCPUS,JobName"),
    )
    .to_string();
    assert!(message.contains("7 columns are named, the first line has 8"), "{message}");
    let swf = ReadOptions { format: Some(trace::LogFormat::SWF), ..options };
    assert!(matches!(refused(rows, &swf), TraceError::AccountingOnly { .. }));
}

#[test]
fn a_log_without_states_or_processor_counts_is_read_by_what_it_has() {
    let log = read(foreign!("no-state.psv"));
    let shapes: Vec<(u64, u32)> =
        log.workload.jobs().iter().map(|job| (job.id.0, job.shape.procs.0)).collect();
    assert_eq!(shapes, [(1, 8), (2, 2)]);
    assert!(log.workload.truths().iter().all(|truth| truth.ending == Ending::Completed));
    assert_eq!(log.workload.truths()[0].run(), Seconds(60));
    // The third never started and waited until it left; the fourth had not ended.
    assert_eq!((log.workload.withdrawn.len(), log.workload.withdrawn[0].job.shape.procs), (1, Procs(16)));
    assert_eq!((log.report.fired(Rule::StateMissing), log.report.fired(Rule::Unfinished)), (3, 1));
    assert!(log.report.rule(Rule::StateMissing).unwrap().description.contains("counts as completed"));
}

#[test]
fn tables_of_simulators_are_read_with_a_note() {
    let log = read(foreign!("simulator.swf"));
    let jobs: Vec<(u64, Time, u32)> =
        log.workload.jobs().iter().map(|job| (job.id.0, job.submit, job.shape.procs.0)).collect();
    assert_eq!(jobs, [(1, Time(0), 4), (2, Time(5), 8), (3, Time(9), 2)]);
    assert_eq!(log.workload.jobs()[1].user.unwrap().number(), 4);
    assert_eq!((log.report.fired(Rule::ColumnNames), log.report.fired(Rule::Semicolons)), (1, 3));
    let plain = foreign!("simulator.swf").lines().skip(1).map(|line| format!("{line}\n")).collect::<String>();
    assert_eq!(read(&plain).workload.digest(), log.workload.digest());

    let log = read(foreign!("column-names.swf"));
    assert_eq!((log.workload.len(), log.machine.procs), (2, Procs(16)));
    assert_eq!((log.report.fired(Rule::ColumnNames), log.report.fired(Rule::Malformed)), (1, 0));
    let strict = ReadOptions { strict: true, ..ReadOptions::default() };
    assert!(trace::read(foreign!("column-names.swf").as_bytes(), &strict).is_ok());
    let log = read(foreign!("named-users.swf"));
    assert_eq!(
        (users(&log), log.report.fired(Rule::IdentityNames)),
        (vec!["user5", "user1", "user5", ""], 4)
    );
    let names = &log.workload.names;
    assert_eq!((names.groups[&2].as_str(), names.queues[&1].as_str()), ("account1", "normal"));
    assert_eq!(log.workload.jobs()[1].executable.unwrap().number(), 7);
    assert_eq!(log.workload.jobs()[2].partition.map(|partition| partition.number()), Some(1));
    // Written as SWF, numbers are numbers and the names are comments.
    for swf in [
        trace::convert(foreign!("named-users.swf").as_bytes(), Vec::new(), &ReadOptions::default())
            .unwrap()
            .sink,
        trace::clean(foreign!("named-users.swf").as_bytes(), &ReadOptions::default())
            .unwrap()
            .write_swf(Vec::new())
            .unwrap(),
    ] {
        let again = trace::read(swf.as_slice(), &ReadOptions::default()).unwrap();
        assert_eq!((again.workload.jobs(), &again.workload.names), (log.workload.jobs(), names));
        assert_eq!(again.report.fired(Rule::IdentityNames), 0);
    }
    // The first known value tells; numbers that no 64-bit integer holds are names, too.
    let later = foreign!("named-users.swf").replacen(";user5;", ";;", 1);
    assert_eq!(users(&read(&later)), ["", "user1", "user5", ""]);
    let huge =
        foreign!("named-users.swf").replace(";user5;", ";18446744073709551615;").replace(";user1;", ";17;");
    assert_eq!(users(&read(&huge)), ["18446744073709551615", "17", "18446744073709551615", ""]);
    // Names may begin below the first record, where columns are separated by blanks, too.
    let line = |job: u32, user: &str, queue: &str| {
        format!("{job} 0 -1 60 4 -1 -1 4 120 -1 1 {user} -1 -1 {queue} -1 -1 -1\n")
    };
    let later = line(1, "-1", "-1") + &line(2, "ada", "3") + &line(3, "bob", "5") + &line(4, "ada", "long");
    let below = trace::read(later.as_bytes(), &ReadOptions::default()).unwrap();
    assert_eq!((users(&below), below.report.fired(Rule::IdentityNames)), (vec!["", "ada", "bob"], 2));
    // Control: in a column of numbers, a name cannot be read.
    let mixed = line(1, "-1", "-1") + &line(2, "7", "3") + &line(3, "ada", "5");
    let below = read(&mixed);
    assert_eq!((below.report.fired(Rule::Malformed), below.report.fired(Rule::IdentityNames)), (1, 0));
    // A broken first line tells nothing of the others.
    let broken = "1 2 x 4 5 6 7 8 9 10 11 a b c d e 17 18\n".to_owned() + foreign!("wide-users.swf");
    assert_eq!(read(&broken).report.fired(Rule::IdentityNames), 0);
    assert_eq!(read(&broken).workload.jobs(), read(foreign!("wide-users.swf")).workload.jobs());
    let blanks = foreign!("named-users.swf").replace(";;", ";-1;").replace(";;", ";-1;").replace(';', " ");
    assert_eq!(read(&blanks).workload.digest(), log.workload.digest());

    let message = refused(foreign!("other-order.swf"), &ReadOptions::default()).to_string();
    assert!(message.contains("another order") && message.contains("\"submit\""), "{message}");
}

#[test]
fn what_is_not_a_log_is_called_by_its_name() {
    for (text, looks_like, hint) in [
        (foreign!("jobcomp.log"), "Slurm's log of completed jobs (jobcomp/filetxt)", "sacct -a"),
        (foreign!("scontrol-show-job.txt"), "the output of scontrol show job", "sacct -a"),
        (foreign!("squeue.txt"), "the output of squeue", "allocate --live"),
        (foreign!("squeue-bars.txt"), "the output of squeue", "allocate --live"),
        (foreign!("grid.gwf"), "the Grid Workloads Format (GWF)", "first 16 columns"),
        (foreign!("grid-padded.gwf"), "the Grid Workloads Format (GWF)", "first 16 columns"),
        (foreign!("name-value.csv"), "pairs of name and value", "a header line"),
    ] {
        let error = refused(text, &ReadOptions::default());
        let message = error.to_string();
        assert!(matches!(error, TraceError::NotALog { .. }), "{message}");
        assert!(message.contains(looks_like) && message.contains(hint), "{message}");
        assert!(!message.contains("lacks State") && !message.contains("run sacct again"), "{message}");
    }
    let message = refused(foreign!("us-dates.psv"), &ReadOptions::default()).to_string();
    assert!(message.contains("a date with slashes") && message.contains("SLURM_TIME_FORMAT=%s"), "{message}");
    assert!(!message.contains("delimiter"), "{message}");
    // Controls: what is padded or quoted is a log.
    let padded =
        "JobID | State     | Submit | Start | End | NCPUS\n1     | COMPLETED | 5      | 6     | 7   | 2\n";
    assert_eq!(read(padded).workload.len(), 1);
    let quoted =
        "\"JobID\",\"State\",\"Submit\",\"Start\",\"End\",\"NCPUS\"\n\"1\",\"COMPLETED\",5,6,7,\"2\"\n";
    assert_eq!(read(quoted).workload.len(), 1);
}

#[test]
fn a_zero_byte_in_a_name_does_not_make_a_converted_file_binary() {
    let rows: String = (1..200).map(|id| format!("{id}|COMPLETED|5|6|7|2|ada|job\n")).collect();
    let text =
        format!("JobID|State|Submit|Start|End|NCPUS|User|JobName\n{rows}900|COMPLETED|5|6|7|2|ada|a\0b\n");
    for swf in [
        trace::convert(text.as_bytes(), Vec::new(), &ReadOptions::default()).unwrap().sink,
        trace::clean(text.as_bytes(), &ReadOptions::default()).unwrap().write_swf(Vec::new()).unwrap(),
    ] {
        let again = trace::read(swf.as_slice(), &ReadOptions::default()).unwrap();
        assert_eq!((again.workload.len(), again.workload.names.executables[&2].as_str()), (200, "a b"));
    }
}

#[test]
fn a_run_of_ages_without_a_request_is_simulated() {
    let jobs = [job(2, 20_000_000_000_000).at(0), job(4, 60).at(5).limit(60), job(1, 90).at(6)];
    let workload = workload(4, jobs);
    for (predictor, correction) in [
        ("requested", "increments"),
        ("recent:2", "increments"),
        ("constant:1", "factor:1.0001"),
        ("requested", "requested"),
    ] {
        for policy in ["easy", "conservative"] {
            let mut experiment =
                Experiment::new(policy.parse().unwrap(), predictor.parse::<PredictorSpec>().unwrap());
            experiment.options.correction = correction.parse().unwrap();
            let schedule = experiment.run(&workload).unwrap();
            let corrections = schedule.placements[0].corrections;
            assert!((1_000..6_000).contains(&corrections), "{predictor} {correction}: {corrections}");
            assert_eq!(schedule.placements[1].start, Time(20_000_000_000_000));
        }
    }
}

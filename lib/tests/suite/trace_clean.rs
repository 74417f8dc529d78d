//! Cleaning: every rule on a log that makes it fire, under the rulesets that treat it differently.

use queuecast_core::job::Ending;
use queuecast_core::units::Procs;
use queuecast_trace as trace;
use queuecast_trace::clean::Effect;
use queuecast_trace::{Log, MachineSource, ReadOptions, Rule, Ruleset};

/// A complete record, for tests to vary: job 7, submitted at 100, ran 60 s of 120 on 4 processors.
const LINE: &str = "7 100 5 60 4 58.25 10 4 120 20 1 3 2 9 1 2 -1 -1";

fn options(ruleset: &str) -> ReadOptions {
    ReadOptions { ruleset: ruleset.parse::<Ruleset>().unwrap(), ..ReadOptions::default() }
}

fn read(text: impl AsRef<[u8]>) -> Log {
    trace::read(text.as_ref(), &ReadOptions::default()).unwrap()
}

fn fail(text: impl AsRef<[u8]>) -> String {
    trace::read(text.as_ref(), &ReadOptions::default()).unwrap_err().to_string()
}

fn fail_strictly(text: &str) -> String {
    let options = ReadOptions { strict: true, ..ReadOptions::default() };
    trace::read(text.as_bytes(), &options).unwrap_err().to_string()
}

/// [`LINE`] with some columns (from 1) replaced.
fn with(changes: &[(usize, &str)]) -> String {
    let mut fields: Vec<&str> = LINE.split(' ').collect();
    for (column, value) in changes {
        fields[column - 1] = value;
    }
    fields.join(" ")
}

/// Several lines that are fine, so that one bad line does not make the file something else.
fn among_good(line: &str) -> String {
    format!("; MaxProcs: 64\n{LINE}\n{LINE}\n{line}\n{LINE}\n")
}

#[test]
fn raw_exit_codes_in_the_status_column_leave_the_ending_unknown() {
    for code in ["256", "139", "-2"] {
        let log = read(with(&[(11, code)]));
        assert_eq!(log.workload.truths()[0].ending, Ending::Unknown);
        assert_eq!(log.report.rule(Rule::StatusUnknown).unwrap().effect, Effect::Kept, "{code}");
    }
    assert_eq!(read(with(&[(11, "0")])).workload.truths()[0].ending, Ending::Failed);
    assert_eq!(read(with(&[(11, "5")])).workload.truths()[0].ending, Ending::Cancelled);
}

#[test]
fn job_number_zero_is_a_number_and_a_missing_one_is_the_line() {
    assert_eq!(read(with(&[(1, "0")])).workload.jobs()[0].id.0, 0);
    let log = read(format!("; MaxProcs: 8\n{}", with(&[(1, "-1")])));
    assert_eq!(log.workload.jobs()[0].id.0, 2);
    assert_eq!(log.report.fired(Rule::JobNumberMissing), 1);
}

#[test]
fn job_numbers_need_no_order_but_duplicates_are_noted() {
    let line = |job| with(&[(1, job)]);
    let log = read(format!("{}\n{}\n{}", line("9"), line("3"), line("7")));
    let ids: Vec<u64> = log.workload.jobs().iter().map(|job| job.id.0).collect();
    assert_eq!(ids, [9, 3, 7]);
    assert_eq!(log.report.rules.len(), 0, "{}", log.report);
    let log = read(format!("{}\n{}", line("9"), line("9")));
    assert_eq!(log.report.rule(Rule::DuplicateJob).unwrap().example.as_ref().unwrap().job, Some(9));
}

#[test]
fn submit_times_out_of_order_are_sorted_and_counted() {
    let line = |job, submit| with(&[(1, job), (2, submit)]);
    let log = read(format!("{}\n{}\n{}", line("1", "50"), line("2", "20"), line("3", "60")));
    let ids: Vec<u64> = log.workload.jobs().iter().map(|job| job.id.0).collect();
    assert_eq!(ids, [2, 1, 3]);
    let fired = log.report.rule(Rule::SubmitUnordered).unwrap();
    assert_eq!((fired.count, fired.effect), (1, Effect::Changed));
    assert_eq!(fired.example.as_ref().unwrap().line, Some(2));
}

#[test]
fn jobs_without_submit_time_run_time_or_processors_are_removed_under_every_ruleset() {
    for (rule, line) in [
        (Rule::SubmitMissing, with(&[(2, "-1")])),
        (Rule::RunMissing, with(&[(4, "-1")])),
        (Rule::ProcessorsMissing, with(&[(5, "-1"), (8, "0")])),
        (Rule::TooLarge, with(&[(8, "65")])),
        (Rule::TimeRange, with(&[(2, "9223372036854775807")])),
        (Rule::TimeRange, with(&[(9, "1000000000000001")])),
    ] {
        for ruleset in ["none", "default", "predictsim"] {
            let log = trace::read(among_good(&line).as_bytes(), &options(ruleset)).unwrap();
            assert_eq!(log.workload.len(), 3, "{ruleset}");
            let fired = log.report.rule(rule).unwrap();
            assert_eq!((fired.count, fired.effect), (1, Effect::Removed), "{ruleset}");
            assert_eq!(fired.example.as_ref().unwrap().line, Some(4));
            assert_eq!(log.report.lines, log.report.jobs + log.report.removed);
        }
    }
}

#[test]
fn missing_requested_processors_are_the_allocated_ones_and_the_other_way_round() {
    let procs = |ruleset: &str, line: String| {
        let log = trace::read(line.as_bytes(), &options(ruleset)).unwrap();
        (log.workload.jobs()[0].shape.procs.0, log.report.fired(Rule::Processors))
    };
    assert_eq!(procs("default", with(&[(5, "6"), (8, "-1")])), (6, 1));
    assert_eq!(procs("default", with(&[(5, "6"), (8, "4")])), (4, 0));
    assert_eq!(procs("default,processors=allocated", with(&[(5, "6"), (8, "4")])), (6, 0));
    assert_eq!(procs("default,processors=allocated", with(&[(5, "-1"), (8, "4")])), (4, 1));
    let differ = read(with(&[(5, "6")]));
    let differ = differ.report.rule(Rule::ProcessorsDiffer).unwrap();
    assert_eq!(differ.count, 1);
    assert_eq!(differ.example.as_ref().unwrap().value, "requested 4, allocated 6: 4 taken");
    assert_eq!(read(LINE).report.fired(Rule::ProcessorsDiffer), 0);
}

#[test]
fn a_run_of_zero_is_kept_lengthened_or_dropped() {
    let runs = |ruleset: &str| {
        let text = format!("{LINE}\n{}", with(&[(4, "0")]));
        let log = trace::read(text.as_bytes(), &options(ruleset)).unwrap();
        assert_eq!(log.report.fired(Rule::RunZero), 1);
        log.workload.truths().iter().map(|truth| truth.run().0).collect::<Vec<_>>()
    };
    assert_eq!(runs("none"), [60, 0]);
    assert_eq!(runs("default"), [60, 1]);
    assert_eq!(runs("default,run-zero=drop"), [60]);
}

#[test]
fn a_run_above_the_request_is_kept_or_cut() {
    let run = |ruleset: &str| {
        let log = trace::read(with(&[(4, "500")]).as_bytes(), &options(ruleset)).unwrap();
        assert_eq!(log.report.fired(Rule::RunAboveRequest), 1);
        log.workload.truths()[0].run().0
    };
    assert_eq!((run("none"), run("default"), run("predictsim"), run("reference")), (500, 500, 120, 120));
}

#[test]
fn a_missing_request_is_kept_dropped_or_leaks_the_run_time() {
    let limits = |ruleset: &str| {
        let text = format!("{LINE}\n{}\n{}", with(&[(9, "-1")]), with(&[(9, "0")]));
        let log = trace::read(text.as_bytes(), &options(ruleset)).unwrap();
        assert_eq!(log.report.fired(Rule::RequestMissing), 2);
        log.workload.jobs().iter().map(|job| job.shape.limit.map(|limit| limit.0)).collect::<Vec<_>>()
    };
    assert_eq!(limits("default"), [Some(120), None, None]);
    assert_eq!(limits("predictsim"), [Some(120)]);
    assert_eq!(limits("reference"), [Some(120), Some(60), Some(60)]);
}

#[test]
fn jobs_larger_than_the_machine_can_be_capped() {
    let text = among_good(&with(&[(8, "1000")]));
    let log = trace::read(text.as_bytes(), &options("default,too-large=cap")).unwrap();
    let sizes: Vec<u32> = log.workload.jobs().iter().map(|job| job.shape.procs.0).collect();
    assert_eq!(sizes, [4, 4, 64, 4]);
    let beyond = with(&[(8, "99999999999")]);
    let log = read(format!("{LINE}\n{beyond}"));
    assert_eq!((log.workload.len(), log.report.fired(Rule::TooLarge)), (1, 1));
    let capped =
        trace::read(format!("{LINE}\n{beyond}").as_bytes(), &options("default,too-large=cap")).unwrap();
    assert_eq!(
        (capped.workload.machine().procs, capped.workload.jobs()[1].shape.procs),
        (Procs(4), Procs(4))
    );
}

#[test]
fn a_machine_size_that_comes_late_is_held_against_all_jobs() {
    let large = with(&[(1, "8"), (8, "100")]);
    let log = read(format!("{LINE}\n{large}\n; MaxProcs: 64\n"));
    assert_eq!((log.workload.len(), log.workload.machine().procs), (1, Procs(64)));
    assert_eq!(log.report.rule(Rule::TooLarge).unwrap().example.as_ref().unwrap().job, Some(8));
}

#[test]
fn the_machine_is_given_or_from_the_header_or_the_largest_job() {
    let size = |header: &str, procs| {
        let options = ReadOptions { procs, ..ReadOptions::default() };
        let log = trace::read(format!("{header}{LINE}").as_bytes(), &options).unwrap();
        assert!(log.report.machine.as_ref().unwrap().contains("processors ("));
        (log.machine.procs.0, log.machine.source)
    };
    let both = "; MaxNodes: 338 (batch partition; 512 total)\n; MaxProcs: 340\n";
    assert_eq!(size(both, Some(Procs(9))), (9, MachineSource::Given));
    assert_eq!(size(both, None), (340, MachineSource::MaxProcs));
    assert_eq!(size("; MaxNodes: 338 (batch partition)\n", None), (338, MachineSource::MaxNodes));
    assert_eq!(size("; MaxProcs: unknown\n", None), (4, MachineSource::LargestJob));
}

#[test]
fn partial_executions_are_left_to_the_line_that_sums_them_up() {
    let line = |status, run| with(&[(11, status), (4, run)]);
    let text = [line("1", "60"), line("2", "20"), line("3", "40")].join("\n");
    assert_eq!(read(&text).workload.len(), 1);
    assert_eq!(read(&text).report.fired(Rule::PartialExecution), 2);
    assert_eq!(trace::read(text.as_bytes(), &options("none")).unwrap().workload.len(), 3);
    // In a log whose statuses are exit codes, 2 may be one: without a summary it is a job.
    let alone = read(with(&[(11, "2")]));
    assert_eq!((alone.workload.len(), alone.report.fired(Rule::PartialAlone)), (1, 1));
}

#[test]
fn numbers_that_fit_into_32_bits_are_kept() {
    let log = read(with(&[(12, "4294967294"), (13, "2147483648"), (14, "2147483647"), (15, "0")]));
    let job = &log.workload.jobs()[0];
    assert_eq!(job.user.unwrap().number(), 4_294_967_294);
    assert_eq!(job.group.unwrap().number(), 2_147_483_648);
    assert_eq!(job.executable.unwrap().number(), 2_147_483_647);
    assert_eq!(job.queue.unwrap().number(), 0);
    assert_eq!(log.report.fired(Rule::IdentifierRange), 0);
    assert!(log.workload.names.users.is_empty());
}

/// Users of 64 bits beside small ones; the third record is a withdrawn job of a user that later jobs have, too.
fn wide_users() -> String {
    [
        "; MaxProcs: 64".to_owned(),
        "; Note: User 7 = ada".to_owned(),
        "; Note: Group 3 = staff".to_owned(),
        with(&[(1, "1"), (12, "30418594203459")]),
        with(&[(1, "2"), (12, "7")]),
        with(&[(1, "3"), (4, "-1"), (5, "-1"), (6, "-1"), (11, "5"), (12, "9223372036854775807")]),
        with(&[(1, "4"), (12, "4294967295"), (13, "3")]),
        with(&[(1, "5"), (12, "30418594203459")]),
        with(&[(1, "6"), (12, "-1")]),
        with(&[(1, "7"), (12, "9223372036854775807")]),
    ]
    .join("\n")
}

#[test]
fn a_column_with_numbers_beyond_32_bits_is_numbered_by_appearance() {
    let log = read(wide_users());
    let users: Vec<Option<u32>> =
        log.workload.jobs().iter().map(|job| job.user.map(|user| user.number())).collect();
    assert_eq!(users, [Some(1), Some(2), Some(4), Some(1), None, Some(3)]);
    let [withdrawn] = &log.workload.withdrawn[..] else { panic!("one withdrawn job") };
    assert_eq!(withdrawn.job.user.unwrap().number(), 3);
    let names: Vec<(u32, &str)> =
        log.workload.names.users.iter().map(|(&number, name)| (number, name.as_str())).collect();
    assert_eq!(names, [(1, "30418594203459"), (2, "ada"), (3, "9223372036854775807"), (4, "4294967295")]);
    // Other columns keep their numbers and names.
    assert_eq!(log.workload.jobs()[2].group.unwrap().number(), 3);
    assert_eq!(log.workload.names.groups[&3], "staff");
    let fired = log.report.rule(Rule::IdentifierRange).unwrap();
    assert_eq!(fired.count, 5);
    assert_eq!(fired.example.as_ref().unwrap().to_string(), "line 4, job 1: user 30418594203459");
    let info = trace::describe(wide_users().as_bytes(), &ReadOptions::default()).unwrap();
    assert_eq!(info.distinct.users, 4);
}

#[test]
fn numbers_beyond_32_bits_stay_known_in_files_that_are_written() {
    let text = wide_users();
    let options = ReadOptions::default();
    let log = read(&text);
    // Converted, they are what they were.
    let converted = trace::convert(text.as_bytes(), Vec::new(), &options).unwrap();
    assert_eq!(converted.report.fired(Rule::IdentifierRange), 5);
    let lines = String::from_utf8(converted.sink.clone()).unwrap();
    assert!(lines.contains(" 9223372036854775807 "), "{lines}");
    assert_eq!(trace::read(converted.sink.as_slice(), &options).unwrap().workload, log.workload);
    // Cleaned, they are numbered, and the comments say which number is whose.
    let cleaned = trace::clean(text.as_bytes(), &options).unwrap().write_swf(Vec::new()).unwrap();
    let lines = String::from_utf8(cleaned.clone()).unwrap();
    assert!(lines.contains("; Note: User 2 = ada\n") && !lines.contains("User 7 = ada"), "{lines}");
    assert!(lines.contains("; Note: User 4 = 4294967295\n"), "{lines}");
    assert!(lines.contains("; Note: Group 3 = staff\n"), "{lines}");
    let again = trace::read(cleaned.as_slice(), &options).unwrap();
    assert_eq!((again.workload.jobs(), &again.workload.names), (log.workload.jobs(), &log.workload.names));
    assert_eq!(again.report.fired(Rule::IdentifierRange), 0);
}

#[test]
fn every_column_of_identities_may_be_wide() {
    for (column, field) in [(12, "user"), (13, "group"), (14, "executable"), (15, "queue"), (16, "partition")]
    {
        let text = [with(&[(column, "99999999999")]), with(&[(1, "8"), (column, "5")])].join("\n");
        let log = read(&text);
        let of = |at: usize| {
            let job = &log.workload.jobs()[at];
            let numbers = [
                job.user.map(|id| id.number()),
                job.group.map(|id| id.number()),
                job.executable.map(|id| id.number()),
                job.queue.map(|id| id.number()),
                job.partition.map(|id| id.number()),
            ];
            numbers[column - 12]
        };
        assert_eq!((of(0), of(1)), (Some(1), Some(2)), "{field}");
        let example = log.report.rule(Rule::IdentifierRange).unwrap().example.clone().unwrap();
        assert_eq!(example.value, format!("{field} 99999999999"));
    }
    // Job numbers are of 64 bits.
    assert_eq!(read(with(&[(1, "9223372036854775807")])).workload.jobs()[0].id.0, 9_223_372_036_854_775_807);
}

#[test]
fn when_nothing_is_left_the_reason_is_told() {
    let message = fail(with(&[(4, "-1")]));
    assert!(
        message.contains("none of the 1 data lines is a job that can be simulated: 1 run-missing"),
        "{message}"
    );
}

#[test]
fn strict_mode_refuses_what_would_be_changed_with_line_and_field() {
    for (line, expected) in [
        (with(&[(4, "-1")]), "line 4, run time (SWF field 4), job 7: run -1: no run time"),
        (with(&[(4, "0")]), "run time (SWF field 4), job 7: run 0"),
        (with(&[(2, "50")]), "submit time (SWF field 2), job 7: 50 after 100"),
        (with(&[(8, "65")]), "requested processors (SWF field 8), job 7: 65 processors of 64"),
        (with(&[(4, "59.5")]), "rule fraction"),
        // A value that was changed counts, whatever else is odd about the line.
        (with(&[(4, "59.5")]) + " 19", "rule fraction"),
        // Rules that look at several fields name the one that is wrong.
        (with(&[(9, "2000000000000000")]), "requested time (SWF field 9)"),
    ] {
        let message = fail_strictly(&among_good(&line));
        assert!(message.contains(expected), "{message}");
    }
    let options = ReadOptions { strict: true, ..ReadOptions::default() };
    // What is only noted is accepted.
    let noted = among_good(&with(&[(4, "500"), (11, "139"), (15, "4294967295")]));
    assert_eq!(trace::read(noted.as_bytes(), &options).unwrap().workload.len(), 4);
}

#[test]
fn the_report_tells_everything_and_adds_up() {
    let bad = [with(&[(4, "-1")]), with(&[(4, "0")]), "nonsense".to_owned()].join("\n");
    let log = read(among_good(&bad));
    assert_eq!((log.report.lines, log.report.jobs, log.report.removed), (6, 4, 2));
    let text = log.report.to_string();
    assert!(
        text.contains("run-zero: 1 changed (one-second): a run time of zero; first: line 5, job 7: run 0"),
        "{text}"
    );
    assert!(text.contains("machine: 64 processors (from the header's MaxProcs)"), "{text}");
    let json = serde_json::to_value(&log.report).unwrap();
    assert_eq!(json["ruleset"], "default");
    let rule = json["rules"].as_array().unwrap().iter().find(|rule| rule["rule"] == "run-missing").unwrap();
    assert_eq!((&rule["effect"], &rule["count"]), (&"removed".into(), &1.into()));
    assert_eq!(rule["example"]["line"], 4);
}

#[test]
fn ties_go_by_place_in_the_log_or_by_job_number() {
    let text = [with(&[(1, "9")]), with(&[(1, "3")]), with(&[(1, "5")])].join("\n");
    let ids = |ruleset: &str| {
        let log = trace::read(text.as_bytes(), &options(ruleset)).unwrap();
        log.workload.jobs().iter().map(|job| job.id.0).collect::<Vec<_>>()
    };
    assert_eq!(ids("default"), [9, 3, 5]);
    assert_eq!(ids("predictsim"), [3, 5, 9]);
}

#[test]
fn a_cleaned_file_reads_as_the_same_jobs_and_keeps_its_makers() {
    let text =
        format!("; Acknowledge: Ake\n; MaxProcs: 8\n{}\n{LINE}\n{}", with(&[(4, "0")]), with(&[(4, "-1")]));
    let cleaned = trace::clean(text.as_bytes(), &ReadOptions::default()).unwrap();
    let written = cleaned.write_swf(Vec::new()).unwrap();
    let again = trace::read(written.as_slice(), &options("none")).unwrap();
    let before = read(&text);
    assert_eq!(again.workload.digest(), before.workload.digest());
    assert_eq!(again.header.acknowledge, ["Ake"]);
    assert!(again.header.notes.iter().any(|note| note.contains("run-missing: 1 removed")));
    assert_eq!(again.workload.len(), 2);
}

#[test]
fn the_reference_page_has_every_rule_with_its_actions() {
    let page = include_str!("../../../docs/reference/cleaning.md");
    for rule in Rule::ALL {
        let row = page.lines().find(|line| line.starts_with(&format!("| `{rule}` |"))).unwrap_or_default();
        let cell = row.trim_end_matches(" |").rsplit(" | ").next().unwrap();
        let actions: Vec<&str> = cell.split(" · ").map(|action| action.split(':').next().unwrap()).collect();
        let expected: Vec<&str> = rule.actions().iter().map(|action| action.name()).collect();
        assert_eq!(actions, expected, "{rule}");
    }
    for name in Ruleset::names() {
        assert!(page.contains(&format!("\n| `{name}` |")), "{name}");
    }
}

#[test]
fn a_machine_size_that_is_given_takes_the_place_of_the_headers() {
    let text = format!("; Acknowledge: Ake\n;\tMaxProcs: 8 (batch)\n; MaxNodes: 8\n{LINE}\n");
    let given = ReadOptions { procs: Some(Procs(50)), ..ReadOptions::default() };
    let cleaned = trace::clean(text.as_bytes(), &given).unwrap().write_swf(Vec::new()).unwrap();
    let converted = trace::convert(text.as_bytes(), Vec::new(), &given).unwrap().sink;
    for written in [cleaned, converted] {
        let lines = String::from_utf8(written.clone()).unwrap();
        assert_eq!(lines.matches("MaxProcs:").count(), 1, "{lines}");
        let note =
            "; Acknowledge: Ake\n; Note: MaxProcs was 8 (batch) before it was given as 50\n; MaxProcs: 50\n";
        assert!(lines.starts_with(note), "{lines}");
        let again = trace::read(written.as_slice(), &ReadOptions::default()).unwrap();
        assert_eq!((again.machine.procs, again.machine.source), (Procs(50), MachineSource::MaxProcs));
    }
    // Where there is none, it comes before the records; nothing given, nothing changes.
    let bare = trace::convert(LINE.as_bytes(), Vec::new(), &given).unwrap().sink;
    assert!(bare.starts_with(b"; MaxProcs: 50\n"));
    let same = trace::convert(text.as_bytes(), Vec::new(), &ReadOptions::default()).unwrap().sink;
    assert!(same.starts_with(b"; Acknowledge: Ake\n;\tMaxProcs: 8 (batch)\n; MaxNodes: 8\n"));
}

#[test]
fn a_choice_between_columns_is_called_one() {
    let log = read(with(&[(5, "6"), (8, "-1")]));
    let fired = log.report.rule(Rule::Processors).unwrap();
    assert_eq!(fired.effect, Effect::Chosen);
    assert!(log.report.to_string().contains("processors: 1 chosen (format)"), "{}", log.report);
    let strict = ReadOptions { strict: true, ..ReadOptions::default() };
    assert!(trace::read(with(&[(5, "6"), (8, "-1")]).as_bytes(), &strict).is_ok());
}

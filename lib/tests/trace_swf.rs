//! The Standard Workload Format as it is found: every trap a real log has set, one test each.

use std::io::Write;

use flate2::write::GzEncoder;
use queuecast::job::Ending;
use queuecast::trace::clean::Effect;
use queuecast::trace::{
    self, Compression, Format, Log, MachineSource, Output, ReadOptions, Record, Records, Rule, Ruleset,
    TraceError,
};
use queuecast::units::{Procs, Seconds, Time};

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

fn records(text: impl AsRef<[u8]>) -> Vec<Record> {
    Records::open(text.as_ref(), &ReadOptions::default()).unwrap().collect::<Result<_, _>>().unwrap()
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

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

#[test]
fn all_eighteen_fields_reach_the_record() {
    let text = "1 2 3 4 5 6.5 7 8 9 10 1 12 13 14 15 16 17 18";
    let [record] = &records(text)[..] else { panic!("one record") };
    let expected = Record {
        line: 1,
        job: 1,
        submit: 2,
        wait: 3,
        run: 4,
        allocated_procs: 5,
        cpu: 6.5,
        memory: 7,
        requested_procs: 8,
        requested_time: 9,
        requested_memory: 10,
        status: 1,
        user: 12,
        group: 13,
        executable: 14,
        queue: 15,
        partition: 16,
        preceding_job: 17,
        think_time: 18,
        ending: Ending::Completed,
        ..Record::default()
    };
    assert_eq!(record, &expected);
}

#[test]
fn a_record_becomes_a_job() {
    let log =
        read(format!("; MaxProcs: 8\n; UnixStartTime: 1000\n; Queue: 1 short\n; Partition: 2 fat\n{LINE}"));
    let job = &log.workload.jobs()[0];
    assert_eq!((job.id.0, job.submit), (7, Time(100)));
    assert_eq!((job.shape.procs, job.shape.limit), (Procs(4), Some(Seconds(120))));
    assert_eq!(log.workload.truths()[0].run(), Seconds(60));
    assert_eq!(log.workload.truths()[0].ending, Ending::Completed);
    let numbers = [job.user.map(|id| id.number()), job.group.map(|id| id.number())];
    assert_eq!(numbers, [Some(3), Some(2)]);
    assert_eq!(job.executable.map(|id| id.number()), Some(9));
    assert_eq!(log.workload.names.queues[&1], "short");
    assert_eq!(log.workload.names.partitions[&2], "fat");
    assert_eq!(log.workload.epoch, Some(1000));
    assert_eq!(log.format, Format::Swf);
}

#[test]
fn decimals_in_the_cpu_column_are_no_oddity() {
    let log = read(with(&[(6, "552.21")]));
    assert_eq!(log.report.fired(Rule::Fraction), 0);
    assert_eq!(records(with(&[(6, "552.21")]))[0].cpu, 552.21);
    assert_eq!(records(with(&[(6, "-1")]))[0].cpu, -1.0);
    assert_eq!(records(with(&[(6, "1.5e3")]))[0].cpu, 1500.0);
    assert_eq!(records(with(&[(6, "-1.00")]))[0].cpu, -1.0);
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
fn headers_may_be_indented_and_tabbed() {
    let log = read(format!("  ;\tMaxProcs:\t16\n\t; Computer:   Big  \n;MaxNodes: 4\n{LINE}"));
    assert_eq!(log.header.max_procs, Some(16));
    assert_eq!(log.header.max_nodes, Some(4));
    assert_eq!(log.header.computer.as_deref(), Some("Big"));
}

#[test]
fn tabs_separate_fields_as_blanks_do() {
    assert_eq!(records(LINE.replace(' ', "\t")), records(LINE));
    assert_eq!(records(format!("  \t{}  ", LINE.replace(' ', "  \t "))), records(LINE));
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
fn line_ends_of_other_systems_and_a_last_line_without_one() {
    let plain = format!("; MaxProcs: 8\n{LINE}\n{LINE}\n");
    let expected = records(&plain);
    assert_eq!(expected.len(), 2);
    assert_eq!(records(plain.replace('\n', "\r\n")), expected);
    assert_eq!(records(plain.trim_end()), expected);
    let log = read(plain.replace('\n', "\r\n"));
    assert_eq!(log.header.comments[0].bytes, b"; MaxProcs: 8");
}

#[test]
fn extra_columns_are_noted_and_missing_ones_malformed() {
    let log = read(format!("{LINE} 19 twenty"));
    assert_eq!((log.workload.len(), log.report.fired(Rule::ExtraColumns)), (1, 1));
    let log = read(among_good("1 2 3"));
    let fired = log.report.rule(Rule::Malformed).unwrap();
    assert_eq!((log.workload.len(), fired.count), (3, 1));
    let example = fired.example.as_ref().unwrap();
    assert_eq!((example.line, example.value.contains("has 3 columns, a record has 18")), (Some(4), true));
}

#[test]
fn a_malformed_field_is_named_with_line_column_and_value() {
    let text = among_good(&with(&[(8, "abc")]));
    let value = &read(&text).report.rules[0].example.as_ref().unwrap().value.clone();
    assert_eq!(value, "line 4, field 8 (requested processors) \"abc\": not a number");
    assert_eq!(fail_strictly(&text), *value);
}

#[test]
fn numbers_may_be_decimal_or_exponential_but_must_fit() {
    let log = read(with(&[(4, "60.0"), (9, "1e5")]));
    assert_eq!(log.workload.jobs()[0].shape.limit, Some(Seconds(100_000)));
    assert_eq!(log.report.fired(Rule::Fraction), 0);
    let log = read(with(&[(4, "59.6")]));
    assert_eq!((log.workload.truths()[0].run(), log.report.fired(Rule::Fraction)), (Seconds(60), 1));
    for huge in ["99999999999999999999", "1e300", "-9223372036854775809"] {
        let log = read(among_good(&with(&[(4, huge)])));
        assert_eq!(log.report.fired(Rule::Malformed), 1);
        assert!(log.report.to_string().contains("too large"), "{}", log.report);
    }
    let log = read(with(&[(2, "9223372036854775807")]));
    assert_eq!(log.workload.jobs()[0].submit, Time(i64::MAX));
}

#[test]
fn identifiers_beyond_their_range_become_unknown() {
    let log = read(with(&[(12, "4294967295"), (13, "4294967294")]));
    let job = &log.workload.jobs()[0];
    assert_eq!((job.user, job.group.unwrap().number()), (None, 4_294_967_294));
    assert_eq!(log.report.fired(Rule::IdentifierRange), 1);
}

#[test]
fn a_truncated_gzip_is_never_half_a_log() {
    let text = format!("{LINE}\n").repeat(5_000);
    let whole = gzip(text.as_bytes());
    for cut in [whole.len() / 2, whole.len() - 9, whole.len() - 1] {
        let message = fail(&whole[..cut]);
        assert!(message.contains("gzip data are truncated: they end after line "), "{cut}: {message}");
    }
    let mut damaged = whole.clone();
    let middle = damaged.len() - 6;
    damaged[middle] ^= 0x55;
    let message = fail(&damaged);
    assert!(message.contains("damaged after line 5000"), "{message}");
    assert_eq!(read(&whole).workload.len(), 5_000);
}

#[test]
fn a_truncated_zstd_is_never_half_a_log() {
    let mut output = Output::new(Vec::new(), Compression::Zstd).unwrap();
    for job in 0..5_000 {
        writeln!(output, "{}", with(&[(1, &job.to_string())])).unwrap();
    }
    let whole = output.finish().unwrap();
    assert_eq!(read(&whole).workload.len(), 5_000);
    assert!(fail(&whole[..whole.len() - 3]).contains("zstd data are truncated"));
}

#[test]
fn several_members_are_one_file() {
    let mut bytes = gzip(format!("; MaxProcs: 8\n{LINE}\n").as_bytes());
    bytes.extend(gzip(format!("{LINE}\n").as_bytes()));
    let log = read(&bytes);
    assert_eq!((log.workload.len(), log.compression), (2, Compression::Gzip));
    let mut bytes = zstd::encode_all(format!("{LINE}\n").as_bytes(), 3).unwrap();
    bytes.extend(zstd::encode_all(format!("{LINE}\n").as_bytes(), 3).unwrap());
    let log = read(&bytes);
    assert_eq!((log.workload.len(), log.compression), (2, Compression::Zstd));
}

#[test]
fn a_byte_order_mark_is_no_part_of_the_file() {
    let text = format!("\u{feff}; MaxProcs: 8\n{LINE}");
    assert_eq!(read(&text).header.max_procs, Some(8));
    assert_eq!(read(format!("\u{feff}{LINE}")).workload.len(), 1);
}

#[test]
fn comments_need_not_be_text_and_are_kept_to_the_byte() {
    let mut bytes = b"; Installation: G\xf6teborg \n".to_vec();
    bytes.extend(LINE.bytes());
    let log = read(&bytes);
    assert_eq!(log.header.comments[0].bytes, b"; Installation: G\xf6teborg ");
    assert_eq!(log.header.installation.as_deref(), Some("G\u{fffd}teborg"));
}

#[test]
fn comments_between_records_and_blank_lines() {
    let text = format!("; MaxProcs: 8\n\n{LINE}\n  \t \n; Note: halfway\n{LINE}\n\n; the end");
    let log = read(&text);
    assert_eq!((log.workload.len(), log.report.lines), (2, 2));
    let comments: Vec<u64> = log.header.comments.iter().map(|comment| comment.line).collect();
    assert_eq!(comments, [1, 5, 8]);
    let converted = trace::convert(text.as_bytes(), Vec::new(), &ReadOptions::default()).unwrap();
    let written = String::from_utf8(converted.sink).unwrap();
    let kinds: String = written.lines().map(|line| if line.starts_with(';') { ';' } else { 'r' }).collect();
    assert_eq!(kinds, ";r;r;");
}

#[test]
fn header_entries_are_understood() {
    let header = "\
; Version: 2.2
; Computer: IBM SP2
; Installation: Cornell
; Acknowledge: Dan and Steve
; Copyright: some rights
;   kept, see: elsewhere
; Information: http://a/
;              http://b/
; Conversion: Dror
; MaxJobs: 79302
; MaxRecords: 79301
; Preemption: No
; UnixStartTime: 835823160
; TimeZone: -18000
; TimeZoneString: US/Eastern
; StartTime: Wed Jun 26 17:06:00 EDT 1996
; EndTime:   Sat May 31 23:11:26 EDT 1997
; MaxNodes: 338 (batch partition; 512 total)
; MaxProcs: 430
; MaxRuntime: 64800
; MaxMemory: 131072
; AllowOveruse: Yes
; Queues: classes
; MaxQueues: 2
; Queue:  1 DSI
; Queue:  2
; MaxPartitions: 1
; Partitions: parts
; Partition:  0  z+i5U=:
; Note: User 3 = alice smith
; Note: THIS IS A CLEANED VERSION
;       The filter was
;
;   not part of the note
";
    let log = read(format!("{header}{LINE}"));
    let header = &log.header;
    assert_eq!(header.version.as_deref(), Some("2.2"));
    assert_eq!(header.computer.as_deref(), Some("IBM SP2"));
    assert_eq!(header.acknowledge, ["Dan and Steve"]);
    assert_eq!(header.information, ["http://a/\nhttp://b/"]);
    assert_eq!(header.conversion.as_deref(), Some("Dror"));
    assert_eq!((header.max_jobs, header.max_records), (Some(79_302), Some(79_301)));
    assert_eq!(header.preemption.as_deref(), Some("No"));
    assert_eq!((header.unix_start_time, header.time_zone), (Some(835_823_160), Some(-18_000)));
    assert_eq!(header.time_zone_string.as_deref(), Some("US/Eastern"));
    assert_eq!(header.start_time.as_deref(), Some("Wed Jun 26 17:06:00 EDT 1996"));
    assert_eq!(header.end_time.as_deref(), Some("Sat May 31 23:11:26 EDT 1997"));
    assert_eq!((header.max_nodes, header.max_procs), (Some(338), Some(430)));
    assert_eq!((header.max_runtime, header.max_memory), (Some(64_800), Some(131_072)));
    assert_eq!(header.allow_overuse.as_deref(), Some("Yes"));
    assert_eq!((header.max_queues, header.max_partitions), (Some(2), Some(1)));
    assert_eq!((header.queues.as_deref(), header.partitions.as_deref()), (Some("classes"), Some("parts")));
    assert_eq!(header.names.queues.clone().into_iter().collect::<Vec<_>>(), [(1, "DSI".to_owned())]);
    assert_eq!(header.names.partitions[&0], "z+i5U=:");
    assert_eq!(header.names.users[&3], "alice smith");
    assert_eq!(header.notes, ["User 3 = alice smith", "THIS IS A CLEANED VERSION\nThe filter was"]);
    let copyright = header.entries.iter().find(|entry| entry.key == "Copyright").unwrap();
    assert_eq!(copyright.value, "some rights\nkept, see: elsewhere");
}

#[test]
fn an_empty_file_says_so() {
    for empty in ["", "\n\n", "   \n\t\n"] {
        assert!(fail(empty).contains("the file is empty"), "{empty:?}");
    }
    assert!(fail("; MaxProcs: 8\n").contains("none of the 0 data lines is a job"));
    assert!(fail(gzip(b"")).contains("the file is empty"));
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
fn what_is_not_a_log_is_told_what_it_looks_like() {
    for (bytes, looks_like) in [
        (&b"\x7fELF\x02\x01\x01\0\0\0\0\0"[..], "binary data"),
        (b"job,submit,run\n1,2,3\n", "comma-separated values"),
        (b"{\"jobs\": []}", "JSON"),
        (b"<!DOCTYPE html>", "HTML"),
        (b"\xfd7zXZ\0\0\0", "compressed with xz"),
        (b"BZh91AY&SY", "compressed with bzip2"),
        (b"PK\x03\x04....", "a zip archive"),
        (b"JobID    JobName  State\n------- ------- -----\n", "a table that sacct prints for people"),
        (b"12|13|COMPLETED|5\n", "without the header line of sacct"),
        (b"Dear Sir or Madam,\n", "comma-separated"),
        (b"hello world\n", "other text"),
    ] {
        let message = fail(bytes);
        assert!(message.contains("not a log") && message.contains(looks_like), "{message}");
    }
    let sacct_as_swf = ReadOptions { format: Some(Format::Swf), ..ReadOptions::default() };
    let error = trace::read(&b"JobID|State\n1|COMPLETED\n"[..], &sacct_as_swf).unwrap_err();
    assert!(matches!(error, TraceError::MostlyMalformed { malformed: 2, lines: 2, .. }), "{error}");
}

#[test]
fn mostly_malformed_is_another_format_but_a_few_bad_lines_are_not() {
    let text = format!("; Version: 2\n{}", "1 2 3\n".repeat(51) + &format!("{LINE}\n").repeat(49));
    let error = trace::read(text.as_bytes(), &ReadOptions::default()).unwrap_err();
    assert!(matches!(error, TraceError::MostlyMalformed { malformed: 51, lines: 100, .. }), "{error}");
    assert!(error.to_string().contains("18 numbers separated by blanks"));
    let text = "1 2 3\n".repeat(50) + &format!("{LINE}\n").repeat(50);
    assert_eq!(read(&text).report.fired(Rule::Malformed), 50);
}

#[test]
fn strict_mode_refuses_what_would_be_changed_with_line_and_field() {
    for (line, expected) in [
        (with(&[(4, "-1")]), "line 4, field 4 (run time), job 7: -1: no run time"),
        (with(&[(4, "0")]), "field 4 (run time), job 7: run 0"),
        (with(&[(2, "50")]), "field 2 (submit time), job 7: 50 after 100"),
        (with(&[(8, "65")]), "field 8 (requested processors), job 7: 65 processors of 64"),
        (with(&[(4, "59.5")]), "rule fraction"),
    ] {
        let message = fail_strictly(&among_good(&line));
        assert!(message.contains(expected), "{message}");
    }
    let options = ReadOptions { strict: true, ..ReadOptions::default() };
    // What is only noted is accepted.
    let noted = among_good(&with(&[(4, "500"), (11, "139")]));
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
fn a_log_is_described() {
    let text = format!(
        "; MaxProcs: 8\n{LINE}\n{}\n",
        with(&[(1, "8"), (2, "200"), (4, "500"), (9, "-1"), (12, "4")])
    );
    let info = trace::describe(text.as_bytes(), &ReadOptions::default()).unwrap();
    assert_eq!((info.records, info.distinct.users, info.distinct.queues), (2, 2, 1));
    assert_eq!((info.first_submit, info.last_submit, info.last_end), (Some(100), Some(200), Some(705)));
    assert_eq!(info.fields[8].known, 1);
    assert_eq!(info.requests.as_ref().unwrap().count, 1);
    assert_eq!(info.offered_load, Some((4.0 * 60.0 + 4.0 * 500.0) / (8.0 * 100.0)));
    assert!(serde_json::to_string(&info).unwrap().contains("\"median\":60"));
}

#[test]
fn a_line_without_end_does_not_eat_the_memory() {
    let endless = b"; x".iter().copied().chain(std::iter::repeat_n(b'1', 20 << 20)).collect::<Vec<u8>>();
    assert!(fail(endless).contains("line 1 is longer than"));
}

//! The Standard Workload Format as it is found: every trap a real log has set, one test each.

use std::io::Write;

use flate2::write::GzEncoder;
use queuecast_core::job::Ending;
use queuecast_core::units::{Procs, Seconds, Time};
use queuecast_trace as trace;
use queuecast_trace::{
    CompressedOutput, Compression, Log, LogFormat, ReadOptions, Record, Records, Rule, TraceError,
};

/// A complete record, for tests to vary: job 7, submitted at 100, ran 60 s of 120 on 4 processors.
const LINE: &str = "7 100 5 60 4 58.25 10 4 120 20 1 3 2 9 1 2 -1 -1";

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
    assert_eq!(log.format, LogFormat::SWF);
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
    assert_eq!(value, "field 8 (requested processors) \"abc\": not a number");
    assert_eq!(fail_strictly(&text), format!("line 4, {value}"));
    let report = read(among_good("1 2 3")).report.to_string();
    assert!(report.contains("first: line 4, \"1 2 3\": has 3 columns"), "{report}");
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
    assert_eq!(records(with(&[(2, "9223372036854775807")]))[0].submit, i64::MAX);
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
    let mut output = CompressedOutput::new(Vec::new(), Compression::Zstd);
    for job in 0..5_000 {
        writeln!(output, "{}", with(&[(1, &job.to_string())])).unwrap();
    }
    let whole = output.finish().unwrap();
    assert_eq!(read(&whole).workload.len(), 5_000);
    assert!(fail(&whole[..whole.len() - 3]).contains("zstd data are truncated"));
}

fn zstd(bytes: &[u8]) -> Vec<u8> {
    let mut output = CompressedOutput::new(Vec::new(), Compression::Zstd);
    output.write_all(bytes).unwrap();
    output.finish().unwrap()
}

#[test]
fn several_members_are_one_file() {
    let mut bytes = gzip(format!("; MaxProcs: 8\n{LINE}\n").as_bytes());
    bytes.extend(gzip(format!("{LINE}\n").as_bytes()));
    let log = read(&bytes);
    assert_eq!((log.workload.len(), log.compression), (2, Compression::Gzip));
    let mut bytes = zstd(format!("{LINE}\n").as_bytes());
    bytes.extend(zstd(format!("{LINE}\n").as_bytes()));
    let log = read(&bytes);
    assert_eq!((log.workload.len(), log.compression), (2, Compression::Zstd));
    let named = ["a.swf.gz", "a.ZST", "a.swf", "gz"].map(Compression::of_name);
    assert_eq!(named, [Compression::Gzip, Compression::Zstd, Compression::None, Compression::None]);
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
; http://c/
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
fn what_is_not_a_log_is_told_what_it_looks_like() {
    for (bytes, looks_like) in [
        (&b"\x7fELF\x02\x01\x01\0\0\0\0\0"[..], "binary data"),
        (b"job,submit,run\n1,2,3\n", "comma-separated values"),
        (b"{\"jobs\": []}", "JSON"),
        (b"<!DOCTYPE html>", "HTML"),
        (b"\xfd7zXZ\0\0\0", "compressed with xz"),
        (b"BZh91AY&SY", "compressed with bzip2"),
        (b"PK\x03\x04....", "a zip archive"),
        (b"JobID    JobName  State\n------- ------- -----\n", "a table that sacct prints without -P"),
        (b"12|13|COMPLETED|5\n", "without the header line of sacct"),
        (b"12|13|a,b|CANCELLED by 5|--jobid=3,4\n", "without the header line of sacct"),
        (b"143+0\x1fa\x1fTIMEOUT\n", "without the header line of sacct"),
        (b"Cluster|Account|MaxJobs,MaxTRES|QOS\n", "another table of Slurm"),
        (b"short*|up|1:00:00|4|idle|node[01-04,07]\n", "another table of Slurm"),
        (b"\xff\xfe1\0 \0", "UTF-16"),
        (b"FAILED to open the log\n", "other text"),
        (b"Dear Sir or Madam,\n", "comma-separated"),
        (b"hello world\n", "other text"),
    ] {
        let message = fail(bytes);
        assert!(message.contains("not a log") && message.contains(looks_like), "{message}");
    }
    let sacct_as_swf = ReadOptions { format: Some(LogFormat::SWF), ..ReadOptions::default() };
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

#[test]
fn what_follows_compressed_data_is_neither_lost_nor_called_truncation() {
    for junk in
        [&b"junk"[..], b"a longer piece of text that follows", b"\x1f nothing of gzip, it only looks so"]
    {
        let message = fail([gzip(LINE.as_bytes()).as_slice(), junk].concat());
        assert!(message.contains("the gzip data end, but the file goes on"), "{message}");
    }
    let padded = [gzip(format!("{LINE}\n").as_bytes()).as_slice(), &[0; 70_000]].concat();
    assert_eq!(read(padded).workload.len(), 1);
    let twice = fail(gzip(&gzip(LINE.as_bytes())));
    assert!(twice.contains("compressed twice"), "{twice}");
}

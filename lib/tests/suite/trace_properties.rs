//! Properties of the readers: what is written is read back, and no bytes make them panic or lose a line.

use proptest::prelude::*;
use queuecast_trace as trace;
use queuecast_trace::{
    CompressedOutput, Compression, LogFormat, ReadOptions, Record, Records, Rule, SwfWriter, TraceError,
};

prop_compose! {
    fn record()(
        whole in proptest::array::uniform17(prop_oneof![Just(-1i64), 0i64..100_000, any::<i64>()]),
        cpu in prop_oneof![Just(-1.0), 0.0..1e6, (0u32..10_000_000).prop_map(|hundredths| f64::from(hundredths) / 100.0)],
    ) -> Record {
        let [job, submit, wait, run, allocated_procs, memory, requested_procs, requested_time, requested_memory,
            status, user, group, executable, queue, partition, preceding_job, think_time] = whole;
        let ending = Record::ending_of_status(status);
        Record {
            job, submit, wait, run, allocated_procs, cpu, memory, requested_procs, requested_time,
            requested_memory, status, user, group, executable, queue, partition, preceding_job, think_time,
            ending, ..Record::default()
        }
    }
}

fn options(format: Option<LogFormat>) -> ReadOptions {
    ReadOptions { format, ..ReadOptions::default() }
}

/// Text that looks enough like a log to get past the door.
fn nearly_swf() -> impl Strategy<Value = String> {
    let field = prop_oneof![
        6 => "-1|[0-9]{1,4}",
        1 => "[0-9]{17,21}|-|[0-9]\\.[0-9]|1e[0-9]{1,3}|[a-z;|\u{e4}]{1,3}",
    ];
    let line = proptest::collection::vec(field, 0..20).prop_map(|fields| fields.join(" "));
    proptest::collection::vec(line, 0..30).prop_map(|lines| lines.join("\n"))
}

fn nearly_sacct() -> impl Strategy<Value = String> {
    let field = prop_oneof![
        4 => "[0-9]{1,10}",
        1 => "COMPLETED|TIMEOUT|CANCELLED by 0|RUNNING",
        1 => "Unknown|None|UNLIMITED|[0-9]-[0-9]{2}:[0-9]{2}|2026-1[0-9]-2[0-9]T0[0-9]:[0-9]0:00",
        1 => "[ -~]{0,6}",
    ];
    let line = proptest::collection::vec(field, 5..10).prop_map(|fields| fields.join("|"));
    proptest::collection::vec(line, 0..30)
        .prop_map(|lines| format!("JobID|State|Submit|Start|Elapsed|ReqCPUS|Timelimit\n{}", lines.join("\n")))
}

/// Accounting with columns of free text, so that rows are rejoined, of one cluster or two.
fn nearly_sacct_with_names() -> impl Strategy<Value = String> {
    let field = prop_oneof![
        4 => "[0-9]{1,10}",
        2 => "COMPLETED|TIMEOUT|ada|bob|east",
        1 => "Unknown|None|INVALID|0 days 00:0[0-9]:00|2026-1[0-9]-2[0-9]T0[0-9]:[0-9]0:00(Z|[+]0100)?",
        1 => "[ -~]{0,6}|\"[a-z,;|]{0,4}\"",
    ];
    let row = proptest::collection::vec(field, 5..14).prop_map(|fields| fields.join("|"));
    let good = "[1-9][0-9]{0,3}".prop_map(|id| format!("{id}|x|COMPLETED|5|6|00:01:00|2|a b|ada|c"));
    let piece = "[a-z |]{0,9}";
    let line = prop_oneof![3 => row, 4 => good, 2 => piece];
    let delimiter = prop_oneof![Just("|"), Just(","), Just(";"), Just("\x1f")];
    (proptest::collection::vec(line, 0..30), delimiter).prop_map(|(lines, delimiter)| {
        format!(
            "JobID|Comment|State|Submit|Start|Elapsed|ReqCPUS|SubmitLine|User|JobName\n{}",
            lines.join("\n")
        )
        .replace('|', delimiter)
    })
}

/// Lines of a text that are neither blank, nor comments of SWF, nor the header line of accounting records.
fn lines_to_account_for(bytes: &[u8], format: LogFormat) -> u64 {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let lines = bytes.split(|&byte| byte == b'\n').map(<[u8]>::trim_ascii).filter(|line| !line.is_empty());
    if format.is_accounting() {
        lines.count() as u64 - 1
    } else {
        lines.filter(|line| !line.starts_with(b";")).count() as u64
    }
}

/// Reads to the end: every line of the text is a record, or part of one, or was counted as something else.
fn accounted(bytes: &[u8], format: Option<LogFormat>) -> Result<(), TestCaseError> {
    let Ok(mut records) = Records::open(bytes, &options(format)) else { return Ok(()) };
    let mut count = 0;
    for record in records.by_ref() {
        if record.is_err() {
            return Ok(());
        }
        count += 1;
    }
    let counts = records.counts();
    let others = [Rule::Malformed, Rule::Step, Rule::RepeatedHeader, Rule::DuplicateRow, Rule::ColumnNames];
    let others: u64 = others.into_iter().map(|rule| counts.fired(rule)).sum();
    prop_assert_eq!(records.data_lines(), count + others);
    if records.compression() == Compression::None {
        let lines = lines_to_account_for(bytes, records.format());
        prop_assert_eq!(lines, count + others + records.joined_lines());
    }
    match trace::read(bytes, &options(format)) {
        Ok(log) => {
            prop_assert_eq!(log.report.jobs, log.workload.len() as u64);
            prop_assert_eq!(log.report.lines, log.report.jobs + log.report.removed);
        }
        Err(TraceError::NoJobs { lines, .. }) => prop_assert_eq!(lines, records.data_lines()),
        Err(error) => return Err(TestCaseError::fail(error.to_string())),
    }
    Ok(())
}

proptest! {
    #[test]
    fn what_is_written_is_read_back(
        mut originals in proptest::collection::vec(record(), 1..40),
        comments in proptest::collection::vec("; [ -~]{0,40}", 0..5),
        compression in prop_oneof![Just(Compression::None), Just(Compression::Gzip), Just(Compression::Zstd)],
    ) {
        let mut writer = SwfWriter::new(CompressedOutput::new(Vec::new(), compression));
        for comment in &comments {
            writer.comment(comment.as_bytes()).unwrap();
        }
        for (line, record) in (comments.len() as u64 + 1..).zip(&mut originals) {
            record.line = line;
            writer.record(record).unwrap();
        }
        let bytes = writer.finish().unwrap().finish().unwrap();
        let mut records = Records::open(bytes.as_slice(), &options(Some(LogFormat::SWF))).unwrap();
        let again: Vec<Record> = records.by_ref().collect::<Result<_, _>>().unwrap();
        prop_assert_eq!(again, originals);
        let kept: Vec<Vec<u8>> = records.header().comments.iter().map(|comment| comment.bytes.clone()).collect();
        prop_assert_eq!(kept, comments.into_iter().map(String::into_bytes).collect::<Vec<_>>());
        prop_assert_eq!(records.compression(), compression);
    }

    #[test]
    fn no_bytes_make_a_reader_panic(bytes in proptest::collection::vec(any::<u8>(), 0..600)) {
        for format in [None, Some(LogFormat::SWF), Some(LogFormat::SACCT)] {
            accounted(&bytes, format)?;
        }
        for magic in [&[0x1f, 0x8b][..], &[0x28, 0xb5, 0x2f, 0xfd], b"JobID|State|Submit|Start|End|NCPUS\n"] {
            accounted(&[magic, &bytes].concat(), None)?;
        }
    }

    #[test]
    fn every_line_of_a_nearly_good_log_is_accounted_for(text in nearly_swf()) {
        accounted(text.as_bytes(), Some(LogFormat::SWF))?;
    }

    #[test]
    fn every_row_of_nearly_good_accounting_is_accounted_for(text in nearly_sacct()) {
        accounted(text.as_bytes(), Some(LogFormat::SACCT))?;
    }

    #[test]
    fn every_row_of_accounting_with_names_is_accounted_for(text in nearly_sacct_with_names()) {
        accounted(text.as_bytes(), Some(LogFormat::SACCT))?;
    }

    #[test]
    fn every_line_of_a_nearly_good_table_is_accounted_for(text in nearly_swf()) {
        accounted(text.replace(' ', ";").as_bytes(), Some(LogFormat::SWF))?;
    }
}

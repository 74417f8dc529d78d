//! What goes wrong, as it is said: one line of what, a hint of what to do, and the documented exit code.

use std::fs;
use std::io::Write as _;

use crate::{FOUR, Folder};

/// Runs a line that must fail, and returns what it says. Standard output stays empty.
fn said(folder: &Folder, line: &str, code: i32) -> String {
    let done = folder.queuecast(line).assert().code(code).stdout("");
    String::from_utf8(done.get_output().stderr.clone()).unwrap()
}

#[test]
fn arguments_that_do_not_make_sense() {
    let folder = Folder::with("four.swf", FOUR);
    for (line, parts) in [
        (
            "simulate four.swf --policy easi",
            &["[possible values: fcfs, easy, sjbf, conservative, likely]", "similar value exists: 'easy'"][..],
        ),
        ("simulate four.swf --policy fcfs,easy", &["queuecast compare takes several"]),
        ("simulate four.swf --policy easy:dept=4", &["\"dept=4\" is no setting", "depth=N|all"]),
        ("simulate four.swf --predictor recent", &["as in recent:2"]),
        ("simulate four.swf --clean archive", &["[possible values: none, default, predictsim, reference]"]),
        ("simulate four.swf --clean default,run-zero=explode", &["it can: keep, one-second, drop"]),
        (
            "simulate four.swf --policy fcfs --depth 3",
            &["error: --depth contradicts --policy fcfs", "hint: "],
        ),
        (
            "simulate four.swf --policy sjbf --backfill-order area",
            &["error: --backfill-order contradicts", "hint: "],
        ),
        ("simulate four.swf --policy conservative --priority wait", &["form=replan"]),
        (
            "simulate four.swf --window share:0.9,0.9",
            &["'share:0.9,0.9' for '--window", "0.9 and 0.9 together leave no job to count"],
        ),
        ("simulate four.swf --window share:100%", &["for '--window", "leaves no job to count"]),
        ("compare four.swf --window submitted:9,3", &["3 is not after 9"]),
        ("compare four.swf --threads -2", &["'-2' for '--threads", "must be at least 1"]),
        ("compare four.swf --procs -1", &["must be at least 1"]),
        ("simulate four.swf --depth -1", &["from 1 on"]),
        ("trace info four.swf --procs -1", &["must be at least 1"]),
        ("compare four.swf --predictor recnt:2", &["a similar value exists: 'recent:2'"]),
        ("compare four.swf --predictor constant:4294967296", &["from 1 to 4294967295"]),
        ("completions bash --format json", &["cannot be written as json", "hint: leave out --format"]),
        (
            "simulate four.swf --schedule four.swf",
            &["error: four.swf is both input and output", "hint: write to another file"],
        ),
        ("simulate four.swf --schedule a --queue-series a", &["a is asked for twice"]),
        ("simulate four.swf --schedule no/where.csv", &["hint: the directory no does not exist"]),
        ("simulate four.swf --schedule .", &["is a directory"]),
        ("trace clean four.swf --output ./four.swf", &["is both input and output"]),
        ("trace convert four.swf --output four.swf", &["is both input and output"]),
        ("compare - -", &["standard input can be read only once"]),
        ("demo --load 99", &["load = 99: must be between"]),
        ("simulate four.swf --procs many", &["--procs"]),
    ] {
        let text = said(&folder, line, 2);
        assert!(parts.iter().all(|part| text.contains(part)), "{line}\n{text}");
    }
    assert_eq!(folder.read("four.swf"), FOUR, "the input is as it was");
    assert_eq!(folder.names(), ["four.swf"], "nothing is left behind");
}

#[test]
fn input_that_cannot_be_used() {
    let folder = Folder::with("four.swf", FOUR);
    fs::write(folder.path("empty.swf"), "").unwrap();
    fs::write(folder.path("a.png"), b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR").unwrap();
    fs::write(folder.path("a.csv"), "id,submit\n1,2\n").unwrap();
    fs::write(folder.path("a.json"), "{\"jobs\": []}\n").unwrap();
    fs::write(folder.path("header.swf"), "; MaxProcs: 4\n").unwrap();
    fs::write(folder.path("table.psv"), "JobID|Submit\n1|2\n").unwrap();
    fs::create_dir(folder.path("traces")).unwrap();
    fs::write(folder.path("traces/x.swf"), FOUR).unwrap();
    for (file, parts) in [
        ("four.swff", &["four.swff: no such file", "hint: did you mean four.swf?"][..]),
        ("else/where.swf", &["no such file", "hint: the directory else does not exist"]),
        ("traces", &["traces is a directory", "hint: name a file in it, such as traces/x.swf"]),
        ("empty.swf", &["error: empty.swf is empty", "hint: "]),
        ("a.png", &["it looks like binary data", "hint: "]),
        ("a.csv", &["it looks like comma-separated values", "hint: "]),
        ("a.json", &["it looks like JSON", "hint: "]),
        ("header.swf", &["none of the 0 data lines is a job", "hint: "]),
        ("table.psv", &["the header line lacks", "hint: an example that has all: "]),
    ] {
        for command in ["simulate", "compare"] {
            let text = said(&folder, &format!("{command} {file}"), 3);
            assert!(text.starts_with("error: "), "{text}");
            assert!(parts.iter().all(|part| text.contains(part)), "{command} {file}\n{text}");
        }
    }
}

#[test]
fn a_truncated_file_is_not_a_shorter_one() {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(FOUR.as_bytes()).unwrap();
    let whole = encoder.finish().unwrap();
    let folder = Folder::with("whole.swf.gz", &whole);
    fs::write(folder.path("cut.swf.gz"), &whole[..whole.len() - 12]).unwrap();
    for command in ["simulate", "trace info", "trace clean", "trace convert -o out.swf"] {
        let text = said(&folder, &format!("{command} cut.swf.gz"), 3);
        assert!(text.contains("cut.swf.gz: the gzip data are truncated"), "{command}\n{text}");
        assert!(text.contains("hint: copy or download it again"), "{command}\n{text}");
    }
    assert_eq!(folder.names(), ["cut.swf.gz", "whole.swf.gz"], "no half of a file is left");
    // Control: the whole file is fine.
    folder.queuecast("simulate whole.swf.gz").assert().success();
}

#[test]
fn strict_stops_at_the_first_bad_record_and_names_it() {
    let folder = Folder::with("dirty.swf", FOUR.replace("90 100 -1 1 2", "90 1x0 -1 1 2"));
    for command in ["simulate", "compare", "trace info", "trace clean", "trace convert", "trace head"] {
        folder.queuecast(&format!("{command} dirty.swf")).assert().success();
        let done = folder.queuecast(&format!("{command} dirty.swf --strict")).assert().code(3);
        let text = String::from_utf8(done.get_output().stderr.clone()).unwrap();
        assert!(text.contains("dirty.swf: line 6, field 9 (requested time) \"1x0\""), "{command}\n{text}");
        assert!(text.contains("hint: without --strict"), "{command}\n{text}");
    }
}

#[test]
fn a_machine_smaller_than_its_jobs_is_a_warning_and_smaller_than_all_an_error() {
    let folder = Folder::with("four.swf", FOUR);
    let done = folder.queuecast("simulate four.swf --procs 75 --format json --quiet").assert().success();
    let text = String::from_utf8(done.get_output().stderr.clone()).unwrap();
    assert!(
        text.starts_with("warning: four.swf: 2 of 4 records need more than --procs 75 and are left out"),
        "{text}"
    );
    let text = said(&folder, "simulate four.swf --procs 10", 3);
    assert!(text.contains("none of the 4 data lines is a job that can be simulated: 4 too-large"), "{text}");
    assert!(text.contains("hint: "), "{text}");
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_not_the_users_fault() {
    let folder = Folder::with("four.swf", FOUR);
    for line in [
        "simulate four.swf --schedule /dev/full",
        "simulate four.swf --schedule-swf /dev/full",
        "trace clean four.swf --output /dev/full",
        "trace convert four.swf --output /dev/full",
        "demo --jobs 50 --output /dev/full",
    ] {
        let text = said(&folder, line, 1);
        assert!(text.starts_with("error: cannot write to /dev/full: No space left"), "{line}\n{text}");
    }
    let full = || fs::File::options().write(true).open("/dev/full").unwrap();
    for line in ["simulate four.swf", "trace convert four.swf", "trace head four.swf --format csv"] {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_queuecast"));
        let output =
            command.current_dir(folder.0.path()).args(line.split(' ')).stdout(full()).output().unwrap();
        assert_eq!(output.status.code(), Some(1), "{line}");
        assert!(output.stderr.starts_with(b"error: cannot write to standard output: "), "{line}");
    }
}

#[test]
fn a_reader_that_went_away_is_not_an_error_for_any_command() {
    let folder = Folder::with("four.swf", FOUR);
    for line in
        ["simulate four.swf", "compare four.swf --format csv", "trace convert four.swf", "demo --jobs 50"]
    {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_queuecast"));
        let output = command
            .current_dir(folder.0.path())
            .args(line.split(' '))
            .arg("--quiet")
            .stdout(writer)
            .output()
            .unwrap();
        assert_eq!(output.status.code(), Some(0), "{line}");
        assert!(!String::from_utf8_lossy(&output.stderr).contains("error"), "{line}");
    }
}

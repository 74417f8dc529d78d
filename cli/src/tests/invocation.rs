//! Command lines as they are recorded, resumed and quoted.

use std::ffi::OsString;

use clap::CommandFactory;
use queuecast_process::invocation::{Invocation, quoted};

use crate::args::Args;

fn invocation(words: &[&str]) -> Invocation {
    Invocation::read(Args::command(), words.iter().map(OsString::from)).unwrap()
}

#[test]
fn the_record_leaves_out_where_and_how_the_trace_is_written() {
    let line = [
        "queuecast",
        "generate",
        "shake",
        "../logs/my log.swf.gz",
        "--seed",
        "3",
        "--by=1h", // the former name of --max-shift
        "-o",
        "a.swf",
        "--force",
        "--quiet",
    ];
    let expected = "queuecast generate shake 'my log.swf.gz' --max-shift 1h --seed 3";
    assert_eq!(invocation(&line).recorded(), expected);
}

#[test]
fn a_hint_names_the_command_as_it_was_started() {
    assert_eq!(invocation(&["queuecast", "demo"]).program(), "queuecast");
    assert_eq!(invocation(&["target/release/queuecast", "demo"]).program(), "target/release/queuecast");
    assert_eq!(invocation(&["./my tools/queuecast", "demo"]).program(), "'./my tools/queuecast'");
}

#[test]
fn repeated_options_stay_in_their_order() {
    let line = "queuecast generate lublin --mode 1h=10 --jobs 50 --mode 30m=5 --format json -o x";
    let line: Vec<&str> = line.split(' ').collect();
    let expected = "queuecast generate lublin --jobs 50 --mode 1h=10 --mode 30m=5";
    assert_eq!(invocation(&line).recorded(), expected);
}

#[test]
fn a_resumed_command_has_the_option_once() {
    let line = ["./queuecast", "search", "my log.swf", "--checkpoint", "c"];
    let expected = "queuecast search 'my log.swf' --checkpoint c --resume";
    assert_eq!(invocation(&line).resumed(), expected);
    let again = ["queuecast", "search", "my log.swf", "--checkpoint", "c", "--resume"];
    assert_eq!(invocation(&again).resumed(), expected);
}

#[test]
fn words_are_quoted_where_a_shell_would_change_them() {
    assert_eq!(quoted("--holdout=0.5"), "--holdout=0.5");
    assert_eq!(quoted("my log.swf"), "'my log.swf'");
    assert_eq!(quoted("it's"), "'it'\\''s'");
    assert_eq!(quoted(""), "''");
}

//! Help, completions, closed pipes, full disks, colour: what holds whatever is asked.

use std::process::Stdio;

use predicates::prelude::*;

use crate::queuecast;

#[test]
fn help_names_commands_and_exit_codes_on_standard_output() {
    let help = queuecast().arg("--help").assert().success().stderr("");
    help.stdout(
        predicate::str::contains("Usage: queuecast [OPTIONS] <COMMAND>")
            .and(predicate::str::contains("simulate"))
            .and(predicate::str::contains("compare"))
            .and(predicate::str::contains("trace"))
            .and(predicate::str::contains("demo"))
            .and(predicate::str::contains("completions"))
            .and(predicate::str::contains("3  the input cannot be used"))
            .and(predicate::str::contains("[possible values: text, json, csv, markdown]")),
    );
}

#[test]
fn the_version_is_the_packages() {
    let expected = format!("queuecast {}\n", env!("CARGO_PKG_VERSION"));
    queuecast().arg("--version").assert().success().stdout(expected);
}

#[test]
fn nothing_asked_is_a_usage_error_that_shows_help() {
    queuecast().assert().code(2).stdout("").stderr(predicate::str::contains("Usage: queuecast"));
}

#[test]
fn an_unknown_command_suggests_the_nearest() {
    let stderr = predicate::str::contains("unrecognized subcommand 'completion'")
        .and(predicate::str::contains("'completions'"));
    queuecast().arg("completion").assert().code(2).stdout("").stderr(stderr);
}

#[test]
fn an_unknown_format_lists_the_known_ones() {
    let stderr = predicate::str::contains("[possible values: text, json, csv, markdown]");
    queuecast().args(["completions", "bash", "--format", "yaml"]).assert().code(2).stdout("").stderr(stderr);
}

#[test]
fn completions_are_printed_for_every_shell() {
    for (shell, mark) in [
        ("bash", "complete -F _queuecast"),
        ("bash", "queuecast__subcmd__help,advise"),
        ("zsh", "#compdef queuecast"),
        ("fish", "complete -c queuecast"),
        ("elvish", "edit:completion:arg-completer[queuecast]"),
        ("powershell", "Register-ArgumentCompleter"),
    ] {
        let done = queuecast().args(["completions", shell]).assert().success().stderr("");
        done.stdout(predicate::str::contains(mark));
    }
    let stderr = predicate::str::contains("a similar value exists: 'bash'");
    queuecast().args(["completions", "bush"]).assert().code(2).stdout("").stderr(stderr);
}

#[test]
fn a_reader_that_went_away_is_not_an_error() {
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let child = std::process::Command::new(env!("CARGO_BIN_EXE_queuecast"))
        .args(["completions", "zsh"])
        .stdout(writer)
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), output.stderr.as_slice()), (Some(0), b"".as_slice()));
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_said_with_the_documented_code() {
    let full = std::fs::File::options().write(true).open("/dev/full").unwrap();
    let output = std::process::Command::new(env!("CARGO_BIN_EXE_queuecast"))
        .args(["completions", "zsh"])
        .stdout(full)
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(1));
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert!(stderr.starts_with("error: cannot write to standard output: "), "{stderr}");
}

#[cfg(target_os = "linux")]
#[test]
fn colour_is_used_only_where_asked_or_seen() {
    let stderr_of = |colour: &[&str]| {
        let full = std::fs::File::options().write(true).open("/dev/full").unwrap();
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_queuecast"));
        command.args(["completions", "zsh"]).args(colour).stdout(full);
        String::from_utf8(command.output().unwrap().stderr).unwrap()
    };
    assert!(!stderr_of(&[]).contains('\u{1b}'), "not a terminal");
    assert!(!stderr_of(&["--color", "never"]).contains('\u{1b}'));
    assert!(stderr_of(&["--color", "always"]).starts_with("\u{1b}[1m\u{1b}[31merror:\u{1b}[0m cannot write"));
}

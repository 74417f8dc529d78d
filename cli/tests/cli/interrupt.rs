//! Ctrl-C while a file is being written.

use std::io::Write;
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use crate::{FOUR, Folder};

/// The command with a part of a log on its standard input, which stays open.
fn reading(folder: &Folder, line: &str) -> Child {
    let mut child = Command::new(env!("CARGO_BIN_EXE_queuecast"))
        .args(line.split_whitespace())
        .current_dir(folder.0.path())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // More than is read before the format is known.
    let input = child.stdin.as_mut().unwrap();
    input.write_all(FOUR.as_bytes()).unwrap();
    for job in 5..5_000 {
        writeln!(input, "{job} 60 -1 100 20 -1 -1 20 250 -1 1 2 1 1 2 1 -1 -1").unwrap();
    }
    input.flush().unwrap();
    child
}

fn wait_for(what: &str, is_there: impl Fn() -> bool) {
    let begun = Instant::now();
    while !is_there() {
        assert!(begun.elapsed() < Duration::from_secs(60), "{what} never came");
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// Sends a signal, and waits for the end; standard input is open until then.
fn signalled(mut child: Child, signal: &str) -> Output {
    let input = child.stdin.take();
    let sent = Command::new("kill").args([signal, &child.id().to_string()]).status().unwrap();
    assert!(sent.success());
    let output = child.wait_with_output().unwrap();
    drop(input);
    output
}

fn is_hidden(name: &str) -> bool {
    name.starts_with('.')
}

#[test]
fn an_interrupted_command_leaves_no_file_and_says_so() {
    let folder = Folder::with("unused", "");
    let child = reading(&folder, "trace convert - out.swf");
    wait_for("the temporary file", || folder.names().iter().any(|name| is_hidden(name)));
    let output = signalled(child, "-INT");
    assert_eq!(output.status.code(), Some(130));
    assert_eq!(String::from_utf8(output.stderr).unwrap(), "error: interrupted; not written: out.swf\n");
    assert_eq!(folder.names(), ["unused"]);
}

#[test]
fn files_that_were_there_stay_as_they_were() {
    let folder = Folder::with("placed.csv", "kept\n");
    let line = "simulate - --schedule placed.csv --queue-series queue.csv";
    let child = reading(&folder, line);
    // Nothing shows that the files are planned: the command reads its input by then.
    std::thread::sleep(Duration::from_millis(500));
    let output = signalled(child, "-INT");
    assert_eq!(output.status.code(), Some(130));
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(said, "error: interrupted; not written: placed.csv, queue.csv\n");
    assert_eq!(
        (folder.names(), folder.read("placed.csv").as_str()),
        (vec!["placed.csv".to_owned()], "kept\n")
    );
}

#[test]
fn a_command_that_is_told_to_terminate_leaves_no_file_either() {
    use std::os::unix::process::ExitStatusExt;
    let folder = Folder::with("unused", "");
    let child = reading(&folder, "trace convert - out.swf");
    wait_for("the temporary file", || folder.names().iter().any(|name| is_hidden(name)));
    let output = signalled(child, "-TERM");
    assert_eq!(output.status.signal(), Some(15));
    assert_eq!(folder.names(), ["unused"]);
}

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

/// A command that is killed cannot clean up; the next one that writes in the folder does, and leaves alone what runs.
#[test]
fn what_a_killed_command_left_is_removed_by_the_next() {
    let folder = Folder::with("four.swf", FOUR);
    let hidden = || folder.names().into_iter().filter(|name| is_hidden(name)).collect::<Vec<_>>();
    let child = reading(&folder, "trace convert - killed.swf");
    wait_for("the temporary file", || !hidden().is_empty());
    signalled(child, "-KILL");
    let left = hidden();
    assert_eq!(left.len(), 1, "control: {left:?}");
    // Another command writes at the same time.
    let running = reading(&folder, "trace convert - running.swf");
    wait_for("the other temporary file", || hidden().iter().any(|name| *name != left[0]));
    assert!(!hidden().contains(&left[0]), "the next to write there has removed it");
    let of_running = hidden();
    assert_eq!(of_running.len(), 1, "{of_running:?}");
    folder.queuecast("trace convert four.swf third.swf").assert().success();
    folder.queuecast("simulate four.swf --schedule schedule.csv").assert().success();
    assert_eq!(hidden(), of_running, "a temporary file of a command that runs stays");
    // It ends as if it were alone.
    let mut running = running;
    drop(running.stdin.take());
    assert!(running.wait().unwrap().success());
    assert_eq!(folder.names(), ["four.swf", "running.swf", "schedule.csv", "third.swf"]);
    assert!(folder.read("running.swf").lines().count() > 5_000);
}

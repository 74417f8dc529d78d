//! The command as a user meets it. Every trace is made here; none is needed.

// What tests share is not inside a test function, where clippy would allow it.
#![allow(clippy::unwrap_used)]

mod advise;
mod allocate;
mod allocate_future;
mod allocate_record;
mod altered_future;
#[cfg(unix)]
mod campaign;
#[cfg(unix)]
mod capture;
mod collect;
mod compare;
mod confidence;
mod demo;
mod docs;
mod errors;
mod foreign;
mod frame;
mod generate;
mod guides;
mod help;
#[cfg(unix)]
mod interrupt;
mod live;
mod metaschedule;
mod mold;
mod notify;
mod one_answer;
mod options;
mod own_scheduler;
mod pending;
mod plot;
mod postgres;
mod predictions;
mod reproduce;
mod roles;
mod same_moment;
mod score;
mod search;
mod serve;
mod settings;
mod simulate;
mod site;
mod site_diff;
mod site_forecast;
mod submission;
mod trace;
mod watch;
mod what_if;
mod when;
mod width;

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;
use std::time::SystemTime;

use assert_cmd::Command;
use serde_json::Value;
use tempfile::TempDir;

fn queuecast() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_queuecast"));
    command.env_remove("NO_COLOR").env_remove("COLUMNS");
    // What is learned is kept nowhere: a folder cannot be made within a file.
    command.env("XDG_CACHE_HOME", env!("CARGO_BIN_EXE_queuecast"));
    // No store but the one that a test names.
    command.env("XDG_DATA_HOME", env!("CARGO_BIN_EXE_queuecast")).env_remove("QUEUECAST_STORE");
    // No settings but those that a test names.
    command.env("QUEUECAST_CONFIG", "");
    command
}

/// Where what one test has learned from a log is kept for others that ask the same log. A program that was built anew finds nothing in it.
/// That answers from it are the same bytes as those without, the tests of `when` hold.
fn learned() -> &'static Path {
    static FOLDER: LazyLock<PathBuf> = LazyLock::new(|| {
        let program = fs::metadata(env!("CARGO_BIN_EXE_queuecast")).unwrap();
        let built = program.modified().unwrap().duration_since(SystemTime::UNIX_EPOCH).unwrap();
        let caches = Path::new(env!("CARGO_TARGET_TMPDIR")).join("learned");
        let own = caches.join(format!("{}-{}", built.as_nanos(), program.len()));
        // What earlier programs left; another process may be removing it too.
        for old in fs::read_dir(&caches).into_iter().flatten().flatten().map(|entry| entry.path()) {
            if old != own {
                let _ = fs::remove_dir_all(old);
            }
        }
        own
    });
    &FOLDER
}

/// Four jobs on 100 processors: submit, processors, requested time, run time. Under EASY the fourth jumps the
/// queue at 50, in the space the second leaves over, and delays the third; worked out by hand.
const FOUR: &str = "\
; Computer: Example
; Acknowledge: The keepers of this log
; MaxProcs: 100
1   0 -1 100 70 -1 -1 70 100 -1 1 1 1 1 1 1 -1 -1
2   1 -1 100 80 -1 -1 80 100 -1 1 1 1 1 1 1 -1 -1
3   2 -1 100 90 -1 -1 90 100 -1 1 2 1 1 1 1 -1 -1
4  50 -1 250 20 -1 -1 20 250 -1 1 2 1 1 2 1 -1 -1
";

/// Two jobs of three accounting records; the step is not a job.
const SACCT: &str = "\
JobIDRaw|State|Submit|Eligible|Start|End|ElapsedRaw|TimelimitRaw|ReqCPUS|AllocCPUS|User|Partition
7|COMPLETED|1700000000|1700000000|1700000010|1700000070|60|10|4|4|ada|batch
7.batch|COMPLETED|1700000000|1700000000|1700000010|1700000070|60||4|4||
8|FAILED|1700000005|1700000005|1700000070|1700000090|20|5|2|2|grace|batch
";

/// A directory with one file in it.
struct Folder(TempDir);

impl Folder {
    fn with(name: &str, text: impl AsRef<[u8]>) -> Folder {
        let folder = Folder(tempfile::tempdir().unwrap());
        fs::write(folder.path(name), text).unwrap();
        folder
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap()
    }

    /// The command, answering from what other tests have learned. For tests of what is said; not for those of learning itself, of
    /// threads, or of what may be known at a moment.
    fn recalling(&self, line: &str) -> Command {
        let mut command = self.queuecast(line);
        command.env("XDG_CACHE_HOME", learned());
        command
    }

    /// The command, with this directory as its own, so that names in messages are short.
    fn queuecast(&self, line: &str) -> Command {
        let mut command = queuecast();
        command.current_dir(self.0.path()).args(line.split_whitespace());
        command
    }

    fn names(&self) -> Vec<String> {
        let name = |path: &Path| path.file_name().unwrap().to_string_lossy().into_owned();
        let mut names: Vec<String> =
            fs::read_dir(self.0.path()).unwrap().map(|entry| name(&entry.unwrap().path())).collect();
        names.sort();
        names
    }
}

fn stdout(command: &mut Command) -> String {
    String::from_utf8(command.assert().success().get_output().stdout.clone()).unwrap()
}

fn json(command: &mut Command) -> Value {
    serde_json::from_str(&stdout(command)).unwrap()
}

/// Comma-separated values as rows of fields; none of the tests' fields holds a comma.
fn rows(csv: &str) -> Vec<Vec<&str>> {
    csv.lines().map(|line| line.split(',').collect()).collect()
}

fn column<'a>(csv: &'a str, name: &str) -> Vec<&'a str> {
    let rows = rows(csv);
    let place = rows[0].iter().position(|field| *field == name).unwrap_or_else(|| panic!("no column {name}"));
    rows[1..].iter().map(|row| row[place]).collect()
}

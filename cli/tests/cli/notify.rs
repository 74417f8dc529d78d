//! `notify`: a job of a site of fake commands waits, starts, or is gone.
#![cfg(unix)]

use std::fs;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use crate::Folder;
use crate::collect::{now, run, start_job_31};

/// The site, asked for what waits and runs.
fn site(now: i64) -> Folder {
    let folder = crate::collect::site(now);
    without(&folder, "29");
    folder
}

/// A job is gone from the queue.
fn without(folder: &Folder, job: &str) {
    let queue = folder.read("squeue.txt");
    let others = queue.lines().filter(|line| line.split('|').next() != Some(job));
    let others: String = others.map(|line| format!("{line}\n")).collect();
    fs::write(folder.path("squeue.txt"), others).unwrap();
}

/// Follows job 31, with a look at every second.
fn follow(folder: &Folder, arguments: &[&str]) -> Child {
    follow_job(folder, "31", arguments)
}

fn follow_job(folder: &Folder, job: &str, arguments: &[&str]) -> Child {
    let mut following = Command::new(assert_cmd::cargo::cargo_bin!("queuecast"));
    following.args(["notify", job, "--every", "1s"]).args(arguments);
    following.current_dir(folder.path("")).env("TZ", "UTC");
    for variable in ["XDG_DATA_HOME", "XDG_CACHE_HOME"] {
        following.env(variable, folder.path("data"));
    }
    following.env("PATH", format!("{}:/bin:/usr/bin", folder.path("").display()));
    following.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

fn wait_for(what: impl Fn() -> bool) {
    for _ in 0..300 {
        if what() {
            return;
        }
        std::thread::sleep(Duration::from_millis(100));
    }
    panic!("it did not happen within 30 s");
}

#[test]
fn a_job_is_told_of_before_it_starts_and_when_it_does() {
    let folder = site(now());
    let tell = "echo \"$QUEUECAST_EVENT $QUEUECAST_JOB\" >> told";
    let child =
        follow(&folder, &["--before", "30d", "--format", "json", "--calendar", "job.ics", "--run", tell]);
    wait_for(|| folder.path("told").exists() && folder.path("job.ics").exists());
    start_job_31(&folder);
    let ended = child.wait_with_output().unwrap();
    assert!(ended.status.success(), "{}", String::from_utf8_lossy(&ended.stderr));
    let lines: Vec<serde_json::Value> = String::from_utf8_lossy(&ended.stdout)
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let reasons: Vec<&str> = lines.iter().map(|line| line["reason"].as_str().unwrap()).collect();
    assert_eq!(reasons, ["soon", "started"], "one notice at a time, the more urgent one");
    assert!(lines[0]["range"][0].as_i64() <= lines[0]["median"].as_i64(), "{}", lines[0]);
    assert_eq!(folder.read("told"), "soon 31\nstarted 31\n");
    assert!(folder.read("job.ics").contains("SUMMARY:Job 31 started\r\n"));
}

#[test]
fn a_job_that_is_cancelled_ends_it_and_a_target_that_fails_does_not() {
    let folder = site(now());
    let child = follow(&folder, &["--before", "30d", "--run", "echo no such chat >&2; exit 3"]);
    wait_for(|| folder.path("asked-squeue").exists());
    std::thread::sleep(Duration::from_millis(500));
    without(&folder, "31");
    let ended = child.wait_with_output().unwrap();
    let (said, warned) = (String::from_utf8_lossy(&ended.stdout), String::from_utf8_lossy(&ended.stderr));
    assert!(ended.status.success() && said.contains("job 31 is no longer in the queue"), "{said}{warned}");
    assert!(warned.contains("--run failed") && warned.contains("no such chat"), "{warned}");
}

#[test]
fn a_job_that_does_not_wait_is_refused_with_what_is_known() {
    let folder = site(now());
    for (job, said) in [("30", "job 30 runs already"), ("77", "no job 77 waits there")] {
        let refused = run(&folder, &format!("notify {job}")).assert().code(2);
        let text = String::from_utf8_lossy(&refused.get_output().stderr).into_owned();
        assert!(text.contains(said), "{text}");
    }
}

/// A job that was submitted after the last look is waited for; one that is in none is refused then.
#[test]
fn a_job_that_is_newer_than_the_last_look_is_waited_for() {
    let folder = site(now());
    let look = || run(&folder, "collect --once --store s.sqlite --quiet").assert().success();
    look();
    std::thread::sleep(Duration::from_millis(1100));
    let (new, wrong) = (
        follow_job(&folder, "32", &["--store", "s.sqlite", "--before", "1s"]),
        follow_job(&folder, "77", &["--store", "s.sqlite"]),
    );
    std::thread::sleep(Duration::from_millis(1100));
    let queue = folder.read("squeue.txt");
    let line = queue.lines().find(|line| line.starts_with("31|")).unwrap().replace("31|", "32|");
    fs::write(folder.path("squeue.txt"), format!("{queue}{line}\n")).unwrap();
    look();
    let wrong = wrong.wait_with_output().unwrap();
    let said = String::from_utf8_lossy(&wrong.stderr).into_owned();
    assert_eq!(wrong.status.code(), Some(2), "{said}");
    assert!(
        said.contains("job 77 is not in the last look at Slurm") && said.contains("no job 77 waits there")
    );
    // It is known now, and followed until it is gone.
    std::thread::sleep(Duration::from_secs(3));
    fs::write(folder.path("squeue.txt"), queue).unwrap();
    look();
    let ended = new.wait_with_output().unwrap();
    let (told, noted) = (String::from_utf8_lossy(&ended.stdout), String::from_utf8_lossy(&ended.stderr));
    assert!(ended.status.success() && told.contains("job 32 is no longer in the queue"), "{told}{noted}");
    assert_eq!(noted.matches("the next one is waited for").count(), 1, "{noted}");
}

//! What `collect` keeps for submissions and writes into comments, and what becomes of it when the process that computes is killed.
#![cfg(unix)]

use std::fs;
use std::io::{BufRead, BufReader};
use std::os::unix::fs::PermissionsExt;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::collect::{RunningCollector, now, run, site};
use crate::{Folder, json, stdout};

/// A site whose `scontrol` and `sinfo` say what they were asked.
fn asked_site() -> Folder {
    let folder = site(now());
    for (name, text) in [
        ("scontrol", "echo \"$*\" >> asked-scontrol; printf 'ClusterName             = tiny\\n'"),
        (
            "sinfo",
            "echo \"$*\" >> asked-sinfo; case \"$*\" in *%L*) echo 'batch|batch*|1:00:00' ;; *) cat sinfo.txt ;; esac",
        ),
    ] {
        fs::write(folder.path(name), format!("#!/bin/sh\n{text}\n")).unwrap();
        fs::set_permissions(folder.path(name), fs::Permissions::from_mode(0o755)).unwrap();
    }
    folder
}

fn lines_with(folder: &Folder, file: &str, part: &str) -> usize {
    let text = fs::read_to_string(folder.path(file)).unwrap_or_default();
    text.lines().filter(|line| line.contains(part)).count()
}

#[test]
fn tables_are_kept_for_the_scripts_that_are_printed() {
    let folder = asked_site();
    let line = "collect --once --store s.sqlite --submission-tables tables --format json";
    json(&mut run(&folder, line));
    let starts = folder.read("tables/starts");
    assert!(starts.starts_with("queuecast starts 1\nat ") && starts.ends_with("\nend\n"), "{starts}");
    assert!(starts.contains("\npartition batch 4 86400 3600 1\n1 900 "), "{starts}");
    // Sizes 1, 2, 4 and 8; limits up to a day.
    assert_eq!(
        starts.lines().filter(|line| line.split(' ').count() == 6 && !line.starts_with('p')).count(),
        4 * 7,
        "{starts}"
    );
    let limits = folder.read("tables/limits");
    // Twenty jobs of an hour.
    assert!(limits.contains("\nuser ann 90 20\n"), "{limits}");
    let mode = |name: &str| fs::metadata(folder.path(name)).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode("tables/limits"), 0o600, "it tells of users");
    let script = stdout(&mut run(&folder, "collect --submission-tables tables --print-lua cli-filter"));
    assert!(script.contains("/tables/starts\"\n") && script.contains("slurm_cli_pre_submit"), "{script}");
    let script = stdout(&mut run(&folder, "collect --submission-tables tables --print-lua job-submit"));
    assert!(script.contains("/tables/limits\"\n") && script.contains("slurm_job_submit"), "{script}");
    run(&folder, "collect --print-lua cli-filter").assert().code(2);
    // A table that cannot be written ends nothing.
    fs::remove_file(folder.path("tables/starts")).unwrap();
    fs::create_dir(folder.path("tables/starts")).unwrap();
    let again = run(&folder, line).assert().success();
    assert!(String::from_utf8_lossy(&again.get_output().stderr).contains("is a directory"));
}

#[test]
fn a_waiting_job_is_commented_once_and_only_if_asked_for() {
    let folder = asked_site();
    json(&mut run(&folder, "collect --once --store other.sqlite --format json"));
    assert_eq!(lines_with(&folder, "asked-scontrol", "update"), 0);
    for _ in 0..2 {
        json(&mut run(&folder, "collect --once --store s.sqlite --admin-comment --format json"));
    }
    assert_eq!(lines_with(&folder, "asked-scontrol", "update JobId=31 AdminComment=queuecast: starts "), 1);
    assert_eq!(lines_with(&folder, "asked-scontrol", "update"), 1, "31 is the only job that waits");
    let usual = stdout(&mut run(&folder, "collect --commands"));
    assert!(
        !usual.contains("scontrol update") && usual.contains("None of them changes anything."),
        "{usual}"
    );
    let declared = stdout(&mut run(&folder, "collect --commands --admin-comment --submission-tables t"));
    for said in ["scontrol update JobId=", "None of them changes anything but scontrol update", "'%R|%P|%L'"]
    {
        assert!(declared.contains(said), "{said}: {declared}");
    }
}

/// The process that computes for a collector, if one runs.
fn computing(collector: u32) -> Option<u32> {
    let children = fs::read_dir("/proc").ok()?.flatten().filter_map(|one| {
        let number: u32 = one.file_name().to_str()?.parse().ok()?;
        let about = fs::read_to_string(one.path().join("stat")).ok()?;
        let parent = about.rsplit(')').next()?.split_whitespace().nth(1)?.parse::<u32>().ok()?;
        let line = fs::read_to_string(one.path().join("cmdline")).ok()?;
        (parent == collector && line.contains("--compute")).then_some(number)
    });
    children.into_iter().next()
}

#[test]
#[cfg(target_os = "linux")]
fn a_crash_while_computing_is_told_counted_and_tried_again() {
    let folder = asked_site();
    let mut following = Command::new(assert_cmd::cargo::cargo_bin!("queuecast"));
    following
        .args(["collect", "--store", "s.sqlite", "--every", "1s", "--history", "5d"])
        .args(["--submission-tables", "tables"])
        .current_dir(folder.path(""))
        .env("PATH", format!("{}:/bin:/usr/bin", folder.path("").display()));
    let mut collector = RunningCollector(following.stderr(Stdio::piped()).spawn().unwrap());
    let child = &mut collector.0;
    let (begun, mut killed) = (Instant::now(), 0);
    while killed < 2 && begun.elapsed() < Duration::from_secs(60) {
        if let Some(one) = computing(child.id()) {
            Command::new("kill").args(["-ABRT", &one.to_string()]).status().unwrap();
            killed += 1;
            // Until it is gone.
            while computing(child.id()) == Some(one) {
                std::thread::sleep(Duration::from_millis(2));
            }
        }
        std::thread::sleep(Duration::from_millis(2));
    }
    assert_eq!(killed, 2);
    while !folder.path("tables/starts").exists() && begun.elapsed() < Duration::from_secs(90) {
        std::thread::sleep(Duration::from_millis(50));
    }
    Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    let said: Vec<String> =
        BufReader::new(child.stderr.take().unwrap()).lines().map_while(Result::ok).collect();
    assert!(child.wait().unwrap().success(), "{said:?}");
    let told = |text: &str| said.iter().filter(|line| line.contains(text)).count();
    assert!(told("(once since this collector began)") == 1 && told("(2 times since") == 1, "{said:?}");
    assert!(folder.path("tables/starts").exists(), "it was tried again: {said:?}");
    // Looks went on all the while, one squeue and one sinfo each, and the defaults were asked for once.
    let looks = lines_with(&folder, "asked-squeue", "x");
    assert!(looks >= 3, "{looks}");
    assert_eq!(lines_with(&folder, "asked-sinfo", "-N"), looks);
    assert_eq!(lines_with(&folder, "asked-sinfo", "%L"), 1);
}

//! Whatever is asked at one moment of one store has one answer: the commands, the service, and what is kept to be judged.
#![cfg(unix)]

use std::fs;

use serde_json::Value;

use crate::collect::{now, run, site};
use crate::own_scheduler::described;
use crate::serve::Served;
use crate::{Folder, json};

/// A queue of jobs of many sizes behind what runs, of two users who are known and one that is not.
fn with_queue(folder: &Folder) {
    let (mut queue, now) = (folder.read("squeue.txt"), now());
    for number in 0..12 {
        let user = ["ann", "bob", "new"][number % 3];
        let (procs, minutes, submit) =
            ([4, 8, 2, 1][number % 4], [30, 60, 240][number % 3], now - 200 + number as i64);
        queue += &format!(
            "{}|PENDING|{procs}|{minutes}:00|0:00|{}|{user}|{submit}|batch||phys|normal|(null)|N/A|(null)|Priority\n",
            40 + number,
            30 - number,
        );
    }
    fs::write(folder.path("squeue.txt"), queue).unwrap();
}

/// The range that is told, to the last digit.
fn range(of: &Value) -> [f64; 3] {
    ["low", "median", "high"].map(|name| of[name].as_f64().unwrap_or_else(|| panic!("no {name}: {of}")))
}

/// All that is said at one moment of the store of a folder, by the commands with `more`, and by the service if `served`.
fn check(folder: &Folder, more: &str, is_served: bool) {
    let ask =
        |line: &str| json(&mut run(folder, &format!("{line} --live --store s.sqlite {more} --format json")));
    let served = is_served.then(|| Served::ready(folder, "--store s.sqlite"));
    // A job that waits.
    let pending = ask("pending");
    let jobs = pending["jobs"].as_array().unwrap();
    assert_eq!(jobs.len(), 13, "{pending}");
    if let Some(served) = &served {
        assert_eq!(served.json("/api/v1/pending"), pending);
    }
    let store = rusqlite::Connection::open(folder.path("s.sqlite")).unwrap();
    let mut widths = Vec::new();
    for job in [&jobs[0], &jobs[6], &jobs[12]] {
        let name = job["job"].as_str().unwrap();
        assert_eq!(&ask(&format!("when --job {name}"))["job"], job, "{name} {more}");
        if let Some(served) = &served {
            assert_eq!(&served.json(&format!("/api/v1/pending/{name}"))["job"], job, "{name}");
        }
        let said: [f64; 3] = store
            .query_row(
                "SELECT low, median, high FROM forecast WHERE job LIKE ?1",
                [format!("{name} %")],
                |row| Ok([row.get(0)?, row.get(1)?, row.get(2)?]),
            )
            .unwrap();
        // As the reader of JSON reads it, whose last digit may differ.
        let read: [f64; 3] = said.map(|one| serde_json::from_str(&format!("{one}")).unwrap());
        assert_eq!(read, range(&job["start"]), "{name}: what is kept to be judged");
        widths.push(said[2] - said[0]);
    }
    assert!(widths.iter().all(|width| *width > 0.0), "control: {widths:?}");
    // A new one, of users who are known and who are not.
    for (procs, minutes, user) in [(4, 60, "ann"), (8, 30, "bob"), (1, 30, "other")] {
        let job = format!("-n {procs} -t {minutes} -u {user}");
        let when = ask(&format!("when {job}"));
        let start = range(&when["wait"]);
        assert_eq!(when["wait"], ask(&format!("when {job} --array 1-1"))["wait"], "{job}");
        let advise = ask(&format!("advise {job}"));
        assert_eq!(range(&advise["options"][0]["start"]), start, "{job} {more}");
        assert_eq!(advise["doubt"], when["doubt"], "{job} {more}");
        let allocate = ask(&format!("allocate --runs {procs}={minutes}m,3=50m -u {user}"));
        let sizes = allocate["sizes"].as_array().unwrap();
        let own = sizes.iter().find(|one| one["procs"] == procs).unwrap();
        assert_eq!(range(&own["queue"]), start, "{job} {more}: {own}");
        let several = ask(&format!("when {job} --array 1-3"));
        assert_eq!(range(&several["places"][0]["first_start"]), start, "{job} {more}");
        if let Some(served) = &served {
            let of = format!("procs={procs}&limit={minutes}&user={user}");
            assert_eq!(served.json(&format!("/api/v1/when?{of}")), when, "{job}");
            assert_eq!(served.json(&format!("/api/v1/advice?{of}")), advise, "{job}");
        }
    }
}

#[test]
fn all_say_the_same_of_a_site_that_is_asked_by_its_own_scheduler() {
    let folder = described();
    with_queue(&folder);
    run(&folder, "collect --once --store s.sqlite --quiet").assert().success();
    check(&folder, "", true);
    // Before a collector has computed, the commands compute the same.
    check(&folder, "--no-cache", false);
}

#[test]
fn all_say_the_same_of_a_site_whose_partitions_are_numbers_of_processors() {
    let folder = site(now());
    with_queue(&folder);
    run(&folder, "collect --once --store s.sqlite --quiet").assert().success();
    check(&folder, "", true);
}

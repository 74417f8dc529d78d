//! `allocate` knows nothing of what comes after its moment.

use serde_json::json as value;

use crate::allocate::{BUSY, PLANNED};
use crate::{Folder, json, stdout};

#[test]
fn the_future_changes_no_byte() {
    // Other run times of those that run, another wait of the one that waits, other jobs to come; then none to come.
    let other = BUSY
        .replace("1000 6 -1 -1", " 777 6 -1 -1")
        .replace(" 500 2 -1 -1", " 222 2 -1 -1")
        .replace("3  20 490  100", "3  20 230   66")
        .replace("4 600   0   50 1 -1 -1 1   60", "4 101   0 9999 9 -1 -1 9 9999");
    let folder = Folder::with("busy.swf", BUSY);
    let changed = Folder::with("busy.swf", &other);
    folder.queuecast("demo --jobs 400 --output demo.swf").assert().success();
    let demo = folder.read("demo.swf");
    let submit = |line: &str| line.split_whitespace().nth(1).and_then(|submit| submit.parse::<i64>().ok());
    let moment = demo.lines().filter(|line| !line.starts_with(';')).nth(250).and_then(submit).unwrap();
    let known = |line: &&str| line.starts_with(';') || submit(line).is_some_and(|submit| submit <= moment);
    let early: String = demo.lines().filter(known).map(|line| format!("{line}\n")).collect();
    assert!(early.lines().count() < demo.lines().count());
    std::fs::write(changed.path("demo.swf"), early).unwrap();
    for format in ["text", "json", "csv", "markdown"] {
        for line in [
            "allocate busy.swf --at 100 --runs 2=400,4=300,6=200 --check 9",
            "allocate busy.swf --at 100 --lifetime 2h --parallelism 9 --variance 1 --outlook forecast:3",
            "allocate demo.swf --at MOMENT --lifetime 9d --parallelism 200 --variance 1 --procs 256",
            "allocate demo.swf --at MOMENT --runs 64=5h,256=2h --outlook forecast --predictor sbh --procs 256",
        ] {
            let line = format!("{line} --format {format}").replace("MOMENT", &moment.to_string());
            assert_eq!(stdout(&mut folder.queuecast(&line)), stdout(&mut changed.queuecast(&line)), "{line}");
        }
    }
    // Control: what was known then matters.
    let past = Folder::with("busy.swf", BUSY.replace("2  10   0  500 2", "2  10   0   50 2"));
    assert_ne!(stdout(&mut folder.queuecast(PLANNED)), stdout(&mut past.queuecast(PLANNED)));
}

/// A log with all that comes after a moment changed, and the jobs that had not started or ended by then.
fn another_future(log: &str, moment: i64) -> String {
    let mut other = String::new();
    for line in log.lines() {
        let mut fields: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
        if !line.starts_with(';') {
            let [submit, wait, run] = [1, 2, 3].map(|place: usize| fields[place].parse::<i64>().unwrap());
            if submit > moment {
                continue;
            }
            if submit + wait > moment {
                fields[2] = (wait + 54_321).to_string();
            }
            if submit + wait + run > moment {
                fields[3] = (3 * run + 777).to_string();
            }
        }
        other.extend([fields.join(" "), "\n".to_owned()]);
    }
    format!("{other}9999 {} 0 10 1 -1 -1 1 60 -1 1 1 1 1 1 1 -1 -1\n", moment + 5)
}

/// A log in which all jobs that wait at a moment are cancelled later, and those that run or come later are as they were.
fn cancelled_later(log: &str, moment: i64) -> String {
    let mut other = String::new();
    for line in log.lines() {
        let mut fields: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
        if !line.starts_with(';') {
            let [submit, wait] = [1, 2].map(|place: usize| fields[place].parse::<i64>().unwrap());
            if submit <= moment && submit + wait > moment {
                (fields[3], fields[4], fields[10]) = ("-1".to_owned(), "-1".to_owned(), "5".to_owned());
            }
        }
        other.extend([fields.join(" "), "\n".to_owned()]);
    }
    other
}

#[test]
fn neither_calibration_nor_check_knows_the_future() {
    let here = Folder::with("unused", "");
    here.queuecast("demo --jobs 500 --load 1.2 --output demo.swf").assert().success();
    here.queuecast("simulate demo.swf --limit ignore --schedule-swf log.swf --no-plot").assert().success();
    let moment = 150_000;
    let there = Folder::with("log.swf", another_future(&here.read("log.swf"), moment));
    let cancelled = Folder::with("log.swf", cancelled_later(&here.read("log.swf"), moment));
    let ask = |folder: &Folder, at: i64, settings: &str| {
        let line =
            format!("allocate log.swf --at {at} --runs 8=4h,16=2h,64=1h --draws 20 --format json {settings}");
        json(&mut folder.queuecast(&line))
    };
    for settings in ["--check 40", "--check 40 --calibrate 40 --outlook forecast --predictor sbh"] {
        let result = ask(&here, moment, settings);
        assert_eq!(result, ask(&there, moment, settings), "{settings}");
        assert_eq!(result, ask(&cancelled, moment, settings), "cancelled later, {settings}");
        let (state, record) = (&result["state"], &result["record"]);
        assert!(state["waiting"].as_u64() > Some(0) && state["running"].as_u64() > Some(0), "{state}");
        assert!(result["calibration"]["jobs"].as_u64() >= Some(30) && record["cases"].as_u64() > Some(20));
    }
    // Control: later they differ.
    assert_ne!(ask(&here, moment + 9000, "--check 40"), ask(&cancelled, moment + 9000, "--check 40"));
    assert_ne!(ask(&here, moment + 9000, "--check 40"), ask(&there, moment + 9000, "--check 40"));
}

#[test]
fn jobs_that_are_cancelled_later_wait_like_all_others() {
    // At 100 s the third waits for four processors. Whether it starts later, is cancelled later, or never ran for its record
    // has no run time is not known then.
    let cancelled = BUSY.replace("3  20 490  100 4 -1 -1 4  100 -1 1", "3  20 300   -1 -1 -1 -1 4  100 -1 5");
    assert_ne!(cancelled, BUSY);
    let [here, there] = [BUSY, &cancelled].map(|log| Folder::with("busy.swf", log));
    for format in ["text", "json", "csv"] {
        for line in [PLANNED, "allocate busy.swf --at 100 --runs 2=400,4=300,6=200 --policy fcfs --check 9"] {
            let line = format!("{line} --format {format}");
            assert_eq!(stdout(&mut here.queuecast(&line)), stdout(&mut there.queuecast(&line)), "{line}");
        }
    }
    let state = json(&mut there.queuecast(&format!("{PLANNED} --format json")))["state"].take();
    assert_eq!(
        (&state["waiting"], &state["wanted"], &state["withdrawn"]),
        (&value!(1), &value!(4), &value!(0))
    );
    // Control: it leaves the queue at 320 s, and then it is known.
    let later = PLANNED.replace("--at 100", "--at 400");
    assert_ne!(stdout(&mut here.queuecast(&later)), stdout(&mut there.queuecast(&later)));
}

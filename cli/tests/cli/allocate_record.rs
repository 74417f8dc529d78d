//! `allocate`: how right it was, and what the past corrects.

use serde_json::{Value, json as value};

use crate::allocate::{BUSY, PLANNED};
use crate::{Folder, json, stdout};

#[test]
fn a_record_says_how_right_it_was() {
    let folder = Folder::with("unused", "");
    folder.queuecast("demo --jobs 600 --load 1.1 --output demo.swf").assert().success();
    folder
        .queuecast("simulate demo.swf --policy fcfs --limit ignore --schedule-swf placed.swf --no-plot")
        .assert()
        .success();
    let record = |settings: &str| {
        let line = format!(
            "allocate placed.swf --runs 8=1h --policy fcfs --check 60 --draws 20 --format json {settings}"
        );
        json(&mut folder.queuecast(&line))["record"].take()
    };
    let oracle = record("--outlook forecast --predictor perfect --calibrate 0");
    assert_eq!(
        (&oracle["cases"], &oracle["inside"], &oracle["mean_error"]),
        (&value!(60), &value!(1.0), &value!(0.0))
    );
    let shares = record("--calibrate 0");
    assert!(
        shares["mean_error"].as_f64() < shares["mean_wait"].as_f64()
            && shares["mean_error"].as_f64() > Some(0.0)
    );
    let text = stdout(&mut folder.queuecast("allocate placed.swf --runs 8=1h --check 60 --draws 20"));
    assert!(text.contains("started within the range"), "{text}");
}

#[test]
fn the_past_corrects_and_its_absence_is_said() {
    let folder = Folder::with("busy.swf", BUSY);
    let text = stdout(&mut folder.queuecast(PLANNED));
    assert!(text.contains("fewer than 30 past jobs to learn from"), "{text}");
    assert!(!stdout(&mut folder.queuecast(&format!("{PLANNED} --calibrate 0"))).contains("fewer than 30"));
    // Every job waits ten minutes or more on an empty machine: a site that does what no policy says. Without the
    // correction, the next job would be predicted to start at once.
    let late: String = (0..200)
        .map(|job| {
            let (submit, wait) = (10_000 * job, 600 + 60 * (job % 5));
            format!("{job} {submit} {wait} 100 2 -1 -1 2 400 -1 1 1 1 1 1 1 -1 -1\n")
        })
        .collect();
    std::fs::write(folder.path("late.swf"), format!("; MaxProcs: 10\n{late}")).unwrap();
    let few = stdout(&mut folder.queuecast("allocate late.swf --runs 2=400 --calibrate 10"));
    assert!(few.contains("asked about 10 past jobs only: 30 are needed to correct queue times"), "{few}");
    assert!(!few.contains("past jobs to learn from"), "{few}");
    let ask = |settings: &str| {
        let line = format!("allocate late.swf --at 1990900 --runs 2=400 --format json {settings}");
        json(&mut folder.queuecast(&line))
    };
    let (plain, corrected) = (ask("--calibrate 0"), ask("--check 50"));
    let queue = |result: &Value| result["sizes"][0]["queue"].clone();
    assert_eq!(queue(&plain)["high"], 0.0);
    assert_eq!(
        (&queue(&corrected)["low"], &queue(&corrected)["median"], &queue(&corrected)["high"]),
        (&value!(600.0), &value!(720.0), &value!(840.0))
    );
    assert_eq!(corrected["sizes"][0]["at_once"], 0.0);
    assert_eq!((&plain["calibration"], &corrected["calibration"]["jobs"]), (&Value::Null, &value!(190)));
    let record = &corrected["record"];
    assert_eq!((&record["inside"], &record["usual"]["inside"]), (&value!(1.0), &value!(1.0)));
    // The first that could be checked are left out: nothing was known yet.
    assert!(record["cases"].as_u64() < Some(50) && record["cases"].as_u64() > Some(30), "{record}");
    assert_eq!(ask("--calibrate 0 --check 50")["record"]["inside"], 0.0, "control");
    assert_eq!(ask("--calibrate 40")["calibration"]["jobs"], 40);
    assert_eq!(ask("--calibrate 29")["calibration"], Value::Null);
}

#[test]
fn a_range_that_the_past_says_is_worse_than_that_of_past_waits_is_not_shown() {
    // All jobs are alike, on an empty machine; since a while ago they wait. Predictions come from those alike, the earliest
    // first, and these did not.
    let log = |wait: fn(i64) -> i64| {
        let line = |job: i64| {
            format!("{job} {} {} 100 2 -1 -1 2 400 -1 1 1 1 1 1 1 -1 -1\n", 10_000 * job, wait(job))
        };
        format!("; MaxProcs: 10\n{}", (0..220).map(line).collect::<String>())
    };
    let folder = Folder::with("late.swf", log(|job| if job < 120 { 0 } else { 5000 }));
    let line = "allocate late.swf --runs 2=10m --check 60";
    let result = json(&mut folder.queuecast(&format!("{line} --format json")));
    let (ranges, queue) = (&result["ranges"], &result["sizes"][0]["queue"]);
    assert_eq!(ranges["from"], "past_waits");
    assert!(ranges["score"].as_f64() > ranges["usual_score"].as_f64(), "{ranges}");
    assert_eq!(
        (&queue["low"], &queue["median"], &queue["high"]),
        (&value!(0.0), &value!(0.0), &value!(5000.0))
    );
    let turnaround = &result["sizes"][0]["turnaround"];
    assert_eq!((&turnaround["low"], &turnaround["high"]), (&value!(600.0), &value!(5600.0)));
    let record = &result["record"];
    assert!(record["score"].as_f64() > record["usual"]["score"].as_f64(), "{record}");
    assert!(record["shown"]["usual"].as_f64() > Some(0.0), "{record}");
    assert!(record["shown"]["score"].as_f64() <= record["score"].as_f64(), "{record}");
    let text = stdout(&mut folder.queuecast(line));
    assert!(text.contains("ranges of queue times are those of all past waits, whatever the size"), "{text}");
    assert!(text.contains("interval score of the range of past waits"), "{text}");
    // Control: where both are as good, the predicted one is shown.
    std::fs::write(folder.path("late.swf"), log(|job| 60 * (job % 5))).unwrap();
    let result = json(&mut folder.queuecast("allocate late.swf --runs 2=10m --policy easy --format json"));
    assert_eq!(result["ranges"]["from"], "prediction", "{}", result["ranges"]);
    assert!(
        !stdout(&mut folder.queuecast("allocate late.swf --runs 2=10m --policy easy"))
            .contains("whatever the size")
    );
}

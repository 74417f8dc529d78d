//! `when --site`, `advise --site` and `site forecast`: when jobs start at a Slurm site, by its own scheduler.

use std::fs;

use serde_json::{Value, json as value};

use crate::what_if::{JOBS, error, toy};
use crate::{column, json, stdout};

/// The same jobs with what became of them: a to d as one after the other, one waiting still.
const HISTORY: &str = "\
key,submit,user,account,run,args,state,start,end,partition,cpus,nodelist,eligible
a,0,ann,phys,600,-n 4 -t 20,COMPLETED,1,601,batch,4,n1,0
b,1,bob,phys,600,-n 4 -t 20,COMPLETED,2,602,batch,4,n2,1
c,2,ann,phys,100,-n 8 -N 2 -t 10,COMPLETED,605,705,batch,8,n[1-2],2
d,700,bob,phys,100,-n 4 -t 10,COMPLETED,706,806,batch,4,n1,700
";

#[test]
fn a_start_is_forecast_by_the_sites_own_scheduler() {
    let folder = toy();
    fs::write(folder.path("history.csv"), HISTORY).unwrap();
    let asked = "when history.csv --site site -n 8 -t 5m -u ann --no-plot --format json";
    // While a and b run for 598 s more at most, and c waits.
    let answer = json(&mut folder.queuecast(&format!("{asked} --at 4")));
    assert_eq!((&answer["method"], &answer["state"]["waiting"]), (&value!("slurm"), &value!(1)));
    assert_eq!((&answer["state"]["free"], &answer["state"]["procs"]), (&value!(4), &value!(12)));
    assert!(answer["wait"]["median"].as_f64().unwrap() > 60.0, "{answer}");
    // Once all is over it starts at once.
    let answer = json(&mut folder.queuecast(&format!("{asked} --at 806")));
    assert!(answer["wait"]["p90"].as_f64().unwrap() <= 5.0, "{answer}");
    // A GPU is only where there is one.
    let line = "when history.csv --site site -n 1 --sbatch=--gres=gpu:1 -q gpu -t 5m -u ann --no-plot --at 4";
    assert!(stdout(&mut folder.queuecast(line)).contains("starts"));
    let line = "advise history.csv --site site -n 8 -t 5m -u ann --no-plot --at 4 --later 10m --format json";
    let plan = json(&mut folder.queuecast(line));
    let changes: Vec<String> =
        plan["options"].as_array().unwrap().iter().map(|one| one["change"].to_string()).collect();
    assert!(changes.iter().any(|change| change.contains("later")), "{changes:?}");
    assert_eq!(plan["method"], "slurm");
    // A job that depends on one that the site has never seen is answered for, and that is said.
    for (on, is_noted) in [("99999", true), ("a", false)] {
        let line =
            format!("when history.csv --site site -n 4 -t 5m -u ann --sbatch=--dependency=afterok:{on}");
        let output = folder.queuecast(&format!("{line} --no-plot --at 806")).output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success(), "{on}: {said}");
        assert_eq!(said.contains("afterok:99999: the site shows no such job"), is_noted, "{said}");
    }
}

/// Jobs that ask for 10 min and run into that every third time, or for an hour and run for 40 min every third time.
#[test]
fn longer_limits_are_offered_at_a_site_too() {
    let folder = toy();
    let header = HISTORY.lines().next().unwrap();
    let mut history = format!("{header}\n");
    for number in 0..90 {
        let (submit, is_long) = (number * 4000, number % 3 == 0);
        let (asked, ran, state) = match (number % 2, is_long) {
            (0, true) => (10, 600, "TIMEOUT"),
            (0, false) => (10, 200 + number, "COMPLETED"),
            (_, true) => (60, 2400, "COMPLETED"),
            (_, false) => (60, 200 + number, "COMPLETED"),
        };
        let (start, end) = (submit + 1, submit + 1 + ran);
        history += &format!(
            "j{number},{submit},ann,phys,{ran},-n 4 -t {asked},{state},{start},{end},batch,4,n1,{submit}\n"
        );
    }
    fs::write(folder.path("history.csv"), history).unwrap();
    let line = "advise history.csv --site site -n 4 -t 10m -u ann --no-plot";
    let plan = json(&mut folder.queuecast(&format!("{line} --format json")));
    let options = plan["options"].as_array().unwrap();
    let longer: Vec<&Value> = options.iter().filter(|one| one["change"] == "longer_limit").collect();
    assert!(options[0]["risk"].as_f64().unwrap() > 0.1, "control: {}", options[0]);
    assert!(!longer.is_empty(), "{options:?}");
    let mut before = (options[0]["limit"].as_u64(), options[0]["risk"].as_f64());
    for one in longer {
        let now = (one["limit"].as_u64(), one["risk"].as_f64());
        assert!(now.0 > before.0 && now.1 <= before.1, "{before:?}, then {now:?}");
        before = now;
    }
    let text = stdout(&mut folder.queuecast(line));
    assert!(text.contains("limit 15 min") && !text.contains("ask as you meant to"), "{text}");
    // No limit that the partition refuses is offered: it allows an hour.
    let plan = json(&mut folder.queuecast(&format!("{} --format json", line.replace("10m", "30m"))));
    let limits: Vec<u64> =
        plan["options"].as_array().unwrap().iter().filter_map(|one| one["limit"].as_u64()).collect();
    assert_eq!(limits.iter().max(), Some(&3600), "{limits:?}");
}

#[test]
fn a_forecast_at_a_site_is_refused_with_a_reason() {
    let folder = toy();
    fs::write(folder.path("history.csv"), HISTORY).unwrap();
    for (line, why) in [
        (
            "when history.csv --site site -n 99 --at 4",
            "would never start there: More processors requested than permitted: 99 processors, and",
        ),
        (
            "when history.csv --site site -n 1 -q nowhere",
            "Invalid partition name specified: the site has no partition nowhere, but batch, empty, gpu",
        ),
        ("when history.csv --site site --sbatch=-nx", "--sbatch -nx"),
        ("when history.csv --site site -n 1 --method past", "cannot be used with"),
        ("when history.csv --site site -n 1 --at 99999", "outside the log"),
        ("when history.csv --site site", "required"),
    ] {
        let said = error(&folder, line, 2);
        assert!(said.contains(why), "{line}: {said}");
    }
    let said = error(&folder, "when jobs.csv --site site -n 1", 3);
    assert!(said.contains("no starts are recorded"), "{said}");
}

#[test]
fn every_job_of_a_recorded_run_is_forecast() {
    let folder = toy();
    fs::write(folder.path("site").join("jobs.csv"), HISTORY).unwrap();
    let answer = json(&mut folder.queuecast("site forecast site --draws 3 --format json"));
    let score = &answer["runs"][0]["score"];
    assert_eq!(
        (&score["jobs"], &score["answered"], &score["expected"]),
        (&value!(4), &value!(4), &value!(0))
    );
    let rows = stdout(&mut folder.queuecast("site forecast site --draws 3 --format csv"));
    assert_eq!(column(&rows, "jobs"), ["4"]);
    fs::write(folder.path("site").join("jobs.csv"), JOBS).unwrap();
    assert!(error(&folder, "site forecast site", 3).contains("no starts are recorded"));
}

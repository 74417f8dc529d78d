//! `score … --predictions`: what was said of each job, from which every figure can be computed again, as the page of predictions does.

use std::process::Command;

use serde_json::Value;

use crate::{Folder, column, json, rows};

const GUIDE: &str = include_str!("../../../docs/reference/predictions.md");

/// A log of a busy machine, as simulated, so that it has waits; every seventh job that waited gives up.
fn log() -> Folder {
    let folder = Folder::with("unused", "");
    folder.queuecast("generate habits --jobs 1200 --seed 3 --output made.swf --quiet").assert().success();
    folder.queuecast("simulate made.swf --schedule-swf all.swf --quiet --no-plot").assert().success();
    let mut waiting = 0;
    let lines = folder.read("all.swf");
    let lines = lines.lines().map(|line| {
        let mut fields: Vec<&str> = line.split_whitespace().collect();
        let waits = !line.starts_with(';')
            && fields.get(2).and_then(|wait| wait.parse().ok()).is_some_and(|wait: i64| wait > 9);
        waiting += usize::from(waits);
        if waits && waiting % 7 == 0 {
            (fields[3], fields[10]) = ("-1", "5");
            return fields.join(" ");
        }
        line.to_owned()
    });
    let text = lines.collect::<Vec<_>>().join("\n") + "\n";
    std::fs::write(folder.path("log.swf"), text).unwrap();
    folder
}

/// The blocks of Python on the page.
fn programs() -> Vec<&'static str> {
    GUIDE.split("```python\n").skip(1).map(|rest| rest.split("```").next().unwrap()).collect()
}

fn computed(folder: &Folder, program: &str) -> Value {
    let ran = Command::new("python3").arg("-c").arg(program).current_dir(folder.0.path()).output();
    let ran = ran.expect("python3 computes what the guide says");
    assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
    serde_json::from_slice(&ran.stdout).unwrap()
}

/// Holds a number to the one of the page's program; how many were held.
fn held(ours: &Value, theirs: &Value, what: &str) -> usize {
    let Some(ours) = ours.as_f64() else { return 0 };
    let theirs = theirs.as_f64().unwrap_or_else(|| panic!("{what} is not computed"));
    assert!((ours - theirs).abs() <= 1e-6 * ours.abs().max(1.0), "{what}: {ours} and {theirs}");
    1
}

#[test]
fn every_figure_of_waits_can_be_computed_again() {
    let folder = log();
    let line = "score wait log.swf --method knn:300,trees:400,refit=200,draws=2,qbets --from 301 --format json --predictions waits.csv";
    let answer = json(&mut folder.queuecast(line));
    let computed = computed(&folder, programs()[0]);
    let mut count = 0;
    for method in answer["methods"].as_array().unwrap() {
        let name = method["method"].as_str().unwrap();
        let theirs = |key: &str| &computed[name][key];
        for measure in ["one_class", "two_class", "three_class"] {
            count += held(&method[measure], theirs(measure), measure);
            let long = format!("{measure}_long");
            count += held(&method[&long], theirs(&long), &long);
        }
        for measure in [
            "response_error",
            "response_point_error",
            "own_point_error",
            "log10_mse",
            "within_factor_two",
            "interval_score_80",
            "coverage_80",
            "mean_width_80",
        ] {
            count += held(&method[measure], theirs(measure), measure);
        }
        for level in ["0.1", "0.5", "0.9"] {
            count += held(&method["pinball"][level], theirs(&format!("pinball {level}")), level);
        }
        for month in method["months"].as_array().unwrap() {
            let key = format!("month {}", month["month"].as_str().unwrap());
            count += held(&month["coverage_80"], theirs(&key), &key);
        }
        for class in 1..=6 {
            let row = &method["confusion"][class - 1];
            let of_class: u64 = row.as_array().unwrap().iter().map(|one| one.as_u64().unwrap()).sum();
            for named in (1..=6).filter(|_| of_class > 0) {
                let share = 100.0 * row[named - 1].as_f64().unwrap() / of_class as f64;
                count += held(&share.into(), theirs(&format!("confusion {class} {named}")), "confusion");
            }
            let recall = &method["recall"][class.to_string()];
            count += held(recall, theirs(&format!("confusion {class} {class}")), "recall");
        }
        for (place, point) in method["calibration"].as_array().unwrap().iter().enumerate() {
            let key = format!("calibration {}", place + 1);
            count += held(&point["observed"], theirs(&key), &key);
        }
    }
    assert!(count > 4 * 50, "{count}");
    // With the rows or without them, the scores are the same, for any number of threads.
    let without = line.replace("--predictions waits.csv", "--threads 1");
    assert_eq!(json(&mut folder.queuecast(&without)), answer);
    let csv = folder.read("waits.csv");
    let outcomes = column(&csv.replace("\"trees:400,refit=200,draws=2\"", "trees"), "outcome").join(" ");
    assert!(outcomes.contains("withdrawn"), "they are asked about as well");
    let methods = answer["methods"].as_array().unwrap().len();
    let started = outcomes.matches("started").count();
    assert_eq!(started, methods * answer["jobs"].as_u64().unwrap() as usize);
    // In order of method, then of submission.
    let submits: Vec<i64> =
        rows(&csv)[1..].iter().filter(|row| row[0] == "knn:300").map(|row| row[2].parse().unwrap()).collect();
    assert!(submits.is_sorted() && submits.len() * methods == outcomes.split(' ').count());
}

#[test]
fn every_figure_of_run_times_can_be_computed_again() {
    let folder = log();
    let line = "score runtime log.swf --method recent:2,mixture,gibbons --from 301 --format json --predictions runs.csv";
    let answer = json(&mut folder.queuecast(line));
    let computed = computed(&folder, programs()[1]);
    let mut count = 0;
    for method in answer["methods"].as_array().unwrap() {
        for (moment, asked) in [("at_submission", "submission"), ("at_start", "start")] {
            let key = format!("{} {asked}", method["method"].as_str().unwrap());
            let (ours, theirs) = (&method[moment], &computed[&key]);
            count += held(&method["mean_run_time"], &theirs["mean_run_time"], "mean run time");
            for measure in [
                "mean_absolute_error",
                "within_factor_two",
                "interval_score_80",
                "coverage_80",
                "mean_width_80",
            ] {
                count += held(&ours[measure], &theirs[measure], measure);
            }
            for level in ["0.1", "0.5", "0.9"] {
                count += held(&ours["pinball"][level], &theirs[format!("pinball {level}")], level);
            }
            for limit in ours["limits"].as_array().unwrap() {
                for measure in ["advised", "stopped", "of_request"] {
                    let key = format!("{measure} {}", limit["risk"]);
                    count += held(&limit[measure], &theirs[&key], &key);
                }
            }
        }
    }
    assert!(count > 5 * 2 * 7, "{count}");
    let csv = folder.read("runs.csv");
    assert!(csv.contains(",withdrawn,") && csv.contains(",start,"), "{}", &csv[..300]);
    let without = line.replace("--predictions runs.csv", "--threads 1");
    assert_eq!(json(&mut folder.queuecast(&without)), answer);
}

/// A control: a number of a row that is changed changes what is computed.
#[test]
fn what_is_computed_depends_on_the_rows() {
    let folder = log();
    let line = "score wait log.swf --method past:50 --from 301 --format json --predictions waits.csv";
    let before = json(&mut folder.queuecast(line))["methods"][0]["response_error"].clone();
    let csv = folder.read("waits.csv");
    let changed: Vec<String> = csv.lines().map(|line| line.replace(",started,0,", ",started,77,")).collect();
    std::fs::write(folder.path("waits.csv"), changed.join("\n") + "\n").unwrap();
    let after = computed(&folder, programs()[0])["past:50"]["response_error"].clone();
    assert!((before.as_f64().unwrap() - after.as_f64().unwrap()).abs() > 1e-3, "{before} {after}");
}

#[test]
fn no_output_is_an_input_and_none_is_half_written() {
    let folder = log();
    let log = folder.read("log.swf");
    for line in [
        "score wait log.swf --from 301 --predictions log.swf",
        "score runtime log.swf --from 301 --predictions ./log.swf",
        "score wait log.swf --from 301 --predictions same --plot same",
        "score wait log.swf --from 301 --predictions none/said.csv",
        "score wait log.swf --from 99999 --predictions said.csv",
    ] {
        folder.queuecast(line).assert().failure();
    }
    assert_eq!((folder.read("log.swf"), folder.names().contains(&"said.csv".to_owned())), (log, false));
    folder.queuecast("score wait log.swf --from 1100 --predictions said.csv.gz --quiet").assert().success();
    assert!(std::fs::read(folder.path("said.csv.gz")).unwrap().starts_with(&[0x1f, 0x8b]));
}

//! `queuecast score`.

use crate::{Folder, column, json};

fn empty() -> Folder {
    Folder::with("unused", "")
}

fn text_of(folder: &Folder, line: &str) -> String {
    let shown = folder.queuecast(line).assert().success();
    String::from_utf8(shown.get_output().stdout.clone()).unwrap()
}

/// A log of a busy machine, as simulated, so that it has waits.
fn scored(folder: &Folder, line: &str) -> serde_json::Value {
    folder.queuecast("generate habits --jobs 3000 --seed 3 --output made.swf --quiet").assert().success();
    folder.queuecast("simulate made.swf --schedule-swf log.swf --quiet --no-plot").assert().success();
    json(&mut folder.queuecast(line))
}

#[test]
fn waits_are_scored_beside_the_baselines() {
    let folder = empty();
    let line = "score wait log.swf --method knn:500,past:50 --from 1001 --format json";
    let answer = scored(&folder, line);
    assert_eq!((answer["from"].as_u64(), answer["jobs"].as_u64()), (Some(1001), Some(2000)));
    let methods: Vec<&str> =
        answer["methods"].as_array().unwrap().iter().map(|one| one["method"].as_str().unwrap()).collect();
    assert_eq!(methods, ["knn:500", "past:50", "past", "zero"], "baselines are added");
    for method in answer["methods"].as_array().unwrap() {
        for field in ["one_class", "two_class", "three_class", "majority_class", "coverage_80"] {
            let value = method[field].as_f64().unwrap();
            assert!((0.0..=100.0).contains(&value), "{field} {value}");
        }
        assert!(method["two_class"].as_f64() >= method["one_class"].as_f64(), "{method}");
        assert!(method["pinball"]["0.9"].as_f64().unwrap() >= 0.0 && method["seconds"].is_null());
        assert!(!method["months"].as_array().unwrap().is_empty() && method["recall"].is_object());
    }
    let zero = &answer["methods"][3];
    assert_eq!(zero["mean_width_80"], 0.0);
    let skill =
        |name: &str| answer["methods"].as_array().unwrap().iter().find(|one| one["method"] == name).unwrap();
    let score = |name: &str| skill(name)["interval_score_80"].as_f64().unwrap();
    assert!(score("knn:500") < score("zero"), "similar jobs in similar states say something");
    // The answer is the same for any number of threads.
    for threads in [1, 3] {
        let again = json(&mut folder.queuecast(&format!("{line} --threads {threads}")));
        assert_eq!(again, answer, "{threads} threads");
    }
}

#[test]
fn every_format_and_the_text_have_the_methods() {
    let folder = empty();
    let answer = scored(&folder, "score wait log.swf --method knn --from 2000 --format json");
    let methods = answer["methods"].as_array().unwrap().iter().map(|one| one["method"].as_str().unwrap());
    assert_eq!(methods.collect::<Vec<_>>(), ["knn", "past", "zero"]);
    let text = folder.queuecast("score wait log.swf --from 2000").assert().success();
    let text = String::from_utf8(text.get_output().stdout.clone()).unwrap();
    for expected in
        ["Predicted waits of 1,001 jobs, from number 2000 on", "best", "past", "zero", "over 24 h"]
    {
        assert!(text.contains(expected), "{expected}: {text}");
    }
    let csv = folder
        .queuecast("score wait log.swf --method knn --from 2000 --format csv --timings")
        .assert()
        .success();
    let csv = String::from_utf8(csv.get_output().stdout.clone()).unwrap();
    assert_eq!(column(&csv, "method"), ["knn", "past", "zero"], "{csv}");
}

#[test]
fn methods_are_told_apart_by_weeks_and_judged_by_class() {
    let folder = empty();
    let answer = scored(&folder, "score wait log.swf --method knn:500 --from 1001 --format json");
    let methods = answer["methods"].as_array().unwrap();
    for method in methods {
        let rows: Vec<Vec<u64>> = serde_json::from_value(method["confusion"].clone()).unwrap();
        assert_eq!((rows.len(), rows.iter().flatten().sum::<u64>()), (6, 2000));
        let right: u64 = (0..6).map(|class| rows[class][class]).sum();
        let one_class = method["one_class"].as_f64().unwrap();
        assert!((100.0 * right as f64 / 2000.0 - one_class).abs() < 1e-9, "{method}");
        let majority = method["majority_class"].as_f64().unwrap();
        let skill = method["one_class_skill"].as_f64().unwrap();
        assert!((skill - 100.0 * (one_class - majority) / (100.0 - majority)).abs() < 1e-9);
        let long = method["long_jobs"].as_u64().unwrap();
        assert_eq!(long, rows[1..].iter().flatten().sum::<u64>());
        assert!(method["two_class_long"].as_f64() >= method["one_class_long"].as_f64());
        let levels = method["calibration"].as_array().unwrap();
        assert_eq!((levels.len(), levels[0]["level"].as_f64()), (19, Some(0.05)));
        let observed: Vec<f64> = levels.iter().map(|point| point["observed"].as_f64().unwrap()).collect();
        assert!(observed.is_sorted() && observed[18] <= 1.0, "{observed:?}");
        let tenths: Vec<f64> = serde_json::from_value(method["tenths"].clone()).unwrap();
        assert!(tenths.len() == 10 && (tenths.iter().sum::<f64>() - 100.0).abs() < 1e-9, "{tenths:?}");
        assert!((tenths[0] - 100.0 * observed[1]).abs() < 1e-9, "{tenths:?}");
        for (name, ends) in method["intervals"].as_object().unwrap() {
            let ends: [f64; 2] = serde_json::from_value(ends.clone()).unwrap();
            assert!(ends[0] <= ends[1], "{name}");
            if let Some(value) = method[name].as_f64() {
                assert!(ends[0] <= value + 1e-9 && value <= ends[1] + 1e-9, "{name}: {ends:?} {value}");
            }
        }
        assert!(method["intervals"]["interval_score_80"].is_array() && method["weeks"].as_u64() > Some(1));
    }
    assert!(methods[0]["differences"].is_null());
    assert_eq!(methods[1]["differences"]["to"], "knn:500");
    let zero = &methods[2]["differences"]["interval_score_80"];
    assert!(zero[0].as_f64() > Some(0.0), "no wait at all is worse for sure: {zero}");
    assert_eq!(methods[1]["interval_skill"].as_f64(), Some(0.0), "past is what skill is measured by");

    let line = "score wait log.swf --method knn:500 --from 1001 --plot plot.svg";
    let text = text_of(&folder, line);
    for expected in [
        "80 % ranges",
        "Coverage of the 80 % range month by month",
        "Difference from knn:500",
        "Waits by actual and by predicted class: knn:500",
        "Calibration: waits at or below their predicted quantile",
        "as it should be",
    ] {
        assert!(text.contains(expected), "{expected}: {text}");
    }
    assert!(std::fs::read_to_string(folder.path("plot.svg")).unwrap().starts_with("<svg"));
    let without = text_of(&folder, "score wait log.swf --method knn:500 --from 1001 --no-plot");
    assert!(!without.contains("Calibration"));
}

#[test]
fn run_times_are_scored_at_submission_and_at_start() {
    let folder = empty();
    std::fs::write(folder.path("set.txt"), "# two templates\n(u,e)\n()\n").unwrap();
    let line = "score runtime log.swf --method recent:2,perfect,template:@set.txt --from 1001 --format json";
    let answer = scored(&folder, line);
    assert_eq!((answer["from"].as_u64(), answer["jobs"].as_u64()), (Some(1001), Some(2000)));
    let methods = answer["methods"].as_array().unwrap();
    let names: Vec<&str> = methods.iter().map(|one| one["method"].as_str().unwrap()).collect();
    assert_eq!(names, ["recent:2", "perfect", "template:(u,e),()", "requested", "past"]);
    for method in methods {
        assert_eq!(method["mean_absolute_error"], method["at_submission"]["mean_absolute_error"]);
        for moment in ["at_submission", "at_start"] {
            let measures = &method[moment];
            let mean = measures["mean_absolute_error"].as_f64().unwrap();
            let percent = measures["percent_of_mean"].as_f64().unwrap();
            let run = method["mean_run_time"].as_f64().unwrap();
            assert!((percent - 100.0 * mean / run).abs() < 1e-6, "{method}");
            assert!(measures["within_factor_two"].is_number() && measures["pinball"]["0.9"].is_number());
            assert!(!measures["months"].as_array().unwrap().is_empty());
            assert!(measures["intervals"]["percent_of_mean"].is_array());
        }
    }
    assert_eq!(methods[1]["mean_absolute_error"], 0.0);
    assert_eq!(methods[1]["within_factor_two"], 100.0);
    assert!(methods[0]["coverage_80"].is_null() && methods[2]["coverage_80"].is_number(), "a point; a range");
    assert_eq!(methods[3]["at_start"]["mean_absolute_error"], methods[3]["mean_absolute_error"], "requested");
    assert!(methods[1]["differences"]["percent_of_mean"][1].as_f64() < Some(0.0));
    for threads in [1, 3] {
        let again = json(&mut folder.queuecast(&format!("{line} --threads {threads}")));
        assert_eq!(again, answer, "{threads} threads");
    }

    let text = text_of(&folder, "score runtime log.swf --method template:@set.txt --from 1001");
    for expected in ["predicted at submission", "predicted at start", "@set.txt", "requested", "past"] {
        assert!(text.contains(expected), "{expected}: {text}");
    }
    let csv = text_of(&folder, "score runtime log.swf --method sbh --from 2000 --format csv --timings");
    assert_eq!(csv.lines().count(), 7, "three methods at two moments: {csv}");
}

#[test]
fn logs_that_cannot_be_scored_say_why() {
    let folder = empty();
    scored(&folder, "score wait log.swf --from 2999 --format json");
    for (line, expected) in [
        ("score wait log.swf", "3,000 jobs, and scoring begins with job 10001"),
        ("score wait made.swf --from 1", "does not record how long jobs waited"),
        ("score wait log.swf --method guess", "possible values: best, zero, past[:JOBS], knn[:JOBS"),
        ("score wait log.swf --from 0", "--from"),
        ("score runtime made.swf --from 1", "does not record how long jobs waited"),
        ("score runtime log.swf", "scoring begins with job 10001"),
        ("score runtime log.swf --method knn", "possible values: requested"),
        ("score runtime log.swf --method template:@none.txt", "cannot read none.txt"),
        ("score wait log.swf --method recent:2", "knn"),
    ] {
        let failed = folder.queuecast(line).assert().failure();
        let said = String::from_utf8(failed.get_output().stderr.clone()).unwrap();
        assert!(said.contains(expected), "{line}: {said}");
    }
}

//! `queuecast score`.

use crate::{Folder, json};

fn empty() -> Folder {
    Folder::with("unused", "")
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
    // The same for any number of threads.
    for threads in [1, 3] {
        let again = json(&mut folder.queuecast(&format!("{line} --threads {threads}")));
        assert_eq!(again, answer, "{threads} threads");
    }
}

#[test]
fn every_format_and_the_text_have_the_methods() {
    let folder = empty();
    scored(&folder, "score wait log.swf --from 2000 --format json");
    let text = folder.queuecast("score wait log.swf --from 2000").assert().success();
    let text = String::from_utf8(text.get_output().stdout.clone()).unwrap();
    for expected in ["Predicted waits of 1,001 jobs, from number 2000 on", "knn", "past", "zero", "over 24 h"]
    {
        assert!(text.contains(expected), "{expected}: {text}");
    }
    let csv = folder.queuecast("score wait log.swf --from 2000 --format csv --timings").assert().success();
    let csv = String::from_utf8(csv.get_output().stdout.clone()).unwrap();
    assert_eq!(csv.lines().count(), 4, "{csv}");
}

#[test]
fn logs_that_cannot_be_scored_say_why() {
    let folder = empty();
    scored(&folder, "score wait log.swf --from 2999 --format json");
    for (line, expected) in [
        ("score wait log.swf", "3,000 jobs, and scoring begins with job 10001"),
        ("score wait made.swf --from 1", "does not record how long jobs waited"),
        ("score wait log.swf --method guess", "possible values: zero, past[:JOBS], knn[:JOBS]"),
        ("score wait log.swf --from 0", "--from"),
    ] {
        let failed = folder.queuecast(line).assert().failure();
        let said = String::from_utf8(failed.get_output().stderr.clone()).unwrap();
        assert!(said.contains(expected), "{line}: {said}");
    }
}

//! `queuecast when`.

use crate::{Folder, json};

/// A log of a busy machine, as simulated, so that it has waits.
fn log() -> Folder {
    let folder = Folder::with("unused", "");
    folder.queuecast("generate habits --jobs 1500 --seed 3 --output made.swf --quiet").assert().success();
    folder.queuecast("simulate made.swf --schedule-swf log.swf --quiet --no-plot").assert().success();
    folder
}

fn refused(folder: &Folder, line: &str, code: i32, expected: &str) {
    let assert = folder.queuecast(line).assert().code(code);
    let said = String::from_utf8_lossy(&assert.get_output().stderr).into_owned();
    assert!(said.contains(expected), "{line}: {said}");
}

#[test]
fn the_answer_is_a_range_with_a_record() {
    let folder = log();
    let line = "when log.swf -n 8 -t 2h --format json";
    let answer = json(&mut folder.queuecast(line));
    let wait = |part: &str| answer["wait"][part].as_f64().unwrap();
    let quantiles = ["p10", "p25", "median", "p75", "p90"].map(wait);
    assert!(quantiles.is_sorted() && quantiles[0] >= 0.0, "{quantiles:?}");
    assert_eq!((answer["asked"]["procs"].as_u64(), answer["asked"]["time"].as_u64()), (Some(8), Some(7200)));
    let tried = answer["tried"].as_array().unwrap();
    assert_eq!((tried.len(), &tried[0]["method"]), (5, &answer["method"]));
    let scores: Vec<f64> = tried.iter().map(|one| one["interval_score"].as_f64().unwrap()).collect();
    assert!(scores.is_sorted(), "the best answers: {scores:?}");
    assert!(answer["record"]["jobs"].as_u64().unwrap() > 300);
    assert_eq!(answer, json(&mut folder.queuecast(line)), "the same bytes every time");
    let one =
        json(&mut folder.queuecast("when log.swf -n 8 -t 2h --method past:30 --trials 50 --format json"));
    assert_eq!((one["method"].as_str(), one["tried"].as_array().unwrap().len()), (Some("past:30"), 1));
}

#[test]
fn the_text_says_it_in_plain_words() {
    let folder = log();
    let shown = folder.queuecast("when log.swf -n 8 -t 2h --at 3d").assert().success();
    let text = String::from_utf8(shown.get_output().stdout.clone()).unwrap();
    for expected in
        ["Most likely it starts", "nine", "80% should", "processors", "Probability of having started within"]
    {
        assert!(text.to_lowercase().contains(&expected.to_lowercase()), "{expected}: {text}");
    }
    let without = folder.queuecast("when log.swf -n 8 -t 2h --no-plot").assert().success();
    assert!(!String::from_utf8_lossy(&without.get_output().stdout).contains("Probability"));
    let csv = folder.queuecast("when log.swf -n 8 --format csv").assert().success();
    let csv = String::from_utf8_lossy(&csv.get_output().stdout).into_owned();
    assert!(csv.starts_with("partition,procs,time,p10,p25,median,p75,p90,method"), "{csv}");
    assert_eq!(csv.lines().count(), 2);
    folder.queuecast("when log.swf -n 8 --plot when.svg --quiet").assert().success();
    assert!(folder.read("when.svg").contains("<svg"));
}

#[test]
fn nothing_later_is_looked_at() {
    let folder = log();
    // The log up to the moment, and a little: what is cut off would be later.
    let all = folder.read("log.swf");
    let moment = 2 * 86_400;
    let kept = all.lines().filter(|line| {
        line.starts_with(';')
            || line
                .split_whitespace()
                .nth(1)
                .and_then(|at| at.parse::<i64>().ok())
                .is_some_and(|at| at <= moment)
    });
    let kept: Vec<&str> = kept.collect();
    std::fs::write(folder.path("cut.swf"), kept.join("\n") + "\n").unwrap();
    let ask = |file: &str| {
        json(&mut folder.queuecast(&format!("when {file} -n 4 -t 1h --at {moment} --format json")))
    };
    let (whole, cut) = (ask("log.swf"), ask("cut.swf"));
    assert_eq!((&whole["wait"], &whole["tried"]), (&cut["wait"], &cut["tried"]));
}

#[test]
fn what_cannot_be_answered_says_why() {
    let folder = log();
    refused(&folder, "when made.swf -n 4", 3, "simulate it");
    refused(&folder, "when log.swf -n 100000", 2, "the machine has");
    refused(&folder, "when log.swf -n 4 --at 99999d", 2, "outside the log");
    refused(&folder, "when log.swf -n 4 -q nosuch", 2, "no such queue");
    refused(&folder, "when log.swf -n 4 -u nosuch", 2, "no such user");
    refused(&folder, "when log.swf -n 0", 2, "at least 1");
    refused(&folder, "when log.swf -n 4 --method nearest", 2, "knn");
    refused(&folder, "when -n 4", 2, "FILE");
    refused(&folder, "when log.swf", 2, "--size");
}

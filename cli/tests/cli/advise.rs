//! `queuecast advise` as a user runs it.

use serde_json::Value;

use crate::{Folder, json, stdout};

/// A log that records waits: made-up jobs, simulated.
fn log() -> Folder {
    let folder = Folder::with("unused", "");
    folder.queuecast("generate habits --jobs 700 --seed 3 --output made.swf.gz --quiet").assert().success();
    folder.queuecast("simulate made.swf.gz --schedule-swf log.swf --quiet --no-plot").assert().success();
    folder
}

fn options(answer: &Value) -> &Vec<Value> {
    answer["options"].as_array().unwrap()
}

#[test]
fn every_change_has_a_range_and_a_verdict() {
    let folder = log();
    let line = "advise log.swf -n 16 -t 12h -u 3 --runs 8=4h,16=2h,32=70m --later 6h --format json";
    let answer = json(&mut folder.recalling(line));
    assert_eq!(options(&answer)[0]["change"], "as_asked");
    let changes: Vec<String> = options(&answer).iter().map(|one| one["change"].to_string()).collect();
    for expected in ["\"size\"", "{\"later\":21600}"] {
        assert!(changes.iter().any(|one| one == expected), "{expected}: {changes:?}");
    }
    for one in options(&answer) {
        let [low, median, high] = ["low", "median", "high"].map(|part| one["done"][part].as_f64().unwrap());
        assert!(low <= median && median <= high, "{one}");
        assert!((0.0..=1.0).contains(&one["risk"].as_f64().unwrap()), "{one}");
        let start = one["start"]["median"].as_f64().unwrap();
        assert!(start <= median, "it starts before it is done: {one}");
    }
    // In another size the limit changes as the run does.
    let smaller = options(&answer).iter().find(|one| one["procs"] == 8).unwrap();
    assert_eq!(smaller["limit"], 24 * 3600);
    let best = answer["best"].as_u64().unwrap_or(0) as usize;
    assert!(best == 0 || options(&answer)[best]["too_close"] == false);
    assert_eq!(answer, json(&mut folder.queuecast(line)), "the same bytes every time, learned anew");
    let csv = stdout(&mut folder.recalling(&line.replace("json", "csv")));
    assert_eq!(csv.lines().count(), 1 + options(&answer).len());
}

#[test]
fn the_limit_keeps_the_accepted_risk() {
    let folder = log();
    let limit = |risk: &str| {
        let answer =
            json(&mut folder.recalling(&format!("advise log.swf -n 16 -t 3d -u 3 {risk} --format json")));
        (answer["limit"]["limit"].as_u64().unwrap(), answer["limit"]["risk"].as_f64().unwrap())
    };
    let (usual, risk) = limit("--risk 0.3");
    assert!(usual < 3 * 86_400 && risk <= 0.3, "{usual} {risk}");
    let (daring, risk) = limit("--risk 0.45");
    assert!(daring <= usual && risk <= 0.45, "{daring} {risk}");
    let text = stdout(&mut folder.recalling("advise log.swf -n 16 -t 3d -u 3 --risk 0.3"));
    assert!(text.contains("at most 30.0% risk") && text.contains("would have been stopped"), "{text}");
    assert!(text.contains("What it could ask for") && text.contains("as asked"), "{text}");
    // A few days of history do not say that a job needs less than it asks for.
    let (asked, risk) = limit("");
    assert!(asked == 3 * 86_400 && risk > 0.02, "{asked} {risk}");
    // Control: nine in ten stopped is nothing to accept.
    assert!(!folder.recalling("advise log.swf -n 16 -t 3d --risk 0.9").output().unwrap().status.success());
}

#[test]
fn nothing_later_is_looked_at() {
    let folder = log();
    let whole = std::fs::read_to_string(folder.path("log.swf")).unwrap();
    let submit = |line: &str| line.split_whitespace().nth(1).and_then(|text| text.parse::<i64>().ok());
    let jobs: Vec<&str> = whole.lines().filter(|line| !line.starts_with(';')).collect();
    let at = submit(jobs[400]).unwrap();
    let known =
        whole.lines().filter(|line| line.starts_with(';') || submit(line).is_some_and(|time| time <= at));
    let known: Vec<&str> = known.collect();
    std::fs::write(folder.path("known.swf"), known.join("\n") + "\n").unwrap();
    let ask = |log: &str| {
        let line = format!("advise {log} --at {at} -n 16 -t 12h -u 3 --later 6h --format json");
        let mut answer = json(&mut folder.queuecast(&line));
        answer["source"] = Value::Null;
        answer
    };
    assert_eq!(ask("log.swf"), ask("known.swf"));
}

#[test]
fn what_cannot_be_answered_says_why() {
    let folder = log();
    for (line, expected) in [
        ("advise log.swf -n 16", "--time"),
        ("advise log.swf -n 100000 -t 2h", "the machine has"),
        ("advise log.swf -n 16 -t 2h -u 999999", "no such user"),
        ("advise log.swf -n 16 -t 2h --runs 8", "such as 8=2h10m"),
        ("advise log.swf -n 16 -t 2h --predictor perfect", "knows the future"),
        ("advise made.swf.gz -n 16 -t 2h", "does not record how long jobs waited"),
    ] {
        let output = folder.recalling(line).output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(!output.status.success() && said.contains(expected), "{line}: {said}");
    }
}

#[test]
fn another_site_is_compared_with_this_one() {
    let folder = log();
    folder.queuecast("generate habits --jobs 600 --seed 9 --output b.swf.gz --quiet").assert().success();
    folder.queuecast("simulate b.swf.gz --schedule-swf there.swf --quiet --no-plot").assert().success();
    let line = "advise log.swf -n 16 -t 12h -u 3 --other-site there.swf --format json";
    let answer = json(&mut folder.recalling(line));
    let sites = answer["sites"].as_array().unwrap();
    assert_eq!(sites.len(), 2);
    // Each as if asked alone.
    let alone = json(&mut folder.recalling("advise log.swf -n 16 -t 12h -u 3 --format json"));
    assert_eq!(sites[0], alone);
    let done = |site: &Value| {
        let best = site["best"].as_u64().unwrap_or(0) as usize;
        options(site)[best]["done"]["median"].as_f64().unwrap()
    };
    let soonest = answer["soonest"]["place"].as_u64().unwrap() as usize;
    assert!(done(&sites[soonest]) <= done(&sites[1 - soonest]));
    let text = stdout(&mut folder.recalling("advise log.swf -n 16 -t 12h -u 3 --other-site there.swf"));
    assert!(text.contains("What it could ask for in there.swf") && text.contains("Done soonest"), "{text}");
    // By how much, whichever is soonest, or that it is not clear.
    let is_close = answer["soonest"]["too_close"] == true;
    assert_eq!(text.lines().next().unwrap().contains(" sooner than in "), !is_close, "{text}");
    // A site that cannot run it is named, and the others are answered for.
    let line = "advise log.swf -n 16 -t 12h --other-site b.swf.gz --format json";
    let answer = json(&mut folder.recalling(line));
    assert_eq!(answer["sites"].as_array().unwrap().len(), 1);
    assert!(answer["refused"][0].as_str().unwrap().contains("b.swf.gz"), "{answer}");
    // With every option as rows.
    let csv =
        stdout(&mut folder.recalling("advise log.swf -n 16 -t 12h --other-site there.swf --format csv"));
    assert!(csv.contains("\nthere.swf,") && csv.contains("\nlog.swf,"), "{csv}");
}

#[test]
fn a_measured_run_time_is_believed() {
    let folder = log();
    let line = |runs: &str| format!("advise log.swf -n 16 -t 4h -u 3 {runs} --format json");
    let answer = json(&mut folder.recalling(&line("--runs 8=4h,16=2h10m")));
    let run = &answer["run"];
    assert_eq!(["low", "median", "high"].map(|part| run[part].as_f64()), [Some(7800.0); 3], "{run}");
    assert_eq!(options(&answer)[0]["risk"], 0.0);
    // Control: without it the run time is that of the user's past jobs, which is not certain.
    let predicted = json(&mut folder.recalling(&line("")));
    assert!(predicted["run"]["low"].as_f64() < predicted["run"]["high"].as_f64(), "{}", predicted["run"]);
}

#[test]
fn no_change_is_advised_at_more_than_the_accepted_risk() {
    let folder = log();
    for (user, hours) in [(1, 1), (2, 2), (3, 12), (4, 24)] {
        for risk in [0.02, 0.2] {
            let line = format!("advise log.swf -n 8 -t {hours}h -u {user} --risk {risk} --later 6h");
            let answer = json(&mut folder.recalling(&format!("{line} --format json")));
            let text = stdout(&mut folder.recalling(&line));
            let csv = stdout(&mut folder.recalling(&format!("{line} --format csv")));
            let advised: Vec<usize> = (0..)
                .zip(csv.lines().skip(1))
                .filter(|(_, row)| row.ends_with(",yes"))
                .map(|(place, _)| place)
                .collect();
            let best = answer["best"].as_u64().map(|best| best as usize);
            // Text, CSV and JSON advise the same.
            assert_eq!(advised, Vec::from_iter(best), "{line}: {csv}");
            let Some(best) = best else {
                assert!(text.contains("Ask for more time"), "{line}: {text}");
                continue;
            };
            let best = &options(&answer)[best];
            let is_first = best["change"] == "as_asked";
            assert!(!text.contains("Ask for more time"), "{line}: {text}");
            assert_eq!(is_first, text.contains("ask as you meant to"), "{line}: {text}");
            let is_longer = best["change"] == "longer_limit";
            assert!(is_longer || best["risk"].as_f64() <= Some(risk), "{line}: {best}");
            let is_safe = best["risk"].as_f64() <= Some(risk + 0.0005);
            assert_eq!(!is_safe, text.contains("keeps a risk of"), "{line}: {text}");
            let short = answer["limit"]["is_bounded"] == true;
            assert!(!(short && text.contains("ask as you meant to")), "{line}: {text}");
        }
    }
}

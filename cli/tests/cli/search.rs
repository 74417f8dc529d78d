//! `queuecast search`: what it finds, that it can be interrupted, and what it refuses.

use std::fs;

use predicates::prelude::*;

use crate::{Folder, column, json, rows, stdout};

/// Users with habits: even ones run for about 100 s, odd ones for about 1000 s, a little more on more processors.
/// Waits are recorded, in the third column.
fn habits(jobs: usize) -> String {
    let mut log = "; MaxProcs: 64\n".to_owned();
    for job in 0..jobs {
        let (user, procs) = (job % 5, 1 << (job * 7 % 4));
        let run = if user % 2 == 0 { 100 } else { 1000 } + procs * 3 + (job * 13 % 17);
        let queue = job % 3;
        log += &format!(
            "{} {} {} {run} {procs} -1 -1 {procs} 4000 -1 1 {user} 1 {} {queue} 1 -1 -1\n",
            job + 1,
            job * 60,
            job % 4,
            job % 7
        );
    }
    log
}

fn folder() -> Folder {
    Folder::with("log.swf", habits(300))
}

const SMALL: &str = "search log.swf --population 8 --generations 4";

#[test]
fn the_user_is_found_to_matter() {
    let folder = folder();
    let found = json(&mut folder.queuecast("search log.swf --method greedy --format json"));
    let steps = found["greedy"][0]["steps"].as_array().unwrap();
    assert_eq!(found["greedy"][0]["series"], "mean act");
    assert_eq!((&steps[0]["templates"], &steps[1]["templates"]), (&"()".into(), &"(), (u)".into()));
    assert!(steps[1]["mean_error"].as_f64().unwrap() < steps[0]["mean_error"].as_f64().unwrap() / 2.0);
    let results = found["results"].as_array().unwrap();
    let error = |what: &str| {
        let judged = results.iter().find(|judged| judged["predictor"] == what).unwrap();
        judged["searched"]["mean_error"].as_f64().unwrap()
    };
    let best = results[0]["searched"]["mean_error"].as_f64().unwrap();
    assert_eq!(results[0]["what"], "found");
    assert!(best < error("template:()") && best < error("requested"), "{results:#?}");
    assert_eq!(found["searched"], 300);
}

#[test]
fn a_genetic_search_is_never_worse_than_the_greedy_one() {
    let folder = folder();
    let found = json(&mut folder.queuecast(&format!("{SMALL} --format json")));
    let error = |place: usize| found["results"][place]["searched"]["mean_error"].as_f64().unwrap();
    assert_eq!(
        (&found["results"][0]["what"], &found["results"][1]["what"]),
        (&"found".into(), &"greedy".into())
    );
    assert!(error(0) <= error(1));
    let generations = found["generations"].as_array().unwrap();
    assert_eq!(generations.len(), 4);
    assert_eq!(generations[3]["best"].as_f64(), Some(error(0)));
    // Control: unseeded, so small a search knows nothing of the greedy one.
    let unseeded = json(&mut folder.queuecast(&format!("{SMALL} --unseeded --format json")));
    assert_eq!(unseeded["greedy"].as_array().map(Vec::len), Some(0));
    assert_ne!(unseeded["generations"], found["generations"]);
}

#[test]
fn threads_do_not_matter_and_seeds_do() {
    let folder = folder();
    let with = |more: &str| stdout(&mut folder.queuecast(&format!("{SMALL} --format json {more}")));
    let one = with("--threads 1");
    assert_eq!(one, with("--threads 2"));
    assert_ne!(one, with("--threads 1 --seed 2"));
}

#[test]
fn every_format_has_the_result() {
    let folder = folder();
    let text = stdout(&mut folder.queuecast(&format!("{SMALL} --holdout 0.5")));
    for part in [
        "Prediction error on the jobs searched",
        "Prediction error on the jobs held out",
        "The templates found",
        "● worst",
    ] {
        assert!(text.contains(part), "{part} in {text}");
    }
    assert!(text.contains("150 jobs; 150 later jobs held out") && text.contains("never worse"), "{text}");
    let plain = stdout(&mut folder.queuecast(&format!("{SMALL} --no-plot --format markdown")));
    assert!(plain.contains("| the templates found |") && !plain.contains("● worst"), "{plain}");
    let csv = stdout(&mut folder.queuecast("search log.swf --method greedy --characteristics u --no-history --estimators mean --holdout 0.25 --format csv"));
    assert_eq!(column(&csv, "part")[..3], ["searched", "held_out", "all"]);
    assert!(rows(&csv).len() > 4);
}

/// Runs a search to the end, and again in pieces that each begin where a checkpoint of the last one was.
#[test]
fn a_resumed_search_is_the_same_to_the_byte() {
    let folder = folder();
    let whole = stdout(
        &mut folder.queuecast(&format!("{SMALL} --format json --checkpoint whole --output a.templates")),
    );
    // A checkpoint of an earlier generation: the same search, cut short by hand.
    let end: serde_json::Value = serde_json::from_str(&folder.read("whole")).unwrap();
    assert_eq!(end["search"]["genetic"]["generation"], 4);
    let mut begun = end.clone();
    begun["search"]["genetic"] = serde_json::Value::Null;
    begun.as_object_mut().unwrap().remove("seal");
    fs::write(folder.path("begun"), queuecast_study::search::sealed(&begun.to_string())).unwrap();
    let again = format!("{SMALL} --format json --checkpoint begun --resume --output b.templates --force");
    assert_eq!(stdout(&mut folder.queuecast(&again)), whole);
    assert_eq!(folder.read("begun"), folder.read("whole"));
    assert_eq!(folder.read("a.templates").lines().last(), folder.read("b.templates").lines().last());
    // Resumed at its end there is nothing left to do but to tell.
    assert_eq!(stdout(&mut folder.queuecast(&again)), whole);
}

#[cfg(unix)]
#[test]
fn ctrl_c_keeps_the_last_generation_and_says_how_to_go_on() {
    use std::process::{Command, Stdio};
    use std::time::{Duration, Instant};
    let folder = Folder::with("log.swf", habits(3000));
    let line = "search log.swf --population 30 --generations 40 --format json --threads 1 --unseeded";
    let whole = stdout(&mut folder.queuecast(line));
    let child = Command::new(env!("CARGO_BIN_EXE_queuecast"))
        .current_dir(folder.path("."))
        .args(line.split(' '))
        .args(["--checkpoint", "kept"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let begun = Instant::now();
    while !folder.path("kept").exists() && begun.elapsed() < Duration::from_secs(60) {
        std::thread::sleep(Duration::from_millis(2));
    }
    let asked = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    let output = child.wait_with_output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(asked.success());
    assert_eq!((output.status.code(), output.stdout.as_slice()), (Some(130), b"".as_slice()), "{said}");
    assert!(said.starts_with("error: interrupted after generation "), "{said}");
    assert!(said.contains("to resume: queuecast search log.swf") && said.contains("--resume"), "{said}");
    assert_eq!(folder.names(), ["kept", "log.swf"], "nothing half written is left");
    assert_eq!(stdout(&mut folder.queuecast(&format!("{line} --checkpoint kept --resume"))), whole);
}

#[test]
fn another_checkpoint_is_refused_with_the_reason() {
    let folder = folder();
    folder.queuecast(&format!("{SMALL} --checkpoint kept")).assert().success();
    let refused = |line: &str, code: i32, reason: &str| {
        let said = predicate::str::contains(reason.to_owned()).and(predicate::str::contains("hint: "));
        folder.queuecast(line).assert().code(code).stdout("").stderr(said);
    };
    let resume = "--checkpoint kept --resume";
    refused(&format!("{SMALL} --checkpoint kept"), 2, "kept is there already");
    refused(&format!("{SMALL} --checkpoint none --resume"), 2, "there is no checkpoint none");
    refused(&format!("{SMALL} --checkpoint log.swf"), 2, "log.swf is both input and output");
    refused(&format!("{SMALL} --seed 2 {resume}"), 3, "other settings: seed 1, now 2");
    refused(&format!("{SMALL} --characteristics u,n {resume}"), 3, "now u,n");
    refused(&format!("{SMALL} --unseeded {resume}"), 3, "seeded with histories all, now none");
    refused(&format!("{SMALL} --replay submit {resume}"), 3, "another search: at start");
    refused(&format!("{SMALL} --holdout 0.5 {resume}"), 3, "on 300 jobs with 0 held out");
    fs::write(folder.path("other.swf"), habits(200)).unwrap();
    refused(
        &format!("{SMALL} {resume}").replace("log.swf", "other.swf"),
        3,
        "the checkpoint is of another trace",
    );
    let version = format!("\"version\": \"{}\"", env!("CARGO_PKG_VERSION"));
    let old = folder.read("kept").replace(&version, "\"version\": \"0.0.1\"");
    fs::write(folder.path("kept"), old).unwrap();
    refused(&format!("{SMALL} {resume}"), 3, "was written by queuecast 0.0.1; this is");
    // As it was written, but for one digit of one error.
    fs::remove_file(folder.path("kept")).unwrap();
    folder.queuecast(&format!("{SMALL} --checkpoint kept")).assert().success();
    let mut bytes = fs::read(folder.path("kept")).unwrap();
    let middle = bytes.len() / 2;
    let digit = middle + bytes[middle..].iter().position(|byte| (b'1'..=b'8').contains(byte)).unwrap();
    bytes[digit] ^= 1;
    fs::write(folder.path("kept"), bytes).unwrap();
    refused(&format!("{SMALL} {resume}"), 3, "kept: the checkpoint has been altered since it was written");
    for broken in ["", "{}", "no JSON"] {
        fs::write(folder.path("kept"), broken).unwrap();
        refused(&format!("{SMALL} {resume}"), 3, "kept: not a checkpoint of a search");
    }
}

#[test]
fn what_was_found_is_a_file_that_simulate_and_compare_load() {
    let folder = folder();
    let found = json(&mut folder.queuecast(&format!("{SMALL} --output found.templates --format json")));
    let file = folder.read("found.templates");
    for part in
        ["# found by queuecast", "digest ", "# method: genetic", "# seed: 1", "% of their mean run time"]
    {
        assert!(file.contains(part), "{part} in {file}");
    }
    let set = found["templates"].as_str().unwrap();
    let simulated =
        json(&mut folder.queuecast("simulate log.swf --predictor template:@found.templates --format json"));
    let by_hand =
        json(folder.queuecast("simulate log.swf --format json --predictor").arg(format!("template:{set}")));
    assert_eq!(simulated["experiment"], by_hand["experiment"]);
    assert_eq!(simulated["mean_wait"], by_hand["mean_wait"]);
    let compared = "compare log.swf --policy easy --predictor requested,template:@found.templates,recent:2 --format json";
    assert_eq!(json(&mut folder.queuecast(compared))["results"].as_array().map(Vec::len), Some(3));
    fs::write(folder.path("wrong"), "(u)\n(u,x)\n").unwrap();
    let said = predicate::str::contains("wrong: line 2, column 4: \"x\" is unknown");
    folder.queuecast("simulate log.swf --predictor template:@wrong").assert().code(2).stderr(said);
    let said = predicate::str::contains("cannot read nowhere");
    folder.queuecast("simulate log.swf --predictor template:@nowhere").assert().code(2).stderr(said);
}

#[test]
fn logs_that_cannot_be_searched_say_what_is_missing() {
    let folder = Folder::with("short.swf", habits(20));
    let without_waits: String = habits(100)
        .lines()
        .map(|line| {
            let mut fields: Vec<&str> = line.split(' ').collect();
            if fields[0] != ";" {
                fields[2] = "-1";
            }
            fields.join(" ") + "\n"
        })
        .collect();
    fs::write(folder.path("waitless.swf"), without_waits).unwrap();
    fs::write(folder.path("log.swf"), habits(100)).unwrap();
    let refused = |line: &str, reasons: [&str; 2]| {
        let said = reasons.map(|reason| predicate::str::contains(reason.to_owned()));
        let [first, second] = said;
        folder.queuecast(line).assert().code(3).stdout("").stderr(first.and(second));
    };
    refused("search short.swf", ["20 jobs to search on", "at least 50 are needed"]);
    refused("search log.swf --holdout 0.6", ["40 jobs of 100 to search on", "hold out less"]);
    refused("search waitless.swf", ["does not record how long jobs waited", "--replay submit"]);
    refused(
        "search log.swf --characteristics u,k",
        [
            "do not differ in k (account); they do in q (queue), u (user), e (executable), n (processors)",
            "hint",
        ],
    );
    folder.queuecast("search waitless.swf --replay submit --population 4 --generations 2").assert().success();
}

//! `demo`: something to look at without a file.

use crate::{Folder, column, json, stdout};

#[test]
fn it_compares_eight_ways_and_says_what_to_try_next() {
    let folder = Folder::with("unused", "");
    let text = stdout(&mut folder.queuecast("demo --jobs 500"));
    for part in [
        "fcfs    requested",
        "easy    recent:2",
        "sjbf    perfect",
        "likely  mixture",
        "longest wait",
        "Mean bounded slowdown",
        "Look closer:",
    ] {
        assert!(text.contains(part), "{part:?} is not in:\n{text}");
    }
    assert!(text.trim_end().ends_with(" serve --demo"), "the last line is the one to type next: {text}");
    let csv = stdout(&mut folder.queuecast("demo --jobs 500 --format csv"));
    assert_eq!(column(&csv, "policy"), ["fcfs", "easy", "easy", "easy", "sjbf", "sjbf", "sjbf", "likely"]);
    assert_eq!(column(&csv, "mean_accuracy")[3], "1");
    assert!(text.contains("no guarantee for the mean wait"), "{text}");
    // The first sentence has the numbers of two rows.
    let slowdown = |place: usize| column(&csv, "mean_bounded_slowdown")[place].parse::<f64>().unwrap();
    let first = text.lines().next().unwrap();
    for number in [slowdown(7), slowdown(1)] {
        assert!(first.contains(&format!("{number:.1}")), "{number}: {first}");
    }
}

#[test]
fn the_same_seed_is_the_same_workload_and_another_is_another() {
    let folder = Folder::with("unused", "");
    let run =
        |seed: &str| json(&mut folder.queuecast(&format!("demo --jobs 300 --format json --seed {seed}")));
    assert_eq!(run("7"), run("7"));
    assert_ne!(run("7")["traces"][0]["digest"], run("8")["traces"][0]["digest"]);
    assert_eq!((&run("7")["seed"], &run("7")["model"]["jobs"]), (&7.into(), &300.into()));
}

#[test]
fn a_saved_workload_is_the_one_that_was_shown() {
    let folder = Folder::with("unused", "");
    let demo = json(&mut folder.queuecast("demo --jobs 300 --output kept.swf.gz --format json"));
    let kept = json(&mut folder.queuecast("simulate kept.swf.gz --format json"));
    assert_eq!(demo["traces"][0]["digest"], kept["workload"]["digest"]);
    assert_eq!(demo["results"][1]["mean_wait"], kept["mean_wait"]);
    let text = stdout(&mut folder.queuecast("demo --jobs 300 --output kept.swf.gz --force"));
    assert!(text.contains("queuecast simulate kept.swf.gz"), "{text}");
}

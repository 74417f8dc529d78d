//! `compare`: every combination, the same bytes whatever the number of threads.

use predicates::prelude::*;

use crate::{FOUR, Folder, column, json, stdout};

const GRID: &str =
    "compare four.swf half.swf --policy fcfs,easy,easy:depth=2,order=largest --predictor requested,perfect";

fn two() -> Folder {
    let folder = Folder::with("four.swf", FOUR);
    std::fs::write(folder.path("half.swf"), FOUR.replace(" 250 ", " 50 ")).unwrap();
    folder
}

#[test]
fn every_combination_is_there_in_the_order_asked_for() {
    let folder = two();
    let csv = stdout(folder.queuecast(GRID).args(["--format", "csv"]));
    assert_eq!(column(&csv, "source")[..6], ["four.swf"; 6]);
    assert_eq!(column(&csv, "source")[6..], ["half.swf"; 6]);
    assert_eq!(column(&csv, "predictor")[..4], ["requested", "perfect", "requested", "perfect"]);
    assert_eq!(column(&csv, "mean_wait")[2], "99.25");
    assert_eq!(column(&csv, "delayed")[2], "1");
    assert!(!csv.contains("seconds"), "no timings unless asked for");
}

#[test]
fn any_number_of_threads_gives_the_same_bytes() {
    let folder = two();
    for format in ["text", "json", "csv", "markdown"] {
        let run =
            |threads: &str| stdout(folder.queuecast(GRID).args(["--format", format, "--threads", threads]));
        assert_eq!(run("1"), run("2"), "{format}");
        assert_eq!(run("2"), run("2"), "{format}");
    }
    // Control: bytes that do not depend on the traces would be equal, too.
    let other = folder.queuecast("compare half.swf --format csv").output().unwrap().stdout;
    assert_ne!(other, folder.queuecast("compare four.swf --format csv").output().unwrap().stdout);
}

#[test]
fn json_carries_what_the_results_depend_on() {
    let folder = two();
    let result = json(folder.queuecast(GRID).args(["--format", "json", "--timings"]));
    assert_eq!(result["version"], env!("CARGO_PKG_VERSION"));
    assert_eq!(result["traces"].as_array().map(Vec::len), Some(2));
    assert_eq!(result["traces"][0]["cleaning"]["removed"], 0);
    assert_ne!(result["traces"][0]["digest"], result["traces"][1]["digest"]);
    let results = result["results"].as_array().unwrap();
    assert_eq!(results.len(), 12);
    assert_eq!(results[5]["experiment"]["policy"], "easy:depth=2,order=largest");
    assert!(results.iter().all(|one| one["simulate_seconds"].is_number()));
    assert_eq!(results[2]["fairness"]["max_delay"], 100);
}

#[test]
fn text_has_one_table_of_all_traces_marks_the_best_and_draws_bars() {
    let folder = two();
    let text = stdout(&mut folder.queuecast("compare four.swf half.swf"));
    assert!(text.contains("four.swf: 4 jobs on 100 processors"), "{text}");
    assert!(text.contains("half.swf: 4 jobs on 100 processors"), "{text}");
    assert!(text.contains("* the best of its column and trace"), "{text}");
    assert_eq!(text.matches("Mean bounded slowdown,").count(), 2, "{text}");
    assert_eq!(text.matches("bounded slowdown  utilization").count(), 1, "{text}");
    let line = |policy: &str| {
        let row = text.lines().find(|line| line.starts_with(&format!("four.swf  {policy}")));
        row.unwrap().to_owned()
    };
    // EASY: 1.9925; first come, first served: (1 + 1.99 + 2.98 + 2) / 4 = 1.9925, too, but shorter waits.
    assert!(line("easy").contains("1 min 39 s*"), "{text}");
    assert!(!line("fcfs").contains("2 min 17 s*"), "{text}");
    assert!(!stdout(&mut folder.queuecast("compare four.swf --no-plot")).contains("Mean bounded slowdown,"));
}

#[test]
fn more_threads_than_simulations_are_not_started() {
    let folder = two();
    let run = |threads: &str| stdout(folder.queuecast(GRID).args(["--threads", threads]));
    assert_eq!(run("9999"), run("1"));
}

#[test]
fn several_orders_of_events_are_compared_too() {
    let folder = two();
    let line = "compare four.swf --policy easy --event-order textbook,pyss --correction requested,increments";
    let csv = stdout(folder.queuecast(line).args(["--format", "csv"]));
    assert_eq!(column(&csv, "event_order"), ["textbook", "textbook", "pyss", "pyss"]);
    let text = stdout(&mut folder.queuecast(line));
    assert!(text.contains("event order") && text.contains("easy, requested, increments, pyss"), "{text}");
    // No job outlives a request that kills, so all corrections give the same.
    assert!(text.contains("the correction makes no difference"), "{text}");
    // Control: where predictions are outlived, that is not said, and one order is no column.
    let text = stdout(
        &mut folder.queuecast("compare four.swf --predictor constant:1 --correction requested,factor:2"),
    );
    assert!(!text.contains("makes no difference") && !text.contains("event order"), "{text}");
    let stderr =
        predicate::str::contains("one at a time here\n").and(predicate::str::contains("takes several").not());
    folder.queuecast("compare four.swf --limit kill,ignore").assert().code(2).stderr(stderr);
}

#[test]
fn a_row_says_what_it_depends_on() {
    let folder = two();
    let csv = stdout(&mut folder.queuecast("compare four.swf --policy easy --window share:25% --format csv"));
    assert!(csv.contains(",\"share:0.25,0\",100,default,86400,"), "{csv}");
    assert!(
        csv.lines().next().unwrap().ends_with(",window,procs,clean,default_request,version,excluded"),
        "{csv}"
    );
    let csv = stdout(&mut folder.queuecast("simulate four.swf --format csv --clean none --procs 200"));
    assert_eq!((column(&csv, "window"), column(&csv, "procs")), (vec!["all"], vec!["200"]));
    assert_eq!((column(&csv, "clean"), column(&csv, "excluded")), (vec!["none"], vec!["0"]));
    assert_eq!(column(&csv, "version"), [env!("CARGO_PKG_VERSION")]);
}

#[test]
fn alone_nothing_is_the_best() {
    let folder = two();
    let text = stdout(&mut folder.queuecast("compare four.swf --policy easy"));
    assert!(!text.contains('*') && !text.contains("best"), "{text}");
}

#[test]
fn eighty_columns_hold_the_names_and_lose_the_least_important() {
    let folder = two();
    let policies = "fcfs,easy:depth=4,order=largest,priority=wait/requested";
    let line =
        format!("compare four.swf --policy {policies} --predictor requested,recent:2:median --no-plot");
    let text = stdout(folder.queuecast(&line).env("COLUMNS", "80"));
    let notes = text.find("Cleaning by").unwrap();
    assert!(text[..notes].lines().all(|line| line.chars().count() <= 80), "{text}");
    assert!(
        text.contains("bounded") && text.contains("recent:2:median") && text.contains("wait/requested"),
        "{text}"
    );
    assert!(!text.contains('…') && text.contains("columns hidden (terminal too narrow): "), "{text}");
    // Control: where the width is not limited, no column is left out.
    let text = stdout(folder.queuecast(&line).env_remove("COLUMNS"));
    assert!(
        text.contains(&policies[5..]) && text.contains("backfilled") && !text.contains("want of width"),
        "{text}"
    );
}

#[test]
fn jobs_ended_at_their_request_are_told_and_many_are_warned_of() {
    let folder = Folder::with("late.swf", FOUR.replace("250 20 -1 -1 20 250", "250 20 -1 -1 20 100"));
    let said =
        "1 job (25.0%) ran longer than requested and is ended at its request (--limit ignore lets it run)";
    for command in ["simulate late.swf", "compare late.swf"] {
        let done = folder.queuecast(command).assert().success();
        done.stdout(predicate::str::contains(said).and(predicate::str::contains("run-above-request")))
            .stderr(predicate::str::starts_with("warning: ").and(predicate::str::contains(said)));
        // Control: those that run on are not.
        let done = folder.queuecast(&format!("{command} --limit ignore")).assert().success().stderr("");
        done.stdout(predicate::str::contains("ran longer than requested and").not());
    }
    let text = stdout(&mut folder.queuecast("simulate late.swf"));
    assert!(text.contains("kept; --limit decides"), "{text}");
    let csv = stdout(&mut folder.queuecast("trace clean late.swf --format csv"));
    assert_eq!(column(&csv, "effect"), ["kept"]);
}

#[test]
fn one_bad_trace_is_told_and_nothing_is_printed() {
    let folder = two();
    std::fs::write(folder.path("empty.swf"), "").unwrap();
    let stderr = predicate::str::contains("empty.swf is empty");
    folder.queuecast("compare four.swf empty.swf missing.swf").assert().code(3).stdout("").stderr(stderr);
}

#[test]
fn shaken_arrivals_give_means_over_seeds_with_intervals() {
    let folder = two();
    let command =
        "compare four.swf half.swf --policy easy,likely --predictor requested,perfect --shake 10m --seeds 4";
    let result = json(folder.queuecast(command).args(["--format", "json"]));
    assert_eq!((&result["shaking"]["by"], &result["shaking"]["seeds"]), (&600.into(), &4.into()));
    let results = result["results"].as_array().unwrap();
    assert_eq!(results.len(), 8);
    assert_eq!((&results[6]["workload"], &results[6]["experiment"]["policy"]), (&1.into(), &"likely".into()));
    let wait = &results[0]["metrics"]["mean_wait"];
    assert_eq!(wait["times"], 4);
    assert!(wait["confidence"].as_f64().unwrap() > 0.0, "{wait}");
    let text = stdout(&mut folder.queuecast(command));
    assert!(text.contains("99% bounded slowdown") && text.contains("4 seeds"), "{text}");
    let run =
        |threads: &str| stdout(folder.queuecast(command).args(["--format", "csv", "--threads", threads]));
    assert_eq!(run("1"), run("2"));
    // Control: other shifts, other results.
    let other = command.replace("10m", "1s");
    assert_ne!(run("1"), stdout(folder.queuecast(&other).args(["--format", "csv"])));
}

#[test]
fn what_belongs_to_shaken_arrivals_is_refused_without_them() {
    let folder = two();
    folder
        .queuecast("compare four.swf --seeds 3")
        .assert()
        .code(2)
        .stderr(predicate::str::contains("--shake"));
    folder.queuecast("compare four.swf --shake 1m --timings").assert().code(2);
    folder.queuecast("compare four.swf --policy likely --depth 2").assert().code(2);
}

//! `mold`: strategies on moldable jobs, and what is refused.

use serde_json::Value;

use crate::{Folder, column, json, stdout};

/// Few jobs, but enough for some to hold out.
const SMALL: &str = "mold --jobs 400 --seeds 3";

fn folder() -> Folder {
    Folder::with("unused", "")
}

fn mean(value: &Value) -> f64 {
    value["mean"].as_f64().unwrap()
}

#[test]
fn every_strategy_is_compared_with_avg_on_the_same_jobs() {
    let all = json(&mut folder().queuecast(&format!("{SMALL} --format json")));
    let strategies = all["strategies"].as_array().unwrap();
    let names: Vec<&str> = strategies.iter().map(|one| one["strategy"].as_str().unwrap()).collect();
    assert_eq!(names, ["avg", "opt", "pred", "bias", "heur", "bias+lock-in+averse=0.2", "pred+social"]);
    let avg = &strategies[0];
    assert!(avg["turnaround_change"].is_null() && avg["recorded"].is_null(), "{avg}");
    let unspoiled = 1.0 - mean(&all["spoiled"]);
    for one in &strategies[1..] {
        let of = |strategy: &Value, seed: usize| strategy["seeds"][seed]["turnaround"].as_f64().unwrap();
        let changes: Vec<f64> = (0..3).map(|seed| of(one, seed) / of(avg, seed) - 1.0).collect();
        let expected = changes.iter().sum::<f64>() / 3.0;
        let change = &one["turnaround_change"];
        assert!((mean(change) - expected).abs() < 1e-12 && change["times"] == 3, "{change} {expected}");
        assert!(change["confidence"].as_f64().unwrap() > 0.0, "{change}");
        // Only who does not get all it wants can hold out.
        let rebels = mean(&one["recorded"]["rebels"]);
        assert!(rebels > 0.0 && rebels < unspoiled + 1e-12, "{one}");
    }
    // Who knows when processors become free never loses by holding out, and saves the most.
    let recorded = |place: usize| &strategies[place]["recorded"];
    assert_eq!(mean(&recorded(1)["losers"]), 0.0);
    assert!((2..6).all(|place| mean(&recorded(1)["saved"]) >= mean(&recorded(place)["saved"])));
    // Control: under the heuristic every job that can holds out, and some lose.
    assert!((mean(&recorded(4)["rebels"]) - unspoiled).abs() < 1e-12, "{unspoiled}");
    assert!(mean(&recorded(4)["losers"]) > 0.0 && mean(&recorded(1)["rebels"]) < unspoiled);
    assert_eq!((&all["model"]["rounding"], &all["model"]["arrivals"]), (&"up".into(), &"apart".into()));
    assert_eq!((&all["model"]["jobs"], &all["model"]["moldable"]), (&400.into(), &true.into()));
}

#[test]
fn the_papers_setting_is_what_the_reproduction_simulates() {
    // The row of load 0.8 in `reproduce downey1997 --table loads --seeds 2`.
    let folder = folder();
    let line = "mold opt --jobs 10000 --load 0.8 --seeds 2 --format csv";
    let csv = stdout(&mut folder.queuecast(line));
    let turnarounds: Vec<f64> = column(&csv, "turnaround").iter().map(|text| text.parse().unwrap()).collect();
    assert!((turnarounds[0] - 5094.97185).abs() < 1e-6, "{csv}");
    assert!((turnarounds[1] - 6114.91255).abs() < 1e-6, "{csv}");
}

#[test]
fn the_result_is_the_same_for_any_number_of_threads() {
    let folder = folder();
    for format in ["text", "json", "csv", "markdown"] {
        let run = |threads: u8| {
            stdout(&mut folder.queuecast(&format!("{SMALL} --format {format} --threads {threads}")))
        };
        assert_eq!(run(1), run(3), "{format}");
    }
    // Control: other jobs give another result.
    let run =
        |jobs: u32| stdout(&mut folder.queuecast(&format!("mold opt --jobs {jobs} --seeds 2 --format csv")));
    assert_ne!(run(400), run(401));
}

#[test]
fn text_has_a_table_and_bars() {
    let folder = folder();
    let text = stdout(&mut folder.queuecast(&format!("{SMALL} opt --ascii")));
    assert!(text.starts_with("400 moldable jobs on 128 processors at load 0.75, 3 seeds\n"), "{text}");
    assert!(
        text.contains("of the jobs get all they want") && text.contains("Turnaround against AVG"),
        "{text}"
    );
    assert!(text.is_ascii() && !text.contains('?'), "{text}");
    let bare = stdout(&mut folder.queuecast(&format!("{SMALL} opt --ascii --no-plot")));
    assert!(text.starts_with(&bare) && !bare.contains("Turnaround against AVG"), "{bare}");
    let alone = stdout(&mut folder.queuecast(&format!("{SMALL} avg --format csv")));
    assert_eq!(column(&alone, "strategy"), ["avg"]);
}

#[test]
fn work_counts_up_to_the_last_arrival_where_jobs_arrive_day_and_night() {
    let line = "mold heur --jobs 2000 --seeds 2 --arrivals always --load 1 --format csv";
    let csv = stdout(&mut folder().queuecast(line));
    let change: f64 = column(&csv, "utilization_change")[1].parse().unwrap();
    // All work is done in the end, so that nothing would change if that were counted.
    assert!(change.abs() > 1e-6, "{csv}");
}

#[test]
fn a_log_can_be_what_jobs_are_like() {
    let folder = folder();
    folder.queuecast("demo --jobs 300 --output log.swf").assert().success();
    let line = "mold opt --like log.swf --observed parallelism --load 0.9 --seeds 2 --format json";
    let all = json(&mut folder.queuecast(line));
    let model = &all["model"];
    assert_eq!((&model["jobs"], &model["procs"], &model["load"]), (&300.into(), &256.into(), &0.9.into()));
    assert_eq!((&model["arrivals"], &model["rounding"]), (&"always".into(), &"down".into()));
    assert!(model["parallelism"].as_str().unwrap().starts_with("quantiles:"), "{model}");
    assert_eq!((&all["like"]["source"], &all["like"]["jobs"]), (&"log.swf".into(), &300.into()));
}

#[test]
fn what_does_not_make_sense_is_refused_in_a_line_with_what_would() {
    let folder = folder();
    for (arguments, part) in [
        ("fred", "invalid value 'fred' for '[STRATEGY]...'\n  [possible values: avg, opt, pred"),
        ("bias+lockin", "\"lockin\" is no setting; known are by="),
        ("bias+averse=2", "give a number from 0 to 1"),
        ("pred+outlook=rosy", "'pred+outlook=rosy' for '[STRATEGY]...': "),
        ("--load 0", "error: --load 0: must be between 0.001 and 10"),
        ("--load -1", "error: --load -1: must be between 0.001 and 10"),
        ("--load much", "expected a number between 0.001 and 10"),
        ("--seeds 1", "must be at least 2"),
        ("--seeds 1001", "must be at most 1000"),
        ("--procs 5000", "error: --procs 5000: must be between 1 and 4096"),
        ("--jobs 10000001", "error: --jobs 10000001: must be between 1 and 10000000"),
        ("--set downey.variance=uniform:-1,2", "the least first, between 0 and 1000"),
        ("--set downey.parallelism=exactly:0.5", "must be one number, between 1 and 16777216"),
        ("--set downey.memory=exactly:200", "must be one number, between 1 and 128"),
        ("--set downey.moldable=false", "strategies need jobs of several sizes"),
        ("--set population.think=3", "this model is not used here"),
        ("--observed lifetimes", "--observed has no effect without --like"),
        ("--threads 0", "must be at least 1"),
        ("--rounding sideways", "[possible values: up, down, whole]"),
    ] {
        let done = folder.queuecast(&format!("mold {arguments}")).assert().code(2).stdout("");
        let said = String::from_utf8(done.get_output().stderr.clone()).unwrap();
        assert!(said.contains(part), "{arguments}\n{said}");
    }
    folder.queuecast("mold --like nowhere.swf").assert().code(3).stdout("");
}

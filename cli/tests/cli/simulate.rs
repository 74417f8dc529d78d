//! `simulate`: the JSON contract, the files, the text.

use predicates::prelude::*;
use serde_json::{Value, json as value};

use crate::{FOUR, Folder, SACCT, column, json, rows, stdout};

#[test]
fn json_has_every_promised_field_and_the_numbers_worked_out_by_hand() {
    let folder = Folder::with("four.swf", FOUR);
    let result = json(&mut folder.queuecast("simulate four.swf --format json"));
    // Waits 0, 99, 298 and 0; 29,000 processor-seconds of 100 · 400.
    for (field, expected) in [
        ("jobs", 4.0),
        ("mean_wait", 99.25),
        ("max_wait", 298.0),
        ("mean_bounded_slowdown", 1.9925),
        ("max_bounded_slowdown", 3.98),
        ("utilization", 0.725),
        ("makespan", 400.0),
        ("immediate", 1.0),
        ("reserved", 2.0),
        ("backfilled_in_space", 1.0),
    ] {
        let found = result[field].as_f64().unwrap_or_else(|| panic!("{field} is missing"));
        assert!((found - expected).abs() < 1e-12, "{field}: {found}, not {expected}");
    }
    for field in ["read_seconds", "simulate_seconds"] {
        assert_eq!(result.get(field), None, "only with --timings: {field}");
    }
    for metric in queuecast_eval::METRICS {
        assert!(result.get(metric.name).is_some(), "{}", metric.name);
    }
    assert_eq!(result["version"], env!("CARGO_PKG_VERSION"));
    assert_eq!(result["experiment"]["policy"], "easy");
    assert_eq!(result["experiment"]["predictor"], "requested");
    assert_eq!(result["window"], value!({"kind": "all"}));
    assert_eq!(result["workload"]["source"], "four.swf");
    assert_eq!(result["workload"]["jobs"], 4);
    assert_eq!(result["workload"]["machine"], value!({"procs": 100, "source": "max_procs"}));
    assert_eq!(result["workload"]["digest"].as_str().map(str::len), Some(16));
    assert_eq!(result["cleaning"]["removed"], 0);
    assert_eq!(result["excluded"]["jobs"], 0);
    // Against first come, first served (0, 100, 200, 300), the third waits 100 longer, the fourth 250 shorter.
    assert_eq!(result["fairness"]["delayed"], 1);
    assert_eq!(result["fairness"]["max_delay"], 100);
    assert_eq!(result["fairness"]["max_advance"], 250);
    assert_eq!(result["queue"]["max_jobs_waiting"], 2);
    assert!(result.get("groups").is_none());
}

#[test]
fn another_policy_is_another_result_of_the_same_workload() {
    // Control: a contract that any numbers fulfil would promise nothing.
    let folder = Folder::with("four.swf", FOUR);
    let run = |policy: &str| {
        json(&mut folder.queuecast(&format!("simulate four.swf --format json --policy {policy}")))
    };
    let (easy, fcfs) = (run("easy"), run("fcfs"));
    assert_ne!(easy["mean_wait"], fcfs["mean_wait"]);
    assert_eq!(fcfs["mean_wait"], value!((0.0 + 99.0 + 198.0 + 250.0) / 4.0));
    assert_eq!(easy["workload"]["digest"], fcfs["workload"]["digest"]);
    assert_eq!((&fcfs["fairness"]["delayed"], &fcfs["fairness"]["advanced"]), (&value!(0), &value!(0)));
}

#[test]
fn the_schedule_says_where_every_job_was_placed_and_why() {
    let folder = Folder::with("four.swf", FOUR);
    folder.queuecast("simulate four.swf --schedule placed.csv --quiet").assert().success();
    let csv = folder.read("placed.csv");
    assert!(csv.starts_with(
        "job,submit,start,end,procs,reason,wait,ran,requested,predicted,corrections,backfill_kind,"
    ));
    let first: Vec<Vec<&str>> = rows(&csv)[1..].iter().map(|row| row[..6].to_vec()).collect();
    assert_eq!(
        first,
        [
            ["1", "0", "0", "100", "70", "immediate"],
            ["2", "1", "100", "200", "80", "reserved"],
            ["3", "2", "300", "400", "90", "reserved"],
            ["4", "50", "50", "300", "20", "backfilled"],
        ]
    );
    assert_eq!(column(&csv, "backfill_kind"), ["", "", "", "in_space"]);
    assert_eq!(column(&csv, "user"), ["1", "1", "2", "2"]);
    assert_eq!(column(&csv, "killed"), ["false"; 4]);
}

#[test]
fn the_simulated_trace_keeps_acknowledgements_and_can_be_read_again() {
    let folder = Folder::with("four.swf", FOUR);
    folder.queuecast("simulate four.swf --schedule-swf placed.swf.gz").assert().success();
    let text = stdout(&mut folder.queuecast("trace convert placed.swf.gz"));
    assert!(text.contains("; Acknowledge: The keepers of this log\n"), "{text}");
    assert!(text.contains("; Note: policy easy, predictor requested"), "{text}");
    assert!(
        text.contains(&format!("; Note: simulated by queuecast {}", env!("CARGO_PKG_VERSION"))),
        "{text}"
    );
    let waits: Vec<&str> = text
        .lines()
        .filter(|line| !line.starts_with(';'))
        .map(|line| line.split_whitespace().nth(2).unwrap())
        .collect();
    assert_eq!(waits, ["0", "99", "298", "0"]);
    // The same jobs, so the same digest and the same schedule.
    let [before, after] = ["four.swf", "placed.swf.gz"]
        .map(|file| json(&mut folder.queuecast(&format!("simulate {file} --format json"))));
    assert_eq!(before["workload"]["digest"], after["workload"]["digest"]);
    assert_eq!(before["mean_wait"], after["mean_wait"]);
}

#[test]
fn the_queue_over_time_is_a_file_of_steps() {
    let folder = Folder::with("four.swf", FOUR);
    folder.queuecast("simulate four.swf --queue-series queue.csv").assert().success();
    let csv = folder.read("queue.csv");
    let expected = "time,jobs_waiting,procs_waiting,procs_busy\n0,0,0,70\n1,1,80,70\n2,2,170,70\n50,2,170,90\n\
                    100,1,90,100\n200,1,90,20\n300,0,0,90\n400,0,0,0\n";
    assert_eq!(csv, expected);
}

#[test]
fn text_says_what_was_read_cleaned_simulated_and_left_out() {
    let folder = Folder::with("four.swf", FOUR);
    let text = stdout(&mut folder.queuecast("simulate four.swf --window share:25% --group-by user"));
    for part in [
        "machine       100 processors (from the header's MaxProcs)",
        "Cleaning by ruleset default: 4 records, 4 kept, 0 removed; no rule fired",
        "policy        easy",
        "3 jobs; 1 left out (1 early, 0 late): warm-up: the first 25 % of the jobs",
        "bounded slowdown",
        "start later",
        "By user",
        "jobs waiting",
    ] {
        assert!(text.contains(part), "{part:?} is not in:\n{text}");
    }
    let without = stdout(&mut folder.queuecast("simulate four.swf --no-plot"));
    assert!(!without.contains("jobs waiting") && !without.contains("By user"), "{without}");
    let one = Folder::with("none.swf", FOUR.replace(" 100 -1 1", " -1 -1 1"));
    for line in [
        "simulate four.swf",
        "simulate four.swf --window submitted:900,901",
        "compare four.swf",
        "trace info four.swf",
    ] {
        let text = stdout(&mut folder.queuecast(&format!("{line} --ascii")));
        assert!(text.is_ascii(), "{line}\n{text}");
    }
    assert!(stdout(&mut one.queuecast("simulate none.swf --ascii")).is_ascii());
}

#[test]
fn csv_and_markdown_hold_the_same_numbers() {
    let folder = Folder::with("four.swf", FOUR);
    let csv = stdout(&mut folder.queuecast("simulate four.swf --format csv --group-by user"));
    assert_eq!(column(&csv, "mean_wait")[0], "99.25");
    assert_eq!(column(&csv, "group"), ["", "1", "2"]);
    assert_eq!(column(&csv, "jobs"), ["4", "2", "2"]);
    let markdown = stdout(&mut folder.queuecast("simulate four.swf --format markdown"));
    assert!(markdown.contains("| bounded slowdown | 1.99 |"), "{markdown}");
}

#[test]
fn nothing_is_dropped_without_being_said() {
    let dirty = FOUR.to_owned()
        + "5 60 -1 10 200 -1 -1 200 20 -1 1 1 1 1 1 1 -1 -1\nrubbish\n\
                                   6 70 -1 10 1 -1 -1 1 -1 -1 1 1 1 1 1 1 -1 -1\n";
    let folder = Folder::with("dirty.swf", dirty);
    let result = json(&mut folder.queuecast("simulate dirty.swf --format json"));
    assert_eq!(result["cleaning"]["lines"], 7);
    assert_eq!((&result["jobs"], &result["cleaning"]["removed"]), (&value!(5), &value!(2)));
    let fired: Vec<(&str, u64)> = result["cleaning"]["rules"]
        .as_array()
        .unwrap()
        .iter()
        .map(|rule| (rule["rule"].as_str().unwrap(), rule["count"].as_u64().unwrap()))
        .collect();
    assert_eq!(fired, [("malformed", 1), ("too-large", 1), ("request-missing", 1)]);
    assert_eq!(result["workload"]["without_request"], 1);
    let text = stdout(&mut folder.queuecast("simulate dirty.swf --default-request 2h"));
    assert!(
        text.contains("1 of 5 jobs has no requested time; where one is needed, 2 h is assumed"),
        "{text}"
    );
    assert!(text.contains("too-large"), "{text}");
    // CSV has no place for it.
    let note = predicate::str::contains("malformed 1 removed, too-large 1 removed, request-missing 1 kept");
    folder.queuecast("simulate dirty.swf --format csv").assert().success().stderr(note);
}

#[test]
fn accounting_records_come_from_a_pipe() {
    let folder = Folder::with("unused", "");
    let mut command = folder.queuecast("simulate - --procs 4 --format json --group-by partition");
    let result = json(command.write_stdin(SACCT));
    assert_eq!(result["workload"]["source"], "standard input");
    assert_eq!(result["workload"]["machine"], value!({"procs": 4, "source": "given"}));
    assert_eq!(result["groups"]["groups"][0]["name"], "batch");
    // The second job is submitted at 5 and starts when the first ends at 60.
    assert_eq!(result["max_wait"], 55);
    folder.queuecast("simulate - --procs 4 --schedule-swf out.swf").write_stdin(SACCT).assert().success();
    let swf = folder.read("out.swf");
    assert!(swf.contains("; UnixStartTime: 1700000000\n") && swf.contains("; Note: User 1 = ada\n"), "{swf}");
}

#[test]
fn settings_change_the_experiment_that_is_recorded() {
    let folder = Folder::with("four.swf", FOUR);
    let run = |options: &str| -> Value {
        json(&mut folder.queuecast(&format!("simulate four.swf --format json {options}")))["experiment"]
            .clone()
    };
    let options = "--depth 2 --backfill-order largest --priority wait/requested --predictor recent:2:median \
                   --correction factor:2 --event-order pyss --limit ignore --prediction-factor 1.5 --default-request 1h";
    let expected = value!({
        "policy": "easy:depth=2,order=largest,priority=wait/requested",
        "predictor": "recent:2:median",
        "correction": "factor:2",
        "event_order": "pyss",
        "limit": "ignore",
        "factor": 1.5,
        "default_request": 3600,
    });
    assert_eq!(run(options), expected);
    assert_eq!(run("--policy easy:depth=2,order=largest")["policy"], "easy:depth=2,order=largest");
    assert_eq!(run("--policy conservative:form=replan")["policy"], "conservative:form=replan");
}

//! Schedules anyone can check by hand: one small table per file, the expected start of each job in one
//! column per policy.
//!
//! A column is `POLICY[@PREDICTOR][#OPTION…]` with the options `pyss` (event order), `ignore` (limits) and
//! `x2` (plan with doubled predictions). Every policy is also run through the plain loop, where it has one.

use std::collections::BTreeMap;
use std::path::Path;

use libtest_mimic::{Failed, Trial};
use queuecast_core::workload::Workload;
use queuecast_sim::predict::{DEFAULT_REQUEST, PredictorSpec};
use queuecast_sim::sim::{Backfill, EventOrder, LimitRule, Options, Persistence, simulate};

use crate::support::jobs::{job, workload};

struct Scenario {
    workload: Workload,
    names: Vec<String>,
    expected: Vec<(String, Vec<i64>)>,
}

fn read(text: &str) -> Scenario {
    let mut lines = text.lines().filter(|line| !line.starts_with('#') && !line.trim().is_empty());
    let machine = lines.next().and_then(|line| line.strip_prefix("machine ")).expect("machine N");
    let machine = machine.trim().parse().expect("processors");
    let (fields, policies) = lines.next().and_then(|line| line.split_once('|')).expect("a heading");
    let fields: Vec<&str> = fields.split_whitespace().collect();
    let policies: Vec<&str> = policies.split_whitespace().collect();
    let (mut jobs, mut names, mut starts) = (Vec::new(), Vec::new(), vec![Vec::new(); policies.len()]);
    for line in lines {
        let (values, expected) = line.split_once('|').expect("a bar");
        let row: BTreeMap<&str, &str> = fields.iter().copied().zip(values.split_whitespace()).collect();
        let number = |field: &str| row[field].parse::<i64>().expect("a number");
        let user: Option<u32> = row.get("user").and_then(|user| user.parse().ok());
        let job = job(number("procs") as u32, number("run")).number(names.len() as u64).user(user);
        jobs.push(job.at(number("submit")).limit(number("request")));
        names.push(row["id"].to_string());
        let expected: Vec<&str> = expected.split_whitespace().collect();
        assert_eq!(expected.len(), policies.len(), "{line}");
        for (column, start) in starts.iter_mut().zip(expected) {
            column.push(start.parse().expect("a start"));
        }
    }
    let workload = workload(machine, jobs);
    assert!(workload.jobs().iter().map(|job| job.id.0).eq(0..names.len() as u64), "jobs in arrival order");
    let expected = policies.into_iter().map(String::from).zip(starts).collect();
    Scenario { workload, names, expected }
}

fn starts(workload: &Workload, column: &str, plain: bool) -> Vec<i64> {
    let mut parts = column.split('#');
    let (policy, predictor) =
        parts.next().map(|spec| spec.split_once('@').unwrap_or((spec, "requested"))).unwrap();
    let mut options = Options::default();
    for option in parts {
        match option {
            "pyss" => options.event_order = EventOrder::Pyss,
            "ignore" => options.limit = LimitRule::Ignore,
            "x2" => options.factor = 2.0,
            _ => panic!("no option {option}"),
        }
    }
    let policy: Backfill = policy.parse().unwrap();
    let predictor: PredictorSpec = predictor.parse().unwrap();
    let runs =
        || workload.jobs().iter().zip(workload.truths()).map(|(j, t)| options.limit.ran(j, t)).collect();
    let mut predictor = predictor.build(runs, DEFAULT_REQUEST);
    let mut policy = if plain { policy.build_plain() } else { policy.build() };
    let schedule =
        simulate(workload, options, policy.as_mut(), predictor.as_mut(), &mut []).expect("a sound predictor");
    schedule.placements.iter().map(|placement| placement.start.0).collect()
}

fn check(scenario: &Scenario, column: usize) -> Result<(), Failed> {
    let (policy, expected) = &scenario.expected[column];
    let spec: Backfill = policy.split(['@', '#']).next().unwrap_or_default().parse()?;
    for plain in [false, true] {
        if plain && spec.form == Persistence::Keep {
            continue;
        }
        let found = starts(&scenario.workload, policy, plain);
        if &found != expected {
            let rows = scenario.names.iter().zip(expected.iter().zip(&found));
            let wrong: Vec<String> = rows
                .filter(|(_, (expected, found))| expected != found)
                .map(|(name, (expected, found))| format!("{name}: expected {expected}, started {found}"))
                .collect();
            return Err(
                format!("{policy}{}\n{}", if plain { " (plain)" } else { "" }, wrong.join("\n")).into()
            );
        }
    }
    Ok(())
}

pub fn trials() -> Vec<Trial> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/scenarios");
    let mut files: Vec<_> =
        std::fs::read_dir(folder).expect("scenarios").map(|file| file.unwrap().path()).collect();
    files.sort();
    let mut trials = Vec::new();
    for file in files {
        let text = std::fs::read_to_string(&file).expect("a scenario");
        let stem = file.file_stem().expect("a name").to_string_lossy().into_owned();
        for (column, (policy, _)) in read(&text).expected.iter().enumerate() {
            let text = text.clone();
            trials.push(Trial::test(format!("scenarios::{stem}::{policy}"), move || {
                check(&read(&text), column)
            }));
        }
    }
    // The control: a scenario with a wrong start must fail, or the others prove nothing.
    trials.push(Trial::test("scenarios::control::a_wrong_start_is_noticed", || {
        let wrong = "machine 1\nid submit procs request run | fcfs\na 0 1 5 5 | 0\nb 0 1 5 5 | 4\n";
        match check(&read(wrong), 0) {
            Err(_) => Ok(()),
            Ok(()) => Err("a job that starts at 5 was accepted at 4".into()),
        }
    }));
    trials
}

//! Predicted queue times on a real log, against what became of the jobs: the table of the guide on choosing a size.

// What tests share is not inside a test function, where clippy would allow it.
#![allow(clippy::unwrap_used)]

mod support;

use std::path::Path;

use libtest_mimic::{Arguments, Failed, Trial};
use queuecast::allot::advice::{Advisor, Case, Preference, Record, Walk};
use queuecast::allot::{Sizes, Viable};
use queuecast::eval::Experiment;
use queuecast::predict::{DEFAULT_REQUEST, PredictorSpec};
use queuecast::seed::Seed;
use queuecast::workload::Workload;

/// What `queuecast allocate LOG --check 300 --policy … --outlook … --predictor …` asks.
fn record(log: &Workload, policy: &str, outlook: &str, predictor: &str) -> Record {
    let walk = || {
        let predictor: PredictorSpec = predictor.parse().unwrap();
        let runs = || log.truths().iter().map(|truth| truth.run()).collect();
        Walk::recorded(log, outlook.parse().unwrap(), predictor.build(runs, DEFAULT_REQUEST), DEFAULT_REQUEST)
    };
    let mut known = walk();
    known.to(log.jobs().last().unwrap().submit);
    let mut walk = walk();
    let case = |(index, actual)| {
        let job = &log.jobs()[queuecast::job::JobIndex::at(index)];
        walk.before(index);
        let viable = Viable::new(log.machine().procs, None, None).unwrap();
        let asked = job.shape.limit.unwrap_or(DEFAULT_REQUEST);
        let sizes = Sizes::measured(&[(job.shape.procs, asked)], viable).unwrap();
        let advisor = Advisor::new(walk.state(job.submit), sizes, policy.parse().unwrap(), 1.0);
        let drawn: Vec<_> = (0..300).map(|number| advisor.draw(Seed(1), number).unwrap()).collect();
        let advice = advisor.conclude(&drawn, Preference::default()).unwrap();
        Case { queue: advice.recommended().queue, actual }
    };
    Record::of(&known.past(300).into_iter().map(case).collect::<Vec<_>>()).unwrap()
}

/// The log as recorded, or as a policy would have had it.
fn made(log: &Workload, by: &str) -> Workload {
    if by == "recorded" {
        return log.clone();
    }
    let schedule = Experiment::new(by.parse().unwrap(), PredictorSpec::Requested).run(log).unwrap();
    // What is killed at its limit ends there, as in the schedule that is written as a log.
    let ran =
        schedule.placements.iter().map(|placement| queuecast::job::Truth::rigid(placement.ran)).collect();
    let starts = schedule.placements.iter().map(|placement| placement.start).collect();
    Workload::recorded(log.machine(), log.jobs().to_vec(), ran, starts).unwrap()
}

fn row(name: &str, starts: &str, policy: &str, outlook: &str, predictor: &str, record: &Record) -> String {
    let percent = |share: f64| format!("{:.0} %", 100.0 * share);
    let hours = |seconds: f64| format!("{:.1} h", seconds / 3600.0);
    format!(
        "| {name} | {starts} | `{policy}` | `{outlook}` | `{predictor}` | {} | {} | {} | {} | {} |",
        percent(record.inside),
        percent(record.earlier),
        percent(record.later),
        hours(record.mean_error),
        hours(record.mean_wait)
    )
}

fn guide() -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/guides/choosing-a-size.md");
    std::fs::read_to_string(path).unwrap()
}

fn check(
    name: &str,
    log: &Workload,
    starts: &str,
    policy: &str,
    outlook: &str,
    predictor: &str,
) -> Result<Record, String> {
    let record = record(&made(log, starts), policy, outlook, predictor);
    let row = row(name, starts, policy, outlook, predictor, &record);
    if guide().contains(&row) { Ok(record) } else { Err(row) }
}

const LOGS: [(&str, &str); 4] = [
    ("KTH", "KTH-SP2-1996-2.swf.gz"),
    ("CTC", "CTC-SP2-1996-3.1-cln.swf.gz"),
    ("BLUE", "SDSC-BLUE-2000-4.2-cln.swf.gz"),
    ("HPC2N", "HPC2N-2002-2.2-cln.swf.gz"),
];

/// Log, where its starts come from, and what is asked: policy, outlook, predictor.
const ROWS: [[&str; 5]; 20] = [
    ["KTH", "recorded", "easy", "shares", "requested"],
    ["KTH", "recorded", "easy", "fitted", "requested"],
    ["KTH", "recorded", "easy", "forecast:10", "sbh"],
    ["KTH", "recorded", "easy", "forecast", "requested"],
    ["KTH", "recorded", "fcfs", "shares", "requested"],
    ["CTC", "recorded", "easy", "shares", "requested"],
    ["CTC", "recorded", "easy", "fitted", "requested"],
    ["BLUE", "recorded", "easy", "shares", "requested"],
    ["BLUE", "recorded", "easy", "fitted", "requested"],
    ["HPC2N", "recorded", "easy", "shares", "requested"],
    ["HPC2N", "recorded", "easy", "fitted", "requested"],
    ["KTH", "easy", "easy", "shares", "requested"],
    ["KTH", "easy", "easy", "fitted", "requested"],
    ["KTH", "easy", "easy", "forecast", "perfect"],
    ["CTC", "easy", "easy", "shares", "requested"],
    ["CTC", "easy", "easy", "fitted", "requested"],
    ["BLUE", "easy", "easy", "shares", "requested"],
    ["BLUE", "easy", "easy", "fitted", "requested"],
    ["KTH", "fcfs", "fcfs", "shares", "requested"],
    ["KTH", "fcfs", "fcfs", "forecast", "perfect"],
];

fn main() {
    let mut trials: Vec<Trial> = Vec::new();
    for (name, file) in LOGS {
        let path = support::traces().map(|traces| traces.join(file)).filter(|path| path.is_file());
        let missing = path.is_none();
        let trial = move || {
            let log = support::read(&path.ok_or("the log is not here")?, "default", None).workload;
            let mut lacking = Vec::new();
            for [_, starts, policy, outlook, predictor] in ROWS.into_iter().filter(|row| row[0] == name) {
                match check(name, &log, starts, policy, outlook, predictor) {
                    Err(row) => lacking.push(row),
                    Ok(record) if starts == "fcfs" && predictor == "perfect" => {
                        assert!(
                            record.inside == 1.0 && record.mean_error == 0.0,
                            "all is known, and it is not right"
                        );
                    }
                    Ok(_) => {}
                }
            }
            if lacking.is_empty() {
                Ok(())
            } else {
                Err(Failed::from(format!("the guide lacks\n{}", lacking.join("\n"))))
            }
        };
        trials.push(Trial::test(format!("guide/{name}"), trial).with_ignored_flag(missing));
    }
    trials.push(Trial::test("control/another_row_is_not_in_the_guide", || {
        let record = Record {
            cases: 1,
            inside: 0.123,
            earlier: 0.0,
            later: 0.877,
            mean_error: 1.0,
            mean_wait: 2.0,
            nearer: None,
        };
        let row = row("KTH", "easy", "easy", "shares", "requested", &record);
        if guide().contains(&row) { Err("it is".into()) } else { Ok(()) }
    }));
    libtest_mimic::run(&Arguments::from_args(), trials).exit();
}

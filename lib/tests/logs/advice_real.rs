//! Predicted queue times on a real log, against what became of the jobs: the tables of experiments/choosing-a-size.

use std::path::Path;

use libtest_mimic::{Failed, Trial};
use queuecast_core::seed::Seed;
use queuecast_core::units::{Procs, Seconds};
use queuecast_core::workload::Workload;
use queuecast_forecast::advice::{
    AdviceSettings, AdviceSource, MoldableJob, Preference, RangeWidth, RunTimeBySize, ShownRanges,
    TrackRecord, advise,
};
use queuecast_sim::predict::{DEFAULT_REQUEST, PredictorSpec};
use queuecast_study::Experiment;

use crate::{if_thorough, on_log};

/// What `queuecast allocate LOG --check 300 --policy … --outlook … --predictor …` reports with `--calibrate 0`, and with
/// `--calibrate` as given.
fn records(
    log: &Workload,
    calibrate: usize,
    [policy, outlook, predictor]: [&str; 3],
) -> (TrackRecord, Option<TrackRecord>) {
    let job = MoldableJob {
        runs: RunTimeBySize::Measured { runs: vec![(Procs(1), Seconds(60))], between: false },
        sizes: Vec::new(),
        fewest: None,
        most: None,
        give_or_take: 1.0,
    };
    let record = |calibrate: usize| {
        let settings = AdviceSettings {
            policy: policy.parse().unwrap(),
            outlook: Some(outlook.parse().unwrap()),
            predictor: predictor.parse().unwrap(),
            by: None,
            draws: 300,
            seed: Seed(1),
            default_request: DEFAULT_REQUEST,
            calibrate,
            check: Some(300),
            preference: Preference::default(),
        };
        let at = log.jobs().last().unwrap().submit;
        advise(&job, AdviceSource::Log { workload: log, at }, &settings).unwrap().record.unwrap()
    };
    (record(0), (calibrate > 0).then(|| record(calibrate)))
}

/// The log as recorded, or as a policy would have had it.
fn made(log: &Workload, by: &str) -> Workload {
    if by == "recorded" {
        return log.clone();
    }
    let schedule = Experiment::new(by.parse().unwrap(), PredictorSpec::Requested).run(log).unwrap();
    // What is killed at its limit ends there, as in the schedule that is written as a log.
    let ran = schedule
        .placements
        .iter()
        .map(|placement| queuecast_core::job::Truth::rigid(placement.ran))
        .collect();
    let starts = schedule.placements.iter().map(|placement| placement.start).collect();
    Workload::recorded(log.machine(), log.jobs().to_vec(), ran, starts).unwrap()
}

fn percent(share: f64) -> String {
    format!("{:.0} %", 100.0 * share)
}

fn hours(seconds: f64) -> String {
    format!("{:.1} h", seconds / 3600.0)
}

fn row(name: &str, starts: &str, [policy, outlook, predictor]: [&str; 3], record: &TrackRecord) -> String {
    format!(
        "| {name} | {starts} | `{policy}` | `{outlook}` | `{predictor}` | {} | {} | {} | {} | {} |",
        percent(record.inside),
        percent(record.earlier),
        percent(record.later),
        hours(record.mean_error),
        hours(record.mean_wait)
    )
}

/// Of the table of corrected queue times.
fn corrected(name: &str, starts: &str, record: &TrackRecord) -> String {
    let usual = record.usual.unwrap();
    let wide = |width: RangeWidth| format!("{}, {:.0} times", hours(width.mean), width.factor);
    let parts = [
        name.to_owned(),
        starts.to_owned(),
        percent(record.inside),
        percent(record.earlier),
        percent(record.later),
        hours(record.mean_error),
        hours(record.mean_wait),
        hours(usual.mean_error),
        wide(record.width),
        percent(usual.inside),
        wide(usual.width),
    ];
    format!("| {} |", parts.join(" | "))
}

/// Of the table of interval scores.
fn scored(name: &str, starts: &str, record: &TrackRecord) -> String {
    let parts = [
        name.to_owned(),
        starts.to_owned(),
        hours(record.score),
        hours(record.usual.unwrap().score),
        hours(record.shown.score),
        percent(record.shown.inside),
        percent(record.shown.usual),
    ];
    format!("| {} |", parts.join(" | "))
}

fn guide() -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../experiments/choosing-a-size/README.md");
    std::fs::read_to_string(path).unwrap()
}

const LOGS: [(&str, &str); 5] = [
    ("KTH", "KTH-SP2-1996-2.swf.gz"),
    ("CTC", "CTC-SP2-1996-3.1-cln.swf.gz"),
    ("BLUE", "SDSC-BLUE-2000-4.2-cln.swf.gz"),
    ("HPC2N", "HPC2N-2002-2.2-cln.swf.gz"),
    ("SDSC-SP2", "SDSC-SP2-1998-4.2-cln.swf.gz"),
];

/// The log whose rows are computed on every run; those of the others, which take up to a minute each, by `scripts/test --thorough`.
const QUICK: &str = "SDSC-SP2";

/// Log, where its starts come from, and what is asked: policy, outlook, predictor.
const ROWS: [[&str; 5]; 19] = [
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
    ["SDSC-SP2", "recorded", "easy", "shares", "requested"],
    ["KTH", "easy", "easy", "shares", "requested"],
    ["KTH", "easy", "easy", "fitted", "requested"],
    ["KTH", "easy", "easy", "forecast", "perfect"],
    ["CTC", "easy", "easy", "shares", "requested"],
    ["BLUE", "easy", "easy", "shares", "requested"],
    ["KTH", "fcfs", "fcfs", "shares", "requested"],
    ["KTH", "fcfs", "fcfs", "forecast", "perfect"],
];

/// What is asked if nothing is said; then queue times are corrected as well.
const DEFAULTS: [&str; 3] = ["easy", "shares", "requested"];

pub fn trials() -> Vec<Trial> {
    let mut trials: Vec<Trial> = Vec::new();
    for (name, file) in LOGS {
        let check = move |log: &Workload| {
            let mut lacking = Vec::new();
            for starts in ["recorded", "easy", "fcfs"] {
                let rows: Vec<[&str; 3]> = ROWS
                    .iter()
                    .filter(|row| row[..2] == [name, starts])
                    .map(|&[_, _, policy, outlook, predictor]| [policy, outlook, predictor])
                    .collect();
                if rows.is_empty() {
                    continue;
                }
                let log = made(log, starts);
                for asked in rows {
                    let calibrate = if asked == DEFAULTS && starts != "fcfs" { 200 } else { 0 };
                    let (plain, calibrated) = records(&log, calibrate, asked);
                    lacking.push(row(name, starts, asked, &plain));
                    if starts == "fcfs" && asked[2] == "perfect" {
                        assert!(
                            plain.inside == 1.0 && plain.mean_error == 0.0,
                            "all is known, and it is not right"
                        );
                    }
                    let Some(record) = calibrated else { continue };
                    let row = corrected(name, starts, &record);
                    // What is promised: about eight in ten are within, and not by saying anything.
                    assert!((0.75..=0.92).contains(&record.inside), "{row}");
                    assert!(record.width.factor < record.usual.unwrap().width.factor / 4.0, "{row}");
                    lacking.push(row);
                    lacking.push(scored(name, starts, &record));
                }
            }
            let guide = guide();
            lacking.retain(|row| !guide.contains(row));
            if lacking.is_empty() {
                Ok(())
            } else {
                Err(Failed::from(format!("the page lacks\n{}", lacking.join("\n"))))
            }
        };
        let trial = on_log(format!("advice_real::guide/{name}"), file, check);
        trials.push(if name == QUICK { trial } else { if_thorough(trial) });
    }
    trials.push(Trial::test("advice_real::control/another_row_is_not_in_the_guide", || {
        let record = TrackRecord {
            cases: 1,
            inside: 0.123,
            earlier: 0.0,
            later: 0.877,
            mean_error: 1.0,
            mean_wait: 2.0,
            nearer: None,
            width: RangeWidth { mean: 0.0, factor: 1.0 },
            score: 0.0,
            shown: ShownRanges { usual: 0.0, inside: 0.123, score: 0.0 },
            usual: None,
        };
        let row = row("KTH", "easy", DEFAULTS, &record);
        if guide().contains(&row) { Err("it is".into()) } else { Ok(()) }
    }));
    trials
}

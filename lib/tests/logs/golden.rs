//! Job by job against schedules that other simulators published, and against a small independent reference.
//!
//! Needs logs and schedules that are not ours to ship. Where they are missing each check counts as ignored.

use std::collections::HashMap;
use std::io::{Read, Write};
use std::path::Path;
use std::process::{Command, Stdio};

use libtest_mimic::{Failed, Trial};
use queuecast_core::seed::Seed;
use queuecast_core::workload::Workload;
use queuecast_sim::predict::Correction;
use queuecast_sim::sim::{EventOrder, Options, Schedule};
use queuecast_study::Experiment;
use rand::RngExt;

use crate::support;
use crate::support::jobs::{job, workload};

/// A published figure and, where there is one, the schedule behind it.
struct Golden {
    log: &'static str,
    policy: &'static str,
    predictor: &'static str,
    correction: Correction,
    factor: f64,
    order: EventOrder,
    mean_bounded_slowdown: f64,
    schedule: Option<&'static str>,
}

const PYSS: Golden = Golden {
    log: "",
    policy: "easy",
    predictor: "requested",
    correction: Correction::INCREMENTS,
    factor: 1.0,
    order: EventOrder::Pyss,
    mean_bounded_slowdown: 0.0,
    schedule: None,
};

const EASY: &str = "res_easy_backfill_scheduler_None_None.swf.gz";
const EASY_PERFECT: &str =
    "res_easy_prediction_backfill_scheduler_predictorclairvoyant_throw_an_error.swf.gz";
const SJBF_PERFECT: &str = "res_easy_plus_plus_scheduler_predictorclairvoyant_throw_an_error.swf.gz";
const EASY_PLUS_PLUS: &str = "res_easy_plus_plus_scheduler_predictortsafrir_tsafrir.swf.gz";

/// Published results of the SC'15 study "Improving Backfilling by using Machine Learning to predict Running
/// Times" and of pyss on the same input, with the schedules where we have them.
fn goldens() -> Vec<Golden> {
    let mut goldens = Vec::new();
    for (log, figures) in
        [("KTH-SP2", [92.58, 71.72, 49.85, 63.50]), ("CTC-SP2", [49.57, 37.17, 17.57, 85.77])]
    {
        let columns = [
            ("easy", "requested", EASY),
            ("easy", "perfect", EASY_PERFECT),
            ("sjbf", "perfect", SJBF_PERFECT),
            ("sjbf", "recent:2", EASY_PLUS_PLUS),
        ];
        for ((policy, predictor, schedule), mean_bounded_slowdown) in columns.into_iter().zip(figures) {
            goldens.push(Golden {
                log,
                policy,
                predictor,
                mean_bounded_slowdown,
                schedule: Some(schedule),
                ..PYSS
            });
        }
    }
    for (log, doubled, requested) in [("KTH-SP2", 58.91, 62.86), ("CTC-SP2", 30.40, 26.53)] {
        let sjbf = Golden { log, policy: "sjbf", ..PYSS };
        goldens.push(Golden { factor: 2.0, mean_bounded_slowdown: doubled, ..sjbf });
        goldens.push(Golden {
            log,
            policy: "sjbf",
            predictor: "recent:2",
            correction: Correction::REQUESTED,
            mean_bounded_slowdown: requested,
            ..PYSS
        });
    }
    let kth = |policy, mean_bounded_slowdown, schedule| Golden {
        log: "KTH-SP2",
        policy,
        mean_bounded_slowdown,
        schedule: Some(schedule),
        ..PYSS
    };
    goldens.push(kth("fcfs", 6814.97, "../../pyss/KTH-SP2-FCFS.csv.gz"));
    goldens.push(kth("sjbf", 69.41, "../../pyss/KTH-SP2-SJBF.csv.gz"));
    goldens.push(kth("conservative", 89.00, "../../pyss/KTH-SP2-CONS.csv.gz"));
    for (log, mean_bounded_slowdown) in [("KTH-SP2", 92.69), ("CTC-SP2", 48.84)] {
        goldens.push(Golden { log, mean_bounded_slowdown, order: EventOrder::Textbook, ..PYSS });
    }
    for (policy, predictor, mean_bounded_slowdown) in [
        ("easy", "requested", 202.13),
        ("sjbf", "requested", 169.03),
        ("sjbf", "recent:2", 193.47),
        ("easy", "perfect", 69.93),
        ("sjbf", "perfect", 12.08),
    ] {
        goldens.push(Golden { log: "CEA-Curie", policy, predictor, mean_bounded_slowdown, ..PYSS });
    }
    goldens
}

impl Golden {
    fn name(&self) -> String {
        let Golden { log, policy, predictor, correction, factor, order, .. } = self;
        format!("{log}::{policy}@{predictor}:{correction}:x{factor}:{order}")
    }

    fn experiment(&self) -> Experiment {
        let mut experiment = Experiment::new(
            self.policy.parse().expect("a policy"),
            self.predictor.parse().expect("a predictor"),
        );
        experiment.options = Options {
            event_order: self.order,
            correction: self.correction,
            factor: self.factor,
            ..Options::default()
        };
        experiment
    }
}

fn mean_bounded_slowdown(workload: &Workload, schedule: &Schedule) -> f64 {
    let slowdowns = workload.jobs().iter().zip(&schedule.placements).map(|(job, placement)| {
        let (response, ran) = ((placement.end() - job.submit).0 as f64, placement.ran.0 as f64);
        (response / ran.max(10.0)).max(1.0)
    });
    slowdowns.sum::<f64>() / workload.len() as f64
}

fn check_golden(golden: &Golden, peers: &Path) -> Result<(), Failed> {
    let folder = peers.join("predictsim").join(golden.log);
    let workload = match golden.log {
        // The study used the thin nodes; its input is the archive's log under its rules.
        "CEA-Curie" => {
            let traces = support::traces().ok_or("no logs to simulate")?;
            support::read(
                &traces.join("CEA-Curie-2011-2.1-cln.swf.gz"),
                "predictsim,too-large=cap",
                Some(80_640),
            )
        }
        _ => support::read(&folder.join("input_rebuilt.swf.gz"), "predictsim", None),
    }
    .workload;
    let schedule = golden.experiment().run(&workload).expect("a sound predictor");
    let mean = mean_bounded_slowdown(&workload, &schedule);
    // Published to the second decimal.
    if format!("{mean:.2}") != format!("{:.2}", golden.mean_bounded_slowdown) {
        return Err(
            format!("mean bounded slowdown {mean:.4}, published {}", golden.mean_bounded_slowdown).into()
        );
    }
    let Some(file) = golden.schedule else { return Ok(()) };
    let published = published_starts(&folder.join(file));
    let differing = differing(&workload, &schedule, &published);
    if published.len() != workload.len() || !differing.is_empty() {
        let (some, all) = (differing.first(), differing.len());
        return Err(format!("{all} of {} starts differ, the first: {some:?}", workload.len()).into());
    }
    Ok(())
}

/// Job, our start, theirs.
fn differing(
    workload: &Workload,
    schedule: &Schedule,
    published: &HashMap<u64, i64>,
) -> Vec<(u64, i64, Option<i64>)> {
    let starts =
        workload.jobs().iter().zip(&schedule.placements).map(|(job, placed)| (job.id.0, placed.start.0));
    starts
        .map(|(job, start)| (job, start, published.get(&job).copied()))
        .filter(|(_, start, theirs)| Some(*start) != *theirs)
        .collect()
}

/// Start of each job in a result file: SWF with the simulated wait in the third column, or CSV with the start.
fn published_starts(path: &Path) -> HashMap<u64, i64> {
    let mut text = String::new();
    let file = std::fs::File::open(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    flate2::read::MultiGzDecoder::new(file).read_to_string(&mut text).expect("text");
    let number = |field: &str| field.parse::<f64>().expect("a number") as i64;
    text.lines()
        .filter(|line| line.trim_start().starts_with(|first: char| first.is_ascii_digit()))
        .map(|line| match line.contains(',') {
            true => {
                let fields: Vec<i64> = line.split(',').map(number).collect();
                (fields[0] as u64, fields[2])
            }
            false => {
                let fields: Vec<i64> = line.split_whitespace().map(number).collect();
                (fields[0] as u64, fields[1] + fields[2])
            }
        })
        .collect()
}

/// Many small workloads where ties abound, from one seed.
fn random_workloads(count: usize) -> Vec<Workload> {
    let mut rng = Seed(1).stream("golden workloads");
    (0..count)
        .map(|_| {
            let procs = rng.random_range(4..=32_u32);
            let mut submit = 0;
            let jobs = (0..rng.random_range(5..=60_u64)).map(|_| {
                submit += rng.random_range(0..=20_i64) * rng.random_range(0..=1);
                let limit = rng.random_range(1..=120_i64);
                let wide = rng.random_range(1..=procs);
                let width = if rng.random_range(0..4) == 0 { wide } else { wide.div_ceil(4) };
                let (user, run) = (rng.random_range(1..=4), rng.random_range(1..=limit));
                job(width, run).at(submit).limit(limit).user(user)
            });
            workload(procs, jobs.collect::<Vec<_>>())
        })
        .collect()
}

/// Drives the reference as a module: reads one workload and setting per line, prints the starts.
const DRIVER: &str = r#"
import importlib.util, json, sys
spec = importlib.util.spec_from_file_location("reference", sys.argv[1])
reference = importlib.util.module_from_spec(spec); spec.loader.exec_module(reference)
for line in sys.stdin:
    case = json.loads(line); jobs = []
    for seq, (id, submit, run, procs, est, user) in enumerate(case["jobs"]):
        j = reference.Job(); j.id = id; j.submit = submit; j.run = run; j.procs = procs; j.est = est; j.user = user
        j.pred = est; j.start = -1; j.seq = seq; j.ncorr = 0; j.done = False; jobs.append(j)
    reference.simulate(jobs, case["procs"], case["policy"], case["pred"], case["corrector"], case["order"])
    print(json.dumps([j.start for j in jobs]))
"#;

struct Setting {
    policy: &'static str,
    predictor: (&'static str, &'static str),
    correction: (Correction, &'static str),
    order: (EventOrder, &'static str),
}

fn settings() -> Vec<Setting> {
    let mut settings = Vec::new();
    for policy in ["fcfs", "easy", "sjbf"] {
        for predictor in [("requested", "est"), ("perfect", "real"), ("recent:2", "last2")] {
            for correction in [(Correction::INCREMENTS, "tsafrir"), (Correction::REQUESTED, "est")] {
                for order in [(EventOrder::Textbook, "batch"), (EventOrder::Pyss, "pyss")] {
                    settings.push(Setting { policy, predictor, correction, order });
                }
            }
        }
    }
    settings
}

/// Every start of 1,000 random workloads (100 unless all cases are asked for), each under all settings, equals the reference's.
fn check_against_reference(reference: &Path) -> Result<(), Failed> {
    let workloads = random_workloads(if support::is_thorough() { 1000 } else { 100 });
    let settings = settings();
    let mut cases = String::new();
    for workload in &workloads {
        let jobs: Vec<[i64; 6]> = workload
            .jobs()
            .iter()
            .zip(workload.truths())
            .map(|(job, truth)| {
                let limit = job.shape.limit.unwrap_or_default().0;
                let user = job.user.map_or(-1, |user| i64::from(user.number()));
                [job.id.0 as i64, job.submit.0, truth.run().0, i64::from(job.shape.procs.0), limit, user]
            })
            .collect();
        for setting in &settings {
            let case = serde_json::json!({
                "procs": workload.machine().procs.0, "jobs": jobs, "policy": setting.policy,
                "pred": setting.predictor.1, "corrector": setting.correction.1, "order": setting.order.1,
            });
            cases.push_str(&case.to_string());
            cases.push('\n');
        }
    }
    let mut python = Command::new("python3")
        .args(["-c", DRIVER])
        .arg(reference)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()?;
    let mut stdin = python.stdin.take().ok_or("no stdin")?;
    let writer = std::thread::spawn(move || stdin.write_all(cases.as_bytes()));
    let output = python.wait_with_output()?;
    writer.join().map_err(|_| "writing to the reference failed")??;
    let answers = String::from_utf8(output.stdout)?;
    let mut answers = answers.lines();
    for (number, workload) in workloads.iter().enumerate() {
        for setting in &settings {
            let answer = answers.next().ok_or("the reference stopped early")?;
            let theirs: Vec<i64> = serde_json::from_str(answer)?;
            let mut experiment = Experiment::new(setting.policy.parse()?, setting.predictor.0.parse()?);
            experiment.options.correction = setting.correction.0;
            experiment.options.event_order = setting.order.0;
            let schedule = experiment.run(workload).expect("a sound predictor");
            let ours: Vec<i64> = schedule.placements.iter().map(|placement| placement.start.0).collect();
            if ours != theirs {
                let what = serde_json::to_string(&experiment)?;
                return Err(format!("workload {number}, {what}\nours   {ours:?}\ntheirs {theirs:?}").into());
            }
        }
    }
    Ok(())
}

pub fn trials() -> Vec<Trial> {
    let peers = support::peers();
    let missing = peers.is_none() || support::traces().is_none();
    let mut trials = Vec::new();
    for golden in goldens() {
        let peers = peers.clone();
        let trial = Trial::test(format!("golden::{}", golden.name()), move || {
            check_golden(&golden, &peers.ok_or("no schedules to compare with")?)
        });
        trials.push(trial.with_ignored_flag(missing));
    }
    let reference = peers.clone().map(|peers| peers.join("reference.py"));
    trials.push(
        Trial::test("golden::reference::random_workloads_under_36_settings", {
            move || check_against_reference(&reference.ok_or("no reference to compare with")?)
        })
        .with_ignored_flag(missing),
    );
    trials.push(
        Trial::test("golden::control::another_event_order_differs", move || {
            let folder = peers.ok_or("no schedules to compare with")?.join("predictsim/KTH-SP2");
            let workload = support::read(&folder.join("input_rebuilt.swf.gz"), "predictsim", None).workload;
            let textbook = Golden { order: EventOrder::Textbook, ..PYSS }
                .experiment()
                .run(&workload)
                .expect("a sound predictor");
            let published = published_starts(&folder.join(EASY));
            match differing(&workload, &textbook, &published).len() {
                0 => Err("two different event orders give one schedule: the comparison sees nothing".into()),
                _ => Ok(()),
            }
        })
        .with_ignored_flag(missing),
    );
    trials
}

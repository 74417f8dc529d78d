//! Reproduced papers: what `experiments/*/README.md` says comes out is what comes out, to the last digit shown.
//!
//! The logs are not part of the repository (see `support`); without them these tests show as ignored.

#![allow(clippy::unwrap_used)] // a panic is how a test fails

mod support;

use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;

use libtest_mimic::{Arguments, Failed, Trial};
use queuecast::eval::{PublishedCell, Results, Study, Summary, talby2005};
use queuecast::workload::Workload;

fn main() {
    let arguments = Arguments::from_args();
    let file = |folder: &Path, log: &str| folder.join(format!("{log}.swf.gz"));
    let folder =
        support::traces().filter(|folder| talby2005::LOGS.iter().all(|log| file(folder, log).is_file()));
    let missing = folder.is_none();
    let talby = move || {
        let folder = folder.ok_or("no logs")?;
        let logs = talby2005::LOGS.map(|log| support::read(&file(&folder, log), "default", None).workload);
        talby2005_is_as_told(&logs)
    };
    let trials = vec![
        Trial::test("talby2005: tables 2, 4, 5 and 6 are as told", talby).with_ignored_flag(missing),
        Trial::test("control: another number would be noticed", another_number_is_noticed),
    ];
    libtest_mimic::run(&arguments, trials).exit();
}

/// Runs a study on a few threads.
fn run(study: &Study, logs: &[Workload]) -> Results {
    let next = AtomicUsize::new(0);
    let done: Mutex<Vec<(usize, Summary)>> = Mutex::new(Vec::new());
    thread::scope(|scope| {
        for _ in 0..thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(|| {
                loop {
                    let place = next.fetch_add(1, Ordering::Relaxed);
                    let Some(task) = study.tasks().get(place) else { break };
                    let workload = task.variant.of(&logs[task.log]).unwrap();
                    let summary = task.run(&workload).unwrap();
                    done.lock().unwrap_or_else(PoisonError::into_inner).push((place, summary));
                }
            });
        }
    });
    let mut done = done.into_inner().unwrap_or_else(PoisonError::into_inner);
    done.sort_by_key(|(place, _)| *place);
    Results::new(done.into_iter().map(|(_, summary)| summary).collect())
}

/// A line of the README: table, row, column, then paper, ours, repeated, verdict.
fn told(page: &str) -> Vec<Vec<String>> {
    let lines = page.lines().filter(|line| line.starts_with("| ") && line.as_bytes()[2].is_ascii_digit());
    let cells =
        |line: &str| line.trim_matches('|').split('|').map(|cell| cell.trim().replace('−', "-")).collect();
    lines.map(cells).filter(|cells: &Vec<String>| cells.len() == 7).collect()
}

/// The same line from a cell.
fn line(cell: &PublishedCell) -> Vec<String> {
    let short = match cell.row.as_str() {
        "Unlimited DFS, [PE,P,E,*], Propagation" => "SBH `[PE,P,E,*]`",
        "Unlimited DFS, [E,P,X], Propagation" => "SBH `[E,P,X]`",
        "Balanced, DFS, [PX,P,X,*]" => "Balanced",
        "Unbalanced, DFS, [PX,P,X,*]" => "Unbalanced",
        row => row,
    };
    let repeated = cell.repeated.unwrap();
    let verdict = match (cell.within, &cell.explained) {
        (None, _) => "",
        (Some(true), _) => "within",
        (Some(false), Some(_)) => "explained",
        (Some(false), None) => "OUT",
    };
    vec![
        cell.table.clone(),
        short.into(),
        cell.column.to_lowercase(),
        cell.paper.map_or("–".into(), |paper| paper.to_string()),
        shown(cell.ours.unwrap()),
        format!("{} ± {}", shown(repeated.mean), shown(repeated.deviation)),
        verdict.into(),
    ]
}

/// One decimal, and no zero below zero.
fn shown(number: f64) -> String {
    let text = format!("{number:.1}");
    if text == "-0.0" { "0.0".into() } else { text }
}

fn talby2005_is_as_told(logs: &[Workload]) -> Result<(), Failed> {
    let (study, wanted) = talby2005::plan(|table| ["2", "4", "5", "6"].contains(&table), false).unwrap();
    let reproduction = wanted.judge(&[], &run(&study, logs));
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../experiments/talby2005/README.md");
    let told = told(&std::fs::read_to_string(path)?);
    let averages = reproduction.cells.iter().filter(|cell| cell.is_average());
    // The page does not repeat the row of Table 6 that is in Table 2.
    let ours: Vec<Vec<String>> =
        averages.filter(|cell| cell.table != "6" || cell.row.starts_with("Constant")).map(line).collect();
    assert_eq!(told, ours);
    assert!(reproduction.holds());
    Ok(())
}

fn another_number_is_noticed() -> Result<(), Failed> {
    let page = "| 2 | Perfect | wait time | 22 | 21.1 | 21.9 ± 0.6 | within |\n| – | x |\n";
    let repeated = queuecast::eval::Repeated { mean: 21.94, deviation: 0.58, times: 5 };
    let cell = PublishedCell::new("2", "Perfect", "Wait Time", PublishedCell::AVERAGE)
        .paper(22.0)
        .tolerance(7.0)
        .repeated(repeated);
    assert_eq!(told(page), [line(&cell.clone().ours(21.12))]);
    assert_ne!(told(page), [line(&cell.ours(21.22))]);
    Ok(())
}

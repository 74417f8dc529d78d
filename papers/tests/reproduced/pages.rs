//! Reproduced papers: what `experiments/*/README.md` says comes out is what comes out, to the last digit shown.
//!
//! The logs are not part of the repository (see `support`); without them these tests show as ignored.

use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;

use libtest_mimic::{Failed, Trial};
use queuecast_papers::tsafrir2005::{EstimateTrial, Material, SourceLog, TrialResult};
use queuecast_papers::{Protocol, PublishedCell, Reproduction, Request, Tables, talby2005, tsafrir2005};
use queuecast_trace::Log;

use crate::logs;

pub fn trials() -> Vec<Trial> {
    let file = |folder: &Path, log: &str| folder.join(format!("{log}.swf.gz"));
    let folder =
        logs::traces().filter(|folder| talby2005::LOGS.iter().all(|log| file(folder, log).is_file()));
    let missing = folder.is_none();
    let (of_talby, of_tsafrir) = (folder.clone(), folder);
    let tsafrir = move || {
        let folder = of_tsafrir.ok_or("no logs")?;
        let logs = tsafrir2005::LOGS.map(|log| logs::read(&file(&folder, log), tsafrir2005::CLEAN));
        tsafrir2005_is_as_told(&logs)
    };
    let talby = move || {
        let folder = of_talby.ok_or("no logs")?;
        let logs = talby2005::LOGS.map(|log| logs::read(&file(&folder, log), "default"));
        talby2005_is_as_told(&logs)
    };
    vec![
        Trial::test("pages::talby2005: tables 2, 4, 5 and 6 are as told", talby)
            .with_ignored_flag(missing || !logs::is_thorough()),
        Trial::test("pages::tsafrir2005: tables, distances and Figure 16 are as told", tsafrir)
            .with_ignored_flag(missing),
        Trial::test("pages::control: another number would be noticed", another_number_is_noticed),
        Trial::test("pages::control: another mean would be noticed", another_mean_is_noticed),
    ]
}

/// Does `count` things on a few threads; their results are in their order.
fn each<T: Send>(count: usize, of: impl Fn(usize) -> T + Sync) -> Vec<T> {
    let next = AtomicUsize::new(0);
    let done: Mutex<Vec<(usize, T)>> = Mutex::new(Vec::new());
    thread::scope(|scope| {
        for _ in 0..thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(|| {
                loop {
                    let place = next.fetch_add(1, Ordering::Relaxed);
                    if place >= count {
                        break;
                    }
                    let result = of(place);
                    done.lock().unwrap_or_else(PoisonError::into_inner).push((place, result));
                }
            });
        }
    });
    let mut done = done.into_inner().unwrap_or_else(PoisonError::into_inner);
    done.sort_by_key(|(place, _)| *place);
    done.into_iter().map(|(_, result)| result).collect()
}

/// A line of the README: table, row, column, then paper, ours, repeated, verdict.
fn told(page: &str) -> Vec<Vec<String>> {
    let lines = page.lines().filter(|line| line.starts_with("| ") && line.as_bytes()[2].is_ascii_digit());
    let cells =
        |line: &str| line.trim_matches('|').split('|').map(|cell| cell.trim().replace('−', "-")).collect();
    lines.map(cells).filter(|cells: &Vec<String>| cells.len() == 7).collect()
}

/// The line of the page for a cell.
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

fn talby2005_is_as_told(logs: &[Log]) -> Result<(), Failed> {
    let request = Request { tables: Tables::of(["2", "4", "5", "6"]), ..Request::default() };
    let logs: Vec<&Log> = logs.iter().collect();
    let plan = talby2005::Talby2005::plan(&logs, &request).unwrap();
    let reproduction = plan.judge(&logs, &plan.run(&logs, &|_| ()).unwrap());
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
    let repeated = queuecast_study::Repeated { mean: 21.94, deviation: 0.58, times: 5, confidence: None };
    let cell = PublishedCell::new("2", "Perfect", "Wait Time", PublishedCell::AVERAGE)
        .paper(22.0)
        .tolerance(7.0)
        .repeated(repeated);
    assert_eq!(told(page), [line(&cell.clone().ours(21.12))]);
    assert_ne!(told(page), [line(&cell.ours(21.22))]);
    Ok(())
}

/// Seeds that are simulated here; the page has the means of a hundred.
const FEW: u64 = 2;

/// How many absolute deviations the mean of a few may be from the mean of a hundred.
const FAR: f64 = 4.0;

fn tsafrir2005_is_as_told(logs: &[Log]) -> Result<(), Failed> {
    let sources: Vec<SourceLog<'_>> =
        logs.iter().map(|log| SourceLog { workload: &log.workload, records: log.report.lines }).collect();
    let material = Material::of(&sources).unwrap();
    let trials = EstimateTrial::all(material.subjects.len(), FEW);
    let outcomes: Vec<TrialResult> = each(trials.len(), |place| {
        let subject = &material.subjects[trials[place].subject];
        trials[place].run(subject, &mut subject.workload.clone()).unwrap()
    });
    let reproduction = tsafrir2005::judge(&material, &trials, &outcomes, tsafrir2005::SEEDS);
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../experiments/tsafrir2005/README.md");
    let page = std::fs::read_to_string(path)?;
    let tally = reproduction.tally();
    let counted = format!("{} of {} judged cells are within tolerance", tally.within, tally.cells);
    assert!(page.contains(&counted), "{counted}");
    assert_eq!(tally.cells_out(), 0);
    distances_are_as_told(&page, &reproduction);
    let told = rows(&page, "| model |");
    assert_eq!(told.len(), tsafrir2005::Model::ALL.len());
    for row in told {
        let subjects = material.subjects.iter().flat_map(|subject| {
            ["Wait Time", "Bounded Slowdown"]
                .map(|column| ours(&reproduction, "performance", &row[0], column, subject.name))
        });
        for (told, ours) in row[1..].iter().zip(subjects) {
            assert!(is_as_told(told, ours), "{}: {told} is told, {ours} comes out", row[0]);
        }
    }
    Ok(())
}

fn distances_are_as_told(page: &str, reproduction: &Reproduction) {
    let told = rows(page, "| setting |");
    assert_eq!(told.len(), 4);
    for row in told {
        let (setting, column) = match row[0].split_once(',') {
            Some((setting, _)) => (setting, "distance from 5 minutes on"),
            None => (&*row[0], "Kolmogorov-Smirnov distance"),
        };
        for (told, log) in row[1..].iter().zip(["SDSC-106", "CTC", "KTH4H", "BLUE"]) {
            let ours = ours(reproduction, "distance", setting, column, log);
            assert_eq!(*told, format!("{:.3}", ours / 100.0), "{} {log}", row[0]);
        }
    }
}

/// The rows of the table of a page whose heading begins so.
fn rows(page: &str, heading: &str) -> Vec<Vec<String>> {
    let lines = page.lines().skip_while(|line| !line.starts_with(heading)).skip(2);
    let cells = |line: &str| line.trim_matches('|').split('|').map(|cell| cell.trim().to_owned()).collect();
    lines.take_while(|line| line.starts_with("| ")).map(cells).collect()
}

fn ours(all: &Reproduction, table: &str, row: &str, column: &str, log: &str) -> f64 {
    let found = all
        .cells
        .iter()
        .find(|cell| (&*cell.table, &*cell.row, &*cell.column, &*cell.log) == (table, row, column, log));
    found.and_then(|cell| cell.ours).unwrap_or_else(|| panic!("{table}: {row}, {column}, {log}"))
}

/// Whether a number is what is told: to the last digit, or as near as few seeds come to the mean of many.
fn is_as_told(told: &str, ours: f64) -> bool {
    let number = |text: &str| text.trim().parse::<f64>().unwrap();
    let Some((mean, deviation)) = told.split_once('±') else {
        let decimals = told.split_once('.').map_or(0, |(_, decimals)| decimals.len());
        return told == format!("{ours:.decimals$}");
    };
    (ours - number(mean)).abs() <= FAR * (number(deviation) + 0.05)
}

fn another_mean_is_noticed() -> Result<(), Failed> {
    assert!(is_as_told("20.7", 20.72) && !is_as_told("20.7", 20.78));
    assert!(is_as_told("4.10 ± 0.14", 4.6) && !is_as_told("4.10 ± 0.14", 5.0));
    let page = "| model | CTC |\n| --- | ---: |\n| f0 | 22.1 |\n\n| x | 1 |\n";
    assert_eq!(rows(page, "| model |"), [["f0", "22.1"]]);
    Ok(())
}

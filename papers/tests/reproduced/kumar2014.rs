//! Kumar & Vadhiyar 2014: the single-class accuracies that the page tells by either reading are those that come out, to the last digit. Regressions and accuracies of two classes take minutes: `queuecast reproduce kumar2014`.

use std::path::Path;

use libtest_mimic::{Failed, Trial};
use queuecast_papers::kumar2014::scenarios::{ComparedReading, readings_compared};
use queuecast_papers::kumar2014::{PaperReading, ReadingScore, SCENARIO_SEED};
use queuecast_trace::Log;

use crate::logs;

/// The headings of the page's Table 4: non-quick starters, all jobs.
const HEADINGS: [&str; 2] = ["| non-quick starters |", "| all jobs |"];

/// Those headings with the formula as printed.
const PRINTED: [&str; 2] = ["| as printed, non-quick starters |", "| as printed, all jobs |"];

/// What the page calls a log, and its file. The others take longer to read than to predict.
const FOLLOWED: [(&str, &str); 3] = [
    ("CTC", "CTC-SP2-1996-3.1-cln"),
    ("LANL", "LANL-CM5-1994-4.1-cln"),
    ("SDSC SP2", "SDSC-SP2-1998-4.2-cln"),
];

fn page() -> Result<String, Failed> {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../experiments/kumar2014/README.md");
    Ok(std::fs::read_to_string(page)?)
}

pub fn trials() -> Vec<Trial> {
    let file = |log: &str| {
        let path = logs::traces().map(|traces| traces.join(format!("{log}.swf.gz")));
        path.filter(|path| path.is_file())
    };
    let mut trials: Vec<Trial> = Vec::new();
    for (log, name) in FOLLOWED {
        let path = file(name);
        let missing = path.is_none();
        let trial = move || {
            let log_read = logs::read(&path.ok_or("the log is not here")?, "default");
            is_as_told(&log_read, PaperReading::Default, HEADINGS, log)?;
            // The smallest: instance-based learning is tuned in this reading.
            if log == "SDSC SP2" {
                is_as_told(&log_read, PaperReading::Printed, PRINTED, log)
            } else {
                Ok(())
            }
        };
        let name = format!("kumar2014::{log}: single-class accuracies are as told");
        // One log on every run.
        let is_left_out = log != "SDSC SP2" && !logs::is_thorough();
        trials.push(Trial::test(name, trial).with_ignored_flag(missing || is_left_out));
    }
    trials.push(Trial::test("kumar2014::the numbers of Table 4 are counted as told", numbers_are_counted));
    trials.push(Trial::test(
        "kumar2014::static scheduling by the default reading is as told",
        static_is_as_told,
    ));
    trials
        .push(Trial::test("kumar2014::control: another number would be noticed", another_number_is_noticed));
    trials
}

/// What the page says of a log by a reading.
fn is_as_told(log: &Log, reading: PaperReading, headings: [&str; 2], name: &str) -> Result<(), Failed> {
    let jobs = reading.predict(&log.workload, &|_| ())?;
    let score = ReadingScore::of(&jobs);
    let methods = [score.qbets, score.ibl, score.neighbours, score.framework];
    let most = |from: usize| {
        let classes: Vec<usize> = jobs.iter().map(|job| job.actual).filter(|&class| class >= from).collect();
        let counts = (from..6).map(|class| classes.iter().filter(|&&its| its == class).count());
        counts.max().map(|most| 100.0 * most as f64 / classes.len() as f64)
    };
    for (place, heading) in headings.into_iter().enumerate() {
        let mut ours: Vec<String> = methods.map(|one| shown([one.long, one.overall][place])).to_vec();
        ours.push(shown(most(1 - place)));
        assert_eq!(told(&page()?, heading, name), ours, "{heading}");
    }
    Ok(())
}

/// The sentence that counts is held to the two tables above it, for every log.
fn numbers_are_counted() -> Result<(), Failed> {
    let page = page()?;
    let mut differences: Vec<f64> = Vec::new();
    for heading in HEADINGS {
        for row in rows(&page, heading) {
            let number = |place: usize| row[place].parse::<f64>().unwrap();
            differences.extend([1, 3, 5].map(|place| (number(place) - number(place + 1)).abs()));
        }
    }
    let within = differences.iter().filter(|&&difference| difference <= 3.0).count();
    let counted = format!("Of the {} numbers of Table 4 {within} are within 3 points", differences.len());
    assert!(page.contains(&counted), "{counted}");
    assert_eq!(differences.len(), 30);
    Ok(())
}

fn shown(value: Option<f64>) -> String {
    value.map_or_else(String::new, |value| format!("{value:.1}"))
}

/// The rows of the table with this heading.
fn rows(page: &str, heading: &str) -> Vec<Vec<String>> {
    let lines = page.lines().skip_while(|line| !line.starts_with(heading)).skip(2);
    let cells = |line: &str| -> Vec<String> {
        line.trim_matches('|').split('|').map(|cell| cell.trim().replace("**", "")).collect()
    };
    lines.take_while(|line| line.starts_with("| ")).map(cells).collect()
}

/// What the page says of a log: QBETS, IBL, Avg_wt, quick starters first, the most frequent class. The paper's numbers are between.
fn told(page: &str, heading: &str, log: &str) -> Vec<String> {
    let row = rows(page, heading).into_iter().find(|row| row[0] == log);
    let row = row.unwrap_or_else(|| panic!("{heading} {log}: not on the page"));
    [2, 4, 6, 7, 8].map(|place| row[place].clone()).to_vec()
}

fn static_is_as_told() -> Result<(), Failed> {
    let page = page()?;
    let default = ComparedReading::default();
    let result = readings_compared(&[default], SCENARIO_SEED, &|_| ())?.remove(0);
    let waits = result.waits(&[0, 1, 2, 3]);
    let row = format!(
        "| {} | {:.0} | {:.1} | {:.1} |",
        default.row(),
        waits.mean_minutes(),
        waits.percent_up_to_hour(),
        waits.percent_day_or_more()
    );
    assert!(page.contains(&row), "{row}");
    // Control: the other readings have other numbers.
    assert_eq!(page.matches(row.rsplit_once(';').map_or("", |(_, numbers)| numbers)).count(), 1);
    Ok(())
}

fn another_number_is_noticed() -> Result<(), Failed> {
    let page = "| all jobs | a | b | c | d | e | f | g | h |\n| --- |\n| CTC | 4 | 7.5 | 47 | 56.9 | 59 | 62.7 | 54.9 | 59.5 |\n";
    let told = told(page, HEADINGS[1], "CTC");
    assert_eq!(told, ["7.5", "56.9", "62.7", "54.9", "59.5"]);
    assert_ne!(told, ["7.5", "56.9", "62.7", "54.8", "59.5"]);
    Ok(())
}

//! Kumar & Vadhiyar 2014: the single-class accuracies that the page tells are those that come out, to the last digit. Accuracies of
//! two and three classes take minutes: `queuecast reproduce kumar2014`.

use std::path::Path;

use libtest_mimic::{Failed, Trial};
use queuecast::eval::{WaitScorer, WaitWindow, Watch};
use queuecast::forecast::WaitMethod;
use queuecast::predict::DEFAULT_REQUEST;
use queuecast_papers::kumar2014::scenarios::{ComparedReading, readings_compared};
use queuecast_papers::kumar2014::{JOBS, PaperReading, SCENARIO_SEED};

use crate::logs;

/// What the page calls a log, and its file. The others take longer to read than to predict.
const LOGS: [(&str, &str); 3] = [
    ("CTC", "CTC-SP2-1996-3.1-cln"),
    ("LANL", "LANL-CM5-1994-4.1-cln"),
    ("SDSC SP2", "SDSC-SP2-1998-4.2-cln"),
];

/// The headings of the page's Table 4: non-quick starters, all jobs.
const HEADINGS: [&str; 2] = ["| non-quick starters |", "| all jobs |"];

pub fn trials() -> Vec<Trial> {
    let mut trials: Vec<Trial> = Vec::new();
    for (log, file) in LOGS {
        let path = logs::traces().map(|traces| traces.join(format!("{file}.swf.gz")));
        let path = path.filter(|path| path.is_file());
        let missing = path.is_none();
        let trial = move || {
            let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../experiments/kumar2014/README.md");
            let page = std::fs::read_to_string(page)?;
            let ours = single_class(&path.ok_or("the log is not here")?)?;
            for (heading, ours) in HEADINGS.into_iter().zip(ours) {
                assert_eq!(told(&page, heading, log), ours, "{log}, {heading}");
            }
            Ok(())
        };
        let name = format!("kumar2014::{log}: single-class accuracies are as told");
        trials.push(Trial::test(name, trial).with_ignored_flag(missing));
    }
    trials.push(Trial::test("kumar2014::static scheduling by the default reading is as told", || {
        let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../experiments/kumar2014/README.md");
        let page = std::fs::read_to_string(page)?;
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
    }));
    trials.push(Trial::test("kumar2014::control: another number would be noticed", || {
        let page = "| all jobs | a | b | c | d | e | f | g | h |\n| --- |\n| CTC | 4 | 7.5 | 47 | 56.9 | 59 | 62.7 | 54.9 | 59.5 |\n";
        let told = told(page, HEADINGS[1], "CTC");
        assert_eq!(told, ["7.5", "56.9", "62.7", "54.9", "59.5"]);
        assert_ne!(told, ["7.5", "56.9", "62.7", "54.8", "59.5"]);
        Ok(())
    }));
    trials
}

/// What the page says of a log: QBETS, IBL, Avg_wt by both readings, the most frequent class. The paper's numbers are between.
fn told(page: &str, heading: &str, log: &str) -> Vec<String> {
    let lines = page.lines().skip_while(|line| !line.starts_with(heading)).skip(2);
    let cells = |line: &str| -> Vec<String> {
        line.trim_matches('|').split('|').map(|cell| cell.trim().replace("**", "")).collect()
    };
    let row = lines.take_while(|line| line.starts_with("| ")).map(cells).find(|row| row[0] == log);
    let row = row.unwrap_or_else(|| panic!("{heading} {log}: not on the page"));
    [2, 4, 6, 7, 8].map(|place| row[place].clone()).to_vec()
}

/// The same, predicted: of jobs that waited for more than an hour, and of all.
fn single_class(path: &Path) -> Result<[Vec<String>; 2], Failed> {
    let log = logs::read(path, "default");
    let window = WaitWindow { from: WaitWindow::FROM, jobs: JOBS, default_request: DEFAULT_REQUEST };
    let scorer = WaitScorer::new(&log.workload, window)?;
    let methods: Vec<WaitMethod> = ["qbets", "ibl"].map(str::parse).into_iter().collect::<Result<_, _>>()?;
    let scores = scorer.score(&methods, Watch::default());
    let read = PaperReading::AsRead.score(&log.workload, &|_| ())?;
    let waits: Vec<usize> = scores[0].confusion.iter().map(|row| row.iter().sum()).collect();
    let most = |waits: &[usize]| {
        let all: usize = waits.iter().sum();
        waits.iter().max().map(|&most| 100.0 * most as f64 / all as f64)
    };
    let long = [
        scores[0].one_class_long,
        scores[1].one_class_long,
        read.framework.long,
        read.neighbours.long,
        most(&waits[1..]),
    ];
    let all = [
        Some(scores[0].one_class),
        Some(scores[1].one_class),
        read.framework.overall,
        read.neighbours.overall,
        most(&waits),
    ];
    let shown = |values: [Option<f64>; 5]| -> Vec<String> {
        values.iter().map(|value| value.map_or_else(String::new, |value| format!("{value:.1}"))).collect()
    };
    Ok([shown(long), shown(all)])
}

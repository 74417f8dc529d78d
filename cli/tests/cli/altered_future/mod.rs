//! What happens after a moment changes no answer given at it: fourteen alterations of the future, every command that takes `--at`
//! and every method of `score`, to the byte.

mod alterations;
mod compared;
mod logs;
mod planted;

use std::collections::BTreeMap;
use std::fs;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use queuecast_core::spec::Spec;
use queuecast_forecast::forecast::WaitMethod;
use queuecast_sim::predict::PredictorSpec;

use self::alterations::{ALTERATIONS, Numbers};
use self::compared::{differences, first_difference};
use self::logs::{Form, Recording, recordings};
use crate::Folder;

/// Every method that predicts waits, with so short a memory that it learns and forgets within a few hundred jobs.
const WAIT_METHODS: &[&str] = &[
    "best",
    "zero",
    "past:50",
    "knn:100",
    "knn:100,by=linear",
    "knn:100,distance=element,overruns",
    "ranges:60",
    "ranges:60,point=ibl",
    "ranges:60,quick",
    "quick:100",
    "simulated:4",
    "simulated:4,policy=easy",
    "trees:120,refit=40,draws=3",
    "trees:120,refit=40,simulate=no",
    "planned",
    "planned:recent",
    "planned:0.9",
    "qbets",
    "qbets:groups=request,misses=3",
    "ibl:100",
    "ibl:100,width=0.12",
    "downey",
    "downey:a",
    "downey:b",
];

/// Every method that predicts run times but the one that knows them.
const RUNTIME_METHODS: &[&str] = &[
    "requested",
    "constant:600",
    "recent:2",
    "ruh:5,mean,propagate",
    "sbh",
    "template:(u,e),(u),()",
    "gibbons",
    "downey",
    "downey:mean",
    "mixture",
    "mixture:median",
];

/// The one that knows the future, and says so.
const ORACLE: &str = "perfect";

/// What is asked at a moment. `LOG` and `AT` are filled in.
const QUESTIONS: [&str; 5] = [
    "when LOG --at AT -n 16 -t 2h --trials 60 --method trees:120,refit=40,draws=3,simulated:4,knn:100,past:50,ibl:100",
    "when LOG --at AT -n 3 -t 20m --trials 40 --method qbets,ranges:60,quick:100,planned,downey,trees:100,refit=30,simulate=no",
    "advise LOG --at AT -n 16 -t 2h --later 1h --trials 40 --method trees:120,refit=40,draws=3,past:50",
    "allocate LOG --at AT --runs 4=2h,16=40m --draws 10 --calibrate 30 --check 10",
    "metaschedule sites.toml -n 16 -t 2h --at AT",
];

/// What is also asked where the log is accounting: by the site's own scheduler.
const AT_SITE: [&str; 2] = [
    "when LOG --site site --at AT -n 16 -t 2h -q part2 -u user4 --trials 5",
    "advise LOG --site site --at AT -n 16 -t 2h -q part2 -u user4 --trials 5 --later 1h",
];

/// The site of the accounting: one node, on which all of its jobs ran.
const SITE: &str = "\
ClusterName=toy
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
NodeName=n1 CPUs=64 RealMemory=64000
PartitionName=part1 Nodes=n1 Default=YES
PartitionName=part2 Nodes=n1
PartitionName=part3 Nodes=n1
";

fn questions(log: &Recording) -> impl Iterator<Item = &'static str> {
    let is_accounting = log.form == Form::Sacct;
    QUESTIONS.into_iter().chain(AT_SITE.into_iter().filter(move |_| is_accounting))
}

/// From which job on forecasts are scored: from the first, since which is the twentieth to start may depend on what comes later.
const FROM: usize = 1;

/// What a log answers.
struct Answers {
    /// By question and format.
    said: BTreeMap<String, String>,
    /// What was said of each wait and of each run time.
    scored: [String; 2],
}

fn score(folder: &Folder, what: &str, file: &str, methods: &[&str]) -> String {
    let line = format!("score {what} {file} --from {FROM} --no-plot --quiet --predictions said.csv --method");
    let mut command = folder.queuecast(&line);
    command.arg(methods.join(",")).env("RAYON_NUM_THREADS", "1").assert().success();
    folder.read("said.csv")
}

fn folder_of(log: &Recording) -> Folder {
    let folder = Folder::with(log.file(), log.text());
    let sites = format!("[[site]]\nname = \"one\"\ntrace = \"{}\"\n", log.file());
    fs::write(folder.path("sites.toml"), sites).unwrap();
    fs::create_dir(folder.path("site")).unwrap();
    fs::write(folder.path("site").join("slurm.conf"), SITE).unwrap();
    folder
}

/// At the first moment of a log answers are asked for in both formats, then in one after the other: both say the same.
fn formats(place: usize) -> &'static [&'static str] {
    match place {
        0 => &["text", "json"],
        one if one % 2 == 0 => &["text"],
        _ => &["json"],
    }
}

/// The answers at a moment, and the scores.
fn ask(log: &Recording, (at, formats): (i64, &[&str]), scores: Option<&[String; 2]>) -> Answers {
    let folder = folder_of(log);
    let mut said = BTreeMap::new();
    for question in questions(log) {
        for format in formats {
            let line = question.replace("LOG", log.file()).replace("AT", &log.moment(at).to_string());
            let mut command = folder.queuecast(&format!("{line} --quiet --format {format}"));
            let shown = command.env("RAYON_NUM_THREADS", "1").output().unwrap();
            let mut text = String::from_utf8_lossy(&shown.stdout).into_owned();
            if !shown.status.success() {
                text += &format!("failed: {}", String::from_utf8_lossy(&shown.stderr));
            }
            said.insert(format!("{question} --format {format}"), text);
        }
    }
    let scored = scores.cloned().unwrap_or_else(|| {
        [
            score(&folder, "wait", log.file(), WAIT_METHODS),
            score(&folder, "runtime", log.file(), RUNTIME_METHODS),
        ]
    });
    Answers { said, scored }
}

/// What differs, and how much was compared.
#[derive(Default)]
struct Findings {
    different: Vec<String>,
    comparisons: usize,
    rows: usize,
}

impl Findings {
    fn add(&mut self, log: &Recording, at: i64, name: &str, before: &Answers, after: &Answers) {
        let place = format!("{}, {at} s, {name}", log.name);
        for (question, answer) in &before.said {
            self.comparisons += 1;
            if let Some(difference) = first_difference(answer, &after.said[question]) {
                self.different.push(format!("{place}: {question}: {difference}"));
            }
        }
        for (what, (before, after)) in ["wait", "runtime"].iter().zip(before.scored.iter().zip(&after.scored))
        {
            let (found, methods, rows) = differences(before, after, log.moment(at));
            self.comparisons += methods;
            self.rows += rows;
            self.different.extend(found.iter().map(|found| format!("{place}: score {what}: {found}")));
        }
    }
}

/// Moments at which each log is asked.
const MOMENTS: usize = 5;

const LOGS: usize = 3;

/// Whether a log is altered at a moment in a way: the cut and everything at once at one moment of each log, each other way at one
/// moment of one log; where tests are thorough all ways at all moments of all logs.
fn is_altered(log: usize, moment: usize, way: usize) -> bool {
    let is_on_all = way == 0 || way == ALTERATIONS.len() - 1;
    let is_here = (is_on_all || way % LOGS == log) && (log + way) % MOMENTS == moment;
    is_here || std::env::var_os("QUEUECAST_THOROUGH").is_some()
}

#[test]
fn each_way_is_tried_on_a_log_and_each_log_at_most_moments() {
    let ways = 0..ALTERATIONS.len();
    let logs_of =
        |way: usize| (0..LOGS).filter(|&log| (0..MOMENTS).any(|moment| is_altered(log, moment, way))).count();
    assert!(ways.clone().all(|way| logs_of(way) >= 1));
    assert_eq!(["cut", "everything"], [ALTERATIONS[0].0, ALTERATIONS[ALTERATIONS.len() - 1].0]);
    assert_eq!([logs_of(0), logs_of(ALTERATIONS.len() - 1)], [LOGS; 2]);
    let is_asked = |log: usize, moment: usize| ways.clone().any(|way| is_altered(log, moment, way));
    assert!((0..MOMENTS).all(|moment| (0..LOGS).filter(|&log| is_asked(log, moment)).count() >= 2));
    assert!((0..LOGS).all(|log| (0..MOMENTS).filter(|&moment| is_asked(log, moment)).count() >= 4));
}

/// Alters the future of each log in all ways, and compares.
fn compare(logs: &[Recording]) -> Findings {
    let mut work = Vec::new();
    for (log, seed) in logs.iter().zip(0_u64..) {
        for (place, at) in log.moments(MOMENTS).into_iter().enumerate() {
            work.push((log, (at, formats(place)), seed * 1_000_003 + at as u64));
        }
    }
    let scores: BTreeMap<&str, [String; 2]> =
        in_parallel(logs, |log| (log.name, ask_scores(log))).into_iter().collect();
    let before = in_parallel(&work, |&(log, asked, _)| ask(log, asked, Some(&scores[log.name])));
    let all = (0..work.len()).flat_map(|place| (0..ALTERATIONS.len()).map(move |way| (place, way)));
    let altered: Vec<(usize, usize)> =
        all.filter(|&(place, way)| is_altered(place / MOMENTS, place % MOMENTS, way)).collect();
    let found = in_parallel(&altered, |&(place, way)| {
        let ((log, (at, formats), seed), (name, alter)) = (work[place], ALTERATIONS[way]);
        let mut changed = log.clone();
        alter(&mut changed, at, &mut Numbers::new(seed + way as u64));
        assert_ne!(changed.text(), log.text(), "{}, {at} s: {name} alters nothing", log.name);
        assert_eq!(changed.known(at), log.known(at), "{}, {at} s: {name} alters the past", log.name);
        let mut findings = Findings::default();
        findings.add(log, at, name, &before[place], &ask(&changed, (at, formats), None));
        findings
    });
    let mut all = Findings::default();
    for (answers, (log, (at, _), _)) in before.iter().zip(&work) {
        // The same failure everywhere would compare as equal.
        let failed = answers.said.iter().filter(|(_, text)| text.contains("failed: "));
        let failed = failed.map(|(question, text)| format!("{}, {at} s: {question}: {text}", log.name));
        all.different.extend(failed);
    }
    for one in found {
        all.different.extend(one.different);
        all.comparisons += one.comparisons;
        all.rows += one.rows;
    }
    all
}

fn ask_scores(log: &Recording) -> [String; 2] {
    let folder = folder_of(log);
    [score(&folder, "wait", log.file(), WAIT_METHODS), score(&folder, "runtime", log.file(), RUNTIME_METHODS)]
}

/// Does this with each on all cores; results in order.
fn in_parallel<T: Sync, R: Send>(items: &[T], work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let (next, done) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    let cores = std::thread::available_parallelism().map_or(2, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..cores {
            scope.spawn(|| {
                while let Some((place, item)) =
                    items.iter().enumerate().nth(next.fetch_add(1, Ordering::Relaxed))
                {
                    let result = work(item);
                    done.lock().unwrap().push((place, result));
                }
            });
        }
    });
    let mut done = done.into_inner().unwrap();
    done.sort_by_key(|(place, _)| *place);
    done.into_iter().map(|(_, result)| result).collect()
}

/// Says how much was compared, and fails with what differs.
#[allow(clippy::print_stdout)] // how much was compared is published
fn judge(found: &Findings, begun: Instant, expected: usize) {
    let Findings { different, comparisons, rows } = found;
    let seconds = begun.elapsed().as_secs();
    println!(
        "{comparisons} comparisons, {rows} rows of predictions, in {seconds} s; {} differ",
        different.len()
    );
    let shown: Vec<&str> = different.iter().take(200).map(String::as_str).collect();
    assert!(different.is_empty(), "{} of {comparisons} differ:\n{}", different.len(), shown.join("\n"));
    assert_eq!(*comparisons, expected);
    assert!(*rows > 100 * expected, "{rows} rows");
}

/// How much is compared: for each alteration at a moment the answers, at the first moment in two formats, and what each method said,
/// the baselines that are added among them.
fn expected(logs: &[Recording]) -> usize {
    let methods = WAIT_METHODS.len() + 1 + RUNTIME_METHODS.len() + 1;
    let at = |log: usize, moment: usize| {
        let ways = (0..ALTERATIONS.len()).filter(|&way| is_altered(log, moment, way)).count();
        ways * (formats(moment).len() * questions(&logs[log]).count() + methods)
    };
    (0..logs.len())
        .flat_map(|log| (0..MOMENTS).map(move |moment| (log, moment)))
        .map(|(log, moment)| at(log, moment))
        .sum()
}

#[test]
fn no_answer_depends_on_what_comes_later() {
    let begun = Instant::now();
    let logs = recordings(150);
    judge(&compare(&logs), begun, expected(&logs));
}

/// The test above on segments of real logs; takes minutes.
#[test]
#[ignore = "takes minutes: cargo test -p queuecast-cli --test cli altered_future -- --ignored --nocapture"]
fn no_answer_on_real_logs_depends_on_what_comes_later() {
    let begun = Instant::now();
    let logs = logs::real();
    assert!(logs.is_empty() || logs.len() == LOGS, "all three or none");
    judge(&compare(&logs), begun, expected(&logs));
}

#[test]
fn every_method_is_asked() {
    let named =
        |methods: &[&str], name: &str| methods.iter().any(|method| method.split(':').next() == Some(name));
    for form in WaitMethod::forms() {
        assert!(named(WAIT_METHODS, form.name), "{}", form.name);
    }
    for form in PredictorSpec::forms() {
        assert!(named(RUNTIME_METHODS, form.name) || form.name == ORACLE, "{}", form.name);
    }
}

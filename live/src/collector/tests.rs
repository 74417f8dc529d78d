//! A site of prepared answers is followed.

use std::cell::RefCell;

use super::*;
use crate::store::SqliteStore;

/// Answers by program, and what was asked.
struct Prepared {
    queue: RefCell<String>,
    accounting: RefCell<Result<String, String>>,
    asked: RefCell<Vec<String>>,
}

impl Prepared {
    fn new(accounting: &str) -> Prepared {
        let accounting = RefCell::new(Ok(accounting.to_owned()));
        Prepared { queue: RefCell::default(), accounting, asked: RefCell::default() }
    }
}

const TITLES: &str = "JobIDRaw\x1fJobID\x1fSubmit\x1fEnd\n";

impl Ask for Prepared {
    fn ask(&self, command: &DeclaredCommand) -> Result<String, AskFailed> {
        self.asked.borrow_mut().push(command.line());
        match command.program {
            "squeue" => Ok(self.queue.borrow().clone()),
            "sinfo" => Ok("c1|4/0/0/4|batch|up|1:00:00|1-infinite|UNLIMITED|1\n".to_owned()),
            _ => self.accounting.borrow().clone().map(|rows| format!("{TITLES}{rows}")).map_err(AskFailed),
        }
    }
}

fn queued(job: &str, state: &str) -> String {
    format!("{job}|{state}|4|1:00:00|0:00|5|ann|900|batch||bio|normal|(null)|N/A|(null)|Priority\n")
}

/// What `sacct` was asked for: from when, and which jobs.
fn windows(slurm: &Prepared) -> Vec<(i64, Option<String>)> {
    let asked = slurm.asked.borrow();
    let sacct = asked.iter().filter_map(|line| line.strip_prefix("sacct -S uts"));
    let window = |rest: &str| {
        let from = rest.split(' ').next().unwrap().parse().unwrap();
        (from, rest.split_once(" -j ").map(|(_, jobs)| jobs.to_owned()))
    };
    sacct.map(window).collect()
}

fn settings() -> CollectorSettings {
    CollectorSettings {
        history: Seconds(20_000),
        window: Seconds(10_000),
        accounting_every: Seconds(1200),
        keep_looks: Seconds(100_000),
    }
}

#[test]
fn history_goes_on_where_it_was_left() {
    let folder = tempfile::tempdir().unwrap();
    let mut store = SqliteStore::open(&folder.path().join("s")).unwrap();
    let slurm = Prepared::new("");
    let mut collector = Collector::new(&mut store, "one", settings()).unwrap();
    // Ended after the first window, as by Ctrl-C.
    let first = collector.round(&slurm, Time(100_000), &mut |_| false).unwrap();
    assert_eq!(first.history.unwrap().until, Some(Time(90_000)));
    let second = collector.round(&slurm, Time(100_100), &mut |_| true).unwrap();
    assert_eq!(second.history.unwrap().until, Some(Time(100_100)));
    assert_eq!(collector.round(&slurm, Time(100_200), &mut |_| true).unwrap().history, None);
    // With an overlap of five minutes each; the last window is of a hundred seconds.
    let from: Vec<i64> = windows(&slurm).iter().map(|one| one.0).collect();
    assert_eq!(from, [79_700, 89_700, 99_700]);
    // Accounting that is down leaves no gap.
    *slurm.accounting.borrow_mut() = Err("slurmdbd is down".into());
    let down = collector.round(&slurm, Time(101_400), &mut |_| true).unwrap();
    assert_eq!((down.failures, down.look), (vec!["sacct: slurmdbd is down".to_owned()], Some((4, 0))));
    *slurm.accounting.borrow_mut() = Ok(String::new());
    collector.round(&slurm, Time(109_000), &mut |_| true).unwrap();
    assert_eq!(windows(&slurm).last().unwrap().0, 99_800);
    // A clock that is set back an hour.
    let back = collector.round(&slurm, Time(105_400), &mut |_| true).unwrap();
    assert_eq!(
        (back.history.unwrap().until, windows(&slurm).last().unwrap().0),
        (Some(Time(105_400)), 103_900)
    );
}

#[test]
fn jobs_that_ended_unnoticed_are_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    let mut store = SqliteStore::open(&folder.path().join("s")).unwrap();
    let rows = |jobs: &[(u32, &str, i64)]| -> String {
        jobs.iter().map(|(id, name, submit)| format!("{id}\x1f{name}\x1f{submit}\x1fUnknown\n")).collect()
    };
    let slurm = Prepared::new(&rows(&[
        (7, "7", 99_000),
        (8, "6_1", 99_000),
        (9, "9_[3-5]", 99_000),
        (10, "10", 99_900),
    ]));
    *slurm.queue.borrow_mut() = queued("6_1", "RUNNING") + &queued("9_4", "PENDING");
    let mut collector = Collector::new(&mut store, "one", settings()).unwrap();
    collector.round(&slurm, Time(100_000), &mut |_| true).unwrap();
    // 7 is gone; 10 is gone too, and may not be recorded yet; 6_1 and tasks of 9 are there.
    assert_eq!(windows(&slurm).last().unwrap(), &(98_700, Some("7".to_owned())));
    *slurm.accounting.borrow_mut() = Ok("7\x1f7\x1f99000\x1f99500\n".to_owned());
    collector.round(&slurm, Time(101_200), &mut |_| true).unwrap();
    let cluster = store.cluster("one").unwrap();
    let open: Vec<String> = store.open_jobs(cluster).unwrap().into_iter().map(|job| job.name).collect();
    assert_eq!(open, ["10", "9_[3-5]", "6_1"], "7 has ended");
}

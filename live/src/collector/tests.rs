//! A site of prepared answers is followed.

use std::cell::RefCell;

use super::*;
use crate::store::{SqlStore, StoreLocation};

/// Answers by program, and what was asked.
struct Prepared {
    queue: RefCell<String>,
    /// What describes the site, by the last word of its command; nothing is not allowed.
    described: Vec<(&'static str, &'static str)>,
    accounting: RefCell<Result<String, String>>,
    asked: RefCell<Vec<String>>,
}

impl Prepared {
    fn new(accounting: &str) -> Prepared {
        let accounting = RefCell::new(Ok(accounting.to_owned()));
        Prepared { queue: RefCell::default(), described: Vec::new(), accounting, asked: RefCell::default() }
    }
}

const TITLES: &str = "JobIDRaw\x1fJobID\x1fSubmit\x1fEnd\n";

impl Ask for Prepared {
    fn ask(&self, command: &DeclaredCommand) -> Result<String, AskFailed> {
        self.asked.borrow_mut().push(command.line());
        match command.program {
            "squeue" => Ok(self.queue.borrow().clone()),
            "scontrol" | "sacctmgr" | "sshare" => {
                let line = command.line();
                let found = self.described.iter().find(|one| line.contains(one.0));
                found.map(|one| one.1.to_owned()).ok_or_else(|| AskFailed("access denied".to_owned()))
            }
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
        texts_every: None,
        keep_looks: Seconds(100_000),
    }
}

#[test]
fn history_goes_on_where_it_was_left() {
    let folder = tempfile::tempdir().unwrap();
    let mut store = SqlStore::open(&StoreLocation::File(folder.path().join("s"))).unwrap();
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
    let mut store = SqlStore::open(&StoreLocation::File(folder.path().join("s"))).unwrap();
    let rows = |jobs: &[(u32, &str, i64)]| -> String {
        jobs.iter().map(|(id, name, submit)| format!("{id}\x1f{name}\x1f{submit}\x1fUnknown\n")).collect()
    };
    let slurm = Prepared::new(&rows(&[
        (7, "7", 99_000),
        (6, "6_1", 99_000),
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

#[test]
fn new_jobs_are_asked_for_once_and_not_before_they_could_start() {
    let folder = tempfile::tempdir().unwrap();
    let mut store = SqlStore::open(&StoreLocation::File(folder.path().join("s"))).unwrap();
    let slurm = Prepared::new("");
    let mut collector = Collector::new(&mut store, "one", settings()).unwrap();
    collector.round(&slurm, Time(100_000), &mut |_| true).unwrap();
    let held = queued("8", "PENDING").replace("Priority", "JobHeldUser");
    *slurm.queue.borrow_mut() = queued("7", "PENDING") + &queued("9_4", "PENDING") + &held;
    *slurm.accounting.borrow_mut() =
        Ok("7\x1f7\x1f900\x1fUnknown\n9\x1f9_[4]\x1f900\x1fUnknown\n".to_owned());
    slurm.asked.borrow_mut().clear();
    for at in [100_120, 100_240] {
        collector.round(&slurm, Time(at), &mut |_| true).unwrap();
    }
    assert_eq!(windows(&slurm), [(600, Some("7,9".to_owned()))]);
    let count = |program: &str| slurm.asked.borrow().iter().filter(|line| line.starts_with(program)).count();
    assert_eq!((count("squeue"), count("sinfo"), count("sacct ")), (2, 2, 1));
}

#[test]
fn a_job_asked_for_in_vain_is_asked_for_again_when_it_is_twice_as_old() {
    let folder = tempfile::tempdir().unwrap();
    let mut store = SqlStore::open(&StoreLocation::File(folder.path().join("s"))).unwrap();
    let slurm = Prepared::new("");
    let mut collector = Collector::new(&mut store, "one", settings()).unwrap();
    collector.round(&slurm, Time(1_000), &mut |_| true).unwrap();
    // It was submitted at 900, and accounting never has it.
    *slurm.queue.borrow_mut() = queued("7", "PENDING");
    slurm.asked.borrow_mut().clear();
    let mut asked_at = Vec::new();
    let mut before = AskedJobs::default();
    for at in (1_000..1_600).step_by(50) {
        let mut collector = Collector::new(&mut store, "one", settings()).unwrap().after(before);
        collector.round(&slurm, Time(at), &mut |_| true).unwrap();
        before = collector.asked();
        if windows(&slurm).iter().any(|window| window.1.is_some()) {
            asked_at.push(at);
        }
        slurm.asked.borrow_mut().clear();
    }
    assert_eq!(asked_at, [1_000, 1_100, 1_300]);
}

/// How many tasks of an array may run at once, of which accounting does not tell yet.
#[test]
fn arrays_that_cannot_start_yet_are_asked_about_once() {
    let folder = tempfile::tempdir().unwrap();
    let mut store = SqlStore::open(&StoreLocation::File(folder.path().join("s"))).unwrap();
    let hourly = CollectorSettings { texts_every: Some(Seconds(3600)), ..settings() };
    let slurm = Prepared::new("9\x1f9_[1-2%5]\x1f900\x1fUnknown\n");
    let mut collector = Collector::new(&mut store, "one", hourly).unwrap();
    let waits = |job: &str| queued(job, "PENDING").replace("Priority", "Dependency");
    let asked = |slurm: &Prepared| {
        let lines = slurm.asked.borrow();
        lines.iter().filter(|line| line.contains("%F|%K")).cloned().collect::<Vec<_>>()
    };
    *slurm.queue.borrow_mut() = waits("7") + &waits("9_1") + &queued("6_1", "RUNNING");
    collector.round(&slurm, Time(100_000), &mut |_| true).unwrap();
    assert!(asked(&slurm).is_empty(), "9 is accounted for, 7 is no array, and 6 does not wait");
    *slurm.queue.borrow_mut() = waits("8_1") + &waits("8_2") + &waits("12_1") + &waits("9_1");
    collector.round(&slurm, Time(100_120), &mut |_| true).unwrap();
    assert_eq!(asked(&slurm), ["squeue -h -a -t PENDING -o '%F|%K' -j 8,12"]);
    // The prepared program prints its queue, of which nothing is an array with a limit; each is asked about once.
    *slurm.queue.borrow_mut() = "8|1-2%3\n12|1\n".to_owned();
    let told = collector.arrays(&slurm, &(waits("8_1") + &waits("12_1")), Time(100_240)).unwrap();
    assert_eq!((told, asked(&slurm).len()), (None, 2));
    collector.arrays(&slurm, &(waits("8_1") + &waits("12_1")), Time(100_360)).unwrap();
    assert_eq!(asked(&slurm).len(), 2);
    let cluster = store.cluster("one").unwrap();
    let kept = store.texts_at(cluster, Time(100_400)).unwrap().remove(declared::ARRAYS_FILE);
    let throttles: Vec<(u64, u32)> = declared::throttles_kept(kept.as_deref()).into_iter().collect();
    assert_eq!(throttles, [(8, 3), (12, 0)]);
}

/// `scontrol update ArrayTaskThrottle` shows in what waits and runs: then it is asked for, and not again while that goes with the answer.
#[test]
fn a_changed_throttle_is_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    let mut store = SqlStore::open(&StoreLocation::File(folder.path().join("s"))).unwrap();
    let hourly = CollectorSettings { texts_every: Some(Seconds(3600)), ..settings() };
    let slurm = Prepared::new("9\x1f9_[1-6%1]\x1f900\x1fUnknown\n");
    let mut collector = Collector::new(&mut store, "one", hourly).unwrap();
    let task = |job: &str, why: &str| match why {
        "" => queued(job, "RUNNING"),
        why => queued(job, "PENDING").replace("Priority", why),
    };
    *slurm.queue.borrow_mut() = task("9_1", "") + &task("9_2", "Priority");
    collector.round(&slurm, Time(100_000), &mut |_| true).unwrap();
    let mut at = 100_000;
    let mut asked = |answer: &str, seen: &[(&str, &str)]| {
        at += 120;
        slurm.asked.borrow_mut().clear();
        *slurm.queue.borrow_mut() = answer.to_owned();
        let queue: String = seen.iter().map(|one| task(one.0, one.1)).collect();
        assert_eq!(collector.arrays(&slurm, &queue, Time(at)).unwrap(), None);
        slurm.asked.borrow().len()
    };
    let (limited, full) = ("JobArrayTaskLimit", "Resources");
    assert_eq!(asked("", &[("9_1", ""), ("9_2", full)]), 0, "accounting tells of it");
    assert_eq!(asked("9|2-6%1\n", &[("9_1", ""), ("9_2", limited)]), 1);
    assert_eq!(asked("", &[("9_1", ""), ("9_2", limited)]), 0, "as it was told");
    assert_eq!(asked("9|3-6%3\n", &[("9_1", ""), ("9_2", ""), ("9_3", full)]), 1, "more run");
    assert_eq!(asked("", &[("9_1", ""), ("9_2", ""), ("9_3", full)]), 0);
    assert_eq!(asked("9|3-6%2\n", &[("9_1", ""), ("9_2", ""), ("9_3", limited)]), 1, "fewer may");
    assert_eq!(asked("9|3-6\n", &[("9_1", ""), ("9_2", ""), ("9_3", full)]), 1, "as many as there is room");
    let cluster = store.cluster("one").unwrap();
    let kept = store.texts_at(cluster, Time(at)).unwrap().remove(declared::ARRAYS_FILE);
    assert_eq!(declared::throttles_kept(kept.as_deref()).get(&9), Some(&0));
}

#[test]
fn a_site_is_described_every_hour_and_what_is_not_allowed_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let mut store = SqlStore::open(&StoreLocation::File(folder.path().join("s"))).unwrap();
    let hourly = CollectorSettings { texts_every: Some(Seconds(3600)), ..settings() };
    let mut slurm = Prepared::new("");
    let mut collector = Collector::new(&mut store, "one", hourly).unwrap();
    let denied = collector.round(&slurm, Time(100_000), &mut |_| true).unwrap();
    assert_eq!(denied.failures, ["scontrol show config: access denied"]);
    slurm.described = vec![
        (
            "show config",
            "Configuration data as of 2026\nClusterName = one\nAccountingStorageType = accounting_storage/none\n",
        ),
        ("partition", "PartitionName=batch\n   Nodes=c1 State=UP\n"),
        ("node", "NodeName=c1 Arch=x86_64 CoresPerSocket=1\n   CPUAlloc=0 CPUTot=4\n   State=IDLE\n"),
        ("reservation", "No reservations in the system\n"),
    ];
    let asked =
        |slurm: &Prepared| slurm.asked.borrow().iter().filter(|line| line.contains("show node")).count();
    collector.round(&slurm, Time(100_120), &mut |_| true).unwrap();
    assert_eq!(asked(&slurm), 0, "not again at once");
    let told = collector.round(&slurm, Time(103_600), &mut |_| true).unwrap();
    assert_eq!((asked(&slurm), told.failures), (1, Vec::<String>::new()));
    collector.round(&slurm, Time(103_720), &mut |_| true).unwrap();
    assert_eq!(asked(&slurm), 1);
    let cluster = store.cluster("one").unwrap();
    let names: Vec<String> = store.texts_at(cluster, Time(104_000)).unwrap().into_keys().collect();
    let known =
        ["scontrol-config.txt", "scontrol-node.txt", "scontrol-partition.txt", "scontrol-reservation.txt"];
    assert_eq!(names, known);
    assert!(store.texts_at(cluster, Time(103_599)).unwrap().is_empty());
}

/// A maintenance that is announced counts from the next look on, and no command is asked twice at a look.
#[test]
fn reservations_are_asked_for_at_every_look() {
    let folder = tempfile::tempdir().unwrap();
    let mut store = SqlStore::open(&StoreLocation::File(folder.path().join("s"))).unwrap();
    let hourly = CollectorSettings { texts_every: Some(Seconds(3600)), ..settings() };
    let none = "No reservations in the system\n";
    let mut slurm = Prepared::new("");
    slurm.described = vec![
        (
            "show config",
            "Configuration data as of 2026\nClusterName = one\nAccountingStorageType = accounting_storage/none\n",
        ),
        ("partition", "PartitionName=batch\n   Nodes=c1 State=UP\n"),
        ("node", "NodeName=c1 Arch=x86_64 CoresPerSocket=1\n   CPUAlloc=0 CPUTot=4\n   State=IDLE\n"),
        ("reservation", none),
    ];
    let asked = |slurm: &Prepared| {
        let mut asked = std::mem::take(&mut *slurm.asked.borrow_mut());
        asked.retain(|line| line.starts_with("scontrol"));
        asked
    };
    let mut collector = Collector::new(&mut store, "one", hourly).unwrap();
    collector.round(&slurm, Time(100_000), &mut |_| true).unwrap();
    let first = asked(&slurm);
    assert_eq!(first.iter().filter(|line| line.contains("reservation")).count(), 1, "{first:?}");
    let maintenance = "ReservationName=maint StartTime=101000 EndTime=109000\n   Nodes=c1 Flags=MAINT\n";
    slurm.described[3].1 = maintenance;
    collector.round(&slurm, Time(100_120), &mut |_| true).unwrap();
    assert_eq!(asked(&slurm), ["scontrol -a show reservation"]);
    // What is no answer is told, and what was known stays.
    slurm.described[3].1 = "slurm_load_reservations error: no";
    let told = collector.round(&slurm, Time(100_240), &mut |_| true).unwrap();
    assert_eq!(told.failures.len(), 1, "{told:?}");
    let cluster = store.cluster("one").unwrap();
    let known = |at: i64| store.texts_at(cluster, Time(at)).unwrap()["scontrol-reservation.txt"].clone();
    assert_eq!([known(100_119), known(100_120), known(100_240)], [none, maintenance, maintenance]);
    assert_eq!(
        store.texts_kept(cluster).unwrap(),
        Some(Time(100_000)),
        "the rest is asked for within the hour"
    );
}

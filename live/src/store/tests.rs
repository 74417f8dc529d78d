//! A store is filled, read, and refused: the same on SQLite and on PostgreSQL.

use std::collections::{BTreeMap, HashSet};

use queuecast_core::units::Time;

use super::test_place::{TestPlace, on_every_store};
use super::*;
use crate::forecasts::{JobForecast, WaitEnd};
use queuecast_place::{ShadowCounts, ShadowMiss};

on_every_store! {
    every_look_comes_back_as_it_was,
    the_same_look_twice_is_one,
    a_failed_look_is_told_until_the_next_one,
    accounting_is_known_once_by_its_newest_rows,
    old_looks_are_forgotten_and_the_others_stay,
    the_last_forecasts_come_back_as_they_were_said,
    texts_of_a_site_are_as_they_were_at_a_moment,
    recent_accounting_has_the_jobs_that_are_named_too,
    what_was_computed_of_the_last_looks_is_kept,
    looks_are_read_while_others_are_written,
    hostile_texts_come_back,
    what_became_of_jobs_is_noted_once,
    many_rows_are_each_counted_once,
    compared_decisions_are_counted_once,
}

const NODES: &str = "c1|4/0/0/4|batch|up|1:00:00|1-infinite|UNLIMITED|1\n";

fn line(job: u32, state: &str, priority: u32, start: &str) -> String {
    format!(
        "{job}|{state}|4|1:00:00|0:00|{priority}|ann|900|batch||bio|normal|(null)|{start}|(null)|Priority\n"
    )
}

fn look(at: i64, lines: &[String]) -> Look {
    Look { at: Time(at), queue: lines.concat(), nodes: NODES.to_owned() }
}

fn history(store: &SqlStore, cluster: ClusterNumber, at: i64) -> String {
    let mut text = Vec::new();
    store.write_history(cluster, Time(at), &mut text).unwrap();
    String::from_utf8(text).unwrap()
}

fn every_look_comes_back_as_it_was(place: &TestPlace) {
    let (mut store, cluster) = place.store();
    let looks = [
        look(1000, &[line(1, "PENDING", 10, "1500"), line(2, "PENDING", 20, "N/A")]),
        look(1120, &[line(1, "PENDING", 11, "1600"), line(2, "RUNNING", 20, "1120")]),
        look(1240, &[line(2, "RUNNING", 20, "1120").replace("|0:00|", "|2:00|")]),
        look(1360, &[]),
        // A number that is used again.
        look(1480, &[line(2, "PENDING", 20, "N/A").replace("|900|", "|1400|")]),
    ];
    let changed: Vec<usize> = looks.iter().map(|look| store.add_look(cluster, look).unwrap().1).collect();
    assert_eq!(changed, [2, 1, 1, 1, 1]);
    for (number, look) in (1..).zip(&looks) {
        for later in [0, 60] {
            let found =
                store.look_at(cluster, look.at + queuecast_core::units::Seconds(later)).unwrap().unwrap();
            assert_eq!((found.number, &found.look), (number, look));
        }
    }
    assert_eq!(store.look_at(cluster, Time(999)).unwrap(), None);
    assert_eq!(store.last_look(cluster).unwrap(), Some(Time(1480)));
}

fn the_same_look_twice_is_one(place: &TestPlace) {
    let (mut store, cluster) = place.store();
    let first = look(1000, &[line(1, "PENDING", 10, "N/A"), line(3, "PENDING", 5, "N/A")]);
    let second = look(1120, &[line(1, "RUNNING", 10, "1100"), line(2, "PENDING", 5, "N/A")]);
    for look in [&first, &first, &second, &second] {
        store.add_look(cluster, look).unwrap();
    }
    assert_eq!(store.look_at(cluster, Time(1000)).unwrap().unwrap().look, first);
    let found = store.look_at(cluster, Time(1120)).unwrap().unwrap();
    assert_eq!(found.number, 2);
    assert_eq!(found.look.queue, second.queue.replace("|0:00|10", "|0:20|10"));
}

fn a_failed_look_is_told_until_the_next_one(place: &TestPlace) {
    let (mut store, cluster) = place.store();
    store.add_look(cluster, &look(1000, &[])).unwrap();
    let failure = FailedLook { at: Time(1120), why: "squeue: no answer".into() };
    store.add_failure(cluster, &failure).unwrap();
    assert_eq!(store.last_failure(cluster).unwrap(), Some(failure));
    store.add_look(cluster, &look(1240, &[])).unwrap();
    assert_eq!(store.last_failure(cluster).unwrap(), None);
}

fn accounting_is_known_once_by_its_newest_rows(place: &TestPlace) {
    let (mut store, cluster) = place.store();
    let add = |store: &mut SqlStore, text: &str, until: i64| {
        store.add_accounting(cluster, &AccountingRows::of(text).unwrap(), Some(Time(until))).unwrap()
    };
    let running = "JobIDRaw\x1fSubmit\x1fEnd\x1fJobID\n7\x1f900\x1fUnknown\x1fa\n9\x1f950\x1fUnknown\x1fb\n";
    let ended = "JobIDRaw\x1fSubmit\x1fEnd\x1fJobID\n7\x1f900\x1f1000\x1fa\n7\x1f1010\x1fUnknown\x1fa\n";
    assert_eq!(add(&mut store, running, 960), 2);
    assert_eq!(add(&mut store, ended, 1020), 2);
    assert_eq!(add(&mut store, ended, 1020), 0, "nothing is new the second time");
    let all = "JobIDRaw\x1fSubmit\x1fEnd\x1fJobID\n7\x1f900\x1f1000\x1fa\n7\x1f1010\x1fUnknown\x1fa\n9\x1f950\x1fUnknown\x1fb\n";
    assert_eq!(history(&store, cluster, 2000), all);
    assert_eq!(history(&store, cluster, 920), "JobIDRaw\x1fSubmit\x1fEnd\x1fJobID\n7\x1f900\x1f1000\x1fa\n");
    assert_eq!(store.history_until(cluster).unwrap(), Some(Time(1020)));
    let open: Vec<(u64, i64)> =
        store.open_jobs(cluster).unwrap().iter().map(|job| (job.id, job.submit.0)).collect();
    assert_eq!(open, [(7, 1010), (9, 950)]);
    // Another version of Slurm prints other columns.
    add(&mut store, "JobIDRaw\x1fEnd\x1fSubmit\x1fUser\x1fJobID\n9\x1f1100\x1f950\x1fann\x1f9\n", 1200);
    let mixed = "JobIDRaw\x1fEnd\x1fSubmit\x1fUser\x1fJobID\n7\x1f1000\x1f900\x1f\x1fa\n7\x1fUnknown\x1f1010\x1f\x1fa\n9\x1f1100\x1f950\x1fann\x1f9\n";
    assert_eq!(history(&store, cluster, 2000), mixed);
}

fn old_looks_are_forgotten_and_the_others_stay(place: &TestPlace) {
    let (mut store, cluster) = place.store();
    for step in 0..10 {
        let lines = [line(1, "PENDING", 10, "N/A"), line(10 + step, "PENDING", 5, "N/A")];
        store.add_look(cluster, &look(1000 + 100 * i64::from(step), &lines)).unwrap();
    }
    let before = store.look_at(cluster, Time(1700)).unwrap();
    assert_eq!(store.forget_looks(cluster, Time(1500)).unwrap(), 5);
    assert_eq!(store.look_at(cluster, Time(1499)).unwrap(), None);
    assert_eq!(store.look_at(cluster, Time(1700)).unwrap(), before);
    let lines: i64 = place.count(&store, "queued");
    assert_eq!(lines, 6, "the lines of forgotten looks are gone");
}

fn the_last_forecasts_come_back_as_they_were_said(place: &TestPlace) {
    use crate::forecasts::SaidSeconds;
    let (mut store, cluster) = place.store();
    let said = SaidSeconds { low: 0.0, median: 200.0, high: 500.0 };
    let forecast = |number: i64| JobForecast {
        job: format!("{number} 900"),
        at: Time(1_000 + number),
        submit: Time(900),
        partition: "batch".to_owned(),
        procs: 4,
        ahead: 2,
        said,
        unwidened: (number % 2 == 0).then_some(SaidSeconds { low: 100.0, high: 300.0, ..said }),
        slurm: None,
        past: None,
    };
    let all: Vec<JobForecast> = (0..9).map(forecast).collect();
    store.add_forecasts(cluster, &all).unwrap();
    let back = |since: i64, most: usize| -> Vec<JobForecast> {
        let found = store.last_forecasts(cluster, (Time(since), Time(1_006)), most).unwrap();
        found.into_iter().map(|one| one.forecast).collect()
    };
    assert_eq!(back(0, 3), all[4..7], "the last three by then, the first of them first");
    assert_eq!(back(1_005, 100), all[5..7]);
    let whole = store.forecasts(cluster, Time(0), Time(2_000)).unwrap();
    assert_eq!(whole.into_iter().map(|one| one.forecast).collect::<Vec<_>>(), all);
}

fn texts_of_a_site_are_as_they_were_at_a_moment(place: &TestPlace) {
    let (mut store, cluster) = place.store();
    assert_eq!(
        (store.texts_kept(cluster).unwrap(), store.texts_at(cluster, Time(9000)).unwrap().len()),
        (None, 0)
    );
    let texts = |pairs: &[(&str, &str)]| -> BTreeMap<String, String> {
        pairs.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned())).collect()
    };
    let first = texts(&[("config", "a=1"), ("qos", "normal")]);
    let second = texts(&[("config", "a=2"), ("nodes", "n1")]);
    store.keep_texts(cluster, Time(1000), &first).unwrap();
    store.keep_texts(cluster, Time(2000), &first).unwrap();
    store.keep_texts(cluster, Time(3000), &second).unwrap();
    assert_eq!(store.texts_at(cluster, Time(2999)).unwrap(), first);
    assert_eq!(store.texts_at(cluster, Time(3000)).unwrap(), second, "the QOS are gone");
    assert!(store.texts_at(cluster, Time(999)).unwrap().is_empty());
    assert_eq!(store.texts_kept(cluster).unwrap(), Some(Time(3000)));
    // What is as before is stored once: two texts, then one changed, one new and one gone.
    let rows: i64 = place.count(&store, "site_text");
    assert_eq!(rows, 5);
    // One text by itself: when all were remembered stays.
    assert!(!store.keep_text(cluster, Time(3500), ("config", "a=2")).unwrap(), "as before");
    assert!(store.keep_text(cluster, Time(3500), ("config", "a=3")).unwrap());
    let texts_by = |store: &SqlStore, at: i64| store.texts_at(cluster, Time(at)).unwrap();
    assert_eq!((&*texts_by(&store, 3500)["config"], &*texts_by(&store, 3499)["config"]), ("a=3", "a=2"));
    assert_eq!(store.texts_kept(cluster).unwrap(), Some(Time(3000)));
    // What was replaced before looks are kept is forgotten; what held then stays.
    store.forget_looks(cluster, Time(3200)).unwrap();
    assert_eq!((texts_by(&store, 3499), texts_by(&store, 2999).len()), (second, 0));
}

fn recent_accounting_has_the_jobs_that_are_named_too(place: &TestPlace) {
    let (mut store, cluster) = place.store();
    let rows = [(1, 100, "Unknown"), (2, 200, "250"), (3, 300, "Unknown"), (4, 400, "450")];
    let row = |(id, submit, end): &(u32, i64, &str)| format!("{id}\x1f{id}\x1f{submit}\x1f{end}\n");
    let text = "JobIDRaw\x1fJobID\x1fSubmit\x1fEnd\n".to_owned() + &rows.iter().map(row).collect::<String>();
    store.add_accounting(cluster, &AccountingRows::of(&text).unwrap(), None).unwrap();
    let recent = |between: (i64, i64), jobs: &[u64]| {
        let mut text = Vec::new();
        let between = (Time(between.0), Time(between.1));
        let count = store.write_recent(cluster, between, jobs, &mut text).unwrap();
        let ids: Vec<String> = String::from_utf8(text)
            .unwrap()
            .lines()
            .skip(1)
            .map(|line| line.split('\x1f').next().unwrap().to_owned())
            .collect();
        assert_eq!(count, ids.len());
        ids.join(" ")
    };
    assert_eq!(recent((300, 400), &[]), "3 4");
    assert_eq!(recent((300, 399), &[1, 3, 9]), "1 3");
    let before = |places: usize| store.submission_before(cluster, Time(399), places).unwrap();
    assert_eq!([0, 2, 3].map(before), [Some(Time(300)), Some(Time(100)), None]);
    assert_eq!(store.known_jobs(cluster, &[2, 5]).unwrap(), HashSet::from([2]));
}

fn what_was_computed_of_the_last_looks_is_kept(place: &TestPlace) {
    let (mut store, cluster) = place.store();
    for number in 1..=5 {
        store.add_look(cluster, &look(1000 + number, &[])).unwrap();
        store.keep_starts(cluster, number, &[number as u8]).unwrap();
    }
    let kept = |look: i64| store.starts_of(cluster, look).unwrap();
    assert_eq!([1, 2, 3, 5].map(kept), [None, None, Some(vec![3]), Some(vec![5])]);
}

fn looks_are_read_while_others_are_written(place: &TestPlace) {
    let (mut store, cluster) = place.store();
    store.add_look(cluster, &look(1000, &[line(1, "PENDING", 10, "N/A")])).unwrap();
    let reader = SqlStore::open_to_read(&place.location).unwrap();
    store.database.begin(Some(cluster)).unwrap();
    store.database.run("DELETE FROM look", &[]).unwrap();
    assert_eq!(reader.last_look(cluster).unwrap(), Some(Time(1000)));
    store.database.roll_back();
    assert_eq!(store.last_look(cluster).unwrap(), Some(Time(1000)));
    assert_eq!(reader.clusters().unwrap(), [("one".to_owned(), cluster)]);
    let mut reader = reader;
    assert!(matches!(reader.add_look(cluster, &look(2000, &[])), Err(StoreError::ReadOnly)));
}

fn hostile_texts_come_back(place: &TestPlace) {
    let (mut store, cluster) = place.store();
    let name = "a'b\"c\\d?1 $2 %s 💥\t{}\u{1}";
    let other = store.cluster(name).unwrap();
    assert_ne!(other, cluster);
    assert!(store.clusters().unwrap().contains(&(name.to_owned(), other)));
    let long = "x".repeat(1 << 20);
    let hostile = line(1, "PENDING", 10, "N/A").replace("bio", &format!("{name}{long}"));
    let looked = look(1000, &[hostile]);
    store.add_look(cluster, &looked).unwrap();
    assert_eq!(store.look_at(cluster, Time(1000)).unwrap().unwrap().look, looked);
    store.add_failure(cluster, &FailedLook { at: Time(1100), why: long.clone() }).unwrap();
    assert!(long.starts_with(&store.last_failure(cluster).unwrap().unwrap().why));
    assert_eq!(store.last_failure(other).unwrap(), None);
}

fn said(job: &str, at: i64) -> JobForecast {
    let said = crate::forecasts::SaidSeconds { low: 0.5, median: 200.0, high: 500.0 };
    JobForecast {
        job: job.to_owned(),
        at: Time(at),
        submit: Time(900),
        partition: "batch".to_owned(),
        procs: 4,
        ahead: 0,
        said,
        unwidened: None,
        slurm: Some(Time(1500)),
        past: Some(said),
    }
}

fn what_became_of_jobs_is_noted_once(place: &TestPlace) {
    let (mut store, cluster) = place.store();
    let waiting = |job: u32| line(job, "PENDING", 10, "N/A");
    store.add_look(cluster, &look(1000, &[waiting(1), waiting(2), waiting(3)])).unwrap();
    // While forecasts of a look were computed, a job started.
    store
        .add_look(
            cluster,
            &look(
                1120,
                &[line(1, "RUNNING", 10, "1100").replace("||bio", "|c1|bio"), waiting(2), waiting(3)],
            ),
        )
        .unwrap();
    store.add_forecasts(cluster, &[said("1 900", 1000), said("2 900", 1000), said("3 900", 1000)]).unwrap();
    let open = |store: &SqlStore| -> Vec<String> {
        store.open_forecasts(cluster).unwrap().into_iter().map(|one| one.0).collect()
    };
    let titles = "JobIDRaw\x1fJobID\x1fSubmit\x1fStart\x1fEnd\x1fState\x1fAllocCPUS\n";
    let rows = |text: &str| format!("{titles}{text}");
    let cancelled = rows("2\x1f2\x1f900\x1fNone\x1f1150\x1fCANCELLED\x1f0\n");
    store.add_accounting(cluster, &AccountingRows::of(&cancelled).unwrap(), None).unwrap();
    let later = rows("2\x1f2\x1f900\x1f1160\x1f1170\x1fCOMPLETED\x1f4\n");
    store.add_accounting(cluster, &AccountingRows::of(&later).unwrap(), None).unwrap();
    let ends = |at: i64| -> Vec<Option<WaitEnd>> {
        store.forecasts(cluster, Time(0), Time(at)).unwrap().into_iter().map(|one| one.outcome).collect()
    };
    let expected = [Some(WaitEnd::Started(Time(1100))), Some(WaitEnd::Withdrawn(Time(1150))), None];
    assert_eq!(ends(2000), expected, "what is known first stays");
    assert_eq!(ends(1099), [None, None, None], "what was not known yet is not told");
    assert_eq!(open(&store), ["3 900"]);
}

fn many_rows_are_each_counted_once(place: &TestPlace) {
    let (mut store, cluster) = place.store();
    let row = |job: i64| format!("{}\x1f{job}\x1f{}\x1fUnknown\n", job % 7_000, 100 + job % 3);
    let text = "JobIDRaw\x1fJobID\x1fSubmit\x1fEnd\n".to_owned() + &(0..30_000).map(row).collect::<String>();
    let rows = AccountingRows::of(&text).unwrap();
    // A row of a key that was there already replaces it: each of them differs by its name.
    assert_eq!(store.add_accounting(cluster, &rows, Some(Time(1))).unwrap(), 30_000);
    assert_eq!(store.open_jobs(cluster).unwrap().len(), 21_000);
    let again = store.add_accounting(cluster, &rows, Some(Time(0))).unwrap();
    assert_eq!(again, 18_000, "of keys with two rows each of both replaces the other");
    assert_eq!(store.history_until(cluster).unwrap(), Some(Time(1)));
    let known = store.known_jobs(cluster, &[1, 6_999, 7_000, u64::MAX >> 1]).unwrap();
    assert_eq!(known, HashSet::from([1, 6_999]));
}

#[test]
#[ignore = "measures time; run by scripts/test --thorough"]
#[expect(clippy::print_stdout, reason = "it says what it measures")]
fn measured_rows_a_second_and_looks_of_long_queues() {
    let window = |begin: i64| {
        let row = |job: i64| {
            let (submit, name) = (1_700_000_000 + job / 3, "x".repeat(40));
            let cells = format!(
                "{submit}\x1f{}\x1f{}\x1fCOMPLETED\x1f4\x1fann\x1fphysics\x1fbatch",
                submit + 300,
                submit + 900
            );
            format!("{job}\x1f{job}\x1f{cells}\x1fnormal\x1f(null)\x1f{name}\n")
        };
        let titles = "JobIDRaw\x1fJobID\x1fSubmit\x1fStart\x1fEnd\x1fState\x1fAllocCPUS\x1fUser\x1fAccount\x1fPartition\x1fQOS\x1fReason\x1fJobName\n";
        titles.to_owned() + &(begin..begin + 50_000).map(row).collect::<String>()
    };
    let places = [Some(TestPlace::file()), TestPlace::server()];
    for (place, name) in places.iter().zip(["SQLite", "PostgreSQL"]) {
        let Some(place) = place else { continue };
        let (mut store, cluster) = place.store();
        let took = |begun: std::time::Instant| begun.elapsed().as_secs_f64();
        let (mut loading, mut again) = (0.0, 0.0);
        for begin in [0, 50_000, 100_000, 150_000] {
            let text = window(begin);
            let rows = AccountingRows::of(&text).unwrap();
            let begun = std::time::Instant::now();
            assert_eq!(store.add_accounting(cluster, &rows, None).unwrap(), 50_000);
            loading += took(begun);
            let begun = std::time::Instant::now();
            assert_eq!(store.add_accounting(cluster, &rows, None).unwrap(), 0);
            again += took(begun);
        }
        let begun = std::time::Instant::now();
        let mut text = Vec::new();
        assert_eq!(store.write_history(cluster, Time(i64::MAX), &mut text).unwrap(), 200_000);
        let read = took(begun);
        let queue: Vec<String> = (0..100_000).map(|job| line(job, "PENDING", 10, "N/A")).collect();
        let begun = std::time::Instant::now();
        store.add_look(cluster, &look(1000, &queue)).unwrap();
        let first = took(begun);
        let begun = std::time::Instant::now();
        assert_eq!(store.add_look(cluster, &look(1120, &queue[500..])).unwrap().1, 500);
        let second = took(begun);
        println!(
            "{name}: {:.0} new rows a second, {:.0} known ones, {:.0} read; the first look of 100,000 lines {first:.1} s, the second {second:.1} s",
            200_000.0 / loading,
            200_000.0 / again,
            200_000.0 / read
        );
    }
}

fn compared_decisions_are_counted_once(place: &TestPlace) {
    let (mut store, cluster) = place.store();
    let counts = ShadowCounts { same_start: 2, later: 1, waited: 4, ..ShadowCounts::default() };
    let tally = |to: i64| ShadowTally {
        to: Time(to),
        groups: [(("all", "all".to_owned()), counts), (("qos", "high|\"".to_owned()), counts)].into(),
        misses: vec![ShadowMiss {
            job: "7_1".to_owned(),
            partition: "batch".to_owned(),
            at: Time(to),
            verdict: "later".to_owned(),
            started: Some(Time(to - 10)),
            simulated: None,
        }],
    };
    // The second one twice, and once more after a later one.
    for to in [7_300, 7_420, 7_420, 20_000, 7_420] {
        store.add_shadow(cluster, &tally(to)).unwrap();
    }
    let all = store.shadow(cluster, (Time(0), Time(20_000))).unwrap();
    let found: Vec<(&str, u64, u64)> =
        all.groups.iter().map(|one| (one.by.as_str(), one.intervals, one.counts.waited)).collect();
    assert_eq!(found, [("all", 3, 12), ("qos", 3, 12)]);
    assert_eq!(all.misses.iter().map(|one| one.at.0).collect::<Vec<_>>(), [20_000, 7_420, 7_300]);
    let early = store.shadow(cluster, (Time(7_200), Time(8_000))).unwrap();
    assert_eq!((early.groups[0].intervals, early.misses.len()), (2, 2));
    store.begin_shadow(cluster, Time(30_000)).unwrap();
    assert_eq!(store.shadow_begun(cluster).unwrap(), Some(Time(30_000)));
    assert_eq!(store.look_times(cluster, (Time(0), Time(9))).unwrap(), []);
    // They are kept as long as forecasts.
    store.forget_looks(cluster, Time(10_000)).unwrap();
    assert_eq!(store.shadow(cluster, (Time(0), Time(20_000))).unwrap(), all);
    store.forget_looks(cluster, Time(400 * 86_400)).unwrap();
    assert_eq!(store.shadow(cluster, (Time(0), Time(20_000))).unwrap(), ShadowRecord::default());
}

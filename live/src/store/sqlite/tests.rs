//! A store is filled, read, and refused.

use super::*;

const NODES: &str = "c1|4/0/0/4|batch|up|1:00:00|1-infinite|UNLIMITED|1\n";

fn line(job: u32, state: &str, priority: u32, start: &str) -> String {
    format!(
        "{job}|{state}|4|1:00:00|0:00|{priority}|ann|900|batch||bio|normal|(null)|{start}|(null)|Priority\n"
    )
}

fn look(at: i64, lines: &[String]) -> Look {
    Look { at: Time(at), queue: lines.concat(), nodes: NODES.to_owned() }
}

fn store() -> (tempfile::TempDir, SqliteStore, ClusterNumber) {
    let folder = tempfile::tempdir().unwrap();
    let mut store = SqliteStore::open(&folder.path().join("store.sqlite")).unwrap();
    let cluster = store.cluster("one").unwrap();
    (folder, store, cluster)
}

#[test]
fn every_look_comes_back_as_it_was() {
    let (_folder, mut store, cluster) = store();
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

#[test]
fn the_same_look_twice_is_one() {
    let (_folder, mut store, cluster) = store();
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

#[test]
fn a_failed_look_is_told_until_the_next_one() {
    let (_folder, mut store, cluster) = store();
    store.add_look(cluster, &look(1000, &[])).unwrap();
    let failure = FailedLook { at: Time(1120), why: "squeue: no answer".into() };
    store.add_failure(cluster, &failure).unwrap();
    assert_eq!(store.last_failure(cluster).unwrap(), Some(failure));
    store.add_look(cluster, &look(1240, &[])).unwrap();
    assert_eq!(store.last_failure(cluster).unwrap(), None);
}

fn history(store: &SqliteStore, cluster: ClusterNumber, at: i64) -> String {
    let mut text = Vec::new();
    store.write_history(cluster, Time(at), &mut text).unwrap();
    String::from_utf8(text).unwrap()
}

#[test]
fn accounting_is_known_once_by_its_newest_rows() {
    let (_folder, mut store, cluster) = store();
    let add = |store: &mut SqliteStore, text: &str, until: i64| {
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

#[test]
fn old_looks_are_forgotten_and_the_others_stay() {
    let (_folder, mut store, cluster) = store();
    for step in 0..10 {
        let lines = [line(1, "PENDING", 10, "N/A"), line(10 + step, "PENDING", 5, "N/A")];
        store.add_look(cluster, &look(1000 + 100 * i64::from(step), &lines)).unwrap();
    }
    let before = store.look_at(cluster, Time(1700)).unwrap();
    assert_eq!(store.forget_looks(cluster, Time(1500)).unwrap(), 5);
    assert_eq!(store.look_at(cluster, Time(1499)).unwrap(), None);
    assert_eq!(store.look_at(cluster, Time(1700)).unwrap(), before);
    let lines: i64 = store.connection.query_row("SELECT count(*) FROM queued", [], |row| row.get(0)).unwrap();
    assert_eq!(lines, 6, "the lines of forgotten looks are gone");
}

#[test]
fn what_is_no_store_is_refused_and_left_as_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("other.sqlite");
    Connection::open(&file).unwrap().execute_batch("CREATE TABLE mine (a)").unwrap();
    assert!(matches!(SqliteStore::open(&file), Err(StoreError::Foreign)));

    let text = folder.path().join("text");
    std::fs::write(&text, "no database, but long enough to look like one\n".repeat(99)).unwrap();
    assert!(matches!(SqliteStore::open(&text), Err(StoreError::Damaged)));
    assert!(std::fs::read_to_string(&text).unwrap().starts_with("no database"));

    let newer = folder.path().join("newer.sqlite");
    drop(SqliteStore::open(&newer).unwrap());
    Connection::open(&newer).unwrap().pragma_update(None, "user_version", 99).unwrap();
    assert!(matches!(SqliteStore::open(&newer), Err(StoreError::Newer { found: 99, .. })));
    assert!(SqliteStore::open_to_read(&folder.path().join("none.sqlite")).is_err());
}

#[test]
fn a_store_is_read_while_it_is_written_to() {
    let (folder, mut store, cluster) = store();
    store.add_look(cluster, &look(1000, &[line(1, "PENDING", 10, "N/A")])).unwrap();
    let reader = SqliteStore::open_to_read(&folder.path().join("store.sqlite")).unwrap();
    let transaction = store.write().unwrap();
    transaction.execute("DELETE FROM look", []).unwrap();
    assert_eq!(reader.last_look(cluster).unwrap(), Some(Time(1000)));
    drop(transaction);
    assert_eq!(reader.clusters().unwrap(), [("one".to_owned(), cluster)]);
}

#[cfg(unix)]
#[test]
fn a_new_store_is_its_owners_alone_and_an_old_one_stays_as_it_is() {
    use std::os::unix::fs::PermissionsExt;
    let (folder, store, _) = store();
    let file = folder.path().join("store.sqlite");
    let mode = || std::fs::metadata(&file).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(), 0o600);
    drop(store);
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o644)).unwrap();
    drop(SqliteStore::open(&file).unwrap());
    assert_eq!(mode(), 0o644);
}

#[test]
fn the_last_forecasts_come_back_as_they_were_said() {
    use crate::forecasts::SaidSeconds;
    let folder = tempfile::tempdir().unwrap();
    let mut store = SqliteStore::open(&folder.path().join("s")).unwrap();
    let cluster = store.cluster("one").unwrap();
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

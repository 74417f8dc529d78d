//! Decisions of a made-up site beside those of its simulated scheduler.

use std::collections::BTreeMap;

use super::*;
use crate::look::Look;
use crate::rows::AccountingRows;
use crate::shadow_card::{ShadowCard, ShadowGroup, ShadowRecord};
use crate::store::{SqlStore, StoreLocation};
use queuecast_core::asking::Unheard;
use queuecast_place::ShadowCounts;

const BEGUN: i64 = 1_000_000;

/// A job of one user: its number, when it was submitted and started, for how long it ran, and its processors.
struct SiteJob {
    id: i64,
    submit: i64,
    start: i64,
    run: i64,
    procs: u32,
}

/// One node of four processors, one job of all four after the other, and two small jobs, which came first and wait to the end, since the
/// site prefers large ones.
fn jobs() -> Vec<SiteJob> {
    let large = (0..6).map(|at| SiteJob {
        id: at + 1,
        submit: BEGUN + 30 * at,
        start: BEGUN + 1 + 601 * at,
        run: 600,
        procs: 4,
    });
    let small =
        [11, 12].map(|id| SiteJob { id, submit: BEGUN + id, start: BEGUN + 1 + 601 * 6, run: 900, procs: 1 });
    large.chain(small).collect()
}

fn look(at: i64) -> Look {
    let mut queue = String::new();
    for job in jobs().iter().filter(|job| job.submit <= at && job.start + job.run > at) {
        let SiteJob { id, submit, start, procs, .. } = job;
        queue += &match *start <= at {
            true => format!(
                "{id}|RUNNING|{procs}|20:00|{}:{:02}|10|ann|{submit}|batch|c1|phys|normal|(null)|{start}|(null)|None\n",
                (at - start) / 60,
                (at - start) % 60
            ),
            false => format!(
                "{id}|PENDING|{procs}|20:00|0:00|10|ann|{submit}|batch||phys|normal|(null)|N/A|(null)|Priority\n"
            ),
        };
    }
    let nodes = "c1|4/0/0/4|batch|up|1-00:00:00|1-infinite|UNLIMITED|1\n";
    Look { at: Time(at), queue, nodes: nodes.to_owned() }
}

fn accounting() -> String {
    let mut text = "JobIDRaw|JobID|User|Account|Partition|State|Submit|Eligible|Start|End|TimelimitRaw|ReqCPUS|NCPUS|NNodes|NodeList\n".to_owned();
    for SiteJob { id, submit, start, run, procs } in jobs() {
        let end = start + run;
        text += &format!(
            "{id}|{id}|ann|phys|batch|COMPLETED|{submit}|{submit}|{start}|{end}|20|{procs}|{procs}|1|c1\n"
        );
    }
    text.replace('|', "\x1f")
}

/// What describes the site, with this weight of the size of jobs.
fn texts(weight: u32) -> BTreeMap<String, String> {
    let config = format!(
        "Configuration data as of 2026\nClusterName = one\nSelectType = select/cons_tres\nSelectTypeParameters = CR_CPU\nPriorityType = priority/multifactor\nPriorityWeightJobSize = {weight}\nPriorityWeightAge = 1\n"
    );
    let partition =
        "PartitionName=batch\n   AllocNodes=ALL Default=YES\n   Nodes=c1 State=UP MaxTime=1-00:00:00\n";
    let node = "NodeName=c1 Arch=x86_64 CoresPerSocket=4\n   CPUAlloc=0 CPUTot=4 RealMemory=8000\n   State=IDLE ThreadsPerCore=1\n\n";
    let all = [
        ("scontrol-config.txt", config.as_str()),
        ("scontrol-partition.txt", partition),
        ("scontrol-node.txt", node),
    ];
    all.map(|(file, text)| (file.to_owned(), text.to_owned())).into()
}

/// A store that looked at the site every two minutes, and the end of its accounting.
fn store(weight: u32) -> (tempfile::TempDir, SqlStore, ClusterNumber, Time) {
    let folder = tempfile::tempdir().unwrap();
    let mut store = SqlStore::open(&StoreLocation::File(folder.path().join("s"))).unwrap();
    let cluster = store.cluster("one").unwrap();
    for number in 0..35 {
        store.add_look(cluster, &look(BEGUN + 200 + 120 * number)).unwrap();
    }
    let until = Time(BEGUN + 5_000);
    store.add_accounting(cluster, &AccountingRows::of(&accounting()).unwrap(), Some(until)).unwrap();
    store.keep_texts(cluster, Time(BEGUN + 200), &texts(weight)).unwrap();
    (folder, store, cluster, until)
}

fn card(weight: u32) -> ShadowCard {
    let (_folder, mut store, cluster, until) = store(weight);
    assert_eq!(compare_decisions(&mut store, cluster, until, &Unheard).unwrap(), 30);
    let record = store.shadow(cluster, (Time(0), until)).unwrap();
    // Another time there is nothing left to compare.
    assert_eq!(compare_decisions(&mut store, cluster, until, &Unheard).unwrap(), 0);
    assert_eq!(store.shadow(cluster, (Time(0), until)).unwrap(), record);
    ShadowCard::of(("s".to_owned(), "one".to_owned()), (Time(0), until), record)
}

#[test]
fn a_site_that_is_read_right_is_reproduced() {
    let card = card(100_000);
    assert_eq!(card.misses, []);
    let all = &card.rows[0];
    assert_eq!((all.alike, all.group.intervals), (1.0, 30), "{card:?}");
    assert!(all.starts >= 5 && all.decisions > all.starts, "{card:?}");
    assert!(card.summary.contains("100.0 % of "), "{}", card.summary);
}

#[test]
fn a_setting_that_is_read_wrong_shows() {
    // As if the site did not prefer large jobs: the small ones would start first.
    let card = card(0);
    let all = &card.rows[0];
    assert!(all.alike < 0.9 && all.group.counts.passed_over > 0, "{card:?}");
    let small = card.rows.iter().find(|row| row.group.group == "1 processor").unwrap();
    let large = card.rows.iter().find(|row| row.group.group == "2 to 16 processors").unwrap();
    assert!(small.group.counts.passed_over > 0 && large.group.counts.sooner > 0, "{card:?}");
    assert!(card.misses.iter().any(|miss| ["11", "12"].contains(&miss.job.as_str())), "{card:?}");
}

#[test]
fn nothing_is_compared_before_accounting_tells_what_happened() {
    let (_folder, mut store, cluster, until) = store(100_000);
    let early = Time(BEGUN + 400);
    assert_eq!(compare_decisions(&mut store, cluster, early, &Unheard).unwrap(), 0);
    let record = store.shadow(cluster, (Time(0), until)).unwrap();
    let card = ShadowCard::of(("s".to_owned(), "one".to_owned()), (Time(0), until), record);
    assert!(card.rows.is_empty() && card.summary.starts_with("No decisions of one have been compared yet"));
}

fn group(by: &str, group: &str, waited: u64, passed_over: u64) -> ShadowGroup {
    let counts = ShadowCounts { waited, passed_over, ..ShadowCounts::default() };
    ShadowGroup { by: by.to_owned(), group: group.to_owned(), intervals: 1, counts }
}

#[test]
fn the_sentence_names_what_accounts_for_most() {
    let groups = vec![
        group("partition", "batch", 960, 40),
        group("option", "--switches", 70, 30),
        group("setting", "GraceTime", 960, 40),
        group("all", "all", 960, 40),
    ];
    let record = ShadowRecord { groups, misses: Vec::new() };
    let card = ShadowCard::of(("s".to_owned(), "one".to_owned()), (Time(0), Time(9)), record);
    let said = "96.0 % of 1,000 decisions of one are reproduced by its simulated scheduler; jobs with --switches account for 75.0 % of the rest, with 10.0 % of the decisions.";
    assert_eq!(card.summary, said);
    let order: Vec<&str> = card.rows.iter().map(|row| row.group.by.as_str()).collect();
    assert_eq!(order, ["all", "option", "setting", "partition"]);
}

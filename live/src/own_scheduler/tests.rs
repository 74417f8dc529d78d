//! A followed site asked by its own scheduler, by what a store remembers.

use std::collections::BTreeMap;
use std::sync::Mutex;

use super::*;
use crate::computing::{ComputeSettings, compute};
use crate::learning::site_at;
use crate::look::Look;
use crate::rows::AccountingRows;
use crate::store::{SqlStore, StoreLocation};
use crate::submission::{SiteDefaults, submission_tables};
use queuecast_core::asking::Unheard;
use queuecast_core::units::Procs;
use queuecast_forecast::forecast::WhenSettings;
use queuecast_place::{AskedPlace, NewJob, PendingJob, StartAnswer, pending_at, when_at};

const BEGUN: i64 = 1_000_000;

#[derive(Default)]
struct Heard(Mutex<Vec<String>>);

impl Messages for Heard {
    fn note(&self, text: &str) {
        self.0.lock().unwrap().push(text.to_owned());
    }
    fn warning(&self, text: &str) {
        self.note(text);
    }
    fn begins(&self, _: &str, _: usize) {}
    fn done(&self, _: usize) {}
}

/// One partition of `nodes` nodes of four processors.
fn texts(nodes: usize) -> BTreeMap<String, String> {
    let node = |number: usize| {
        format!(
            "NodeName=c{number} Arch=x86_64 CoresPerSocket=4\n   CPUAlloc=0 CPUTot=4 RealMemory=8000\n   State=IDLE ThreadsPerCore=1\n\n"
        )
    };
    let config = "Configuration data as of 2026\nClusterName = one\nSelectType = select/cons_tres\nSelectTypeParameters = CR_CPU\n";
    let partition = format!(
        "PartitionName=batch\n   AllocNodes=ALL Default=YES\n   Nodes=c[1-{nodes}] State=UP MaxTime=1-00:00:00\n"
    );
    let nodes: String = (1..=nodes).map(node).collect();
    let all = [
        ("scontrol-config.txt", config.to_owned()),
        ("scontrol-partition.txt", partition),
        ("scontrol-node.txt", nodes),
    ];
    all.map(|(file, text)| (file.to_owned(), text)).into()
}

/// Jobs of four processors one after the other on each of two nodes, ten minutes each, submitted half an hour before their start.
fn accounting() -> String {
    let mut text = "JobIDRaw|JobID|User|Account|Partition|State|Submit|Eligible|Start|End|TimelimitRaw|ReqCPUS|NCPUS|NNodes|NodeList\n"
        .replace('|', "\x1f");
    for job in 1..=60_i64 {
        let start = BEGUN + 600 * (job / 2);
        let (submit, end, node) = (start - 1800, start + 600, job % 2 + 1);
        let cells = format!(
            "{job}|{job}|ann|phys|batch|COMPLETED|{submit}|{submit}|{start}|{end}|60|4|4|1|c{node}\n"
        );
        text += &cells.replace('|', "\x1f");
    }
    text
}

/// Two jobs run, and three wait for four processors each.
fn look(at: i64) -> Look {
    let mut queue = String::new();
    for (job, node) in [(61, 1), (62, 2)] {
        queue += &format!(
            "{job}|RUNNING|4|1:00:00|5:00|10|ann|{}|batch|c{node}|phys|normal|(null)|N/A|(null)|None\n",
            at - 2100
        );
    }
    for job in 63..=65 {
        queue += &format!(
            "{job}|PENDING|4|1:00:00|0:00|10|bob|{}|batch||phys|normal|(null)|N/A|(null)|Priority\n",
            at - 900 + job
        );
    }
    let nodes =
        ["c1", "c2"].map(|node| format!("{node}|4/0/0/4|batch|up|1-00:00:00|1-infinite|UNLIMITED|1\n"));
    Look { at: Time(at), queue, nodes: nodes.concat() }
}

/// A look half a minute after the last end of accounting.
const AT: i64 = BEGUN + 600 * 31 + 30;

fn store(with_accounting: bool) -> (tempfile::TempDir, SqlStore, ClusterNumber) {
    let folder = tempfile::tempdir().unwrap();
    let mut store = SqlStore::open(&StoreLocation::File(folder.path().join("s"))).unwrap();
    let cluster = store.cluster("one").unwrap();
    store.add_look(cluster, &look(AT)).unwrap();
    if with_accounting {
        let text = accounting();
        store.add_accounting(cluster, &AccountingRows::of(&text).unwrap(), Some(Time(AT))).unwrap();
    }
    (folder, store, cluster)
}

fn computed(store: &mut SqlStore, cluster: ClusterNumber, at: i64, learns: bool) -> Vec<String> {
    let settings = ComputeSettings { learns, forecasts: true, tables: None };
    let heard = Heard::default();
    let computed = compute(store, cluster, Time(at), settings, &heard).unwrap();
    assert_eq!(computed.failures, Vec::<String>::new());
    store.add_forecasts(cluster, &computed.said).unwrap();
    heard.0.into_inner().unwrap()
}

/// What is said of the waiting jobs as the last look by a moment saw them.
fn pending(store: &SqlStore, cluster: ClusterNumber, at: i64) -> Vec<PendingJob> {
    let look = store.look_at(cluster, Time(at)).unwrap().unwrap();
    let site = site_at(&look.look).unwrap();
    let kept = crate::learning::KeptLearning::find(store, cluster, site.asked).unwrap().unwrap();
    let scheduler = known_scheduler(store, cluster, (&look, &site), "accounting", &Unheard).unwrap();
    let kept = kept.with_scheduler(scheduler);
    let recall = |name: &str| kept.model(store, cluster, name);
    let history = Some(kept.past("accounting", &recall));
    let place = AskedPlace::Live { site: &site, history, partition: None, procs: None };
    pending_at(place, None, &WhenSettings::default(), &TimeZone::UTC, &Unheard).unwrap().jobs
}

#[test]
fn a_site_that_is_not_described_is_simulated_by_partitions_and_says_so() {
    let (_folder, mut store, cluster) = store(true);
    let why = |notes: Vec<String>| {
        notes.into_iter().find(|note| note.starts_with("the site's own scheduler is not simulated")).unwrap()
    };
    let told = why(computed(&mut store, cluster, AT, true));
    assert!(told.ends_with("has not been told its configuration by then (scontrol show config)"), "{told}");
    let by_partitions = pending(&store, cluster, AT);
    assert_eq!(by_partitions.iter().filter(|job| job.start.is_some()).count(), 3);
    // Described without a machine, and as another machine.
    let mut bare = texts(2);
    bare.remove("scontrol-node.txt");
    store.keep_texts(cluster, Time(AT), &bare).unwrap();
    let told = why(computed(&mut store, cluster, AT, false));
    assert!(told.ends_with("no nodes or no partitions are described"), "{told}");
    assert_eq!(pending(&store, cluster, AT).len(), by_partitions.len());
    // Control: as it is.
    store.keep_texts(cluster, Time(AT), &texts(2)).unwrap();
    let told = computed(&mut store, cluster, AT, true);
    assert!(!told.iter().any(|note| note.contains("not simulated")), "{told:?}");
}

/// While nothing was learned yet, the queue is simulated all the same, and that stays what is said of the look.
#[test]
fn the_queue_of_a_new_store_is_simulated_before_it_is_learned_from() {
    let (_folder, mut store, cluster) = store(true);
    store.keep_texts(cluster, Time(AT), &texts(2)).unwrap();
    computed(&mut store, cluster, AT, false);
    assert_eq!(store.learned_until(cluster, Time(AT)).unwrap(), None);
    let look = store.look_at(cluster, Time(AT)).unwrap().unwrap();
    let first = store.starts_of(cluster, look.number).unwrap();
    assert!(first.is_some());
    computed(&mut store, cluster, AT, true);
    assert_eq!(store.starts_of(cluster, look.number).unwrap(), first);
    assert_eq!(pending(&store, cluster, AT).iter().filter(|job| job.start.is_some()).count(), 3);
}

/// One process learns and forecasts nothing, and another forecasts looks that come meanwhile.
#[test]
fn a_process_that_only_learns_leaves_forecasts_to_another() {
    let (_folder, mut store, cluster) = store(true);
    store.keep_texts(cluster, Time(AT), &texts(2)).unwrap();
    store.add_look(cluster, &look(AT + 120)).unwrap();
    let mut at = |at: i64, learns: bool| {
        let settings = ComputeSettings { learns, forecasts: !learns, tables: None };
        compute(&mut store, cluster, Time(at), settings, &Heard::default()).unwrap()
    };
    let before = at(AT + 120, false);
    assert_eq!((before.is_learned, before.forecasts), (false, 0));
    let learned = at(AT, true);
    assert_eq!(learned.forecasts, 0);
    assert!(learned.learned_until.is_some() && learned.is_learned && learned.failures.is_empty());
    let after = at(AT + 120, false);
    assert_eq!(after.forecasts, 3);
}

#[test]
fn accounting_that_is_empty_is_told() {
    let (_folder, mut store, cluster) = store(false);
    store.keep_texts(cluster, Time(AT), &texts(2)).unwrap();
    let (site, heard) = (site_at(&look(AT)).unwrap(), Heard::default());
    assert!(scheduler_at(&store, cluster, &site, "accounting", &heard).unwrap().is_none());
    assert!(heard.0.into_inner().unwrap()[0].ends_with("accounting has no jobs by then"));
}

/// What the collector said, what is told to those who ask, and what is found anew are the same to the byte.
#[test]
fn a_job_has_one_answer_until_the_next_look() {
    let (_folder, mut store, cluster) = store(true);
    store.keep_texts(cluster, Time(AT), &texts(2)).unwrap();
    computed(&mut store, cluster, AT, true);
    let said = store.forecasts(cluster, Time(0), Time(AT)).unwrap();
    let told = pending(&store, cluster, AT);
    assert_eq!((said.len(), told.len()), (3, 3));
    for one in &said {
        let job = told.iter().find(|job| one.forecast.job.starts_with(&format!("{} ", job.job))).unwrap();
        let start = job.start.unwrap();
        let ours = [start.low, start.median, start.high];
        assert_eq!([one.forecast.said.low, one.forecast.said.median, one.forecast.said.high], ours);
    }
    // Without what was kept of the look it is found anew.
    let as_told = serde_json(&told);
    store.keep_starts(cluster, 1, b"of another version").unwrap();
    assert_eq!(serde_json(&pending(&store, cluster, AT)), as_told);
    // They wait for each other on two nodes.
    let medians: Vec<f64> = told.iter().map(|job| job.start.unwrap().median).collect();
    assert!(medians[0] < medians[2], "{medians:?}");
}

fn serde_json(jobs: &[PendingJob]) -> String {
    format!("{jobs:?}")
}

/// Each moment has the description of then: with more nodes jobs start sooner, from the look after it was told.
#[test]
fn a_site_that_changes_between_looks_is_asked_as_it_was() {
    let (_folder, mut store, cluster) = store(true);
    store.keep_texts(cluster, Time(AT), &texts(2)).unwrap();
    computed(&mut store, cluster, AT, true);
    let before = serde_json(&pending(&store, cluster, AT));
    let mut later = look(AT + 60);
    later.nodes += "c3|0/4/0/4|batch|up|1-00:00:00|1-infinite|UNLIMITED|1\n";
    store.add_look(cluster, &later).unwrap();
    store.keep_texts(cluster, Time(AT + 60), &texts(3)).unwrap();
    computed(&mut store, cluster, AT + 60, false);
    let after = pending(&store, cluster, AT + 60);
    let first =
        |jobs: &[PendingJob]| jobs.iter().map(|job| job.start.unwrap().median).fold(f64::MAX, f64::min);
    assert!(first(&after) < 60.0, "a node is free: {after:?}");
    assert_eq!(serde_json(&pending(&store, cluster, AT + 59)), before);
}

/// A site that Slurm itself was asked for has other jobs than the last look: starts that were found of the look are not told of them.
#[test]
fn starts_of_a_look_are_of_no_later_moment() {
    let (_folder, mut store, cluster) = store(true);
    store.keep_texts(cluster, Time(AT), &texts(2)).unwrap();
    computed(&mut store, cluster, AT, true);
    let last = store.look_at(cluster, Time::NEVER).unwrap().unwrap();
    let now = site_at(&look(AT + 3000)).unwrap();
    let place = known_scheduler(&store, cluster, (&last, &now), "accounting", &Unheard).unwrap().unwrap();
    let site = site_at(&last.look).unwrap();
    let then = known_scheduler(&store, cluster, (&last, &site), "accounting", &Unheard).unwrap().unwrap();
    assert_eq!((place.starts().is_some(), then.starts().is_some()), (false, true));
}

/// When a job of four processors and an hour starts that is submitted at the last look.
fn new_job(store: &SqlStore, cluster: ClusterNumber) -> StartAnswer {
    let look = store.look_at(cluster, Time(AT)).unwrap().unwrap();
    let site = site_at(&look.look).unwrap();
    let kept = crate::learning::KeptLearning::find(store, cluster, site.asked).unwrap().unwrap();
    let scheduler = known_scheduler(store, cluster, (&look, &site), "accounting", &Unheard).unwrap();
    let kept = kept.with_scheduler(scheduler);
    let recall = |name: &str| kept.model(store, cluster, name);
    let history = Some(kept.past("accounting", &recall));
    let place = AskedPlace::Live { site: &site, history, partition: None, procs: None };
    let job = NewJob { procs: Procs(4), time: Some(Seconds(3600)), user: None, queue: None, sbatch: None };
    when_at(place, &job, &WhenSettings::default(), &TimeZone::UTC, &Unheard).unwrap()
}

/// A new job is told what the simulated scheduler does with it, which a number of processors is not told: of a node's four it may have
/// three. Whether the queue was simulated by the collector or is now, and in the table at submission, it is one answer.
#[test]
fn a_new_job_is_placed_on_nodes() {
    let (_folder, mut store, cluster) = store(true);
    store.keep_texts(cluster, Time(AT), &texts(2)).unwrap();
    computed(&mut store, cluster, AT, true);
    let StartAnswer::One(answer) = new_job(&store, cluster) else { panic!("one partition") };
    assert_eq!(answer.answer.method, "slurm");
    let defaults = SiteDefaults::default();
    let tables =
        submission_tables(&store, cluster, Time(AT), (&defaults, Seconds(600)), &Unheard).unwrap().unwrap();
    let [low, median, high] =
        [answer.answer.wait.low, answer.answer.wait.median, answer.answer.wait.high].map(f64::round);
    assert!(median > 60.0, "behind three others on two nodes");
    let line = format!("\n4 3600 {low} {median} {high} 1\n");
    assert!(tables.starts.contains(&line), "{line}{}", tables.starts);
    store.keep_starts(cluster, 1, b"of another version").unwrap();
    let StartAnswer::One(anew) = new_job(&store, cluster) else { panic!("one partition") };
    assert_eq!(format!("{answer:?}"), format!("{anew:?}"));
}

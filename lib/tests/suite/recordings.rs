//! Recorded runs of a real Slurm that are kept here, for what other recordings lack.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::path::Path;

use queuecast::controller::{DecisionKind, DecisionShares, Phases, decisions, simulate_cluster, unmodelled};
use queuecast::eval::{NamedRun, run_difference};
use queuecast::slurm::{SiteOptions, SiteReading, read_decisions, read_site};
use queuecast::trace::{TimeZone, plain_text};

fn recording(name: &str) -> (BTreeMap<String, String>, SiteReading) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/recordings").join(name);
    let mut texts = BTreeMap::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().trim_end_matches(".gz").to_owned();
        texts.insert(name, plain_text(File::open(&path).unwrap(), 1 << 26).unwrap());
    }
    let reading = read_site(&texts, &SiteOptions::default());
    (texts, reading)
}

/// Decisions of the real controller that are decided alike in the recorded state.
fn shares(name: &str) -> DecisionShares {
    let (texts, reading) = recording(name);
    let run = reading.recording.as_ref().unwrap();
    let phases = Phases::of(&run.clock, &reading.cluster.settings);
    let found = read_decisions(&texts, &reading.cluster, &run.clock, &TimeZone::UTC);
    assert!(found.misread.is_empty(), "{:?}", found.misread);
    decisions(&reading.cluster, run, phases, &found.decisions)
}

fn hold(name: &str, asked: &[(DecisionKind, usize, f64)]) {
    let shares = shares(name).shares;
    for &(kind, cases, least) in asked {
        let found = shares.iter().find(|one| one.what == kind).unwrap();
        assert!(found.cases >= cases, "{name}: {found:?}");
        assert!(found.share.is_some_and(|share| share >= least), "{name}: {found:?}");
    }
}

/// Jobs of QOS high have those of QOS normal and low make way, which go back to the queue.
#[test]
fn preemption_is_decided_as_by_slurm() {
    hold(
        "preemption",
        &[
            (DecisionKind::Priority, 1_000, 99.0),
            (DecisionKind::PlanStart, 1_000, 99.0),
            (DecisionKind::PlanNodes, 1_000, 98.0),
            (DecisionKind::StartNodes, 190, 99.0),
            (DecisionKind::Kill, 5, 100.0),
        ],
    );
}

/// Running free it drifts as two real runs do; without preemption it is further away.
#[test]
fn jobs_that_make_way_start_again_about_when_they_did() {
    let (_, reading) = recording("preemption");
    let run = reading.recording.as_ref().unwrap();
    assert_eq!(unmodelled(&reading.cluster, run), Vec::<String>::new());
    let (zero, phases) = (run.clock.zero, Phases::of(&run.clock, &reading.cluster.settings));
    let recorded = NamedRun { name: "recorded".into(), zero, outcomes: run.outcomes.clone() };
    let beside = |cluster: &queuecast::cluster::Cluster| {
        let outcomes = simulate_cluster(cluster, run, phases);
        run_difference(&recorded, &NamedRun { name: "simulated".into(), zero, outcomes })
    };
    let found = beside(&reading.cluster);
    assert!(found.jobs >= 188 && found.median.is_some_and(|median| median <= 30), "{found:?}");
    assert!(found.mean_wait_ratio.is_some_and(|ratio| (0.85..1.15).contains(&ratio)), "{found:?}");
    let mut without = reading.cluster.clone();
    without.settings.preempt = Default::default();
    let control = beside(&without);
    assert!(control.median > found.median, "control: {control:?}");
}

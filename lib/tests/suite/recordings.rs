//! Recorded runs of a real Slurm that are kept here, for what other recordings lack.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::path::Path;

use queuecast_slurm_sim::cluster::{Cluster, ConsumedUnit, SelectKind, Shares};
use queuecast_slurm_sim::controller::{DecisionKind, DecisionShares, Phases, decisions, simulate_cluster};
use queuecast_slurm_texts::{SiteOptions, SiteReading, read_decisions, read_site, unmodelled};
use queuecast_study::{NamedRun, RunDifference, run_difference};
use queuecast_trace::{TimeZone, plain_text};

pub fn recording(name: &str) -> (BTreeMap<String, String>, SiteReading) {
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

/// Decisions of the real controller that are decided alike in the recorded state, at a site with some settings changed.
pub fn shares(name: &str, change: impl Fn(&mut Cluster)) -> DecisionShares {
    let (texts, mut reading) = recording(name);
    change(&mut reading.cluster);
    let run = reading.recording.as_ref().unwrap();
    let phases = Phases::of(&run.clock, &reading.cluster.settings);
    let found = read_decisions(&texts, &reading.cluster, &run.clock, &TimeZone::UTC);
    assert!(found.misread.is_empty(), "{:?}", found.misread);
    decisions(&reading.cluster, run, phases, &found.decisions)
}

/// The recorded run beside a simulation of what was submitted, at a site with some settings changed.
fn beside(name: &str, change: impl Fn(&mut Cluster)) -> RunDifference {
    let (_, mut reading) = recording(name);
    change(&mut reading.cluster);
    let run = reading.recording.as_ref().unwrap();
    let (zero, phases) = (run.clock.zero, Phases::of(&run.clock, &reading.cluster.settings));
    let outcomes = simulate_cluster(&reading.cluster, run, phases);
    let recorded = NamedRun { name: "recorded".into(), zero, outcomes: run.outcomes.clone() };
    run_difference(&recorded, &NamedRun { name: "simulated".into(), zero, outcomes })
}

/// Nothing that the site uses is left out.
fn models_all(name: &str) {
    let (_, reading) = recording(name);
    assert_eq!(unmodelled(&reading.cluster, reading.recording.as_ref().unwrap()), Vec::<String>::new());
}

pub fn hold(name: &str, asked: &[(DecisionKind, usize, f64)]) {
    let DecisionShares { shares, misses } = shares(name, |_| ());
    for &(kind, cases, least) in asked {
        let found = shares.iter().find(|one| one.what == kind).unwrap();
        assert!(found.cases >= cases, "{name}: {found:?}");
        let missed: Vec<_> = misses.iter().filter(|one| one.what == kind).take(5).collect();
        assert!(found.share.is_some_and(|share| share >= least), "{name}: {found:?}, {missed:?}");
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

/// Jobs of tasks that do not fill their nodes, on nodes that others use: made by the project's own script.
#[test]
fn processors_of_several_nodes_are_given_as_by_slurm() {
    models_all("uneven-tasks");
    hold(
        "uneven-tasks",
        &[
            (DecisionKind::Priority, 120, 99.5),
            (DecisionKind::PlanStart, 130, 99.0),
            (DecisionKind::PlanNodes, 130, 98.0),
            (DecisionKind::StartNodes, 33, 99.0),
            (DecisionKind::Kill, 2, 95.0),
        ],
    );
}

/// Jobs that share nodes below switches: those of eight tasks on two nodes of four find none among nodes that others use until the
/// smallest are left out. `--switches` and the grace time of preempted jobs are not modelled, which is said.
#[test]
fn nodes_below_switches_are_chosen_as_by_slurm() {
    let (_, reading) = recording("switches");
    assert_eq!(
        unmodelled(&reading.cluster, reading.recording.as_ref().unwrap()),
        ["GraceTime", "--switches"]
    );
    // The reservation that an administrator asked for was refused.
    assert_eq!(reading.warnings.len(), 1, "{:?}", reading.warnings);
    hold(
        "switches",
        &[
            (DecisionKind::Priority, 2_600, 99.5),
            (DecisionKind::PlanStart, 3_200, 99.0),
            (DecisionKind::PlanNodes, 3_200, 98.0),
            (DecisionKind::BackfillStart, 49, 99.5),
            (DecisionKind::StartNodes, 110, 99.0),
            (DecisionKind::Kill, 11, 95.0),
        ],
    );
}

/// Cores of two threads, of which some jobs use one; two types of GPUs, with memory for each.
#[test]
fn threads_and_typed_gpus_are_given_as_by_slurm() {
    models_all("threads");
    hold(
        "threads",
        &[
            // All but the size of one job.
            (DecisionKind::Priority, 450, 99.0),
            (DecisionKind::PlanStart, 350, 99.0),
            (DecisionKind::PlanNodes, 350, 98.0),
            (DecisionKind::BackfillStart, 33, 99.5),
            (DecisionKind::StartNodes, 78, 99.0),
            (DecisionKind::Kill, 8, 95.0),
        ],
    );
}

/// Limits of QOS, partitions and associations, one of them of nodes that jobs share: each node counts once, and those that count
/// already are given first.
#[test]
fn limits_hold_as_by_slurm() {
    models_all("limits");
    hold(
        "limits",
        &[
            (DecisionKind::Priority, 360, 99.5),
            (DecisionKind::PlanStart, 15, 99.0),
            (DecisionKind::PlanNodes, 15, 98.0),
            (DecisionKind::BackfillStart, 29, 99.0),
            (DecisionKind::StartNodes, 104, 99.0),
            (DecisionKind::Kill, 1, 95.0),
        ],
    );
    // Control: without limits of nodes, jobs of the user who has one are given other nodes.
    let without = shares("limits", |cluster| {
        cluster.associations.0.iter_mut().for_each(|one| one.group.tres.0.retain(|name, _| name != "node"));
    });
    assert!(
        without.share(DecisionKind::StartNodes).is_some_and(|share| share < 95.0),
        "{:?}",
        without.shares
    );
}

/// GPUs of nodes, jobs and tasks, processors and memory for each of them, and partitions that limit the processors of a node.
#[test]
fn gpus_are_given_as_by_slurm() {
    models_all("gpus");
    hold(
        "gpus",
        &[
            // All but six rows of an array that no cycle had tested yet.
            (DecisionKind::Priority, 500, 98.5),
            (DecisionKind::PlanStart, 220, 99.0),
            (DecisionKind::PlanNodes, 220, 98.0),
            (DecisionKind::BackfillStart, 43, 99.5),
            // One of 88 starts is on other nodes.
            (DecisionKind::StartNodes, 88, 98.5),
            (DecisionKind::Kill, 6, 95.0),
        ],
    );
    let uncapped = shares("gpus", |cluster| {
        cluster.partitions.iter_mut().for_each(|one| one.max_cpus_per_node = None);
    });
    let share = uncapped.share(DecisionKind::StartNodes);
    assert!(share.is_some_and(|share| share < 90.0), "control: {share:?}");
}

/// Jobs that share nodes make way; partitions that bar an account, give whole nodes or no more than one; limits of minutes and of
/// jobs that gain age.
#[test]
fn shared_nodes_are_preempted_as_by_slurm() {
    models_all("shared-preemption");
    hold(
        "shared-preemption",
        &[
            // All but the sizes of two jobs that are given whole nodes of two kinds.
            (DecisionKind::Priority, 720, 97.5),
            (DecisionKind::PlanStart, 390, 99.0),
            (DecisionKind::PlanNodes, 390, 98.0),
            (DecisionKind::BackfillStart, 32, 99.5),
            // One start in the second in which a node came back.
            (DecisionKind::StartNodes, 83, 98.5),
            (DecisionKind::Kill, 3, 95.0),
        ],
    );
    // Control: with no jobs that make way, plans are others.
    let without = shares("shared-preemption", |cluster| cluster.settings.preempt = Default::default());
    assert!(without.share(DecisionKind::PlanNodes).is_some_and(|share| share < 97.0), "{:?}", without.shares);
}

/// Slurm 24.11 keeps nodes to the end of a plan, and looks at the machine from the instant on that a plan is tried for. The rules of
/// before decide otherwise.
#[test]
fn plans_are_made_as_slurm_makes_them_since_24_11() {
    let name = "plans-since-24-11";
    models_all(name);
    hold(
        name,
        &[
            (DecisionKind::Priority, 190, 100.0),
            (DecisionKind::PlanStart, 190, 99.0),
            (DecisionKind::PlanNodes, 190, 98.0),
            (DecisionKind::BackfillStart, 12, 99.0),
            (DecisionKind::StartNodes, 33, 99.0),
            (DecisionKind::Kill, 2, 100.0),
        ],
    );
    let before = shares(name, |cluster| cluster.version = Some((24, 5)));
    assert!(before.share(DecisionKind::PlanNodes).is_some_and(|share| share < 90.0), "{:?}", before.shares);
    // Turns of the background thread are on whole seconds.
    assert!(before.share(DecisionKind::Kill).is_some_and(|share| share < 100.0), "{:?}", before.shares);
}

/// Whole sockets are given (`CR_Socket_Memory`): every decision is the same. With cores instead most are not.
#[test]
fn sockets_are_given_as_by_slurm() {
    models_all("sockets");
    let all: Vec<(DecisionKind, usize, f64)> = [
        (DecisionKind::Priority, 14),
        (DecisionKind::PlanStart, 13),
        (DecisionKind::PlanNodes, 13),
        (DecisionKind::BackfillStart, 2),
        (DecisionKind::StartNodes, 8),
    ]
    .map(|(kind, cases)| (kind, cases, 100.0))
    .to_vec();
    hold("sockets", &all);
    let cores = shares("sockets", |cluster| cluster.settings.select.unit = ConsumedUnit::Core);
    assert!(cores.share(DecisionKind::StartNodes).is_some_and(|share| share < 60.0), "{:?}", cores.shares);
}

/// Running free it drifts as two real runs do; without preemption it is further away.
#[test]
fn jobs_that_make_way_start_again_about_when_they_did() {
    models_all("preemption");
    let found = beside("preemption", |_| ());
    assert!(found.jobs >= 188 && found.median.is_some_and(|median| median <= 30), "{found:?}");
    assert!(found.mean_wait_ratio.is_some_and(|ratio| (0.85..1.15).contains(&ratio)), "{found:?}");
    let control = beside("preemption", |cluster| cluster.settings.preempt = Default::default());
    assert!(control.median > found.median, "control: {control:?}");
}

/// Priorities by classic fair share; limits of accounts and users hold jobs back.
#[test]
fn classic_fair_share_is_computed_as_by_slurm() {
    let name = "classic-fair-share";
    models_all(name);
    hold(
        name,
        &[
            (DecisionKind::Priority, 1_700, 99.5),
            (DecisionKind::PlanStart, 480, 99.0),
            (DecisionKind::PlanNodes, 480, 98.0),
            (DecisionKind::StartNodes, 180, 99.0),
            (DecisionKind::Kill, 5, 95.0),
        ],
    );
    // Control: not one row in ten is the fair tree's, and with shares of another account most are missed.
    let priority = |change: &dyn Fn(&mut Cluster)| shares(name, change).share(DecisionKind::Priority);
    let by_tree = priority(&|cluster| cluster.settings.priority.flags.no_fair_tree = false);
    assert!(by_tree.is_some_and(|share| share < 10.0), "control: {by_tree:?}");
    let other = priority(&|cluster| {
        let shares = cluster.associations.0.iter_mut().filter(|one| one.account == "gamma");
        shares.for_each(|one| one.shares = Shares::Of(2));
    });
    assert!(other.is_some_and(|share| share < 50.0), "control: {other:?}");
    let found = beside(name, |_| ());
    assert!(found.jobs >= 188 && found.median.is_some_and(|median| median <= 30), "{found:?}");
    assert!(found.mean_wait_ratio.is_some_and(|ratio| (0.85..1.15).contains(&ratio)), "{found:?}");
}

/// Whole nodes by the rule of select/linear.
#[test]
fn linear_selection_is_that_of_slurm() {
    let name = "select-linear";
    models_all(name);
    hold(
        name,
        &[
            (DecisionKind::Priority, 1_200, 99.5),
            (DecisionKind::PlanStart, 1_100, 99.0),
            (DecisionKind::PlanNodes, 1_100, 98.0),
            (DecisionKind::StartNodes, 120, 99.0),
            (DecisionKind::Kill, 5, 95.0),
        ],
    );
    // Control: whole nodes by the rule of the other plugins.
    let control = shares(name, |cluster| {
        cluster.settings.select.kind = SelectKind::Parts;
        cluster.settings.select.unit = ConsumedUnit::Node;
    });
    for (kind, most) in
        [(DecisionKind::Priority, 99.0), (DecisionKind::PlanStart, 90.0), (DecisionKind::PlanNodes, 80.0)]
    {
        assert!(control.share(kind).is_some_and(|share| share < most), "control: {:?}", control.shares);
    }
    let found = beside(name, |_| ());
    assert!(found.jobs >= 120 && found.median.is_some_and(|median| median <= 30), "{found:?}");
    assert!(found.mean_wait_ratio.is_some_and(|ratio| (0.85..1.15).contains(&ratio)), "{found:?}");
}

/// Accounts below accounts, shares of the parent, dampening, billing by weights and usage factors of QOS.
#[test]
fn nested_accounts_share_as_by_slurm() {
    let name = "nested-fair-share";
    models_all(name);
    hold(
        name,
        &[
            (DecisionKind::Priority, 1_200, 99.5),
            (DecisionKind::PlanStart, 1_500, 99.0),
            (DecisionKind::PlanNodes, 1_500, 98.0),
            (DecisionKind::StartNodes, 150, 99.0),
            (DecisionKind::Kill, 9, 95.0),
        ],
    );
    let control = shares(name, |cluster| {
        let of_parents = cluster.associations.0.iter_mut().filter(|one| one.shares == Shares::Parent);
        of_parents.for_each(|one| one.shares = Shares::Of(1));
    });
    assert!(
        control.share(DecisionKind::Priority).is_some_and(|share| share < 50.0),
        "control: {:?}",
        control.shares
    );
}

/// Nodes of three sizes on lines that are not in the order of their names, ranges of nodes, nodes that jobs name.
#[test]
fn linear_selection_among_unequal_nodes_is_that_of_slurm() {
    let name = "unequal-linear";
    models_all(name);
    hold(
        name,
        &[
            (DecisionKind::Priority, 900, 99.0),
            (DecisionKind::PlanStart, 1_200, 99.0),
            (DecisionKind::PlanNodes, 1_200, 98.0),
            (DecisionKind::StartNodes, 100, 99.0),
        ],
    );
    // Control: lines in the order of names.
    let control = shares(name, |cluster| cluster.nodes.iter_mut().for_each(|node| node.line = None));
    assert!(
        control.share(DecisionKind::StartNodes).is_some_and(|share| share < 99.0),
        "control: {:?}",
        control.shares
    );
}

/// Requests that say one thing in two ways (GPUs of the job and of its tasks, nodes and fewer tasks), nodes whose cores have two threads
/// of which a job wants one, partitions that are down, limits of partitions at submission, and who may use a reservation. What is never
/// given nodes is refused, or waits.
#[test]
fn what_is_asked_is_read_as_by_slurm() {
    models_all("asked");
    hold(
        "asked",
        &[
            (DecisionKind::Priority, 80, 99.5),
            (DecisionKind::PlanStart, 40, 99.0),
            (DecisionKind::PlanNodes, 40, 98.0),
            (DecisionKind::StartNodes, 19, 99.0),
        ],
    );
    let (_, reading) = recording("asked");
    let run = reading.recording.as_ref().unwrap();
    let simulated =
        simulate_cluster(&reading.cluster, run, Phases::of(&run.clock, &reading.cluster.settings));
    // What was not cancelled while it waited is in the accounting, or was refused.
    let recorded: BTreeMap<&str, bool> =
        run.outcomes.iter().map(|one| (one.key.as_str(), one.start.is_some())).collect();
    let mut refused = 0;
    for one in &simulated {
        let started = recorded.get(one.key.as_str()).copied();
        assert_eq!(one.start.is_some(), started.unwrap_or(false), "{one:?}");
        refused += usize::from(started.is_none());
    }
    assert_eq!(refused, 8);
}

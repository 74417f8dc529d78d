//! Limits, worked by hand on small clusters.

use crate::cluster::{Cluster, GresRequest, JobOutcome, Qos, SubmittedJob, Tres};
use crate::controller::tests::{cluster, job, simulated, start};
use queuecast_core::job_state::JobState;
use queuecast_core::units::Seconds;

fn tres(name: &str, count: u64) -> Tres {
    Tres([(name.to_owned(), count)].into())
}

/// A cluster whose jobs all have the QOS `normal`, with limits.
fn limited(nodes: usize, limit: impl Fn(&mut Qos)) -> Cluster {
    let mut limited = cluster(nodes);
    let mut qos = Qos { name: "normal".into(), ..Qos::default() };
    limit(&mut qos);
    limited.qos = vec![qos];
    limited.settings.jobs.enforce.limits = true;
    limited
}

fn with_qos(mut one: SubmittedJob) -> SubmittedJob {
    one.request.qos = vec!["normal".into()];
    one
}

fn starts(cluster: &Cluster, jobs: Vec<SubmittedJob>) -> Vec<i64> {
    simulated(cluster, jobs.into_iter().map(with_qos).collect()).iter().map(start).collect()
}

/// Three jobs of one processor, and one of four that needs a node for itself: the three share a node, which counts once, and the last
/// starts on the second node that the limit allows. Without a limit of nodes it is no different; of one node, the last waits.
#[test]
fn a_node_counts_once_for_a_limit_of_nodes() {
    let jobs =
        || vec![job(0, 0, 1, 10, 300), job(1, 1, 1, 10, 300), job(2, 2, 1, 10, 300), job(3, 3, 4, 10, 60)];
    let of = |nodes: u64| starts(&limited(4, |qos| qos.group.tres = tres("node", nodes)), jobs());
    assert!(of(2).iter().all(|&start| (0..60).contains(&start)), "{:?}", of(2));
    let one = of(1);
    assert!(one[2] < 60 && one[3] >= 300, "{one:?}");
}

/// Where nodes count for a limit, a job is given those that count already. Otherwise it is given the first that is just large enough.
#[test]
fn nodes_that_count_already_are_preferred() {
    let mut first = job(0, 0, 1, 10, 300);
    first.request.wishes.node_list = vec!["n02".into()];
    // Of another QOS, with two processors of a node.
    let mut other = job(2, 0, 2, 10, 300);
    other.request.wishes.node_list = vec!["n01".into()];
    other.request.qos = vec!["other".into()];
    let jobs = || vec![with_qos(first.clone()), other.clone(), with_qos(job(1, 20, 2, 10, 300))];
    let nodes = |most: u64| {
        let mut cluster = limited(4, |qos| qos.group.tres = tres("node", most));
        cluster.qos[0].group.tres.0.retain(|_, count| *count > 0);
        cluster.qos.push(Qos { name: "other".into(), ..Qos::default() });
        simulated(&cluster, jobs())[2].nodes.clone()
    };
    assert_eq!(nodes(3), ["n02"]);
    assert_eq!(nodes(0), ["n01"], "0: no limit");
}

/// A range of nodes ends with what limits allow.
#[test]
fn limits_of_nodes_end_a_range() {
    let mut range = job(0, 0, 1, 10, 60);
    (range.request.min_nodes, range.request.max_nodes, range.request.tasks) = (Some(1), Some(4), None);
    let of = |cluster: &Cluster| simulated(cluster, vec![with_qos(range.clone())])[0].nodes.len();
    assert_eq!(of(&limited(4, |_| ())), 4);
    assert_eq!(of(&limited(4, |qos| qos.per_user.tres = tres("node", 3))), 3);
    assert_eq!(of(&limited(4, |qos| qos.per_job.tres = tres("node", 2))), 2);
}

/// A job that does not say how many nodes it wants has the fewest that its partition gives; one that wants fewer never starts.
#[test]
fn partitions_give_no_fewer_nodes_than_they_say() {
    let mut wide = cluster(3);
    wide.partitions[0].min_nodes = 2;
    let mut one_node = job(1, 0, 1, 10, 60);
    (one_node.request.min_nodes, one_node.request.max_nodes) = (Some(1), Some(1));
    let nodes = |outcomes: Vec<JobOutcome>| outcomes.iter().map(|one| one.nodes.len()).collect::<Vec<_>>();
    let jobs = || vec![job(0, 0, 2, 10, 60), one_node.clone()];
    assert_eq!(nodes(simulated(&wide, jobs())), [2, 0]);
    let mut exempt = limited(3, |qos| qos.flags.partition_min_nodes = true);
    exempt.partitions[0].min_nodes = 2;
    assert_eq!(nodes(simulated(&exempt, vec![with_qos(one_node.clone())])), [1]);
}

/// Running jobs may still use 40 processor minutes together. Two jobs of two processors and ten minutes do; a third starts once the
/// time that is left to them, as it is known from period to period, is ten minutes less.
#[test]
fn minutes_that_jobs_may_still_run_are_limited() {
    let mut to_run = limited(4, |qos| qos.group.tres_run_minutes = tres("cpu", 40));
    to_run.settings.priority.kind = crate::cluster::PriorityKind::Multifactor;
    to_run.settings.priority.calc_period = Seconds(60);
    let jobs = || (0..3).map(|key| job(key, 0, 2, 10, 590)).collect::<Vec<_>>();
    let found = starts(&to_run, jobs());
    // Of 40 minutes each passing minute frees four: twenty are free after five minutes.
    assert!(found[1] < 60 && (300..=400).contains(&found[2]), "{found:?}");
    let found = starts(&limited(4, |_| ()), jobs());
    assert!(found[2] < 60, "control: {found:?}");
    // One that could never run within it waits for ever.
    let found = starts(&to_run, vec![job(0, 0, 4, 11, 60)]);
    assert_eq!(found, [-1]);
}

/// What has been used counts against a budget of processor minutes; `safe` counts what jobs may use too.
#[test]
fn used_minutes_are_limited() {
    let mut budget = limited(1, |qos| qos.group.tres_minutes = tres("cpu", 30));
    budget.settings.priority.kind = crate::cluster::PriorityKind::Multifactor;
    (budget.settings.priority.calc_period, budget.settings.priority.decay_half_life) =
        (Seconds(60), Seconds(0));
    let mut users = crate::cluster::Association { user: Some("u0".into()), ..Default::default() };
    users.account = "a".into();
    budget.associations.0 = vec![users];
    let own = |key: usize, submit: i64, minutes: i64, run: i64| {
        let mut one = job(0, submit, 4, minutes, run);
        one.key = format!("k{key}");
        one.request.account = Some("a".into());
        one
    };
    // Five minutes of four processors are used, then five more: nothing is left for the third.
    let jobs = || vec![own(0, 0, 6, 300), own(1, 1, 5, 290), own(2, 2, 1, 30)];
    let found = starts(&budget, jobs());
    assert!(found[0] < 60 && found[1] >= 300 && found[2] == -1, "{found:?}");
    // The second may use 20 of the 10 that are left: it does not start, but the third does.
    budget.settings.jobs.enforce.safe = true;
    let found = starts(&budget, jobs());
    assert!(found[0] < 60 && found[1] == -1 && found[2] > 0, "{found:?}");
}

/// Limits of single jobs: too many minutes, too many processors of a node, too few of all.
#[test]
fn jobs_beyond_limits_of_their_own_wait_for_ever() {
    let jobs = || vec![job(0, 0, 4, 10, 60), job(1, 0, 2, 10, 60)];
    let started = |limit: fn(&mut Qos)| {
        let found = starts(&limited(4, limit), jobs());
        found.into_iter().map(|start| start >= 0).collect::<Vec<_>>()
    };
    assert_eq!(started(|qos| qos.per_job.tres_minutes = tres("cpu", 30)), [false, true]);
    assert_eq!(started(|qos| qos.per_job.tres_per_node = tres("cpu", 3)), [false, true]);
    assert_eq!(started(|qos| qos.per_job.min_tres = tres("cpu", 3)), [true, false]);
    assert_eq!(started(|_| ()), [true, true]);
    // What a job has at least is not known of memory before nodes are chosen: one that has to wait is not held back for that.
    let memory = limited(1, |qos| qos.per_job.min_tres = tres("mem", 1_000));
    let found = starts(&memory, vec![job(0, 0, 4, 10, 300), job(1, 1, 4, 10, 60)]);
    assert!(found[1] >= 300, "{found:?}");
}

/// Two of three licenses are taken: a job that needs two waits, one that needs one passes it. More than there are is refused.
#[test]
fn jobs_wait_for_licenses() {
    let mut licensed = cluster(4);
    licensed.licenses = tres("matlab", 3);
    let asks = |key: usize, submit: i64, count: u64| {
        let mut one = job(key, submit, 1, 10, 300);
        one.request.gres.licenses = vec![GresRequest { name: "matlab".into(), kind: None, count }];
        one
    };
    let jobs = vec![asks(0, 0, 2), asks(1, 10, 2), asks(2, 20, 1), asks(3, 30, 4)];
    let outcomes = simulated(&licensed, jobs);
    let found: Vec<i64> = outcomes.iter().map(start).collect();
    assert!(found[0] < 60 && found[1] >= 300 && (20..90).contains(&found[2]), "{found:?}");
    assert_eq!(outcomes[3].state, JobState::Refused);
    // A name that is asked for twice counts twice.
    let mut twice = asks(0, 0, 2);
    let asked = twice.request.gres.licenses.clone();
    twice.request.gres.licenses.extend(asked);
    assert_eq!(simulated(&licensed, vec![twice])[0].state, JobState::Refused);
}

//! What jobs are given of nodes, as a recorded Slurm has it.

use super::handles::{JobHandle, PartitionChoice, SubmissionHandle};
use super::job::StartedBy;
use super::placement::NodeSet;
use super::rule_tests::reserved;
use super::state::Controller;
use super::tests::{cluster, job, logged, number, planned, simulated, start, started};
use super::{Phases, decisions};
use crate::cluster::{
    Allowed, Cluster, ConsumedUnit, LoggedAction, LoggedPlace, MemoryAmount, MemoryRequest, PartitionIndex,
    RecordedRun, SubmittedJob,
};
use queuecast_core::units::{Micros, Seconds, Time};

/// One task on one node.
fn on_a_node(key: usize, run: i64) -> SubmittedJob {
    let mut one = job(key, key as i64, 1, 10, run);
    (one.request.min_nodes, one.request.max_nodes) = (Some(1), Some(1));
    one
}

/// Where memory is given and there is no default, a job that asks for none has all of a node: it starts on no node of which some is in use,
/// and leaves none.
#[test]
fn without_a_default_a_job_has_all_memory_of_a_node() {
    let mut site = cluster(1);
    (site.settings.select.memory, site.settings.jobs.default_memory) = (true, None);
    let with_some = |key: usize, run: i64| {
        let mut one = on_a_node(key, run);
        one.request.memory = Some(MemoryRequest::PerNode(100));
        one
    };
    let jobs = || vec![with_some(0, 100), with_some(1, 100), on_a_node(2, 300), with_some(3, 60)];
    let starts = |site: &Cluster| simulated(site, jobs()).iter().map(start).collect::<Vec<_>>();
    let found = starts(&site);
    assert!(found[1] < 10 && (100..200).contains(&found[2]) && found[3] >= found[2] + 300, "{found:?}");
    site.settings.jobs.default_memory = Some(MemoryAmount::PerCpu(100));
    let found = starts(&site);
    assert!(found.iter().all(|&start| start < 10), "control: {found:?}");
}

/// `MaxCPUsPerNode=3` on a node of two threads a core: a job of one processor has a core, so a second one would have a fourth.
#[test]
fn the_processors_that_a_partition_has_of_a_node_are_those_of_whole_cores() {
    let mut site = cluster(1);
    (site.nodes[0].cpus, site.nodes[0].threads_per_core) = (8, 2);
    site.settings.select.unit = ConsumedUnit::Cpu;
    site.partitions[0].max_cpus_per_node = Some(3);
    let seconds = |site: &Cluster| -> Vec<i64> {
        let all = (0..3).map(|key| on_a_node(key, 300)).collect();
        simulated(site, all).iter().map(start).collect()
    };
    let found = seconds(&site);
    assert!(found[1] < 10 && found[2] >= 300, "{found:?}");
    site.partitions[0].max_cpus_per_node = Some(5);
    assert!(seconds(&site)[2] < 10, "control");
}

/// Nothing is started on a node as long as a job there is being stopped, though processors are free.
#[test]
fn a_node_where_a_job_is_being_stopped_takes_no_job() {
    let (site, submissions) = (cluster(2), [on_a_node(0, 300), on_a_node(1, 300)]);
    let phases = Phases::from_start(Micros::of_seconds(-60), Seconds(30));
    let mut controller = Controller::new(&site, &submissions, phases);
    (0..2).for_each(|one| controller.submit(SubmissionHandle(one)));
    let first = controller.jobs[JobHandle(0)].partitions[PartitionChoice::FIRST].clone();
    let shares = controller.pool.given_in_any_case(&[0], &first.kept.need);
    let amounts = controller.limits.amounts(&shares, PartitionIndex(0));
    controller.start(JobHandle(0), PartitionChoice::FIRST, shares, amounts, StartedBy::Main);
    let chosen = |controller: &Controller<'_>| {
        let at = &controller.jobs[JobHandle(1)].partitions[PartitionChoice::FIRST];
        controller.now().nodes_now(JobHandle(1), at, &NodeSet::none(2)).unwrap().unwrap()
    };
    assert_eq!(chosen(&controller), [0], "beside it");
    controller.end(JobHandle(0), false);
    assert_eq!(chosen(&controller), [1]);
    controller.has_stopped(JobHandle(0));
    assert_eq!(chosen(&controller), [0]);
}

/// A reservation keeps two of four cores from 600 seconds on. A job of three processors that could run until then does not start; one
/// that ends by its limit before does.
#[test]
fn cores_of_a_reservation_to_come_are_kept_from_jobs_that_would_reach_it() {
    let starts = |minutes: i64| {
        let mut site = cluster(1);
        let mut cores = reserved(vec![0], 600, 1_200);
        cores.cores = Some(2);
        site.reservations = vec![cores];
        let mut one = job(0, 10, 3, minutes, 60);
        (one.request.min_nodes, one.request.max_nodes) = (Some(1), Some(1));
        start(&simulated(&site, vec![one])[0])
    };
    assert!(starts(9) < 20, "control");
    assert!(starts(10) >= 1_200);
}

/// A node is taken until 1,203 seconds, and four jobs are planned one behind the other; plans of another partition keep their stretches
/// apart. Since 24.11 the last has a plan too; before, no nodes come free while it is looked at.
#[test]
fn plans_are_made_behind_those_of_others() {
    let mut steps = vec![
        (0, LoggedAction::Submitted(number(10))),
        (3, LoggedAction::Pass { full: true }),
        (3, started(10, &[0], false)),
    ];
    steps.extend((11..16).map(|id| (5, LoggedAction::Submitted(number(id)))));
    steps.push((30, LoggedAction::Cycle));
    let on = LoggedPlace { partition: "other".into(), nodes: vec![1] };
    let (job_there, start, end) = (number(15), Time(1_860), Time(2_460));
    steps.push((30, LoggedAction::Planned { job: job_there, on, start, end }));
    let plans = [(1_203, 1_860), (1_860, 2_460), (2_460, 3_060), (3_060, 3_660)];
    steps.extend((11..).zip(plans).map(|(id, (from, to))| (30, planned(id, &[0], from, to))));
    let recorded = logged(steps);
    let has_plan = |version| {
        let mut jobs = vec![job(0, 0, 4, 20, 1_190)];
        jobs.extend((1..6).map(|key| job(key, 5, 4, 10, 60)));
        (10..).zip(&mut jobs).for_each(|(id, one)| one.id = Some(id));
        jobs[5].request.partitions = vec!["other".into()];
        let run = RecordedRun { submissions: jobs, ..RecordedRun::default() };
        let phases = Phases::from_start(Micros::of_seconds(-60), Seconds(30));
        let mut site = Cluster { version: Some(version), ..cluster(2) };
        let mut other = site.partitions[0].clone();
        (other.name, other.is_default) = ("other".into(), false);
        (site.partitions[0].nodes, other.nodes) = (vec![0], vec![1]);
        site.partitions.push(other);
        let missed = decisions(&site, &run, phases, &recorded).misses;
        !missed.iter().any(|one| one.job == "14" && one.decided == "never")
    };
    assert!(has_plan((24, 11)) && !has_plan((22, 5)));
}

/// A reservation of nodes that are not in its partition is nothing that a job waits for.
#[test]
fn reservations_of_nodes_outside_its_partition_delay_no_job() {
    let mut site = cluster(2);
    let mut other = site.partitions[0].clone();
    (other.name, other.is_default) = ("other".into(), false);
    (site.partitions[0].nodes, other.nodes) = (vec![0], vec![1]);
    site.partitions.push(other);
    let mut reservation = reserved(vec![1], 0, 600);
    reservation.users = Allowed::Only(Default::default());
    site.reservations = vec![reservation];
    let submissions = [on_a_node(0, 60)];
    let phases = Phases::from_start(Micros::of_seconds(-60), Seconds(30));
    let mut controller = Controller::new(&site, &submissions, phases);
    controller.submit(SubmissionHandle(0));
    let waits_for = |partition: usize| {
        let (mut nodes, job) = (NodeSet::all(2), JobHandle(0));
        controller.now().unreserved((job, PartitionIndex(partition)), &mut nodes, 10, 20).unwrap()
    };
    assert_eq!((waits_for(0), waits_for(1)), (None, Some(600)));
}

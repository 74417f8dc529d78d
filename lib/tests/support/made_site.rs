//! A made-up site with a long history.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use queuecast_core::job_state::JobState;
use queuecast_core::units::{Micros, Seconds, Time};
use queuecast_slurm_sim::cluster::{
    Cluster, ClusterNode, ClusterPartition, JobOutcome, JobRequest, RecordedRun, SubmittedJob, TaskRun,
    TimeLimit, classes_of,
};

const NODES: usize = 20;

/// Nodes of four processors in one partition.
pub fn site() -> Cluster {
    let nodes: Vec<ClusterNode> = (0..NODES)
        .map(|number| ClusterNode {
            name: format!("n{number:02}"),
            cpus: 4,
            cores_per_socket: 4,
            ..ClusterNode::default()
        })
        .collect();
    let partition = ClusterPartition {
        name: "all".into(),
        nodes: (0..NODES).collect(),
        is_default: true,
        ..ClusterPartition::default()
    };
    Cluster { classes: classes_of(&nodes), nodes, partitions: vec![partition], ..Cluster::default() }
}

/// `jobs` jobs, a thousand a day, each on a node of its own in the order of submission.
pub fn history(jobs: usize) -> RecordedRun {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut below = move |most: u64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((state >> 33) % most) as i64
    };
    let mut free: BinaryHeap<Reverse<(i64, usize)>> = (0..NODES).map(|node| Reverse((0, node))).collect();
    let mut run = RecordedRun::default();
    run.clock.is_unix = true;
    let mut submit = 0;
    for number in 0..jobs {
        submit += below(172);
        let largest = 1 << (1 + below(12));
        let length = 60 + below(largest) * 2;
        let Some(Reverse((idle, node))) = free.pop() else { break };
        let start = idle.max(submit + below(3));
        free.push(Reverse((start + length, node)));
        let key = format!("j{number}");
        run.outcomes.push(JobOutcome {
            key: key.clone(),
            task: None,
            state: JobState::Completed,
            submit: Time(submit),
            eligible: Some(Time(submit)),
            start: Some(Time(start)),
            end: Some(Time(start + length)),
            partition: "all".into(),
            cpus: 4,
            billed: None,
            nodes: vec![format!("n{node:02}")].into(),
            backfilled: None,
            priority: None,
        });
        run.submissions.push(SubmittedJob {
            key,
            id: None,
            submit: Micros::of_seconds(submit),
            user: format!("u{}", below(30)),
            request: JobRequest {
                tasks: Some(4),
                time_limit: Some(TimeLimit::Of(Seconds(length * (1 + below(5))))),
                ..JobRequest::default()
            }
            .into(),
            runs: vec![TaskRun::For(Seconds(length))],
            not_modelled: Vec::new(),
        });
    }
    run
}

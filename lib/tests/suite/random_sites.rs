//! Recorded runs of a real Slurm at sites drawn at random (`scripts/record-slurm --random SEED`), where rules meet. Each share is
//! at least what was measured last: a floor that only rises.

use queuecast_slurm_sim::controller::DecisionKind;

use super::recordings::{hold, shares};

/// Slurm 24.11: a partition that shares CPUs and one of least loaded nodes, preemption by tier, cores set aside.
#[test]
fn decisions_of_random_site_3_are_no_worse_than_measured() {
    hold(
        "random-3",
        &[
            (DecisionKind::Priority, 707, 100.0),
            (DecisionKind::PlanStart, 559, 93.0),
            (DecisionKind::PlanNodes, 559, 91.5),
            (DecisionKind::BackfillStart, 105, 100.0),
            (DecisionKind::StartNodes, 245, 88.1),
            (DecisionKind::Kill, 3, 66.6),
        ],
    );
}

/// Threads and cores set aside, priorities that only rise, whole nodes in one partition and least loaded ones in another.
#[test]
fn decisions_of_random_site_5_are_no_worse_than_measured() {
    hold(
        "random-5",
        &[
            (DecisionKind::Priority, 1_778, 98.6),
            (DecisionKind::PlanStart, 1_226, 97.6),
            (DecisionKind::PlanNodes, 1_226, 95.9),
            (DecisionKind::BackfillStart, 102, 100.0),
            (DecisionKind::StartNodes, 264, 97.7),
            (DecisionKind::Kill, 15, 100.0),
        ],
    );
}

/// Limits of accounts that stop what comes after, threads, GPUs of whole jobs.
#[test]
fn decisions_of_random_site_7_are_no_worse_than_measured() {
    hold(
        "random-7",
        &[
            (DecisionKind::Priority, 1_101, 96.0),
            (DecisionKind::PlanStart, 963, 94.3),
            (DecisionKind::PlanNodes, 963, 87.2),
            (DecisionKind::BackfillStart, 134, 100.0),
            (DecisionKind::StartNodes, 245, 96.3),
            (DecisionKind::Kill, 18, 100.0),
        ],
    );
}

/// Switches, preemption by tier, shares of the parent in the fair tree, a cap on the CPUs of a node.
#[test]
fn decisions_of_random_site_8_are_no_worse_than_measured() {
    let name = "random-8";
    hold(
        name,
        &[
            (DecisionKind::Priority, 2_154, 99.1),
            (DecisionKind::PlanStart, 420, 93.3),
            (DecisionKind::PlanNodes, 420, 93.3),
            (DecisionKind::BackfillStart, 137, 100.0),
            (DecisionKind::StartNodes, 225, 96.8),
            (DecisionKind::Kill, 6, 100.0),
        ],
    );
    // Control: with nodes of one weight, jobs start on others.
    let without = shares(name, |cluster| cluster.nodes.iter_mut().for_each(|node| node.weight = 1));
    let share = without.share(DecisionKind::StartNodes);
    assert!(share.is_some_and(|share| share < 80.0), "control: {share:?}");
}

/// Whole nodes in three partitions, least loaded nodes in two, cores and memory set aside, associations with priorities.
#[test]
fn decisions_of_random_site_33_are_no_worse_than_measured() {
    hold(
        "random-33",
        &[
            (DecisionKind::Priority, 1_504, 97.0),
            (DecisionKind::PlanStart, 851, 94.0),
            (DecisionKind::PlanNodes, 851, 93.0),
            (DecisionKind::BackfillStart, 85, 100.0),
            (DecisionKind::StartNodes, 213, 99.0),
            (DecisionKind::Kill, 17, 100.0),
        ],
    );
}

/// A partition that shares CPUs, whole nodes of three kinds, jobs that may run a minute past their limits.
#[test]
fn decisions_of_random_site_35_are_no_worse_than_measured() {
    hold(
        "random-35",
        &[
            (DecisionKind::Priority, 909, 94.0),
            (DecisionKind::PlanStart, 1_752, 90.0),
            (DecisionKind::PlanNodes, 1_752, 89.0),
            (DecisionKind::BackfillStart, 146, 97.0),
            (DecisionKind::StartNodes, 274, 97.0),
            (DecisionKind::Kill, 12, 100.0),
        ],
    );
}

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
            (DecisionKind::PlanStart, 559, 95.3),
            (DecisionKind::PlanNodes, 559, 93.9),
            (DecisionKind::BackfillStart, 105, 100.0),
            (DecisionKind::StartNodes, 245, 97.5),
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
            (DecisionKind::Priority, 1_778, 99.9),
            (DecisionKind::PlanStart, 1_226, 98.1),
            (DecisionKind::PlanNodes, 1_226, 97.5),
            (DecisionKind::BackfillStart, 102, 100.0),
            (DecisionKind::StartNodes, 264, 98.4),
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
            (DecisionKind::Priority, 1_101, 96.1),
            (DecisionKind::PlanStart, 963, 94.3),
            (DecisionKind::PlanNodes, 963, 87.2),
            (DecisionKind::BackfillStart, 134, 100.0),
            (DecisionKind::StartNodes, 245, 97.5),
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
            (DecisionKind::Priority, 2_154, 99.4),
            (DecisionKind::PlanStart, 420, 95.4),
            (DecisionKind::PlanNodes, 420, 95.4),
            (DecisionKind::BackfillStart, 137, 100.0),
            (DecisionKind::StartNodes, 225, 97.3),
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
            (DecisionKind::Priority, 1_504, 97.6),
            (DecisionKind::PlanStart, 851, 95.7),
            (DecisionKind::PlanNodes, 851, 94.8),
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
            (DecisionKind::Priority, 909, 98.3),
            (DecisionKind::PlanStart, 1_752, 95.0),
            (DecisionKind::PlanNodes, 1_752, 94.5),
            (DecisionKind::BackfillStart, 146, 97.9),
            (DecisionKind::StartNodes, 274, 97.4),
            (DecisionKind::Kill, 12, 100.0),
        ],
    );
}

/// Jobs that ask for no memory where there is no default, caps on the CPUs of nodes with two threads a core, in the order of submission.
#[test]
fn decisions_of_random_site_38_are_no_worse_than_measured() {
    hold(
        "random-38",
        &[
            (DecisionKind::PlanStart, 949, 96.9),
            (DecisionKind::PlanNodes, 949, 95.9),
            (DecisionKind::BackfillStart, 182, 100.0),
            (DecisionKind::StartNodes, 298, 99.3),
            (DecisionKind::Kill, 25, 100.0),
        ],
    );
}

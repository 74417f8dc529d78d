//! What would become of submissions.

use super::job::{ControlledJob, CtlState, StartedBy};
use super::phases::Phases;
use super::state::Controller;
use crate::cluster::{Cluster, JobOutcome, RecordedRun};
use crate::units::Time;

/// What would become of every job that was submitted, array tasks one by one, in the order of submission. Times are of the clock
/// of the submissions; what the recording tells of outcomes is not looked at.
pub fn simulate_cluster(cluster: &Cluster, run: &RecordedRun, phases: Phases) -> Vec<JobOutcome> {
    let mut controller = Controller::new(cluster, run, phases);
    controller.run(&run.events);
    controller.jobs.iter().map(|job| outcome(cluster, run, job)).collect()
}

fn outcome(cluster: &Cluster, run: &RecordedRun, job: &ControlledJob) -> JobOutcome {
    let started = job.by.is_some();
    let names = |partition: usize| cluster.partitions[partition].name.clone();
    let partitions: Vec<String> = job.places.iter().map(|place| names(place.partition)).collect();
    let state = match job.state {
        CtlState::ToCome | CtlState::Waiting => "PENDING",
        CtlState::Running => "RUNNING",
        CtlState::Ended { well: true } => "COMPLETED",
        CtlState::Ended { well: false } if job.end >= job.limit_end => "TIMEOUT",
        CtlState::Ended { well: false } | CtlState::Cancelled => "CANCELLED",
        CtlState::Refused => "REFUSED",
    };
    JobOutcome {
        key: run.submissions[job.submission].key.clone(),
        task: job.task,
        state: state.to_owned(),
        submit: Time(job.submit),
        eligible: job.eligible.map(Time),
        start: started.then_some(Time(job.start)),
        end: matches!(job.state, CtlState::Ended { .. }).then_some(Time(job.end)),
        partition: if started { names(job.ran_in) } else { partitions.join(",") },
        cpus: job.shares.iter().map(|share| share.cpus).sum(),
        nodes: job.nodes.iter().map(|node| cluster.nodes[node].name.clone()).collect(),
        backfilled: job.by.map(|by| by == StartedBy::Backfill),
        priority: job.places.iter().map(|place| place.priority).max(),
    }
}

//! A controller that goes on from an instant.

use super::job::{CtlState, StartedBy};
use super::node_set::NodeSet;
use super::phases::{Phases, SECOND};
use super::select::NodeOffer;
use super::state::{Controller, LIMIT_CHECK};
use crate::cluster::{Cluster, ClusterMoment, StandingState, SubmittedJob};
use crate::units::{Seconds, Time};

/// How a cluster is assumed to go on from an instant.
#[derive(Debug)]
pub struct Onwards<'a> {
    /// What is there, then what is submitted later: every submission of the moment, in its order, and those to come.
    pub submissions: &'a [SubmittedJob],
    /// How long every job runs in all, array tasks one by one, in the order of the submissions; `None`: past its limit.
    pub runs: &'a [Option<Seconds>],
    /// When the controller's timers are due.
    pub phases: Phases,
    /// How long ago, in seconds, the whole queue was last gone through and limits were last checked.
    pub since: [i64; 2],
}

/// When each of some jobs starts if the cluster goes on like this, in the order of `wanted` (places among all jobs, array tasks
/// one by one); `None`: it never does. The simulation ends once all of them have started.
pub fn run_on(
    cluster: &Cluster,
    moment: &ClusterMoment,
    onwards: &Onwards<'_>,
    wanted: &[usize],
) -> Vec<Option<Time>> {
    let mut controller = Controller::new(cluster, onwards.submissions, onwards.phases);
    for (job, run) in controller.jobs.iter_mut().zip(onwards.runs) {
        job.run_us = run.map(|run| run.0.clamp(0, i64::MAX / (4 * SECOND)) * SECOND);
    }
    controller.resume(moment, onwards.since);
    controller.wanted = wanted.iter().copied().filter(|&job| job < controller.jobs.len()).collect();
    controller.run(&[]);
    let start = |&job: &usize| {
        let one = controller.jobs.get(job)?;
        one.by.is_some().then_some(Time(one.start))
    };
    wanted.iter().map(start).collect()
}

impl Controller<'_> {
    /// Takes over where every job stands.
    fn resume(&mut self, moment: &ClusterMoment, [full, limit_check]: [i64; 2]) {
        let count = self.cluster.nodes.len();
        self.reservations.clone_from(&moment.reservations);
        self.up = NodeSet::of(count, (0..count).filter(|node| moment.closed_nodes.binary_search(node).is_err()));
        self.open_partitions();
        let mut running = Vec::new();
        let mut eligible = Vec::new();
        for standing in &moment.standings {
            let Some(own) = self.of_submission.get(standing.submission) else { continue };
            let Some(job) = own.iter().copied().find(|&job| self.jobs[job].task == standing.task) else {
                continue;
            };
            match &standing.state {
                StandingState::Left { well } => self.jobs[job].state = CtlState::Ended { well: *well },
                StandingState::Running { start, nodes, partition } => {
                    running.push((*start, job, nodes, *partition));
                }
                StandingState::Waiting { eligible: Some(since) } => eligible.push((job, since.0)),
                StandingState::Waiting { eligible: None } => {}
            }
        }
        running.sort_by_key(|&(start, job, ..)| (start, job));
        for (start, job, nodes, partition) in running {
            self.now_us = start.0.saturating_mul(SECOND);
            self.takes_over(job, nodes, partition);
        }
        for place in 0..moment.submissions.len().min(self.of_submission.len()) {
            if self.of_submission[place].iter().any(|&job| self.jobs[job].state == CtlState::ToCome) {
                self.now_us = self.submissions[place].submit_ms.saturating_mul(1000);
                self.submit(place);
            }
        }
        self.now_us = moment.now_ms * 1000;
        let now = self.now();
        for (job, since) in eligible {
            if self.jobs[job].eligible.is_some() {
                self.jobs[job].eligible = Some(since);
                self.jobs[job].was_seen = since < now;
            }
        }
        self.fair.set_usage(&moment.usage);
        self.last_charge = now;
        self.last_full = now - full;
        self.last_limit_check = now - limit_check.clamp(0, LIMIT_CHECK);
        (self.last_pass, self.last_report) = (now, now);
        for job in self.waiting.clone() {
            self.prioritize(job, now);
        }
        self.is_order_stale = true;
    }

    /// A job runs on these nodes since now.
    fn takes_over(&mut self, job: usize, nodes: &[usize], partition: Option<usize>) {
        self.describe_job(job);
        let limits = self.jobs[job].limits.clone();
        self.limits.arrived(&limits);
        let places = &self.jobs[job].places;
        let named = |index: usize| places.iter().position(|place| place.partition == index);
        let place = partition.and_then(named).unwrap_or(0);
        let Some(at) = places.get(place) else {
            // No partition would take it now, so that nothing is known of what it holds but its nodes.
            self.jobs[job].state = CtlState::Refused;
            return;
        };
        let kept = at.kept.clone();
        let mut given = self.given(nodes, &kept.need);
        if given.iter().map(|share| share.cpus).sum::<u32>() < kept.need.cpus {
            // As if nothing else ran there.
            let none = NodeSet::none(0);
            let offer = NodeOffer { layout: &self.layout, in_use: None, nodes: &none, lighter: &none };
            given = offer.shares(nodes, &kept.need);
        }
        let amounts = self.limits.amounts(&given);
        let submission = self.jobs[job].submission;
        if self.arrays[submission].record == 0 {
            self.records += 1;
            self.arrays[submission].record = self.records;
        }
        self.jobs[job].submit = self.submissions[submission].submit.0;
        self.start(job, place, given, amounts, StartedBy::Main);
    }
}

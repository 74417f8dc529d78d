//! Jobs that make way for others, and go back to the queue.

use super::candidates::Preemption;
use crate::cluster::{PreemptAction, PreemptKind};
use crate::controller::handles::JobHandle;
use crate::controller::job::RequestedPartition;
use crate::controller::placement::NodeSet;
use crate::controller::state::Controller;

/// Seconds after a requeue before the job may start again: its credentials have to expire first.
const REQUEUE_DELAY: i64 = 121;

/// Seconds that a node has to report before it counts as down (`SlurmdTimeout`).
const NODE_TIMEOUT: i64 = 300;

impl Controller<'_> {
    fn preemption(&self) -> Preemption<'_> {
        Preemption { now: self.now() }
    }

    /// Preempts the running jobs that keep a job from starting on the usable nodes, if that frees enough. The job starts once
    /// their nodes are free; until then no further jobs are preempted for it.
    pub fn make_way(&mut self, job: JobHandle, at: &RequestedPartition, usable: &NodeSet) {
        if self.cluster.settings.preempt.kind == PreemptKind::None {
            return;
        }
        let (now, patience) = (self.second(), self.cluster.settings.jobs.kill_wait.0 + NODE_TIMEOUT);
        if self.jobs[job].wait.preempted_at.is_some_and(|at| now - at < patience) {
            return;
        }
        if let Some(jobs) = self.preemption().preempted_for(job, at, usable) {
            self.jobs.preempts(job, now);
            self.preempt(&jobs);
        }
    }

    /// Preempts these jobs: they are requeued or cancelled, and their nodes are free after the stop delay.
    fn preempt(&mut self, jobs: &[JobHandle]) {
        for &job in jobs {
            let goes_back = self.preemption().action_for(job) == PreemptAction::Requeue
                && self.jobs.can_requeue(job, &self.cluster.settings.jobs);
            self.end(job, false);
            self.jobs.is_preempted(job);
            match goes_back {
                true => self.requeue(job),
                false => self.jobs.ends_preempted(job),
            }
        }
    }

    /// Requeues a stopped job: it is pending as if submitted now, with a later begin time, and will run from its beginning.
    pub fn requeue(&mut self, job: JobHandle) {
        let now = self.second();
        // What it holds is released once it has been stopped.
        let shares = self.jobs.take_shares(job);
        self.describe_job(job);
        let delay = self.cluster.settings.main.requeue_delay.map_or(REQUEUE_DELAY, |delay| delay.0);
        self.jobs.waits_again(job, shares, (now, now + delay));
        self.queue.requeue(job);
        let limits = self.jobs[job].holder.limits.clone();
        self.limits.arrived(&limits);
        self.priorities.prioritize(&mut self.jobs, job, now);
    }
}

#[cfg(test)]
mod tests {
    use crate::cluster::{
        Cluster, ClusterAction, ClusterEvent, JobOutcome, NodeChange, NodeState, PartitionIndex,
        PreemptAction, PreemptKind, Qos, RecordedRun, SubmittedJob,
    };
    use crate::controller::clock::Phases;
    use crate::controller::handles::{JobHandle, PartitionChoice, SubmissionHandle};
    use crate::controller::job::StartedBy;
    use crate::controller::simulate::{simulate_cluster, simulate_in_detail};
    use crate::controller::state::Controller;
    use crate::controller::tests::{cluster, job};
    use queuecast_core::job_state::JobState;
    use queuecast_core::units::{Micros, Seconds};

    /// One node; jobs of QOS high may preempt those of QOS low.
    fn preempting(action: PreemptAction) -> Cluster {
        let mut cluster = cluster(1);
        let qos = |name: &str| Qos { name: name.into(), ..Qos::default() };
        cluster.qos = vec![qos("low"), Qos { preempts: vec!["low".into()], ..qos("high") }];
        cluster.settings.preempt.kind = PreemptKind::Qos;
        cluster.settings.preempt.action = action;
        cluster.settings.jobs.job_requeue = true;
        cluster
    }

    fn of_qos(mut job: SubmittedJob, qos: &str) -> SubmittedJob {
        job.request.qos = vec![qos.into()];
        job
    }

    fn outcomes(cluster: &Cluster, run: &RecordedRun) -> Vec<JobOutcome> {
        simulate_cluster(cluster, run, Phases::from_start(Micros::of_seconds(-60), Seconds(30)))
    }

    #[test]
    fn a_job_makes_way_and_starts_again() {
        let submissions =
            || vec![of_qos(job(0, 0, 4, 20, 600), "low"), of_qos(job(1, 100, 4, 20, 300), "high")];
        let run = RecordedRun { submissions: submissions(), ..RecordedRun::default() };
        let [low, high] = &outcomes(&preempting(PreemptAction::Requeue), &run)[..] else { panic!() };
        let start = |one: &JobOutcome| one.start.unwrap().0;
        assert!((100..=110).contains(&start(high)), "{high:?}");
        // It runs from its beginning once the other has ended, and not before its begin time.
        assert!((400..=440).contains(&start(low)), "{low:?}");
        assert!(
            (low.end.unwrap() - low.start.unwrap()).0 >= 600 && low.state == JobState::Completed,
            "{low:?}"
        );
        // Its wait counts from when it was submitted, not from when it went back, and what it had computed is lost.
        assert_eq!(low.submit.0, 0);
        let phases = Phases::from_start(Micros::of_seconds(-60), Seconds(30));
        for (action, requeued) in [(PreemptAction::Requeue, 1), (PreemptAction::Cancel, 0)] {
            let found = simulate_in_detail(&preempting(action), &run, phases).jobs[0].interruptions;
            assert_eq!((found.preempted, found.requeued), (1, requeued), "{action:?}");
            assert!((4 * 90..=4 * 110).contains(&found.lost), "{action:?}: {found:?}");
        }
        let [low, high] = &outcomes(&preempting(PreemptAction::Cancel), &run)[..] else { panic!() };
        assert!((100..=110).contains(&start(high)) && low.state == JobState::Preempted, "{low:?}");
        // Controls: without preemption, and within `PreemptExemptTime`, it waits.
        let mut exempt = preempting(PreemptAction::Requeue);
        exempt.settings.preempt.exempt_time = Seconds(900);
        for cluster in [&preempting(PreemptAction::Off), &exempt] {
            let [low, high] = &outcomes(cluster, &run)[..] else { panic!() };
            assert!(start(high) >= 600 && start(low) < 10, "{high:?}");
        }
        // One that may not go back to the queue ends as preempted too.
        let mut run = run;
        run.submissions[0].request.terms.requeue = Some(false);
        assert_eq!(outcomes(&preempting(PreemptAction::Requeue), &run)[0].state, JobState::Preempted);
    }

    /// What a job is billed is found at its first start; a requeued one keeps it, here of four processors though it then has one.
    #[test]
    fn a_requeued_job_is_billed_as_at_its_first_start() {
        let cluster = cluster(1);
        let (submissions, first) = (vec![job(0, 0, 4, 20, 600), job(1, 0, 1, 20, 600)], JobHandle(0));
        let phases = Phases::from_start(Micros::of_seconds(-60), Seconds(30));
        let mut controller = Controller::new(&cluster, &submissions, phases);
        let billed = |controller: &Controller<'_>, job: JobHandle| {
            let last = &controller.jobs[job].last;
            (last.billing, last.cpus, last.amounts.0[3])
        };
        let run = |controller: &mut Controller<'_>, job: JobHandle, cpus: u32| {
            let need = controller.jobs[job].partitions[PartitionChoice::FIRST].kept.need.clone();
            let mut shares = controller.pool.given_in_any_case(&[0], &need);
            (shares[0].cpus, shares[0].held) = (cpus, cpus);
            let amounts = controller.limits.amounts(&shares, PartitionIndex(0));
            controller.start(job, PartitionChoice::FIRST, shares, amounts, StartedBy::Main);
        };
        controller.submit(SubmissionHandle(0));
        controller.submit(SubmissionHandle(1));
        run(&mut controller, first, 4);
        assert_eq!(billed(&controller, first), (Some(4.0), 4, 4));
        controller.end(first, false);
        controller.requeue(first);
        run(&mut controller, first, 1);
        assert_eq!(billed(&controller, first), (Some(4.0), 1, 4));
        // Control: another job is billed for what it has.
        run(&mut controller, JobHandle(1), 1);
        assert_eq!(billed(&controller, JobHandle(1)), (Some(1.0), 1, 1));
    }

    #[test]
    fn no_more_jobs_make_way_than_are_needed() {
        let mut cluster = preempting(PreemptAction::Requeue);
        let wide = crate::controller::tests::cluster(3);
        (cluster.nodes, cluster.classes, cluster.partitions) = (wide.nodes, wide.classes, wide.partitions);
        let mut submissions: Vec<SubmittedJob> =
            (0..3).map(|key| of_qos(job(key, 0, 4, 20, 600), "low")).collect();
        submissions.push(of_qos(job(3, 100, 4, 20, 300), "high"));
        let run = RecordedRun { submissions, ..RecordedRun::default() };
        let found = outcomes(&cluster, &run);
        let moved = found[..3].iter().filter(|one| one.start.unwrap().0 > 100).count();
        assert_eq!(moved, 1, "{found:?}");
        assert!(found[3].start.unwrap().0 <= 110);
    }

    #[test]
    fn jobs_on_a_node_that_fails_start_again() {
        let mut cluster = cluster(2);
        cluster.settings.jobs.job_requeue = true;
        let change = |at: i64, state: NodeState| ClusterEvent {
            at: Micros::of_seconds(at),
            action: ClusterAction::Nodes(NodeChange { nodes: vec![0], state }),
        };
        let run = RecordedRun {
            submissions: vec![job(0, 0, 4, 20, 600), job(1, 0, 4, 20, 600)],
            events: vec![change(50, NodeState::Down), change(2000, NodeState::Up)],
            ..RecordedRun::default()
        };
        let found = outcomes(&cluster, &run);
        let starts: Vec<i64> = found.iter().map(|one| one.start.unwrap().0).collect();
        assert_eq!(starts.iter().filter(|start| **start < 10).count(), 1, "{starts:?}");
        assert!(starts.iter().any(|start| (600..660).contains(start)), "on the other node: {starts:?}");
        // Control: on a node that is drained they go on.
        let drained = RecordedRun { events: vec![change(50, NodeState::Drained)], ..run };
        assert!(outcomes(&cluster, &drained).iter().all(|one| one.start.unwrap().0 < 10));
    }
}

//! What `scontrol hold`, `release`, `requeue` and `update` change of jobs.

use super::jobs::Jobs;
use crate::cluster::{Cluster, JobUpdate, TimeLimit};
use crate::controller::handles::JobHandle;
use crate::controller::job::JobStage;
use crate::controller::lifecycle::submissions::whole_minutes;
use crate::controller::state::Controller;

impl Controller<'_> {
    /// Changes the jobs of a submission that wait or run, or one task.
    pub fn change_jobs(&mut self, key: &str, task: Option<u32>, change: JobUpdate) {
        let Some(submission) = self.jobs.named(key) else { return };
        let is_meant = |job: &JobHandle| task.is_none() || self.jobs[*job].task == task;
        let all: Vec<JobHandle> = self.jobs.tasks(submission).iter().copied().filter(is_meant).collect();
        match change {
            JobUpdate::Held => self.hold(&all),
            JobUpdate::Released => self.let_go(&all),
            JobUpdate::Requeued => self.send_back(&all),
            JobUpdate::Nice(nice) => self.be_nice(&all, nice),
            JobUpdate::TimeLimit(limit) => {
                self.jobs.set_limit(&all, limit, self.cluster);
                self.prioritize_waiting(&all);
            }
        }
        self.queue.is_out_of_order();
    }

    /// Waiting jobs are not eligible until they are released.
    fn hold(&mut self, jobs: &[JobHandle]) {
        let held = self.jobs.waiting_of(jobs);
        let mut were_eligible = Vec::new();
        for &job in &held {
            let one = self.jobs.at_mut(job);
            one.terms.is_held = true;
            one.wait.was_seen = false;
            if one.wait.eligible.take().is_some() {
                were_eligible.push(job);
            }
        }
        for job in were_eligible {
            self.limits.end_ageing(&mut self.jobs, job);
            self.queue.becomes_unready(self.jobs[job].submission, job);
        }
    }

    /// What is taken from the priorities of waiting jobs changes.
    fn be_nice(&mut self, jobs: &[JobHandle], nice: i64) {
        self.jobs.set_nice(jobs, nice);
        self.prioritize_waiting(jobs);
    }

    /// Priorities of waiting jobs that were changed are computed again.
    fn prioritize_waiting(&mut self, jobs: &[JobHandle]) {
        let now = self.second();
        for job in self.jobs.waiting_of(jobs) {
            self.priorities.prioritize(&mut self.jobs, job, now);
        }
    }

    /// Running jobs that may be requeued are stopped, and wait again. So do those that have ended, while they are remembered.
    fn send_back(&mut self, jobs: &[JobHandle]) {
        let (now, settings) = (self.second(), &self.cluster.settings.jobs);
        let is_remembered = |end: i64| settings.min_job_age.0 == 0 || now - end < settings.min_job_age.0;
        for &job in jobs {
            let (state, end) = (self.jobs[job].state, self.jobs[job].last.end);
            let runs = state == JobStage::Running;
            let has_run = matches!(state, JobStage::Ended { .. }) && is_remembered(end);
            if (runs || has_run) && self.jobs.can_requeue(job, settings) {
                if runs {
                    self.end(job, false);
                }
                let had = std::mem::take(&mut self.jobs.at_mut(job).last.amounts);
                self.requeue(job);
                if has_run {
                    self.jobs.at_mut(job).last.amounts = had;
                    self.priorities.prioritize(&mut self.jobs, job, now);
                }
            }
        }
    }

    /// Held jobs may start again; their age begins with the look at the queue that finds that.
    fn let_go(&mut self, jobs: &[JobHandle]) {
        let now = self.second();
        for job in self.jobs.waiting_of(jobs) {
            let one = self.jobs.at_mut(job);
            if std::mem::take(&mut one.terms.is_held) {
                if one.terms.begin < now {
                    one.terms.begin = i64::MIN;
                }
                self.priorities.prioritize(&mut self.jobs, job, now);
            }
        }
    }
}

impl Jobs<'_> {
    /// What is taken from the priorities of waiting jobs changes, also of those that only rise.
    fn set_nice(&mut self, jobs: &[JobHandle], nice: i64) {
        for job in self.waiting_of(jobs) {
            let one = self.at_mut(job);
            let by = std::mem::replace(&mut one.terms.nice, nice) - nice;
            if one.terms.fixed_priority.is_none() {
                one.partitions
                    .iter_mut()
                    .for_each(|at| at.priority = at.priority.saturating_add_signed(by).max(1));
            }
        }
    }

    /// The time limits of waiting and running jobs change.
    fn set_limit(&mut self, jobs: &[JobHandle], limit: TimeLimit, cluster: &Cluster) {
        for &job in jobs {
            let state = self[job].state;
            if !matches!(state, JobStage::Waiting | JobStage::Running) {
                continue;
            }
            for choice in self[job].partitions.choices() {
                let partition = &cluster[self[job].partitions[choice].partition];
                self.at_mut(job).partitions[choice].limit = whole_minutes(Some(limit), partition);
            }
            if state == JobStage::Running {
                let one = self.at_mut(job);
                let own = one.partitions.iter().find(|at| at.partition == one.last.ran_in);
                one.last.limit_end = one.last.start + own.map_or(0, |at| at.limit);
                self.runs_no_more(job);
                self.runs(job);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::cluster::{
        ClusterAction, ClusterEvent, JobOutcome, JobUpdate, PriorityKind, RecordedRun, SubmittedJob,
        TimeLimit,
    };
    use crate::controller::tests::{cluster, job, start};
    use crate::controller::{Phases, simulate_cluster};
    use queuecast_core::units::{Micros, Seconds};

    /// One node, on which these jobs run after one of 300 seconds, with one change of a job.
    fn changed(jobs: Vec<SubmittedJob>, change: Option<(i64, &str, JobUpdate)>) -> Vec<JobOutcome> {
        let mut site = cluster(1);
        site.settings.priority.kind = PriorityKind::Multifactor;
        site.settings.priority.weights.age = 100_000;
        site.settings.jobs.job_requeue = true;
        let event = |(at, key, change): (i64, &str, JobUpdate)| ClusterEvent {
            at: Micros::of_seconds(at),
            action: ClusterAction::Job { key: key.into(), task: None, change },
        };
        let run = RecordedRun {
            submissions: [vec![job(0, 0, 4, 10, 300)], jobs].concat(),
            events: change.into_iter().map(event).collect(),
            ..RecordedRun::default()
        };
        simulate_cluster(&site, &run, Phases::from_start(Micros::of_seconds(-60), Seconds(30)))
    }

    #[test]
    fn a_held_job_waits_and_a_lower_priority_is_passed() {
        let two = || vec![job(1, 10, 4, 10, 60), job(2, 100, 4, 10, 60)];
        let found = changed(two(), None);
        assert!(start(&found[1]) < start(&found[2]), "control: {found:?}");
        let held = changed(two(), Some((150, "j1", JobUpdate::Held)));
        assert!(held[1].start.is_none() && start(&held[2]) < 400, "{held:?}");
        let nice = changed(two(), Some((150, "j1", JobUpdate::Nice(50_000))));
        assert!(start(&nice[2]) < start(&nice[1]), "{nice:?}");
    }

    /// Priorities are computed at 241 seconds. At 260 the first job is 19 seconds older than then.
    #[test]
    fn what_is_taken_from_a_priority_changes_with_the_age_of_now() {
        let two = || vec![job(1, 10, 4, 10, 60), job(2, 100, 4, 10, 60)];
        let nice = |by: i64| changed(two(), Some((260, "j1", JobUpdate::Nice(by))));
        let found = nice(17);
        assert!(start(&found[1]) < start(&found[2]), "{found:?}");
        let found = nice(19);
        assert!(start(&found[1]) > start(&found[2]), "control: {found:?}");
    }

    #[test]
    fn the_age_of_a_released_job_begins_anew() {
        let mut two = vec![job(1, 10, 4, 10, 60), job(2, 100, 4, 10, 60)];
        two[0].request.terms.hold = true;
        let found = changed(two, Some((200, "j1", JobUpdate::Released)));
        assert!(start(&found[2]) < start(&found[1]), "{found:?}");
    }

    #[test]
    fn a_requeued_job_runs_again_from_its_beginning() {
        let others = || vec![job(1, 10, 4, 10, 60)];
        let found = changed(others(), Some((60, "j0", JobUpdate::Requeued)));
        // The other one runs meanwhile, and the requeued one again once it may.
        let (first, other) = (&found[0], &found[1]);
        assert!((60..100).contains(&start(other)), "{found:?}");
        assert!(start(first) >= 181 && first.end.is_some_and(|end| end.0 == start(first) + 300), "{found:?}");
        // One that waits, has ended, or may not be requeued stays as it is.
        let mut kept = others();
        kept[0].request.terms.requeue = Some(false);
        let plain = changed(kept.clone(), None);
        for at in [20, start(&plain[1]) + 10, 2000] {
            assert_eq!(changed(kept.clone(), Some((at, "j1", JobUpdate::Requeued))), plain, "{at}");
        }
    }

    /// It may start 121 seconds after it was requeued. After `MinJobAge` (300 seconds) it is forgotten.
    #[test]
    fn a_job_that_has_ended_runs_again_while_it_is_remembered() {
        let changed_at = |at: i64| changed(Vec::new(), Some((at, "j0", JobUpdate::Requeued)))[0].clone();
        let ended = changed(Vec::new(), None)[0].end.unwrap().0;
        let again = changed_at(ended + 290);
        let delay = start(&again) - (ended + 290);
        assert!((121..185).contains(&delay) && again.submit.0 == 0, "{again:?}");
        assert_eq!(again.end.unwrap().0 - start(&again), 300, "{again:?}");
        assert!(start(&changed_at(ended + 301)) < 10, "control");
    }

    #[test]
    fn a_running_job_is_stopped_at_its_new_limit() {
        let limit = TimeLimit::Of(Seconds(120));
        let found = changed(Vec::new(), Some((60, "j0", JobUpdate::TimeLimit(limit))));
        assert!(found[0].end.is_some_and(|end| (120..220).contains(&end.0)), "{found:?}");
    }
}

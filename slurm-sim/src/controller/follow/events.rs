//! What users and administrators did in a recorded run.

use super::follower::RecordingFollower;
use crate::cluster::{ClusterAction, JobUpdate};
use crate::controller::job::{ControlledJob, JobStage};

impl RecordingFollower<'_> {
    /// Cancellations are in the log, with the second in which they had their effect.
    pub fn event(&mut self) {
        let action = &self.run.events[self.events].action;
        self.events += 1;
        let has_started =
            |job: &ControlledJob| matches!(job.state, JobStage::Running | JobStage::Ended { .. });
        let started: Vec<bool> = self.controller.jobs.all().iter().map(has_started).collect();
        if !matches!(action, ClusterAction::Cancel { .. }) {
            self.controller.act(action);
            self.forget_running();
        }
        if let ClusterAction::Job { key, change, .. } = action
            && let Some(submission) = self.controller.jobs.named(key)
        {
            for job in self.controller.jobs.tasks(submission).to_vec() {
                match change {
                    JobUpdate::Released => self.note_parts(job),
                    JobUpdate::Requeued => {
                        let waits = self.controller.jobs[job].state == JobStage::Waiting;
                        if waits && started[job.0] {
                            self.note_parts(job);
                        }
                    }
                    JobUpdate::Nice(_) | JobUpdate::TimeLimit(_) => {
                        if self.controller.jobs[job].state == JobStage::Waiting {
                            self.note_parts(job);
                        }
                    }
                    JobUpdate::Held => {}
                }
            }
        }
    }
}

//! What users and administrators did in a recorded run.

use super::follower::RecordingFollower;
use crate::cluster::{ClusterAction, JobUpdate};
use crate::controller::job::JobStage;

impl RecordingFollower<'_> {
    /// Cancellations are in the log, with the second in which they had their effect.
    pub fn event(&mut self) {
        let action = &self.run.events[self.events].action;
        self.events += 1;
        let running = self.controller.jobs.running().to_vec();
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
                        if waits && running.contains(&job) {
                            self.note_parts(job);
                        }
                    }
                    JobUpdate::Nice(_) => {
                        if self.controller.jobs[job].state == JobStage::Waiting {
                            self.note_parts(job);
                        }
                    }
                    JobUpdate::Held | JobUpdate::TimeLimit(_) => {}
                }
            }
        }
    }
}

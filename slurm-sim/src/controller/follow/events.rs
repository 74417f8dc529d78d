//! What users and administrators did in a recorded run.

use super::follower::RecordingFollower;
use crate::cluster::{ClusterAction, JobUpdate};

impl RecordingFollower<'_> {
    /// Cancellations are in the log, with the second in which they had their effect.
    pub fn event(&mut self) {
        let action = &self.run.events[self.events].action;
        self.events += 1;
        if !matches!(action, ClusterAction::Cancel { .. }) {
            self.controller.act(action);
            self.forget_running();
        }
        if let ClusterAction::Job { key, change, .. } = action
            && let Some(submission) = self.controller.jobs.named(key)
        {
            for job in self.controller.jobs.tasks(submission).to_vec() {
                match change {
                    JobUpdate::Released | JobUpdate::Requeued => self.note_parts(job),
                    JobUpdate::Nice(nice) => {
                        self.parts[job.0].iter_mut().for_each(|parts| parts.nice = *nice as f64);
                    }
                    JobUpdate::Held | JobUpdate::TimeLimit(_) => {}
                }
            }
        }
    }
}

//! The jobs in the system: those of each user that wait or run, and what is predicted of them.

use super::scatter::Lookup;
use super::{Forecast, Revision};
use queuecast_core::job::{Job, JobIndex, UserId};
use queuecast_core::units::{Seconds, Time};

/// A job in the system.
#[derive(Debug, Clone)]
pub(super) struct Present<K> {
    pub job: JobIndex,
    pub user: UserId,
    /// When it started; `None` while it waits.
    pub start: Option<Time>,
    pub limit: Option<Seconds>,
    /// What is predicted of it now.
    pub predicted: Seconds,
    /// What the predictor remembers about it.
    pub kept: K,
    /// Its place among its user's.
    place: u32,
}

impl<K> Present<K> {
    /// How long it has run; nothing while it waits.
    pub fn elapsed(&self, now: Time) -> Seconds {
        self.start.map_or(Seconds::ZERO, |start| now - start)
    }
}

/// The jobs in the system, by job and by user.
#[derive(Debug, Clone)]
pub(super) struct Presence<K> {
    slots: Vec<Present<K>>,
    /// Slots by job.
    of_job: Lookup<JobIndex, u32>,
    /// Slots by user.
    of_user: Lookup<UserId, Vec<u32>>,
}

impl<K> Presence<K> {
    pub fn new() -> Presence<K> {
        Presence { slots: Vec::new(), of_job: Lookup::default(), of_user: Lookup::default() }
    }

    /// A job arrives, and takes the place of one of the same index.
    pub fn enter(&mut self, job: &Job, user: UserId, predicted: Seconds, kept: K) {
        self.leave(job.index);
        let slot = self.slots.len() as u32;
        let mates = self.of_user.entry(user).or_default();
        let place = mates.len() as u32;
        mates.push(slot);
        self.of_job.insert(job.index, slot);
        let limit = job.shape.limit;
        self.slots.push(Present { job: job.index, user, start: None, limit, predicted, kept, place });
    }

    pub fn of(&mut self, job: JobIndex) -> Option<&mut Present<K>> {
        self.of_job.get(&job).map(|&slot| &mut self.slots[slot as usize])
    }

    /// A job leaves.
    pub fn leave(&mut self, job: JobIndex) -> Option<Present<K>> {
        let slot = self.of_job.remove(&job)?;
        let gone = self.slots.swap_remove(slot as usize);
        if let Some(mates) = self.of_user.get_mut(&gone.user) {
            mates.swap_remove(gone.place as usize);
            if let Some(&moved) = mates.get(gone.place as usize) {
                // The last slot has just moved into the one left.
                let moved = if moved as usize == self.slots.len() { slot } else { moved };
                self.slots[moved as usize].place = gone.place;
            }
        }
        if let Some(moved) = self.slots.get(slot as usize) {
            self.of_job.insert(moved.job, slot);
            if let Some(mates) = self.of_user.get_mut(&moved.user) {
                mates[moved.place as usize] = slot;
            }
        }
        Some(gone)
    }

    /// Predicts all jobs of a user anew, but for one, and notes those of which something else is now thought, in
    /// arrival order. A running job keeps a prediction that is not yet outlived if the new one would be.
    pub fn revise(
        &mut self,
        user: UserId,
        except: JobIndex,
        now: Time,
        predict: impl Fn(&Present<K>) -> Seconds,
        revisions: &mut Vec<Revision>,
    ) {
        let from = revisions.len();
        for &slot in self.of_user.get(&user).into_iter().flatten() {
            let present = &mut self.slots[slot as usize];
            if present.job == except {
                continue;
            }
            let forecast = Forecast::exactly(predict(present));
            let predicted = forecast.point();
            if predicted != present.predicted && predicted > present.elapsed(now) {
                present.predicted = predicted;
                revisions.push(Revision { job: present.job, forecast });
            }
        }
        // Jobs planned to end at one instant overrun in the order they were revised; slots lie in no order.
        revisions[from..].sort_unstable_by_key(|revision| revision.job);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use queuecast_core::units::Procs;

    fn job(index: u32) -> Job {
        Job { index: JobIndex(index), ..Job::rigid(index.into(), Time(0), Procs(1), None) }
    }

    fn user(number: u32) -> UserId {
        UserId::new(number).unwrap()
    }

    #[test]
    fn users_find_their_own_when_others_leave() {
        let mut presence = Presence::new();
        for index in 0..60 {
            presence.enter(&job(index), user(index % 3), Seconds(1), ());
        }
        for index in [0, 59, 7, 30, 31, 58, 2, 1, 33] {
            assert_eq!(presence.leave(JobIndex(index)).map(|gone| gone.job), Some(JobIndex(index)));
        }
        assert!(presence.leave(JobIndex(7)).is_none());
        let mut revisions = Vec::new();
        presence.revise(user(1), JobIndex(4), Time(0), |_| Seconds(9), &mut revisions);
        let revised: Vec<u32> = revisions.iter().map(|revision| revision.job.0).collect();
        let left = |index: &u32| index % 3 == 1 && ![7, 31, 58, 1, 4].contains(index);
        assert_eq!(revised, (0..60).filter(left).collect::<Vec<_>>());
        assert_eq!(presence.of(JobIndex(10)).unwrap().predicted, Seconds(9));
    }

    #[test]
    fn a_running_job_is_never_predicted_to_have_ended() {
        let mut presence = Presence::new();
        presence.enter(&job(0), user(0), Seconds(100), ());
        presence.of(JobIndex(0)).unwrap().start = Some(Time(50));
        let mut revised = |now, predicted| {
            let mut revisions = Vec::new();
            presence.revise(user(0), JobIndex(9), Time(now), |_| Seconds(predicted), &mut revisions);
            revisions.first().map(|revision| revision.forecast.point().0)
        };
        assert_eq!(revised(80, 30), None);
        assert_eq!(revised(80, 31), Some(31));
        assert_eq!(revised(80, 31), None);
    }
}

//! Usage, and priorities by it.

use super::state::Controller;
use crate::cluster::PriorityKind;

impl Controller<'_> {
    /// Charges a job for the time since it was charged last.
    pub(super) fn charge(&mut self, job: usize, until: i64) {
        let one = &self.jobs[job];
        let Some(association) = one.association else { return };
        let factor = one.qos.map_or(1.0, |qos| self.cluster.qos[qos].usage_factor);
        let billing = one.amounts.0.get(3).copied().unwrap_or(0) as f64 * factor;
        self.fair.charge(association, billing, until - one.start.max(self.last_charge));
    }

    /// Usage decays and is charged, and all priorities are computed again.
    pub(super) fn recompute(&mut self) {
        let now = self.now();
        self.fair.decay(now - self.last_charge);
        for job in self.running.clone() {
            self.charge(job, now);
        }
        self.last_charge = now;
        self.fair.rank();
        for job in self.waiting.clone() {
            self.prioritize(job, now);
        }
        self.changed = true;
    }

    pub(super) fn prioritize(&mut self, job: usize, now: i64) {
        let settings = &self.cluster.settings.priority;
        let weights = &settings.weights;
        let one = &self.jobs[job];
        let age = match one.eligible.filter(|_| one.was_seen) {
            Some(since) => ((now - since).max(0) as f64 / settings.max_age.0.max(1) as f64).min(1.0),
            None => 0.0,
        };
        let fair = one.association.map_or(0.0, |index| self.fair.factor(index));
        let qos = one.qos.map_or(0.0, |qos| f64::from(self.cluster.qos[qos].priority));
        let qos = if self.largest_qos > 0.0 { qos / self.largest_qos } else { 0.0 };
        let nodes = self.cluster.nodes.len().max(1) as f64;
        let (size_cpus, nice, fixed) = (f64::from(one.size_cpus), one.nice, one.fixed_priority);
        let priorities: Vec<u64> = one
            .places
            .iter()
            .map(|place| {
                if let Some(fixed) = fixed {
                    return u64::from(fixed);
                }
                if settings.kind == PriorityKind::Basic {
                    // In the order of submission.
                    return u64::from(u32::MAX) - one.submission as u64;
                }
                let asked = f64::from(place.need.asked_nodes);
                let size = if settings.favor_small {
                    ((nodes - asked) / nodes + (self.all_cpus - size_cpus) / self.all_cpus) / 2.0
                } else {
                    (asked / nodes + size_cpus / self.all_cpus) / 2.0
                };
                let factor = f64::from(self.cluster.partitions[place.partition].priority_job_factor);
                let partition =
                    if self.largest_partition > 0.0 { factor / self.largest_partition } else { 0.0 };
                let sum = f64::from(weights.age) * age
                    + f64::from(weights.fair_share) * fair
                    + f64::from(weights.job_size) * size.min(1.0)
                    + f64::from(weights.partition) * partition
                    + f64::from(weights.qos) * qos
                    - nice as f64;
                if sum < 1.0 { 1 } else { sum as u64 }
            })
            .collect();
        for (place, priority) in self.jobs[job].places.iter_mut().zip(priorities) {
            place.priority = priority;
        }
    }
}

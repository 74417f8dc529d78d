//! Usage, and priorities by it.

use super::state::Controller;
use crate::cluster::PriorityKind;

/// What a multifactor priority consists of: factors times their weights.
#[derive(Debug, Clone, Copy, Default)]
pub struct PriorityParts {
    pub age: f64,
    pub fair_share: f64,
    pub size: f64,
    pub partition: f64,
    pub qos: f64,
    /// Taken away.
    pub nice: f64,
}

impl PriorityParts {
    /// The priority before it is cut to a whole number.
    pub fn sum(&self) -> f64 {
        self.age + self.fair_share + self.size + self.partition + self.qos - self.nice
    }
}

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
        self.is_order_stale = true;
        self.changed = true;
    }

    pub(super) fn prioritize(&mut self, job: usize, now: i64) {
        for place in 0..self.jobs[job].places.len() {
            self.jobs[job].places[place].priority = self.priority(job, place, now);
        }
    }

    fn priority(&self, job: usize, place: usize, now: i64) -> u64 {
        let one = &self.jobs[job];
        if let Some(fixed) = one.fixed_priority {
            return u64::from(fixed);
        }
        if self.cluster.settings.priority.kind == PriorityKind::Basic {
            // In the order of submission.
            return u64::from(u32::MAX) - one.submission as u64;
        }
        let sum = self.priority_parts(job, place, now).sum();
        if sum < 1.0 { 1 } else { sum as u64 }
    }

    /// What the priority of a job in one of its partitions consists of.
    pub(super) fn priority_parts(&self, job: usize, place: usize, now: i64) -> PriorityParts {
        let settings = &self.cluster.settings.priority;
        let weights = &settings.weights;
        let one = &self.jobs[job];
        let place = &one.places[place];
        let age = match one.eligible.filter(|_| one.was_seen) {
            Some(since) => ((now - since).max(0) as f64 / settings.max_age.0.max(1) as f64).min(1.0),
            None => 0.0,
        };
        let qos = one.qos.map_or(0.0, |qos| f64::from(self.cluster.qos[qos].priority));
        let nodes = self.cluster.nodes.len().max(1) as f64;
        let (asked, size_cpus) = (f64::from(place.kept.need.asked_nodes), f64::from(one.size_cpus));
        let size = if settings.favor_small {
            ((nodes - asked) / nodes + (self.all_cpus - size_cpus) / self.all_cpus) / 2.0
        } else {
            (asked / nodes + size_cpus / self.all_cpus) / 2.0
        };
        let factor = f64::from(self.cluster.partitions[place.partition].priority_job_factor);
        let of = |value: f64, largest: f64| if largest > 0.0 { value / largest } else { 0.0 };
        PriorityParts {
            age: f64::from(weights.age) * age,
            fair_share: f64::from(weights.fair_share)
                * one.association.map_or(0.0, |index| self.fair.factor(index)),
            size: f64::from(weights.job_size) * size.min(1.0),
            partition: f64::from(weights.partition) * of(factor, self.largest_partition),
            qos: f64::from(weights.qos) * of(qos, self.largest_qos),
            nice: one.nice as f64,
        }
    }
}

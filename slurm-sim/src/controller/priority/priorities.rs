//! Usage, and what priorities are measured by.

use std::sync::Arc;

use super::fair_share::FairShare;
use crate::cluster::Cluster;
use crate::controller::job::ControlledJob;
use crate::controller::limits::Limits;
use crate::controller::placement::NodeLayout;

/// Usage of associations, and the largest values of factors, which the others are divided by.
#[derive(Debug)]
pub struct Priorities<'c> {
    pub(super) cluster: &'c Cluster,
    pub(super) layout: Arc<NodeLayout>,
    pub(super) fair: FairShare,
    /// When running jobs were last charged, in seconds.
    last_charge: i64,
    pub(super) largest_qos: f64,
    pub(super) largest_partition: f64,
    pub(super) largest_association: f64,
    /// Processors of all nodes that jobs may have.
    pub(super) all_cpus: f64,
}

fn largest(values: impl Iterator<Item = u32>) -> f64 {
    values.map(f64::from).fold(0.0, f64::max)
}

impl<'c> Priorities<'c> {
    /// Of a cluster without usage, whose jobs were last charged in this second.
    pub fn new(
        cluster: &'c Cluster,
        layout: Arc<NodeLayout>,
        all_cpus: f64,
        last_charge: i64,
    ) -> Priorities<'c> {
        Priorities {
            fair: FairShare::new(&cluster.associations, &cluster.settings.priority),
            last_charge,
            largest_qos: largest(cluster.qos.iter().map(|one| one.priority)),
            largest_partition: largest(cluster.partitions.iter().map(|one| one.priority_job_factor)),
            largest_association: largest(cluster.associations.0.iter().filter_map(|one| one.priority)),
            all_cpus,
            cluster,
            layout,
        }
    }

    /// Takes over what every association has used by its own jobs up to this second.
    pub fn take_over(&mut self, usage: &[f64], now: i64) {
        self.fair.set_usage(usage);
        self.last_charge = now;
    }

    /// Running jobs were charged up to this second; from now on none is charged for time before it.
    pub fn charged(&mut self, now: i64) {
        self.last_charge = now;
    }

    /// What has been used counts less by this second, for fair shares and for limits.
    pub fn decay(&mut self, limits: &mut Limits, now: i64) {
        self.fair.begin_period();
        self.fair.decay(now - self.last_charge);
        limits.decay(self.fair.decay_over(now - self.last_charge));
    }

    /// Charges a job for the time since it was charged last, up to this second.
    pub fn charge(&mut self, one: &ControlledJob, limits: &mut Limits, until: i64) {
        let factor = one.holder.qos.map_or(1.0, |qos| self.cluster[qos].usage_factor);
        let from = one.last.start.max(self.last_charge);
        if let Some(association) = one.holder.association {
            let told = one.last.billing;
            let billing = told.unwrap_or_else(|| limits.billed(&one.last.amounts, one.last.ran_in));
            self.fair.charge(association, billing * factor, until - from);
        }
        if limits.counts_minutes() {
            let (span, limit) =
                ((from - one.last.start, until - one.last.start), one.last.limit_end - one.last.start);
            let charged = self.fair.decayed(until - from) * factor;
            limits.charge(&one.running_limits(), &one.last.amounts, span, limit, charged);
        }
    }
}

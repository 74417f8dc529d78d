//! Usage, and what priorities are measured by.

use super::fair_share::FairShare;
use crate::cluster::Cluster;
use crate::controller::handles::JobHandle;

/// Usage of associations, and the largest values of factors, which the others are divided by.
#[derive(Debug)]
pub struct Priorities {
    pub fair: FairShare,
    /// When running jobs were last charged, in seconds.
    pub last_charge: i64,
    pub largest_qos: f64,
    pub largest_partition: f64,
    pub largest_association: f64,
    /// Processors of all nodes that jobs may have.
    pub all_cpus: f64,
}

/// Pending jobs whose sizes are not known yet.
#[derive(Debug, Default)]
pub struct PendingSizes {
    /// Exclusive jobs that no backfill cycle has seen.
    pub unsized_jobs: Vec<JobHandle>,
    /// Sizes of jobs that have changed since their priorities were computed: nodes were looked for.
    pub looked_for: Vec<(JobHandle, u32)>,
}

fn largest(values: impl Iterator<Item = u32>) -> f64 {
    values.map(f64::from).fold(0.0, f64::max)
}

impl Priorities {
    pub fn new(cluster: &Cluster, all_cpus: f64, last_charge: i64) -> Priorities {
        Priorities {
            fair: FairShare::new(&cluster.associations, &cluster.settings.priority),
            last_charge,
            largest_qos: largest(cluster.qos.iter().map(|one| one.priority)),
            largest_partition: largest(cluster.partitions.iter().map(|one| one.priority_job_factor)),
            largest_association: largest(cluster.associations.0.iter().filter_map(|one| one.priority)),
            all_cpus,
        }
    }
}

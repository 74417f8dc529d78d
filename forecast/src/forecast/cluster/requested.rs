//! The time that a job asks for at a site.

use queuecast_core::units::Seconds;
use queuecast_sim::predict::DEFAULT_REQUEST;
use queuecast_slurm_sim::cluster::{Cluster, SubmittedJob, TimeLimit};

/// The time that a job asks for, or what its partition gives it.
pub(super) fn requested(cluster: &Cluster, job: &SubmittedJob) -> Seconds {
    let partition = job.request.partitions.first().and_then(|name| cluster.partition(name));
    let partition = partition.or_else(|| cluster.default_partition()).map(|index| &cluster[index]);
    let asked = match job.request.time_limit {
        Some(TimeLimit::Of(limit)) => Some(limit),
        Some(TimeLimit::Unlimited) => partition.and_then(|one| one.max_time),
        None => partition.and_then(|one| one.default_time.or(one.max_time)),
    };
    asked.unwrap_or(DEFAULT_REQUEST)
}

//! Before which instant a job cannot start, whatever becomes of others: its begin time, the reservation that it asks for, and reservations
//! of others that leave it no nodes until they end.

use std::collections::BTreeMap;

use super::requested::requested;
use queuecast_core::units::{Micros, Seconds, Time};
use queuecast_slurm_sim::cluster::{
    AdvanceReservation, Cluster, ClusterMoment, PartitionIndex, SubmittedJob,
};

/// Finds the first instant at which jobs of a moment may start.
pub(super) struct NotBefore<'a> {
    cluster: &'a Cluster,
    moment: &'a ClusterMoment,
    /// By partition, length and number of nodes: when that many nodes are first free of reservations.
    found: BTreeMap<(PartitionIndex, Seconds, usize), Time>,
}

impl<'a> NotBefore<'a> {
    pub fn of(cluster: &'a Cluster, moment: &'a ClusterMoment) -> NotBefore<'a> {
        NotBefore { cluster, moment, found: BTreeMap::new() }
    }

    /// Of a job: its submission or begin time, or what reservations make of that.
    pub fn job(&mut self, job: &SubmittedJob) -> Micros {
        let begin = job.may_start();
        if self.moment.reservations.is_empty() {
            return begin;
        }
        let named = &job.request.terms.reservations;
        if !named.is_empty() {
            let known = self.moment.reservations.iter().filter(|one| named.contains(&one.name));
            return known.map(|one| Micros::from(one.start)).min().map_or(begin, |start| start.max(begin));
        }
        let length =
            requested(self.cluster, job).min(job.request.terms.time_min.unwrap_or(Seconds(i64::MAX)));
        let nodes = job.request.min_nodes.unwrap_or(1).max(1) as usize;
        let named = job.request.partitions.iter().filter_map(|name| self.cluster.partition(name));
        let mut partitions: Vec<PartitionIndex> = named.collect();
        if partitions.is_empty() {
            partitions.extend(self.cluster.default_partition());
        }
        let free = partitions.into_iter().map(|partition| self.free((partition, length, nodes), begin)).min();
        free.map_or(begin, |free| begin.max(free.into()))
    }

    /// When this many nodes of a partition are first free of reservations for a length of time, each by itself.
    fn free(&mut self, (partition, length, count): (PartitionIndex, Seconds, usize), begin: Micros) -> Time {
        let now = self.moment.now.second();
        let from = begin.second().max(now);
        // What is found from now on holds for all jobs that may start now.
        if from == now
            && let Some(&known) = self.found.get(&(partition, length, count))
        {
            return known;
        }
        let config = &self.cluster[partition];
        let blocking: Vec<&AdvanceReservation> =
            self.moment.reservations.iter().filter(|one| keeps_others_out(one, &config.name)).collect();
        let mut free: Vec<Time> =
            config.nodes.iter().map(|&node| free_from(node, from, length, &blocking)).collect();
        free.sort_unstable();
        let found = free.get(count - 1).copied().unwrap_or(from);
        if from == now {
            self.found.insert((partition, length, count), found);
        }
        found
    }
}

/// Whether a reservation has whole nodes to itself at instants that are known.
fn keeps_others_out(one: &AdvanceReservation, partition: &str) -> bool {
    let flags = &one.flags;
    let is_apart = one.partition.as_ref().is_none_or(|own| own == partition);
    is_apart && one.cores.is_none() && !flags.magnetic && !flags.any_nodes && !flags.floating
}

/// When a node is first free of reservations for a length of time.
fn free_from(node: usize, from: Time, length: Seconds, reservations: &[&AdvanceReservation]) -> Time {
    let mut own: Vec<(Time, Time)> = reservations
        .iter()
        .filter(|one| one.nodes.binary_search(&node).is_ok())
        .map(|one| (one.start, one.end))
        .collect();
    own.sort_unstable();
    own.into_iter().fold(from, |at, (start, end)| if at < end && at + length > start { end } else { at })
}

#[cfg(test)]
mod tests {
    use super::*;
    use queuecast_slurm_sim::cluster::{
        Begin, ClusterNode, ClusterPartition, JobRequest, ReservationFlags, TimeLimit,
    };

    fn cluster() -> Cluster {
        let node = |name: &str| ClusterNode { name: name.into(), cpus: 4, ..ClusterNode::default() };
        let partition = ClusterPartition { name: "all".into(), nodes: vec![0, 1], ..Default::default() };
        Cluster { nodes: vec![node("a"), node("b")], partitions: vec![partition], ..Cluster::default() }
    }

    fn reservation(name: &str, nodes: &[usize], [start, end]: [i64; 2]) -> AdvanceReservation {
        AdvanceReservation {
            name: name.into(),
            nodes: nodes.to_vec(),
            start: Time(start),
            end: Time(end),
            users: Default::default(),
            accounts: Default::default(),
            partition: None,
            cores: None,
            licenses: Default::default(),
            flags: ReservationFlags { maintenance: true, ..ReservationFlags::default() },
        }
    }

    fn job(nodes: u32, length: i64) -> SubmittedJob {
        let request = JobRequest {
            partitions: vec!["all".into()],
            min_nodes: Some(nodes),
            time_limit: Some(TimeLimit::Of(Seconds(length))),
            ..JobRequest::default()
        };
        SubmittedJob {
            key: "1".into(),
            id: None,
            submit: Time(900).into(),
            user: "ann".into(),
            request: request.into(),
            runs: Vec::new(),
            not_modelled: Vec::new(),
        }
    }

    #[test]
    fn reservations_and_begin_times_bound_starts() {
        let cluster = cluster();
        let moment = ClusterMoment {
            now: Time(1000).into(),
            submissions: Vec::new(),
            standings: Vec::new(),
            reservations: vec![
                reservation("both", &[0, 1], [1500, 2500]),
                reservation("then", &[1], [3000, 4000]),
            ],
            closed_nodes: Vec::new(),
            usage: Vec::new(),
        };
        let start = |job: &SubmittedJob| NotBefore::of(&cluster, &moment).job(job).second().0;
        // It ends before the first reservation.
        assert_eq!(start(&job(1, 500)), 1000);
        assert_eq!((start(&job(1, 501)), start(&job(2, 500)), start(&job(2, 501))), (2500, 1000, 4000));
        assert_eq!(start(&job(3, 501)), 1000, "more nodes than there are are no question of reservations");
        let mut named = job(1, 501);
        named.request.terms.reservations = vec!["then".into()];
        assert_eq!(start(&named), 3000);
        let mut later = job(1, 100);
        later.request.terms.begin = Some(Begin::At(Time(1450)));
        assert_eq!(start(&later), 2500);
        later.request.terms.begin = Some(Begin::At(Time(5000)));
        assert_eq!(start(&later), 5000);
        // Several jobs ask one after the other.
        let mut all = NotBefore::of(&cluster, &moment);
        assert_eq!([501, 500, 501].map(|length| all.job(&job(1, length)).second().0), [2500, 1000, 2500]);
        // Control: without reservations it is the submission.
        let none = ClusterMoment { reservations: Vec::new(), ..moment };
        assert_eq!(NotBefore::of(&cluster, &none).job(&job(2, 501)).second().0, 900);
    }
}

//! The queue as one partition sees it: what really holds its nodes, and what waits for them.

use queuecast_core::order;
use std::cmp::Reverse;

use super::sinfo::Partition;
use super::squeue::Queued;
use queuecast_core::units::Procs;

/// The jobs that hold or wait for nodes of a partition, those of other partitions on the same nodes included.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PartitionQueue {
    /// Processors of its nodes that are held by the jobs below, or idle; or the number given instead.
    pub machine: Procs,
    /// Running jobs, the oldest first, then waiting ones in the order of the queue: by tier, priority and number. Their
    /// processors are those they hold, or ask for, on these nodes; none has more than the machine.
    pub jobs: Vec<Queued>,
    /// Processors that are held by no job that `squeue` lists, such as those of jobs that are being cleaned up. They are not
    /// part of the machine, unless its size is given.
    pub unlisted: Procs,
    /// Waiting jobs that are left out: they wait for something else than processors, or ask for more than the machine has.
    pub left_out: usize,
    /// Running jobs that hold more than the machine has. They are kept, and hold all of it.
    pub capped: usize,
}

impl PartitionQueue {
    /// The queue of a partition, of all jobs and partitions of the site. `procs` replaces the number of its processors.
    ///
    /// A running job holds the share of its processors that its nodes in this partition are of all its nodes. A waiting job
    /// counts in full if it may run in this partition. One of another partition that shares nodes asks for the share of its
    /// processors that the common nodes are of that partition. Waiting jobs of a lower tier are not among them: a new job of
    /// this partition comes before them.
    pub fn of(
        partition: &Partition,
        all: &[Partition],
        queue: &[Queued],
        procs: Option<Procs>,
    ) -> PartitionQueue {
        let here = |job: &Queued, procs: Procs| (procs > Procs(0)).then(|| Queued { procs, ..job.clone() });
        let running = queue.iter().filter(|job| job.elapsed.is_some());
        let mut jobs: Vec<Queued> = running.filter_map(|job| here(job, held(job, partition))).collect();
        let listed: u64 = jobs.iter().map(|job| u64::from(job.procs.0)).sum();
        let unlisted = u64::from(partition.held().0).saturating_sub(listed) as u32;
        let machine = procs.unwrap_or(Procs(partition.in_service().0.saturating_sub(unlisted)));
        let mut capped = 0;
        for job in jobs.iter_mut().filter(|job| job.procs > machine) {
            job.procs = machine;
            capped += 1;
        }
        let mut waiting: Vec<(Reverse<i64>, Queued)> = Vec::new();
        let mut left_out = 0;
        for job in queue.iter().filter(|job| job.elapsed.is_none()) {
            let Some(job) = here(job, asked(job, partition, all)) else { continue };
            if !job.in_line || job.procs > machine {
                left_out += 1;
                continue;
            }
            let tiers = all.iter().filter(|one| job.partitions.contains(&one.name)).map(|one| one.tier);
            let tier = tiers.max().unwrap_or(partition.tier);
            if tier >= partition.tier {
                waiting.push((Reverse(tier), job));
            }
        }
        // Stable: within a tier the order is that of the queue.
        order::sort_by_key(&mut waiting, |(tier, _)| *tier);
        jobs.extend(waiting.into_iter().map(|(_, job)| job));
        PartitionQueue { machine, jobs, unlisted: Procs(unlisted), left_out, capped }
    }
}

/// The processors that a running job holds on the nodes of a partition that are in service.
fn held(job: &Queued, partition: &Partition) -> Procs {
    if job.nodes.is_empty() {
        return if job.partitions.contains(&partition.name) { job.procs } else { Procs(0) };
    }
    // What it holds on nodes that are being drained is free for no other job.
    let is_here = |node: &&String| partition.nodes.get(*node).is_some_and(|node| !node.is_closed);
    let here = job.nodes.iter().filter(is_here).count();
    part(job.procs, here as f64 / job.nodes.len() as f64)
}

/// The processors that a waiting job asks for on the nodes of a partition.
fn asked(job: &Queued, partition: &Partition, all: &[Partition]) -> Procs {
    if job.partitions.contains(&partition.name) {
        return job.procs;
    }
    let others = all.iter().filter(|one| job.partitions.contains(&one.name));
    part(job.procs, others.map(|one| one.shared(partition)).fold(0.0, f64::max))
}

/// This share of processors, at least one if it is not none.
fn part(procs: Procs, share: f64) -> Procs {
    if share <= 0.0 { Procs(0) } else { Procs((f64::from(procs.0) * share).round().max(1.0) as u32) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sinfo::sinfo;
    use crate::squeue::squeue;

    fn seen(queue: &PartitionQueue) -> Vec<(u64, u32)> {
        queue.jobs.iter().map(|job| (job.id, job.procs.0)).collect()
    }

    #[test]
    fn jobs_of_other_partitions_hold_the_nodes_they_share() {
        // `long` has the first two of the four nodes of `short`, which hold jobs of `short` only.
        let all = sinfo(
            "a|4/0/0/4|short|up|10:00|1-infinite|UNLIMITED|1\nb|4/0/0/4|short|up|10:00|1-infinite|UNLIMITED|1\n\
             c|4/0/0/4|short|up|10:00|1-infinite|UNLIMITED|1\nd|1/3/0/4|short|up|10:00|1-infinite|UNLIMITED|1\n\
             a|4/0/0/4|long|up|1:00:00|1-infinite|UNLIMITED|2\nb|4/0/0/4|long|up|1:00:00|1-infinite|UNLIMITED|2\n\
             e|0/2/0/2|apart|up|1:00:00|1-infinite|UNLIMITED|1\n",
        )
        .unwrap();
        let queue = squeue(
            "1|RUNNING|12|5:00|1:00|9|ada|N/A|short|a,b,c|None\n2|PENDING|8|5:00|0:00|50|ada|N/A|short||Priority\n\
             3|PENDING|4|5:00|0:00|5|bob|N/A|long||Resources\n4|PENDING|2|5:00|0:00|5|bob|N/A|long||Dependency\n\
             5|PENDING|9|5:00|0:00|4|bob|N/A|long||Resources\n6|PENDING|1|5:00|0:00|3|eve|N/A|apart,long||Priority\n",
        )
        .unwrap();
        let of = |name: &str| {
            let partition = all.iter().find(|one| one.name == name).unwrap();
            PartitionQueue::of(partition, &all, &queue, None)
        };
        // Eight of the twelve are here; the job that waits in `short` comes later, for its tier is lower.
        let long = of("long");
        assert_eq!(seen(&long), [(1, 8), (3, 4), (6, 1)]);
        assert_eq!((long.machine, long.unlisted, long.left_out), (Procs(8), Procs(0), 2));
        // One processor of d is held by nothing that is listed.
        let short = of("short");
        assert_eq!((short.machine, short.unlisted), (Procs(15), Procs(1)));
        // All of `long` is part of `short`, and of a higher tier.
        assert_eq!(seen(&short), [(1, 12), (3, 4), (5, 9), (6, 1), (2, 8)]);
        assert_eq!(seen(&of("apart")), [(6, 1)]);
        // Half of what waits in `short` may come to `long`, were it of the same tier.
        let mut alike = all.clone();
        alike.iter_mut().for_each(|one| one.tier = 1);
        let long = alike.iter().find(|one| one.name == "long").unwrap();
        assert_eq!(seen(&PartitionQueue::of(long, &alike, &queue, None)), [(1, 8), (2, 4), (3, 4), (6, 1)]);
    }

    /// What ends on a node that is being drained frees nothing.
    #[test]
    fn a_job_on_a_node_that_is_being_drained_frees_nothing() {
        let queue = squeue(
            "1|RUNNING|8|5:00|1:00|9|ada|N/A|batch|a,b|None\n2|RUNNING|4|5:00|2:00|9|ada|N/A|batch|b|None\n",
        )
        .unwrap();
        let of = |state: &str| {
            let all = sinfo(&format!(
                "a|4/0/0/4|batch|up|10:00|1-2|UNLIMITED|1|allocated\nb|8/0/0/8|batch|up|10:00|1-2|UNLIMITED|1|{state}\n"
            ))
            .unwrap();
            let found = PartitionQueue::of(&all[0], &all, &queue, None);
            (found.machine, found.unlisted, seen(&found))
        };
        assert_eq!(of("draining"), (Procs(4), Procs(0), vec![(1, 4)]));
        assert_eq!(of("allocated"), (Procs(12), Procs(0), vec![(2, 4), (1, 8)]));
    }

    #[test]
    fn a_waiting_job_larger_than_the_machine_is_counted_and_a_running_one_is_capped() {
        // Four of the sixteen processors are held by no listed job.
        let all = sinfo("a|16/0/0/16|batch|up|10:00|1-infinite|UNLIMITED|1\n").unwrap();
        let queue = squeue(
            "1|RUNNING|12|5:00|1:00|9|ada|N/A|batch|a|None\n2|PENDING|14|5:00|0:00|50|ada|N/A|batch||Priority\n\
             3|PENDING|12|5:00|0:00|5|bob|N/A|batch||Resources\n",
        )
        .unwrap();
        let found = PartitionQueue::of(&all[0], &all, &queue, None);
        assert_eq!(
            (found.machine, found.unlisted, found.left_out, found.capped),
            (Procs(12), Procs(4), 1, 0)
        );
        assert_eq!(seen(&found), [(1, 12), (3, 12)]);
        let given = PartitionQueue::of(&all[0], &all, &queue, Some(Procs(8)));
        assert_eq!((given.machine, given.left_out, given.capped), (Procs(8), 2, 1));
        assert_eq!(seen(&given), [(1, 8)]);
        let larger = PartitionQueue::of(&all[0], &all, &queue, Some(Procs(20)));
        assert_eq!((larger.machine, larger.left_out, larger.capped), (Procs(20), 0, 0));
    }
}

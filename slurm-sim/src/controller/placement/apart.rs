//! Nodes that jobs of different partitions do not have together (`OverSubscribe`).
//!
//! A partition with `OverSubscribe=YES:n` or `FORCE:n` has n rows: that many jobs may have a core together. A job that may share its
//! cores (of a partition with FORCE, or one that asks for it where the partition has YES and several rows) is given no node with a
//! job that does not share. A job that does not share is given no node with jobs of another partition of several rows.

use crate::cluster::{Cluster, Exclusivity, JobRequest, PartitionIndex, SelectKind, Sharing};

/// A partition of several rows: its place among those.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct PartitionOfRows(usize);

/// The partitions of several rows, counted one by one.
#[derive(Debug, Clone, Default)]
pub struct PartitionsApart {
    /// Of each partition: its sharing, and what it is named by if it has several rows. Empty: no partition shares.
    partitions: Vec<(Sharing, Option<PartitionOfRows>)>,
    /// How many have several rows.
    count: usize,
    /// Whether only jobs that share keep jobs of other partitions out, as since Slurm 24.11.
    only_sharing: bool,
}

/// How a job keeps jobs of other partitions from its nodes, and is kept from theirs.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct JobApart {
    /// Whether it may share its cores; `None`: no partition shares, or it is no job.
    shares: Option<bool>,
    /// Its partition, if that has several rows.
    of_rows: Option<PartitionOfRows>,
    /// Whether it keeps out jobs of other partitions that do not share.
    keeps_out: bool,
}

impl PartitionsApart {
    pub fn of(cluster: &Cluster) -> PartitionsApart {
        let shares = |sharing: Sharing| matches!(sharing, Sharing::Force(_)) || rows(sharing) > 1;
        let is_linear = cluster.settings.select.kind == SelectKind::Linear;
        if is_linear || !cluster.partitions.iter().any(|one| shares(one.sharing)) {
            return PartitionsApart::default();
        }
        let mut count = 0;
        let partitions = cluster.partitions.iter().map(|one| {
            let has_several = rows(one.sharing) > 1;
            count += usize::from(has_several);
            (one.sharing, has_several.then(|| PartitionOfRows(count - 1)))
        });
        PartitionsApart {
            partitions: partitions.collect(),
            count,
            only_sharing: cluster.version.is_some_and(|version| version >= (24, 11)),
        }
    }

    /// Of a job in a partition.
    pub fn job(&self, partition: PartitionIndex, request: &JobRequest) -> JobApart {
        let Some(&(sharing, of_rows)) = self.partitions.get(partition.0) else { return JobApart::default() };
        let asks = request.wishes.exclusivity == Some(Exclusivity::Oversubscribe);
        let shares = match sharing {
            Sharing::Force(_) => true,
            Sharing::Yes(rows) => rows > 1 && asks,
            Sharing::No | Sharing::Exclusive => false,
        };
        JobApart {
            shares: Some(shares),
            of_rows,
            keeps_out: of_rows.is_some() && (shares || !self.only_sharing),
        }
    }
}

/// How many jobs may have a core together.
fn rows(sharing: Sharing) -> u32 {
    match sharing {
        Sharing::Yes(rows) | Sharing::Force(rows) => rows,
        Sharing::No | Sharing::Exclusive => 1,
    }
}

/// Jobs on each node that keep others out: how many do not share, and how many each partition of several rows has.
#[derive(Debug, Clone, Default)]
pub struct ApartOnNodes {
    counts: Vec<u32>,
    /// Counts of each node.
    width: usize,
}

impl ApartOnNodes {
    pub fn none(partitions: &PartitionsApart, nodes: usize) -> ApartOnNodes {
        let width = if partitions.partitions.is_empty() { 0 } else { partitions.count + 1 };
        ApartOnNodes { counts: vec![0; width * nodes], width }
    }

    pub fn take(&mut self, node: usize, job: JobApart) {
        self.indices(node, job).into_iter().flatten().for_each(|index| self.counts[index] += 1);
    }

    pub fn release(&mut self, node: usize, job: JobApart) {
        self.indices(node, job).into_iter().flatten().for_each(|index| self.counts[index] -= 1);
    }

    /// The counts that a job counts among.
    fn indices(&self, node: usize, job: JobApart) -> [Option<usize>; 2] {
        let own = job.of_rows.filter(|_| job.keeps_out).map(|own| node * self.width + 1 + own.0);
        [(job.shares == Some(false)).then_some(node * self.width), own]
    }

    /// Whether the jobs of a node keep a job out.
    pub fn keeps_out(&self, node: usize, job: JobApart) -> bool {
        let Some(shares) = job.shares.filter(|_| self.width > 0) else { return false };
        let counts = &self.counts[node * self.width..(node + 1) * self.width];
        let is_other = |index: usize| Some(PartitionOfRows(index)) != job.of_rows;
        match shares {
            true => counts[0] > 0,
            false => counts[1..].iter().enumerate().any(|(index, &count)| count > 0 && is_other(index)),
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::cluster::{Cluster, ClusterPartition, Exclusivity, Sharing, SubmittedJob};
    use crate::controller::tests::{cluster, job, simulated};

    /// Two nodes in two partitions, the first of which shares.
    fn shared(sharing: Sharing) -> Cluster {
        let mut site = cluster(2);
        site.partitions[0].sharing = sharing;
        let other =
            ClusterPartition { name: "other".into(), nodes: vec![0, 1], ..ClusterPartition::default() };
        site.partitions.push(other);
        site
    }

    fn within(mut one: SubmittedJob, partition: &str) -> SubmittedJob {
        one.request.partitions = vec![partition.into()];
        one
    }

    fn sharing(mut one: SubmittedJob) -> SubmittedJob {
        one.request.wishes.exclusivity = Some(Exclusivity::Oversubscribe);
        one
    }

    /// The node of each job.
    fn nodes(site: &Cluster, jobs: Vec<SubmittedJob>) -> Vec<String> {
        simulated(site, jobs).iter().map(|one| one.nodes.iter().next().unwrap().to_owned()).collect()
    }

    #[test]
    fn jobs_of_a_partition_with_several_rows_have_nodes_of_their_own() {
        let jobs = || vec![within(job(0, 0, 1, 10, 60), "all"), within(job(1, 1, 1, 10, 60), "other")];
        assert_eq!(nodes(&shared(Sharing::Yes(4)), jobs()), ["n00", "n01"]);
        // Controls: with one row, and in the same partition, they are on one node.
        assert_eq!(nodes(&shared(Sharing::No), jobs()), ["n00", "n00"]);
        let same = vec![within(job(0, 0, 1, 10, 60), "all"), within(job(1, 1, 1, 10, 60), "all")];
        assert_eq!(nodes(&shared(Sharing::Yes(4)), same), ["n00", "n00"]);
        // Since 24.11 only jobs that share keep others out.
        let mut newer = shared(Sharing::Yes(4));
        newer.version = Some((24, 11));
        assert_eq!(nodes(&newer, jobs()), ["n00", "n00"]);
        let mut asked = jobs();
        asked[0] = sharing(asked[0].clone());
        assert_eq!(nodes(&newer, asked), ["n00", "n01"]);
    }

    #[test]
    fn a_job_that_may_share_has_no_node_with_one_that_does_not() {
        let jobs = || vec![within(job(0, 0, 1, 10, 60), "other"), within(job(1, 1, 1, 10, 60), "all")];
        assert_eq!(nodes(&shared(Sharing::Force(1)), jobs()), ["n00", "n01"]);
        // Not the other way round: a partition with one row keeps out none.
        let first = vec![within(job(0, 0, 1, 10, 60), "all"), within(job(1, 1, 1, 10, 60), "other")];
        assert_eq!(nodes(&shared(Sharing::Force(1)), first), ["n00", "n00"]);
        let mut asks = vec![job(0, 0, 1, 10, 60), sharing(job(1, 1, 1, 10, 60))];
        asks.iter_mut().for_each(|one| one.request.partitions = vec!["all".into()]);
        assert_eq!(nodes(&shared(Sharing::Yes(2)), asks), ["n00", "n01"]);
    }
}

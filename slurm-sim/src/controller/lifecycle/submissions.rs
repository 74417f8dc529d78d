//! Jobs out of submissions.

use queuecast_core::order;
use std::cmp::Reverse;
use std::sync::Arc;

use super::described::DescribedRequest;
use crate::cluster::{
    ClusterPartition, JobRequest, PartLimitsRule, PartitionIndex, PartitionState, Qos, Sharing, TimeLimit,
};
use crate::controller::handles::{JobHandle, SubmissionHandle};
use crate::controller::job::{RequestedPartition, RequestedPartitions};
use crate::controller::limits::{CountsFor, LimitSet};
use crate::controller::placement::NodeBounds;
use crate::controller::state::Controller;

/// The limit of jobs that no partition limits, in seconds.
const LONGEST: i64 = 365 * 86_400;

/// The time limit of a request in a partition, in seconds: whole minutes. A job that says none, where the partition has no default, has
/// the longest that its limits allow.
fn limit(request: &JobRequest, partition: &ClusterPartition, longest: Option<i64>) -> i64 {
    let limit = whole_minutes(request.time_limit, partition);
    match (request.time_limit.is_none() && partition.default_time.is_none(), longest) {
        (true, Some(longest)) => limit.min(longest),
        _ => limit,
    }
}

/// A time limit in a partition, in seconds: whole minutes.
pub fn whole_minutes(limit: Option<TimeLimit>, partition: &ClusterPartition) -> i64 {
    let limit = match limit {
        Some(TimeLimit::Of(limit)) => (limit.0 + 59).div_euclid(60) * 60,
        Some(TimeLimit::Unlimited) => partition.max_time.map_or(LONGEST, |limit| limit.0),
        None => partition.default_time.or(partition.max_time).map_or(LONGEST, |limit| limit.0),
    };
    limit.clamp(60, LONGEST)
}

/// Whether jobs may be queued in a partition.
fn queues(partition: &ClusterPartition) -> bool {
    matches!(partition.state, PartitionState::Up | PartitionState::Down)
}

/// Whether a partition ever starts a job with this time limit and number of nodes; its QOS may be exempt from the limits.
fn takes(
    partition: &ClusterPartition,
    request: &JobRequest,
    nodes: u32,
    qos: Option<&Qos>,
    limit: i64,
) -> bool {
    let exempt = qos.map(|qos| qos.flags).unwrap_or_default();
    let most = request.max_nodes.unwrap_or(nodes).max(nodes);
    (exempt.partition_time_limit || partition.max_time.is_none_or(|longest| limit <= longest.0))
        && (exempt.partition_max_nodes || partition.max_nodes.is_none_or(|limit| most <= limit))
        && (exempt.partition_min_nodes || nodes >= partition.min_nodes)
}

/// Whether a partition takes jobs of this account and QOS.
fn admits(partition: &ClusterPartition, request: &JobRequest, qos: Option<&Qos>) -> bool {
    partition.accounts.allows(request.account.as_deref().unwrap_or_default())
        && qos.is_none_or(|qos| partition.allowed_qos.allows(&qos.name))
}

/// With this many all are forgotten, so that memory is bounded.
const MOST_DESCRIBED: usize = 1_000;

impl Controller<'_> {
    /// Computes what one job asks for, and the association, QOS and limits that apply to it.
    pub fn describe_job(&mut self, job: JobHandle) {
        self.describe(self.jobs[job].submission, &[job]);
    }

    /// Computes what these jobs of a submission ask for, and the association, QOS and limits that apply to them.
    pub fn describe(&mut self, submission: SubmissionHandle, own: &[JobHandle]) {
        let asked = self.jobs.asked(submission);
        let key = (asked.request.address(), self.holders.user(&asked.user));
        if !self.described.contains_key(&key) {
            if self.described.len() >= MOST_DESCRIBED {
                self.described.clear();
            }
            let described = self.described_alone(submission);
            self.described.insert(key, described);
        }
        let DescribedRequest { partitions, limits, user, qos, association, size_cpus } =
            &self.described[&key];
        for &job in own {
            let one = self.jobs.at_mut(job);
            (one.partitions, one.holder.limits, one.holder.user) =
                (partitions.clone(), limits.clone(), *user);
            (one.holder.qos, one.holder.association, one.wait.size_cpus) = (*qos, *association, *size_cpus);
        }
    }

    /// What jobs of a submission ask for: a function of its request and its user.
    fn described_alone(&mut self, submission: SubmissionHandle) -> DescribedRequest {
        let submission = self.jobs.asked(submission);
        let request = &submission.request;
        let mut partitions: Vec<PartitionIndex> =
            request.partitions.iter().filter_map(|name| self.cluster.partition(name)).collect();
        if request.partitions.is_empty() {
            partitions.extend(self.cluster.default_partition());
        }
        let account = request.account.as_deref().unwrap_or_default();
        let association = self.holders.association(account, &submission.user);
        let qos = self.cluster.qos_within(submission, association);
        let own_qos = qos.map(|qos| &self.cluster[qos]);
        // The smallest `MinNodes` of its partitions is requested at least, unless the job's own maximum is lower.
        let fewest = partitions.iter().map(|&one| self.cluster[one].min_nodes).min().unwrap_or(0);
        let fewest = if request.max_nodes.is_none_or(|most| most >= fewest) { fewest } else { 0 };
        let nodes = request.min_nodes.unwrap_or(1).max(fewest);
        // What a partition does not admit is refused at the submission, or waits for ever.
        let checks_late =
            self.keeps_barred && self.cluster.settings.jobs.enforce_part_limits == PartLimitsRule::No;
        let named = partitions.len();
        let takes = |partition: &ClusterPartition| {
            takes(partition, request, nodes, own_qos, whole_minutes(request.time_limit, partition))
        };
        partitions.retain(|&one| {
            let partition = &self.cluster[one];
            queues(partition) && (checks_late || takes(partition) && admits(partition, request, own_qos))
        });
        // All that it names must take it, and not only one.
        if partitions.len() < named && self.cluster.settings.jobs.enforce_part_limits == PartLimitsRule::All {
            partitions.clear();
        }
        let (user, account) = (self.holders.user(&submission.user), self.holders.account(account));
        let is_whole = |one: PartitionIndex| self.cluster[one].sharing == Sharing::Exclusive;
        let becomes_whole = partitions.iter().any(|&one| is_whole(one));
        let asked = partitions
            .iter()
            .map(|&partition| {
                let config = &self.cluster[partition];
                // The limits of the partition's QOS come first, unless the job's own says otherwise.
                let of_partition = config.qos.as_ref().and_then(|name| self.cluster.qos(name));
                let mut all = [of_partition, qos.filter(|one| of_partition != Some(*one))];
                if own_qos.is_some_and(|one| one.flags.over_part_qos) && all[1].is_some() {
                    all.reverse();
                }
                let counted = CountsFor { qos: all, own_qos: qos, association, user, account };
                let mut limits = self.limits.of(counted, self.cluster);
                if config.state != PartitionState::Up || !takes(config) {
                    limits = Arc::new(LimitSet { is_closed: true, ..LimitSet::clone(&limits) });
                }
                let is_exempt = own_qos.is_some_and(|one| one.flags.partition_max_nodes);
                let most = [config.max_nodes.filter(|_| !is_exempt), limits.most_nodes];
                let mut bounds =
                    NodeBounds { fewest, most: most.into_iter().flatten().min(), are_whole: false };
                let kept = self.needs.get(request, bounds, partition, &self.pool.layout, self.cluster);
                bounds.are_whole = becomes_whole && !is_whole(partition);
                let whole = bounds
                    .are_whole
                    .then(|| self.needs.get(request, bounds, partition, &self.pool.layout, self.cluster));
                let is_barred = !admits(config, request, own_qos);
                let limit = limit(request, config, limits.longest);
                RequestedPartition { partition, kept, whole, limits, is_barred, limit, priority: 0 }
            })
            .collect();
        let mut asked = RequestedPartitions(asked);
        // A submission is tried in its partitions, those of the highest tier first, up to the first that could run it.
        if becomes_whole {
            let tries_all = self.cluster.settings.jobs.enforce_part_limits == PartLimitsRule::All;
            let mut order: Vec<&RequestedPartition> = asked.iter().collect();
            order::sort_by_key(&mut order, |at| Reverse(self.cluster[at.partition].priority_tier));
            let first = order.iter().position(|at| at.kept.need.on.could_run).unwrap_or(order.len());
            let tried = if tries_all { order.len() } else { (first + 1).min(order.len()) };
            if order[..tried].iter().any(|at| is_whole(at.partition)) {
                asked.iter_mut().for_each(RequestedPartition::has_whole_nodes);
            }
        }
        let limits = asked.first().map(|one| one.limits.clone()).unwrap_or_default();
        let size_cpus = asked.first().map_or(1, |one| one.kept.need.asked_cpus);
        DescribedRequest { partitions: asked, limits, user, qos, association, size_cpus }
    }
}

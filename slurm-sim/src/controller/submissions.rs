//! Jobs out of submissions.

use std::collections::BTreeMap;
use std::rc::Rc;

use super::asked::NodeBounds;
use super::job::{ControlledJob, JobPlace};
use super::limit_set::{CountsFor, LimitSet};
use super::phases::SECOND;
use super::state::Controller;
use crate::cluster::{
    Begin, ClusterPartition, JobRequest, PartLimitsRule, PartitionState, Qos, Sharing, TaskRun, TimeLimit,
};

/// The limit of jobs that no partition limits, in seconds.
const LONGEST: i64 = 365 * 86_400;

/// No job runs longer, in seconds.
const LONGEST_RUN: i64 = 100 * LONGEST;

/// The time limit of a request in a partition, in seconds: whole minutes.
fn limit(request: &JobRequest, partition: &ClusterPartition) -> i64 {
    let limit = match request.time_limit {
        Some(TimeLimit::Of(limit)) => (limit.0 + 59).div_euclid(60) * 60,
        Some(TimeLimit::Unlimited) => partition.max_time.map_or(LONGEST, |limit| limit.0),
        None => partition.default_time.or(partition.max_time).map_or(LONGEST, |limit| limit.0),
    };
    limit.clamp(60, LONGEST)
}

/// Whether a partition ever accepts a job with this time limit and number of nodes; its QOS may be exempt from the limits.
fn takes(
    partition: &ClusterPartition,
    request: &JobRequest,
    nodes: u32,
    qos: Option<&Qos>,
    limit: i64,
) -> bool {
    let exempt = qos.map(|qos| qos.flags).unwrap_or_default();
    let most = request.max_nodes.unwrap_or(nodes).max(nodes);
    matches!(partition.state, PartitionState::Up | PartitionState::Drain)
        && (exempt.partition_time_limit || partition.max_time.is_none_or(|longest| limit <= longest.0))
        && (exempt.partition_max_nodes || partition.max_nodes.is_none_or(|limit| most <= limit))
        && (exempt.partition_min_nodes || nodes >= partition.min_nodes)
}

/// Whether a partition takes jobs of this account and QOS.
fn admits(partition: &ClusterPartition, request: &JobRequest, qos: Option<&Qos>) -> bool {
    partition.accounts.allows(request.account.as_deref().unwrap_or_default())
        && qos.is_none_or(|qos| partition.allowed_qos.allows(&qos.name))
}

impl Controller<'_> {
    /// Makes jobs of submissions; they come later.
    pub(super) fn take_submissions(&mut self) {
        let no_limits = Rc::new(LimitSet::default());
        let mut order: Vec<usize> = (0..self.submissions.len()).collect();
        order.sort_by_key(|&place| (self.submissions[place].submit_ms, place));
        self.ranks = vec![0; order.len()];
        order.iter().enumerate().for_each(|(rank, &place)| self.ranks[place] = rank);
        for (place, submission) in self.submissions.iter().enumerate() {
            let request = &submission.request;
            let tasks: Vec<Option<u32>> = match &request.array {
                Some(array) => array.indices.iter().copied().map(Some).collect(),
                None => vec![None],
            };
            let begin = match request.begin {
                Some(Begin::After(by)) => submission.submit.0 + by.0,
                Some(Begin::At(at)) => at.0,
                _ => i64::MIN,
            };
            self.keys.insert(submission.key.clone(), place);
            if let Some(id) = submission.id {
                self.keys.insert(id.to_string(), place);
            }
            let mut own = Vec::with_capacity(tasks.len());
            for (index, task) in tasks.into_iter().enumerate() {
                let run = submission.runs.get(index).or(submission.runs.first()).copied();
                own.push(self.jobs.len());
                self.jobs.push(ControlledJob {
                    submission: place,
                    task,
                    submit: submission.submit.0,
                    limits: no_limits.clone(),
                    nice: request.nice.unwrap_or(0),
                    fixed_priority: request.priority,
                    reservation: request.reservations.first().cloned(),
                    run_us: match run {
                        Some(TaskRun::For(run) | TaskRun::FailsAfter(run)) => {
                            Some(run.0.clamp(0, LONGEST_RUN) * SECOND)
                        }
                        _ => None,
                    },
                    fails: matches!(run, Some(TaskRun::FailsAfter(_))),
                    begin,
                    is_held: request.hold,
                    ..ControlledJob::default()
                });
            }
            self.of_submission.push(own);
        }
    }

    /// Computes what one job asks for, and the association, QOS and limits that apply to it.
    pub(super) fn describe_job(&mut self, job: usize) {
        self.describe(self.jobs[job].submission, &[job]);
    }

    /// Computes what these jobs of a submission ask for, and the association, QOS and limits that apply to them.
    pub(super) fn describe(&mut self, place: usize, own: &[usize]) {
        let submission = &self.submissions[place];
        let request = &submission.request;
        let mut partitions: Vec<usize> =
            request.partitions.iter().filter_map(|name| self.cluster.partition(name)).collect();
        if request.partitions.is_empty() {
            partitions.extend(self.cluster.default_partition());
        }
        let account = request.account.clone().unwrap_or_default();
        let association = self.associations.get(&(account.clone(), submission.user.clone())).copied();
        let qos = self.cluster.qos_within(submission, association);
        let own_qos = qos.map(|qos| &self.cluster.qos[qos]);
        // The smallest `MinNodes` of its partitions is requested at least, unless the job's own maximum is lower.
        let fewest = partitions.iter().map(|&one| self.cluster.partitions[one].min_nodes).min().unwrap_or(0);
        let fewest = if request.max_nodes.is_none_or(|most| most >= fewest) { fewest } else { 0 };
        let nodes = request.min_nodes.unwrap_or(1).max(fewest);
        // What a partition does not admit is refused at the submission, or waits for ever.
        let checks_late =
            self.keeps_barred && self.cluster.settings.jobs.enforce_part_limits == PartLimitsRule::No;
        partitions.retain(|&one| {
            let partition = &self.cluster.partitions[one];
            takes(partition, request, nodes, own_qos, limit(request, partition))
                && (checks_late || admits(partition, request, own_qos))
        });
        let number = |names: &mut BTreeMap<String, u32>, name: &str| match names.get(name) {
            Some(&number) => number,
            None => {
                let next = names.len() as u32;
                names.insert(name.to_owned(), next);
                next
            }
        };
        let user = number(&mut self.users, &submission.user);
        let account = number(&mut self.accounts, &account);
        let are_whole =
            partitions.iter().any(|&one| self.cluster.partitions[one].sharing == Sharing::Exclusive);
        let places: Vec<JobPlace> = partitions
            .iter()
            .map(|&partition| {
                let config = &self.cluster.partitions[partition];
                // The limits of the partition's QOS come first, unless the job's own says otherwise.
                let of_partition = config.qos.as_ref().and_then(|name| self.cluster.qos(name));
                let mut all = [of_partition, qos.filter(|one| of_partition != Some(*one))];
                if own_qos.is_some_and(|one| one.flags.over_part_qos) && all[1].is_some() {
                    all.reverse();
                }
                let counted = CountsFor { qos: all, own_qos: qos, association, user, account };
                let limits = self.limits.of(counted, self.cluster);
                let is_exempt = own_qos.is_some_and(|one| one.flags.partition_max_nodes);
                let most = [config.max_nodes.filter(|_| !is_exempt), limits.most_nodes];
                let bounds = NodeBounds { fewest, most: most.into_iter().flatten().min(), are_whole };
                let kept = self.needs.get(request, bounds, partition, &self.layout, self.cluster);
                let is_barred = !admits(config, request, own_qos);
                JobPlace { partition, kept, limits, is_barred, limit: limit(request, config), priority: 0 }
            })
            .collect();
        let limits = places.first().map(|one| one.limits.clone()).unwrap_or_default();
        let size_cpus = places.first().map_or(1, |one| one.kept.need.asked_cpus);
        for &job in own {
            let one = &mut self.jobs[job];
            (one.places, one.limits, one.user) = (places.clone(), limits.clone(), user);
            (one.qos, one.association, one.size_cpus) = (qos, association, size_cpus);
        }
    }
}

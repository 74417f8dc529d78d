//! The limits that hold for a job.

use super::amounts::{ResourceNames, TresIndex};
use crate::cluster::{AssociationIndex, Cluster, PerJobLimits, Qos, QosIndex, Tres};

/// Whose jobs are counted together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum LimitHolder {
    Qos(QosIndex),
    QosUser(QosIndex, u32),
    QosAccount(QosIndex, u32),
    Association(AssociationIndex),
}

/// How an amount of a resource counts for a limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LimitedAs {
    /// All of it, of running jobs or of one job.
    Amount,
    /// Of one job, on each of its nodes.
    PerNode,
    /// Of one job, no less than this.
    Least,
    /// Times minutes, used so far or by one job.
    Minutes,
    /// Times the minutes that running jobs may still run.
    MinutesToRun,
}

/// A limit of one resource.
#[derive(Debug, Clone, Copy)]
pub struct AmountLimit {
    pub counts_as: LimitedAs,
    pub resource: TresIndex,
    pub limit: u64,
}

impl AmountLimit {
    /// Limits of several resources.
    pub fn all(names: &ResourceNames, counts_as: LimitedAs, tres: &Tres) -> Vec<AmountLimit> {
        let all = names.limit(tres).into_iter();
        all.map(|(resource, limit)| AmountLimit { counts_as, resource, limit }).collect()
    }

    fn is_like(&self, other: &AmountLimit) -> bool {
        self.counts_as == other.counts_as && self.resource == other.resource
    }
}

/// A holder of limits: its place among all whose jobs are counted together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HolderIndex(pub usize);

/// One holder's limits as they hold for a job.
#[derive(Debug, Clone)]
pub struct HeldLimits {
    pub holder: HolderIndex,
    pub jobs: Option<u32>,
    pub submitted: Option<u32>,
    pub amounts: Vec<AmountLimit>,
}

impl HeldLimits {
    /// Whether it limits nodes.
    pub fn counts_nodes(&self) -> bool {
        self.amounts.iter().any(|one| one.counts_as == LimitedAs::Amount && one.resource == TresIndex::NODES)
    }

    /// Whether it limits resources times minutes.
    pub fn counts_minutes(&self) -> bool {
        self.amounts.iter().any(|one| matches!(one.counts_as, LimitedAs::Minutes | LimitedAs::MinutesToRun))
    }

    pub fn is_empty(&self) -> bool {
        self.jobs.is_none() && self.submitted.is_none() && self.amounts.is_empty()
    }
}

/// Jobs with one set of limits of running jobs: the place of the set among all.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct LimitNumber(pub u32);

/// The limits that hold for jobs of one user, account and QOS.
#[derive(Debug, Clone, Default)]
pub struct LimitSet {
    /// Sets of one number have the same limits of running jobs.
    pub number: LimitNumber,
    /// Whose jobs they count among, where these have limits.
    pub holders: Vec<HolderIndex>,
    pub held: Vec<HeldLimits>,
    pub per_job: Vec<AmountLimit>,
    /// The longest time limit, in seconds.
    pub longest: Option<i64>,
    /// Holders whose nodes, which count for their limits already, are preferred.
    pub prefers_of: Vec<HolderIndex>,
    /// The holder, and how many of its pending jobs may accrue age at a time: as in Slurm, only the first such limit applies.
    pub accrual: Option<(HolderIndex, u32)>,
    /// No job may have more nodes.
    pub most_nodes: Option<u32>,
    /// Whether no such job is started, whatever runs: its partition is down, or it is over a limit of its partition.
    pub is_closed: bool,
}

impl LimitSet {
    /// Whether nodes that count already are preferred.
    pub fn prefers_nodes(&self) -> bool {
        !self.prefers_of.is_empty()
    }

    pub fn count_among(&mut self, held: &HeldLimits) {
        if !held.is_empty() && !self.holders.contains(&held.holder) {
            self.holders.push(held.holder);
        }
    }

    /// Limits of each job: what is set earlier hides what comes later.
    pub fn add_per_job(&mut self, limits: &PerJobLimits, names: &ResourceNames) {
        let kinds = [
            (LimitedAs::Amount, &limits.tres),
            (LimitedAs::PerNode, &limits.tres_per_node),
            (LimitedAs::Least, &limits.min_tres),
            (LimitedAs::Minutes, &limits.tres_minutes),
        ];
        let all = kinds.into_iter().flat_map(|(kind, tres)| AmountLimit::all(names, kind, tres));
        let new: Vec<AmountLimit> =
            all.filter(|one| !self.per_job.iter().any(|other| one.is_like(other))).collect();
        self.per_job.extend(new);
        self.longest = self.longest.or(limits.wall.map(|wall| wall.0));
    }
}

/// Who a job counts for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct CountsFor {
    /// QOS in the order in which their limits hold.
    pub qos: [Option<QosIndex>; 2],
    /// The job's own.
    pub own_qos: Option<QosIndex>,
    pub association: Option<AssociationIndex>,
    /// Numbers of the user and the account.
    pub user: u32,
    pub account: u32,
}

/// Limits of one kind that are set already: what is set earlier hides what comes later.
#[derive(Default)]
pub struct AlreadySet {
    jobs: bool,
    submitted: bool,
    amounts: Vec<AmountLimit>,
}

impl AlreadySet {
    /// The further limits that are not hidden.
    pub fn rest(&self, limits: HeldLimits) -> HeldLimits {
        let mut limits = self.rest_of_jobs(limits);
        limits.amounts.retain(|one| !self.amounts.iter().any(|other| one.is_like(other)));
        limits
    }

    /// The further limits that are not overridden; from now on these override later ones.
    pub fn add(&mut self, limits: HeldLimits) -> HeldLimits {
        let rest = self.rest(limits);
        self.jobs |= rest.jobs.is_some();
        self.submitted |= rest.submitted.is_some();
        self.amounts.extend(&rest.amounts);
        rest
    }

    /// Further limits without those on numbers of jobs that these hide.
    pub fn rest_of_jobs(&self, mut limits: HeldLimits) -> HeldLimits {
        limits.jobs = limits.jobs.filter(|_| !self.jobs);
        limits.submitted = limits.submitted.filter(|_| !self.submitted);
        limits
    }
}

/// The most nodes that a job may have, whatever is in use.
pub fn most_nodes(counted: CountsFor, cluster: &Cluster) -> Option<u32> {
    let nodes = |tres: &Tres| tres.0.get("node").copied();
    let of_qos =
        |limit: fn(&Qos) -> &Tres| counted.qos.iter().flatten().find_map(|&one| nodes(limit(&cluster[one])));
    let own = [
        of_qos(|qos| &qos.per_account.tres),
        of_qos(|qos| &qos.per_job.tres),
        of_qos(|qos| &qos.per_user.tres),
    ];
    let own = own.into_iter().flatten().min();
    let group = of_qos(|qos| &qos.group.tres);
    let of = |index: AssociationIndex| &cluster.associations[index];
    let mut above = cluster.associations.upwards(counted.association);
    let of_group = if group.is_none() { above.find_map(|one| nodes(&of(one).group.tres)) } else { None };
    let per_job = counted.association.filter(|_| own.is_none()).and_then(|one| nodes(&of(one).per_job.tres));
    let least = [own, group, of_group, per_job].into_iter().flatten().min();
    least.map(|nodes| u32::try_from(nodes).unwrap_or(u32::MAX))
}

/// Whose waiting jobs are counted, and how many of them gain age at one time: the first limit of the job's QOS, its association and those above.
pub fn accrual_limit(counted: CountsFor, cluster: &Cluster) -> Option<(LimitHolder, u32)> {
    let of_qos = counted.own_qos.and_then(|index| {
        let qos = &cluster[index];
        let kinds = [
            (LimitHolder::Qos(index), qos.group.jobs_accruing),
            (LimitHolder::QosAccount(index, counted.account), qos.per_account.jobs_accruing),
            (LimitHolder::QosUser(index, counted.user), qos.per_user.jobs_accruing),
        ];
        kinds.into_iter().find_map(|(holder, most)| Some((holder, most?)))
    });
    of_qos.or_else(|| {
        let mut above = cluster.associations.upwards(counted.association).enumerate();
        above.find_map(|(depth, index)| {
            let one = &cluster.associations[index];
            let own = one.own.jobs_accruing.filter(|_| depth == 0);
            Some((LimitHolder::Association(index), one.group.jobs_accruing.or(own)?))
        })
    })
}

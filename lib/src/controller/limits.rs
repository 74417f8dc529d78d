//! Limits of QOS and associations, and what counts towards them.

use std::collections::BTreeMap;
use std::rc::Rc;

use super::layout::{NodeLayout, NodeShare};
use crate::cluster::{Cluster, GroupLimits, HolderLimits, Tres};

/// Amounts by the place of a resource: processors, memory, nodes, billing, then generic resources.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Amounts(pub Vec<u64>);

/// Names of resources, in the order of [`Amounts`].
#[derive(Debug, Clone)]
pub struct ResourceNames(Vec<String>);

impl ResourceNames {
    pub fn of(layout: &NodeLayout) -> ResourceNames {
        let mut names: Vec<String> = ["cpu", "mem", "node", "billing"].map(str::to_owned).to_vec();
        names.extend(layout.gres_names());
        ResourceNames(names)
    }

    /// What a job with these shares counts as.
    pub fn amounts(&self, shares: &[NodeShare]) -> Amounts {
        let mut amounts = vec![0; self.0.len()];
        for share in shares {
            amounts[0] += u64::from(share.cpus);
            amounts[1] += share.memory;
            amounts[2] += 1;
            for &(place, count) in &share.gres {
                amounts[4 + place] += count;
            }
        }
        amounts[3] = amounts[0];
        Amounts(amounts)
    }

    fn limit(&self, tres: &Tres) -> Vec<(usize, u64)> {
        tres.0
            .iter()
            .filter_map(|(name, &most)| Some((self.0.iter().position(|one| one == name)?, most)))
            .collect()
    }
}

/// What one holder's jobs have: all of a QOS, one user in it, one account in it, an association and those below it.
#[derive(Debug, Clone, Default)]
struct InUse {
    jobs: u32,
    /// Waiting and running.
    submitted: u32,
    /// Of running jobs.
    amounts: Vec<u64>,
}

/// Whose jobs are counted together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum LimitHolder {
    Qos(usize),
    QosUser(usize, u32),
    QosAccount(usize, u32),
    Association(usize),
}

/// One holder's limits as they hold for a job.
#[derive(Debug)]
struct HeldLimits {
    holder: usize,
    jobs: Option<u32>,
    submitted: Option<u32>,
    amounts: Vec<(usize, u64)>,
}

impl HeldLimits {
    fn is_empty(&self) -> bool {
        self.jobs.is_none() && self.submitted.is_none() && self.amounts.is_empty()
    }
}

/// The limits that hold for jobs of one user, account and QOS.
#[derive(Debug, Default)]
pub struct LimitSet {
    /// Whose jobs they count among, where these have limits.
    holders: Vec<usize>,
    held: Vec<HeldLimits>,
    per_job: Vec<(usize, u64)>,
}

impl LimitSet {
    fn count_among(&mut self, held: &HeldLimits) {
        if !held.is_empty() && !self.holders.contains(&held.holder) {
            self.holders.push(held.holder);
        }
    }
}

/// Who a job counts for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct CountsFor {
    /// QOS in the order in which their limits hold.
    pub qos: [Option<usize>; 2],
    pub association: Option<usize>,
    /// Numbers of the user and the account.
    pub user: u32,
    pub account: u32,
}

/// Why a limit keeps a job from starting.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LimitReason {
    /// Too many jobs run.
    Jobs,
    /// Too much is in use.
    Amount,
}

/// Limits of one kind that are set already: what is set earlier hides what comes later.
#[derive(Default)]
struct AlreadySet {
    jobs: bool,
    submitted: bool,
    amounts: Vec<usize>,
}

impl AlreadySet {
    fn rest(&mut self, mut limits: HeldLimits) -> HeldLimits {
        limits.jobs = limits.jobs.filter(|_| !std::mem::replace(&mut self.jobs, true));
        limits.submitted = limits.submitted.filter(|_| !std::mem::replace(&mut self.submitted, true));
        limits.amounts.retain(|one| !self.amounts.contains(&one.0));
        self.amounts.extend(limits.amounts.iter().map(|one| one.0));
        limits
    }
}

/// All limits and what counts towards them.
#[derive(Debug)]
pub struct Limits {
    names: ResourceNames,
    holders: BTreeMap<LimitHolder, usize>,
    in_use: Vec<InUse>,
    known: BTreeMap<CountsFor, Rc<LimitSet>>,
    is_enforced: bool,
}

impl Limits {
    pub fn new(cluster: &Cluster, layout: &NodeLayout) -> Limits {
        Limits {
            names: ResourceNames::of(layout),
            holders: BTreeMap::new(),
            in_use: Vec::new(),
            known: BTreeMap::new(),
            is_enforced: cluster.settings.enforce.limits,
        }
    }

    pub fn amounts(&self, shares: &[NodeShare]) -> Amounts {
        self.names.amounts(shares)
    }

    /// The limits that hold for a job: of its QOS, then of its association, then, for groups, of those above it. What is set
    /// earlier hides the same limit of later ones; groups above each other all hold.
    pub fn of(&mut self, counted: CountsFor, cluster: &Cluster) -> Rc<LimitSet> {
        if let Some(known) = self.known.get(&counted) {
            return known.clone();
        }
        let mut limits = LimitSet::default();
        let (mut group_set, mut user_set, mut account_set) =
            (AlreadySet::default(), AlreadySet::default(), AlreadySet::default());
        let mut per_job_set: Vec<usize> = Vec::new();
        if self.is_enforced {
            for index in counted.qos.iter().flatten().copied() {
                let qos = &cluster.qos[index];
                let group = self.of_group(LimitHolder::Qos(index), &qos.group);
                limits.count_among(&group);
                limits.held.push(group_set.rest(group));
                let user = self.of_holder(LimitHolder::QosUser(index, counted.user), &qos.per_user);
                limits.count_among(&user);
                limits.held.push(user_set.rest(user));
                let account =
                    self.of_holder(LimitHolder::QosAccount(index, counted.account), &qos.per_account);
                limits.count_among(&account);
                limits.held.push(account_set.rest(account));
                let per_job = self.names.limit(&qos.per_job.tres);
                limits.per_job.extend(per_job.iter().filter(|one| !per_job_set.contains(&one.0)));
                per_job_set.extend(per_job.iter().map(|one| one.0));
            }
            let all = &cluster.associations.0;
            let mut at = counted.association;
            // No higher than there are associations, whatever the parents say.
            for depth in 0..all.len() {
                let Some(index) = at else { break };
                let mut group = self.of_group(LimitHolder::Association(index), &all[index].group);
                limits.count_among(&group);
                group.jobs = group.jobs.filter(|_| !group_set.jobs);
                group.submitted = group.submitted.filter(|_| !group_set.submitted);
                group.amounts.retain(|one| !group_set.amounts.contains(&one.0));
                limits.held.push(group);
                if depth == 0 {
                    let mut own = self.of_holder(LimitHolder::Association(index), &all[index].own);
                    limits.count_among(&own);
                    own.jobs = own.jobs.filter(|_| !account_set.jobs);
                    own.submitted = own.submitted.filter(|_| !account_set.submitted);
                    limits.held.push(user_set.rest(own));
                    let per_job = self.names.limit(&all[index].per_job.tres);
                    limits.per_job.extend(per_job.iter().filter(|one| !per_job_set.contains(&one.0)));
                }
                at = all[index].parent;
            }
            limits.held.retain(|held| !held.is_empty());
        }
        let limits = Rc::new(limits);
        self.known.insert(counted, limits.clone());
        limits
    }

    fn holder(&mut self, holder: LimitHolder) -> usize {
        let next = self.in_use.len();
        let place = *self.holders.entry(holder).or_insert(next);
        if place == next {
            self.in_use.push(InUse { amounts: vec![0; self.names.0.len()], ..InUse::default() });
        }
        place
    }

    fn of_group(&mut self, holder: LimitHolder, limits: &GroupLimits) -> HeldLimits {
        let (jobs, submitted) = (limits.jobs, limits.submitted);
        HeldLimits { holder: self.holder(holder), jobs, submitted, amounts: self.names.limit(&limits.tres) }
    }

    fn of_holder(&mut self, holder: LimitHolder, limits: &HolderLimits) -> HeldLimits {
        let (jobs, submitted) = (limits.jobs, limits.submitted);
        HeldLimits { holder: self.holder(holder), jobs, submitted, amounts: self.names.limit(&limits.tres) }
    }

    /// Whether so many jobs run already that it cannot start, wherever.
    pub fn before_selection(&self, limits: &LimitSet) -> Option<LimitReason> {
        let is_full = |held: &HeldLimits| held.jobs.is_some_and(|most| self.in_use[held.holder].jobs >= most);
        limits.held.iter().any(is_full).then_some(LimitReason::Jobs)
    }

    /// Whether what it would be given is too much.
    pub fn after_selection(&self, limits: &LimitSet, amounts: &Amounts) -> Option<LimitReason> {
        let per_job = limits.per_job.iter().any(|&(place, most)| amounts.0[place] > most);
        let is_full = |held: &HeldLimits| {
            let used = &self.in_use[held.holder].amounts;
            held.amounts.iter().any(|&(place, most)| used[place] + amounts.0[place] > most)
        };
        (per_job || limits.held.iter().any(is_full)).then_some(LimitReason::Amount)
    }

    /// Whether so many more jobs may be submitted.
    pub fn admits(&self, limits: &LimitSet, jobs: usize) -> bool {
        let within = |held: &HeldLimits| {
            let there = self.in_use[held.holder].submitted as usize;
            held.submitted.is_none_or(|most| there + jobs <= most as usize)
        };
        limits.held.iter().all(within)
    }

    /// A job was submitted.
    pub fn arrived(&mut self, limits: &LimitSet) {
        self.change(limits, |held| held.submitted += 1);
    }

    /// It is gone, whether it ran or not.
    pub fn left(&mut self, limits: &LimitSet) {
        self.change(limits, |held| held.submitted -= 1);
    }

    /// It runs.
    pub fn started(&mut self, limits: &LimitSet, amounts: &Amounts) {
        self.change(limits, |held| {
            held.jobs += 1;
            held.amounts.iter_mut().zip(&amounts.0).for_each(|(sum, amount)| *sum += amount);
        });
    }

    /// It has ended.
    pub fn ended(&mut self, limits: &LimitSet, amounts: &Amounts) {
        self.change(limits, |held| {
            held.jobs -= 1;
            held.amounts.iter_mut().zip(&amounts.0).for_each(|(sum, amount)| *sum -= amount);
        });
    }

    fn change(&mut self, limits: &LimitSet, change: impl Fn(&mut InUse)) {
        limits.holders.iter().for_each(|&holder| change(&mut self.in_use[holder]));
    }
}

//! Limits of QOS and associations, and what counts towards them.

use std::collections::BTreeMap;
use std::rc::Rc;

use super::layout::{NodeLayout, NodeShare};
use crate::cluster::{Cluster, ClusterPartition, GroupLimits, HolderLimits, Tres, billed};

/// Amounts by the place of a resource: processors, memory, nodes, billing, then generic resources.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Amounts(pub Vec<u64>);

/// Names of resources, in the order of [`Amounts`].
#[derive(Debug, Clone)]
pub struct ResourceNames {
    names: Vec<String>,
    /// What counts as billing in each partition; nothing where processors do.
    billing: Vec<Vec<(usize, f64)>>,
    /// Whether of the resources of nodes only the largest counts (`MAX_TRES`).
    bills_largest: bool,
}

/// The place of billing among [`Amounts`], and from where on there are generic resources.
const BILLING: usize = 3;
const GRES: usize = 4;

impl ResourceNames {
    pub fn of(cluster: &Cluster, layout: &NodeLayout) -> ResourceNames {
        let mut names: Vec<String> = ["cpu", "mem", "node", "billing"].map(str::to_owned).to_vec();
        names.extend(layout.gres_names());
        let place = |name: &str| names.iter().position(|one| one == name);
        let weights = |partition: &ClusterPartition| {
            let all = partition.billing_weights.0.iter();
            all.filter_map(|(name, &weight)| Some((place(name)?, weight))).collect()
        };
        let billing = cluster.partitions.iter().map(weights).collect();
        ResourceNames { billing, bills_largest: cluster.settings.priority.flags.max_tres, names }
    }

    /// What amounts in a partition are billed as: for limits cut to a whole number.
    pub fn bill(&self, amounts: &mut Amounts, partition: usize) {
        amounts.0[BILLING] = self.billed(amounts, partition) as u64;
    }

    /// The same for usage, which counts all of it.
    fn billed(&self, amounts: &Amounts, partition: usize) -> f64 {
        let weights = self.billing.get(partition).map_or(&[][..], Vec::as_slice);
        if weights.is_empty() {
            return amounts.0.first().map_or(0.0, |&cpus| cpus as f64);
        }
        let parts =
            weights.iter().filter_map(|&(place, weight)| Some(*amounts.0.get(place)? as f64 * weight));
        billed(parts, self.bills_largest)
    }

    /// What a job with these shares in a partition counts as.
    pub fn amounts(&self, shares: &[NodeShare], partition: usize) -> Amounts {
        let mut amounts = vec![0; self.names.len()];
        for share in shares {
            amounts[0] += u64::from(share.cpus);
            amounts[1] += share.memory;
            amounts[2] += 1;
            for &(place, count) in &share.gres {
                amounts[GRES + place] += count;
            }
        }
        amounts[BILLING] = amounts[0];
        let mut amounts = Amounts(amounts);
        self.bill(&mut amounts, partition);
        amounts
    }

    fn limit(&self, tres: &Tres) -> Vec<(usize, u64)> {
        tres.0
            .iter()
            .filter_map(|(name, &most)| Some((self.names.iter().position(|one| one == name)?, most)))
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
    /// The longest time limit, in seconds.
    longest: Option<i64>,
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
    /// It asks for too much time.
    Time,
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
            names: ResourceNames::of(cluster, layout),
            holders: BTreeMap::new(),
            in_use: Vec::new(),
            known: BTreeMap::new(),
            is_enforced: cluster.settings.enforce.limits,
        }
    }

    pub fn amounts(&self, shares: &[NodeShare], partition: usize) -> Amounts {
        self.names.amounts(shares, partition)
    }

    /// What amounts in a partition count as usage, for each second.
    pub fn billed(&self, amounts: &Amounts, partition: usize) -> f64 {
        self.names.billed(amounts, partition)
    }

    /// What a job counts as at least that needs so many processors and nodes in a partition.
    pub fn least(&self, cpus: u64, nodes: u64, partition: usize) -> Amounts {
        let mut amounts = self.names.amounts(&[], partition);
        (amounts.0[0], amounts.0[2], amounts.0[BILLING]) = (cpus, nodes, cpus);
        self.names.bill(&mut amounts, partition);
        amounts
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
                limits.longest = limits.longest.or(qos.per_job.wall.map(|wall| wall.0));
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
                    limits.longest = limits.longest.or(all[index].per_job.wall.map(|wall| wall.0));
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
            self.in_use.push(InUse { amounts: vec![0; self.names.names.len()], ..InUse::default() });
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

    /// Whether so many jobs run already that it cannot start, wherever, or it asks for more time than it may.
    pub fn before_selection(&self, limits: &LimitSet, asked: i64) -> Option<LimitReason> {
        if limits.longest.is_some_and(|longest| asked > longest) {
            return Some(LimitReason::Time);
        }
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cluster::TresWeights;

    #[test]
    fn what_is_billed_is_by_the_partitions_weights() {
        let mut cluster = super::super::tests::cluster(2);
        let plain = cluster.partitions[0].clone();
        cluster.partitions.push(plain);
        let weights = [("cpu".to_owned(), 1.0), ("mem".to_owned(), 0.25 / 1024.0)];
        cluster.partitions[1].billing_weights = TresWeights(weights.into());
        let layout = NodeLayout::of(&cluster);
        let share = NodeShare { node: 0, cpus: 4, memory: 40 * 1024, gres: Vec::new() };
        let bill = |cluster: &Cluster, partition: usize| {
            ResourceNames::of(cluster, &layout).amounts(std::slice::from_ref(&share), partition).0[BILLING]
        };
        assert_eq!(
            (bill(&cluster, 0), bill(&cluster, 1)),
            (4, 14),
            "processors, and with a quarter of each GB"
        );
        cluster.settings.priority.flags.max_tres = true;
        assert_eq!(bill(&cluster, 1), 10, "the largest of them");
        // Usage counts what limits cut off.
        cluster.partitions[1].billing_weights = TresWeights([("mem".to_owned(), 0.1 / 1024.0)].into());
        let names = ResourceNames::of(&cluster, &layout);
        let amounts = names.amounts(&[NodeShare { memory: 5 * 1024, ..share.clone() }], 1);
        assert_eq!((amounts.0[BILLING], names.billed(&amounts, 1)), (0, 0.5));
    }
}

//! Limits of QOS and associations, and what counts towards them.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::amounts::{Amounts, ResourceNames, TresIndex};
use super::held_nodes::HeldNodes;
use super::limit_set::{
    AlreadySet, AmountLimit, CountsFor, HeldLimits, HolderIndex, LimitHolder, LimitNumber, LimitSet,
    LimitedAs, accrual_limit, most_nodes,
};
use super::used_minutes::UsedMinutes;
use crate::cluster::{Cluster, GroupLimits, HolderLimits, PartitionIndex, Qos, Tres};
use crate::controller::placement::{NodeLayout, NodeSet, NodeShare};

/// What one holder's jobs have: all of a QOS, one user in it, one account in it, an association and those below it.
#[derive(Debug, Clone, Default)]
pub(super) struct InUse {
    pub(super) jobs: u32,
    /// Waiting ones that gain age, where that is limited.
    accruing: u32,
    /// Waiting and running.
    submitted: u32,
    /// Of running jobs.
    pub(super) amounts: Amounts,
    /// The nodes of these, where a limit counts them: each once, however many jobs it has.
    nodes: Option<HeldNodes>,
    /// Resources times minutes, where a limit counts these.
    pub(super) minutes: Option<UsedMinutes>,
}

/// Why a limit keeps a job from starting.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LimitReason {
    /// Of its partition.
    Partition,
    /// It asks for too much time.
    Time,
    /// Too many jobs run.
    Jobs,
    /// Too much is in use.
    Amount,
}

/// All limits and what counts towards them.
#[derive(Debug)]
pub struct Limits {
    pub(super) names: ResourceNames,
    pub(super) holders: BTreeMap<LimitHolder, HolderIndex>,
    pub(super) in_use: Vec<InUse>,
    known: BTreeMap<CountsFor, Arc<LimitSet>>,
    is_enforced: bool,
    /// Whether jobs start only if what they may use of resources times minutes lets them finish.
    is_safe: bool,
    /// Whether resources times minutes count for a limit of some job.
    counts_minutes: bool,
    /// Whether used minutes decay.
    decays: bool,
    /// Whether it is limited how many jobs gain age.
    pub(super) limits_accrual: bool,
    /// How many nodes there are.
    nodes: usize,
}

impl Limits {
    pub fn new(cluster: &Cluster, layout: &NodeLayout) -> Limits {
        Limits {
            names: ResourceNames::of(cluster, layout),
            holders: BTreeMap::new(),
            in_use: Vec::new(),
            known: BTreeMap::new(),
            is_enforced: cluster.settings.jobs.enforce.limits,
            is_safe: cluster.settings.jobs.enforce.safe,
            counts_minutes: false,
            decays: cluster.settings.priority.decay_half_life.0 > 0,
            limits_accrual: false,
            nodes: layout.nodes.len(),
        }
    }

    /// Whether some limit counts nodes.
    pub fn counts_nodes(&self, cluster: &Cluster) -> bool {
        let has_nodes = |tres: &Tres| tres.0.contains_key("node");
        let of_qos = |one: &Qos| {
            [&one.group.tres, &one.per_user.tres, &one.per_account.tres].into_iter().any(has_nodes)
        };
        let groups = cluster.associations.0.iter().any(|one| has_nodes(&one.group.tres));
        self.is_enforced && (groups || cluster.qos.iter().any(of_qos))
    }

    pub fn amounts(&self, shares: &[NodeShare], partition: PartitionIndex) -> Amounts {
        self.names.amounts(shares, partition)
    }

    /// What amounts in a partition count as usage, for each second.
    pub fn billed(&self, amounts: &Amounts, partition: PartitionIndex) -> f64 {
        self.names.billed(amounts, partition)
    }

    /// A lower bound of what a job with this number of processors and nodes counts as in a partition.
    pub fn least(&self, cpus: u64, nodes: u64, partition: PartitionIndex) -> Amounts {
        let mut amounts = self.names.amounts(&[], partition);
        amounts[TresIndex::CPUS] = cpus;
        amounts[TresIndex::NODES] = nodes;
        amounts[TresIndex::BILLING] = cpus;
        self.names.bill(&mut amounts, partition);
        amounts
    }

    /// The limits of a job: of its QOS, then its association, then the group limits of the associations above. A limit that is
    /// set earlier overrides its kind in later ones; group limits of all levels apply.
    pub fn of(&mut self, counted: CountsFor, cluster: &Cluster) -> Arc<LimitSet> {
        if let Some(known) = self.known.get(&counted) {
            return known.clone();
        }
        let mut limits = LimitSet::default();
        let (mut group_set, mut user_set, mut account_set) =
            (AlreadySet::default(), AlreadySet::default(), AlreadySet::default());
        if self.is_enforced {
            for index in counted.qos.iter().flatten().copied() {
                let qos = &cluster[index];
                let group = self.of_group(LimitHolder::Qos(index), &qos.group);
                limits.count_among(&group);
                limits.held.push(group_set.add(group));
                let user = self.of_holder(LimitHolder::QosUser(index, counted.user), &qos.per_user);
                limits.count_among(&user);
                limits.held.push(user_set.add(user));
                let account =
                    self.of_holder(LimitHolder::QosAccount(index, counted.account), &qos.per_account);
                limits.count_among(&account);
                limits.held.push(account_set.add(account));
                limits.add_per_job(&qos.per_job, &self.names);
            }
            let all = &cluster.associations;
            for (depth, index) in cluster.associations.upwards(counted.association).enumerate() {
                let group = self.of_group(LimitHolder::Association(index), &all[index].group);
                limits.count_among(&group);
                limits.held.push(group_set.rest(group));
                if depth == 0 {
                    let own = self.of_holder(LimitHolder::Association(index), &all[index].own);
                    limits.count_among(&own);
                    limits.held.push(user_set.rest(account_set.rest_of_jobs(own)));
                    limits.add_per_job(&all[index].per_job, &self.names);
                }
            }
            limits.held.retain(|held| !held.is_empty());
            limits.prefers_of = self.preferred_of(counted, cluster);
            limits.most_nodes = most_nodes(counted, cluster);
            let accrual = accrual_limit(counted, cluster);
            limits.accrual = accrual.map(|(holder, most)| (self.holder(holder), most));
            self.limits_accrual |= limits.accrual.is_some();
        }
        limits.number = LimitNumber(self.known.len() as u32);
        let limits = Arc::new(limits);
        self.known.insert(counted, limits.clone());
        limits
    }

    /// Holders of limits on nodes: the first holder for each kind of limit.
    fn preferred_of(&self, counted: CountsFor, cluster: &Cluster) -> Vec<HolderIndex> {
        let has_nodes = |tres: &Tres| tres.0.contains_key("node");
        let qos = || counted.qos.iter().flatten().copied();
        let above = cluster.associations.upwards(counted.association);
        let of_qos = qos().find(|&one| has_nodes(&cluster[one].group.tres)).map(LimitHolder::Qos);
        let group = of_qos.or_else(|| {
            let mut above = above.filter(|&one| has_nodes(&cluster.associations[one].group.tres));
            above.next().map(LimitHolder::Association)
        });
        let user = qos().find(|&one| has_nodes(&cluster[one].per_user.tres));
        let account = qos().find(|&one| has_nodes(&cluster[one].per_account.tres));
        let user = user.map(|one| LimitHolder::QosUser(one, counted.user));
        let account = account.map(|one| LimitHolder::QosAccount(one, counted.account));
        let all = [group, user, account].into_iter().flatten();
        all.filter_map(|holder| self.holders.get(&holder).copied()).collect()
    }

    fn holder(&mut self, holder: LimitHolder) -> HolderIndex {
        let next = HolderIndex(self.in_use.len());
        let index = *self.holders.entry(holder).or_insert(next);
        if index == next {
            self.in_use.push(InUse { amounts: Amounts::none(self.names.len()), ..InUse::default() });
        }
        index
    }

    fn of_group(&mut self, holder: LimitHolder, limits: &GroupLimits) -> HeldLimits {
        let minutes =
            [(LimitedAs::Minutes, &limits.tres_minutes), (LimitedAs::MinutesToRun, &limits.tres_run_minutes)];
        let minutes = minutes.into_iter().flat_map(|(kind, tres)| AmountLimit::all(&self.names, kind, tres));
        let mut amounts = AmountLimit::all(&self.names, LimitedAs::Amount, &limits.tres);
        amounts.extend(minutes);
        self.held(holder, limits.jobs, limits.submitted, amounts)
    }

    fn of_holder(&mut self, holder: LimitHolder, limits: &HolderLimits) -> HeldLimits {
        let amounts = AmountLimit::all(&self.names, LimitedAs::Amount, &limits.tres);
        self.held(holder, limits.jobs, limits.submitted, amounts)
    }

    fn held(
        &mut self,
        holder: LimitHolder,
        jobs: Option<u32>,
        submitted: Option<u32>,
        amounts: Vec<AmountLimit>,
    ) -> HeldLimits {
        let held = HeldLimits { holder: self.holder(holder), jobs, submitted, amounts };
        let in_use = &mut self.in_use[held.holder.0];
        if held.counts_nodes() {
            in_use.nodes.get_or_insert_with(|| HeldNodes::none(self.nodes));
        }
        if held.counts_minutes() {
            in_use.minutes.get_or_insert_with(|| UsedMinutes::none(self.names.len()));
            self.counts_minutes = true;
        }
        held
    }

    /// Why a job cannot start on any nodes: its partition starts no such job, its time limit is too long, or the limit of running jobs
    /// is reached.
    pub fn before_selection(&self, limits: &LimitSet, asked: i64) -> Option<LimitReason> {
        if limits.is_closed {
            return Some(LimitReason::Partition);
        }
        if limits.longest.is_some_and(|longest| asked > longest) {
            return Some(LimitReason::Time);
        }
        self.is_full(limits).then_some(LimitReason::Jobs)
    }

    /// Whether a limit of running jobs is reached.
    pub fn is_full(&self, limits: &LimitSet) -> bool {
        let is_full =
            |held: &HeldLimits| held.jobs.is_some_and(|most| self.in_use[held.holder.0].jobs >= most);
        limits.held.iter().any(is_full)
    }

    /// Whether what it would be given is too much, for as long as it may run. Of its nodes, as far as they are known, those that count
    /// already do not count again. Where the amounts are only the least that it could have (`are_all` is false), limits that more of
    /// something would meet are not looked at.
    pub fn after_selection(
        &self,
        limits: &LimitSet,
        (amounts, are_all): (&Amounts, bool),
        limit: i64,
        nodes: impl Iterator<Item = usize> + Clone,
    ) -> Option<LimitReason> {
        let minutes = u64::try_from(limit / 60).unwrap_or(0);
        let per_job = limits.per_job.iter().any(|one| {
            let own = amounts[one.resource];
            match one.counts_as {
                LimitedAs::Least => are_all && own < one.limit,
                LimitedAs::PerNode => are_all && own / amounts[TresIndex::NODES].max(1) > one.limit,
                LimitedAs::Minutes => own.saturating_mul(minutes) > one.limit,
                LimitedAs::Amount | LimitedAs::MinutesToRun => own > one.limit,
            }
        });
        let is_full = |held: &HeldLimits| {
            let in_use = &self.in_use[held.holder.0];
            held.amounts.iter().any(|one| match one.counts_as {
                LimitedAs::Minutes | LimitedAs::MinutesToRun => {
                    let own = amounts[one.resource].saturating_mul(minutes);
                    in_use.minutes.as_ref().is_some_and(|used| self.is_used_up(used, one, own))
                }
                _ => {
                    let counted = in_use.nodes.as_ref().filter(|_| one.resource == TresIndex::NODES);
                    let is_counted = |node: &usize| counted.is_some_and(|all| all.nodes().contains(*node));
                    let again = if counted.is_some() { nodes.clone().filter(is_counted).count() } else { 0 };
                    let all = in_use.amounts[one.resource].saturating_add(amounts[one.resource]);
                    all.saturating_sub(again as u64) > one.limit
                }
            })
        };
        (per_job || limits.held.iter().any(is_full)).then_some(LimitReason::Amount)
    }

    /// Whether `own` further minutes of a resource exceed a limit. For limits of used minutes only past usage counts, unless jobs
    /// may start only if they can finish (`AccountingStorageEnforce=safe`).
    pub(super) fn is_used_up(&self, used: &UsedMinutes, limit: &AmountLimit, own: u64) -> bool {
        let (most, to_run) = (limit.limit, used.to_run(limit.resource));
        let so_far = if limit.counts_as == LimitedAs::Minutes { used.used(limit.resource) } else { 0 };
        let checks_all = limit.counts_as == LimitedAs::MinutesToRun || self.is_safe;
        own > 0 && limit.counts_as == LimitedAs::Minutes && so_far >= most
            || checks_all && own > 0 && own.saturating_add(to_run) > most.saturating_sub(so_far)
    }

    /// Whether this number of further jobs may be submitted.
    pub fn admits(&self, limits: &LimitSet, jobs: usize) -> bool {
        let within = |held: &HeldLimits| {
            let there = self.in_use[held.holder.0].submitted as usize;
            held.submitted.is_none_or(|most| there + jobs <= most as usize)
        };
        limits.held.iter().all(within)
    }

    /// Whether one more waiting job may gain age; then it does.
    pub(super) fn accrues(&mut self, (holder, most): (HolderIndex, u32)) -> bool {
        let accruing = &mut self.in_use[holder.0].accruing;
        let is_open = *accruing < most;
        *accruing += u32::from(is_open);
        is_open
    }

    /// A job that gained age does not wait any more.
    pub(super) fn accrues_no_more(&mut self, holder: HolderIndex) {
        self.in_use[holder.0].accruing -= 1;
    }

    /// A job was submitted.
    pub fn arrived(&mut self, limits: &LimitSet) {
        self.change(limits, |held| held.submitted += 1);
    }

    /// It is gone, whether it ran or not.
    pub fn left(&mut self, limits: &LimitSet) {
        self.change(limits, |held| held.submitted -= 1);
    }

    /// A job starts on these nodes, with this time limit in seconds.
    pub fn started(&mut self, limits: &LimitSet, amounts: &Amounts, nodes: &[u32], limit: i64) {
        self.change(limits, |held| {
            held.jobs += 1;
            let each = held.amounts.0.iter_mut().zip(&amounts.0);
            each.for_each(|(sum, &amount)| *sum = sum.saturating_add(amount));
            if let Some(counted) = &mut held.nodes {
                nodes.iter().for_each(|&node| counted.add(node as usize));
                held.amounts[TresIndex::NODES] = counted.nodes().len() as u64;
            }
            if let Some(minutes) = &mut held.minutes {
                minutes.start(amounts, u64::try_from(limit).unwrap_or(0));
            }
        });
    }

    /// A job ran from one instant to another, in seconds since its start, and is charged for `charged` seconds. Time beyond its
    /// limit is not taken off what it may still use.
    pub fn charge(
        &mut self,
        limits: &LimitSet,
        amounts: &Amounts,
        (from, to): (i64, i64),
        limit: i64,
        charged: f64,
    ) {
        let passed = u64::try_from(to.min(limit) - from.min(limit)).unwrap_or(0);
        self.change(limits, |held| {
            if let Some(minutes) = &mut held.minutes {
                minutes.pass(amounts, passed);
                minutes.charge(amounts, charged);
            }
        });
    }

    /// Whether resources times minutes count for a limit of some job.
    pub fn counts_minutes(&self) -> bool {
        self.counts_minutes
    }

    /// Whether minutes count that have been used, and count less as time passes.
    pub fn have_decaying_minutes(&self) -> bool {
        self.decays && self.in_use.iter().filter_map(|one| one.minutes.as_ref()).any(UsedMinutes::are_used)
    }

    /// What has been used counts less by this factor.
    pub fn decay(&mut self, by: f64) {
        self.in_use.iter_mut().filter_map(|one| one.minutes.as_mut()).for_each(|used| used.decay(by));
    }

    /// It has ended.
    pub fn ended(&mut self, limits: &LimitSet, amounts: &Amounts, nodes: &[u32]) {
        self.change(limits, |held| {
            held.jobs -= 1;
            if let Some(counted) = &mut held.nodes {
                nodes.iter().for_each(|&node| counted.remove(node as usize));
                held.amounts[TresIndex::NODES] = counted.nodes().len() as u64 + amounts[TresIndex::NODES];
            }
            let each = held.amounts.0.iter_mut().zip(&amounts.0);
            each.for_each(|(sum, &amount)| *sum = sum.saturating_sub(amount));
        });
    }

    /// The nodes that count already for the job's limits of nodes; `None` if it has none, or there are none.
    pub fn counted_nodes(&self, limits: &LimitSet) -> Option<NodeSet> {
        let mut all: Option<NodeSet> = None;
        for counted in limits.prefers_of.iter().filter_map(|&holder| self.in_use[holder.0].nodes.as_ref()) {
            all.get_or_insert_with(|| NodeSet::none(self.nodes)).add(counted.nodes());
        }
        all.filter(|nodes| !nodes.is_empty())
    }

    fn change(&mut self, limits: &LimitSet, change: impl Fn(&mut InUse)) {
        limits.holders.iter().for_each(|&holder| change(&mut self.in_use[holder.0]));
    }
}

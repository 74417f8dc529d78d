//! Limits of QOS and associations, and what counts towards them.

use std::collections::BTreeMap;

use crate::cluster::{Cluster, Tres};

use super::layout::{NodeLayout, NodeShare};

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

/// Limits of one holder: all of a QOS, one user in it, one account in it, an association.
#[derive(Debug, Clone, Default)]
struct HeldLimits {
    jobs: Option<u32>,
    /// Waiting and running.
    submitted: Option<u32>,
    amounts: Vec<(usize, u64)>,
}

/// What one holder's running jobs have.
#[derive(Debug, Clone, Default)]
struct InUse {
    jobs: u32,
    submitted: u32,
    amounts: Vec<u64>,
}

impl InUse {
    fn add(&mut self, amounts: &Amounts) {
        self.jobs += 1;
        self.amounts.resize(self.amounts.len().max(amounts.0.len()), 0);
        self.amounts.iter_mut().zip(&amounts.0).for_each(|(sum, amount)| *sum += amount);
    }

    fn remove(&mut self, amounts: &Amounts) {
        self.jobs -= 1;
        self.amounts.iter_mut().zip(&amounts.0).for_each(|(sum, amount)| *sum -= amount);
    }
}

#[derive(Debug, Clone, Default)]
struct QosLimits {
    group: HeldLimits,
    user: HeldLimits,
    account: HeldLimits,
    per_job: Vec<(usize, u64)>,
}

/// Limits of an association: of all below it, of its own jobs together, and of each.
#[derive(Debug, Clone, Default)]
struct AssociationLimits {
    group: HeldLimits,
    own: HeldLimits,
    per_job: Vec<(usize, u64)>,
}

/// Who a job counts for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CountsFor {
    /// QOS in the order in which their limits hold: the first that limits something hides the others.
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

/// All limits and what counts towards them.
#[derive(Debug, Clone)]
pub struct Limits {
    names: ResourceNames,
    qos: Vec<QosLimits>,
    associations: Vec<AssociationLimits>,
    parents: Vec<Option<usize>>,
    of_qos: Vec<InUse>,
    of_qos_user: BTreeMap<(usize, u32), InUse>,
    of_qos_account: BTreeMap<(usize, u32), InUse>,
    of_association: Vec<InUse>,
    is_enforced: bool,
}

impl Limits {
    pub fn new(cluster: &Cluster, layout: &NodeLayout) -> Limits {
        let names = ResourceNames::of(layout);
        let held = |jobs: Option<u32>, submitted: Option<u32>, tres: &Tres| HeldLimits {
            jobs,
            submitted,
            amounts: names.limit(tres),
        };
        let qos = cluster.qos.iter();
        let qos = qos
            .map(|one| QosLimits {
                group: held(one.group.jobs, one.group.submitted, &one.group.tres),
                user: held(one.per_user.jobs, one.per_user.submitted, &one.per_user.tres),
                account: held(one.per_account.jobs, one.per_account.submitted, &one.per_account.tres),
                per_job: names.limit(&one.per_job.tres),
            })
            .collect::<Vec<_>>();
        let associations: Vec<_> = cluster
            .associations
            .0
            .iter()
            .map(|one| AssociationLimits {
                group: held(one.group.jobs, one.group.submitted, &one.group.tres),
                own: held(one.own.jobs, one.own.submitted, &one.own.tres),
                per_job: names.limit(&one.per_job.tres),
            })
            .collect();
        let count = associations.len();
        Limits {
            of_qos: vec![InUse::default(); qos.len()],
            qos,
            associations,
            parents: cluster.associations.0.iter().map(|one| one.parent).collect(),
            of_qos_user: BTreeMap::new(),
            of_qos_account: BTreeMap::new(),
            of_association: vec![InUse::default(); count],
            is_enforced: cluster.settings.enforce.limits,
            names,
        }
    }

    pub fn amounts(&self, shares: &[NodeShare]) -> Amounts {
        self.names.amounts(shares)
    }

    /// Every holder that a job counts for, with its limits.
    fn holders(&self, counted: &CountsFor) -> Vec<(&HeldLimits, Option<&InUse>)> {
        let mut holders: Vec<(&HeldLimits, Option<&InUse>)> = Vec::new();
        for qos in counted.qos.iter().flatten().copied() {
            let limits = &self.qos[qos];
            holders.push((&limits.group, self.of_qos.get(qos)));
            holders.push((&limits.user, self.of_qos_user.get(&(qos, counted.user))));
            holders.push((&limits.account, self.of_qos_account.get(&(qos, counted.account))));
        }
        let mut at = counted.association;
        for depth in 0..self.associations.len() {
            let Some(index) = at else { break };
            let AssociationLimits { group, own, .. } = &self.associations[index];
            holders.push((group, self.of_association.get(index)));
            if depth == 0 {
                holders.push((own, self.of_association.get(index)));
            }
            at = self.parents[index];
        }
        holders
    }

    /// Whether so many jobs run already that it cannot start, wherever.
    pub fn before_selection(&self, counted: &CountsFor) -> Option<LimitReason> {
        if !self.is_enforced {
            return None;
        }
        let full = self
            .holders(counted)
            .into_iter()
            .any(|(limits, held)| limits.jobs.is_some_and(|most| held.map_or(0, |held| held.jobs) >= most));
        full.then_some(LimitReason::Jobs)
    }

    /// Whether what it would be given is too much.
    pub fn after_selection(&self, counted: &CountsFor, amounts: &Amounts) -> Option<LimitReason> {
        if !self.is_enforced {
            return None;
        }
        let exceeds = |limits: &[(usize, u64)], held: Option<&InUse>| {
            limits.iter().any(|&(place, most)| {
                let used = held.and_then(|held| held.amounts.get(place)).copied().unwrap_or(0);
                used + amounts.0[place] > most
            })
        };
        let per_job = counted.qos.iter().flatten().any(|&qos| exceeds(&self.qos[qos].per_job, None))
            || counted.association.is_some_and(|index| exceeds(&self.associations[index].per_job, None));
        let full = self.holders(counted).into_iter().any(|(limits, held)| exceeds(&limits.amounts, held));
        (per_job || full).then_some(LimitReason::Amount)
    }

    /// Whether so many more jobs may be submitted.
    pub fn admits(&self, counted: &CountsFor, jobs: usize) -> bool {
        let within = |(limits, held): (&HeldLimits, Option<&InUse>)| {
            let there = held.map_or(0, |held| held.submitted) as usize;
            limits.submitted.is_none_or(|most| there + jobs <= most as usize)
        };
        !self.is_enforced || self.holders(counted).into_iter().all(within)
    }

    /// A job was submitted.
    pub fn arrived(&mut self, counted: &CountsFor) {
        self.change(counted, |held| held.submitted += 1);
    }

    /// It is gone, whether it ran or not.
    pub fn left(&mut self, counted: &CountsFor) {
        self.change(counted, |held| held.submitted -= 1);
    }

    /// It runs.
    pub fn started(&mut self, counted: &CountsFor, amounts: &Amounts) {
        self.change(counted, |held| held.add(amounts));
    }

    /// It has ended.
    pub fn ended(&mut self, counted: &CountsFor, amounts: &Amounts) {
        self.change(counted, |held| held.remove(amounts));
    }

    fn change(&mut self, counted: &CountsFor, change: impl Fn(&mut InUse)) {
        for qos in counted.qos.iter().flatten().copied() {
            change(&mut self.of_qos[qos]);
            change(self.of_qos_user.entry((qos, counted.user)).or_default());
            change(self.of_qos_account.entry((qos, counted.account)).or_default());
        }
        let mut at = counted.association;
        for _ in 0..self.associations.len() {
            let Some(index) = at else { break };
            change(&mut self.of_association[index]);
            at = self.parents[index];
        }
    }
}

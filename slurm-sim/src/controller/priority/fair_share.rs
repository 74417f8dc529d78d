//! What accounts and users have used, and the fair-share factor it leaves them.

use super::classic_share::ClassicShares;
use crate::cluster::{AssociationIndex, Associations, PrioritySettings, Shares};
use queuecast_core::order;

/// The decay of usage in one second, of a half-life in seconds, as Slurm computes it.
fn decay(half_life: i64) -> f64 {
    if half_life > 0 { 1.0 - 0.693 / half_life as f64 } else { 1.0 }
}

/// Usage of every association, and the factor of each user's.
#[derive(Debug, Clone)]
pub struct FairShare {
    /// As all that follows by the index of the association.
    parents: Vec<Option<usize>>,
    /// In the order in which the fair tree ranked them last.
    children: Vec<Vec<usize>>,
    shares: Vec<f64>,
    /// The share of each among those of its siblings.
    parts: Vec<f64>,
    /// How much less than its share each has used, when the fair tree ranked it last.
    levels: Vec<f64>,
    /// Users without shares of their own (`Fairshare=parent`): the fair tree ranks them first in their account.
    is_first: Vec<bool>,
    is_user: Vec<bool>,
    /// Processor seconds, decayed; of an account those of all below it.
    usage: Vec<f64>,
    factors: Vec<f64>,
    decay: f64,
    classic: Option<ClassicShares>,
}

impl FairShare {
    pub fn new(associations: &Associations, settings: &PrioritySettings) -> FairShare {
        let all = &associations.0;
        let mut children = vec![Vec::new(); all.len()];
        for (index, one) in all.iter().enumerate() {
            if let Some(parent) = one.parent.filter(|parent| parent.0 < all.len()) {
                children[parent.0].push(index);
            }
        }
        // Users without shares of their own take none of their siblings'.
        let share = |shares: Shares, is_user: bool| match shares {
            Shares::Of(count) => f64::from(count),
            Shares::Parent if is_user => 0.0,
            Shares::Parent => 1.0,
        };
        let classic = settings.flags.no_fair_tree.then(|| ClassicShares::new(associations, settings));
        let mut fair = FairShare {
            classic,
            parents: all.iter().map(|one| one.parent.map(|parent| parent.0)).collect(),
            children,
            parts: Vec::new(),
            levels: vec![0.0; all.len()],
            shares: all.iter().map(|one| share(one.shares, one.user.is_some())).collect(),
            is_first: all.iter().map(|one| one.user.is_some() && one.shares == Shares::Parent).collect(),
            is_user: all.iter().map(|one| one.user.is_some()).collect(),
            usage: vec![0.0; all.len()],
            factors: vec![0.0; all.len()],
            decay: decay(settings.decay_half_life.0),
        };
        fair.find_parts();
        fair.rank();
        if let Some(classic) = &mut fair.classic {
            classic.begin(&fair.usage);
        }
        fair
    }

    /// Finds the share of each association among its siblings; zero for the topmost.
    fn find_parts(&mut self) {
        self.parts = vec![0.0; self.shares.len()];
        for children in &self.children {
            let all: f64 = children.iter().map(|&child| self.shares[child]).sum();
            for &child in children.iter().filter(|_| all > 0.0) {
                self.parts[child] = self.shares[child] / all;
            }
        }
    }

    /// The factor of a user's association, 0 to 1.
    pub fn factor(&self, association: AssociationIndex) -> f64 {
        self.factors[association.0]
    }

    /// Charges an association, and all above it, `billing` per second over this number of seconds.
    pub fn charge(&mut self, association: AssociationIndex, billing: f64, seconds: i64) {
        if seconds > 0 {
            self.add(association.0, self.decayed(seconds) * billing);
        }
    }

    /// The usage, in seconds, that a charge over this number of seconds adds: as in Slurm, decayed over all of them.
    pub fn decayed(&self, seconds: i64) -> f64 {
        seconds.max(0) as f64 * self.decay_over(seconds)
    }

    /// The part of earlier usage, 0 to 1, that still counts after this number of seconds.
    pub fn decay_over(&self, seconds: i64) -> f64 {
        self.decay.powi(clamped(seconds))
    }

    /// Adds usage to an association and all above it.
    fn add(&mut self, association: usize, amount: f64) {
        let mut at = Some(association);
        // The loop is bounded by the number of associations, in case the parents form a circle.
        for _ in 0..self.usage.len() {
            let Some(index) = at else { break };
            self.usage[index] += amount;
            at = self.parents[index];
        }
    }

    /// Takes over what every association has used by its own jobs.
    pub fn set_usage(&mut self, own: &[f64]) {
        self.usage.fill(0.0);
        for (index, &amount) in own.iter().enumerate().take(self.usage.len()) {
            self.add(index, amount);
        }
        self.rank();
    }

    /// Decays all usage by the seconds since the last decay.
    pub fn decay(&mut self, seconds: i64) {
        let by = self.decay_over(seconds);
        self.usage.iter_mut().for_each(|usage| *usage *= by);
    }

    /// Whether the factors are those of classic fair share.
    pub fn is_classic(&self) -> bool {
        self.classic.is_some()
    }

    /// With classic fair share: what accounts have used so far counts until this is called again, and what a user has used
    /// counts as it is when [`settle`](FairShare::settle) next asks for it.
    pub fn begin_period(&mut self) {
        if let Some(classic) = &mut self.classic {
            classic.begin_period(&self.usage);
        }
    }

    /// With classic fair share: the factor of a user's association, unless it has been computed in this period.
    pub fn settle(&mut self, association: AssociationIndex) {
        if let Some(classic) = &mut self.classic {
            self.factors[association.0] = classic.factor(association, &self.usage);
        }
    }

    /// Computes all factors again.
    pub fn rank(&mut self) {
        if self.is_classic() {
            self.begin_period();
            (0..self.parents.len()).for_each(|one| self.settle(AssociationIndex(one)));
            // Users' are computed when they are asked for.
            self.begin_period();
            return;
        }
        let roots: Vec<usize> = (0..self.parents.len()).filter(|&one| self.parents[one].is_none()).collect();
        let users = self.is_user.iter().filter(|user| **user).count().max(1) as f64;
        let mut ranks = (users, users);
        for root in roots {
            self.tree_below(root, users, &mut ranks, false);
        }
    }

    /// How much less than its share an association has used, among its siblings.
    fn level(&self, association: usize, used_above: f64) -> f64 {
        if self.is_first[association] {
            return f64::INFINITY;
        }
        let share = self.parts[association];
        if share == 0.0 {
            return 0.0;
        }
        let own = self.usage[association];
        let used = if used_above > 0.0 && own != 0.0 { own / used_above } else { 0.0 };
        if used == 0.0 { f64::INFINITY } else { share / used }
    }

    /// Ranks users depth first: siblings by their level, users before accounts; tied users share a rank, and an account tied with
    /// its predecessor passes that rank to its first user. `ranks` are the rank given last and the one that comes next.
    fn tree_below(&mut self, above: usize, users: f64, ranks: &mut (f64, f64), is_tied: bool) {
        let mut children = std::mem::take(&mut self.children[above]);
        let used_above = self.usage[above];
        for &child in &children {
            self.levels[child] = self.level(child, used_above);
        }
        let by_level = |one: &usize, other: &usize| {
            let of = |index: usize| (!self.is_user[index], index);
            self.levels[*other].total_cmp(&self.levels[*one]).then_with(|| of(*one).cmp(&of(*other)))
        };
        // From one time to the next few change places, and none of an account that has used nothing.
        if !children.is_sorted_by(|one, other| by_level(one, other).is_le()) {
            order::sort_by(&mut children, by_level);
        }
        let mut before: Option<f64> = None;
        for (index, &child) in children.iter().enumerate() {
            let level = self.levels[child];
            let tied = index == 0 && is_tied || before == Some(level);
            if self.is_user[child] {
                if !tied {
                    ranks.0 = ranks.1;
                }
                self.factors[child] = ranks.0 / users;
                ranks.1 -= 1.0;
            } else {
                self.tree_below(child, users, ranks, tied);
            }
            before = Some(level);
        }
        self.children[above] = children;
    }
}

/// Seconds as an exponent, clamped: usage has decayed to zero long before the largest value.
fn clamped(seconds: i64) -> i32 {
    i32::try_from(seconds.max(0)).unwrap_or(i32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cluster::Association;

    /// Two accounts of two users each below the root: shares 3 and 1, users 1 each.
    fn associations() -> Associations {
        let one = |account: &str, user: Option<&str>, parent: Option<usize>, shares: u32| Association {
            account: account.into(),
            user: user.map(str::to_owned),
            parent: parent.map(AssociationIndex),
            shares: Shares::Of(shares),
            ..Association::default()
        };
        Associations(vec![
            one("root", None, None, 1),
            one("a", None, Some(0), 3),
            one("b", None, Some(0), 1),
            one("a", Some("a1"), Some(1), 1),
            one("a", Some("a2"), Some(1), 1),
            one("b", Some("b1"), Some(2), 1),
            one("b", Some("b2"), Some(2), 1),
        ])
    }

    fn factors(fair: &FairShare) -> [f64; 4] {
        [3, 4, 5, 6].map(|user| fair.factor(AssociationIndex(user)))
    }

    #[test]
    fn the_tree_ranks_accounts_before_their_users() {
        let settings = PrioritySettings::default();
        let mut fair = FairShare::new(&associations(), &settings);
        assert_eq!(factors(&fair), [1.0; 4], "nothing is used: all are tied");
        // Account a has used half with three quarters of the shares, so its users come first; of them a2, who used nothing.
        fair.charge(AssociationIndex(3), 10.0, 100);
        fair.charge(AssociationIndex(5), 10.0, 100);
        fair.rank();
        assert_eq!(factors(&fair), [0.75, 1.0, 0.25, 0.5]);
        // Control: with all usage by a, b comes first.
        let mut other = FairShare::new(&associations(), &settings);
        other.charge(AssociationIndex(3), 10.0, 100);
        other.rank();
        assert_eq!(factors(&other), [0.25, 0.5, 1.0, 1.0]);
    }

    /// A user with `Fairshare=parent` ranks first in the account whatever was used, and takes no shares of the others.
    #[test]
    fn users_without_shares_of_their_own_come_first_in_their_account() {
        let mut all = associations();
        all.0[3].shares = Shares::Parent;
        let mut fair = FairShare::new(&all, &PrioritySettings::default());
        fair.charge(AssociationIndex(3), 10.0, 100);
        fair.charge(AssociationIndex(4), 1.0, 100);
        fair.charge(AssociationIndex(5), 10.0, 100);
        fair.rank();
        assert_eq!(factors(&fair), [1.0, 0.75, 0.25, 0.5]);
    }

    #[test]
    fn usage_halves_within_a_half_life() {
        let settings =
            PrioritySettings { decay_half_life: queuecast_core::units::Seconds(1000), ..Default::default() };
        let mut fair = FairShare::new(&associations(), &settings);
        fair.charge(AssociationIndex(3), 1.0, 1);
        let before = fair.usage[0];
        fair.decay(1000);
        assert!((fair.usage[0] / before - 0.5).abs() < 1e-3 && fair.usage[3] == fair.usage[0]);
    }
}

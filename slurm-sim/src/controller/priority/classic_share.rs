//! Classic fair share (`PriorityFlags=NO_FAIR_TREE`): `2^(−effective usage / share / dampening)`.

use crate::cluster::{AssociationIndex, Associations, PrioritySettings, Shares};
use queuecast_core::order;

/// Shares of all associations, and the usage that counts for them.
///
/// Effective usage is not computed for all at one instant. When priorities are computed, that of accounts is taken first, of
/// usage before it decays. That of a user is taken when one of the user's jobs first asks for it, and then kept: by then usage has
/// decayed, and the running jobs whose records come before that job's have been charged.
#[derive(Debug, Clone)]
pub struct ClassicShares {
    /// As all that follows by the index of the association.
    roots: Vec<Option<usize>>,
    is_user: Vec<bool>,
    /// The nearest ancestor with shares of its own (not `Fairshare=parent`).
    above: Vec<Option<usize>>,
    has_own: Vec<bool>,
    /// Shares divided by those of all associations with the same `above`; `None` if these have no shares in total.
    parts: Vec<Option<f64>>,
    /// Normalized shares: the part of all shares of the cluster, 0 to 1.
    shares: Vec<f64>,
    /// Association indices, ancestors before descendants.
    top_down: Vec<usize>,
    /// Effective usage computed in this period; `None`: not computed yet.
    effective: Vec<Option<f64>>,
    dampening: f64,
    /// With `DEPTH_OBLIVIOUS`: what it counts of siblings.
    oblivious: Option<SiblingUsage>,
}

/// What each association had used when its effective usage was last computed, and which count as siblings.
#[derive(Debug, Clone)]
struct SiblingUsage {
    /// Those directly below each association that have shares of their own.
    below: Vec<Vec<usize>>,
    /// The part of all usage.
    parts: Vec<f64>,
}

/// What Slurm counts as the part of an association before it is first computed: it begins with the mark for no value, and
/// siblings are summed up without asking for it. So users have nearly all of their fair share until all siblings have asked.
const NEVER_COMPUTED: f64 = 4_294_967_294.0;

/// How much less a user's own use counts, the farther off its share the account's use is.
const PARENT_IMPACT: f64 = 5.0;

impl ClassicShares {
    pub fn new(associations: &Associations, settings: &PrioritySettings) -> ClassicShares {
        let all = &associations.0;
        let count = all.len();
        let parent = |one: usize| all[one].parent.map(|parent| parent.0).filter(|parent| *parent < count);
        // Ancestors up to the root; `take` ends the walk if the parents form a circle.
        let ancestors = |one: usize| std::iter::successors(parent(one), |&one| parent(one)).take(count);
        let is_root = |one: usize| parent(one).is_none();
        let has_own = |one: usize| is_root(one) || matches!(all[one].shares, Shares::Of(_));
        let above: Vec<Option<usize>> =
            (0..count).map(|one| ancestors(one).find(|&other| has_own(other))).collect();
        let own = |one: usize| match all[one].shares {
            Shares::Of(count) => f64::from(count),
            Shares::Parent => 0.0,
        };
        let mut levels = vec![0.0; count];
        for one in 0..count {
            if let Some(above) = above[one] {
                levels[above] += own(one);
            }
        }
        let level = |one: usize| above[one].map_or(0.0, |above| levels[above]);
        let parts = (0..count).map(|one| (level(one) > 0.0).then(|| own(one) / level(one)));
        let parts: Vec<Option<f64>> = parts.collect();
        let mut top_down: Vec<usize> = (0..count).collect();
        order::sort_by_key(&mut top_down, |&one| ancestors(one).count());
        let mut shares = vec![0.0; count];
        for &one in &top_down {
            shares[one] = match above[one] {
                None => 1.0,
                Some(above) if has_own(one) => shares[above] * parts[one].unwrap_or(0.0),
                Some(above) => shares[above],
            };
        }
        let below = |one: AssociationIndex| {
            associations.children(one).map(|child| child.0).filter(|&child| has_own(child)).collect()
        };
        ClassicShares {
            roots: (0..count).map(|one| ancestors(one).last()).collect(),
            is_user: all.iter().map(|one| one.user.is_some()).collect(),
            has_own: (0..count).map(has_own).collect(),
            above,
            parts,
            shares,
            top_down,
            effective: vec![None; count],
            dampening: f64::from(settings.fair_share_dampening.max(1)),
            oblivious: settings.flags.depth_oblivious.then(|| SiblingUsage {
                below: (0..count).map(AssociationIndex).map(below).collect(),
                parts: vec![NEVER_COMPUTED; count],
            }),
        }
    }

    /// As of a controller that has just begun: nothing was computed.
    pub fn begin(&mut self, usage: &[f64]) {
        if let Some(oblivious) = &mut self.oblivious {
            oblivious.parts.fill(NEVER_COMPUTED);
        }
        self.begin_period(usage);
    }

    /// Computes the effective usage of accounts, and discards that of users.
    pub fn begin_period(&mut self, usage: &[f64]) {
        self.effective.fill(None);
        for index in 0..self.top_down.len() {
            let one = self.top_down[index];
            if !self.is_user[one] {
                self.effective[one] = Some(self.compute(one, usage));
            }
        }
    }

    /// The fair-share factor of an association, 0 to 1, by the effective usage of this period; computed now if it is not known.
    pub fn factor(&mut self, association: AssociationIndex, usage: &[f64]) -> f64 {
        let own = association.0;
        let counts = match self.above[own].filter(|_| !self.has_own[own]) {
            Some(above) => above,
            None => own,
        };
        let effective = match self.effective[counts] {
            Some(effective) => effective,
            None => self.compute(counts, usage),
        };
        self.effective[counts] = Some(effective);
        let share = self.shares[counts];
        if share > 0.0 { (-(effective / share) / self.dampening).exp2() } else { 0.0 }
    }

    /// Slurm's effective usage: the own part `own` of all usage, below the first level plus (parent's − own) × `parts`.
    fn compute(&mut self, one: usize, usage: &[f64]) -> f64 {
        let Some(above) = self.above[one] else { return 1.0 };
        let all = self.roots[one].map_or(0.0, |root| usage[root]);
        let own = if all > 0.0 { (usage[one] / all).min(1.0) } else { 0.0 };
        if let Some(oblivious) = &mut self.oblivious {
            oblivious.parts[one] = own;
        }
        if self.above[above].is_none() {
            return own;
        }
        let used_above = self.effective[above].unwrap_or(0.0);
        if !self.has_own[one] {
            return used_above;
        }
        if let Some(oblivious) = &self.oblivious {
            let siblings = oblivious.below[above].iter().map(|&sibling| oblivious.parts[sibling]).sum();
            return depth_oblivious((own, siblings, used_above), (self.shares[one], self.shares[above]));
        }
        self.parts[one].map_or(used_above, |part| own + (used_above - own) * part)
    }
}

/// Effective usage with `DEPTH_OBLIVIOUS`, of an association's usage, that of its siblings with it and the effective one of the
/// association above, and of the shares of it and of that one.
///
/// # Formula
/// `share · p · l^k`, where `p` is the ratio of usage to shares above, `l` that of the association to that of its siblings, and
/// `k` is 1 where both are on the same side of 1, else `1 / (1 + (5 ln p)²)`.
fn depth_oblivious((own, siblings, used_above): (f64, f64, f64), (share, share_above): (f64, f64)) -> f64 {
    if share == 0.0 || share_above == 0.0 || used_above == 0.0 || own == 0.0 {
        return own;
    }
    let above = used_above / share_above;
    let level = own / share / (siblings / share_above);
    let is_same_side = level == 0.0 || above.ln() * level.ln() >= 0.0;
    let power = if is_same_side { 1.0 } else { 1.0 / (1.0 + (PARENT_IMPACT * above.ln()).powi(2)) };
    above * level.powf(power) * share
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cluster::{Association, PriorityFlags};

    /// Two accounts of two users each below the root: shares 3 and 1, users 1 each; of b2 those of the account.
    fn classic() -> ClassicShares {
        with(PriorityFlags::default())
    }

    fn with(flags: PriorityFlags) -> ClassicShares {
        let one = |user: Option<&str>, parent: Option<usize>, shares: Shares| Association {
            user: user.map(str::to_owned),
            parent: parent.map(AssociationIndex),
            shares,
            ..Association::default()
        };
        let all = Associations(vec![
            one(None, None, Shares::Of(1)),
            one(None, Some(0), Shares::Of(3)),
            one(None, Some(0), Shares::Of(1)),
            one(Some("a1"), Some(1), Shares::Of(1)),
            one(Some("a2"), Some(1), Shares::Of(1)),
            one(Some("b1"), Some(2), Shares::Of(1)),
            one(Some("b2"), Some(2), Shares::Parent),
        ]);
        ClassicShares::new(&all, &PrioritySettings { flags, ..PrioritySettings::default() })
    }

    fn close(one: f64, other: f64) {
        assert!((one - other).abs() < 1e-9, "{one} {other}");
    }

    #[test]
    fn the_factor_is_worked_by_hand() {
        let mut classic = classic();
        let unused = [0.0; 7];
        classic.begin_period(&unused);
        (3..7).for_each(|user| close(classic.factor(AssociationIndex(user), &unused), 1.0));
        // Usage as the shares say: 3 to 1, halves within. User a1 has used 0.375 of all; with the share of what a2 used,
        // 0.375 + (0.75 − 0.375) / 2, for 0.375 of the shares. User b2 has what the account has, which is at its share, and
        // b1 all that has shares below it: 0.125 + (0.25 − 0.125) for 0.25.
        let usage = [8.0, 6.0, 2.0, 3.0, 3.0, 1.0, 1.0];
        classic.begin_period(&usage);
        close(classic.factor(AssociationIndex(3), &usage), (-1.5_f64).exp2());
        close(classic.factor(AssociationIndex(1), &usage), 0.5);
        close(classic.factor(AssociationIndex(6), &usage), 0.5);
        close(classic.factor(AssociationIndex(5), &usage), 0.5);
    }

    #[test]
    fn usage_counts_as_it_is_when_it_is_asked_for() {
        let mut classic = classic();
        let before = [8.0, 6.0, 2.0, 3.0, 3.0, 1.0, 1.0];
        classic.begin_period(&before);
        // Then a1 uses 8 more: of a1 that counts, 11/16 + (6/8 − 11/16) / 2 for 0.375; of the account it does not yet.
        let after = [16.0, 14.0, 2.0, 11.0, 3.0, 1.0, 1.0];
        let of_a1 = (-(0.6875 + 0.0625 / 2.0) / 0.375_f64).exp2();
        close(classic.factor(AssociationIndex(3), &after), of_a1);
        close(classic.factor(AssociationIndex(1), &after), 0.5);
        // What was taken is kept, whatever is used after.
        close(classic.factor(AssociationIndex(3), &before), of_a1);
        // Control: in the next period all of it counts.
        classic.begin_period(&after);
        close(
            classic.factor(AssociationIndex(3), &after),
            (-(0.6875 + (0.875 - 0.6875) / 2.0) / 0.375_f64).exp2(),
        );
    }

    /// Account a has used half with three quarters of the shares, b half with one quarter. User a1 has used three times what a2
    /// has, and both have 0.375 of the shares.
    #[test]
    fn depth_is_forgotten_by_ratios() {
        let usage = [8.0, 4.0, 4.0, 3.0, 1.0, 4.0, 0.0];
        let mut classic = with(PriorityFlags { depth_oblivious: true, ..PriorityFlags::default() });
        classic.begin_period(&usage);
        // a2 has never asked, so that siblings seem to have used all there is.
        assert!(classic.factor(AssociationIndex(3), &usage) > 0.999);
        classic.factor(AssociationIndex(4), &usage);
        classic.begin_period(&usage);
        // a: p = 0.5 / 0.75. a1: l = (0.375 / 0.375) / (0.5 / 0.75) = 1.5, on the other side of 1. a2: l = 0.5, on the same.
        let p: f64 = 2.0 / 3.0;
        let k = 1.0 / (1.0 + (5.0 * p.ln()).powi(2));
        close(classic.factor(AssociationIndex(3), &usage), (-(p * 1.5_f64.powf(k))).exp2());
        close(classic.factor(AssociationIndex(4), &usage), (-(p * 0.5)).exp2());
        // b2 has the shares of the account; b1 all others below it: l = 1.
        close(classic.factor(AssociationIndex(6), &usage), (-2.0_f64).exp2());
        close(classic.factor(AssociationIndex(5), &usage), (-2.0_f64).exp2());
        // Control: begun anew, it is as at first; without the flag it never is.
        classic.begin(&usage);
        assert!(classic.factor(AssociationIndex(3), &usage) > 0.999);
        let mut plain = with(PriorityFlags::default());
        plain.begin_period(&usage);
        close(plain.factor(AssociationIndex(3), &usage), (-(0.375 + 0.125 / 2.0) / 0.375_f64).exp2());
    }
}

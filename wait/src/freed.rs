//! Processors freed after some time: how many to expect, and how probable it is that they are enough.

use super::Holder;
use super::root::Level;
use queuecast_core::distribution::Survival;
use queuecast_core::units::Procs;

/// How probable it is that within `t` seconds enough holders end to free `more` processors, holders being independent:
/// exact, by adding them one at a time to the distribution of processors freed. Takes holders times `more` steps.
///
/// # Formula
/// `Pr{F ≥ n'} = Σ Pr{b}` over outcomes `b` with `Σ bᵢ·nᵢ ≥ n'`, where `Pr{b}` is the product of `cdf(t)` of the holders
/// that ended and `1 − cdf(t)` of those still running (Downey 1997, equations 6 to 8; equation 6 as printed has the two
/// the wrong way round).
pub fn probability(holders: &[Holder], more: Procs, t: f64) -> f64 {
    let held: u64 = holders.iter().map(|holder| u64::from(holder.procs().0)).sum();
    if held < u64::from(more.0) { 0.0 } else { Freed::default().probability(holders, more, t).amount }
}

/// Room for the distribution of processors freed.
#[derive(Debug, Clone, Default)]
pub(super) struct Freed {
    /// For each number of processors below the wanted one, from 0: the probability that exactly that number is freed, and how
    /// fast it grows.
    exactly: Vec<(f64, f64)>,
}

impl Freed {
    /// [`probability`], and how fast it grows.
    pub fn probability(&mut self, holders: &[Holder], more: Procs, t: f64) -> Level {
        let wanted = more.0 as usize;
        self.exactly.clear();
        self.exactly.resize(wanted, (0.0, 0.0));
        let certain = Level { amount: 1.0, slope: 0.0, slack: 0.0 };
        let Some(none) = self.exactly.first_mut() else { return certain };
        *none = (1.0, 0.0);
        // More than those seen so far hold cannot be freed by them.
        let mut held = 0;
        for holder in holders {
            let procs = holder.procs().0 as usize;
            let Survival { amount: survival, fall, .. } = holder.falling(t);
            if procs == 0 || survival == 1.0 && fall == 0.0 {
                continue;
            }
            held = (held + procs).min(wanted - 1);
            for freed in (0..=held).rev() {
                let (stays, growth) = self.exactly[freed];
                let mut both = (stays * survival, growth * survival - stays * fall);
                if freed >= procs {
                    let (ends, growth) = self.exactly[freed - procs];
                    both.0 += ends * (1.0 - survival);
                    both.1 += growth * (1.0 - survival) + ends * fall;
                }
                self.exactly[freed] = both;
            }
        }
        let few = self.exactly.iter().fold((0.0, 0.0), |sum, one| (sum.0 + one.0, sum.1 + one.1));
        Level { amount: 1.0 - few.0, slope: -few.1, slack: 0.0 }
    }
}

/// Minus the logarithm of the probability that none of the benefactors, the jobs that hold all that is wanted, ends within
/// `t` seconds; it grows evenly where hazards do not change.
///
/// # Formula
/// `−ln Pr{F < n'}`, `Pr{F < n'} ≈ Π (1 − cdfᵢ(t))` over `i` with `nᵢ ≥ n'` (equation 9)
pub(super) fn none_ends(holders: &[Holder], more: Procs, t: f64) -> Level {
    let (mut none, mut slope, mut slack) = (1.0, 0.0, 0.0);
    for holder in benefactors(holders, more) {
        let survival = holder.falling(t);
        none *= survival.amount;
        let hazard = survival.fall / survival.amount;
        slope += hazard;
        slack += survival.slack / survival.amount - hazard * hazard;
    }
    Level { amount: -f64::ln(none), slope, slack }
}

/// Jobs that hold all that is wanted.
pub(super) fn benefactors(holders: &[Holder], more: Procs) -> impl Iterator<Item = &Holder> {
    holders.iter().filter(move |holder| holder.procs() >= more)
}

/// How many processors are freed on average within `t` seconds.
///
/// # Formula
/// `Σ nᵢ·cdfᵢ(t)` (equation 10)
pub(super) fn expected(holders: &[Holder], t: f64) -> Level {
    let mut level = Level { amount: 0.0, slope: 0.0, slack: 0.0 };
    for holder in holders {
        let (procs, survival) = (f64::from(holder.procs().0), holder.falling(t));
        level.amount += procs * (1.0 - survival.amount);
        level.slope += procs * survival.fall;
        level.slack += procs * survival.slack;
    }
    level
}

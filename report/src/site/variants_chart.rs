//! The mean wait of each variant of a Slurm site, as bars.

use crate::chart::{Bar, Bars};
use crate::{Best, Cell, Chart};
use queuecast_study::{ComparedVariants, VariantAnswer};

/// A bar for each variant; `None` if there is nothing to compare. The shortest is marked only if as many jobs start in all:
/// a variant in which some never start leaves out their waits.
pub(super) fn chart(of: &ComparedVariants) -> Option<Chart> {
    if of.variants.len() < 2 {
        return None;
    }
    let value = |variant: &VariantAnswer, name: &str| {
        variant.metrics.iter().find(|one| one.name == name).and_then(|one| one.value)
    };
    let bars = of.variants.iter().map(|variant| {
        let wait = value(variant, "mean_wait").map_or(Cell::Missing, Cell::duration);
        Bar::new(&*variant.name, wait)
    });
    let bars = Bars::new("Mean wait from submission to start", bars).on(&*of.source).broken();
    let not_started = |variant: &VariantAnswer| value(variant, "not_started");
    let first = of.variants.first().and_then(not_started);
    let alike = of.variants.iter().all(|variant| not_started(variant) == first);
    Some(Chart::Bars(if alike { bars.best(Best::Lowest) } else { bars }))
}

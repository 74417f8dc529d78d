//! One quantile of numbers that come and go.

/// Numbers on either side of the quantile that are known by their values, about. Of all others only how many lie below is known.
const NEAR: usize = 32;

/// A place among numbers in ascending order, always the same share of the way, and the numbers around it. A number that comes or goes
/// elsewhere costs two comparisons; once the place has left what is known around it, that is found anew from all numbers, which the
/// caller keeps.
#[derive(Debug, Clone, Default)]
pub(super) struct KeptQuantile {
    /// How many numbers there are.
    count: usize,
    /// How many are below `lowest`.
    below: usize,
    /// All numbers from `lowest` to `highest`, ascending, each with how often it occurs.
    near: Vec<(f64, u32)>,
    /// How many these are.
    inside: usize,
    lowest: f64,
    highest: f64,
    value: f64,
}

/// Where the quantile lies: between the number at a place and the next, as far as the fraction says.
fn place(level: f64, count: usize) -> Option<(usize, f64)> {
    let last = count.checked_sub(1)?;
    let at = (level * (count + 1) as f64 - 1.0).clamp(0.0, last as f64);
    Some((at as usize, at.fract()))
}

impl KeptQuantile {
    /// Of these numbers.
    pub fn of(level: f64, all: impl Iterator<Item = f64>) -> KeptQuantile {
        let mut kept = KeptQuantile::default();
        kept.find(level, all);
        kept.value = kept.read(level);
        kept
    }

    /// A number comes, and another goes if there is one. `all` are those that there are then; it is asked where more of them must be
    /// known.
    pub fn change<I: Iterator<Item = f64>>(
        &mut self,
        level: f64,
        comes: f64,
        goes: Option<f64>,
        all: impl FnOnce() -> I,
    ) {
        if let Some(gone) = goes {
            self.remove(gone);
        }
        self.insert(comes);
        let is_known = place(level, self.count).is_none_or(|(at, _)| {
            let next = (at + 1).min(self.count - 1);
            self.below <= at && next < self.below + self.inside
        });
        // Few numbers are all known; with more, finding those around the quantile now makes later changes cheap.
        if !is_known || self.inside > 8 * NEAR && self.near.len() > 4 * NEAR {
            self.find(level, all());
        }
        self.value = self.read(level);
    }

    /// The quantile: linear between numbers, of which there are one less than places. 0 of none.
    pub fn value(&self) -> f64 {
        self.value
    }

    fn read(&self, level: f64) -> f64 {
        let Some((at, share)) = place(level, self.count) else { return 0.0 };
        let mut left = at.saturating_sub(self.below);
        let mut near = self.near.iter();
        for &(number, times) in &mut near {
            if left < times as usize {
                let is_last = left + 1 == times as usize;
                let next = if is_last { near.next().map_or(number, |next| next.0) } else { number };
                return number + (next - number) * share;
            }
            left -= times as usize;
        }
        0.0
    }

    fn insert(&mut self, number: f64) {
        self.count += 1;
        if number < self.lowest {
            self.below += 1;
        } else if number <= self.highest {
            self.inside += 1;
            let at = self.near.partition_point(|&(other, _)| other < number);
            match self.near.get_mut(at).filter(|(other, _)| *other == number) {
                Some((_, times)) => *times += 1,
                None => self.near.insert(at, (number, 1)),
            }
        }
    }

    fn remove(&mut self, number: f64) {
        self.count = self.count.saturating_sub(1);
        if number < self.lowest {
            self.below = self.below.saturating_sub(1);
        } else if number <= self.highest {
            let at = self.near.partition_point(|&(other, _)| other < number);
            if let Some((_, times)) = self.near.get_mut(at).filter(|(other, _)| *other == number) {
                self.inside -= 1;
                *times -= 1;
                if *times == 0 {
                    self.near.remove(at);
                }
            }
        }
    }

    /// Finds the numbers around the quantile.
    fn find(&mut self, level: f64, all: impl Iterator<Item = f64>) {
        let mut all: Vec<f64> = all.collect();
        (self.count, self.below, self.inside) = (all.len(), 0, all.len());
        (self.lowest, self.highest) = (f64::NEG_INFINITY, f64::INFINITY);
        let at = place(level, all.len()).map_or(0, |(at, _)| at);
        let (from, to) = (at.saturating_sub(NEAR), at + 1 + NEAR);
        if to < all.len() {
            self.highest = *all.select_nth_unstable_by(to, f64::total_cmp).1;
        }
        if from > 0 {
            self.lowest = *all.select_nth_unstable_by(from, f64::total_cmp).1;
        }
        // Numbers that are equal to the ends may lie beyond their places.
        let (lowest, highest) = (self.lowest, self.highest);
        self.below = all.iter().filter(|&&number| number < lowest).count();
        all.retain(|number| (lowest..=highest).contains(number));
        self.inside = all.len();
        all.sort_unstable_by(f64::total_cmp);
        self.near.clear();
        let runs = all.chunk_by(|one, other| one == other);
        self.near.extend(runs.map(|run| (run[0], run.len() as u32)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::seed::Seed;
    use rand::RngExt;

    /// By sorting all of them.
    fn plain(level: f64, numbers: &[f64]) -> f64 {
        let Some((at, share)) = place(level, numbers.len()) else { return 0.0 };
        let mut sorted = numbers.to_vec();
        sorted.sort_by(f64::total_cmp);
        let next = sorted[(at + 1).min(sorted.len() - 1)];
        sorted[at] + (next - sorted[at]) * share
    }

    #[test]
    fn it_is_the_quantile_of_a_sorted_list() {
        for (level, kinds, drift) in [(0.02, 9, 0.0), (0.5, 3, 0.0), (0.5, 5_000, 1.0), (0.9, 700, 0.2)] {
            let mut random = Seed(7).stream("numbers");
            let mut numbers: Vec<f64> = Vec::new();
            let mut kept = KeptQuantile::of(level, [].into_iter());
            assert_eq!(kept.value(), 0.0);
            let mut found = 0;
            for step in 0..3_000 {
                // Numbers that rise with time make the quantile leave what is known around it.
                let number = f64::from(random.random_range(0..kinds)) + drift * f64::from(step) - 4.0;
                let goes = (numbers.len() == 600).then(|| numbers.remove(0));
                numbers.push(number);
                kept.change(level, number, goes, || {
                    found += 1;
                    numbers.iter().copied()
                });
                assert_eq!(kept.value(), plain(level, &numbers), "{level} {kinds} {step}");
            }
            // A few different numbers are all known, of many those around the quantile.
            assert!((found > 0) == (kinds > 100) && found < 600, "found anew {found} times");
            assert_eq!(KeptQuantile::of(level, numbers.iter().copied()).value(), kept.value());
        }
    }
}

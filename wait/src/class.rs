//! The six classes of waits of Kumar & Vadhiyar 2014 (Table 2), and which of them a forecast names.

use queuecast_core::distribution::Distribution;

/// How many classes.
pub const CLASSES: usize = 6;

/// The longest wait of each class but the last, in seconds: 1, 3, 6, 12 and 24 hours.
pub const CLASS_ENDS: [f64; CLASSES - 1] = [3_600.0, 10_800.0, 21_600.0, 43_200.0, 86_400.0];

/// The class of a wait, from 0. A wait of exactly an hour is in the first.
pub fn class_of(wait: f64) -> usize {
    // Without a branch: which class it is cannot be guessed.
    CLASS_ENDS.iter().map(|&end| usize::from(end < wait)).sum()
}

/// Where a class begins and ends; the last, which has no end, ends with the longest wait known, but no sooner than twice its
/// beginning.
pub(super) fn ends(class: usize, longest: f64) -> (f64, f64) {
    let from = if class == 0 { 0.0 } else { CLASS_ENDS[class - 1] };
    let to = CLASS_ENDS.get(class).copied().unwrap_or_else(|| longest.max(2.0 * from));
    (from, to)
}

/// How many waits of each class, and their sums.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct ClassWaits {
    counts: [usize; CLASSES],
    sums: [f64; CLASSES],
}

impl ClassWaits {
    /// One more wait.
    pub fn add(&mut self, wait: f64) {
        let class = class_of(wait);
        self.counts[class] += 1;
        self.sums[class] += wait;
    }

    /// One that was added leaves.
    pub fn remove(&mut self, wait: f64) {
        let class = class_of(wait);
        self.counts[class] = self.counts[class].saturating_sub(1);
        self.sums[class] -= wait;
    }

    /// How many waits a class has.
    pub fn count(&self, class: usize) -> usize {
        self.counts.get(class).copied().unwrap_or_default()
    }

    /// The mean wait of a class; `None` where it has none.
    pub fn mean(&self, class: usize) -> Option<f64> {
        let count = self.count(class);
        (count > 0).then(|| self.sums[class] / count as f64)
    }
}

/// The probability of each class.
pub fn probabilities(wait: &Distribution) -> [f64; CLASSES] {
    let mut below = 0.0;
    std::array::from_fn(|class| {
        let upto = CLASS_ENDS.get(class).map_or(1.0, |&end| 1.0 - wait.survival(end));
        let own = (upto - below).max(0.0);
        below = upto;
        own
    })
}

/// The classes that section 3.2 names: that of the point, then two and three of it and its neighbours.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NamedClasses {
    /// That of the predicted wait.
    pub one: usize,
    /// The two most probable of that class and its neighbours; of equal ones the class itself, then the shorter wait.
    pub two: [usize; 2],
    /// First and last of that class and its neighbours.
    pub three: (usize, usize),
}

impl NamedClasses {
    /// By a predicted wait and the probabilities of all classes.
    pub fn of(point: f64, probabilities: &[f64; CLASSES]) -> NamedClasses {
        let one = class_of(point);
        let three = (one.saturating_sub(1), (one + 1).min(CLASSES - 1));
        let mut near = [one, one.wrapping_sub(1), one + 1];
        // Stable, the class itself first; what is no class comes last.
        let probability = |class: usize| probabilities.get(class).copied().unwrap_or(f64::NEG_INFINITY);
        near.sort_by(|&a, &b| probability(b).total_cmp(&probability(a)));
        NamedClasses { one, two: [near[0], near[1]], three }
    }

    /// Whether a class is among the two.
    pub fn names_two(&self, class: usize) -> bool {
        self.two.contains(&class)
    }

    /// Whether a class is among the three.
    pub fn names_three(&self, class: usize) -> bool {
        (self.three.0..=self.three.1).contains(&class)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_end_with_their_last_second() {
        let waits = [0.0, 3600.0, 3601.0, 10_800.0, 21_600.5, 43_201.0, 86_400.0, 86_401.0, 1e9];
        assert_eq!(waits.map(class_of), [0, 0, 1, 1, 3, 4, 4, 5, 5]);
    }

    #[test]
    fn waits_come_and_go_in_their_classes() {
        let mut waits = ClassWaits::default();
        [60.0, 120.0, 7200.0].into_iter().for_each(|wait| waits.add(wait));
        assert_eq!((waits.count(0), waits.mean(0)), (2, Some(90.0)));
        waits.remove(60.0);
        assert_eq!((waits.mean(0), waits.mean(1), waits.mean(5)), (Some(120.0), Some(7200.0), None));
        assert_eq!((waits.count(CLASSES), waits.mean(CLASSES)), (0, None), "there is no such class");
        assert_eq!(
            (ends(0, 1e6), ends(5, 1.0), ends(5, 1e6)),
            ((0.0, 3600.0), (86_400.0, 172_800.0), (86_400.0, 1e6))
        );
    }

    #[test]
    fn probabilities_are_those_of_the_distribution() {
        let waits = [60.0, 3600.0, 7200.0, 90_000.0];
        let observed = Distribution::observed(waits.to_vec().into(), 1.0).unwrap();
        let found = probabilities(&observed);
        assert!((found.iter().sum::<f64>() - 1.0).abs() < 1e-12);
        assert!(found[0] >= 0.49 && found[5] > 0.0 && found[4] == 0.0, "{found:?}");
        assert_eq!(probabilities(&Distribution::point(20_000.0)), [0.0, 0.0, 1.0, 0.0, 0.0, 0.0]);
    }

    #[test]
    fn two_classes_are_the_likeliest_near_the_point() {
        let named = |point: f64, likely: [f64; 6]| NamedClasses::of(point, &likely);
        let middle = named(15_000.0, [0.5, 0.1, 0.05, 0.2, 0.1, 0.05]);
        assert_eq!((middle.one, middle.two, middle.three), (2, [3, 1], (1, 3)));
        assert!(!middle.names_two(2) && middle.names_three(2) && !middle.names_three(0));
        let first = named(0.0, [0.1, 0.0, 0.9, 0.0, 0.0, 0.0]);
        assert_eq!((first.two, first.three), ([0, 1], (0, 1)), "the first class has one neighbour");
        assert_eq!(named(1e6, [0.0; 6]).two, [5, 4], "of equal ones the class itself first");
        assert_eq!(named(15_000.0, [0.0; 6]).two, [2, 1], "then the shorter wait");
    }
}

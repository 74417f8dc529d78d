//! Sorting where speed does not matter, and of times and shares, compiled once.
//!
//! The standard library's sort is compiled anew for every type and comparison, some two thousand lines of intermediate code each time:
//! a seventh of what a first build had to compile. These functions sort places in one compiled sort and then move the values, so that a
//! comparison costs a call. Loops that sort at every event call the standard library.

use std::cmp::Ordering;
use std::collections::BTreeMap;

/// Sorts by a comparison; what compares equal keeps its order, as with [`slice::sort_by`].
pub fn sort_by<T>(values: &mut [T], compare: impl Fn(&T, &T) -> Ordering) {
    let order = sorted_places(values.len(), &|one, other| compare(&values[one], &values[other]));
    arrange(values, order);
}

/// Sorts by a key, ascending; what has equal keys keeps its order, as with [`slice::sort_by_key`].
pub fn sort_by_key<T, K: Ord>(values: &mut [T], key: impl Fn(&T) -> K) {
    sort_by(values, |one, other| key(one).cmp(&key(other)));
}

/// Sorts values ascending.
pub fn sort<T: Ord>(values: &mut [T]) {
    sort_by(values, T::cmp);
}

/// Sorts numbers ascending, in the total order of floating-point numbers; cheap where most are in order already.
pub fn sort_floats(values: &mut [f64]) {
    values.sort_by(f64::total_cmp);
}

/// A map of these pairs, the last one of each key. `collect` would compile a sort of its own for each source of pairs.
pub fn map_of<K: Ord, V>(pairs: impl Iterator<Item = (K, V)>) -> BTreeMap<K, V> {
    let mut map = BTreeMap::new();
    pairs.for_each(|(key, value)| _ = map.insert(key, value));
    map
}

/// The places of `count` values, in the order of their comparison; equal values in the order of their places.
fn sorted_places(count: usize, compare: &dyn Fn(usize, usize) -> Ordering) -> Vec<usize> {
    let mut places: Vec<usize> = (0..count).collect();
    places.sort_by(|&one, &other| compare(one, other));
    places
}

/// Moves to each place the value that `order` names for it.
fn arrange<T>(values: &mut [T], mut order: Vec<usize>) {
    for first in 0..order.len() {
        let mut place = first;
        // A cycle of the permutation: each value is swapped into its place, and its place is marked as settled.
        while order[place] != first && order[place] != place {
            let from = order[place];
            values.swap(place, from);
            order[place] = place;
            place = from;
        }
        order[place] = place;
    }
}

/// Puts a number into an ascending list in place of another that is in it: only what lies between both moves.
pub fn replace(ascending: &mut [f64], gone: f64, comes: f64) {
    let from = ascending.partition_point(|&other| other < gone);
    let to = ascending.partition_point(|&other| other < comes);
    if from < to {
        ascending.copy_within(from + 1..to, from);
        ascending[to - 1] = comes;
    } else if from < ascending.len() {
        ascending.copy_within(to..from, to + 1);
        ascending[to] = comes;
    }
}

#[cfg(test)]
mod tests {
    use std::cmp::Reverse;

    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_order_is_that_of_the_standard_library(values in proptest::collection::vec((0_u8..6, any::<u8>()), 0..60)) {
            let mut expected = values.clone();
            expected.sort_by_key(|one| one.0);
            let mut found = values.clone();
            sort_by_key(&mut found, |one| one.0);
            prop_assert_eq!(&found, &expected);

            expected.sort_by_key(|one| Reverse(one.1));
            sort_by(&mut found, |one, other| other.1.cmp(&one.1));
            prop_assert_eq!(&found, &expected);

            expected.sort();
            sort(&mut found);
            prop_assert_eq!(found, expected);
        }

        #[test]
        fn numbers_are_in_their_total_order(values in proptest::collection::vec(any::<f64>(), 0..60)) {
            let mut expected = values.clone();
            expected.sort_by(f64::total_cmp);
            let mut found = values;
            sort_floats(&mut found);
            prop_assert!(found.iter().zip(&expected).all(|(one, other)| one.to_bits() == other.to_bits()));
        }
    }

    #[test]
    fn replacing_is_removing_and_inserting() {
        let list = [1.0, 2.0, 2.0, 5.0, 7.0];
        for gone in list {
            for comes in [0.0, 1.0, 1.5, 2.0, 3.0, 7.0, 9.0] {
                let mut replaced = list;
                replace(&mut replaced, gone, comes);
                let mut plain = list.to_vec();
                plain.remove(plain.iter().position(|&one| one == gone).unwrap());
                plain.push(comes);
                plain.sort_by(f64::total_cmp);
                assert_eq!(replaced.to_vec(), plain, "{comes} for {gone}");
            }
        }
    }
}

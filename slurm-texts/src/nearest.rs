//! Names that are like a word, for messages about unknown ones.

use queuecast_core::order;

/// The names that are most like a word, the most like first; at most three.
pub(super) fn nearest(word: &str, names: impl Iterator<Item = String>) -> Vec<String> {
    let word = word.to_ascii_lowercase();
    let mut scored: Vec<(usize, String)> = names
        .map(|name| {
            let lower = name.to_ascii_lowercase();
            let within = !word.is_empty() && (lower.contains(&word) || word.contains(&lower));
            let apart = distance(&word, &lower);
            (if within { apart.min(2) } else { apart }, name)
        })
        .filter(|(apart, name)| *apart <= 2 + name.len() / 4)
        .collect();
    order::sort(&mut scored);
    scored.dedup();
    scored.into_iter().take(3).map(|(_, name)| name).collect()
}

/// Letters to put in, take out or replace (Levenshtein 1966).
fn distance(one: &str, other: &str) -> usize {
    let other: Vec<char> = other.chars().collect();
    let mut row: Vec<usize> = (0..=other.len()).collect();
    for (place, letter) in one.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = place + 1;
        for (at, same) in other.iter().map(|there| *there == letter).enumerate() {
            let replaced = diagonal + usize::from(!same);
            diagonal = row[at + 1];
            row[at + 1] = replaced.min(row[at] + 1).min(row[at + 1] + 1);
        }
    }
    row[other.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_names_are_found() {
        let names = || ["KillWait", "PriorityWeightAge", "PriorityWeightQOS"].map(str::to_owned).into_iter();
        assert_eq!(nearest("PriorityWeigthAge", names())[0], "PriorityWeightAge");
        assert_eq!(nearest("killwait", names())[0], "KillWait");
        assert_eq!(nearest("qqqqqqqqqqqqqqqqqqqqqqqq", names()), [""; 0]);
        assert_eq!((distance("", "abc"), distance("abc", "abd"), distance("abc", "ab")), (3, 1, 1));
    }
}

//! Names that are like one that was typed and is not known.

/// Names less like the one wanted are no help.
const ALIKE: f64 = 0.6;

/// The names most like the one wanted, the nearest first: a typo, another case, a missing ending. Empty if none is like it.
pub fn nearest(wanted: &str, names: impl IntoIterator<Item = String>) -> Vec<String> {
    let wanted = wanted.to_lowercase();
    let likeness = |name: &str| {
        let name = name.to_lowercase();
        if name.starts_with(&wanted) { 1.0 } else { strsim::normalized_damerau_levenshtein(&wanted, &name) }
    };
    let scored = names.into_iter().map(|name| (likeness(&name), name));
    let mut alike: Vec<(f64, String)> = scored.filter(|(score, _)| *score >= ALIKE).collect();
    alike.sort_by(|one, other| other.0.total_cmp(&one.0));
    alike.into_iter().map(|(_, name)| name).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_name_comes_first_and_strange_ones_are_left_out() {
        let names = ["hannah", "otto", "anna", "annb"].map(str::to_owned);
        assert_eq!(nearest("Anna", names.clone()), ["anna", "annb", "hannah"]);
        assert_eq!(nearest("strange", names), [""; 0]);
    }
}

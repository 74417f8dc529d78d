//! The order in which Slurm keeps nodes.

use std::cmp::Ordering;

/// Compares names of nodes as Slurm sorts them: runs of digits by their number, everything else letter by letter. Of two
/// equal numbers the one with more leading zeros comes first.
pub fn name_order(one: &str, other: &str) -> Ordering {
    let (mut left, mut right) = (one.as_bytes(), other.as_bytes());
    let mut zeros = Ordering::Equal;
    loop {
        match (left.first(), right.first()) {
            (Some(a), Some(b)) if a.is_ascii_digit() && b.is_ascii_digit() => {
                let (first, rest) = digits(left);
                let (second, other_rest) = digits(right);
                let (plain, other_plain) = (without_zeros(first), without_zeros(second));
                let by_number = plain.len().cmp(&other_plain.len()).then_with(|| plain.cmp(other_plain));
                if by_number != Ordering::Equal {
                    return by_number;
                }
                zeros = zeros.then(second.len().cmp(&first.len()));
                (left, right) = (rest, other_rest);
            }
            (Some(a), Some(b)) if a == b => (left, right) = (&left[1..], &right[1..]),
            (a, b) => return a.cmp(&b).then(zeros),
        }
    }
}

fn digits(text: &[u8]) -> (&[u8], &[u8]) {
    text.split_at(text.iter().position(|byte| !byte.is_ascii_digit()).unwrap_or(text.len()))
}

fn without_zeros(digits: &[u8]) -> &[u8] {
    &digits[digits.iter().position(|&digit| digit != b'0').unwrap_or(digits.len())..]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_count_and_letters_come_in_order() {
        let mut names = ["n10", "n2", "n1", "m3", "b1", "g1", "n02", "n", "n1a", "rack2n1", "rack1n10", "N1"];
        names.sort_by(|one, other| name_order(one, other));
        assert_eq!(
            names,
            ["N1", "b1", "g1", "m3", "n", "n1", "n1a", "n02", "n2", "n10", "rack1n10", "rack2n1"]
        );
    }

    #[test]
    fn it_is_an_order_of_all_names() {
        let names =
            ["", "a", "a0", "a00", "a1", "a01", "a01b", "a1b", "a1b2", "a1b02", "0", "00", "9", "10", "é"];
        for one in names {
            for other in names {
                assert_eq!(name_order(one, other), name_order(other, one).reverse());
                assert_eq!(name_order(one, other) == Ordering::Equal, one == other, "{one} {other}");
                for third in names {
                    if name_order(one, other).is_lt() && name_order(other, third).is_lt() {
                        assert!(name_order(one, third).is_lt(), "{one} {other} {third}");
                    }
                }
            }
        }
    }
}

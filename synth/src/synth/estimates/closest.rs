//! Greedy matching of values by distance (sections 9.2 and 9.4).

/// Matches each of `wanted` values to a distinct one of `others`, closest pairs first, ties by order. `None` where there
/// are too few others.
pub fn pair(wanted: usize, others: usize, distance: impl Fn(usize, usize) -> f64) -> Vec<Option<usize>> {
    let mut places = vec![None; wanted];
    let mut taken = vec![false; others];
    for _ in 0..wanted.min(others) {
        let mut best = None;
        for one in (0..wanted).filter(|&one| places[one].is_none()) {
            for other in (0..others).filter(|&other| !taken[other]) {
                let far = distance(one, other);
                if best.is_none_or(|(closest, _, _)| far < closest) {
                    best = Some((far, one, other));
                }
            }
        }
        let Some((_, one, other)) = best else { break };
        places[one] = Some(other);
        taken[other] = true;
    }
    places
}

#[cfg(test)]
mod tests {
    use super::*;

    fn paired(wanted: &[f64], others: &[f64]) -> Vec<Option<usize>> {
        pair(wanted.len(), others.len(), |one, other| (wanted[one] - others[other]).abs())
    }

    #[test]
    fn the_closest_go_first_whatever_the_order() {
        assert_eq!(paired(&[10.0, 11.0], &[5.0, 11.0, 20.0]), [Some(0), Some(1)]);
        assert_eq!(paired(&[11.0, 10.0], &[5.0, 11.0, 20.0]), [Some(1), Some(0)]);
    }

    #[test]
    fn the_first_of_equals_is_taken_and_too_few_leave_some_without() {
        assert_eq!(paired(&[10.0], &[5.0, 15.0]), [Some(0)]);
        assert_eq!(paired(&[1.0, 2.0, 3.0], &[2.0]), [None, Some(0), None]);
        assert_eq!(paired(&[1.0], &[]), [None]);
    }
}

//! A quantile function given at a few probabilities, linear between them.

/// One point of a quantile function.
pub(super) type Knot = (f64, f64);

/// The time not exceeded with probability `p`: linear between knots, the first and last time outside. Knots are in order, and
/// there is at least one.
pub(super) fn quantile(knots: &[Knot], p: f64) -> f64 {
    let after = knots.partition_point(|knot| knot.0 < p);
    match (after.checked_sub(1).and_then(|before| knots.get(before)), knots.get(after)) {
        (Some(&(from, low)), Some(&(to, high))) => low + (high - low) * ((p - from) / (to - from)),
        (None, Some(&(_, time))) | (Some(&(_, time)), None) => time,
        (None, None) => 0.0,
    }
}

/// The probability that the time is at most `t`, and its density there.
pub(super) fn cdf(knots: &[Knot], t: f64) -> (f64, f64) {
    let after = knots.partition_point(|knot| knot.1 <= t);
    match (after.checked_sub(1).and_then(|before| knots.get(before)), knots.get(after)) {
        (Some(&(from, low)), Some(&(to, high))) => {
            let density = (to - from) / (high - low);
            (from + density * (t - low), density)
        }
        (Some(_), None) => (1.0, 0.0),
        _ => (0.0, 0.0),
    }
}

/// The mean of the time cut at `limit`, among the share above `from` of all.
pub(super) fn mean(knots: &[Knot], from: f64, limit: f64) -> f64 {
    let (Some(&first), Some(&last)) = (knots.first(), knots.last()) else { return 0.0 };
    let ends = [(0.0, first.1)].into_iter().chain(knots.iter().copied()).chain([(1.0, last.1)]);
    let mut before: Option<Knot> = None;
    let mut sum = 0.0;
    for (p, time) in ends {
        if let Some((earlier, low)) = before
            && p > earlier.max(from)
        {
            let start = earlier.max(from);
            let slope = (time - low) / (p - earlier);
            let low = low + slope * (start - earlier);
            sum += cut_area(start, p, low, time, limit);
        }
        before = Some((p, time));
    }
    if from < 1.0 { sum / (1.0 - from) } else { last.1.min(limit) }
}

/// The area under a line from `low` at `start` to `high` at `end`, cut at `limit`.
fn cut_area(start: f64, end: f64, low: f64, high: f64, limit: f64) -> f64 {
    let width = end - start;
    if high <= limit {
        width * (low + high) / 2.0
    } else if low >= limit {
        width * limit
    } else {
        let below = width * (limit - low) / (high - low);
        below * (low + limit) / 2.0 + (width - below) * limit
    }
}

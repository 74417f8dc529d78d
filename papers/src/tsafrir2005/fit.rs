//! Least-squares fits of the paper's functions. Each has one parameter that matters, searched for, and others that
//! follow from it.

/// Coefficients, and how much of the variance they explain.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CurveFit<const N: usize> {
    /// In the order of the formula.
    pub coefficients: [f64; N],
    /// 1 if nothing is left unexplained.
    pub r_squared: f64,
}

/// Enough for ten digits.
const STEPS: u32 = 60;

/// How finely an interval is looked through before the best place is searched around.
const GRID: u32 = 64;

/// The place in an interval where something is least.
fn least(from: f64, to: f64, of: impl Fn(f64) -> f64) -> f64 {
    let at = |step: u32| from + (to - from) * f64::from(step) / f64::from(GRID);
    let best = (0..=GRID).min_by(|&a, &b| of(at(a)).total_cmp(&of(at(b)))).unwrap_or(0);
    let golden = (5.0_f64.sqrt() - 1.0) / 2.0;
    let (mut low, mut high) = (at(best.saturating_sub(1)), at((best + 1).min(GRID)));
    for _ in 0..STEPS {
        let (left, right) = (high - golden * (high - low), low + golden * (high - low));
        if of(left) < of(right) { high = right } else { low = left }
    }
    (low + high) / 2.0
}

fn mean(values: impl Iterator<Item = f64>) -> f64 {
    let (count, sum) = values.fold((0.0, 0.0), |(count, sum), value| (count + 1.0, sum + value));
    sum / count
}

fn r_squared(points: &[(f64, f64)], fitted: impl Fn(f64) -> f64) -> f64 {
    let middle = mean(points.iter().map(|point| point.1));
    let all: f64 = points.iter().map(|(_, y)| (y - middle).powi(2)).sum();
    1.0 - left_over(points, fitted) / all
}

fn left_over(points: &[(f64, f64)], fitted: impl Fn(f64) -> f64) -> f64 {
    points.iter().map(|&(x, y)| (y - fitted(x)).powi(2)).sum()
}

/// The fractional function of section 7.
///
/// # Formula
/// `(a − 1)·x / (a − x)`
pub fn fraction(a: f64, x: f64) -> f64 {
    (a - 1.0) * x / (a - x)
}

/// Its *a*.
pub fn fractional(points: &[(f64, f64)]) -> CurveFit<1> {
    // Searched by the logarithm of a − 1, which may be near 0 and large.
    let log = least(-5.0, 5.0, |log| left_over(points, |x| fraction(1.0 + log.exp(), x)));
    let a = 1.0 + log.exp();
    CurveFit { coefficients: [a], r_squared: r_squared(points, |x| fraction(a, x)) }
}

/// `factor · x ^ exponent`: factor, exponent.
pub fn power(points: &[(f64, f64)], exponents: [f64; 2]) -> CurveFit<2> {
    let factor = |exponent: f64| {
        let part = |(x, y): &(f64, f64)| (y * x.powf(exponent), x.powf(2.0 * exponent));
        let sums = points.iter().map(part).fold((0.0, 0.0), |a, b| (a.0 + b.0, a.1 + b.1));
        sums.0 / sums.1
    };
    let of = |exponent: f64| {
        let factor = factor(exponent);
        move |x: f64| factor * x.powf(exponent)
    };
    let exponent = least(exponents[0], exponents[1], |exponent| left_over(points, of(exponent)));
    CurveFit { coefficients: [factor(exponent), exponent], r_squared: r_squared(points, of(exponent)) }
}

/// `factor · e ^ (decay · x) + addend`: factor, decay, addend.
pub fn exponential(points: &[(f64, f64)]) -> CurveFit<3> {
    let line = |decay: f64| {
        let rise = |x: f64| (decay * x).exp();
        let (across, up) = (mean(points.iter().map(|p| rise(p.0))), mean(points.iter().map(|p| p.1)));
        let both: f64 = points.iter().map(|&(x, y)| (rise(x) - across) * (y - up)).sum();
        let own: f64 = points.iter().map(|&(x, _)| (rise(x) - across).powi(2)).sum();
        (both / own, up - both / own * across)
    };
    let of = |decay: f64| {
        let (factor, addend) = line(decay);
        move |x: f64| factor * (decay * x).exp() + addend
    };
    let decay = least(-2.0, -0.01, |decay| left_over(points, of(decay)));
    let (factor, addend) = line(decay);
    CurveFit { coefficients: [factor, decay, addend], r_squared: r_squared(points, of(decay)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn over(values: impl Iterator<Item = f64>, of: impl Fn(f64) -> f64) -> Vec<(f64, f64)> {
        values.map(|x| (x, of(x))).collect()
    }

    fn close<const N: usize>(fit: &CurveFit<N>, wanted: [f64; N]) {
        for (found, wanted) in fit.coefficients.iter().zip(wanted) {
            assert!((found / wanted - 1.0).abs() < 1e-5, "{found} for {wanted}");
        }
        assert!(fit.r_squared > 0.999_999);
    }

    #[test]
    fn what_a_function_made_is_found_again() {
        let shares = || (1..=50).map(|rank| f64::from(rank) / 50.0);
        for a in [1.02, 1.5, 9.0] {
            close(&fractional(&over(shares(), |x| fraction(a, x))), [a]);
        }
        let ranks = || (1..=30).map(f64::from);
        close(&power(&over(ranks(), |x| 795.6 * x.powf(-2.27)), [-4.0, 0.0]), [795.6, -2.27]);
        close(&power(&over(ranks(), |x| 1.1 * x.sqrt()), [0.0, 2.0]), [1.1, 0.5]);
        let head = over(ranks(), |x| 14.05 * (-0.18 * x).exp() + 0.46);
        close(&exponential(&head), [14.05, -0.18, 0.46]);
    }

    #[test]
    fn noise_is_not_explained() {
        let noise = over((1..=40).map(f64::from), |x| 5.0 + (x * 37.0 % 11.0));
        assert!(exponential(&noise).r_squared < 0.5);
    }
}

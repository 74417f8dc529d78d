//! Quantiles of Student's t distribution, remembered.

use std::sync::OnceLock;

use statrs::distribution::{ContinuousCDF, Normal, StudentsT};

/// How probable it is that a new run time lies within a prediction's interval.
pub const LEVEL: f64 = 0.9;

/// Degrees of freedom up to which quantiles are exact.
const EXACT: u64 = 1000;

/// The `t` that a variable of this number of degrees of freedom stays within, either way, at [`LEVEL`]. Above a thousand
/// degrees it is interpolated towards the normal distribution in their inverse, which is right to six digits.
pub(crate) fn quantile(degrees: u64) -> f64 {
    static TABLE: OnceLock<Vec<f64>> = OnceLock::new();
    let table = TABLE.get_or_init(|| (1..=EXACT).map(exact).chain([normal()]).collect());
    match degrees {
        0 => f64::INFINITY,
        1..=EXACT => table[degrees as usize - 1],
        _ => {
            let (last, normal) = (table[EXACT as usize - 1], table[EXACT as usize]);
            normal + (last - normal) * (EXACT as f64 / degrees as f64)
        }
    }
}

fn exact(degrees: u64) -> f64 {
    let upper = 1.0 - (1.0 - LEVEL) / 2.0;
    // Only a distribution without degrees of freedom, or without width, is refused.
    StudentsT::new(0.0, 1.0, degrees as f64).map_or(f64::INFINITY, |student| student.inverse_cdf(upper))
}

fn normal() -> f64 {
    Normal::standard().inverse_cdf(1.0 - (1.0 - LEVEL) / 2.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_those_of_the_tables() {
        // Two-sided 90 %, as printed in the back of every textbook.
        for (degrees, printed) in [
            (1, 6.314),
            (2, 2.920),
            (3, 2.353),
            (5, 2.015),
            (10, 1.812),
            (30, 1.697),
            (60, 1.671),
            (120, 1.658),
        ] {
            let quantile = quantile(degrees);
            assert!((quantile - printed).abs() < 5.1e-4, "{degrees}: {quantile}");
        }
        assert_eq!(quantile(0), f64::INFINITY);
    }

    #[test]
    fn interpolated_quantiles_agree_with_exact_ones() {
        for degrees in [1001, 1500, 3000, 10_000] {
            let (quick, slow) = (quantile(degrees), exact(degrees));
            assert!((quick - slow).abs() < 2e-6, "{degrees}: {quick} {slow}");
        }
        assert!((quantile(1_000_000) - 1.644_855_15).abs() < 1e-8);
        // Control: the normal quantile alone would not do.
        assert!((normal() - exact(1001)).abs() > 1e-4);
    }
}

//! Features on a common scale, for methods that compare them by plain differences.

use super::features::Features;
use queuecast_core::stats;

/// How many features there are.
pub(super) const FEATURES: usize = 19;

/// The scale of a history: logarithms, since features range over many orders of magnitude, less their mean, in units of their
/// standard deviation.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct FeatureScale {
    means: [f64; FEATURES],
    /// 1 / standard deviation; 0 of a feature that never changed, which then tells nothing.
    units: [f64; FEATURES],
}

/// `ln (1 + x)`, and `−ln (1 − x)` of a number below 0.
fn logarithm(value: f64) -> f64 {
    if value < 0.0 { -(-value).ln_1p() } else { value.ln_1p() }
}

impl FeatureScale {
    /// That of these jobs.
    pub fn of<'a>(history: impl Iterator<Item = &'a Features> + Clone) -> FeatureScale {
        let mut scale = FeatureScale { means: [0.0; FEATURES], units: [0.0; FEATURES] };
        for place in 0..FEATURES {
            let logs: Vec<f64> = history.clone().map(|features| logarithm(features.0[place])).collect();
            let deviation = stats::deviation(&logs);
            scale.means[place] = stats::mean(logs);
            scale.units[place] = if deviation > 1e-12 { 1.0 / deviation } else { 0.0 };
        }
        scale
    }

    /// Features on this scale.
    pub fn apply(&self, features: &Features) -> [f64; FEATURES] {
        std::array::from_fn(|place| (logarithm(features.0[place]) - self.means[place]) * self.units[place])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_history_has_mean_zero_and_deviation_one_on_its_own_scale() {
        let history: Vec<Features> = (0..50)
            .map(|job| {
                let mut features = Features::default();
                features.0[0] = f64::from(job * job);
                features.0[1] = 7.0;
                features
            })
            .collect();
        let scale = FeatureScale::of(history.iter());
        let first: Vec<f64> = history.iter().map(|features| scale.apply(features)[0]).collect();
        assert!(stats::mean(first.iter().copied()).abs() < 1e-9);
        assert!((stats::deviation(&first) - 1.0).abs() < 1e-9);
        assert!(history.iter().all(|features| scale.apply(features)[1] == 0.0), "it never changed");
        assert_eq!(
            [-7.0, 0.0, 7.0].map(logarithm),
            [-(8.0_f64.ln()), 0.0, 8.0_f64.ln()],
            "features below 0 too"
        );
    }
}

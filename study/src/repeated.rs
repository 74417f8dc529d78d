//! A value over many repetitions: their mean, how far they spread, and how well that tells the mean.

use serde::Serialize;

use queuecast_core::number;

/// A value over many repetitions.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct Repeated {
    /// Their mean.
    pub mean: f64,
    /// Their standard deviation.
    pub deviation: f64,
    /// How many.
    pub times: usize,
    /// Half the width of the 95 % confidence interval of the mean, where that was computed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub confidence: Option<f64>,
}

impl Repeated {
    /// Of a sample: its mean, its standard deviation (with n - 1), and the confidence by Student's t. One value tells
    /// nothing of the spread: its deviation is zero, its confidence none. Without any, the mean is not a number.
    pub fn of(values: &[f64]) -> Repeated {
        let times = values.len();
        let mean = values.iter().sum::<f64>() / times as f64;
        if times < 2 {
            return Repeated { mean, times, ..Repeated::default() };
        }
        let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
        let deviation = (squares / (times - 1) as f64).sqrt();
        let confidence = student(times - 1) * deviation / (times as f64).sqrt();
        Repeated { mean, deviation, times, confidence: Some(confidence).filter(|half| half.is_finite()) }
    }

    /// Whether the mean lies outside its own 95 % confidence interval around zero; `None` if that was not computed.
    pub fn is_beyond_scatter(&self) -> Option<bool> {
        Some(self.mean.abs() > self.confidence?)
    }
}

/// Student's t at 0.975, for 1 to 30 degrees of freedom.
const STUDENT: [f64; 30] = [
    12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160, 2.145, 2.131,
    2.120, 2.110, 2.101, 2.093, 2.086, 2.080, 2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042,
];

/// Student's t at 0.975, each from a number of degrees of freedom on, the largest first.
const STUDENT_FROM: [(usize, f64); 9] = [
    (1_001, 1.960),
    (500, 1.965),
    (200, 1.972),
    (120, 1.980),
    (100, 1.984),
    (80, 1.990),
    (60, 2.000),
    (50, 2.009),
    (40, 2.021),
];

/// Student's t at 0.975. Between the entries of the table it is that of the fewer degrees, so no interval is too narrow.
fn student(degrees: usize) -> f64 {
    let many = STUDENT_FROM.into_iter().find(|&(from, _)| degrees >= from).map(|(_, t)| t);
    many.unwrap_or_else(|| STUDENT[degrees.clamp(1, STUDENT.len()) - 1])
}

/// The most seeds: more do not change the means visibly, and take days.
const MOST_SEEDS: u64 = 1_000;

/// Reads a number of seeds, at least two so that there is a deviation.
pub fn read_seeds(text: &str) -> Result<u64, String> {
    let seeds = number::at_least::<2, u64>(text)?;
    if seeds <= MOST_SEEDS { Ok(seeds) } else { Err(format!("must be at most {MOST_SEEDS}")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_those_of_the_tables() {
        let known = [(1, 12.706), (4, 2.776), (19, 2.093), (30, 2.042), (60, 2.0), (120, 1.98)];
        for (degrees, t) in known {
            assert_eq!(student(degrees), t, "{degrees}");
        }
        assert_eq!((student(39), student(99), student(100_000)), (2.042, 1.990, 1.96));
        // Control: more degrees never make it larger.
        assert!((1..2_000).all(|degrees| student(degrees) >= student(degrees + 1)));
    }

    #[test]
    fn a_sample_has_a_mean_a_deviation_and_a_confidence() {
        let five = Repeated::of(&[2.0, 4.0, 4.0, 4.0, 6.0]);
        assert_eq!((five.mean, five.times), (4.0, 5));
        assert!((five.deviation - 2.0_f64.sqrt()).abs() < 1e-12);
        assert!((five.confidence.unwrap() - 2.776 * (2.0_f64 / 5.0).sqrt()).abs() < 1e-12);
        // Twenty values, half of them 1 below and half 1 above ten.
        let twenty: Vec<f64> = (0..20).map(|place| f64::from(9 + 2 * (place % 2))).collect();
        let twenty = Repeated::of(&twenty);
        assert!((twenty.confidence.unwrap() - 2.093 / 19.0_f64.sqrt()).abs() < 1e-12, "{twenty:?}");
    }

    #[test]
    fn too_few_values_have_no_confidence() {
        let one = Repeated { mean: 3.0, times: 1, ..Repeated::default() };
        assert_eq!(Repeated::of(&[3.0]), one);
        let none = Repeated::of(&[]);
        assert!(none.mean.is_nan() && none.times == 0 && none.confidence.is_none());
        assert_eq!(Repeated::of(&[1.0, f64::INFINITY]).confidence, None);
        assert_eq!(Repeated::of(&[5.0, 5.0]).confidence, Some(0.0));
    }

    #[test]
    fn programs_read_a_confidence_only_where_there_is_one() {
        let without = Repeated { mean: 1.0, deviation: 0.5, times: 3, confidence: None };
        let json = serde_json::json!({"mean": 1.0, "deviation": 0.5, "times": 3});
        assert_eq!(serde_json::to_value(without).unwrap(), json);
        let with = Repeated { confidence: Some(0.25), ..without };
        assert_eq!(serde_json::to_value(with).unwrap()["confidence"], 0.25);
    }

    #[test]
    fn one_seed_is_too_few() {
        assert_eq!((read_seeds("2"), read_seeds("1000")), (Ok(2), Ok(1_000)));
        assert_eq!(read_seeds("1"), Err("must be at least 2".to_owned()));
        assert_eq!(read_seeds("1001"), Err("must be at most 1000".to_owned()));
    }
}

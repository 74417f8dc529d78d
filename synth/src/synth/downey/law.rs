//! How a parameter of jobs is distributed: what is written on a command line, in an experiment file, or in a header.

use queuecast_core::order;
use std::fmt;

use serde::{Deserialize, Serialize};
use statrs::function::erf::{erfc, erfc_inv};

use super::UniformLog;
use crate::synth::SynthError;
use crate::synth::error::outside;
use queuecast_core::spec::{Alone, Form, SettingKey, Settings, Spec, SpecError, conversions};

/// A distribution of positive numbers, sampled by inverse transform, so that the same seed under another law gives each
/// job the same quantile.
///
/// Every parameter has bounds, within which a law must lie. A log-normal one has no end: it is cut off at the bounds, and
/// what lies beyond is spread over the rest as if drawn again; its median must lie within.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum Law {
    /// Uniform in the logarithm.
    UniformLog(UniformLog),
    /// Uniform between these two.
    Uniform(f64, f64),
    /// Normal in the logarithm: the median, and the factor `e^σ` by which one standard deviation differs from it.
    LogNormal(f64, f64),
    /// Always this.
    Exactly(f64),
    /// As observed: values, never falling, with an equal share of all between each and the next, where it is uniform in the
    /// logarithm.
    Quantiles(Box<[f64]>),
}

/// Observed values are summed up by this many shares: a hundredth lies between each two quantiles.
const SHARES: usize = 100;

/// Factors of a log-normal law.
const FACTORS: (f64, f64) = (1.001, 1e6);

/// The most quantiles that are read.
const MOST_QUANTILES: usize = 1001;

impl Law {
    /// The law that these values (above 0) show: the least, every hundredth, and the greatest, to six digits. Exactly 1
    /// where there are none.
    pub fn observed(mut values: Vec<f64>) -> Law {
        order::sort_floats(&mut values);
        let Some(last) = values.len().checked_sub(1) else { return Law::Exactly(1.0) };
        let quantile = |share| six_digits(values[(share * last + SHARES / 2) / SHARES]);
        Law::Quantiles((0..=SHARES).map(quantile).collect())
    }

    /// The value that a `share` (0 to 1) of all within the bounds are below.
    pub fn at(&self, share: f64, bounds: (f64, f64)) -> f64 {
        let value = match self {
            Law::UniformLog(law) => law.at(share),
            Law::Uniform(least, most) => least + share * (most - least),
            Law::LogNormal(median, factor) => {
                let (from, to) = cut(*median, *factor, bounds);
                let (from, to) = (below(from), below(to));
                median * (normal(from + share * (to - from)) * factor.ln()).exp()
            }
            Law::Exactly(value) => *value,
            Law::Quantiles(quantiles) => {
                let place = share * pieces(quantiles).len() as f64;
                // The share 1 ends the last of them.
                let piece = pieces(quantiles).nth(place as usize);
                piece.map_or(self.ends().1, |piece| piece.at(place.fract()))
            }
        };
        value.max(bounds.0).min(bounds.1)
    }

    /// The mean of all within the bounds.
    pub fn mean(&self, bounds: (f64, f64)) -> f64 {
        match self {
            Law::UniformLog(law) => law.mean(),
            Law::Uniform(least, most) => (least + most) / 2.0,
            Law::LogNormal(median, factor) => {
                let ((from, to), spread) = (cut(*median, *factor, bounds), factor.ln());
                let kept = below(to) - below(from);
                let moved = below(to - spread) - below(from - spread);
                if kept > 0.0 { median * (spread * spread / 2.0).exp() * moved / kept } else { *median }
            }
            Law::Exactly(value) => *value,
            Law::Quantiles(quantiles) => {
                pieces(quantiles).map(|piece| piece.mean()).sum::<f64>() / pieces(quantiles).len() as f64
            }
        }
    }

    /// The law of a parameter must lie within its bounds; NaN lies nowhere.
    pub(super) fn check(&self, field: &'static str, bounds: (f64, f64)) -> Result<(), SynthError> {
        let (least, most) = self.ends();
        if self.is_possible() && bounds.0 <= least && most <= bounds.1 {
            return Ok(());
        }
        let of = if matches!(self, Law::LogNormal(..)) { "the median " } else { "" };
        let expected = format!("{}, {of}between {} and {}", self.form().0, bounds.0, bounds.1);
        Err(outside(field, self, &expected))
    }

    /// The least and the greatest; of a log-normal law twice the median.
    fn ends(&self) -> (f64, f64) {
        match self {
            Law::UniformLog(UniformLog { least, most }) | Law::Uniform(least, most) => (*least, *most),
            Law::LogNormal(value, _) | Law::Exactly(value) => (*value, *value),
            Law::Quantiles(quantiles) => match quantiles[..] {
                [least, .., most] => (least, most),
                _ => (f64::NAN, f64::NAN),
            },
        }
    }

    /// Whether there is such a law at all.
    fn is_possible(&self) -> bool {
        let (least, most) = self.ends();
        let ordered = least <= most && least.is_finite() && most.is_finite();
        ordered
            && match self {
                Law::Uniform(..) | Law::Exactly(_) => true,
                Law::UniformLog(_) => least > 0.0,
                Law::LogNormal(_, factor) => least > 0.0 && (FACTORS.0..=FACTORS.1).contains(factor),
                Law::Quantiles(quantiles) => {
                    least > 0.0
                        && quantiles.len() <= MOST_QUANTILES
                        && quantiles.windows(2).all(|pair| pair[0] <= pair[1])
                }
            }
    }

    /// What it consists of, in words, and an example.
    fn form(&self) -> (&'static str, &'static str) {
        match self {
            Law::UniformLog(_) => ("two numbers above 0, the least first", "uniform-log:7.4,162755"),
            Law::Uniform(..) => ("two numbers, the least first", "uniform:0,2"),
            Law::LogNormal(..) => ("a median above 0 and a factor from 1.001 to 1000000", "log-normal:600,8"),
            Law::Exactly(_) => ("one number", "exactly:3600"),
            Law::Quantiles(_) => ("2 to 1001 numbers above 0 that never fall", "quantiles:1,60,600,86400"),
        }
    }
}

/// The stretches between quantiles.
fn pieces(quantiles: &[f64]) -> impl ExactSizeIterator<Item = UniformLog> + '_ {
    quantiles.windows(2).map(|pair| UniformLog { least: pair[0], most: pair[1] })
}

/// The bounds in standard deviations from the median.
fn cut(median: f64, factor: f64, (least, most): (f64, f64)) -> (f64, f64) {
    ((least / median).ln() / factor.ln(), (most / median).ln() / factor.ln())
}

/// The share of a standard normal distribution that is below this.
fn below(deviations: f64) -> f64 {
    erfc(-deviations / std::f64::consts::SQRT_2) / 2.0
}

/// The value that this share of a standard normal distribution is below.
fn normal(share: f64) -> f64 {
    -std::f64::consts::SQRT_2 * erfc_inv(2.0 * share)
}

/// Rounded, so that a law that is written down is not longer than what is known.
fn six_digits(value: f64) -> f64 {
    format!("{value:.5e}").parse().unwrap_or(value)
}

impl From<UniformLog> for Law {
    fn from(law: UniformLog) -> Law {
        Law::UniformLog(law)
    }
}

impl fmt::Display for Law {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Law::UniformLog(UniformLog { least, most }) => write!(f, "uniform-log:{least},{most}"),
            Law::Uniform(least, most) => write!(f, "uniform:{least},{most}"),
            Law::LogNormal(median, factor) => write!(f, "log-normal:{median},{factor}"),
            Law::Exactly(value) => write!(f, "exactly:{value}"),
            Law::Quantiles(quantiles) => {
                let listed: Vec<String> = quantiles.iter().map(f64::to_string).collect();
                write!(f, "quantiles:{}", listed.join(","))
            }
        }
    }
}

impl Spec for Law {
    const KIND: &'static str = "distribution";

    fn forms() -> Vec<Form> {
        const VALUES: &[SettingKey] = &[SettingKey::new("value", "NUMBER").alone(Alone::All)];
        const FORMS: &[Form] = &[
            Form::new("uniform-log", "uniform in the logarithm").with(
                ":LEAST,MOST",
                VALUES,
                "uniform-log:7.4,162755",
            ),
            Form::new("uniform", "uniform").with(":LEAST,MOST", VALUES, "uniform:0,2"),
            Form::new("log-normal", "normal in the logarithm; FACTOR is one standard deviation").with(
                ":MEDIAN,FACTOR",
                VALUES,
                "log-normal:600,8",
            ),
            Form::new("exactly", "always the same").with(":VALUE", VALUES, "exactly:3600"),
            Form::new("quantiles", "equal shares between each value and the next").with(
                ":LEAST,…,MOST",
                VALUES,
                "quantiles:1,60,600,86400",
            ),
        ];
        FORMS.to_vec()
    }

    fn from_settings(settings: &Settings<'_>) -> Result<Law, SpecError> {
        let numbers: Option<Vec<f64>> =
            settings.values("value").map(|value| value.text().parse().ok()).collect();
        let numbers = numbers.unwrap_or_default();
        // A missing number is NaN, which no law accepts.
        let [first, second] = [0, 1].map(|place| numbers.get(place).copied().unwrap_or(f64::NAN));
        let (law, wanted) = match settings.name() {
            "uniform-log" => (Law::UniformLog(UniformLog { least: first, most: second }), 2),
            "uniform" => (Law::Uniform(first, second), 2),
            "log-normal" => (Law::LogNormal(first, second), 2),
            "exactly" => (Law::Exactly(first), 1),
            "quantiles" => (Law::Quantiles(numbers.clone().into()), numbers.len()),
            _ => return Err(settings.unread()),
        };
        if numbers.len() == wanted && law.is_possible() {
            return Ok(law);
        }
        let (form, example) = law.form();
        Err(settings.wrong(format!("give {form}, as in {example}")))
    }
}

conversions!(Law);

#[cfg(test)]
mod tests {
    use super::*;

    const BOUNDS: (f64, f64) = (1.0, 1e12);

    fn law(text: &str) -> Law {
        text.parse().unwrap_or_else(|error| panic!("{error}"))
    }

    /// The greatest distance between the shares of drawn values and what they should be.
    fn distance(law: &Law, bounds: (f64, f64), should: impl Fn(f64) -> f64) -> f64 {
        use rand::RngExt;
        let mut rng = queuecast_core::seed::Seed(1).stream("law");
        let mut drawn: Vec<f64> = (0..20_000).map(|_| law.at(rng.random_range(0.0..1.0), bounds)).collect();
        drawn.sort_by(f64::total_cmp);
        let all = drawn.len() as f64;
        let gap = |(place, value): (usize, &f64)| {
            let (before, after) = (place as f64 / all, (place + 1) as f64 / all);
            (should(*value) - before).abs().max((should(*value) - after).abs())
        };
        drawn.iter().enumerate().map(gap).fold(0.0, f64::max)
    }

    /// The share of a standard normal distribution between two values, by the midpoint rule.
    fn bell(from: f64, to: f64) -> f64 {
        let (from, to) = (from.max(-9.0), to.min(9.0));
        let step = (to - from) / 400.0;
        let height = |place: usize| (-(from + (place as f64 + 0.5) * step).powi(2) / 2.0).exp();
        (0..400).map(height).sum::<f64>() * step / (2.0 * std::f64::consts::PI).sqrt()
    }

    #[test]
    fn specs_are_read_as_written() {
        for text in [
            "uniform-log:7.38905609893065,162754.79141900392",
            "uniform:0,2",
            "log-normal:600,8",
            "exactly:3600",
            "quantiles:1,1,60,86400.5",
        ] {
            assert_eq!(law(text).to_string(), text);
            let json = serde_json::to_string(&law(text)).unwrap();
            assert_eq!(serde_json::from_str::<Law>(&json).unwrap(), law(text));
        }
    }

    #[test]
    fn wrong_specs_say_what_is_possible() {
        for (text, expected) in [
            (
                "",
                "known are uniform-log:LEAST,MOST, uniform:LEAST,MOST, log-normal:MEDIAN,FACTOR, exactly:VALUE",
            ),
            ("gamma:1,2", "no such distribution"),
            ("uniform-log", "as in uniform-log:7.4,162755"),
            ("uniform-log:0,5", "above 0"),
            ("uniform-log:9,8", "the least first"),
            ("uniform-log:1,2,3", "two numbers"),
            ("uniform:2", "two numbers"),
            ("uniform:2,1", "the least first"),
            ("uniform:NaN,1", "as in uniform:0,2"),
            ("uniform:0,inf", "two numbers"),
            ("log-normal:600", "a factor from 1.001"),
            ("log-normal:600,1", "a factor from 1.001"),
            ("log-normal:-1,2", "a median above 0"),
            ("exactly:", "one number"),
            ("exactly:1,2", "one number"),
            ("quantiles:1", "2 to 1001"),
            ("quantiles:1,3,2", "never fall"),
            ("quantiles:1,NaN,2", "never fall"),
        ] {
            let error = text.parse::<Law>().expect_err(text).to_string();
            assert!(error.contains(expected) && !error.contains('\n'), "{text}: {error}");
        }
    }

    #[test]
    fn shares_are_those_of_the_textbook() {
        // At 1 %, 20,000 draws are within 0.0115 (Kolmogorov).
        let near = |text: &str, bounds, should: &dyn Fn(f64) -> f64| {
            let apart = distance(&law(text), bounds, should);
            assert!(apart < 0.0115, "{text}: {apart}");
        };
        near("uniform-log:2,2048", BOUNDS, &|x| (x / 2.0).log2() / 10.0);
        near("uniform:3,13", BOUNDS, &|x| (x - 3.0) / 10.0);
        let normal = |x: f64| bell(f64::NEG_INFINITY, (x / 600.0).ln() / 2.0);
        near("log-normal:600,7.38905609893065", BOUNDS, &normal);
        // Cut off, what is left has all.
        let (from, to) = ((100f64 / 600.0).ln() / 2.0, (5000f64 / 600.0).ln() / 2.0);
        let cut = |x: f64| bell(from, (x / 600.0).ln() / 2.0) / bell(from, to);
        near("log-normal:600,7.38905609893065", (100.0, 5000.0), &cut);
        near("quantiles:1,10,1000", BOUNDS, &|x| {
            if x < 10.0 { x.log10() / 2.0 } else { 0.5 + (x / 10.0).log10() / 4.0 }
        });
        // Control: neither are others within it, nor the same without being cut off.
        assert!(distance(&law("uniform:3,13"), BOUNDS, |x| (x / 3.0).ln() / (13f64 / 3.0).ln()) > 0.1);
        assert!(distance(&law("log-normal:600,7.38905609893065"), (100.0, 5000.0), normal) > 0.1);
        assert!(distance(&law("log-normal:660,7.38905609893065"), BOUNDS, normal) > 0.0115);
    }

    #[test]
    fn means_are_those_of_evenly_spread_shares() {
        for (text, bounds) in [
            ("uniform-log:7.4,162755", BOUNDS),
            ("uniform:0,2", (0.0, 1000.0)),
            ("log-normal:600,1.001", BOUNDS),
            ("log-normal:600,8", BOUNDS),
            ("log-normal:600,8", (600.0, 7000.0)),
            ("log-normal:1,1000000", BOUNDS),
            ("log-normal:1,2", (0.0, 1000.0)),
            ("log-normal:64,3", (1.0, 64.0)),
            ("log-normal:1,3", (1.0, 1.0)),
            ("exactly:3600", BOUNDS),
            ("quantiles:1,1,60,86400.5", BOUNDS),
        ] {
            let law = law(text);
            let slices = 1_000_000;
            let share = |slice: i32| (f64::from(slice) + 0.5) / f64::from(slices);
            let mean = (0..slices).map(|slice| law.at(share(slice), bounds)).sum::<f64>() / f64::from(slices);
            assert!((law.mean(bounds) / mean).ln().abs() < 0.002, "{text}: {} and {mean}", law.mean(bounds));
        }
        // By hand: 600 · e^(ln² 8 / 2), where the bounds cut off next to nothing.
        let by_hand = 600.0 * (8f64.ln().powi(2) / 2.0).exp();
        assert!((law("log-normal:600,8").mean((1e-9, 1e12)) / by_hand - 1.0).abs() < 1e-6);
        assert!((law("log-normal:600,8").mean((1.0, 7000.0)) / by_hand - 1.0).abs() > 0.5, "control");
    }

    #[test]
    fn values_never_fall_with_the_share_and_stay_within_bounds() {
        for text in
            ["uniform-log:2,50", "uniform:2,50", "log-normal:9,100", "exactly:9", "quantiles:2,3,3,50"]
        {
            let values: Vec<f64> =
                (0..=1000).map(|share| law(text).at(f64::from(share) / 1000.0, (2.0, 50.0))).collect();
            assert!(values.windows(2).all(|pair| pair[0] <= pair[1]), "{text}");
            assert!(values[0] >= 2.0 && values[1000] <= 50.0, "{text}");
        }
    }

    #[test]
    fn what_was_observed_is_drawn_again() {
        let values: Vec<f64> =
            (0..5000).map(|at| [1.0, 1.0, 4.0, 64.0, 100.0 + f64::from(at)][at as usize % 5]).collect();
        let law = Law::observed(values.clone());
        let share = |most: f64| values.iter().filter(|value| **value <= most).count() as f64 / 5000.0;
        // A hundredth may lie between two quantiles; the rest is chance.
        for edge in [1.0, 4.0, 64.0, 1000.0, 4000.0] {
            let below = (0..10_000).filter(|&at| law.at(f64::from(at) / 1e4, BOUNDS) <= edge + 1e-9).count();
            assert!((below as f64 / 1e4 - share(edge)).abs() < 0.0125, "{edge}: {below}");
        }
        assert_eq!(law.to_string().parse::<Law>().unwrap(), law);
        assert_eq!(Law::observed(vec![123_456.789]).at(0.3, BOUNDS), 123_457.0);
        assert_eq!(Law::observed(vec![]), Law::Exactly(1.0));
    }
}

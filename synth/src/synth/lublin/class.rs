//! The parameters of one class of jobs (batch, interactive, or of no type), with the values published.

use serde::{Deserialize, Serialize};

use crate::synth::SynthError;
use crate::synth::error::within;

/// A gamma distribution: mean `shape · scale`, variance `shape · scale²`.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GammaLaw {
    /// The shape, the authors' α; above 0, at most 100,000.
    pub shape: f64,
    /// The scale, the authors' β; above 0, at most 1000.
    pub scale: f64,
}

/// The distribution of sizes.
///
/// A job is serial with probability `serial`. Any other draws the log2 of its size from a two-stage uniform
/// distribution: between `low` and `medium` with probability `lower`, else between `medium` and `high`. With probability
/// `power_of_two` (of all jobs) that exponent is rounded, else the size is.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LublinSizes {
    /// The probability that a job is serial; 0 to 1.
    pub serial: f64,
    /// The probability that a job is parallel and its size a rounded power of two; 0 to 1 − `serial`.
    pub power_of_two: f64,
    /// The least exponent of a parallel job; 0 to `medium`.
    pub low: f64,
    /// Where the two stages meet; `low` to `high`.
    pub medium: f64,
    /// The greatest exponent; at most the log2 of the machine.
    pub high: f64,
    /// The probability of the lower stage; 0 to 1.
    pub lower: f64,
}

/// The distribution of run times: the natural log of the seconds is of the first gamma with probability
/// `p = slope · size + intercept`, kept within 0 and 1, else of the second.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LublinRuns {
    /// The gamma of the shorter jobs.
    pub short: GammaLaw,
    /// The gamma of the longer jobs.
    pub long: GammaLaw,
    /// How the probability of the first gamma changes with every processor, the authors' p_a; −1 to 1.
    pub slope: f64,
    /// That probability at size 0, the authors' p_b; −10 to 10.
    pub intercept: f64,
    /// The log of the longest run time; what is longer is drawn again. 0 to 20; the authors' 12 is 45 hours.
    pub longest: f64,
}

/// The arrival process. At a constant rate, the natural log of the seconds between two arrivals is drawn from the gamma
/// `gap` (its shape times `rush`). The rate varies over the day: each half-hour has the weight of the gamma `day` on it.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LublinArrivals {
    /// The log of the gaps at rush hours.
    pub gap: GammaLaw,
    /// Turns the gaps of rush hours into those of all hours: multiplies the shape of `gap`; 0.1 to 10.
    pub rush: f64,
    /// Arrivals over the half-hours of the day, which begins at half-hour 11 and ends at half-hour 59.
    pub day: GammaLaw,
    /// By how many half-hours the clock of `day` is ahead of the workload's; 0 to 47. The authors' program has 2: its
    /// day begins at 04:30.
    pub ahead: u32,
    /// The log of the longest gap; what is longer is drawn again. 0 to 20; the authors' 13 is 5 days.
    pub longest: f64,
}

/// The parameters of one class of jobs.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LublinClass {
    /// How many processors they use.
    pub sizes: LublinSizes,
    /// How long they run.
    pub runs: LublinRuns,
    /// When they arrive.
    pub arrivals: LublinArrivals,
}

/// The machine of the published sizes: 2^7 processors.
const PUBLISHED_FOR: f64 = 7.0;

const fn gamma(shape: f64, scale: f64) -> GammaLaw {
    GammaLaw { shape, scale }
}

impl LublinClass {
    /// Batch jobs, as published, for a machine of this size.
    pub fn batch(procs: u32) -> LublinClass {
        LublinClass {
            sizes: LublinSizes {
                serial: 0.2927,
                power_of_two: 0.6686,
                low: 1.2,
                medium: 5.0,
                high: 7.0,
                lower: 0.875,
            }
            .on(procs),
            runs: LublinRuns {
                short: gamma(6.57, 0.823),
                long: gamma(639.1, 0.0156),
                slope: -0.003,
                intercept: 0.6986,
                longest: 12.0,
            },
            arrivals: LublinArrivals {
                gap: gamma(6.0415, 0.8531),
                rush: 1.0519,
                day: gamma(6.1271, 5.2740),
                ahead: 2,
                longest: 13.0,
            },
        }
    }

    /// Interactive jobs, as published, for a machine of this size.
    pub fn interactive(procs: u32) -> LublinClass {
        LublinClass {
            sizes: LublinSizes {
                serial: 0.1541,
                power_of_two: 0.625,
                low: 1.0,
                medium: 3.0,
                high: 5.5,
                lower: 0.705,
            }
            .on(procs),
            runs: LublinRuns {
                short: gamma(3.8351, 0.6605),
                long: gamma(7.073, 0.6856),
                slope: -0.0118,
                intercept: 0.9156,
                longest: 12.0,
            },
            arrivals: LublinArrivals {
                gap: gamma(6.5510, 0.6621),
                rush: 0.9797,
                day: gamma(8.9186, 3.6680),
                ahead: 2,
                longest: 13.0,
            },
        }
    }

    /// Jobs of no type, as published, for a machine of this size.
    pub fn untyped(procs: u32) -> LublinClass {
        LublinClass {
            sizes: LublinSizes {
                serial: 0.244,
                power_of_two: 0.576,
                low: 0.8,
                medium: 4.5,
                high: 7.0,
                lower: 0.86,
            }
            .on(procs),
            runs: LublinRuns {
                short: gamma(4.2, 0.94),
                long: gamma(312.0, 0.03),
                slope: -0.0054,
                intercept: 0.78,
                longest: 12.0,
            },
            arrivals: LublinArrivals {
                gap: gamma(10.2303, 0.4871),
                rush: 1.0225,
                day: gamma(8.1737, 3.9631),
                ahead: 2,
                longest: 13.0,
            },
        }
    }

    pub(super) fn check(&self, procs: u32) -> Result<(), SynthError> {
        let (sizes, runs, arrivals) = (&self.sizes, &self.runs, &self.arrivals);
        within("sizes.serial", sizes.serial, 0.0, 1.0)?;
        within("sizes.power_of_two", sizes.power_of_two, 0.0, 1.0 - sizes.serial)?;
        // The log of a machine may be off in its last bit.
        within("sizes.high", sizes.high, 0.0, f64::from(procs).log2() + 1e-9)?;
        within("sizes.medium", sizes.medium, 0.0, sizes.high)?;
        within("sizes.low", sizes.low, 0.0, sizes.medium)?;
        within("sizes.lower", sizes.lower, 0.0, 1.0)?;
        runs.short.check(["runs.short.shape", "runs.short.scale"])?;
        runs.long.check(["runs.long.shape", "runs.long.scale"])?;
        within("runs.slope", runs.slope, -1.0, 1.0)?;
        within("runs.intercept", runs.intercept, -10.0, 10.0)?;
        within("runs.longest", runs.longest, 0.0, 20.0)?;
        arrivals.gap.check(["arrivals.gap.shape", "arrivals.gap.scale"])?;
        arrivals.day.check(["arrivals.day.shape", "arrivals.day.scale"])?;
        within("arrivals.rush", arrivals.rush, 0.1, 10.0)?;
        within("arrivals.ahead", arrivals.ahead, 0, 47)?;
        within("arrivals.longest", arrivals.longest, 0.0, 20.0)
    }
}

impl GammaLaw {
    fn check(&self, [shape, scale]: [&'static str; 2]) -> Result<(), SynthError> {
        within(shape, self.shape, 1e-6, 100_000.0)?;
        within(scale, self.scale, 1e-6, 1000.0)
    }

    /// The mean.
    pub fn mean(&self) -> f64 {
        self.shape * self.scale
    }
}

impl LublinSizes {
    /// These sizes for another machine than one of 128 processors: `high` and `medium` move with its log2, within the
    /// machine.
    fn on(self, procs: u32) -> LublinSizes {
        let largest = f64::from(procs.max(1)).log2();
        let moved = largest - PUBLISHED_FOR;
        let low = self.low.min(largest);
        let high = (self.high + moved).clamp(low, largest);
        LublinSizes { low, medium: (self.medium + moved).clamp(low, high), high, ..self }
    }
}

//! Fitting arrivals: the day from the counts of its half-hours, then the gaps as they would be if all hours were alike.

use super::{ObservedJob, likeliest, log, unsuitable};
use crate::synth::SynthError;
use crate::synth::lublin::arrivals::{BUCKETS, DAWN, Day, weights};
use crate::synth::lublin::{GammaLaw, LublinArrivals};

/// A clock is taken to be the published one if no other makes the counts likelier by this much, per job.
const PUBLISHED: (u32, f64) = (2, 0.002);

/// The arrivals under which those of these jobs are likeliest over the day, and whose gaps have the same mean and the
/// same mean log as theirs: the rate of arrivals is that of the jobs.
pub(super) fn fit(seen: &[ObservedJob]) -> Result<LublinArrivals, SynthError> {
    let (first, last) = (seen.first().map_or(0, |job| job.at), seen.last().map_or(0, |job| job.at));
    if last - first < 2 * 86_400 {
        return Err(unsuitable(
            "the jobs arrive within less than two days: too few to learn their hours from",
        ));
    }
    let mut counts = [0.0; BUCKETS];
    for job in seen {
        counts[(job.at.rem_euclid(86_400) / 1800) as usize] += 1.0;
    }
    let (day, ahead) = day(&counts);
    let clock = Day::new(weights(day, ahead));
    let passed: Vec<i64> = seen.iter().map(|job| clock.passed(job.at)).collect();
    let gaps: Vec<f64> = passed.windows(2).map(|pair| (pair[1] - pair[0]) as f64 / 1000.0).collect();
    let number = gaps.len().max(1) as f64;
    let mean = gaps.iter().sum::<f64>() / number;
    let log_mean = gaps.iter().map(|&gap| log(gap)).sum::<f64>() / number;
    let longest = gaps.iter().copied().fold(0.0, f64::max);
    let longest = (log(longest) + 1e-6).clamp(1.0, 20.0);
    Ok(LublinArrivals { gap: gap(mean.max(1.0).ln(), log_mean, longest), rush: 1.0, day, ahead, longest })
}

/// The likeliest gamma over the half-hours of the day, and by how many its clock is ahead.
fn day(counts: &[f64; BUCKETS]) -> (GammaLaw, u32) {
    let jobs = counts.iter().sum::<f64>().max(1.0);
    let rough = |ahead: u32| {
        let (mut mean, mut log_mean) = (0.0, 0.0);
        for bucket in DAWN..DAWN + BUCKETS as u32 {
            let middle = f64::from(bucket) + 0.5;
            let share = counts[(bucket as usize + BUCKETS - ahead as usize) % BUCKETS] / jobs;
            mean += share * middle;
            log_mean += share * middle.ln();
        }
        likeliest(mean, log_mean)
    };
    let likelihood = |day: GammaLaw, ahead: u32| {
        let weights = weights(day, ahead);
        counts.iter().zip(weights).map(|(count, weight)| count * weight.max(1e-12).ln()).sum::<f64>() / jobs
    };
    let refined = |ahead: u32| {
        let mut best = rough(ahead);
        let mut reached = likelihood(best, ahead);
        let mut step = 1.1;
        while step > 1.001 {
            let GammaLaw { shape, scale } = best;
            // Along the shape at one mean, and along the mean at one shape.
            let tries = [step, 1.0 / step].map(|by| {
                let sharper = GammaLaw { shape: shape * by, scale: scale / by };
                [sharper, GammaLaw { shape, scale: scale * by }]
            });
            let before = reached;
            for law in tries.concat() {
                let here = likelihood(law, ahead);
                let sound = (0.5..=1000.0).contains(&law.shape) && (0.01..=500.0).contains(&law.scale);
                if sound && here > reached {
                    (best, reached) = (law, here);
                }
            }
            if reached <= before {
                step = step.sqrt();
            }
        }
        (best, reached)
    };
    let rated = (0..BUCKETS as u32).map(|ahead| (likelihood(rough(ahead), ahead), ahead));
    let (_, found) =
        rated.fold((f64::NEG_INFINITY, 0), |best, next| if next.0 > best.0 { next } else { best });
    let (ahead, enough) = PUBLISHED;
    let (published, searched) = (refined(ahead), refined(found));
    if published.1 + enough >= searched.1 { (published.0, ahead) } else { (searched.0, found) }
}

/// The gamma, cut off at `longest`, whose mean is `log_mean` and the mean of whose exponential has the log `mean_log`.
///
/// # Formula
/// for each scale `b` the shape `a` with `E[G | G ≤ longest] = log_mean`; of these the `b` with
/// `ln E[exp G | G ≤ longest] = mean_log`
fn gap(mean_log: f64, log_mean: f64, longest: f64) -> GammaLaw {
    let shaped = |scale: f64| {
        let (mut low, mut high) = (1e-2, 1.0f64.max(4.0 * log_mean / scale));
        for _ in 0..40 {
            let middle = f64::sqrt(low * high);
            let law = GammaLaw { shape: middle, scale };
            if cut_moments(law, longest).0 < log_mean { low = middle } else { high = middle }
        }
        GammaLaw { shape: f64::sqrt(low * high), scale }
    };
    // The wider the gamma at one mean, the greater the mean of its exponential.
    let (mut low, mut high) = (1e-3, 4.0);
    for _ in 0..30 {
        let middle = f64::sqrt(low * high);
        if cut_moments(shaped(middle), longest).1 < mean_log { low = middle } else { high = middle }
    }
    shaped(f64::sqrt(low * high))
}

/// Points of the quadrature.
const POINTS: usize = 600;

/// The mean of a gamma cut off at `longest`, and the log of the mean of its exponential.
fn cut_moments(law: GammaLaw, longest: f64) -> (f64, f64) {
    let density = |x: f64| (law.shape - 1.0) * x.ln() - x / law.scale;
    let points = || (0..POINTS).map(|point| (point as f64 + 0.5) * longest / POINTS as f64);
    let (top, grown) = points().fold((f64::NEG_INFINITY, f64::NEG_INFINITY), |(top, grown), x| {
        (top.max(density(x)), grown.max(density(x) + x))
    });
    let (mut mass, mut mean, mut exponential) = (0.0, 0.0, 0.0);
    for x in points() {
        let here = (density(x) - top).exp();
        mass += here;
        mean += here * x;
        exponential += (density(x) + x - grown).exp();
    }
    (mean / mass, grown - top + (exponential / mass).ln())
}

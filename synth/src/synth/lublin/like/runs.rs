//! Fitting run times: two gammas of the log by expectation–maximisation, how they mix by regression on the size.

use std::collections::BTreeMap;

use statrs::function::gamma::ln_gamma;

use super::{ObservedJob, likeliest, log};
use crate::synth::lublin::{GammaLaw, LublinRuns};

/// Jobs of similar size and run time.
#[derive(Debug, Clone, Copy, Default)]
struct Bin {
    jobs: f64,
    /// Sums over the jobs.
    procs: f64,
    log: f64,
    log_log: f64,
}

impl Bin {
    fn size(&self) -> f64 {
        self.procs / self.jobs
    }
}

/// Width of a bin in log run time.
const WIDTH: f64 = 0.05;

const ROUNDS: usize = 250;

/// The gammas and their mixing that are likeliest for these jobs, from three starts. The longest run time is the longest
/// seen.
pub(super) fn fit(seen: &[ObservedJob]) -> LublinRuns {
    let mut cells: BTreeMap<(i64, i64), Bin> = BTreeMap::new();
    for job in seen {
        let log = log(job.run as f64);
        // Sizes up to 8 are told apart, larger ones by eighths of their log2.
        let size =
            if job.procs <= 8 { i64::from(job.procs) } else { (f64::from(job.procs).log2() * 8.0) as i64 };
        let cell = cells.entry(((log / WIDTH) as i64, size)).or_default();
        cell.jobs += 1.0;
        cell.procs += f64::from(job.procs);
        cell.log += log;
        cell.log_log += log.ln();
    }
    let cells: Vec<Bin> = cells.into_values().collect();
    let longest = seen.iter().map(|job| job.run).max().unwrap_or_default();
    let starts = [0.4, 0.6, 0.8].map(|share| climb(&cells, seen.len() as f64 * share));
    let [one, two, three] = starts;
    let best = [two, three].into_iter().fold(one, |best, next| if next.0 > best.0 { next } else { best });
    // A hair above, lest the longest itself be drawn again.
    LublinRuns { longest: (log(longest as f64) + 1e-6).clamp(1.0, 20.0), ..best.1 }
}

/// Expectation–maximisation from a split after the `split` shortest jobs: the log likelihood and where it was reached.
fn climb(cells: &[Bin], split: f64) -> (f64, LublinRuns) {
    let mut passed = 0.0;
    let mut short: Vec<f64> = Vec::with_capacity(cells.len());
    for cell in cells {
        short.push(if passed < split { 0.9 } else { 0.1 });
        passed += cell.jobs;
    }
    let mut law = maximised(cells, &short);
    let mut likelihood = f64::NEG_INFINITY;
    for _ in 0..ROUNDS {
        let (densities, before) = ([law.short, law.long].map(GammaDensity::new), likelihood);
        likelihood = 0.0;
        for (cell, short) in cells.iter().zip(&mut short) {
            let mixing = (law.slope * cell.size() + law.intercept).clamp(1e-6, 1.0 - 1e-6);
            let [first, second] = densities.map(|density| density.at(cell));
            let (first, second) = (mixing * first, (1.0 - mixing) * second);
            let sum = (first + second).max(f64::MIN_POSITIVE);
            *short = first / sum;
            likelihood += cell.jobs * sum.ln();
        }
        law = maximised(cells, &short);
        if (likelihood - before).abs() < 1e-7 * likelihood.abs() {
            break;
        }
    }
    if law.short.mean() > law.long.mean() {
        // The first gamma is that of the shorter jobs, whichever was found first.
        law = LublinRuns {
            short: law.long,
            long: law.short,
            slope: -law.slope,
            intercept: 1.0 - law.intercept,
            ..law
        };
    }
    (likelihood, law)
}

/// The law under which cells, each of them with this probability to be of the first gamma, are likeliest.
fn maximised(cells: &[Bin], short: &[f64]) -> LublinRuns {
    let gamma = |weight: &dyn Fn(f64) -> f64| {
        let (mut jobs, mut log, mut log_log) = (0.0, 0.0, 0.0);
        for (cell, &short) in cells.iter().zip(short) {
            let weight = weight(short);
            jobs += weight * cell.jobs;
            log += weight * cell.log;
            log_log += weight * cell.log_log;
        }
        // A gamma without jobs gets default parameters.
        if jobs > 1e-3 { likeliest(log / jobs, log_log / jobs) } else { GammaLaw { shape: 1.0, scale: 1.0 } }
    };
    let (mut jobs, mut x, mut y, mut xx, mut xy) = (0.0, 0.0, 0.0, 0.0, 0.0);
    for (cell, &short) in cells.iter().zip(short) {
        let size = cell.size();
        jobs += cell.jobs;
        x += cell.jobs * size;
        y += cell.jobs * short;
        xx += cell.jobs * size * size;
        xy += cell.jobs * size * short;
    }
    let variance = xx / jobs - (x / jobs).powi(2);
    let slope = if variance > 1e-9 { (xy / jobs - x / jobs * (y / jobs)) / variance } else { 0.0 };
    let slope = slope.clamp(-1.0, 1.0);
    LublinRuns {
        short: gamma(&|short| short),
        long: gamma(&|short| 1.0 - short),
        slope,
        intercept: (y / jobs - slope * x / jobs).clamp(-10.0, 10.0),
        longest: 12.0,
    }
}

/// A gamma's density with what does not depend on the value worked out.
#[derive(Clone, Copy)]
struct GammaDensity {
    shape: f64,
    rate: f64,
    constant: f64,
}

impl GammaDensity {
    fn new(law: GammaLaw) -> GammaDensity {
        let constant = -ln_gamma(law.shape) - law.shape * law.scale.ln();
        GammaDensity { shape: law.shape, rate: 1.0 / law.scale, constant }
    }

    fn at(&self, cell: &Bin) -> f64 {
        let (log, log_log) = (cell.log / cell.jobs, cell.log_log / cell.jobs);
        ((self.shape - 1.0) * log_log - log * self.rate + self.constant).exp()
    }
}

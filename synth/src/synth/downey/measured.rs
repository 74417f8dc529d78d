//! Fit of a speedup to measured run times.

use queuecast_core::order;
use std::collections::BTreeMap;

use super::{PARALLELISM, Speedup};
use crate::synth::SynthError;
use crate::synth::error::{outside, within};
use queuecast_core::units::{Procs, Seconds};

/// The greatest parallelism searched, relative to the most processors measured.
const FARTHEST: f64 = 64.0;

/// Variances tried where two sizes do not determine it: the middle of the paper's range, then smaller ones.
const OPEN: [f64; 4] = [1.0, 0.5, 0.25, 0.0];

/// Steps of the first, coarse search in parallelism (in the logarithm) and in variance.
const STEPS: (u32, u32) = (80, 40);

/// Local minima that are refined, and steps of each refinement.
const VALLEYS: usize = 3;
const SECTIONS: u32 = 36;

/// Maps 0 to 1 onto variances from 0 upwards; a half is variance 1.
fn variance(place: f64) -> f64 {
    place / (1.0 - place).max(1e-3)
}

/// Run times by size, in the order of sizes: how many, and the mean of their logarithms.
struct Points(Vec<(u32, f64, f64)>);

/// A place in the search: the logarithm of the parallelism, and the place of the variance.
type Place = (f64, f64);

impl Speedup {
    /// With these parameters: parallelism 1 to 16,777,216, variance 0 to 1000.
    pub fn new(parallelism: f64, variance: f64) -> Result<Speedup, SynthError> {
        within("parallelism", parallelism, PARALLELISM.0, PARALLELISM.1)?;
        within("variance", variance, 0.0, 1000.0)?;
        Ok(Speedup { parallelism, variance })
    }

    /// The sequential lifetime in seconds and the speedup whose run times are closest to those measured: the least squares
    /// of logarithms. For run times on sizes between the measured ones; beyond them it is a guess.
    ///
    /// At least two different sizes are needed. Two leave the variance open: it is taken to be 1, the middle of the
    /// paper's, or less if the job is faster than that. Where the measurements do not determine the parallelism, the least
    /// one that agrees with them is taken. The lifetime is on one processor, even if that was not measured.
    pub fn fitted(measured: &[(Procs, Seconds)]) -> Result<(f64, Speedup), SynthError> {
        let points = Points::of(measured)?;
        let place = if points.0.len() > 2 { points.best() } else { points.best_of_two() };
        let speedup = at(place);
        Ok((points.judged(&speedup).0.exp(), speedup))
    }
}

fn at((log, place): Place) -> Speedup {
    Speedup { parallelism: log.exp(), variance: variance(place) }
}

impl Points {
    fn of(measured: &[(Procs, Seconds)]) -> Result<Points, SynthError> {
        let mut sizes: BTreeMap<u32, (f64, f64)> = BTreeMap::new();
        for &(procs, run) in measured {
            within("processors", procs.0, 1, 1 << 24)?;
            if run.0 < 1 {
                return Err(outside("run time", run.0, "at least 1 s"));
            }
            let (count, sum) = sizes.entry(procs.0).or_default();
            *count += 1.0;
            *sum += (run.0 as f64).ln();
        }
        if sizes.len() < 2 {
            let few =
                format!("a speedup needs run times on at least 2 numbers of processors, not {}", sizes.len());
            return Err(SynthError::Unsuitable(few));
        }
        Ok(Points(sizes.into_iter().map(|(procs, (count, sum))| (procs, count, sum / count)).collect()))
    }

    /// The logarithm of the lifetime that goes best with a speedup, and what is left: the mean square in logarithms.
    fn judged(&self, speedup: &Speedup) -> (f64, f64) {
        let log = |(procs, count, run): &(u32, f64, f64)| (*count, run + speedup.of(*procs).ln());
        let (mut all, mut sum) = (0.0, 0.0);
        for (count, lifetime) in self.0.iter().map(log) {
            (all, sum) = (all + count, sum + count * lifetime);
        }
        let mean = sum / all;
        let left = self.0.iter().map(log).map(|(count, lifetime)| count * (lifetime - mean).powi(2));
        (mean, left.sum::<f64>() / all)
    }

    /// The objective: mean square error, ties by the least parallelism.
    fn cost(&self, place: Place) -> f64 {
        self.judged(&at(place)).1 + 1e-12 * place.0
    }

    /// The logarithm of the greatest parallelism searched.
    fn farthest(&self) -> f64 {
        self.0.last().map_or(1.0, |(procs, ..)| FARTHEST * f64::from(*procs)).ln()
    }

    /// The best parallelism for a variance, with its cost.
    fn best_with(&self, variance: f64) -> (f64, Place) {
        let (cost, log) = lowest(STEPS.0, self.farthest(), |log| self.cost((log, variance)));
        (cost, (log, variance))
    }

    fn best(&self) -> Place {
        let (_, variance) = lowest(STEPS.1, 0.999, |variance| self.best_with(variance).0);
        self.best_with(variance).1
    }

    /// The first variance that goes through both points, or else the closest.
    fn best_of_two(&self) -> Place {
        let tried = OPEN.map(|variance| self.best_with(variance / (1.0 + variance)));
        let through = tried.into_iter().find(|(_, place)| self.judged(&at(*place)).1 < 1e-8);
        let closest = tried.into_iter().min_by(|one, other| one.0.total_cmp(&other.0));
        through.or(closest).map_or((0.0, 0.0), |(_, place)| place)
    }
}

/// The minimum of a function from 0 to `end`, as value and place. The functions are piecewise smooth with several local
/// minima: the lowest few on a grid are refined by golden section.
fn lowest(steps: u32, end: f64, curve: impl Fn(f64) -> f64) -> (f64, f64) {
    let step = end / f64::from(steps);
    let grid: Vec<f64> = (0..=steps).map(|at| curve(f64::from(at) * step)).collect();
    let height = |at: usize| grid.get(at).copied().unwrap_or(f64::INFINITY);
    let is_valley = |at: &usize| height(*at) <= height(at + 1) && (*at == 0 || height(*at) < height(at - 1));
    let mut valleys: Vec<usize> = (0..grid.len()).filter(is_valley).collect();
    order::sort_by(&mut valleys, |&one, &other| height(one).total_cmp(&height(other)));
    let found = valleys.iter().take(VALLEYS).map(|&at| {
        let middle = at as f64 * step;
        let section = golden((middle - step).max(0.0), (middle + step).min(end), &curve);
        // The bottom may be at the very end of the curve, which no section reaches.
        if section.0 < height(at) { section } else { (height(at), middle) }
    });
    found.min_by(|one, other| one.0.total_cmp(&other.0)).unwrap_or((height(0), 0.0))
}

/// The minimum between two places, as value and place, by golden section.
fn golden(mut from: f64, mut to: f64, curve: impl Fn(f64) -> f64) -> (f64, f64) {
    const PART: f64 = 0.618_033_988_749_894_8;
    let place = |from: f64, to: f64| [to - PART * (to - from), from + PART * (to - from)];
    let mut inner = place(from, to).map(|at| (curve(at), at));
    for _ in 0..SECTIONS {
        if inner[0].0 <= inner[1].0 {
            to = inner[1].1;
            let at = place(from, to)[0];
            inner = [(curve(at), at), inner[0]];
        } else {
            from = inner[0].1;
            let at = place(from, to)[1];
            inner = [inner[1], (curve(at), at)];
        }
    }
    if inner[0].0 <= inner[1].0 { inner[0] } else { inner[1] }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn measured(lifetime: f64, speedup: Speedup, sizes: &[u32]) -> Vec<(Procs, Seconds)> {
        let run = |procs: u32| Seconds((lifetime / speedup.of(procs)).round() as i64);
        sizes.iter().map(|&procs| (Procs(procs), run(procs))).collect()
    }

    #[test]
    fn two_sizes_tell_how_much_faster_and_no_more() {
        // By hand: at σ = 1 twice as many are 2A·2/(2A + 1) times as fast; 1.6 is A = 2.
        let (lifetime, speedup) =
            Speedup::fitted(&[(Procs(1), Seconds(1_600_000)), (Procs(2), Seconds(1_000_000))]).unwrap();
        assert!((lifetime - 1_600_000.0).abs() < 20.0, "{lifetime}");
        assert!((speedup.parallelism - 2.0).abs() < 1e-3 && speedup.variance == 1.0, "{speedup:?}");
        // Perfectly parallel: as far as was seen.
        let (_, speedup) =
            Speedup::fitted(&[(Procs(4), Seconds(160_000)), (Procs(16), Seconds(40_000))]).unwrap();
        assert!((speedup.parallelism - 16.0).abs() < 0.01 && speedup.variance == 0.0, "{speedup:?}");
        // No faster at all, or slower: one processor is as good.
        for run in [500, 900] {
            let (lifetime, speedup) =
                Speedup::fitted(&[(Procs(8), Seconds(500)), (Procs(64), Seconds(run))]).unwrap();
            assert!((speedup.parallelism - 1.0).abs() < 1e-6, "{speedup:?}");
            assert!((lifetime - (500.0 * run as f64).sqrt()).abs() < 0.1, "{lifetime}");
        }
    }

    #[test]
    fn repeated_measurements_are_averaged_in_logarithms() {
        let once = measured(1e6, Speedup { parallelism: 20.0, variance: 0.7 }, &[1, 4, 16, 64]);
        let spread =
            once.iter().flat_map(|&(procs, run)| [(procs, Seconds(run.0 * 2)), (procs, Seconds(run.0 / 2))]);
        let (one, other) =
            (Speedup::fitted(&once).unwrap(), Speedup::fitted(&spread.collect::<Vec<_>>()).unwrap());
        assert!((one.0 / other.0).ln().abs() < 1e-3, "{one:?}, {other:?}");
        assert!((one.1.of(30) / other.1.of(30)).ln().abs() < 1e-3);
    }

    #[test]
    fn what_cannot_be_measured_is_named() {
        let said = |points: &[(u32, i64)]| {
            let points: Vec<_> = points.iter().map(|&(procs, run)| (Procs(procs), Seconds(run))).collect();
            Speedup::fitted(&points).unwrap_err().to_string()
        };
        let few = "a speedup needs run times on at least 2 numbers of processors, not";
        assert_eq!(said(&[]), format!("{few} 0"));
        assert_eq!(said(&[(4, 10), (4, 12)]), format!("{few} 1"));
        assert_eq!(said(&[(0, 10), (4, 12)]), "processors = 0: must be between 1 and 16777216");
        assert_eq!(said(&[(1, 0), (4, 12)]), "run time = 0: must be at least 1 s");
        let said = |a, s| Speedup::new(a, s).unwrap_err().to_string();
        assert_eq!(said(0.5, 1.0), "parallelism = 0.5: must be between 1 and 16777216");
        assert_eq!(said(f64::NAN, 1.0), "parallelism = NaN: must be between 1 and 16777216");
        assert_eq!(said(2.0, -0.1), "variance = -0.1: must be between 0 and 1000");
        assert_eq!(Speedup::new(2.0, 0.0), Ok(Speedup { parallelism: 2.0, variance: 0.0 }));
    }
}

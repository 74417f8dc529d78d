//! Figures 1, 3, 5, 7 to 10, 14 and 15, as numbers. The paper prints none with them.

use super::draws::Draws;
use super::fit::fraction;
use super::fits::{Fits, popularities, spread};
use super::model::Model;
use super::setup::{HEAD, LOG_NAMES};
use super::subject::{LogPortrait, Material};
use crate::{Figure, FigureAxis};
use queuecast_synth::characterization::{Growth, Modes};

/// Curves longer than this are thinned: run times have as many values as jobs.
const LONGEST_CURVE: usize = 400;

fn axis(name: &str, unit: &str) -> FigureAxis {
    FigureAxis { name: name.into(), unit: unit.into(), ..FigureAxis::default() }
}

fn log_axis(name: &str, unit: &str) -> FigureAxis {
    FigureAxis { log: true, ..axis(name, unit) }
}

/// All but Figure 16, in order.
pub fn drawn(material: &Material, fits: &Fits, draws: &[Draws]) -> Vec<Figure> {
    let logs = || LOG_NAMES.into_iter().zip(material.logs());
    let mut figures = vec![accuracy(material)];
    figures.extend(logs().map(|(name, log)| distributions(name, log)));
    figures.extend(logs().map(|(name, log)| disparity(name, log)));
    figures.extend(growth(material, fits));
    figures.extend(times(material, fits));
    figures.push(spreads(fits));
    figures.extend(popularity(material, fits));
    figures.extend(draws.iter().map(|draws| drawn_modes(material, draws)));
    figures
}

/// Figure 1.
fn accuracy(material: &Material) -> Figure {
    let figure = Figure::new("Figure 1", "accuracy of estimates, last point: 95 % and more", "% of the jobs");
    let mut figure = figure.over(axis("run time / estimate", "%"));
    for (name, accuracy) in LOG_NAMES
        .into_iter()
        .zip(material.logs())
        .filter_map(|(name, log)| Some((name, log.accuracy.as_ref()?)))
    {
        let last = accuracy.histogram.len().saturating_sub(1);
        let points = accuracy.histogram.iter().enumerate().map(|(place, bin)| {
            let over = if place == last { accuracy.reached + accuracy.exceeded } else { 0 };
            (100.0 * bin.from, 100.0 * (bin.jobs + over) as f64 / accuracy.jobs as f64)
        });
        figure = figure.curve(name, points);
    }
    figure
}

/// The share of the jobs at or below each value, in percent.
fn cumulative(modes: &Modes) -> Vec<(f64, f64)> {
    let mut below = 0;
    let points: Vec<(f64, f64)> = modes
        .by_time()
        .iter()
        .map(|mode| {
            below += mode.jobs;
            (mode.time.0 as f64, 100.0 * below as f64 / modes.jobs() as f64)
        })
        .collect();
    thinned(points)
}

/// As many points as a curve shows, at equal distances, and the last.
fn thinned(points: Vec<(f64, f64)>) -> Vec<(f64, f64)> {
    let step = points.len().div_ceil(LONGEST_CURVE).max(1);
    let last = points.len().saturating_sub(1);
    let kept = points.into_iter().enumerate().filter(|(place, _)| place % step == 0 || *place == last);
    kept.map(|(_, point)| point).collect()
}

/// Figure 3.
fn distributions(name: &str, log: &LogPortrait) -> Figure {
    let title = format!("run times and estimates, {name}");
    Figure::new("Figure 3", title, "% of the jobs")
        .over(FigureAxis { steps: true, ..log_axis("time", "s") })
        .curve("run times", cumulative(&log.runs))
        .curve("estimates", cumulative(&log.modes))
}

/// Figure 5: by how many jobs its bin has, the share of the bins and of the jobs up to there.
fn disparity(name: &str, log: &LogPortrait) -> Figure {
    let mut bins = log.modes.by_popularity();
    bins.reverse();
    let (mut upto, mut jobs) = (0.0, 0);
    let mut curves = [Vec::new(), Vec::new()];
    for same in bins.chunk_by(|one, next| one.jobs == next.jobs) {
        upto += same.len() as f64;
        jobs += same.iter().map(|mode| mode.jobs).sum::<u64>();
        let size = same[0].jobs as f64;
        curves[0].push((size, 100.0 * upto / bins.len() as f64));
        curves[1].push((size, 100.0 * jobs as f64 / log.modes.jobs() as f64));
    }
    let joint = 100.0 * log.modes.joint_ratio().unwrap_or(f64::NAN);
    let title = format!("bins and jobs by size of bin, {name}, joint ratio {:.0}/{joint:.0}", 100.0 - joint);
    let [of_bins, of_jobs] = curves;
    Figure::new("Figure 5", title, "%")
        .over(FigureAxis { steps: true, ..log_axis("jobs in the bin", "jobs") })
        .curve("bins", of_bins)
        .curve("jobs", of_jobs)
}

/// Figure 7: all six logs, then the four with both models.
fn growth(material: &Material, fits: &Fits) -> [Figure; 2] {
    let figure = |what: &str| {
        let figure =
            Figure::new("Figure 7", format!("different estimates by jobs so far, {what}"), "estimates");
        figure.over(axis("jobs", "jobs"))
    };
    let names = LOG_NAMES.into_iter().chain(["SDSC", "KTH"]);
    let all = names.clone().zip(&material.rows);
    let logs =
        all.fold(figure("all logs"), |figure, (name, log)| figure.curve(name, thinned(log.growing.clone())));
    let [factor, exponent] = fits.count.coefficients;
    let longest = material.logs().iter().filter_map(|log| log.growing.last()).map(|point| point.0);
    let longest = longest.fold(0.0, f64::max);
    let steps = || (1..=100).map(|step| longest * f64::from(step) / 100.0);
    let models = names
        .zip(material.logs())
        .fold(figure("and models"), |figure, (name, log)| figure.curve(name, thinned(log.growing.clone())));
    let models = models
        .curve("power law", steps().map(|jobs| (jobs, factor * jobs.powf(exponent))))
        .curve("Table 3", steps().map(|jobs| (jobs, Growth::expected(jobs as u64))));
    [logs, models]
}

/// Figure 8: all logs, then each with its fit.
fn times(material: &Material, fits: &Fits) -> Vec<Figure> {
    let figure = |what: &str| {
        let figure = Figure::new("Figure 8", format!("estimates by time rank, {what}"), "% of the longest");
        figure.over(axis("time rank / K", "%"))
    };
    let percent = |points: Vec<(f64, f64)>| points.into_iter().map(|(x, y)| (100.0 * x, 100.0 * y));
    let logs = || LOG_NAMES.into_iter().zip(material.logs());
    let points = |log: &LogPortrait| percent(spread(&log.modes, log.longest()));
    let all = logs().fold(figure("all logs"), |figure, (name, log)| figure.curve(name, points(log)));
    let each = logs().zip(&fits.spread).map(|((name, log), (_, fit))| {
        let [a] = fit.coefficients;
        let fitted =
            spread(&log.modes, log.longest()).into_iter().map(|(x, _)| (x, fraction(a, x))).collect();
        figure(&format!("{name}, a = {a:.2}")).curve(name, points(log)).curve("fit", percent(fitted))
    });
    std::iter::once(all).chain(each).collect()
}

/// Figure 9.
fn spreads(fits: &Fits) -> Figure {
    let mut points: Vec<(f64, f64)> = fits
        .spread
        .iter()
        .chain(fits.halves.iter().flatten())
        .map(|(values, fit)| (*values as f64, fit.coefficients[0]))
        .collect();
    points.sort_by(|one, other| one.0.total_cmp(&other.0));
    let [factor, exponent] = fits.a.coefficients;
    let model: Vec<(f64, f64)> =
        points.iter().map(|&(values, _)| (values, 1.0 + factor * values.powf(exponent))).collect();
    let title = format!("a by K, logs and halves, 1 + {factor:.1} K ^ {exponent:.2}");
    Figure::new("Figure 9", title, "")
        .over(axis("K", "estimates"))
        .curve("fit", model)
        .curve("logs and halves", points)
}

/// Figure 10: everything on logarithmic axes, then the head on linear ones, then the tail.
fn popularity(material: &Material, fits: &Fits) -> [Figure; 3] {
    // Axes with equal factors begin at 1, and the smallest bin of BLUE is one job in 223,000.
    const MILLION: f64 = 10_000.0;
    let figure =
        |what: &str, unit: &str| Figure::new("Figure 10", format!("popularity by rank, {what}"), unit);
    let logs = || LOG_NAMES.into_iter().zip(material.logs());
    let head = |rank: f64| {
        let [factor, decay, addend] = fits.head.coefficients;
        factor * (decay * rank).exp() + addend
    };
    let tail = |rank: f64| fits.tail.coefficients[0] * rank.powf(fits.tail.coefficients[1]);
    let upto = logs().map(|(_, log)| log.modes.len()).max().unwrap_or(0);
    let ranks = |from: usize, to: usize| (from..=to).map(|rank| rank as f64);
    let up = |points: Vec<(f64, f64)>| points.into_iter().map(|(x, y)| (x, MILLION * y));
    let both = FigureAxis { log_up: true, ..log_axis("popularity rank", "rank") };
    let (mut all, mut top, mut rest) = (
        figure("all", "jobs of a million").over(both.clone()),
        figure("head", "% of the jobs").over(axis("popularity rank", "rank")),
        figure("tail", "jobs of a million").over(both),
    );
    for (name, log) in logs() {
        let mut points = popularities(&log.modes);
        all = all.curve(name, up(points.clone()));
        let after = points.split_off(points.len().min(HEAD));
        top = top.curve(name, points);
        rest = rest.curve(name, up(after));
    }
    let model = ranks(1, upto).map(|rank| (rank, if rank <= HEAD as f64 { head(rank) } else { tail(rank) }));
    let tail_ranks = ranks(HEAD + 1, upto).map(|rank| (rank, tail(rank)));
    [
        all.curve("fit", up(model.collect())),
        top.curve("fit", ranks(1, HEAD).map(|rank| (rank, head(rank)))),
        rest.curve("fit", up(tail_ranks.collect())),
    ]
}

/// Figures 14 and 15, for one log.
fn drawn_modes(material: &Material, draws: &Draws) -> Figure {
    let subject = &material.papers()[draws.log];
    let (number, setting) = match draws.setting {
        Model::Improved => ("Figure 15", "improved"),
        _ => ("Figure 14", "vanilla"),
    };
    let title = format!("estimates of the {setting} model, {}", subject.name);
    let figure = Figure::new(number, title, "% of the jobs")
        .over(FigureAxis { steps: true, ..log_axis("estimate", "s") });
    let figure = (1..).zip(&draws.shown).fold(figure, |figure, (seed, modes): (u32, &Modes)| {
        figure.curve(format!("seed {seed}"), cumulative(modes))
    });
    figure.curve("original", cumulative(&subject.modes))
}

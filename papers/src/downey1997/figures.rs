//! Figures 3 to 5, and what the paper leaves for later: the strategies over loads, machines and distributions.

use super::results::{SeedResults, SettingResults, mean};
use super::setting::{AVG, BIAS, ENACTED, PRED, SWEPT};
use super::{LOG, Part};
use crate::{Figure, FigureAxis};
use queuecast_core::workload::Workload;
use queuecast_forecast::allot::Prediction;
use queuecast_study::molding::{Drawn, SeedRun};
use queuecast_synth::synth::UniformLog;

/// Every figure there is something for.
pub fn drawn(results: &SettingResults<'_>, log: Option<&Workload>) -> Vec<Figure> {
    let seen = results.of_part(Part::Paper).flat_map(|found| found.outcomes.0.iter().copied());
    let Some(outcome) = seen.into_iter().find(|outcome| !outcome.jobs.is_empty()) else {
        return sweeps(results);
    };
    let mut figures = vec![allocated(&outcome.jobs, log), sizes(&outcome.jobs, log)];
    figures.extend([("Figure 5a", PRED), ("Figure 5b", BIAS)].map(|(name, row)| scatter(name, row, outcome)));
    figures.extend(sweeps(results));
    figures
}

fn log_axis(name: &str, unit: &str) -> FigureAxis {
    FigureAxis { name: name.into(), unit: unit.into(), log: true, ..FigureAxis::default() }
}

/// Points of a curve of cumulated shares.
const STEPS: usize = 100;

/// The share of values up to each, in percent.
fn cumulative(mut values: Vec<f64>) -> Vec<(f64, f64)> {
    values.sort_by(f64::total_cmp);
    let Some(last) = values.len().checked_sub(1) else { return Vec::new() };
    (0..=STEPS).map(|step| (values[step * last / STEPS], 100.0 * step as f64 / STEPS as f64)).collect()
}

/// The curve of a distribution that is uniform in the logarithm.
fn line(law: UniformLog) -> [(f64, f64); 2] {
    [(law.least, 0.0), (law.most, 100.0)]
}

/// Figure 3.
fn allocated(jobs: &[Drawn], log: Option<&Workload>) -> Figure {
    let title = "allocated time, processors by run time";
    let mut figure = Figure::new("Figure 3", title, "% of the jobs").over(log_axis("processor-seconds", ""));
    if let Some(log) = log {
        let ran = log.jobs().iter().zip(log.truths()).filter(|(_, truth)| truth.run().0 > 0);
        let values = ran.map(|(job, truth)| f64::from(job.shape.procs.0) * truth.run().0 as f64);
        figure = figure.curve(LOG, cumulative(values.collect()));
    }
    figure
        .curve(format!("ours, {AVG}"), cumulative(jobs.iter().map(Drawn::allocated).collect()))
        .curve("lifetimes of the model", line(UniformLog { least: 2f64.exp(), most: 12f64.exp() }))
}

/// Figure 4.
fn sizes(jobs: &[Drawn], log: Option<&Workload>) -> Figure {
    let mut figure =
        Figure::new("Figure 4", "cluster sizes", "% of the jobs").over(log_axis("processors", ""));
    if let Some(log) = log {
        let values = log.jobs().iter().map(|job| f64::from(job.shape.procs.0));
        figure = figure.curve(LOG, cumulative(values.collect()));
    }
    figure
        .curve(format!("ours, {AVG}"), cumulative(jobs.iter().map(|job| f64::from(job.procs.0)).collect()))
        .curve("parallelism of the model", line(UniformLog { least: 1.0, most: 128.0 }))
}

/// Figure 5a or 5b: what was predicted across, what became of it upwards.
fn scatter(name: &str, row: &str, outcome: &SeedRun) -> Figure {
    let place = ENACTED.iter().position(|name| *name == row).unwrap_or_default();
    let enacted = &outcome.enacted[place];
    let at_least_one = |prediction: &Prediction| (prediction.used.max(1.0), prediction.actual.max(1.0));
    let points: Vec<(f64, f64)> = enacted.points.iter().map(at_least_one).collect();
    let ends = |of: fn(&(f64, f64)) -> f64| {
        let values = points.iter().map(of);
        (values.clone().fold(f64::INFINITY, f64::min), values.fold(1.0, f64::max))
    };
    let (least, most) = ends(|point| point.0);
    let title = format!("queue times predicted (across) and actual, {row}");
    let figure =
        Figure::new(name, title, "s").over(FigureAxis { log_up: true, ..log_axis("predicted", "s") });
    let figure = figure.dots("each", points.iter().copied()).curve("perfect", [(least, least), (most, most)]);
    match &enacted.used {
        Some(trend) => {
            let at = |x: f64| (x, (trend.intercept + trend.slope * x.ln()).exp());
            figure.curve("trend", [at(least), at(most)])
        }
        None => figure,
    }
}

/// Turnaround against AVG over loads and machines, and by distributions.
fn sweeps(results: &SettingResults<'_>) -> Vec<Figure> {
    let change =
        |found: &SeedResults<'_>, place: usize| mean(&found.outcomes.change(place, |one| one.turnaround));
    let over = |part: Part, name: &str, axis: FigureAxis| {
        let mut figure = Figure::new("Sweep", name, "% longer than AVG's").over(axis);
        for (place, row) in SWEPT.iter().enumerate().skip(1) {
            let points = results
                .of_part(part)
                .filter_map(|found| Some((found.setting.name.parse().ok()?, change(found, place))));
            figure = figure.curve(*row, points);
        }
        figure
    };
    let mut figures = vec![
        over(
            Part::Loads,
            "turnaround by offered load",
            FigureAxis { name: "offered load".into(), ..FigureAxis::default() },
        ),
        over(Part::Machines, "turnaround by size of the machine", log_axis("processors", "")),
    ];
    let mut bars = Figure::new("Sweep", "turnaround by what jobs are like", "% longer than AVG's");
    for found in results.of_part(Part::Laws) {
        let rows = SWEPT.iter().enumerate().skip(1);
        bars = bars.group(&*found.setting.name, rows.map(|(place, row)| (*row, change(found, place))));
    }
    figures.push(bars);
    figures.retain(|figure| {
        figure.curves.iter().any(|curve| !curve.points.is_empty()) || !figure.groups.is_empty()
    });
    figures
}

//! Figures 1 to 3: errors as templates are added, and as generations pass.

use super::LogSearches;
use crate::Figure;

/// Bars for every tenth generation tell the story.
const EVERY: usize = 10;

pub fn drawn(outcomes: &[LogSearches], names: &[&str]) -> Vec<Figure> {
    let mut figures = Vec::new();
    for (outcome, name) in outcomes.iter().zip(names) {
        let number = if *name == "SDSC96" { "Figure 2" } else { "Figure 1" };
        let mut figure = Figure::new(number, format!("mean error of greedy searches, {name}"), "minutes");
        for series in outcome.greedy.series().iter().filter(|series| !series.nodes) {
            let bars = series.steps.iter().enumerate();
            let bars = bars.map(|(added, step)| (format!("{} templates", added + 1), step.error / 60.0));
            figure = figure.group(series.name(), bars);
        }
        figures.push(figure);
    }
    for (outcome, name) in outcomes.iter().zip(names) {
        let mut figure = Figure::new("Figure 3", format!("errors of the genetic search, {name}"), "minutes");
        for (generation, errors) in outcome.genetic.history().iter().enumerate() {
            if generation % EVERY == 0 || generation + 1 == outcome.genetic.history().len() {
                let bars = [("best", errors.best), ("mean", errors.mean), ("worst", errors.worst)];
                let bars = bars.map(|(label, error)| (label, error / 60.0));
                figure = figure.group(format!("generation {}", generation + 1), bars);
            }
        }
        figures.push(figure);
    }
    figures
}

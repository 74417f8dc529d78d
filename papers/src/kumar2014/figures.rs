//! Figure 2: two-class accuracy of each method on each log.

use super::methods::ComparedMethod;
use super::outcome::LogScores;
use super::setup::LOG_NAMES;
use crate::Figure;

pub fn drawn(outcomes: &[LogScores]) -> Vec<Figure> {
    let parts = [("Figure 2a", "non-quick starters", 0), ("Figure 2b", "all jobs", 1)];
    let figure = |(name, who, part): (&str, &str, usize)| {
        let mut figure =
            Figure::new(name, format!("jobs with one of two predicted classes right, {who}"), "%");
        for (outcome, log) in outcomes.iter().zip(LOG_NAMES) {
            let methods = ComparedMethod::PREDICTORS.into_iter().chain([ComparedMethod::Zero]);
            let bars = methods.filter_map(|method| Some((method.row(), outcome.of(method)?.0[1][part])));
            figure = figure.group(log, bars);
        }
        figure
    };
    parts.map(figure).to_vec()
}

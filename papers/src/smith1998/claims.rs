//! What the paper concludes, measured, and what else was asked of the searches.

use super::LogSearches;
use crate::Claim;
use crate::printed::Explanations;
use queuecast_eval::Score;

/// The paper's workloads that are to be had.
const OURS: usize = 2;

/// By how many percent one error is lower than another.
fn lower(ours: &Score, other: &Score) -> f64 {
    100.0 * (1.0 - ours.error_percent / other.error_percent)
}

fn by_log(names: &[&str], value: impl Fn(usize) -> Option<String>) -> String {
    let shown = names.iter().enumerate().filter_map(|(log, name)| Some(format!("{name} {}", value(log)?)));
    shown.collect::<Vec<_>>().join(", ")
}

pub fn judged(outcomes: &[LogSearches], names: &[&str]) -> Vec<Claim> {
    let papers = &outcomes[..OURS.min(outcomes.len())];
    let percent = |value: f64| format!("{value:.1} %");
    let genetic = |log: usize| &outcomes[log].best_genetic.1;
    let greedy = |log: usize| &outcomes[log].best_greedy[1].1;
    let mut claims = vec![Claim::new(
        "The genetic search is never worse than the greedy search",
        (0..outcomes.len()).all(|log| genetic(log).error_percent <= greedy(log).error_percent),
        by_log(names, |log| {
            let outcome = outcomes.get(log)?;
            Some(format!(
                "{} against {}",
                percent(outcome.best_genetic.1.error_percent),
                percent(outcome.best_greedy[1].1.error_percent)
            ))
        }),
    )];
    // With history sizes where those were searched: the issue is how well searching does.
    let found = |outcome: &LogSearches| match &outcome.with_history {
        Some([greedy, genetic]) => [greedy.1, genetic.1],
        None => [outcome.best_greedy[1].1, outcome.best_genetic.1],
    };
    let margin = |claim: &str, least: f64, other: &dyn Fn(&LogSearches) -> Score| {
        let better = |outcome: &LogSearches| found(outcome).map(|ours| lower(&ours, &other(outcome)));
        let shown = by_log(&names[..outcomes.len()], |log| {
            let [greedy, genetic] = better(&outcomes[log]);
            Some(format!("greedy {}, genetic {}", percent(greedy), percent(genetic)))
        });
        Claim::new(
            claim,
            papers.iter().all(|outcome| better(outcome).iter().all(|lower| *lower >= least)),
            shown,
        )
    };
    let gibbons = |outcome: &LogSearches| outcome.gibbons[0].unwrap_or_default();
    claims.push(margin("Errors are at least 14 % lower than those of Gibbons", 14.0, &gibbons));
    let downey = |outcome: &LogSearches| {
        let [median, mean] = outcome.downey;
        if median.error_percent < mean.error_percent { median } else { mean }
    };
    claims.push(margin("Errors are at least 27 % lower than those of Downey", 27.0, &downey));
    claims.push(Claim::new(
        "The mean is a better predictor than linear regression",
        papers.iter().all(|outcome| best_of(outcome, "mean") <= best_of(outcome, "lr")),
        by_log(&names[..outcomes.len()], |log| {
            let outcome = &outcomes[log];
            Some(format!("{:.1} against {:.1} minutes", best_of(outcome, "mean"), best_of(outcome, "lr")))
        }),
    ));
    let guided = |outcome: &LogSearches| {
        let best = |relative: bool| {
            let series =
                outcome.greedy.series().iter().filter(|series| series.relative == relative && !series.nodes);
            let errors = series.filter_map(|series| series.steps.last()).map(|step| step.error);
            errors.fold(f64::INFINITY, f64::min)
        };
        outcome.requests.then(|| 100.0 * (1.0 - best(true) / best(false)))
    };
    claims.push(Claim::new(
        "Relative run times improve the greedy search by 23 % or more where times are requested",
        papers.iter().filter_map(&guided).all(|gain| gain >= 23.0),
        by_log(&names[..outcomes.len()], |log| guided(&outcomes[log]).map(percent)),
    ));
    let worse = |outcome: &LogSearches| {
        let holdout = outcome.holdout.as_ref()?;
        Some(100.0 * (holdout.unseen.error_percent / holdout.hindsight.error_percent - 1.0))
    };
    claims.push(Claim::new(
        "On a temporal holdout, the error is within 10 % of what a search of the whole log gives on the same jobs",
        papers.iter().filter_map(worse).all(|worse| worse <= 10.0),
        by_log(&names[..outcomes.len()], |log| worse(&outcomes[log]).map(|worse| format!("{worse:+.1} %"))),
    ));
    claims.into_iter().map(explained).collect()
}

/// The text beside the page.
pub fn text(name: &str) -> String {
    Explanations(include_str!("../../../experiments/smith1998/explained.md")).text(name)
}

/// The claim with the explanation beside the page, if it does not hold and an experiment tells why.
fn explained(claim: Claim) -> Claim {
    let name = match &*claim.claim {
        _ if claim.holds => return claim,
        claim if claim.starts_with("The mean is a better predictor") => "line",
        claim if claim.starts_with("Relative run times") => "relative",
        _ => return claim,
    };
    claim.explained(text(name))
}

/// The smallest error of the first greedy searches with one predictor, in minutes.
fn best_of(outcome: &LogSearches, predictor: &str) -> f64 {
    let series =
        outcome.greedy.series().iter().filter(|series| series.predictor.word() == predictor && !series.nodes);
    let errors = series.filter_map(|series| series.steps.last()).map(|step| step.error);
    errors.fold(f64::INFINITY, f64::min) / 60.0
}

//! What section 5.1 concludes, measured. "Our method" is that of Table 4's column Avg_wt, neighbours alone; what it comes to with quick
//! starters first is told beside it.

use super::explained;
use super::methods::ComparedMethod;
use super::outcome::LogScores;
use super::setup::LOG_NAMES;
use crate::Claim;

/// How far from a number in the text ours may be, in points.
const TOLERANCE: f64 = 3.0;

/// What "very little variation" between the techniques of Table 3 may be, as the largest less the smallest, in points.
const LITTLE: f64 = 5.0;

/// An accuracy: how many classes are named, and of which jobs (0: non-quick starters, 1: all).
#[derive(Clone, Copy)]
struct NamedAccuracy {
    classes: usize,
    part: usize,
}

const OVERALL: usize = 1;
const NON_QUICK: usize = 0;

impl NamedAccuracy {
    fn of(self, outcome: &LogScores, method: ComparedMethod) -> Option<f64> {
        outcome.of(method)?.0[self.classes - 1][self.part]
    }

    fn who(self) -> &'static str {
        if self.part == OVERALL { "overall" } else { "among non-quick starters" }
    }

    fn named(self) -> &'static str {
        match self.classes {
            1 => "single-class",
            2 => "two-class",
            _ => "three-class",
        }
    }
}

fn by_log(outcomes: &[LogScores], value: impl Fn(&LogScores) -> Option<String>) -> String {
    let shown = outcomes
        .iter()
        .zip(LOG_NAMES)
        .filter_map(|(outcome, log)| Some(format!("{log} {}", value(outcome)?)));
    shown.collect::<Vec<_>>().join(", ")
}

pub fn judged(outcomes: &[LogScores]) -> Vec<Claim> {
    let complete = |outcome: &LogScores| {
        let methods = ComparedMethod::PREDICTORS.into_iter().all(|method| {
            outcome.of(method).is_some_and(|score| score.0.iter().flatten().all(Option::is_some))
        });
        methods && ComparedMethod::TECHNIQUES.into_iter().all(|method| outcome.error(method).is_some())
    };
    if outcomes.is_empty() || !outcomes.iter().all(complete) {
        return Vec::new(); // Tables alone come without claims.
    }
    let single = |part: usize| NamedAccuracy { classes: 1, part };
    let two = |part: usize| NamedAccuracy { classes: 2, part };
    let three = |part: usize| NamedAccuracy { classes: 3, part };
    let mut claims = vec![variation(outcomes)];
    for method in [ComparedMethod::Neighbours, ComparedMethod::Ibl] {
        claims.extend([OVERALL, NON_QUICK].map(|part| above_qbets(outcomes, method, single(part))));
    }
    for (measured, points) in [
        (single(OVERALL), 16.0),
        (single(NON_QUICK), 4.0),
        (two(OVERALL), 17.0),
        (two(NON_QUICK), 12.0),
        (three(OVERALL), 11.0),
        (three(NON_QUICK), 8.0),
    ] {
        claims.push(above_ibl(outcomes, measured, points));
    }
    claims.push(between(outcomes, two(OVERALL), 77.0, 87.0));
    claims.push(between(outcomes, three(OVERALL), 82.0, 91.0));
    claims.into_iter().map(explained::claim).collect()
}

fn variation(outcomes: &[LogScores]) -> Claim {
    let errors = |outcome: &LogScores| -> Vec<f64> {
        ComparedMethod::TECHNIQUES.into_iter().filter_map(|method| outcome.error(method)).collect()
    };
    let ends = |outcome: &LogScores| {
        let errors = errors(outcome);
        let least = errors.iter().copied().fold(f64::INFINITY, f64::min);
        (least, errors.iter().copied().fold(f64::NEG_INFINITY, f64::max))
    };
    Claim::new(
        format!("The five techniques of Table 3 differ very little (read as: by at most {LITTLE} points)"),
        outcomes.iter().map(ends).all(|(least, most)| most - least <= LITTLE),
        by_log(outcomes, |outcome| {
            let (least, most) = ends(outcome);
            Some(format!("{least:.1} to {most:.1} %"))
        }),
    )
}

fn above_qbets(outcomes: &[LogScores], method: ComparedMethod, measured: NamedAccuracy) -> Claim {
    let pair = |outcome: &LogScores| {
        Some((measured.of(outcome, method)?, measured.of(outcome, ComparedMethod::Qbets)?))
    };
    Claim::new(
        format!(
            "{} is better than QBETS on every log, {} {}",
            method.row(),
            measured.named(),
            measured.who()
        ),
        outcomes.iter().filter_map(pair).all(|(ours, qbets)| ours > qbets),
        by_log(outcomes, |outcome| {
            pair(outcome).map(|(ours, qbets)| format!("{ours:.1} against {qbets:.1}"))
        }),
    )
}

/// "Up to `points` points more than IBL": on some log about that number more or above, on none fewer than IBL.
fn above_ibl(outcomes: &[LogScores], measured: NamedAccuracy, points: f64) -> Claim {
    let gain = |outcome: &LogScores, method: ComparedMethod| {
        Some(measured.of(outcome, method)? - measured.of(outcome, ComparedMethod::Ibl)?)
    };
    let gains: Vec<f64> =
        outcomes.iter().filter_map(|outcome| gain(outcome, ComparedMethod::Neighbours)).collect();
    let most = gains.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    Claim::new(
        format!(
            "Up to {points} points above IBL and never below it, {} {}",
            measured.named(),
            measured.who()
        ),
        most >= points - TOLERANCE && gains.iter().all(|gain| *gain >= 0.0),
        by_log(outcomes, |outcome| {
            let framework = gain(outcome, ComparedMethod::Framework)?;
            let neighbours = gain(outcome, ComparedMethod::Neighbours)?;
            Some(format!("{neighbours:+.1} (quick starters first {framework:+.1})"))
        }),
    )
}

fn between(outcomes: &[LogScores], measured: NamedAccuracy, least: f64, most: f64) -> Claim {
    let of = |outcome: &LogScores| measured.of(outcome, ComparedMethod::Neighbours);
    Claim::new(
        format!("{least} to {most} % of the jobs, {} {}", measured.named(), measured.who()),
        outcomes.iter().filter_map(of).all(|ours| ours >= least - 0.5 && ours <= most + 0.5),
        by_log(outcomes, |outcome| {
            let zero = measured.of(outcome, ComparedMethod::Zero)?;
            Some(format!("{:.1} (no wait {zero:.1})", of(outcome)?))
        }),
    )
}

//! Start times at a Slurm site, forecast at every submission of a recorded run, beside what its own scheduler expected.

use std::collections::BTreeMap;

use serde::Serialize;

use super::nearest_rank;
use crate::cluster::{Cluster, ExpectedStart, RecordedRun};
use crate::forecast::{ClusterDraws, ClusterForecaster, StartForecast};
use crate::seed::Seed;
use crate::units::{Seconds, Time};

/// One job, forecast when it was submitted.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ForecastStart {
    /// The key of its submission.
    pub key: String,
    /// Its index in an array.
    pub task: Option<u32>,
    /// When it was submitted, in seconds after the recording's begin.
    pub submit: Seconds,
    /// How long it waited, in seconds.
    pub wait: Seconds,
    /// The forecast: one in ten, five in ten and nine in ten start within so many seconds; `None` if it started in no simulation.
    pub quantiles: Option<[f64; 3]>,
    /// The first wait that the site's scheduler expected of it, and how long after its submission it did so; `None` if never.
    pub expected: Option<(Seconds, Seconds)>,
    /// The median of the waits of the jobs that had started; `None` before the first.
    pub past: Option<Seconds>,
}

/// How far forecasts of starts were off, over the jobs of a recorded run. Times are seconds, shares are percentages.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct StartForecastScore {
    /// Jobs that started.
    pub jobs: usize,
    /// Of these, jobs with a forecast.
    pub answered: usize,
    /// Half of the forecasts, by their medians, are off by no more.
    pub median_error: Option<i64>,
    /// The same if every job had been expected to start at once.
    pub zero_error: Option<i64>,
    /// The same if every job had been expected to wait as long as half of those that had started.
    pub past_error: Option<i64>,
    /// Starts between the 10 % and the 90 % point of the forecast.
    pub inside: Option<f64>,
    /// Jobs of which the site's scheduler expected a start before they started.
    pub expected: usize,
    /// Of these, half of the forecasts are off by no more.
    pub expected_median_error: Option<i64>,
    /// And half of what the site's scheduler expected first.
    pub site_error: Option<i64>,
}

impl StartForecastScore {
    /// Over these jobs.
    pub fn of(jobs: &[ForecastStart]) -> StartForecastScore {
        let error = |one: &ForecastStart| Some((one.quantiles?[1] - one.wait.0 as f64).abs().round() as i64);
        let median = |errors: &mut dyn Iterator<Item = i64>| {
            let mut errors: Vec<i64> = errors.collect();
            errors.sort_unstable();
            nearest_rank(&errors, 50)
        };
        let is_inside = |one: &ForecastStart| {
            let [low, _, high] = one.quantiles?;
            Some((low..=high).contains(&(one.wait.0 as f64)))
        };
        let answered = jobs.iter().filter(|one| one.quantiles.is_some()).count();
        let inside = jobs.iter().filter(|one| is_inside(one) == Some(true)).count();
        let shared = || jobs.iter().filter(|one| one.expected.is_some());
        StartForecastScore {
            jobs: jobs.len(),
            answered,
            median_error: median(&mut jobs.iter().filter_map(error)),
            zero_error: median(&mut jobs.iter().map(|one| one.wait.0)),
            past_error: median(&mut jobs.iter().filter_map(|one| Some((one.past? - one.wait).0.abs()))),
            inside: (answered > 0).then(|| 100.0 * inside as f64 / answered as f64),
            expected: shared().count(),
            expected_median_error: median(&mut shared().filter_map(error)),
            site_error: median(&mut shared().filter_map(|one| Some((one.expected?.0 - one.wait).0.abs()))),
        }
    }
}

/// Forecasts every job of a recorded run at its submission, with what was known then. `done` is told of each submission.
pub fn forecast_starts(
    cluster: &Cluster,
    run: &RecordedRun,
    expected: &[ExpectedStart],
    draws: ClusterDraws,
    seed: Seed,
    done: &(dyn Fn(usize) + Sync),
) -> Vec<ForecastStart> {
    let mut forecaster = ClusterForecaster::new(cluster, run, draws, seed);
    let outcomes: BTreeMap<(&str, Option<u32>), _> =
        run.outcomes.iter().map(|one| ((one.key.as_str(), one.task), one)).collect();
    let mut shown: BTreeMap<u64, Vec<&ExpectedStart>> = BTreeMap::new();
    expected.iter().for_each(|one| shown.entry(one.id).or_default().push(one));
    let mut waits: Vec<(Time, Seconds)> =
        run.outcomes.iter().filter_map(|one| Some((one.start?, one.start? - one.submit))).collect();
    waits.sort_unstable();
    let mut order: Vec<usize> = (0..run.submissions.len()).collect();
    order.sort_by_key(|&place| (run.submissions[place].submit_ms, place));
    let mut found = Vec::new();
    for place in order {
        let submission = &run.submissions[place];
        let now_ms = submission.submit_ms;
        let started = |task: Option<u32>| {
            let outcome = outcomes.get(&(submission.key.as_str(), task))?;
            outcome.start
        };
        let known: Vec<Seconds> = {
            let until = waits.partition_point(|(start, _)| start.0 * 1000 <= now_ms);
            let mut known: Vec<Seconds> = waits[..until].iter().map(|(_, wait)| *wait).collect();
            known.sort_unstable();
            known
        };
        for StartForecast { task, wait: answer, .. } in forecaster.at_submission(place) {
            let Some(start) = started(task) else { continue };
            let wait = Seconds(start.0 - submission.submit.0);
            let first = submission.id.and_then(|id| {
                let own = shown.get(&id)?.iter();
                let mut own = own.filter(|one| one.task.is_none() || one.task == task);
                own.find(|one| one.at_ms < start.0 * 1000)
            });
            found.push(ForecastStart {
                key: submission.key.clone(),
                task,
                submit: Seconds(submission.submit.0 - run.clock.zero.0),
                wait,
                quantiles: answer.map(|wait| [0.1, 0.5, 0.9].map(|level| wait.quantile(level))),
                expected: first.map(|one| {
                    let after = Seconds((one.at_ms - now_ms).div_euclid(1000));
                    (Seconds(one.start.0 - submission.submit.0), after)
                }),
                past: known.get(known.len() / 2).copied(),
            });
        }
        done(1);
    }
    found
}

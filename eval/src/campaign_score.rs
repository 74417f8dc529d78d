//! How right forecasts of campaigns were: sets of jobs of one user that a log has submitted within a minute, each asked about with what was
//! known then, beside the quantiles of how long past campaigns of that size took.

use std::collections::BTreeMap;

use serde::Serialize;

use super::error::EvalError;
use queuecast_core::distribution::Distribution;
use queuecast_core::job::JobIndex;
use queuecast_core::order;
use queuecast_core::units::Time;
use queuecast_core::workload::Workload;
use queuecast_forecast::forecast::{
    BestWaits, CampaignForecaster, CampaignOutcome, RecordedArrivals, WhenSettings,
};
use queuecast_wait::WaitPredictor;

/// Past campaigns that the trivial ranges come from, at most, and at least.
const PAST: usize = 200;
const FEWEST: usize = 10;

/// The ranges of one milestone.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct CampaignRanges {
    /// The share that came true within the 80 % range.
    pub inside: f64,
    /// The mean of its width and of ten times the distance of what lies outside, in seconds.
    pub interval_score: f64,
    /// The mean distance of the median from what came true, in seconds.
    pub mean_error: f64,
}

/// Campaigns of some sizes.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CampaignScore {
    /// The fewest jobs of a campaign.
    pub fewest: usize,
    /// The most; `None` for any number.
    pub most: Option<usize>,
    /// How many are scored.
    pub campaigns: usize,
    /// When the first job starts.
    pub first_start: CampaignRanges,
    /// When half of the jobs have ended.
    pub half_ended: CampaignRanges,
    /// When the last job ends.
    pub last_end: CampaignRanges,
    /// The first start, by the last 200 campaigns of these sizes.
    pub past_first_start: CampaignRanges,
    /// The last end, by the last 200 campaigns of these sizes.
    pub past_last_end: CampaignRanges,
}

/// A range of 80 % with its median.
type Range = [f64; 3];

/// What was said, by simulations and by the past, and what came true; the class of sizes first.
type JudgedCampaign = (usize, [Range; 3], [Range; 3], [f64; 3]);

/// Scores forecasts of the last `most` campaigns of each class of sizes: all of them in the last row, if there are several classes. Campaigns
/// before which fewer than ten of their class had ended are learned from only.
///
/// # Errors
/// If the log records no waits, or has too few campaigns.
pub fn score_campaigns(
    history: &Workload,
    settings: &WhenSettings,
    most: usize,
    done: &(dyn Fn(usize) + Sync),
) -> Result<Vec<CampaignScore>, EvalError> {
    if history.starts.is_empty() {
        return Err(EvalError::NoWaits);
    }
    let mut outcomes: Vec<CampaignOutcome> = Vec::new();
    let firsts = first_starts(history, settings, most);
    let judge = &mut |one| outcomes.push(one);
    CampaignForecaster::judged((history, Time::NEVER), settings, (most, &firsts), done, judge);
    let judged: Vec<JudgedCampaign> = outcomes.iter().filter_map(|one| judged(one, &outcomes)).collect();
    if judged.is_empty() {
        return Err(EvalError::TooFewJobs { jobs: outcomes.len(), needed: FEWEST + 1 });
    }
    let mut classes: Vec<usize> = judged.iter().map(|one| one.0).collect();
    classes.sort_unstable();
    classes.dedup();
    let sizes = |class: usize| (1 << class, Some((2 << class) - 1));
    let mut scores: Vec<CampaignScore> = classes
        .iter()
        .map(|&class| score(judged.iter().filter(|one| one.0 == class), sizes(class)))
        .collect();
    if scores.len() > 1 {
        scores.push(score(judged.iter(), (2, None)));
    }
    Ok(scores)
}

/// How long the first job of each campaign would have waited alone, said at its submission as `when` says it.
fn first_starts(
    history: &Workload,
    settings: &WhenSettings,
    most: usize,
) -> BTreeMap<JobIndex, Distribution> {
    let firsts = CampaignForecaster::firsts(history, Time::NEVER, settings, most);
    let arrivals = RecordedArrivals::new(history, Time::NEVER, settings.default_request);
    let mut predictor = BestWaits::new(settings);
    let mut following = arrivals.follow(0);
    let mut said = BTreeMap::new();
    let Some(&last) = firsts.last() else { return said };
    for number in (0..=last.0).map(JobIndex) {
        let arrival = arrivals.arrival(number);
        following.before(number, &mut predictor);
        let forecast = predictor.predict(&arrival, following.site().view(arrival.at));
        if firsts.binary_search(&number).is_ok() {
            said.insert(number, forecast.wait);
        }
    }
    said
}

fn class_of(jobs: usize) -> usize {
    jobs.ilog2() as usize
}

/// A campaign that can be judged beside those of its class that had ended when it was asked about.
fn judged(one: &CampaignOutcome, all: &[CampaignOutcome]) -> Option<JudgedCampaign> {
    let class = class_of(one.jobs);
    let ended = |other: &CampaignOutcome| other.asked.0.saturating_add(other.actual[2] as i64);
    let before =
        all.iter().rev().filter(|other| class_of(other.jobs) == class && ended(other) <= one.asked.0);
    let before: Vec<&CampaignOutcome> = before.take(PAST).collect();
    if before.len() < FEWEST {
        return None;
    }
    let past = std::array::from_fn(|milestone| {
        let mut times: Vec<f64> = before.iter().map(|other| other.actual[milestone]).collect();
        order::sort_floats(&mut times);
        // The rank of the one to come among them.
        [0.1, 0.5, 0.9].map(|level: f64| {
            let rank = (level * (times.len() + 1) as f64).round() as usize;
            times[rank.clamp(1, times.len()) - 1]
        })
    });
    let [first, half, last] = one.said.map(|said| said.map(|said| [said.low, said.median, said.high]));
    Some((class, [first?, half?, last?], past, one.actual))
}

fn score<'a>(
    judged: impl Iterator<Item = &'a JudgedCampaign> + Clone,
    (fewest, most): (usize, Option<usize>),
) -> CampaignScore {
    let said = |milestone: usize| ranges(judged.clone().map(|one| (one.1[milestone], one.3[milestone])));
    let past = |milestone: usize| ranges(judged.clone().map(|one| (one.2[milestone], one.3[milestone])));
    CampaignScore {
        fewest,
        most,
        campaigns: judged.clone().count(),
        first_start: said(0),
        half_ended: said(1),
        last_end: said(2),
        past_first_start: past(0),
        past_last_end: past(2),
    }
}

fn ranges(judged: impl Iterator<Item = (Range, f64)>) -> CampaignRanges {
    let (mut count, mut sums) = (0.0_f64, CampaignRanges::default());
    for ([low, median, high], actual) in judged {
        count += 1.0;
        sums.inside += f64::from(u8::from((low..=high).contains(&actual)));
        sums.interval_score += high - low + 10.0 * (low - actual).max(actual - high).max(0.0);
        sums.mean_error += (median - actual).abs();
    }
    let mean = |sum: f64| sum / count.max(1.0);
    CampaignRanges {
        inside: mean(sums.inside),
        interval_score: mean(sums.interval_score),
        mean_error: mean(sums.mean_error),
    }
}

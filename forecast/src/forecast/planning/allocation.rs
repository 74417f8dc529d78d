//! How many processors to ask for: the forecast starts of a job in each of its sizes, and how long it would run there.

use super::super::answer::{StateNow, WhenError, WhenSettings};
use super::super::closeness::{PLACES, is_surely_shorter, places, sum};
use super::super::trials::MethodRecord;
use super::super::when::WhenSource;
use super::option::TimeSpread;
use crate::allot::advice::{
    Advice, JobLimits, MoldableJob, Offer, Preference, Prospect, SIZE_LEVELS, Situation, Target, TimeRange,
};
use crate::allot::{Size, SizesError};
use queuecast_core::asking::Learning;
use queuecast_core::distribution::Distribution;
use queuecast_core::job::Job;
use queuecast_core::units::{Procs, Seconds};
use queuecast_wait::WaitForecast;

/// A shorter wait, in seconds, is that for the scheduler's next cycle: the job starts at once, as in the ranges of waits.
const AT_ONCE: f64 = 10.0;

/// Why there is no answer.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum AllocationError {
    /// The starts cannot be predicted.
    #[error(transparent)]
    When(#[from] WhenError),
    /// It cannot be given the sizes described.
    #[error(transparent)]
    Sizes(#[from] SizesError),
}

/// What can be expected of each size.
#[derive(Debug, Clone, PartialEq)]
pub struct SizeForecasts {
    /// Prospects of all sizes, and the one to ask for.
    pub advice: Advice,
    /// What the job can be given.
    pub offer: Offer,
    /// The method that predicts its waits.
    pub method: String,
    /// How right the method was for the last jobs; `None` with fewer than 30 of them.
    pub record: Option<MethodRecord>,
    /// The site at that moment.
    pub state: StateNow,
    /// Processors recorded as held beyond those there are.
    pub excess: Procs,
    /// Jobs that had started: what waits were learned from.
    pub learned: usize,
}

/// What can be expected of a job in each of its sizes. `asked` is the job in any size: its user, queue and submission count. Each
/// job that a method was tried on is told as a step done.
///
/// # Errors
/// If no size is possible, or the starts cannot be predicted.
pub fn forecast_sizes(
    moldable: &MoldableJob,
    asked: &Job,
    source: &WhenSource<'_>,
    (limits, preference): (JobLimits, Preference),
    settings: &WhenSettings,
    learning: Learning<'_>,
) -> Result<SizeForecasts, AllocationError> {
    let (forecaster, then) = source.forecaster(settings, learning)?;
    let (site, now) = source.asked_about(&then);
    let learned = forecaster.learned();
    let situation = Situation::new(site.clone(), now, |job, elapsed| learned.run_time_of(job, elapsed));
    let offer = moldable.offered(situation.machine(), &situation.levels(SIZE_LEVELS), limits)?;
    let factor = moldable.give_or_take.max(1.0);
    let in_size = |size: &Size| {
        let mut job = asked.clone();
        job.shape.procs = size.procs;
        job.shape.limit = Some(Seconds((size.run.0 as f64 * factor).round().clamp(1.0, 1e12) as i64));
        job
    };
    let jobs: Vec<Job> = offer.sizes.all().iter().map(in_size).collect();
    let answers = forecaster.answer(&jobs, site, now)?;
    let sized: Vec<SizedStart> = offer
        .sizes
        .all()
        .iter()
        .zip(&answers.waits)
        .map(|(size, wait)| SizedStart::of(size.procs, moldable.spread(size.run), wait))
        .collect();
    let best = done_first(&sized);
    let prospects = sized.iter().zip(best).map(|(one, best)| one.prospect(best)).collect();
    // By another target than the median the sizes differ in what is not told by which is done sooner.
    let close = |best: usize| match preference.target {
        Target::Median => sized.iter().map(|one| !is_surely_shorter(&sized[best].done, &one.done)).collect(),
        Target::P90 => sized.iter().map(|one| !has_surely_lower_p90(&sized[best].done, &one.done)).collect(),
        Target::Mean => Vec::new(),
    };
    let advice = Advice::chosen(prospects, preference, close).ok_or(WhenError::NothingStarted)?;
    Ok(SizeForecasts {
        advice,
        offer,
        method: answers.method,
        record: answers.record,
        state: answers.state,
        excess: situation.excess(),
        learned: answers.learned,
    })
}

/// How far quantiles are from what their level says: of 80 % ranges 78 to 81 % hold (experiments/when).
const LEVEL_OFF: f64 = 0.02;

/// Whether nine in ten cases of the first time are surely done sooner: also if its quantile is really one of a higher level, and the other's
/// one of a lower level.
fn has_surely_lower_p90(one: &Distribution, other: &Distribution) -> bool {
    one.quantile(0.9 + LEVEL_OFF) < other.quantile(0.9 - LEVEL_OFF)
}

/// One size: how long the job waits and runs in it.
struct SizedStart {
    procs: Procs,
    wait: Distribution,
    run: Distribution,
    done: Distribution,
}

impl SizedStart {
    fn of(procs: Procs, run: Distribution, forecast: &WaitForecast) -> SizedStart {
        let wait = forecast.wait.clone();
        SizedStart { procs, done: sum(&wait, &run), wait, run }
    }

    fn prospect(&self, best: f64) -> Prospect {
        Prospect {
            procs: self.procs,
            queue: range(TimeSpread::of_wait(&self.wait)),
            run: range(TimeSpread::of(&self.run)),
            // The sum is made of few quantiles, which leave out the longest.
            turnaround: TimeRange {
                mean: Some(self.wait.mean() + self.run.mean()),
                ..range(TimeSpread::of(&self.done))
            },
            at_once: Some(1.0 - self.wait.survival(AT_ONCE)),
            best: Some(best),
        }
    }
}

fn range(spread: TimeSpread) -> TimeRange {
    let TimeSpread { expected, median, low, high } = spread;
    TimeRange { p10: Some(low), median, p90: Some(high), mean: Some(expected) }
}

/// For each size, the share of cases in which it is done first, if what delays one does not delay the others, as where sizes are told
/// apart; of equal ones the first.
fn done_first(sized: &[SizedStart]) -> Vec<f64> {
    let times: Vec<_> = sized.iter().map(|one| places(&one.done)).collect();
    let is_first = |size: usize, time: f64| -> f64 {
        let others = times.iter().enumerate().filter(|(other, _)| *other != size);
        let later = others.map(|(other, times)| {
            let later = times.iter().filter(|&&one| if other < size { one > time } else { one >= time });
            later.count() as f64 / times.len() as f64
        });
        later.product()
    };
    let share = |(size, own): (usize, &[f64; PLACES])| {
        own.iter().map(|&time| is_first(size, time)).sum::<f64>() / own.len() as f64
    };
    times.iter().enumerate().map(share).collect()
}

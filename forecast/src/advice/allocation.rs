//! How many processors to ask for: the forecast starts of a job in each of its sizes, and how long it would run there.

use super::offer::{JobLimits, LEVELS, MoldableJob, Offer, scaled};
use super::option::{JobOption, TimeSpread};
use super::prospect::{AT_ONCE, Advice, Preference, Prospect};
use super::question::PlanError;
use super::situation::Situation;
use super::variant::{AskedJob, JobChange, JobVariant};
use crate::allot::Size;
use crate::forecast::{
    MethodRecord, PLACES, RegimeRecord, StateNow, WhenError, WhenSettings, WhenSource, places,
};
use queuecast_core::asking::Learning;
use queuecast_core::job::Job;
use queuecast_core::units::Procs;

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
    /// How right it was for those of them in the situation of the job in the recommended size; `None` with fewer than 30.
    pub regime: Option<RegimeRecord>,
    /// The site at that moment.
    pub state: StateNow,
    /// Processors recorded as held beyond those there are.
    pub excess: Procs,
    /// Jobs that had started: what waits were learned from.
    pub learned: usize,
    /// Sizes in which the job never starts.
    pub never: Vec<Procs>,
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
) -> Result<SizeForecasts, PlanError> {
    let (forecaster, then) = source.forecaster(settings, learning)?;
    let (site, now) = source.asked_about(&then);
    let learned = forecaster.learned();
    let situation = Situation::new(site.clone(), now, |job, elapsed| learned.run_time_of(job, elapsed));
    let offer = moldable.offered(situation.machine(), &situation.levels(LEVELS), limits)?;
    let variants: Vec<JobVariant<Job>> =
        offer.sizes.all().iter().map(|size| in_size(asked, size, moldable)).collect();
    let jobs: Vec<Job> = variants.iter().map(|one| one.job.clone()).collect();
    let answers = forecaster.answer(&jobs, site, now)?;
    let options = JobOption::all(&variants, answers.waits.iter().map(|one| Some(&one.wait)), None);
    let advice = chosen(&options, preference).ok_or(WhenError::NothingStarted)?;
    Ok(SizeForecasts {
        regime: of_recommended(&advice, &variants, &answers.regimes),
        advice,
        offer,
        method: answers.method,
        record: answers.record,
        state: answers.state,
        excess: situation.excess(),
        learned: answers.learned,
        never: Vec::new(),
    })
}

/// How right answers were in the situation of the recommended size, of those in the situation of each variant.
pub(super) fn of_recommended<J>(
    advice: &Advice,
    variants: &[JobVariant<J>],
    regimes: &[Option<RegimeRecord>],
) -> Option<RegimeRecord> {
    let place = variants.iter().position(|one| one.procs == advice.recommended().procs)?;
    regimes.get(place).copied().flatten()
}

/// The job in a size: it asks for the time that it runs there at most.
pub(super) fn in_size<J: AskedJob>(asked: &J, size: &Size, moldable: &MoldableJob) -> JobVariant<J> {
    let (procs, limit) = (size.procs, scaled(size.run, moldable.give_or_take.max(1.0)));
    let (job, run) = (asked.in_shape(procs, limit), moldable.spread(size.run));
    JobVariant { change: JobChange::Size, job, procs, limit, run }
}

/// What can be expected of the sizes, smallest first, and the one to ask for; `None` without any.
pub(super) fn chosen(options: &[JobOption], preference: Preference) -> Option<Advice> {
    let prospects = options.iter().zip(done_first(options)).map(|(one, best)| prospect(one, best)).collect();
    let ends = |place: usize| &options[place].ends;
    Advice::chosen(prospects, preference, |target, one, other| target.is_surely_less(ends(one), ends(other)))
}

/// What is shown of a size.
fn prospect(option: &JobOption, best: f64) -> Prospect {
    Prospect {
        procs: option.procs,
        queue: option.start.into(),
        run: TimeSpread::of(&option.run).into(),
        turnaround: option.done.into(),
        at_once: Some(1.0 - option.wait.survival(AT_ONCE.0 as f64)),
        best: Some(best),
    }
}

/// For each size, the share of cases in which it is done first, if what delays one does not delay the others, as where sizes are told
/// apart; of equal ones the first.
fn done_first(sized: &[JobOption]) -> Vec<f64> {
    let times: Vec<_> = sized.iter().map(|one| places(&one.ends)).collect();
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

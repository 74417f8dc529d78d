//! The predictor: what was said of the jobs in the system, and what is learned when they end.

use serde::{Deserialize, Serialize};

use super::super::scatter::Lookup;
use super::super::settings::PredictorSettings;
use super::super::{Forecast, LearnedRuns, Question, Revision, RuntimePredictor};
use super::archive::{Archive, Opinions};
use super::experts::{COUNT, EXPERTS, ExpertOpinion, Values};
use super::judge::{ByLoss, ExpertJudge};
use super::likeness::JobFacts;
use super::neighbours::{OwnRuns, Weighted, quantiles};
use super::point::MixturePoint;
use super::settings::MixtureSettings;
use queuecast_core::distribution::{
    CORRECTED_LEVELS, Conformal, ConformalSettings, Distribution, LevelQuantiles,
};
use queuecast_core::job::{Event, Job, JobIndex, What};
use queuecast_core::long_array;
use queuecast_core::spec::{Alone, Form, SettingKey, Settings, Spec, SpecError, Written};
use queuecast_core::units::{Seconds, Time};

/// How much experts count in the distribution beside neighbours.
const EXPERT_SHARE: f64 = 0.3;

/// Distributions are corrected apart where a job has no neighbours, fewer than this, or more.
const FEW: usize = 10;

impl PredictorSettings for MixtureSettings {
    const FORMS: &'static [Form] =
        &[Form::new("mixture", "many simple experts, each counting as much as it has been right").with(
            "[:consensus|mean|median]",
            &[SettingKey::spec("point", MixturePoint::forms)
                .alone(Alone::If(|text| MixturePoint::parse(text).is_ok()))],
            "mixture:median",
        )];

    fn read(settings: &Settings<'_>) -> Result<MixtureSettings, SpecError> {
        let mut mixture = MixtureSettings::default();
        settings.set("point", &mut mixture.point, |value| value.spec())?;
        Ok(mixture)
    }

    fn write(&self) -> String {
        let other = Some(self.point).filter(|&point| point != MixturePoint::default());
        Written::new("mixture").optional(other).to_string()
    }

    fn build(&self, _: impl FnOnce() -> Vec<Seconds>, default_request: Seconds) -> Box<dyn LearnedRuns> {
        Box::new(Mixture::new(*self, default_request))
    }
}

/// An online mixture of experts (see the [room](super)): each says something simple about how long jobs like this one ran, and
/// counts by how right it was about jobs with as much history, of this user, and of this user with this requested time.
///
/// The distribution has the run times of the user's last jobs, weighted by how similar and how recent they are, and what the
/// experts say; it is corrected by how far off such distributions have been lately, and nothing lies beyond the requested time,
/// where the jobs that would run on are stopped. Where more than a tenth of all jobs lately ran well past their requested time,
/// it binds neither point nor distribution.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Mixture {
    settings: MixtureSettings,
    archive: Archive,
    judge: ExpertJudge,
    conformal: Conformal,
    /// What was said of the jobs in the system.
    pending: Lookup<JobIndex, Pending>,
    /// Of the last event.
    now: Time,
    /// How many events there were.
    events: u64,
}

/// A job in the system.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Pending {
    facts: JobFacts,
    submit: Time,
    /// How many jobs of its user had ended when it arrived.
    own_ended: u64,
    /// `None` if it was not predicted.
    said: Option<Box<Said>>,
}

/// What was said of a job when it arrived.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Said {
    #[serde(with = "long_array")]
    values: Values,
    depth: usize,
    /// Of the distribution before its correction, and the group by which it is corrected.
    quantiles: LevelQuantiles,
    group: u64,
    /// How many events there were then, and what was answered.
    events: u64,
    run: Distribution,
    /// `None` if only the distribution was asked for.
    point: Option<Seconds>,
}

/// What is said of a job now.
struct MixtureAnswer {
    opinions: Opinions,
    weights: ByLoss,
    quantiles: LevelQuantiles,
    group: u64,
    run: Distribution,
    point: Option<Seconds>,
}

/// What is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Wanted {
    /// The distribution.
    Range,
    /// And one number, which costs as much again as a quarter of it.
    Point,
}

impl Mixture {
    /// Knows nothing yet. `default_request` is said of a job without request as long as nothing has ended.
    pub fn new(settings: MixtureSettings, default_request: Seconds) -> Mixture {
        Mixture {
            settings,
            archive: Archive::new(default_request),
            judge: ExpertJudge::new(),
            conformal: Conformal::new(ConformalSettings::default()),
            pending: Lookup::default(),
            now: Time(0),
            events: 0,
        }
    }

    /// The last jobs of the user of a job that have ended; `None` if the user is unknown or has none.
    pub fn own_runs(&self, job: &Job) -> Option<OwnRuns> {
        self.archive.own_runs(job)
    }

    /// How long the last jobs of the user of a job say it would run, in ascending order, where none of them asked for its time: what is
    /// predicted then is mostly by the limit alone. `None` if one did, or they are too few.
    pub fn own_runs_under_another_limit(&self, job: &Job) -> Option<Vec<f64>> {
        self.archive.own_runs_under_another_limit(job)
    }

    /// Whether no job of the user of this one has ended since it arrived: what was said of it then stands on all that is known of
    /// the user. What is learned from the jobs of others changes an answer little.
    pub fn knows_no_more_of_its_user(&self, job: &Job) -> bool {
        self.noted(job).is_some_and(|one| one.own_ended == self.archive.ended_of_user(&one.facts))
    }

    /// Learns from an event of long ago: how long jobs ran is remembered, but nothing is said of jobs that arrive, so that nothing
    /// is learned of how right experts were.
    pub fn observe_only(&mut self, event: &Event<'_>) {
        self.learn(event, false);
    }

    /// What each expert says of a job now, and how much it counts.
    pub fn opinions(&self, job: &Job) -> Vec<ExpertOpinion> {
        let MixtureAnswer { opinions, weights, .. } = self.answer(&self.facts(job), Wanted::Range);
        let experts = EXPERTS.iter().enumerate();
        experts
            .map(|(place, expert)| ExpertOpinion {
                expert,
                run: opinions.values[place],
                weights: weights.map(|weights| weights[place]),
            })
            .collect()
    }

    /// What was noted when the job arrived; `None` of another job under the same index, such as one only asked about.
    fn noted(&self, job: &Job) -> Option<&Pending> {
        let pending = self.pending.get(&job.index)?;
        let gap = pending.facts.gap;
        let same =
            pending.submit == job.submit && pending.facts == JobFacts { gap, ..JobFacts::of(job, None) };
        same.then_some(pending)
    }

    fn facts(&self, job: &Job) -> JobFacts {
        self.noted(job).map_or_else(|| self.archive.facts(job), |pending| pending.facts)
    }

    fn answer(&self, facts: &JobFacts, wanted: Wanted) -> MixtureAnswer {
        let mut opinions = self.archive.opinions(facts, self.now);
        let weights = self.judge.weights(facts, opinions.depth);
        let quantiles = spread(&mut opinions, &weights);
        let history = match opinions.neighbours {
            0 => 0,
            few if few < FEW => 1,
            _ => 2,
        };
        let group = 4 * facts.queue + history;
        let point = || self.settings.point.of(&opinions.values, &weights);
        let limit = self.archive.limit(facts);
        let wanted = (wanted == Wanted::Point || limit.is_infinite()).then(point);
        let corrected = self.conformal.corrected(group, &quantiles);
        let knots: [(f64, f64); CORRECTED_LEVELS.len()] =
            std::array::from_fn(|place| (CORRECTED_LEVELS[place], corrected[place].max(1.0)));
        let range = Distribution::quantiles(&knots).unwrap_or_else(|| Distribution::point(point()));
        // A limit that binds is no longer than the ceiling, whatever is predicted.
        let run = range.capped(wanted.map_or(limit, |point| self.archive.ceiling(facts, point)));
        let point = wanted.map(|point| Seconds(point.round() as i64));
        MixtureAnswer { opinions, weights, quantiles, group, run, point }
    }
}

/// Quantiles of the neighbours and the experts together, before they are corrected. The neighbours become both.
fn spread(opinions: &mut Opinions, weights: &ByLoss) -> LevelQuantiles {
    let Opinions { values, near, limit, .. } = opinions;
    let total: f64 = near.iter().map(|&(_, weight)| weight).sum();
    let share = if total > 0.0 { (1.0 - EXPERT_SHARE) / total } else { 0.0 };
    near.iter_mut().for_each(|(_, weight)| *weight *= share);
    let mut experts: [Weighted; COUNT] = std::array::from_fn(|expert| {
        (values[expert], EXPERT_SHARE * (weights[0][expert] + weights[1][expert]) / 2.0)
    });
    experts.sort_unstable_by(|one, other| one.0.total_cmp(&other.0));
    merge(near, &experts);
    let found = quantiles(near, &CORRECTED_LEVELS).unwrap_or([1.0; CORRECTED_LEVELS.len()]);
    found.map(|run| run.max(1.0).min(*limit))
}

/// Adds ascending values to ascending ones, after those that are equal.
fn merge(ascending: &mut Vec<Weighted>, others: &[Weighted]) {
    let (mut from, mut left) = (ascending.len(), others.len());
    ascending.extend_from_slice(others);
    // From the end on, so that nothing is overwritten that is still to be moved.
    for to in (0..ascending.len()).rev() {
        let Some(&other) = left.checked_sub(1).and_then(|last| others.get(last)) else { return };
        if from > 0 && ascending[from - 1].0 > other.0 {
            ascending[to] = ascending[from - 1];
            from -= 1;
        } else {
            ascending[to] = other;
            left -= 1;
        }
    }
}

/// The distribution at the start, given that the job has run for `elapsed`.
fn run_given(at_first: &Distribution, elapsed: Seconds, limit: f64) -> Distribution {
    let passed = elapsed.0 as f64;
    let range = at_first.given(passed);
    // A job that has outlived the distribution may still have its limit ahead.
    if passed < limit { range.capped(limit) } else { range }
}

/// The forecast once the job has run for `elapsed`: the distribution given that, and in it the point of the same level.
fn given(forecast: &Forecast, elapsed: Seconds, limit: f64) -> Forecast {
    let (at_first, passed) = (forecast.distribution(), elapsed.0 as f64);
    let outlived = passed >= at_first.longest();
    let level = if outlived { 0.5 } else { 1.0 - at_first.survival(forecast.point().0 as f64) };
    let range = run_given(&at_first, elapsed, limit);
    let point = Seconds(range.quantile(level).round() as i64);
    Forecast::new(point.max(elapsed + Seconds(1)), range)
}

impl RuntimePredictor for Mixture {
    fn estimate(&self, question: &Question<'_>) -> Forecast {
        let said = self.said_now(question.job).and_then(|said| Some((said.point?, said.run.clone())));
        let (point, run) = said.unwrap_or_else(|| {
            let MixtureAnswer { point, run, .. } = self.answer(&self.facts(question.job), Wanted::Point);
            (point.unwrap_or_default(), run)
        });
        let forecast = Forecast::new(point, run);
        if question.elapsed > Seconds::ZERO {
            let limit = self.archive.limit(&self.facts(question.job));
            given(&forecast, question.elapsed, limit)
        } else {
            forecast
        }
    }

    fn observe(&mut self, event: &Event<'_>, _revisions: &mut Vec<Revision>) {
        self.learn(event, true);
    }

    fn name(&self) -> String {
        self.settings.write()
    }
}

impl Mixture {
    /// The distribution of [`RuntimePredictor::estimate`], without the one number.
    pub fn run_time(&self, question: &Question<'_>) -> Distribution {
        let said = self.said_now(question.job).map(|said| said.run.clone());
        let facts = || self.facts(question.job);
        let run = said.unwrap_or_else(|| self.answer(&facts(), Wanted::Range).run);
        match question.elapsed > Seconds::ZERO {
            true => run_given(&run, question.elapsed, self.archive.limit(&facts())),
            false => run,
        }
    }

    /// What was said of a job, if nothing has happened since.
    fn said_now(&self, job: &Job) -> Option<&Said> {
        let said = self.noted(job).and_then(|pending| pending.said.as_deref());
        said.filter(|said| said.events == self.events)
    }

    /// A job is about to arrive, at this moment: what is said of it is found now, and not once more when it arrives. Only the
    /// distribution of its run time will be asked for.
    pub fn announce(&mut self, job: &Job, now: Time) {
        self.now = now;
        self.note(job, Some(Wanted::Range));
    }

    /// Notes a job that joins the system, and what is said of it if something is wanted.
    fn note(&mut self, job: &Job, wanted: Option<Wanted>) {
        let facts = self.archive.facts(job);
        let said = wanted.map(|wanted| {
            let MixtureAnswer { opinions, quantiles, group, run, point, .. } = self.answer(&facts, wanted);
            let Opinions { values, depth, .. } = opinions;
            Box::new(Said { values, depth, quantiles, group, events: self.events, run, point })
        });
        let own_ended = self.archive.ended_of_user(&facts);
        self.pending.insert(job.index, Pending { facts, submit: job.submit, own_ended, said });
    }

    /// Jobs that arrive are predicted if they are `judged`, so that it is learned how right that was.
    fn learn(&mut self, event: &Event<'_>, judged: bool) {
        let job = event.job;
        (self.now, self.events) = (event.at, self.events + 1);
        match event.what {
            What::Arrived => {
                // Nothing has happened since it was announced.
                let announced = self.noted(job).and_then(|pending| pending.said.as_deref());
                if announced.is_some_and(|said| said.events + 1 == self.events) {
                    let said = self.pending.get_mut(&job.index).and_then(|pending| pending.said.as_mut());
                    said.into_iter().for_each(|said| said.events += 1);
                } else {
                    self.note(job, judged.then_some(Wanted::Point));
                }
                self.archive.submit(job);
            }
            What::Started(_) => {
                let facts = self.facts(job);
                self.archive.start(job.index, &facts, event.at);
            }
            What::Overran { .. } => {}
            What::Withdrawn => {
                self.pending.remove(&job.index);
            }
            What::Ended(end) => {
                let run = end.ran.0.max(1) as f64;
                let facts = self.facts(job);
                if self.noted(job).is_some()
                    && let Some(said) = self.pending.remove(&job.index).and_then(|pending| pending.said)
                {
                    self.judge.learn(&facts, said.depth, &said.values, run);
                    let counted = run.min(self.archive.limit(&facts));
                    self.conformal.learn(said.group, &said.quantiles, counted);
                }
                self.archive.end(job.index, &facts, event.at, run);
            }
        }
    }
}

#[cfg(test)]
mod tests;

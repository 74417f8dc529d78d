//! When will it start at a Slurm site: one call to the answer.

use super::forecaster::{ClusterForecaster, later_by, regime_of};
use super::not_before::NotBefore;
use super::past::ClusterPast;
use super::record::{ClusterRecord, NewcomerRecord, TriedSubmission};
use super::requested::requested;
use super::starts::{ClusterDraws, DrawnJob};
use crate::forecast::answer::{PredictedWait, StateNow, WhenAnswer, WhenSettings};
use crate::forecast::arrivals::WaitOutcome;
use crate::forecast::range_record::{
    KnownWait, MethodRecord, RangeRecord, SaidRange, counted, judged, preferred,
};
use crate::forecast::regime::RegimeRecord;
use queuecast_core::distribution::Distribution;
use queuecast_core::order;
use queuecast_core::seed::Seed;
use queuecast_core::units::{Micros, Procs, Seconds, Time};
use queuecast_slurm_sim::cluster::{
    Cluster, ClusterMoment, JobOutcome, RecordedRun, StandingState, SubmittedJob, is_known,
};
use queuecast_slurm_sim::controller::{SimulatedSchedule, free_processors, queue_ahead};
use queuecast_wait::{PastWaits, WaitForecast};

/// A job that has not been submitted, and the Slurm site it would be submitted to.
#[derive(Debug, Clone, Copy)]
pub struct ClusterQuestion<'a> {
    /// The site.
    pub cluster: &'a Cluster,
    /// What has happened there; what it tells of later than the moment is not looked at.
    pub history: &'a RecordedRun,
    /// The site when the job is submitted.
    pub moment: &'a ClusterMoment,
    /// The job, without a run time.
    pub job: &'a SubmittedJob,
    /// How right such answers were, if that is known; else they are tried on the history.
    pub record: Option<&'a ClusterRecord>,
    /// What was simulated of the queue at the moment, if that was done before; for [`ClusterWhenSettings::is_followed`].
    pub schedules: &'a [SimulatedSchedule],
}

impl ClusterQuestion<'_> {
    /// Jobs that wait where the job would be submitted.
    pub fn waiting(&self) -> usize {
        queue_ahead(self.cluster, self.moment, self.job).waiting
    }
}

/// How the answer is found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ClusterWhenSettings {
    /// The simulations of the answer.
    pub draws: ClusterDraws,
    /// How many of the last submissions the same is tried on.
    pub trials: usize,
    /// Simulations of each trial, and of each past queue.
    pub trial_draws: u32,
    /// How many past queues are asked about, where it is not known how right answers about waiting jobs were.
    pub past_queues: usize,
    /// The seed of all draws.
    pub seed: Seed,
    /// Whether the site is followed from look to look. Then a job is placed beside simulations of the queue without it, which are the same
    /// for all, instead of being simulated with it; and waiting jobs are corrected by half of earlier errors.
    pub is_followed: bool,
}

/// Past queues that are asked about.
const PAST_QUEUES: usize = 40;

/// Where there is not enough work for more, this many simulations are done.
const FEWEST_DRAWS: u32 = 5;

/// A queue of fewer jobs counts as one of this many: a simulation has work besides its queue.
const SHORT_QUEUE: u64 = 10;

/// How much may be simulated for an answer. A simulation goes through the waiting jobs at each pass of the scheduler, and there are the more
/// passes the more jobs wait: it counts as the square of their number, which takes about a microsecond each. Time itself is not looked at, so
/// that the same question has the same answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SimulationWork(pub u64);

impl ClusterWhenSettings {
    /// These with as many simulations as may be done with `work` while `waiting` jobs wait: of the queue first, and of what is left half for
    /// trials and half for past queues. With fewer past queues than usual, their errors correct waiting jobs wholly.
    #[must_use]
    pub fn within(self, SimulationWork(work): SimulationWork, waiting: usize) -> ClusterWhenSettings {
        let each = (waiting as u64).max(SHORT_QUEUE).pow(2);
        let most = u32::try_from(work / each).unwrap_or(u32::MAX);
        let draws = most.max(FEWEST_DRAWS).min(self.draws.draws);
        let tried = (most.saturating_sub(draws) / self.trial_draws.max(1) / 2) as usize;
        ClusterWhenSettings {
            draws: ClusterDraws { draws, ..self.draws },
            trials: self.trials.min(tried),
            past_queues: self.past_queues.min(tried),
            ..self
        }
    }

    /// Whether as many past queues are asked about as usual.
    pub(super) fn has_all_past_queues(&self) -> bool {
        self.past_queues >= PAST_QUEUES
    }
}

impl Default for ClusterWhenSettings {
    fn default() -> ClusterWhenSettings {
        ClusterWhenSettings {
            draws: ClusterDraws::default(),
            trials: 60,
            trial_draws: 8,
            past_queues: PAST_QUEUES,
            seed: Seed(1),
            is_followed: false,
        }
    }
}

/// Why there is no answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ClusterWhenError {
    /// The site refuses it, or it starts in no simulation.
    #[error("the job would never start there: {0}")]
    Never(&'static str),
}

/// The name of forecasts by the site's own scheduler.
pub const SITE_METHOD: &str = "slurm";

/// Asks about several variants of one job.
pub(crate) struct ClusterVariants<'a> {
    question: &'a ClusterQuestion<'a>,
    settings: ClusterWhenSettings,
    forecaster: ClusterForecaster<'a>,
}

/// When variants of a job would start.
pub(crate) struct VariantStarts {
    pub method: String,
    /// Of each variant; `None` if it never starts.
    pub waits: Vec<Option<Distribution>>,
    pub state: StateNow,
    pub record: Option<MethodRecord>,
    pub regimes: Vec<Option<RegimeRecord>>,
    pub tried: Vec<MethodRecord>,
    pub learned: usize,
}

impl<'a> ClusterVariants<'a> {
    pub fn new(question: &'a ClusterQuestion<'a>, settings: ClusterWhenSettings) -> ClusterVariants<'a> {
        let draws = ClusterDraws { draws: settings.trial_draws, ..settings.draws };
        let ClusterQuestion { cluster, history, record, .. } = *question;
        let mut forecaster = match record {
            Some(record) => ClusterForecaster::resumed(cluster, history, &record.runs, draws, settings.seed),
            None => ClusterForecaster::new(cluster, history, draws, settings.seed),
        };
        forecaster.places_beside(settings.is_followed);
        ClusterVariants { question, settings, forecaster }
    }

    /// When jobs start that are submitted together, and how long they run, simulation by simulation.
    pub(super) fn together(
        question: &'a ClusterQuestion<'a>,
        settings: ClusterWhenSettings,
        jobs: &[SubmittedJob],
    ) -> Vec<Vec<DrawnJob>> {
        let mut asking = ClusterVariants::new(question, settings);
        asking.forecaster.set_draws(settings.draws);
        asking.forecaster.together(question.moment, jobs)
    }

    /// What is learned of run times and limits up to the moment. It is apart from the forecaster's, which learns as it is tried.
    pub fn past(&self) -> ClusterPast<'a> {
        let ClusterQuestion { cluster, history, moment, record, .. } = *self.question;
        let mut past = match record {
            Some(record) => ClusterPast::resumed(cluster, history, &record.runs),
            None => learning_limits(cluster, history, moment.now),
        };
        past.advance_to(moment.now);
        past
    }
}

/// Learns run times and limits, to be asked about an instant.
pub(super) fn learning_limits<'a>(
    cluster: &'a Cluster,
    history: &'a RecordedRun,
    now: Micros,
) -> ClusterPast<'a> {
    let mut past = ClusterPast::of(cluster, history);
    past.learn_limits();
    let places = submitted_before(history, now);
    past.asked_from(places.len(), &places, history);
    past
}

/// When a job would start at a Slurm site: by its own scheduler simulated onwards, or by the quantiles of past waits where these
/// were better for the last submissions, beyond chance. `done` is told of each submission that this is tried on.
pub fn when_at_cluster(
    question: &ClusterQuestion<'_>,
    settings: ClusterWhenSettings,
    done: &(dyn Fn(usize) + Sync),
) -> Result<WhenAnswer, ClusterWhenError> {
    let asking = ClusterVariants::new(question, settings);
    let answers = variants_at_cluster(asking, std::slice::from_ref(question.job), done);
    let VariantStarts { method, mut waits, state, record, regimes, tried, learned } = answers;
    let wait = waits.pop().flatten().ok_or_else(|| never_starts(question.job))?;
    let request = requested(question.cluster, question.job);
    let wait = PredictedWait::of(&WaitForecast::by_measure(wait), request);
    let regime = regimes.first().copied().flatten();
    Ok(WhenAnswer { method, wait, state, record, regime, tried, learned })
}

/// As [`when_at_cluster`], for each of several jobs that are submitted alone; `None` of those that never start.
pub fn when_each_at_cluster(
    question: &ClusterQuestion<'_>,
    settings: ClusterWhenSettings,
    jobs: &[SubmittedJob],
) -> Vec<Option<PredictedWait>> {
    let asking = ClusterVariants::new(question, settings);
    let answers = variants_at_cluster(asking, jobs, &|_| {});
    let of = |(wait, job): (Option<Distribution>, &SubmittedJob)| {
        Some(PredictedWait::of(&WaitForecast::by_measure(wait?), requested(question.cluster, job)))
    };
    answers.waits.into_iter().zip(jobs).map(of).collect()
}

/// Why a job never starts at a site.
pub(crate) fn never_starts(job: &SubmittedJob) -> ClusterWhenError {
    ClusterWhenError::Never(match job.request.terms.hold {
        true => "it asks to be held, and nothing is known of its release",
        false => "no partition that it asks for can run it, or a limit never lets it",
    })
}

/// As [`when_at_cluster`], for several variants of the job.
pub(crate) fn variants_at_cluster(
    asking: ClusterVariants<'_>,
    jobs: &[SubmittedJob],
    done: &(dyn Fn(usize) + Sync),
) -> VariantStarts {
    let ClusterVariants { question, settings, mut forecaster } = asking;
    let ClusterQuestion { history, moment, record, schedules, .. } = *question;
    let now = moment.now;
    let waits = RecordedStarts::of(history);
    let newcomers = match record {
        Some(record) => record.newcomers.clone(),
        None => NewcomerRecord::of(&mut forecaster, &waits, now, settings.trials, done),
    };
    forecaster.go_on_from(&newcomers);
    forecaster.set_draws(settings.draws);
    let own = forecaster.newcomers(moment, jobs, schedules);
    let mut answers: Vec<Option<Distribution>> = own.into_iter().map(|one| one.wait).collect();
    let enough = |record: &MethodRecord| record.jobs >= WhenSettings::FEWEST;
    let regime = |job| newcomers.in_regime(regime_of(question.cluster, moment, job));
    let regimes = jobs.iter().map(regime).collect();
    let NewcomerRecord { tried: [own, past], prefers_past, .. } = newcomers;
    let mut tried = vec![own];
    if let Some(before) = waits.before(now) {
        tried.push(past);
        if prefers_past {
            tried.swap(0, 1);
            for (answer, job) in answers.iter_mut().zip(jobs) {
                // Past waits count from when a job may start.
                let from = NotBefore::of(question.cluster, moment).job(job);
                let later = (from - now).max(Micros::ZERO).as_seconds();
                *answer = answer.is_some().then(|| later_by(&before, later));
            }
        }
    }
    VariantStarts {
        method: tried[0].method.clone(),
        waits: answers,
        state: state_now(question),
        record: Some(tried[0].clone()).filter(enough),
        regimes,
        tried,
        learned: waits.started_by(now),
    }
}

/// The places of the submissions before an instant, in their order.
fn submitted_before(run: &RecordedRun, now: Micros) -> Vec<usize> {
    let submissions = &run.submissions;
    let mut places: Vec<usize> =
        (0..submissions.len()).filter(|&place| submissions[place].submit < now).collect();
    order::sort_by_key(&mut places, |&place| (submissions[place].submit, place));
    places
}

/// How right forecasts of the last submissions before an instant were, and the quantiles of past waits; and what each of these met.
fn tried(
    forecaster: &mut ClusterForecaster<'_>,
    waits: &RecordedStarts<'_>,
    now: Micros,
    trials: usize,
    done: &(dyn Fn(usize) + Sync),
) -> (Vec<RangeRecord>, Vec<TriedSubmission>) {
    let submissions = &waits.history.submissions;
    let places = submitted_before(waits.history, now);
    let first = places.len().saturating_sub(trials);
    forecaster.asked_from(first, &places);
    let (mut known, mut simulated, mut past) = (Vec::new(), Vec::new(), Vec::new());
    let mut regimes = Vec::new();
    for &place in &places[first..] {
        let submission = &submissions[place];
        let so_far = Seconds((now - submission.submit).second().0);
        let Some(regime) = forecaster.regime_at(place) else { continue };
        for forecast in forecaster.at_submission(place) {
            let Some(outcome) = forecaster.outcome(&submission.key, forecast.task) else { continue };
            let (Some(ours), Some(before)) = (forecast.wait, waits.before(submission.submit)) else {
                continue;
            };
            let start = outcome.start.filter(|start| is_known(*start, now));
            let end = outcome.end.filter(|end| is_known(*end, now));
            let became = match (start, end) {
                (Some(start), _) => {
                    WaitOutcome::Started((start - submission.submit.second()).max(Seconds::ZERO))
                }
                (None, Some(left)) => {
                    WaitOutcome::Withdrawn((left - submission.submit.second()).max(Seconds::ZERO))
                }
                // It still waits.
                (None, None) => WaitOutcome::Withdrawn(so_far),
            };
            // Of starts in the same second as the question, milliseconds decide.
            let so_far = if let WaitOutcome::Started(wait) = became { so_far.max(wait) } else { so_far };
            let Some(wait) = KnownWait::of(became, so_far) else { continue };
            known.push(wait);
            regimes.push(regime);
            simulated.push(SaidRange::of(&ours));
            past.push(SaidRange::of(&before));
        }
        done(1);
    }
    let held = |job: usize| [&simulated, &past].map(|said| said[job].holds(known[job]));
    let counted = counted(&known, &[&simulated, &past]);
    let met = counted.into_iter().map(|job| TriedSubmission {
        regime: regimes[job],
        held: held(job),
        at_once: known[job].is_at_once(),
    });
    let met = met.collect();
    (judged(&known, &[&simulated, &past]), met)
}

impl NewcomerRecord {
    /// Tries forecasts of the last submissions before an instant. `done` is told of each.
    pub fn of(
        forecaster: &mut ClusterForecaster<'_>,
        waits: &RecordedStarts<'_>,
        now: Micros,
        trials: usize,
        done: &(dyn Fn(usize) + Sync),
    ) -> NewcomerRecord {
        let (judged, met) = tried(forecaster, waits, now, trials, done);
        let names = [SITE_METHOD, "past"];
        let tried = [0, 1].map(|place| judged[place].record(names[place].to_owned()));
        let enough = |record: &MethodRecord| record.jobs >= WhenSettings::FEWEST;
        let prefers_past = tried.iter().all(enough) && preferred(&judged) == 1;
        let (asked, corrections) = forecaster.tried_so_far(now);
        NewcomerRecord { asked, corrections, tried, prefers_past, met }
    }
}

/// Recorded starts, in their order.
pub(super) struct RecordedStarts<'r> {
    history: &'r RecordedRun,
    /// When, and after how long a wait.
    starts: Vec<(Time, f64)>,
}

impl<'r> RecordedStarts<'r> {
    pub fn of(history: &'r RecordedRun) -> RecordedStarts<'r> {
        let start = |one: &JobOutcome| Some((one.start?, (one.start? - one.submit).0.max(0) as f64));
        let mut starts: Vec<(Time, f64)> = history.outcomes.iter().filter_map(start).collect();
        order::sort_by(&mut starts, |one, other| one.0.cmp(&other.0).then(one.1.total_cmp(&other.1)));
        RecordedStarts { history, starts }
    }

    fn started_by(&self, now: Micros) -> usize {
        self.starts.partition_point(|&(at, _)| is_known(at, now))
    }

    /// The distribution of the last waits of jobs that had started by then.
    fn before(&self, now: Micros) -> Option<Distribution> {
        let until = self.started_by(now);
        let mut waits: Vec<f64> =
            self.starts[until.saturating_sub(PastWaits::WINDOW)..until].iter().map(|one| one.1).collect();
        order::sort_floats(&mut waits);
        Distribution::observed(waits.into(), 1.0)
    }
}

/// The site at the moment, in processors.
pub(super) fn state_now(question: &ClusterQuestion<'_>) -> StateNow {
    let ClusterQuestion { cluster, moment, job, .. } = *question;
    let (in_service, free) = free_processors(cluster, moment);
    let ahead = queue_ahead(cluster, moment, job);
    let running = moment.standings.iter().filter(|one| matches!(one.state, StandingState::Running { .. }));
    let procs = |procs: u64| Procs(u32::try_from(procs).unwrap_or(u32::MAX));
    StateNow {
        procs: procs(in_service),
        free: procs(free),
        running: running.count(),
        waiting: ahead.waiting,
        wanted: ahead.wanted,
        preferred: ahead.preferred,
        preferred_wanted: ahead.preferred_wanted,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_more_jobs_wait_the_fewer_simulations_there_are() {
        let counts = |waiting: usize| {
            let ClusterWhenSettings { draws, trials, past_queues, .. } =
                ClusterWhenSettings::default().within(SimulationWork(1_000_000), waiting);
            (draws.draws, trials, past_queues)
        };
        // Of 100 simulations 40 are of the queue, and 8 of each trial and past queue.
        assert_eq!((counts(0), counts(30), counts(100)), ((40, 60, 40), (40, 60, 40), (40, 3, 3)));
        assert_eq!((counts(200), counts(1000), counts(5000)), ((25, 0, 0), (5, 0, 0), (5, 0, 0)));
        let usual = ClusterWhenSettings::default();
        assert_eq!(usual.within(SimulationWork(u64::MAX), 1000), usual);
    }
}

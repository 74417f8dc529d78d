//! One forecaster for every question about a site: it learns from events in one pass, and answers by what it has learned.

use queuecast_core::order;
use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::answer::{StateNow, WhenAnswers, WhenError, WhenSettings};
use super::followed::FollowedMethod;
use super::limit_record::LimitRecord;
use super::range_record::{MethodRecord, SaidRange};
use super::regime::Regime;
use super::starts::LearnedSite;
use super::trials::TriedJobs;
use queuecast_core::job::{Event, Job, JobIndex, What};
use queuecast_core::parallel;
use queuecast_core::units::{Procs, Seconds, Time};
use queuecast_sim::site::Site;
use queuecast_wait::features::{FeatureTracker, Features};
use queuecast_wait::{Arrival, WaitForecast};

/// The number of a job that is only asked about; no job of a site has it. It also seeds simulations, so that every question about the
/// same job has the same answer.
pub(crate) const ASKED: JobIndex = JobIndex(u32::MAX - 1);

/// Follows the events of a site with several methods, and answers when a job would start by the first of them, unless another had better
/// ranges for the last jobs beyond chance.
///
/// Learning needs `&mut self`: [`Forecaster::submitted`] and [`Forecaster::observe`], in the order of time, and
/// [`Forecaster::refit`] between two events. Answering does not: any number of threads can ask one forecaster at once, and no question
/// fits a model. [`Forecaster::snapshot`] is for those that ask while another thread learns, and [`Forecaster::stored`] for another
/// process.
#[derive(Clone)]
pub struct Forecaster {
    settings: WhenSettings,
    /// Shared with snapshots, and copied by the next event where one is still held.
    state: Arc<ForecasterState>,
}

/// All that a forecaster has learned.
#[derive(Clone, Serialize, Deserialize)]
pub(super) struct ForecasterState {
    learned: LearnedSite,
    limits: LimitRecord,
    tracker: FeatureTracker,
    methods: Vec<FollowedMethod>,
    /// Jobs that have not started.
    open: BTreeMap<JobIndex, OpenJob>,
    tried: TriedJobs,
    started: usize,
    /// Whether the present event lies before the first job that methods are tried on, by more than [`WARM_UP`]: no run time is predicted.
    is_past: bool,
}

/// Submissions before the first that a method remembers from which on run times are predicted: the predictor needs them to learn how
/// right its experts are.
pub(super) const WARM_UP: usize = 10_000;

/// A job as it was at its submission.
#[derive(Clone, Serialize, Deserialize)]
struct OpenJob {
    job: Job,
    features: Features,
    /// As in [`SubmissionUse::ahead`].
    ahead: usize,
}

impl fmt::Debug for Forecaster {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Forecaster")
            .field("settings", &self.settings)
            .field("started", &self.state.started)
            .finish_non_exhaustive()
    }
}

/// What is made of a submission.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SubmissionUse {
    /// How many submissions later the first is that methods are tried on: methods need not remember what is long before that. 0 if it
    /// is not known, as at a live site.
    pub ahead: usize,
    /// Whether methods are tried on the job.
    pub tried: bool,
    /// Whether it will be known when the job starts.
    pub known: bool,
}

impl SubmissionUse {
    /// At a live site: methods are tried on every job.
    pub const LIVE: SubmissionUse = SubmissionUse { ahead: 0, tried: true, known: true };
}

impl Forecaster {
    /// Before the first event.
    pub fn new(settings: &WhenSettings) -> Forecaster {
        let default_request = settings.default_request;
        let methods = settings.methods.iter();
        let state = ForecasterState {
            learned: LearnedSite::new(&settings.predictor, default_request),
            limits: LimitRecord::default(),
            tracker: FeatureTracker::new(default_request),
            methods: methods.map(|method| FollowedMethod::new(method.clone(), default_request)).collect(),
            open: BTreeMap::new(),
            tried: TriedJobs::new(settings.trials),
            started: 0,
            is_past: false,
        };
        Forecaster::with(settings, state)
    }

    pub(super) fn with(settings: &WhenSettings, state: ForecasterState) -> Forecaster {
        Forecaster { settings: settings.clone(), state: Arc::new(state) }
    }

    /// What is learned so far, as it is, for any number of threads to ask while this one learns on. It costs nothing by itself; as long
    /// as it is held, the next event copies the state once.
    pub fn snapshot(&self) -> Forecaster {
        self.clone()
    }

    pub(super) fn state(&self) -> &ForecasterState {
        &self.state
    }

    /// A job is about to join the queue of a site, at the moment of its submission. Returns what each method says of it, if they are
    /// tried on it. No model is fitted: that is for [`Forecaster::refit`], whenever there is time.
    pub fn submitted(&mut self, job: &Job, site: &Site, used: SubmissionUse) -> Vec<WaitForecast> {
        Arc::make_mut(&mut self.state).submitted(job, site, used)
    }

    /// The place of the method that answers now.
    pub(super) fn best(&self, now: Time) -> Option<usize> {
        self.ranked(now).first().map(|(place, _)| *place)
    }

    /// Something has happened at the site.
    pub fn observe(&mut self, event: &Event<'_>) {
        Arc::make_mut(&mut self.state).observe(event);
    }

    /// Fits the models that are due to be fitted anew.
    pub fn refit(&mut self) {
        self.refit_unless(&|| false);
    }

    /// As [`Forecaster::refit`], given up once `stop` says so: what is not fitted by then stays as it was, and is still due.
    pub fn refit_unless(&mut self, stop: &(dyn Fn() -> bool + Sync)) {
        parallel::map_mut(&mut Arc::make_mut(&mut self.state).methods, |one| one.refit(stop));
    }

    /// Jobs that have started so far: what was learned from.
    pub fn started(&self) -> usize {
        self.state.started
    }

    /// What is learned of the site: run times, order of the queue, arrivals.
    pub fn learned(&self) -> &LearnedSite {
        &self.state.learned
    }

    /// Which time limits would have kept a risk.
    pub fn limits(&self) -> &LimitRecord {
        &self.state.limits
    }

    /// When each of several jobs would start if it alone were submitted to a site now.
    ///
    /// # Errors
    /// If a job is larger than the machine, or there is no method.
    pub fn answer(&self, jobs: &[Job], site: &Site, now: Time) -> Result<WhenAnswers, WhenError> {
        let nothing = Job::rigid(0, now, Procs(1), None);
        let state = StateNow::of(site, now, jobs.first().unwrap_or(&nothing), self.state.learned.order());
        if let Some(large) = jobs.iter().find(|job| job.shape.procs > state.procs) {
            return Err(WhenError::TooLarge { procs: large.shape.procs, machine: state.procs });
        }
        let ranked = self.ranked(now);
        let (place, record) = ranked.first().ok_or(WhenError::NothingStarted)?;
        let best = &self.state.methods[*place];
        let waits = jobs.iter().map(|job| self.forecast(best, job, site, now)).collect();
        let method = (*place, self.state.methods.len());
        let regime = |job| self.state.tried.in_regime(now, method, Regime::of(job, site, now));
        let regimes = jobs.iter().map(regime).collect();
        Ok(WhenAnswers {
            method: record.method.clone(),
            waits,
            state,
            record: Some(record.clone()).filter(is_enough),
            regimes,
            tried: ranked.iter().map(|one| one.1.clone()).collect(),
            learned: self.state.started,
        })
    }

    fn forecast(&self, by: &FollowedMethod, job: &Job, site: &Site, now: Time) -> WaitForecast {
        let job = Job { index: ASKED, ..job.clone() };
        let features = features_at(site, now, &job, self.settings.default_request);
        by.forecast(&self.state.learned, &Arrival { job: &job, at: now, features: &features }, site.view(now))
    }

    /// The methods by their places, each with its record, the one that answers first.
    fn ranked(&self, now: Time) -> Vec<(usize, MethodRecord)> {
        let methods = self.state.methods.iter().map(|one| one.method.to_string());
        let mut ranked = self.state.tried.ranked(now, methods.collect());
        if !ranked.iter().all(|(_, record)| is_enough(record)) {
            // With too few trials the first simulating method answers, since it uses the current queue; else the first method.
            let is_simulated = |place: usize| self.state.methods[place].method.is_simulated();
            order::sort_by_key(&mut ranked, |one| one.0);
            if let Some(place) = ranked.iter().position(|one| is_simulated(one.0)) {
                ranked[..=place].rotate_right(1);
            }
        }
        ranked
    }
}

impl ForecasterState {
    fn submitted(&mut self, job: &Job, site: &Site, used: SubmissionUse) -> Vec<WaitForecast> {
        let remembered = self.methods.iter().map(|one| one.method.remembered()).max().unwrap_or(0);
        self.is_past = used.ahead > remembered.max(LimitRecord::JOBS).saturating_add(WARM_UP);
        let features = self.tracker.features(job, job.submit);
        let arrival = Arrival { job, at: job.submit, features: &features };
        if !self.is_past {
            self.learned.announce(job);
        }
        let learned = &self.learned;
        let mut said = Vec::new();
        if used.tried {
            said = parallel::map_mut(&mut self.methods, |one| {
                one.predict(learned, &arrival, site.view(job.submit))
            });
            let ranges = said.iter().map(|one| SaidRange::of(&one.wait)).collect();
            self.tried.said(job, Regime::of(job, site, job.submit), ranges);
        }
        for one in &mut self.methods {
            if used.ahead <= one.method.remembered() {
                one.arrives(learned, &arrival, site.view(job.submit), used.ahead);
            }
        }
        if used.known {
            self.open.insert(job.index, OpenJob { job: job.clone(), features, ahead: used.ahead });
        }
        said
    }

    fn observe(&mut self, event: &Event<'_>) {
        let index = event.job.index;
        self.tracker.observe(event);
        let run = match self.is_past {
            true => {
                self.learned.observe_past(event);
                None
            }
            false => self.learned.observe(event),
        };
        self.methods.iter_mut().for_each(|one| one.observe(event));
        match event.what {
            What::Arrived => {
                if let Some(run) = run {
                    self.limits.arrived(event.job, &run);
                }
            }
            What::Started(_) => {
                self.started += 1;
                if let Some(OpenJob { job, features, ahead }) = self.open.remove(&index) {
                    let wait = (event.at - job.submit).max(Seconds::ZERO);
                    let arrival = Arrival { job: &job, at: job.submit, features: &features };
                    let learning = self.methods.iter_mut().filter(|one| ahead <= one.learned_from());
                    learning.for_each(|one| one.learn(&arrival, wait));
                    self.tried.started(index, wait);
                }
            }
            What::Ended(end) => self.limits.ended(index, end.ran),
            What::Withdrawn => {
                self.limits.withdrawn(index);
                if let Some(OpenJob { job, .. }) = self.open.remove(&index) {
                    self.tried.left(index, (event.at - job.submit).max(Seconds::ZERO));
                }
            }
            What::Overran { .. } => {}
        }
    }

    /// Whether all of it can be stored.
    pub fn is_stored(&self) -> bool {
        self.learned.is_stored() && self.methods.iter().all(FollowedMethod::is_stored)
    }

    /// Whether these are the methods that have learned.
    pub fn has(&self, settings: &WhenSettings) -> bool {
        self.methods.iter().map(|one| &one.method).eq(&settings.methods)
    }
}

fn is_enough(record: &MethodRecord) -> bool {
    record.jobs >= WhenSettings::FEWEST
}

/// The features of a job that arrives at a site as it is.
fn features_at(site: &Site, now: Time, job: &Job, default_request: Seconds) -> Features {
    let mut tracker = FeatureTracker::new(default_request);
    let view = site.view(now);
    let mut tell = |job: &Job, at: Time, what: What| tracker.observe(&Event { at, job, what });
    for running in view.running() {
        tell(running.job, running.start, What::Arrived);
        tell(running.job, running.start, What::Started(running.job.shape));
    }
    for waiting in view.waiting() {
        tell(waiting.job, now, What::Arrived);
    }
    tracker.features(job, now)
}

//! SBH, session-based history: what this user's jobs of the same kind did, session by session.
//!
//! The paper searches sessions backwards for the first that holds a job alike (listing 4). Here each kind of
//! job, under each criterion, remembers the newest session it was seen in and the run times of that session:
//! once a session holds a match it always will, so older ones are never needed again. A search is one look per
//! criterion, however long the history. A test holds it to the search as it is written.

use super::criteria::{Criteria, MOST, SimilarityKey};
use super::history::{LONGEST_TIME, Learn, Newcomer, beyond, within};
use super::present::{Presence, Present};
use super::sample::Sample;
use super::scatter::Lookup;
use super::settings::{Needs, PredictorSettings};
use super::{Forecast, LearnedRuns, Question, Requested, Revision, RuntimePredictor, Statistic};
use queuecast_core::job::{Event, Job, JobIndex, UserId, What};
use queuecast_core::spec::{Alone, Form, SettingKey, Settings, Spec, SpecError, Written, YesNo, choices};
use queuecast_core::units::{Seconds, Time};

/// What is searched first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum SessionSearch {
    /// All sessions for a criterion before the next criterion: an exact match, however old.
    #[default]
    DepthFirst,
    /// All criteria in a session before the session before it: a recent match, however vague.
    BreadthFirst,
}

choices! { SessionSearch, "search":
    DepthFirst = "dfs", "depth first: all sessions for a criterion before the next criterion";
    BreadthFirst = "bfs", "breadth first: all criteria in a session before the session before it";
}

/// The parameters of session-based history (Talby et al. 2005, section 5.2 and listing 4).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sbh {
    /// When two jobs are alike, most wanted first.
    pub criteria: Criteria,
    /// What is searched first.
    pub search: SessionSearch,
    /// How many sessions back, the present one included; `None`: all.
    pub depth: Option<u32>,
    /// From the end of one job to the arrival of the next: from this on, it is another session.
    pub think: Seconds,
    /// The matches of one session combined how.
    pub statistic: Statistic,
    /// Which jobs count.
    pub learn: Learn,
    /// What is predicted when nothing matches.
    pub newcomer: Newcomer,
    /// Whether the requested time caps predictions.
    pub cap: bool,
    /// Whether what is learned of one job changes the predictions of the user's others.
    pub propagate: bool,
    /// Whether two jobs of which something is unknown count as different in it.
    pub strict: bool,
}

impl Default for Sbh {
    fn default() -> Sbh {
        Sbh {
            criteria: Criteria::default(),
            search: SessionSearch::DepthFirst,
            depth: None,
            think: Seconds(20 * 60),
            statistic: Statistic::Median,
            learn: Learn::Ended,
            newcomer: Newcomer::Requested,
            cap: false,
            propagate: false,
            strict: false,
        }
    }
}

/// Whether two jobs match in a fact that is unknown of them, as a setting.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum UnknownFacts {
    Alike,
    Different,
}

choices! { UnknownFacts, "rule for unknown facts":
    Alike = "alike", "jobs match in what is unknown of both";
    Different = "different", "jobs never match in what is unknown";
}

/// How many sessions back, as a setting.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Sessions(Option<u32>);

impl std::fmt::Display for Sessions {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.0 {
            Some(depth) => depth.fmt(f),
            None => f.write_str("all"),
        }
    }
}

impl PredictorSettings for Sbh {
    const FORMS: &'static [Form] = &[Form::new("sbh", "run times of similar jobs in the user's sessions")
        .with(
            "[:[CRITERIA],SETTINGS]",
            &[
                SettingKey::new("criteria", "[PE,P,E,*]").alone(Alone::If(|text| text.starts_with('['))),
                SettingKey::spec("search", SessionSearch::forms)
                    .alone(Alone::If(|text| SessionSearch::parse(text).is_ok())),
                SettingKey::new("depth", "N|all"),
                SettingKey::new("think", "SECONDS"),
                SettingKey::spec("statistic", Statistic::forms)
                    .alone(Alone::If(|text| Statistic::parse(text).is_ok())),
                SettingKey::spec("learn", Learn::forms),
                SettingKey::new("new", "requested|SECONDS"),
                SettingKey::flag("cap"),
                SettingKey::flag("propagate"),
                SettingKey::spec("unknown", UnknownFacts::forms),
            ],
            "sbh:[PX,P,*],search=bfs,depth=10",
        )];

    fn read(settings: &Settings<'_>) -> Result<Sbh, SpecError> {
        let mut sbh = Sbh::default();
        settings.set("criteria", &mut sbh.criteria, |value| value.spec())?;
        settings.set("search", &mut sbh.search, |value| value.spec())?;
        settings.set("depth", &mut sbh.depth, |value| match value.text() {
            "all" => Ok(None),
            _ => value
                .whole(1..=u32::MAX.into())
                .map(Some)
                .map_err(|_| value.wrong("give a number of sessions from 1 on, or all")),
        })?;
        settings.set("think", &mut sbh.think, |value| value.seconds(LONGEST_TIME))?;
        settings.set("statistic", &mut sbh.statistic, |value| value.spec())?;
        settings.set("learn", &mut sbh.learn, |value| value.spec())?;
        settings.set("new", &mut sbh.newcomer, Newcomer::read)?;
        settings.set("cap", &mut sbh.cap, |value| value.flag())?;
        settings.set("propagate", &mut sbh.propagate, |value| value.flag())?;
        settings.set("unknown", &mut sbh.strict, |value| {
            Ok(value.spec::<UnknownFacts>()? == UnknownFacts::Different)
        })?;
        Ok(sbh)
    }

    fn write(&self) -> String {
        let own = Sbh::default();
        let unknown = |strict: bool| if strict { UnknownFacts::Different } else { UnknownFacts::Alike };
        Written::new("sbh")
            .optional(Some(self.criteria).filter(|criteria| *criteria != own.criteria))
            .setting("search", self.search, own.search)
            .setting("depth", Sessions(self.depth), Sessions(own.depth))
            .setting("think", self.think, own.think)
            .setting("statistic", self.statistic, own.statistic)
            .setting("learn", self.learn, own.learn)
            .setting("new", self.newcomer, own.newcomer)
            .setting("cap", YesNo(self.cap), YesNo(own.cap))
            .setting("propagate", YesNo(self.propagate), YesNo(own.propagate))
            .setting("unknown", unknown(self.strict), unknown(own.strict))
            .to_string()
    }

    fn needs(&self) -> Needs {
        Needs { user: true, executable: self.criteria.iter().any(|one| one.names_executable()) }
    }

    fn build(&self, _: impl FnOnce() -> Vec<Seconds>, default_request: Seconds) -> Box<dyn LearnedRuns> {
        Box::new(SessionHistory::new(*self, Requested { default: default_request }))
    }
}

/// Predicts from similar jobs in the user's sessions.
#[derive(Debug, Clone)]
pub struct SessionHistory {
    settings: Sbh,
    requested: Requested,
    users: Lookup<UserId, Activity>,
    /// Kinds by user and likeness; the number of the criterion is part of the likeness.
    kinds_of: Lookup<(UserId, u8, SimilarityKey), u32>,
    kinds: Vec<JobKind>,
    presence: Presence<InSystem>,
}

/// When a user was active.
#[derive(Debug, Clone, Copy)]
struct Activity {
    /// The number of the present session.
    session: u32,
    /// The job that arrived last, and when it ended.
    latest: JobIndex,
    ended: Option<Time>,
}

/// Jobs alike under one criterion: the newest session that holds one known, and what is known.
#[derive(Debug, Clone, Default)]
struct JobKind {
    session: u32,
    sample: Sample,
}

/// What is remembered of a job in the system.
#[derive(Debug, Clone, Copy)]
struct InSystem {
    kinds: Kinds,
    session: u32,
    /// What it counts as already.
    counts: Option<i64>,
}

/// The kinds a job belongs to, by criterion.
type Kinds = [Option<u32>; MOST];

impl SessionHistory {
    /// `requested` is what a newcomer may get.
    pub fn new(settings: Sbh, requested: Requested) -> SessionHistory {
        SessionHistory {
            settings,
            requested,
            users: Lookup::default(),
            kinds_of: Lookup::default(),
            kinds: Vec::new(),
            presence: Presence::new(),
        }
    }

    /// How many sessions a user has had.
    pub fn sessions(&self, user: UserId) -> u32 {
        self.users.get(&user).map_or(0, |activity| activity.session)
    }

    /// A user's job arrives: the number of the session it belongs to.
    fn arrive(&mut self, user: UserId, job: &Job) -> u32 {
        let think = self.settings.think;
        let first = Activity { session: 1, latest: job.index, ended: None };
        let activity = self.users.entry(user).and_modify(|activity| {
            let idle = activity.ended.is_some_and(|ended| job.submit - ended >= think);
            let session = activity.session + u32::from(idle);
            *activity = Activity { session, latest: job.index, ended: None };
        });
        activity.or_insert(first).session
    }

    fn kinds(&mut self, user: UserId, job: &Job) -> Kinds {
        let SessionHistory { settings, kinds_of, kinds, .. } = self;
        let mut found = Kinds::default();
        for ((number, criterion), place) in (0..).zip(settings.criteria.iter()).zip(&mut found) {
            *place = criterion.of(job, settings.strict).map(|likeness| {
                *kinds_of.entry((user, number, likeness)).or_insert_with(|| {
                    kinds.push(JobKind::default());
                    kinds.len() as u32 - 1
                })
            });
        }
        found
    }

    /// What the jobs of these kinds did, as the user's sessions stand.
    fn search(&self, session: u32, kinds: impl Iterator<Item = Option<u32>>) -> Option<i64> {
        let Sbh { search, depth, statistic, .. } = self.settings;
        let reached = depth.map_or(0, |depth| session.saturating_sub(depth));
        let mut best: Option<&JobKind> = None;
        for kind in
            kinds.flatten().map(|kind| &self.kinds[kind as usize]).filter(|kind| kind.session > reached)
        {
            if search == SessionSearch::DepthFirst {
                return kind.sample.statistic(statistic);
            }
            if best.is_none_or(|best| kind.session > best.session) {
                best = Some(kind);
            }
        }
        best.and_then(|kind| kind.sample.statistic(statistic))
    }

    fn predict(&self, job: &Job) -> Seconds {
        let found = job.user.and_then(|user| {
            let kinds = (0..).zip(self.settings.criteria.iter()).map(|(number, criterion)| {
                let likeness = criterion.of(job, self.settings.strict)?;
                self.kinds_of.get(&(user, number, likeness)).copied()
            });
            self.search(self.sessions(user), kinds)
        });
        match found {
            Some(run) => within(run, job.shape.limit, self.settings.cap),
            None => self.settings.newcomer.predicted(job.shape.limit, self.requested),
        }
    }

    fn enter(&mut self, user: UserId, job: &Job) {
        let session = self.arrive(user, job);
        let kinds = self.kinds(user, job);
        let predicted = match self.search(session, kinds.into_iter()) {
            Some(run) => within(run, job.shape.limit, self.settings.cap),
            None => self.settings.newcomer.predicted(job.shape.limit, self.requested),
        };
        self.presence.enter(job, user, predicted, InSystem { kinds, session, counts: None });
    }

    /// A job counts as this long from now on.
    fn count(&mut self, kept: &mut InSystem, run: i64) {
        let was = kept.counts.replace(run);
        for kind in kept.kinds.into_iter().flatten() {
            let kind = &mut self.kinds[kind as usize];
            if kind.session > kept.session {
                continue;
            }
            if kind.session < kept.session {
                kind.session = kept.session;
                kind.sample.clear();
            } else if let Some(was) = was {
                kind.sample.remove(was);
            }
            kind.sample.insert(run);
        }
    }

    /// A job in the system counts as this long from now on.
    fn count_present(&mut self, job: JobIndex, run: Seconds) {
        let Some(present) = self.presence.of(job) else { return };
        let mut kept = present.kept;
        self.count(&mut kept, run.0);
        if let Some(present) = self.presence.of(job) {
            present.kept = kept;
        }
    }

    fn propagate(&mut self, event: &Event<'_>, user: UserId, revisions: &mut Vec<Revision>) {
        let from = revisions.len();
        let session = self.sessions(user);
        let mut presence = std::mem::replace(&mut self.presence, Presence::new());
        let again = |present: &Present<InSystem>| match self.search(session, present.kept.kinds.into_iter()) {
            Some(run) => within(run, present.limit, self.settings.cap),
            None => self.settings.newcomer.predicted(present.limit, self.requested),
        };
        presence.revise(user, event.job.index, event.at, again, revisions);
        self.presence = presence;
        if self.settings.learn == Learn::Running {
            for revision in &revisions[from..] {
                if self.presence.of(revision.job).is_some_and(|present| present.start.is_some()) {
                    self.count_present(revision.job, revision.forecast.point());
                }
            }
        }
    }
}

impl RuntimePredictor for SessionHistory {
    fn estimate(&self, question: &Question<'_>) -> Forecast {
        Forecast::exactly(beyond(question, self.predict(question.job)))
    }

    fn observe(&mut self, event: &Event<'_>, revisions: &mut Vec<Revision>) {
        let Some(user) = event.job.user else { return };
        let job = event.job.index;
        match event.what {
            What::Arrived => self.enter(user, event.job),
            What::Started(_) => {
                let Some(present) = self.presence.of(job) else { return };
                present.start = Some(event.at);
                let predicted = present.predicted;
                if self.settings.learn == Learn::Running {
                    self.count_present(job, predicted);
                }
            }
            What::Overran { corrected, .. } => {
                let Some(present) = self.presence.of(job) else { return };
                present.predicted = corrected;
                if self.settings.learn != Learn::Ended {
                    self.count_present(job, corrected);
                    if self.settings.propagate {
                        self.propagate(event, user, revisions);
                    }
                }
            }
            What::Withdrawn => {
                self.presence.leave(job);
                if let Some(activity) = self.users.get_mut(&user).filter(|activity| activity.latest == job) {
                    activity.ended = Some(event.at);
                }
            }
            What::Ended(outcome) => {
                if self.presence.of(job).is_none() {
                    // It was there before observation began. Unless the job seen to arrive last had ended by then,
                    // that one came later.
                    let later = |seen: &&Activity| seen.ended.is_none_or(|ended| ended > event.job.submit);
                    let seen = self.users.get(&user).filter(later).copied();
                    self.enter(user, event.job);
                    self.users.extend(seen.map(|activity| (user, activity)));
                }
                let Some(gone) = self.presence.leave(job) else { return };
                let mut kept = gone.kept;
                self.count(&mut kept, outcome.ran.0);
                if let Some(activity) = self.users.get_mut(&user).filter(|activity| activity.latest == job) {
                    activity.ended = Some(event.at);
                }
                if self.settings.propagate {
                    self.propagate(event, user, revisions);
                }
            }
        }
    }

    fn name(&self) -> String {
        self.settings.write()
    }
}

#[cfg(test)]
mod tests;

//! RUH, recent user history: what this user's jobs did last.

use std::collections::hash_map::Entry;

use super::history::{Learn, Newcomer, beyond, within};
use super::present::Presence;
use super::scatter::Lookup;
use super::{Forecast, PredictorSpec, Question, Requested, Revision, RuntimePredictor, Statistic};
use crate::job::{Event, Job, JobIndex, UserId, What};
use crate::units::Seconds;

/// The parameters of recent user history (Talby et al. 2005, section 4 and listing 3).
///
/// With a window of two, the mean, and the requested time as a cap it is the predictor of EASY++ (Tsafrir,
/// Etsion & Feitelson 2007, section 3).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ruh {
    /// How many jobs are looked back at.
    pub window: usize,
    /// Their run times combined how.
    pub statistic: Statistic,
    /// Which jobs count.
    pub learn: Learn,
    /// How many there must be, from one to the window.
    pub need: usize,
    /// What is predicted when there are fewer.
    pub newcomer: Newcomer,
    /// Whether the requested time caps predictions.
    pub cap: bool,
    /// Whether what is learned of one job changes the predictions of the user's others.
    pub propagate: bool,
}

impl Default for Ruh {
    /// The paper's: the median of the last three that ended, the estimate until there are three.
    fn default() -> Ruh {
        Ruh {
            window: 3,
            statistic: Statistic::Median,
            learn: Learn::Ended,
            need: 3,
            newcomer: Newcomer::Requested,
            cap: false,
            propagate: false,
        }
    }
}

impl Ruh {
    /// The mean or another statistic of the last few that ended, capped: the family of EASY++.
    pub fn capped(window: usize, statistic: Statistic) -> Ruh {
        Ruh { window, statistic, need: window, cap: true, ..Ruh::default() }
    }
}

/// Predicts from the last few jobs of the same user.
#[derive(Debug, Clone)]
pub struct RecentUserHistory {
    settings: Ruh,
    requested: Requested,
    histories: Lookup<UserId, History>,
    /// Who is in the system; kept only where it matters.
    presence: Option<Presence<()>>,
}

/// What one user's jobs did.
#[derive(Debug, Clone, Default)]
struct History {
    /// The last run times, a ring: oldest overwritten first.
    ended: Vec<i64>,
    oldest: usize,
    /// Jobs that count before they have ended, and as what; the one heard of last stands last.
    open: Vec<(JobIndex, i64)>,
}

impl History {
    fn end(&mut self, job: JobIndex, ran: Seconds, window: usize) {
        self.close(job);
        if self.ended.len() < window {
            self.ended.push(ran.0);
        } else {
            self.ended[self.oldest] = ran.0;
            self.oldest = (self.oldest + 1) % window;
        }
    }

    fn close(&mut self, job: JobIndex) {
        self.open.retain(|(other, _)| *other != job);
    }

    /// The last few, newest first; those still running count as newer than those that have ended.
    fn newest_first(&self, window: usize) -> impl Iterator<Item = i64> + '_ {
        let (newer, older) = self.ended.split_at(self.oldest);
        let ended = newer.iter().rev().chain(older.iter().rev()).copied();
        self.open.iter().rev().map(|&(_, counts)| counts).chain(ended).take(window)
    }

    fn predict(&self, settings: &Ruh) -> Option<i64> {
        if self.open.is_empty() && self.ended.len() < settings.need {
            return None;
        }
        let mut few = [0; 8];
        let mut many = Vec::new();
        let runs: &mut [i64] = if settings.window <= few.len() {
            let mut count = 0;
            for run in self.newest_first(settings.window) {
                few[count] = run;
                count += 1;
            }
            &mut few[..count]
        } else {
            many.extend(self.newest_first(settings.window));
            &mut many
        };
        if runs.len() < settings.need { None } else { settings.statistic.of(runs) }
    }
}

impl RecentUserHistory {
    /// `requested` is what a newcomer may get.
    pub fn new(settings: Ruh, requested: Requested) -> RecentUserHistory {
        let settings = Ruh { window: settings.window.max(1), ..settings };
        let needs_presence = settings.propagate || settings.learn != Learn::Ended;
        let presence = needs_presence.then(Presence::new);
        RecentUserHistory { settings, requested, histories: Lookup::default(), presence }
    }

    fn predict(&self, job: &Job) -> Seconds {
        let history = job.user.and_then(|user| self.histories.get(&user));
        match history.and_then(|history| history.predict(&self.settings)) {
            Some(run) => within(run, job.shape.limit, self.settings.cap),
            None => self.settings.newcomer.predicted(job.shape.limit, self.requested),
        }
    }

    /// A job that has not ended counts as this long from now on.
    fn count(&mut self, user: UserId, job: JobIndex, counts: Seconds) {
        let history = self.histories.entry(user).or_default();
        history.close(job);
        history.open.push((job, counts.0));
    }

    fn propagate(&mut self, event: &Event<'_>, user: UserId, revisions: &mut Vec<Revision>) {
        let RecentUserHistory { settings, presence: Some(presence), histories, .. } = self else { return };
        let Entry::Occupied(mut history) = histories.entry(user) else { return };
        let Some(run) = history.get().predict(settings) else { return };
        let from = revisions.len();
        let again = |present: &super::present::Present<()>| within(run, present.limit, settings.cap);
        presence.revise(user, event.job.index, event.at, again, revisions);
        if settings.learn == Learn::Running {
            for revision in &revisions[from..] {
                for (job, counts) in &mut history.get_mut().open {
                    if *job == revision.job {
                        *counts = revision.forecast.point().0;
                    }
                }
            }
        }
    }
}

impl RuntimePredictor for RecentUserHistory {
    fn estimate(&self, question: &Question<'_>) -> Forecast {
        Forecast::exactly(beyond(question, self.predict(question.job)))
    }

    fn observe(&mut self, event: &Event<'_>, revisions: &mut Vec<Revision>) {
        let Some(user) = event.job.user else { return };
        let job = event.job.index;
        match event.what {
            What::Arrived => {
                let predicted = self.presence.is_some().then(|| self.predict(event.job));
                if let (Some(presence), Some(predicted)) = (&mut self.presence, predicted) {
                    presence.enter(event.job, user, predicted, ());
                }
            }
            What::Started(_) => {
                let Some(present) = self.presence.as_mut().and_then(|presence| presence.of(job)) else {
                    return;
                };
                present.start = Some(event.at);
                let predicted = present.predicted;
                if self.settings.learn == Learn::Running {
                    self.count(user, job, predicted);
                }
            }
            What::Overran { corrected, .. } => {
                let Some(present) = self.presence.as_mut().and_then(|presence| presence.of(job)) else {
                    return;
                };
                present.predicted = corrected;
                if self.settings.learn != Learn::Ended {
                    self.count(user, job, corrected);
                    if self.settings.propagate {
                        self.propagate(event, user, revisions);
                    }
                }
            }
            What::Ended(outcome) => {
                self.histories.entry(user).or_default().end(job, outcome.ran, self.settings.window);
                if let Some(presence) = &mut self.presence {
                    presence.leave(job);
                }
                if self.settings.propagate {
                    self.propagate(event, user, revisions);
                }
            }
        }
    }

    fn name(&self) -> String {
        PredictorSpec::Recent(self.settings).to_string()
    }
}

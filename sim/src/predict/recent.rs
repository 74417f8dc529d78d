//! RUH, recent user history: what this user's jobs did last.

use std::collections::hash_map::Entry;

use super::history::{LONGEST_WINDOW, Learn, Newcomer, beyond, within};
use super::present::Presence;
use super::scatter::Lookup;
use super::settings::{Needs, PredictorSettings};
use super::{Forecast, LearnedRuns, Question, Requested, Revision, RuntimePredictor, Statistic};
use queuecast_core::job::{Event, Job, JobIndex, UserId, What};
use queuecast_core::spec::{Alone, Also, Form, SettingKey, Settings, Spec, SpecError, Written, YesNo};
use queuecast_core::units::Seconds;

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

const WINDOW: SettingKey = SettingKey::new("window", "N");
const STATISTIC: SettingKey =
    SettingKey::spec("statistic", Statistic::forms).alone(Alone::If(|text| Statistic::parse(text).is_ok()));

impl PredictorSettings for Ruh {
    const FORMS: &'static [Form] = &[
        Form::new("recent", "mean (or other statistic) of the user's last K run times")
            .with(":K[:STATISTIC]", &[STATISTIC, WINDOW.placed()], "recent:2:median")
            .also(Also::Colons),
        Form::new("ruh", "median of the user's last 3 (or K) run times").with(
            "[:K,SETTINGS]",
            &[
                WINDOW.alone(Alone::If(|text| text.parse::<i64>().is_ok())),
                STATISTIC,
                SettingKey::spec("learn", Learn::forms),
                SettingKey::new("need", "N"),
                SettingKey::new("new", "requested|SECONDS"),
                SettingKey::flag("cap"),
                SettingKey::flag("propagate"),
            ],
            "ruh:5,mean,need=2,new=60",
        ),
    ];

    fn read(settings: &Settings<'_>) -> Result<Ruh, SpecError> {
        let mut ruh = Ruh::default();
        settings.set("window", &mut ruh.window, |value| value.whole(1..=LONGEST_WINDOW))?;
        if settings.name() == "recent" {
            settings.required("window")?;
            let mut statistic = Statistic::Mean;
            settings.set("statistic", &mut statistic, |value| value.spec())?;
            return Ok(Ruh::capped(ruh.window, statistic));
        }
        ruh.need = ruh.window;
        settings.set("statistic", &mut ruh.statistic, |value| value.spec())?;
        settings.set("learn", &mut ruh.learn, |value| value.spec())?;
        settings.set("need", &mut ruh.need, |value| match value.whole(1..=LONGEST_WINDOW)? {
            need if need <= ruh.window => Ok(need),
            _ => Err(value.wrong(format!("no more than the window, which is {}", ruh.window))),
        })?;
        settings.set("new", &mut ruh.newcomer, Newcomer::read)?;
        settings.set("cap", &mut ruh.cap, |value| value.flag())?;
        settings.set("propagate", &mut ruh.propagate, |value| value.flag())?;
        Ok(ruh)
    }

    fn write(&self) -> String {
        let (own, Ruh { window, statistic, .. }) = (Ruh::default(), *self);
        if *self == Ruh::capped(window, statistic) {
            let other = Some(statistic).filter(|&statistic| statistic != Statistic::Mean);
            return Written::new("recent").also(Also::Colons).value(window).optional(other).to_string();
        }
        Written::new("ruh")
            .setting("window", window, own.window)
            .setting("statistic", statistic, own.statistic)
            .setting("learn", self.learn, own.learn)
            .setting("need", self.need, window)
            .setting("new", self.newcomer, own.newcomer)
            .setting("cap", YesNo(self.cap), YesNo(own.cap))
            .setting("propagate", YesNo(self.propagate), YesNo(own.propagate))
            .to_string()
    }

    fn needs(&self) -> Needs {
        Needs { user: true, executable: false }
    }

    fn build(&self, _: impl FnOnce() -> Vec<Seconds>, default_request: Seconds) -> Box<dyn LearnedRuns> {
        Box::new(RecentUserHistory::new(*self, Requested { default: default_request }))
    }
}

/// Predicts from the last jobs of the same user.
#[derive(Debug, Clone)]
pub struct RecentUserHistory {
    settings: Ruh,
    requested: Requested,
    histories: Lookup<UserId, History>,
    /// The jobs in the system; kept only if predictions depend on them.
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
            What::Withdrawn => {
                if let Some(presence) = &mut self.presence {
                    presence.leave(job);
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
        self.settings.write()
    }
}

#[cfg(test)]
mod tests {
    use super::super::PredictorSpec;
    use super::super::history::stage::{Stage, Submission, asks};
    use super::*;

    fn stage(spec: &str) -> Stage<RecentUserHistory> {
        let PredictorSpec::Recent(settings) = spec.parse().unwrap() else { panic!("{spec} is no ruh") };
        Stage::new(RecentUserHistory::new(settings, Requested { default: Seconds(777) }))
    }

    #[test]
    fn the_estimate_until_three_have_ended_then_their_median() {
        let mut stage = stage("ruh");
        assert_eq!(stage.run(0, asks(600), 10), 600);
        assert_eq!(stage.run(100, asks(500), 90), 500);
        assert_eq!(stage.run(200, asks(400), 30), 400);
        // 10, 90, 30: the middle one is 30, whatever is asked for.
        assert_eq!(stage.run(300, asks(7), 80), 30);
        // 90, 30, 80.
        assert_eq!(stage.run(400, asks(600), 500), 80);
        // 30, 80, 500, of which the newest three stay in the ring however long it goes on.
        assert_eq!(stage.run(1000, asks(600), 1), 80);
        // 80, 500, 1.
        assert_eq!(stage.run(1100, asks(600), 1), 80);
        assert_eq!(stage.run(1200, asks(600), 1), 1);
    }

    #[test]
    fn only_ended_jobs_count_in_the_order_they_ended() {
        let mut stage = stage("ruh:2,last,need=1");
        for at in 0..3 {
            stage.arrive(at, asks(600));
            stage.start(at as usize, at);
        }
        assert_eq!(stage.arrive(10, asks(600)), 600);
        stage.end(2, 20);
        stage.end(0, 50);
        // Job 0 ended last, after 50 s; job 1 still runs.
        assert_eq!(stage.arrive(60, asks(600)), 50);
    }

    #[test]
    fn a_window_of_five_may_need_two() {
        let mut stage = stage("ruh:5,max,need=2");
        assert_eq!(stage.run(0, asks(600), 100), 600);
        assert_eq!(stage.run(200, asks(600), 40), 600);
        for at in 0..4 {
            assert_eq!(stage.run(300 + at, asks(600), 1), 100);
        }
        // 40, 1, 1, 1, 1: the 100 is six jobs back.
        assert_eq!(stage.run(400, asks(600), 1), 40);
        let window = (0..12).map(|_| stage.run(500, asks(600), 1)).last();
        assert_eq!(window, Some(1));
    }

    #[test]
    fn users_have_histories_of_their_own_and_unknown_users_none() {
        let mut stage = stage("ruh:1");
        stage.run(0, asks(600), 10);
        assert_eq!(stage.run(20, Submission { user: Some(2), ..asks(600) }, 5), 600);
        assert_eq!(stage.run(40, Submission { user: None, ..asks(600) }, 5), 600);
        assert_eq!(stage.run(60, Submission { user: None, ..asks(600) }, 5), 600);
        assert_eq!(stage.run(80, asks(600), 10), 10);
    }

    #[test]
    fn a_newcomer_without_an_estimate_gets_the_default_or_what_is_fixed() {
        let without = Submission { limit: None, ..asks(1) };
        assert_eq!(stage("ruh").run(0, without, 10), 777);
        assert_eq!(stage("ruh:new=60").run(0, without, 10), 60);
        assert_eq!(stage("ruh:new=60").run(0, asks(600), 10), 60);
    }

    #[test]
    fn the_request_caps_history_where_it_is_asked_to() {
        for (spec, expected) in [("ruh:1", 50), ("ruh:1,cap", 20)] {
            let mut stage = stage(spec);
            stage.run(0, asks(100), 50);
            assert_eq!(stage.run(100, asks(20), 10), expected);
        }
        // Where nothing is requested nothing caps; no prediction is below a second.
        let mut stage = stage("ruh:1,cap");
        stage.run(0, asks(100), 0);
        assert_eq!(stage.run(100, Submission { limit: None, ..asks(1) }, 50), 1);
        assert_eq!(stage.run(200, Submission { limit: None, ..asks(1) }, 50), 50);
    }

    #[test]
    fn a_question_about_a_running_job_is_answered_with_more_than_it_has_run() {
        let mut stage = stage("ruh:1");
        stage.run(0, asks(100), 50);
        stage.arrive(100, asks(100));
        assert_eq!([0, 49, 50, 80].map(|elapsed| stage.asked(1, elapsed)), [50, 50, 51, 81]);
    }

    #[test]
    fn an_end_is_passed_on_to_those_that_wait_and_run() {
        let mut stage = stage("ruh:1,cap,propagate");
        for (at, limit) in [(0, 600), (1, 600), (2, 30), (3, 600)] {
            assert_eq!(stage.arrive(at, asks(limit)), limit);
        }
        stage.arrive(4, Submission { user: Some(2), ..asks(600) });
        stage.start(0, 10);
        stage.start(1, 20);
        // Job 0 ran for 40 s. Job 1 has run for 30 and takes 40; job 2 waits and keeps its cap of 30, as before,
        // so nothing is said of it; job 3 waits and takes 40. User 2 is another.
        assert_eq!(stage.end(0, 50), [(1, 40), (3, 40)]);
        stage.start(3, 50);
        // Job 1 outlives its 40 and gets 600; that is not passed on.
        assert_eq!(stage.overrun(1, 60, 600), []);
        stage.start(2, 70);
        // Job 2 ran for 5: job 1 has run for 55 and keeps its 600, job 3 has run for 25 and keeps its 40.
        assert_eq!(stage.end(2, 75), []);
        // Job 3 ran for 65: at 115 job 1 has run for 95, which is more.
        assert_eq!(stage.end(3, 115), []);
    }

    #[test]
    fn without_enough_history_nothing_is_passed_on() {
        let mut stage = stage("ruh:2,propagate");
        for at in 0..3 {
            stage.arrive(at, asks(600));
            stage.start(at as usize, at);
        }
        assert_eq!(stage.end(0, 10), []);
        // 10 and 20: both are middle ones. Job 2 has run for 19 s, and 15 is no more than that.
        assert_eq!(stage.end(1, 21), []);
        assert_eq!(stage.arrive(22, asks(600)), 15);
    }

    #[test]
    fn running_jobs_that_overran_count_as_newest_with_what_replaced_their_prediction() {
        let mut stage = stage("ruh:2,last,need=1,learn=overran,propagate");
        stage.arrive(0, asks(30));
        stage.arrive(0, asks(60));
        stage.arrive(0, asks(600));
        stage.start(0, 0);
        stage.start(1, 0);
        // A start alone teaches nothing here.
        assert_eq!(stage.arrive(10, asks(600)), 600);
        // Job 0 counts as 90. Job 1 runs, jobs 2 and 3 wait: all take it.
        assert_eq!(stage.overrun(0, 30, 90), [(1, 90), (2, 90), (3, 90)]);
        // Job 1 ends after 50: it is the last that ended, but job 0, still running, counts as newer.
        assert_eq!(stage.end(1, 50), []);
        assert_eq!(stage.arrive(51, asks(600)), 90);
        // Job 0 counts once, as what was heard last.
        assert_eq!(stage.overrun(0, 90, 390), [(2, 390), (3, 390), (4, 390)]);
        // It ends after 100: then it is what ended last.
        assert_eq!(stage.end(0, 100), [(2, 100), (3, 100), (4, 100)]);
    }

    #[test]
    fn all_running_jobs_count_with_what_is_predicted_of_them() {
        let mut stage = stage("ruh:3,max,need=1,learn=running,propagate");
        stage.run(0, asks(600), 10);
        // Predicted 10 from the one that ended.
        assert_eq!(stage.arrive(20, asks(600)), 10);
        stage.start(1, 20);
        assert_eq!(stage.arrive(21, asks(600)), 10);
        stage.start(2, 21);
        // Counted: job 2 as 10, job 1 as 10, job 0 as 10. Job 1 outlives it and counts as 70: job 2 takes that,
        // and counts as 70 itself from now on.
        assert_eq!(stage.overrun(1, 30, 70), [(2, 70)]);
        // Job 1 ends after 40. Counted: job 2 as 70; 40; 10. Nothing new for job 2: the longest is its own.
        assert_eq!(stage.end(1, 60), []);
        assert_eq!(stage.arrive(61, asks(600)), 70);
        // Job 2 ends after 41. Counted: 41, 40, 10.
        assert_eq!(stage.end(2, 62), [(3, 41)]);
    }

    #[test]
    fn jobs_it_never_saw_arrive_teach_it_too() {
        let mut stage = stage("ruh:1,learn=running,propagate");
        let unheard = stage.unheard(0, asks(600));
        stage.start(unheard, 5);
        assert_eq!(stage.arrive(6, asks(600)), 600);
        assert_eq!(stage.overrun(unheard, 10, 90), []);
        assert_eq!(stage.end(unheard, 25), [(1, 20)]);
    }
}

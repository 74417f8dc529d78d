//! Session-based and recent user history as the paper writes them, slow and obvious, against the predictors: on
//! random workloads every prediction is the same, and so is every schedule.
//!
//! The slow versions keep every job of a user for ever and search all of them each time (Talby et al. 2005,
//! listings 3 and 4; propagation: section 4).

use std::collections::BTreeMap;

use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;
use queuecast_core::job::{Event, Job, JobIndex, UserId, What};
use queuecast_core::units::{Seconds, Time};
use queuecast_core::workload::Workload;
use queuecast_sim::predict::{
    Correction, Criterion, DEFAULT_REQUEST, Forecast, Learn, Newcomer, PredictorSpec, Question, Revision,
    Ruh, RuntimePredictor, Sbh, SessionSearch, Statistic,
};
use queuecast_sim::sim::{Backfill, EventOrder, LimitRule, Options, Schedule, simulate};

use crate::support;
use crate::support::jobs::{job, workload};

/// All that is known of a job that has arrived.
#[derive(Debug, Clone)]
struct Known {
    job: Job,
    start: Option<Time>,
    end: Option<Time>,
    predicted: i64,
    /// As how long it counts, and when that was learned; `None` while it does not count.
    counts: Option<(i64, u64)>,
}

impl Known {
    fn new(job: &Job, predicted: i64) -> Known {
        Known { job: job.clone(), start: None, end: None, predicted, counts: None }
    }

    fn has_run(&self, now: Time) -> i64 {
        self.start.map_or(0, |start| (now - start).0)
    }
}

fn combined(statistic: Statistic, newest_first: &[i64]) -> i64 {
    let mut sorted = newest_first.to_vec();
    sorted.sort_unstable();
    let count = sorted.len();
    match statistic {
        Statistic::Median if count % 2 == 1 => sorted[count / 2],
        Statistic::Median => (sorted[count / 2 - 1] + sorted[count / 2]) / 2,
        Statistic::Mean => sorted.iter().sum::<i64>() / count as i64,
        Statistic::Last => newest_first[0],
        Statistic::Min => sorted[0],
        Statistic::Max => sorted[count - 1],
    }
}

/// At least a second; no more than was requested, if that caps it.
fn bounded(predicted: i64, job: &Job, cap: bool) -> i64 {
    match job.shape.limit {
        Some(limit) if cap => predicted.max(1).min(limit.0),
        _ => predicted.max(1),
    }
}

fn unheard_of(newcomer: Newcomer, job: &Job) -> i64 {
    match newcomer {
        Newcomer::Requested => job.shape.limit.unwrap_or(DEFAULT_REQUEST).0,
        Newcomer::Fixed(length) => length.0,
    }
}

/// What the two slow predictors share: which facts count, and who is predicted again.
trait Slow {
    /// Which jobs count, whether news is passed on, and what is thought of a job nothing is known about.
    fn rules(&self) -> (Learn, bool, Newcomer);
    /// Of a job of this user, from all that is known.
    fn predict(&self, user: UserId, job: &Job) -> i64;
    /// A place for a job that has just arrived.
    fn admit(&mut self, user: UserId, known: Known, at: Time);
    /// Every job of a user that ever arrived, in arrival order.
    fn all(&mut self, user: UserId) -> Vec<&mut Known>;
    /// Whether a running job of which something else is thought has been learned of anew, or keeps its place
    /// in the order of learning.
    fn renewed(&self) -> bool;
    /// A number larger than any before.
    fn tick(&mut self) -> u64;

    fn change(&mut self, user: UserId, job: JobIndex, change: impl FnOnce(&mut Known)) {
        let mut all = self.all(user);
        change(all.iter_mut().find(|known| known.job.index == job).unwrap());
    }

    fn hear(&mut self, event: &Event<'_>, revisions: &mut Vec<Revision>) {
        let Some(user) = event.job.user else { return };
        let ((learn, propagate, _), tick) = (self.rules(), self.tick());
        let index = event.job.index;
        let mut news = false;
        match event.what {
            What::Arrived => {
                self.admit(user, Known::new(event.job, 0), event.at);
                let predicted = self.predict(user, event.job);
                self.change(user, index, |known| known.predicted = predicted);
            }
            What::Started(_) => self.change(user, index, |known| {
                known.start = Some(event.at);
                if learn == Learn::Running {
                    known.counts = Some((known.predicted, tick));
                }
            }),
            What::Overran { corrected, .. } => {
                news = learn != Learn::Ended;
                self.change(user, index, |known| {
                    known.predicted = corrected.0;
                    if news {
                        known.counts = Some((corrected.0, tick));
                    }
                });
            }
            What::Withdrawn => self.change(user, index, |known| known.end = Some(event.at)),
            What::Ended(outcome) => {
                news = true;
                self.change(user, index, |known| {
                    known.end = Some(event.at);
                    known.counts = Some((outcome.ran.0, tick));
                });
            }
        }
        if !(news && propagate) {
            return;
        }
        // All of them from the same data; only then does anything change.
        let others: Vec<Known> = self.all(user).into_iter().map(|known| known.clone()).collect();
        let others = others.iter().filter(|known| known.end.is_none() && known.job.index != index);
        let again: Vec<(JobIndex, i64)> =
            others.map(|known| (known.job.index, self.predict(user, &known.job))).collect();
        for (other, predicted) in again {
            let (tick, renewed) = (self.tick(), self.renewed());
            self.change(user, other, |known| {
                if predicted == known.predicted || predicted <= known.has_run(event.at) {
                    return;
                }
                known.predicted = predicted;
                if learn == Learn::Running && known.start.is_some() {
                    let learned = known.counts.map_or(tick, |(_, learned)| learned);
                    known.counts = Some((predicted, if renewed { tick } else { learned }));
                }
                revisions.push(Revision { job: other, forecast: Forecast::exactly(Seconds(predicted)) });
            });
        }
    }
}

/// Listing 4.
struct SlowSbh {
    settings: Sbh,
    sessions: BTreeMap<UserId, Vec<Vec<Known>>>,
    ticks: u64,
}

impl SlowSbh {
    fn alike(&self, criterion: Criterion, one: &Job, other: &Job) -> bool {
        let letters = criterion.to_string();
        let mut alike = true;
        if letters.contains('P') {
            alike &= one.shape.procs == other.shape.procs;
        }
        if letters.contains('E') {
            alike &= one.shape.limit == other.shape.limit;
            alike &= one.shape.limit.is_some() || !self.settings.strict;
        }
        if letters.contains('X') {
            alike &= one.executable == other.executable;
            alike &= one.executable.is_some() || !self.settings.strict;
        }
        alike
    }

    fn matches(&self, criterion: Criterion, session: &[Known], job: &Job) -> Option<i64> {
        let counting = session.iter().filter(|known| self.alike(criterion, &known.job, job));
        let mut counting: Vec<(i64, u64)> = counting.filter_map(|known| known.counts).collect();
        counting.sort_by_key(|&(_, learned)| std::cmp::Reverse(learned));
        let newest_first: Vec<i64> = counting.into_iter().map(|(counts, _)| counts).collect();
        (!newest_first.is_empty()).then(|| combined(self.settings.statistic, &newest_first))
    }
}

impl Slow for SlowSbh {
    fn rules(&self) -> (Learn, bool, Newcomer) {
        (self.settings.learn, self.settings.propagate, self.settings.newcomer)
    }

    fn predict(&self, user: UserId, job: &Job) -> i64 {
        let none = Vec::new();
        let sessions = self.sessions.get(&user).unwrap_or(&none);
        let depth = self.settings.depth.map_or(usize::MAX, |depth| depth as usize);
        let looked_at: Vec<&Vec<Known>> = sessions.iter().rev().take(depth).collect();
        let criteria: Vec<Criterion> = self.settings.criteria.iter().collect();
        match self.settings.search {
            SessionSearch::DepthFirst => {
                for &criterion in &criteria {
                    for session in &looked_at {
                        if let Some(found) = self.matches(criterion, session, job) {
                            return bounded(found, job, self.settings.cap);
                        }
                    }
                }
            }
            SessionSearch::BreadthFirst => {
                for session in &looked_at {
                    for &criterion in &criteria {
                        if let Some(found) = self.matches(criterion, session, job) {
                            return bounded(found, job, self.settings.cap);
                        }
                    }
                }
            }
        }
        unheard_of(self.settings.newcomer, job)
    }

    fn admit(&mut self, user: UserId, known: Known, at: Time) {
        let sessions = self.sessions.entry(user).or_default();
        let previous = sessions.last().and_then(|session| session.last());
        let goes_on =
            previous.is_some_and(|previous| previous.end.is_none_or(|end| at - end < self.settings.think));
        if !goes_on {
            sessions.push(Vec::new());
        }
        sessions.last_mut().unwrap().push(known);
    }

    fn all(&mut self, user: UserId) -> Vec<&mut Known> {
        self.sessions.entry(user).or_default().iter_mut().flatten().collect()
    }

    fn renewed(&self) -> bool {
        true
    }

    fn tick(&mut self) -> u64 {
        self.ticks += 1;
        self.ticks
    }
}

/// Listing 3.
struct SlowRuh {
    settings: Ruh,
    jobs: BTreeMap<UserId, Vec<Known>>,
    ticks: u64,
}

impl Slow for SlowRuh {
    fn rules(&self) -> (Learn, bool, Newcomer) {
        (self.settings.learn, self.settings.propagate, self.settings.newcomer)
    }

    fn predict(&self, user: UserId, job: &Job) -> i64 {
        let jobs = self.jobs.get(&user).into_iter().flatten();
        let mut counting: Vec<&Known> = jobs.filter(|known| known.counts.is_some()).collect();
        // Running ones before those that have ended; then the one learned last first.
        counting.sort_by_key(|known| (known.end.is_some(), std::cmp::Reverse(known.counts.unwrap().1)));
        let last: Vec<i64> =
            counting.iter().take(self.settings.window).map(|known| known.counts.unwrap().0).collect();
        if last.len() < self.settings.need {
            return unheard_of(self.settings.newcomer, job);
        }
        bounded(combined(self.settings.statistic, &last), job, self.settings.cap)
    }

    fn admit(&mut self, user: UserId, known: Known, _at: Time) {
        self.jobs.entry(user).or_default().push(known);
    }

    fn all(&mut self, user: UserId) -> Vec<&mut Known> {
        self.jobs.entry(user).or_default().iter_mut().collect()
    }

    fn renewed(&self) -> bool {
        false
    }

    fn tick(&mut self) -> u64 {
        self.ticks += 1;
        self.ticks
    }
}

/// Any slow predictor as the engine knows one.
struct Obvious<S>(S);

impl<S: Slow + Send + Sync> RuntimePredictor for Obvious<S> {
    fn estimate(&self, question: &Question<'_>) -> Forecast {
        let job = question.job;
        let (_, _, newcomer) = self.0.rules();
        let predicted = job.user.map_or(unheard_of(newcomer, job), |user| self.0.predict(user, job));
        Forecast::exactly(Seconds(predicted))
    }

    fn observe(&mut self, event: &Event<'_>, revisions: &mut Vec<Revision>) {
        self.0.hear(event, revisions);
    }
}

/// Passes on what a predictor is asked and told, and writes down everything it says.
struct Recorder<'a> {
    predictor: &'a mut dyn RuntimePredictor,
    said: std::sync::Mutex<Vec<Said>>,
}

/// When, of which job, and how long.
type Said = (i64, JobIndex, Seconds);

impl RuntimePredictor for Recorder<'_> {
    fn estimate(&self, question: &Question<'_>) -> Forecast {
        let forecast = self.predictor.estimate(question);
        self.said.lock().unwrap().push((-1, question.job.index, forecast.point()));
        forecast
    }

    fn observe(&mut self, event: &Event<'_>, revisions: &mut Vec<Revision>) {
        let from = revisions.len();
        self.predictor.observe(event, revisions);
        let said = self.said.get_mut().unwrap();
        said.extend(revisions[from..].iter().map(|new| (event.at.0, new.job, new.forecast.point())));
    }
}

#[derive(Debug, Clone)]
struct Case {
    workload: Workload,
    policy: Backfill,
    options: Options,
}

impl Case {
    fn run(&self, predictor: &mut dyn RuntimePredictor) -> (Vec<Said>, Schedule) {
        let mut recorder = Recorder { predictor, said: Default::default() };
        let mut policy = self.policy.build();
        let schedule =
            simulate(&self.workload, self.options, policy.as_mut(), &mut recorder, &mut []).unwrap();
        (recorder.said.into_inner().unwrap(), schedule)
    }

    fn fast(&self, spec: PredictorSpec) -> (Vec<Said>, Schedule) {
        self.run(spec.build(Vec::new, DEFAULT_REQUEST).as_mut())
    }

    fn slow_sbh(&self, settings: Sbh) -> (Vec<Said>, Schedule) {
        self.run(&mut Obvious(SlowSbh { settings, sessions: BTreeMap::new(), ticks: 0 }))
    }

    fn slow_ruh(&self, settings: Ruh) -> (Vec<Said>, Schedule) {
        self.run(&mut Obvious(SlowRuh { settings, jobs: BTreeMap::new(), ticks: 0 }))
    }
}

const MACHINE: u32 = 8;

/// Few users, sizes, estimates and executables, so that jobs are alike; gaps around the think times below.
fn workloads() -> impl Strategy<Value = Workload> {
    let gap = prop_oneof![6 => 0..25_i64, 2 => 55..70_i64, 2 => 1190..1290_i64, 1 => Just(5000_i64)];
    let procs = prop_oneof![3 => Just(1_u32), 3 => Just(3), 1 => Just(5), 1 => Just(MACHINE)];
    let limit =
        prop_oneof![1 => Just(None), 2 => Just(Some(30_i64)), 3 => Just(Some(300)), 1 => Just(Some(900))];
    let executable = prop::option::weighted(0.8, 0..3_u32);
    let run = prop_oneof![1 => Just(0_i64), 6 => 1..90_i64, 2 => 90..500_i64];
    let user = prop::option::weighted(0.95, 0..3_u32);
    prop::collection::vec((gap, procs, limit, executable, run, user), 1..70).prop_map(|rows| {
        let mut submit = 0;
        let jobs = rows.into_iter().map(|(gap, procs, limit, executable, run, user)| {
            submit += gap;
            job(procs, run).at(submit).limit(limit).user(user).executable(executable)
        });
        workload(MACHINE, jobs)
    })
}

fn cases() -> impl Strategy<Value = Case> {
    let policy = prop_oneof![Just(Backfill::sjbf()), Just(Backfill::easy())];
    let event_order = prop_oneof![Just(EventOrder::Textbook), Just(EventOrder::Pyss)];
    let limit = prop_oneof![Just(LimitRule::Kill), Just(LimitRule::Ignore)];
    let correction = prop::sample::select(vec![
        "requested",
        "increments",
        "increments:free",
        "factor:2",
        "factor:10:until=100:free",
        "requested/factor:1.1",
    ]);
    let factor = prop_oneof![4 => Just(1.0), 1 => Just(2.0), 1 => Just(0.4)];
    let options =
        (event_order, limit, correction, factor).prop_map(|(event_order, limit, correction, factor)| {
            Options { event_order, limit, correction: correction.parse::<Correction>().unwrap(), factor }
        });
    (workloads(), policy, options).prop_map(|(workload, policy, options)| Case { workload, policy, options })
}

fn statistics() -> impl Strategy<Value = Statistic> {
    prop::sample::select(vec![
        Statistic::Median,
        Statistic::Mean,
        Statistic::Last,
        Statistic::Min,
        Statistic::Max,
    ])
}

fn learns() -> impl Strategy<Value = Learn> {
    prop::sample::select(vec![Learn::Ended, Learn::Overran, Learn::Running])
}

fn newcomers() -> impl Strategy<Value = Newcomer> {
    prop_oneof![
        Just(Newcomer::Requested),
        Just(Newcomer::Fixed(Seconds(1))),
        Just(Newcomer::Fixed(Seconds(40)))
    ]
}

fn sbhs() -> impl Strategy<Value = Sbh> {
    let criteria = prop::sample::select(vec![
        "[PE,P,E,*]",
        "[E,P,X]",
        "[PX,P,X,*]",
        "[*]",
        "[PEX,PX,EX]",
        "[X,E]",
        "[PEX,*]",
        "[PEX,PE,PX,EX,P,E,X,*]",
    ]);
    let search = prop_oneof![Just(SessionSearch::DepthFirst), Just(SessionSearch::BreadthFirst)];
    let depth = prop_oneof![3 => Just(None), 2 => (1..4_u32).prop_map(Some)];
    let think = prop::sample::select(vec![1_i64, 10, 60, 1200]).prop_map(Seconds);
    let rest = (learns(), newcomers(), any::<bool>(), prop::bool::weighted(0.8), any::<bool>());
    (criteria, search, depth, think, statistics(), rest).prop_map(
        |(criteria, search, depth, think, statistic, (learn, newcomer, cap, propagate, strict))| Sbh {
            criteria: criteria.parse().unwrap(),
            search,
            depth,
            think,
            statistic,
            learn,
            newcomer,
            cap,
            propagate,
            strict,
        },
    )
}

fn ruhs() -> impl Strategy<Value = Ruh> {
    let sizes =
        prop_oneof![6 => 1..5_usize, 1 => 8..11_usize].prop_flat_map(|window| (Just(window), 1..=window));
    (sizes, statistics(), learns(), newcomers(), any::<bool>(), prop::bool::weighted(0.8)).prop_map(
        |((window, need), statistic, learn, newcomer, cap, propagate)| Ruh {
            window,
            statistic,
            learn,
            need,
            newcomer,
            cap,
            propagate,
        },
    )
}

proptest! {
    #![proptest_config(support::cases(3000))]

    #[test]
    fn sessions_are_searched_as_the_listing_is_written(case in cases(), settings in sbhs()) {
        let (said, schedule) = case.fast(PredictorSpec::Session(settings));
        let (expected, slow) = case.slow_sbh(settings);
        prop_assert_eq!(said, expected);
        prop_assert_eq!(schedule, slow);
    }

    #[test]
    fn recent_history_is_what_listing_every_job_finds(case in cases(), settings in ruhs()) {
        let (said, schedule) = case.fast(PredictorSpec::Recent(settings));
        let (expected, slow) = case.slow_ruh(settings);
        prop_assert_eq!(said, expected);
        prop_assert_eq!(schedule, slow);
    }
}

/// A setting must show in this many cases.
const ENOUGH: usize = 3;

/// How many of some hundred random cases differ between two predictors, up to [`ENOUGH`].
fn differing<T>(
    settings: impl Strategy<Value = T>,
    one: impl Fn(&Case, &T) -> Schedule,
    other: impl Fn(&Case, &T) -> Schedule,
) -> usize {
    let mut runner = TestRunner::deterministic();
    let strategy = (cases(), settings);
    let drawn = (0..300).map(|_| strategy.new_tree(&mut runner).unwrap().current());
    drawn.filter(|(case, settings)| one(case, settings) != other(case, settings)).take(ENOUGH).count()
}

fn sbh_differing(change: impl Fn(&mut Sbh)) -> usize {
    differing(
        sbhs(),
        |case, settings| case.fast(PredictorSpec::Session(*settings)).1,
        |case, settings| {
            let mut settings = *settings;
            change(&mut settings);
            case.slow_sbh(settings).1
        },
    )
}

#[test]
fn control_every_setting_of_sbh_shows_in_some_schedule() {
    assert_eq!(sbh_differing(|_| ()), 0);
    let counts = [
        ("think", sbh_differing(|sbh| sbh.think += Seconds(1))),
        (
            "search",
            sbh_differing(|sbh| {
                sbh.search = match sbh.search {
                    SessionSearch::DepthFirst => SessionSearch::BreadthFirst,
                    SessionSearch::BreadthFirst => SessionSearch::DepthFirst,
                }
            }),
        ),
        ("depth", sbh_differing(|sbh| sbh.depth = sbh.depth.map(|depth| depth + 1))),
        ("criteria", sbh_differing(|sbh| sbh.criteria = "[X,P]".parse().unwrap())),
        ("statistic", sbh_differing(|sbh| sbh.statistic = Statistic::Last)),
        ("learn", sbh_differing(|sbh| sbh.learn = Learn::Overran)),
        ("newcomer", sbh_differing(|sbh| sbh.newcomer = Newcomer::Fixed(Seconds(41)))),
        ("cap", sbh_differing(|sbh| sbh.cap = !sbh.cap)),
        ("propagate", sbh_differing(|sbh| sbh.propagate = !sbh.propagate)),
        ("strict", sbh_differing(|sbh| sbh.strict = !sbh.strict)),
    ];
    assert!(counts.iter().all(|(_, count)| *count == ENOUGH), "{counts:?}");
}

#[test]
fn control_every_setting_of_ruh_shows_in_some_schedule() {
    let ruh_differing = |change: &dyn Fn(&mut Ruh)| {
        differing(
            ruhs(),
            |case, settings| case.fast(PredictorSpec::Recent(*settings)).1,
            |case, settings| {
                let mut settings = *settings;
                change(&mut settings);
                case.slow_ruh(settings).1
            },
        )
    };
    assert_eq!(ruh_differing(&|_| ()), 0);
    let counts = [
        ("window", ruh_differing(&|ruh| ruh.window += 1)),
        ("need", ruh_differing(&|ruh| ruh.need += 1)),
        ("statistic", ruh_differing(&|ruh| ruh.statistic = Statistic::Last)),
        ("learn", ruh_differing(&|ruh| ruh.learn = Learn::Running)),
        ("newcomer", ruh_differing(&|ruh| ruh.newcomer = Newcomer::Fixed(Seconds(41)))),
        ("cap", ruh_differing(&|ruh| ruh.cap = !ruh.cap)),
        ("propagate", ruh_differing(&|ruh| ruh.propagate = !ruh.propagate)),
    ];
    assert!(counts.iter().all(|(_, count)| *count == ENOUGH), "{counts:?}");
}

#[test]
fn control_the_random_cases_revise_correct_and_wait() {
    let mut runner = TestRunner::deterministic();
    let (mut revisions, mut corrections, mut waited) = (0, 0, 0);
    for _ in 0..100 {
        let case = cases().new_tree(&mut runner).unwrap().current();
        let schedule = case.fast("sbh:propagate=yes".parse().unwrap()).1;
        for (placed, job) in schedule.placements.iter().zip(case.workload.jobs()) {
            revisions += u32::from(placed.revisions > 0);
            corrections += u32::from(placed.corrections > 0);
            waited += u32::from(placed.start > job.submit);
        }
    }
    assert!(revisions > 100 && corrections > 100 && waited > 500, "{revisions} {corrections} {waited}");
}

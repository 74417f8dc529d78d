//! Quick starters: jobs that start within an hour (after PQStar, Kumar & Vadhiyar 2012).

use std::collections::VecDeque;

use super::class::CLASS_ENDS;
use super::class_shape::{ClassShape, distribution, shape};
use super::features::{Feature, Features};
use super::predictor::{Arrival, WaitForecast, WaitPredictor};

use crate::site::View;
use crate::units::{Seconds, Time};

/// A job that waits no longer than this is a quick starter, in seconds.
pub const QUICK: f64 = CLASS_ENDS[0];

/// The share of the processors in use now that must have been held since then by the same jobs, for near- and mid-term
/// history.
const NEAR: f64 = 0.5;
const MID: f64 = 0.1;

/// Two jobs are similar if neither processors nor requested time differ by more than this factor.
const SIMILAR: f64 = 2.0;

/// Fewer similar jobs than this do not decide.
const FEWEST: usize = 3;

/// Which part of the history decided.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum HistoryTerm {
    /// Submitted since the machine was occupied by much the same jobs as now.
    Near,
    /// Submitted since it was occupied by some of them.
    Mid,
    /// Submitted before.
    Long,
    /// All jobs, similar or not.
    All,
}

/// Whether a job is expected to be a quick starter.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct QuickVerdict {
    /// The share of the jobs that decided which were quick starters.
    pub probability: f64,
    /// Where they were found.
    pub term: HistoryTerm,
    /// How many they are.
    pub jobs: usize,
}

impl QuickVerdict {
    /// More likely than not.
    pub fn is_quick(&self) -> bool {
        self.probability >= 0.5
    }
}

/// Predicts quick starters by similar jobs, the nearest part of the history first. The rules are in
/// `docs/concepts/quick-starters.md`.
#[derive(Debug, Clone)]
pub struct QuickStarters {
    window: usize,
    /// In the order of their starts.
    history: VecDeque<PastStart>,
    /// The waits of the history in ascending order: quick starters, and others.
    sorted: [Vec<f64>; 2],
    /// The most processors ever seen in use: what the machine has in fact.
    capacity: f64,
}

/// A job that has started.
#[derive(Debug, Clone, Copy)]
struct PastStart {
    submit: Time,
    procs: f64,
    ert: f64,
    standing: QueueStanding,
    wait: f64,
}

/// How a job stood when it arrived, roughly.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct QueueStanding {
    /// It would have fitted on the free processors.
    fits: bool,
    /// It was in the first half of the queue by processors, and by requested time.
    small: bool,
    short: bool,
}

impl QueueStanding {
    fn of(features: &Features, capacity: f64) -> QueueStanding {
        let half = (features.of(Feature::QueueLength) + 1.0) / 2.0;
        QueueStanding {
            fits: features.of(Feature::RequestSize) + features.of(Feature::Occupied) <= capacity,
            small: features.of(Feature::QueueRankBySize) <= half,
            short: features.of(Feature::QueueRankByErt) <= half,
        }
    }
}

/// Shares that jobs which decide have been counted for.
#[derive(Debug, Clone, Copy, Default)]
struct Count {
    jobs: usize,
    quick: usize,
}

impl Count {
    fn add(&mut self, quick: bool) {
        self.jobs += 1;
        self.quick += usize::from(quick);
    }

    fn verdict(&self, term: HistoryTerm) -> QuickVerdict {
        let share = if self.jobs == 0 { 0.5 } else { self.quick as f64 / self.jobs as f64 };
        QuickVerdict { probability: share, term, jobs: self.jobs }
    }
}

fn alike(one: f64, other: f64) -> bool {
    one.max(1.0) <= SIMILAR * other.max(1.0) && other.max(1.0) <= SIMILAR * one.max(1.0)
}

impl QuickStarters {
    /// How many jobs it remembers by default.
    pub const WINDOW: usize = 5000;

    /// Remembers the last so many jobs that started, at least one.
    pub fn new(window: usize) -> QuickStarters {
        QuickStarters {
            window: window.max(1),
            history: VecDeque::new(),
            sorted: Default::default(),
            capacity: 0.0,
        }
    }

    /// Whether a job that arrives at a site is expected to start within an hour.
    pub fn verdict(&self, arrival: &Arrival<'_>, site: View<'_>) -> QuickVerdict {
        let (procs, ert) = (arrival.features.of(Feature::RequestSize), arrival.features.of(Feature::Ert));
        let similar = |its_procs: f64, its_ert: f64| alike(procs, its_procs) && alike(ert, its_ert);
        let standing = QueueStanding::of(arrival.features, self.capacity);
        let [near_from, mid_from] = occupied_since(site);
        let (mut near, mut mid, mut long, mut all) =
            (Count::default(), Count::default(), Count::default(), Count::default());
        for past in &self.history {
            let quick = past.wait <= QUICK;
            all.add(quick);
            if !similar(past.procs, past.ert) {
                continue;
            }
            if past.submit >= near_from {
                near.add(quick);
            } else if past.standing == standing {
                if past.submit >= mid_from { &mut mid } else { &mut long }.add(quick);
            }
        }
        // A similar job that has waited for more than an hour is none, though its wait is not known yet.
        for waiting in site.waiting() {
            let waited = (arrival.at - waiting.job.submit).0 as f64;
            let its_procs = f64::from(waiting.job.shape.procs.0);
            if waited > QUICK
                && waiting.job.submit >= near_from
                && similar(its_procs, waiting.predicted.0 as f64)
            {
                near.add(false);
            }
        }
        let terms = [(near, HistoryTerm::Near), (mid, HistoryTerm::Mid), (long, HistoryTerm::Long)];
        let decided = terms.into_iter().find(|(count, _)| count.jobs >= FEWEST);
        decided.map_or_else(|| all.verdict(HistoryTerm::All), |(count, term)| count.verdict(term))
    }
}

/// Since when at least these shares of the processors in use now have been held by the same jobs. With nothing running, now.
fn occupied_since(site: View<'_>) -> [Time; 2] {
    let mut running: Vec<(Time, f64)> =
        site.running().map(|one| (one.start, f64::from(one.procs.0))).collect();
    running.sort_unstable_by_key(|one| one.0);
    let occupied: f64 = running.iter().map(|one| one.1).sum();
    [NEAR, MID].map(|share| {
        let mut held = 0.0;
        let since = running.iter().find(|(_, procs)| {
            held += procs;
            held >= share * occupied
        });
        since.map_or(site.now(), |one| one.0)
    })
}

impl WaitPredictor for QuickStarters {
    /// The distribution has the waits of quick starters and of others, as probable as the verdict says; the point is the
    /// median of those that are more probable.
    fn predict(&mut self, arrival: &Arrival<'_>, site: View<'_>) -> WaitForecast {
        let verdict = self.verdict(arrival, site);
        let [quick, slow] = &self.sorted;
        if self.history.is_empty() {
            return WaitForecast::nothing_known();
        }
        let longest = slow.last().copied().unwrap_or_default().max(2.0 * QUICK);
        let shapes: [ClassShape; 2] = [shape(quick, 0.0, QUICK), shape(slow, QUICK, longest)];
        let probabilities = [verdict.probability, 1.0 - verdict.probability];
        let likely = &shapes[usize::from(!verdict.is_quick())];
        let point = likely.get(likely.len() / 2).map_or(0.0, |knot| knot.1);
        match distribution(&probabilities, &shapes) {
            Some(wait) => WaitForecast { point, wait },
            None => WaitForecast::nothing_known(),
        }
    }

    fn learn(&mut self, arrival: &Arrival<'_>, wait: Seconds) {
        let wait = wait.0.max(0) as f64;
        if self.history.len() == self.window
            && let Some(oldest) = self.history.pop_front()
        {
            let waits = &mut self.sorted[usize::from(oldest.wait > QUICK)];
            waits.remove(waits.partition_point(|&other| other < oldest.wait));
        }
        let waits = &mut self.sorted[usize::from(wait > QUICK)];
        waits.insert(waits.partition_point(|&other| other < wait), wait);
        let features = arrival.features;
        self.capacity =
            self.capacity.max(features.of(Feature::Occupied)).max(features.of(Feature::RequestSize));
        self.history.push_back(PastStart {
            submit: arrival.at,
            procs: features.of(Feature::RequestSize),
            ert: features.of(Feature::Ert),
            standing: QueueStanding::of(features, self.capacity),
            wait,
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::job::Job;
    use crate::site::Site;
    use crate::units::Procs;
    use crate::workload::Machine;

    const HOUR: i64 = 3600;

    fn features(procs: u32, ert: i64) -> Features {
        let mut features = Features::default();
        (features.0[0], features.0[1]) = (f64::from(procs), ert as f64);
        features
    }

    fn learn(quick: &mut QuickStarters, submit: i64, procs: u32, ert: i64, wait: i64) {
        let job = Job::rigid(1, Time(submit), Procs(procs), Some(Seconds(ert)));
        let features = features(procs, ert);
        quick.learn(&Arrival { job: &job, at: Time(submit), features: &features }, Seconds(wait));
    }

    fn ask(quick: &QuickStarters, site: &Site, at: i64, procs: u32, ert: i64) -> QuickVerdict {
        let job = Job::rigid(1, Time(at), Procs(procs), Some(Seconds(ert)));
        let features = features(procs, ert);
        quick.verdict(&Arrival { job: &job, at: Time(at), features: &features }, site.view(Time(at)))
    }

    /// 10 of 16 processors held since 100 h, 4 more since 110 h.
    fn site() -> Site {
        let mut site = Site::new(Machine { procs: Procs(16) });
        for (start, procs) in [(100 * HOUR, 10), (110 * HOUR, 4)] {
            let job = Job::rigid(1, Time(start), Procs(procs), Some(Seconds(50 * HOUR)));
            let number = site.submitted();
            site.submit(&job, Seconds(50 * HOUR), Seconds(50 * HOUR));
            site.start(number, Time(start), 0).unwrap();
        }
        site
    }

    #[test]
    fn the_nearest_part_of_the_history_with_enough_similar_jobs_decides() {
        let mut quick = QuickStarters::new(100);
        let site = site();
        assert_eq!(ask(&quick, &site, 120 * HOUR, 2, HOUR).term, HistoryTerm::All, "nothing is known");
        // Long ago all waited; since the machine looks as it does now all started soon.
        (0..5).for_each(|job| learn(&mut quick, (10 + job) * HOUR, 2, HOUR, 5 * HOUR));
        let before = ask(&quick, &site, 120 * HOUR, 2, HOUR);
        assert_eq!((before.term, before.probability, before.jobs), (HistoryTerm::Long, 0.0, 5));
        (0..3).for_each(|job| learn(&mut quick, (111 + job) * HOUR, 3, 2 * HOUR, 60));
        let after = ask(&quick, &site, 120 * HOUR, 2, HOUR);
        assert_eq!((after.term, after.probability), (HistoryTerm::Near, 1.0));
        assert!(after.is_quick());
        // Control: a job of another size is not judged by them.
        assert_eq!(ask(&quick, &site, 120 * HOUR, 8, HOUR).term, HistoryTerm::All);
    }

    #[test]
    fn occupancy_divides_the_history() {
        let site = site();
        // Half of the 14 in use are held since 100 h by the first job alone.
        assert_eq!(occupied_since(site.view(Time(120 * HOUR))), [Time(100 * HOUR), Time(100 * HOUR)]);
        let empty = Site::new(Machine { procs: Procs(4) });
        assert_eq!(occupied_since(empty.view(Time(7))), [Time(7), Time(7)]);
    }

    #[test]
    fn similar_jobs_that_have_waited_for_an_hour_are_known_to_be_slow() {
        let mut quick = QuickStarters::new(100);
        let mut site = site();
        (0..3).for_each(|job| learn(&mut quick, (111 + job) * HOUR, 2, HOUR, 60));
        assert!(ask(&quick, &site, 120 * HOUR, 2, HOUR).is_quick());
        for submit in [115, 116, 117, 118] {
            let job = Job::rigid(1, Time(submit * HOUR), Procs(2), Some(Seconds(HOUR)));
            site.submit(&job, Seconds(HOUR), Seconds(HOUR));
        }
        let verdict = ask(&quick, &site, 120 * HOUR, 2, HOUR);
        assert_eq!((verdict.jobs, verdict.is_quick()), (7, false));
        // Control: half an hour after the last submission three of them are known.
        assert_eq!(ask(&quick, &site, 118 * HOUR + 1800, 2, HOUR).jobs, 6);
    }

    #[test]
    fn the_distribution_is_as_probable_as_the_verdict() {
        let mut quick = QuickStarters::new(100);
        let site = site();
        for (submit, wait) in [(111, 60), (112, 120), (113, 180), (114, 20_000)] {
            learn(&mut quick, submit * HOUR, 2, HOUR, wait);
        }
        let job = Job::rigid(1, Time(120 * HOUR), Procs(2), Some(Seconds(HOUR)));
        let features = features(2, HOUR);
        let arrival = Arrival { job: &job, at: job.submit, features: &features };
        let forecast = quick.predict(&arrival, site.view(job.submit));
        assert!((1.0 - forecast.wait.survival(QUICK) - 0.75).abs() < 1e-6);
        assert!(forecast.point <= 180.0, "{}", forecast.point);
    }
}

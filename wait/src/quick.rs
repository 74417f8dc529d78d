//! Quick starters: jobs that start within an hour (after PQStar, Kumar & Vadhiyar 2012).

use super::class::CLASS_ENDS;
use super::class_shape::{ClassShape, distribution, shape};
use super::features::{Feature, Features};
use super::predictor::{Arrival, WaitForecast, WaitPredictor};

use queuecast_core::units::{Seconds, Time};
use queuecast_sim::site::View;

/// A job that waits no longer than this is a quick starter, in seconds.
pub const QUICK: f64 = CLASS_ENDS[0];

/// The share of the processors in use now that must have been held since then by the same jobs, for near- and mid-term
/// history.
const NEAR: f64 = 0.5;
const MID: f64 = 0.1;

/// Two jobs are similar if neither processors nor requested time differ by more than this factor.
const SIMILAR: i32 = 2;

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
    history: PastStarts,
    /// The waits of the history in ascending order: quick starters, and others.
    sorted: [Vec<f64>; 2],
    /// The most processors ever seen in use: what the machine has in fact.
    capacity: f64,
}

/// Jobs that have started, by columns of small whole numbers, so that several are counted at a time and without a branch. Once
/// there are as many as are remembered, the next one takes the place of the oldest.
#[derive(Debug, Clone, Default)]
struct PastStarts {
    oldest: usize,
    /// What submissions are counted from: the first of all.
    from: Option<Time>,
    submits: Vec<i32>,
    procs: Vec<i32>,
    erts: Vec<i32>,
    /// The code of the standing.
    standings: Vec<i32>,
    /// `ONE` job, and `ONE_QUICK` more for a quick starter.
    ones: Vec<u32>,
    waits: Vec<f64>,
}

/// A job in a sum of jobs, and a quick starter in the upper half of the same sum.
const ONE: u32 = 1;
const ONE_QUICK: u32 = 1 << 16;

/// The most jobs that are summed before the two halves are taken apart, so that neither overflows.
const SUMMED: usize = 4096;

/// One of them.
#[derive(Debug, Clone, Copy)]
struct PastStart {
    submit: Time,
    procs: i32,
    ert: i32,
    standing: i32,
    wait: f64,
}

impl PastStarts {
    fn len(&self) -> usize {
        self.waits.len()
    }

    /// Seconds from the first submission.
    fn since(&self, time: Time) -> i32 {
        self.from.map_or(0, |from| small(time.0.saturating_sub(from.0)))
    }

    /// Remembers a start; the wait of the oldest where it is forgotten, with `window` or more known.
    fn remember(&mut self, start: PastStart, window: usize) -> Option<f64> {
        self.from.get_or_insert(start.submit);
        let PastStart { procs, ert, standing, wait, .. } = start;
        let submit = self.since(start.submit);
        let one = if wait <= QUICK { ONE + ONE_QUICK } else { ONE };
        if self.len() < window {
            self.submits.push(submit);
            self.procs.push(procs);
            self.erts.push(ert);
            self.standings.push(standing);
            self.ones.push(one);
            self.waits.push(wait);
            return None;
        }
        let place = self.oldest;
        self.oldest = (place + 1) % window;
        (self.submits[place], self.procs[place], self.erts[place]) = (submit, procs, ert);
        (self.standings[place], self.ones[place]) = (standing, one);
        Some(std::mem::replace(&mut self.waits[place], wait))
    }

    /// Counts similar jobs: near, and of the others those of this standing, mid and long.
    fn count(&self, similar: &SimilarRequests, standing: QueueStanding, since: [Time; 2]) -> [Count; 3] {
        let ([near_from, mid_from], standing) = (since.map(|time| self.since(time)), standing.code());
        let mut counts = [Count::default(); 3];
        for from in (0..self.len()).step_by(SUMMED) {
            let part = from..(from + SUMMED).min(self.len());
            let requests = self.procs[part.clone()].iter().zip(&self.erts[part.clone()]);
            let situations = self.submits[part.clone()].iter().zip(&self.standings[part.clone()]);
            let mut sums = [0_u32; 3];
            for (((&procs, &ert), (&submit, &its_standing)), &one) in
                requests.zip(situations).zip(&self.ones[part])
            {
                let similar = similar.holds(procs, ert);
                let (since_near, since_mid) = (submit >= near_from, submit >= mid_from);
                let alike = similar & !since_near & (its_standing == standing);
                sums[0] += if similar & since_near { one } else { 0 };
                sums[1] += if alike & since_mid { one } else { 0 };
                sums[2] += if alike & !since_mid { one } else { 0 };
            }
            for (count, sum) in counts.iter_mut().zip(sums) {
                count.jobs += (sum % ONE_QUICK) as usize;
                count.quick += (sum / ONE_QUICK) as usize;
            }
        }
        counts
    }
}

/// The nearest number of 32 bits: 68 years in seconds.
fn small(number: i64) -> i32 {
    number.clamp(i64::from(i32::MIN), i64::from(i32::MAX)) as i32
}

/// How a job stood when it arrived, roughly.
#[derive(Debug, Clone, Copy)]
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

    /// A number for each of the eight.
    fn code(self) -> i32 {
        i32::from(self.fits) + 2 * i32::from(self.small) + 4 * i32::from(self.short)
    }
}

/// Shares that jobs which decide have been counted for.
#[derive(Debug, Clone, Copy, Default)]
struct Count {
    jobs: usize,
    quick: usize,
}

impl Count {
    fn verdict(&self, term: HistoryTerm) -> QuickVerdict {
        let share = if self.jobs == 0 { 0.5 } else { self.quick as f64 / self.jobs as f64 };
        QuickVerdict { probability: share, term, jobs: self.jobs }
    }
}

/// Which processors and requested times are similar to those of a job. Less than one counts as one.
struct SimilarRequests {
    procs: [i32; 2],
    ert: [i32; 2],
}

impl SimilarRequests {
    fn to(procs: i32, ert: i32) -> SimilarRequests {
        let bounds = |value: i32| [(value.max(1) - 1) / SIMILAR + 1, value.max(1).saturating_mul(SIMILAR)];
        SimilarRequests { procs: bounds(procs), ert: bounds(ert) }
    }

    /// Of numbers that are at least one.
    #[inline]
    fn holds(&self, procs: i32, ert: i32) -> bool {
        (procs >= self.procs[0]) & (procs <= self.procs[1]) & (ert >= self.ert[0]) & (ert <= self.ert[1])
    }
}

/// Processors and requested time of a job, which are whole numbers of at least one.
fn request(features: &Features) -> (i32, i32) {
    let whole = |feature| (features.of(feature) as i32).max(1);
    (whole(Feature::RequestSize), whole(Feature::Ert))
}

impl QuickStarters {
    /// How many jobs it remembers by default.
    pub const WINDOW: usize = 5000;

    /// Remembers the last `window` jobs that started, at least one.
    pub fn new(window: usize) -> QuickStarters {
        QuickStarters {
            window: window.max(1),
            history: PastStarts::default(),
            sorted: Default::default(),
            capacity: 0.0,
        }
    }

    /// Whether a job that arrives at a site is expected to start within an hour.
    pub fn verdict(&self, arrival: &Arrival<'_>, site: View<'_>) -> QuickVerdict {
        let (procs, ert) = request(arrival.features);
        let similar = SimilarRequests::to(procs, ert);
        let standing = QueueStanding::of(arrival.features, self.capacity);
        let since = occupied_since(site);
        let [mut near, mid, long] = self.history.count(&similar, standing, since);
        // A similar job that has waited for more than an hour is none, though its wait is not known yet.
        for waiting in site.waiting() {
            let waited = (arrival.at - waiting.job.submit).0 as f64;
            let its_procs = small(i64::from(waiting.job.shape.procs.0)).max(1);
            if waited > QUICK
                && waiting.job.submit >= since[0]
                && similar.holds(its_procs, small(waiting.predicted.0).max(1))
            {
                near.jobs += 1;
            }
        }
        let terms = [(near, HistoryTerm::Near), (mid, HistoryTerm::Mid), (long, HistoryTerm::Long)];
        let decided = terms.into_iter().find(|(count, _)| count.jobs >= FEWEST);
        let all = Count { jobs: self.history.len(), quick: self.sorted[0].len() };
        decided.map_or_else(|| all.verdict(HistoryTerm::All), |(count, term)| count.verdict(term))
    }

    /// The wait that a job of this verdict is expected to have: the median of the quick starters of the history, or of the
    /// others.
    pub fn point(&self, verdict: &QuickVerdict) -> f64 {
        if self.history.len() == 0 {
            return 0.0;
        }
        let waits = &self.sorted[usize::from(!verdict.is_quick())];
        let last = if verdict.is_quick() { QUICK } else { self.longest() };
        waits.get(waits.len() / 2).copied().unwrap_or(last)
    }

    /// Where the distribution ends.
    fn longest(&self) -> f64 {
        self.sorted[1].last().copied().unwrap_or_default().max(2.0 * QUICK)
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
    fn forecast(&self, arrival: &Arrival<'_>, site: View<'_>) -> WaitForecast {
        let verdict = self.verdict(arrival, site);
        if self.history.len() == 0 {
            return WaitForecast::nothing_known();
        }
        let [quick, slow] = &self.sorted;
        let shapes: [ClassShape; 2] = [shape(quick, 0.0, QUICK), shape(slow, QUICK, self.longest())];
        let probabilities = [verdict.probability, 1.0 - verdict.probability];
        let point = self.point(&verdict);
        match distribution(&probabilities, &shapes) {
            Some(wait) => WaitForecast::new(point, wait),
            None => WaitForecast::nothing_known(),
        }
    }

    fn learn(&mut self, arrival: &Arrival<'_>, wait: Seconds) {
        let wait = wait.0.max(0) as f64;
        let features = arrival.features;
        self.capacity =
            self.capacity.max(features.of(Feature::Occupied)).max(features.of(Feature::RequestSize));
        let (procs, ert) = request(features);
        let standing = QueueStanding::of(features, self.capacity).code();
        let start = PastStart { submit: arrival.at, procs, ert, standing, wait };
        if let Some(oldest) = self.history.remember(start, self.window) {
            let waits = &mut self.sorted[usize::from(oldest > QUICK)];
            waits.remove(waits.partition_point(|&other| other < oldest));
        }
        let waits = &mut self.sorted[usize::from(wait > QUICK)];
        waits.insert(waits.partition_point(|&other| other < wait), wait);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use queuecast_core::job::Job;
    use queuecast_core::units::Procs;
    use queuecast_core::workload::Machine;
    use queuecast_sim::site::Site;

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

    proptest! {
        /// Against all jobs one by one, with more jobs than are remembered or summed at once.
        #[test]
        fn jobs_are_counted_as_one_by_one(
            jobs in prop::collection::vec((0..500_i64, 1..20_i32, 1..20_i32, 0..8_i32, 0..7200_i64), 1..200),
            (procs, ert, standing) in (1..20_i32, 1..20_i32, 0..8_i32),
            (near, mid) in (0..500_i64, 0..500_i64),
            (repeated, window) in (1..60_usize, 1..9000_usize),
        ) {
            let mut past = PastStarts::default();
            let mut slow: std::collections::VecDeque<PastStart> = Default::default();
            let jobs: Vec<_> = std::iter::repeat_n(jobs, repeated).flatten().collect();
            for &(submit, procs, ert, standing, wait) in &jobs {
                let start = PastStart { submit: Time(submit), procs, ert, standing, wait: wait as f64 };
                slow.push_back(start);
                let forgotten = (slow.len() > window).then(|| slow.pop_front().unwrap().wait);
                prop_assert_eq!(past.remember(start, window), forgotten);
            }
            let asked = QueueStanding { fits: standing & 1 > 0, small: standing & 2 > 0, short: standing & 4 > 0 };
            let found = past.count(&SimilarRequests::to(procs, ert), asked, [Time(near), Time(mid)]);
            let alike = |one: i32, other: i32| one <= 2 * other && other <= 2 * one;
            let mut expected = [(0, 0); 3];
            for one in slow.iter().filter(|one| alike(one.procs, procs) && alike(one.ert, ert)) {
                let term = if one.submit.0 >= near { 0 } else if one.submit.0 >= mid { 1 } else { 2 };
                if term == 0 || one.standing == standing {
                    expected[term].0 += 1;
                    expected[term].1 += usize::from(one.wait <= QUICK);
                }
            }
            prop_assert_eq!(found.map(|count| (count.jobs, count.quick)), expected);
        }
    }
}

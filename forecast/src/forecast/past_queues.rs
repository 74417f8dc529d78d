//! Answers about the jobs of past queues, and what became of them: they correct answers about the present one.

use queuecast_core::order;
use std::cmp::{Ordering, Reverse};
use std::collections::{BTreeMap, VecDeque};

use serde::{Deserialize, Serialize};

use super::regime::RegimeRecord;
use super::start_record::{KnownStart, SimulatedStart, StartRecord};
use queuecast_core::distribution::{CORRECTED_LEVELS as LEVELS, Conformal, Distribution};
use queuecast_core::job::JobIndex;
use queuecast_core::units::{Procs, Seconds, Time};
use queuecast_wait::{Calibration, Lesson, WaitQuestion};

/// The last answers that correct one.
const LESSONS: usize = 800;

/// The last answers whose ranks correct one.
const RANKS: usize = 400;

/// Ranks that are assumed beside those known, evenly spread: with few outcomes a distribution stays nearly as it is, with none exactly.
const ASSUMED_RANKS: u32 = 10;

/// How often the ranges for jobs of past queues held, each said with what was known then.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct PendingRecord {
    /// Past answers whose outcome is known, or that have been outlasted.
    pub answers: usize,
    /// The share of jobs that started within the 80 % range.
    pub inside: f64,
    /// The share of jobs that started by p90.
    pub by_p90: f64,
}

impl PendingRecord {
    /// Whether such ranges have held often enough to be relied on, as of [`RegimeRecord`].
    pub fn is_reliable(&self) -> bool {
        self.inside >= RegimeRecord::RELIABLE
    }
}

/// A range of times in seconds from now.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct PendingRange {
    /// One in ten starts sooner.
    pub p10: f64,
    /// Even odds.
    pub median: f64,
    /// One in ten starts later.
    pub p90: f64,
    /// Start of the 80 % range.
    pub low: f64,
    /// End of the 80 % range.
    pub high: f64,
}

impl PendingRange {
    /// Of a distribution of seconds from now.
    pub fn of(wait: &Distribution) -> PendingRange {
        let (low, high) = wait.wait_range(0.8);
        let [p10, median, p90] = [0.1, 0.5, 0.9].map(|level| wait.quantile(level).max(0.0));
        PendingRange { p10, median, p90, low: low.max(0.0), high: high.max(0.0) }
    }
}

/// How answers about waiting jobs are corrected by what became of earlier ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum CorrectedBy {
    /// By the outcomes of the answers most like it, and then by the ranks of outcomes among what was said. Where simulated waits are often zero
    /// and the job then waits for days, as of a log's machine that is only a number of processors, a common factor would be useless.
    Nearest,
    /// By the errors of all, as forecasts at submission are: where the site's own scheduler is simulated.
    Errors,
}

/// An answer about a job of a past queue.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct QueueAnswer {
    asked: Time,
    question: WaitQuestion,
    /// As it was simulated.
    simulated: SimulatedStart,
    /// As it was before ranks corrected it.
    unranked: Distribution,
    said: PendingRange,
}

impl QueueAnswer {
    fn is_outlasted(&self, now: Time) -> bool {
        self.waited(now) > self.said.high.max(self.said.p90)
    }

    fn waited(&self, now: Time) -> f64 {
        (now - self.asked).max(Seconds::ZERO).0 as f64
    }
}

/// Answers about past queues, and what became of them.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct PastQueues {
    by: CorrectedBy,
    /// Of the last answers, the last one at the end.
    lessons: VecDeque<Lesson>,
    ranks: VecDeque<f64>,
    /// With the moments at which they were asked about.
    starts: VecDeque<(Time, SimulatedStart, KnownStart)>,
    known: usize,
    inside: usize,
    by_p90: usize,
    open: BTreeMap<JobIndex, Vec<QueueAnswer>>,
}

impl PastQueues {
    /// Nothing is known.
    pub fn new(by: CorrectedBy) -> PastQueues {
        PastQueues {
            by,
            lessons: VecDeque::new(),
            ranks: VecDeque::new(),
            starts: VecDeque::new(),
            known: 0,
            inside: 0,
            by_p90: 0,
            open: BTreeMap::new(),
        }
    }

    /// Simulated waits of a job that are said at a moment, corrected by what was known then.
    pub fn said(&mut self, job: JobIndex, now: Time, waits: &[Seconds], size: (Procs, Seconds)) {
        let correction = self.correction(now);
        let wait = correction.corrected(waits, size.0, size.1);
        self.said_as((job, now), waits, size, (&correction, wait));
    }

    /// As [`PastQueues::said`], by a correction that is known elsewhere and what is said by it; the range that is said.
    pub fn said_as(
        &mut self,
        (job, now): (JobIndex, Time),
        waits: &[Seconds],
        (procs, request): (Procs, Seconds),
        (correction, said): (&QueueCorrection, Option<Distribution>),
    ) -> Option<PendingRange> {
        let (simulated, wait) = (observed(waits)?, said?);
        let unranked = correction.unranked(waits, procs, request).unwrap_or_else(|| simulated.clone());
        self.open.entry(job).or_default().push(QueueAnswer {
            asked: now,
            question: WaitQuestion::new(waits.iter().copied(), procs, request),
            simulated: queued(&simulated),
            unranked,
            said: PendingRange::of(&wait),
        });
        Some(PendingRange::of(&wait))
    }

    /// A job has started.
    pub fn started(&mut self, job: JobIndex, at: Time) {
        for answer in self.open.remove(&job).unwrap_or_default() {
            let seconds = answer.waited(at);
            let said = &answer.said;
            self.known += 1;
            self.inside += usize::from((said.low..=said.high).contains(&seconds));
            self.by_p90 += usize::from(seconds <= said.p90);
            let wait = Seconds(seconds as i64);
            pushed(&mut self.lessons, Lesson { question: answer.question, wait, started: at }, LESSONS);
            pushed(&mut self.ranks, rank(&answer.unranked, seconds), RANKS);
            let start = KnownStart::After(seconds);
            pushed(&mut self.starts, (answer.asked, answer.simulated, start), LESSONS);
        }
    }

    /// A job has left the queue without having started.
    pub fn left(&mut self, job: JobIndex) {
        self.open.remove(&job);
    }

    /// What past answers teach. Jobs that have outlasted their range and still wait count as waiting until now, or as what is known to be
    /// later: without them, what is learned in a growing queue would come from the jobs that were lucky.
    pub fn correction(&self, now: Time) -> QueueCorrection {
        self.correction_by(self.by, now)
    }

    /// As [`PastQueues::correction`], in another way.
    pub fn correction_by(&self, by: CorrectedBy, now: Time) -> QueueCorrection {
        let open = self.open.values().flatten();
        match by {
            CorrectedBy::Errors => {
                let open = open.map(|one| (one.asked, one.simulated, KnownStart::Later(one.waited(now))));
                let mut all: Vec<_> = self.starts.iter().rev().copied().chain(open).collect();
                // The last one first.
                order::sort_by_key(&mut all, |one| Reverse(one.0));
                QueueCorrection::Errors(StartRecord::of(
                    all.into_iter().map(|(_, said, start)| (said, start)),
                ))
            }
            CorrectedBy::Nearest => {
                let late = open.filter(|one| one.is_outlasted(now));
                let lesson = |one: &QueueAnswer| Lesson {
                    question: one.question,
                    wait: now - one.asked,
                    started: now,
                };
                let mut ranks: Vec<f64> = self.ranks.iter().copied().collect();
                // It will be somewhere above where it is.
                ranks.extend(late.clone().map(|one| (1.0 + rank(&one.unranked, one.waited(now))) / 2.0));
                if !ranks.is_empty() {
                    ranks.extend(
                        (0..ASSUMED_RANKS).map(|one| (f64::from(one) + 0.5) / f64::from(ASSUMED_RANKS)),
                    );
                }
                order::sort_floats(&mut ranks);
                // Of answers that are equally like it, the first of these count: the latest.
                let lessons = late.map(lesson).chain(self.lessons.iter().rev().copied()).collect();
                QueueCorrection::Nearest { lessons: Calibration::of(lessons), ranks }
            }
        }
    }

    /// How right past answers were. Those that have been outlasted count as wrong.
    pub fn record(&self, now: Time) -> Option<PendingRecord> {
        let late = self.open.values().flatten().filter(|one| one.is_outlasted(now)).count();
        let answers = self.known + late;
        if answers < Calibration::FEWEST {
            return None;
        }
        let share = |count: usize| count as f64 / answers as f64;
        Some(PendingRecord { answers, inside: share(self.inside), by_p90: share(self.by_p90) })
    }
}

fn pushed<T>(queue: &mut VecDeque<T>, one: T, most: usize) {
    if queue.len() == most {
        queue.pop_front();
    }
    queue.push_back(one);
}

/// What past answers teach about one more.
#[derive(Debug)]
pub(super) enum QueueCorrection {
    /// By the nearest lessons, if there are enough, and by ascending ranks.
    Nearest {
        lessons: Option<Calibration>,
        ranks: Vec<f64>,
    },
    Errors(StartRecord),
}

impl QueueCorrection {
    /// Errors correct by half: those of the jobs of one queue come together, as when a rush ends, so that many outcomes tell of few causes.
    pub fn halved(self) -> QueueCorrection {
        match self {
            QueueCorrection::Errors(record) => QueueCorrection::Errors(record.halved()),
            nearest @ QueueCorrection::Nearest { .. } => nearest,
        }
    }

    /// The distribution of simulated waits, corrected; `None` without any.
    pub fn corrected(&self, waits: &[Seconds], procs: Procs, request: Seconds) -> Option<Distribution> {
        let unranked = self.unranked(waits, procs, request)?;
        Some(match self {
            QueueCorrection::Nearest { ranks, .. } if ranks.is_empty() => unranked,
            QueueCorrection::Nearest { ranks, .. } => ranked(&unranked, ranks),
            QueueCorrection::Errors(record) => record.corrected(&queued(&unranked)),
        })
    }

    /// As it is before ranks or errors correct it.
    fn unranked(&self, waits: &[Seconds], procs: Procs, request: Seconds) -> Option<Distribution> {
        match self {
            QueueCorrection::Nearest { lessons: Some(lessons), .. } if !waits.is_empty() => {
                let mut waits = waits.to_vec();
                lessons.correct(&mut waits, procs, request);
                observed(&waits)
            }
            _ => observed(waits),
        }
    }
}

/// A forecast that is made as wide as errors of which nothing is known.
pub(super) fn widened(forecast: &Distribution) -> Distribution {
    StartRecord::of(std::iter::empty()).corrected(&queued(forecast))
}

/// A simulated start of a job that waits already, so that a queue is there.
fn queued(simulated: &Distribution) -> SimulatedStart {
    SimulatedStart::of(Conformal::quantiles(simulated), 1)
}

fn observed(waits: &[Seconds]) -> Option<Distribution> {
    let mut waits: Vec<f64> = waits.iter().map(|wait| wait.0.max(0) as f64).collect();
    order::sort_floats(&mut waits);
    Distribution::observed(waits.into(), 1.0)
}

/// The probability that a forecast gave to less than a wait, and half of what it gave to exactly that wait.
fn rank(forecast: &Distribution, wait: f64) -> f64 {
    let below = forecast.probability_before(wait);
    let up_to = forecast.probability_before(wait + 1e-6);
    f64::midpoint(below, up_to)
}

/// A forecast whose quantile at level `p` is what it was at the `p`-quantile of the ranks of outcomes, these being ascending: if
/// outcomes were often near its ends, it is made wider (Dawid 1984, the probability integral transform).
fn ranked(forecast: &Distribution, ranks: &[f64]) -> Distribution {
    let knots = LEVELS.map(|level| {
        let at = (level * (ranks.len() + 1) as f64 - 1.0).clamp(0.0, (ranks.len() - 1) as f64);
        let [below, above] = [at.floor(), at.ceil()].map(|place| ranks[place as usize]);
        // Outwards from the median: the outcome to come counts as one more at the end.
        let rank = match level.total_cmp(&0.5) {
            Ordering::Less => below,
            Ordering::Equal => f64::midpoint(below, above),
            Ordering::Greater => above,
        };
        (level, forecast.quantile(rank))
    });
    Distribution::quantiles(&knots).unwrap_or_else(|| forecast.clone())
}

#[cfg(test)]
mod tests {
    use super::*;

    const SIZE: (Procs, Seconds) = (Procs(4), Seconds(3600));

    /// Jobs one after the other, each asked about with the same simulated waits; these start after `wait(number)` seconds.
    fn followed(by: CorrectedBy, simulated: &[i64], wait: impl Fn(u32) -> i64) -> (PastQueues, Time) {
        let (mut past, mut now) = (PastQueues::new(by), Time(0));
        let waits: Vec<Seconds> = simulated.iter().copied().map(Seconds).collect();
        for number in 0..400 {
            past.said(JobIndex(number), now, &waits, SIZE);
            now = now + Seconds(wait(number));
            past.started(JobIndex(number), now);
        }
        (past, now)
    }

    /// Waits without a pattern from 0 to 10,000 s.
    fn scattered(number: u32) -> i64 {
        i64::from((number + 1) * 7919 % 10_007)
    }

    #[test]
    fn ranges_that_are_too_narrow_come_to_hold() {
        let simulated: [i64; 40] = std::array::from_fn(|place| 4500 + 25 * place as i64);
        for by in [CorrectedBy::Nearest, CorrectedBy::Errors] {
            let (past, now) = followed(by, &simulated, scattered);
            let record = past.record(now).unwrap();
            assert!((0.74..=0.92).contains(&record.inside), "{by:?}: {record:?}");
            assert!(record.by_p90 > 0.85, "{by:?}: {record:?}");
        }
        // Control: nothing is corrected where nothing is known.
        let none = PastQueues::new(CorrectedBy::Nearest).correction(Time(0));
        let range = PendingRange::of(&none.corrected(&simulated.map(Seconds), SIZE.0, SIZE.1).unwrap());
        assert!(range.low > 4500.0 && range.high < 5475.0, "{range:?}");
        assert!((range.median - 4987.5).abs() < 15.0, "{range:?}");
    }

    #[test]
    fn jobs_that_still_wait_count() {
        for by in [CorrectedBy::Nearest, CorrectedBy::Errors] {
            let (mut past, now) = followed(by, &[100; 10], |_| 100);
            let waits = [Seconds(100); 10];
            let before = PendingRange::of(&past.correction(now).corrected(&waits, SIZE.0, SIZE.1).unwrap());
            for number in 1000..1200 {
                past.said(JobIndex(number), now, &waits, SIZE);
            }
            let later = now + Seconds(50_000);
            let after = PendingRange::of(&past.correction(later).corrected(&waits, SIZE.0, SIZE.1).unwrap());
            assert!(after.high > 10.0 * before.high, "{by:?}: {before:?}, then {after:?}");
            let (first, last) = (past.record(now).unwrap(), past.record(later).unwrap());
            assert_eq!(last.answers, first.answers + 200);
            assert!(last.inside < first.inside, "{by:?}");
            // Those that leave tell nothing.
            (1000..1200).for_each(|number| past.left(JobIndex(number)));
            assert_eq!(past.record(later), Some(first));
        }
    }
}

//! Which time limits would have kept a risk in the past of a site.
//!
//! A predicted distribution is calibrated over all jobs, not over those for which a shorter limit seems safe: among these
//! it is overconfident. So limits are chosen by their walk-forward outcomes.

use std::collections::{BTreeMap, VecDeque};

use serde::{Deserialize, Serialize};

use super::limit::{LimitAdvice, rounded_up, stopped_at};
use queuecast_core::distribution::Distribution;
use queuecast_core::job::{Job, JobIndex};
use queuecast_core::long_array;
use queuecast_core::units::Seconds;

/// Candidate margins: a quantile of the forecast, and how many widths (log p90 − log p10) to add to it.
const BEYOND: [(f64, f64); 10] = [
    (0.5, 0.0),
    (0.7, 0.0),
    (0.8, 0.0),
    (0.9, 0.0),
    (0.95, 0.0),
    (0.98, 0.0),
    (0.98, 0.5),
    (0.98, 1.0),
    (0.98, 2.0),
    (0.98, 4.0),
];

/// Added on top of each candidate in [`BEYOND`], in natural logarithms of seconds.
const MORE: [f64; 5] = [0.0, 0.1, 0.25, 0.5, 1.0];

/// How many margins are tried.
const MARGINS: usize = BEYOND.len() * MORE.len();

/// Seconds added before a logarithm is taken, and the least width of a forecast: as in the correction of distributions.
const OFFSET: f64 = 10.0;
const NARROWEST: f64 = 0.3;

/// Window, in ended jobs, over which the margin is chosen for each risk in [`CHOICES`].
const JOBS_OF_MARGINS: usize = 5_000;

/// Nominal risks by which margins are chosen. Their outcomes are recorded too and decide which nominal risk keeps the
/// accepted one: jobs come in bursts and long runs end late, so a margin's past risk alone is optimistic.
const CHOICES: [f64; 9] = [0.3, 0.1, 0.05, 0.02, 0.01, 0.005, 0.002_5, 0.001_25, 0.000_6];

/// Window, in ended jobs, over which the nominal risk is chosen.
const JOBS_OF_CHOICES: usize = 20_000;

/// Limits in seconds by margin or choice; no limit shorter than what was asked for is [`NONE`].
type TriedLimits<const N: usize> = [u32; N];

const NONE: u32 = u32::MAX;

/// How many jobs would have been given a shorter limit, stopped at it, and how many seconds less they would have asked for.
#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize)]
struct TriedSums {
    advised: u32,
    stopped: u32,
    saved: u64,
}

impl TriedSums {
    /// Whether (stopped + `more`) / (advised + 1) is at most `risk`; `more` is added for safety.
    fn keeps(&self, risk: f64, more: u32) -> bool {
        f64::from(self.stopped + more) <= risk * f64::from(self.advised + 1)
    }
}

/// Limits tried on a job, how long it ran, and what it asked for.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct TriedOutcome<const N: usize> {
    #[serde(with = "long_array")]
    limits: TriedLimits<N>,
    ran: u32,
    asked: u32,
}

/// Outcomes of the last jobs, and their sums.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct TriedWindow<const N: usize> {
    jobs: usize,
    recent: VecDeque<TriedOutcome<N>>,
    #[serde(with = "long_array")]
    sums: [TriedSums; N],
}

impl<const N: usize> TriedWindow<N> {
    fn new(jobs: usize) -> TriedWindow<N> {
        TriedWindow { jobs, recent: VecDeque::new(), sums: [TriedSums::default(); N] }
    }

    fn learn(&mut self, limits: &TriedLimits<N>, ran: u32, asked: u32) {
        for (sums, &limit) in self.sums.iter_mut().zip(limits).filter(|(_, limit)| **limit != NONE) {
            sums.advised += 1;
            sums.stopped += u32::from(ran >= limit);
            sums.saved += u64::from(asked - limit);
        }
        self.recent.push_back(TriedOutcome { limits: *limits, ran, asked });
        if self.recent.len() > self.jobs
            && let Some(TriedOutcome { limits, ran, asked }) = self.recent.pop_front()
        {
            for (sums, &limit) in self.sums.iter_mut().zip(&limits).filter(|(_, limit)| **limit != NONE) {
                sums.advised -= 1;
                sums.stopped -= u32::from(ran >= limit);
                sums.saved -= u64::from(asked - limit);
            }
        }
    }

    /// The index that would have saved most requested time among those that kept the risk; `None` if none did.
    fn best(&self, risk: f64, more: u32) -> Option<usize> {
        let kept = self.sums.iter().enumerate().filter(|(_, sums)| sums.saved > 0 && sums.keeps(risk, more));
        // `max_by_key` returns the last maximum; reversed, ties go to the first.
        kept.rev().max_by_key(|(_, sums)| sums.saved).map(|(place, _)| place)
    }
}

/// A job in the system with what would be advised for it.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct NotedJob {
    asked: u32,
    #[serde(with = "long_array")]
    margins: TriedLimits<MARGINS>,
    choices: TriedLimits<{ CHOICES.len() }>,
}

/// What limits would have been advised for past jobs when they were submitted, and which of these jobs would have been stopped.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct LimitRecord {
    noted: BTreeMap<JobIndex, NotedJob>,
    margins: TriedWindow<MARGINS>,
    choices: TriedWindow<{ CHOICES.len() }>,
}

impl Default for LimitRecord {
    fn default() -> LimitRecord {
        LimitRecord {
            noted: BTreeMap::new(),
            margins: TriedWindow::new(JOBS_OF_MARGINS),
            choices: TriedWindow::new(JOBS_OF_CHOICES),
        }
    }
}

/// Limits at every margin, not rounded.
fn margins(run: &Distribution) -> [f64; MARGINS] {
    let log = |level: f64| (run.quantile(level).max(0.0) + OFFSET).ln();
    let width = (log(0.9) - log(0.1)).max(0.0) + NARROWEST;
    let last = log(BEYOND[BEYOND.len() - 1].0);
    // The level of the last candidates is that of several.
    let log = |level: f64| if level == BEYOND[BEYOND.len() - 1].0 { last } else { log(level) };
    let beyond = BEYOND.map(|(level, widths)| log(level) + widths * width);
    let (beyond, more) = (beyond.map(|log| log.min(60.0).exp()), MORE.map(f64::exp));
    std::array::from_fn(|place| beyond[place / MORE.len()] * more[place % MORE.len()] - OFFSET)
}

/// A limit that is shorter than what was asked for.
fn shorter(limit: f64, asked: u32) -> u32 {
    // No limit is rounded down.
    if limit >= f64::from(asked) {
        return NONE;
    }
    u32::try_from(rounded_up(limit).0).ok().filter(|limit| *limit < asked).unwrap_or(NONE)
}

/// Seconds as a `u32`; longer times (over a century) are capped.
fn noted_seconds(time: Seconds) -> u32 {
    u32::try_from(time.0.max(0)).unwrap_or(NONE).min(NONE - 1)
}

impl LimitRecord {
    /// Number of the last jobs that advice stands on: those by which a risk is chosen, and those before by which margins are.
    pub(super) const JOBS: usize = JOBS_OF_CHOICES + JOBS_OF_MARGINS;

    /// Notes a submitted job with its predicted run time. Jobs without a time limit are not noted.
    pub fn arrived(&mut self, job: &Job, run: &Distribution) {
        let Some(asked) = job.shape.limit.map(noted_seconds).filter(|asked| *asked > 0) else { return };
        let margins = margins(run).map(|limit| shorter(limit, asked));
        let choices = CHOICES.map(|risk| self.margins.best(risk, 1).map_or(NONE, |margin| margins[margin]));
        self.noted.insert(job.index, NotedJob { asked, margins, choices });
    }

    /// The job ended after running for `ran`; its tried limits become outcomes.
    pub fn ended(&mut self, job: JobIndex, ran: Seconds) {
        let Some(NotedJob { asked, margins, choices }) = self.noted.remove(&job) else { return };
        let ran = noted_seconds(ran);
        self.margins.learn(&margins, ran, asked);
        self.choices.learn(&choices, ran, asked);
    }

    /// The job was cancelled before it started: no outcome.
    pub fn withdrawn(&mut self, job: JobIndex) {
        self.noted.remove(&job);
    }

    /// The shortest limit below the one asked for whose choice has kept the risk over past jobs; the one asked for if none
    /// has.
    pub fn advise(&self, run: &Distribution, asked: Seconds, risk: f64) -> LimitAdvice {
        let choice = self.choices.best(risk, 1);
        let margin = choice.and_then(|choice| Some((choice, self.margins.best(CHOICES[choice], 1)?)));
        let shorter = margin.and_then(|(choice, margin)| {
            let limit = rounded_up(margins(run)[margin]);
            (limit < asked).then_some((choice, limit.max(Seconds(1))))
        });
        match shorter {
            Some((choice, limit)) => {
                let sums = self.choices.sums[choice];
                let past = f64::from(sums.stopped) / f64::from(sums.advised.max(1));
                let tried = Some(sums.advised as usize);
                LimitAdvice { limit, risk: past, is_bounded: false, tried }
            }
            None => {
                let stopped = stopped_at(run, asked);
                LimitAdvice { limit: asked, risk: stopped, is_bounded: stopped > risk, tried: None }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use queuecast_core::seed::Seed;
    use queuecast_core::units::{Procs, Time};

    fn job(index: usize, asked: i64) -> Job {
        let mut job = Job::rigid(1, Time(0), Procs(1), Some(Seconds(asked)));
        job.index = JobIndex(index as u32);
        job
    }

    /// Forecasts of 1,000 s, give or take; every `wrong`-th job runs for five times as long, and asks for ten times as long.
    fn followed(jobs: usize, wrong: usize) -> (LimitRecord, Distribution) {
        let mut record = LimitRecord::default();
        let run = Distribution::interval(900.0, 1_000.0, 1_100.0, 0.8);
        for number in 0..jobs {
            record.arrived(&job(number, 10_000), &run);
            let ran = if number % wrong == 0 { 5_000 } else { 1_000 };
            record.ended(JobIndex(number as u32), Seconds(ran));
        }
        (record, run)
    }

    #[test]
    fn the_risk_is_that_of_the_past() {
        // One in a thousand runs long: the 98 % point and a little is enough.
        let (record, run) = followed(6_000, 1_000);
        let advice = record.advise(&run, Seconds(10_000), 0.02);
        assert!(advice.limit <= Seconds(1_500) && advice.risk <= 0.02 && !advice.is_bounded, "{advice:?}");
        // One in ten does: only what these need keeps the risk, though the forecast is as sure of itself as before.
        let (record, run) = followed(6_000, 10);
        let advice = record.advise(&run, Seconds(10_000), 0.02);
        assert!(advice.limit > Seconds(5_000), "{advice:?}");
        // A risk of a fifth is kept by less.
        let advice = record.advise(&run, Seconds(10_000), 0.2);
        assert!(advice.limit <= Seconds(1_500) && (0.09..=0.11).contains(&advice.risk), "{advice:?}");
    }

    #[test]
    fn without_a_past_nothing_shorter_is_advised() {
        let run = Distribution::interval(900.0, 1_000.0, 1_100.0, 0.8);
        let advice = LimitRecord::default().advise(&run, Seconds(10_000), 0.02);
        assert_eq!((advice.limit, advice.tried, advice.is_bounded), (Seconds(10_000), None, false));
        let (record, run) = followed(30, 1_000);
        assert_eq!(record.advise(&run, Seconds(10_000), 0.02).limit, Seconds(10_000), "too few to tell");
    }

    #[test]
    fn sums_are_those_of_the_last_jobs() {
        let mut window = TriedWindow::<2>::new(50);
        let mut random = Seed(3).stream("limits");
        let mut all = Vec::new();
        for _ in 0..300 {
            use rand::RngExt;
            let asked = random.random_range(100..1_000_u32);
            let limits = [0, 1]
                .map(|_| Some(random.random_range(1..1_000)).filter(|one| *one < asked).unwrap_or(NONE));
            let ran = random.random_range(0..1_000);
            window.learn(&limits, ran, asked);
            all.push((limits, ran, asked));
        }
        for place in 0..2 {
            let (mut advised, mut stopped, mut saved) = (0, 0, 0);
            for (limits, ran, asked) in &all[250..] {
                if limits[place] < *asked {
                    advised += 1;
                    stopped += u32::from(*ran >= limits[place]);
                    saved += u64::from(asked - limits[place]);
                }
            }
            let sums = window.sums[place];
            assert_eq!((sums.advised, sums.stopped, sums.saved), (advised, stopped, saved));
        }
    }

    #[test]
    fn jobs_that_leave_or_ask_for_nothing_teach_nothing() {
        let mut record = LimitRecord::default();
        let run = Distribution::point(10.0);
        record.arrived(&job(1, 1_000), &run);
        record.withdrawn(JobIndex(1));
        record.ended(JobIndex(1), Seconds(5));
        let mut none = job(2, 1);
        none.shape.limit = None;
        record.arrived(&none, &run);
        record.ended(JobIndex(2), Seconds(5));
        assert!(record.margins.recent.is_empty() && record.noted.is_empty());
    }
}

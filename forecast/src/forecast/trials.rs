//! Methods tried on the last jobs of a site: what each said, and how right it was, all on the same jobs.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};

use super::arrivals::WaitOutcome;
use super::regime::{AT_ONCE, JudgedJobs, Regime, RegimeRecord};
use queuecast_core::distribution::Distribution;
use queuecast_core::job::{Job, JobIndex};
use queuecast_core::order;
use queuecast_core::stats;
use queuecast_core::units::{Seconds, Time};
use queuecast_wait::interval_score;

/// How right a method was for the last jobs, each predicted at its submission with what was known then.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MethodRecord {
    /// The method.
    pub method: String,
    /// Jobs it was tried on, the same for every method: those that have started, and those that have not but have outlasted
    /// the range of one of the methods at least.
    pub jobs: usize,
    /// The share that started within the range of 80 %, from `low` to `high`; 0.8 is what it should be. A job that has not
    /// started counts as inside as long as it has not outlasted the range.
    pub inside: f64,
    /// The share that started by p90, counted alike; 0.9 is what it should be.
    pub by_p90: f64,
    /// Mean interval score of the range, in seconds: its width, and ten times the distance of what lies outside. Of jobs that
    /// have not started it is the least that is possible by now.
    pub interval_score: f64,
    /// Mean distance of the median from the wait, in seconds, of such jobs the least possible too.
    pub mean_error: f64,
}

/// What is known of a wait at the moment that is asked about.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub(super) enum KnownWait {
    /// How long it was.
    Whole(f64),
    /// The job still waits, or has left the queue: it would have waited for longer than this.
    AtLeast(f64),
}

impl KnownWait {
    /// Of a job that was submitted this long ago; `None` if nothing is known.
    pub fn of(outcome: WaitOutcome, so_far: Seconds) -> Option<KnownWait> {
        Some(match outcome {
            WaitOutcome::Started(wait) if wait <= so_far => KnownWait::Whole(wait.0 as f64),
            WaitOutcome::Withdrawn(after) => KnownWait::AtLeast(after.min(so_far).0 as f64),
            WaitOutcome::Started(_) => KnownWait::AtLeast(so_far.0 as f64),
            WaitOutcome::Unknown => return None,
        })
    }
}

impl KnownWait {
    /// Whether the job started at once.
    pub fn is_at_once(self) -> bool {
        matches!(self, KnownWait::Whole(wait) if wait <= AT_ONCE)
    }
}

/// What a method said of the wait of a job.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub(super) struct SaidRange {
    p10: f64,
    median: f64,
    p90: f64,
    low: f64,
    high: f64,
}

impl SaidRange {
    pub fn of(wait: &Distribution) -> SaidRange {
        let (low, high) = wait.wait_range(0.8);
        let [p10, median, p90] = [0.1, 0.5, 0.9].map(|level| wait.quantile(level));
        SaidRange { p10, median, p90, low, high }
    }

    /// Whether the wait is within the range of 80 %, by what is known of it.
    pub fn holds(&self, known: KnownWait) -> bool {
        (self.low..=self.high).contains(&self.most_favourable(known))
    }

    /// The wait, or of those that are still possible the one that is best for the range.
    fn most_favourable(&self, known: KnownWait) -> f64 {
        match known {
            KnownWait::Whole(wait) => wait,
            KnownWait::AtLeast(so_far) => so_far.max(self.low),
        }
    }

    fn is_outlasted(&self, known: KnownWait) -> bool {
        matches!(known, KnownWait::AtLeast(so_far) if so_far > self.p90)
    }
}

/// The last jobs that methods were tried on.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct TriedJobs {
    most: usize,
    /// In order of submission.
    jobs: VecDeque<TriedJob>,
}

/// What was said of a job, and what became of it.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct TriedJob {
    index: JobIndex,
    submit: Time,
    regime: Regime,
    /// By method.
    said: Vec<SaidRange>,
    /// `None` as long as it waits.
    outcome: Option<KnownWait>,
}

impl TriedJobs {
    /// Of this many jobs.
    pub fn new(most: usize) -> TriedJobs {
        TriedJobs { most, jobs: VecDeque::new() }
    }

    /// What each method says of a job that is submitted.
    pub fn said(&mut self, job: &Job, regime: Regime, said: Vec<SaidRange>) {
        self.jobs.push_back(TriedJob { index: job.index, submit: job.submit, regime, said, outcome: None });
        if self.jobs.len() > self.most {
            self.jobs.pop_front();
        }
    }

    /// A job has started.
    pub fn started(&mut self, index: JobIndex, wait: Seconds) {
        self.ends(index, KnownWait::Whole(wait.0 as f64));
    }

    /// A job has left the queue without having started.
    pub fn left(&mut self, index: JobIndex, after: Seconds) {
        self.ends(index, KnownWait::AtLeast(after.0 as f64));
    }

    fn ends(&mut self, index: JobIndex, outcome: KnownWait) {
        // Numbers ascend with submissions.
        if let Ok(place) = self.jobs.binary_search_by_key(&index, |one| one.index) {
            self.jobs[place].outcome = Some(outcome);
        }
    }

    /// How right each of the methods was, by what is known now, by their places: the one that answers first, then the others by their
    /// scores.
    pub fn ranked(&self, now: Time, methods: Vec<String>) -> Vec<(usize, MethodRecord)> {
        let records = self.judged(now, methods.len(), &|_| true);
        let best = preferred(&records);
        let shown = records.iter().zip(methods).map(|(record, method)| record.record(method));
        let mut ranked: Vec<(usize, MethodRecord)> = shown.enumerate().collect();
        // The sort is stable: equally good methods keep the given order.
        order::sort_by(&mut ranked, |one, other| {
            (one.0 != best)
                .cmp(&(other.0 != best))
                .then(one.1.interval_score.total_cmp(&other.1.interval_score))
        });
        ranked
    }

    /// How right the method at this place of all methods was for jobs in a situation like this.
    pub fn in_regime(
        &self,
        now: Time,
        (place, methods): (usize, usize),
        regime: Regime,
    ) -> Option<RegimeRecord> {
        regime.record(|alike| {
            let records = self.judged(now, methods, alike);
            records.get(place).map_or(JudgedJobs::default(), |one| JudgedJobs {
                jobs: one.jobs(),
                inside: one.inside,
                at_once: one.at_once,
            })
        })
    }

    fn judged(&self, now: Time, methods: usize, counts: &dyn Fn(&Regime) -> bool) -> Vec<RangeRecord> {
        let jobs: Vec<&TriedJob> = self.jobs.iter().filter(|one| counts(&one.regime)).collect();
        let so_far = |one: &TriedJob| KnownWait::AtLeast((now - one.submit).max(Seconds::ZERO).0 as f64);
        let known: Vec<KnownWait> =
            jobs.iter().map(|one| one.outcome.unwrap_or_else(|| so_far(one))).collect();
        let by_method = |place: usize| jobs.iter().map(|one| one.said[place]).collect();
        let said: Vec<Vec<SaidRange>> = (0..methods).map(by_method).collect();
        let said: Vec<&[SaidRange]> = said.iter().map(Vec::as_slice).collect();
        judged(&known, &said)
    }
}

/// Judges methods by what each said of the jobs that count.
pub(super) fn judged(known: &[KnownWait], said: &[&[SaidRange]]) -> Vec<RangeRecord> {
    let counted = counted(known, said);
    let judge = |ranges: &&[SaidRange]| {
        let mut record = RangeRecord::default();
        counted.iter().for_each(|&job| record.add(&ranges[job], known[job]));
        record
    };
    said.iter().map(judge).collect()
}

/// The jobs by which methods are judged, all by the same ones. The wait so far of a job that has not started counts once it has outlasted
/// the range of one method: leaving it out would let short waits look more frequent than they are, and counting it for that method alone
/// would compare methods on different jobs.
pub(super) fn counted(known: &[KnownWait], said: &[&[SaidRange]]) -> Vec<usize> {
    let counts = |job: &usize| match known[*job] {
        KnownWait::Whole(_) => true,
        open => said.iter().any(|ranges| ranges[*job].is_outlasted(open)),
    };
    (0..known.len()).filter(counts).collect()
}

/// Consecutive jobs are compared in this many blocks: waits of neighbours in time are alike, so single jobs would seem to tell more than
/// they do.
const BLOCKS: usize = 10;

/// By how many standard errors of its blocks another method must have been better than the first.
const BEYOND_CHANCE: f64 = 3.0;

/// The place of the method that answers, by their records on the same jobs: the first one, unless others had better ranges beyond chance;
/// then the best of those. The lowest mean alone would choose by a few long waits of the last days, and be wrong about the next ones. Where
/// the ranges of the first one have failed, the lowest mean is all there is. A method whose own ranges have failed never replaces one whose
/// ranges held more often: while a queue grows, jobs that still wait flatter narrow ranges.
pub(super) fn preferred(records: &[RangeRecord]) -> usize {
    let Some(first) = records.first() else { return 0 };
    let has_failed = first.share_inside() < RegimeRecord::RELIABLE;
    let is_lower = |place: usize| records[place].mean_score() < first.mean_score();
    let is_better = |place: &usize| records[*place].is_better(first) || has_failed && is_lower(*place);
    let holds = |place: &usize| {
        let inside = records[*place].share_inside();
        inside >= RegimeRecord::RELIABLE || inside >= first.share_inside()
    };
    let better = (1..records.len()).filter(is_better).filter(holds);
    let score = |place: &usize| records[*place].mean_score();
    better.min_by(|one, other| score(one).total_cmp(&score(other))).unwrap_or(0)
}

/// What is behind a [`MethodRecord`].
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct RangeRecord {
    /// Interval scores of the jobs, in order of submission.
    scores: Vec<f64>,
    inside: usize,
    at_once: usize,
    by_p90: usize,
    error: f64,
}

impl RangeRecord {
    fn jobs(&self) -> usize {
        self.scores.len()
    }

    fn share_inside(&self) -> f64 {
        self.inside as f64 / self.jobs().max(1) as f64
    }

    fn mean_score(&self) -> f64 {
        stats::mean(self.scores.iter().copied())
    }

    /// Whether its interval scores are lower than those of another method on the same jobs, beyond chance.
    ///
    /// # Formula
    /// with `d` the mean differences of blocks of consecutive jobs and `n` of them: `mean(d) > 3 · sd(d) / √n`
    fn is_better(&self, than: &RangeRecord) -> bool {
        let (jobs, blocks) = (self.jobs(), BLOCKS.min(self.jobs()));
        let gain = |block: usize| {
            let within = block * jobs / blocks..(block + 1) * jobs / blocks;
            let gains = than.scores[within.clone()].iter().zip(&self.scores[within]);
            stats::mean(gains.map(|(other, own)| other - own))
        };
        let gains: Vec<f64> = (0..blocks).map(gain).collect();
        let error = stats::deviation(&gains) / (blocks.max(1) as f64).sqrt();
        blocks == BLOCKS && stats::mean(gains) > BEYOND_CHANCE * error
    }

    fn add(&mut self, range: &SaidRange, known: KnownWait) {
        let waited = range.most_favourable(known);
        let error = match known {
            KnownWait::Whole(wait) => (range.median - wait).abs(),
            KnownWait::AtLeast(so_far) => (so_far - range.median).max(0.0),
        };
        let scored = if matches!(known, KnownWait::AtLeast(_)) { waited.max(range.p10) } else { waited };
        self.inside += usize::from(range.holds(known));
        self.at_once += usize::from(known.is_at_once());
        self.by_p90 += usize::from(waited <= range.p90);
        self.scores.push(interval_score(range.p10, range.p90, scored));
        self.error += error;
    }

    pub fn record(&self, method: String) -> MethodRecord {
        let jobs = self.jobs().max(1) as f64;
        MethodRecord {
            method,
            jobs: self.jobs(),
            inside: self.inside as f64 / jobs,
            by_p90: self.by_p90 as f64 / jobs,
            interval_score: self.scores.iter().sum::<f64>() / jobs,
            mean_error: self.error / jobs,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use queuecast_core::units::Procs;
    use queuecast_core::workload::Machine;
    use queuecast_sim::site::Site;

    fn range(p10: f64, median: f64, p90: f64) -> SaidRange {
        SaidRange { p10, median, p90, low: p10, high: p90 }
    }

    fn records(known: &[KnownWait], said: &[&[SaidRange]]) -> Vec<MethodRecord> {
        judged(known, said).iter().map(|record| record.record(String::new())).collect()
    }

    #[test]
    fn all_methods_are_judged_on_the_same_jobs() {
        let known = [KnownWait::Whole(50.0), KnownWait::AtLeast(200.0), KnownWait::AtLeast(30.0)];
        let (short, long) = ([range(0.0, 10.0, 100.0); 3], [range(40.0, 100.0, 1000.0); 3]);
        let both = records(&known, &[&short, &long]);
        // The second job has outlasted the short range, so it counts for both; the third has outlasted none.
        assert_eq!((both[0].jobs, both[1].jobs), (2, 2));
        assert_eq!((both[0].inside, both[1].inside), (0.5, 1.0));
        // 100 wide, and 200 is 100 beyond it; 960 wide.
        assert_eq!((both[0].interval_score, both[1].interval_score), ((100.0 + 1100.0) / 2.0, 960.0));
        assert_eq!((both[0].mean_error, both[1].mean_error), ((40.0 + 190.0) / 2.0, (50.0 + 100.0) / 2.0));
        // Alone, the long range is outlasted by none: only the job that started says anything.
        assert_eq!(records(&known, &[&long])[0].jobs, 1);
    }

    /// A method with these interval scores, whose ranges all held.
    fn scored(scores: impl IntoIterator<Item = f64>) -> RangeRecord {
        let scores: Vec<f64> = scores.into_iter().collect();
        RangeRecord { inside: scores.len(), scores, ..RangeRecord::default() }
    }

    #[test]
    fn another_method_answers_only_if_it_was_better_beyond_chance() {
        let jobs = 0..100;
        let first = scored(jobs.clone().map(|job| f64::from(100 + job % 7)));
        let always = scored(jobs.clone().map(|job| f64::from(90 + job % 7)));
        assert_eq!(preferred(&[first.clone(), always.clone()]), 1);
        // By one burst of long waits alone it would be ten times as good.
        let burst = |before: f64, within: f64| {
            scored(jobs.clone().map(move |job| if (40..50).contains(&job) { within } else { before }))
        };
        let (steady, lucky) = (burst(100.0, 10_000.0), burst(101.0, 500.0));
        assert!(lucky.scores.iter().sum::<f64>() < steady.scores.iter().sum::<f64>() / 5.0);
        assert_eq!(preferred(&[steady.clone(), lucky.clone()]), 0);
        // Unless the ranges of the first have failed.
        let failed = RangeRecord { inside: 64, ..steady.clone() };
        assert_eq!(preferred(&[failed.clone(), lucky.clone()]), 1);
        // Ranges that fail replace none that held more often, however narrow they are.
        let narrow = RangeRecord { inside: 36, ..always.clone() };
        assert_eq!(preferred(&[RangeRecord { inside: 89, ..first.clone() }, narrow.clone()]), 0);
        assert_eq!(preferred(&[RangeRecord { inside: 30, ..first.clone() }, narrow]), 1);
        assert_eq!(preferred(&[failed, RangeRecord { inside: 100, ..steady.clone() }]), 0, "no better");
        // Of several that are better the best answers; equal ones do not replace the first.
        let half = scored(first.scores.iter().map(|score| score / 2.0));
        assert_eq!(preferred(&[first.clone(), always, half]), 2);
        assert_eq!(preferred(&[first.clone(), first]), 0);
        assert_eq!((preferred(&[]), preferred(&[scored([]), scored([])])), (0, 0));
        assert_eq!(preferred(&[scored([9.0]), scored([1.0])]), 0, "one job tells nothing");
    }

    #[test]
    fn a_wait_that_is_not_over_is_not_known() {
        let started = |wait| WaitOutcome::Started(Seconds(wait));
        let of = |outcome| KnownWait::of(outcome, Seconds(100));
        assert_eq!(of(started(100)), Some(KnownWait::Whole(100.0)));
        assert_eq!(of(started(101)), Some(KnownWait::AtLeast(100.0)), "it starts in a second");
        // Whether it starts or leaves later makes no difference now.
        assert_eq!(of(WaitOutcome::Withdrawn(Seconds(900))), of(started(700)));
        assert_eq!(of(WaitOutcome::Withdrawn(Seconds(40))), Some(KnownWait::AtLeast(40.0)));
        assert_eq!(of(WaitOutcome::Unknown), None);
    }

    #[test]
    fn a_job_that_has_not_started_has_waited_at_least_for_so_long() {
        let job = |index: u32| Job { index: JobIndex(index), ..Job::rigid(1, Time(10), Procs(1), None) };
        let mut tried = TriedJobs::new(3);
        for index in [1, 4, 5, 9] {
            let site = Site::new(Machine { procs: Procs(4) });
            let regime = Regime::of(&job(index), &site, Time(10));
            tried.said(&job(index), regime, vec![range(0.0, 10.0, 50.0)]);
        }
        let record = |tried: &TriedJobs| tried.ranked(Time(110), vec![String::new()]).remove(0).1;
        // The first of the four is forgotten; all others have waited for 100 s.
        assert_eq!((record(&tried).jobs, record(&tried).inside), (3, 0.0));
        tried.started(JobIndex(1), Seconds(5));
        tried.started(JobIndex(4), Seconds(50));
        // One that left after 40 s has not outlasted the range.
        tried.left(JobIndex(9), Seconds(40));
        assert_eq!((record(&tried).jobs, record(&tried).inside), (2, 0.5));
    }
}

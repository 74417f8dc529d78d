//! How right methods were: what each said of jobs, beside what is known of their waits, and which of them answers.

use serde::{Deserialize, Serialize};

use super::arrivals::WaitOutcome;
use super::regime::{AT_ONCE, RegimeRecord};
use queuecast_core::distribution::Distribution;
use queuecast_core::stats;
use queuecast_core::units::Seconds;
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

    /// From one quantile to the other, and in the middle.
    #[cfg(test)]
    pub fn from_to(p10: f64, median: f64, p90: f64) -> SaidRange {
        SaidRange { p10, median, p90, low: p10, high: p90 }
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

    fn score(&self, wait: f64) -> f64 {
        interval_score(self.p10, self.p90, wait)
    }

    /// By how much the interval score is lower than that of another range, of the waits that are still possible for the one that is worst
    /// for it.
    fn certain_gain(&self, than: &SaidRange, known: KnownWait) -> f64 {
        let gain = |wait: f64| than.score(wait) - self.score(wait);
        match known {
            KnownWait::Whole(wait) => gain(wait),
            // Between these instants the difference changes evenly, and beyond the last not at all.
            KnownWait::AtLeast(so_far) => {
                let bends = [so_far, self.p10, self.p90, than.p10, than.p90];
                bends.into_iter().map(|wait| gain(wait.max(so_far))).fold(f64::INFINITY, f64::min)
            }
        }
    }

    fn is_outlasted(&self, known: KnownWait) -> bool {
        matches!(known, KnownWait::AtLeast(so_far) if so_far > self.p90)
    }
}

/// Judges methods by what each said of the jobs that count.
pub(super) fn judged(known: &[KnownWait], said: &[&[SaidRange]]) -> Vec<RangeRecord> {
    let counted = counted(known, said);
    let judge = |ranges: &&[SaidRange]| {
        let mut record = RangeRecord::default();
        counted.iter().for_each(|&job| record.add(&ranges[job], &said[0][job], known[job]));
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
/// the ranges of the first one have failed beyond chance, the lower mean is all there is. Of a job that still waits, only what is certain
/// by now speaks for another method: while a queue stands still, such jobs would flatter narrow ranges, and ranges that lie far ahead. A
/// method whose own ranges have failed never replaces one whose ranges held more often.
pub(super) fn preferred(records: &[RangeRecord]) -> usize {
    let Some(first) = records.first() else { return 0 };
    let missing: Vec<f64> =
        first.held.iter().map(|&held| RegimeRecord::RELIABLE - f64::from(u8::from(held))).collect();
    let has_failed = is_beyond_chance(&missing);
    let is_better = |place: &usize| {
        let gains = &records[*place].gains;
        is_beyond_chance(gains) || has_failed && stats::mean(gains.iter().copied()) > 0.0
    };
    let holds = |place: &usize| {
        let inside = records[*place].share_inside();
        inside >= RegimeRecord::RELIABLE || inside >= first.share_inside()
    };
    let better = (1..records.len()).filter(is_better).filter(holds);
    let score = |place: &usize| records[*place].mean_score();
    better.min_by(|one, other| score(one).total_cmp(&score(other))).unwrap_or(0)
}

/// Whether gains on consecutive jobs are more than chance.
///
/// # Formula
/// with `d` the mean gains of blocks of consecutive jobs and `n` of them: `mean(d) > 3 · sd(d) / √n`
fn is_beyond_chance(gains: &[f64]) -> bool {
    let (jobs, blocks) = (gains.len(), BLOCKS.min(gains.len()));
    let mean = |block: usize| {
        let within = block * jobs / blocks..(block + 1) * jobs / blocks;
        stats::mean(gains[within].iter().copied())
    };
    let means: Vec<f64> = (0..blocks).map(mean).collect();
    let error = stats::deviation(&means) / (blocks.max(1) as f64).sqrt();
    blocks == BLOCKS && stats::mean(means) > BEYOND_CHANCE * error
}

/// What is behind a [`MethodRecord`].
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct RangeRecord {
    /// Interval scores of the jobs, in order of submission.
    scores: Vec<f64>,
    /// By how much each score is certain to be lower than that of the first method on the same job; negative if it may be higher.
    gains: Vec<f64>,
    /// Whether each range held.
    held: Vec<bool>,
    pub at_once: usize,
    by_p90: usize,
    error: f64,
}

impl RangeRecord {
    pub fn jobs(&self) -> usize {
        self.scores.len()
    }

    pub fn inside(&self) -> usize {
        self.held.iter().filter(|&&held| held).count()
    }

    fn share_inside(&self) -> f64 {
        self.inside() as f64 / self.jobs().max(1) as f64
    }

    fn mean_score(&self) -> f64 {
        stats::mean(self.scores.iter().copied())
    }

    /// Adds a job, with what this method and the first one said of it.
    fn add(&mut self, range: &SaidRange, first: &SaidRange, known: KnownWait) {
        let waited = range.most_favourable(known);
        let error = match known {
            KnownWait::Whole(wait) => (range.median - wait).abs(),
            KnownWait::AtLeast(so_far) => (so_far - range.median).max(0.0),
        };
        let scored = if matches!(known, KnownWait::AtLeast(_)) { waited.max(range.p10) } else { waited };
        self.held.push(range.holds(known));
        self.at_once += usize::from(known.is_at_once());
        self.by_p90 += usize::from(waited <= range.p90);
        self.scores.push(range.score(scored));
        self.gains.push(range.certain_gain(first, known));
        self.error += error;
    }

    pub fn record(&self, method: String) -> MethodRecord {
        let jobs = self.jobs().max(1) as f64;
        MethodRecord {
            method,
            jobs: self.jobs(),
            inside: self.share_inside(),
            by_p90: self.by_p90 as f64 / jobs,
            interval_score: self.scores.iter().sum::<f64>() / jobs,
            mean_error: self.error / jobs,
        }
    }
}

#[cfg(test)]
mod tests {
    use rand::RngExt;

    use super::*;
    use queuecast_core::seed::Seed;

    fn range(p10: f64, median: f64, p90: f64) -> SaidRange {
        SaidRange::from_to(p10, median, p90)
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
        RangeRecord { held: vec![true; scores.len()], scores, ..RangeRecord::default() }
    }

    /// Of its ranges only this many of a hundred held, spread evenly.
    fn holding(record: &RangeRecord, hundredths: usize) -> RangeRecord {
        let held = (0..record.jobs()).map(|job| (job + 1) * hundredths / 100 > job * hundredths / 100);
        RangeRecord { held: held.collect(), ..record.clone() }
    }

    /// Which of these is preferred, if all waits are over.
    fn preferred_of<const METHODS: usize>(mut records: [RangeRecord; METHODS]) -> usize {
        let first = records.first().map_or(Vec::new(), |one| one.scores.clone());
        for record in &mut records {
            record.gains = first.iter().zip(&record.scores).map(|(first, own)| first - own).collect();
        }
        preferred(&records)
    }

    #[test]
    fn another_method_answers_only_if_it_was_better_beyond_chance() {
        let jobs = 0..100;
        let first = scored(jobs.clone().map(|job| f64::from(100 + job % 7)));
        let always = scored(jobs.clone().map(|job| f64::from(90 + job % 7)));
        assert_eq!(preferred_of([first.clone(), always.clone()]), 1);
        // By one burst of long waits alone it would be ten times as good.
        let burst = |before: f64, within: f64| {
            scored(jobs.clone().map(move |job| if (40..50).contains(&job) { within } else { before }))
        };
        let (steady, lucky) = (burst(100.0, 10_000.0), burst(101.0, 500.0));
        assert!(lucky.scores.iter().sum::<f64>() < steady.scores.iter().sum::<f64>() / 5.0);
        assert_eq!(preferred_of([steady.clone(), lucky.clone()]), 0);
        // Unless the ranges of the first have failed.
        let failed = holding(&steady, 40);
        assert_eq!(preferred_of([failed.clone(), lucky.clone()]), 1);
        // One bad day is chance.
        let bad_day = RangeRecord { held: (0..100).map(|job| job < 60).collect(), ..steady.clone() };
        assert_eq!(preferred_of([bad_day, lucky.clone()]), 0);
        // Ranges that fail replace none that held more often, however narrow they are.
        let narrow = holding(&always, 36);
        assert_eq!(preferred_of([holding(&first, 89), narrow.clone()]), 0);
        assert_eq!(preferred_of([holding(&first, 30), narrow]), 1);
        assert_eq!(preferred_of([failed, steady.clone()]), 0, "no better");
        // Of several that are better the best answers; equal ones do not replace the first.
        let half = scored(first.scores.iter().map(|score| score / 2.0));
        assert_eq!(preferred_of([first.clone(), always, half]), 2);
        assert_eq!(preferred_of([first.clone(), first]), 0);
        assert_eq!((preferred_of([]), preferred_of([scored([]), scored([])])), (0, 0));
        assert_eq!(preferred_of([scored([9.0]), scored([1.0])]), 0, "one job tells nothing");
    }

    #[test]
    fn jobs_that_still_wait_speak_for_another_method_only_if_that_is_certain() {
        let (wide, soon, late) =
            (range(0.0, 100.0, 1_000.0), range(0.0, 20.0, 50.0), range(5_000.0, 6_000.0, 7_000.0));
        let preferred = |known: KnownWait, others: &[SaidRange]| {
            let said: Vec<Vec<SaidRange>> = [wide].iter().chain(others).map(|&one| vec![one; 100]).collect();
            let said: Vec<&[SaidRange]> = said.iter().map(Vec::as_slice).collect();
            preferred(&judged(&vec![known; 100], &said))
        };
        // The narrow range has been outlasted, and may be wrong by any amount.
        assert_eq!(preferred(KnownWait::AtLeast(100.0), &[soon]), 0);
        assert_eq!(preferred(KnownWait::Whole(40.0), &[soon]), 1);
        // The late one may be wrong by most of its distance as long as the wait may end now.
        for so_far in [100.0, 2_500.0] {
            assert_eq!(preferred(KnownWait::AtLeast(so_far), &[soon, late]), 0);
        }
        // From here on it is nearer than the first, whatever becomes of the jobs.
        assert_eq!(preferred(KnownWait::AtLeast(3_600.0), &[soon, late]), 2);
    }

    /// No wait that is still possible gains less than is certain, and one gains just that.
    #[test]
    fn what_is_certain_is_the_least_gain_of_all_possible_waits() {
        let mut random = Seed(1).stream("ranges");
        for _ in 0..2_000 {
            let mut drawn = || {
                let (from, width) = (random.random_range(0..50), random.random_range(0..50));
                range(f64::from(from), f64::from(from), f64::from(from + width))
            };
            let (own, than) = (drawn(), drawn());
            let so_far = random.random_range(0..120);
            let certain = own.certain_gain(&than, KnownWait::AtLeast(f64::from(so_far)));
            let gain = |wait: i32| than.score(f64::from(wait)) - own.score(f64::from(wait));
            let least = (so_far..so_far + 300).map(gain).fold(f64::INFINITY, f64::min);
            assert_eq!(certain, least);
        }
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
}

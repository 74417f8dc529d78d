//! Situations in which ranges have not held lately: they are widened there, and advice is withheld, until they hold again.

use serde::Serialize;

use queuecast_core::units::{Procs, Time};
use queuecast_forecast::forecast::{PendingRange, PredictedWait};

/// Jobs in one situation, of whose last ranges too few held.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct LostRegime {
    /// Which jobs; `None` for all of which too few are known by themselves.
    pub jobs: Option<RegimeJobs>,
    /// By how much ranges are widened, about their medians: so that 80 % of the last ones would have held.
    pub factor: f64,
    /// Forecasts since ranges began to fail.
    pub judged: usize,
    /// The share of them that held before they were widened.
    pub inside: f64,
    /// When the first of them was judged, as a Unix time.
    pub since: Time,
}

/// Jobs of a partition that are alike in size and place.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct RegimeJobs {
    /// The partition.
    pub partition: String,
    /// Half of the binary logarithm of their processors.
    pub size: u32,
    /// Whether no job is before them in the queue.
    pub is_first: bool,
}

impl RegimeJobs {
    /// Of a job.
    pub fn of(partition: &str, procs: Procs, is_first: bool) -> RegimeJobs {
        RegimeJobs { partition: partition.to_owned(), size: procs.0.max(1).ilog2() / 2, is_first }
    }

    fn words(&self) -> String {
        let least = 1_u64 << (2 * self.size);
        let place = if self.is_first { "first in line" } else { "behind others" };
        format!("{least} to {} processors in {}, {place}", 4 * least - 1, self.partition)
    }
}

impl LostRegime {
    /// In words.
    pub fn words(&self) -> String {
        let jobs = self.jobs.as_ref().map_or_else(|| "all jobs".to_owned(), RegimeJobs::words);
        let LostRegime { judged, inside, factor, .. } = self;
        format!(
            "of the last {judged} ranges for {jobs}, {:.0} % held instead of 80 %: they are {factor:.1} times as wide until they hold again",
            100.0 * inside
        )
    }

    /// A time at the same place of a wider distribution.
    fn moved(&self, time: f64, median: f64) -> f64 {
        (median + self.factor * (time - median)).max(0.0)
    }

    /// A range of a waiting job, widened.
    pub(super) fn range(&self, range: PendingRange) -> PendingRange {
        let moved = |time: f64| self.moved(time, range.median);
        PendingRange {
            p10: moved(range.p10),
            median: range.median,
            p90: moved(range.p90),
            low: moved(range.low),
            high: moved(range.high),
        }
    }

    /// The wait of a newcomer, widened.
    pub(super) fn wait(&self, wait: &PredictedWait) -> PredictedWait {
        wait.mapped(|time| self.moved(time, wait.median))
    }
}

/// The regime of a job among the lost ones: its own, else that of all unless the job's own regime is known to hold.
pub(super) fn find<'a>(lost: LostRegimes<'a>, job: &RegimeJobs) -> Option<&'a LostRegime> {
    let own = lost.lost.iter().find(|one| one.jobs.as_ref() == Some(job));
    own.or_else(|| {
        let has_own_record = lost.known.contains(job);
        lost.lost.iter().find(|one| one.jobs.is_none() && !has_own_record)
    })
}

/// What has been found of a site's regimes.
#[derive(Debug, Clone, Copy, Default)]
pub struct LostRegimes<'a> {
    /// Those that are lost.
    pub lost: &'a [LostRegime],
    /// Those of which enough is known to judge them by themselves.
    pub known: &'a [RegimeJobs],
}

/// [`LostRegimes`] to keep.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct KnownRegimes {
    /// Those that are lost.
    pub lost: Vec<LostRegime>,
    /// Those of which enough is known to judge them by themselves.
    pub known: Vec<RegimeJobs>,
}

impl KnownRegimes {
    /// As questions take them.
    pub fn view(&self) -> LostRegimes<'_> {
        LostRegimes { lost: &self.lost, known: &self.known }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lost(jobs: Option<RegimeJobs>, factor: f64) -> LostRegime {
        LostRegime { jobs, factor, judged: 60, inside: 0.4, since: Time(0) }
    }

    #[test]
    fn a_regime_with_its_own_record_is_judged_by_it() {
        let jobs = |partition: &str| RegimeJobs::of(partition, Procs(16), false);
        let (all, own) = ([lost(None, 2.0), lost(Some(jobs("a")), 3.0)], [jobs("a"), jobs("b")]);
        let regimes = LostRegimes { lost: &all, known: &own };
        let factor = |job: &RegimeJobs| find(regimes, job).map(|one| one.factor);
        assert_eq!(["a", "b", "c"].map(|name| factor(&jobs(name))), [Some(3.0), None, Some(2.0)]);
        assert_eq!(factor(&RegimeJobs::of("a", Procs(64), false)), Some(2.0), "another size");
        assert_eq!(factor(&RegimeJobs::of("a", Procs(63), false)), Some(3.0), "the same class");
        assert_eq!(
            all[1].words(),
            "of the last 60 ranges for 16 to 63 processors in a, behind others, 40 % held instead of 80 %: they are 3.0 times as wide until they hold again"
        );
    }

    #[test]
    fn ranges_are_widened_about_their_medians_and_not_into_the_past() {
        let range = PendingRange { p10: 90.0, median: 200.0, p90: 320.0, low: 100.0, high: 300.0 };
        let wide = lost(None, 3.0).range(range);
        assert_eq!((wide.low, wide.median, wide.high), (0.0, 200.0, 500.0));
        assert_eq!((wide.p10, wide.p90), (0.0, 560.0));
    }
}

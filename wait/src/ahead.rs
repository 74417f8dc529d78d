//! Queue times of Downey 1997 for a job behind others.

use std::collections::BTreeMap;

use super::baseline::LastWaits;
use super::freed::{benefactors, expected};
use super::predictor::{Arrival, WaitForecast, WaitPredictor};
use super::{Holder, LifetimeFit, QueueTime};
use queuecast_core::distribution::{Distribution, LogUniform};
use queuecast_core::job::{Event, Job, JobIndex, What};
use queuecast_core::units::{Procs, Seconds};
use queuecast_sim::site::View;

/// The queue-time predictors of Downey 1997 (section 3), applied to a job that arrives behind others as if all were served in the order of submission. Lifetimes are
/// fitted to all jobs that have ended; requested times are not used.
///
/// The paper predicts for the head of the queue, which wants `n'` processors beyond the free ones. A job behind others has to wait
/// until these have started too: it wants its own processors and those of all waiting jobs, less the free ones. Predictor A is used where at least `benefactors` running jobs hold as many
/// each, else B, with the processors that waiting jobs free in their turn.
///
/// # Formula
/// B: the least `t` with `Σ nᵢ·cdfᵢ(t) + min(W, Σ nᵢ·(t − rᵢ)⁺ / L) ≥ n'`, where the sums run over running jobs, `rᵢ` is the mean of what is left of one, `L` the mean lifetime and `W` the processors of
/// waiting jobs: from `rᵢ` on, processors are handed on once in a mean lifetime, until all waiting jobs have had theirs. Without waiting jobs this is equation 10. What exceeds all held and wanted
/// counts as all of it. Before two different lifetimes were seen, no wait is predicted.
///
/// # Distribution
/// The point times quantiles of the ratios of actual to predicted waits, a minute added to both, of the last 500 jobs predicted that have started; apart for jobs predicted to start at once.
/// Before there are 30 of these, the point alone.
#[derive(Debug, Clone)]
pub struct QueueAhead {
    /// From how many benefactors on predictor A is used, if ever.
    benefactors: Option<u32>,
    fit: LifetimeFit,
    /// Of jobs that have not started, the predicted waits.
    predicted: BTreeMap<JobIndex, f64>,
    /// Ratios where no wait was predicted, and where one was.
    ratios: [LastWaits; 2],
}

/// How many ratios are kept.
const WINDOW: usize = 500;

/// With fewer ratios there is no distribution.
const FEWEST: usize = 30;

/// Added to waits before their ratio is taken, in seconds.
const UNIT: f64 = 60.0;

/// No more predicted waits are kept: those of jobs that never start are not taken out.
const MOST_PREDICTED: usize = 100_000;

/// The levels of a distribution are the multiples of one over this.
const LEVELS: usize = 20;

impl QueueAhead {
    /// From how many benefactors on the paper's combination uses predictor A.
    pub const BENEFACTORS: u32 = 2;

    /// Predictor A with at least this number of benefactors (itself at least 1), else B; without a number always B.
    pub fn new(benefactors: Option<u32>) -> QueueAhead {
        QueueAhead {
            benefactors,
            fit: LifetimeFit::new(),
            predicted: BTreeMap::new(),
            ratios: [LastWaits::default(), LastWaits::default()],
        }
    }

    fn point(&self, job: &Job, site: View<'_>) -> Option<f64> {
        let waiting: u64 = site.waiting().map(|waiting| u64::from(waiting.job.shape.procs.0)).sum();
        let wanted = (u64::from(job.shape.procs.0) + waiting).saturating_sub(u64::from(site.free().0));
        if wanted == 0 {
            return Some(0.0);
        }
        let lifetimes = self.fit.lifetimes()?;
        let running = site.running();
        let holders: Vec<Holder> = running
            .map(|running| Holder::aged(running.procs, site.now() - running.start, &lifetimes))
            .collect();
        let more = Procs(u32::try_from(wanted).unwrap_or(u32::MAX));
        let enough = self
            .benefactors
            .is_some_and(|least| benefactors(&holders, more).count() >= least.max(1) as usize);
        if enough {
            return QueueTime::Median.predict(&holders, more);
        }
        Some(mean_with_queue(&holders, &lifetimes, wanted as f64, waiting as f64))
    }

    fn spread(&self, point: f64) -> Distribution {
        let ratios = &self.ratios[usize::from(point > 0.0)].sorted;
        let knots: Vec<(f64, f64)> = (1..LEVELS)
            .filter_map(|level| {
                let share = level as f64 / LEVELS as f64;
                let ratio = ratios.get((share * ratios.len() as f64) as usize)?;
                Some((share, ((point + UNIT) * ratio - UNIT).max(0.0)))
            })
            .collect();
        let spread = if ratios.len() < FEWEST { None } else { Distribution::quantiles(&knots) };
        spread.unwrap_or_else(|| Distribution::point(point))
    }
}

/// Predictor B with waiting jobs, to half a second.
fn mean_with_queue(holders: &[Holder], lifetimes: &LogUniform, wanted: f64, waiting: f64) -> f64 {
    let held: f64 = holders.iter().map(|holder| f64::from(holder.procs().0)).sum();
    if held <= 0.0 {
        return 0.0;
    }
    // So that rounded sums reach what is wanted of all there is.
    let wanted = wanted.min(held + waiting) * (1.0 - 1e-9);
    let lifetime = Distribution::log_uniform(*lifetimes).mean().max(1.0);
    let left: Vec<(f64, f64)> = holders
        .iter()
        .map(|holder| (f64::from(holder.procs().0), holder.run().mean() - holder.run().elapsed()))
        .collect();
    let freed = |t: f64| {
        let again: f64 = left.iter().map(|(procs, mean)| procs * (t - mean).max(0.0)).sum();
        expected(holders, t).amount + waiting.min(again / lifetime)
    };
    let empty = holders.iter().map(Holder::ended).fold(0.0, f64::max);
    // By then all have ended, and all waiting jobs too.
    let (mut early, mut late) = (0.0, empty + lifetime * (1.0 + waiting / held));
    while late - early > 0.5 && late - early > 1e-6 * late {
        let middle = (early + late) / 2.0;
        if freed(middle) >= wanted { late = middle } else { early = middle }
    }
    late
}

impl WaitPredictor for QueueAhead {
    fn forecast(&self, arrival: &Arrival<'_>, site: View<'_>) -> WaitForecast {
        match self.point(arrival.job, site) {
            Some(point) => WaitForecast::new(point, self.spread(point)),
            None => WaitForecast::nothing_known(),
        }
    }

    fn predict(&mut self, arrival: &Arrival<'_>, site: View<'_>) -> WaitForecast {
        let Some(point) = self.point(arrival.job, site) else { return WaitForecast::nothing_known() };
        self.predicted.insert(arrival.job.index, point);
        if self.predicted.len() > MOST_PREDICTED {
            self.predicted.pop_first();
        }
        WaitForecast::new(point, self.spread(point))
    }

    fn learn(&mut self, arrival: &Arrival<'_>, wait: Seconds) {
        if let Some(point) = self.predicted.remove(&arrival.job.index) {
            let ratio = (wait.0.max(0) as f64 + UNIT) / (point + UNIT);
            self.ratios[usize::from(point > 0.0)].push(ratio, WINDOW);
        }
    }

    fn observe(&mut self, event: &Event<'_>) {
        match event.what {
            What::Ended(end) => self.fit.observe(end.ran),
            What::Withdrawn => {
                self.predicted.remove(&event.job.index);
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::features::Features;
    use super::*;
    use queuecast_core::job::{End, Ending};
    use queuecast_core::units::Time;
    use queuecast_core::workload::Machine;
    use queuecast_sim::site::Site;

    fn job(procs: u32) -> Job {
        Job::rigid(1, Time(0), Procs(procs), None)
    }

    /// One that has seen jobs run between 10 and 10,000 seconds.
    fn seasoned(benefactors: Option<u32>) -> QueueAhead {
        let mut ahead = QueueAhead::new(benefactors);
        for ran in [10, 100, 1000, 10_000] {
            let what = What::Ended(End { ran: Seconds(ran), ending: Ending::Completed });
            ahead.observe(&Event { at: Time(ran), job: &job(1), what });
        }
        ahead
    }

    fn site(running: &[u32], waiting: &[u32]) -> Site {
        let mut site = Site::new(Machine { procs: Procs(64) });
        for &procs in running {
            let index = site.submit(&job(procs), Seconds(100), Seconds(100));
            site.start(index, Time(0), 0).unwrap();
        }
        for &procs in waiting {
            site.submit(&job(procs), Seconds(100), Seconds(100));
        }
        site
    }

    fn point(ahead: &mut QueueAhead, site: &Site, procs: u32) -> f64 {
        let (job, features) = (job(procs), Features::default());
        ahead.predict(&Arrival { job: &job, at: Time(500), features: &features }, site.view(Time(500))).point
    }

    #[test]
    fn at_the_head_it_is_the_paper() {
        let site = site(&[16, 16, 24], &[]);
        let ahead = seasoned(None);
        let lifetimes = ahead.fit.lifetimes().unwrap();
        let holders = [16, 16, 24].map(|procs| Holder::aged(Procs(procs), Seconds(500), &lifetimes));
        for (benefactors, paper) in [(Some(2), QueueTime::default()), (None, QueueTime::Mean)] {
            for procs in [1, 8, 9, 20, 24, 25, 40, 64] {
                let found = point(&mut seasoned(benefactors), &site, procs);
                let more = Procs(procs.saturating_sub(8));
                let expected = paper.predict(&holders, more).unwrap();
                assert!((found - expected).abs() <= 1.0, "{paper} {procs}: {found} {expected}");
            }
        }
        // A alone: with one benefactor it is not the combination.
        let (a, both) = (point(&mut seasoned(Some(1)), &site, 30), point(&mut seasoned(Some(2)), &site, 30));
        assert_eq!(Some(a), QueueTime::Median.predict(&holders, Procs(22)));
        assert!((a - both).abs() > 1.0);
    }

    #[test]
    fn nothing_known_and_nothing_wanted() {
        assert_eq!(point(&mut QueueAhead::new(None), &site(&[64], &[]), 8), 0.0, "no lifetimes yet");
        assert_eq!(point(&mut seasoned(None), &site(&[16], &[]), 48), 0.0, "it fits");
        assert!(point(&mut seasoned(None), &site(&[16], &[40]), 10) > 0.0, "not behind another");
        assert_eq!(point(&mut seasoned(None), &site(&[], &[]), 100), 0.0, "no job to wait for");
    }

    #[test]
    fn ratios_of_the_past_are_the_distribution() {
        let mut ahead = seasoned(None);
        let (site, features) = (site(&[64], &[]), Features::default());
        for index in 0..40 {
            let job = Job { index: JobIndex(index), ..job(8) };
            let arrival = Arrival { job: &job, at: Time(500), features: &features };
            let forecast = ahead.predict(&arrival, site.view(Time(500)));
            assert_eq!(forecast.wait == Distribution::point(forecast.point), index < 30);
            if index >= 30 {
                assert!((forecast.wait.quantile(0.5) - (2.0 * forecast.point + UNIT)).abs() < 5.0);
            }
            ahead.learn(&arrival, Seconds((2.0 * forecast.point + UNIT) as i64));
        }
        assert!(ahead.predicted.is_empty());
    }

    proptest! {
        /// A longer queue, and a larger job, never start earlier.
        #[test]
        fn more_ahead_is_no_earlier(
            running in prop::collection::vec(1..16_u32, 1..5), waiting in prop::collection::vec(1..64_u32, 0..20),
            procs in 1..63_u32,
        ) {
            let mut ahead = seasoned(None);
            let shorter = &waiting[..waiting.len() / 2];
            let (few, all) = (site(&running, shorter), site(&running, &waiting));
            let (short, long) = (point(&mut ahead, &few, procs), point(&mut ahead, &all, procs));
            prop_assert!(short <= long * (1.0 + 1e-5) + 1.0, "{} {}", short, long);
            prop_assert!(long <= point(&mut ahead, &all, procs + 1) * (1.0 + 1e-5) + 1.0);
        }
    }
}

//! Remaining times below 0.

use super::{Demand, Feature, Features};
use queuecast_core::job::Job;
use queuecast_core::units::Seconds;
use queuecast_sim::site::View;

impl Features {
    /// These features with what remains of running jobs as Table 1 prints it, `p·(e − elapsed)`: below 0 of a job that has outlived its
    /// requested time, where [`FeatureTracker`](super::FeatureTracker) has 0. `self` are the features of a job that arrives at a site now. Costs the number of
    /// running jobs.
    #[must_use]
    pub fn with_overruns(&self, job: &Job, site: View<'_>, default_request: Seconds) -> Features {
        let own = Demand::of(job, default_request);
        let mut features = *self;
        for running in site.running() {
            let its = Demand::of(running.job, default_request);
            let elapsed = site.now().0.saturating_sub(running.start.0);
            if elapsed <= its.ert {
                continue;
            }
            let over = its.procs as f64 * (elapsed - its.ert) as f64;
            let sums = [
                (Feature::RunningRemaining, true),
                (Feature::RunningRemainingOfSmaller, its.procs < own.procs),
                (Feature::RunningRemainingOfShorter, its.ert < own.ert),
                (Feature::RunningRemainingOfLess, its.cpu_time() < own.cpu_time()),
            ];
            for (feature, _) in sums.into_iter().filter(|(_, counts)| *counts) {
                features.0[feature as usize] -= over;
            }
        }
        features
    }
}

#[cfg(test)]
mod tests {
    use super::super::FeatureTracker;
    use super::*;
    use queuecast_core::job::{Event, JobIndex, What};
    use queuecast_core::units::{Procs, Time};
    use queuecast_core::workload::Machine;
    use queuecast_sim::site::Site;

    /// Jobs of 2 and 8 processors, of which the first has outlived its 100 s by 50 s, and one that has not.
    #[test]
    fn what_remains_is_below_zero_of_jobs_that_overrun() {
        let job = |procs: u32, limit: i64| Job::rigid(1, Time(0), Procs(procs), Some(Seconds(limit)));
        let running =
            vec![(job(2, 100), Seconds(150)), (job(8, 400), Seconds(150)), (job(8, 150), Seconds(150))];
        let mut tracker = FeatureTracker::new(Seconds(86_400));
        for (place, (job, _)) in running.iter().enumerate() {
            let job = Job { index: JobIndex(place as u32), ..job.clone() };
            for what in [What::Arrived, What::Started(job.shape)] {
                tracker.observe(&Event { at: Time(850), job: &job, what });
            }
        }
        let site =
            Site::found(Machine { procs: Procs(32) }, Time(1000), running, Vec::new(), Seconds(86_400));
        let asked = |tracker: &mut FeatureTracker, own: Job| {
            let clipped = tracker.features(&own, Time(1000));
            let features = clipped.with_overruns(&own, site.view(Time(1000)), Seconds(86_400));
            [
                Feature::RunningRemaining,
                Feature::RunningRemainingOfSmaller,
                Feature::RunningRemainingOfShorter,
                Feature::RunningRemainingOfLess,
            ]
            .map(|feature| (clipped.of(feature), features.of(feature)))
        };
        // 8·250 remain of the second, −2·50 of the first, nothing of the third.
        let small = asked(&mut tracker, job(4, 50));
        assert_eq!(small, [(2000.0, 1900.0), (0.0, -100.0), (0.0, 0.0), (0.0, 0.0)]);
        let large = asked(&mut tracker, job(16, 7200));
        assert_eq!(large, [(2000.0, 1900.0); 4]);
        // A missing request is the default, which is longer than any.
        let unlimited = asked(&mut tracker, Job::rigid(1, Time(0), Procs(1), None));
        assert_eq!(unlimited, [(2000.0, 1900.0), (0.0, 0.0), (2000.0, 1900.0), (2000.0, 1900.0)]);
    }
}

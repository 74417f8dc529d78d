//! Start times at a Slurm site with a long history: forecasts at every submission, and one answer at its end.
//!
//! `cargo bench -p queuecast -- forecast`. Five times the history should take some five times as long.

use divan::counter::ItemsCount;
use divan::{Bencher, black_box};
use queuecast_core::seed::Seed;
use queuecast_core::units::Micros;
use queuecast_forecast::forecast::{
    ClusterDraws, ClusterQuestion, ClusterWhenSettings, ExpectedArrivals, when_at_cluster,
};
use queuecast_slurm_sim::cluster::ClusterMoment;
use queuecast_study::forecast_starts;

use crate::support::made_site::{history, site};

/// At every submission, one simulation each.
#[divan::bench(args = [20_000, 100_000], sample_count = 1, sample_size = 1)]
fn every_submission(bencher: Bencher<'_, '_>, jobs: usize) {
    let (cluster, run) = (site(), history(jobs));
    let draws = ClusterDraws { draws: 1, arrivals: ExpectedArrivals::LikePast };
    bencher
        .counter(ItemsCount::new(jobs))
        .bench_local(|| forecast_starts(&cluster, black_box(&run), &[], draws, Seed(1), &|_| {}));
}

/// One job at the end of the history, as `when --site` answers.
#[divan::bench(args = [20_000, 100_000], sample_count = 1, sample_size = 1)]
fn one_answer(bencher: Bencher<'_, '_>, jobs: usize) {
    let (cluster, history) = (site(), history(jobs));
    let last = history.submissions.last().map_or(Micros::ZERO, |job| job.submit);
    let moment = ClusterMoment::recorded(&cluster, &history, last);
    let mut job = history.submissions[0].clone();
    (job.key, job.submit) = ("new".into(), last);
    bencher.counter(ItemsCount::new(jobs)).bench_local(|| {
        let question = ClusterQuestion {
            cluster: &cluster,
            history: &history,
            moment: &moment,
            job: &job,
            record: None,
            schedules: &[],
        };
        when_at_cluster(black_box(&question), ClusterWhenSettings::default(), &|_| {})
    });
}

//! Several sites on one clock: brokers, and how they grow with the number of sites and with the load.
//!
//! `cargo bench -p queuecast -- broker`.

use divan::counter::ItemsCount;
use divan::{Bencher, black_box};
use queuecast_core::seed::Seed;
use queuecast_core::workload::Workload;
use queuecast_forecast::broker::{Alignment, BrokerSpec, Grid, SiteSetup, merged};
use queuecast_synth::synth::Habits;

/// Jobs of each site.
const JOBS: u32 = 5_000;

/// `sites` sites of 128 processors at this load, with users and requested times.
fn grid(sites: u64, load: f64) -> Grid {
    let logs: Vec<Workload> = (0..sites)
        .map(|site| {
            Habits { jobs: JOBS, procs: 128, load, ..Habits::default() }.generate(Seed(site)).unwrap()
        })
        .collect();
    let setups = logs.iter().enumerate();
    let setups = setups.map(|(place, log)| SiteSetup::easy(format!("site {place}"), log.machine().procs));
    let logs: Vec<&Workload> = logs.iter().collect();
    Grid::new(setups.collect(), merged(&logs, Alignment::Start, false, None)).unwrap()
}

fn simulate(bencher: Bencher<'_, '_>, broker: &str, sites: u64, load: f64) {
    let (grid, broker) = (grid(sites, load), broker.parse::<BrokerSpec>().unwrap());
    bencher.counter(ItemsCount::new(grid.jobs().len())).bench_local(|| {
        black_box(grid.simulate(broker.build().as_mut(), &|_| {}).unwrap());
    });
}

const BROKERS: [&str; 7] =
    ["static", "least-loaded", "redundant", "least-predicted-wait", "turnaround", "risk-averse", "oracle"];

#[divan::bench(args = BROKERS, sample_count = 3)]
fn six_sites(bencher: Bencher<'_, '_>, broker: &str) {
    simulate(bencher, broker, 6, 0.7);
}

#[divan::bench(args = BROKERS, sample_count = 3)]
fn twelve_sites(bencher: Bencher<'_, '_>, broker: &str) {
    simulate(bencher, broker, 12, 0.7);
}

#[divan::bench(args = BROKERS, sample_count = 3)]
fn six_sites_with_queues(bencher: Bencher<'_, '_>, broker: &str) {
    simulate(bencher, broker, 6, 0.95);
}

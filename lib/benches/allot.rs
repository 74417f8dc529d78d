//! Moldable jobs: a strategy carried out, and all of them recorded, and how that grows with the days simulated.
//!
//! `cargo bench -p queuecast -- allot`.

use divan::counter::ItemsCount;
use divan::{Bencher, black_box};
use queuecast_core::seed::Seed;
use queuecast_core::workload::Workload;
use queuecast_forecast::allot::{Allotter, Strategy, StrategyRecorder};
use queuecast_sim::predict::{DEFAULT_REQUEST, PredictorSpec};
use queuecast_sim::sim::{Options, Policy, Schedule, simulate};
use queuecast_synth::synth::{Downey, DowneyArrivals, Rounding};

/// Of about 30, 60 and 120 days: the last is the paper's run.
const JOBS: [u32; 3] = [7_605, 15_210, 30_421];

const PRED: &str = "pred+outlook=line:-0.2,0.1";
const BIAS: &str = "bias+outlook=line:-0.2,0.1";

/// The paper's workload at ρ = 0.75 on 128 processors.
fn workload(jobs: u32) -> Workload {
    let model = Downey {
        moldable: true,
        rounding: Rounding::Up,
        arrivals: DowneyArrivals::Apart,
        ..Downey::new(jobs, 128)
    };
    model.generate(Seed(1)).unwrap()
}

fn simulated(workload: &Workload, policy: &mut dyn Policy) -> Schedule {
    let mut predictor = PredictorSpec::Requested.build(Vec::new, DEFAULT_REQUEST);
    simulate(workload, Options::default(), policy, &mut *predictor, &mut []).unwrap()
}

fn carried_out(bencher: Bencher<'_, '_>, jobs: u32, strategy: &str) {
    let (workload, strategy) = (workload(jobs), strategy.parse::<Strategy>().unwrap());
    bencher
        .counter(ItemsCount::new(jobs))
        .bench_local(|| simulated(black_box(&workload), &mut Allotter::new(strategy)));
}

#[divan::bench(args = JOBS, sample_count = 5, sample_size = 1)]
fn avg(bencher: Bencher<'_, '_>, jobs: u32) {
    carried_out(bencher, jobs, "avg");
}

#[divan::bench(args = JOBS, sample_count = 5, sample_size = 1)]
fn opt(bencher: Bencher<'_, '_>, jobs: u32) {
    carried_out(bencher, jobs, "opt");
}

#[divan::bench(args = JOBS, sample_count = 5, sample_size = 1)]
fn pred(bencher: Bencher<'_, '_>, jobs: u32) {
    carried_out(bencher, jobs, PRED);
}

#[divan::bench(args = JOBS, sample_count = 5, sample_size = 1)]
fn bias(bencher: Bencher<'_, '_>, jobs: u32) {
    carried_out(bencher, jobs, BIAS);
}

/// Table 1: four strategies recorded at once.
#[divan::bench(args = JOBS, sample_count = 5, sample_size = 1)]
fn recorded(bencher: Bencher<'_, '_>, jobs: u32) {
    let workload = workload(jobs);
    let strategies = ["opt", PRED, BIAS, "heur"].map(|text| text.parse::<Strategy>().unwrap());
    bencher
        .counter(ItemsCount::new(jobs))
        .bench_local(|| simulated(black_box(&workload), &mut StrategyRecorder::new(&workload, &strategies)));
}

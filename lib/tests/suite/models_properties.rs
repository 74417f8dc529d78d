//! Lublin's and Downey's models at the ends of their ranges.

use proptest::prelude::*;
use proptest::sample::select;
use queuecast_core::job::{Job, Shape};
use queuecast_core::seed::Seed;
use queuecast_core::workload::Workload;
use queuecast_forecast::allot::Allotter;
use queuecast_sim::predict::{DEFAULT_REQUEST, PredictorSpec};
use queuecast_sim::sim::{Options, simulate};
use queuecast_synth::synth::{
    Downey, DowneyArrivals, GammaLaw, Law, Lublin, LublinKinds, Speedup, UniformLog,
};

use crate::support;

fn gamma_law() -> impl Strategy<Value = GammaLaw> {
    let shape = select(vec![1e-6, 0.01, 1.0, 10.0, 639.1, 100_000.0]);
    let scale = select(vec![1e-6, 0.0156, 1.0, 5.0, 1000.0]);
    (shape, scale).prop_map(|(shape, scale)| GammaLaw { shape, scale })
}

proptest! {
    #![proptest_config(support::cases(150))]

    #[test]
    fn lublin_at_the_ends_of_its_ranges(
        procs in select(vec![1_u32, 2, 3, 5, 100, 128, 1 << 24]),
        kinds in select(vec![LublinKinds::Both, LublinKinds::Batch, LublinKinds::Interactive, LublinKinds::Untyped]),
        laws in proptest::array::uniform4(gamma_law()),
        (slope, intercept) in (-1.0..=1.0_f64, -10.0..=10.0_f64),
        (longest, latest) in (select(vec![0.0, 1.0, 12.0, 20.0]), select(vec![0.0, 1.0, 13.0])),
        ahead in 0..48_u32,
        seed: u64,
    ) {
        let mut model = Lublin { kinds, ..Lublin::new(40, procs) };
        for class in [&mut model.batch, &mut model.interactive, &mut model.untyped] {
            (class.runs.short, class.runs.long) = (laws[0], laws[1]);
            (class.arrivals.gap, class.arrivals.day) = (laws[2], laws[3]);
            (class.runs.slope, class.runs.intercept) = (slope, intercept);
            (class.runs.longest, class.arrivals.longest, class.arrivals.ahead) = (longest, latest, ahead);
        }
        let made = model.generate(Seed(seed)).unwrap();
        prop_assert_eq!(made.len(), 40);
        for (job, truth) in made.jobs().iter().zip(made.truths()) {
            prop_assert!((1..=procs).contains(&job.shape.procs.0) && job.submit.0 >= 0);
            prop_assert!(truth.run().0 >= 1 && truth.run().0 <= longest.exp().round() as i64);
        }
        prop_assert!(made.jobs().iter().zip(1..).all(|(job, id)| job.id.0 == id), "arrivals are not in order");
        prop_assert_eq!(&made, &model.generate(Seed(seed)).unwrap());
    }

    #[test]
    fn downey_at_the_ends_of_its_ranges(
        procs in select(vec![1_u32, 2, 100, 4096]),
        load in select(vec![0.001, 1.0, 10.0]),
        (lifetime, parallelism) in (0.0..=11.0_f64, 0.0..=12.0_f64),
        (wide, spread) in (0.0..=1.0_f64, select(vec![0.0, 0.5, 1.0, 2.0, 1000.0])),
        arrivals in select(vec![DowneyArrivals::Daytime, DowneyArrivals::Always]),
        moldable: bool,
        seed: u64,
    ) {
        let uniform = |least: f64, most: f64| UniformLog { least, most: least + wide * (most - least) }.into();
        let model = Downey {
            load,
            lifetime: uniform(10_f64.powf(lifetime), 1e12),
            parallelism: uniform(parallelism.exp2(), f64::from(1 << 12)),
            variance: Law::Uniform(0.0, spread),
            arrivals,
            moldable,
            ..Downey::new(8, procs)
        };
        let Ok(made) = model.generate(Seed(seed)) else {
            // Only where lifetimes are too long for their arrivals to fit into a workload.
            prop_assert!(lifetime + wide * 12.0 > 7.0);
            return Ok(());
        };
        for ((job, truth), drawn) in made.jobs().iter().zip(made.truths()).zip(model.jobs(Seed(seed)).unwrap()) {
            prop_assert!((1..=procs).contains(&job.shape.procs.0));
            prop_assert_eq!(truth.run(), drawn.run(job.shape.procs));
            let mut sizes: Vec<u32> = job.shapes().map(|shape| shape.procs.0).collect();
            sizes.sort_unstable();
            prop_assert!(sizes.windows(2).all(|pair| pair[0] < pair[1]) && sizes.last() <= Some(&procs));
        }
    }

    #[test]
    fn speedup_is_bounded_and_never_falls(a in 1.0..5000.0_f64, s in select(vec![0.0, 1e-12, 0.3, 1.0, 1.000_001, 2.0, 1000.0])) {
        let speedup = Speedup { parallelism: a, variance: s };
        prop_assert!((speedup.of(1) - 1.0).abs() < 1e-9 && speedup.of(0) == speedup.of(1));
        let mut before = 1.0;
        for procs in (1..2000).chain([u32::MAX]) {
            let here = speedup.of(procs);
            prop_assert!(here >= before - 1e-9 && here <= a.min(f64::from(procs)) + 1e-9, "{} at {}", here, procs);
            // Efficiency only falls.
            prop_assert!(here / f64::from(procs) <= before / f64::from(procs.max(2) - 1) + 1e-9 || procs == u32::MAX);
            before = here;
        }
    }
}

/// What strategies make of the model's moldable jobs: every job runs in a viable shape for as long as the model says.
#[test]
fn strategies_have_what_they_need_of_moldable_jobs() {
    let model =
        Downey { moldable: true, memory: "uniform-log:1,16".parse().unwrap(), ..Downey::new(600, 128) };
    let (workload, drawn) = (model.generate(Seed(3)).unwrap(), model.jobs(Seed(3)).unwrap());
    let mean_turnaround = |workload: &Workload, strategy: &str| {
        let mut predictor = PredictorSpec::Requested.build(Vec::new, DEFAULT_REQUEST);
        let mut allotter = Allotter::new(strategy.parse().unwrap());
        let done = simulate(workload, Options::default(), &mut allotter, &mut *predictor, &mut [])
            .unwrap()
            .placements;
        let mut smaller = 0;
        for ((job, placed), drawn) in workload.jobs().iter().zip(&done).zip(&drawn) {
            let procs = job.shape_at(placed.shape).procs;
            assert_eq!(placed.ran, drawn.run(procs), "{strategy}");
            assert!(procs >= drawn.viable.fewest && procs <= job.shape.procs, "{strategy}");
            smaller += u32::from(procs < job.shape.procs);
        }
        assert!(smaller > 0, "{strategy}: no job ever takes less");
        let turnarounds =
            workload.jobs().iter().zip(&done).map(|(job, placed)| (placed.end() - job.submit).0);
        turnarounds.sum::<i64>() as f64 / 600.0
    };
    let all = ["avg", "opt", "pred", "heur"].map(|strategy| mean_turnaround(&workload, strategy));
    assert!(all.iter().all(|mean| mean.is_finite() && *mean > 0.0));
    // Control: without limits the oracle knows of no run time, and holds out for nothing.
    let jobs = workload.jobs().iter().map(|job| {
        let bare = |shape: Shape| Shape { limit: None, ..shape };
        let others = job.other_shapes.iter().flat_map(|shapes| shapes.iter().copied().map(bare)).collect();
        Job { shape: bare(job.shape), other_shapes: Some(others), ..job.clone() }
    });
    let bare =
        Workload::from_columns(workload.machine(), jobs.collect(), workload.truths().to_vec()).unwrap();
    let [avg, opt] = ["avg", "opt"].map(|strategy| mean_turnaround(&bare, strategy));
    assert!(avg == opt && all[0] == avg && all[1] != opt, "{avg}, {opt}, {all:?}");
}

//! What the model promises, measured on what it makes.

use super::*;

#[test]
fn the_same_seed_makes_the_same_workload_for_ever() {
    let digest = |seed| Downey::new(5000, 128).generate(Seed(seed)).unwrap().digest();
    assert_eq!(digest(7), DIGEST, "{:#018x}", digest(7));
    assert_ne!(digest(8), DIGEST);
}

/// Change it only on purpose.
const DIGEST: u64 = 0x1ada_cd3b_061a_acb3;

#[test]
fn lifetimes_are_those_of_the_paper() {
    let law = Downey::new(1, 128).lifetime;
    // "The median of this distribution is 18 minutes; the mean is 271 minutes."
    assert_eq!((law.at(0.5, LIFETIME) / 60.0).round(), 18.0);
    assert_eq!((law.mean(LIFETIME) / 60.0).round(), 271.0);
    let mut lifetimes: Vec<i64> =
        Downey::new(200_001, 128).jobs(Seed(1)).unwrap().iter().map(|job| job.lifetime.0).collect();
    lifetimes.sort_unstable();
    let mean = lifetimes.iter().sum::<i64>() as f64 / lifetimes.len() as f64;
    // Standard errors: 0.11 % of ten in the log, and 32,000 s by the root of 200,000.
    assert!((lifetimes[100_000] as f64 / 1096.6).ln().abs() < 0.06, "{}", lifetimes[100_000]);
    assert!((mean - law.mean(LIFETIME)).abs() < 400.0, "{mean}");
    assert!(lifetimes[0] >= 7 && lifetimes[200_000] <= 162_755);
}

#[test]
fn parallelism_and_variance_are_spread_as_in_the_paper() {
    let jobs = Downey::new(100_000, 128).jobs(Seed(2)).unwrap();
    let share = |keep: &dyn Fn(&Speedup) -> bool| {
        jobs.iter().filter(|job| keep(&job.speedup)).count() as f64 / jobs.len() as f64
    };
    // As many in each of the seven doublings.
    for power in 0..7 {
        let (from, to) = (f64::from(1 << power), f64::from(2 << power));
        let inside = share(&|speedup| speedup.parallelism >= from && speedup.parallelism < to);
        assert!((inside - 1.0 / 7.0).abs() < 0.006, "{from}: {inside}");
    }
    assert!((share(&|speedup| speedup.variance < 0.5) - 0.25).abs() < 0.008);
    assert!(jobs.iter().all(|job| (0.0..=2.0).contains(&job.speedup.variance)));
    assert!(Downey::new(1000, 32).jobs(Seed(2)).unwrap().iter().all(|job| job.speedup.parallelism <= 32.0));
}

#[test]
fn as_many_arrive_in_a_day_as_the_load_asks_for_and_none_at_night() {
    for (load, per_day) in [(0.5, 170.0), (1.0, 340.0)] {
        // ρ·N/E[L]·12 h: 170 and 340, where the paper counts 160 and 320.
        let model = Downey { load, ..Downey::new(50_000, 128) };
        let jobs = model.jobs(Seed(3)).unwrap();
        let days = jobs.last().unwrap().submit.0 as f64 / 86_400.0;
        assert!((50_000.0 / days / per_day - 1.0).abs() < 0.03, "{}", 50_000.0 / days);
        assert!(jobs.iter().all(|job| (8..20).contains(&(job.submit.0 / 3600 % 24))));
        let always = Downey { arrivals: DowneyArrivals::Always, ..model }.jobs(Seed(3)).unwrap();
        let days = always.last().unwrap().submit.0 as f64 / 86_400.0;
        assert!((50_000.0 / days / (2.0 * per_day) - 1.0).abs() < 0.03, "{}", 50_000.0 / days);
        let night = always.iter().filter(|job| !(8..20).contains(&(job.submit.0 / 3600 % 24))).count();
        assert!((night as f64 / 25_000.0 - 1.0).abs() < 0.05, "{night}");
    }
}

#[test]
fn a_moldable_job_runs_in_every_shape_as_its_speedup_says() {
    let rigid = Downey::new(2000, 128);
    let molded = Downey { moldable: true, ..rigid.clone() };
    let drawn = rigid.jobs(Seed(4)).unwrap();
    let (rigid, molded) = (rigid.generate(Seed(4)).unwrap(), molded.generate(Seed(4)).unwrap());
    for (at, drawn) in drawn.iter().enumerate() {
        let (job, truth) = (&molded.jobs()[at], &molded.truths()[at]);
        assert_eq!((job.shape.procs, truth.run()), (rigid.jobs()[at].shape.procs, rigid.truths()[at].run()));
        assert_eq!(job.shape.procs.0, drawn.speedup.parallelism.floor() as u32);
        let Runs::Moldable(runs) = &truth.runs else { panic!("a rigid job") };
        assert_eq!(runs.len(), job.shapes().count());
        assert!(job.shapes().zip(runs).all(|(shape, &run)| shape.limit == Some(run)));
        assert_eq!(rigid.jobs()[at].shape.limit, None);
        let mut by_size: Vec<(u32, i64)> =
            job.shapes().map(|shape| shape.procs.0).zip(runs.iter().map(|run| run.0)).collect();
        by_size.sort_unstable();
        assert_eq!(by_size[0], (1, drawn.lifetime.0));
        assert!(by_size.windows(2).all(|pair| pair[1].0 == pair[0].0 + 1 && pair[1].1 <= pair[0].1));
        assert!(by_size.iter().all(|&(procs, run)| run == drawn.run(Procs(procs)).0));
        let (most, shortest) = by_size[by_size.len() - 1];
        assert!(most == 128 || shortest == drawn.run(Procs(1_000_000)).0);
    }
}

#[test]
fn whole_parallelism_is_the_nearest_and_all_of_it_is_given() {
    let drawn = Downey::new(2000, 128);
    let whole = Downey { rounding: Rounding::Whole, ..drawn.clone() };
    let (drawn, whole) = (drawn.jobs(Seed(4)).unwrap(), whole.jobs(Seed(4)).unwrap());
    for (drawn, whole) in drawn.iter().zip(&whole) {
        let parallelism = whole.speedup.parallelism;
        assert_eq!(parallelism.fract(), 0.0);
        assert!((parallelism - drawn.speedup.parallelism).abs() <= 0.5005, "{drawn:?}: {parallelism}");
        assert_eq!(whole.procs(Procs(128), Rounding::Whole).unwrap().0, parallelism as u32);
        // Nothing else is drawn anew.
        let same = Speedup { parallelism, ..drawn.speedup };
        assert_eq!(*whole, DowneyJob { speedup: same, ..*drawn });
    }
    // Control: what is drawn is seldom whole, and half of it is rounded up.
    assert!(drawn.iter().filter(|job| job.speedup.parallelism.fract() == 0.0).count() < 20);
    let up = drawn.iter().zip(&whole).filter(|(drawn, whole)| {
        whole.procs(Procs(128), Rounding::Whole).unwrap() > drawn.procs(Procs(128), Rounding::Down).unwrap()
    });
    assert!((700..1100).contains(&up.count()));
}

#[test]
fn impossible_parameters_are_named() {
    let said = |change: &dyn Fn(&mut Downey)| {
        let mut model = Downey::new(10, 128);
        change(&mut model);
        model.generate(Seed(1)).unwrap_err().to_string()
    };
    assert_eq!(said(&|model| model.jobs = 0), "jobs = 0: must be between 1 and 10000000");
    for load in [0.0, -1.0, f64::NAN] {
        assert_eq!(said(&|model| model.load = load), format!("load = {load}: must be between 0.001 and 10"));
    }
    let too_many = said(&|model| (model.procs, model.moldable) = (5000, true));
    assert_eq!(too_many, "procs = 5000: must be between 1 and 4096");
    assert_eq!(
        said(&|model| model.variance = Law::Uniform(-0.5, 2.0)),
        "variance = uniform:-0.5,2: must be two numbers, the least first, between 0 and 1000"
    );
    assert_eq!(
        said(&|model| model.parallelism = Law::Exactly(0.5)),
        "parallelism = exactly:0.5: must be one number, between 1 and 16777216"
    );
    assert_eq!(
        said(&|model| model.lifetime = Law::LogNormal(0.5, 8.0)),
        "lifetime = log-normal:0.5,8: must be a median above 0 and a factor from 1.001 to 1000000, the median between 1 \
         and 1000000000000"
    );
    assert_eq!(
        said(&|model| model.memory = UniformLog { least: 1.0, most: 129.0 }.into()),
        "memory = uniform-log:1,129: must be two numbers above 0, the least first, between 1 and 128"
    );
    assert!(said(&|model| model.communication = Law::Exactly(0.0)).starts_with("communication = exactly:0"));
    let falling = Law::Quantiles([3.0, 2.0, 4.0].into());
    for impossible in [
        UniformLog { least: 9.0, most: 8.0 }.into(),
        UniformLog { least: f64::NAN, most: 8.0 }.into(),
        Law::Uniform(2.0, f64::NAN),
        Law::Uniform(2.0, f64::INFINITY),
        Law::LogNormal(2.0, f64::NAN),
        Law::Exactly(f64::NAN),
        Law::Quantiles([].into()),
        falling,
    ] {
        for name in ["lifetime", "parallelism", "variance", "memory", "communication"] {
            let said = said(&|model| {
                let place = match name {
                    "lifetime" => &mut model.lifetime,
                    "parallelism" => &mut model.parallelism,
                    "variance" => &mut model.variance,
                    "memory" => &mut model.memory,
                    _ => &mut model.communication,
                };
                place.clone_from(&impossible);
            });
            assert!(said.starts_with(&format!("{name} = {impossible}: must be ")), "{said}");
            assert!(said.contains(", between ") || said.contains("the median between "), "{said}");
        }
    }
    let never = said(&|model| {
        model.lifetime = Law::Exactly(1e12);
        (model.load, model.procs, model.jobs) = (0.001, 1, 1000);
    });
    assert!(never.ends_with("a time beyond 10^15 seconds"));
}

#[test]
fn jobs_keep_to_what_is_viable() {
    let law = |text: &str| text.parse::<Law>().unwrap();
    let free = Downey { moldable: true, ..Downey::new(3000, 128) };
    let bound =
        Downey { memory: law("uniform-log:1,32"), communication: law("log-normal:24,3"), ..free.clone() };
    let (unbound, drawn) = (free.jobs(Seed(4)).unwrap(), bound.jobs(Seed(4)).unwrap());
    let made = bound.generate(Seed(4)).unwrap();
    let (mut raised, mut lowered, mut forced) = (0, 0, 0);
    for (at, (drawn, unbound)) in drawn.iter().zip(&unbound).enumerate() {
        // Nothing else is drawn anew.
        assert_eq!(
            DowneyJob { viable: Viable::ANY, ..*drawn },
            DowneyJob { viable: Viable::ANY, ..*unbound }
        );
        let Viable { fewest, most } = drawn.viable;
        let (preferred, parallelism) = (made.jobs()[at].shape.procs, Procs(drawn.speedup.parallelism as u32));
        assert!((1..=32).contains(&fewest.0) && fewest <= most);
        assert!(made.jobs()[at].shapes().all(|shape| shape.procs >= fewest && shape.procs <= most));
        assert!(made.jobs()[at].shapes().any(|shape| shape.procs == fewest));
        let expected = if parallelism < fewest { fewest } else { parallelism.min(most) };
        assert_eq!(preferred, expected);
        assert_eq!(made.truths()[at].run(), drawn.run(preferred));
        raised += u32::from(parallelism < fewest);
        lowered += u32::from(parallelism > most);
        forced += u32::from(fewest == most);
    }
    // A half, in the log, of A below 32 is below its memory; and the rest is seen as well.
    assert!(raised > 800 && lowered > 400 && forced > 100, "{raised}, {lowered}, {forced}");
    // Rigid jobs run where the moldable ones would prefer to.
    let rigid = Downey { moldable: false, ..bound }.generate(Seed(4)).unwrap();
    assert!(rigid.jobs().iter().zip(made.jobs()).all(|(rigid, made)| rigid.shape.procs == made.shape.procs));
    // Control: without bounds there are smaller and larger ones.
    let smaller = free.generate(Seed(4)).unwrap();
    let outside = (0..3000).filter(|&at| smaller.jobs()[at].shape.procs != made.jobs()[at].shape.procs);
    assert_eq!(outside.count() as u32, raised + lowered);
}

#[test]
fn a_job_that_is_viable_nowhere_says_so() {
    let job = DowneyJob {
        submit: Time(0),
        lifetime: Seconds(100),
        speedup: Speedup { parallelism: 4.0, variance: 1.0 },
        viable: Viable { fewest: Procs(200), most: Procs(300) },
    };
    let said = "viable = 200 to 300 processors: must be some of 1 to 128, the fewest first";
    assert_eq!(job.sizes(Procs(128)).unwrap_err().to_string(), said);
    assert_eq!(job.procs(Procs(128), Rounding::Down).unwrap_err().to_string(), said);
    assert_eq!(job.sizes(Procs(256)).unwrap(), 200..=200);
    assert_eq!(DowneyJob { viable: Viable::ANY, ..job }.sizes(Procs(256)).unwrap(), 1..=7);
}

#[test]
fn the_load_is_kept_whatever_the_lifetimes() {
    for text in ["uniform:10,1000", "log-normal:600,5", "exactly:100", "quantiles:1,1,60,5000"] {
        let model = Downey {
            lifetime: text.parse().unwrap(),
            arrivals: DowneyArrivals::Always,
            ..Downey::new(50_000, 128)
        };
        let jobs = model.jobs(Seed(6)).unwrap();
        let work: i64 = jobs.iter().map(|job| job.lifetime.0).sum();
        let load = work as f64 / (jobs[49_999].submit.0 as f64 * 128.0);
        assert!((load / 0.75 - 1.0).abs() < 0.06, "{text}: {load}");
    }
}

#[test]
fn a_fit_finds_what_was_put_in() {
    let put_in = Downey {
        lifetime: UniformLog { least: 20.0, most: 500_000.0 }.into(),
        parallelism: UniformLog { least: 1.0, most: 80.0 }.into(),
        arrivals: DowneyArrivals::Always,
        ..Downey::new(50_000, 128)
    };
    let found = Downey::like(&put_in.generate(Seed(5)).unwrap()).unwrap();
    let near = |what: &str, found: f64, put_in: f64, by: f64| {
        assert!((found / put_in).ln().abs() < by, "{what}: {found} instead of {put_in}");
    };
    let (lifetime, parallelism) = (line(&found.lifetime), line(&found.parallelism));
    near("shortest lifetime", lifetime.least, 20.0, 0.25);
    near("longest lifetime", lifetime.most, 500_000.0, 0.25);
    near("least parallelism", parallelism.least, 1.0, 0.1);
    near("greatest parallelism", parallelism.most, 80.0, 0.1);
    near("load", found.load, 0.75, 0.25);
    // Control: the defaults are not within these bounds.
    let defaults = Downey::new(50_000, 128);
    let (lifetime, parallelism) = (line(&defaults.lifetime), line(&defaults.parallelism));
    assert!((lifetime.least / 20.0).ln().abs() > 0.25 && (parallelism.most / 80.0).ln() > 0.1);
}

fn line(law: &Law) -> UniformLog {
    let Law::UniformLog(line) = law else { panic!("{law} is no line") };
    *line
}

#[test]
fn what_was_observed_has_the_sizes_and_lifetimes_of_the_workload() {
    // Sizes of powers of two, and run times that are no line.
    let jobs = (0..20_000u32).map(|number| {
        let procs = Procs([1, 1, 1, 2, 8, 8, 16, 64][number as usize % 8]);
        let job = Job::rigid(number.into(), Time(i64::from(number) * 60), procs, None);
        (job, Truth::rigid(Seconds([30, 31, 3600, 40_000][number as usize / 8 % 4])))
    });
    let seen = Workload::new(Machine { procs: Procs(64) }, jobs.collect()).unwrap();
    let share = |values: &[f64], most: f64| {
        values.iter().filter(|value| **value <= most).count() as f64 / values.len() as f64
    };
    let sizes_of =
        |log: &Workload| -> Vec<f64> { log.jobs().iter().map(|job| f64::from(job.shape.procs.0)).collect() };
    let worth = |(size, truth): (f64, &Truth)| {
        truth.run().0 as f64 * Speedup { parallelism: size, variance: 1.0 }.of(size as u32)
    };
    let lifetimes: Vec<f64> = sizes_of(&seen).into_iter().zip(seen.truths()).map(worth).collect();
    // Distances of what is made from what was seen.
    let distances = |model: Downey| {
        let made = sizes_of(&model.generate(Seed(1)).unwrap());
        let drawn: Vec<f64> = model.jobs(Seed(1)).unwrap().iter().map(|job| job.lifetime.0 as f64).collect();
        let sizes = (1..=64).map(f64::from).map(|most| share(&made, most) - share(&sizes_of(&seen), most));
        let lives =
            (2..60).map(|step| 1.3f64.powi(step)).map(|most| share(&drawn, most) - share(&lifetimes, most));
        let farthest =
            |gaps: &mut dyn Iterator<Item = f64>| gaps.fold(0.0, |most: f64, gap| most.max(gap.abs()));
        (farthest(&mut { sizes }), farthest(&mut { lives }))
    };
    let (sizes, lives) = distances(Downey::like_observed(&seen).unwrap());
    assert!(sizes < 0.02 && lives < 0.02, "{sizes}, {lives}");
    // Control: lines are not as close.
    let (sizes, lives) = distances(Downey::like(&seen).unwrap());
    assert!(sizes > 0.05 && lives > 0.05, "{sizes}, {lives}");
}

#[test]
fn the_oddest_workloads_are_fitted_or_refused() {
    let workload = |jobs: u32, gap: i64, procs: u32, run: i64| {
        let jobs = (0..jobs).map(|number| {
            let job = Job::rigid(number.into(), Time(gap * i64::from(number)), Procs(procs), None);
            (job, Truth::rigid(Seconds(run)))
        });
        Workload::new(Machine { procs: Procs(64) }, jobs.collect()).unwrap()
    };
    for (procs, run) in [(1, 1), (1, 100), (64, 100), (3, 1_000_000)] {
        let model = Downey::like(&workload(1000, 60, procs, run)).unwrap();
        let made = model.generate(Seed(1)).unwrap_or_else(|error| panic!("{model:?}: {error}"));
        assert_eq!(made.len(), 1000);
    }
    for (procs, run) in [(1, 1), (64, 100), (3, 1_000_000)] {
        let model = Downey::like_observed(&workload(1000, 60, procs, run)).unwrap();
        let made = model.generate(Seed(1)).unwrap_or_else(|error| panic!("{model:?}: {error}"));
        assert!(made.jobs().iter().all(|job| job.shape.procs.0 == procs));
    }
    for odd in
        [workload(2, 60, 1, 1), workload(0, 60, 1, 1), workload(1000, 60, 1, 0), workload(1000, 0, 1, 1)]
    {
        assert!(matches!(Downey::like(&odd), Err(SynthError::Unsuitable(_))));
        assert!(matches!(Downey::like_observed(&odd), Err(SynthError::Unsuitable(_))));
    }
}

/// Jobs of these sizes in turn, with run times from 10 s to 10,000 s that are uniform in the logarithm.
fn of_sizes(sizes: &[u32]) -> Workload {
    let jobs = (0..2000u32).map(|number| {
        let share = f64::from(number * 733 % 2000) / 1999.0;
        let procs = Procs(sizes[number as usize % sizes.len()]);
        let job = Job::rigid(number.into(), Time(i64::from(number) * 600), procs, None);
        (job, Truth::rigid(Seconds((10.0 * 1000f64.powf(share)).round() as i64)))
    });
    Workload::new(Machine { procs: Procs(64) }, jobs.collect()).unwrap()
}

#[test]
fn a_fit_stays_within_what_the_workload_has() {
    for sizes in [&[1][..], &[4], &[64], &[3, 4, 7], &[1, 2, 4, 8, 16, 32, 64]] {
        let model = Downey::like(&of_sizes(sizes)).unwrap();
        let made = model.generate(Seed(1)).unwrap();
        let (fewest, widest) = (sizes[0], sizes[sizes.len() - 1]);
        assert!(made.jobs().iter().all(|job| (fewest..=widest).contains(&job.shape.procs.0)), "{model:?}");
        // Lifetimes lie between those of the shortest job on the fewest processors and the longest on the most.
        let worth = |procs: u32| Speedup { parallelism: f64::from(procs) + 0.5, variance: 1.0 }.of(procs);
        let UniformLog { least, most } = line(&model.lifetime);
        assert!(least >= 10.0 * worth(fewest) - 1e-6 && most <= 10_000.0 * worth(widest) + 1e-6, "{model:?}");
    }
    // Control: the published parameters do not.
    let made = Downey::new(2000, 64).generate(Seed(1)).unwrap();
    assert!(made.truths().iter().any(|truth| truth.run().0 > 10_000));
    assert!(made.jobs().iter().any(|job| job.shape.procs.0 > 7));
}

#[test]
fn parallelism_can_be_rounded_up() {
    let down = Downey { moldable: true, ..Downey::new(500, 128) };
    let up = Downey { rounding: Rounding::Up, ..down.clone() };
    let given = |model: &Downey| -> Vec<u32> {
        model.generate(Seed(1)).unwrap().jobs().iter().map(|job| job.shape.procs.0).collect()
    };
    let drawn = down.jobs(Seed(1)).unwrap();
    assert_eq!(drawn, up.jobs(Seed(1)).unwrap(), "what is drawn is the same");
    for ((job, down), up) in drawn.iter().zip(given(&down)).zip(given(&up)) {
        let whole = job.speedup.parallelism.fract() == 0.0;
        assert!(up == down + u32::from(!whole), "{job:?} {down} {up}");
    }
}

#[test]
fn days_can_be_so_far_apart_that_the_machine_is_idle_between_them() {
    let near = Downey::new(2000, 128);
    let apart = Downey { arrivals: DowneyArrivals::Apart, ..near.clone() };
    let (near, far) = (near.jobs(Seed(5)).unwrap(), apart.jobs(Seed(5)).unwrap());
    let longest = longest(&far);
    let period = DowneyArrivals::Apart.period(longest);
    assert!(period.0 >= 12 * 3600 + 2 * longest.0 && period.0 % 86_400 == 0);
    for (near, far) in near.iter().zip(&far) {
        assert_eq!(near.submit.0 % 86_400, far.submit.0 % period.0, "at the same hour");
        assert_eq!(near.submit.0 / 86_400, far.submit.0 / period.0, "of the same day");
        let (from, to) = DowneyArrivals::Apart.hours(far.submit, period).unwrap();
        assert!(from <= far.submit && far.submit < to && (to - from).0 == 12 * 3600);
    }
    assert!(far[1999].submit > near[1999].submit, "control");
    assert_eq!(DowneyArrivals::Always.hours(Time(5), period), None);
}

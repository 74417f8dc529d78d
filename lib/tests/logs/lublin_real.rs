//! The Lublin–Feitelson model against a sample of its authors' own program, and models fitted to real logs against the
//! logs, as tests with a stated level.
//!
//! Sizes and run times of the model are independent draws, so a two-sample χ² test and a two-sample Kolmogorov–Smirnov
//! test have their textbook levels (or less, where values tie). Arrivals are not: gaps with a heavy tail make the counts
//! of an hour vary far more than independent arrivals would, and a gap depends on when it falls. Hours, gaps and the span
//! of all are compared by statistics whose distribution under the model is that of 999 samples of our own of the same
//! length (Monte Carlo tests: their level is exact whatever the dependence). One more test of arrivals has its textbook
//! level: with time counted as the day has weight, the gaps must be independent draws of one gamma.
//!
//! These six tests have a level of 1 % together: each rejects at 1/600 (Bonferroni). Sizes and run times are compared
//! with three samples of our own of 200,000 jobs, each at a third of that. Seeds were written down before the tests were
//! first run. Two choices were made by this same sample, so nothing here tests them afresh: the clock, and that gaps are
//! multiplied by the rush ratio.

use libtest_mimic::{Failed, Trial};
use queuecast_core::job::Job;
use queuecast_core::seed::Seed;
use queuecast_core::workload::Workload;
use queuecast_synth::synth::{Downey, GammaLaw, Lublin, LublinArrivals, LublinKinds};
use statrs::function::gamma::gamma_lr;

use crate::support::compare::{chi_square_chance, distance, ks_chance, sorted_distance};
use crate::{if_thorough, on_log};

const LEVEL: f64 = 0.01 / 6.0;

const SEEDS: [u64; 3] = [101, 102, 103];

/// The seeds of the samples that a Monte Carlo test compares with.
const REPEATS: std::ops::RangeInclusive<u64> = 1001..=1999;

/// What the sample was made with, according to its header and what is in it: 256 processors, jobs of no type.
fn published(jobs: u32) -> Lublin {
    Lublin { kinds: LublinKinds::Untyped, ..Lublin::new(jobs, 256) }
}

fn sizes(workload: &Workload) -> Vec<i64> {
    workload.jobs().iter().map(|job| job.shape.procs.0.into()).collect()
}

fn runs(workload: &Workload) -> Vec<i64> {
    workload.truths().iter().map(|truth| truth.run().0).collect()
}

/// Sorted.
fn gaps(workload: &Workload) -> Vec<i64> {
    let jobs = workload.jobs().windows(2);
    let mut gaps: Vec<i64> = jobs.map(|pair| (pair[1].submit - pair[0].submit).0).collect();
    gaps.sort_unstable();
    gaps
}

/// The least chance over the seeds, times how many they are, at most 1: what is compared with the level.
fn least_chance(model: &Lublin, chance: impl Fn(&Workload) -> f64) -> f64 {
    let chances = SEEDS.map(|seed| chance(&model.generate(Seed(seed)).expect("parameters in range")));
    (chances.into_iter().fold(1.0, f64::min) * SEEDS.len() as f64).min(1.0)
}

fn size_chance(sample: &Workload, model: &Lublin) -> f64 {
    least_chance(model, |own| chi_square_chance(&sizes(sample), &sizes(own)))
}

fn run_chance(sample: &Workload, model: &Lublin) -> f64 {
    least_chance(model, |own| {
        let furthest = distance(&runs(sample), &runs(own));
        ks_chance(furthest, sample.len() as f64, own.len() as f64)
    })
}

/// What is measured of a sample's arrivals against a long sample of the model: χ² of the hours, the distance of the
/// gaps, and the span.
struct Yardstick {
    shares: [f64; 24],
    gaps: Vec<i64>,
}

impl Yardstick {
    fn new(long: &Workload) -> Yardstick {
        let hours = hours(long);
        Yardstick { shares: hours.map(|count| count / long.len() as f64), gaps: gaps(long) }
    }

    fn measure(&self, sample: &Workload) -> [f64; 3] {
        let all = sample.len() as f64;
        let hours = hours(sample).into_iter().zip(self.shares);
        let square = hours.map(|(count, share)| (count - all * share).powi(2) / (all * share)).sum();
        let span = sample.jobs()[sample.len() - 1].submit - sample.jobs()[0].submit;
        [square, sorted_distance(&gaps(sample), &self.gaps), span.0 as f64]
    }
}

fn hours(workload: &Workload) -> [f64; 24] {
    let mut hours = [0.0; 24];
    for job in workload.jobs() {
        hours[(job.submit.0 / 3600 % 24) as usize] += 1.0;
    }
    hours
}

/// The chances of the sample's hours, gaps and span under the model; of the span, both ways.
fn arrival_chances(sample: &Workload, model: &Lublin) -> [f64; 3] {
    let made = |jobs: u32, seed: u64| Lublin { jobs, ..*model }.generate(Seed(seed)).expect("in range");
    let yardstick = Yardstick::new(&made(1_000_000, SEEDS[0]));
    let seen = yardstick.measure(sample);
    let (mut above, mut below) = ([1.0; 3], 1.0);
    for seed in REPEATS {
        let own = yardstick.measure(&made(sample.len() as u32, seed));
        for (above, (own, seen)) in above.iter_mut().zip(own.into_iter().zip(seen)) {
            *above += f64::from(u8::from(own >= seen));
        }
        below += f64::from(u8::from(own[2] <= seen[2]));
    }
    let all = (REPEATS.count() + 1) as f64;
    [above[0] / all, above[1] / all, (2.0 * above[2].min(below) / all).min(1.0)]
}

/// Time counted as the day has weight.
struct Counted {
    /// Of each half-hour, 1 on average.
    weights: Vec<f64>,
    gap: GammaLaw,
    longest: f64,
}

fn until(gamma: GammaLaw, x: f64) -> f64 {
    gamma_lr(gamma.shape, x / gamma.scale)
}

impl Counted {
    fn new(law: &LublinArrivals) -> Counted {
        // Half-hour h of the day is half-hour h + ahead of the gamma's clock, which runs from 11 to 59.
        let weight = |half_hour: u32| {
            let bucket = f64::from((half_hour + law.ahead + 48 - 11) % 48 + 11);
            until(law.day, bucket + 1.0) - until(law.day, bucket)
        };
        let weights: Vec<f64> = (0..48).map(weight).collect();
        let mean = weights.iter().sum::<f64>() / 48.0;
        let gap = GammaLaw { shape: law.gap.shape * law.rush, ..law.gap };
        Counted { weights: weights.iter().map(|weight| weight / mean).collect(), gap, longest: law.longest }
    }

    fn passed(&self, second: f64) -> f64 {
        let (days, rest) = ((second / 86_400.0).floor(), second.rem_euclid(86_400.0) / 1800.0);
        let whole: f64 = self.weights[..rest as usize].iter().sum();
        (days * 48.0 + whole + self.weights[rest as usize] * rest.fract()) * 1800.0
    }

    /// The logs of the counted gaps, in the order of the jobs.
    fn logs(&self, sample: &Workload) -> Vec<f64> {
        let passed = |job: &Job| self.passed(job.submit.0 as f64);
        let pairs = sample.jobs().windows(2);
        pairs.map(|pair| (passed(&pair[1]) - passed(&pair[0])).max(1.05).ln()).collect()
    }

    /// The log likelihood of the sample's arrivals: they are independent draws of a gamma in counted time.
    fn likelihood(&self, sample: &Workload) -> f64 {
        let GammaLaw { shape, scale } = self.gap;
        let jobs = self.logs(sample).into_iter().zip(&sample.jobs()[1..]);
        let terms = jobs.map(|(log, job)| {
            let weight = self.weights[(job.submit.0 % 86_400 / 1800) as usize];
            (shape - 1.0) * log.ln() - log / scale - log + weight.ln()
        });
        terms.sum()
    }

    /// The chance of the sample's counted gaps to be draws of the gamma.
    fn chance(&self, sample: &Workload) -> f64 {
        let mut logs = self.logs(sample);
        logs.sort_by(f64::total_cmp);
        let (all, whole) = (logs.len() as f64, until(self.gap, self.longest));
        let furthest = logs.iter().enumerate().map(|(place, &log)| {
            let (share, place) = (until(self.gap, log) / whole, place as f64);
            (share - place / all).abs().max((share - (place + 1.0) / all).abs())
        });
        ks_chance(furthest.fold(0.0, f64::max), all, f64::INFINITY)
    }
}

fn counted_gap_chance(sample: &Workload, model: &Lublin) -> f64 {
    Counted::new(&model.untyped.arrivals).chance(sample)
}

/// Among all clocks the sample's arrivals are likeliest by the one we use, and by far: a likelihood ratio of e^10.
fn clock(sample: &Workload) -> Result<(), Failed> {
    let law = published(1).untyped.arrivals;
    let likelihood = |ahead: u32| Counted::new(&LublinArrivals { ahead, ..law }).likelihood(sample);
    let ours = likelihood(law.ahead);
    for ahead in (0..48).filter(|&ahead| ahead != law.ahead) {
        let other = likelihood(ahead);
        if other + 10.0 > ours {
            return Err(format!("ahead by {ahead}: {other}, by {}: {ours}", law.ahead).into());
        }
    }
    Ok(())
}

/// Not rejected, and with the chance that experiments/workload-models/README.md gives.
fn accepted(what: &str, chance: f64, written: f64) -> Result<(), Failed> {
    if chance < LEVEL {
        return Err(format!("{what}: rejected, chance {chance:.2e}").into());
    }
    if (chance - written).abs() > 0.01 {
        return Err(format!("{what}: chance {chance:.3}, written {written}").into());
    }
    Ok(())
}

fn rejected(what: &str, chance: f64) -> Result<(), Failed> {
    if chance < LEVEL { Ok(()) } else { Err(format!("{what}: not told apart, chance {chance:.4}").into()) }
}

type Check = fn(&Workload) -> Result<(), Failed>;

/// Against the sample of the authors' program.
const SAMPLE: [(&str, Check); 7] = [
    ("sizes", |sample| accepted("sizes", size_chance(sample, &published(200_000)), 1.0)),
    ("run_times", |sample| accepted("run times", run_chance(sample, &published(200_000)), 0.90)),
    ("arrivals", |sample| {
        let [hours, gaps, span] = arrival_chances(sample, &published(1));
        accepted("hours", hours, 0.85)?;
        accepted("gaps", gaps, 0.76)?;
        accepted("span", span, 0.015)
    }),
    ("counted_gaps", |sample| accepted("counted gaps", counted_gap_chance(sample, &published(1)), 0.60)),
    ("clock", clock),
    ("control_other_models_are_rejected", |sample| {
        let model = published(200_000);
        rejected(
            "a machine of 128",
            size_chance(sample, &Lublin { untyped: Lublin::new(1, 128).untyped, ..model }),
        )?;
        for kinds in [LublinKinds::Both, LublinKinds::Batch, LublinKinds::Interactive] {
            rejected("sizes of other types", size_chance(sample, &Lublin { kinds, ..model }))?;
            rejected("run times of other types", run_chance(sample, &Lublin { kinds, ..model }))?;
        }
        let mut other = model;
        for gamma in [&mut other.untyped.runs.short, &mut other.untyped.runs.long] {
            gamma.scale *= std::f64::consts::LN_2;
        }
        rejected("run times as powers of two", run_chance(sample, &other))?;
        let mut other = model;
        other.untyped.runs.slope = 0.0;
        rejected("run times that know no size", run_chance(sample, &other))
    }),
    ("control_other_arrivals_are_rejected", |sample| {
        let mut other = published(1);
        other.untyped.arrivals.rush = 1.0;
        rejected("gaps of rush hours", counted_gap_chance(sample, &other))?;
        let mut other = published(1);
        other.untyped.arrivals.ahead = 0;
        rejected("a clock an hour late", arrival_chances(sample, &other)[0])?;
        let mut other = published(1);
        other.untyped.arrivals = Lublin::new(1, 256).interactive.arrivals;
        rejected("gaps of interactive jobs", counted_gap_chance(sample, &other))
    }),
];

/// Kolmogorov–Smirnov distances from the jobs left out of a fit: of run times under the fit and under the defaults, then
/// of sizes. experiments/workload-models/README.md has the same numbers.
type Distances = [f64; 4];

/// A log, and for each of two models the distances if the first half is fitted and the second compared, and if every
/// other week is.
const LOGS: [(&str, [Distances; 2], [Distances; 2]); 3] = [
    (
        "KTH-SP2-1996-2.1-cln.swf.gz",
        [[0.074, 0.214, 0.082, 0.153], [0.110, 0.208, 0.163, 0.349]],
        [[0.052, 0.173, 0.026, 0.111], [0.078, 0.175, 0.105, 0.315]],
    ),
    (
        "CTC-SP2-1996-3.1-cln.swf.gz",
        [[0.101, 0.323, 0.061, 0.206], [0.139, 0.365, 0.253, 0.308]],
        [[0.071, 0.322, 0.037, 0.192], [0.135, 0.364, 0.245, 0.290]],
    ),
    (
        "SDSC-SP2-1998-4.2-cln.swf.gz",
        [[0.094, 0.274, 0.129, 0.110], [0.157, 0.319, 0.180, 0.185]],
        [[0.046, 0.276, 0.025, 0.064], [0.177, 0.319, 0.090, 0.231]],
    ),
];

/// The jobs of a workload that are kept.
fn kept(workload: &Workload, keep: impl Fn(usize) -> bool) -> Workload {
    let kept = (0..workload.len()).filter(|&at| keep(at));
    let (jobs, truths) = kept.map(|at| (workload.jobs()[at].clone(), workload.truths()[at].clone())).unzip();
    let mut kept = Workload::from_columns(workload.machine(), jobs, truths).expect("jobs that were together");
    kept.epoch = workload.epoch;
    kept.names.clone_from(&workload.names);
    kept
}

fn distances(left_out: &Workload, fit: &Workload, default: &Workload) -> Distances {
    let apart = |of: fn(&Workload) -> Vec<i64>| [fit, default].map(|made| distance(&of(left_out), &of(made)));
    let ([runs_fit, runs], [sizes_fit, sizes]) = (apart(runs), apart(sizes));
    [runs_fit, runs, sizes_fit, sizes]
}

/// The distances for the two models.
fn measured(seen: &Workload, left_out: &Workload) -> [Distances; 2] {
    let (jobs, procs, seed) = (200_000, seen.machine().procs.0, Seed(SEEDS[0]));
    let made = |model: Lublin| Lublin { jobs, ..model }.generate(seed).expect("in range");
    let default = Lublin { kinds: LublinKinds::Untyped, ..Lublin::new(jobs, procs) };
    let lublin = distances(left_out, &made(Lublin::like(seen).expect("a fit")), &made(default));
    let made = |model: Downey| Downey { jobs, ..model }.generate(seed).expect("in range");
    let downey =
        distances(left_out, &made(Downey::like(seen).expect("a fit")), &made(Downey::new(jobs, procs)));
    [lublin, downey]
}

fn fits(workload: &Workload, halves: [Distances; 2], weeks: [Distances; 2]) -> Result<(), Failed> {
    let half = workload.len() / 2;
    let measured_halves = measured(&kept(workload, |at| at < half), &kept(workload, |at| at >= half));
    let even = |at: usize| workload.jobs()[at].submit.0 / 604_800 % 2 == 0;
    let measured_weeks = measured(&kept(workload, even), &kept(workload, |at| !even(at)));
    for [runs_fit, runs, sizes_fit, sizes] in measured_weeks {
        if runs_fit >= runs || sizes_fit >= sizes {
            return Err(format!("a fit is no closer than the defaults: {measured_weeks:.3?}").into());
        }
    }
    let pairs = [(measured_halves, halves), (measured_weeks, weeks)];
    let apart = pairs.iter().flat_map(|(one, other)| one.iter().flatten().zip(other.iter().flatten()));
    if apart.clone().any(|(measured, written)| (measured - written).abs() > 0.005) {
        return Err(
            format!("not as written: halves {measured_halves:.3?}, weeks {measured_weeks:.3?}").into()
        );
    }
    Ok(())
}

pub fn trials() -> Vec<Trial> {
    let mut trials: Vec<Trial> = Vec::new();
    for (name, check) in SAMPLE {
        let trial = on_log(format!("lublin_real::sample/{name}"), "lublin-256-sample.swf.gz", check);
        trials.push(if name.contains("arrivals") { if_thorough(trial) } else { trial });
    }
    for (log, halves, weeks) in LOGS {
        let check = move |workload: &Workload| fits(workload, halves, weeks);
        trials.push(on_log(format!("lublin_real::like/{log}"), log, check));
    }
    trials.push(Trial::test("lublin_real::control/tests_have_their_level", || {
        // Our own samples against our own: as many are rejected at one tenth as should be.
        let long = published(100_000).generate(Seed(1)).expect("in range");
        let (mut by_size, mut by_run) = (0, 0);
        for seed in 1..=200 {
            let own = published(2000).generate(Seed(5000 + seed)).expect("in range");
            by_size += usize::from(chi_square_chance(&sizes(&own), &sizes(&long)) < 0.1);
            let furthest = distance(&runs(&own), &runs(&long));
            by_run += usize::from(ks_chance(furthest, 2000.0, 100_000.0) < 0.1);
        }
        // 20 expected of 200, with a deviation of 4.2.
        let sound = (7..=35).contains(&by_size) && (3..=35).contains(&by_run);
        if sound { Ok(()) } else { Err(format!("{by_size} and {by_run} of 200").into()) }
    }));
    trials
}

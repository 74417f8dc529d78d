//! What the model promises, measured on what it makes.

use super::*;
use queuecast_core::units::Seconds;

fn model(jobs: u32, procs: u32, kinds: LublinKinds) -> Lublin {
    Lublin { kinds, ..Lublin::new(jobs, procs) }
}

fn made(jobs: u32, procs: u32, kinds: LublinKinds) -> Workload {
    model(jobs, procs, kinds).generate(Seed(7)).unwrap()
}

fn mean(values: impl Iterator<Item = f64>) -> (f64, f64) {
    let (number, sum) = values.fold((0.0, 0.0), |(number, sum), value| (number + 1.0, sum + value));
    (sum / number, number)
}

/// Within five standard errors.
fn holds(what: &str, measured: (f64, f64), expected: f64, deviation: f64) {
    let error = deviation / measured.1.sqrt();
    assert!(
        (measured.0 - expected).abs() < 5.0 * error,
        "{what}: {} instead of {expected} ± {error}",
        measured.0
    );
}

#[test]
#[should_panic(expected = "control: 0.31 instead of 0.3")]
fn control_a_hundredth_off_is_found() {
    holds("control", (0.31, 100_000.0), 0.3, 0.5);
}

#[test]
fn the_same_seed_makes_the_same_workload_for_ever() {
    let digests = [LublinKinds::Both, LublinKinds::Batch, LublinKinds::Interactive, LublinKinds::Untyped]
        .map(|kinds| made(5000, 128, kinds).digest());
    assert_eq!(digests, DIGESTS, "{digests:#018x?}");
    assert_eq!(made(500, 128, LublinKinds::Both), made(500, 128, LublinKinds::Both));
    assert_ne!(Lublin::new(5000, 128).generate(Seed(8)).unwrap().digest(), DIGESTS[0]);
}

/// Change them only on purpose: every result published with the model changes with them.
const DIGESTS: [u64; 4] =
    [0xdbd8_4b16_8e41_9a46, 0x8932_3ed9_1210_5fb2, 0x0584_0609_3f65_1154, 0x1818_7750_7cf9_cb86];

#[test]
fn at_128_processors_the_parameters_are_those_published() {
    let Lublin { batch, interactive, untyped, .. } = Lublin::new(1, 128);
    let stages =
        [batch, interactive, untyped].map(|class| [class.sizes.low, class.sizes.medium, class.sizes.high]);
    assert_eq!(stages, [[1.2, 5.0, 7.0], [1.0, 3.0, 5.5], [0.8, 4.5, 7.0]]);
    let larger = Lublin::new(1, 256).untyped.sizes;
    assert_eq!((larger.medium, larger.high), (5.5, 8.0));
}

#[test]
fn sizes_are_serial_powers_of_two_or_between_as_often_as_asked() {
    for (kinds, class) in [
        (LublinKinds::Batch, LublinClass::batch(128)),
        (LublinKinds::Interactive, LublinClass::interactive(128)),
        (LublinKinds::Untyped, LublinClass::untyped(128)),
    ] {
        let law = class.sizes;
        let workload = made(100_000, 128, kinds);
        let sizes = || workload.jobs().iter().map(|job| job.shape.procs.0);
        let share = |keep: &dyn Fn(u32) -> bool| mean(sizes().map(|size| f64::from(u8::from(keep(size)))));
        holds("serial", share(&|size| size == 1), law.serial, 0.5);
        // Of those drawn from either stage: none is rounded across the whole powers tested.
        let below = |exponent: f64| {
            if exponent < law.medium {
                law.lower * (exponent - law.low) / (law.medium - law.low)
            } else {
                law.lower + (1.0 - law.lower) * (exponent - law.medium) / (law.high - law.medium)
            }
        };
        let others = 1.0 - law.serial - law.power_of_two;
        for power in [2, 3, 4] {
            // At most 2^power: exponents below power + 1/2 that are rounded, below log2(2^power + 1/2) of the others.
            let size = 1 << power;
            let expected = law.serial
                + law.power_of_two * below(f64::from(power) + 0.5)
                + others * below((f64::from(size) + 0.5).log2());
            holds("size", share(&|drawn| drawn <= size), expected, 0.5);
        }
    }
}

#[test]
fn no_job_is_larger_than_the_machine() {
    for procs in [1, 2, 3, 4, 6, 7, 100, 338, 1 << 24] {
        for kinds in [LublinKinds::Both, LublinKinds::Untyped] {
            let workload = made(3000, procs, kinds);
            let largest = workload.jobs().iter().map(|job| job.shape.procs.0).max().unwrap();
            assert!(largest <= procs && largest >= procs / 2, "{largest} of {procs}");
        }
    }
    // 2^6.64 rounds to 128, which a machine of 100 does not have: such jobs are of 64.
    let workload = made(50_000, 100, LublinKinds::Batch);
    assert!(workload.jobs().iter().all(|job| job.shape.procs.0 <= 100));
    assert!(workload.jobs().iter().any(|job| job.shape.procs.0 > 64));
}

#[test]
fn run_times_mix_two_gammas_by_size() {
    let class = LublinClass::untyped(128);
    let LublinRuns { short, long, slope, intercept, .. } = class.runs;
    let workload = made(300_000, 128, LublinKinds::Untyped);
    for size in [1, 4, 32] {
        let logs = workload.jobs().iter().zip(workload.truths());
        let logs = logs.filter(|(job, _)| job.shape.procs.0 == size);
        // Rounding to seconds shifts logs of a few seconds by less than the tolerance, all above a minute not at all.
        let above = logs.map(|(_, truth)| f64::from(u8::from(truth.run() >= Seconds(3600))));
        let mixing = slope * f64::from(size) + intercept;
        let until = |law: GammaLaw| statrs::function::gamma::gamma_lr(law.shape, 3599.5_f64.ln() / law.scale);
        let expected = 1.0 - mixing * until(short) - (1.0 - mixing) * until(long);
        holds("an hour or more", mean(above), expected, 0.5);
    }
    assert!(workload.truths().iter().all(|truth| (1..=162_755).contains(&truth.run().0)));
}

#[test]
fn days_have_a_cycle_and_gaps_are_a_gamma_of_it() {
    let class = LublinClass::untyped(128).arrivals;
    let weights = arrivals::weights(class.day, class.ahead);
    assert!((weights.iter().sum::<f64>() - 48.0).abs() < 1e-9);
    // Ahead by an hour, the mode of (8.1737 − 1) · 3.9631 = 28.4 half-hours is at 13:13.
    let busiest = (0..48).max_by(|&one, &other| weights[one].total_cmp(&weights[other])).unwrap();
    assert_eq!(busiest, 26);
    let workload = made(100_000, 128, LublinKinds::Untyped);
    let mut hours = [0; 24];
    for job in workload.jobs() {
        hours[(job.submit.0 / 3600 % 24) as usize] += 1;
    }
    assert!(hours[12..16].iter().sum::<i32>() > 5 * hours[2..6].iter().sum::<i32>(), "{hours:?}");
    let day = arrivals::Day::new(weights);
    let logs = workload.jobs().windows(2).map(|pair| {
        let passed = day.passed(pair[1].submit.0) - day.passed(pair[0].submit.0);
        (passed as f64 / 1000.0).max(1.0).ln()
    });
    let shape = class.gap.shape * class.rush;
    let deviation = class.gap.scale * shape.sqrt();
    holds("log gap", mean(logs), shape * class.gap.scale, deviation);
}

#[test]
fn a_second_is_where_its_ticks_have_passed() {
    let class = LublinClass::batch(128).arrivals;
    let day = arrivals::Day::new(arrivals::weights(class.day, class.ahead));
    let mut before = Time(0);
    for ticks in (0..2_000_000_000).step_by(777_777) {
        let moment = day.moment(ticks);
        assert!(moment >= before);
        before = moment;
        assert!(day.passed(moment.0) <= ticks && day.passed(moment.0 + 2) > ticks, "{ticks}");
    }
}

#[test]
fn batch_and_interactive_jobs_do_not_know_of_each_other() {
    let both = made(4000, 128, LublinKinds::Both);
    for (queue, kinds) in [(0, LublinKinds::Interactive), (1, LublinKinds::Batch)] {
        let one = made(4000, 128, kinds);
        let facts = |workload: &Workload| -> Vec<(Time, Procs, Seconds)> {
            let jobs = workload.jobs().iter().zip(workload.truths());
            let jobs = jobs.filter(|(job, _)| job.queue == QueueId::new(queue));
            jobs.map(|(job, truth)| (job.submit, job.shape.procs, truth.run())).collect()
        };
        let (merged, alone) = (facts(&both), facts(&one));
        assert!(merged.len() > 500 && merged.len() < 3500, "{}", merged.len());
        assert_eq!(merged, alone[..merged.len()]);
    }
    assert_eq!(both.names.queues.get(&0).map(String::as_str), Some("interactive"));
    assert_eq!((both.epoch.unwrap() / 86_400 + 3) % 7, 0, "a Monday");
    assert!(made(10, 128, LublinKinds::Untyped).jobs().iter().all(|job| job.queue.is_none()));
}

#[test]
fn impossible_parameters_are_named() {
    let complain = |change: fn(&mut Lublin)| {
        let mut model = Lublin::new(10, 128);
        change(&mut model);
        model.generate(Seed(1)).unwrap_err().to_string()
    };
    assert_eq!(complain(|model| model.jobs = 0), "jobs = 0: must be between 1 and 10000000");
    assert!(complain(|model| model.procs = 0).starts_with("procs = 0"));
    assert!(complain(|model| model.procs = 64).starts_with("sizes.high = 7"));
    assert!(complain(|model| model.batch.sizes.serial = 1.1).starts_with("sizes.serial = 1.1"));
    assert!(complain(|model| model.batch.sizes.power_of_two = 0.8).starts_with("sizes.power_of_two = 0.8"));
    assert!(complain(|model| model.untyped.sizes.low = 6.0).starts_with("sizes.low = 6"));
    assert!(complain(|model| model.untyped.sizes.lower = f64::NAN).starts_with("sizes.lower = NaN"));
    assert!(complain(|model| model.batch.runs.short.shape = 0.0).starts_with("runs.short.shape = 0"));
    assert!(complain(|model| model.batch.runs.longest = 21.0).starts_with("runs.longest = 21"));
    assert!(complain(|model| model.batch.runs.slope = -2.0).starts_with("runs.slope = -2"));
    assert!(complain(|model| model.batch.arrivals.gap.scale = -1.0).starts_with("arrivals.gap.scale = -1"));
    assert!(complain(|model| model.batch.arrivals.ahead = 48).starts_with("arrivals.ahead = 48"));
}

#[test]
fn parameters_under_which_all_is_too_long_still_end() {
    let mut model = model(50, 128, LublinKinds::Batch);
    model.batch.runs.longest = 1e-3;
    model.batch.arrivals.longest = 0.0;
    let workload = model.generate(Seed(1)).unwrap();
    assert!(workload.truths().iter().all(|truth| truth.run() == Seconds(1)));
}

#[test]
fn parameters_are_data() {
    let model = Lublin::new(300, 64);
    let text = serde_json::to_string(&model).unwrap();
    assert_eq!(serde_json::from_str::<Lublin>(&text).unwrap(), model);
}

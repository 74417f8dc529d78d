//! Queue times that a person can check, and specs.

use super::*;
use crate::probability;
use queuecast_core::distribution::LogUniform;
use queuecast_core::units::Seconds;
use queuecast_sim::predict::Forecast;

const ALL: [QueueTime; 4] =
    [QueueTime::Exact, QueueTime::Median, QueueTime::Mean, QueueTime::Combined { benefactors: 2 }];

/// Lifetimes from 1 to 10,000 s.
fn lifetimes() -> LogUniform {
    LogUniform::between(1.0, 10_000.0).unwrap()
}

fn aged(holders: &[(u32, i64)]) -> Vec<Holder> {
    let holder = |&(procs, age): &(u32, i64)| Holder::aged(Procs(procs), Seconds(age), &lifetimes());
    holders.iter().map(holder).collect()
}

/// To the 1024th to which answers are rounded up.
fn close(found: Option<f64>, expected: f64) {
    let late = found.unwrap() - expected;
    assert!((-1e-6..=1.001 / 1024.0).contains(&late), "{found:?} {expected}");
}

#[test]
fn one_holder_by_hand() {
    let one = aged(&[(8, 100)]);
    // Alive at 100 and at most 10,000: half live to 1000.
    close(QueueTime::Exact.predict(&one, Procs(8)), 900.0);
    close(QueueTime::Exact.predict(&one, Procs(1)), 900.0);
    close(QueueTime::Median.predict(&one, Procs(3)), 900.0);
    // A quarter of the processors is freed once a quarter has ended: at 100 · 100^¼.
    close(QueueTime::Mean.predict(&one, Procs(2)), 100.0 * 100f64.powf(0.25) - 100.0);
    close(QueueTime::Mean.predict(&one, Procs(8)), 9900.0);
    // One benefactor is too few, unless one is enough.
    close(QueueTime::default().predict(&one, Procs(4)), 900.0);
    close(QueueTime::default().predict(&one, Procs(8)), 9900.0);
    close(QueueTime::Combined { benefactors: 1 }.predict(&one, Procs(8)), 900.0);
}

#[test]
fn two_holders_by_hand() {
    let two = aged(&[(4, 100), (4, 100)]);
    // Neither has ended with probability ½ once each is alive with √½.
    let either = 100.0 * 100f64.powf(1.0 - 0.5f64.sqrt()) - 100.0;
    let both = 100.0 * 100f64.powf(0.5f64.sqrt()) - 100.0;
    for wanted in 1..=4 {
        close(QueueTime::Exact.predict(&two, Procs(wanted)), either);
        close(QueueTime::Median.predict(&two, Procs(wanted)), either);
        close(QueueTime::default().predict(&two, Procs(wanted)), either);
    }
    for wanted in 5..=8 {
        close(QueueTime::Exact.predict(&two, Procs(wanted)), both);
        assert_eq!(QueueTime::Median.predict(&two, Procs(wanted)), None);
        let mean = 100.0 * 100f64.powf(f64::from(wanted) / 8.0) - 100.0;
        close(QueueTime::Mean.predict(&two, Procs(wanted)), mean);
        close(QueueTime::default().predict(&two, Procs(wanted)), mean);
    }
    // One that is too small does not count, and does where it is not.
    let ages = aged(&[(4, 100), (4, 100), (1, 1)]);
    assert_eq!(QueueTime::Median.predict(&ages, Procs(4)), QueueTime::Median.predict(&two, Procs(4)));
    assert!(
        QueueTime::Median.predict(&ages, Procs(1)) < QueueTime::Median.predict(&two, Procs(1)),
        "control"
    );
}

#[test]
fn holders_too_young_or_too_old() {
    let later = LogUniform::between(100.0, 10_000.0).unwrap();
    // It lives to 100 for certain, then as if it were that old.
    let young = [Holder::aged(Procs(4), Seconds(40), &later)];
    for how in [QueueTime::Exact, QueueTime::Median, QueueTime::Combined { benefactors: 1 }] {
        close(how.predict(&young, Procs(4)), 960.0);
    }
    close(QueueTime::Mean.predict(&young, Procs(2)), 960.0);
    // Older than any should be: even odds to live as long again, and four times its age at most.
    let old = [Holder::aged(Procs(4), Seconds(10_000), &later)];
    close(QueueTime::Exact.predict(&old, Procs(4)), 10_000.0);
    close(QueueTime::Mean.predict(&old, Procs(4)), 30_000.0);
    let ancient = [Holder::aged(Procs(4), Seconds(i64::MAX), &later)];
    assert!(ALL.iter().all(|how| how.predict(&ancient, Procs(4)).unwrap().is_finite()));
}

#[test]
fn what_cannot_be_and_what_need_not_be_waited_for() {
    let holders = aged(&[(4, 100), (2, 7)]);
    for how in ALL {
        assert_eq!(how.predict(&holders, Procs(0)), Some(0.0));
        assert_eq!(how.predict(&holders, Procs(7)), None);
        assert_eq!(how.predict(&holders, Procs(u32::MAX)), None);
        assert_eq!(how.predict(&[], Procs(1)), None);
        assert_eq!(how.predict(&[], Procs(0)), Some(0.0));
        assert_eq!(how.predict_all(&[], Procs(9)), [Some(0.0)]);
        assert_eq!(how.predict_all(&holders, Procs(u32::MAX)).len(), 7);
        assert_eq!(how.predict_all(&holders, Procs(2)).len(), 3);
        assert_eq!(how.predict(&aged(&[(0, 5)]), Procs(1)), None);
    }
    assert_eq!(QueueTime::Median.predict(&holders, Procs(5)), None);
    assert!(QueueTime::Exact.predict(&holders, Procs(5)).is_some());
}

#[test]
fn known_ends_are_waited_for() {
    let holders =
        [(2, 50), (4, 300), (3, 100)].map(|(procs, left)| Holder::ending(Procs(procs), Seconds(left)));
    let expected = [0.0, 50.0, 50.0, 100.0, 100.0, 100.0, 300.0, 300.0, 300.0, 300.0].map(Some);
    for how in [QueueTime::Exact, QueueTime::Mean] {
        assert_eq!(how.predict_all(&holders, Procs(9)), expected, "{how}");
    }
    // Benefactors only.
    let alone = [0.0, 50.0, 50.0, 100.0, 300.0].map(Some);
    assert_eq!(QueueTime::Median.predict_all(&holders, Procs(4)), alone);
    assert_eq!(QueueTime::Median.predict_all(&holders, Procs(9))[5..], [None; 5]);
    let gone = [Holder::ending(Procs(2), Seconds(0))];
    assert!(ALL.iter().all(|how| how.predict(&gone, Procs(2)) == Some(0.0)));
}

#[test]
fn forecasts_with_intervals_are_waited_for() {
    let forecast = Forecast::around(1000.0, 400.0, 0.8);
    let one = [Holder::forecast(Procs(4), Seconds(0), &forecast)];
    close(QueueTime::Exact.predict(&one, Procs(4)), 1000.0);
    close(QueueTime::Mean.predict(&one, Procs(3)), 1250.0);
    close(quantile(&one, Procs(4), 0.9), 1400.0);
    // A tenth ends at 600 at once: of four such the first has with 1 − 0.9⁴ = 0.34, of seven with 0.52.
    let four = std::array::from_fn::<_, 4, _>(|_| one[0].clone());
    let neither = |t: f64| (0.9 - 0.001 * (t - 600.0)).powi(4);
    let found = QueueTime::Exact.predict(&four, Procs(4)).unwrap();
    assert!(neither(found) <= 0.5 && neither(found - 0.002) > 0.5, "{found}");
    let seven = std::array::from_fn::<_, 7, _>(|_| one[0].clone());
    close(QueueTime::Exact.predict(&seven, Procs(4)), 600.0);
}

#[test]
fn quantiles_surround_the_median() {
    let holders = aged(&[(4, 100), (2, 7), (1, 5000), (8, 30)]);
    for more in (1..=15).map(Procs) {
        let [low, middle, high] = [0.25, 0.5, 0.75].map(|share| quantile(&holders, more, share).unwrap());
        assert_eq!(QueueTime::Exact.predict(&holders, more), Some(middle));
        assert!(low < middle && middle < high, "{low} {middle} {high}");
        for (t, share) in [(low, 0.25), (high, 0.75)] {
            assert!((probability(&holders, more, t) - share).abs() < 1e-3, "{more}");
        }
    }
    assert_eq!(quantile(&holders, Procs(16), 0.5), None);
    assert_eq!([0, 16, u32::MAX].map(|more| probability(&holders, Procs(more), 1e9)), [1.0, 0.0, 0.0]);
    for share in [f64::NAN, -1.0, 0.0, 1.0, 7.0] {
        assert!(quantile(&holders, Procs(3), share).unwrap() <= 10_000.0);
    }
}

#[test]
fn specs_are_read_as_written() {
    for text in ["exact", "median", "mean", "combined", "combined:1", "combined:3"] {
        assert_eq!(text.parse::<QueueTime>().unwrap().to_string(), text);
    }
    assert_eq!("combined:2".parse::<QueueTime>().unwrap(), QueueTime::default());
    let (json, read) = ("\"combined:3\"", QueueTime::Combined { benefactors: 3 });
    assert_eq!(serde_json::from_str::<QueueTime>(json).unwrap(), read);
    assert_eq!(serde_json::to_string(&read).unwrap(), json);
}

#[test]
fn wrong_specs_say_what_is_possible() {
    for (text, expected) in [
        ("", "exact, median, mean, combined[:BENEFACTORS]"),
        ("mode", "no such queue-time predictor; known are exact"),
        ("exact:3", "no settings"),
        ("combined:0", "from 1, as in combined:3"),
        ("combined:-1", "as in combined:3"),
        ("combined:", "as in combined:3"),
    ] {
        let error = text.parse::<QueueTime>().expect_err(text).to_string();
        assert!(error.contains(expected) && !error.contains('\n'), "{text}: {error}");
    }
    assert_eq!("mode".parse::<QueueTime>().unwrap_err().known, queuecast_core::spec::known::<QueueTime>());
}

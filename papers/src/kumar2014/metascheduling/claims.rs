//! What section 5.2 concludes, measured.

use queuecast_study::Brokerage;

use super::cells::reduction;
use super::experiment::Metascheduled;
use crate::Claim;

/// Places among the compared brokers.
const STATIC: usize = 0;
const LEAST_LOADED: usize = 1;
const PREDICTED: usize = 2;
const REDUNDANT: usize = 5;

/// "Up to 40 percent", say, is read as at least 40 less this number of points.
const NEARLY: f64 = 7.0;

fn mean(brokerage: &Brokerage, place: usize) -> f64 {
    brokerage.brokers[place].mean_wait
}

/// Of both parts; empty where one was not wanted.
pub fn judged(results: &Metascheduled) -> Vec<Claim> {
    if results.super_experiments.is_empty() || results.synthetic.is_empty() {
        return Vec::new(); // Tables alone come without claims.
    }
    vec![
        less(results, "static", STATIC, 54.0),
        less(results, "least loaded", LEAST_LOADED, 33.0),
        nearest(results),
        proportional(results),
        more_at_lanl(results),
        every_scenario(results, "static", STATIC, 35.0, 94.0),
        every_scenario(results, "least loaded", LEAST_LOADED, 14.0, 78.0),
        quicker(results),
        fewer_days(results),
    ]
}

fn by_reading(results: &Metascheduled, value: impl Fn(&Brokerage) -> String) -> String {
    let shown =
        results.super_experiments.iter().map(|(reading, one)| format!("{}: {}", reading.name(), value(one)));
    shown.collect::<Vec<_>>().join("; ")
}

fn less(results: &Metascheduled, than: &str, place: usize, percent: f64) -> Claim {
    let of = |one: &Brokerage| reduction(mean(one, PREDICTED), mean(one, place)).unwrap_or(0.0);
    Claim::new(
        format!(
            "Super experiments: an average wait up to {percent} % below {than} (read as: at least {})",
            percent - NEARLY
        ),
        results.super_experiments.iter().all(|(_, one)| of(one) >= percent - NEARLY),
        by_reading(results, |one| format!("{:.0} % below", of(one))),
    )
}

fn nearest(results: &Metascheduled) -> Claim {
    let above = |one: &Brokerage, place: usize| mean(one, place) - mean(one, REDUNDANT);
    Claim::new(
        "Super experiments: least predicted wait is nearest to redundant requests, of the three",
        results.super_experiments.iter().all(|(_, one)| {
            let own = above(one, PREDICTED).abs();
            own < above(one, STATIC).abs() && own < above(one, LEAST_LOADED).abs()
        }),
        by_reading(results, |one| {
            let [fixed, loaded, predicted, redundant] =
                [STATIC, LEAST_LOADED, PREDICTED, REDUNDANT].map(|place| mean(one, place) / 60.0);
            format!("{predicted:.1} min against {redundant:.1}; static {fixed:.1}, least loaded {loaded:.1}")
        }),
    )
}

/// How far the jobs of the sites are from the processors of the sites: half the sum of the differences of shares.
fn disproportion(one: &Brokerage, place: usize) -> f64 {
    let processors: f64 = one.sites.iter().map(|site| f64::from(site.procs)).sum();
    let pairs = one.sites.iter().zip(&one.brokers[place].sites);
    let apart = pairs.map(|(site, share)| (f64::from(site.procs) / processors - share.share).abs());
    50.0 * apart.sum::<f64>()
}

fn proportional(results: &Metascheduled) -> Claim {
    let of = |one: &Brokerage| [STATIC, LEAST_LOADED, PREDICTED].map(|place| disproportion(one, place));
    Claim::new(
        "Super experiments: with least predicted wait the jobs of sites are most nearly proportional to their size",
        results.super_experiments.iter().all(|(_, one)| {
            let [fixed, loaded, predicted] = of(one);
            predicted < fixed && predicted < loaded
        }),
        by_reading(results, |one| {
            let [fixed, loaded, predicted] = of(one);
            format!(
                "{predicted:.0} % of the jobs elsewhere than in proportion; static {fixed:.0}, least loaded {loaded:.0}"
            )
        }),
    )
}

fn more_at_lanl(results: &Metascheduled) -> Claim {
    let share = |one: &Brokerage, site: &str| {
        let found = one.brokers[PREDICTED].sites.iter().find(|share| share.site == site);
        found.map_or(0.0, |share| 100.0 * share.share)
    };
    Claim::new(
        "Super experiments: least predicted wait sends more jobs to LANL than to CTC, which is smaller",
        results.super_experiments.iter().all(|(_, one)| share(one, "LANL") > share(one, "CTC")),
        by_reading(results, |one| format!("{:.1} and {:.1} %", share(one, "LANL"), share(one, "CTC"))),
    )
}

fn range(values: &[f64]) -> (f64, f64) {
    (
        values.iter().copied().fold(f64::INFINITY, f64::min),
        values.iter().copied().fold(f64::NEG_INFINITY, f64::max),
    )
}

fn every_scenario(results: &Metascheduled, than: &str, place: usize, from: f64, to: f64) -> Claim {
    let gains: Vec<f64> = results
        .synthetic
        .iter()
        .filter_map(|(_, one)| reduction(mean(one, PREDICTED), mean(one, place)))
        .collect();
    let below = gains.iter().filter(|&&gain| gain < from).count();
    let (least, most) = range(&gains);
    Claim::new(
        format!(
            "Synthetic: an average wait {from} to {to} % below {than} in every scenario (read as: at least {from})"
        ),
        below == 0,
        format!("{least:.0} to {most:.0} %; less than {from} % in {below} of {} scenarios", gains.len()),
    )
}

fn quicker(results: &Metascheduled) -> Claim {
    let of = |one: &Brokerage, place: usize| one.brokers[place].within_hour;
    let gain = |one: &Brokerage, place: usize| 100.0 * (of(one, PREDICTED) / of(one, place) - 1.0);
    let gains: Vec<f64> =
        results.synthetic.iter().flat_map(|(_, one)| [gain(one, STATIC), gain(one, LEAST_LOADED)]).collect();
    let (least, most) = range(&gains);
    Claim::new(
        "Synthetic: 8 to 80 % more jobs wait for less than an hour than by the other methods (read as: at least 8)",
        least >= 8.0,
        format!("{least:.0} to {most:.0} % more"),
    )
}

fn fewer_days(results: &Metascheduled) -> Claim {
    let of = |one: &Brokerage, place: usize| one.brokers[place].over_day;
    let gains: Vec<f64> = results
        .synthetic
        .iter()
        .flat_map(|(_, one)| {
            [STATIC, LEAST_LOADED].map(|place| reduction(of(one, PREDICTED), of(one, place)))
        })
        .flatten()
        .collect();
    let (least, most) = range(&gains);
    Claim::new(
        "Synthetic: 6 to 99 % fewer jobs wait for more than a day than by the other methods (read as: at least 6)",
        least >= 6.0,
        format!("{least:.0} to {most:.0} % fewer"),
    )
}

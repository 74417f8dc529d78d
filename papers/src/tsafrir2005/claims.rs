//! What the paper concludes about estimates, measured on the logs, and what is asked of the model's distributions.

use super::draws::Draws;
use super::explained;
use super::fits::Fits;
use super::head::{different, joint, ranks};
use super::model::Model;
use super::printed::PRINTED;
use super::setup::{HEAD, LOG_NAMES};
use super::subject::{LogPortrait, Material};
use crate::Claim;
use queuecast_core::units::Seconds;
use queuecast_synth::characterization::Accuracy;

/// What the 20 most popular estimates cover, in percent.
const HEAD_COVERAGE: std::ops::RangeInclusive<f64> = 86.0..=92.0;

/// How far a drawn distribution may be from the log's, on average.
const NEAR: f64 = 0.10;

/// Everything but what is simulated.
pub fn judged(material: &Material, fits: &Fits, draws: &[Draws]) -> Vec<Claim> {
    let mut claims = about_logs(material);
    claims.extend(about_fits(fits));
    claims.extend(about_draws(material, draws));
    claims.into_iter().map(explained::claim).collect()
}

/// "SDSC-106 1, CTC 2".
pub fn by_log(values: impl IntoIterator<Item = String>) -> String {
    let shown: Vec<String> =
        LOG_NAMES.into_iter().zip(values).map(|(log, value)| format!("{log} {value}")).collect();
    shown.join(", ")
}

fn about_logs(material: &Material) -> Vec<Claim> {
    let logs = material.logs();
    let each = |of: &dyn Fn(&LogPortrait) -> f64| -> Vec<f64> { logs.iter().map(of).collect() };
    let percents = |values: &[f64]| by_log(values.iter().map(|value| format!("{value:.1} %")));
    let heads = each(&|log| 100.0 * log.modes.head_share(HEAD));
    let mut claims = vec![Claim::new(
        "20 estimates are used by about 90 % of the jobs (86 to 92 %)",
        heads.iter().all(|head| HEAD_COVERAGE.contains(head)),
        percents(&heads),
    )];
    let longest: Vec<usize> =
        material.papers().iter().map(|log| ranks(log).first().copied().unwrap_or(0)).collect();
    claims.push(Claim::new(
        "The longest estimate is always among the three most popular",
        longest.iter().all(|rank| (1..=3).contains(rank)),
        format!("its rank: {}", by_log(longest.iter().map(usize::to_string))),
    ));
    let joints = joint(material).len();
    claims.push(Claim::new(
        "Of 36 times among the 20 most popular of any log, 15 are so in all that permit them",
        (different(material), joints) == (36, 15),
        format!("{joints} of {}", different(material)),
    ));
    claims.push(more_popular_are_shorter(material));
    if let Some(ctc) = logs.get(1) {
        let hour = Seconds(3600);
        let [asked, ran] = [&ctc.modes, &ctc.runs].map(|modes| 100.0 * modes.cumulative(hour));
        claims.push(Claim::new(
            "In CTC, 40 % of the estimates are of an hour at most, and 60 % of the run times",
            (asked - 40.0).abs() <= 5.0 && (ran - 60.0).abs() <= 5.0,
            format!("{asked:.1} % and {ran:.1} %"),
        ));
        let joint = 100.0 * ctc.modes.joint_ratio().unwrap_or(f64::NAN);
        let printed = PRINTED.value("text", "joint ratio of CTC", "percent of the jobs").unwrap_or(f64::NAN);
        claims.push(Claim::new(
            "In CTC, 9 % of the estimates account for 91 % of the jobs",
            (joint - printed).abs() <= 1.0,
            format!("{:.1} % for {joint:.1} %", 100.0 - joint),
        ));
    }
    claims.extend(about_owners(material));
    let accuracies: Vec<&Accuracy> = logs.iter().filter_map(|log| log.accuracy.as_ref()).collect();
    let part = |of: &dyn Fn(&Accuracy) -> f64| -> Vec<f64> {
        accuracies.iter().map(|one| 100.0 * of(one)).collect()
    };
    let short =
        part(&|one| one.histogram.first().map_or(0.0, |bin| bin.short as f64 / bin.jobs.max(1) as f64));
    claims.push(Claim::new(
        "The jobs that use least of their estimates are very short, below 90 seconds (most of those below 5 %)",
        short.iter().all(|short| *short > 50.0),
        percents(&short),
    ));
    let peaks = part(&|one| one.peak_share);
    let middle = |one: &Accuracy| {
        let bins = one.histogram.get(5..19).unwrap_or_default();
        bins.iter().map(|bin| bin.jobs).max().unwrap_or(0) as f64 / one.jobs.max(1) as f64
    };
    claims.push(Claim::new(
        "Accuracy has a peak at 100 %, of jobs that were killed: above every 5 % between 25 and 95 %",
        accuracies.len() == LOG_NAMES.len() && accuracies.iter().all(|one| one.peak_share > middle(one)),
        format!("{}, below it at most {}", percents(&peaks), percents(&part(&middle))),
    ));
    claims
}

fn more_popular_are_shorter(material: &Material) -> Claim {
    let (mut short, mut all) = (0, 0);
    for subject in material.papers() {
        let ranks = ranks(subject);
        all += ranks.iter().filter(|&&rank| rank <= HEAD / 2).count();
        short += ranks.iter().take(HEAD / 2).filter(|&&rank| rank <= HEAD / 2).count();
    }
    let percent = 100.0 * f64::from(short as u32) / f64::from(all.max(1) as u32);
    Claim::new(
        "Around 75 % of the ranks 1 to 10 are in the upper half of Table 6 (ttr 0 to 9)",
        (percent - 75.0).abs() <= 7.5,
        format!("{short} of {all}, {percent:.1} %"),
    )
}

fn about_owners(material: &Material) -> Vec<Claim> {
    let mut claims = Vec::new();
    if let Some(owners) = material.rows.get(LOG_NAMES.len()).and_then(|sdsc| sdsc.owners.as_ref()) {
        let first = owners.owners.first();
        let (modes, share) = first.map_or((0, 0.0), |first| (first.modes, 100.0 * first.share));
        let measured = format!(
            "user {} of today's log owns {modes}, {share:.1} %",
            first.map_or_else(String::new, |first| first.user.to_string())
        );
        let claim = "In SDSC, one user owns 204 of 543 estimates (38 %)";
        claims.push(Claim::new(claim, modes == 204 && (share - 38.0).abs() <= 1.0, measured));
        let median = owners.estimates_per_user.median;
        claims.push(Claim::new(
            "In SDSC, the median user has 3 different estimates",
            median == 3,
            format!("{median} of {} users", owners.estimates_per_user.count),
        ));
    }
    let owned: Vec<f64> = material
        .logs()
        .iter()
        .map(|log| log.owners.as_ref().map_or(f64::NAN, |owners| 100.0 * owners.owned_share))
        .collect();
    claims.push(Claim::new(
        "About 40 % of the estimates are owned: one user alone has them",
        owned.iter().all(|owned| (owned - 40.0).abs() <= 5.0),
        by_log(owned.iter().map(|owned| format!("{owned:.1} %"))),
    ));
    // The paper's footnote is true of the logs before its manipulations.
    let whole = [4, 1, 5, 3].map(|row| material.rows.get(row).and_then(|log| log.owners.as_ref()));
    let counts = whole.map(|owners| owners.map_or(0, |owners| owners.owners.len()));
    let [sdsc, ctc, kth, blue] = counts;
    claims.push(Claim::new(
        "The number of owners is exactly 40 in three of the four logs",
        counts.iter().filter(|owners| **owners == 40).count() == 3,
        format!("SDSC {sdsc}, CTC {ctc}, KTH {kth}, BLUE {blue}"),
    ));
    claims
}

fn about_fits(fits: &Fits) -> Vec<Claim> {
    let mut order: Vec<(usize, f64)> =
        fits.spread.iter().map(|(values, fit)| (*values, fit.coefficients[0])).collect();
    order.sort_unstable_by_key(|(values, _)| *values);
    let [head, tail] = [fits.head.r_squared, fits.tail.r_squared];
    vec![
        Claim::new(
            "The more estimates a log has, the smaller its a",
            order.len() > 1 && order.is_sorted_by(|one, next| one.1 > next.1),
            order.iter().map(|(values, a)| format!("K {values} a {a:.2}")).collect::<Vec<_>>().join(", "),
        ),
        Claim::new(
            "The exponential head and the power law of the tail fit with R squared above 0.95",
            head > 0.95 && tail > 0.95,
            format!("{head:.3} and {tail:.3}"),
        ),
    ]
}

fn about_draws(material: &Material, draws: &[Draws]) -> Vec<Claim> {
    let of = |setting: Model| draws.iter().filter(move |draws| draws.setting == setting);
    let told = |setting| by_log(of(setting).map(|draws| format!("{:.3}", draws.distance())));
    let later = by_log(of(Model::Improved).map(|draws| format!("{:.3}", draws.later())));
    let near = |draws: &Draws| draws.distance() <= NEAR;
    let seeds = draws.iter().map(|draws| draws.distances.len()).min().unwrap_or(0);
    let heads = || draws.iter().flat_map(|draws| &draws.heads).map(|head| 100.0 * head);
    let (least, most) = (heads().fold(f64::INFINITY, f64::min), heads().fold(f64::NEG_INFINITY, f64::max));
    let closer = of(Model::Vanilla).zip(of(Model::Improved)).skip(2);
    vec![
        Claim::new(
            "The vanilla model is close to SDSC-106 and CTC: Kolmogorov-Smirnov distance at most 0.10",
            of(Model::Vanilla).take(2).all(near) && !material.papers().is_empty(),
            format!("mean of {seeds} seeds: {}", told(Model::Vanilla)),
        ),
        Claim::new(
            "The improved model is close to all four: Kolmogorov-Smirnov distance at most 0.10",
            of(Model::Improved).all(near),
            format!("mean of {seeds} seeds: {}; from 5 minutes on: {}", told(Model::Improved), later),
        ),
        Claim::new(
            "The vanilla model is far less successful with KTH4H and BLUE, which the improved setting repairs",
            closer.clone().count() > 0
                && closer.clone().all(|(vanilla, improved)| !near(vanilla) && near(improved)),
            format!("{} against {}", told(Model::Vanilla), told(Model::Improved)),
        ),
        Claim::new(
            "20 estimates cover 86 to 92 % of every generated set",
            heads().all(|head| HEAD_COVERAGE.contains(&head)),
            format!("{least:.2} to {most:.2} %"),
        ),
    ]
}

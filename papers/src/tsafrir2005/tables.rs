//! Tables 1 to 3: the logs, how few estimates cover how many jobs, and how their number grows.

use super::explained;
use super::printed::{LOGS, PRINTED, SHARES};
use super::setup::LOG_NAMES;
use super::subject::{LogPortrait, Material};
use crate::PublishedCell;
use queuecast_synth::characterization::Growth;

/// Seconds of a mean month.
const MONTH: f64 = 365.25 / 12.0 * 86_400.0;

/// Of the jobs the paper counts: the archive has cleaned its logs again since, and dropped or added up to 256 jobs.
const JOBS_TOLERANCE: f64 = 0.002;

/// Of the different estimates it counts, for the same reason; at least one.
const VALUES_TOLERANCE: f64 = 0.01;

/// Of the estimates that cover a share of the jobs, at least one: near a share, one estimate more or less covers a
/// tenth of a percent, which is what the versions of the logs differ by.
const COVER_TOLERANCE: f64 = 0.1;

/// The paper prints whole months.
const MONTHS_TOLERANCE: f64 = 0.5;

/// Table 1, row by row.
pub fn logs(material: &Material) -> Vec<PublishedCell> {
    LOGS.iter().zip(&material.rows).flat_map(|(name, log)| of_log(name, log)).collect()
}

fn of_log(name: &str, log: &LogPortrait) -> Vec<PublishedCell> {
    let printed = |column: &str| PRINTED.value("1", name, column);
    let cell = |column: &str, unit: &str| {
        PublishedCell::new("1", name, column, name).unit(unit).paper(printed(column))
    };
    let of_printed = |column: &str, share: f64| printed(column).map(|paper| paper * share);
    let jobs = |column: &str| cell(column, "jobs").tolerance(of_printed(column, JOBS_TOLERANCE));
    let mut sane = jobs("Sane").ours(log.jobs as f64);
    if log.silent > 0 {
        sane = sane.note(format!("of these, {} ask for no time and are left out below", log.silent));
    }
    let hours = log.longest().0 as f64 / 3600.0;
    let mut longest = cell("Longest Estimate", "hours").ours(hours).tolerance(0.0);
    let beyond = log.modes.jobs() as f64 * (1.0 - log.modes.cumulative(log.longest()));
    if beyond >= 0.5 {
        longest = longest.note(format!("the longest that is popular; {beyond:.0} jobs ask for more"));
    }
    let mut cells = vec![
        cell("CPUs", "processors").ours(f64::from(log.procs)).tolerance(0.0),
        sane,
        cell("Months", "months").ours(log.span.0 as f64 / MONTH).tolerance(MONTHS_TOLERANCE),
        cell("Users", "users").ours(log.users as f64).tolerance(0.0),
        longest,
        cell("Different Estimates", "values")
            .ours(log.values() as f64)
            .tolerance(of_printed("Different Estimates", VALUES_TOLERANCE).map(|values| values.max(1.0))),
    ];
    if printed("Cleaned").is_some() {
        cells.insert(1, jobs("Cleaned").ours(log.records as f64));
    }
    cells.into_iter().map(explained::cell).collect()
}

/// Table 2, row by row.
pub fn disparity(material: &Material) -> Vec<PublishedCell> {
    let rows = LOGS.iter().zip(&material.rows);
    rows.flat_map(|(name, log)| {
        SHARES.into_iter().map(move |percent| {
            let column = format!("{percent} % of the jobs");
            let paper = PRINTED.value("2", name, &column);
            let (ours, tolerance) = match percent {
                100 => (log.values(), VALUES_TOLERANCE),
                _ => (log.modes.covering(f64::from(percent) / 100.0), COVER_TOLERANCE),
            };
            let cell = PublishedCell::new("2", *name, column, *name);
            let cell = cell.unit("values").paper(paper).ours(ours as f64);
            explained::cell(cell.tolerance(paper.map(|paper| (paper * tolerance).max(1.0))))
        })
    })
    .collect()
}

/// Table 3: the points of the linear model, beside how many estimates the logs have after as many jobs. Nothing is
/// judged: the paper calls its points ad hoc.
pub fn growth(material: &Material) -> Vec<PublishedCell> {
    let after = |log: &LogPortrait, jobs: u64| {
        let points = log.growth.as_ref().map_or(&[][..], |growth| &growth.points);
        points.iter().find(|point| point.jobs == jobs).map(|point| point.values as f64)
    };
    let mut cells = Vec::new();
    for (jobs, values) in Growth::TABLE_3.into_iter().skip(1) {
        let each: Vec<(&str, f64)> = LOG_NAMES
            .into_iter()
            .zip(material.logs())
            .filter_map(|(name, log)| Some((name, after(log, jobs)?)))
            .collect();
        let cell = |log: &str| {
            PublishedCell::new("3", "Different Estimates", format!("after {jobs} jobs"), log).unit("values")
        };
        if each.is_empty() {
            continue;
        }
        let mean = each.iter().map(|(_, values)| values).sum::<f64>() / each.len() as f64;
        cells.push(cell(PublishedCell::AVERAGE).paper(values as f64).ours(mean));
        cells.extend(each.into_iter().map(|(name, values)| cell(name).ours(values)));
    }
    cells
}

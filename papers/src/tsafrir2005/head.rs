//! Tables 5 and 6: the 20 most popular estimates of each log, and how popular the shorter and the longer of them are.

use super::explained;
use super::printed::{PRINTED, popular_minutes};
use super::setup::{HEAD, LOG_NAMES};
use super::subject::{LogPortrait, Material, Subject};
use crate::PublishedCell;
use queuecast_core::units::Seconds;
use queuecast_synth::characterization::Mode;
use queuecast_synth::synth::EstimateModel;

/// Percentage points: one decimal is printed, and versions of the logs differ by a tenth of a percent of their jobs.
const PERCENT_TOLERANCE: f64 = 0.3;

/// Ranks: two modes of nearly one size may change places.
const RANK_TOLERANCE: f64 = 1.0;

/// Of the sums: as for [`PERCENT_TOLERANCE`], with 20 roundings.
const SUM_TOLERANCE: f64 = 0.5;

/// The head of a log, shortest first.
pub fn head(log: &LogPortrait) -> Vec<Mode> {
    let mut head = log.modes.by_popularity();
    head.truncate(HEAD);
    head.sort_unstable();
    head
}

/// Of these times, those among the 20 most popular of every log; KTH4H is not asked about times above its longest.
pub fn joint(material: &Material) -> Vec<Seconds> {
    let heads: Vec<Vec<Mode>> = material.logs().iter().map(head).collect();
    let mut times: Vec<Seconds> = heads.iter().flatten().map(|mode| mode.time).collect();
    times.sort_unstable();
    times.dedup();
    let in_head = |head: &Vec<Mode>, time: Seconds| head.iter().any(|mode| mode.time == time);
    let in_all = |time: &Seconds| {
        let able = material.logs().iter().zip(&heads).filter(|(log, _)| log.longest() >= *time);
        able.count() > 1
            && material
                .logs()
                .iter()
                .zip(&heads)
                .filter(|(log, _)| log.longest() >= *time)
                .all(|(_, head)| in_head(head, *time))
    };
    times.into_iter().filter(in_all).collect()
}

/// How many different times are in any head.
pub fn different(material: &Material) -> usize {
    let mut times: Vec<Seconds> =
        material.logs().iter().flat_map(|log| head(log).into_iter().map(|mode| mode.time)).collect();
    times.sort_unstable();
    times.dedup();
    times.len()
}

/// Table 5, log by log: what the paper prints, and what of ours it does not.
pub fn popular(material: &Material) -> Vec<PublishedCell> {
    let joint = joint(material);
    let logs = LOG_NAMES.into_iter().zip(material.logs());
    logs.flat_map(|(name, log)| {
        let head = head(log);
        let percent = |jobs: u64| 100.0 * jobs as f64 / log.modes.jobs().max(1) as f64;
        let cell = |column: String| PublishedCell::new("5", name, column, name).unit("%");
        let printed = |minutes: i64| PRINTED.value("5", &minutes.to_string(), name);
        let mut times = popular_minutes();
        times.extend(head.iter().map(|mode| mode.time.0 / 60));
        times.sort_unstable();
        times.dedup();
        let mut cells = Vec::new();
        for minutes in times {
            let time = Seconds(minutes * 60);
            let paper = printed(minutes);
            let mine = head.iter().find(|mode| mode.time == time);
            if paper.is_none() && mine.is_none() {
                continue;
            }
            let ours = 100.0 * log.modes.share(time);
            let cell = cell(clock(time)).paper(paper).ours(ours).tolerance(PERCENT_TOLERANCE);
            cells.push(match (paper, mine) {
                (Some(_), None) => cell.note("not among our 20 most popular"),
                (None, Some(_)) => cell.note("not among the paper's 20 most popular"),
                _ => cell,
            });
        }
        let all = head.iter().map(|mode| mode.jobs).sum();
        let shared = head.iter().filter(|mode| joint.contains(&mode.time)).map(|mode| mode.jobs).sum();
        for (column, sum) in [("all", all), ("joint times", shared)] {
            let paper = PRINTED.value("5", column, name);
            let cell = cell(column.to_owned()).paper(paper).ours(percent(sum));
            cells.push(cell.tolerance(SUM_TOLERANCE));
        }
        cells.into_iter().map(explained::cell).collect::<Vec<_>>()
    })
    .collect()
}

/// A log's function from *ttr* to popularity rank: the longest estimate in effect, then the others, shortest first.
pub fn ranks(subject: &Subject) -> Vec<usize> {
    let mut head: Vec<(usize, Mode)> = (1..).zip(subject.modes.by_popularity()).take(HEAD).collect();
    let longest = subject.log.effective_longest(&subject.modes);
    head.sort_by_key(|(_, mode)| (mode.time != longest, mode.time));
    head.into_iter().map(|(rank, _)| rank).collect()
}

/// Table 6, log by log.
pub fn mapping(material: &Material) -> Vec<PublishedCell> {
    let mut cells = Vec::new();
    for (place, subject) in material.papers().iter().enumerate() {
        for ((ttr, rank), printed) in ranks(subject).into_iter().enumerate().zip(EstimateModel::TABLE_6) {
            let cell = PublishedCell::new("6", subject.name, format!("ttr {ttr}"), subject.name).unit("rank");
            let cell = cell.paper(printed[place] as f64).ours(rank as f64).tolerance(RANK_TOLERANCE);
            cells.push(explained::cell(cell));
        }
    }
    cells
}

/// Hours and minutes, as the table has them.
fn clock(time: Seconds) -> String {
    format!("{:02}:{:02}", time.0 / 3600, time.0 % 3600 / 60)
}

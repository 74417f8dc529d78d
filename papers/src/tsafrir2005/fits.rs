//! Table 4 and the coefficients of Figures 7, 9 and 10, fitted again.

use super::explained;
use super::fit::{CurveFit, exponential, fractional, power};
use super::printed::PRINTED;
use super::setup::{HEAD, LOG_NAMES};
use super::subject::Material;
use crate::PublishedCell;
use queuecast_core::units::Seconds;
use queuecast_synth::characterization::Modes;

/// Half of what the two closest values of Table 4 differ by.
const A_TOLERANCE: f64 = 0.035;

/// Of a coefficient: two or three digits are printed, and not over which points they were fitted.
const COEFFICIENT_TOLERANCE: f64 = 0.1;

/// All fits of the paper.
#[derive(Debug, Clone)]
pub struct Fits {
    /// Of each log: how many estimates, and how they are spread.
    pub spread: Vec<(usize, CurveFit<1>)>,
    /// The spread of estimates of the halves of each log.
    pub halves: Vec<[(usize, CurveFit<1>); 2]>,
    /// *K* by *N*, over all four logs.
    pub count: CurveFit<2>,
    /// *a* − 1 by *K*, over logs and halves.
    pub a: CurveFit<2>,
    /// Percent by popularity rank, ranks up to 20.
    pub head: CurveFit<3>,
    /// Percent by popularity rank, other ranks.
    pub tail: CurveFit<2>,
}

/// Ranks, and the percent of the jobs that have the estimate of each, most popular first.
pub fn popularities(modes: &Modes) -> Vec<(f64, f64)> {
    let percent = |jobs: u64| 100.0 * jobs as f64 / modes.jobs() as f64;
    (1..).zip(modes.by_popularity()).map(|(rank, mode)| (f64::from(rank), percent(mode.jobs))).collect()
}

/// Time ranks and times, both from 0 to 1, of the estimates up to a longest.
pub fn spread(modes: &Modes, longest: Seconds) -> Vec<(f64, f64)> {
    let upto = modes.by_time().partition_point(|mode| mode.time <= longest);
    let place = |rank: usize| (rank + 1) as f64 / upto as f64;
    let times = modes.by_time()[..upto].iter().enumerate();
    times.map(|(rank, mode)| (place(rank), mode.time.0 as f64 / longest.0 as f64)).collect()
}

/// Which ranks break the exponential curve of a log's head: the first of CTC, the first three of BLUE. The paper says
/// that some were left out, and these give its coefficients.
fn is_abnormal(log: &str, rank: f64) -> bool {
    (log == "CTC" && rank < 2.0) || (log == "BLUE" && rank < 4.0)
}

impl Fits {
    /// Fits them to the logs.
    pub fn of(material: &Material) -> Fits {
        let fitted = |modes: &Modes, longest| {
            let points = spread(modes, longest);
            (points.len(), fractional(&points))
        };
        let logs = material.logs();
        let whole: Vec<_> = logs.iter().map(|log| fitted(&log.modes, log.longest())).collect();
        let halves: Vec<_> =
            logs.iter().map(|log| log.halves.each_ref().map(|half| fitted(half, log.longest()))).collect();
        let by_count: Vec<(f64, f64)> = whole
            .iter()
            .chain(halves.iter().flatten())
            .map(|(values, fit)| (*values as f64, fit.coefficients[0] - 1.0))
            .collect();
        let growing: Vec<(f64, f64)> = logs.iter().flat_map(|log| log.growing.iter().copied()).collect();
        let (mut head, mut tail) = (Vec::new(), Vec::new());
        for (log, name) in logs.iter().zip(LOG_NAMES) {
            for (rank, percent) in popularities(&log.modes) {
                if rank > HEAD as f64 {
                    tail.push((rank, percent));
                } else if !is_abnormal(name, rank) {
                    head.push((rank, percent));
                }
            }
        }
        Fits {
            spread: whole,
            halves,
            count: power(&growing, [0.0, 2.0]),
            a: power(&by_count, [-4.0, 0.0]),
            head: exponential(&head),
            tail: power(&tail, [-6.0, 0.0]),
        }
    }

    /// Table 4.
    pub fn table_4(&self) -> Vec<PublishedCell> {
        let logs = LOG_NAMES.into_iter().zip(&self.spread);
        logs.map(|(name, (_, fit))| {
            let paper = PRINTED.value("4", name, "a");
            let cell = PublishedCell::new("4", name, "a", name).paper(paper).ours(fit.coefficients[0]);
            explained::cell(cell.tolerance(A_TOLERANCE))
        })
        .collect()
    }

    /// The coefficients of the figures.
    pub fn coefficients(&self) -> Vec<PublishedCell> {
        let mut cells = Vec::new();
        cells.extend(row("Figure 7: K by N", ["factor", "exponent"], &self.count));
        cells.extend(row("Figure 9: a - 1 by K", ["factor", "exponent"], &self.a));
        let names = ["factor", "decay", "addend"];
        cells.extend(row("Figure 10: head by rank", names, &self.head));
        cells.extend(row("Figure 10: tail by rank", ["factor", "exponent"], &self.tail));
        cells.into_iter().map(explained::cell).collect()
    }
}

fn row<const N: usize>(name: &str, columns: [&str; N], fit: &CurveFit<N>) -> Vec<PublishedCell> {
    let cell = |column: &str| PublishedCell::new("fits", name, column, PublishedCell::AVERAGE);
    let judged = columns.into_iter().zip(fit.coefficients).map(|(column, ours)| {
        let paper = PRINTED.value("figures", name, column);
        let tolerance = paper.map(|paper| paper.abs() * COEFFICIENT_TOLERANCE);
        cell(column).paper(paper).ours(ours).tolerance(tolerance)
    });
    judged.chain([cell("R squared").ours(fit.r_squared)]).collect()
}

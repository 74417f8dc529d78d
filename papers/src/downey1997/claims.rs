//! What the text concludes, in the order of its sections.

use super::Part;
use super::explained::{CAUTION, LINE, text};
use super::results::{SeedResults, SettingResults, mean};
use super::setting::{AVERSE, AVG, BIAS, ENACTED, HEUR, LOCK_IN, OPT, PRED, RECORDED};
use crate::Claim;
use queuecast_study::molding::{Drawn, Enacted, Recorded};

/// Every claim, judged by means over seeds.
pub fn judged(results: &SettingResults<'_>) -> Vec<Claim> {
    results.of_part(Part::Paper).flat_map(|found| Means(found).claims()).collect()
}

/// The means of one setting.
struct Means<'a>(&'a SeedResults<'a>);

impl Means<'_> {
    fn enacted(&self, row: &str, value: impl Fn(&Enacted) -> f64) -> f64 {
        let place = ENACTED.iter().position(|name| *name == row).unwrap_or_default();
        mean(&self.0.outcomes.enacted(place, value))
    }

    fn recorded(&self, row: &str, value: impl Fn(&Recorded) -> f64) -> f64 {
        let place = RECORDED.iter().position(|name| *name == row).unwrap_or_default();
        mean(&self.0.outcomes.recorded(place, value))
    }

    /// Turnaround against AVG, in percent.
    fn turnaround(&self, row: &str) -> f64 {
        let place = ENACTED.iter().position(|name| *name == row).unwrap_or_default();
        mean(&self.0.outcomes.change(place, |one| one.turnaround))
    }

    fn utilization(&self, row: &str) -> f64 {
        let place = ENACTED.iter().position(|name| *name == row).unwrap_or_default();
        mean(&self.0.outcomes.change(place, |one| one.utilization))
    }

    fn claims(&self) -> Vec<Claim> {
        let mut claims = self.for_one_job();
        claims.extend(self.of_predictions());
        claims.extend(self.for_all());
        claims.extend(self.0.outcomes.0.iter().find(|one| !one.jobs.is_empty()).map(|one| shapes(&one.jobs)));
        claims
    }

    /// Section 5.
    fn for_one_job(&self) -> Vec<Claim> {
        let [opt, pred, bias, heur] =
            [OPT, PRED, BIAS, HEUR].map(|row| self.recorded(row, |one| one.saved / 60.0));
        let rebels = [PRED, BIAS, OPT, HEUR].map(|row| self.recorded(row, |one| 100.0 * one.rebels));
        let [most, losers] = [HEUR, BIAS].map(|row| self.recorded(row, |one| 100.0 * one.losers));
        let lifetimes = self.recorded(OPT, |one| one.lifetimes);
        vec![
            Claim::new(
                "a job saves most if it knows (OPT), then by BIAS, then by PRED, and by HEUR no more than that",
                opt > bias && bias > pred && pred >= heur,
                format!("{opt:.1}, {bias:.1}, {pred:.1}, {heur:.1} min per job"),
            ),
            Claim::new(
                "PRED saves within 7 % of the best, BIAS within 2 %",
                pred >= 0.93 * opt && bias >= 0.98 * opt,
                format!("{:.1} % and {:.1} % less", 100.0 * (1.0 - pred / opt), 100.0 * (1.0 - bias / opt)),
            ),
            Claim::new(
                "PRED is the most conservative, then BIAS, then OPT; HEUR is much more aggressive",
                rebels.is_sorted_by(|a, b| a < b) && rebels[3] > 2.0 * rebels[2],
                format!("rebels: {:.1}, {:.1}, {:.1}, {:.1} %", rebels[0], rebels[1], rebels[2], rebels[3]),
            ),
            Claim::new(
                "most rebels lose by HEUR, few by predictions",
                most > 50.0 && losers < 25.0,
                format!("{most:.0} % and {losers:.0} %"),
            ),
            Claim::new(
                "rebels by OPT are much longer jobs than docile ones",
                lifetimes > 4.0,
                format!("their lifetimes are {lifetimes:.1} times as long"),
            ),
        ]
    }

    /// Section 5.4.
    fn of_predictions(&self) -> Vec<Claim> {
        let line = |row: &str| {
            let of = |value: fn(&queuecast_forecast::allot::Trend) -> f64| {
                self.enacted(row, |one| one.used.as_ref().map_or(f64::NAN, value))
            };
            (of(|line| line.slope), of(|line| line.correlation))
        };
        let ((raw, before), (slope, after)) = (line(PRED), line(BIAS));
        let [short, long] = [0, 1].map(|place| self.enacted(PRED, |one| one.excess[place].exp()));
        vec![
            Claim::new(
                "correcting bias brings the slope to 1, and, surprisingly, predictions correlate better with outcomes",
                (slope - 1.0).abs() < 0.05 && raw < 0.9 && after > before,
                format!("slope {raw:.2} to {slope:.2}, correlation {before:.2} to {after:.2}"),
            ),
            Claim::new(
                "predictions under ten minutes are not biased, longer ones are too long",
                (0.5..2.0).contains(&short) && long > 1.5 * short,
                format!("{short:.1} and {long:.1} times too long, geometric means"),
            )
            .explained(text(LINE)),
        ]
    }

    /// Section 6.
    fn for_all(&self) -> Vec<Claim> {
        let [opt, pred, bias, heur, lock_in, averse] =
            [OPT, PRED, BIAS, HEUR, LOCK_IN, AVERSE].map(|row| self.turnaround(row));
        let used = [OPT, PRED, BIAS, HEUR].map(|row| self.utilization(row));
        vec![
            Claim::new(
                "the turnaround of OPT and of BIAS is longer than that of AVG, that of HEUR by far the longest",
                opt > 0.0 && bias > 0.0 && heur > 1.5 * opt.max(bias),
                format!("OPT {opt:+.1} %, BIAS {bias:+.1} %, HEUR {heur:+.1} %"),
            ),
            Claim::new(
                "that of PRED is shorter than that of BIAS and of OPT",
                pred < bias.min(opt),
                format!("{pred:+.1} %"),
            ),
            Claim::new("that of PRED is shorter than that of AVG", pred < 0.0, format!("{pred:+.1} %"))
                .explained(text(CAUTION)),
            Claim::new(
                "that of BIAS is shorter than that of OPT",
                bias < opt,
                format!("{bias:+.1} %, {opt:+.1} %"),
            )
            .explained(text(CAUTION)),
            Claim::new(
                "lock-in shortens that of BIAS, and risk aversion shortens it further",
                lock_in < bias && averse < lock_in,
                format!("{bias:+.1} %, {lock_in:+.1} %, {averse:+.1} %"),
            ),
            Claim::new("with both it is about that of AVG", averse.abs() < 2.0, format!("{averse:+.1} %"))
                .explained(text(CAUTION)),
            Claim::new(
                "OPT and the strategies that predict make better use of the machine than AVG",
                used[..3].iter().all(|&used| used > 0.0),
                format!("OPT {:+.1} %, PRED {:+.1} %, BIAS {:+.1} %", used[0], used[1], used[2]),
            )
            .explained(text(CAUTION)),
            Claim::new("HEUR makes worse use of it", used[3] < 0.0, format!("{:+.1} %", used[3])),
        ]
    }
}

/// Section 2.2.1: allocated times under AVG against lifetimes.
fn shapes(jobs: &[Drawn]) -> Claim {
    let sorted = |of: fn(&Drawn) -> f64| {
        let mut logs: Vec<f64> = jobs.iter().map(of).map(f64::ln).collect();
        logs.sort_by(f64::total_cmp);
        logs
    };
    let lifetimes = sorted(|job| job.lifetime.0.max(1) as f64);
    let allocated = sorted(Drawn::allocated);
    let (mut line, middle) = (queuecast_forecast::allot::Bias::default(), jobs.len() / 2);
    for (lifetime, allocated) in lifetimes.iter().zip(&allocated) {
        line.observe(lifetime.exp(), allocated.exp());
    }
    let straight = line.trend().map_or(0.0, |line| line.correlation);
    let higher = (allocated[middle] - lifetimes[middle]).exp();
    Claim::new(
        format!("allocated times ({AVG}) have the shape of lifetimes, and are longer"),
        straight > 0.99 && higher > 1.0,
        format!("their quantiles correlate by {straight:.3}; the medians differ by a factor of {higher:.2}"),
    )
}

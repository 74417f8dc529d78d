//! What the paper concludes from Figure 16, measured, and what is asked of estimates that stay put.

use super::claims::by_log;
use super::model::Model;
use super::performance::{Measure, Results};
use super::subject::Material;
use super::{LOG_NAMES, explained};
use crate::eval::Claim;

/// Of the logs, in how many a paper's "usually" must be so.
const USUALLY: usize = 3;

/// How close "comparable" is: of the original's value.
const COMPARABLE: f64 = 0.2;

struct Judge<'a> {
    results: &'a Results,
    logs: usize,
}

/// Everything that is concluded from Figure 16.
pub fn judged(material: &Material, results: &Results) -> Vec<Claim> {
    let judge = Judge { results, logs: material.papers().len() };
    let mut claims = Vec::new();
    claims.extend((0..judge.logs).map(|log| judge.beats(log, Model::Vanilla, Model::Original)));
    claims.extend((0..judge.logs).map(|log| judge.beats(log, Model::Improved, Model::Shuffled)));
    claims.extend([
        judge.sittings(),
        judge.always(
            "Real estimates perform worse than the same estimates shuffled",
            Model::Original,
            Model::Shuffled,
        ),
        judge.always("impr performs better than vanl", Model::Vanilla, Model::Improved),
        judge.closer(
            "impr is closer to shfl than vanl is",
            [Model::Improved, Model::Vanilla],
            Model::Shuffled,
            judge.logs,
        ),
        judge.closer(
            "vanl is closer to the original than impr is",
            [Model::Vanilla, Model::Improved],
            Model::Original,
            USUALLY,
        ),
        judge.closest_is_exact(),
        judge.exact_is_comparable(),
    ]);
    claims.into_iter().map(explained::claim).collect()
}

impl Judge<'_> {
    fn each(&self, of: impl Fn(usize) -> String) -> String {
        by_log((0..self.logs).map(of))
    }

    fn mean(&self, log: usize, model: Model, measure: Measure) -> f64 {
        self.results.mean(log, model, measure)
    }

    /// Whether a model's slowdown is closer to a reference than those of all rivals are.
    fn beats(&self, log: usize, model: Model, reference: Model) -> Claim {
        let apart = |model| self.results.apart(log, [model, reference], Measure::Slowdown);
        let ours = apart(model);
        let mut rivals: Vec<(f64, String)> =
            Model::RIVALS.into_iter().map(|rival| (apart(rival), rival.name())).collect();
        rivals.sort_by(|one, next| one.0.total_cmp(&next.0));
        let closest: Vec<String> =
            rivals.iter().take(3).map(|(apart, name)| format!("{name} {apart:.2}")).collect();
        let name = LOG_NAMES.get(log).copied().unwrap_or_default();
        Claim::new(
            format!(
                "{name}: the slowdown of {} is closer to that of {} than feit's and every f's above 0",
                model.name(),
                reference.name()
            ),
            rivals.iter().all(|(apart, _)| ours < *apart),
            format!(
                "apart by {ours:.2} of {:.2}; the closest rivals: {}",
                self.mean(log, reference, Measure::Slowdown),
                closest.join(", ")
            ),
        )
    }

    /// Closer to the original than shuffling, in both measures, usually.
    fn sittings(&self) -> Claim {
        let apart = |log, model, measure| self.results.apart(log, [model, Model::Original], measure);
        let better = |log: &usize| {
            let closer =
                |measure| apart(*log, Model::Sittings, measure) < apart(*log, Model::Shuffled, measure);
            Measure::ALL.into_iter().all(closer)
        };
        let count = (0..self.logs).filter(better).count();
        let shown = self.each(|log| {
            let of = |model| {
                let [wait, slowdown] = Measure::ALL.map(|measure| apart(log, model, measure));
                format!("{wait:.1} min and {slowdown:.2}")
            };
            format!("{} against {}", of(Model::Sittings), of(Model::Shuffled))
        });
        Claim::new(
            "Estimates that stay put within sittings are closer to the original than shuffled ones in wait and \
             slowdown, on at least three logs of four",
            count >= USUALLY,
            format!("on {count}; apart from the original: {shown}"),
        )
    }

    /// Whether one is above the other in both measures on all logs.
    fn always(&self, claim: &str, above: Model, below: Model) -> Claim {
        let holds = |log| {
            let is = |measure| self.mean(log, above, measure) > self.mean(log, below, measure);
            Measure::ALL.into_iter().all(is)
        };
        let shown = self.each(|log| {
            let of = |model| {
                let [wait, slowdown] = Measure::ALL.map(|measure| self.mean(log, model, measure));
                format!("{wait:.1} min and {slowdown:.2}")
            };
            format!("{} against {}", of(above), of(below))
        });
        Claim::new(claim, self.logs > 0 && (0..self.logs).all(holds), shown)
    }

    /// Whether the first of two is closer to a reference, in slowdown, on so many logs.
    fn closer(&self, claim: &str, models: [Model; 2], reference: Model, logs: usize) -> Claim {
        let apart = |log| models.map(|model| self.results.apart(log, [model, reference], Measure::Slowdown));
        let count = (0..self.logs).filter(|&log| apart(log)[0] < apart(log)[1]).count();
        let shown = self.each(|log| format!("{:.2} against {:.2}", apart(log)[0], apart(log)[1]));
        Claim::new(claim, count >= logs && count > 0, format!("slowdowns apart: {shown}"))
    }

    /// f0 is closer to the original than every other f and feit, usually.
    fn closest_is_exact(&self) -> Claim {
        let apart = |log, model| self.results.apart(log, [model, Model::Original], Measure::Slowdown);
        let closest = |log: &usize| {
            Model::RIVALS.into_iter().all(|rival| apart(*log, Model::Factor(0)) < apart(*log, rival))
        };
        let count = (0..self.logs).filter(closest).count();
        let shown = self.each(|log| {
            let rivals = Model::RIVALS.into_iter().map(|rival| apart(log, rival));
            format!("{:.2} against {:.2}", apart(log, Model::Factor(0)), rivals.fold(f64::INFINITY, f64::min))
        });
        Claim::new(
            "f0 is usually closer to the original than every f above 0 and feit",
            count >= USUALLY,
            format!("on {count}; slowdowns apart, and the closest of the others: {shown}"),
        )
    }

    fn exact_is_comparable(&self) -> Claim {
        let apart = |log| self.results.apart(log, [Model::Factor(0), Model::Vanilla], Measure::Slowdown);
        let original = |log| self.mean(log, Model::Original, Measure::Slowdown);
        let count = (0..self.logs).filter(|&log| apart(log) <= COMPARABLE * original(log)).count();
        Claim::new(
            "f0 is usually comparable to vanl: within 20 % of the original's slowdown",
            count >= USUALLY,
            format!(
                "on {count}: {}",
                self.each(|log| format!("apart by {:.1} %", 100.0 * apart(log) / original(log)))
            ),
        )
    }
}

//! What the paper concludes from Figure 16, measured, and what is asked of estimates that stay put.

use super::claims::by_log;
use super::explained;
use super::model::Model;
use super::performance::{ModelResults, PerformanceMeasure};
use super::setup::LOG_NAMES;
use super::subject::Material;
use crate::Claim;

/// Of the logs, in how many a paper's "usually" must be so.
const USUALLY: usize = 3;

/// How close "comparable" is: of the original's value.
const COMPARABLE: f64 = 0.2;

struct Judge<'a> {
    results: &'a ModelResults,
    logs: usize,
}

/// Everything that is concluded from Figure 16.
pub fn judged(material: &Material, results: &ModelResults) -> Vec<Claim> {
    let judge = Judge { results, logs: material.papers().len() };
    let mut claims = Vec::new();
    claims.extend((0..judge.logs).map(|log| judge.beats(log, Model::Vanilla, Model::Original)));
    claims.extend((0..judge.logs).map(|log| judge.beats(log, Model::Improved, Model::Shuffled)));
    claims.extend([
        judge.sessions(),
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
            true,
        ),
        judge.closer(
            "vanl is closer to the original than impr is",
            [Model::Vanilla, Model::Improved],
            Model::Original,
            false,
        ),
        judge.closest_is_exact(),
        judge.exact_is_comparable(),
    ]);
    claims
}

impl Judge<'_> {
    fn each(&self, of: impl Fn(usize) -> String) -> String {
        by_log((0..self.logs).map(of))
    }

    fn mean(&self, log: usize, model: Model, measure: PerformanceMeasure) -> f64 {
        self.results.mean(log, model, measure)
    }

    /// Wait and slowdown.
    fn both(&self, of: impl Fn(PerformanceMeasure) -> f64) -> String {
        let [wait, slowdown] = PerformanceMeasure::ALL.map(of);
        format!("{wait:.1} min and {slowdown:.2}")
    }

    /// Whether one is above another, and if it is not, whether that may be chance.
    fn above(
        &self,
        log: usize,
        measure: PerformanceMeasure,
        above: Model,
        below: Model,
    ) -> ComparisonVerdict {
        let errors = [above, below].map(|model| self.results.error(log, model, measure));
        let gap = self.mean(log, above, measure) - self.mean(log, below, measure);
        ComparisonVerdict::of(gap, errors[0].hypot(errors[1]))
    }

    /// Whether one is closer to a reference than another is, and if it is not, whether that may be chance.
    fn nearer(
        &self,
        log: usize,
        measure: PerformanceMeasure,
        near: Model,
        far: Model,
        reference: Model,
    ) -> ComparisonVerdict {
        let apart = |model| self.results.apart(log, [model, reference], measure);
        let [one, other, twice] = [near, far, reference].map(|model| self.results.error(log, model, measure));
        // On either side of the reference, an error of that counts twice.
        ComparisonVerdict::of(apart(far) - apart(near), one.hypot(other).hypot(2.0 * twice))
    }

    /// Whether a model's slowdown is closer to a reference than those of all rivals are.
    fn beats(&self, log: usize, model: Model, reference: Model) -> Claim {
        let apart = |model| self.results.apart(log, [model, reference], PerformanceMeasure::Slowdown);
        let ours = apart(model);
        let mut rivals: Vec<(f64, Model)> = Model::RIVALS.map(|rival| (apart(rival), rival)).to_vec();
        rivals.sort_by(|one, next| one.0.total_cmp(&next.0));
        let closest: Vec<String> =
            rivals.iter().take(3).map(|(apart, rival)| format!("{} {apart:.2}", rival.name())).collect();
        let verdicts = rivals
            .iter()
            .map(|&(_, rival)| self.nearer(log, PerformanceMeasure::Slowdown, model, rival, reference));
        let name = LOG_NAMES.get(log).copied().unwrap_or_default();
        let claim = format!(
            "{name}: the slowdown of {} is closer to that of {} than feit's and every f's above 0",
            model.name(),
            reference.name()
        );
        let measured = format!(
            "apart by {ours:.2} of {:.2}; the closest rivals: {}; told all 20 modes, the model is apart by {:.2}",
            self.mean(log, reference, PerformanceMeasure::Slowdown),
            closest.join(", "),
            apart(Model::Told)
        );
        ComparisonVerdict::all(verdicts).claim(claim, measured)
    }

    /// Closer to the original than shuffling, in both measures, usually.
    fn sessions(&self) -> Claim {
        let (near, far) = (Model::Sessions, Model::Shuffled);
        let verdicts: Vec<ComparisonVerdict> = (0..self.logs)
            .map(|log| {
                let one = |measure| self.nearer(log, measure, near, far, Model::Original);
                ComparisonVerdict::all(PerformanceMeasure::ALL.into_iter().map(one))
            })
            .collect();
        let apart =
            |log, model| self.both(|measure| self.results.apart(log, [model, Model::Original], measure));
        let shown = self.each(|log| format!("{} against {}", apart(log, near), apart(log, far)));
        let count = verdicts.iter().filter(|verdict| **verdict == ComparisonVerdict::So).count();
        ComparisonVerdict::usually(&verdicts).claim(
            "Estimates that stay put within sessions are closer to the original than shuffled ones in wait and \
             slowdown, on at least three logs of four",
            format!("on {count}; apart from the original: {shown}"),
        )
    }

    /// Whether one is above the other in both measures on all logs.
    fn always(&self, claim: &str, above: Model, below: Model) -> Claim {
        let places = (0..self.logs).flat_map(|log| PerformanceMeasure::ALL.map(|measure| (log, measure)));
        let verdict =
            ComparisonVerdict::all(places.map(|(log, measure)| self.above(log, measure, above, below)));
        let of = |log, model| self.both(|measure| self.mean(log, model, measure));
        verdict.claim(claim, self.each(|log| format!("{} against {}", of(log, above), of(log, below))))
    }

    /// Whether the first of two is closer to a reference, in slowdown, on all logs, or usually.
    fn closer(&self, claim: &str, models: [Model; 2], reference: Model, always: bool) -> Claim {
        let [near, far] = models;
        let nearer = |log| self.nearer(log, PerformanceMeasure::Slowdown, near, far, reference);
        let verdicts: Vec<ComparisonVerdict> = (0..self.logs).map(nearer).collect();
        let apart = |log, model| self.results.apart(log, [model, reference], PerformanceMeasure::Slowdown);
        let shown = self.each(|log| format!("{:.2} against {:.2}", apart(log, near), apart(log, far)));
        let verdict = if always {
            ComparisonVerdict::all(verdicts.into_iter())
        } else {
            ComparisonVerdict::usually(&verdicts)
        };
        verdict.claim(claim, format!("slowdowns apart: {shown}"))
    }

    /// f0 is closer to the original than every other f and feit, usually.
    fn closest_is_exact(&self) -> Claim {
        let exact = Model::Factor(0);
        let verdicts: Vec<ComparisonVerdict> = (0..self.logs)
            .map(|log| {
                let rival =
                    |rival| self.nearer(log, PerformanceMeasure::Slowdown, exact, rival, Model::Original);
                ComparisonVerdict::all(Model::RIVALS.into_iter().map(rival))
            })
            .collect();
        let apart =
            |log, model| self.results.apart(log, [model, Model::Original], PerformanceMeasure::Slowdown);
        let shown = self.each(|log| {
            let rivals = Model::RIVALS.into_iter().map(|rival| apart(log, rival));
            format!("{:.2} against {:.2}", apart(log, exact), rivals.fold(f64::INFINITY, f64::min))
        });
        ComparisonVerdict::usually(&verdicts).claim(
            "f0 is usually closer to the original than every f above 0 and feit",
            format!("slowdowns apart, and the closest of the others: {shown}"),
        )
    }

    fn exact_is_comparable(&self) -> Claim {
        let apart =
            |log| self.results.apart(log, [Model::Factor(0), Model::Vanilla], PerformanceMeasure::Slowdown);
        let original = |log| self.mean(log, Model::Original, PerformanceMeasure::Slowdown);
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

/// Whether something is so.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum ComparisonVerdict {
    /// It is not.
    NotSo,
    /// It is not, by less than [`ERRORS`] standard errors.
    Chance,
    /// It is.
    So,
}

/// Differences of fewer standard errors than this say nothing.
const ERRORS: f64 = 3.0;

impl ComparisonVerdict {
    /// Of a difference that is to be above zero, with its standard error.
    fn of(difference: f64, error: f64) -> ComparisonVerdict {
        match difference {
            difference if difference > 0.0 => ComparisonVerdict::So,
            difference if difference >= -ERRORS * error => ComparisonVerdict::Chance,
            _ => ComparisonVerdict::NotSo,
        }
    }

    /// Everything must be so; without anything, nothing is.
    fn all(verdicts: impl Iterator<Item = ComparisonVerdict>) -> ComparisonVerdict {
        verdicts.min().unwrap_or(ComparisonVerdict::NotSo)
    }

    /// [`USUALLY`] logs are enough.
    fn usually(verdicts: &[ComparisonVerdict]) -> ComparisonVerdict {
        let mut best = verdicts.to_vec();
        best.sort_by(|one, next| next.cmp(one));
        best.get(USUALLY - 1).copied().unwrap_or(ComparisonVerdict::NotSo)
    }

    fn claim(self, claim: impl Into<String>, measured: String) -> Claim {
        let claim = Claim::new(claim, self == ComparisonVerdict::So, measured);
        if self == ComparisonVerdict::Chance { claim.explained(explained::chance()) } else { claim }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_so_by_little_may_be_chance() {
        let verdicts = [(1.0, 0.0), (-1.0, 0.4), (-1.0, 0.3), (f64::NAN, 1.0)];
        let verdicts = verdicts.map(|(difference, error)| ComparisonVerdict::of(difference, error));
        assert_eq!(
            verdicts,
            [
                ComparisonVerdict::So,
                ComparisonVerdict::Chance,
                ComparisonVerdict::NotSo,
                ComparisonVerdict::NotSo
            ]
        );
        assert_eq!(ComparisonVerdict::all(verdicts[..2].iter().copied()), ComparisonVerdict::Chance);
        assert_eq!(ComparisonVerdict::all(std::iter::empty()), ComparisonVerdict::NotSo);
        let [so, chance, not, _] = verdicts;
        assert_eq!(ComparisonVerdict::usually(&[so, not, so, so]), ComparisonVerdict::So);
        assert_eq!(ComparisonVerdict::usually(&[so, not, chance, so]), ComparisonVerdict::Chance);
        assert_eq!(ComparisonVerdict::usually(&[so, not, not, so]), ComparisonVerdict::NotSo);
        let claim = chance.claim("c", "m".into());
        assert!(!claim.holds && claim.explained.is_some());
        assert!(not.claim("c", "m".into()).explained.is_none());
    }
}

//! What is known to differ, and which experiment explains it. An explanation is a change of one thing after which the number comes within
//! tolerance, or a proof that the paper's own numbers exclude each other; everything else stays out. The experiments are told in
//! `experiments/kumar2014/README.md`.

use super::setup::OVERALL;
use crate::printed::Explanations;
use crate::{Claim, PublishedCell};

/// The texts beside the page.
const TEXTS: Explanations = Explanations(include_str!("../../../experiments/kumar2014/explained.md"));

const CONTRADICTION: &str = "contradiction";
const QBETS_LONG: &str = "qbets-long";
const WINDOW: &str = "window";

/// The logs on which Tables 4(a) and 4(b) cannot both be about actual waits, for QBETS.
const CONTRADICTED: [&str; 2] = ["CTC", "SDSC SP2"];

/// The cell with why it is out of tolerance, if an experiment tells. `larger` has the same numbers with jobs 10,001 to 60,000.
pub fn cell(cell: PublishedCell, larger: &[PublishedCell]) -> PublishedCell {
    if !cell.is_out() {
        return cell;
    }
    if cell.table == "4"
        && cell.row == "QBETS"
        && cell.column == OVERALL
        && CONTRADICTED.contains(&&*cell.log)
    {
        return cell.explained(TEXTS.text(CONTRADICTION));
    }
    let key = |one: &PublishedCell| (one.row.clone(), one.column.clone(), one.log.clone());
    let changed = larger.iter().find(|other| key(other) == key(&cell) && other.within == Some(true));
    match changed.and_then(|changed| changed.ours) {
        Some(ours) => cell.explained(format!("{ours:.1} {}", TEXTS.text(WINDOW))),
        None => cell,
    }
}

/// The claim with why it does not hold, if it does not and an experiment tells.
pub fn claim(claim: Claim) -> Claim {
    let is_long = claim.claim.contains("better than QBETS") && claim.claim.contains("non-quick");
    if claim.holds || !is_long { claim } else { claim.explained(TEXTS.text(QBETS_LONG)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_explanation_is_written() {
        for name in [CONTRADICTION, QBETS_LONG, WINDOW] {
            assert!(TEXTS.text(name).contains("(experiments/kumar2014/README.md"), "{name}");
        }
    }

    #[test]
    fn only_what_one_change_brings_within_tolerance_is_explained() {
        let of = |row: &str, log: &str, ours: f64| {
            PublishedCell::new("4", row, OVERALL, log).paper(47.0).ours(ours).tolerance(3.0)
        };
        let larger = |ours: f64| vec![of("IBL", "CTC", ours)];
        let why = |ours: f64, larger: &[PublishedCell]| cell(of("IBL", "CTC", ours), larger).explained;
        assert!(why(57.0, &larger(49.9)).is_some_and(|text| text.starts_with("49.9 ")));
        assert!(why(57.0, &larger(50.1)).is_none(), "still out");
        assert!(why(48.0, &larger(47.0)).is_none(), "within");
        assert!(why(57.0, &[of("IBL", "LANL", 47.0)]).is_none(), "another log");
        // The paper's own numbers exclude each other on two logs.
        assert!(cell(of("QBETS", "CTC", 60.0), &[]).explained.is_some());
        assert!(cell(of("QBETS", "HPC2N", 60.0), &[]).explained.is_none());
        let failed = |text: &str| claim(Claim::new(text, false, "")).explained;
        assert!(failed("IBL is better than QBETS on every log, single-class overall").is_none());
        assert!(
            failed("IBL is better than QBETS on every log, single-class among non-quick starters").is_some()
        );
        assert!(failed("Up to 16 points above IBL and never below it, single-class overall").is_none());
    }
}

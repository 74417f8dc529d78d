//! What is known to differ, and which experiment explains it. The experiments are told in
//! `experiments/tsafrir2005/README.md`.

use crate::printed::Explanations;
use crate::{Claim, PublishedCell};

/// The texts beside the page.
const TEXTS: Explanations = Explanations(include_str!("../../../experiments/tsafrir2005/explained.md"));

const PARTITION: &str = "partition";
const AGAINST_TABLE_5: &str = "against-table-5";
const ALL_RECORDS: &str = "all-records";
const SHORT_MODES: &str = "short-modes";
const R_SQUARED: &str = "r-squared";
const CHANCE: &str = "chance";
const OWNERS: &str = "owners";

/// Why a comparison of simulations that does not come out says nothing.
pub fn chance() -> String {
    TEXTS.text(CHANCE)
}

/// The cell with why it is out of tolerance, if it is and an experiment tells.
pub fn cell(cell: PublishedCell) -> PublishedCell {
    if !cell.is_out() {
        return cell;
    }
    let experiment = match (&*cell.table, &*cell.row, &*cell.column) {
        ("1", "CTC", "CPUs") => PARTITION,
        ("2", "SDSC-106" | "SDSC", _) => AGAINST_TABLE_5,
        ("2", "BLUE", "100 % of the jobs") => ALL_RECORDS,
        _ => return cell,
    };
    cell.explained(TEXTS.text(experiment))
}

/// The claim with why it does not hold, if it does not and an experiment tells.
pub fn claim(claim: Claim) -> Claim {
    if claim.holds {
        return claim;
    }
    let experiment = match &*claim.claim {
        text if text.starts_with("The improved model is close to all four") => SHORT_MODES,
        text if text.contains("which the improved setting repairs") => SHORT_MODES,
        text if text.starts_with("About 40 % of the estimates are owned") => OWNERS,
        text if text.starts_with("The exponential head") => R_SQUARED,
        _ => return claim,
    };
    claim.explained(TEXTS.text(experiment))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_explanation_is_written() {
        for name in [PARTITION, AGAINST_TABLE_5, ALL_RECORDS, SHORT_MODES, R_SQUARED, CHANCE, OWNERS] {
            assert!(TEXTS.text(name).contains("(experiments/tsafrir2005/README.md"), "{name}");
        }
    }
}

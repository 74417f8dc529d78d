//! What is known to differ, and which experiment explains it. The experiments are told in
//! `experiments/kumar2014/README.md`.

use super::setup::OVERALL;
use crate::printed::Explanations;
use crate::{Claim, PublishedCell};

/// The texts beside the page.
const TEXTS: Explanations = Explanations(include_str!("../../../experiments/kumar2014/explained.md"));

const BETTER: &str = "better";
const CONTRADICTION: &str = "contradiction";
const EXPECTED: &str = "expected";
const GAIN: &str = "gain";
const GROUPING: &str = "grouping";
const IBL: &str = "ibl";
const LANL: &str = "lanl";
const LANL_EXPECTED: &str = "lanl-expected";
const LONG: &str = "long";
const NEIGHBOURS: &str = "neighbours";
const QBETS_LONG: &str = "qbets-long";

/// The cell with why it is out of tolerance, if an experiment tells. What no experiment tells stays out.
pub fn cell(cell: PublishedCell) -> PublishedCell {
    if !cell.is_out() {
        return cell;
    }
    let above = cell.difference.is_some_and(|difference| difference > 0.0);
    let averages = cell.row.starts_with("Avg_wt");
    let experiment = match (&*cell.table, &*cell.row, &*cell.log) {
        ("4a-expected", "Avg_wt" | "IBL", "LANL") if above => LANL_EXPECTED,
        ("4a-expected", "Avg_wt" | "IBL", _) if above => EXPECTED,
        ("4", "QBETS", "CTC") if cell.column == OVERALL => CONTRADICTION,
        ("4", "QBETS", "SDSC Blue") if cell.column == OVERALL => GROUPING,
        ("4", "QBETS", "LANL") if cell.column != OVERALL => LONG,
        ("4", "IBL", _) if above => IBL,
        ("4", _, "LANL") if averages && above && cell.column == OVERALL => LANL,
        ("4", _, _) if averages && above && cell.column == OVERALL => BETTER,
        ("4", _, _) if averages && cell.column == OVERALL => NEIGHBOURS,
        ("4", _, log) if averages && log != "LANL" => LONG,
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
        text if text.contains("better than QBETS") && text.contains("non-quick") => QBETS_LONG,
        text if text.contains("above IBL") && text.ends_with("overall") => GAIN,
        text if text.starts_with("77 to 87 %") => LANL,
        _ => return claim,
    };
    claim.explained(TEXTS.text(experiment))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_explanation_is_written() {
        for name in [
            BETTER,
            CONTRADICTION,
            EXPECTED,
            GAIN,
            GROUPING,
            IBL,
            LANL,
            LANL_EXPECTED,
            LONG,
            NEIGHBOURS,
            QBETS_LONG,
        ] {
            assert!(TEXTS.text(name).contains("(experiments/kumar2014/README.md"), "{name}");
        }
    }

    #[test]
    fn what_is_within_or_has_no_experiment_is_not_explained() {
        let cell_of = |ours: f64| {
            cell(PublishedCell::new("4", "IBL", OVERALL, "CTC").paper(47.0).ours(ours).tolerance(3.0))
                .explained
        };
        assert!(cell_of(48.0).is_none() && cell_of(57.0).is_some());
        let table_3 = PublishedCell::new("3", "Avg_wt", "Prediction Error", "CTC").paper(52.0).ours(105.0);
        assert!(cell(table_3.tolerance(3.0)).explained.is_none());
        let failed = Claim::new("IBL is better than QBETS on every log, single-class overall", false, "");
        assert!(claim(failed).explained.is_none());
    }
}

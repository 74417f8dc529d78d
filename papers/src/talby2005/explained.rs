//! What is known to differ, and which experiment explains it. The experiments are told in
//! `experiments/talby2005/README.md`.

use crate::printed::Explanations;
use crate::{Claim, PublishedCell};

/// The texts beside the page.
const TEXTS: Explanations = Explanations(include_str!("../../../experiments/talby2005/explained.md"));

const CANCELLED: &str = "cancelled";
const CAP: &str = "cap";
const CAPPED_TABLE: &str = "capped-table";
const SHAKING: &str = "shaking";
const THRESHOLD: &str = "threshold";
const TIES: &str = "ties";
const SESSIONS: &str = "sessions";
const PROXIMITY: &str = "proximity";

/// Why a cell is out of tolerance, if an experiment tells.
pub fn cell(cell: &PublishedCell) -> Option<String> {
    let experiment = match (&*cell.table, &*cell.row, &*cell.column) {
        ("2" | "2-capped", _, "Absolute Inaccuracy") => CAP,
        ("6", "Constant 1 Second", "Relative Accuracy") => CANCELLED,
        ("4", _, "Absolute Inaccuracy") => CAPPED_TABLE,
        ("5", _, "Wait Time" | "Bounded Slowdown") if is_within_shaking(cell) => SHAKING,
        ("5", _, "Absolute Inaccuracy") => THRESHOLD,
        _ => return None,
    };
    Some(TEXTS.text(experiment))
}

/// Whether the paper's value is one that shaken arrivals might give.
fn is_within_shaking(cell: &PublishedCell) -> bool {
    let pair = cell.paper.zip(cell.repeated);
    pair.is_some_and(|(paper, repeated)| (paper - repeated.mean).abs() <= 2.0 * repeated.deviation)
}

/// The claim with why it does not hold, if it does not and an experiment tells.
pub fn claim(claim: Claim) -> Claim {
    if claim.holds {
        return claim;
    }
    let experiment = match &*claim.claim {
        text if text.starts_with("The rows of Table 4") => TIES,
        text if text.contains("10 sessions") || text.contains("30 sessions") => SESSIONS,
        text if text.starts_with("DFS has shorter waits") => SESSIONS,
        text if text.starts_with("Proximity in time") => PROXIMITY,
        _ => return claim,
    };
    claim.explained(TEXTS.text(experiment))
}

#[cfg(test)]
mod tests {
    use super::*;
    use queuecast_study::Repeated;

    #[test]
    fn shaking_explains_what_it_can_give_and_no_more() {
        let told = |deviation| {
            let repeated = Repeated { mean: -1.7, deviation, times: 5, confidence: None };
            let unbalanced =
                PublishedCell::new("5", "Unbalanced", "Bounded Slowdown", PublishedCell::AVERAGE);
            cell(&unbalanced.paper(-11.0).ours(2.9).repeated(repeated)).is_some()
        };
        assert!(told(5.2) && !told(4.0));
        assert!(cell(&PublishedCell::new("2", "Perfect", "Wait Time", PublishedCell::AVERAGE)).is_none());
    }

    #[test]
    fn every_explanation_is_written() {
        for name in [CANCELLED, CAP, CAPPED_TABLE, SHAKING, THRESHOLD, TIES, SESSIONS, PROXIMITY] {
            assert!(TEXTS.text(name).contains("(experiments/talby2005/README.md"), "{name}");
        }
    }
}

//! Which experiment explains a cell that is out.

use super::setting::{AVERSE, AVG, BIAS, HEUR, LOCK_IN, OPT, PRED};
use crate::PublishedCell;
use crate::printed::Explanations;

/// Why the strategies that go by predictions rebel more often here, and what follows from that.
pub const CAUTION: &str = "caution";

const BETWEEN: &str = "between";

/// What equation 5 as printed leaves out of tolerance.
const LITERAL: &str = "literal";
const LITERAL_REBELS: &str = "literal-rebels";

const LIGHT: &str = "light";

pub const LINE: &str = "line";

const CORRELATION: &str = "correlation";

const LOSSES: &str = "losses";

/// The text beside the page.
pub fn text(name: &str) -> String {
    Explanations(include_str!("../../../experiments/downey1997/explained.md")).text(name)
}

/// Explains a cell of the paper's own tables, if anything does.
pub fn cell(cell: PublishedCell) -> PublishedCell {
    let predicts = [PRED, BIAS, LOCK_IN, AVERSE].contains(&cell.row.as_str());
    let why = match (cell.table.as_str(), cell.row.as_str(), cell.column.as_str()) {
        ("predictions", PRED, "slope" | "intercept") => LINE,
        ("predictions", BIAS, "correlation") => CORRELATION,
        ("1", HEUR, "losers of the rebels") => LOSSES,
        ("2", AVG, _) | ("workload", OPT, "a rebel saves, median" | "a rebel saves, mean") => LIGHT,
        ("caution", PRED, "a rebel saves, median") => BETWEEN,
        ("literal", PRED, "slope" | "intercept") => LINE,
        (
            "literal",
            PRED,
            "rebels of all jobs" | "losers of the rebels" | "a rebel saves, median" | "a rebel saves, mean",
        ) => LITERAL_REBELS,
        ("literal", BIAS | LOCK_IN | AVERSE, "turnaround against AVG") => LITERAL,
        ("workload" | "1" | "2" | "6.1", ..) if predicts && too_eager(&cell) => CAUTION,
        _ => return cell,
    };
    cell.explained(text(why))
}

/// Whether it is out on the side of too many that hold out.
fn too_eager(cell: &PublishedCell) -> bool {
    let fewer = cell.column.starts_with("utilization") || cell.column.starts_with("a rebel saves");
    cell.difference.is_some_and(|difference| (difference < 0.0) == fewer)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_explanation_is_written() {
        for name in [CAUTION, BETWEEN, LITERAL, LITERAL_REBELS, LIGHT, LINE, CORRELATION, LOSSES] {
            assert!(text(name).len() > 40, "{name}");
        }
    }
}

//! All of Smith, Foster & Taylor 1998, "Predicting Application Run Times Using Historical Information": what is
//! searched on each log, and what its tables, figures and claims come to.

mod claims;
mod figures;
mod outcome;
mod tables;

pub use self::outcome::{Holdout, Outcome, search};
use super::Reproduction;

/// The paper's title.
pub const TITLE: &str = "Predicting Application Run Times Using Historical Information";

/// The tables, in order. The last is not in the paper.
pub const TABLES: &[&str] = &["1", "4", "5", "6", "7", "8", "9", "10", "holdout"];

/// The logs, by how their files are called. The paper's first, then others.
pub const LOGS: [&str; 5] = [
    "CTC-SP2-1996-3.1-cln",
    "SDSC-Par-1996-3.1-cln",
    "SDSC-SP2-1998-4.2-cln",
    "KTH-SP2-1996-2.1-cln",
    "LANL-CM5-1994-4.1-cln",
];

/// What they are called here: the paper's names where it has one.
const LOG_NAMES: [&str; 5] = ["CTC", "SDSC96", "SDSC-SP2", "KTH", "LANL"];

/// What came of the searches, judged. `outcomes` are in the order of the logs.
pub fn judge(outcomes: &[Outcome]) -> Reproduction {
    let mut reproduction = Reproduction::new("smith1998", TITLE);
    reproduction.notes.extend(
        [
            "ANL and SDSC95 are not to be had: no log of theirs is public. SDSC-SP2, KTH and LANL are not in the paper",
            "the public CTC log has 77,222 jobs of 338 processors, no type, class, script, arguments or network \
             adaptor, but an executable; that of SDSC96 has 32,135 jobs where the paper saw 22,337. So minutes differ \
             with the mean run time, and it is percentages that are judged",
            "searched and scored on the same jobs, as the paper does; the table holdout searches on the first half and \
             scores on the second",
        ]
        .map(str::to_owned),
    );
    for (number, caption) in tables::CAPTIONS {
        reproduction = reproduction.captioned(number, caption);
    }
    for (outcome, name) in outcomes.iter().zip(LOG_NAMES) {
        reproduction.cells.extend(tables::cells(outcome, name));
    }
    // One table after the other, whatever the log.
    let place = |table: &str| TABLES.iter().position(|known| *known == table);
    reproduction.cells.sort_by_key(|cell| place(&cell.table));
    reproduction.claims = claims::judged(outcomes, &LOG_NAMES);
    reproduction.figures = figures::drawn(outcomes, &LOG_NAMES);
    reproduction
}

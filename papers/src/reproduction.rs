//! Published values beside recomputed ones, and whether they agree.
//!
//! A [`Reproduction`] holds the cells of a paper's tables, its claims and its figures. Cells and claims are judged here.
//!
//! ```
//! use queuecast_papers::{Claim, PublishedCell, Reproduction};
//!
//! let wait = PublishedCell::new("2", "Perfect", "Wait Time", PublishedCell::AVERAGE).unit("%").tolerance(3.0);
//! let mut reproduction = Reproduction::new("author2005", "The title of the paper");
//! reproduction.cells.push(wait.paper(22.0).ours(23.5));
//! reproduction.claims.push(Claim::new("exact run times help", true, "waits are 23.5 % shorter"));
//! assert!(reproduction.holds());
//! ```

use queuecast_report::words::number_of;
use serde::Serialize;

use crate::{Figure, PublishedCell};

/// A paper's results, recomputed.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Reproduction {
    /// Its short name: `talby2005`.
    pub paper: String,
    /// Its title.
    pub title: String,
    /// What its tables show, where that is worth saying.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub captions: Vec<Caption>,
    /// Every cell of its tables, in their order, and the same for each log.
    pub cells: Vec<PublishedCell>,
    /// What its text concludes.
    pub claims: Vec<Claim>,
    /// Its figures, as numbers.
    pub figures: Vec<Figure>,
    /// What a reader has to know: how this differs from what the paper did.
    pub notes: Vec<String>,
}

/// What a table shows.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Caption {
    /// The table's number.
    pub table: String,
    /// What it shows, without its number.
    pub caption: String,
}

/// Something a paper concludes, and whether it is so here.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Claim {
    /// What the paper says.
    pub claim: String,
    /// Whether it is so.
    pub holds: bool,
    /// The numbers that decide it, in words.
    pub measured: String,
    /// Which experiment explains why it does not hold.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub explained: Option<String>,
}

impl Claim {
    /// A claim with what was measured.
    pub fn new(claim: impl Into<String>, holds: bool, measured: impl Into<String>) -> Claim {
        Claim { claim: claim.into(), holds, measured: measured.into(), explained: None }
    }

    /// Says which experiment explains why it does not hold.
    #[must_use]
    pub fn explained(mut self, why: impl Into<String>) -> Claim {
        self.explained = Some(why.into());
        self
    }
}

/// How many cells and claims agree with the paper.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Tally {
    /// Cells that were judged.
    pub cells: usize,
    /// Of these, within tolerance.
    pub within: usize,
    /// Claims.
    pub claims: usize,
    /// Of these, those that hold.
    pub holding: usize,
    /// Cells out of tolerance that are explained.
    pub explained_cells: usize,
    /// Claims that do not hold and are explained.
    pub explained_claims: usize,
}

impl Tally {
    /// Cells out of tolerance that nothing explains.
    pub fn cells_out(&self) -> usize {
        self.cells - self.within - self.explained_cells
    }

    /// Claims that do not hold, which nothing explains.
    pub fn claims_failing(&self) -> usize {
        self.claims - self.holding - self.explained_claims
    }

    /// What does not agree with the paper and is not explained, if anything.
    pub fn disagreement(&self) -> Option<String> {
        let (out, failing) = (self.cells_out(), self.claims_failing());
        let cells = (out > 0).then(|| {
            let are = if out == 1 { "is" } else { "are" };
            format!("{out} of {} {are} out of tolerance", number_of(self.cells, "cell"))
        });
        let claims = (failing > 0).then(|| {
            let does = if failing == 1 { "does" } else { "do" };
            format!("{failing} of {} {does} not hold", number_of(self.claims, "claim"))
        });
        let unexplained: Vec<String> = cells.into_iter().chain(claims).collect();
        (!unexplained.is_empty()).then(|| format!("{}, and nothing explains it", unexplained.join("; ")))
    }

    /// Cells and claims that do not agree and are explained.
    pub fn explained(&self) -> usize {
        self.explained_cells + self.explained_claims
    }
}

impl Reproduction {
    /// A reproduction with nothing in it.
    pub fn new(paper: impl Into<String>, title: impl Into<String>) -> Reproduction {
        Reproduction { paper: paper.into(), title: title.into(), ..Reproduction::default() }
    }

    /// Says what a table shows.
    #[must_use]
    pub fn captioned(mut self, table: impl Into<String>, caption: impl Into<String>) -> Reproduction {
        self.captions.push(Caption { table: table.into(), caption: caption.into() });
        self
    }

    /// Counts what agrees. An explanation of what agrees anyway does not count.
    pub fn tally(&self) -> Tally {
        let judged = || self.cells.iter().filter(|cell| cell.within.is_some());
        let out = || judged().filter(|cell| cell.is_out());
        let failing = || self.claims.iter().filter(|claim| !claim.holds);
        Tally {
            cells: judged().count(),
            within: judged().count() - out().count(),
            claims: self.claims.len(),
            holding: self.claims.len() - failing().count(),
            explained_cells: out().filter(|cell| cell.explained.is_some()).count(),
            explained_claims: failing().filter(|claim| claim.explained.is_some()).count(),
        }
    }

    /// Whether every judged cell is within tolerance and every claim holds, those that are explained left out.
    pub fn holds(&self) -> bool {
        let tally = self.tally();
        tally.cells_out() == 0 && tally.claims_failing() == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cell() -> PublishedCell {
        PublishedCell::new("2", "Perfect", "Wait Time", PublishedCell::AVERAGE).unit("%")
    }

    #[test]
    fn a_difference_is_ours_minus_the_papers_and_may_be_the_tolerance() {
        let near = cell().paper(22.0).ours(24.5).tolerance(2.5);
        assert_eq!((near.difference, near.within), (Some(2.5), Some(true)));
        let below = cell().paper(22.0).ours(19.0).tolerance(2.5);
        assert_eq!((below.difference, below.within), (Some(-3.0), Some(false)));
        // In whatever order it is told.
        assert_eq!(cell().tolerance(2.5).ours(19.0).paper(22.0), below);
    }

    #[test]
    fn nothing_is_judged_without_a_paper_value_or_a_tolerance() {
        let unprinted = cell().ours(19.0).tolerance(1.0);
        assert_eq!((unprinted.difference, unprinted.within), (None, None));
        let described = cell().paper(22.0).ours(19.0);
        assert_eq!((described.difference, described.within), (Some(-3.0), None));
    }

    #[test]
    fn what_is_no_number_is_not_what_the_paper_prints() {
        for ours in [f64::NAN, f64::INFINITY] {
            let cell = cell().paper(22.0).ours(ours);
            assert_eq!((cell.ours, cell.difference, cell.within), (None, None, Some(false)));
            assert_eq!(cell.clone().tolerance(100.0).within, Some(false));
            assert_eq!(cell.paper(None).within, None);
        }
    }

    #[test]
    fn it_holds_unless_something_is_out_that_nothing_explains() {
        let mut all = Reproduction::new("p", "t");
        assert!(all.holds());
        all.cells.push(cell().paper(22.0).ours(22.0).tolerance(1.0).explained("not needed"));
        all.cells.push(cell().paper(22.0).ours(1.0));
        all.claims.push(Claim::new("c", true, "m").explained("not needed"));
        assert!(all.holds());
        assert_eq!(all.tally(), Tally { cells: 1, within: 1, claims: 1, holding: 1, ..Tally::default() });

        let mut out = all.clone();
        out.cells.push(cell().paper(22.0).ours(1.0).tolerance(1.0));
        assert!(!out.holds() && out.tally().cells_out() == 1);
        out.cells[2].explained = Some("another log".to_owned());
        assert!(out.holds() && out.tally().explained() == 1);

        let mut failing = all.clone();
        failing.claims.push(Claim::new("c", false, "m"));
        assert!(!failing.holds() && failing.tally().claims_failing() == 1);
        failing.claims[1].explained = Some("another log".to_owned());
        assert!(failing.holds() && failing.tally().explained() == 1);
    }

    #[test]
    fn programs_read_these_names() {
        let keys = |value: serde_json::Value| -> Vec<String> {
            value.as_object().unwrap().keys().cloned().collect()
        };
        let sorted = |names: &str| {
            let mut names: Vec<String> = names.split(' ').map(str::to_owned).collect();
            names.sort();
            names
        };
        let mut cell_keys = keys(serde_json::to_value(cell()).unwrap());
        cell_keys.sort();
        assert_eq!(
            cell_keys,
            sorted("table row column log unit paper ours difference tolerance within note")
        );
        let mut claim_keys = keys(serde_json::to_value(Claim::new("c", true, "m")).unwrap());
        claim_keys.sort();
        assert_eq!(claim_keys, sorted("claim holds measured"));
        let figure = Figure::new("Figure 3", "t", "%").group("KTH", [("easy", 1.5), ("odd", f64::NAN)]);
        let value = serde_json::to_value(&figure).unwrap();
        assert_eq!(value["groups"][0]["bars"][0], serde_json::json!({"label": "easy", "value": 1.5}));
        assert!(value["groups"][0]["bars"][1]["value"].is_null());
        let figure = Figure::new("Figure 2", "t", "s")
            .dots("jobs", [(3.0, 1.0), (f64::NAN, 1.0), (1.0, 2.0)])
            .curve("trend", [(1.0, 1.0)]);
        let curves = serde_json::json!([
            {"name": "jobs", "points": [[3.0, 1.0], [1.0, 2.0]], "dots": true},
            {"name": "trend", "points": [[1.0, 1.0]]}
        ]);
        assert_eq!(serde_json::to_value(&figure).unwrap()["curves"], curves);
        let mut top = keys(serde_json::to_value(Reproduction::new("p", "t")).unwrap());
        top.sort();
        assert_eq!(top, sorted("paper title cells claims figures notes"));
        assert_eq!(serde_json::to_value(cell().explained("why")).unwrap()["explained"], "why");
    }
}

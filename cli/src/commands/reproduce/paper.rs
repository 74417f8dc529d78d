//! The papers that can be reproduced: what each needs, and how its results are recomputed.

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use queuecast::eval::Reproduction;

use super::{smith1998, talby2005, tsafrir2005};
use crate::commands::loaded::Loaded;
use crate::failure::Failure;
use crate::printer::Printer;

/// Every paper that can be reproduced. Adding one is a line here.
pub const PAPERS: &[Paper] = &[talby2005::PAPER, smith1998::PAPER, tsafrir2005::PAPER];

/// A paper, what its results were computed from, and how.
#[derive(Debug)]
pub struct Paper {
    /// What people type.
    pub name: &'static str,
    /// Who wrote it, and what it is called.
    pub title: &'static str,
    /// The numbers of the tables that are recomputed.
    pub tables: &'static [&'static str],
    /// The logs it uses: how their files' names begin.
    pub logs: &'static [&'static str],
    /// The ruleset its logs are cleaned by.
    pub clean: &'static str,
    /// Recomputes it, showing progress. The logs come in the order of [`Paper::logs`]. Runs on a pool of threads of its own, so rayon may be used; the result must not depend on how many.
    pub run: fn(&[Loaded], &Tables, &Printer) -> Result<Reproduction, Failure>,
}

/// Reads a paper's name.
pub fn named() -> impl TypedValueParser<Value = &'static Paper> {
    let values = PAPERS.iter().map(|paper| PossibleValue::new(paper.name).help(paper.title));
    PossibleValuesParser::new(values).try_map(|name| {
        let known = PAPERS.iter().find(|paper| paper.name == name);
        known.ok_or_else(|| format!("no paper is called {name}"))
    })
}

/// Which tables are wanted; all, where none is named.
#[derive(Debug, Clone, Default)]
pub struct Tables(Vec<String>);

impl Tables {
    /// These tables of a paper; one that it has not is refused.
    pub fn of(paper: &Paper, numbers: &[String]) -> Result<Tables, Failure> {
        match numbers.iter().find(|number| !paper.tables.contains(&number.as_str())) {
            None => Ok(Tables(numbers.to_vec())),
            Some(unknown) => Err(Failure::usage(format!(
                "--table {unknown}: {} has no such table to reproduce",
                paper.name
            ))
            .hint(format!("its tables: {}", paper.tables.join(", ")))),
        }
    }

    /// Whether a table is wanted. The cells of others are left out of the result, so need not be computed.
    pub fn wants(&self, number: &str) -> bool {
        self.is_all() || self.0.iter().any(|wanted| wanted == number)
    }

    /// Whether the whole paper is wanted. If not, its claims and figures are left out of the result.
    pub fn is_all(&self) -> bool {
        self.0.is_empty()
    }

    /// The reproduction without what is not wanted.
    pub fn only(&self, mut reproduction: Reproduction) -> Reproduction {
        if !self.is_all() {
            reproduction.captions.retain(|caption| self.wants(&caption.table));
            reproduction.cells.retain(|cell| self.wants(&cell.table));
            reproduction.claims.clear();
            reproduction.figures.clear();
        }
        reproduction
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use queuecast::eval::{Claim, PublishedCell};
    use queuecast::trace::Ruleset;

    use super::*;

    #[test]
    fn every_paper_is_soundly_described() {
        for paper in PAPERS {
            assert!(paper.clean.parse::<Ruleset>().is_ok(), "{}", paper.clean);
            assert!(!paper.logs.is_empty() && !paper.tables.is_empty());
        }
        let names: BTreeSet<&str> = PAPERS.iter().map(|paper| paper.name).collect();
        assert_eq!(names.len(), PAPERS.len());
    }

    #[test]
    fn a_table_alone_comes_without_claims() {
        let mut all = Reproduction::new("p", "t").captioned("1", "one").captioned("2", "two");
        all.cells = ["1", "2", "2"].map(|table| PublishedCell::new(table, "r", "c", "average")).to_vec();
        all.claims.push(Claim::new("c", true, "m"));
        let second = Tables(vec!["2".to_owned()]).only(all.clone());
        assert_eq!((second.captions.len(), second.cells.len(), second.claims.len()), (1, 2, 0));
        assert_eq!(Tables::default().only(all.clone()), all);
    }

    #[test]
    fn a_table_nobody_recomputes_is_refused() {
        let refused = Tables::of(&PAPERS[0], &["99".to_owned()]).unwrap_err();
        assert!(refused.to_string().contains("--table 99: talby2005 has no such table"), "{refused}");
        assert!(refused.hints()[0].starts_with("its tables: 1"), "{:?}", refused.hints());
        assert!(Tables::of(&PAPERS[0], &["1".to_owned()]).is_ok_and(|tables| !tables.is_all()));
    }
}

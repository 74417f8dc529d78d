//! The papers that can be reproduced: what each needs, and how its results are recomputed.

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use queuecast::eval::Reproduction;

use super::{downey1997, smith1998, talby2005, tsafrir2005};
use crate::commands::loaded::Loaded;
use crate::failure::Failure;
use crate::printer::Printer;

/// Every paper that can be reproduced. Adding one is a line here.
pub const PAPERS: &[Paper] = &[talby2005::PAPER, smith1998::PAPER, downey1997::PAPER, tsafrir2005::PAPER];

/// A paper, what its results were computed from, and how.
#[derive(Debug)]
pub struct Paper {
    /// What people type.
    pub name: &'static str,
    /// Who wrote it, and what it is called.
    pub title: &'static str,
    /// The numbers of the tables that are recomputed.
    pub tables: &'static [&'static str],
    /// The logs it needs: how their files' names begin. Without any, it needs no directory.
    pub logs: &'static [&'static str],
    /// Logs that add to its results where they are there, and are not missed where not.
    pub optional: &'static [&'static str],
    /// The ruleset its logs are cleaned by.
    pub clean: &'static str,
    /// How many seeds its results are means over, unless another number is asked for; `None` where they are not.
    pub seeds: Option<u64>,
    /// Recomputes it, showing progress. The logs come in the order of [`Paper::logs`], then those of
    /// [`Asked::optional`]. Runs on a pool of threads of its own, so rayon may be used; the result must not depend on
    /// how many.
    pub run: fn(&[Loaded], &Asked, &Printer) -> Result<Reproduction, Failure>,
}

/// What is asked of a paper.
#[derive(Debug, Clone, Default)]
pub struct Asked {
    /// Which tables.
    pub tables: Tables,
    /// Over how many seeds: what was asked for, else the paper's own number.
    pub seeds: Option<u64>,
    /// Which of [`Paper::optional`] are there, in their order.
    pub optional: Vec<&'static str>,
}

impl Asked {
    /// What the arguments ask of a paper; what it has not is refused.
    pub fn of(paper: &Paper, tables: &[String], seeds: Option<u64>) -> Result<Asked, Failure> {
        if seeds.is_some() && paper.seeds.is_none() {
            let name = paper.name;
            return Err(Failure::usage(format!("--seeds: the results of {name} are not means over seeds")));
        }
        let tables = Tables::of(paper, tables)?;
        Ok(Asked { tables, seeds: seeds.or(paper.seeds), optional: Vec::new() })
    }
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
            assert!(!paper.tables.is_empty(), "{}", paper.name);
            let logs: Vec<&str> = paper.logs.iter().chain(paper.optional).copied().collect();
            let different: BTreeSet<&str> = logs.iter().copied().collect();
            assert!(different.len() == logs.len() && !different.contains(""), "{}: {logs:?}", paper.name);
            assert!(
                paper.seeds.is_none_or(|seeds| crate::spec::seeds(&seeds.to_string()).is_ok()),
                "{}",
                paper.name
            );
        }
        assert!(PAPERS.iter().any(|paper| paper.seeds.is_some()));
        let names: BTreeSet<&str> = PAPERS.iter().map(|paper| paper.name).collect();
        assert_eq!(names.len(), PAPERS.len());
    }

    #[test]
    fn seeds_are_for_papers_that_have_some() {
        let paper = |name: &str| PAPERS.iter().find(|paper| paper.name == name).unwrap();
        let refused = Asked::of(paper("talby2005"), &[], Some(5)).unwrap_err();
        assert_eq!(refused.to_string(), "--seeds: the results of talby2005 are not means over seeds");
        assert!(refused.hints().is_empty());
        assert_eq!(Asked::of(paper("talby2005"), &[], None).unwrap().seeds, None);
        assert_eq!(Asked::of(paper("tsafrir2005"), &[], Some(5)).unwrap().seeds, Some(5));
        assert_eq!(Asked::of(paper("tsafrir2005"), &[], None).unwrap().seeds, Some(100));
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

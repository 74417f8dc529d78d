//! The protocol of all papers: what to run, what came out, what is judged.

use queuecast_eval::EvalError;
use queuecast_trace::Log;

use crate::Reproduction;

/// A paper, and what its results are computed from.
#[derive(Debug)]
pub struct Paper {
    /// Its short name: first author and year.
    pub name: &'static str,
    /// Its title.
    pub title: &'static str,
    /// The numbers of the tables that are recomputed.
    pub tables: &'static [&'static str],
    /// The logs it needs: how their files' names begin. Without any, it needs no directory.
    pub logs: &'static [&'static str],
    /// Logs that add to its results where they are present.
    pub optional: &'static [&'static str],
    /// The tables, of [`Paper::tables`], that need no logs.
    pub without_logs: &'static [&'static str],
    /// The ruleset its logs are cleaned by.
    pub clean: &'static str,
    /// The default number of seeds its results are means over; `None` where they are not means over seeds.
    pub seeds: Option<u64>,
    /// Plans the work: [`prepare`] of the paper's [`Protocol`].
    pub prepare: Prepare,
}

impl Paper {
    /// Whether any of these tables needs logs.
    pub fn needs_logs(&self, tables: &Tables) -> bool {
        let without = |number: &String| self.without_logs.contains(&number.as_str());
        !self.logs.is_empty() && (tables.is_all() || !tables.0.iter().all(without))
    }
}

/// Plans the work on these logs, none where [`Paper::needs_logs`] does not hold: those of [`Paper::logs`] in their order, then those of [`Request::optional`].
pub type Prepare = for<'a> fn(&'a [&'a Log], &'a Request) -> Result<Box<dyn Prepared + 'a>, EvalError>;

/// Told how many more steps of [`Work`] are done. Called from several threads.
pub type Done<'a> = dyn Fn(usize) + Sync + 'a;

/// How a paper's results are recomputed. The value is the plan.
pub trait Protocol: Sized {
    /// What came out.
    type Results;

    /// What to run for the tables that are wanted.
    fn plan(logs: &[&Log], request: &Request) -> Result<Self, EvalError>;

    /// How much there is to do.
    fn work(&self) -> Work;

    /// Runs it, on all cores; the results do not depend on how many.
    fn run(&self, logs: &[&Log], done: &Done<'_>) -> Result<Self::Results, EvalError>;

    /// Compares what came out with what the paper prints and says.
    fn judge(&self, logs: &[&Log], results: &Self::Results) -> Reproduction;
}

/// How much a paper has to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Work {
    /// What it does: `simulating`.
    pub what: &'static str,
    /// In how many steps.
    pub steps: usize,
}

/// A paper whose work is planned.
pub trait Prepared {
    /// How much there is to do.
    fn work(&self) -> Work;

    /// Does it, and judges the results. Tables that are not wanted are left out.
    fn reproduce(&self, done: &Done<'_>) -> Result<Reproduction, EvalError>;
}

struct Planned<'a, P> {
    plan: P,
    logs: &'a [&'a Log],
    tables: &'a Tables,
}

impl<P: Protocol> Prepared for Planned<'_, P> {
    fn work(&self) -> Work {
        self.plan.work()
    }

    fn reproduce(&self, done: &Done<'_>) -> Result<Reproduction, EvalError> {
        let results = self.plan.run(self.logs, done)?;
        Ok(self.tables.only(self.plan.judge(self.logs, &results)))
    }
}

/// Plans the work of a paper by its protocol, for [`Paper::prepare`].
pub fn prepare<'a, P: Protocol + 'static>(
    logs: &'a [&'a Log],
    request: &'a Request,
) -> Result<Box<dyn Prepared + 'a>, EvalError> {
    Ok(Box::new(Planned { plan: P::plan(logs, request)?, logs, tables: &request.tables }))
}

/// Why a paper cannot be asked for something.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RequestError {
    /// Its results do not depend on seeds.
    #[error("--seeds: the results of {paper} are not means over seeds")]
    Seeds {
        /// Its name.
        paper: &'static str,
    },
    /// It has other tables.
    #[error("--table {table}: {paper} has no such table to reproduce")]
    Table {
        /// Its name.
        paper: &'static str,
        /// Which was asked for.
        table: String,
        /// Those that it has.
        tables: &'static [&'static str],
    },
}

impl Paper {
    /// What is wanted of it: these tables, all if there are none, over this number of seeds, by default its own.
    pub fn request(&self, tables: &[String], seeds: Option<u64>) -> Result<Request, RequestError> {
        let paper = self.name;
        if seeds.is_some() && self.seeds.is_none() {
            return Err(RequestError::Seeds { paper });
        }
        if let Some(table) = tables.iter().find(|number| !self.tables.contains(&number.as_str())) {
            return Err(RequestError::Table { paper, table: table.clone(), tables: self.tables });
        }
        Ok(Request { tables: Tables::of(tables), seeds: seeds.or(self.seeds), ..Request::default() })
    }
}

/// What is wanted of a paper.
#[derive(Debug, Clone, Default)]
pub struct Request {
    /// Which tables.
    pub tables: Tables,
    /// The number of seeds; `None` for papers whose results are not means over seeds.
    pub seeds: Option<u64>,
    /// Which of [`Paper::optional`] are present, in their order.
    pub optional: Vec<&'static str>,
}

impl Request {
    /// All of a paper, with its default number of seeds and without optional logs.
    pub fn all(paper: &Paper) -> Request {
        Request { seeds: paper.seeds, ..Request::default() }
    }
}

/// Which tables are wanted; all, where none is named.
#[derive(Debug, Clone, Default)]
pub struct Tables(Vec<String>);

impl Tables {
    /// These tables; all, if there are none.
    pub fn of(numbers: impl IntoIterator<Item = impl Into<String>>) -> Tables {
        Tables(numbers.into_iter().map(Into::into).collect())
    }

    /// Whether a table is wanted. The cells of others are left out of the result, so need not be computed.
    pub fn wants(&self, number: &str) -> bool {
        self.is_all() || self.0.iter().any(|wanted| wanted == number)
    }

    /// Whether the whole paper is wanted. If not, its claims and figures are left out of the result.
    pub fn is_all(&self) -> bool {
        self.0.is_empty()
    }

    /// The reproduction without the tables that are not wanted.
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

    use queuecast_trace::Ruleset;

    use super::*;
    use crate::{Claim, PublishedCell};

    #[test]
    fn tables_without_logs_need_none() {
        let paper = Paper { logs: &["KTH"], without_logs: &["2", "3"], ..crate::PAPERS[0] };
        let needs = |tables: &[&str]| paper.needs_logs(&Tables::of(tables.iter().copied()));
        assert!(!needs(&["2"]) && !needs(&["2", "3"]));
        assert!(needs(&[]) && needs(&["1"]) && needs(&["2", "1"]));
        assert!(!Paper { logs: &[], ..paper }.needs_logs(&Tables::default()));
        for paper in crate::PAPERS {
            assert!(paper.without_logs.iter().all(|table| paper.tables.contains(table)), "{}", paper.name);
        }
    }

    #[test]
    fn a_table_alone_comes_without_claims() {
        let mut all = Reproduction::new("p", "t").captioned("1", "one").captioned("2", "two");
        all.cells = ["1", "2", "2"].map(|table| PublishedCell::new(table, "r", "c", "average")).to_vec();
        all.claims.push(Claim::new("c", true, "m"));
        let second = Tables::of(["2"]).only(all.clone());
        assert_eq!((second.captions.len(), second.cells.len(), second.claims.len()), (1, 2, 0));
        assert_eq!(Tables::default().only(all.clone()), all);
    }

    #[test]
    fn every_paper_is_soundly_described() {
        for paper in crate::PAPERS {
            assert!(paper.clean.parse::<Ruleset>().is_ok(), "{}", paper.clean);
            assert!(!paper.tables.is_empty(), "{}", paper.name);
            let logs: Vec<&str> = paper.logs.iter().chain(paper.optional).copied().collect();
            let different: BTreeSet<&str> = logs.iter().copied().collect();
            assert!(different.len() == logs.len() && !different.contains(""), "{}: {logs:?}", paper.name);
            assert!(paper.seeds.is_none_or(|seeds| (2..=1000).contains(&seeds)), "{}", paper.name);
        }
        let names: BTreeSet<&str> = crate::PAPERS.iter().map(|paper| paper.name).collect();
        assert_eq!(names.len(), crate::PAPERS.len());
    }

    #[test]
    fn seeds_are_for_papers_that_have_some_and_tables_for_those_that_print_them() {
        let paper = |name: &str| crate::PAPERS.iter().find(|paper| paper.name == name).unwrap();
        let talby = paper("talby2005");
        let refused = talby.request(&[], Some(5)).unwrap_err().to_string();
        assert_eq!(refused, "--seeds: the results of talby2005 are not means over seeds");
        assert_eq!(talby.request(&[], None).unwrap().seeds, None);
        assert_eq!(paper("tsafrir2005").request(&[], Some(5)).unwrap().seeds, Some(5));
        assert_eq!(paper("tsafrir2005").request(&[], None).unwrap().seeds, Some(100));
        let refused = talby.request(&["99".to_owned()], None).unwrap_err().to_string();
        assert_eq!(refused, "--table 99: talby2005 has no such table to reproduce");
        assert!(talby.request(&["1".to_owned()], None).is_ok_and(|request| !request.tables.is_all()));
    }
}

//! The protocol of all papers: what to run, what came out, what is judged.

use queuecast::eval::EvalError;
use queuecast::trace::Log;

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
}

//! All of Talby, Tsafrir, Goldberg & Feitelson 2005, "Session-Based, Estimation-less, and Information-less
//! Runtime Prediction Algorithms for Parallel and Grid Job Scheduling": which simulations its tables, figures
//! and claims need, and what they come to.

mod beyond;
mod claims;
mod explained;
mod figures;
mod logs;
mod measure;
mod settings;
mod setup;
mod tables;

use queuecast_core::spec::SpecError;
use queuecast_core::workload::Workload;
use queuecast_eval::{EvalError, Watch};
use queuecast_study::{Sweep, SweepResults};
use queuecast_trace::Log;

use self::logs::LogFacts;
use self::setup::{SHAKEN_BY, SHAKEN_SEEDS};
use crate::{Done, Paper, Protocol, Reproduction, Request, Work, prepare};

/// The paper's title.
pub const TITLE: &str = "Session-Based, Estimation-less, and Information-less Runtime Prediction Algorithms for \
                         Parallel and Grid Job Scheduling";

/// The tables, in order. `2-capped` and `4-capped` are another reading of two of them, and the last two are not in the paper.
pub const TABLES: &[&str] = &["1", "2", "2-capped", "4", "4-capped", "5", "6", "mixed", "threshold"];

/// Its logs, by how their files are called.
pub const LOGS: [&str; 4] =
    ["SDSC-SP2-1998-4.2-cln", "CTC-SP2-1996-3.1-cln", "KTH-SP2-1996-2.1-cln", "SDSC-BLUE-2000-4.2-cln"];

/// Asks for the simulations of a table.
type Ask = fn(&mut Sweep) -> Result<beyond::BeyondRuns, SpecError>;

/// The paper and what it needs.
pub const PAPER: Paper = Paper {
    name: "talby2005",
    title: TITLE,
    tables: TABLES,
    logs: &LOGS,
    optional: &[],
    without_logs: &[],
    clean: "default",
    seeds: None,
    prepare: prepare::<Talby2005>,
};

/// The simulations of the tables that are wanted, and of claims and figures with the whole paper.
pub struct Talby2005 {
    sweep: Sweep,
    describes: bool,
    tables: Vec<tables::TableRuns>,
    beyond: Vec<beyond::BeyondRuns>,
    /// Only with the whole paper.
    claims: Option<claims::ClaimRuns>,
    figures: Vec<figures::FigureRuns>,
}

impl Protocol for Talby2005 {
    type Results = SweepResults;

    fn plan(_logs: &[&Log], request: &Request) -> Result<Talby2005, EvalError> {
        let mut sweep = Sweep::new();
        let (wants, whole) = (|table: &str| request.tables.wants(table), request.tables.is_all());
        Ok(Talby2005 {
            describes: wants("1"),
            tables: tables::want(&mut sweep, wants)?,
            beyond: [("mixed", beyond::mixed as Ask), ("threshold", beyond::threshold)]
                .into_iter()
                .filter(|(table, _)| wants(table))
                .map(|(_, ask)| ask(&mut sweep))
                .collect::<Result<_, _>>()?,
            claims: if whole { Some(claims::want(&mut sweep)?) } else { None },
            figures: if whole { figures::want(&mut sweep)? } else { Vec::new() },
            sweep,
        })
    }

    fn work(&self) -> Work {
        Work { what: "simulating", steps: self.sweep.steps() }
    }

    fn run(&self, logs: &[&Log], done: &Done<'_>) -> Result<SweepResults, EvalError> {
        let workloads: Vec<&Workload> = logs.iter().map(|log| &log.workload).collect();
        self.sweep.run(&workloads, Watch { done: &|steps| done(steps), clock: None })
    }

    fn judge(&self, logs: &[&Log], results: &SweepResults) -> Reproduction {
        let mut reproduction = Reproduction::new("talby2005", TITLE);
        reproduction.notes.push(
            "CTC is simulated on 512 processors, as the 56 % of Table 1 say, and beside that on the 338 of its \
             header; jobs that ran past their estimate do so here too"
                .into(),
        );
        if !self.tables.is_empty() {
            reproduction.notes.push(format!(
                "repeated: mean and standard deviation when every arrival is moved by up to {SHAKEN_BY} s either way, {} \
                 seeds",
                SHAKEN_SEEDS.count()
            ));
        }
        if self.describes {
            reproduction = reproduction.captioned("1", "the logs");
            reproduction.notes.push(logs::NOTE.into());
            let facts: Vec<LogFacts> = logs.iter().map(|log| LogFacts::of(log)).collect();
            reproduction.cells.extend(logs::cells(&facts));
        }
        for table in &self.tables {
            let (number, caption) = table.caption();
            reproduction = reproduction.captioned(number, caption);
            reproduction.cells.extend(table.cells(results));
        }
        for table in &self.beyond {
            let (name, caption) = table.caption();
            reproduction = reproduction.captioned(name, caption);
            reproduction.cells.extend(table.cells(results));
        }
        if let Some(claims) = &self.claims {
            let own = self.tables.iter().filter(|table| table.is_papers_own());
            reproduction.claims.extend(own.map(|table| table.ordering(results)));
            reproduction.claims.extend(claims.judged(results));
        }
        reproduction.figures = self.figures.iter().flat_map(|figure| figure.drawn(results)).collect();
        reproduction
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Tables;

    #[test]
    fn every_spec_of_the_paper_can_be_read() {
        let plan = Talby2005::plan(&[], &Request::all(&PAPER)).unwrap();
        assert_eq!(plan.sweep.simulations().len(), 818, "experiments/talby2005/README.md says how many");
        assert_eq!(plan.tables.len(), 6);
        let first = Request { tables: Tables::of(["1"]), ..Request::default() };
        let plan = Talby2005::plan(&[], &first).unwrap();
        assert!(plan.sweep.simulations().is_empty() && plan.claims.is_none());
    }
}

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
mod tables;

pub use self::logs::Described;
use super::{EvalError, Reproduction, Sweep, SweepResults};
use crate::spec::SpecError;
use crate::units::Seconds;

/// The paper's title.
pub const TITLE: &str = "Session-Based, Estimation-less, and Information-less Runtime Prediction Algorithms for \
                         Parallel and Grid Job Scheduling";

/// The tables, in order. The last two are not in the paper.
pub const TABLES: &[&str] = &["1", "2", "4", "5", "6", "mixed", "threshold"];

/// Its logs, by how their files are called.
pub const LOGS: [&str; 4] =
    ["SDSC-SP2-1998-4.2-cln", "CTC-SP2-1996-3.1-cln", "KTH-SP2-1996-2.1-cln", "SDSC-BLUE-2000-4.2-cln"];

/// As the paper abbreviates them.
const LOG_NAMES: [&str; 4] = ["SDSP2", "CTC", "KTH", "BLUE"];

/// How far arrivals are shaken.
const SHAKEN_BY: Seconds = Seconds(30);

/// How often.
const SHAKEN_SEEDS: std::ops::RangeInclusive<u64> = 1..=5;

/// Asks for the simulations of a table.
type Ask = fn(&mut Sweep) -> Result<beyond::Wanted, SpecError>;

/// What is to be reproduced, once its simulations are done.
pub struct Wanted {
    describes: bool,
    tables: Vec<tables::Wanted>,
    beyond: Vec<beyond::Wanted>,
    /// Claims and figures: only with the whole paper.
    claims: Option<claims::Wanted>,
    figures: Vec<figures::Wanted>,
}

/// Asks for the simulations of those tables that are wanted, and of claims and figures if `whole`.
pub fn plan(wants: impl Fn(&str) -> bool, whole: bool) -> Result<(Sweep, Wanted), EvalError> {
    let mut sweep = Sweep::default();
    let wanted = Wanted {
        describes: wants("1"),
        tables: tables::want(&mut sweep, &wants)?,
        beyond: [("mixed", beyond::mixed as Ask), ("threshold", beyond::threshold)]
            .into_iter()
            .filter(|(table, _)| wants(table))
            .map(|(_, ask)| ask(&mut sweep))
            .collect::<Result<_, _>>()?,
        claims: if whole { Some(claims::want(&mut sweep)?) } else { None },
        figures: if whole { figures::want(&mut sweep)? } else { Vec::new() },
    };
    Ok((sweep, wanted))
}

impl Wanted {
    /// What came of it, judged. `logs` describe the four logs in their order.
    pub fn judge(&self, logs: &[Described], results: &SweepResults) -> Reproduction {
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
            reproduction.cells.extend(logs::cells(logs));
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
            reproduction.claims.extend(self.tables.iter().map(|table| table.ordering(results)));
            reproduction.claims.extend(claims.judged(results));
        }
        reproduction.figures = self.figures.iter().flat_map(|figure| figure.drawn(results)).collect();
        reproduction
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_spec_of_the_paper_can_be_read() {
        let (sweep, wanted) = plan(|_| true, true).unwrap();
        assert_eq!(sweep.simulations().len(), 718, "experiments/talby2005/README.md says how many");
        assert_eq!(wanted.tables.len(), 4);
        let (sweep, wanted) = plan(|table| table == "1", false).unwrap();
        assert!(sweep.simulations().is_empty() && wanted.claims.is_none());
    }
}

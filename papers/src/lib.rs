//! Published results on batch scheduling, recomputed and judged cell by cell.
//!
//! A [`Paper`] says which logs and rulesets its results come from. [`Paper::prepare`] plans the work, which
//! [`Prepared::reproduce`] does: it runs the simulations or searches, and judges what came out against what the paper
//! prints. Printed values and explanations of differences are data beside each page of `experiments/`. To add a paper,
//! write a module that implements [`Protocol`] and add its line to [`PAPERS`].
//!
//! Like the library, this crate touches no files, clock or terminal: logs are read by the caller.

mod cell;
pub mod downey1997;
mod figure;
pub mod kumar2014;
mod logs;
mod paper;
mod printed;
mod reproduction;
mod shown;
pub mod smith1998;
pub mod talby2005;
pub mod tsafrir2005;

pub use cell::PublishedCell;
pub use figure::{Figure, FigureAxis, FigureBar, FigureCurve, FigureGroup};
pub use logs::{FoundLog, LackingLogs};
pub use paper::{Done, Paper, Prepare, Prepared, Protocol, Request, RequestError, Tables, Work, prepare};
pub use reproduction::{Caption, Claim, Reproduction, Tally};
pub use shown::{Reproduced, UsedLog};

/// Every paper that can be reproduced.
pub const PAPERS: &[Paper] =
    &[talby2005::PAPER, smith1998::PAPER, downey1997::PAPER, tsafrir2005::PAPER, kumar2014::PAPER];

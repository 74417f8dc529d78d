//! Strategies of allocation tried on moldable workloads: each carried out on the same jobs, and recorded on the schedule of
//! AVG, over many seeds. [`Molding::compare`] is the whole comparison in one call; it knows no paper.

mod comparison;
mod hours;
mod plan;
mod report;
mod seed_run;
mod seed_runs;

pub use comparison::{RecordedSummary, StrategyComparison, StrategySeed};
pub use plan::Molding;
pub use report::MoldingReport;
pub use seed_run::{Drawn, Enacted, Recorded, SeedRun};
pub use seed_runs::SeedRuns;

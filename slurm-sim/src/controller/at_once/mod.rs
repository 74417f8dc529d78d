//! Any policy of the engine on the nodes of a site, without timers and delays.

mod ahead;
mod choice_memo;
mod node_plan;
#[cfg(test)]
mod plain_future;
mod promise;
mod reach;
mod run;
mod shadow;

#[cfg(test)]
mod start_checks;
#[cfg(test)]
mod tests;

pub use run::{SiteRules, run_at_once};

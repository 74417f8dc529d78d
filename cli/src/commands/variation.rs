//! `--depth`, `--backfill-order` and `--priority`: options that change a policy.

use queuecast_process::failure::Failure;
use queuecast_sim::sim::{Backfill, Depth, Formula, Order, Variation};

use crate::spec;

/// The options that change a policy.
#[derive(Debug, Clone, Default, clap::Args)]
#[command(next_help_heading = "The scheduler")]
pub struct VariationOptions {
    /// How many waiting jobs hold a reservation, instead of what the policy says: a number or "all"
    #[arg(long, value_name = "N|all", value_parser = spec::read::<Depth>, allow_negative_numbers = true)]
    pub depth: Option<Depth>,
    #[arg(long, value_name = "ORDER", value_parser = spec::of::<Order>(), hide_possible_values = true)]
    #[arg(help = spec::of::<Order>().help("Which jobs are tried first for backfilling, instead of what the policy says"), long_help = spec::of::<Order>().long_help("Which jobs are tried first for backfilling, instead of what the policy says"))]
    pub backfill_order: Option<Order>,
    /// Order the queue by a formula, highest first, instead of by arrival: wait/requested
    #[arg(long, value_name = "FORMULA", value_parser = spec::read::<Formula>)]
    #[arg(long_help = formula_help())]
    pub priority: Option<Formula>,
}

fn formula_help() -> String {
    format!(
        "Order the queue by a formula, highest first, instead of by arrival: wait/requested\n\
         Numbers, + - * /, parentheses, min(a, b), max(a, b), log(a), sqrt(a), and {}",
        Formula::NAMES.join(", ")
    )
}

impl VariationOptions {
    /// Whether nothing is changed.
    pub fn is_none(&self) -> bool {
        self.depth.is_none() && self.backfill_order.is_none() && self.priority.is_none()
    }

    /// The changed policy; refused if an option contradicts it.
    pub fn applied(&self, policy: &Backfill) -> Result<Backfill, Failure> {
        let VariationOptions { depth, backfill_order, priority } = self.clone();
        Ok(Variation { depth, backfill_order, priority }.applied(policy)?)
    }
}

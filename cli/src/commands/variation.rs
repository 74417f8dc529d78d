//! `--depth`, `--backfill-order` and `--priority`: options that change a policy.

use queuecast::sim::{Backfill, Depth, Formula, Order, Persistence};

use crate::failure::Failure;
use crate::spec;

/// The options that change a policy.
#[derive(Debug, Clone, Default, clap::Args)]
#[command(next_help_heading = "The scheduler")]
pub struct Variation {
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

impl Variation {
    /// The changed policy. An option that contradicts the policy's name or its settings is refused: a result called
    /// `fcfs` has no backfilling in it.
    pub fn applied(&self, policy: &Backfill) -> Result<Backfill, Failure> {
        let mut varied = policy.clone();
        if let Some(depth) = self.depth {
            let said = match (policy.order, policy.reservations) {
                _ if policy.likely.is_some() => Some("gives the first job a reservation"),
                (None, _) => Some("never backfills, so reservations change nothing"),
                (_, Depth::First(1)) => None,
                (_, already) if already == depth => None,
                (_, Depth::All) => Some("gives every job a reservation"),
                (_, Depth::First(_)) => Some("has a depth of its own"),
            };
            refuse(said, policy, "--depth", "use --policy easy with --depth")?;
            varied.reservations = depth;
        }
        if let Some(order) = self.backfill_order {
            let said = match (policy.order, policy.reservations) {
                _ if policy.likely.is_some() => Some("has an order of its own"),
                (None, _) => Some("never backfills"),
                (Some(already), _) if already == order => None,
                (_, Depth::All) => Some("gives every job a reservation in the order of the queue"),
                (Some(Order::Arrival), _) => None,
                (Some(_), _) => Some("has a backfill order of its own"),
            };
            refuse(said, policy, "--backfill-order", "use --policy easy with --backfill-order")?;
            varied.order = Some(order);
        }
        if let Some(formula) = &self.priority {
            let said = match (&policy.priority, policy.form) {
                _ if policy.likely.is_some() => Some("has an order of its own"),
                (Some(already), _) if already != formula => Some("has a priority of its own"),
                (_, Persistence::Keep) => Some("promises starts in the order of arrival"),
                _ => None,
            };
            refuse(said, policy, "--priority", "use --policy conservative:form=replan, or easy")?;
            varied.priority = Some(formula.clone());
        }
        Ok(varied)
    }
}

fn refuse(why: Option<&str>, policy: &Backfill, option: &str, hint: &str) -> Result<(), Failure> {
    match why {
        None => Ok(()),
        Some(why) => {
            Err(Failure::usage(format!("{option} contradicts --policy {policy}, which {why}")).hint(hint))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn varied(policy: &str, variation: Variation) -> Result<String, String> {
        let varied = variation.applied(&policy.parse().unwrap());
        varied.map(|policy| policy.to_string()).map_err(|failure| failure.to_string())
    }

    fn depth(depth: Depth) -> Variation {
        Variation { depth: Some(depth), ..Variation::default() }
    }

    fn order(order: Order) -> Variation {
        Variation { backfill_order: Some(order), ..Variation::default() }
    }

    fn priority(text: &str) -> Variation {
        Variation { priority: Some(text.parse().unwrap()), ..Variation::default() }
    }

    #[test]
    fn options_and_settings_mean_the_same() {
        assert_eq!(varied("easy", depth(Depth::First(4))).unwrap(), "easy:depth=4");
        assert_eq!(varied("easy", depth(Depth::All)).unwrap(), "conservative:form=replan");
        assert_eq!(varied("easy", order(Order::Largest)).unwrap(), "easy:order=largest");
        assert_eq!(varied("easy", order(Order::Shortest)).unwrap(), "sjbf");
        assert_eq!(varied("fcfs", priority("wait")).unwrap(), "fcfs:priority=wait");
        assert_eq!(varied("easy:depth=4", depth(Depth::First(4))).unwrap(), "easy:depth=4");
    }

    #[test]
    fn contradictions_are_refused() {
        for (policy, variation) in [
            ("fcfs", depth(Depth::First(2))),
            ("conservative", depth(Depth::First(2))),
            ("easy:depth=4", depth(Depth::First(2))),
            ("fcfs", order(Order::Arrival)),
            ("sjbf", order(Order::Largest)),
            ("conservative", order(Order::Largest)),
            ("conservative", priority("wait")),
            ("easy:priority=procs", priority("wait")),
        ] {
            let refusal = varied(policy, variation).unwrap_err();
            assert!(refusal.contains(&format!("contradicts --policy {policy}, which ")), "{refusal}");
        }
    }
}

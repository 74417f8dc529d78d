//! Settings that change a policy, each on its own, and which of them contradict it.

use super::{Backfill, Depth, Formula, Order, Persistence};
use queuecast_core::asking::Refusal;

/// What is changed of a policy.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Variation {
    /// How many waiting jobs hold a reservation.
    pub depth: Option<Depth>,
    /// Which jobs are tried first for backfilling.
    pub backfill_order: Option<Order>,
    /// What orders the queue.
    pub priority: Option<Formula>,
}

impl Variation {
    /// The changed policy.
    ///
    /// # Errors
    /// If a setting contradicts the policy's name or its settings: a result called `fcfs` has no backfilling in it.
    pub fn applied(&self, policy: &Backfill) -> Result<Backfill, Refusal> {
        let refuse = |why: Option<&str>, setting: &str, instead: &str| {
            let said = |why| format!("--{setting} contradicts --policy {policy}, which {why}");
            why.map_or(Ok(()), |why| Err(Refusal::question(said(why)).hint(instead)))
        };
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
            refuse(said, "depth", "use --policy easy with --depth")?;
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
            refuse(said, "backfill-order", "use --policy easy with --backfill-order")?;
            varied.order = Some(order);
        }
        if let Some(formula) = &self.priority {
            let said = match (&policy.priority, policy.form) {
                _ if policy.likely.is_some() => Some("has an order of its own"),
                (Some(already), _) if already != formula => Some("has a priority of its own"),
                (_, Persistence::Keep) => Some("promises starts in the order of arrival"),
                _ => None,
            };
            refuse(said, "priority", "use --policy conservative:form=replan, or easy")?;
            varied.priority = Some(formula.clone());
        }
        Ok(varied)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn varied(policy: &str, variation: Variation) -> Result<String, String> {
        let varied = variation.applied(&policy.parse().unwrap());
        varied.map(|policy| policy.to_string()).map_err(|error| error.to_string())
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

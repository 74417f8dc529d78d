//! Counts, by rule, of log records that are left out or adjusted.

use serde::Serialize;

/// How often a rule left out or adjusted a record.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CountedRule {
    /// What it is.
    pub rule: String,
    /// How often.
    pub count: usize,
    /// The first line of the log that it happened at.
    pub line: usize,
}

/// Counts, in the order in which rules first applied.
#[derive(Debug, Clone, Default)]
pub(super) struct RuleCounter(Vec<CountedRule>);

impl RuleCounter {
    pub fn count(&mut self, rule: &str, line: usize) {
        match self.0.iter_mut().find(|one| one.rule == rule) {
            Some(one) => one.count += 1,
            None => self.0.push(CountedRule { rule: rule.to_owned(), count: 1, line }),
        }
    }

    /// Counts what was counted elsewhere once more, at another line.
    pub fn count_again(&mut self, counted: &[CountedRule], line: usize) {
        for CountedRule { rule, count, .. } in counted {
            (0..*count).for_each(|_| self.count(rule, line));
        }
    }

    pub fn into_rules(self) -> Vec<CountedRule> {
        self.0
    }
}

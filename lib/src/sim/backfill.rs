//! The backfilling family as one description: reservation depth, order of the other jobs, form, priority.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::conservative::Conservative;
use super::leap::Leap;
use super::order::Order;
use super::plain::Plain;
use super::plain_conservative::PlainConservative;
use super::policy::Policy;
use super::priority::Formula;
use super::reservations::{Depth, Form};
use crate::spec::SpecError;

/// A member of the backfilling family.
///
/// | | depth | order |
/// | --- | --- | --- |
/// | FCFS | 1 | none |
/// | EASY (Lifka 1995) | 1 | arrival |
/// | SJBF (Tsafrir et al. 2007) | 1 | shortest first |
/// | conservative (Mu'alem & Feitelson 2001) | all | – |
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Backfill {
    /// How many blocked jobs, from the head of the queue on, get a reservation.
    pub reservations: Depth,
    /// The order in which the others are tried; `None`: they are not (first come, first served).
    pub order: Option<Order>,
    /// What becomes of reservations. [`Form::Keep`] needs [`Depth::All`] and arrival order at the head.
    pub form: Form,
    /// The order at the head of the queue: highest first, ties by arrival; `None`: by arrival.
    pub priority: Option<Formula>,
}

impl Backfill {
    /// The named members, as shown to people.
    pub const KNOWN: [&'static str; 4] = ["fcfs", "easy", "sjbf", "conservative"];

    /// First come, first served.
    pub fn fcfs() -> Backfill {
        Backfill { reservations: Depth::First(1), order: None, form: Form::Replan, priority: None }
    }

    /// EASY: one reservation, the others tried in arrival order.
    pub fn easy() -> Backfill {
        Backfill { order: Some(Order::Arrival), ..Backfill::fcfs() }
    }

    /// EASY, the others tried shortest first.
    pub fn sjbf() -> Backfill {
        Backfill { order: Some(Order::Shortest), ..Backfill::fcfs() }
    }

    /// A reservation for everybody.
    pub fn conservative(form: Form) -> Backfill {
        Backfill { reservations: Depth::All, form, ..Backfill::easy() }
    }

    /// The policy, in the fastest form that plans exactly as the plain loop.
    pub fn build(&self) -> Box<dyn Policy> {
        match (self.form, self.reservations, &self.priority) {
            (Form::Keep, _, _) => Box::new(Conservative::new()),
            (Form::Replan, Depth::First(1), None) => Box::new(Leap::new(self.order)),
            _ => self.build_plain(),
        }
    }

    /// The policy as a plain loop over all waiting jobs: the slow definition.
    pub fn build_plain(&self) -> Box<dyn Policy> {
        match self.form {
            Form::Keep => Box::new(PlainConservative::new()),
            Form::Replan => Box::new(Plain::new(self.reservations, self.order, self.priority.clone())),
        }
    }

    fn checked(self, text: &str) -> Result<Backfill, SpecError> {
        let wrong = |why: &str| Err(SpecError::value("policy", text, why));
        if self.form == Form::Keep && (self.reservations != Depth::All || self.priority.is_some()) {
            return wrong(
                "kept reservations are for everybody and in arrival order: use form=replan with a depth or a \
                 priority",
            );
        }
        if self.reservations == Depth::All && self.order != Some(Order::Arrival) {
            return wrong(
                "an order is for those without a reservation, and with depth=all everybody has one",
            );
        }
        if self.order.is_none() && self.reservations != Depth::First(1) {
            return wrong("a depth is for backfilling, and with order=none there is none");
        }
        Ok(self)
    }
}

impl FromStr for Backfill {
    type Err = SpecError;

    /// `NAME[:key=value[,key=value…]]` with the keys `depth`, `order`, `form` and `priority`.
    fn from_str(text: &str) -> Result<Backfill, SpecError> {
        let (name, settings) = text.split_once(':').map_or((text, ""), |(name, settings)| (name, settings));
        let mut policy = match name {
            "fcfs" => Backfill::fcfs(),
            "easy" => Backfill::easy(),
            "sjbf" => Backfill::sjbf(),
            "conservative" => Backfill::conservative(Form::Keep),
            _ => return Err(SpecError::unknown("policy", text, &Backfill::KNOWN)),
        };
        // A formula may hold commas of its own (min, max), so it comes last and takes the rest.
        let (settings, formula) = match settings.find("priority=") {
            Some(at) if at == 0 || settings[..at].ends_with(',') => {
                (settings[..at].trim_end_matches(','), Some(&settings[at + "priority=".len()..]))
            }
            Some(_) => return Err(SpecError::value("policy", text, "a comma is missing before priority=")),
            None => (settings, None),
        };
        for setting in settings.split(',').filter(|setting| !setting.is_empty()) {
            match setting.split_once('=').unwrap_or(("form", setting)) {
                ("depth", "all") => policy.reservations = Depth::All,
                ("depth", depth) => match depth.parse() {
                    Ok(depth) if depth >= 1 => policy.reservations = Depth::First(depth),
                    _ => return Err(SpecError::value("policy", text, "depth is a number from 1 on, or all")),
                },
                ("order", "none") => policy.order = None,
                ("order", order) => policy.order = Some(order.parse()?),
                ("form", "keep") => policy.form = Form::Keep,
                ("form", "replan") => policy.form = Form::Replan,
                _ => {
                    let why = format!(
                        "{setting:?} is no setting; known are depth=N|all, order=none|{}, form=keep|replan, \
                         priority=FORMULA",
                        Order::KNOWN.join("|")
                    );
                    return Err(SpecError::value("policy", text, why));
                }
            }
        }
        if let Some(formula) = formula {
            policy.priority = Some(formula.parse()?);
        }
        policy.checked(text)
    }
}

impl fmt::Display for Backfill {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (name, named) = match (self.reservations, self.order) {
            (Depth::All, Some(_)) => ("conservative", Backfill::conservative(Form::Keep)),
            (_, None) => ("fcfs", Backfill::fcfs()),
            (_, Some(Order::Shortest)) => ("sjbf", Backfill::sjbf()),
            _ => ("easy", Backfill::easy()),
        };
        let mut settings = Vec::new();
        if self.reservations != named.reservations {
            settings.push(match self.reservations {
                Depth::All => "depth=all".into(),
                Depth::First(depth) => format!("depth={depth}"),
            });
        }
        if let Some(order) = self.order.filter(|_| self.order != named.order) {
            settings.push(format!("order={order}"));
        }
        if self.form != named.form {
            settings.push(if self.form == Form::Keep { "form=keep" } else { "form=replan" }.into());
        }
        if let Some(formula) = &self.priority {
            settings.push(format!("priority={formula}"));
        }
        f.write_str(name)?;
        if settings.is_empty() { Ok(()) } else { write!(f, ":{}", settings.join(",")) }
    }
}

impl TryFrom<String> for Backfill {
    type Error = SpecError;
    fn try_from(text: String) -> Result<Backfill, SpecError> {
        text.parse()
    }
}

impl From<Backfill> for String {
    fn from(policy: Backfill) -> String {
        policy.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn specs_are_read_as_written() {
        for text in [
            "fcfs",
            "easy",
            "sjbf",
            "conservative",
            "easy:depth=4",
            "easy:order=largest",
            "sjbf:depth=2",
            "conservative:form=replan",
            "easy:depth=2,order=area,priority=max(wait, 60) / requested",
        ] {
            assert_eq!(text.parse::<Backfill>().unwrap().to_string(), text);
        }
        assert_eq!("conservative:replan".parse(), Ok(Backfill::conservative(Form::Replan)));
        assert_eq!("easy:order=shortest".parse::<Backfill>(), "sjbf".parse());
    }

    #[test]
    fn wrong_specs_say_what_is_possible() {
        let error = |text: &str| text.parse::<Backfill>().unwrap_err().to_string();
        assert!(error("eazy").contains("fcfs, easy, sjbf, conservative"));
        assert!(error("easy:depth=0").contains("from 1 on"));
        assert!(error("easy:order=longest").contains("smallest"));
        assert!(error("easy:deep").contains("depth=N|all"));
        assert!(error("conservative:depth=3").contains("form=replan"));
        assert!(error("easy:priority=wait +").contains("priority"));
        assert!(error("easy:depth=2priority=wait").contains("comma"));
        assert!(error("conservative:order=none").contains("everybody"));
        assert!(error("conservative:order=shortest,form=replan").contains("everybody"));
        assert!(error("fcfs:depth=5").contains("order=none"));
    }
}

//! The backfilling family as one description: reservation depth, order of the other jobs, form, priority.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::conservative::Conservative;
use super::likely::{Likely, LikelyPlanner};
use super::one_reservation::OneReservation;
use super::order::Order;
use super::plain::Plain;
use super::plain_kept::PlainKept;
use super::plain_likely::PlainLikely;
use super::policy::Policy;
use super::priority::Formula;
use super::reservations::{Depth, Persistence};
use queuecast_core::spec::{Alone, Form, SettingKey, Settings, Spec, SpecError, Written, conversions};

/// A member of the backfilling family.
///
/// | | depth | order |
/// | --- | --- | --- |
/// | FCFS | 1 | none |
/// | EASY (Lifka 1995) | 1 | arrival |
/// | SJBF (Tsafrir et al. 2007) | 1 | shortest first |
/// | conservative (Mu'alem & Feitelson 2001) | all | – |
/// | likely | 1 | shortest expected first, at the head too: see [`Likely`] |
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Backfill {
    /// How many blocked jobs, from the head of the queue on, get a reservation.
    pub reservations: Depth,
    /// The order in which the other jobs are tried; `None`: no backfilling (first come, first served).
    pub order: Option<Order>,
    /// Whether reservations persist. [`Persistence::Keep`] needs [`Depth::All`] and arrival order at the head.
    pub form: Persistence,
    /// The order at the head of the queue: highest first, ties by arrival; `None`: by arrival.
    pub priority: Option<Formula>,
    /// Backfilling on distributions: the other fields are then those of [`Backfill::sjbf`].
    pub likely: Option<Likely>,
}

impl Backfill {
    /// First come, first served.
    pub fn fcfs() -> Backfill {
        Backfill {
            reservations: Depth::First(1),
            order: None,
            form: Persistence::Replan,
            priority: None,
            likely: None,
        }
    }

    /// EASY: one reservation, the other jobs are tried in arrival order.
    pub fn easy() -> Backfill {
        Backfill { order: Some(Order::Arrival), ..Backfill::fcfs() }
    }

    /// EASY, with the other jobs tried shortest first.
    pub fn sjbf() -> Backfill {
        Backfill { order: Some(Order::Shortest), ..Backfill::fcfs() }
    }

    /// Backfilling on distributions.
    pub fn likely(likely: Likely) -> Backfill {
        Backfill { likely: Some(likely), ..Backfill::sjbf() }
    }

    /// A reservation for every blocked job.
    pub fn conservative(form: Persistence) -> Backfill {
        Backfill { reservations: Depth::All, form, ..Backfill::easy() }
    }

    /// The policy, as the fastest planner that plans exactly as the plain loop.
    pub fn build(&self) -> Box<dyn Policy> {
        if let Some(likely) = self.likely {
            return Box::new(LikelyPlanner::new(likely));
        }
        match (self.form, self.reservations, &self.priority) {
            (Persistence::Keep, _, _) => Box::new(Conservative::new()),
            (Persistence::Replan, Depth::First(1), None) => Box::new(OneReservation::new(self.order)),
            _ => self.build_plain(),
        }
    }

    /// The policy as a plain loop over all waiting jobs: the slow definition, which plans on any [`super::Capacity`].
    pub fn build_plain(&self) -> Box<dyn Policy> {
        if let Some(likely) = self.likely {
            return Box::new(PlainLikely::new(likely));
        }
        match self.form {
            Persistence::Keep => Box::new(PlainKept::new()),
            Persistence::Replan => Box::new(Plain::new(self.reservations, self.order, self.priority.clone())),
        }
    }

    fn checked(self, settings: &Settings<'_>) -> Result<Backfill, SpecError> {
        let wrong = |why: &str| Err(settings.wrong(why));
        if self.form == Persistence::Keep && (self.reservations != Depth::All || self.priority.is_some()) {
            return wrong(
                "kept reservations are for all jobs, in arrival order: use form=replan with a depth or a priority",
            );
        }
        if self.reservations == Depth::All && self.order != Some(Order::Arrival) {
            return wrong("an order is for jobs without a reservation, and with depth=all every job has one");
        }
        if self.order.is_none() && self.reservations != Depth::First(1) {
            return wrong("a depth is for backfilling, which order=none switches off");
        }
        Ok(self)
    }
}

const KEYS: &[SettingKey] = &[
    SettingKey::spec("depth", Depth::forms),
    SettingKey::new("order", "none").or_spec(Order::forms),
    SettingKey::spec("form", Persistence::forms).alone(Alone::If(|text| Persistence::parse(text).is_ok())),
    SettingKey::new("priority", "FORMULA"),
];

impl Spec for Backfill {
    const KIND: &'static str = "policy";
    const NOTE: &'static str = "Settings follow a colon: easy:depth=4,order=largest,priority=wait/requested, \
                                conservative:form=replan";

    fn forms() -> Vec<Form> {
        let form = |name, meaning, example| Form { keys: KEYS, example, ..Form::new(name, meaning) };
        vec![
            form("fcfs", "first come, first served, without backfilling", "fcfs:priority=wait"),
            form(
                "easy",
                "EASY backfilling: no job delays the first in the queue",
                "easy:depth=4,order=largest",
            ),
            form("sjbf", "EASY backfilling, shortest predicted run time first", "sjbf:depth=2"),
            form(
                "conservative",
                "backfilling in which no job delays another ahead in the queue",
                "conservative:form=replan",
            ),
            Likely::form(),
        ]
    }

    fn from_settings(settings: &Settings<'_>) -> Result<Backfill, SpecError> {
        let mut policy = match settings.name() {
            "fcfs" => Backfill::fcfs(),
            "easy" => Backfill::easy(),
            "sjbf" => Backfill::sjbf(),
            "conservative" => Backfill::conservative(Persistence::Keep),
            Likely::NAME => return Likely::read(settings).map(Backfill::likely),
            _ => return Err(settings.unread()),
        };
        settings.set("depth", &mut policy.reservations, |value| value.spec())?;
        settings.set("order", &mut policy.order, |value| match value.text() {
            "none" => Ok(None),
            _ => value.spec().map(Some),
        })?;
        settings.set("form", &mut policy.form, |value| value.spec())?;
        settings.set("priority", &mut policy.priority, |value| value.spec().map(Some))?;
        policy.checked(settings)
    }

    /// Settings may be empty or end with a comma.
    fn parse(text: &str) -> Result<Backfill, SpecError> {
        let text = if text.contains(':') { text.trim_end_matches([',', ':']) } else { text };
        Backfill::from_settings(&Settings::read(Backfill::KIND, &Backfill::forms(), text)?)
    }
}

impl fmt::Display for Backfill {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(likely) = &self.likely {
            return likely.written().fmt(f);
        }
        let (name, named) = match (self.reservations, self.order) {
            (Depth::All, Some(_)) => ("conservative", Backfill::conservative(Persistence::Keep)),
            (_, None) => ("fcfs", Backfill::fcfs()),
            (_, Some(Order::Shortest)) => ("sjbf", Backfill::sjbf()),
            _ => ("easy", Backfill::easy()),
        };
        let order = self.order.filter(|_| self.order != named.order);
        Written::new(name)
            .setting("depth", self.reservations, named.reservations)
            .optional(order.map(|order| format!("order={order}")))
            .setting("form", self.form, named.form)
            .optional(self.priority.as_ref().map(|formula| format!("priority={formula}")))
            .fmt(f)
    }
}

conversions!(Backfill);

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
            "likely",
            "likely:confidence=0.9,ageing=36h,patience=3d",
            "likely:ageing=90s",
        ] {
            assert_eq!(text.parse::<Backfill>().unwrap().to_string(), text);
        }
        assert_eq!("conservative:replan".parse(), Ok(Backfill::conservative(Persistence::Replan)));
        assert_eq!("easy:order=shortest".parse::<Backfill>(), "sjbf".parse());
        assert_eq!("easy:".parse::<Backfill>(), "easy".parse());
        assert_eq!("likely:patience=4d,ageing=43200".parse::<Backfill>(), "likely".parse());
        assert!("easy,".parse::<Backfill>().is_err());
    }

    #[test]
    fn wrong_specs_say_what_is_possible() {
        let error = |text: &str| text.parse::<Backfill>().unwrap_err().to_string();
        assert!(error("eazy").contains("fcfs, easy, sjbf, conservative, likely"));
        assert!(error("easy:depth=0").contains("from 1 on"), "{}", error("easy:depth=0"));
        assert!(error("easy:order=longest").contains("smallest"));
        assert!(error("easy:deep").contains("depth=N|all, order=none|arrival|shortest"));
        assert!(error("conservative:depth=3").contains("form=replan"));
        assert!(error("easy:priority=wait +").contains("priority"));
        assert!(error("easy:depth=2priority=wait").contains("from 1 on"));
        assert!(error("conservative:order=none").contains("every job has one"));
        assert!(error("conservative:order=shortest,form=replan").contains("every job has one"));
        assert!(error("likely:confidence=1.5").contains("from 0 to 1"));
        assert!(error("likely:patience=0").contains("36h") && error("likely:ageing=2 weeks").contains("36h"));
        assert!(error("likely:depth=2").contains("confidence=CONFIDENCE, ageing=TIME, patience=TIME"));
        assert!(error("fcfs:depth=5").contains("order=none"));
    }
}

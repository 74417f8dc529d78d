//! Conservative backfilling with kept reservations: the plain loop while few jobs wait, an index when many do.
//!
//! Both plan the same, so it makes no difference to a schedule when one takes over from the other.

mod indexed;
mod reservation;

use self::indexed::Indexed;
use super::plain_conservative::PlainConservative;
use super::policy::{Change, Policy, Start};
use crate::site::View;
use queuecast_core::units::Time;

/// The policy.
#[derive(Debug, Clone)]
pub(super) enum Conservative {
    /// Every reservation is visited at every plan.
    Plain(PlainConservative),
    /// Only reservations are visited that may have become movable.
    Indexed(Box<Indexed>),
}

/// With more waiting jobs than this the index is faster.
const MANY: usize = 64;

/// With fewer than this the plain loop is.
const FEW: usize = 32;

impl Conservative {
    pub fn new() -> Conservative {
        Conservative::Plain(PlainConservative::new())
    }
}

impl Policy for Conservative {
    fn plan(&mut self, view: &View<'_>, starts: &mut Vec<Start>) {
        match self {
            Conservative::Plain(plain) => plain.plan(view, starts),
            Conservative::Indexed(indexed) => indexed.plan(view, starts),
        }
        let waiting = view.queue_length().saturating_sub(starts.len());
        let other = match self {
            Conservative::Plain(plain) if waiting > MANY => {
                Indexed::from_plain(plain).map(|indexed| Conservative::Indexed(Box::new(indexed)))
            }
            Conservative::Indexed(indexed) if waiting < FEW => indexed.to_plain().map(Conservative::Plain),
            _ => None,
        };
        if let Some(other) = other {
            *self = other;
        }
    }

    fn note(&mut self, change: Change) {
        match self {
            Conservative::Plain(plain) => plain.note(change),
            Conservative::Indexed(indexed) => indexed.note(change),
        }
    }

    fn wake(&self) -> Option<Time> {
        match self {
            Conservative::Plain(plain) => plain.wake(),
            Conservative::Indexed(indexed) => indexed.wake(),
        }
    }
}

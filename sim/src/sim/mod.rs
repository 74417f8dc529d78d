//! What the scheduler would do: an exact, event-driven simulation of backfilling.
//!
//! A simulation is a [site](crate::site) plus the true run times and an agenda. Knows the predictor trait, never a predictor. Time is whole
//! seconds; what happens at one instant happens in the order written at [`EventOrder`].

mod agenda;
mod arrivals;
mod availability;
mod backfill;
mod conservative;
mod engine;
mod error;
mod fork;
mod joining;
mod likely;
mod one_reservation;
mod options;
mod order;
mod plain;
mod plain_conservative;
mod plain_kept;
mod plain_likely;
mod policy;
mod priority;
mod reservations;
mod run_on;
mod run_queue;
mod schedule;
mod secrets;
mod size_class;
mod variation;

pub use crate::site::{Capacity, Earliest, Nodes, Otherwise, Profile, RunningJob, Started, View, WaitingJob};
pub use backfill::Backfill;
pub use engine::{Components, Engine, Observer, Unknown, simulate};
pub use error::SimError;
pub use fork::Fork;
pub use joining::{AwaitedEnd, Joiner, Joining};
pub use likely::Likely;
pub use options::{EventOrder, LimitRule, Options};
pub use order::Order;
pub use policy::{Change, Policy, Start};
pub use priority::Formula;
pub use reservations::{Depth, Persistence};
pub use run_on::{HeldProcs, RunOn, RunOnState};
pub use run_queue::QueuedJob;
pub use schedule::{Backfilled, Placement, Reason, Schedule, Standing};
pub use variation::Variation;

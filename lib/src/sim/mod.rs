//! What the scheduler would do: an exact, event-driven simulation of backfilling.
//!
//! Knows the predictor trait, never a predictor; works on a workload, whoever made it. Time is whole
//! seconds; what happens at one instant happens in the order written at [`EventOrder`].

mod agenda;
mod backfill;
mod blocks;
mod conservative;
mod engine;
mod error;
mod fork;
mod leap;
mod options;
mod order;
mod plain;
mod plain_conservative;
mod policy;
mod priority;
mod profile;
mod queue;
mod reservations;
mod rows;
mod running;
mod schedule;
mod size_class;
mod timeline;
mod view;

pub use backfill::Backfill;
pub use engine::{Company, Engine, Observer, simulate};
pub use error::SimError;
pub use fork::{Fork, Unknown};
pub use options::{EventOrder, LimitRule, Options};
pub use order::Order;
pub use policy::{Change, Policy, Start};
pub use priority::Formula;
pub use profile::Profile;
pub use reservations::{Depth, Persistence};
pub use schedule::{Backfilled, Placement, Reason, Schedule, Standing};
pub use view::{RunningJob, View, WaitingJob};

//! Reservations and outages of nodes.

use serde::Serialize;

use super::partition::Allowed;
use super::tres::Tres;
use queuecast_core::units::Time;

/// Nodes that are kept for some users or accounts from one instant to another.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct AdvanceReservation {
    /// Its name.
    pub name: String,
    /// Indices of its nodes, ascending.
    pub nodes: Vec<usize>,
    /// When it begins, as a Unix time.
    pub start: Time,
    /// When it ends, as a Unix time.
    pub end: Time,
    /// Its users.
    pub users: Allowed,
    /// Its accounts.
    pub accounts: Allowed,
    /// Its partition: only those of its nodes are reserved.
    pub partition: Option<String>,
    /// Cores of all its nodes together, if only some of each are reserved; `None`: whole nodes.
    pub cores: Option<u32>,
    /// Licenses it keeps.
    pub licenses: Tres,
    /// Its kind.
    pub flags: ReservationFlags,
}

/// Kinds of reservations.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct ReservationFlags {
    /// For maintenance: may overlap other reservations.
    pub maintenance: bool,
    /// Running jobs did not hinder its creation.
    pub ignore_jobs: bool,
    /// It may overlap other reservations.
    pub overlap: bool,
    /// Jobs may use other nodes besides its own.
    pub flexible: bool,
    /// Jobs that are allowed to use it do so without naming it.
    pub magnetic: bool,
    /// It comes again every day.
    pub daily: bool,
    /// It comes again every week.
    pub weekly: bool,
    /// It comes again on working days.
    pub weekday: bool,
    /// It comes again on weekends.
    pub weekend: bool,
    /// It comes again every hour.
    pub hourly: bool,
    /// Its jobs go on when it ends.
    pub no_hold_jobs_after_end: bool,
    /// Nodes that fail are replaced, and those given to jobs too.
    pub replace: bool,
    /// Nodes that fail are replaced.
    pub replace_down: bool,
    /// Nodes that fail are kept.
    pub static_nodes: bool,
    /// It has all nodes of its partition, whatever they become.
    pub part_nodes: bool,
    /// It has all nodes.
    pub all_nodes: bool,
    /// It has licenses only.
    pub any_nodes: bool,
    /// It is gone when its jobs have ended.
    pub purge_when_idle: bool,
    /// Its begin stays at a constant distance from the current time (`TIME_FLOAT`).
    pub floating: bool,
}

/// A node is out of service from one instant to another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Outage {
    /// Index of the node.
    pub node: usize,
    /// When it begins, as a Unix time.
    pub from: Time,
    /// When it ends; [`Time::NEVER`] if that is not known.
    pub to: Time,
    /// Whether jobs that run on the node go on.
    pub drained: bool,
}

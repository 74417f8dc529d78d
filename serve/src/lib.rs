//! The service: what the library says of followed sites, over HTTP, and the page that shows it.
//!
//! Each site is followed by a thread of its own, which publishes a [`ServedSnapshot`] at each look. Requests read the last one and change
//! nothing; what has to be simulated for a question is computed beside the connections, a bounded number at a time, from what was learned
//! before. The bodies of answers are those of the commands: the same types, serialised by the same function.

mod access;
mod answers;
mod app;
mod assets;
mod cluster;
mod events;
mod follower;
mod listener;
mod metrics;
mod openapi;
mod past_bodies;
mod patient_stream;
mod pseudonyms;
mod question;
mod refused;
mod route_form;
mod routes;
mod service;
mod snapshot;

pub use access::{Access, AccessError, read_token};
pub use app::app;
pub use cluster::{ClusterKind, ServedCluster};
pub use listener::{ServeError, serve};
pub use service::{LogEvent, Service, ServiceLimits, ServiceSettings};
pub use snapshot::ServedSnapshot;

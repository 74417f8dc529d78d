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
mod computing;
mod events;
mod follower;
mod json_body;
mod listener;
mod log_event;
mod metrics;
mod openapi;
mod patient_stream;
mod played_past;
mod pseudonyms;
mod question;
mod refused;
mod route_form;
mod routes;
mod served_body;
mod service;
mod snapshot;
mod what_if;

pub use access::{Access, AccessError, listen_address, read_token};
pub use app::app;
pub use cluster::{ClusterKind, ServedCluster};
pub use listener::{ServeError, ServiceCall, serve};
pub use log_event::{LogEvent, LogLevel, LogLineFormat};
pub use service::{Service, ServiceLimits, ServiceRules, ServiceSettings};
pub use snapshot::ServedSnapshot;

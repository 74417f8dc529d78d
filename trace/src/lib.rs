//! Logs of real systems: reading, writing, cleaning and describing them.
//!
//! Several formats come in ([`FORMATS`]), the Standard Workload Format of the Parallel Workloads Archive ([`swf`]) and the text
//! output of Slurm's `sacct` ([`sacct`]), plain or compressed; all become [`Record`]s, which
//! [`mod@clean`] filters by named and counted rules. [`read`] combines these steps and returns a [`Workload`](queuecast_core::workload::Workload).
//!
//! The module reads from any [`std::io::Read`] and does not depend on files, clocks, schedulers or predictions. To
//! show progress, wrap the reader.
//!
//! ```
//! use queuecast_trace::ReadOptions;
//!
//! let text = "; MaxProcs: 8\n1 0 -1 60 4 -1 -1 4 120 -1 1 3 -1 -1 -1 -1 -1 -1\n2 5 -1 -1 4 -1 -1 4 120 -1 5 3 -1 -1 -1 -1 -1 -1\n";
//! let log = queuecast_trace::read(text.as_bytes(), &ReadOptions::default())?;
//! assert_eq!(log.workload.len(), 1);
//! assert!(log.report.to_string().contains("run-missing: 1 removed"));
//! # Ok::<(), queuecast_trace::TraceError>(())
//! ```

pub mod clean;
mod columns;
mod convert;
pub mod date;
mod describe;
mod error;
mod facts;
mod formats;
pub mod hostlist;
mod identities;
mod input;
mod lines;
mod log;
mod machine;
mod moment;
mod names;
mod options;
mod parsed;
mod partition_queue;
mod raw;
mod record;
mod records;
pub mod sacct;
mod select;
pub mod sinfo;
pub mod sniff;
pub mod squeue;
mod store;
pub mod swf;
mod unreadable;
mod zstd;

pub use clean::{CleaningReport, Rule, Ruleset};
pub use convert::{Cleaned, Converted, clean, convert};
pub use describe::{Distinct, FieldPresence, Info, Inspected, describe, inspect};
pub use error::{ClusterJobs, FieldPlace, Malformed, TraceError, places};
pub use facts::{WorkloadFacts, digest};
pub use formats::FORMATS;
pub use input::{CompressedOutput, Compression, plain_text};
pub use jiff::tz::TimeZone;
pub use log::{Log, read};
pub use machine::{MachineSize, MachineSource};
pub use moment::{Moment, PastSpan, past_moment};
pub use options::{LogFormat, ReadOptions, time_zone};
pub use partition_queue::PartitionQueue;
pub use queuecast_core::stats::Percentiles;
pub use raw::{LogSpan, RawLog};
pub use record::{Field, Record, UNKNOWN};
pub use records::Records;
pub use swf::{Header, SwfWriter};

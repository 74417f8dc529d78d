//! A Slurm site as it is, read from texts: its configuration files, what its commands print, its submissions.
//!
//! [`read_site`] makes a [`SiteReading`] out of whatever texts a folder has: a [`Cluster`](crate::cluster::Cluster), a
//! recorded run where there is one, and what was not understood. Nothing is guessed silently: what no text tells is listed as
//! missing with what is taken instead, settings that matter to scheduling and are not in the types are listed as not
//! modelled, and what could not be read is listed with file, line and what was expected. Bad input is reported, never fatal.
//!
//! [`sbatch`] and [`sbatch_line`] read the arguments of one submission.
//!
//! The module reads texts, never files.

mod accounting;
mod checks;
mod conf;
mod csv;
mod differing;
mod expressions;
mod file_kind;
mod jobs;
mod known;
mod nodes;
mod notes;
mod options;
mod outages;
mod parameters;
mod partitions;
mod recording;
mod request_values;
mod reservations;
mod sbatch;
mod settings;
mod site;
mod topology;
mod values;

pub use crate::trace::hostlist::compressed as node_list;
pub use differing::{DifferingSetting, differing_settings};
pub use file_kind::SiteFileKind;
pub use notes::{Misread, Unmodelled};
pub use sbatch::{SbatchError, SbatchRequest, sbatch, sbatch_line};
pub use site::{MissingText, SiteOptions, SiteReading, read_site};

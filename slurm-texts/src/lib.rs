//! A Slurm site as it is, read from texts: its configuration files, what its commands print, its submissions.
//!
//! [`read_site`] makes a [`SiteReading`] out of whatever texts a folder has: a [`Cluster`](queuecast_slurm_sim::cluster::Cluster), a
//! recorded run where there is one, and what was not understood. Nothing is guessed silently: what no text tells is listed as
//! missing with what is taken instead, settings that matter to scheduling and are not in the types are listed as not
//! modelled, and what could not be read is listed with file, line and what was expected. Bad input is reported, never fatal.
//!
//! [`sbatch`] and [`sbatch_line`] read the arguments of one submission.
//!
//! The module reads texts, never files.

mod accounted;
mod accounted_arrays;
mod accounted_columns;
mod accounted_request;
mod accounted_row;
mod accounted_rows;
mod accounted_span;
mod accounting;
mod administered;
mod capture;
mod change;
mod changed;
mod checked;
mod checked_answer;
mod checks;
mod conf;
mod csv;
mod decided;
mod differing;
mod expressions;
mod file_kind;
mod forms;
mod given_nodes;
mod job_change;
mod job_script;
mod jobs;
mod known;
mod known_requests;
mod listed;
mod logged_jobs;
mod named_jobs;
mod nearest;
mod node_values;
mod nodes;
mod notes;
mod now;
mod options;
mod outages;
mod part_changes;
mod partitions;
mod recorded_ends;
mod recorded_site;
mod recording;
mod request_values;
mod reservations;
mod rules;
mod sbatch;
mod sbatch_written;
mod setting;
mod setting_change;
mod settings;
mod site;
mod site_changes;
mod snapshots;
mod submission_list;
mod submitted;
mod table;
mod topology;
mod unmodelled;
mod values;
mod what_if;

pub use accounted_span::span_of;
pub use capture::{
    ACCOUNTING_FILE, CaptureCommand, CaptureRecord, CapturedAnswer, CapturedFile, CapturedSite,
    CommandAnswer, WithoutAnswer, capture_commands, hides_jobs, without_answer,
};
pub use change::{AppliedChange, ChangeError, ChangedValue, SiteChange};
pub use changed::read_changed_site;
pub use checked::{CheckedSite, RecordingCounts};
pub use checked_answer::{AnswerError, check_answer};
pub use decided::{DecisionsReading, read_decisions};
pub use differing::{DifferingSetting, differing_settings};
pub use file_kind::SiteFileKind;
pub use job_script::{is_job_script, script_arguments};
pub use listed::{ListedSetting, listed_settings};
pub use notes::{Misread, Unmodelled};
pub use now::{SACCT_NOW, SSHARE_NOW, moment_now, read_accounted, usage_now};
pub use queuecast_trace::hostlist::compressed as node_list;
pub use recorded_site::{NoRecordedSite, RecordedSite, read_recorded_site};
pub use rules::CountedRule;
pub use sbatch::{SbatchError, SbatchRequest, sbatch, sbatch_line};
pub use sbatch_written::beyond_processors;
pub use setting_change::{ChangeEffect, SettingChange};
pub use site::{MissingText, SiteOptions, SiteReading, read_site};
pub use site_changes::{SiteChanges, site_changes};
pub use snapshots::read_expected_starts;
pub use submission_list::write_submissions;
pub use submitted::{read_array, read_submissions};
pub use unmodelled::{left_out, unmodelled};
pub use what_if::{SubmissionLog, WhatIf, WhatIfError, log_span, read_what_if};

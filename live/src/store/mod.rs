//! What is remembered of followed sites.

mod columns;
mod database;
mod error;
mod kept;
mod location;
mod looks;
mod postgres;
mod schema;
mod shadow_counts;
mod site_texts;
mod sql_store;
mod sqlite;
#[cfg(test)]
pub(crate) mod test_place;

use std::collections::{BTreeMap, HashSet};
use std::io::Write;

use queuecast_core::units::Time;
use queuecast_place::ShadowTally;

pub use error::StoreError;
pub use location::StoreLocation;
pub use postgres::ServerAddress;
pub use sql_store::SqlStore;

use crate::forecasts::{JobForecast, JudgedForecast};
use crate::look::Look;
use crate::rows::AccountingRows;
use crate::shadow_card::ShadowRecord;

/// A followed cluster in a store.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ClusterNumber(pub i64);

/// A look that was stored: the queue and the nodes at its moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredLook {
    /// Its number; later looks have higher ones, whatever the clock said.
    pub number: i64,
    /// What Slurm printed then.
    pub look: Look,
}

/// A job that has not ended, as far as accounting is known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnendedJob {
    /// Slurm's number of it.
    pub id: u64,
    /// As it is shown: `141_3` for a task of an array, `141_[4-9]` for those that wait.
    pub name: String,
    /// When it was submitted.
    pub submit: Time,
}

/// A part of what was learned.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LearnedPart {
    /// Its name.
    pub name: String,
    /// Its state.
    pub bytes: Vec<u8>,
}

/// A look that failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FailedLook {
    /// When.
    pub at: Time,
    /// What was asked, and why there was no answer.
    pub why: String,
}

/// What is remembered of followed sites. Each call is done as a whole or not at all; doing it twice is doing it once.
pub trait Store {
    /// The cluster of this name, known from now on.
    fn cluster(&mut self, name: &str) -> Result<ClusterNumber, StoreError>;

    /// The clusters, by name.
    fn clusters(&self) -> Result<Vec<(String, ClusterNumber)>, StoreError>;

    /// Remembers a look: its number, and how many lines of the queue differ from the look before. A look of the moment of the last one
    /// replaces it.
    fn add_look(&mut self, cluster: ClusterNumber, look: &Look) -> Result<(i64, usize), StoreError>;

    /// Remembers that a look failed.
    fn add_failure(&mut self, cluster: ClusterNumber, failure: &FailedLook) -> Result<(), StoreError>;

    /// When the last look was that did not fail.
    fn last_look(&self, cluster: ClusterNumber) -> Result<Option<Time>, StoreError>;

    /// The last failed look, if no other look came after it.
    fn last_failure(&self, cluster: ClusterNumber) -> Result<Option<FailedLook>, StoreError>;

    /// The site at a moment: the last look that was made by then.
    fn look_at(&self, cluster: ClusterNumber, at: Time) -> Result<Option<StoredLook>, StoreError>;

    /// Remembers rows of accounting, each in place of what was known of the same job and submission: how many were new or differ. With
    /// `until`, the history is complete up to that moment.
    fn add_accounting(
        &mut self,
        cluster: ClusterNumber,
        rows: &AccountingRows<'_>,
        until: Option<Time>,
    ) -> Result<usize, StoreError>;

    /// Jobs whose newest row says that they have not ended: their numbers, as they are shown, and when they were submitted; the latest
    /// submissions first.
    fn open_jobs(&self, cluster: ClusterNumber) -> Result<Vec<UnendedJob>, StoreError>;

    /// Up to when the history is complete.
    fn history_until(&self, cluster: ClusterNumber) -> Result<Option<Time>, StoreError>;

    /// Writes the history as `sacct` prints it, by number of job and submission: the jobs that were submitted by `at`, whatever became of
    /// them since. Readers leave out what was not known at `at`. Returns how many rows were written.
    fn write_history(
        &self,
        cluster: ClusterNumber,
        at: Time,
        to: &mut dyn Write,
    ) -> Result<usize, StoreError>;

    /// As [`Store::write_history`], of the jobs that were submitted between two moments, or before them with one of these
    /// numbers.
    fn write_recent(
        &self,
        cluster: ClusterNumber,
        submitted: (Time, Time),
        jobs: &[u64],
        to: &mut dyn Write,
    ) -> Result<usize, StoreError>;

    /// When the job was submitted that comes this many places before the last one that was submitted by a moment; `None` if there are
    /// fewer.
    fn submission_before(
        &self,
        cluster: ClusterNumber,
        at: Time,
        places: usize,
    ) -> Result<Option<Time>, StoreError>;

    /// Those of some numbers of jobs that accounting has.
    fn known_jobs(&self, cluster: ClusterNumber, jobs: &[u64]) -> Result<HashSet<u64>, StoreError>;

    /// Remembers the texts that describe a site from a moment on, by name. One that is as before is kept once.
    fn keep_texts(
        &mut self,
        cluster: ClusterNumber,
        at: Time,
        texts: &BTreeMap<String, String>,
    ) -> Result<(), StoreError>;

    /// Remembers one of these texts from a moment on, if it is another than before; whether it is. When all were remembered last stays.
    fn keep_text(
        &mut self,
        cluster: ClusterNumber,
        at: Time,
        named: (&str, &str),
    ) -> Result<bool, StoreError>;

    /// The texts that describe a site, as they were by a moment; none if there were none.
    fn texts_at(&self, cluster: ClusterNumber, at: Time) -> Result<BTreeMap<String, String>, StoreError>;

    /// When texts were remembered last.
    fn texts_kept(&self, cluster: ClusterNumber) -> Result<Option<Time>, StoreError>;

    /// Keeps what was computed of the waiting jobs of a look, by its number, and forgets that of looks before the last ones.
    fn keep_starts(&mut self, cluster: ClusterNumber, look: i64, bytes: &[u8]) -> Result<(), StoreError>;

    /// What was computed of the waiting jobs of a look.
    fn starts_of(&self, cluster: ClusterNumber, look: i64) -> Result<Option<Vec<u8>>, StoreError>;

    /// What was computed last of the waiting jobs of a look, up to the one of this number: the number of the look, when it was, and what.
    fn starts_up_to(
        &self,
        cluster: ClusterNumber,
        look: i64,
    ) -> Result<Option<(i64, Time, Vec<u8>)>, StoreError>;

    /// Keeps what was learned up to a moment, in parts by name, and forgets what was learned before the last time.
    fn keep_learned(
        &mut self,
        cluster: ClusterNumber,
        until: Time,
        parts: &[LearnedPart],
    ) -> Result<(), StoreError>;

    /// The last moment up to which something was learned that was known at `at`.
    fn learned_until(&self, cluster: ClusterNumber, at: Time) -> Result<Option<Time>, StoreError>;

    /// A part of what was learned up to a moment.
    fn learned(&self, cluster: ClusterNumber, until: Time, name: &str)
    -> Result<Option<Vec<u8>>, StoreError>;

    /// Remembers what is said of waiting jobs. What becomes of them is noted by later looks and by accounting.
    fn add_forecasts(&mut self, cluster: ClusterNumber, forecasts: &[JobForecast]) -> Result<(), StoreError>;

    /// When the last forecast was made of each job of which it is not known what became of it.
    fn open_forecasts(&self, cluster: ClusterNumber) -> Result<Vec<(String, Time)>, StoreError>;

    /// Forecasts since a moment, by when they were made, with what became of the jobs as far as it was known at `at`.
    fn forecasts(
        &self,
        cluster: ClusterNumber,
        since: Time,
        at: Time,
    ) -> Result<Vec<JudgedForecast>, StoreError>;

    /// The last of these, at most a number of them.
    fn last_forecasts(
        &self,
        cluster: ClusterNumber,
        between: (Time, Time),
        most: usize,
    ) -> Result<Vec<JudgedForecast>, StoreError>;

    /// When looks were made from one moment to another, in their order.
    fn look_times(&self, cluster: ClusterNumber, between: (Time, Time)) -> Result<Vec<Time>, StoreError>;

    /// Up to when decisions have been or are being compared with those of the simulated scheduler.
    fn shadow_begun(&self, cluster: ClusterNumber) -> Result<Option<Time>, StoreError>;

    /// Remembers that decisions are being compared up to a moment: what ends a process is not begun again.
    fn begin_shadow(&mut self, cluster: ClusterNumber, until: Time) -> Result<(), StoreError>;

    /// Counts the decisions between two looks, unless those of later ones are counted.
    fn add_shadow(&mut self, cluster: ClusterNumber, tally: &ShadowTally) -> Result<(), StoreError>;

    /// The decisions that were compared in the hours between two moments.
    fn shadow(&self, cluster: ClusterNumber, between: (Time, Time)) -> Result<ShadowRecord, StoreError>;

    /// Forgets looks and failures from before a moment; the history stays. Returns how many looks were forgotten.
    fn forget_looks(&mut self, cluster: ClusterNumber, before: Time) -> Result<usize, StoreError>;
}

#[cfg(test)]
mod tests;

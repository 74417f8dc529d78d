//! Following a site: a look at every interval, and its accounting in windows.

use std::collections::HashSet;

use queuecast_core::units::{Seconds, Time};

use crate::declared::{self, DeclaredCommand};
use crate::look::Look;
use crate::rows::AccountingRows;
use crate::store::{ClusterNumber, FailedLook, Store, StoreError, UnendedJob};

/// Runs a command of Slurm's.
pub trait Ask {
    /// What it prints, with times in Unix seconds.
    fn ask(&self, command: &DeclaredCommand) -> Result<String, AskFailed>;
}

/// Why there is no answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct AskFailed(pub String);

/// How a site is followed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CollectorSettings {
    /// How far back the history goes at first.
    pub history: Seconds,
    /// How much of the history one query asks for.
    pub window: Seconds,
    /// How often accounting is asked for what has ended.
    pub accounting_every: Seconds,
    /// How long looks are kept.
    pub keep_looks: Seconds,
}

impl Default for CollectorSettings {
    fn default() -> CollectorSettings {
        let day = 86_400;
        CollectorSettings {
            history: Seconds(365 * day),
            window: Seconds(7 * day),
            accounting_every: Seconds(1200),
            keep_looks: Seconds(30 * day),
        }
    }
}

/// Windows overlap by this, since the clocks of daemons differ and records are written late.
const OVERLAP: Seconds = Seconds(300);

/// Windows that are loaded for the history.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct LoadedWindows {
    /// Up to when the history is complete.
    pub until: Option<Time>,
    /// Rows that were new or had changed.
    pub rows: usize,
    /// Lines that are no whole row, as of names with line feeds.
    pub broken: usize,
}

/// What one round brought.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Collected {
    /// The number of the look and how many lines of the queue changed, unless it failed.
    pub look: Option<(i64, usize)>,
    /// What was loaded of the history, if it was its turn.
    pub history: Option<LoadedWindows>,
    /// What could not be asked, and why.
    pub failures: Vec<String>,
    /// Looks that were forgotten.
    pub forgotten: usize,
}

/// Follows one cluster.
#[derive(Debug)]
pub struct Collector<'s, S: Store> {
    store: &'s mut S,
    cluster: ClusterNumber,
    settings: CollectorSettings,
}

impl<'s, S: Store> Collector<'s, S> {
    /// Follows a cluster into a store.
    pub fn new(
        store: &'s mut S,
        name: &str,
        settings: CollectorSettings,
    ) -> Result<Collector<'s, S>, StoreError> {
        let cluster = store.cluster(name)?;
        Ok(Collector { store, cluster, settings })
    }

    /// One look, and accounting if it is its turn. Slurm that does not answer is remembered and told, and no error.
    ///
    /// `on_window` is told after each window of the history up to when it is complete; it returns whether to go on.
    ///
    /// # Errors
    /// If the store cannot be written to.
    pub fn round(
        &mut self,
        slurm: &dyn Ask,
        now: Time,
        on_window: &mut dyn FnMut(Time) -> bool,
    ) -> Result<Collected, StoreError> {
        let mut collected = Collected::default();
        let mut queue = None;
        match look(slurm, now) {
            Ok(look) => {
                collected.look = Some(self.store.add_look(self.cluster, &look)?);
                queue = Some(look.queue);
            }
            Err(why) => {
                self.store.add_failure(self.cluster, &FailedLook { at: now, why: why.clone() })?;
                collected.failures.push(why);
            }
        }
        let known = self.store.history_until(self.cluster)?;
        if known.is_none_or(|known| now - known >= self.settings.accounting_every || known > now) {
            let loaded = self.load_history(slurm, now, on_window)?;
            match loaded {
                Ok(mut loaded) => {
                    if let Some(queue) = queue {
                        match self.load_late(slurm, &queue, now)? {
                            Ok(rows) => loaded.rows += rows,
                            Err(why) => collected.failures.push(why),
                        }
                    }
                    collected.history = Some(loaded);
                }
                Err((loaded, why)) => {
                    collected.history = Some(loaded);
                    collected.failures.push(why);
                }
            }
            collected.forgotten = self.store.forget_looks(self.cluster, now - self.settings.keep_looks)?;
        }
        Ok(collected)
    }

    /// Loads the history in windows from where it is complete up to now. Each window is stored before the next is asked for, so that
    /// a process that is ended goes on there.
    fn load_history(
        &mut self,
        slurm: &dyn Ask,
        now: Time,
        on_window: &mut dyn FnMut(Time) -> bool,
    ) -> Result<Result<LoadedWindows, (LoadedWindows, String)>, StoreError> {
        let mut loaded =
            LoadedWindows { until: self.store.history_until(self.cluster)?, ..LoadedWindows::default() };
        // A clock that was set back leaves no gap: what is new by that clock is asked for.
        let known = loaded.until.unwrap_or(now - self.settings.history);
        let mut from = if known > now { now - self.settings.accounting_every } else { known };
        while from < now {
            let to = (from + self.settings.window).min(now);
            let command = declared::accounting((from - OVERLAP).0, to.0);
            let text = match slurm.ask(&command) {
                Ok(text) => text,
                Err(why) => return Ok(Err((loaded, format!("{}: {why}", command.program)))),
            };
            let Some(rows) = AccountingRows::of(&text) else {
                let said = text.lines().next().unwrap_or_default();
                return Ok(Err((loaded, format!("sacct printed no table of jobs: {said:?}"))));
            };
            loaded.broken += rows.rows().filter(Result::is_err).count();
            loaded.rows += self.store.add_accounting(self.cluster, &rows, Some(to))?;
            (loaded.until, from) = (Some(to), to);
            if !on_window(to) {
                break;
            }
        }
        Ok(Ok(loaded))
    }
}

/// The jobs of one query for what ended unnoticed.
const MOST_LATE: usize = 500;

/// A job that is not in the queue and has not ended by accounting is asked for once it has had this long to be recorded.
const RECORDED: Seconds = Seconds(600);

impl<S: Store> Collector<'_, S> {
    /// Asks for jobs that are gone from the queue, and of whose end accounting did not know when their window was loaded: its records
    /// may be written hours late. How many rows have changed.
    fn load_late(
        &mut self,
        slurm: &dyn Ask,
        queue: &str,
        now: Time,
    ) -> Result<Result<usize, String>, StoreError> {
        let names: HashSet<&str> = queue.lines().filter_map(|line| line.split('|').next()).collect();
        let arrays: HashSet<&str> = names.iter().filter_map(|name| Some(name.split_once('_')?.0)).collect();
        let is_there = |job: &UnendedJob| match job.name.split_once("_[") {
            // The tasks of an array that wait have one row.
            Some((array, _)) => arrays.contains(array),
            None => names.contains(job.name.as_str()),
        };
        let open = self.store.open_jobs(self.cluster)?;
        let late = open.iter().filter(|job| now - job.submit >= RECORDED && !is_there(job));
        let late: Vec<&UnendedJob> = late.take(MOST_LATE).collect();
        let Some(first) = late.iter().map(|job| job.submit).min() else { return Ok(Ok(0)) };
        let numbers: Vec<u64> = late.iter().map(|job| job.id).collect();
        let command = declared::accounting_of(&numbers, (first - OVERLAP).0, now.0);
        let text = match slurm.ask(&command) {
            Ok(text) => text,
            Err(why) => return Ok(Err(format!("{}: {why}", command.program))),
        };
        let rows = AccountingRows::of(&text);
        rows.map_or(Ok(Ok(0)), |rows| self.store.add_accounting(self.cluster, &rows, None).map(Ok))
    }
}

/// Asks for the queue and the nodes.
fn look(slurm: &dyn Ask, at: Time) -> Result<Look, String> {
    let ask =
        |command: DeclaredCommand| slurm.ask(&command).map_err(|why| format!("{}: {why}", command.program));
    let (queue, nodes) = (ask(declared::queue())?, ask(declared::nodes())?);
    if nodes.trim().is_empty() {
        return Err("sinfo: it names no nodes".to_owned());
    }
    Ok(Look { at, queue, nodes })
}

#[cfg(test)]
mod samples;
#[cfg(test)]
mod tests;

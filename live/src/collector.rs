//! Following a site: a look at every interval, and its accounting in windows.

use std::collections::{BTreeMap, HashSet};

use queuecast_core::units::{Seconds, Time};
use queuecast_slurm_texts::{SiteFileKind, WithoutAnswer, check_answer, without_answer};

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
    /// How often what describes the site is asked for; `None`: never.
    pub texts_every: Option<Seconds>,
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
            texts_every: Some(Seconds(3600)),
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
    /// The jobs of the queue that accounting did not have when it was asked for them last, and when that was.
    asked: AskedJobs,
}

/// Jobs that accounting did not have when it was asked for them last, and when that was.
#[derive(Debug, Clone, Default)]
pub struct AskedJobs(BTreeMap<u64, Time>);

impl<'s, S: Store> Collector<'s, S> {
    /// Follows a cluster into a store.
    pub fn new(
        store: &'s mut S,
        name: &str,
        settings: CollectorSettings,
    ) -> Result<Collector<'s, S>, StoreError> {
        let cluster = store.cluster(name)?;
        Ok(Collector { store, cluster, settings, asked: AskedJobs::default() })
    }

    /// After rounds that asked for these jobs in vain.
    #[must_use]
    pub fn after(self, asked: AskedJobs) -> Collector<'s, S> {
        Collector { asked, ..self }
    }

    /// The jobs that were asked for in vain, for later rounds.
    #[must_use]
    pub fn asked(self) -> AskedJobs {
        self.asked
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
        let mut has_accounting = known.is_some();
        if known.is_none_or(|known| now - known >= self.settings.accounting_every || known > now) {
            let loaded = self.load_history(slurm, now, on_window)?;
            has_accounting = loaded.is_ok();
            match loaded {
                Ok(loaded) => collected.history = Some(loaded),
                Err((loaded, why)) => {
                    collected.history = Some(loaded);
                    collected.failures.push(why);
                }
            }
            collected.forgotten = self.store.forget_looks(self.cluster, now - self.settings.keep_looks)?;
        }
        if let Some(queue) = queue.as_ref().filter(|_| has_accounting) {
            match self.load_missing(slurm, queue, collected.history.is_some(), now)? {
                Ok(rows) => collected.history.iter_mut().for_each(|loaded| loaded.rows += rows),
                Err(why) => collected.failures.push(why),
            }
        }
        let kept = self.store.texts_kept(self.cluster)?;
        let is_old = |every: Seconds| kept.is_none_or(|kept| now - kept >= every || kept > now);
        if let Some(every) = self.settings.texts_every.filter(|_| collected.look.is_some()) {
            let failed =
                if is_old(every) { self.describe(slurm, now)? } else { self.reservations(slurm, now)? };
            collected.failures.extend(failed);
            let failed = queue.map_or(Ok(None), |queue| self.arrays(slurm, &queue, now))?;
            collected.failures.extend(failed);
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

/// The jobs of one query for what accounting is missing.
const MOST_MISSING: usize = 500;

/// A job that is not in the queue and has not ended by accounting is asked for once it has had this long to be recorded.
const RECORDED: Seconds = Seconds(600);

impl<S: Store> Collector<'_, S> {
    /// Asks, by one query, for jobs of the queue that accounting did not have yet, since what they ask for stands there alone; and `with_late`
    /// for jobs that are gone from the queue and of whose end accounting did not know when their window was loaded: its records may be
    /// written hours late. How many rows have changed.
    fn load_missing(
        &mut self,
        slurm: &dyn Ask,
        queue: &str,
        with_late: bool,
        now: Time,
    ) -> Result<Result<usize, String>, StoreError> {
        let mut missing = self.new_jobs(queue, now)?;
        missing.truncate(MOST_MISSING);
        let is_new = !missing.is_empty();
        if with_late {
            let late = self.late_jobs(queue, now)?;
            missing.extend(late.into_iter().take(MOST_MISSING - missing.len()));
        }
        let Some(first) = missing.iter().map(|one| one.1).min() else { return Ok(Ok(0)) };
        let mut numbers: Vec<u64> = missing.iter().map(|one| one.0).collect();
        numbers.sort_unstable();
        numbers.dedup();
        let asked = if is_new { declared::accounting_of_new } else { declared::accounting_of };
        let command = asked(&numbers, (first - OVERLAP).0, now.0);
        let text = match slurm.ask(&command) {
            Ok(text) => text,
            Err(why) => return Ok(Err(format!("{}: {why}", command.program))),
        };
        let rows = AccountingRows::of(&text);
        rows.map_or(Ok(Ok(0)), |rows| self.store.add_accounting(self.cluster, &rows, None).map(Ok))
    }

    /// The jobs of a queue that accounting does not have, by number, and when they were submitted. It has none that could not start yet. One that
    /// was asked for in vain is asked for again when it is twice as old.
    fn new_jobs(&mut self, queue: &str, now: Time) -> Result<Vec<(u64, Time)>, StoreError> {
        let could_start = |line: &&str| !is_barred(line.rsplit('|').next().unwrap_or_default());
        let in_queue: BTreeMap<u64, Time> =
            queue.lines().filter(could_start).filter_map(number_and_submission).collect();
        let numbers: Vec<u64> = in_queue.keys().copied().collect();
        let known = self.store.known_jobs(self.cluster, &numbers)?;
        self.asked.0.retain(|job, _| in_queue.contains_key(job) && !known.contains(job));
        let is_due = |job: u64, submit: Time| match self.asked.0.get(&job) {
            Some(&asked) => now - submit >= Seconds((asked - submit).0.max(1) * 2),
            None => !known.contains(&job),
        };
        let due: Vec<(u64, Time)> =
            in_queue.into_iter().filter(|&(job, submit)| is_due(job, submit)).collect();
        self.asked.0.extend(due.iter().take(MOST_MISSING).map(|&(job, _)| (job, now)));
        Ok(due)
    }

    /// The jobs that have not ended by accounting and are not in the queue, the latest submissions first.
    fn late_jobs(&self, queue: &str, now: Time) -> Result<Vec<(u64, Time)>, StoreError> {
        let names: HashSet<&str> = queue.lines().filter_map(|line| line.split('|').next()).collect();
        let arrays: HashSet<&str> = names.iter().filter_map(|name| Some(name.split_once('_')?.0)).collect();
        let is_there = |job: &UnendedJob| match job.name.split_once("_[") {
            // The tasks of an array that wait have one row.
            Some((array, _)) => arrays.contains(array),
            None => names.contains(job.name.as_str()),
        };
        let open = self.store.open_jobs(self.cluster)?;
        let late = open.iter().filter(|job| now - job.submit >= RECORDED && !is_there(job));
        Ok(late.map(|job| (job.id, job.submit)).collect())
    }
}

/// The number of a job of which a line of the queue tells; of one of an array, the array's; and when it was submitted.
pub(crate) fn number_and_submission(line: &str) -> Option<(u64, Time)> {
    let mut cells = line.split('|');
    let name = cells.next()?;
    let digits = name.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(name.len());
    let submit = cells.nth(6)?.parse().ok()?;
    Some((name[..digits].parse().ok()?, Time(submit)))
}

impl<S: Store> Collector<'_, S> {
    /// Asks for what describes the site. Without its configuration, partitions or nodes all stays as it was known; an answer of less
    /// weight that is missing stays as it was. What went wrong, if something did.
    fn describe(&mut self, slurm: &dyn Ask, now: Time) -> Result<Option<String>, StoreError> {
        let mut texts = self.store.texts_at(self.cluster, now)?;
        let mut config = String::new();
        let mut failed = None;
        for (file, kind, command) in declared::description() {
            let answer = slurm.ask(&command).map_err(|why| why.to_string()).and_then(|text| {
                let checked = kind.map_or(Ok(()), |kind| check_answer(kind, &text));
                checked.map(|()| text).map_err(|error| error.to_string())
            });
            match answer {
                Ok(text) => {
                    if kind == Some(SiteFileKind::Config) {
                        config.clone_from(&text);
                    }
                    let is_usage = file == declared::USAGE_FILE;
                    let text = if is_usage { declared::kept_usage(now, &text) } else { text };
                    texts.insert(file.to_owned(), text);
                }
                Err(why) => {
                    let without = kind.map_or(WithoutAnswer::Nothing, |kind| without_answer(kind, &config));
                    let why = format!("{}: {why}", command.line());
                    match without {
                        WithoutAnswer::Refused => {
                            // It is asked for again in an hour.
                            let known = self.store.texts_at(self.cluster, now)?;
                            self.store.keep_texts(self.cluster, now, &known)?;
                            return Ok(Some(why));
                        }
                        WithoutAnswer::Missing => failed = Some(why),
                        WithoutAnswer::Nothing => {
                            texts.remove(file);
                        }
                    }
                }
            }
        }
        self.store.keep_texts(self.cluster, now, &texts)?;
        Ok(failed)
    }
}

impl<S: Store> Collector<'_, S> {
    /// Asks for the reservations of a site that is described: a new maintenance keeps jobs from starting at once, and not within the hour.
    /// What went wrong, if something did.
    fn reservations(&mut self, slurm: &dyn Ask, now: Time) -> Result<Option<String>, StoreError> {
        let Some((file, kind, command)) = declared::reservations() else { return Ok(None) };
        if !self.store.texts_at(self.cluster, now)?.contains_key(file) {
            return Ok(None);
        }
        let answer = slurm.ask(&command).map_err(|why| why.to_string());
        match answer
            .and_then(|text| check_answer(kind, &text).map(|()| text).map_err(|error| error.to_string()))
        {
            Ok(text) => {
                self.store.keep_text(self.cluster, now, (file, &text))?;
                Ok(None)
            }
            Err(why) => Ok(Some(format!("{}: {why}", command.line()))),
        }
    }
}

impl<S: Store> Collector<'_, S> {
    /// Asks, by one query, how many tasks may run at once of the arrays of a queue, where accounting may not tell it: it does not have the
    /// array yet, or tasks wait for others of it, so that `scontrol update` may have changed it; and not again while what was told goes with
    /// what is seen. What went wrong, if something did.
    fn arrays(&mut self, slurm: &dyn Ask, queue: &str, now: Time) -> Result<Option<String>, StoreError> {
        let arrays = seen_arrays(queue);
        let waiting: Vec<u64> = arrays.iter().filter(|one| one.1.waits()).map(|one| *one.0).collect();
        let known = self.store.known_jobs(self.cluster, &waiting)?;
        let kept = self.store.texts_at(self.cluster, now)?.remove(declared::ARRAYS_FILE);
        let told = declared::throttles_kept(kept.as_deref());
        let is_asked = |number: &u64| {
            let seen = &arrays[number];
            !known.contains(number) || seen.limited > 0 || told.contains_key(number)
        };
        let mut numbers: Vec<u64> = waiting.into_iter().filter(is_asked).collect();
        numbers.truncate(MOST_MISSING);
        if numbers.iter().all(|number| told.get(number).is_some_and(|&most| arrays[number].goes_with(most))) {
            return Ok(None);
        }
        let command = declared::arrays(&numbers);
        match slurm.ask(&command) {
            Ok(text) => {
                self.store.keep_text(self.cluster, now, (declared::ARRAYS_FILE, &text))?;
                Ok(None)
            }
            Err(why) => Ok(Some(format!("{}: {why}", command.line()))),
        }
    }
}

/// The tasks of an array in a queue.
#[derive(Debug, Default, Clone, Copy)]
struct SeenArray {
    running: u32,
    /// Those that wait for other tasks of it.
    limited: u32,
    /// Those that wait for something else, and could start.
    others: u32,
    /// Those that wait for their release, another job or a time.
    barred: u32,
}

impl SeenArray {
    fn waits(&self) -> bool {
        self.limited + self.others + self.barred > 0
    }

    /// Whether this can be seen where `most` tasks may run at once, 0 being all.
    fn goes_with(&self, most: u32) -> bool {
        match most {
            0 => self.limited == 0,
            // A task that has ended makes room for one that still waits for others.
            most => {
                self.running <= most
                    && (self.limited == 0 || self.running == most)
                    && !(self.others > 0 && self.running == most)
            }
        }
    }
}

/// The arrays of a queue, by number.
fn seen_arrays(queue: &str) -> BTreeMap<u64, SeenArray> {
    let mut arrays: BTreeMap<u64, SeenArray> = BTreeMap::new();
    for line in queue.lines().filter(|line| line.split('|').next().is_some_and(|name| name.contains('_'))) {
        let Some((number, _)) = number_and_submission(line) else { continue };
        let (state, why) = (line.split('|').nth(1), line.rsplit('|').next().unwrap_or_default());
        let array = arrays.entry(number).or_default();
        match state {
            Some("PENDING") if why == "JobArrayTaskLimit" => array.limited += 1,
            Some("PENDING") if is_barred(why) => array.barred += 1,
            Some("PENDING") => array.others += 1,
            Some("RUNNING" | "CONFIGURING" | "SUSPENDED") => array.running += 1,
            _ => {}
        }
    }
    arrays
}

/// Whether a job that waits for this reason could not start yet.
fn is_barred(why: &str) -> bool {
    ["Dependency", "BeginTime", "JobHeld"].iter().any(|one| why.starts_with(one))
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

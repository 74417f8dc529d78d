//! What a job is told when it is submitted: small tables that a collector keeps as files, and the scripts for Slurm that look them up.
//! No program is started at a submission, so that none can hold it up.

use std::collections::BTreeMap;
use std::fmt::Write;

use queuecast_core::asking::{Messages, Refusal};
use queuecast_core::order;
use queuecast_core::units::{Seconds, Time};
use queuecast_core::workload::Workload;
use queuecast_forecast::forecast::WhenSettings;
use queuecast_place::{PartitionStarts, starts_by_size};

use crate::learning::{KeptLearning, LearningError, site_at};
use crate::own_scheduler::known_scheduler;
use crate::store::{ClusterNumber, Store};

/// The file of starts in a folder of tables.
pub const STARTS_FILE: &str = "starts";

/// The file of limits in a folder of tables.
pub const LIMITS_FILE: &str = "limits";

/// The tables as texts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SubmissionTables {
    /// When jobs of each size and limit would start, by partition.
    pub starts: String,
    /// Limits by what each user's last jobs ran for.
    pub limits: String,
}

/// What a site gives to jobs that do not ask for it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SiteDefaults {
    /// The partition.
    pub partition: Option<String>,
    /// The limit of each partition that has one.
    pub limits: BTreeMap<String, Seconds>,
}

impl SiteDefaults {
    /// Reads what [`declared::defaults`](crate::declared::defaults) asks for: lines of a partition, marked if it is the default, and its
    /// default limit. Other lines are left out.
    pub fn read(text: &str) -> SiteDefaults {
        let mut found = SiteDefaults::default();
        for line in text.lines() {
            let Some((name, marked, limit)) = cells(line) else { continue };
            if marked.ends_with('*') && !name.ends_with('*') {
                found.partition = Some(name.to_owned());
            }
            if let Some(limit) = queuecast_trace::sacct::seconds(limit.as_bytes()) {
                found.limits.insert(name.to_owned(), Seconds(limit));
            }
        }
        found
    }
}

fn cells(line: &str) -> Option<(&str, &str, &str)> {
    let mut cells = line.trim_end().split('|');
    Some((cells.next()?, cells.next()?, cells.next()?))
}

/// Makes the tables by what was learned before the last look; `None` while nothing was. They hold for this long.
///
/// # Errors
/// If the store cannot be read, or what was learned.
pub fn submission_tables(
    store: &impl Store,
    cluster: ClusterNumber,
    at: Time,
    (defaults, valid): (&SiteDefaults, Seconds),
    messages: &dyn Messages,
) -> Result<Option<SubmissionTables>, LearningError> {
    let Some(look) = store.look_at(cluster, at)? else { return Ok(None) };
    let site = site_at(&look.look)?;
    let Some(kept) = KeptLearning::find(store, cluster, site.asked)?.filter(|kept| kept.knows(&site)) else {
        return Ok(None);
    };
    let kept = kept.with_scheduler(known_scheduler(store, cluster, (&look, &site), "accounting", messages)?);
    let recall = |name: &str| kept.model(store, cluster, name);
    let past = kept.past("accounting", &recall);
    let starts = starts_by_size(&site, past, &WhenSettings::default(), messages)?;
    Ok(Some(SubmissionTables {
        starts: starts_text(&starts, site.asked, (defaults, valid)),
        limits: limits_text(past.workload, kept.until()),
    }))
}

/// Words of a table are parted by spaces: a name with one cannot be in it.
fn is_word(name: &str) -> bool {
    !name.is_empty() && !name.contains(char::is_whitespace) && !name.contains(char::is_control)
}

fn starts_text(
    partitions: &[PartitionStarts],
    at: Time,
    (defaults, valid): (&SiteDefaults, Seconds),
) -> String {
    let mut text = format!("queuecast starts 1\nat {}\nvalid {}\n", at.0, valid.0);
    for one in partitions.iter().filter(|one| is_word(&one.name)) {
        let default = defaults.limits.get(&one.name).map_or(0, |limit| limit.0);
        let longest = one.longest.map_or(86_400, |longest| longest.0);
        let is_default = u8::from(defaults.partition.as_ref() == Some(&one.name));
        // Writing to a text does not fail.
        let _ = writeln!(text, "partition {} {} {longest} {default} {is_default}", one.name, one.on_node);
        for cell in &one.cells {
            let seconds = [cell.low, cell.median, cell.high].map(|value| value.max(0.0).round() as u64);
            let [low, median, high] = seconds;
            let reliable = u8::from(cell.is_reliable);
            let _ = writeln!(text, "{} {} {low} {median} {high} {reliable}", cell.procs, cell.limit.0);
        }
    }
    text + "end\n"
}

/// The jobs of a user that are looked at, and the fewest that tell something.
const USER_JOBS: (usize, usize) = (100, 20);

/// A limit is this many times the longest run.
const SPARE: f64 = 1.5;

/// Limits are multiples of this, in minutes, and at least three of it.
const STEP: u64 = 10;

/// For each user with enough jobs, how many minutes its longest run would need, with some to spare.
fn limits_text(past: &Workload, until: Time) -> String {
    let mut runs: BTreeMap<u32, Vec<(Time, Seconds)>> = BTreeMap::new();
    let started = past.jobs().iter().zip(past.truths()).zip(&past.starts);
    for ((job, truth), &start) in started {
        let Some(user) = job.user.filter(|_| start <= until) else { continue };
        let ran = truth.run().min(until - start);
        runs.entry(user.number()).or_default().push((start, ran));
    }
    let mut text = format!("queuecast limits 1\nat {}\n", until.0);
    for (user, mut runs) in runs {
        let Some(name) = past.names.users.get(&user).filter(|name| is_word(name)) else { continue };
        order::sort_by_key(&mut runs, |run| run.0);
        let last = &runs[runs.len().saturating_sub(USER_JOBS.0)..];
        let Some(longest) = last.iter().map(|run| run.1.0.max(0)).max().filter(|_| last.len() >= USER_JOBS.1)
        else {
            continue;
        };
        let minutes = (longest as f64 * SPARE / 60.0).ceil() as u64;
        let minutes = minutes.div_ceil(STEP).max(3) * STEP;
        let _ = writeln!(text, "user {name} {minutes} {}", last.len());
    }
    text + "end\n"
}

/// A script that Slurm runs at a submission.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SubmissionScript {
    /// In `sbatch`, `salloc` and `srun`: says when the job will likely start.
    CliFilter,
    /// In `slurmctld`: gives a job a limit that has none.
    JobSubmit,
}

impl SubmissionScript {
    /// Its names.
    pub const NAMES: [(&'static str, SubmissionScript); 2] =
        [("cli-filter", SubmissionScript::CliFilter), ("job-submit", SubmissionScript::JobSubmit)];

    /// The script of this name.
    pub fn named(name: &str) -> Option<SubmissionScript> {
        SubmissionScript::NAMES.iter().find(|one| one.0 == name).map(|one| one.1)
    }

    /// Its text, with the tables in this folder.
    ///
    /// # Errors
    /// If the folder is not named from the root: it would be looked for where a job is submitted.
    pub fn text(self, folder: &str) -> Result<String, Refusal> {
        if !folder.starts_with('/') {
            return Err(Refusal::question(format!(
                "the folder of tables is {folder}: Slurm's daemons and jobs run elsewhere"
            ))
            .hint("name it from the root, as /var/lib/queuecast"));
        }
        let folder = folder.trim_end_matches('/');
        Ok(match self {
            SubmissionScript::CliFilter => include_str!("../lua/cli_filter.lua")
                .replace("@STARTS@", &quoted(&format!("{folder}/{STARTS_FILE}"))),
            SubmissionScript::JobSubmit => include_str!("../lua/job_submit.lua")
                .replace("@LIMITS@", &quoted(&format!("{folder}/{LIMITS_FILE}"))),
        })
    }
}

/// A text within the quotes of Lua.
fn quoted(text: &str) -> String {
    let mut quoted = String::new();
    for letter in text.chars() {
        match letter {
            '"' | '\\' => quoted.extend(['\\', letter]),
            letter if letter.is_control() => {
                letter.to_string().bytes().for_each(|byte| quoted += &format!("\\{byte:03}"));
            }
            letter => quoted.push(letter),
        }
    }
    quoted
}

#[cfg(test)]
mod tests;

//! A followed site at a moment, by what its store remembers.

use std::path::PathBuf;

use queuecast::place::LiveSite;
use queuecast::units::{Seconds, Time};
use queuecast_live::{ClusterNumber, SqliteStore, Store, StoreError, StoredLook};

use super::live;
use super::raw_trace::RawTrace;
use super::source::Source;
use super::store_option::{Arguments, refused};
use crate::failure::Failure;
use crate::printer::Printer;

/// A look is as good as asking Slurm for this long: two looks of the usual interval and a minute.
const FRESH: Seconds = Seconds(300);

/// A store that is read for one cluster.
pub struct OpenStore {
    file: PathBuf,
    store: SqliteStore,
    cluster: ClusterNumber,
}

impl OpenStore {
    /// The store that is named, or that of this user if there is one, with the only cluster in it.
    ///
    /// # Errors
    /// If the store that is named cannot be read, or has no cluster, or several.
    pub fn find(arguments: &Arguments) -> Result<Option<OpenStore>, Failure> {
        let Some(file) = arguments.file() else { return Ok(None) };
        let is_named = arguments.is_named();
        if !file.exists() {
            if is_named {
                return Err(Failure::input(format!("{}: there is no such store", file.display()))
                    .hint("queuecast collect makes one"));
            }
            return Ok(None);
        }
        let store = SqliteStore::open_to_read(&file).map_err(|error| refused(&file, error))?;
        let clusters = store.clusters().map_err(|error| refused(&file, error))?;
        match &clusters[..] {
            [(_, cluster)] => Ok(Some(OpenStore { cluster: *cluster, file, store })),
            [] if !is_named => Ok(None),
            [] => Err(Failure::input(format!("{}: no cluster has been collected into it", file.display()))
                .hint("queuecast collect fills it")),
            several => {
                let names: Vec<&str> = several.iter().map(|one| one.0.as_str()).collect();
                Err(Failure::usage(format!("{} has several clusters: {}", file.display(), names.join(", ")))
                    .hint("collect each into a store of its own, and name it with --store"))
            }
        }
    }

    fn told<T>(&self, result: Result<T, StoreError>) -> Result<T, Failure> {
        result.map_err(|error| refused(&self.file, error))
    }

    /// The last look, if it is fresh enough to stand for asking Slurm; else it is said how old it is.
    pub fn fresh_look(&self, printer: &Printer) -> Result<Option<LiveSite>, Failure> {
        let now = live::now();
        let Some(look) = self.told(self.store.look_at(self.cluster, now))? else { return Ok(None) };
        let age = now - look.look.at;
        if age <= FRESH {
            return Ok(Some(site(&look)?));
        }
        let why = self.told(self.store.last_failure(self.cluster))?;
        let why = why.map_or(String::new(), |failure| format!(" (then: {})", failure.why));
        printer.note(&format!(
            "the last look at Slurm in {} was {} ago{why}; Slurm is asked itself",
            self.file.display(),
            minutes(age)
        ));
        Ok(None)
    }

    /// The site as the last look by a moment saw it.
    pub fn site_at(&self, at: Time, printer: &Printer) -> Result<LiveSite, Failure> {
        let Some(look) = self.told(self.store.look_at(self.cluster, at))? else {
            return Err(Failure::input(format!(
                "{}: it has no look from so early a moment",
                self.file.display()
            ))
            .hint("looks are kept for 30 days, or as collect --keep says"));
        };
        let age = at - look.look.at;
        if age > FRESH {
            printer.note(&format!("the last look at Slurm by then was {} before", minutes(age)));
        }
        site(&look)
    }

    /// Its accounting, as far as it had been submitted by a moment.
    pub fn history(&self, at: Time, source: &Source) -> Result<Option<RawTrace>, Failure> {
        let mut text = Vec::new();
        if self.told(self.store.write_history(self.cluster, at, &mut text))? == 0 {
            return Ok(None);
        }
        RawTrace::of_text(&self.file.display().to_string(), &text, &source.options()).map(Some)
    }
}

/// The site at a look.
fn site(look: &StoredLook) -> Result<LiveSite, Failure> {
    // Jobs that have ended, or are about to, are in neither queue.
    let is_there = |line: &&str| {
        let state = line.split('|').nth(1).unwrap_or_default();
        ["PENDING", "RUNNING", "CONFIGURING"].contains(&state)
    };
    let mut queue = String::new();
    look.look.queue.lines().filter(is_there).for_each(|line| queue.extend([line, "\n"]));
    Ok(LiveSite::read(&look.look.nodes, &queue, look.look.at)?)
}

fn minutes(age: Seconds) -> String {
    match age.0 {
        0..7200 => format!("{} minutes", age.0 / 60),
        7200..172_800 => format!("{} hours", age.0 / 3600),
        _ => format!("{} days", age.0 / 86_400),
    }
}

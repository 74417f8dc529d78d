//! A followed site with its own scheduler, by what a store remembers of it.

use std::sync::Arc;

use queuecast_core::asking::Messages;
use queuecast_core::units::{Seconds, Time};
use queuecast_forecast::forecast::ClusterRecord;
use queuecast_place::{FollowedTexts, LiveSite, LookStarts, SlurmPlace};
use queuecast_trace::TimeZone;

use crate::declared::{ARRAYS_FILE, USAGE_FILE, throttles_kept, usage_kept};
use crate::store::{ClusterNumber, LearnedPart, Store, StoreError, StoredLook};

/// The part of what was learned that tells how right its scheduler was.
const RECORD: &str = "scheduler";

/// What was said of waiting jobs goes on over gaps between looks of up to this long.
const GOES_ON: Seconds = Seconds(3600);

/// The last jobs of accounting that are looked at.
pub(crate) const LAST_JOBS: usize = 30_000;

/// With more waiting jobs the site is not simulated: each of the simulations goes through all of them at every cycle.
pub(crate) const MOST_WAITING: usize = 5_000;

/// No fewer than those of this long, of which arrivals of a day are known.
pub(crate) const LEAST: Seconds = Seconds(4 * 86_400);

/// Says why a site is not asked by its own scheduler.
fn without_scheduler(messages: &dyn Messages, why: &str) {
    messages.note(&format!(
        "the site's own scheduler is not simulated, each of its partitions is a number of processors: {why}"
    ));
}

/// A site as it was seen, with its own scheduler; `None`, which is said, if it is not described, or there is no accounting to tell what jobs
/// ask for. `name` is what to call the source.
///
/// # Errors
/// If the store cannot be read.
pub fn scheduler_at(
    store: &impl Store,
    cluster: ClusterNumber,
    site: &LiveSite,
    name: &str,
    messages: &dyn Messages,
) -> Result<Option<SlurmPlace>, StoreError> {
    let at = site.asked;
    let mut texts = store.texts_at(cluster, at)?;
    let usage = texts.remove(USAGE_FILE);
    let throttles = throttles_kept(texts.remove(ARRAYS_FILE).as_deref());
    if texts.is_empty() {
        without_scheduler(
            messages,
            "queuecast collect has not been told its configuration by then (scontrol show config)",
        );
        return Ok(None);
    }
    if site.waiting() > MOST_WAITING {
        let why = format!("{} jobs wait, and up to {MOST_WAITING} are simulated one by one", site.waiting());
        without_scheduler(messages, &why);
        return Ok(None);
    }
    let since = store.submission_before(cluster, at, LAST_JOBS)?.unwrap_or(Time(0));
    let mut accounting = Vec::new();
    let between = (since.min(at - LEAST), at);
    if store.write_recent(cluster, between, &site.job_numbers(), &mut accounting)? == 0 {
        without_scheduler(messages, "accounting has no jobs by then");
        return Ok(None);
    }
    let accounting = String::from_utf8_lossy(&accounting);
    let sshare = usage.as_deref().and_then(usage_kept);
    let known = FollowedTexts { name, site: &texts, accounting: &accounting, sshare, throttles: &throttles };
    match SlurmPlace::followed(known, site, &TimeZone::UTC, messages) {
        Ok(place) => Ok(Some(place)),
        Err(why) => {
            without_scheduler(messages, &why.to_string());
            Ok(None)
        }
    }
}

/// As [`scheduler_at`], with how right it was when it was last learned, and with when its waiting jobs start, if that was found of this look.
/// A site that was asked after the look has other jobs.
///
/// # Errors
/// If the store cannot be read.
pub fn known_scheduler(
    store: &impl Store,
    cluster: ClusterNumber,
    (look, site): (&StoredLook, &LiveSite),
    name: &str,
    messages: &dyn Messages,
) -> Result<Option<SlurmPlace>, StoreError> {
    let Some(place) = scheduler_at(store, cluster, site, name, messages)? else {
        return Ok(None);
    };
    let until = store.learned_until(cluster, site.asked)?;
    let record = match until {
        Some(until) => store.learned(cluster, until, RECORD)?,
        None => None,
    };
    // One of another version is found anew.
    let record = record.and_then(|bytes| ClusterRecord::restored(&bytes).ok());
    let place = place.with_record(record.map(Arc::new));
    let Some((number, at, bytes)) = store.starts_up_to(cluster, look.number)? else { return Ok(Some(place)) };
    let starts = LookStarts::restored(&bytes).ok().map(Arc::new);
    let is_of_look = number == look.number && look.look.at == site.asked;
    Ok(Some(match site.asked - at {
        _ if is_of_look => place.with_starts(starts),
        // What was said long ago, or by a clock that was set back, does not go on.
        age if age > GOES_ON || age < Seconds::ZERO => place,
        _ => place.after(starts),
    }))
}

/// How right the scheduler of a site was, to be kept; `None` if it cannot be asked, or has no past.
///
/// # Errors
/// If the store cannot be read.
pub(crate) fn learned_record(
    store: &impl Store,
    cluster: ClusterNumber,
    site: &LiveSite,
    messages: &dyn Messages,
) -> Result<Option<LearnedPart>, StoreError> {
    let place = scheduler_at(store, cluster, site, "accounting", messages)?;
    let until = store.learned_until(cluster, site.asked)?;
    let last = until.map(|until| store.learned(cluster, until, RECORD)).transpose()?.flatten();
    let last = last.and_then(|bytes| ClusterRecord::restored(&bytes).ok()).map(Arc::new);
    let place = place.map(|place| place.with_record(last));
    let bytes = place.and_then(|place| place.tried(messages)).and_then(|record| record.stored());
    Ok(bytes.map(|bytes| LearnedPart { name: RECORD.to_owned(), bytes }))
}

#[cfg(test)]
mod tests;

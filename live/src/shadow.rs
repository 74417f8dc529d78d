//! The decisions of a followed site beside those of its own scheduler simulated: compared between looks, once accounting tells what happened.

use queuecast_core::asking::Messages;
use queuecast_core::units::{Seconds, Time};
use queuecast_place::{FollowedShadow, FollowedTexts, LONGEST_TOLERANCE, LiveSite};
use queuecast_trace::TimeZone;

use crate::declared::{ARRAYS_FILE, USAGE_FILE, throttles_kept, usage_kept};
use crate::learning::{LearningError, site_at};
use crate::own_scheduler::{LAST_JOBS, LEAST, MOST_WAITING};
use crate::store::{ClusterNumber, Store};

/// Looks that begin and end a comparison are at least this far apart: the period of the schedulers is not known better.
const APART: Seconds = Seconds(100);

/// Looks further apart are not compared: what one different start leads to would count too.
const TOO_FAR: Seconds = Seconds(900);

/// What happened longer ago is not gone back to.
const BACK: Seconds = Seconds(6 * 3600);

/// What is simulated at most each time: the sum of the jobs that wait at the first look, and the number of times between looks.
const MOST_JOBS: usize = 20_000;
const MOST_TIMES: usize = 30;

/// Compares the decisions between looks of which accounting tells all by now, and counts them: between how many looks. Those that
/// end the process are not begun again.
///
/// # Errors
/// If the store cannot be used, or has something else than Slurm prints.
pub fn compare_decisions(
    store: &mut impl Store,
    cluster: ClusterNumber,
    at: Time,
    messages: &dyn Messages,
) -> Result<usize, LearningError> {
    let Some(known) = store.history_until(cluster)? else { return Ok(0) };
    let until = known.min(at) - LONGEST_TOLERANCE;
    // A clock that was set back begins anew.
    let begun = store.shadow_begun(cluster)?.filter(|begun| *begun <= at);
    let from = (until - BACK).max(begun.unwrap_or(Time(0)));
    let mut chosen: Vec<Time> = Vec::new();
    for time in store.look_times(cluster, (from, until))? {
        if chosen.last().is_none_or(|last| time - *last >= APART) {
            chosen.push(time);
        }
    }
    if chosen.len() < 2 {
        return Ok(0);
    }
    let look = |time: &Time| -> Result<Option<LiveSite>, LearningError> {
        let look = store.look_at(cluster, *time)?;
        Ok(look.map(|look| site_at(&look.look)).transpose()?)
    };
    let Some(last) = look(&chosen[chosen.len() - 1])? else { return Ok(0) };
    let waiting = last.waiting();
    if waiting > MOST_WAITING {
        return Ok(0);
    }
    let times = (MOST_JOBS / waiting.max(1)).clamp(1, MOST_TIMES);
    let chosen = chosen.split_off(chosen.len().saturating_sub(times + 1));
    let texts_of = |time: Time| store.texts_at(cluster, time);
    let (first, end) = (chosen[0], chosen[chosen.len() - 1]);
    let usage = texts_of(first)?.remove(USAGE_FILE);
    let mut texts = texts_of(end)?;
    texts.remove(USAGE_FILE);
    let throttles = throttles_kept(texts.remove(ARRAYS_FILE).as_deref());
    if texts.is_empty() {
        return Ok(0);
    }
    let looks: Vec<LiveSite> =
        chosen.iter().map(look).collect::<Result<Vec<_>, _>>()?.into_iter().flatten().collect();
    let known = end + LONGEST_TOLERANCE;
    let since = store.submission_before(cluster, first, LAST_JOBS)?.unwrap_or(Time(0));
    let mut numbers: Vec<u64> = looks.iter().flat_map(LiveSite::job_numbers).collect();
    numbers.sort_unstable();
    numbers.dedup();
    let mut accounting = Vec::new();
    let between = (since.min(first - LEAST), known);
    if store.write_recent(cluster, between, &numbers, &mut accounting)? == 0 {
        return Ok(0);
    }
    store.begin_shadow(cluster, end)?;
    let accounting = String::from_utf8_lossy(&accounting);
    let sshare = usage.as_deref().and_then(usage_kept);
    let throttles = &throttles;
    let texts =
        FollowedTexts { name: "accounting", site: &texts, accounting: &accounting, sshare, throttles };
    let site = FollowedShadow::read(texts, known, &TimeZone::UTC)?;
    messages.begins("comparing decisions", looks.len().saturating_sub(1));
    let tallies = site.tallies(&looks, TOO_FAR, &|steps| messages.done(steps));
    for tally in &tallies {
        store.add_shadow(cluster, tally)?;
    }
    Ok(tallies.len())
}

#[cfg(test)]
mod tests;

//! A followed site asked by its own scheduler: when its waiting jobs start, and when new ones would.

use std::collections::{BTreeMap, BTreeSet};

use super::asked::live_source;
use super::live::is_named;
use super::lost_regime::LostRegime;
use super::pending::{EachQueue, LearnedQueue, shown};
use super::shown_reason::shown_reason;
use super::waits_for::WaitsFor;
use super::{AskedQueue, LivePast, LiveQueue, LiveSite, PendingAnswer, PendingJob, SlurmPlace};
use queuecast_core::asking::{Messages, Refusal};
use queuecast_forecast::forecast::WhenSettings;
use queuecast_trace::squeue::Queued;
use queuecast_trace::{Moment, TimeZone};

/// The waiting jobs of a live site.
pub(super) fn of_scheduler(
    (site, partition): (&LiveSite, Option<&str>),
    (history, scheduler): (LivePast<'_>, &SlurmPlace),
    settings: &WhenSettings,
    zone: &TimeZone,
    messages: &dyn Messages,
    each: EachQueue<'_>,
) -> Result<PendingAnswer, Refusal> {
    let groups = site.whole_queues(partition, None)?;
    LiveQueue::note(&groups, None, false, messages);
    if let Some(each) = each {
        for group in &groups {
            each(&LearnedQueue::of_live((site, group), Some(history), None, settings, messages)?, group);
        }
    }
    let answer = scheduler.pending(zone, messages)?;
    let waiting: BTreeMap<&str, &Queued> =
        site.jobs().iter().filter(|job| job.elapsed.is_none()).map(|job| (job.name.as_str(), job)).collect();
    let mut rows: Vec<PendingJob> = Vec::new();
    // Regimes whose ranges are widened.
    let mut told: Vec<&LostRegime> = Vec::new();
    let mut taken = vec![0_usize; groups.len()];
    for row in answer.jobs {
        let Some(&queued) = waiting.get(row.job.as_str()) else { continue };
        let Some(number) = group_of(&groups, queued, row.partition.as_deref()) else { continue };
        let group = &groups[number];
        let place = row.place.map(|_| {
            taken[number] += 1;
            taken[number]
        });
        let lost = history.lost(&group.name, queued.procs, place == Some(1)).filter(|_| row.start.is_some());
        if let Some(lost) = lost.filter(|lost| !told.contains(lost)) {
            told.push(lost);
            messages.note(&lost.words());
        }
        let waits_for = shown_reason(queued, site.jobs(), zone).unwrap_or(row.waits_for);
        rows.push(PendingJob {
            partition: Some(group.name.clone()),
            place,
            start: row.start.map(|range| lost.map_or(range, |lost| lost.range(range))),
            unwidened: row.start.filter(|_| lost.is_some()),
            never: row.never,
            ..shown(queued, site.asked, settings, waits_for)
        });
    }
    // In line first, by partition; then what waits for something else, and what the scheduler does not know.
    let number = |row: &PendingJob| groups.iter().position(|one| Some(&one.name) == row.partition.as_ref());
    rows.sort_by_key(|row| (row.place.is_none(), number(row), row.place));
    let known: BTreeSet<String> = rows.iter().map(|row| row.job.clone()).collect();
    for queued in site.jobs().iter().filter(|job| job.elapsed.is_none()) {
        let is_asked = queued.partitions.iter().any(|one| is_named(partition, one));
        if is_asked && !known.contains(&queued.name) {
            let waits_for = shown_reason(queued, site.jobs(), zone).unwrap_or(WaitsFor::OutOfService);
            rows.push(shown(queued, site.asked, settings, waits_for));
        }
    }
    let first = answer.queues.into_iter().next();
    let queue = |group: &LiveQueue| AskedQueue {
        partition: Some(group.name.clone()),
        procs: group.machine,
        free: group.free(),
        running: group.jobs().iter().filter(|job| job.elapsed.is_some()).count(),
        history: first.as_ref().map(|one| one.history.clone()).unwrap_or_default(),
        draws: first.as_ref().map_or(0, |one| one.draws),
        record: first.as_ref().and_then(|one| one.record),
    };
    Ok(PendingAnswer {
        version: env!("CARGO_PKG_VERSION"),
        source: live_source(Some(history)),
        moment: Moment::of(site.asked, Some(0), zone),
        epoch: Some(0),
        zone: zone.clone(),
        user: None,
        shown: None,
        queues: groups.iter().map(queue).collect(),
        jobs: rows,
    })
}

/// The group of partitions of a waiting job: that of the partition which the scheduler tries first, else any that takes it.
fn group_of(groups: &[LiveQueue], job: &Queued, first: Option<&str>) -> Option<usize> {
    let has = |group: &&LiveQueue| first.is_some_and(|first| group.name.split(',').any(|one| one == first));
    let place = groups.iter().position(|group| has(&group) && group.takes(job));
    place.or_else(|| groups.iter().position(|group| group.takes(job)))
}

//! When each waiting job of a place starts, whichever kind of place it is.

use std::collections::BTreeMap;

use super::asked::live_source;
use super::live::is_named;
use super::lost_regime::LostRegime;
use super::pending::{EachQueue, LearnedQueue, in_line, name_in, of_log, shown};
use super::queue_past::by_scheduler;
use super::scheduled::of_scheduler;
use super::shown_reason::shown_reason;
use super::waits_for::WaitsFor;
use super::{AskedPlace, LivePast, LiveQueue, LiveSite, PendingAnswer, PendingJob};
use queuecast_core::asking::{Messages, Refusal};
use queuecast_core::job::JobIndex;
use queuecast_forecast::forecast::WhenSettings;
use queuecast_trace::{Moment, TimeZone};

/// Says when each waiting job of a place starts; those of `user` first.
///
/// # Errors
/// If the place has nothing to learn from, or there is no such partition.
pub fn pending_at(
    place: AskedPlace<'_>,
    user: Option<&str>,
    settings: &WhenSettings,
    zone: &TimeZone,
    messages: &dyn Messages,
) -> Result<PendingAnswer, Refusal> {
    let user = match place {
        AskedPlace::Log { log, .. } => user.map(|user| name_in(log, user)),
        AskedPlace::Live { .. } | AskedPlace::Slurm(_) => user.map(str::to_owned),
    };
    let mut answer = match place {
        AskedPlace::Log { log, at } => of_log(log, at, settings, zone, messages)?,
        AskedPlace::Live { site, history, partition, procs } => {
            of_live((site, partition, procs), history, settings, zone, messages, None)?
        }
        AskedPlace::Slurm(place) => place.pending(zone, messages)?,
    };
    answer.put_first(user);
    Ok(answer)
}

/// The queue of a live site; `each` is told of each group of partitions.
pub(super) fn of_live(
    (site, partition, procs): (&LiveSite, Option<&str>, Option<u32>),
    history: Option<LivePast<'_>>,
    settings: &WhenSettings,
    zone: &TimeZone,
    messages: &dyn Messages,
    mut each: EachQueue<'_>,
) -> Result<PendingAnswer, Refusal> {
    if let Some((past, scheduler)) = by_scheduler(history, procs) {
        return of_scheduler((site, partition), (past, scheduler), settings, zone, messages, each);
    }
    let (mut queues, mut rows) = (Vec::new(), Vec::<PendingJob>::new());
    // The row of each job.
    let mut places = BTreeMap::<String, usize>::new();
    // Regimes whose ranges are widened.
    let mut told: Vec<&LostRegime> = Vec::new();
    let groups = site.whole_queues(partition, procs)?;
    LiveQueue::note(&groups, procs, false, messages);
    for group in &groups {
        let learned = LearnedQueue::of_live((site, group), history, None, settings, messages)?;
        let starts = learned.starts();
        if let Some(each) = &mut each {
            each(&learned, group);
        }
        let name = |index: JobIndex| group.jobs()[index.at()].name.clone();
        for start in &starts.jobs {
            let queued = &group.jobs()[start.index.at()];
            if !group.takes(queued) {
                continue;
            }
            let waits_for = shown_reason(queued, site.jobs(), zone)
                .unwrap_or_else(|| in_line(start, queued.procs, starts.free, name));
            let is_first = start.place == 1;
            let lost = history.as_ref().and_then(|past| past.lost(&group.name, queued.procs, is_first));
            if let Some(lost) = lost.filter(|lost| !told.contains(lost)) {
                told.push(lost);
                messages.note(&lost.words());
            }
            let row = PendingJob {
                partition: Some(group.name.clone()),
                place: Some(start.place),
                start: start.start.map(|range| lost.map_or(range, |lost| lost.range(range))),
                unwidened: start.start.filter(|_| lost.is_some()),
                never: start.never,
                ..shown(queued, site.asked, settings, waits_for)
            };
            // Of a job that may run in several partitions, the one that starts it soonest counts.
            match places.get(&row.job).map(|&place| &mut rows[place]) {
                Some(other) if median(&row) < median(other) => *other = row,
                Some(_) => {}
                None => {
                    places.insert(row.job.clone(), rows.len());
                    rows.push(row);
                }
            }
        }
        queues.push(learned.told(Some(group.name.clone()), &starts));
    }
    for queued in site.jobs().iter().filter(|job| job.elapsed.is_none()) {
        let is_asked = queued.partitions.iter().any(|one| is_named(partition, one));
        if !is_asked || places.contains_key(&queued.name) {
            continue;
        }
        let waits_for = shown_reason(queued, site.jobs(), zone).unwrap_or(WaitsFor::OutOfService);
        rows.push(shown(queued, site.asked, settings, waits_for));
    }
    Ok(PendingAnswer {
        version: env!("CARGO_PKG_VERSION"),
        source: live_source(history),
        moment: Moment::of(site.asked, Some(0), zone),
        epoch: Some(0),
        zone: zone.clone(),
        user: None,
        shown: None,
        queues,
        jobs: rows,
    })
}

fn median(job: &PendingJob) -> f64 {
    job.start.map_or(f64::INFINITY, |start| start.median)
}

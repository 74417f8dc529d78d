//! When the first of several jobs starts at a place, and when the last ends.

use std::sync::Arc;

use super::asked::{Asking, PlaceFacts, facts_by_scheduler, in_live_queue, live_source, refused};
use super::campaign_answer::{AloneStart, AskedCampaign, AskedMember, CampaignAnswer, CampaignTimes};
use super::job::numbered;
use super::new_campaign::NewCampaign;
use super::queue_past::{QueuePast, by_scheduler};
use super::scheduled_campaign::ScheduledCampaign;
use super::{
    AskedPlace, JobSize, LabelledLog, LearnedLog, LivePast, LiveQueue, LiveSite, SlurmJob, SlurmPlace,
};
use queuecast_core::asking::{Learning, Messages, Refusal, Unheard};
use queuecast_core::job::{Job, JobIndex, QueueId};
use queuecast_core::number::number_of;
use queuecast_core::units::{Seconds, Time};
use queuecast_forecast::forecast::{
    Campaign, CampaignEnd, CampaignForecaster, CampaignJob, CampaignMember, FirstJob, PastFacts, QueueOrder,
    WhenError, WhenSettings,
};
use queuecast_sim::site::Site;
use queuecast_trace::{Moment, TimeZone};

/// Says when the first of several jobs starts that are submitted at a place, and when the last ends.
///
/// # Errors
/// If the place does not know a user or queue, does not allow the jobs, or has nothing to learn from.
pub fn campaign_at(
    place: AskedPlace<'_>,
    new: &NewCampaign,
    settings: &WhenSettings,
    zone: &TimeZone,
    messages: &dyn Messages,
) -> Result<CampaignAnswer, Refusal> {
    if !new.left_out.is_empty() {
        messages.note(&format!("not looked at: {}", new.left_out.join(", ")));
    }
    match place {
        AskedPlace::Log { log, at } => of_log(place, (log, at), new, settings, zone, messages),
        AskedPlace::Live { site, history, partition, procs } => {
            of_live(place, (site, partition, procs), history, new, settings, zone, messages)
        }
        AskedPlace::Slurm(site) => of_slurm(place, site, new, settings, zone, messages),
    }
}

fn of_slurm(
    place: AskedPlace<'_>,
    site: &SlurmPlace,
    new: &NewCampaign,
    settings: &WhenSettings,
    zone: &TimeZone,
    messages: &dyn Messages,
) -> Result<CampaignAnswer, Refusal> {
    if let Some(why) = new.not_by_scheduler() {
        return Err(Refusal::question(why)
            .hint("ask about fewer, or without --site: then a log's machine is a number of processors"));
    }
    let scheduled = ScheduledCampaign::of(site, new, site.job.as_ref().map(|one| &one.0), None)?;
    let (first, size) = scheduled.first();
    let facts = site.facts(&first, size, zone);
    let times = scheduled.times(&place, &facts, (&first, site.when_settings(settings)), messages)?;
    let times = times.map_err(|why| {
        Refusal::question(format!("one of the jobs would never start there: {why}"))
            .hint("queuecast site check DIR lists partitions, QOS, accounts and their limits")
    })?;
    Ok(CampaignAnswer {
        version: env!("CARGO_PKG_VERSION"),
        source: site.source.clone(),
        moment: facts.moment.clone(),
        epoch: site.epoch,
        zone: zone.clone(),
        asked: scheduled.asked(),
        places: vec![times],
        refused: Vec::new(),
    })
}

/// A site with what was learned of its campaigns.
pub(super) struct LearnedCampaigns {
    pub forecaster: Arc<CampaignForecaster>,
    pub site: Site,
    pub now: Time,
    pub order: QueueOrder,
    pub history: String,
}

impl LearnedCampaigns {
    fn of_log(
        (log, at): (LabelledLog<'_>, Time),
        settings: &WhenSettings,
        messages: &dyn Messages,
    ) -> Result<LearnedCampaigns, Refusal> {
        let workload = &log.log.workload;
        if workload.starts.is_empty() {
            return Err(refused(log.name, WhenError::NoWaits));
        }
        let started = workload.starts.iter().filter(|&&start| start <= at).count();
        if started == 0 {
            return Err(refused(log.name, WhenError::NothingStarted));
        }
        let (forecaster, site) = match log.learned {
            Some(LearnedLog { campaigns: Some(learned), site, .. }) => (learned.clone(), site.clone()),
            Some(_) => {
                return Err(Refusal::input(format!("{}: campaigns are still being learned", log.name))
                    .hint("ask again in a minute"));
            }
            None => {
                messages.begins("asking about past campaigns", CampaignForecaster::steps(workload, at));
                let learning = Learning { done: &|steps| messages.done(steps), kept: messages.kept() };
                let (forecaster, site) = CampaignForecaster::recalled(workload, at, settings, learning);
                (Arc::new(forecaster), site)
            }
        };
        let (order, history) = (QueueOrder::Learned, number_of(started, "job"));
        Ok(LearnedCampaigns { forecaster, site, now: at, order, history })
    }

    /// Of a queue of a live site; jobs that a new one of this user would come before are left out.
    pub fn of_live(
        (site, queue): (&LiveSite, &LiveQueue),
        past: &QueuePast<'_>,
        user: Option<&str>,
        settings: &WhenSettings,
        messages: &dyn Messages,
    ) -> Result<LearnedCampaigns, Refusal> {
        let workload = past.workload();
        let forecaster = past.campaigns(site.asked, settings, messages)?;
        let found = queue.site(site.asked, &workload.names, settings.default_request, user);
        let facts = past.facts().unwrap_or_else(|| PastFacts::of(workload, site.asked));
        let history = match workload.is_empty() {
            true => "no history".to_owned(),
            false => format!("{}{}", number_of(facts.started, "job"), past.whose),
        };
        Ok(LearnedCampaigns { forecaster, site: found, now: site.asked, order: QueueOrder::Shown, history })
    }

    pub fn times(
        &self,
        campaign: &Campaign,
        (partition, alone): (Option<String>, Option<AloneStart>),
        name: &str,
    ) -> Result<CampaignTimes, Refusal> {
        let first = FirstJob::place(campaign, self.now).zip(alone.as_ref());
        let first = first.map(|(place, alone)| FirstJob { place, wait: alone.wait.clone() });
        let forecast = self.forecaster.forecast(&self.site, self.now, self.order, campaign, first.as_ref());
        let forecast = forecast.map_err(|error| refused(name, error))?;
        Ok(CampaignTimes { partition, history: self.history.clone(), alone, forecast })
    }
}

/// The jobs as a forecaster takes them; `job` makes each.
fn campaign_of(new: &NewCampaign, now: Time, job: impl Fn(usize, Time) -> Job) -> Campaign {
    let jobs = new.jobs.iter().enumerate().map(|(place, one)| {
        let mut submitted = job(place, now + one.later);
        // Jobs that are not at the site have numbers of their own.
        submitted.index = JobIndex(u32::MAX - place as u32);
        CampaignJob {
            member: CampaignMember::New(submitted),
            after: one.after.iter().map(|&place| CampaignEnd::Member(place)).collect(),
            array: one.array,
        }
    });
    Campaign { jobs: jobs.collect(), at_once: new.at_once.clone(), running: Vec::new() }
}

fn asked(new: &NewCampaign, size: impl Fn(usize) -> JobSize) -> AskedCampaign {
    let member = |(place, name): (usize, &String)| AskedMember { name: name.clone(), size: size(place) };
    AskedCampaign {
        name: None,
        jobs: new.jobs.iter().map(|one| &one.name).enumerate().map(member).collect(),
        at_once: new.at_once.clone(),
        depend: new.jobs.iter().any(|one| !one.after.is_empty()),
        running: 0,
    }
}

fn of_log(
    place: AskedPlace<'_>,
    (log, at): (LabelledLog<'_>, Time),
    new: &NewCampaign,
    settings: &WhenSettings,
    zone: &TimeZone,
    messages: &dyn Messages,
) -> Result<CampaignAnswer, Refusal> {
    let workload = &log.log.workload;
    // What a list names may not be in the log.
    let first = new.jobs.first().filter(|_| !new.is_listed());
    first.map_or(Ok(()), |one| one.job.check(workload))?;
    let learned = LearnedCampaigns::of_log((log, at), settings, messages)?;
    let campaign = campaign_of(new, at, |place, submit| new.jobs[place].job.at(submit, workload));
    let first = FirstJob::place(&campaign, at).map(|first| &new.jobs[first]);
    let alone = first.map(|first| {
        let alone = place.each(&first.job, settings, zone, messages, |facts, asking| {
            AloneStart::of(&place, &first.name, (facts, &asking), messages)
        });
        alone.map(|found| found.answers.into_iter().next())
    });
    let alone = alone.transpose()?.flatten();
    let size = |place: usize| {
        let job = &new.jobs[place].job;
        JobSize { procs: job.procs, time: job.time.unwrap_or(settings.default_request) }
    };
    Ok(CampaignAnswer {
        version: env!("CARGO_PKG_VERSION"),
        source: log.name.to_owned(),
        moment: Moment::of(at, workload.epoch, zone),
        epoch: workload.epoch,
        zone: zone.clone(),
        asked: asked(new, size),
        places: vec![learned.times(&campaign, (None, alone), log.name)?],
        refused: Vec::new(),
    })
}

fn of_live(
    place: AskedPlace<'_>,
    (site, partition, procs): (&LiveSite, Option<&str>, Option<u32>),
    history: Option<LivePast<'_>>,
    new: &NewCampaign,
    settings: &WhenSettings,
    zone: &TimeZone,
    messages: &dyn Messages,
) -> Result<CampaignAnswer, Refusal> {
    let name = history.map_or("squeue", |one| one.name);
    let mut scheduler = by_scheduler(history, procs);
    if scheduler.is_some()
        && let Some(why) = new.not_by_scheduler()
    {
        messages.note(&format!(
            "{why}: each of its partitions is simulated as a number of processors, but for when the first job starts"
        ));
        scheduler = None;
    }
    let queues = site.whole_queues(partition, procs)?;
    // The scheduler leaves out no job.
    LiveQueue::note(&queues, procs, scheduler.is_none(), messages);
    let (mut places, mut not_allowed) = (Vec::new(), Vec::new());
    let mut times: Option<Vec<Seconds>> = None;
    for queue in &queues {
        let sizes: Vec<JobSize> = new.jobs.iter().map(|one| queue.asked_by(&one.job)).collect();
        let elsewhere = new.jobs.iter().find(|one| {
            let asks_for = |wanted: &String| {
                wanted.split(',').any(|wanted| queue.name.split(',').any(|name| name == wanted))
            };
            one.job.queue.as_ref().is_some_and(|wanted| !asks_for(wanted))
        });
        if let Some(one) = elsewhere {
            let wanted = one.job.queue.as_deref().unwrap_or_default();
            not_allowed.push(format!("{}: job {} asks for partition {wanted}", queue.name, one.name));
            continue;
        }
        if let Some(why) = sizes.iter().find_map(|size| queue.not_allowed(size)) {
            not_allowed.push(format!("{}: {why}", queue.name));
            continue;
        }
        if let Some(known) = scheduler {
            // What is said of the jobs is the same for each partition.
            let messages: &dyn Messages = if places.is_empty() { messages } else { &Unheard };
            match in_queue_by_scheduler(&place, (site, queue), known, new, (settings, zone), messages)? {
                Ok(found) => {
                    places.push(found);
                    times.get_or_insert_with(|| sizes.iter().map(|size| size.time).collect());
                }
                Err(why) => not_allowed.push(format!("{}: {why}", queue.name)),
            }
            continue;
        }
        let past = QueuePast::of(history, site, queue)?;
        let user = new.jobs.first().and_then(|one| one.job.user.as_deref());
        let learned = LearnedCampaigns::of_live((site, queue), &past, user, settings, messages)?;
        let names = &past.workload().names;
        let number = queue.name.split(',').find_map(|name| numbered(name, &names.queues));
        let campaign = campaign_of(new, site.asked, |place, submit| {
            let mut job = new.jobs[place].job.at(submit, past.workload());
            job.shape.limit = Some(sizes[place].time);
            job.queue = number.and_then(QueueId::new);
            job
        });
        let mut alone = None;
        if let Some(first) = FirstJob::place(&campaign, site.asked).map(|first| &new.jobs[first]) {
            let mut ask = |facts: &PlaceFacts<'_>, asking: Asking<'_>| {
                AloneStart::of(&place, &first.name, (facts, &asking), messages)
            };
            let by = (settings, zone);
            match in_live_queue(&first.job, (site, queue, procs), history, by, messages, &mut ask)? {
                Ok(found) => alone = Some(found),
                Err(why) => {
                    not_allowed.push(format!("{}: {why}", queue.name));
                    continue;
                }
            }
        }
        places.push(learned.times(&campaign, (Some(queue.name.clone()), alone), name)?);
        times.get_or_insert_with(|| sizes.iter().map(|size| size.time).collect());
    }
    let Some(times) = times else {
        return Err(Refusal::question("no partition allows all of these jobs").hint(not_allowed.join("; ")));
    };
    let size = |place: usize| JobSize { procs: new.jobs[place].job.procs, time: times[place] };
    Ok(answer_now(site, live_source(history), zone, asked(new, size), (places, not_allowed)))
}

/// What the scheduler of a live site says of one of its queues; or why the site would refuse a job there.
fn in_queue_by_scheduler(
    place: &AskedPlace<'_>,
    (site, queue): (&LiveSite, &LiveQueue),
    (history, scheduler): (LivePast<'_>, &SlurmPlace),
    new: &NewCampaign,
    (settings, zone): (&WhenSettings, &TimeZone),
    messages: &dyn Messages,
) -> Result<Result<CampaignTimes, String>, Refusal> {
    let each = new.jobs.first().filter(|_| !new.is_listed()).map(|one| {
        let job = SlurmJob::in_partition(&one.job, &queue.name, queue.asked_by(&one.job).time);
        scheduler.newcomer(&job, messages)
    });
    let each = match each.transpose() {
        Ok(each) => each,
        Err(refusal) => return Ok(Err(refusal.to_string())),
    };
    let scheduled = ScheduledCampaign::of(scheduler, new, each.as_ref().map(|one| &one.0), Some(queue))?;
    let (first, size) = scheduled.first();
    let facts = facts_by_scheduler((site, queue), history, size, zone);
    scheduled.times(place, &facts, (&first, scheduler.live_settings(site, settings)), messages)
}

/// What a live site answers.
pub(super) fn answer_now(
    site: &LiveSite,
    source: String,
    zone: &TimeZone,
    asked: AskedCampaign,
    (places, refused): (Vec<CampaignTimes>, Vec<String>),
) -> CampaignAnswer {
    CampaignAnswer {
        version: env!("CARGO_PKG_VERSION"),
        source,
        moment: Moment::of(site.asked, Some(0), zone),
        epoch: Some(0),
        zone: zone.clone(),
        asked,
        places,
        refused,
    }
}

//! Jobs that wait at a live site and belong together: the tasks of an array, or jobs that depend on each other.

use std::collections::{BTreeMap, BTreeSet};

use super::asked::live_source;
use super::campaign::{LearnedCampaigns, answer_now};
use super::campaign_answer::{AskedCampaign, AskedMember, CampaignAnswer};
use super::queue_past::{QueuePast, by_scheduler};
use super::shown_reason::shown_reason;
use super::{AskedPlace, JobSize, LivePast, LiveQueue, LiveSite, PendingJob, SlurmPlace, pending_at};
use queuecast_core::asking::{Messages, Refusal};
use queuecast_core::job::JobIndex;
use queuecast_core::number::number_of;
use queuecast_forecast::forecast::{
    Campaign, CampaignEnd, CampaignJob, CampaignMember, PendingRange, WhenSettings,
};
use queuecast_trace::TimeZone;
use queuecast_trace::squeue::Queued;

/// Reasons of jobs that wait for others of their campaign.
const FOR_OTHERS: [&str; 2] = ["Dependency", "JobArrayTaskLimit"];

/// Whether a name is that of several jobs that wait at a live site: an array of which tasks wait, or a job that others wait for, or that
/// waits for others.
pub fn is_waiting_campaign(place: AskedPlace<'_>, name: &str) -> bool {
    let AskedPlace::Live { site, .. } = place else { return false };
    members(site, name).iter().any(|&at| site.jobs()[at].name != name)
}

/// Says when the first of several waiting jobs starts, and when the last ends.
///
/// # Errors
/// If no such jobs wait, none of the site's queues takes all of them, or the place is no live site.
pub fn waiting_campaign_at(
    place: AskedPlace<'_>,
    name: &str,
    settings: &WhenSettings,
    zone: &TimeZone,
    messages: &dyn Messages,
) -> Result<CampaignAnswer, Refusal> {
    match place {
        AskedPlace::Live { site, history, partition, procs } => {
            of_live((site, partition, procs), history, name, settings, zone, messages)
        }
        AskedPlace::Slurm(_) => Err(Refusal::question(format!(
            "job {name}: jobs that wait are asked about one by one with --site"
        ))
        .hint("queuecast pending LOG --site DIR lists all of them")),
        AskedPlace::Log { .. } => {
            Err(Refusal::question(format!("job {name}: which jobs of a log belong together is not known"))
                .hint("queuecast when --live asks about arrays and dependencies in a queue"))
        }
    }
}

/// The places of the jobs that wait and belong to a name, in the order of the queue: the tasks of an array, and all that depend on one of
/// them or that one of them depends on.
fn members(site: &LiveSite, name: &str) -> Vec<usize> {
    let jobs = site.jobs();
    let of_array = |job: &Queued| job.name.strip_prefix(name).is_some_and(|rest| rest.starts_with('_'));
    let mut found: BTreeSet<usize> = BTreeSet::new();
    // Jobs that run, or ran, may be what others wait for.
    let mut named: BTreeSet<String> = BTreeSet::from([name.to_owned()]);
    loop {
        let before = (found.len(), named.len());
        for (at, job) in jobs.iter().enumerate().filter(|(_, job)| job.elapsed.is_none()) {
            let waits_for: Vec<String> = awaited(job);
            let is_named = |one: &String| named.iter().any(|known| is_same(known, one));
            if job.name == name || of_array(job) || found.contains(&at) || waits_for.iter().any(is_named) {
                found.insert(at);
                named.insert(job.name.clone());
            }
        }
        // And what those wait for.
        let ahead: Vec<String> = found.iter().flat_map(|&at| awaited(&jobs[at])).collect();
        for (at, job) in jobs.iter().enumerate().filter(|(_, job)| job.elapsed.is_none()) {
            if ahead.iter().any(|one| is_same(&job.name, one)) {
                found.insert(at);
                named.insert(job.name.clone());
            }
        }
        if before == (found.len(), named.len()) {
            return found.into_iter().collect();
        }
    }
}

/// Whether a job is meant by a dependency, which may name a whole array: `7`, `7_*`, `7_3`.
fn is_same(job: &str, meant: &str) -> bool {
    let bare = meant.strip_suffix("_*").unwrap_or(meant);
    job == bare || job.strip_prefix(bare).is_some_and(|rest| rest.starts_with('_'))
}

/// The jobs that a dependency still waits for the ends of, as it names them.
fn awaited(job: &Queued) -> Vec<String> {
    let Some(dependency) = job.reason.dependency.as_ref().filter(|_| job.elapsed.is_none()) else {
        return Vec::new();
    };
    let conditions = dependency.split([',', '?']);
    let jobs = conditions.filter_map(|one| {
        let (kind, jobs) = one.split_once(':')?;
        let bare = jobs.split('(').next().unwrap_or(jobs);
        let is_end = ["afterany", "afterok", "aftercorr", "afternotok"].contains(&kind.trim());
        is_end.then(|| bare.split(':').map(|job| job.split('+').next().unwrap_or(job).to_owned()))
    });
    jobs.flatten().collect()
}

/// Whether a job waits for the end of one of some others.
fn waits_for_one_of(job: &Queued, others: &[usize], jobs: &[Queued]) -> bool {
    let awaited = awaited(job);
    others.iter().any(|&at| awaited.iter().any(|meant| is_same(&jobs[at].name, meant)))
}

fn of_live(
    (site, partition, procs): (&LiveSite, Option<&str>, Option<u32>),
    history: Option<LivePast<'_>>,
    name: &str,
    settings: &WhenSettings,
    zone: &TimeZone,
    messages: &dyn Messages,
) -> Result<CampaignAnswer, Refusal> {
    let all = members(site, name);
    let jobs = site.jobs();
    let is_simulated = |at: &usize| {
        let job = &jobs[*at];
        job.in_line || FOR_OTHERS.contains(&job.reason.code.as_str())
    };
    let (mut kept, mut other): (Vec<usize>, Vec<usize>) = all.into_iter().partition(is_simulated);
    // Nor is it told when those may be started that wait for one of them.
    while let Some(place) = kept.iter().position(|&at| waits_for_one_of(&jobs[at], &other, jobs)) {
        other.push(kept.remove(place));
    }
    if !other.is_empty() && !kept.is_empty() {
        let reasons: BTreeSet<&str> = other.iter().map(|&at| jobs[at].reason.code.as_str()).collect();
        let reasons: Vec<&str> = reasons.into_iter().collect();
        messages.warning(&format!(
            "{} of job {name} {} left out: when {} be started is not told by the queue ({})",
            number_of(other.len(), "job"),
            if other.len() == 1 { "is" } else { "are" },
            if other.len() == 1 { "it may" } else { "they may" },
            reasons.join(", ")
        ));
    }
    if kept.is_empty() {
        return Err(not_in_line(site, name, &other, zone));
    }
    let names: BTreeSet<&str> = kept.iter().map(|&at| jobs[at].name.as_str()).collect();
    let whole = site.with_in_line(&names);
    let queues = whole.whole_queues(partition, procs)?;
    let takes_all = |queue: &&LiveQueue| {
        let takes = |name: &&str| {
            queue.jobs().iter().any(|job| job.elapsed.is_none() && job.name == *name && queue.takes(job))
        };
        names.iter().all(takes)
    };
    let Some(queue) = queues.iter().find(takes_all) else {
        return Err(Refusal::question(format!(
            "the {} of {name} wait in different partitions, or want more than there is",
            number_of(names.len(), "job")
        ))
        .hint("ask about each of them: queuecast pending lists them"));
    };
    let scheduler = by_scheduler(history, procs).map(|found| found.1);
    let campaign = campaign(queue.jobs(), &names, |array| scheduler?.throttle(array));
    let past = QueuePast::of(history, site, queue)?;
    let learned = LearnedCampaigns::of_live((&whole, queue), &past, None, settings, messages)?;
    let source = history.map_or("squeue", |one| one.name);
    let mut times = learned.times(&campaign, (Some(queue.name.clone()), None), source)?;
    // Each job starts when its row of the queue says.
    let place = AskedPlace::Live { site, history, partition, procs };
    let rows = pending_at(place, None, settings, zone, messages)?.jobs;
    let rows: BTreeMap<&str, &PendingJob> = rows.iter().map(|row| (row.job.as_str(), row)).collect();
    let said: Vec<Option<PendingRange>> = campaign
        .jobs
        .iter()
        .map(|one| {
            let CampaignMember::Waiting(index) = &one.member else { return None };
            rows.get(queue.jobs()[index.at()].name.as_str()).and_then(|row| row.start)
        })
        .collect();
    times.forecast = times.forecast.with_starts(&said);
    let member = |one: &CampaignJob| {
        let CampaignMember::Waiting(index) = &one.member else { return None };
        let job = &queue.jobs()[index.at()];
        let time = job.limit.unwrap_or(settings.default_request);
        Some(AskedMember { name: job.name.clone(), size: JobSize { procs: job.procs, time } })
    };
    let asked = AskedCampaign {
        name: Some(name.to_owned()),
        jobs: campaign.jobs.iter().filter_map(member).collect(),
        at_once: campaign.at_once.clone(),
        depend: campaign.jobs.iter().any(|one| !one.after.is_empty()),
        running: jobs.iter().filter(|job| job.elapsed.is_some() && is_same(&job.name, name)).count(),
    };
    Ok(answer_now(site, live_source(history), zone, asked, (vec![times], Vec::new())))
}

/// None of the jobs of a name waits for processors: what the first of them waits for instead.
fn not_in_line(site: &LiveSite, name: &str, other: &[usize], zone: &TimeZone) -> Refusal {
    let first = other.first().map(|&at| &site.jobs()[at]);
    let why = first.and_then(|job| shown_reason(job, site.jobs(), zone));
    let why = why.map_or_else(String::new, |why| {
        format!("; job {} waits for {}", first.map_or("", |job| &job.name), why.words())
    });
    let hint = match first {
        Some(job) => format!(
            "ask about one of them (queuecast when --live --job {}), or list what each waits for (queuecast pending)",
            job.name
        ),
        None => "queuecast pending lists what each job waits for".to_owned(),
    };
    Refusal::question(format!("no job of {name} waits for processors or for others of it{why}")).hint(hint)
}

impl SlurmPlace {
    /// How many tasks of an array may run at once, where the array says so.
    fn throttle(&self, array: &str) -> Option<u32> {
        let of_array = self.moment.submissions.iter().find(|one| one.key == array)?;
        of_array.request.array.as_ref()?.throttle.filter(|&most| most > 0)
    }
}

/// The jobs of these names in a queue, with what they wait for there. Of an array of which only some tasks may run at once, as `throttle` tells; where
/// that is not known and tasks wait for others of it, as many as do now.
fn campaign(queue: &[Queued], names: &BTreeSet<&str>, throttle: impl Fn(&str) -> Option<u32>) -> Campaign {
    let index = |at: usize| JobIndex(at as u32);
    let waits = |job: &Queued| job.elapsed.is_none() && names.contains(job.name.as_str());
    let members: Vec<usize> = (0..queue.len()).filter(|&at| waits(&queue[at])).collect();
    let array_of = |job: &Queued| job.name.split_once('_').map(|(array, _)| array.to_owned());
    let limited = members.iter().filter_map(|&at| {
        let array = array_of(&queue[at])?;
        (queue[at].reason.code == "JobArrayTaskLimit" || throttle(&array).is_some()).then_some(array)
    });
    let limited: BTreeSet<String> = limited.collect();
    let arrays: BTreeMap<String, u32> = limited.into_iter().zip(0..).collect();
    let array = |at: usize| array_of(&queue[at]).and_then(|name| arrays.get(&name).copied());
    let running: Vec<(JobIndex, u32)> = (0..queue.len())
        .filter(|&at| queue[at].elapsed.is_some())
        .filter_map(|at| Some((index(at), array(at)?)))
        .collect();
    let mut at_once = vec![0_u32; arrays.len()];
    running.iter().for_each(|(_, array)| at_once[*array as usize] += 1);
    for (name, &number) in &arrays {
        let most = &mut at_once[number as usize];
        *most = throttle(name).unwrap_or(*most).max(1);
    }
    let jobs = members.iter().map(|&at| {
        let ends = awaited(&queue[at]);
        let is_meant =
            |other: &usize| *other != at && ends.iter().any(|end| is_same(&queue[*other].name, end));
        let after = (0..queue.len()).filter(is_meant).map(|other| CampaignEnd::AtSite(index(other)));
        CampaignJob { member: CampaignMember::Waiting(index(at)), after: after.collect(), array: array(at) }
    });
    let jobs = jobs.collect();
    Campaign { jobs, at_once, running }
}

//! Several jobs that are submitted to a Slurm site together, told by its own scheduler.

use super::asked::{Asking, PlaceFacts};
use super::campaign_answer::{AloneStart, AskedCampaign, AskedMember, CampaignTimes};
use super::new_campaign::{CampaignSubmissions, NewCampaign};
use super::slurm::{account_of, asked_size};
use super::{AskedPlace, JobSize, LiveQueue, SlurmPlace};
use queuecast_core::asking::{Messages, Refusal};
use queuecast_core::number::number_of;
use queuecast_core::units::Seconds;
use queuecast_forecast::forecast::{ClusterWhenSettings, FirstJob, PastFacts, campaign_at_cluster};
use queuecast_slurm_sim::cluster::{
    Begin, Dependency, DependencyKind, DependencyOn, JobRequest, SubmittedJob, TimeLimit, submit_refusal,
};

/// Jobs of a campaign as they are submitted to a site.
pub(super) struct ScheduledCampaign<'a> {
    site: &'a SlurmPlace,
    new: &'a NewCampaign,
    /// An array is one of them.
    jobs: Vec<SubmittedJob>,
    /// What each job asks for.
    sizes: Vec<JobSize>,
}

impl<'a> ScheduledCampaign<'a> {
    /// As they are submitted to a site, there to a partition of it if one is asked about. `job` is what each of an array or a chain asks for.
    pub fn of(
        site: &'a SlurmPlace,
        new: &'a NewCampaign,
        job: Option<&SubmittedJob>,
        queue: Option<&LiveQueue>,
    ) -> Result<ScheduledCampaign<'a>, Refusal> {
        let asked = || job.ok_or_else(|| Refusal::bug("no job is asked about at this site"));
        let jobs = match &new.as_submitted {
            CampaignSubmissions::Array(array) => {
                let mut all = asked()?.clone();
                all.request.array = Some(array.clone());
                vec![all]
            }
            CampaignSubmissions::Chain => {
                let job = asked()?;
                (0..new.len()).map(|place| link(job, place)).collect()
            }
            CampaignSubmissions::Listed(listed) => {
                listed.iter().map(|one| submitted(site, one, queue)).collect()
            }
        };
        let size = |one: &SubmittedJob| {
            let tasks = one.request.array.as_ref().map_or(1, |array| array.indices.len());
            std::iter::repeat_n(asked_size(&site.cluster, &one.request), tasks)
        };
        let sizes = jobs.iter().flat_map(size).collect();
        Ok(ScheduledCampaign { site, new, jobs, sizes })
    }

    /// What is asked about.
    pub fn asked(&self) -> AskedCampaign {
        let member = |(one, size): (&str, &JobSize)| AskedMember { name: one.to_owned(), size: *size };
        let names = self.new.jobs.iter().map(|one| one.name.as_str());
        AskedCampaign {
            name: None,
            jobs: names.zip(&self.sizes).map(member).collect(),
            at_once: self.new.at_once.clone(),
            depend: self.new.jobs.iter().any(|one| !one.after.is_empty()),
            running: 0,
        }
    }

    /// The first job that is submitted now, by itself, with what it asks for; else the first of all.
    pub fn first(&self) -> (SubmittedJob, JobSize) {
        let place = self.new.first_now().unwrap_or(0);
        let tasks = self.jobs.iter().flat_map(|one| {
            let tasks = one.request.array.as_ref().map_or(1, |array| array.indices.len());
            std::iter::repeat_n(one, tasks)
        });
        let mut job = tasks.into_iter().nth(place).unwrap_or(&self.jobs[0]).clone();
        job.request.array = None;
        (SubmittedJob { key: "the job asked about".to_owned(), ..job }, self.sizes[place])
    }

    /// When they start and end; or why the site would refuse one of them. `facts` are of the [first](ScheduledCampaign::first) job.
    pub fn times(
        &self,
        place: &AskedPlace<'_>,
        facts: &PlaceFacts<'_>,
        (first, settings): (&SubmittedJob, ClusterWhenSettings),
        messages: &dyn Messages,
    ) -> Result<Result<CampaignTimes, String>, Refusal> {
        let ScheduledCampaign { site, new, jobs, .. } = self;
        if let Some(why) = jobs.iter().find_map(|job| submit_refusal(&site.cluster, job)) {
            return Ok(Err(why.to_string()));
        }
        let question = site.question_about(first);
        let now = new.first_now();
        let alone = now.map(|now| {
            let asking = Asking::Slurm { question, settings };
            AloneStart::of(place, &new.jobs[now].name, (facts, &asking), messages)
        });
        let alone = alone.transpose()?;
        let anchor = now.zip(alone.as_ref());
        let anchor = anchor.map(|(place, alone)| FirstJob { place, wait: alone.wait.clone() });
        let after: Vec<Vec<usize>> = new.jobs.iter().map(|one| one.after.clone()).collect();
        let mut forecast = campaign_at_cluster(&question, (jobs, &after), settings, anchor.as_ref());
        if let Some(free) = facts.free {
            (forecast.procs, forecast.free) = (facts.machine.procs, free);
        }
        let started = PastFacts::of_site(&site.history, site.moment.now).started;
        let (partition, history) = (facts.partition.clone(), number_of(started, "job"));
        Ok(Ok(CampaignTimes { partition, history, alone, forecast }))
    }
}

/// A job of a chain.
fn link(job: &SubmittedJob, place: usize) -> SubmittedJob {
    let key = |place: usize| format!("chain {place}");
    let mut link = SubmittedJob { key: key(place), ..job.clone() };
    if let Some(before) = place.checked_sub(1) {
        let on = DependencyOn { kind: DependencyKind::AfterAny, job: key(before), delay: Seconds::ZERO };
        link.request.dependency = Some(Dependency { on: vec![on], any: false });
    }
    link
}

/// A job of a list, submitted from the moment on.
fn submitted(site: &SlurmPlace, one: &SubmittedJob, queue: Option<&LiveQueue>) -> SubmittedJob {
    let mut job = one.clone();
    let now = site.moment.now;
    job.submit += now;
    let JobRequest { terms, account, partitions, time_limit, .. } = &mut *job.request;
    for at in [&mut terms.begin, &mut terms.deadline].into_iter().flatten() {
        if let Begin::At(at) = at {
            *at = now.second() + Seconds(at.0);
        }
    }
    if account.is_none() {
        *account = account_of(&site.cluster, &job.user);
    }
    if let Some(queue) = queue {
        time_limit.get_or_insert_with(|| TimeLimit::Of(queue.usual_time()));
        *partitions = queue.name.split(',').take(1).map(str::to_owned).collect();
    }
    job
}

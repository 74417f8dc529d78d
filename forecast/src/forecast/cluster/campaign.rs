//! Several jobs that are submitted to a Slurm site together, simulated jointly by its own scheduler.

use super::answer::{ClusterQuestion, ClusterVariants, ClusterWhenSettings, state_now};
use super::requested::requested;
use super::starts::{DrawnJob, tasks};
use crate::forecast::anchored::FirstJob;
use crate::forecast::campaign::{CampaignForecast, DrawnCampaign};
use crate::forecast::campaign_jobs::{Campaign, CampaignEnd, CampaignJob, CampaignMember};
use crate::forecast::past_campaigns::PastCampaigns;
use queuecast_core::job::Job;
use queuecast_core::units::{Micros, Procs, Seconds, Time};
use queuecast_slurm_sim::cluster::SubmittedJob;

/// When some jobs start and end that are submitted to a site together, at the moment of a question or later. `after` has for each of them,
/// array tasks one by one, the places of those whose ends it waits for. `first` is how long one of them would wait if it alone were
/// submitted: an answer about that job by itself, of which this one must not differ.
pub fn campaign_at_cluster(
    question: &ClusterQuestion<'_>,
    (jobs, after): (&[SubmittedJob], &[Vec<usize>]),
    settings: ClusterWhenSettings,
    first: Option<&FirstJob>,
) -> CampaignForecast {
    let now = question.moment.now.second();
    let mut members: Vec<CampaignJob> = Vec::new();
    for job in jobs {
        let (procs, limit) = (Procs(job.request.processors()), requested(question.cluster, job));
        for _ in tasks(job) {
            let later = (job.may_start() - question.moment.now).max(Micros::ZERO);
            let one = Job::rigid(u64::MAX, now + Seconds(later.second().0), procs, Some(limit));
            let after = after.get(members.len()).into_iter().flatten();
            let after = after.map(|&place| CampaignEnd::Member(place)).collect();
            members.push(CampaignJob { member: CampaignMember::New(one), after, array: None });
        }
    }
    let campaign = Campaign { jobs: members, ..Campaign::default() };
    let simulated = ClusterVariants::together(question, settings, jobs);
    let times = |draw: &Vec<DrawnJob>| -> Vec<(Time, Time)> {
        draw.iter().zip(&campaign.jobs).map(|(drawn, job)| start_and_end(drawn, job, now)).collect()
    };
    let drawn: Vec<Vec<(Time, Time)>> = simulated.iter().map(times).collect();
    let drawn = first.map_or_else(|| drawn.clone(), |first| first.anchored(&drawn, &campaign, now));
    let state = state_now(question);
    let size = |(procs, longest): (u32, Seconds), one: &CampaignJob| match &one.member {
        CampaignMember::New(job) => {
            let limit = job.shape.limit.unwrap_or(longest);
            (procs.saturating_add(job.shape.procs.0), longest.max(limit))
        }
        CampaignMember::Waiting(_) => (procs, longest),
    };
    let (procs, longest) = campaign.jobs.iter().fold((0, Seconds(1)), size);
    let all = DrawnCampaign { campaign: &campaign, drawn: &drawn, now, first, size: (Procs(procs), longest) };
    CampaignForecast {
        waiting: state.waiting,
        free: state.free,
        procs: state.procs,
        // Past campaigns of a site are not asked about.
        ..all.forecast(&PastCampaigns::new())
    }
}

/// When a job starts and ends in a simulation.
fn start_and_end(drawn: &DrawnJob, job: &CampaignJob, now: Time) -> (Time, Time) {
    let (Some(start), CampaignMember::New(job)) = (drawn.start, &job.member) else {
        return (Time::NEVER, Time::NEVER);
    };
    let start = now + Seconds(start as i64);
    let limit = job.shape.limit.unwrap_or(Seconds::ZERO);
    (start, start + drawn.run.map_or(limit, |run| run.min(limit)))
}

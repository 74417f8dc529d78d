//! The starts and ends of jobs that are asked about together, simulation by simulation.

use std::collections::BTreeMap;

use super::learned_site::{LearnedSite, PIECE};
use super::queue_draws::QueueOrder;
use super::snapshot::Snapshot;
use crate::forecast::campaign_jobs::{Campaign, CampaignEnd, CampaignMember};
use queuecast_core::job::{Job, JobIndex};
use queuecast_core::order;
use queuecast_core::parallel;
use queuecast_core::seed::Seed;
use queuecast_core::units::{Seconds, Time};
use queuecast_core::wanted::is_wanted;
use queuecast_sim::sim::{AwaitedEnd, Joiner, Joining, RunOn};
use queuecast_sim::site::View;

/// How much longer than the jobs themselves need a simulation goes on: a job that waits for longer never starts.
const LONGEST_WAIT: i64 = 60 * 86_400;

/// No simulation goes on for longer.
const LONGEST: i64 = 20 * 365 * 86_400;

impl LearnedSite {
    /// When each job of a campaign starts and ends, in the order of its jobs, for each simulation; [`Time::NEVER`] where it does not.
    pub(in crate::forecast) fn campaign_draws(
        &self,
        site: View<'_>,
        campaign: &Campaign,
        order: QueueOrder,
        (draws, seed): (u32, Seed),
    ) -> Vec<Vec<(Time, Time)>> {
        let newcomers = campaign.jobs.iter().filter_map(|one| match &one.member {
            CampaignMember::New(job) => Some(job),
            CampaignMember::Waiting(_) => None,
        });
        let snapshot = Snapshot::new(site, newcomers, &self.runs, &self.order);
        let snapshot = match order {
            QueueOrder::Learned => snapshot,
            QueueOrder::Shown => snapshot.in_shown_order(),
        };
        let joining = joining(site, campaign);
        let until = Time(site.now().0.saturating_add(self.longest(site, campaign)));
        let past = self.coming.past();
        let pieces: Vec<u32> = (0..draws.div_ceil(PIECE)).collect();
        let drawn = parallel::map(&pieces, |&piece| {
            let mut run_on = RunOn::default();
            let numbers = piece * PIECE..draws.min((piece + 1) * PIECE);
            let each = numbers.map(|number| {
                if !is_wanted() {
                    return vec![(Time::NEVER, Time::NEVER); campaign.jobs.len()];
                }
                let mut rng = seed.numbered("start times", u64::from(number));
                snapshot.drawn_campaign(past, (&joining, until), &mut rng, &mut run_on)
            });
            each.collect::<Vec<_>>()
        });
        drawn.into_iter().flatten().collect()
    }

    /// After how many seconds a campaign has ended, or never does.
    fn longest(&self, site: View<'_>, campaign: &Campaign) -> i64 {
        let now = site.now();
        let waiting: BTreeMap<JobIndex, &Job> = order::map_of(site.waiting().map(|one| (one.index, one.job)));
        let mut paths: Vec<i64> = Vec::with_capacity(campaign.jobs.len());
        let (mut in_arrays, mut work) = (vec![0_i64; campaign.at_once.len()], 0_i128);
        for one in &campaign.jobs {
            let job = match &one.member {
                CampaignMember::New(job) => Some(job),
                CampaignMember::Waiting(index) => waiting.get(index).copied(),
            };
            let (planned, procs) = job.map_or((0, 0), |job| (self.requested(job).0, job.shape.procs.0));
            let before = one.after.iter().map(|end| match end {
                CampaignEnd::Member(place) => paths.get(*place).copied().unwrap_or_default(),
                CampaignEnd::AtSite(_) => 0,
            });
            let begin = job.map_or(0, |job| (job.submit - now).0.max(0)).max(before.max().unwrap_or(0));
            paths.push(begin.saturating_add(planned));
            work += i128::from(planned) * i128::from(procs);
            if let Some(array) = one.array.and_then(|array| in_arrays.get_mut(array as usize)) {
                *array = array.saturating_add(planned);
            }
        }
        let in_arrays = in_arrays.iter().zip(&campaign.at_once);
        let in_arrays = in_arrays.map(|(sum, &most)| sum / i64::from(most.max(1))).max().unwrap_or(0);
        let work = i64::try_from(work / i128::from(site.machine().0.max(1))).unwrap_or(LONGEST);
        let path = paths.into_iter().max().unwrap_or(0);
        let needed = path.saturating_add(in_arrays).saturating_add(work);
        needed.saturating_add(LONGEST_WAIT).min(LONGEST)
    }
}

/// A campaign by the places of jobs in a run.
fn joining(site: View<'_>, campaign: &Campaign) -> Joining {
    let waiting: BTreeMap<JobIndex, u32> = order::map_of(site.waiting().map(|one| one.index).zip(0..));
    let running: BTreeMap<JobIndex, u32> = order::map_of(site.running().map(|one| one.index).zip(0..));
    let mut newcomers = waiting.len() as u32..;
    let places: Vec<u32> = campaign
        .jobs
        .iter()
        .map(|one| match &one.member {
            CampaignMember::New(_) => newcomers.next().unwrap_or(u32::MAX),
            CampaignMember::Waiting(index) => waiting.get(index).copied().unwrap_or(u32::MAX),
        })
        .collect();
    let end = |end: &CampaignEnd| match end {
        CampaignEnd::Member(place) => places.get(*place).map(|&place| AwaitedEnd::Waiting(place)),
        // A job that is not there has ended.
        CampaignEnd::AtSite(index) => {
            let at_site = running.get(index).map(|&place| AwaitedEnd::Running(place));
            at_site.or_else(|| waiting.get(index).map(|&place| AwaitedEnd::Waiting(place)))
        }
    };
    let joiners = campaign.jobs.iter().zip(&places).map(|(one, &place)| Joiner {
        place,
        at: match &one.member {
            CampaignMember::New(job) => job.submit,
            CampaignMember::Waiting(_) => site.now(),
        },
        after: one.after.iter().filter_map(end).collect(),
        array: one.array,
    });
    let held: Vec<(u32, u32)> = campaign
        .running
        .iter()
        .filter_map(|(index, array)| Some((running.get(index).copied()?, *array)))
        .collect();
    Joining::new(joiners.collect(), campaign.at_once.clone(), &held)
}

/// How many seconds from now something is, at least none.
pub(in crate::forecast) fn seconds_until(at: Time, now: Time) -> Option<Seconds> {
    (at != Time::NEVER).then(|| (at - now).max(Seconds::ZERO))
}

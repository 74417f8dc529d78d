//! Simulations of several jobs, moved so that the first job starts when it would if it alone were asked about.

use super::campaign_jobs::{Campaign, CampaignEnd, CampaignMember};
use super::past_queues::PendingRange;
use queuecast_core::distribution::Distribution;
use queuecast_core::order;
use queuecast_core::units::{Seconds, Time};

/// The first job of a campaign, and how long it would wait if it alone were submitted.
#[derive(Debug, Clone)]
pub struct FirstJob {
    /// Its place in the campaign.
    pub place: usize,
    /// How long it would wait.
    pub wait: Distribution,
}

impl FirstJob {
    /// The place of the job of a campaign that is submitted now and waits for no other: the first of them.
    pub fn place(campaign: &Campaign, now: Time) -> Option<usize> {
        campaign.jobs.iter().position(|one| match &one.member {
            CampaignMember::New(job) => job.submit <= now && one.after.is_empty(),
            CampaignMember::Waiting(_) => false,
        })
    }

    /// When it starts.
    pub fn start(&self) -> PendingRange {
        PendingRange::of(&self.wait)
    }

    /// The starts and ends of a campaign's jobs, simulation by simulation, with those of the first job replaced by the times that are said
    /// of it alone, and the others moved with it: what was simulated to start before it starts as much earlier in proportion, what was to
    /// start later starts as many seconds later. How the simulations rank their first starts is kept (ensemble copula coupling, Schefzik,
    /// Thorarinsdottir & Gneiting 2013). Simulations in which the first job never starts stay as they are.
    pub fn anchored(
        &self,
        drawn: &[Vec<(Time, Time)>],
        campaign: &Campaign,
        now: Time,
    ) -> Vec<Vec<(Time, Time)>> {
        let mut ranked: Vec<usize> = (0..drawn.len()).collect();
        // Stable: of equal starts that of the earlier simulation.
        order::sort_by_key(&mut ranked, |&number| drawn[number][self.place].0);
        let mut moved = drawn.to_vec();
        for (rank, &number) in ranked.iter().enumerate() {
            let simulated = drawn[number][self.place].0;
            if simulated == Time::NEVER {
                continue;
            }
            let level = (rank as f64 + 0.5) / drawn.len() as f64;
            let said = Seconds(self.wait.quantile(level).max(0.0).round() as i64);
            let warp = Warp { now, simulated: (simulated - now).max(Seconds::ZERO), said };
            warp.moves(&mut moved[number], campaign);
        }
        moved
    }

    /// Whether no other job starts before it in any simulation.
    pub fn is_first_in_all(&self, drawn: &[Vec<(Time, Time)>]) -> bool {
        drawn.iter().all(|draw| draw.iter().map(|one| one.0).min() == Some(draw[self.place].0))
    }
}

/// What takes the simulated start of the first job to the one that is said of it.
struct Warp {
    now: Time,
    simulated: Seconds,
    said: Seconds,
}

impl Warp {
    /// Keeps the order of times.
    fn moved(&self, at: Time) -> Time {
        let (Seconds(simulated), Seconds(said)) = (self.simulated, self.said);
        let after = (at - self.now).0.max(0);
        let moved = match after < simulated {
            true => (i128::from(after) * i128::from(said) / i128::from(simulated)) as i64,
            false => said + (after - simulated),
        };
        self.now + Seconds(moved)
    }

    /// Run times stay; no job starts before its submission, nor before the ends that it waits for.
    fn moves(&self, draw: &mut [(Time, Time)], campaign: &Campaign) {
        for (place, one) in campaign.jobs.iter().enumerate() {
            let (start, end) = draw[place];
            if start == Time::NEVER {
                continue;
            }
            let submitted = match &one.member {
                CampaignMember::New(job) => job.submit,
                CampaignMember::Waiting(_) => self.now,
            };
            let awaited = one.after.iter().filter_map(|end| match end {
                // Only jobs before it, so that they are moved already.
                CampaignEnd::Member(before) if *before < place => Some(draw[*before].1),
                CampaignEnd::Member(_) | CampaignEnd::AtSite(_) => None,
            });
            let awaited = awaited.filter(|&end| end != Time::NEVER).max();
            let begin = self.moved(start).max(submitted).max(awaited.unwrap_or(submitted));
            draw[place] = (begin, begin + (end - start));
        }
    }
}

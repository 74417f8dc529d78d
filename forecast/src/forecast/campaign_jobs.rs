//! The jobs of a campaign, and what each of them waits for.

use queuecast_core::job::{Job, JobIndex};

/// Several jobs that are asked about together.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Campaign {
    /// In the order of their submission.
    pub jobs: Vec<CampaignJob>,
    /// How many jobs of each array may run at once.
    pub at_once: Vec<u32>,
    /// Jobs of these arrays that run already, each with the place of its array.
    pub running: Vec<(JobIndex, u32)>,
}

/// A job of a campaign.
#[derive(Debug, Clone, PartialEq)]
pub struct CampaignJob {
    /// The job.
    pub member: CampaignMember,
    /// It is eligible once these have ended.
    pub after: Vec<CampaignEnd>,
    /// The place of its array, where the number of its jobs that may run at once is limited.
    pub array: Option<u32>,
}

/// A job of a campaign, at the site or not yet.
#[derive(Debug, Clone, PartialEq)]
pub enum CampaignMember {
    /// It is submitted at its time, now or later.
    New(Job),
    /// It waits at the site.
    Waiting(JobIndex),
}

/// What a job of a campaign waits for the end of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CampaignEnd {
    /// Another job of the campaign, by its place.
    Member(usize),
    /// A job at the site; one that is not there has ended.
    AtSite(JobIndex),
}

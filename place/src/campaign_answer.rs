//! What is answered about several jobs together.

use serde::Serialize;

use super::asked::{Asking, PlaceFacts};
use super::start::said_of;
use super::{AskedPlace, JobSize};
use queuecast_core::asking::{Messages, Refusal};
use queuecast_core::distribution::Distribution;
use queuecast_core::units::{Procs, Seconds};
use queuecast_forecast::forecast::{CampaignForecast, MethodRecord, RegimeRecord, WhenAnswer};
use queuecast_trace::{Moment, TimeZone};

/// When the first of several jobs starts, and when the last ends. Uses nothing that a log records of later.
#[derive(Debug, Serialize)]
pub struct CampaignAnswer {
    /// Of queuecast.
    pub version: &'static str,
    /// Where what is known comes from.
    pub source: String,
    /// The moment asked about.
    pub moment: Moment,
    /// The Unix time that the clock of the moment begins at.
    #[serde(skip)]
    pub epoch: Option<i64>,
    /// The zone of dates.
    #[serde(skip)]
    pub zone: TimeZone,
    /// What is asked about.
    pub asked: AskedCampaign,
    /// One for each partition of a live site that allows all of the jobs; at another place one.
    pub places: Vec<CampaignTimes>,
    /// Partitions that do not allow the jobs, and why.
    pub refused: Vec<String>,
}

/// The jobs that are asked about together.
#[derive(Debug, Serialize)]
pub struct AskedCampaign {
    /// What they are called, if they wait already: `1234`.
    pub name: Option<String>,
    /// Each of them, in the order of their submission.
    pub jobs: Vec<AskedMember>,
    /// How many of the jobs of each array may run at once, where that is limited.
    pub at_once: Vec<u32>,
    /// Whether some wait for the ends of others.
    pub depend: bool,
    /// Jobs of it that run already.
    pub running: usize,
}

/// A job of a campaign.
#[derive(Debug, Clone, Serialize)]
pub struct AskedMember {
    /// What it is called.
    pub name: String,
    /// What it asks for.
    #[serde(flatten)]
    pub size: JobSize,
}

/// When the jobs start and end in one place.
#[derive(Debug, Serialize)]
pub struct CampaignTimes {
    /// The partition, on a live site.
    pub partition: Option<String>,
    /// Whose past it was learned from.
    pub history: String,
    /// What is said of the first job by itself; `None` if every job is submitted later, or waits already.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub alone: Option<AloneStart>,
    /// The answer; its jobs are in the order of those asked about.
    #[serde(flatten)]
    pub forecast: CampaignForecast,
}

/// How one job of several would start if it alone were asked about: the campaign's answer begins with this one.
#[derive(Debug, Clone, Serialize)]
pub struct AloneStart {
    /// What the job is called.
    pub job: String,
    /// The method that answers.
    pub method: String,
    /// How right it was for the last jobs; `None` with fewer than 30 of them.
    pub record: Option<MethodRecord>,
    /// How right it was for those of them in the situation of the job; `None` with fewer than 30.
    pub regime: Option<RegimeRecord>,
    /// Its wait.
    #[serde(skip)]
    pub(super) wait: Distribution,
}

impl AloneStart {
    /// The share of such ranges that held, in the situation of the job where that is known.
    pub fn inside(&self) -> Option<f64> {
        let regime = self.regime.map(|regime| regime.inside);
        regime.or_else(|| self.record.as_ref().map(|record| record.inside))
    }

    pub(super) fn of(
        place: &AskedPlace<'_>,
        name: &str,
        (facts, asking): (&PlaceFacts<'_>, &Asking<'_>),
        messages: &dyn Messages,
    ) -> Result<AloneStart, Refusal> {
        let (answer, _) = said_of(place, facts, asking, messages)?;
        let WhenAnswer { method, wait, record, regime, .. } = answer;
        Ok(AloneStart { job: name.to_owned(), method, record, regime, wait: wait.distribution })
    }
}

impl AskedCampaign {
    /// All processors that the jobs ask for, each counted for itself.
    pub fn procs(&self) -> u64 {
        self.jobs.iter().map(|one| u64::from(one.size.procs.0)).sum()
    }

    /// What all of the jobs ask for, if that is the same.
    pub fn common_size(&self) -> Option<(Procs, Seconds)> {
        let size = |one: &AskedMember| (one.size.procs, one.size.time);
        let first = size(self.jobs.first()?);
        self.jobs.iter().all(|one| size(one) == first).then_some(first)
    }
}

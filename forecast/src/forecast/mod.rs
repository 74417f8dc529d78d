//! When will it start: every forecaster of waits by name ([`WaitMethod`]), those included that simulate
//! ([`SimulatedWaits`]); the recorded schedule of a log as they follow it ([`RecordedArrivals`]); and the answer for one job
//! by the one that has been best ([`when()`]; at a Slurm site [`when_at_cluster`]), and which of several places would start it first ([`SoonestStart`]).

mod anchored;
mod answer;
mod arrivals;
mod best;
mod blockers;
mod campaign;
mod campaign_jobs;
mod closeness;
mod cluster;
mod doubt;
mod followed;
mod forecaster;
mod limit;
mod limit_record;
mod method;
mod past_campaigns;
mod past_facts;
mod past_queues;
mod pending;
mod planned;
mod played_forecaster;
mod range_record;
mod regime;
mod soonest;
mod start_record;
mod starts;
mod stored;
mod trials;
mod when;

pub use anchored::FirstJob;
pub use answer::{
    ClassNumbers, PredictedWait, StartedWithin, StateNow, WhenAnswer, WhenAnswers, WhenError, WhenSettings,
};
pub use arrivals::{Following, RecordedArrivals, WaitOutcome};
pub use best::{BestWaits, wait_predictor};
pub use blockers::{AskedStart, BlockerEffect, LeftOutEffect, StartBlockers};
pub use campaign::{CampaignForecast, CampaignForecaster, MemberTimes};
pub use campaign_jobs::{Campaign, CampaignEnd, CampaignJob, CampaignMember};
pub(crate) use closeness::{PLACES, is_less, odds_in, places, sum};
pub use closeness::{TOLD_APART, is_surely_shorter, odds_of_shorter};
pub use cluster::{
    ClusterDraws, ClusterForecaster, ClusterPendingStart, ClusterQuestion, ClusterQueue, ClusterRecord,
    ClusterWhenError, ClusterWhenSettings, ExpectedArrivals, FollowedAnswers, FoundQueue, SITE_METHOD,
    SimulationWork, SiteBlocker, SiteBlockers, SiteTarget, StartForecast, campaign_at_cluster,
    when_at_cluster, when_each_at_cluster,
};
pub(crate) use cluster::{ClusterVariants, never_starts, variants_at_cluster};
pub use doubt::Doubt;
pub(crate) use forecaster::ASKED;
pub use forecaster::{Forecaster, SubmissionUse};
pub use limit::LimitAdvice;
pub(crate) use limit::{longer_limits, longer_run, stopped_at};
pub use limit_record::LimitRecord;
pub(crate) use method::ranges;
pub use method::{RangePoint, WaitMethod};
pub use past_campaigns::{CampaignOutcome, CampaignRecord};
pub use past_facts::PastFacts;
pub use past_queues::{PendingRange, PendingRecord};
pub use pending::{PendingForecaster, PendingStart, PendingStarts, PlayedQueue, RunningEnd};
pub(crate) use planned::{FOREVER, wait_if};
pub use planned::{PlannedRuns, PlannedWaits};
pub use played_forecaster::PlayedForecaster;
pub use range_record::MethodRecord;
pub use regime::RegimeRecord;
pub use soonest::SoonestStart;
pub use starts::{
    LearnedSite, ModelledWaits, QueueOrder, QueueStarts, QueuedStart, SimulatedWaits, TreeSettings,
};
pub use stored::{ForecasterKey, StoredError, opened, sealed};
pub use when::{WhenSource, when, when_each};

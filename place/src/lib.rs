//! Where a job would be submitted, and what it is told there: a log at a moment, a live site by its queue, or a Slurm site by its own
//! scheduler. One question is asked of each kind of place in the same way; what is read from files and commands comes as texts and logs.

mod advised;
mod allocated;
mod asked;
mod blockers;
mod campaign;
mod choice;
mod job;
mod kept_past;
mod labelled_log;
mod live;
mod lost_regime;
mod machine;
mod new_campaign;
mod pending;
mod played;
mod queue_history;
mod queue_past;
mod queued;
mod script_job;
mod shown_reason;
mod sites_file;
mod sites_text;
mod slurm;
mod slurm_pending;
mod snapshot;
mod start;
mod start_grid;
mod wait_history;
mod waiting_campaign;
mod waits_for;
mod why;

pub use advised::{AdvisedAnswer, AdvisedJob, AdvisedPlaces, PlaceAdvice, advise_at, advise_at_logs};
pub use allocated::{
    Allocated, AllocatedByPartition, AllocationAnswer, AllocationSettings, RefusedPartition, allocate_at,
};
pub use asked::AskedPlace;
pub use blockers::{StartWhy, TriedBlocker};
pub use campaign::{AskedCampaign, AskedMember, CampaignAnswer, CampaignTimes, campaign_at};
pub use choice::{RefusedSite, SiteAsker, SiteChoice, SiteStart, SiteWord};
pub use job::{JobSize, NewJob, known_queue, known_user};
pub use kept_past::{LearnedModels, NamedModel, ReadyModels, RecallModel, SitePast};
pub use labelled_log::{LabelledLog, LearnedLog};
pub use live::{LiveQueue, LiveSite};
pub use lost_regime::{KnownRegimes, LostRegime, LostRegimes, RegimeJobs};
pub use machine::{MachineAnswer, MachinePlan, MachineRun, queue_and_machine};
pub use new_campaign::NewCampaign;
pub use pending::{AskedQueue, PendingAnswer, PendingJob, pending_at};
pub use played::PlayedLog;
pub use queue_past::LivePast;
pub use queued::{QueuedAnswer, queued_at};
pub use script_job::ScriptJob;
pub use sites_file::{JobSource, SiteEntry, SitesFile};
pub use slurm::{SlurmJob, SlurmNow, SlurmPlace};
pub use snapshot::{AheadJob, JobAhead, PlaceSnapshot, ReadyPast};
pub use start::{StartAnswer, StartTime, StartTimes, when_at};
pub use start_grid::{PartitionStarts, StartCell, starts_by_size};
pub use wait_history::{DayWaits, QueueWaits, WaitsAnswer};
pub use waiting_campaign::{is_waiting_campaign, waiting_campaign_at};
pub use waits_for::{LimitReached, WaitsFor};
pub use why::explain_start;

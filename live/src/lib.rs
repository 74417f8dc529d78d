//! A Slurm site followed over time: the commands it is asked ([`declared`]), looks at its queue and its nodes ([`Look`]), its accounting
//! in windows ([`Collector`]), and a [`Store`] that remembers both, so that the site can be asked about as of any moment since.
//!
//! What is stored is what Slurm printed, line by line, with when it was so. It is read by the same readers that read a site now.

mod checkup;
mod collector;
mod comments;
mod computing;
mod confidence;
pub mod declared;
mod forecast_record;
mod forecasts;
mod learning;
mod look;
mod notices;
mod open_store;
mod own_scheduler;
mod played_record;
mod played_site;
mod rows;
mod scorecard;
mod service_checks;
mod shadow;
mod shadow_card;
mod shown;
mod shown_settings;
mod site_snapshot;
mod slurm_checks;
mod store;
mod store_checks;
mod stored_site;
mod submission;

pub use checkup::{CheckState, Checkup, ServiceCheck};
pub use collector::{Ask, AskFailed, AskedJobs, Collected, Collector, CollectorSettings, LoadedWindows};
pub use comments::{WrittenComments, first_forecasts, write_comments};
pub use computing::{ComputeSettings, Computed, compute};
pub use confidence::Confidence;
pub use forecast_record::ForecastRecord;
pub use forecasts::{DueForecasts, JobForecast, JudgedForecast, SaidSeconds, WaitEnd, waiting_jobs};
pub use learning::{
    KeptLearning, LearnedParts, LearningError, LookForecasts, forecast, is_learned, learn, site_at,
};
pub use look::Look;
pub use notices::{
    CalendarEntry, JobNow, Notice, NoticeReason, NoticeRules, WatchedJob, calendar, clock_range,
};
pub use open_store::{KeptModels, OpenStore, refused_store};
pub use own_scheduler::{known_scheduler, scheduler_at};
pub use played_site::PlayedSite;
pub use rows::AccountingRows;
pub use scorecard::{ScoreDay, ScoreRow, Scorecard};
pub use service_checks::{Asker, ServiceDoor, ServiceReply, disk_check, service_checks};
pub use shadow::compare_decisions;
pub use shadow_card::{ShadowCard, ShadowGroup, ShadowRecord, ShadowRow};
pub use shown::{CollectedRound, DeclaredCommands, ShownCommand};
pub use shown_settings::{SettingSource, ShownSetting, ShownSettings};
pub use site_snapshot::{FollowedSite, SaidByJob, SaidTimes, SiteNews, SiteSnapshot};
pub use slurm_checks::slurm_checks;
pub use store::{
    ClusterNumber, FailedLook, LearnedPart, ServerAddress, SqlStore, Store, StoreError, StoreLocation,
    StoredLook, UnendedJob,
};
pub use store_checks::{FRESH, store_checks};
pub use stored_site::{DescribedSite, StoredSite};
pub use submission::{
    LIMITS_FILE, STARTS_FILE, SiteDefaults, SubmissionScript, SubmissionTables, submission_tables,
};

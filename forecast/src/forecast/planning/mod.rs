//! What to ask for: one job in several variants (time limits, sizes, queues, later), each with when it would be done.

mod allocation;
mod at_cluster;
mod limit;
mod limit_record;
mod option;
mod place;
mod question;

pub use allocation::{AllocationError, SizeForecasts, forecast_sizes};
pub use at_cluster::{ClusterPlanError, ClusterPlanQuestion, plan_at_cluster};
pub use limit::LimitAdvice;
pub use limit_record::LimitRecord;
pub use option::{JobChange, JobOption, TimeSpread};
pub use place::SoonestPlace;
pub use question::{JobPlan, PlanError, PlanQuestion, PlanSettings, plan_job};

//! Who runs next at a site: Slurm's own scheduler, or a policy of the engine on the site's nodes.

use std::fmt;

use serde::{Serialize, Serializer};

use crate::{Experiment, PolicyChoice, PredictorChoice};
use queuecast_core::job::Event;
use queuecast_core::units::Seconds;
use queuecast_sim::predict::{Forecast, PredictorSpec, Question, Revision, RuntimePredictor};
use queuecast_sim::sim::{EventOrder, LimitRule, Policy, SimError};
use queuecast_slurm_sim::cluster::{Cluster, RecordedRun, TaskRun};
use queuecast_slurm_sim::controller::{
    Phases, SimulatedRun, SiteRules, simulate_by_rules, simulate_in_detail,
};

/// Who runs next at a site.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SitePolicy(Option<Experiment>);

/// A simulation that has no meaning at a site.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("at a site {why}")]
pub struct NotAtSites {
    why: &'static str,
}

impl SitePolicy {
    /// Slurm's own scheduler, with its timers and delays.
    pub const SLURM: SitePolicy = SitePolicy(None);

    /// A policy that plans at once, with the limits that jobs asked for. A depth of reservations is that of each partition.
    pub fn of(policy: impl Into<PolicyChoice>) -> SitePolicy {
        SitePolicy(Some(Experiment::of(policy, PredictorSpec::Requested)))
    }

    /// A policy with a predictor and how outlived predictions are corrected.
    pub fn by(experiment: Experiment) -> Result<SitePolicy, NotAtSites> {
        let why = if experiment.options.event_order != EventOrder::Textbook {
            "all events of an instant come before a plan"
        } else if experiment.options.limit != LimitRule::Kill {
            "jobs are stopped at their limits"
        } else {
            return Ok(SitePolicy(Some(experiment)));
        };
        Err(NotAtSites { why })
    }

    /// Whether it is Slurm's own.
    pub fn is_slurm(&self) -> bool {
        self.0.is_none()
    }

    /// What would become of submissions. Fails only if the predictor or the policy breaks its contract.
    pub fn simulate(&self, cluster: &Cluster, run: &RecordedRun) -> Result<SimulatedRun, SimError> {
        let Some(experiment) = &self.0 else {
            return Ok(simulate_in_detail(cluster, run, Phases::of(&run.clock, &cluster.settings)));
        };
        let mut policy = on_nodes(&experiment.policy);
        let mut predictor: Box<dyn RuntimePredictor> = match &experiment.predictor {
            PredictorChoice::Spec(PredictorSpec::Perfect) => Box::new(TrueRuns::of(run)),
            other => other.build(Vec::new, experiment.default_request),
        };
        let options = experiment.options;
        let keeps_order = match &experiment.policy {
            PolicyChoice::Backfill(family) => family.likely.is_none() && family.priority.is_none(),
            PolicyChoice::Custom(_) => false,
        };
        let plans_at_limits = keeps_order && has_limits_only(&experiment.predictor);
        simulate_by_rules(
            cluster,
            run,
            SiteRules { policy: policy.as_mut(), predictor: predictor.as_mut(), options, plans_at_limits },
        )
    }
}

/// Whether jobs are planned with the limits that they ask for.
fn has_limits_only(predictor: &PredictorChoice) -> bool {
    *predictor == PredictorChoice::Spec(PredictorSpec::Requested)
}

/// The policy in the form that asks the capacity of its view.
fn on_nodes(policy: &PolicyChoice) -> Box<dyn Policy> {
    match policy {
        PolicyChoice::Backfill(family) => family.build_plain(),
        PolicyChoice::Custom(_) => policy.build(),
    }
}

/// The actual run time of each job, array tasks one by one, in the order of submissions; at most its limit.
struct TrueRuns(Vec<Option<Seconds>>);

impl TrueRuns {
    fn of(run: &RecordedRun) -> TrueRuns {
        let tasks = run.submissions.iter().flat_map(|one| {
            let tasks = one.request.array.as_ref().map_or(1, |array| array.indices.len());
            (0..tasks).map(|task| match one.runs.get(task).or(one.runs.first()) {
                Some(TaskRun::For(run) | TaskRun::FailsAfter(run)) => Some(*run),
                _ => None,
            })
        });
        TrueRuns(tasks.collect())
    }
}

impl RuntimePredictor for TrueRuns {
    fn estimate(&self, question: &Question<'_>) -> Forecast {
        let run = usize::try_from(question.job.id.0).ok().and_then(|place| *self.0.get(place)?);
        let limit = question.job.shape.limit.unwrap_or(Seconds(i64::MAX / 4));
        Forecast::exactly(run.unwrap_or(limit).min(limit).max(Seconds(1)))
    }

    fn observe(&mut self, _event: &Event<'_>, _revisions: &mut Vec<Revision>) {}
}

impl fmt::Display for SitePolicy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            None => f.write_str("slurm"),
            Some(one) if has_limits_only(&one.predictor) => one.policy.fmt(f),
            Some(one) => write!(f, "{} {} {}", one.policy, one.predictor, one.options.correction),
        }
    }
}

impl Serialize for SitePolicy {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

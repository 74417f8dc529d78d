//! A simulation as data: everything that decides its schedule, except the workload.

use serde::Serialize;

use crate::{PolicyChoice, PredictorChoice};
use queuecast_core::units::Seconds;
use queuecast_core::workload::Workload;
use queuecast_sim::predict::{DEFAULT_REQUEST, PredictorSpec, RuntimePredictor};
use queuecast_sim::sim::{Backfill, Observer, Options, Schedule, SimError, simulate};

/// One policy, one predictor, and how they are run. The same experiment on the same workload gives the same
/// schedule.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Experiment {
    /// Which waiting jobs start.
    pub policy: PolicyChoice,
    /// How long jobs are predicted to run.
    pub predictor: PredictorChoice,
    /// Event order, limits, corrections, factor.
    #[serde(flatten)]
    pub options: Options,
    /// Stands in for a missing requested time.
    pub default_request: Seconds,
}

impl Experiment {
    /// A built-in policy with a built-in predictor, everything else by default.
    pub fn new(policy: Backfill, predictor: PredictorSpec) -> Experiment {
        Experiment::of(policy, predictor)
    }

    /// Any policy with any predictor: specs, or a [`super::CustomPolicy`] and a [`super::CustomPredictor`].
    pub fn of(policy: impl Into<PolicyChoice>, predictor: impl Into<PredictorChoice>) -> Experiment {
        Experiment {
            policy: policy.into(),
            predictor: predictor.into(),
            options: Options::default(),
            default_request: DEFAULT_REQUEST,
        }
    }

    /// The reference of fairness: first come, first served, with the same event order and limit. It plans with no
    /// predictions, so it has no correction and no factor.
    pub fn fcfs(&self) -> Experiment {
        let default = Options::default();
        Experiment {
            options: Options { correction: default.correction, factor: default.factor, ..self.options },
            default_request: self.default_request,
            ..Experiment::new(Backfill::fcfs(), PredictorSpec::Requested)
        }
    }

    /// The schedule.
    pub fn run(&self, workload: &Workload) -> Result<Schedule, SimError> {
        self.watch(workload, &mut [])
    }

    /// The schedule; observers see every event.
    pub fn watch(
        &self,
        workload: &Workload,
        observers: &mut [&mut dyn Observer],
    ) -> Result<Schedule, SimError> {
        let mut predictor = self.predictor(workload);
        let mut policy = self.policy.build();
        simulate(workload, self.options, policy.as_mut(), predictor.as_mut(), observers)
    }

    fn predictor(&self, workload: &Workload) -> Box<dyn RuntimePredictor> {
        let runs = || {
            let fates = workload.jobs().iter().zip(workload.truths());
            fates.map(|(job, truth)| self.options.limit.ran(job, truth)).collect()
        };
        self.predictor.build(runs, self.default_request)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use queuecast_core::job::{Job, Truth};
    use queuecast_core::units::{Procs, Time};
    use queuecast_core::workload::Machine;
    use queuecast_sim::sim::Persistence;

    #[test]
    fn an_experiment_serialises_as_its_specs() {
        let experiment = Experiment::new(Backfill::conservative(Persistence::Replan), PredictorSpec::Perfect);
        let json = serde_json::to_value(&experiment).unwrap();
        assert_eq!(json["policy"], "conservative:form=replan");
        assert_eq!(json["predictor"], "perfect");
        assert_eq!(json["correction"], "increments");
        assert_eq!(json["event_order"], "textbook");
    }

    #[test]
    fn perfect_predictions_end_at_the_limit() {
        let job = |id, limit, run| {
            (Job::rigid(id, Time(0), Procs(1), Some(Seconds(limit))), Truth::rigid(Seconds(run)))
        };
        let workload =
            Workload::new(Machine { procs: Procs(1) }, vec![job(1, 10, 99), job(2, 10, 3)]).unwrap();
        let schedule = Experiment::new(Backfill::easy(), PredictorSpec::Perfect).run(&workload).unwrap();
        let predicted: Vec<i64> = schedule.placements.iter().map(|placement| placement.predicted.0).collect();
        assert_eq!(predicted, [10, 3]);
    }
}

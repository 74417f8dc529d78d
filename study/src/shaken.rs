//! Experiments on workloads whose arrivals are shaken: every metric over many seeds, with its confidence.

use std::collections::BTreeMap;

use queuecast_core::order;
use serde::Serialize;

use crate::{Experiment, Repeated, Sweep, SweepResults};
use queuecast_core::units::Seconds;
use queuecast_eval::{METRICS, Metric, Window};
use queuecast_synth::synth::{Shaken, Variant};

/// How arrivals are shaken, and how often.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Shaking {
    /// The largest change of an arrival, in either direction.
    pub by: Seconds,
    /// How many seeds: 1, 2, 3 and so on.
    pub seeds: u16,
}

/// One experiment on one workload, over all seeds.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ShakenResult {
    /// The place of the workload.
    pub workload: usize,
    /// The policy, the predictor and the options.
    pub experiment: Experiment,
    /// Every metric that has a value with each seed, by its name.
    pub metrics: BTreeMap<&'static str, Repeated>,
}

impl Shaking {
    fn variants(self) -> impl Iterator<Item = Variant> {
        (1..=u64::from(self.seeds)).map(move |seed| {
            let shaken = Some(Shaken { by: self.by, seed });
            Variant { shaken, ..Variant::default() }
        })
    }

    /// Every experiment on each of the first `workloads` workloads with each seed. All experiments see the same arrivals.
    pub fn sweep(self, workloads: usize, experiments: &[Experiment], window: Window) -> Sweep {
        let mut sweep = Sweep::new().over(window);
        for workload in 0..workloads {
            for variant in self.variants() {
                for experiment in experiments {
                    sweep.want(workload, variant, experiment.clone());
                }
            }
        }
        sweep
    }

    /// What came out of [`Shaking::sweep`], in the order of workloads and, for each, of experiments.
    pub fn results(
        self,
        workloads: usize,
        experiments: &[Experiment],
        results: &SweepResults,
    ) -> Vec<ShakenResult> {
        let asked: Vec<_> = results.asked().collect();
        let (count, seeds) = (experiments.len(), usize::from(self.seeds));
        let mut shaken = Vec::with_capacity(workloads * count);
        for workload in 0..workloads {
            for (place, experiment) in experiments.iter().enumerate() {
                let of_seed = |seed: usize| asked.get((workload * seeds + seed) * count + place);
                let metric = |metric: &&Metric| {
                    let values: Option<Vec<f64>> =
                        (0..seeds).map(|seed| metric.value(&of_seed(seed)?.summary)).collect();
                    Some((metric.name, Repeated::of(&values?)))
                };
                let metrics = order::map_of(METRICS.iter().filter_map(metric));
                shaken.push(ShakenResult { workload, experiment: experiment.clone(), metrics });
            }
        }
        shaken
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use queuecast_core::job::{Job, Truth};
    use queuecast_core::units::{Procs, Time};
    use queuecast_core::workload::{Machine, Workload};
    use queuecast_eval::Watch;
    use queuecast_sim::predict::PredictorSpec;
    use queuecast_sim::sim::Backfill;

    fn workload(jobs: i64) -> Workload {
        let job = |number: i64| {
            let (procs, run) = (Procs(1 + number as u32 % 4), Seconds(50 + 37 * number % 400));
            (Job::rigid(number as u64, Time(60 * number), procs, Some(Seconds(600))), Truth::rigid(run))
        };
        Workload::new(Machine { procs: Procs(4) }, (0..jobs).map(job).collect()).unwrap()
    }

    #[test]
    fn every_seed_counts_once_for_its_own_experiment_and_workload() {
        let experiments = [Backfill::fcfs(), Backfill::sjbf()]
            .map(|policy| Experiment::new(policy, PredictorSpec::Requested));
        let (one, other) = (workload(60), workload(90));
        let shaking = Shaking { by: Seconds(60), seeds: 3 };
        let sweep = shaking.sweep(2, &experiments, Window::All);
        assert_eq!(sweep.simulations().len(), 12);
        let results = sweep.run(&[&one, &other], Watch::default()).unwrap();
        let shaken = shaking.results(2, &experiments, &results);
        let places: Vec<_> =
            shaken.iter().map(|one| (one.workload, one.experiment.policy.to_string())).collect();
        let named = |place, policy: &str| (place, policy.to_owned());
        assert_eq!(places, [named(0, "fcfs"), named(0, "sjbf"), named(1, "fcfs"), named(1, "sjbf")]);
        for result in &shaken {
            let alone: Vec<f64> = shaking
                .variants()
                .map(|variant| {
                    let changed = variant.of([&one, &other][result.workload]).unwrap();
                    let schedule = result.experiment.run(&changed).unwrap();
                    let evaluation = queuecast_eval::Evaluation::of(&changed, &schedule).unwrap();
                    evaluation.over(&Window::All).unwrap().summary().mean_wait.unwrap()
                })
                .collect();
            assert_eq!(result.metrics["mean_wait"], Repeated::of(&alone));
            // Control: the seeds differ, and so do their results.
            assert!(result.metrics["mean_wait"].deviation > 0.0);
        }
    }
}

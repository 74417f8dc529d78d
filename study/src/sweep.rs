//! Many simulations: each wanted where it is needed, done once, on all cores.
//!
//! A [`Sweep`] collects simulations of workloads, of variants of them, and of experiments with built-in or custom
//! policies and predictors. [`Sweep::run`] gives the same results for any number of threads.

use queuecast_core::order;
use serde::Serialize;

use crate::Experiment;
use queuecast_core::parallel;
use queuecast_core::workload::Workload;
use queuecast_eval::{EvalError, Evaluation, Fairness, Summary, Watch, Window};
use queuecast_sim::sim::Schedule;
use queuecast_synth::synth::Variant;

/// One simulation of a sweep.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Simulation {
    /// The place of its workload among those given to [`Sweep::run`].
    pub workload: usize,
    /// What is changed about the workload.
    #[serde(skip_serializing_if = "is_unchanged")]
    pub variant: Variant,
    /// The policy, the predictor and the options.
    pub experiment: Experiment,
}

fn is_unchanged(variant: &Variant) -> bool {
    *variant == Variant::default()
}

/// The place of a simulation in its sweep.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct SimulationId(usize);

/// The result of one simulation.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SimulationResult {
    /// What was simulated.
    #[serde(flatten)]
    pub simulation: Simulation,
    /// Every metric over the counted jobs.
    #[serde(flatten)]
    pub summary: Summary,
    /// Starts compared with first come, first served, where [`Sweep::with_fairness`] asks for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fairness: Option<Fairness>,
    /// Whether a job outlived its prediction, so that the correction matters.
    pub outlived: bool,
    /// Seconds on the caller's clock that the simulation took.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub simulate_seconds: Option<f64>,
}

/// The simulations that are wanted, and what is measured.
#[derive(Debug, Clone, Default)]
pub struct Sweep {
    simulations: Vec<Simulation>,
    asked: Vec<SimulationId>,
    window: Window,
    fairness: bool,
}

impl Sweep {
    /// No simulations yet; all jobs are counted.
    pub fn new() -> Sweep {
        Sweep::default()
    }

    /// Every experiment on each of the first `workloads` workloads, in that order: experiments vary fastest.
    pub fn grid(workloads: usize, experiments: &[Experiment]) -> Sweep {
        let mut sweep = Sweep::new();
        for workload in 0..workloads {
            for experiment in experiments {
                sweep.want(workload, Variant::default(), experiment.clone());
            }
        }
        sweep
    }

    /// Counts the jobs of this window only.
    #[must_use]
    pub fn over(self, window: Window) -> Sweep {
        Sweep { window, ..self }
    }

    /// Compares every start with that under first come, first served.
    #[must_use]
    pub fn with_fairness(self) -> Sweep {
        Sweep { fairness: true, ..self }
    }

    /// Adds a simulation, unless an equal one is there already.
    pub fn want(&mut self, workload: usize, variant: Variant, experiment: Experiment) -> SimulationId {
        let simulation = Simulation { workload, variant, experiment };
        let known = self.simulations.iter().position(|other| *other == simulation);
        let id = SimulationId(known.unwrap_or(self.simulations.len()));
        if known.is_none() {
            self.simulations.push(simulation);
        }
        self.asked.push(id);
        id
    }

    /// The different simulations, in the order they were asked for.
    pub fn simulations(&self) -> &[Simulation] {
        &self.simulations
    }

    /// The number of simulations that [`Watch::done`] adds up to, references of fairness included.
    pub fn steps(&self) -> usize {
        let references: usize = self.batches().iter().map(|batch| batch.references.len()).sum();
        self.simulations.len() + references
    }

    /// Runs every simulation. `workloads` are those that [`Simulation::workload`] counts.
    pub fn run(&self, workloads: &[&Workload], watch: Watch<'_>) -> Result<SweepResults, EvalError> {
        let batches = self.batches();
        let done = parallel::try_map(&batches, |batch| self.run_batch(batch, workloads, watch))?;
        let mut results: Vec<(usize, SimulationResult)> = done.into_iter().flatten().collect();
        order::sort_by_key(&mut results, |(place, _)| *place);
        let results = results.into_iter().map(|(_, result)| result).collect();
        Ok(SweepResults { results, asked: self.asked.clone() })
    }

    /// Simulations of one changed workload run together, so that the change is made once and not kept.
    fn batches(&self) -> Vec<Batch> {
        let mut batches: Vec<Batch> = Vec::new();
        for (place, simulation) in self.simulations.iter().enumerate() {
            let Simulation { workload, variant, ref experiment } = *simulation;
            let same = |batch: &Batch| (batch.workload, batch.variant) == (workload, variant);
            let at = batches.iter().position(same).unwrap_or(batches.len());
            if at == batches.len() {
                batches.push(Batch { workload, variant, references: Vec::new(), groups: Vec::new() });
            }
            let batch = &mut batches[at];
            let reference = experiment.fcfs();
            if self.fairness && !batch.references.contains(&reference) {
                batch.references.push(reference);
            }
            let alike = |group: &&mut Vec<usize>| {
                differ_in_correction_only(&self.simulations[group[0]].experiment, experiment)
            };
            match batch.groups.iter_mut().find(alike) {
                Some(group) => group.push(place),
                None => batch.groups.push(vec![place]),
            }
        }
        batches
    }

    fn run_batch(
        &self,
        batch: &Batch,
        workloads: &[&Workload],
        watch: Watch<'_>,
    ) -> Result<Vec<(usize, SimulationResult)>, EvalError> {
        let Some(&workload) = workloads.get(batch.workload) else {
            return Err(EvalError::UnknownWorkload { place: batch.workload, workloads: workloads.len() });
        };
        let changed = if is_unchanged(&batch.variant) { None } else { Some(batch.variant.of(workload)?) };
        let workload = changed.as_ref().unwrap_or(workload);
        let references = parallel::try_map(&batch.references, |reference| {
            let schedule = reference.run(workload);
            (watch.done)(1);
            schedule
        })?;
        let reference = |experiment: &Experiment| {
            let wanted = experiment.fcfs();
            batch.references.iter().position(|one| *one == wanted).and_then(|place| references.get(place))
        };
        let one = |&place: &usize| {
            let simulation = &self.simulations[place];
            let result = self.simulate(simulation, workload, reference(&simulation.experiment), watch);
            (watch.done)(1);
            result.map(|result| (place, result))
        };
        // Where the first of a group needs no correction, the others come to the same schedule.
        let groups = parallel::try_map(&batch.groups, |group| {
            let first = one(&group[0])?;
            if first.1.outlived {
                let others = parallel::try_map(&group[1..], one)?;
                return Ok::<_, EvalError>([vec![first], others].concat());
            }
            (watch.done)(group.len() - 1);
            let same = |&place: &usize| {
                let simulation = self.simulations[place].clone();
                (place, SimulationResult { simulation, ..first.1.clone() })
            };
            Ok(group.iter().map(same).collect())
        })?;
        Ok(groups.concat())
    }

    fn simulate(
        &self,
        simulation: &Simulation,
        workload: &Workload,
        reference: Option<&Schedule>,
        watch: Watch<'_>,
    ) -> Result<SimulationResult, EvalError> {
        let begun = watch.clock.map(|clock| clock());
        let schedule = simulation.experiment.run(workload)?;
        let simulate_seconds = watch.clock.zip(begun).map(|(clock, begun)| clock() - begun);
        let evaluation = Evaluation::of(workload, &schedule)?;
        let selection = evaluation.over(&self.window)?;
        Ok(SimulationResult {
            simulation: simulation.clone(),
            summary: selection.summary(),
            fairness: reference.map(|reference| selection.fairness(reference)).transpose()?,
            outlived: schedule.placements.iter().any(|placement| placement.corrections > 0),
            simulate_seconds,
        })
    }
}

/// The simulations of one workload in one variant.
struct Batch {
    workload: usize,
    variant: Variant,
    /// First come, first served, for each event order and limit.
    references: Vec<Experiment>,
    /// Places of simulations that differ in nothing but the correction.
    groups: Vec<Vec<usize>>,
}

fn differ_in_correction_only(one: &Experiment, other: &Experiment) -> bool {
    let mut same = other.clone();
    same.options.correction = one.options.correction;
    same == *one
}

/// The results of a sweep, by [`SimulationId`].
#[derive(Debug, Clone, PartialEq)]
pub struct SweepResults {
    results: Vec<SimulationResult>,
    asked: Vec<SimulationId>,
}

impl SweepResults {
    /// One result for each [`Sweep::want`], in that order; what was asked for twice is there twice.
    pub fn asked(&self) -> impl Iterator<Item = &SimulationResult> {
        self.asked.iter().map(|id| &self.results[id.0])
    }

    /// The result of each different simulation.
    pub fn results(&self) -> &[SimulationResult] {
        &self.results
    }
}

impl Serialize for SweepResults {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.results.serialize(serializer)
    }
}

impl std::ops::Index<SimulationId> for SweepResults {
    type Output = SimulationResult;

    fn index(&self, id: SimulationId) -> &SimulationResult {
        &self.results[id.0]
    }
}

#[cfg(test)]
mod tests;

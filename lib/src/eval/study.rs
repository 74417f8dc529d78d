//! Many simulations for one purpose: each is asked for where it is needed, and done once.

use super::{EvalError, Evaluation, Experiment, Summary};
use crate::synth::Variant;
use crate::workload::Workload;

/// One simulation of a study.
#[derive(Debug, Clone, PartialEq)]
pub struct Task {
    /// Which of the study's logs.
    pub log: usize,
    /// What is changed about it.
    pub variant: Variant,
    /// What is done with it.
    pub experiment: Experiment,
}

impl Task {
    /// What comes of it, given the changed log.
    pub fn run(&self, workload: &Workload) -> Result<Summary, EvalError> {
        let schedule = self.experiment.run(workload)?;
        Ok(Evaluation::of(workload, &schedule)?.all().summary())
    }
}

/// Which simulation of a study.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TaskId(usize);

/// The simulations that are wanted.
#[derive(Debug, Clone, Default)]
pub struct Study {
    tasks: Vec<Task>,
}

impl Study {
    /// Asks for a simulation; the same asked for twice is done once.
    pub fn want(&mut self, log: usize, variant: Variant, experiment: Experiment) -> TaskId {
        let task = Task { log, variant, experiment };
        let place = self.tasks.iter().position(|other| *other == task).unwrap_or(self.tasks.len());
        if place == self.tasks.len() {
            self.tasks.push(task);
        }
        TaskId(place)
    }

    /// All of them, in the order they were asked for.
    pub fn tasks(&self) -> &[Task] {
        &self.tasks
    }
}

/// What came of a study: one summary per task, in order.
#[derive(Debug, Clone)]
pub struct Results(Vec<Summary>);

impl Results {
    /// From the summaries in the order of the tasks.
    pub fn new(summaries: Vec<Summary>) -> Results {
        Results(summaries)
    }
}

impl std::ops::Index<TaskId> for Results {
    type Output = Summary;

    fn index(&self, task: TaskId) -> &Summary {
        &self.0[task.0]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::predict::PredictorSpec;
    use crate::sim::Backfill;

    #[test]
    fn the_same_is_done_once() {
        let mut study = Study::default();
        let experiment = |policy| Experiment::new(policy, PredictorSpec::Requested);
        let first = study.want(0, Variant::default(), experiment(Backfill::easy()));
        let other = study.want(1, Variant::default(), experiment(Backfill::easy()));
        assert_eq!(study.want(0, Variant::default(), experiment(Backfill::easy())), first);
        assert_ne!(first, other);
        assert_eq!(study.tasks().len(), 2);
    }
}

//! One model, several strategies, one seed at a time.

use super::hours::Hours;
use super::seed_run::{Drawn, Enacted, Recorded, SeedRun, share};
use queuecast_core::seed::Seed;
use queuecast_core::workload::Workload;
use queuecast_eval::EvalError;
use queuecast_forecast::allot::{Allotter, Strategy, StrategyRecorder};
use queuecast_sim::predict::{DEFAULT_REQUEST, PredictorSpec};
use queuecast_sim::sim::{Options, Policy, Schedule, simulate};
use queuecast_synth::synth::{Downey, DowneyJob};

/// A model of moldable jobs, and the strategies tried on it.
#[derive(Debug, Clone, PartialEq)]
pub struct Molding {
    /// The model that jobs are drawn from.
    pub model: Downey,
    /// The strategies that are carried out; the first is what the others are compared with.
    pub enacted: Vec<Strategy>,
    /// The strategies that are recorded on the schedule of AVG.
    pub recorded: Vec<Strategy>,
}

impl Molding {
    /// Simulates one seed. `kept` predictions of each strategy are kept for figures, and the jobs too if it is not 0.
    pub fn run(&self, seed: Seed, kept: usize) -> Result<SeedRun, EvalError> {
        self.watched(seed, kept, &|| ())
    }

    /// How many simulations one seed takes.
    pub fn simulations(&self) -> usize {
        self.enacted.len() + 1
    }

    /// Runs the simulations; `done` is called after each.
    pub(super) fn watched(
        &self,
        seed: Seed,
        kept: usize,
        done: &(dyn Fn() + Sync),
    ) -> Result<SeedRun, EvalError> {
        let drawn = self.model.jobs(seed)?;
        let workload = self.model.workload(&drawn)?;
        let hours = Hours::of(&self.model, &drawn);
        let mut enacted = Vec::with_capacity(self.enacted.len());
        for &strategy in &self.enacted {
            let mut allotter = Allotter::new(strategy);
            let schedule = simulated(&workload, &mut allotter)?;
            enacted.push(Enacted::of(&workload, &drawn, &schedule, &hours, allotter.predictions(), kept));
            done();
        }
        let mut recorder = StrategyRecorder::new(&workload, &self.recorded);
        let schedule = simulated(&workload, &mut recorder)?;
        done();
        let spoiled = recorder.decisions().iter().filter(|decision| decision.is_spoiled()).count();
        let recorded = (0..self.recorded.len()).map(|place| Recorded::of(&recorder, place, &drawn)).collect();
        let of = |(place, job): (usize, &DowneyJob)| {
            let placement = &schedule.placements[place];
            Drawn {
                lifetime: job.lifetime,
                parallelism: job.speedup.parallelism,
                procs: placement.procs(&workload.jobs()[place]),
                ran: placement.ran,
            }
        };
        Ok(SeedRun {
            enacted,
            recorded,
            spoiled: share(spoiled, workload.len()),
            days: hours.days(),
            jobs: if kept > 0 { drawn.iter().enumerate().map(of).collect() } else { Vec::new() },
        })
    }
}

/// Planned with requested times, which are exact in this model.
fn simulated(workload: &Workload, policy: &mut dyn Policy) -> Result<Schedule, EvalError> {
    let mut predictor = PredictorSpec::Requested.build(Vec::new, DEFAULT_REQUEST);
    Ok(simulate(workload, Options::default(), policy, &mut *predictor, &mut [])?)
}

//! Strategies of allocation tried on moldable workloads: carried out, each on the same jobs, and recorded on the schedule of
//! AVG, over many seeds. Knows nothing of what a paper has of it.

mod compared;
mod hours;
mod outcome;
mod outcomes;

use self::hours::Hours;
use self::outcome::share;
use super::EvalError;
use crate::allot::{Allotter, Strategy, StrategyRecorder};
use crate::predict::{DEFAULT_REQUEST, PredictorSpec};
use crate::seed::Seed;
use crate::sim::{Options, Policy, Schedule, simulate};
use crate::synth::{Downey, DowneyJob};
use crate::workload::Workload;
pub use compared::{Compared, OfSeed, Told};
pub use outcome::{Drawn, Enacted, Outcome, Recorded};
pub use outcomes::Outcomes;

/// A model of moldable jobs, and what is tried on it.
#[derive(Debug, Clone, PartialEq)]
pub struct Molding {
    /// Where jobs come from.
    pub model: Downey,
    /// The strategies that are carried out; the first is what the others are compared with.
    pub enacted: Vec<Strategy>,
    /// The strategies that are recorded on the schedule of AVG.
    pub recorded: Vec<Strategy>,
}

impl Molding {
    /// Simulates one seed. So many predictions are kept to be drawn, and the jobs with them if there are any.
    pub fn run(&self, seed: Seed, kept: usize) -> Result<Outcome, EvalError> {
        let drawn = self.model.jobs(seed)?;
        let workload = self.model.generate(seed)?;
        let hours = Hours::of(&self.model, &drawn);
        let mut enacted = Vec::with_capacity(self.enacted.len());
        for &strategy in &self.enacted {
            let mut allotter = Allotter::new(strategy);
            let schedule = simulated(&workload, &mut allotter)?;
            enacted.push(Enacted::of(&workload, &drawn, &schedule, &hours, allotter.predictions(), kept));
        }
        let mut witness = StrategyRecorder::new(&workload, &self.recorded);
        let schedule = simulated(&workload, &mut witness)?;
        let spoiled = witness.decisions().iter().filter(|decision| decision.is_spoiled()).count();
        let recorded = (0..self.recorded.len()).map(|place| Recorded::of(&witness, place, &drawn)).collect();
        let of = |(place, job): (usize, &DowneyJob)| {
            let placement = &schedule.placements[place];
            Drawn {
                lifetime: job.lifetime,
                parallelism: job.speedup.parallelism,
                procs: placement.procs(&workload.jobs()[place]),
                ran: placement.ran,
            }
        };
        Ok(Outcome {
            enacted,
            recorded,
            spoiled: share(spoiled, workload.len()),
            days: hours.days(),
            jobs: if kept > 0 { drawn.iter().enumerate().map(of).collect() } else { Vec::new() },
        })
    }
}

/// By what their users say, which is the truth here.
fn simulated(workload: &Workload, policy: &mut dyn Policy) -> Result<Schedule, EvalError> {
    let mut predictor = PredictorSpec::Requested.build(Vec::new, DEFAULT_REQUEST);
    Ok(simulate(workload, Options::default(), policy, &mut *predictor, &mut [])?)
}

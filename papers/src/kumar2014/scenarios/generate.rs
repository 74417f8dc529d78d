//! The traces of a scenario, by a reading.

use queuecast_core::job::{Job, QueueId, Truth};
use queuecast_core::seed::Seed;
use queuecast_core::units::{Procs, Seconds, Time};
use queuecast_core::workload::{Machine, Workload};
use queuecast_synth::synth::{EstimateModel, Estimates, Lublin, Pairing, SynthError};

use super::reading::{ArrivalScaling, JobSelection, ScenarioReading, ScenarioRequests};
use super::scenario::{QUEUE_NAMES, Scenario, ScenarioQueue};

/// A job of the model before it is submitted.
#[derive(Debug, Clone, Copy)]
struct ModelJob {
    procs: Procs,
    run: Seconds,
    requested: Option<Seconds>,
}

/// The model draws at most this many jobs to find those of a queue.
const MOST_DRAWN: u32 = 10_000_000;

/// Queue I admits jobs of up to X/32 processors.
const LEAST_PROCS: u32 = 32;

/// The factors of the scale of the gaps, between which the wanted mean is looked for, and how often.
const FACTORS: (f64, f64) = (0.3, 3.0);
const HALVINGS: usize = 22;

impl Scenario {
    /// One workload for each queue on its own partition, by the default reading: `jobs` jobs together, submitted over the same
    /// period. Numbers of jobs are unique in the scenario.
    pub fn generate(&self, seed: Seed, jobs: u32) -> Result<[Workload; 4], SynthError> {
        ScenarioReading::default().generate(self, seed, jobs)
    }
}

impl ScenarioReading {
    /// The workloads of a scenario by this reading.
    pub fn generate(&self, scenario: &Scenario, seed: Seed, jobs: u32) -> Result<[Workload; 4], SynthError> {
        if scenario.procs < LEAST_PROCS {
            return Err(SynthError::OutOfRange {
                field: "procs",
                value: scenario.procs.to_string(),
                expected: format!("at least {LEAST_PROCS}, or queue I admits no job"),
            });
        }
        let counts = scenario.job_counts(jobs);
        let queue = |place: usize| self.queue(scenario, place, counts[place] as usize, seed);
        Ok([queue(0)?, queue(1)?, queue(2)?, queue(3)?])
    }

    fn queue(
        &self,
        scenario: &Scenario,
        place: usize,
        count: usize,
        seed: Seed,
    ) -> Result<Workload, SynthError> {
        let queue = scenario.queues()[place];
        let seed = seed.named(&format!("kumar2014/{scenario}/queue {}", QUEUE_NAMES[place]));
        let mut workload = self.arrivals(queue.mean_gap, count, seed.named("arrivals"))?;
        let jobs = self.jobs(scenario, place, count, seed.named("jobs"))?;
        let requested = match jobs.iter().map(|job| job.requested).collect::<Option<Vec<Seconds>>>() {
            Some(requested) => requested,
            None => self.requested(&jobs, queue.time, scenario.procs, seed.named("requests"))?,
        };
        let numbers = (1..).step_by(QUEUE_NAMES.len()).map(|number: u64| number + place as u64);
        let each = workload.jobs().iter().zip(&jobs).zip(requested).zip(numbers);
        let each = each.map(|(((arrived, job), requested), number)| {
            let mut submitted = Job::rigid(number, arrived.submit, job.procs, Some(requested));
            submitted.queue = QueueId::new(place as u32);
            (submitted, Truth::rigid(job.run))
        });
        let mut made = Workload::new(Machine { procs: queue.partition }, each.collect())?;
        made.epoch = workload.epoch.take();
        made.names.queues = (0..).zip(QUEUE_NAMES).map(|(queue, name)| (queue, name.to_owned())).collect();
        Ok(made)
    }

    /// Jobs of the model that arrive with this mean gap, from the first day on; only their times are used.
    fn arrivals(&self, mean_gap: Seconds, count: usize, seed: Seed) -> Result<Workload, SynthError> {
        let drawn = |factor: f64| {
            let mut model = Lublin { kinds: self.kinds, ..Lublin::new(count as u32, 1) };
            for class in [&mut model.batch, &mut model.interactive, &mut model.untyped] {
                class.arrivals.gap.scale *= factor;
            }
            model.generate(seed)
        };
        let span = |workload: &Workload| {
            let ends = workload.jobs().first().zip(workload.jobs().last());
            ends.map_or(0, |(first, last)| (last.submit - first.submit).0)
        };
        let wanted = mean_gap.0 * count.saturating_sub(1) as i64;
        if self.arrivals == ArrivalScaling::Stretched {
            let workload = drawn(1.0)?;
            let by = wanted as f64 / span(&workload).max(1) as f64;
            let jobs = workload.jobs().iter().cloned().map(|mut job| {
                job.submit = Time((job.submit.0 as f64 * by).round() as i64);
                job
            });
            let mut stretched =
                Workload::from_columns(workload.machine(), jobs.collect(), workload.truths().to_vec())?;
            stretched.epoch = workload.epoch;
            return Ok(stretched);
        }
        // The gaps of a trace have few very long ones, so that the mean is set for the trace, not for the model. Where the longest
        // permitted gap is drawn again the mean is no monotone function of the factor: the nearest is kept.
        let (mut least, mut most) = FACTORS;
        let mut nearest: Option<Workload> = None;
        let off = |workload: &Workload| (span(workload) - wanted).abs();
        for _ in 0..HALVINGS {
            let factor = f64::midpoint(least, most);
            let workload = drawn(factor)?;
            if span(&workload) < wanted {
                least = factor;
            } else {
                most = factor;
            }
            if nearest.as_ref().is_none_or(|nearest| off(&workload) < off(nearest)) {
                nearest = Some(workload);
            }
        }
        nearest.ok_or_else(|| SynthError::Unsuitable("no gaps were drawn".to_owned()))
    }

    /// The first jobs of the model that are this queue's.
    fn jobs(
        &self,
        scenario: &Scenario,
        place: usize,
        count: usize,
        seed: Seed,
    ) -> Result<Vec<ModelJob>, SynthError> {
        let queues = scenario.queues();
        let procs = match self.selection {
            JobSelection::OwnModel => queues[place].procs.0,
            _ => scenario.procs,
        };
        let mut draw = u32::try_from(count).unwrap_or(MOST_DRAWN).saturating_mul(2);
        loop {
            let model = Lublin { kinds: self.kinds, ..Lublin::new(draw.min(MOST_DRAWN), procs) };
            let drawn = model.generate(seed)?;
            let each = drawn.jobs().iter().zip(drawn.truths());
            let each = each.map(|(job, truth)| ModelJob {
                procs: job.shape.procs,
                run: truth.run(),
                requested: None,
            });
            let mut chosen = self.chosen(each.collect(), &queues, place, seed)?;
            if chosen.len() >= count {
                chosen.truncate(count);
                return Ok(chosen);
            }
            if draw >= MOST_DRAWN {
                return Err(SynthError::Unsuitable(format!(
                    "queue {} of {scenario}: only {} of {MOST_DRAWN} jobs of the model are its own, {count} are needed",
                    QUEUE_NAMES[place],
                    chosen.len()
                )));
            }
            draw = draw.saturating_mul(3);
        }
    }

    /// Those of the model's jobs that are this queue's, in their order.
    fn chosen(
        &self,
        mut jobs: Vec<ModelJob>,
        queues: &[ScenarioQueue; 4],
        place: usize,
        seed: Seed,
    ) -> Result<Vec<ModelJob>, SynthError> {
        let queue = queues[place];
        // Whether the job is too large or too long for the queue before, by the time that the selection looks at.
        let beyond = |job: &ModelJob, time: Seconds| {
            place.checked_sub(1).is_none_or(|before| !queues[before].admits(job.procs, time))
        };
        match self.selection {
            JobSelection::OwnModel | JobSelection::Admitted => {
                jobs.retain(|job| queue.admits(job.procs, job.run));
            }
            JobSelection::Cut => {
                for job in &mut jobs {
                    (job.procs, job.run) = (job.procs.min(queue.procs), job.run.min(queue.time));
                }
            }
            JobSelection::FirstBySize => {
                jobs.retain(|job| queue.admits(job.procs, job.run) && beyond(job, Seconds::ZERO));
            }
            JobSelection::FirstByRunTime => {
                jobs.retain(|job| queue.admits(job.procs, job.run) && beyond(job, job.run));
            }
            JobSelection::FirstByRequest => {
                let last = queues[QUEUE_NAMES.len() - 1];
                jobs.retain(|job| last.admits(job.procs, job.run));
                let requested = self.requested(&jobs, last.time, last.procs.0, seed)?;
                for (job, requested) in jobs.iter_mut().zip(&requested) {
                    job.requested = Some(*requested);
                }
                jobs.retain(|job| {
                    job.requested.is_some_and(|time| queue.admits(job.procs, time) && beyond(job, time))
                });
            }
        }
        Ok(jobs)
    }

    /// A requested time for each job, none shorter than its run time.
    fn requested(
        &self,
        jobs: &[ModelJob],
        longest: Seconds,
        machine: u32,
        seed: Seed,
    ) -> Result<Vec<Seconds>, SynthError> {
        if self.requests == ScenarioRequests::RunTimes || jobs.is_empty() {
            return Ok(jobs.iter().map(|job| job.run.max(Seconds(1))).collect());
        }
        let bare = |(number, job): (u64, &ModelJob)| {
            (Job::rigid(number, Time(0), job.procs, None), Truth::rigid(job.run))
        };
        let bare = Workload::new(Machine { procs: Procs(machine) }, (1..).zip(jobs).map(bare).collect())?;
        let model = EstimateModel::new(jobs.len() as u64, longest);
        Estimates::Model(model, Pairing::Shuffled).of(&bare, seed)
    }
}

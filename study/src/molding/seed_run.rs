//! The results of one seed: of every strategy carried out, and of every one recorded.

use super::hours::Hours;
use queuecast_core::order;
use queuecast_core::units::{Procs, Seconds};
use queuecast_core::workload::Workload;
use queuecast_forecast::allot::{Bias, Course, Prediction, StrategyRecorder, Trend};
use queuecast_sim::sim::Schedule;
use queuecast_synth::synth::DowneyJob;

/// The results of one seed.
#[derive(Debug, Clone, PartialEq)]
pub struct SeedRun {
    /// In the order of [`Molding::enacted`](super::Molding::enacted).
    pub enacted: Vec<Enacted>,
    /// In the order of [`Molding::recorded`](super::Molding::recorded).
    pub recorded: Vec<Recorded>,
    /// The share of the jobs that get all the processors they want from AVG.
    pub spoiled: f64,
    /// The days with arrivals.
    pub days: f64,
    /// The jobs, if predictions are kept.
    pub jobs: Vec<Drawn>,
}

/// A job of the workload: how long it would run on one processor, and how long on how many AVG ran it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Drawn {
    /// L in seconds.
    pub lifetime: Seconds,
    /// A.
    pub parallelism: f64,
    /// Processors it was given.
    pub procs: Procs,
    /// Seconds it ran.
    pub ran: Seconds,
}

impl Drawn {
    /// Processor-seconds: T.
    pub fn allocated(&self) -> f64 {
        f64::from(self.procs.0) * self.ran.0 as f64
    }
}

/// A strategy carried out.
#[derive(Debug, Clone, PartialEq)]
pub struct Enacted {
    /// The mean turnaround, in seconds.
    pub turnaround: f64,
    /// The mean duration, in seconds.
    pub duration: f64,
    /// The median duration, in seconds.
    pub median_duration: f64,
    /// Utilization in the hours of arrivals: mean speedup of running jobs per processor.
    pub utilization: f64,
    /// The trend of actual against predicted queue times, as predicted.
    pub raw: Option<Trend>,
    /// The trend for predictions as they were used, bias corrected.
    pub used: Option<Trend>,
    /// Mean actual queue time divided by mean predicted queue time.
    pub shortfall: f64,
    /// Mean logarithm of predicted by actual queue time: of predictions up to ten minutes, and of longer ones.
    pub excess: [f64; 2],
    /// Some predictions, raw and actual: as many as are kept.
    pub points: Vec<Prediction>,
}

/// A strategy recorded on the schedule of AVG.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Recorded {
    /// The share of all jobs that would hold out.
    pub rebels: f64,
    /// Seconds saved per job, all jobs counted.
    pub saved: f64,
    /// The share of the rebels that would be better off starting at once.
    pub losers: f64,
    /// The share that would be better off by more than a second.
    pub clear_losers: f64,
    /// Seconds a loser loses on average.
    pub lost: f64,
    /// Seconds a rebel saves in the median.
    pub median_saved: f64,
    /// The mean lifetime of rebels by that of docile jobs.
    pub lifetimes: f64,
}

/// Predictions up to ten minutes are short (section 5.4).
const SHORT: f64 = 600.0;

impl Enacted {
    /// From a schedule, with as many predictions as are to be kept.
    pub(super) fn of(
        workload: &Workload,
        drawn: &[DowneyJob],
        schedule: &Schedule,
        hours: &Hours,
        predictions: &[Prediction],
        kept: usize,
    ) -> Enacted {
        let (mut turnaround, mut useful) = (0.0, 0.0);
        let mut durations: Vec<i64> = Vec::with_capacity(drawn.len());
        for ((placement, job), drawn) in schedule.placements.iter().zip(workload.jobs()).zip(drawn) {
            turnaround += (placement.end() - job.submit).0 as f64;
            durations.push(placement.ran.0);
            let speedup = drawn.lifetime.0 as f64 / placement.ran.0.max(1) as f64;
            useful += speedup * hours.within(placement.start, placement.end()) as f64;
        }
        durations.sort_unstable();
        let jobs = drawn.len().max(1) as f64;
        let machine = f64::from(workload.machine().procs.0);
        let (mut raw, mut used) = (Bias::default(), Bias::default());
        let (mut said, mut became) = (0.0, 0.0);
        let mut excess = [(0.0, 0u32); 2];
        for prediction in predictions {
            raw.observe(prediction.raw, prediction.actual);
            used.observe(prediction.used, prediction.actual);
            said += prediction.used;
            became += prediction.actual;
            let (sum, count) = &mut excess[usize::from(prediction.raw > SHORT)];
            *sum += prediction.raw.max(1.0).ln() - prediction.actual.max(1.0).ln();
            *count += 1;
        }
        // Spread over the whole time.
        let step = (predictions.len() / kept.max(1)).max(1);
        Enacted {
            turnaround: turnaround / jobs,
            duration: durations.iter().sum::<i64>() as f64 / jobs,
            median_duration: durations.get(durations.len() / 2).copied().unwrap_or_default() as f64,
            utilization: useful / (machine * hours.open()),
            raw: raw.trend(),
            used: used.trend(),
            shortfall: became / said,
            excess: excess.map(|(sum, count)| sum / f64::from(count)),
            points: predictions.iter().step_by(step).take(kept).copied().collect(),
        }
    }
}

impl Recorded {
    /// From what the strategy at this place would have done.
    pub(super) fn of(recorder: &StrategyRecorder, place: usize, drawn: &[DowneyJob]) -> Recorded {
        let (jobs, courses) = (recorder.decisions().len(), recorder.courses(place));
        let rebels: Vec<&Course> = courses.iter().filter(|course| course.rebels).collect();
        let losers = || rebels.iter().filter(|course| course.saved < 0.0);
        let mut savings: Vec<f64> = rebels.iter().map(|course| course.saved).collect();
        order::sort_floats(&mut savings);
        let lifetime = |rebels: bool| {
            let of = courses.iter().filter(|course| course.rebels == rebels);
            let lifetimes: Vec<f64> = of
                .map(|course| drawn[recorder.decisions()[course.decision].job.0 as usize].lifetime.0 as f64)
                .collect();
            lifetimes.iter().sum::<f64>() / lifetimes.len() as f64
        };
        Recorded {
            rebels: share(rebels.len(), jobs),
            saved: courses.iter().map(|course| course.saved).sum::<f64>() / jobs.max(1) as f64,
            losers: share(losers().count(), rebels.len()),
            clear_losers: share(losers().filter(|course| course.saved < -1.0).count(), rebels.len()),
            lost: -losers().map(|course| course.saved).sum::<f64>() / losers().count() as f64,
            median_saved: savings.get(savings.len() / 2).copied().unwrap_or(f64::NAN),
            lifetimes: lifetime(true) / lifetime(false),
        }
    }
}

/// `some / all`; 0 if there are none.
pub(super) fn share(some: usize, all: usize) -> f64 {
    some as f64 / all.max(1) as f64
}

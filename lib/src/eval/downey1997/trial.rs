//! One seed of one setting, simulated: every strategy carried out, and every one recorded.

use super::Part;
use super::setting::{Plan, Setting};
use crate::allot::{Allotter, Bias, Course, Prediction, Trend, Witness};
use crate::eval::EvalError;
use crate::predict::{DEFAULT_REQUEST, PredictorSpec};
use crate::seed::Seed;
use crate::sim::{Options, Policy, Schedule, simulate};
use crate::synth::DowneyJob;
use crate::units::{Procs, Seconds, Time};
use crate::workload::Workload;

/// One seed of one setting.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Trial {
    /// Its place in [`Plan::settings`].
    pub setting: usize,
    /// The seed.
    pub seed: u64,
}

/// What came of a trial.
#[derive(Debug, Clone, PartialEq)]
pub struct Outcome {
    /// In the order of [`Setting::enacted`].
    pub enacted: Vec<Enacted>,
    /// In the order of [`Setting::recorded`].
    pub recorded: Vec<Recorded>,
    /// The share of the jobs that get all they want from AVG.
    pub spoiled: f64,
    /// The days with arrivals.
    pub days: f64,
    /// The jobs.
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
    /// How much of the machine was put to use in the hours of arrivals: speedup by processors, on average over both.
    pub utilisation: f64,
    /// What became of predictions as they were made.
    pub raw: Option<Trend>,
    /// What became of predictions as they were used.
    pub used: Option<Trend>,
    /// The mean of what became of predictions, by the mean of what they said.
    pub shortfall: f64,
    /// Logarithms of predicted by actual queue times on average: of predictions up to ten minutes, and of longer ones.
    pub excess: [f64; 2],
    /// Some predictions, raw and actual; of the first seed of the paper's setting only.
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

/// As many predictions are kept to be drawn.
const POINTS: usize = 2000;

/// Ten minutes divide short predictions from long ones (section 5.4).
const SHORT: f64 = 600.0;

impl Trial {
    /// Every trial of a plan, in the order of its settings.
    pub fn all(plan: &Plan) -> Vec<Trial> {
        let of = |(setting, of): (usize, &Setting)| (1..=of.seeds).map(move |seed| Trial { setting, seed });
        plan.settings.iter().enumerate().flat_map(of).collect()
    }

    /// Simulates it.
    pub fn run(&self, plan: &Plan) -> Result<Outcome, EvalError> {
        let setting = &plan.settings[self.setting];
        let drawn = setting.model.jobs(Seed(self.seed))?;
        let workload = setting.model.generate(Seed(self.seed))?;
        let hours = Hours::of(setting, &drawn);
        let kept = if setting.part == Part::Paper && self.seed == 1 { POINTS } else { 0 };
        let mut enacted = Vec::with_capacity(setting.enacted.len());
        for &strategy in &setting.enacted {
            let mut allotter = Allotter::new(strategy);
            let schedule = simulated(&workload, &mut allotter)?;
            enacted.push(Enacted::of(&workload, &drawn, &schedule, &hours, allotter.predictions(), kept));
        }
        let mut witness = Witness::new(&workload, &setting.recorded);
        let schedule = simulated(&workload, &mut witness)?;
        let spoiled = witness.decisions().iter().filter(|decision| decision.is_spoiled()).count();
        let recorded =
            (0..setting.recorded.len()).map(|place| Recorded::of(&witness, place, &drawn)).collect();
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

/// The hours in which jobs arrive.
struct Hours<'a> {
    setting: &'a Setting,
    period: Seconds,
    last: Time,
}

impl Hours<'_> {
    fn of<'a>(setting: &'a Setting, drawn: &[DowneyJob]) -> Hours<'a> {
        let longest = drawn.iter().map(|job| job.lifetime).max().unwrap_or_default();
        let last = drawn.last().map_or(Time(0), |job| job.submit);
        Hours { setting, period: setting.model.arrivals.period(longest), last }
    }

    fn days(&self) -> f64 {
        (self.last.0 / self.period.0.max(1) + 1) as f64
    }

    /// How much of this time lies within the hours of arrivals of any day.
    fn within(&self, start: Time, end: Time) -> i64 {
        let mut within = 0;
        let mut at = start;
        while at < end && at <= self.last + self.period {
            let Some((from, to)) = self.setting.model.arrivals.hours(at, self.period) else {
                return (end - start).0;
            };
            within += (end.min(to) - start.max(from)).0.max(0);
            at = from + self.period;
        }
        within
    }
}

impl Enacted {
    fn of(
        workload: &Workload,
        drawn: &[DowneyJob],
        schedule: &Schedule,
        hours: &Hours<'_>,
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
        let open = hours.setting.model.arrivals.hours(Time(0), hours.period);
        let open = open.map_or(hours.period.0, |(from, to)| (to - from).0) as f64;
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
            utilisation: useful / (machine * open * hours.days()),
            raw: raw.trend(),
            used: used.trend(),
            shortfall: became / said,
            excess: excess.map(|(sum, count)| sum / f64::from(count)),
            points: predictions.iter().step_by(step).take(kept).copied().collect(),
        }
    }
}

impl Recorded {
    fn of(witness: &Witness, place: usize, drawn: &[DowneyJob]) -> Recorded {
        let (jobs, courses) = (witness.decisions().len(), witness.courses(place));
        let rebels: Vec<&Course> = courses.iter().filter(|course| course.rebels).collect();
        let losers = || rebels.iter().filter(|course| course.saved < 0.0);
        let mut savings: Vec<f64> = rebels.iter().map(|course| course.saved).collect();
        savings.sort_by(f64::total_cmp);
        let lifetime = |rebels: bool| {
            let of = courses.iter().filter(|course| course.rebels == rebels);
            let lifetimes: Vec<f64> = of
                .map(|course| drawn[witness.decisions()[course.decision].job.0 as usize].lifetime.0 as f64)
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

fn share(some: usize, all: usize) -> f64 {
    some as f64 / all.max(1) as f64
}

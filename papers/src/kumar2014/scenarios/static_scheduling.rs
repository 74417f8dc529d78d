//! Static scheduling: every job runs on the partition of its own queue.

use queuecast_core::parallel;
use queuecast_core::seed::Seed;
use queuecast_core::units::Seconds;
use queuecast_core::workload::Workload;
use queuecast_eval::EvalError;
use queuecast_sim::predict::PredictorSpec;
use queuecast_sim::sim::{Backfill, Schedule, SimError};
use queuecast_study::Experiment;

use super::reading::{ComparedReading, ScenarioReading};
use super::scenario::Scenario;
use crate::Done;

/// The waits of some jobs, counted as Table 8 does.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct WaitCounts {
    /// How many jobs.
    pub jobs: usize,
    /// Their waits together.
    pub total: Seconds,
    /// Jobs that waited for at most an hour.
    pub up_to_hour: usize,
    /// Jobs that waited for a day or longer.
    pub day_or_more: usize,
}

/// What came of one queue.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct QueueResult {
    /// Its waits.
    pub waits: WaitCounts,
    /// The work that jobs bring, in terms of what the partition can do while they are submitted; see
    /// [`Workload::offered_load`].
    pub offered_load: f64,
    /// The work of the jobs as a share of what the partition can do from the first submission to the end of the last job: at most 1.
    pub utilization: f64,
}

/// What came of one scenario, by queue.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ScenarioResult {
    /// Which.
    pub scenario: Scenario,
    /// Its queues.
    pub queues: [QueueResult; 4],
}

/// What came of all scenarios by one reading.
#[derive(Debug, Clone, PartialEq)]
pub struct ReadingResult {
    /// The reading.
    pub compared: ComparedReading,
    /// In the order of [`Scenario::all`].
    pub scenarios: Vec<ScenarioResult>,
}

impl WaitCounts {
    /// Counts waits.
    pub fn of(waits: impl IntoIterator<Item = Seconds>) -> WaitCounts {
        waits.into_iter().fold(WaitCounts::default(), |counts, wait| WaitCounts {
            jobs: counts.jobs + 1,
            total: Seconds(counts.total.0 + wait.0),
            up_to_hour: counts.up_to_hour + usize::from(wait <= Seconds(3600)),
            day_or_more: counts.day_or_more + usize::from(wait >= Seconds(86_400)),
        })
    }

    /// These jobs and others.
    #[must_use]
    pub fn and(self, others: WaitCounts) -> WaitCounts {
        WaitCounts {
            jobs: self.jobs + others.jobs,
            total: Seconds(self.total.0 + others.total.0),
            up_to_hour: self.up_to_hour + others.up_to_hour,
            day_or_more: self.day_or_more + others.day_or_more,
        }
    }

    /// The average wait, in minutes.
    pub fn mean_minutes(&self) -> f64 {
        self.total.0 as f64 / 60.0 / self.jobs as f64
    }

    /// Jobs that waited for at most an hour, in percent.
    pub fn percent_up_to_hour(&self) -> f64 {
        100.0 * self.up_to_hour as f64 / self.jobs as f64
    }

    /// Jobs that waited for a day or longer, in percent.
    pub fn percent_day_or_more(&self) -> f64 {
        100.0 * self.day_or_more as f64 / self.jobs as f64
    }
}

impl ReadingResult {
    /// The waits of all jobs of these queues, by place.
    pub fn waits(&self, places: &[usize]) -> WaitCounts {
        let results =
            self.scenarios.iter().flat_map(|result| places.iter().map(|&place| result.queues[place]));
        results.fold(WaitCounts::default(), |counts, queue| counts.and(queue.waits))
    }
}

/// Every queue of a scenario alone, by EASY backfilling with requested times.
pub fn static_scheduling(queues: &[Workload; 4]) -> Result<[QueueResult; 4], SimError> {
    let result = |queue: &Workload| {
        let schedule = Experiment::new(Backfill::easy(), PredictorSpec::Requested).run(queue)?;
        Ok(QueueResult {
            waits: WaitCounts::of(
                queue.jobs().iter().zip(&schedule.placements).map(|(job, placed)| placed.start - job.submit),
            ),
            offered_load: queue.offered_load(),
            utilization: utilization(queue, &schedule),
        })
    };
    let [one, two, three, four] = queues.each_ref().map(result);
    Ok([one?, two?, three?, four?])
}

fn utilization(queue: &Workload, schedule: &Schedule) -> f64 {
    let placed = || queue.jobs().iter().zip(&schedule.placements);
    let work: f64 = placed().map(|(job, placed)| f64::from(placed.procs(job).0) * placed.ran.0 as f64).sum();
    let ends = placed().map(|(_, placed)| placed.end()).max();
    let span = queue.begins().zip(ends).map_or(0, |(begins, ends)| (ends - begins).0);
    work / (f64::from(queue.machine().procs.0) * span.max(1) as f64)
}

/// Static scheduling of all scenarios by each of these readings. `done` is told the jobs of a scenario as it is done.
pub fn readings_compared(
    readings: &[ComparedReading],
    seed: Seed,
    done: &Done<'_>,
) -> Result<Vec<ReadingResult>, EvalError> {
    let scenarios = Scenario::all();
    let each = |compared: &ComparedReading| {
        let compared = *compared;
        scenarios.iter().map(move |&scenario| (compared, scenario))
    };
    let tasks: Vec<(ComparedReading, Scenario)> = readings.iter().flat_map(each).collect();
    let results = parallel::try_map(&tasks, |(compared, scenario)| {
        let ComparedReading { reading, jobs }: ComparedReading = *compared;
        let result = of_scenario(&reading, scenario, jobs, seed);
        done(jobs as usize);
        result
    })?;
    let of_reading = results.chunks(scenarios.len().max(1)).zip(readings);
    Ok(of_reading
        .map(|(scenarios, &compared)| ReadingResult { compared, scenarios: scenarios.to_vec() })
        .collect())
}

fn of_scenario(
    reading: &ScenarioReading,
    scenario: &Scenario,
    jobs: u32,
    seed: Seed,
) -> Result<ScenarioResult, EvalError> {
    let queues = static_scheduling(&reading.generate(scenario, seed, jobs)?)?;
    Ok(ScenarioResult { scenario: *scenario, queues })
}

//! Start times at a Slurm site, forecast at every submission of a recorded run, beside what its own scheduler expected.

use queuecast_core::order;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

use serde::Serialize;

use queuecast_core::distribution::Distribution;
use queuecast_core::seed::Seed;
use queuecast_core::stats;
use queuecast_core::units::{Seconds, Time};
use queuecast_eval::nearest_rank;
use queuecast_forecast::forecast::{ClusterDraws, ClusterForecaster, PendingRange, StartForecast};
use queuecast_slurm_sim::cluster::{Cluster, ExpectedStart, RecordedRun, is_known};
use queuecast_wait::interval_score;

/// One job, forecast when it was submitted.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ForecastStart {
    /// The key of its submission.
    pub key: String,
    /// Its index in an array.
    pub task: Option<u32>,
    /// When it was submitted, in seconds after the recording's begin.
    pub submit: Seconds,
    /// How long it waited, in seconds.
    pub wait: Seconds,
    /// The forecast, in seconds from its submission; `None` if it started in no simulation.
    pub start: Option<PendingRange>,
    /// The forecast as it was simulated, before it was corrected by how wrong earlier forecasts were.
    pub simulated: Option<PendingRange>,
    /// The first wait that the site's scheduler expected of it, and how long after its submission it did so; `None` if never.
    pub expected: Option<(Seconds, Seconds)>,
    /// The median of the waits of the jobs that had started in earlier seconds; `None` before the first.
    pub past: Option<Seconds>,
}

/// How far forecasts of starts were off, over the jobs of a recorded run. Times are seconds, shares are percentages.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct StartForecastScore {
    /// Jobs that started.
    pub jobs: usize,
    /// Of these, jobs with a forecast.
    pub answered: usize,
    /// Of these, jobs before which another had started, so that there is a past wait to compare with. What follows up to
    /// `expected` is over these.
    pub compared: usize,
    /// Half of the forecasts, by their medians, are off by no more.
    pub median_error: Option<i64>,
    /// The median error if every job had been expected to start at once.
    pub zero_error: Option<i64>,
    /// The median error if every job had been expected to wait as long as half of those that had started.
    pub past_error: Option<i64>,
    /// Starts within the 80 % range of the forecast.
    pub inside: Option<f64>,
    /// The mean interval score between its 10 % and 90 % points: how far apart they are, and ten times how far a start is outside.
    pub interval_score: Option<f64>,
    /// Starts inside the range as it was simulated.
    pub simulated_inside: Option<f64>,
    /// The mean interval score of that range.
    pub simulated_interval_score: Option<f64>,
    /// Jobs with a forecast of which the site's scheduler, too, expected a start before they started. The last two are over these.
    pub expected: usize,
    /// Half of the forecasts are off by no more.
    pub expected_median_error: Option<i64>,
    /// And half of what the site's scheduler expected first.
    pub site_error: Option<i64>,
}

impl StartForecastScore {
    /// Over these jobs. What is compared is over the same jobs.
    pub fn of(jobs: &[ForecastStart]) -> StartForecastScore {
        let median = |errors: &mut dyn Iterator<Item = i64>| {
            let mut errors: Vec<i64> = errors.collect();
            errors.sort_unstable();
            nearest_rank(&errors, 50)
        };
        let off = |one: &ForecastStart, point: f64| (point - one.wait.0 as f64).abs().round() as i64;
        let answered: Vec<(&ForecastStart, f64)> =
            jobs.iter().filter_map(|one| Some((one, one.start?.median))).collect();
        let compared: Vec<(&ForecastStart, f64, Seconds)> =
            answered.iter().filter_map(|&(one, median)| Some((one, median, one.past?))).collect();
        let shared: Vec<(&ForecastStart, f64, Seconds)> =
            answered.iter().filter_map(|&(one, median)| Some((one, median, one.expected?.0))).collect();
        let share = |said: &dyn Fn(&ForecastStart) -> Option<PendingRange>| {
            let held = compared.iter().filter(|(one, ..)| {
                said(one).is_some_and(|said| (said.low..=said.high).contains(&(one.wait.0 as f64)))
            });
            (!compared.is_empty()).then(|| 100.0 * held.count() as f64 / compared.len() as f64)
        };
        let score = |said: &dyn Fn(&ForecastStart) -> Option<PendingRange>| {
            let scores = compared.iter().filter_map(|(one, ..)| {
                let PendingRange { p10, p90, .. } = said(one)?;
                Some(interval_score(p10, p90, one.wait.0 as f64))
            });
            (!compared.is_empty()).then(|| stats::mean(scores))
        };
        let (corrected, simulated) = (|one: &ForecastStart| one.start, |one: &ForecastStart| one.simulated);
        StartForecastScore {
            jobs: jobs.len(),
            answered: answered.len(),
            compared: compared.len(),
            median_error: median(&mut compared.iter().map(|&(one, median, _)| off(one, median))),
            zero_error: median(&mut compared.iter().map(|(one, ..)| off(one, 0.0))),
            past_error: median(&mut compared.iter().map(|(one, _, past)| off(one, past.0 as f64))),
            inside: share(&corrected),
            interval_score: score(&corrected),
            simulated_inside: share(&simulated),
            simulated_interval_score: score(&simulated),
            expected: shared.len(),
            expected_median_error: median(&mut shared.iter().map(|&(one, median, _)| off(one, median))),
            site_error: median(&mut shared.iter().map(|(one, _, site)| off(one, site.0 as f64))),
        }
    }
}

/// The median of numbers that come one after the other: of an even count, the larger of the two in the middle.
#[derive(Debug, Default)]
struct RunningMedian {
    /// The smaller half, the largest on top, and the larger half, which may have one more.
    below: BinaryHeap<Seconds>,
    above: BinaryHeap<Reverse<Seconds>>,
}

impl RunningMedian {
    fn add(&mut self, value: Seconds) {
        self.below.push(value);
        self.above.extend(self.below.pop().map(Reverse));
        if self.above.len() > self.below.len() + 1 {
            self.below.extend(self.above.pop().map(|one| one.0));
        }
    }

    fn median(&self) -> Option<Seconds> {
        self.above.peek().map(|one| one.0)
    }
}

/// Forecasts every job of a recorded run at its submission, with what was known then. `done` is told of each submission.
pub fn forecast_starts(
    cluster: &Cluster,
    run: &RecordedRun,
    expected: &[ExpectedStart],
    draws: ClusterDraws,
    seed: Seed,
    done: &(dyn Fn(usize) + Sync),
) -> Vec<ForecastStart> {
    let mut forecaster = ClusterForecaster::new(cluster, run, draws, seed);
    let outcomes: BTreeMap<(&str, Option<u32>), _> =
        order::map_of(run.outcomes.iter().map(|one| ((one.key.as_str(), one.task), one)));
    let mut shown: BTreeMap<u64, Vec<&ExpectedStart>> = BTreeMap::new();
    expected.iter().for_each(|one| shown.entry(one.id).or_default().push(one));
    let mut waits: Vec<(Time, Seconds)> =
        run.outcomes.iter().filter_map(|one| Some((one.start?, one.start? - one.submit))).collect();
    waits.sort_unstable();
    let (mut waits, mut known) = (waits.into_iter().peekable(), RunningMedian::default());
    let mut order: Vec<usize> = (0..run.submissions.len()).collect();
    order::sort_by_key(&mut order, |&place| (run.submissions[place].submit, place));
    let said = |wait: Option<Distribution>| wait.as_ref().map(PendingRange::of);
    let mut found = Vec::new();
    for place in order {
        let submission = &run.submissions[place];
        let now = submission.submit;
        let started = |task: Option<u32>| {
            let outcome = outcomes.get(&(submission.key.as_str(), task))?;
            outcome.start
        };
        while let Some((_, wait)) = waits.next_if(|(start, _)| is_known(*start, now)) {
            known.add(wait);
        }
        for StartForecast { task, wait: answer, simulated, .. } in forecaster.at_submission(place) {
            let Some(start) = started(task) else { continue };
            let wait = start - submission.submit.second();
            let first = submission.id.and_then(|id| {
                let own = shown.get(&id)?.iter();
                let mut own = own.filter(|one| one.task.is_none() || one.task == task);
                own.find(|one| one.at < start.into())
            });
            found.push(ForecastStart {
                key: submission.key.clone(),
                task,
                submit: submission.submit.second() - run.clock.zero,
                wait,
                start: said(answer),
                simulated: said(simulated),
                expected: first.map(|one| {
                    let after = Seconds((one.at - now).second().0);
                    (one.start - submission.submit.second(), after)
                }),
                past: known.median(),
            });
        }
        done(1);
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use queuecast_core::units::Micros;
    use queuecast_forecast::forecast::{
        ClusterQuestion, ClusterWhenSettings, ExpectedArrivals, when_at_cluster,
    };
    use queuecast_slurm_sim::cluster::{
        ClusterNode, ClusterPartition, JobRequest, RecordedMoments, SubmittedJob, TaskRun, TimeLimit,
        classes_of,
    };
    use queuecast_slurm_sim::controller::{Phases, simulate_cluster};

    #[test]
    fn the_median_so_far_is_that_of_all() {
        let mut running = RunningMedian::default();
        assert_eq!(running.median(), None);
        let mut all: Vec<Seconds> = Vec::new();
        for step in 0..200_i64 {
            let value = Seconds(step * 7919 % 101);
            running.add(value);
            all.push(value);
            all.sort_unstable();
            assert_eq!(running.median(), Some(all[all.len() / 2]), "{step}");
        }
    }

    fn around(median: f64, half: f64) -> PendingRange {
        let (low, high) = (median - half, median + half);
        PendingRange { p10: low, median, p90: high, low, high }
    }

    #[test]
    fn what_is_compared_is_over_the_same_jobs() {
        let one = |wait: i64, median: Option<f64>, past: Option<i64>, expected: Option<i64>| ForecastStart {
            key: "j".into(),
            task: None,
            submit: Seconds(0),
            wait: Seconds(wait),
            start: median.map(|median| around(median, 5.0)),
            simulated: median.map(|median| around(median, 1.0)),
            expected: expected.map(|wait| (Seconds(wait), Seconds(1))),
            past: past.map(Seconds),
        };
        let jobs = [
            one(1000, Some(0.0), None, None),
            one(2000, None, Some(1000), Some(0)),
            one(10, Some(12.0), Some(20), Some(40)),
        ];
        let score = StartForecastScore::of(&jobs);
        assert_eq!((score.jobs, score.answered, score.compared, score.expected), (3, 2, 1, 1));
        assert_eq!((score.median_error, score.zero_error, score.past_error), (Some(2), Some(10), Some(10)));
        assert_eq!((score.inside, score.expected_median_error), (Some(100.0), Some(2)));
        assert_eq!((score.interval_score, score.simulated_inside), (Some(10.0), Some(0.0)));
        assert_eq!(score.simulated_interval_score, Some(2.0 + 10.0), "a second below");
        assert_eq!(score.site_error, Some(30));
    }

    /// One node of four processors.
    fn one_node() -> Cluster {
        let node = ClusterNode { name: "n1".into(), cpus: 4, cores_per_socket: 4, ..ClusterNode::default() };
        let partition =
            ClusterPartition { name: "all".into(), nodes: vec![0], is_default: true, ..Default::default() };
        let nodes = vec![node];
        Cluster { classes: classes_of(&nodes), nodes, partitions: vec![partition], ..Cluster::default() }
    }

    /// What `when --site` answers for a job at its submission is what `site forecast` says of it, to the byte, given as many trials and
    /// simulations.
    #[test]
    fn a_job_is_forecast_as_when_it_is_asked_about() {
        let cluster = one_node();
        let job = |number: i64| SubmittedJob {
            key: format!("j{number}"),
            id: None,
            submit: Micros::of_seconds(1000 + 200 * number + 7 * (number * number % 23)),
            user: "ann".into(),
            request: JobRequest {
                tasks: Some(1 + number as u32 % 4),
                time_limit: Some(TimeLimit::Of(Seconds(3000))),
                ..JobRequest::default()
            }
            .into(),
            runs: vec![TaskRun::For(Seconds(300 + 90 * (number % 7)))],
            not_modelled: Vec::new(),
        };
        // With fewer than 30 trials past waits do not answer in place of the scheduler.
        let mut run = RecordedRun { submissions: (0..25).map(job).collect(), ..RecordedRun::default() };
        run.outcomes = simulate_cluster(&cluster, &run, Phases::from_start(Micros::ZERO, Seconds(30)));
        let (draws, seed) = (ClusterDraws { draws: 5, arrivals: ExpectedArrivals::LikePast }, Seed(1));
        let said = forecast_starts(&cluster, &run, &[], draws, seed, &|_| {});
        let settings = ClusterWhenSettings {
            draws,
            trials: usize::MAX,
            trial_draws: draws.draws,
            seed,
            is_followed: false,
            ..ClusterWhenSettings::default()
        };
        let mut moments = RecordedMoments::new(&cluster, &run);
        let mut widths = Vec::new();
        for place in [0, 3, 9, 17, 24] {
            let (job, moment) = (&run.submissions[place], moments.before(place));
            let question = ClusterQuestion {
                cluster: &cluster,
                history: &run,
                moment: &moment,
                job,
                record: None,
                schedules: &[],
            };
            let answer = when_at_cluster(&question, settings, &|_| {}).unwrap();
            let mut forecaster = ClusterForecaster::new(&cluster, &run, draws, seed);
            (0..place).for_each(|earlier| drop(forecaster.at_submission(earlier)));
            let own = forecaster.at_submission(place).remove(0).wait.unwrap();
            assert_eq!(answer.wait.distribution, own, "{}", job.key);
            assert_eq!(said[place].start, Some(PendingRange::of(&answer.wait.distribution)), "{}", job.key);
            widths.push(answer.wait.p90 - answer.wait.p10);
        }
        // Control: they are no points, and not all the same.
        assert!(widths.iter().all(|width| *width > 0.0) && widths.windows(2).any(|two| two[0] != two[1]));
    }

    /// A job that starts in the second of its submission is not among the waits that are known then.
    #[test]
    fn a_start_is_known_once_its_second_is_over() {
        let cluster = one_node();
        let job = |number: i64| SubmittedJob {
            key: format!("j{number}"),
            id: None,
            submit: Micros::of_millis(1_000_500 + 10_000 * number),
            user: "ann".into(),
            request: JobRequest::default().into(),
            runs: vec![TaskRun::For(Seconds(3))],
            not_modelled: Vec::new(),
        };
        let mut run = RecordedRun { submissions: (0..3).map(job).collect(), ..RecordedRun::default() };
        run.outcomes = simulate_cluster(&cluster, &run, Phases::from_start(Micros::ZERO, Seconds(30)));
        for (one, wait) in run.outcomes.iter_mut().zip([4, 0, 0]) {
            one.start = Some(one.submit + Seconds(wait));
        }
        let draws = ClusterDraws { draws: 1, arrivals: ExpectedArrivals::None };
        let found = forecast_starts(&cluster, &run, &[], draws, Seed(1), &|_| {});
        let past: Vec<Option<i64>> = found.iter().map(|one| one.past.map(|past| past.0)).collect();
        assert_eq!(past, [None, Some(4), Some(4)]);
    }
}

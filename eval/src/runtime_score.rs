//! Walk-forward evaluation of run-time predictors on the recorded schedule of a log: each job is predicted when it is submitted
//! and again when it starts, and learned from when it ends.

use queuecast_core::order;
use std::borrow::Cow;
use std::collections::VecDeque;
use std::fmt;
use std::ops::Range;

use super::bootstrap::Resampled;
use super::predictions::{AskedAt, RanFor, RuntimePrediction, SaidRun, TimeRank};
use super::range_tally::month_of;
use super::runtime_tally::{MEASURES, OF_RANGES, RuntimeMeasures, RuntimeScore, RuntimeTally, counted};
use super::wait_score::WaitWindow;
use super::{EvalError, Watch};
use queuecast_core::distribution::Distribution;
use queuecast_core::job::{End, Event, Job, JobIndex, What};
use queuecast_core::parallel;
use queuecast_core::units::{Seconds, Time};
use queuecast_core::workload::Workload;
use queuecast_forecast::forecast::{LimitRecord, WaitOutcome};
use queuecast_sim::predict::{Forecast, PredictorSpec, Question, Revision, RuntimePredictor};
use queuecast_sim::site::{Step, TimedStep, Timeline};

/// What is scored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RuntimeMethod {
    /// A predictor.
    Predictor(PredictorSpec),
    /// Baseline: the last 200 run times of all jobs, whatever is asked; their median is the point.
    Past,
}

impl RuntimeMethod {
    /// `runs` has the run time of each job by its number, for the one that knows the future.
    fn build(
        &self,
        runs: impl FnOnce() -> Vec<Seconds>,
        default_request: Seconds,
    ) -> Box<dyn RuntimePredictor> {
        match self {
            RuntimeMethod::Predictor(spec) => spec.build(runs, default_request),
            RuntimeMethod::Past => Box::new(PastRuns { default_request, ..PastRuns::default() }),
        }
    }
}

impl fmt::Display for RuntimeMethod {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RuntimeMethod::Predictor(spec) => spec.fmt(f),
            RuntimeMethod::Past => f.write_str("past"),
        }
    }
}

/// The last run times, also in ascending order.
#[derive(Debug, Clone, Default)]
struct PastRuns {
    recent: VecDeque<f64>,
    sorted: Vec<f64>,
    default_request: Seconds,
}

/// How many run times the baseline remembers.
const REMEMBERED: usize = 200;

impl RuntimePredictor for PastRuns {
    fn estimate(&self, question: &Question<'_>) -> Forecast {
        match Distribution::observed(self.sorted.as_slice().into(), 1.0) {
            Some(past) => Forecast::new(Seconds(past.quantile(0.5).round() as i64), past),
            None => Forecast::exactly(question.job.shape.limit.unwrap_or(self.default_request)),
        }
    }

    fn observe(&mut self, event: &Event<'_>, _: &mut Vec<Revision>) {
        let What::Ended(end) = event.what else { return };
        if self.recent.len() == REMEMBERED
            && let Some(oldest) = self.recent.pop_front()
        {
            self.sorted.remove(self.sorted.partition_point(|&other| other < oldest));
        }
        let ran = end.ran.0 as f64;
        self.recent.push_back(ran);
        self.sorted.insert(self.sorted.partition_point(|&other| other < ran), ran);
    }
}

/// A point says nothing of a risk.
fn note_limits(limits: &mut LimitRecord, job: &Job, forecast: &Forecast) {
    if forecast.has_range() {
        limits.arrived(job, &forecast.distribution());
    }
}

/// The recorded schedule that methods follow. Jobs that were withdrawn are submitted and leave; they are predicted, and not scored.
/// Jobs whose start is unknown are left out: what ended when is not known of them.
#[derive(Debug)]
pub struct RuntimeScorer<'a> {
    workload: &'a Workload,
    window: WaitWindow,
    timeline: Timeline,
    /// Every job by its number in the order of submission.
    jobs: Cow<'a, [Job]>,
    /// The numbers from the first job of the window up to the job that follows it.
    numbers: Range<usize>,
}

impl<'a> RuntimeScorer<'a> {
    /// Follows the recorded schedule.
    pub fn new(workload: &'a Workload, window: WaitWindow) -> Result<RuntimeScorer<'a>, EvalError> {
        let jobs = workload.len();
        if workload.starts.is_empty() && jobs > 0 {
            return Err(EvalError::NoWaits);
        }
        if jobs < window.from.max(1) {
            return Err(EvalError::TooFewJobs { jobs, needed: window.from.max(1) });
        }
        let timeline = Timeline::recorded(workload);
        let number = |index: usize| timeline.number(JobIndex(u32::try_from(index).ok()?));
        let number = |index: usize| number(index).map_or(timeline.len(), |number| number.at());
        let first = window.from.max(1) - 1;
        let numbers = number(first)..number(first.saturating_add(window.jobs));
        let jobs = timeline.jobs(workload);
        Ok(RuntimeScorer { workload, window, timeline, jobs, numbers })
    }

    /// How many jobs are scored: those of the window whose start is known.
    pub fn jobs(&self) -> usize {
        let outcomes = self.numbers.clone().map(|number| self.outcome(JobIndex(number as u32)));
        outcomes.filter(|outcome| outcome.wait().is_some()).count()
    }

    /// What became of the wait of the job of this number.
    fn outcome(&self, number: JobIndex) -> WaitOutcome {
        let submit = self.jobs[number.at()].submit;
        let known = match self.timeline.index(number) {
            None => return WaitOutcome::Withdrawn(self.timeline.left(number, self.workload) - submit),
            Some(index) => self.workload.starts[index.at()],
        };
        match known {
            Time::NEVER => WaitOutcome::Unknown,
            start => WaitOutcome::Started((start - submit).max(Seconds::ZERO)),
        }
    }

    /// Scores each method; `watch` is told of jobs that a method is done with, [`RuntimeScorer::jobs`] for each method.
    /// Intervals and differences are those of a bootstrap over weeks.
    pub fn score(&self, methods: &[RuntimeMethod], watch: Watch<'_>) -> Vec<RuntimeScore> {
        self.follow_each(methods, watch, false).0
    }

    /// The scores, with what each method said of each job beside what happened: in the order of submission, of each job first what
    /// was said then.
    pub fn score_each(
        &self,
        methods: &[RuntimeMethod],
        watch: Watch<'_>,
    ) -> (Vec<RuntimeScore>, Vec<Vec<RuntimePrediction>>) {
        self.follow_each(methods, watch, true)
    }

    /// What any predictor says of each job, beside what happened, in the same order.
    pub fn predictions(&self, predictor: &mut dyn RuntimePredictor) -> Vec<RuntimePrediction> {
        let mut kept = Vec::new();
        self.follow(predictor, &|_| {}, Some(&mut kept));
        kept
    }

    fn follow_each(
        &self,
        methods: &[RuntimeMethod],
        watch: Watch<'_>,
        is_kept: bool,
    ) -> (Vec<RuntimeScore>, Vec<Vec<RuntimePrediction>>) {
        let followed = parallel::map(methods, |method| {
            let begun = watch.clock.map(|clock| clock());
            let mut predictor = method.build(|| self.run_times(), self.window.default_request);
            let mut kept = Vec::new();
            let tallies = self.follow(&mut *predictor, watch.done, is_kept.then_some(&mut kept));
            ((tallies, begun.zip(watch.clock).map(|(begun, clock)| clock() - begun)), kept)
        });
        let (tallies, predictions): (Vec<_>, Vec<_>) = followed.into_iter().unzip();
        let first = methods.first().map(ToString::to_string).unwrap_or_default();
        let measured = |moment: fn(&[RuntimeTally; 2]) -> &RuntimeTally| -> Vec<RuntimeMeasures> {
            let weeks: Vec<_> = tallies.iter().map(|(both, _)| moment(both).weeks()).collect();
            let resampled = Resampled::of(&MEASURES, &weeks);
            let all: Vec<_> = tallies.iter().map(|(both, _)| moment(both).measures()).collect();
            let first_has_ranges = all.first().is_some_and(|measures| measures.ranges > 0);
            let completed = all.into_iter().enumerate().map(|(place, mut measures)| {
                measures.intervals = resampled.intervals(place);
                measures.differences = resampled.beside_first(place, &first);
                if measures.ranges == 0 {
                    measures.intervals.retain(|name, _| !OF_RANGES.contains(name));
                }
                if (measures.ranges == 0 || !first_has_ranges)
                    && let Some(differences) = &mut measures.differences
                {
                    differences.measures.retain(|name, _| !OF_RANGES.contains(name));
                }
                measures
            });
            completed.collect()
        };
        let moments = measured(|both| &both[0]).into_iter().zip(measured(|both| &both[1]));
        let scores = methods.iter().zip(&tallies).zip(moments);
        let scores = scores
            .map(|((method, ([tally, _], seconds)), (at_submission, at_start))| RuntimeScore {
                method: method.to_string(),
                jobs: tally.jobs(),
                mean_run_time: tally.mean_run_time(),
                at_submission,
                at_start,
                seconds: *seconds,
            })
            .collect();
        (scores, predictions)
    }

    /// Of each job by its number; of one that did not run, what stands in for a missing requested time.
    fn run_times(&self) -> Vec<Seconds> {
        let run = |number: usize| match self.timeline.index(JobIndex(number as u32)) {
            Some(index) => self.workload.truths()[index.at()].run(),
            None => self.window.default_request,
        };
        (0..self.timeline.len()).map(run).collect()
    }

    /// Predicts and learns in the order of the log, until the last job of the window has been asked about.
    fn follow(
        &self,
        predictor: &mut dyn RuntimePredictor,
        done: &(dyn Fn(usize) + Sync),
        mut kept: Option<&mut Vec<RuntimePrediction>>,
    ) -> [RuntimeTally; 2] {
        let mut tallies = [RuntimeTally::default(), RuntimeTally::default()];
        let mut limits = LimitRecord::default();
        let mut ignored = Vec::new();
        let asked = self.numbers.clone().map(|number| self.outcome(JobIndex(number as u32)));
        let mut left = asked.filter(|&outcome| outcome != WaitOutcome::Unknown).count();
        for &TimedStep { at, step, job: number } in self.timeline.steps() {
            if left == 0 {
                break;
            }
            let (job, outcome) = (&self.jobs[number.at()], self.outcome(number));
            if outcome == WaitOutcome::Unknown {
                continue;
            }
            let truth = self.timeline.index(number).map(|index| &self.workload.truths()[index.at()]);
            let what = match (step, truth) {
                (Step::Submitted, _) => What::Arrived,
                (Step::Started, _) => What::Started(job.shape),
                (Step::Ended | Step::EndedAtOnce, Some(truth)) => {
                    What::Ended(End { ran: truth.run(), ending: truth.ending })
                }
                _ => What::Withdrawn,
            };
            // As in a simulation, the arrival of a job is known when it is asked about, and its start is not.
            if step == Step::Submitted {
                predictor.observe(&Event { at, job, what }, &mut ignored);
            }
            let is_asked = self.numbers.contains(&number.at());
            let asked = match step {
                Step::Submitted => Some(AskedAt::Submission),
                Step::Started if is_asked => Some(AskedAt::Start),
                _ => None,
            };
            if let Some(asked) = asked {
                let forecast = predictor.estimate(&Question { job, elapsed: Seconds::ZERO });
                if is_asked {
                    let limit = job.shape.limit;
                    let said = match asked {
                        AskedAt::Submission => SaidRun::of(&forecast).with_limits(&limits, &forecast, limit),
                        AskedAt::Start => SaidRun::of(&forecast),
                    };
                    let ran = truth.map(|truth| {
                        let compared = counted(truth.run(), limit);
                        RanFor { run: truth.run(), rank: TimeRank::of(&forecast.distribution(), compared) }
                    });
                    let month = month_of(self.workload, job.submit);
                    if let Some(kept) = &mut kept {
                        let (job, month) = (job.clone(), month.clone());
                        kept.push(RuntimePrediction { job, month, asked, said, outcome, ran });
                    }
                    if let Some(ran) = ran {
                        let tally = &mut tallies[usize::from(asked == AskedAt::Start)];
                        tally.add(&said, ran, limit, job.submit, month);
                    }
                    done(usize::from(asked == AskedAt::Start));
                    // Jobs that never start are asked about once.
                    left -= usize::from(asked == AskedAt::Start || truth.is_none());
                }
                if asked == AskedAt::Submission {
                    note_limits(&mut limits, job, &forecast);
                }
            }
            match what {
                What::Ended(end) => limits.ended(number, end.ran),
                What::Withdrawn => limits.withdrawn(number),
                _ => {}
            }
            if step != Step::Submitted {
                predictor.observe(&Event { at, job, what }, &mut ignored);
            }
            ignored.clear();
        }
        if let Some(kept) = kept {
            order::sort_by_key(kept, |one| (one.job.index, one.asked));
        }
        tallies
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::WalkForward;
    use queuecast_core::job::{Job, Truth};
    use queuecast_core::units::Procs;
    use queuecast_core::workload::Machine;

    const UNWATCHED: Watch<'static> = Watch { done: &|_| {}, clock: None };

    /// Jobs of one user by submission, start and run time.
    fn workload(jobs: &[(i64, Option<i64>, i64)]) -> Workload {
        let rows = jobs.iter().zip(1..);
        let columns = rows.map(|(&(submit, start, run), id)| {
            let mut job = Job::rigid(id, Time(submit), Procs(1), Some(Seconds(1000)));
            job.user = queuecast_core::job::UserId::new(1);
            ((job, Truth::rigid(Seconds(run))), start.map_or(Time::NEVER, Time))
        });
        let (pairs, starts): (Vec<_>, Vec<_>) = columns.unzip();
        let (jobs, truths) = pairs.into_iter().unzip();
        Workload::recorded(Machine { procs: Procs(9) }, jobs, truths, starts).unwrap()
    }

    fn window(from: usize, jobs: usize) -> WaitWindow {
        WaitWindow { from, jobs, default_request: Seconds(3600) }
    }

    fn scored(workload: &Workload, window: WaitWindow, methods: &[&str]) -> Vec<RuntimeScore> {
        let methods: Vec<RuntimeMethod> = methods
            .iter()
            .map(|&method| match method {
                "past" => RuntimeMethod::Past,
                spec => RuntimeMethod::Predictor(spec.parse().unwrap()),
            })
            .collect();
        RuntimeScorer::new(workload, window).unwrap().score(&methods, UNWATCHED)
    }

    #[test]
    fn more_is_known_at_the_start_than_at_submission() {
        // The third is submitted while the second runs, and starts when that has ended.
        let workload = workload(&[(0, Some(0), 10), (0, Some(20), 30), (25, Some(50), 40)]);
        let [recent, past] = &scored(&workload, window(3, 9), &["recent:2", "past"])[..] else { panic!() };
        assert_eq!((recent.jobs, recent.mean_run_time), (1, 40.0));
        // Submitted: one run of 10 is known. Started: 10 and 30.
        assert_eq!(recent.at_start.mean_absolute_error, 20.0);
        assert_eq!(recent.at_submission.coverage_80, None, "a point");
        assert_eq!(past.at_submission.mean_absolute_error, 30.0);
        assert_eq!(past.at_submission.coverage_80, Some(0.0));
        assert_eq!((past.method.as_str(), past.at_start.ranges), ("past", 1));
    }

    #[test]
    fn figures_at_the_start_are_those_of_a_walk_forward() {
        let jobs: Vec<_> = (0..200).map(|i| (i * 7, Some(i * 7 + i % 5 * 40), (i * i) % 301)).collect();
        let workload = workload(&jobs);
        for method in ["requested", "recent:2", "sbh", "template:(u),()"] {
            let score = &scored(&workload, window(1, usize::MAX), &[method])[0];
            let build = || method.parse::<PredictorSpec>().unwrap().build(Vec::new, Seconds(3600));
            let walk = WalkForward::of(&workload).unwrap();
            let slow = walk.score(&mut *build(), 0..200);
            assert!((score.at_start.mean_absolute_error - slow.mean_error).abs() < 1e-9, "{method}");
            assert!((score.at_start.percent_of_mean - slow.error_percent).abs() < 1e-9, "{method}");
            let slow = WalkForward::at_submission(&workload).unwrap().score(&mut *build(), 0..200);
            assert!((score.at_submission.mean_absolute_error - slow.mean_error).abs() < 1e-9, "{method}");
        }
    }

    /// Whatever happens after the last scored job has started, and to jobs that still run, changes nothing.
    #[test]
    fn the_future_is_not_looked_at() {
        let jobs: Vec<_> = (0..60).map(|i| (i * 100, Some(i * 100 + 50), 30 + i % 7 * 200)).collect();
        let mut changed = jobs.clone();
        for (job, scored) in changed.iter_mut().zip(0..) {
            if scored >= 40 {
                *job = (job.0, Some(job.0 + 9), 5);
            }
        }
        let methods = ["recent:2", "past", "sbh", "template:(u)"];
        let of = |jobs: &[(i64, Option<i64>, i64)]| scored(&workload(jobs), window(11, 30), &methods);
        assert_eq!(of(&jobs), of(&changed));
        changed[20].2 = 1;
        assert_ne!(of(&jobs), of(&changed), "control");
    }

    #[test]
    fn jobs_without_a_start_are_left_out() {
        let with = workload(&[(0, Some(0), 10), (5, None, 900), (30, Some(30), 40)]);
        let without = workload(&[(0, Some(0), 10), (30, Some(30), 40)]);
        let of = |workload: &Workload| scored(workload, window(1, 9), &["recent:2", "past"]);
        assert_eq!(of(&with), of(&without));
        assert_eq!(RuntimeScorer::new(&with, window(1, 9)).unwrap().jobs(), 2);
        let refused = |workload: &Workload, from| RuntimeScorer::new(workload, window(from, 9)).unwrap_err();
        assert_eq!(refused(&with, 4), EvalError::TooFewJobs { jobs: 3, needed: 4 });
        let none = Workload::new(Machine { procs: Procs(1) }, vec![]).unwrap();
        assert_eq!(refused(&none, 1), EvalError::TooFewJobs { jobs: 0, needed: 1 });
    }

    #[test]
    fn perfect_is_perfect_and_told_apart() {
        let jobs: Vec<_> = (0..400).map(|i| (i * 20_000, Some(i * 20_000 + 50), 30 + i % 7 * 20)).collect();
        let scores = scored(&workload(&jobs), window(1, usize::MAX), &["requested", "perfect"]);
        assert_eq!(scores[1].at_submission.mean_absolute_error, 0.0);
        let differences = scores[1].at_submission.differences.as_ref().unwrap();
        assert_eq!(differences.to, "requested");
        assert!(differences.measures["mean_absolute_error"][1] < 0.0);
        assert!(!differences.measures.contains_key("coverage_80"), "points have none");
        assert!(scores[0].at_submission.differences.is_none());
        let json = serde_json::to_value(&scores[1]).unwrap();
        assert_eq!(json["mean_absolute_error"], json["at_submission"]["mean_absolute_error"]);
    }
}

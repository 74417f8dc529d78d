//! Walk-forward evaluation of run-time predictors on a log: each job is predicted when it starts or is submitted, and
//! learned from when it ends.

use std::ops::Range;

use serde::Serialize;

use super::EvalError;
use queuecast_core::job::{End, Event, What};
use queuecast_core::units::Seconds;
use queuecast_core::workload::Workload;
use queuecast_sim::predict::{Forecast, Question, RuntimePredictor};
use queuecast_sim::site::{Step, TimedStep, Timeline};

/// The fewest jobs of a log: one is predicted from two.
const FEWEST: usize = 3;

/// The recorded schedule of a log, followed in order. Jobs that were withdrawn have no run time and are left out.
#[derive(Debug, Clone)]
pub struct WalkForward<'a> {
    workload: &'a Workload,
    timeline: Timeline,
    /// The step at which a job is predicted.
    asked: Step,
}

/// How right predictions were.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Default)]
pub struct Score {
    /// Jobs predicted.
    pub jobs: usize,
    /// Those of them whose prediction has an interval. The others are newcomers; a predictor that gives no
    /// intervals has none.
    pub predicted: usize,
    /// Those of `predicted` that ran for a time within their interval.
    pub inside: usize,
    /// Mean distance of predicted from actual run time, over all jobs, in seconds.
    pub mean_error: f64,
    /// Mean actual run time of all jobs, in seconds.
    pub mean_run: f64,
    /// The mean error as a percentage of the mean run time.
    pub error_percent: f64,
    /// The share of `predicted` that is `inside`; 0 of none.
    pub inside_interval: f64,
}

/// Sums behind a [`Score`]: whole seconds, so that their order does not matter.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct ScoreTally {
    jobs: usize,
    predicted: usize,
    inside: usize,
    error: u128,
    ran: u128,
}

impl ScoreTally {
    pub(super) fn add(&mut self, forecast: Forecast, ran: Seconds) {
        self.jobs += 1;
        self.error += u128::from(forecast.point().0.abs_diff(ran.0));
        self.ran += u128::from(ran.0.unsigned_abs());
        if let Some(interval) = forecast.interval() {
            self.predicted += 1;
            self.inside += usize::from(interval.contains(ran));
        }
    }

    pub(super) fn score(&self) -> Score {
        let ScoreTally { jobs, predicted, inside, error, ran } = *self;
        let ratio = |above: f64, below: f64| if below > 0.0 { above / below } else { 0.0 };
        Score {
            jobs,
            predicted,
            inside,
            mean_error: ratio(error as f64, jobs as f64),
            mean_run: ratio(ran as f64, jobs as f64),
            error_percent: 100.0 * ratio(error as f64, ran as f64),
            inside_interval: ratio(inside as f64, predicted as f64),
        }
    }
}

impl<'a> WalkForward<'a> {
    /// Predicts each job as it starts (Smith, Foster & Taylor 1998, section 2.2). A job whose start is unknown is
    /// taken to have started when it was submitted: in SDSC-Par-1996, whose last lines of a crash are such, run
    /// times then count from submission. At one instant, ends come first, in order of start as in a simulation, then
    /// arrivals and then starts, each in arrival order.
    pub fn of(workload: &'a Workload) -> Result<WalkForward<'a>, EvalError> {
        if workload.starts.is_empty() && !workload.is_empty() {
            return Err(EvalError::NoWaits);
        }
        WalkForward::new(workload, Step::Started)
    }

    /// Predicts each job as it is submitted, and learns from it when it ended according to the log; where that
    /// is unknown, as if it had started at once.
    pub fn at_submission(workload: &'a Workload) -> Result<WalkForward<'a>, EvalError> {
        WalkForward::new(workload, Step::Submitted)
    }

    fn new(workload: &'a Workload, asked: Step) -> Result<WalkForward<'a>, EvalError> {
        let jobs = workload.len();
        if jobs < FEWEST {
            return Err(EvalError::TooFewJobs { jobs, needed: FEWEST });
        }
        Ok(WalkForward { workload, timeline: Timeline::of_started(workload), asked })
    }

    /// The workload replayed.
    pub fn workload(&self) -> &'a Workload {
        self.workload
    }

    /// How many jobs are predicted.
    pub fn len(&self) -> usize {
        self.workload.len()
    }

    /// Whether there are none; there always are.
    pub fn is_empty(&self) -> bool {
        self.workload.is_empty()
    }

    /// Every prediction (`true`) and every end (`false`) with its job, in order.
    pub(super) fn lessons(&self) -> impl Iterator<Item = (bool, u32)> + '_ {
        self.timeline.steps().iter().filter_map(|taken| match taken.step {
            Step::Ended | Step::EndedAtOnce => Some((false, taken.job.0)),
            step => (step == self.asked).then_some((true, taken.job.0)),
        })
    }

    /// Of each job of the workload, whether it has ended before the prediction of this number is made; all have where there is
    /// no such prediction.
    pub fn ended_before(&self, number: usize) -> Vec<bool> {
        let (mut ended, mut asked) = (vec![false; self.len()], 0);
        for (asks, job) in self.lessons() {
            if asks && asked == number {
                return ended;
            }
            asked += usize::from(asks);
            ended[job as usize] |= !asks;
        }
        vec![true; self.len()]
    }

    /// What [`WalkForward::score`] says, of the jobs in `range` that have ended before the first prediction after it: the others'
    /// run times are not known then.
    pub fn score_ended(&self, predictor: &mut dyn RuntimePredictor, range: Range<usize>) -> Score {
        let ended = self.ended_before(range.end);
        let mut tally = ScoreTally::default();
        self.each(predictor, range, |job, forecast, ran| {
            if ended[job] {
                tally.add(forecast, ran);
            }
        });
        tally.score()
    }

    /// How right a predictor is about the jobs in `range`, counted in the order in which they are predicted. It
    /// learns from all jobs that end before the last of them is predicted. Revisions are not asked for.
    pub fn score(&self, predictor: &mut dyn RuntimePredictor, range: Range<usize>) -> Score {
        let mut tally = ScoreTally::default();
        self.each(predictor, range, |_, forecast, ran| tally.add(forecast, ran));
        tally.score()
    }

    /// Tells `see` of every prediction of a job in `range`: which job (in arrival order), what was predicted, and
    /// how long it ran.
    pub fn each(
        &self,
        predictor: &mut dyn RuntimePredictor,
        range: Range<usize>,
        mut see: impl FnMut(usize, Forecast, Seconds),
    ) {
        let mut asked = 0;
        let mut ignored = Vec::new();
        for &TimedStep { at, step, job } in self.timeline.steps() {
            if asked >= range.end {
                break;
            }
            let index = job.at();
            let (job, ran) = (&self.workload.jobs()[index], self.workload.truths()[index].run());
            let ending = self.workload.truths()[index].ending;
            if step == Step::Submitted {
                predictor.observe(&Event { at, job, what: What::Arrived }, &mut ignored);
            }
            if step == self.asked {
                if range.contains(&asked) {
                    let question = Question { job, elapsed: Seconds::ZERO };
                    see(index, predictor.estimate(&question), ran);
                }
                asked += 1;
            }
            let what = match step {
                Step::Started => Some(What::Started(job.shape)),
                Step::Ended | Step::EndedAtOnce => Some(What::Ended(End { ran, ending })),
                Step::Submitted | Step::Withdrawn | Step::WithdrawnAtOnce => None,
            };
            if let Some(what) = what {
                predictor.observe(&Event { at, job, what }, &mut ignored);
            }
            ignored.clear();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use queuecast_core::job::{Job, Truth};
    use queuecast_core::units::{Procs, Time};
    use queuecast_core::workload::Machine;
    use queuecast_sim::predict::template::TemplatePredictor;
    use queuecast_sim::predict::{Constant, Requested};

    /// Jobs by submission, start and run time.
    fn workload(jobs: &[(i64, Option<i64>, i64)]) -> Workload {
        let rows = jobs.iter().zip(1..);
        let columns = rows.map(|(&(submit, start, run), id)| {
            let job = Job::rigid(id, Time(submit), Procs(1), Some(Seconds(1000)));
            ((job, Truth::rigid(Seconds(run))), start.map_or(Time::NEVER, Time))
        });
        let (pairs, starts): (Vec<_>, Vec<_>) = columns.unzip();
        let (jobs, truths) = pairs.into_iter().unzip();
        Workload::recorded(Machine { procs: Procs(9) }, jobs, truths, starts).unwrap()
    }

    fn predicted(replay: &WalkForward<'_>) -> Vec<(usize, i64)> {
        let mut predictor = TemplatePredictor::new(&"()".parse().unwrap());
        let mut seen = Vec::new();
        replay.each(&mut predictor, 0..replay.len(), |job, forecast, _| seen.push((job, forecast.point().0)));
        seen
    }

    #[test]
    fn jobs_are_predicted_as_they_start_and_learned_as_they_end() {
        // The third is submitted before, and starts just when the second ends.
        let workload = workload(&[(0, Some(0), 10), (0, Some(20), 30), (5, Some(50), 40), (6, Some(49), 5)]);
        let replay = WalkForward::of(&workload).unwrap();
        assert_eq!(predicted(&replay), [(0, 1000), (1, 1000), (3, 1000), (2, 20)]);
        let at_submission = WalkForward::at_submission(&workload).unwrap();
        assert_eq!(predicted(&at_submission), [(0, 1000), (1, 1000), (2, 1000), (3, 1000)]);
    }

    #[test]
    fn a_job_of_no_length_is_not_learned_before_it_is_predicted() {
        let workload = workload(&[(0, Some(0), 10), (10, Some(10), 0), (10, Some(10), 6), (10, Some(11), 6)]);
        // Both that start at 10 know of the first only; at 11 the second has ended.
        assert_eq!(
            predicted(&WalkForward::of(&workload).unwrap()),
            [(0, 1000), (1, 1000), (2, 1000), (3, 5)]
        );
    }

    #[test]
    fn a_score_is_worked_by_hand() {
        let workload = workload(&[(0, Some(0), 10), (20, Some(20), 30), (60, Some(60), 50), (70, None, 7)]);
        let replay = WalkForward::of(&workload).unwrap();
        assert_eq!(replay.len(), 4);
        let score = replay.score(&mut Constant(Seconds(20)), 0..3);
        assert_eq!((score.jobs, score.predicted, score.mean_run), (3, 0, 30.0));
        assert_eq!(score.mean_error, 50.0 / 3.0);
        assert!((score.error_percent - 500.0 / 9.0).abs() < 1e-12);
        let last = replay.score(&mut TemplatePredictor::new(&"()".parse().unwrap()), 2..3);
        assert_eq!((last.jobs, last.predicted, last.inside), (1, 1, 1));
        assert_eq!((last.mean_error, last.inside_interval), (30.0, 1.0));
        assert_eq!(replay.score(&mut Requested { default: Seconds(1) }, 3..3), Score::default());
        let unknown = replay.score(&mut Constant(Seconds(20)), 3..4);
        assert_eq!((unknown.jobs, unknown.mean_error), (1, 13.0), "without a start it starts at submission");
    }

    #[test]
    fn jobs_that_still_run_at_the_end_of_a_range_do_not_count() {
        let scored = |run: i64| {
            let jobs = [
                (0, Some(0), 10),
                (20, Some(20), run),
                (30, Some(30), 5),
                (60, Some(60), 50),
                (70, Some(70), 7),
            ];
            let workload = workload(&jobs);
            let replay = WalkForward::of(&workload).unwrap();
            let score = |range: Range<usize>| replay.score_ended(&mut Constant(Seconds(20)), range);
            (replay.ended_before(3), score(0..3), score(0..5), replay.score(&mut Constant(Seconds(20)), 0..3))
        };
        let (ended, known, all, plain) = scored(900);
        assert_eq!(ended, [true, false, true, false, false]);
        assert_eq!((known.jobs, known.mean_error, all.jobs, plain.jobs), (2, 12.5, 5, 3));
        // Its run time changes nothing, as long as it still runs.
        assert_eq!(scored(41).1, known);
        assert_ne!(scored(41).3, plain, "control");
        assert_eq!(scored(40).1.jobs, 3, "it ends just before");
    }

    #[test]
    fn logs_without_waits_or_with_too_few_jobs_are_refused() {
        let error =
            |jobs: &[(i64, Option<i64>, i64)]| WalkForward::of(&workload(jobs)).unwrap_err().to_string();
        assert!(error(&[(0, None, 1); 5]).contains("does not record how long jobs waited"));
        assert!(error(&[(0, Some(0), 1), (0, Some(0), 1)]).contains("the log has 2 jobs"));
        assert!(error(&[]).contains("at least 3 are needed"));
        let without = workload(&[(0, None, 1), (4, None, 3), (9, None, 1)]);
        assert_eq!(predicted(&WalkForward::at_submission(&without).unwrap()), [(0, 1000), (1, 1000), (2, 2)]);
    }
}

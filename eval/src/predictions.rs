//! What was said of each job beside what happened: the rows that every score is a sum over.

use super::limit_tally::{LIMIT_RISKS, advised_limits};
use queuecast_core::distribution::Distribution;
use queuecast_core::job::Job;
use queuecast_core::units::Seconds;
use queuecast_forecast::forecast::{LimitAdvice, LimitRecord, WaitOutcome};
use queuecast_sim::predict::Forecast;
use queuecast_wait::{BestAnswers, NamedClasses, WAIT_CLASSES, WaitForecast, probabilities};

/// The levels of the quantiles that are kept of a prediction.
pub const SAID_LEVELS: [f64; 7] = [0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95];

/// A predicted distribution as it is told, in seconds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SaidTime {
    /// At [`SAID_LEVELS`].
    pub quantiles: [f64; SAID_LEVELS.len()],
    /// The range that should hold eight times in ten begins here.
    pub low: f64,
    /// And ends here.
    pub high: f64,
    /// One number, by the method.
    pub point: f64,
}

impl SaidTime {
    pub(super) fn new(time: &Distribution, (low, high): (f64, f64), point: f64) -> SaidTime {
        SaidTime { quantiles: SAID_LEVELS.map(|level| time.quantile(level)), low, high, point }
    }

    /// The 10 % quantile.
    pub fn p10(&self) -> f64 {
        self.quantiles[1]
    }

    /// The median.
    pub fn median(&self) -> f64 {
        self.quantiles[3]
    }

    /// The 90 % quantile.
    pub fn p90(&self) -> f64 {
        self.quantiles[5]
    }
}

/// Where a time that came lies in the distribution that was predicted: both are needed where a time, such as a wait of zero, has a
/// probability of its own.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TimeRank {
    /// The predicted probability of a shorter time.
    pub shorter: f64,
    /// Of one that is not longer.
    pub up_to: f64,
}

impl TimeRank {
    pub(super) fn of(time: &Distribution, actual: f64) -> TimeRank {
        let shorter = 1.0 - time.survival(actual.next_down());
        TimeRank { shorter, up_to: (1.0 - time.survival(actual)).max(shorter) }
    }
}

/// What is said of a job's wait: what `when` tells a user, and what is scored.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SaidWait {
    /// The wait.
    pub time: SaidTime,
    /// The number that is expected to be least wrong as a share of the response time.
    pub response_point: f64,
    /// The classes that are named.
    pub named: NamedClasses,
    /// The probability of each class.
    pub classes: [f64; WAIT_CLASSES],
}

impl SaidWait {
    /// What is said of a job that requests this time.
    pub(super) fn of(forecast: &WaitForecast, request: Seconds) -> SaidWait {
        let BestAnswers { classes: named, response_point } =
            BestAnswers::of(forecast, request.0.max(0) as f64);
        SaidWait {
            time: SaidTime::new(&forecast.wait, forecast.wait.wait_range(0.8), forecast.point),
            response_point,
            named,
            classes: probabilities(&forecast.wait),
        }
    }
}

/// What one method said of one job's wait at its submission, and what happened.
///
/// Jobs that left the queue without having started, or whose start the log does not know, are predicted as well: nothing tells
/// at their submission what will become of them. No score counts them.
#[derive(Debug, Clone, PartialEq)]
pub struct WaitPrediction {
    /// The job.
    pub job: Job,
    /// The month of its submission, as in [`super::MonthScore`].
    pub month: String,
    /// What was said.
    pub said: SaidWait,
    /// What happened.
    pub outcome: WaitOutcome,
    /// Where the wait of a job that started lies in what was said.
    pub rank: Option<TimeRank>,
}

/// What is said of a job's run time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SaidRun {
    /// The run time.
    pub time: SaidTime,
    /// Whether more than a point was predicted; else all quantiles are the point.
    pub is_range: bool,
    /// At submission, of a job that requests a time: the limits advised at [`LIMIT_RISKS`].
    pub limits: Option<[LimitAdvice; LIMIT_RISKS.len()]>,
}

impl SaidRun {
    pub(super) fn of(forecast: &Forecast) -> SaidRun {
        let run = forecast.distribution();
        let time = SaidTime::new(&run, run.range(0.8), forecast.point().0 as f64);
        SaidRun { time, is_range: forecast.has_range(), limits: None }
    }

    /// With what is advised to a job that requests this time, by what is known of limits of earlier jobs.
    pub(super) fn with_limits(
        self,
        past: &LimitRecord,
        forecast: &Forecast,
        asked: Option<Seconds>,
    ) -> SaidRun {
        let asked = asked.filter(|&asked| asked > Seconds::ZERO);
        SaidRun { limits: asked.map(|asked| advised_limits(past, &forecast.distribution(), asked)), ..self }
    }
}

/// When a run time is predicted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum AskedAt {
    /// As the job is submitted.
    Submission,
    /// As it starts.
    Start,
}

/// What one method said of one job's run time at one of two moments, and what happened. Jobs that are not known to have started are
/// predicted at their submission.
#[derive(Debug, Clone, PartialEq)]
pub struct RuntimePrediction {
    /// The job.
    pub job: Job,
    /// The month of its submission, as in [`super::MonthScore`].
    pub month: String,
    /// When it was said.
    pub asked: AskedAt,
    /// What was said.
    pub said: SaidRun,
    /// What became of its wait.
    pub outcome: WaitOutcome,
    /// How long it ran; `None` of a job that is not known to have started, which no score counts.
    pub ran: Option<RanFor>,
}

/// How long a job ran.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RanFor {
    /// As recorded.
    pub run: Seconds,
    /// Where that, or the requested time if it is shorter, lies in what was predicted.
    pub rank: TimeRank,
}

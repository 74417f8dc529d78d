//! What time limits advised from predicted run times would have done: how much shorter than the requested times, and how often
//! a job would have been stopped at them.

use serde::Serialize;

use queuecast_core::distribution::Distribution;
use queuecast_core::units::Seconds;
use queuecast_forecast::forecast::{LimitAdvice, LimitRecord};

/// The accepted risks that are tried.
pub const LIMIT_RISKS: [f64; 4] = [0.01, 0.02, 0.05, 0.1];

/// What is advised at each of them to a job that asks for this time. `past` is what is known as the job is submitted.
pub(super) fn advised_limits(
    past: &LimitRecord,
    run: &Distribution,
    asked: Seconds,
) -> [LimitAdvice; LIMIT_RISKS.len()] {
    LIMIT_RISKS.map(|risk| past.advise(run, asked, risk))
}

/// What the shortest limits of one accepted risk would have done. Shares are percentages.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct LimitScore {
    /// The accepted risk of being stopped, 0 to 1.
    pub risk: f64,
    /// Jobs with a requested time for which a shorter limit would have been advised.
    pub advised: f64,
    /// Of these, the jobs that ran for the advised limit or longer.
    pub stopped: Option<f64>,
    /// The mean share of earlier jobs that would have been stopped at limits so chosen.
    pub expected: Option<f64>,
    /// The mean advised limit in percent of the requested time, over these jobs.
    pub of_request: Option<f64>,
}

/// Sums for one accepted risk.
#[derive(Debug, Clone, Copy, Default)]
struct LimitSums {
    advised: usize,
    stopped: usize,
    expected: f64,
    of_request: f64,
}

/// Sums behind [`LimitScore`].
#[derive(Debug, Default)]
pub(super) struct LimitTally {
    jobs: usize,
    sums: [LimitSums; LIMIT_RISKS.len()],
}

impl LimitTally {
    /// A job that asks for this time, with what was advised to it.
    pub(super) fn add(&mut self, limits: &[LimitAdvice; LIMIT_RISKS.len()], ran: Seconds, asked: Seconds) {
        self.jobs += 1;
        for (sums, advice) in self.sums.iter_mut().zip(limits) {
            if advice.limit < asked {
                sums.advised += 1;
                sums.stopped += usize::from(ran >= advice.limit);
                sums.expected += advice.risk;
                sums.of_request += advice.limit.0 as f64 / asked.0 as f64;
            }
        }
    }

    pub(super) fn jobs(&self) -> usize {
        self.jobs
    }

    pub(super) fn scores(&self) -> Vec<LimitScore> {
        let scores = LIMIT_RISKS.iter().zip(&self.sums);
        scores
            .map(|(&risk, sums)| {
                let mean = |sum: f64| (sums.advised > 0).then(|| 100.0 * sum / sums.advised as f64);
                LimitScore {
                    risk,
                    advised: 100.0 * sums.advised as f64 / self.jobs.max(1) as f64,
                    stopped: mean(sums.stopped as f64),
                    expected: mean(sums.expected),
                    of_request: mean(sums.of_request),
                }
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use queuecast_core::job::{Job, JobIndex};
    use queuecast_core::units::{Procs, Time};

    #[test]
    fn numbers_are_worked_by_hand() {
        // A thousand jobs of 1,000 s that ask for 10,000 s teach that some 20 min are enough.
        let run = Distribution::interval(900.0, 1_000.0, 1_100.0, 0.8);
        let (mut past, mut tally) = (LimitRecord::default(), LimitTally::default());
        for number in 0..1_000 {
            let mut job = Job::rigid(1, Time(0), Procs(1), Some(Seconds(10_000)));
            job.index = JobIndex(number);
            past.arrived(&job, &run);
            past.ended(JobIndex(number), Seconds(1_000));
        }
        let limit = past.advise(&run, Seconds(10_000), 0.02).limit;
        assert!(limit > Seconds(1_000) && limit <= Seconds(1_500), "control: {limit:?}");
        let mut add = |ran, asked| tally.add(&advised_limits(&past, &run, asked), ran, asked);
        add(Seconds(1_000), Seconds(10_000));
        add(Seconds(5_000), Seconds(10_000));
        // Asks for less than is advised.
        add(Seconds(60), Seconds(600));
        let scores = tally.scores();
        assert_eq!(scores.iter().map(|score| score.risk).collect::<Vec<_>>(), LIMIT_RISKS);
        assert!((scores[1].advised - 200.0 / 3.0).abs() < 1e-9, "{scores:?}");
        assert_eq!((scores[1].stopped, scores[1].expected), (Some(50.0), Some(0.0)));
        assert!((scores[1].of_request.unwrap() - limit.0 as f64 / 100.0).abs() < 1e-9, "{scores:?}");
    }

    #[test]
    fn without_requests_nothing_is_advised() {
        let score = LimitTally::default().scores()[0];
        assert_eq!((score.advised, score.stopped, score.of_request), (0.0, None, None));
    }
}

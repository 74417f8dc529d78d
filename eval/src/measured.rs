//! A job and where it was placed: its outcome, and how well its run time was predicted.

use super::Outcome;
use queuecast_core::job::Job;
use queuecast_core::units::Seconds;
use queuecast_sim::sim::Placement;

/// A job and where it was placed.
#[derive(Debug, Clone, Copy)]
pub struct Measured<'a> {
    /// The job.
    pub job: &'a Job,
    /// Its place in the schedule.
    pub placement: &'a Placement,
}

impl Measured<'_> {
    /// When it was submitted, started and ended, and on how many processors it ran.
    pub fn outcome(&self) -> Outcome {
        Outcome {
            submit: self.job.submit,
            start: self.placement.start,
            ran: self.placement.ran,
            procs: self.placement.procs(self.job),
        }
    }

    /// How far the first prediction was from the run time, either way.
    ///
    /// # Formula
    /// `|predicted − ran|`
    pub fn absolute_error(&self) -> Seconds {
        Seconds((self.placement.predicted - self.placement.ran).0.saturating_abs())
    }

    /// How much of the longer of prediction and run time the shorter one covers: 1 when they agree (Tsafrir,
    /// Etsion & Feitelson 2007). Below one second, either counts as one second.
    ///
    /// # Formula
    /// `min(predicted, ran) / max(predicted, ran)`, both at least 1 s
    pub fn accuracy(&self) -> f64 {
        let (predicted, ran) = (self.placement.predicted.0.max(1), self.placement.ran.0.max(1));
        predicted.min(ran) as f64 / predicted.max(ran) as f64
    }

    /// Whether the prediction is at least half and at most twice the run time. Below one second, either
    /// counts as one second, because no prediction is shorter.
    ///
    /// # Formula
    /// `ran ≤ 2 · predicted and predicted ≤ 2 · ran`, both at least 1 s
    pub fn within_factor_two(&self) -> bool {
        let (predicted, ran) = (self.placement.predicted.0.max(1), self.placement.ran.0.max(1));
        ran <= predicted.saturating_mul(2) && predicted <= ran.saturating_mul(2)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use queuecast_core::units::{Procs, Time};
    use queuecast_sim::sim::{Reason, Standing};

    /// A job of two processors, submitted at 100.
    fn measured<T>(start: i64, ran: i64, predicted: i64, ask: impl Fn(Measured<'_>) -> T) -> T {
        let job = Job::rigid(1, Time(100), Procs(2), None);
        let placement = Placement {
            start: Time(start),
            ran: Seconds(ran),
            predicted: Seconds(predicted),
            standing: Standing::of(Seconds(predicted), Seconds(ran)),
            corrections: 0,
            revisions: 0,
            shape: 0,
            reason: Reason::Reserved,
            killed: false,
        };
        ask(Measured { job: &job, placement: &placement })
    }

    #[test]
    fn a_factor_of_two_reaches_both_ways_and_includes_its_ends() {
        let within = |predicted, ran| measured(100, ran, predicted, |job| job.within_factor_two());
        assert!(within(50, 100) && within(200, 100));
        assert!(!within(49, 100) && !within(201, 100));
        assert!(within(1, 0) && within(2, 0) && !within(3, 0));
    }

    #[test]
    fn accuracy_is_the_shorter_over_the_longer() {
        let accuracy = |predicted, ran| measured(100, ran, predicted, |job| job.accuracy());
        assert_eq!(accuracy(25, 100), 0.25);
        assert_eq!(accuracy(100, 25), 0.25);
        assert_eq!(accuracy(1, 0), 1.0);
    }
}

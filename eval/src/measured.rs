//! One job's own numbers: the terms from which every summary is made.

use queuecast_core::job::Job;
use queuecast_core::units::{Seconds, Time};
use queuecast_sim::sim::Placement;

/// τ: run times below it count as this long in the bounded slowdown (Feitelson et al. 1997; Feitelson & Rudolph 1998), so that a
/// job of one second does not outweigh a thousand others.
pub const SLOWDOWN_BOUND: Seconds = Seconds(10);

/// A job and where it was placed.
#[derive(Debug, Clone, Copy)]
pub struct Measured<'a> {
    /// The job.
    pub job: &'a Job,
    /// Its place in the schedule.
    pub placement: &'a Placement,
}

impl Measured<'_> {
    /// How long it waited in the queue.
    ///
    /// # Formula
    /// `start − submit`
    pub fn wait(&self) -> Seconds {
        self.placement.start - self.job.submit
    }

    /// From its submission to its end (also called turnaround or flow time).
    ///
    /// # Formula
    /// `wait + ran`
    pub fn response(&self) -> Seconds {
        self.wait() + self.placement.ran
    }

    /// How many times longer than its run time its response was; at least 1, and run times below
    /// [`SLOWDOWN_BOUND`] count as that long.
    ///
    /// # Formula
    /// `max(1, (wait + ran) / max(ran, τ))`, τ = 10 s
    pub fn bounded_slowdown(&self) -> f64 {
        let served = self.placement.ran.max(SLOWDOWN_BOUND);
        (self.response().0 as f64 / served.0 as f64).max(1.0)
    }

    /// The processor-seconds it used.
    ///
    /// # Formula
    /// `procs · ran`
    pub fn area(&self) -> i128 {
        self.procs() * i128::from(self.placement.ran.0)
    }

    /// The processor-seconds it used inside `[from, until)`.
    ///
    /// # Formula
    /// `procs · max(0, min(end, until) − max(start, from))`
    pub fn area_within(&self, from: Time, until: Time) -> i128 {
        let inside = self.placement.end().min(until) - self.placement.start.max(from);
        self.procs() * i128::from(inside.0.max(0))
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

    pub(super) fn procs(&self) -> i128 {
        i128::from(self.placement.procs(self.job).0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use queuecast_core::units::Procs;
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
    fn short_jobs_count_as_ten_seconds_in_the_slowdown() {
        assert_eq!(measured(130, 60, 1, |job| job.bounded_slowdown()), 1.5); // (30 + 60) / 60
        assert_eq!(measured(130, 5, 1, |job| job.bounded_slowdown()), 3.5); // (30 + 5) / 10
        assert_eq!(measured(130, 0, 1, |job| job.bounded_slowdown()), 3.0); // (30 + 0) / 10
        assert_eq!(measured(101, 5, 1, |job| job.bounded_slowdown()), 1.0); // 6 / 10, but never below 1
    }

    #[test]
    fn only_the_part_inside_counts() {
        let within = |from, until| measured(200, 50, 1, |job| job.area_within(Time(from), Time(until)));
        assert_eq!(within(0, 1000), 100);
        assert_eq!(within(210, 230), 40);
        assert_eq!(within(240, 1000), 20);
        assert_eq!(within(250, 1000), 0);
        assert_eq!(within(0, 200), 0);
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

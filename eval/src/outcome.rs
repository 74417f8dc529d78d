//! What became of one job, on processors or at a Slurm site: the terms from which every metric of waiting is made.

use queuecast_core::units::{Procs, Seconds, Time};

/// τ: run times below it count as this long in the bounded slowdown (Feitelson et al. 1997; Feitelson & Rudolph 1998), so that a
/// job of one second does not outweigh a thousand others.
const SLOWDOWN_BOUND: Seconds = Seconds(10);

/// What became of one job. A schedule of processors, a simulated Slurm site, a recorded run and a grid of sites all tell this of their jobs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Outcome {
    /// When it was submitted.
    pub submit: Time,
    /// When it started, not before its submission.
    pub start: Time,
    /// How long it ran.
    pub ran: Seconds,
    /// The processors that it held.
    pub procs: Procs,
}

impl Outcome {
    /// When it ended.
    ///
    /// # Formula
    /// `start + ran`
    pub fn end(&self) -> Time {
        self.start + self.ran
    }

    /// How long it waited in the queue.
    ///
    /// # Formula
    /// `start − submit`
    pub fn wait(&self) -> Seconds {
        self.start - self.submit
    }

    /// From its submission to its end (also called turnaround or flow time).
    ///
    /// # Formula
    /// `wait + ran`
    pub fn response(&self) -> Seconds {
        self.wait() + self.ran
    }

    /// How many times longer than its run time its response was; at least 1, and run times below 10 s count as that long.
    ///
    /// # Formula
    /// `max(1, (wait + ran) / max(ran, τ))`, τ = 10 s
    pub fn bounded_slowdown(&self) -> f64 {
        let served = self.ran.max(SLOWDOWN_BOUND);
        (self.response().0 as f64 / served.0 as f64).max(1.0)
    }

    /// The processor-seconds it used.
    ///
    /// # Formula
    /// `procs · ran`
    pub fn area(&self) -> i128 {
        i128::from(self.procs.0) * i128::from(self.ran.0)
    }

    /// The processor-seconds it used inside `[from, until)`.
    ///
    /// # Formula
    /// `procs · max(0, min(end, until) − max(start, from))`
    pub fn area_within(&self, from: Time, until: Time) -> i128 {
        let inside = self.end().min(until) - self.start.max(from);
        i128::from(self.procs.0) * i128::from(inside.0.max(0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A job of two processors, submitted at 100.
    fn outcome(start: i64, ran: i64) -> Outcome {
        Outcome { submit: Time(100), start: Time(start), ran: Seconds(ran), procs: Procs(2) }
    }

    #[test]
    fn short_jobs_count_as_ten_seconds_in_the_slowdown() {
        assert_eq!(outcome(130, 60).bounded_slowdown(), 1.5); // (30 + 60) / 60
        assert_eq!(outcome(130, 5).bounded_slowdown(), 3.5); // (30 + 5) / 10
        assert_eq!(outcome(130, 0).bounded_slowdown(), 3.0); // (30 + 0) / 10
        assert_eq!(outcome(101, 5).bounded_slowdown(), 1.0); // 6 / 10, but never below 1
    }

    #[test]
    fn only_the_part_inside_counts() {
        let within = |from, until| outcome(200, 50).area_within(Time(from), Time(until));
        assert_eq!(within(0, 1000), 100);
        assert_eq!(within(210, 230), 40);
        assert_eq!(within(240, 1000), 20);
        assert_eq!(within(250, 1000), 0);
        assert_eq!(within(0, 200), 0);
    }
}

//! What is best for one job: to start on what is free, or to hold out for more.

use super::sizes::{Size, Sizes};
use queuecast_core::units::Procs;

/// What the job at the head may do.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Choice {
    /// The largest size that is free now.
    pub now: Option<Size>,
    /// The best to hold out for, and the seconds until it is free.
    pub later: Option<(Size, f64)>,
    /// Whether holding out is better.
    pub hold: bool,
}

/// What a job counts when it compares.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Scales {
    /// What a second in the queue costs; one in the machine costs 1.
    pub queue: f64,
    /// It holds out only for a gain above this share of its run time on what is free.
    pub averse: f64,
}

impl Choice {
    /// Compares turnarounds, `queue · Q(n) + R(n)`; `queue_time` gives the seconds until that number of processors is free.
    /// Ties go to the smallest size. A job whose largest size is free never holds.
    pub fn of(
        sizes: &Sizes,
        free: Procs,
        scales: Scales,
        queue_time: impl Fn(Procs) -> Option<f64>,
    ) -> Choice {
        let now = sizes.within(free);
        let larger = sizes.all().iter().filter(|size| size.procs > free);
        let known = larger.filter_map(|&size| {
            let queue = queue_time(size.procs)?;
            Some((size, queue, scales.queue * queue + size.run.0 as f64))
        });
        let best = known.min_by(|a, b| a.2.total_cmp(&b.2));
        let gain =
            |now: Size, turnaround: f64| now.run.0 as f64 - turnaround > scales.averse * now.run.0 as f64;
        let hold = match (now, best) {
            (Some(now), Some((_, _, turnaround))) => gain(now, turnaround),
            (now, _) => now.is_none(),
        };
        Choice { now, later: best.map(|(size, queue, _)| (size, queue)), hold }
    }
}

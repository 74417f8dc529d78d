//! What people do in one sitting: how many jobs, how soon after each other, and how much alike (section 1.2).

use std::collections::HashMap;

use serde::Serialize;

use super::Sittings;
use crate::job::Job;
use crate::stats::Percentiles;
use crate::units::Seconds;
use crate::workload::Workload;

/// The sittings of a workload's known users, and what repeats in them.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SittingHabits {
    /// The longest time between two arrivals of one sitting.
    pub gap: Seconds,
    /// How many users sat.
    pub users: u64,
    /// How many sittings there are.
    pub sittings: u64,
    /// Jobs per sitting.
    pub jobs_per_sitting: Percentiles,
    /// The share of the sittings that have one job only.
    pub alone_share: f64,
    /// Seconds between arrivals within a sitting; `None` if every sitting has one job.
    pub gaps: Option<Percentiles>,
    /// Seconds from the last arrival of a sitting to the first of its user's next; `None` if nobody came back.
    pub breaks: Option<Percentiles>,
    /// A user's consecutive jobs of one sitting.
    pub within: Repeats,
    /// The last job of a sitting and the first of its user's next.
    pub across: Repeats,
}

/// How often a user's next job is like the one before. `None` where no pair of jobs knows.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Repeats {
    /// Pairs of consecutive jobs.
    pub pairs: u64,
    /// The share that ask for the same time, of the pairs that both ask for one.
    pub estimate: Option<f64>,
    /// The share that use as many processors.
    pub processors: Option<f64>,
    /// The share that run the same executable, of the pairs of which both are known.
    pub executable: Option<f64>,
}

impl SittingHabits {
    /// The habits of a workload's users, whose sittings end where arrivals are more than `gap` apart; `None` if no
    /// user is known.
    pub fn of(workload: &Workload, gap: Seconds) -> Option<SittingHabits> {
        let sittings = Sittings::of(workload, gap);
        let mut sizes = vec![0_i64; sittings.count as usize];
        let mut last: HashMap<_, usize> = HashMap::new();
        let (mut gaps, mut breaks) = (Vec::new(), Vec::new());
        let (mut within, mut across) = (Counts::default(), Counts::default());
        for (place, (job, &sitting)) in workload.jobs().iter().zip(&sittings.of_job).enumerate() {
            let Some(user) = job.user else { continue };
            sizes[sitting as usize] += 1;
            let Some(before) = last.insert(user, place) else { continue };
            let earlier = &workload.jobs()[before];
            let (lengths, counts) = if sittings.of_job[before] == sitting {
                (&mut gaps, &mut within)
            } else {
                (&mut breaks, &mut across)
            };
            lengths.push((job.submit - earlier.submit).0);
            counts.see(earlier, job);
        }
        // Strangers' sittings have nobody in them.
        sizes.retain(|&size| size > 0);
        let alone = sizes.iter().filter(|&&size| size == 1).count();
        let count = sizes.len();
        Some(SittingHabits {
            gap,
            users: last.len() as u64,
            sittings: count as u64,
            jobs_per_sitting: Percentiles::of(sizes)?,
            alone_share: alone as f64 / count as f64,
            gaps: Percentiles::of(gaps),
            breaks: Percentiles::of(breaks),
            within: within.shares(),
            across: across.shares(),
        })
    }
}

/// Pairs of which something is known, and those alike in it.
#[derive(Default)]
struct Counts {
    pairs: u64,
    alike_in_size: u64,
    estimates: (u64, u64),
    executables: (u64, u64),
}

impl Counts {
    fn see(&mut self, earlier: &Job, later: &Job) {
        self.pairs += 1;
        self.alike_in_size += u64::from(earlier.shape.procs == later.shape.procs);
        tally(&mut self.estimates, earlier.shape.limit, later.shape.limit);
        tally(&mut self.executables, earlier.executable, later.executable);
    }

    fn shares(&self) -> Repeats {
        let share = |alike: u64, of: u64| (of > 0).then(|| alike as f64 / of as f64);
        Repeats {
            pairs: self.pairs,
            estimate: share(self.estimates.0, self.estimates.1),
            processors: share(self.alike_in_size, self.pairs),
            executable: share(self.executables.0, self.executables.1),
        }
    }
}

fn tally<T: PartialEq>((alike, known): &mut (u64, u64), earlier: Option<T>, later: Option<T>) {
    if let (Some(earlier), Some(later)) = (earlier, later) {
        *known += 1;
        *alike += u64::from(earlier == later);
    }
}

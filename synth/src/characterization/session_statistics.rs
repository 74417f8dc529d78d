//! Statistics of sessions: sizes, gaps, and repeated requests (section 1.2).

use std::collections::HashMap;

use serde::Serialize;

use super::UserSessions;
use queuecast_core::job::Job;
use queuecast_core::stats::Percentiles;
use queuecast_core::units::Seconds;
use queuecast_core::workload::Workload;

/// Statistics of the sessions of a workload's known users.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SessionStatistics {
    /// The longest time between two arrivals of one session.
    pub gap: Seconds,
    /// Users with a session.
    pub users: u64,
    /// Number of sessions.
    pub sessions: u64,
    /// Jobs per session.
    pub jobs_per_session: Percentiles,
    /// The share of the sessions with one job.
    pub alone_share: f64,
    /// Seconds between arrivals within a session; `None` if every session has one job.
    pub gaps: Option<Percentiles>,
    /// Seconds from the last arrival of a session to the first of its user's next; `None` if no user has two sessions.
    pub breaks: Option<Percentiles>,
    /// A user's consecutive jobs of one session.
    pub within: Repeats,
    /// The last job of a session and the first of its user's next.
    pub across: Repeats,
}

/// How often a user's next job repeats a property of the previous one. `None` where no pair of jobs has it.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Repeats {
    /// Pairs of consecutive jobs.
    pub pairs: u64,
    /// The share with the same requested time, of the pairs with requested times.
    pub estimate: Option<f64>,
    /// The share with the same number of processors.
    pub processors: Option<f64>,
    /// The share with the same executable, of the pairs with known executables.
    pub executable: Option<f64>,
}

impl SessionStatistics {
    /// The statistics of sessions that end where arrivals are more than `gap` apart; `None` if no user is known.
    pub fn of(workload: &Workload, gap: Seconds) -> Option<SessionStatistics> {
        let sessions = UserSessions::of(workload, gap);
        let mut sizes = vec![0_i64; sessions.count as usize];
        let mut last: HashMap<_, usize> = HashMap::new();
        let (mut gaps, mut breaks) = (Vec::new(), Vec::new());
        let (mut within, mut across) = (PairCounts::default(), PairCounts::default());
        for (place, (job, &session)) in workload.jobs().iter().zip(&sessions.of_job).enumerate() {
            let Some(user) = job.user else { continue };
            sizes[session as usize] += 1;
            let Some(before) = last.insert(user, place) else { continue };
            let earlier = &workload.jobs()[before];
            let (lengths, counts) = if sessions.of_job[before] == session {
                (&mut gaps, &mut within)
            } else {
                (&mut breaks, &mut across)
            };
            lengths.push((job.submit - earlier.submit).0);
            counts.see(earlier, job);
        }
        // Sessions of unknown users were not counted.
        sizes.retain(|&size| size > 0);
        let alone = sizes.iter().filter(|&&size| size == 1).count();
        let count = sizes.len();
        Some(SessionStatistics {
            gap,
            users: last.len() as u64,
            sessions: count as u64,
            jobs_per_session: Percentiles::of(sizes)?,
            alone_share: alone as f64 / count as f64,
            gaps: Percentiles::of(gaps),
            breaks: Percentiles::of(breaks),
            within: within.shares(),
            across: across.shares(),
        })
    }
}

/// Numbers of pairs, and of pairs with equal properties.
#[derive(Default)]
struct PairCounts {
    pairs: u64,
    alike_in_size: u64,
    estimates: (u64, u64),
    executables: (u64, u64),
}

impl PairCounts {
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

//! A simulation that begins in the middle, from the state of a site.

use super::super::arrivals::UpcomingJobs;
use super::super::schedule::{Placement, Reason};
use super::super::secrets::Secret;
use super::Engine;
use crate::sim::Options;
use crate::site::Site;
use queuecast_core::job::{Job, JobIndex};
use queuecast_core::units::{Seconds, Time};

/// A job whose run time has to be assumed.
#[derive(Debug, Clone, Copy)]
pub struct Unknown<'a> {
    /// The job.
    pub job: &'a Job,
    /// How long it has run so far; `None` while it waits.
    pub elapsed: Option<Seconds>,
    /// What is predicted of it now.
    pub predicted: Seconds,
}

impl Engine<'_> {
    /// From a site in the middle: `run` says how long each job there runs in all, and is taken at its word, not cut at a
    /// limit. The instant is concluded by [`Engine::conclude`].
    pub fn resume(
        site: Site,
        now: Time,
        options: Options,
        mut run: impl FnMut(&Unknown<'_>) -> Seconds,
    ) -> Engine<'static> {
        let mut engine = Engine::start_from(site, UpcomingJobs::none(), options);
        let oldest = engine.site.rows().oldest();
        engine.offset = oldest.0;
        let (mut started, mut left) = (Vec::<(u32, JobIndex)>::new(), Vec::new());
        for index in (oldest.0..engine.site.submitted().0).map(JobIndex) {
            let mut placement = Placement::waiting(Seconds::ZERO, Seconds::ZERO, Reason::Reserved);
            let mut secret = Secret::EMPTY;
            if let Some(row) = engine.site.rows().present(index) {
                let elapsed = (!row.is_waiting()).then(|| now - Time(row.start));
                let job = engine.site.rows().job(index);
                let run = run(&Unknown { job, elapsed, predicted: Seconds(row.predicted) });
                let run = run.max(elapsed.unwrap_or_default());
                secret = Secret::assumed(run, row.submit);
                (placement.ran, placement.predicted) = (run, Seconds(row.first));
                if elapsed.is_some() {
                    placement.start = Time(row.start);
                    started.push((row.turn, index));
                }
            } else {
                left.push(index);
            }
            engine.secrets.push(oldest, index, secret);
            engine.placements.push(placement);
        }
        // Simultaneous ends happen in order of start, as they would where the state comes from.
        started.sort_unstable();
        for (_, index) in started {
            engine.expect_end(index);
        }
        engine.left = Some(left);
        engine
    }
}

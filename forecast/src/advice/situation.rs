//! A site at one instant, with what is known of how long its jobs run.

use chacha20::ChaCha8Rng;
use queuecast_core::order;
use rand::RngExt;

use queuecast_core::distribution::Distribution;
use queuecast_core::job::{Job, JobIndex};
use queuecast_core::units::{Procs, Seconds, Time};
use queuecast_sim::site::Site;
use queuecast_wait::Holder;

/// A job that has outlived its requested time is planned to end this long from now.
const OUTLIVED: Seconds = Seconds(60);

/// No draw is longer, so that sums stay within the clock.
const LONGEST: f64 = 1e12;

/// A site, an instant, and the distribution of the run time of every job there.
#[derive(Debug, Clone)]
pub struct Situation {
    site: Site,
    now: Time,
    /// In order of start.
    running: Vec<JobAtSite>,
    /// In the order of the queue.
    waiting: Vec<JobAtSite>,
    excess: Procs,
}

/// A job at the site.
#[derive(Debug, Clone, PartialEq)]
pub struct JobAtSite {
    /// The job.
    pub job: Job,
    /// Processors it holds or asks for.
    pub procs: Procs,
    /// How long it has run; `None` while it waits.
    pub elapsed: Option<Seconds>,
    /// Its whole run time, given how long it has run.
    pub run: Distribution,
}

impl JobAtSite {
    /// How much longer it runs, at this quantile: whole seconds, at least one.
    fn left(&self, share: f64) -> Seconds {
        let left = (self.run.quantile(share) - self.run.elapsed()).ceil();
        Seconds(left.clamp(1.0, LONGEST) as i64)
    }

    /// Its whole run time, at this quantile.
    fn whole(&self, share: f64) -> Seconds {
        self.elapsed.unwrap_or_default() + self.left(share)
    }
}

impl Situation {
    /// Of a site; `run` gives the whole run time of a job that has run for this long (zero while it waits), given that.
    ///
    /// Where more processors are held than there are, the jobs that started first are taken to hold that much less. Running
    /// jobs that have outlived their plan are planned to end in a minute.
    pub fn new(mut site: Site, now: Time, run: impl Fn(&Job, Seconds) -> Distribution) -> Situation {
        let excess = site.shed_excess();
        site.extend_outlived(now, OUTLIVED);
        // Run times are looked up by the site's job numbers; afterwards jobs are renumbered as in the compacted copy.
        let view = site.view(now);
        let mut running: Vec<(Time, JobAtSite)> = view
            .running()
            .map(|one| {
                let elapsed = now - one.start;
                let run = run(one.job, elapsed);
                (one.start, JobAtSite { job: one.job.clone(), procs: one.procs, elapsed: Some(elapsed), run })
            })
            .collect();
        order::sort_by_key(&mut running, |(start, one)| (*start, one.job.index));
        let mut running: Vec<JobAtSite> = running.into_iter().map(|one| one.1).collect();
        let mut waiting: Vec<JobAtSite> = view
            .waiting()
            .map(|one| {
                let run = run(one.job, Seconds::ZERO);
                JobAtSite { job: one.job.clone(), procs: one.job.shape.procs, elapsed: None, run }
            })
            .collect();
        let mut all: Vec<&mut JobAtSite> = running.iter_mut().chain(&mut waiting).collect();
        order::sort_by_key(&mut all, |one| one.job.index);
        (0..).zip(all).for_each(|(number, one)| one.job.index = JobIndex(number));
        Situation { now, running, waiting, excess, site: site.compacted() }
    }

    /// The site.
    pub fn site(&self) -> &Site {
        &self.site
    }

    /// The instant.
    pub fn now(&self) -> Time {
        self.now
    }

    /// All processors in service.
    pub fn machine(&self) -> Procs {
        self.site.in_service()
    }

    /// Free processors.
    pub fn free(&self) -> Procs {
        self.site.view(self.now).free()
    }

    /// Running jobs, in order of start.
    pub fn running(&self) -> &[JobAtSite] {
        &self.running
    }

    /// Waiting jobs, in the order of the queue.
    pub fn waiting(&self) -> &[JobAtSite] {
        &self.waiting
    }

    /// Processors that were recorded as held beyond those there are.
    pub fn excess(&self) -> Procs {
        self.excess
    }

    /// The running jobs as a job at the head of the queue sees them.
    pub fn holders(&self) -> Vec<Holder> {
        self.running.iter().map(|one| Holder::new(one.procs, one.run.clone())).collect()
    }

    /// Numbers of processors free now and after each end, if every running job ends at its median run time: ascending, at
    /// most `most` values.
    pub fn levels(&self, most: usize) -> Vec<Procs> {
        let mut ends: Vec<(Seconds, Procs)> =
            self.running.iter().map(|one| (one.left(0.5), one.procs)).collect();
        ends.sort_unstable();
        let mut free = self.free();
        let mut levels = vec![free];
        for (_, procs) in ends {
            free = Procs(free.0.saturating_add(procs.0));
            levels.push(free);
        }
        levels.retain(|level| level.0 > 0);
        levels.truncate(most);
        levels
    }

    /// A run time drawn for every job, in order of their numbers.
    pub(super) fn draw(&self, rng: &mut ChaCha8Rng) -> Vec<(JobIndex, Seconds)> {
        let all = self.running.iter().chain(&self.waiting);
        let mut runs: Vec<(JobIndex, Seconds)> =
            all.map(|one| (one.job.index, one.whole(rng.random::<f64>()))).collect();
        runs.sort_unstable();
        runs
    }
}

//! One site of a grid as data: its machine, its queues, its policy and its predictor.

use queuecast_core::job::{Job, QueueId, Runs, Truth};
use queuecast_core::units::{Procs, Seconds};
use queuecast_sim::predict::PredictorSpec;
use queuecast_sim::sim::Backfill;

/// A queue of a site and the largest jobs it takes.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct QueueLimits {
    /// Its name.
    pub name: String,
    /// The most processors of a job.
    pub max_procs: Option<Procs>,
    /// The longest requested time of a job.
    pub max_time: Option<Seconds>,
}

impl QueueLimits {
    fn admits(&self, procs: Procs, requested: Seconds) -> bool {
        self.max_procs.is_none_or(|most| procs <= most)
            && self.max_time.is_none_or(|longest| requested <= longest)
    }
}

/// Why a site does not take a job.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NotTaken {
    /// The machine is too small.
    Machine,
    /// No queue admits this number of processors for this requested time.
    Queues,
}

/// A site of a grid: a machine of its own and how it is scheduled. Partitions of one machine are sites too.
#[derive(Debug, Clone, PartialEq)]
pub struct SiteSetup {
    /// Its name, unlike any other of the grid.
    pub name: String,
    /// Its processors.
    pub procs: Procs,
    /// Its queues, in the order in which they are tried; all share the processors. Without any, jobs are limited by the
    /// machine alone.
    pub queues: Vec<QueueLimits>,
    /// Which waiting jobs start.
    pub policy: Backfill,
    /// The run times that it plans with.
    pub predictor: PredictorSpec,
    /// Speed of its processors relative to other sites. Times of a job are recorded at the speed of its home (1 without a
    /// home) and scaled by the ratio of speeds elsewhere.
    pub speed: f64,
}

impl SiteSetup {
    /// EASY backfilling with requested times, one queue, processors of speed 1.
    pub fn easy(name: impl Into<String>, procs: Procs) -> SiteSetup {
        SiteSetup {
            name: name.into(),
            procs,
            queues: Vec::new(),
            policy: Backfill::easy(),
            predictor: PredictorSpec::Requested,
            speed: 1.0,
        }
    }

    /// The job as it would be submitted here; `None` if the site does not take it. A site takes its own jobs whatever the
    /// limits of its queues, as it did when they were recorded, if they fit the machine.
    pub(super) fn admitted(
        &self,
        job: &Job,
        is_home: bool,
        home_speed: f64,
        default_request: Seconds,
    ) -> Option<Job> {
        if job.shape.procs > self.procs {
            return None;
        }
        let mut here = Job { other_shapes: None, ..job.clone() };
        here.shape.limit = job.shape.limit.map(|limit| self.scaled_from(home_speed, limit));
        if self.queues.is_empty() {
            if !is_home {
                here.queue = None;
            }
            return Some(here);
        }
        let queue = self.first_queue(job.shape.procs, here.shape.limit.unwrap_or(default_request));
        here.queue = queue.and_then(|place| QueueId::new(place as u32));
        (is_home || queue.is_some()).then_some(here)
    }

    /// The index of the first queue that admits a job from outside this site; `None` if the site has no queues. `requested`
    /// is in seconds at the speed of this site.
    pub fn queue_for(&self, procs: Procs, requested: Seconds) -> Result<Option<usize>, NotTaken> {
        if procs > self.procs {
            return Err(NotTaken::Machine);
        }
        match self.first_queue(procs, requested) {
            None if !self.queues.is_empty() => Err(NotTaken::Queues),
            queue => Ok(queue),
        }
    }

    fn first_queue(&self, procs: Procs, requested: Seconds) -> Option<usize> {
        self.queues.iter().position(|queue| queue.admits(procs, requested))
    }

    /// A time measured at speed 1, scaled to the processors here.
    pub fn scaled(&self, time: Seconds) -> Seconds {
        self.scaled_from(1.0, time)
    }

    /// A time measured at another speed, scaled to the processors here; at least a second if it was above zero.
    fn scaled_from(&self, speed: f64, time: Seconds) -> Seconds {
        if self.speed == speed {
            return time;
        }
        let scaled = time.scaled(speed / self.speed);
        if time > Seconds::ZERO { scaled.max(Seconds(1)) } else { scaled }
    }

    /// The true run time and ending of a job here, in its preferred shape; times are scaled from the speed of its home.
    pub(super) fn truth(&self, truth: &Truth, home_speed: f64) -> Truth {
        Truth { runs: Runs::Rigid(self.scaled_from(home_speed, truth.run())), ending: truth.ending }
    }
}

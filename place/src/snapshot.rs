//! A place at a moment with all that was learned of it, for any number of questions at once: none of them learns, reads or changes anything.

use std::sync::Arc;

use serde::Serialize;

use super::pending::name_in;
use super::wait_history::{WaitsAnswer, WaitsByDay};
use super::{
    AdvisedAnswer, AskedPlace, CampaignAnswer, KnownRegimes, LabelledLog, LearnedLog, LearnedModels,
    LivePast, LiveSite, MachineAnswer, NewCampaign, NewJob, PendingAnswer, PendingJob, PlaceAdvice,
    ReadyModels, SitePast, SlurmPlace, StartAnswer, advise_at, campaign_at, when_at,
};
use queuecast_core::asking::{Messages, Refusal};
use queuecast_core::units::{Procs, Time};
use queuecast_forecast::forecast::WhenSettings;
use queuecast_trace::{Log, TimeZone};

/// A place at a moment.
#[derive(Debug)]
pub struct PlaceSnapshot {
    /// Every job that waits.
    pub pending: PendingAnswer,
    /// The machine.
    pub machine: MachineAnswer,
    kept: KeptPlace,
    zone: TimeZone,
}

#[derive(Debug)]
enum KeptPlace {
    Log {
        name: Arc<str>,
        log: Arc<Log>,
        at: Time,
        learned: Box<LearnedLog>,
    },
    Live {
        site: LiveSite,
        past: Option<Arc<ReadyPast>>,
        regimes: KnownRegimes,
        scheduler: Option<Box<SlurmPlace>>,
    },
}

/// What was learned of a live site, with its models in memory.
#[derive(Debug)]
pub struct ReadyPast {
    /// What to call it.
    pub name: String,
    /// Its last jobs.
    pub past: SitePast,
    /// Its models.
    pub models: ReadyModels,
}

impl ReadyPast {
    /// As questions take it, with what is known of regimes by now, and the site's own scheduler, where enough is known of it.
    pub fn named<'a>(&'a self, regimes: &'a KnownRegimes, scheduler: Option<&'a SlurmPlace>) -> LivePast<'a> {
        const FORGOTTEN: &fn(&str) -> Option<Vec<u8>> = &((|_| None) as fn(&str) -> Option<Vec<u8>>);
        let learned = LearnedModels { past: &self.past, recall: FORGOTTEN, ready: Some(&self.models) };
        LivePast {
            name: &self.name,
            workload: &self.past.last,
            machine: self.past.machine,
            learned: Some(learned),
            regimes: regimes.view(),
            scheduler,
        }
    }
}

/// A waiting job with those before it.
#[derive(Debug, Clone, Serialize)]
pub struct JobAhead {
    /// Its row of the queue.
    pub job: PendingJob,
    /// How many jobs are before it in the order of its queue.
    pub ahead_count: usize,
    /// The nearest of them, the next one to go first; at most [`PlaceSnapshot::SHOWN_AHEAD`].
    pub ahead: Vec<AheadJob>,
}

/// A job before another.
#[derive(Debug, Clone, Serialize)]
pub struct AheadJob {
    /// Its number.
    pub job: String,
    /// Its user.
    pub user: Option<String>,
    /// Processors it asks for.
    pub procs: Procs,
    /// Its place in the order.
    pub place: Option<usize>,
    /// The median of its start, in seconds from the moment.
    pub start_median: Option<f64>,
}

impl PlaceSnapshot {
    /// Jobs before another that are listed.
    pub const SHOWN_AHEAD: usize = 100;

    /// Of a log that is played, with its queue and machine at a moment.
    pub fn of_log(
        (name, log): (Arc<str>, Arc<Log>),
        at: Time,
        learned: LearnedLog,
        (pending, machine): (PendingAnswer, MachineAnswer),
        zone: &TimeZone,
    ) -> PlaceSnapshot {
        let kept = KeptPlace::Log { name, log, at, learned: Box::new(learned) };
        PlaceSnapshot { pending, machine, kept, zone: zone.clone() }
    }

    /// Of a live site, with its queue and machine at a look.
    pub fn of_live(
        site: LiveSite,
        (past, regimes, scheduler): (Option<Arc<ReadyPast>>, KnownRegimes, Option<SlurmPlace>),
        (pending, machine): (PendingAnswer, MachineAnswer),
        zone: &TimeZone,
    ) -> PlaceSnapshot {
        let kept = KeptPlace::Live { site, past, regimes, scheduler: scheduler.map(Box::new) };
        PlaceSnapshot { pending, machine, kept, zone: zone.clone() }
    }

    /// The moment, on the clock of its times.
    pub fn now(&self) -> i64 {
        self.machine.now
    }

    /// Whether its times are Unix seconds.
    pub fn has_dates(&self) -> bool {
        self.pending.epoch.is_some()
    }

    /// The names of its partitions, or of the queues that jobs of a log were submitted to.
    pub fn partitions(&self) -> Vec<String> {
        match &self.kept {
            KeptPlace::Log { log, .. } => log.workload.names.queues.values().cloned().collect(),
            KeptPlace::Live { site, .. } => site.partition_names(),
        }
    }

    /// The log that is played, what it is called, and the moment; `None` of a live site.
    pub fn log(&self) -> Option<(Arc<str>, Arc<Log>, Time)> {
        match &self.kept {
            KeptPlace::Log { name, log, at, .. } => Some((name.clone(), log.clone(), *at)),
            KeptPlace::Live { .. } => None,
        }
    }

    fn asked<'a>(&'a self, partition: Option<&'a str>) -> AskedPlace<'a> {
        match &self.kept {
            KeptPlace::Log { name, log, at, learned } => {
                let log = LabelledLog { name, log, learned: Some(learned) };
                AskedPlace::Log { log, at: *at }
            }
            KeptPlace::Live { site, past, regimes, scheduler } => {
                let history = past.as_ref().map(|past| past.named(regimes, scheduler.as_deref()));
                AskedPlace::Live { site, history, partition, procs: None }
            }
        }
    }

    /// The job as the place takes it, and the only partition that is asked about: what is a queue of a log is a partition of a site.
    fn placed<'j>(&self, job: &'j NewJob) -> (NewJob, Option<&'j str>) {
        match self.kept {
            KeptPlace::Log { .. } => (job.clone(), None),
            KeptPlace::Live { .. } => (NewJob { queue: None, ..job.clone() }, job.queue.as_deref()),
        }
    }

    /// Whether the site's own scheduler answers: it looks at all that a job script asks for.
    pub fn is_by_scheduler(&self) -> bool {
        self.asked(None).is_by_scheduler()
    }

    /// When a job would start.
    ///
    /// # Errors
    /// As of [`when_at`].
    pub fn when(&self, job: &NewJob, messages: &dyn Messages) -> Result<StartAnswer, Refusal> {
        let (job, partition) = self.placed(job);
        when_at(self.asked(partition), &job, &WhenSettings::default(), &self.zone, messages)
    }

    /// What to ask for.
    ///
    /// # Errors
    /// As of [`advise_at`].
    pub fn advise(&self, job: &NewJob, messages: &dyn Messages) -> Result<AdvisedAnswer, Refusal> {
        let (job, partition) = self.placed(job);
        advise_at(self.asked(partition), &job, &PlaceAdvice::usual(), &self.zone, messages)
    }

    /// When the first of several jobs starts, and when the last ends.
    ///
    /// # Errors
    /// As of [`campaign_at`].
    pub fn campaign(
        &self,
        campaign: &NewCampaign,
        partition: Option<&str>,
        messages: &dyn Messages,
    ) -> Result<CampaignAnswer, Refusal> {
        campaign_at(self.asked(partition), campaign, &WhenSettings::default(), &self.zone, messages)
    }

    /// The queue with the jobs of a user first.
    pub fn pending_of(&self, user: &str) -> PendingAnswer {
        self.pending.of_user(Some(&self.user_name(user)))
    }

    /// A user as the rows of queue and machine name them: a log may number its users.
    pub fn user_name(&self, user: &str) -> String {
        match self.asked(None) {
            AskedPlace::Log { log, .. } => name_in(log, user),
            AskedPlace::Live { .. } | AskedPlace::Slurm(_) => user.to_owned(),
        }
    }

    /// A waiting job with those before it; `None` if no job of this number waits.
    pub fn queued(&self, name: &str) -> Option<JobAhead> {
        let job = self.pending.jobs.iter().find(|job| job.job == name)?.clone();
        let in_queue = |one: &&PendingJob| one.partition == job.partition || self.pending.queues.len() == 1;
        let is_before = |one: &&PendingJob| one.place < job.place && one.place.is_some();
        let mut before: Vec<&PendingJob> =
            self.pending.jobs.iter().filter(in_queue).filter(is_before).collect();
        before.sort_by_key(|one| one.place);
        let nearest = before.len().saturating_sub(PlaceSnapshot::SHOWN_AHEAD);
        let ahead = before[nearest..].iter().map(|one| AheadJob {
            job: one.job.clone(),
            user: one.user.clone(),
            procs: one.asked.procs,
            place: one.place,
            start_median: one.start.map(|start| start.median),
        });
        Some(JobAhead { ahead_count: before.len(), ahead: ahead.collect(), job })
    }

    /// How long jobs waited that were submitted within this many days.
    pub fn waits(&self, days: u32) -> WaitsAnswer {
        match &self.kept {
            KeptPlace::Log { log, at, .. } => {
                let mut waits = WaitsByDay::before(*at, days, log.workload.epoch, &self.zone);
                waits.add_log(&log.workload, false);
                waits.history()
            }
            KeptPlace::Live { site, past, .. } => {
                let mut waits = WaitsByDay::before(site.asked, days, Some(0), &self.zone);
                if let Some(past) = past {
                    waits.add_log(&past.past.last, true);
                }
                waits.add_site(site, past.as_ref().map(|past| &past.past.last));
                waits.history()
            }
        }
    }
}

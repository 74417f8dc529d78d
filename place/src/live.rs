//! A live site: which jobs run and wait now, as its Slurm prints it.

use std::collections::BTreeSet;

use super::{JobSize, NewJob};
use queuecast_core::asking::{Messages, Refusal};
use queuecast_core::number::number_of;
use queuecast_core::units::{Procs, Seconds, Time};
use queuecast_core::workload::{Machine, Names, WorkloadError};
use queuecast_forecast::advice::JobLimits;
use queuecast_sim::predict::DEFAULT_REQUEST;
use queuecast_sim::site::Site;
use queuecast_slurm_sim::cluster::SubmitRefusal;
use queuecast_trace::sinfo::{NodeProcs, Partition, all_procs, sinfo};
use queuecast_trace::squeue::{NotAsAsked, Queued, squeue};
use queuecast_trace::{Log, PartitionQueue};

/// The site as it is now.
#[derive(Debug)]
pub struct LiveSite {
    /// When it was asked, as a Unix time.
    pub asked: Time,
    partitions: Vec<Partition>,
    queue: Vec<Queued>,
}

/// Partitions with the same nodes, limits and tier, and their queue.
#[derive(Debug)]
pub struct LiveQueue {
    /// The names of the partitions, with commas between.
    pub name: String,
    /// Processors in use or ready for it.
    pub machine: Procs,
    /// What the partitions allow one job.
    pub limits: JobLimits,
    /// The partitions all of whose nodes it has, its own among them: their jobs compete for its processors.
    pub within: Vec<String>,
    /// How many of the waiting jobs, the first ones, are of a higher tier.
    of_higher_tier: usize,
    queue: PartitionQueue,
}

impl LiveSite {
    /// Reads what `sinfo` and `squeue` printed when they were asked, as in [`SINFO`](queuecast_trace::sinfo::SINFO) and
    /// [`SQUEUE`](queuecast_trace::squeue::SQUEUE).
    pub fn read(sinfo_text: &str, squeue_text: &str, asked: Time) -> Result<LiveSite, Refusal> {
        let said =
            |error: NotAsAsked| Refusal::input(error.to_string()).hint("--live knows Slurm from 22.05 on");
        Ok(LiveSite {
            asked,
            partitions: sinfo(sinfo_text).map_err(said)?,
            queue: squeue(squeue_text).map_err(said)?,
        })
    }

    /// All its processors, those that are down included.
    pub fn procs(&self) -> Procs {
        all_procs(&self.partitions)
    }

    /// The most processors that a node of a partition has.
    pub(super) fn largest_node(&self, partition: &str) -> Procs {
        let named = self.partitions.iter().filter(|one| one.name == partition);
        Procs(named.flat_map(|one| one.nodes.values()).map(|node| node.all).max().unwrap_or(1))
    }

    /// The names of its partitions.
    pub fn partition_names(&self) -> Vec<String> {
        self.partitions.iter().map(|one| one.name.clone()).collect()
    }

    /// How many nodes its partitions have.
    pub fn nodes(&self) -> usize {
        self.partitions.iter().flat_map(|one| one.nodes.keys()).collect::<BTreeSet<_>>().len()
    }

    /// Its nodes with their processors, one after the other for each partition that has them.
    pub(super) fn node_procs(&self) -> impl Iterator<Item = (&str, &NodeProcs)> {
        self.partitions.iter().flat_map(|one| &one.nodes).map(|(name, procs)| (name.as_str(), procs))
    }

    /// All jobs that run or wait.
    pub(super) fn jobs(&self) -> &[Queued] {
        &self.queue
    }

    /// How many jobs wait.
    pub fn waiting(&self) -> usize {
        self.queue.iter().filter(|job| job.elapsed.is_none()).count()
    }

    /// The numbers of its jobs, of arrays those of the arrays, ascending.
    pub fn job_numbers(&self) -> Vec<u64> {
        let all: BTreeSet<u64> = self.queue.iter().map(|job| job.id).collect();
        all.into_iter().collect()
    }

    /// Whether a job of this name runs or waits, or a task of an array of this name.
    pub fn has(&self, name: &str) -> bool {
        let is_task = |job: &Queued| job.name.strip_prefix(name).is_some_and(|rest| rest.starts_with('_'));
        self.queue.iter().any(|job| job.name == name || is_task(job))
    }

    /// Whether a job of this name, which the site does not have, may have been submitted since: its number is above those of all its jobs.
    pub fn may_be_newer(&self, name: &str) -> bool {
        let digits = name.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(name.len());
        let number = name[..digits].parse::<u64>().ok();
        let last = self.queue.iter().map(|job| job.id).max();
        !self.has(name) && number.is_some_and(|number| last.is_none_or(|last| number > last))
    }

    /// Whether a job of this name runs.
    pub fn runs(&self, name: &str) -> bool {
        self.queue.iter().any(|queued| queued.name == name && queued.elapsed.is_some())
    }

    /// The same site, in which these waiting jobs are in line too.
    pub(super) fn with_in_line(&self, names: &BTreeSet<&str>) -> LiveSite {
        let queue = self.queue.iter().map(|job| {
            let in_line = job.in_line || names.contains(job.name.as_str());
            Queued { in_line, ..job.clone() }
        });
        LiveSite { asked: self.asked, partitions: self.partitions.clone(), queue: queue.collect() }
    }

    /// Whether a job of this number, or one of an array of this number, waits.
    fn waits(&self, id: u64) -> bool {
        self.queue.iter().any(|queued| queued.id == id && queued.elapsed.is_none())
    }

    /// Prepares accounting of the site to be learned from; how many jobs had not ended when it was taken.
    pub fn take_history(&self, log: &mut Log) -> Result<usize, WorkloadError> {
        if log.machine.is_largest_job() {
            log.take_size(Some(self.procs()));
        }
        // Of jobs that waited when the accounting was taken and do not now, it is not known when they started.
        log.unfinished.retain(|one| one.start.is_some() || self.waits(one.job.id.0));
        log.take_unfinished(self.asked)
    }

    /// The queue of each partition named, or of each that starts jobs; those with the same nodes, limits and tier are one.
    /// `procs` replaces the number of processors in service. Jobs that are left out or capped are reported.
    pub fn queues(
        &self,
        named: Option<&str>,
        procs: Option<u32>,
        messages: &dyn Messages,
    ) -> Result<Vec<LiveQueue>, Refusal> {
        let queues = self.whole_queues(named, procs)?;
        LiveQueue::note(&queues, procs, true, messages);
        Ok(queues)
    }

    /// As [`LiveSite::queues`], without a word about them.
    pub(super) fn whole_queues(
        &self,
        named: Option<&str>,
        procs: Option<u32>,
    ) -> Result<Vec<LiveQueue>, Refusal> {
        let mut groups: Vec<Vec<&Partition>> = Vec::new();
        for partition in self.chosen(named)? {
            match groups.iter_mut().find(|group| group[0].is_like(partition)) {
                Some(group) => group.push(partition),
                None => groups.push(vec![partition]),
            }
        }
        let queues = groups.iter().filter_map(|group| {
            let names: Vec<&str> = group.iter().map(|one| one.name.as_str()).collect();
            let queue = PartitionQueue::of(group[0], &self.partitions, &self.queue, procs.map(Procs));
            let machine = queue.machine;
            let name = names.join(",");
            let limits = JobLimits { most: Some(group[0].most().min(machine)), longest: group[0].longest };
            let within = self.partitions.iter().filter(|one| one.shared(group[0]) >= 1.0);
            let within = within.map(|one| one.name.clone()).collect();
            let higher = self.partitions.iter().filter(|one| one.tier > group[0].tier);
            let higher: Vec<&String> = higher.map(|one| &one.name).collect();
            let is_higher = |job: &&Queued| job.partitions.iter().any(|name| higher.contains(&name));
            let waiting = queue.jobs.iter().filter(|job| job.elapsed.is_none());
            let of_higher_tier = waiting.filter(is_higher).count();
            (machine > Procs(0)).then_some(LiveQueue { name, machine, limits, within, of_higher_tier, queue })
        });
        let queues: Vec<LiveQueue> = queues.collect();
        if queues.is_empty() {
            return Err(Refusal::input("sinfo names no processors that are in use or ready")
                .hint("check --partition, and whether nodes are down"));
        }
        Ok(queues)
    }

    /// The partitions named, with commas between; without a name all that start jobs.
    fn chosen(&self, named: Option<&str>) -> Result<Vec<&Partition>, Refusal> {
        let Some(names) = named else {
            return Ok(self.partitions.iter().filter(|one| one.is_up).collect());
        };
        let names: BTreeSet<&str> = names.split(',').map(str::trim).filter(|name| !name.is_empty()).collect();
        names.into_iter().map(|name| self.called(name)).collect()
    }

    /// The partition of a name, which has to start jobs.
    fn called(&self, name: &str) -> Result<&Partition, Refusal> {
        let Some(partition) = self.partitions.iter().find(|one| one.name == name) else {
            let names: Vec<&str> = self.partitions.iter().map(|one| one.name.as_str()).collect();
            let there = if names.is_empty() { "sinfo names none".to_owned() } else { names.join(", ") };
            return Err(Refusal::question(format!("--partition {name}: there is no such partition"))
                .hint(format!("partitions of this site: {there}")));
        };
        if !partition.is_up {
            return Err(Refusal::question(format!(
                "--partition {name}: it starts no jobs now; sinfo does not call it up"
            ))
            .hint("without --partition every partition that starts jobs is asked about"));
        }
        Ok(partition)
    }
}

/// Whether a partition is asked about: it is among those named, with commas between, or none is named.
pub(super) fn is_named(named: Option<&str>, partition: &str) -> bool {
    named.is_none_or(|names| names.split(',').any(|name| name.trim() == partition))
}

impl LiveQueue {
    /// Says which jobs are counted otherwise than they are shown; with `left_out`, how many are left out.
    pub(super) fn note(queues: &[LiveQueue], procs: Option<u32>, left_out: bool, messages: &dyn Messages) {
        for LiveQueue { name, machine, queue, .. } in queues {
            let about = if queues.len() > 1 { format!("{name}: ") } else { String::new() };
            if queue.left_out > 0 && left_out {
                messages.note(&format!(
                    "{about}{} of {} wait for something else than processors, or want more than {machine}; they are left out",
                    queue.left_out,
                    number_of(queue.jobs.len() + queue.left_out, "job")
                ));
            }
            if queue.capped > 0 {
                messages.note(&format!(
                    "{about}{} on more than {machine} processors; each is taken to hold all of them",
                    match queue.capped {
                        1 => "1 job runs".to_owned(),
                        count => format!("{count} jobs run"),
                    }
                ));
            }
            if queue.unlisted > Procs(0) {
                let counted = match procs {
                    Some(_) => "with --procs they are counted as free",
                    None => "they are counted as out of service",
                };
                messages.note(&format!(
                    "{about}{} processors are held by no job that squeue lists; {counted}",
                    queue.unlisted
                ));
            }
        }
    }

    /// What a job asks it for: without a time, what it allows; no more than a day is assumed.
    pub fn asked_by(&self, job: &NewJob) -> JobSize {
        JobSize { procs: job.procs, time: job.time.unwrap_or_else(|| self.usual_time()) }
    }

    /// What a job without a time asks it for.
    pub(super) fn usual_time(&self) -> Seconds {
        self.limits.longest.unwrap_or(DEFAULT_REQUEST).min(DEFAULT_REQUEST)
    }

    /// Why it does not allow a job.
    pub fn not_allowed(&self, asked: &JobSize) -> Option<String> {
        if let Some(most) = self.limits.most.filter(|&most| asked.procs > most) {
            let (asked, most) = (u64::from(asked.procs.0), u64::from(most.0));
            return Some(SubmitRefusal::processors(&self.name, asked, most).to_string());
        }
        let longest = self.limits.longest.filter(|&longest| asked.time > longest)?;
        Some(SubmitRefusal::time(&self.name, asked.time, longest).to_string())
    }

    /// The jobs of the queue, by their numbers at its [`LiveQueue::site`] for no newcomer.
    pub(super) fn jobs(&self) -> &[Queued] {
        &self.queue.jobs
    }

    /// Its processors that no job holds.
    pub(super) fn free(&self) -> Procs {
        let running = self.queue.jobs.iter().filter(|job| job.elapsed.is_some());
        let held = running.fold(0_u32, |held, job| held.saturating_add(job.procs.0));
        Procs(self.machine.0.saturating_sub(held))
    }

    /// Whether a job may run in its partitions.
    pub(super) fn takes(&self, job: &Queued) -> bool {
        self.name.split(',').any(|name| job.partitions.iter().any(|one| one == name))
    }

    /// The jobs that wait, in the order of the queue.
    fn waiting(&self) -> impl Iterator<Item = &Queued> {
        self.queue.jobs.iter().filter(|queued| queued.elapsed.is_none())
    }

    /// How many of the waiting jobs a new one of this user would come behind; all, if the user has no job here.
    ///
    /// Its priority is taken to be that of the user's latest job that waits, else of the latest that runs: most of a priority is
    /// the share of its user and account, and what it owes to age and size is not told apart. Higher tiers come first in any case.
    fn ahead(&self, newcomer: Option<&str>) -> usize {
        let own = self.queue.jobs.iter().filter(|queued| Some(queued.user.as_str()) == newcomer);
        let latest = own.max_by_key(|queued| (queued.elapsed.is_none(), queued.id));
        let Some(standing) = latest.map(|queued| queued.priority) else { return self.waiting().count() };
        let of_tier = self.waiting().skip(self.of_higher_tier);
        self.of_higher_tier + of_tier.take_while(|queued| queued.priority >= standing).count()
    }

    /// The partitions as a site, with users numbered as in its history. Where a new job is one of `newcomer`, the waiting jobs
    /// that it would come before by its priority are left out.
    pub fn site(&self, asked: Time, names: &Names, default_request: Seconds, newcomer: Option<&str>) -> Site {
        let job = |queued: &Queued| queued.job(asked, names);
        let jobs = || self.queue.jobs.iter();
        let running = jobs().filter_map(|queued| Some((job(queued), queued.elapsed?)));
        let waiting = self.waiting().take(self.ahead(newcomer)).map(job);
        Site::found(Machine { procs: self.machine }, asked, running, waiting, default_request)
    }
}

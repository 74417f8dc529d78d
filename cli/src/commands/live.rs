//! The site's own Slurm, asked now through `squeue` and `sinfo`.

use std::time::{SystemTime, UNIX_EPOCH};

use queuecast::allot::advice::JobLimits;
use queuecast::site::Site;
use queuecast::trace::sinfo::{Partition, SINFO, all_procs, sinfo};
use queuecast::trace::squeue::{NotAsAsked, Queued, SQUEUE, squeue};
use queuecast::trace::{LogFormat, PartitionQueue};
use queuecast::units::{Procs, Seconds, Time};
use queuecast::workload::{Machine, Names};

use crate::commands::loaded::{Loaded, number_of};
use crate::commands::outside::{self, SlurmCommands};
use crate::failure::Failure;
use crate::printer::Printer;

/// Whether and what to ask.
#[derive(Debug, Clone, clap::Args)]
#[group(skip)]
#[command(next_help_heading = "The site")]
#[group(id = "the_site")]
pub struct Arguments {
    /// Ask the site's Slurm, by squeue and sinfo, which jobs run and wait now, and what each partition allows
    #[arg(long)]
    pub live: bool,
    /// Answer for this partition only; by default for each that differs from the others
    #[arg(short, long, value_name = "NAME", requires = "live")]
    pub partition: Option<String>,
    #[command(flatten)]
    pub outside: outside::Arguments,
}

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
    /// Asks for all partitions and all jobs.
    pub fn ask(commands: &SlurmCommands<'_>) -> Result<LiveSite, Failure> {
        let said =
            |error: NotAsAsked| Failure::input(error.to_string()).hint("--live knows Slurm from 22.05 on");
        let partitions = sinfo(&output(commands, "sinfo", &SINFO)?).map_err(said)?;
        let queue = squeue(&output(commands, "squeue", &SQUEUE)?).map_err(said)?;
        let asked = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs() as i64);
        Ok(LiveSite { asked: Time(asked), partitions, queue })
    }

    /// All its processors, those that are down included.
    pub fn procs(&self) -> Procs {
        all_procs(&self.partitions)
    }

    /// Whether a job of this number, or one of an array of this number, waits.
    pub fn waits(&self, id: u64) -> bool {
        self.queue.iter().any(|queued| queued.id == id && queued.elapsed.is_none())
    }

    /// The queue of the partition named, or of each that starts jobs; those with the same nodes, limits and tier are one.
    /// `procs` replaces the number of processors in service. Jobs that are left out or capped are reported.
    pub fn queues(
        &self,
        named: Option<&str>,
        procs: Option<u32>,
        printer: &Printer,
    ) -> Result<Vec<LiveQueue>, Failure> {
        let mut groups: Vec<Vec<&Partition>> = Vec::new();
        for partition in self.chosen(named)? {
            match groups.iter_mut().find(|group| group[0].is_like(partition)) {
                Some(group) => group.push(partition),
                None => groups.push(vec![partition]),
            }
        }
        let several = groups.len() > 1;
        let queues = groups.iter().filter_map(|group| {
            let names: Vec<&str> = group.iter().map(|one| one.name.as_str()).collect();
            let queue = PartitionQueue::of(group[0], &self.partitions, &self.queue, procs.map(Procs));
            let machine = queue.machine;
            let name = names.join(",");
            let about = if several { format!("{name}: ") } else { String::new() };
            if queue.left_out > 0 {
                printer.note(&format!(
                    "{about}{} of {} wait for something else than processors, or want more than {machine}; they are left out",
                    queue.left_out,
                    number_of(queue.jobs.len() + queue.left_out, "job")
                ));
            }
            if queue.capped > 0 {
                printer.note(&format!(
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
                printer.note(&format!(
                    "{about}{} processors are held by no job that squeue lists; {counted}",
                    queue.unlisted
                ));
            }
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
            return Err(Failure::input("sinfo names no processors that are in use or ready")
                .hint("check --partition, and whether nodes are down"));
        }
        Ok(queues)
    }

    /// The partition named; without a name all that start jobs.
    fn chosen(&self, named: Option<&str>) -> Result<Vec<&Partition>, Failure> {
        let Some(name) = named else {
            return Ok(self.partitions.iter().filter(|one| one.is_up).collect());
        };
        let Some(partition) = self.partitions.iter().find(|one| one.name == name) else {
            let names: Vec<&str> = self.partitions.iter().map(|one| one.name.as_str()).collect();
            let there = if names.is_empty() { "sinfo names none".to_owned() } else { names.join(", ") };
            return Err(Failure::usage(format!("--partition {name}: there is no such partition"))
                .hint(format!("partitions of this site: {there}")));
        };
        if !partition.is_up {
            return Err(Failure::usage(format!(
                "--partition {name}: it starts no jobs now; sinfo does not call it up"
            )));
        }
        Ok(vec![partition])
    }
}

impl LiveQueue {
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

/// Gives accounting records whose machine is guessed the size of the site, if there is a Slurm here that answers.
pub fn take_size(trace: &mut Loaded, commands: &SlurmCommands<'_>) {
    if trace.log.format == LogFormat::Sacct && trace.log.machine.is_largest_job() {
        trace.log.take_size(site_procs(commands));
    }
}

/// All processors of the site, if there is a Slurm here that answers.
fn site_procs(commands: &SlurmCommands<'_>) -> Option<Procs> {
    let partitions = sinfo(&commands.printed("sinfo", &SINFO).ok()?).ok()?;
    Some(all_procs(&partitions)).filter(|&procs| procs > Procs(0))
}

/// What a command prints.
fn output(commands: &SlurmCommands<'_>, command: &str, arguments: &[&str]) -> Result<String, Failure> {
    const HINT: &str = "a live site is asked through its Slurm: run this where squeue and sinfo work, or use a log that is not live";
    commands.printed(command, arguments).map_err(|why| why.failure(command, HINT))
}

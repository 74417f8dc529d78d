//! Where a job would be submitted: a log at a moment, a live site by its queue, or a Slurm site by its own scheduler. Read in one step;
//! options that mean nothing there are refused by one table.

use std::collections::BTreeSet;
use std::path::PathBuf;

use queuecast_core::job::UserId;
use queuecast_core::units::Time;
use queuecast_core::workload::Workload;
use queuecast_forecast::forecast::WhenSettings;
use queuecast_live::{KeptModels, OpenStore};
use queuecast_operate::site_now;
use queuecast_place::{AskedPlace, LabelledLog, LivePast, LiveSite, SlurmPlace, known_queue, known_user};
use queuecast_process::failure::Failure;
use queuecast_process::invocation::Invocation;
use queuecast_process::printer::Printer;
use queuecast_process::{nearest, told};
use queuecast_report::words::number_of;
use queuecast_trace::{Moment, ReadOptions, TimeZone, past_moment};

use super::loaded::Loaded;
use super::raw_trace::RawTrace;
use super::source::Source;
use super::{cleaning, live, moment, newcomer, slurm_site};

/// Options that mean nothing at a kind of place: for these commands, with the option that names the place, and why.
struct NotThere {
    commands: &'static [&'static str],
    place: &'static str,
    options: &'static [&'static str],
    why: &'static str,
}

const NOT_THERE: [NotThere; 5] = [
    NotThere {
        commands: &["simulate", "compare"],
        place: "site",
        options: &[
            "event-order",
            "limit",
            "default-request",
            "window",
            "input-format",
            "strict",
            "cluster",
            "columns",
            "procs",
            "clean",
            "timings",
            "group-by",
            "schedule-swf",
            "queue-series",
        ],
        why: "the site's configuration decides, or the answer has it anyway",
    },
    NotThere {
        commands: &["simulate"],
        place: "site",
        options: &["plot", "no-plot"],
        why: "the answer has no chart",
    },
    NotThere {
        commands: &["when", "advise", "pending"],
        place: "site",
        options: &["method", "procs", "other-site"],
        why: "the site's own scheduler is simulated on its own nodes",
    },
    NotThere {
        commands: &["allocate"],
        place: "site",
        options: &[
            "method",
            "procs",
            "default-request",
            "policy",
            "outlook",
            "predictor",
            "formula",
            "draws",
            "seed",
            "calibrate",
            "check",
        ],
        why: "the site's own scheduler is simulated on its own nodes",
    },
    NotThere {
        commands: &["when", "advise", "allocate", "pending"],
        place: "live",
        options: &["queue", "other-site"],
        why: "a live site is asked now, in each of its partitions",
    },
];

/// Refuses options that mean nothing at the place that is asked about.
pub fn check(invocation: &Invocation) -> Result<(), Failure> {
    let (command, given) = invocation.given();
    check_partition(&command, &given)?;
    if ["live", "site", "at"].iter().all(|option| given.iter().any(|one| one == option)) {
        return Err(Failure::usage(
            "--at cannot be used with --live and --site: the site is asked now, for its own scheduler",
        ));
    }
    for NotThere { commands, place, options, why } in NOT_THERE {
        if !commands.contains(&command.as_str()) || !given.iter().any(|one| one == place) {
            continue;
        }
        let refused = options.iter().filter(|option| given.iter().any(|one| one == *option));
        let refused: Vec<String> = refused.map(|option| format!("'--{option}'")).collect();
        if !refused.is_empty() {
            return Err(Failure::usage(format!(
                "--{place} cannot be used with {}: {why}",
                refused.join(", ")
            )));
        }
    }
    Ok(())
}

/// Whether times are those of this machine: a live site is asked, and no zone is named.
pub fn is_in_local_time(invocation: &Invocation) -> bool {
    let given = invocation.given().1;
    let has = |option: &str| given.iter().any(|one| one == option);
    has("live") && !has("time-zone")
}

/// Refuses a partition of a log, whose partitions are queues.
fn check_partition(command: &str, given: &[String]) -> Result<(), Failure> {
    let has = |option: &str| given.iter().any(|one| one == option);
    if !["when", "advise", "allocate", "pending"].contains(&command) || !has("partition") || has("live") {
        return Ok(());
    }
    let refused = Failure::usage("--partition is of a live site, and needs --live");
    Err(match command {
        "allocate" if !has("site") => refused.hint("without --live all partitions of a log are one machine"),
        _ => refused.hint("a log's partitions are its queues: give -q, --queue instead of -p"),
    })
}

/// A place as it was read.
pub enum ReadPlace {
    /// What was known at a moment of a log.
    Log(Box<Loaded>, Time),
    /// A live site, with accounting to learn from, if there is any.
    Live { site: LiveSite, history: Option<ReadPast> },
    /// A Slurm site and a job that is submitted to it.
    Slurm(Box<SlurmPlace>),
}

/// The past of a live site.
pub enum ReadPast {
    /// Accounting to learn from, and the site's own scheduler, where it is asked.
    Log(Box<Loaded>, Option<Box<SlurmPlace>>),
    /// What a collector has learned.
    Kept(Box<KeptModels>),
}

impl ReadPast {
    /// As the library takes it.
    pub fn named(&self) -> LivePast<'_> {
        match self {
            ReadPast::Log(log, scheduler) => {
                LivePast { scheduler: scheduler.as_deref(), ..log.named().into() }
            }
            ReadPast::Kept(kept) => kept.learning.past(&kept.name, &*kept.recall),
        }
    }
}

impl Loaded {
    /// As the library takes it.
    pub fn named(&self) -> LabelledLog<'_> {
        LabelledLog { name: &self.name, log: &self.log, learned: None }
    }
}

impl ReadPlace {
    /// Reads the place that is asked about: a Slurm site, else a log at a moment, else a live site.
    pub fn read(asked: &newcomer::Arguments, printer: &Printer) -> Result<ReadPlace, Failure> {
        match (&asked.slurm.site, &asked.file) {
            (Some(site), _) => {
                Ok(ReadPlace::Slurm(Box::new(slurm_site::read(&asked.at_site(), site, printer)?)))
            }
            (None, Some(file)) if !asked.live.live => {
                let raw = RawTrace::read(file, &asked.source.options(), printer)?;
                let (trace, at) = asked.known(&raw, printer)?;
                Ok(ReadPlace::Log(Box::new(trace), at))
            }
            (None, file) => {
                let at = &asked.moment.at;
                let is_usual = asked.settings() == WhenSettings::default();
                let uses = StoreUse::of(is_usual, asked.methods.cache.no_cache);
                let from = (file.as_ref(), &asked.source, uses, asked.waiting.as_deref());
                let (site, history) = read_live(from, &asked.live, at, printer)?;
                Ok(ReadPlace::Live { site, history })
            }
        }
    }

    /// Refuses a user that the log does not know, with the names most like it.
    pub fn check_user(&self, user: Option<&str>) -> Result<(), Failure> {
        match (self, user) {
            (ReadPlace::Log(trace, _), Some(user)) if known_user(user, &trace.log.workload).is_none() => {
                Err(Failure::usage(format!("--user {user}: the log has no such user"))
                    .hint(other_users(user, &trace.log.workload)))
            }
            _ => Ok(()),
        }
    }

    /// Forgets the queue that a job script asks for where a log does not have it, and says so.
    pub fn forget_unknown_queue(&self, asked: &mut newcomer::Arguments, printer: &Printer) {
        let ReadPlace::Log(trace, _) = self else { return };
        if let Some(queue) = asked.queue.take_if(|queue| known_queue(queue, &trace.log.workload).is_none()) {
            printer.note(&format!("{} has no queue {queue}: the job is asked about without one", trace.name));
        }
    }

    /// As the library asks it.
    pub fn asked<'a>(&'a self, live: &'a live::Arguments, procs: Option<u32>) -> AskedPlace<'a> {
        match self {
            ReadPlace::Log(trace, at) => AskedPlace::Log { log: trace.named(), at: *at },
            ReadPlace::Live { site, history } => {
                let (history, partition) = (history.as_ref().map(ReadPast::named), live.partition.as_deref());
                AskedPlace::Live { site, history, partition, procs }
            }
            ReadPlace::Slurm(place) => AskedPlace::Slurm(place),
        }
    }
}

/// What a question about a live site uses of a store.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StoreUse {
    /// What was learned of it, and by that its own scheduler.
    Learned,
    /// Its own scheduler, which is tried on its past anew.
    Scheduler,
    /// Accounting alone: the question names other methods.
    Accounting,
}

impl StoreUse {
    /// Of a question that is asked as by default or not, and learns anew or not.
    pub fn of(is_usual: bool, learns_anew: bool) -> StoreUse {
        match (is_usual, learns_anew) {
            (true, false) => StoreUse::Learned,
            (true, true) => StoreUse::Scheduler,
            (false, _) => StoreUse::Accounting,
        }
    }
}

/// A site by a fresh look, where that has the job that is asked about; else, if the job may have been submitted since, by the last look, or by
/// asking Slurm.
fn with_job(
    site: LiveSite,
    store: &OpenStore,
    job: Option<&str>,
    (ask, zone): (&dyn Fn() -> Result<LiveSite, Failure>, &TimeZone),
    printer: &Printer,
) -> Result<LiveSite, Failure> {
    let Some(job) = job.filter(|job| site.may_be_newer(job)) else { return Ok(site) };
    let now = site_now::now();
    if let Some(newer) = store.look_with(job, now)? {
        return Ok(newer);
    }
    let looked = Moment::of(site.asked, Some(0), zone).date.unwrap_or_default();
    printer.note(&format!("job {job} is not in the last look at Slurm ({looked}); Slurm is asked itself"));
    ask().map_err(|failure| {
        let next = store.until_next_look(now).ok().flatten().filter(|next| next.0 > 0);
        let next = next.map_or_else(
            || "the next look tells".to_owned(),
            |next| format!("the next look comes in about {} s", next.0),
        );
        failure.about(&format!("job {job} is not in the last look at Slurm ({looked}), and {next}"))
    })
}

/// A live site: by a store that is fresh, else by asking Slurm; with `at`, as a store remembers it. What there is to learn from is a file,
/// else what `uses` names of the store. A job that waits and that a look does not have yet is looked for at Slurm.
pub fn read_live(
    (file, source, uses, waiting): (Option<&PathBuf>, &Source, StoreUse, Option<&str>),
    live: &live::Arguments,
    at: &str,
    printer: &Printer,
) -> Result<(LiveSite, Option<ReadPast>), Failure> {
    let store = live.store.open(source.reading.cluster.as_deref())?;
    let then = match (at, &store) {
        (moment::END, _) => None,
        (text, Some(_)) => Some(past_moment(text, site_now::now(), &source.reading.time_zone)?),
        (text, None) => {
            return Err(Failure::usage(format!("--at {text}: a live site is asked now"))
                .hint("queuecast collect remembers a site; then --at names a moment of it"));
        }
    };
    let ask = || site_now::ask(&live.outside.commands(printer));
    let site = match (&store, then) {
        (Some(store), Some(at)) => told::asked(printer, |messages| store.site_at(at, messages))?,
        (Some(store), None) => {
            match told::asked(printer, |messages| store.fresh_look(site_now::now(), messages))? {
                Some(site) => with_job(site, store, waiting, (&ask, &source.reading.time_zone), printer)?,
                None => ask()?,
            }
        }
        (None, _) => ask()?,
    };
    // What a collector learns from is read as by default.
    let uses = if source.is_usual() { uses } else { StoreUse::Accounting };
    let mut scheduler = None;
    let history = match (file, store) {
        (Some(file), _) if then.is_none() => Some(Loaded::read(file, source, printer)?),
        (Some(file), _) => {
            Some(RawTrace::read(file, &source.options(), printer)?.known_by(site.asked, printer)?)
        }
        (None, Some(store)) => {
            let kept = match uses {
                StoreUse::Learned => told::asked(printer, |messages| store.learned(&site, messages))?,
                StoreUse::Scheduler | StoreUse::Accounting => Err(store),
            };
            match kept {
                Ok(kept) => return Ok((site, Some(ReadPast::Kept(Box::new(kept))))),
                Err(store) => {
                    if uses != StoreUse::Accounting {
                        let is_anew = uses == StoreUse::Scheduler;
                        scheduler =
                            told::asked(printer, |messages| store.scheduler(&site, is_anew, messages))?
                                .map(Box::new);
                    }
                    let raw = store
                        .history(site.asked)?
                        .map(|(name, text)| stored(&name, &text, source))
                        .transpose()?;
                    // Of the jobs of a site that was not followed for long, none may be one that can be simulated.
                    match raw.map(|raw| raw.known_by(site.asked, printer)).transpose() {
                        Ok(history) => history,
                        Err(failure) => {
                            printer.note(&format!("not learned from: {failure}"));
                            None
                        }
                    }
                }
            }
        }
        (None, None) => None,
    };
    if let Some(trace) = &history {
        cleaning::note(&trace.name, &trace.log.report, cleaning::Overrun::Kept, printer);
    }
    let history = history.map(|history| history.learned_by(&site, printer)).transpose()?;
    let history = history.map(|history| ReadPast::Log(Box::new(history), scheduler));
    Ok((site, history))
}

/// Accounting of a store. What is stored of a cluster is of no other.
fn stored(name: &str, text: &[u8], source: &Source) -> Result<RawTrace, Failure> {
    RawTrace::of_text(name, text, &ReadOptions { cluster: None, ..source.options() })
}

/// Users of a log that may be meant, else how many it has.
fn other_users(wanted: &str, workload: &Workload) -> String {
    let users: BTreeSet<u32> =
        workload.jobs().iter().filter_map(|job| job.user).map(UserId::number).collect();
    let names: Vec<String> =
        users.iter().filter_map(|number| workload.names.users.get(number).cloned()).collect();
    let (has_names, count) = (!names.is_empty(), number_of(users.len(), "user"));
    let alike: Vec<String> = nearest(wanted, names).into_iter().take(3).collect();
    match (alike.is_empty(), users.is_empty()) {
        (false, _) => format!("did you mean {}?", alike.join(" or ")),
        (true, true) => "the log names no users".to_owned(),
        (true, false) if has_names => format!("it has {count} by then, none with a name like that"),
        (true, false) => format!("it has {count} by then, known by their numbers"),
    }
}

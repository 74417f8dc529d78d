//! The sites at which a job could start, the soonest first, and the one to submit it to.

use serde::Serialize;

use super::asked::{Asking, answered, by_queue_alone, in_queue, live_source};
use super::{JobSize, LivePast, LiveSite, NewJob, SiteEntry, SitesFile, SlurmJob, SlurmPlace};
use queuecast_core::asking::{Messages, Refusal};
use queuecast_core::duration;
use queuecast_core::number::number_of;
use queuecast_core::units::{Procs, Seconds, Time};
use queuecast_core::workload::Machine;
use queuecast_forecast::broker::NotTaken;
use queuecast_forecast::forecast::{PredictedWait, SoonestStart, WhenAnswer, WhenSettings, WhenSource};
use queuecast_sim::predict::DEFAULT_REQUEST;
use queuecast_trace::{Log, MachineSize, MachineSource, Moment, TimeZone};

/// When the job would start at one site. Uses nothing that a log records of later.
#[derive(Debug, Serialize)]
pub struct SiteStart {
    /// The site.
    pub site: String,
    /// Where what is known comes from.
    pub source: String,
    /// Whether it was asked now.
    #[serde(skip)]
    pub is_live: bool,
    /// When it is submitted.
    pub moment: Moment,
    /// The partition, of a live site.
    pub partition: Option<String>,
    /// The queue that takes it, where the file of sites names queues.
    pub queue: Option<String>,
    /// The machine's size, and where it is known from.
    pub machine: MachineSize,
    /// What it asks for there: a faster site is asked for less time.
    pub asked: JobSize,
    /// Whether the site does not know its user.
    #[serde(skip)]
    pub is_strange: bool,
    /// Whose past it was learned from.
    pub history: String,
    /// Why the answer is not to be relied on, if it is not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub doubt: Option<String>,
    /// The answer.
    #[serde(flatten)]
    pub answer: WhenAnswer,
}

/// A site that does not take the job.
#[derive(Debug, Serialize)]
pub struct RefusedSite {
    /// The site.
    pub site: String,
    /// Why.
    pub why: String,
}

/// What a site says.
#[derive(Debug)]
pub enum SiteWord {
    /// When the job would start.
    Start(Box<SiteStart>),
    /// It does not take the job, because of this.
    Refused(String),
}

/// Where to submit a job.
#[derive(Debug, Serialize)]
pub struct SiteChoice {
    /// Of queuecast.
    pub version: &'static str,
    /// The file of sites.
    pub file: String,
    /// What it asks for.
    pub asked: JobSize,
    /// Its user.
    pub user: Option<String>,
    /// The sites that may start it first; one if that is clear.
    pub first: Vec<String>,
    /// The answer in plain words.
    pub sentence: String,
    /// The soonest first.
    pub sites: Vec<SiteStart>,
    /// Those that do not take it.
    pub refused: Vec<RefusedSite>,
    /// Whether a faster site is asked for less time.
    #[serde(skip)]
    pub has_speeds: bool,
}

impl SiteChoice {
    /// Of what each site of a file says, in its order.
    ///
    /// # Errors
    /// If no site takes the job, or none knows its user.
    pub fn of(file: &SitesFile, job: &NewJob, words: Vec<SiteWord>) -> Result<SiteChoice, Refusal> {
        let (mut starts, mut refused) = (Vec::new(), Vec::new());
        for (site, word) in file.sites.iter().zip(words) {
            match word {
                SiteWord::Start(start) => starts.push(*start),
                SiteWord::Refused(why) => refused.push(RefusedSite { site: site.name.clone(), why }),
            }
        }
        if starts.is_empty() {
            let why: Vec<String> = refused.iter().map(|one| format!("{}: {}", one.site, one.why)).collect();
            return Err(Refusal::question("no site takes this job").hint(why.join("; ")));
        }
        if let Some(user) = job.user.as_ref().filter(|_| starts.iter().all(|one| one.is_strange)) {
            return Err(Refusal::question(format!("--user {user}: no site has such a user"))
                .hint("name one as the sites do; without --user the answer is that for any"));
        }
        let waits: Vec<&PredictedWait> = starts.iter().map(|one| &one.answer.wait).collect();
        let SoonestStart { order, close } = SoonestStart::of(&waits);
        let mut starts: Vec<Option<SiteStart>> = starts.into_iter().map(Some).collect();
        let sites: Vec<SiteStart> = order.iter().filter_map(|&place| starts[place].take()).collect();
        Ok(SiteChoice {
            version: env!("CARGO_PKG_VERSION"),
            file: file.name.clone(),
            asked: JobSize { procs: job.procs, time: job.time.unwrap_or(DEFAULT_REQUEST) },
            user: job.user.clone(),
            first: sites.iter().take(close).map(|one| one.site.clone()).collect(),
            sentence: sentence(&sites, close),
            sites,
            refused,
            has_speeds: file.sites.iter().any(|site| site.speed != 1.0),
        })
    }
}

/// A shorter wait is "at once".
const AT_ONCE: f64 = 1.0;

fn about(seconds: f64) -> String {
    if seconds < AT_ONCE { "at once".to_owned() } else { rounded(seconds) }
}

/// From ten minutes on in whole minutes: seconds of a prediction tell nothing.
fn rounded(seconds: f64) -> String {
    duration::about(if seconds < 600.0 { seconds.round() } else { (seconds / 60.0).round() * 60.0 })
}

impl SiteStart {
    /// The range that eight in ten start within, in words.
    pub fn range(&self) -> String {
        let (low, high) = (about(self.answer.wait.low), about(self.answer.wait.high));
        if low == high { low } else { format!("{low} to {high}") }
    }

    /// Why that is not to be relied on, in a sentence of its own.
    fn doubted(&self) -> Option<String> {
        Some(format!("No reliable answer at {}: {}.", self.site, self.doubt.as_ref()?))
    }

    /// When it would start, after "it would start".
    fn start(&self) -> String {
        let wait = &self.answer.wait;
        match wait.p90 < AT_ONCE {
            true => "at once".to_owned(),
            false if wait.median < AT_ONCE => format!("at once (80%: {})", self.range()),
            false => format!("in about {} (80%: {})", rounded(wait.median), self.range()),
        }
    }
}

/// The choice in plain words, after what is to be doubted of it.
fn sentence(sites: &[SiteStart], close: usize) -> String {
    let mut lines: Vec<String> = sites.iter().filter_map(SiteStart::doubted).collect();
    lines.push(chosen(sites, close));
    lines.join("\n")
}

fn chosen(sites: &[SiteStart], close: usize) -> String {
    let Some(first) = sites.first() else { return String::new() };
    if close > 1 {
        let close = &sites[..close];
        let names: Vec<&str> = close.iter().map(|one| one.site.as_str()).collect();
        let (last, others) = names.split_last().map_or(("", &names[..]), |(last, others)| (*last, others));
        let names = format!("{} and {last}", others.join(", "));
        if close.iter().all(|one| one.answer.wait.p90 < AT_ONCE) {
            return format!("It would start at once at {names}: submit to any of them.");
        }
        let each: Vec<String> = close.iter().map(|one| format!("at {} {}", one.site, one.start())).collect();
        return format!(
            "Too close to call between {names}: none starts it sooner in six of ten cases. It would start {}.",
            each.join(", ")
        );
    }
    let later = sites.iter().skip(1).map(|one| {
        let later = one.answer.wait.median - first.answer.wait.median;
        format!("{} about {} later", one.site, rounded(later))
    });
    let later: Vec<String> = later.collect();
    let others = if later.is_empty() { String::new() } else { format!("; {}", later.join(", ")) };
    format!("Submit to {}: it would start {}{others}.", first.site, first.start())
}

/// Asks sites about one job.
pub struct SiteAsker<'a> {
    /// The job.
    pub job: &'a NewJob,
    /// How its wait is predicted.
    pub settings: WhenSettings,
    /// The zone of dates.
    pub zone: &'a TimeZone,
    /// Told what is going on.
    pub messages: &'a dyn Messages,
}

impl SiteAsker<'_> {
    /// A site at a moment of its log, which is called `name`.
    pub fn log(&self, site: &SiteEntry, name: &str, log: &mut Log, at: Time) -> Result<SiteWord, Refusal> {
        if let Some(procs) = site.procs {
            self.resize(site, name, log, procs);
        }
        let workload = &log.workload;
        let procs = site.procs.unwrap_or(log.machine.procs);
        let (new, queue) = match self.taken(site, procs) {
            Ok(taken) => taken,
            Err(why) => return Ok(SiteWord::Refused(why)),
        };
        let job = new.at(at, workload);
        let asked = JobSize { procs: job.shape.procs, time: job.shape.limit.unwrap_or(DEFAULT_REQUEST) };
        let has_started = workload.starts.iter().any(|&start| start <= at);
        let ask = |asking: Asking<'_>| answered(&asking, name, self.messages);
        let answer = if workload.starts.is_empty() || has_started {
            let source = WhenSource::Log { workload, at };
            ask(Asking::Jobs { job, source, settings: Box::new(self.settings.clone()) })?
        } else {
            by_queue_alone(job, workload, &self.settings, ask)?
        };
        let history = match answer.learned {
            0 => "no history".to_owned(),
            learned => number_of(learned, "job"),
        };
        Ok(SiteWord::Start(Box::new(SiteStart {
            site: site.name.clone(),
            source: name.to_owned(),
            is_live: false,
            moment: Moment::of(at, workload.epoch, self.zone),
            partition: None,
            queue,
            machine: MachineSize { procs, ..log.machine },
            asked,
            is_strange: !new.knows_user(workload),
            history,
            doubt: answer.doubt(),
            answer,
        })))
    }

    /// A partition of a live site, now.
    pub fn live(
        &self,
        site: &SiteEntry,
        partition: &str,
        live: &LiveSite,
        history: Option<LivePast<'_>>,
    ) -> Result<SiteWord, Refusal> {
        let queues = live.queues(Some(partition), site.procs.map(|procs| procs.0), self.messages)?;
        let Some(queue) = queues.first() else {
            return Ok(SiteWord::Refused(format!("partition {partition} has no processors")));
        };
        let taken = self.taken(site, queue.machine);
        let taken = taken.and_then(|(new, own)| match queue.not_allowed(&queue.asked_by(&new)) {
            Some(why) => Err(why),
            None => Ok((new, own)),
        });
        let (new, own_queue) = match taken {
            Ok(taken) => taken,
            Err(why) => return Ok(SiteWord::Refused(why)),
        };
        let from = if site.procs.is_some() { MachineSource::Given } else { MachineSource::Sinfo };
        let place = (live, queue, from);
        in_queue(&new, place, history, &self.settings, self.zone, &mut |facts, asking| {
            let answer = answered(&asking, facts.name, self.messages)?;
            Ok(SiteWord::Start(Box::new(SiteStart {
                site: site.name.clone(),
                source: live_source(history),
                is_live: true,
                moment: facts.moment.clone(),
                partition: facts.partition.clone(),
                queue: own_queue.clone(),
                machine: facts.machine,
                asked: facts.asked,
                is_strange: history.is_some_and(|one| !new.knows_user(one.workload)),
                history: facts.learned_from(answer.learned),
                doubt: answer.doubt(),
                answer,
            })))
        })
    }

    /// A Slurm site at a moment of its accounting, by its own scheduler, as `when --site` is answered.
    pub fn slurm(
        &self,
        site: &SiteEntry,
        partition: Option<&str>,
        place: &SlurmPlace,
    ) -> Result<SiteWord, Refusal> {
        let (new, own_queue) = match self.taken(site, place.procs()) {
            Ok(taken) => taken,
            Err(why) => return Ok(SiteWord::Refused(why)),
        };
        let partition = partition.map(str::to_owned).or_else(|| own_queue.clone());
        let job = SlurmJob {
            sbatch: None,
            tasks: Some(new.procs.0),
            time: new.time,
            partition,
            user: new.user.clone(),
            is_alone: false,
        };
        let (job, asked) = match place.newcomer(&job, self.messages) {
            Ok(found) => found,
            Err(refusal) => return Ok(SiteWord::Refused(refusal.to_string())),
        };
        let answer = answered(
            &place.asking(place.question_about(&job), &self.settings),
            &place.source,
            self.messages,
        )?;
        Ok(SiteWord::Start(Box::new(SiteStart {
            site: site.name.clone(),
            source: place.source.clone(),
            is_live: false,
            moment: Moment::of(place.at, place.epoch, self.zone),
            partition: job.request.partitions.first().cloned(),
            queue: own_queue,
            machine: MachineSize { procs: answer.state.procs, source: MachineSource::Given },
            asked,
            is_strange: false,
            history: number_of(answer.learned, "job"),
            doubt: answer.doubt(),
            answer,
        })))
    }

    /// Gives a log the machine that the file of sites says, unless a job of it is larger.
    fn resize(&self, site: &SiteEntry, name: &str, log: &mut Log, procs: Procs) {
        if log.workload.set_machine(Machine { procs }).is_ok() {
            log.machine = MachineSize { procs, source: MachineSource::Given };
            return;
        }
        self.messages.warning(&format!(
            "site '{}': procs = {procs}, but {name} has larger jobs; its queue is that of {}",
            site.name,
            number_of(log.machine.procs.0, "processor")
        ));
    }

    /// The job as the site takes it, and the queue of the file that does, if it names queues; else why it does not take it.
    fn taken(&self, site: &SiteEntry, procs: Procs) -> Result<(NewJob, Option<String>), String> {
        let setup = site.setup(procs);
        let time = self.job.time.map(|time| setup.scaled(time));
        let requested: Seconds = time.unwrap_or(DEFAULT_REQUEST);
        let queue = setup.queue_for(self.job.procs, requested).map_err(|why| match why {
            NotTaken::Machine => format!("{} processors: the machine has {procs}", self.job.procs),
            NotTaken::Queues => {
                let asked = format!("{} processors for {}", self.job.procs, duration::human(requested));
                format!("no queue takes {asked}: {}", queues(site))
            }
        })?;
        let queue = queue.map(|place| site.queues[place].name.clone());
        Ok((NewJob { time, queue: queue.clone(), ..self.job.clone() }, queue))
    }
}

/// The queues of a site and what they take.
fn queues(site: &SiteEntry) -> String {
    let each = site.queues.iter().map(|queue| {
        let procs = queue.max_procs.map(|most| format!("{most} processors"));
        let time = queue.max_time.map(duration::human);
        let limits: Vec<String> = procs.into_iter().chain(time).collect();
        format!("{} at most {}", queue.name, limits.join(" and "))
    });
    each.collect::<Vec<_>>().join(", ")
}

//! One job: at which of several sites it would start first.

use std::path::Path;

use queuecast::broker::NotTaken;
use queuecast::forecast::{WaitMethod, WhenSettings};
use queuecast::predict::DEFAULT_REQUEST;
use queuecast::report::duration;
use queuecast::trace::{MachineSize, MachineSource};
use queuecast::units::{Procs, Seconds};
use queuecast::workload::Machine;

use super::file::{JobSource, SiteEntry, SitesFile};
use super::site_choice::{RefusedSite, SiteChoice, SiteStart};
use crate::commands::cleaning;
use crate::commands::live::LiveSite;
use crate::commands::loaded::{Loaded, number_of};
use crate::commands::moment::Moment;
use crate::commands::newcomer::{self, Asked, METHODS, NewJob};
use crate::commands::outside::SlurmCommands;
use crate::commands::source::Reading;
use crate::failure::Failure;
use crate::printer::Printer;
use crate::spec;

/// What a site says.
enum Said {
    Start(Box<SiteStart>),
    /// It does not take the job, because of this.
    Refused(String),
}

/// Asks each site.
pub fn found(
    file: &SitesFile,
    job: &NewJob,
    at: &str,
    (reading, commands): (&Reading, &SlurmCommands<'_>),
    printer: &Printer,
) -> Result<SiteChoice, Failure> {
    let is_live = |site: &SiteEntry| matches!(site.jobs, JobSource::Live { .. });
    if at != "end"
        && let Some(site) = file.sites.iter().find(|site| is_live(site))
    {
        let what = format!("--at {at}: site '{}' is live, and is asked now", site.name);
        return Err(Failure::usage(what).hint("leave out --at, or leave out the site"));
    }
    let methods: Result<Vec<WaitMethod>, String> = METHODS.split(',').map(spec::read).collect();
    let methods = methods.map_err(Failure::unexpected)?;
    let settings = WhenSettings { methods, trials: WhenSettings::TRIALS, default_request: DEFAULT_REQUEST };
    let asking = Asking { job, at, reading, commands, settings, printer };
    let (mut starts, mut refused) = (Vec::new(), Vec::new());
    for site in &file.sites {
        let about = |failure: Failure| failure.about(&site.place);
        let said = match &site.jobs {
            JobSource::Trace(path) => asking.log(site, path).map_err(about)?,
            JobSource::Live { partition, history } => {
                let history = history.as_ref().map(|path| asking.load(site, path)).transpose()?;
                asking.live(site, partition, history).map_err(about)?
            }
            JobSource::None => Said::Refused(
                "it has neither a log nor a live queue, so nothing is known of its jobs".to_owned(),
            ),
        };
        match said {
            Said::Start(start) => starts.push(*start),
            Said::Refused(why) => refused.push(RefusedSite { site: site.name.clone(), why }),
        }
    }
    if starts.is_empty() {
        let why: Vec<String> = refused.iter().map(|one| format!("{}: {}", one.site, one.why)).collect();
        return Err(Failure::usage("no site takes this job").hint(why.join("; ")));
    }
    if let Some(user) = job.user.as_ref().filter(|_| starts.iter().all(|one| one.is_strange)) {
        return Err(Failure::usage(format!("--user {user}: no site knows such a user")));
    }
    let asked = Asked { procs: job.procs, time: job.time.unwrap_or(DEFAULT_REQUEST) };
    let fast = file.sites.iter().any(|site| site.speed != 1.0);
    let choice = SiteChoice::new(file.name.clone(), asked, job.user.clone(), fast, starts, refused);
    if printer.shows_rows_only() {
        choice.notes().iter().for_each(|note| printer.note(note));
    }
    Ok(choice)
}

/// What every site is asked.
struct Asking<'a> {
    job: &'a NewJob,
    at: &'a str,
    reading: &'a Reading,
    commands: &'a SlurmCommands<'a>,
    settings: WhenSettings,
    printer: &'a Printer,
}

impl Asking<'_> {
    /// A site at a moment of its log.
    fn log(&self, site: &SiteEntry, path: &Path) -> Result<Said, Failure> {
        let (mut trace, at) = site.load_at(path, self.at, self.reading, self.printer)?;
        cleaning::note(&trace.name, &trace.log.report, cleaning::Overrun::Kept, self.printer);
        if let Some(procs) = site.procs {
            self.resize(site, &mut trace, procs);
        }
        let (workload, zone) = (&trace.log.workload, &self.reading.time_zone);
        let procs = site.procs.unwrap_or(trace.log.machine.procs);
        let (new, queue) = match self.taken(site, procs) {
            Ok(taken) => taken,
            Err(why) => return Ok(Said::Refused(why)),
        };
        let job = new.at(at, workload);
        let is_alone = !workload.starts.is_empty() && !newcomer::has_started(workload, at);
        let answer = match is_alone {
            true => newcomer::by_queue_alone(&job, &trace, &self.settings, self.printer)?,
            false => newcomer::at_moment(&job, &trace, &self.settings, self.printer)?,
        };
        let history = match answer.learned {
            0 => "no history".to_owned(),
            learned => number_of(learned, "job"),
        };
        Ok(Said::Start(Box::new(SiteStart {
            site: site.name.clone(),
            source: trace.name.clone(),
            is_live: false,
            moment: Moment::of(at, workload.epoch, zone),
            partition: None,
            queue,
            machine: MachineSize { procs, ..trace.log.machine },
            asked: Asked { procs: job.shape.procs, time: job.shape.limit.unwrap_or(DEFAULT_REQUEST) },
            is_strange: !new.knows_user(workload),
            history,
            answer,
        })))
    }

    /// A partition of a live site, now.
    fn live(&self, site: &SiteEntry, partition: &str, mut history: Option<Loaded>) -> Result<Said, Failure> {
        let live = LiveSite::ask(self.commands)?;
        if let Some(history) = &mut history {
            newcomer::take_history(history, &live, self.printer)?;
        }
        let queues = live.queues(Some(partition), site.procs.map(|procs| procs.0), self.printer)?;
        let Some(queue) = queues.first() else {
            return Ok(Said::Refused(format!("partition {partition} has no processors")));
        };
        let (new, own_queue) = match self.taken(site, queue.machine) {
            Ok(taken) => taken,
            Err(why) => return Ok(Said::Refused(why)),
        };
        if let Some(why) = newcomer::not_allowed(queue, &new.asks(queue)) {
            return Ok(Said::Refused(why));
        }
        let found = newcomer::in_queue(&new, (&live, queue), history.as_ref(), &self.settings, self.printer)?;
        let source = match &history {
            Some(trace) => format!("squeue, learning from {}", trace.name),
            None => "squeue".to_owned(),
        };
        let from = if site.procs.is_some() { MachineSource::Given } else { MachineSource::Sinfo };
        Ok(Said::Start(Box::new(SiteStart {
            site: site.name.clone(),
            source,
            is_live: true,
            moment: Moment::of(live.asked, Some(0), &self.reading.time_zone),
            partition: Some(queue.name.clone()),
            queue: own_queue,
            machine: MachineSize { procs: queue.machine, source: from },
            asked: found.asked,
            is_strange: history.as_ref().is_some_and(|trace| !new.knows_user(&trace.log.workload)),
            history: found.history,
            answer: found.answer,
        })))
    }

    fn load(&self, site: &SiteEntry, path: &Path) -> Result<Loaded, Failure> {
        let trace = site.load(path, self.reading, self.printer)?;
        cleaning::note(&trace.name, &trace.log.report, cleaning::Overrun::Kept, self.printer);
        Ok(trace)
    }

    /// Gives a log the machine that the file of sites says, unless a job of it is larger.
    fn resize(&self, site: &SiteEntry, trace: &mut Loaded, procs: Procs) {
        if trace.log.workload.set_machine(Machine { procs }).is_ok() {
            trace.log.machine = MachineSize { procs, source: MachineSource::Given };
            return;
        }
        self.printer.warning(&format!(
            "site '{}': procs = {procs}, but {} has larger jobs; its queue is that of {}",
            site.name,
            trace.name,
            number_of(trace.log.machine.procs.0 as usize, "processor")
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

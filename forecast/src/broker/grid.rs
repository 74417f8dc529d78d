//! Several sites on one clock, and a broker that sends each job to one of them.

use super::brokers::{Broker, Routing};
use super::error::GridError;
use super::jobs::GridJob;
use super::member::{Happened, Member, Uses, WaitHistory};
use super::offer::SiteOffer;
use super::setup::SiteSetup;
use queuecast_core::job::JobIndex;
use queuecast_core::order;
use queuecast_core::units::{Seconds, Time};
use queuecast_sim::predict::{DEFAULT_REQUEST, PredictorSpec};
use queuecast_sim::sim::{Options, SimError};

/// Sites, and the jobs that arrive at them.
#[derive(Debug, Clone)]
pub struct Grid {
    sites: Vec<SiteSetup>,
    jobs: Vec<GridJob>,
    /// Options of all sites: time limits, corrections of predictions, factor. The order of events is always the default
    /// one.
    pub options: Options,
    /// Stands in for a missing requested time.
    pub default_request: Seconds,
}

/// Where a job ran, and when.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GridStart {
    /// The site.
    pub site: usize,
    /// When it started.
    pub start: Time,
    /// How long it ran.
    pub ran: Seconds,
}

/// What came of a grid under one broker.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GridSchedule {
    /// The start of each job, in order of arrival; `None` for a job that no site admits.
    pub starts: Vec<Option<GridStart>>,
    /// Copies that were withdrawn because another started.
    pub withdrawn: usize,
    /// How many jobs started at each site.
    pub started: Vec<usize>,
    /// The most jobs in the queue of each site, those that arrived at the instant included.
    pub longest_queues: Vec<usize>,
}

impl Grid {
    /// Checks sites and jobs, and puts the jobs in order of arrival.
    pub fn new(sites: Vec<SiteSetup>, mut jobs: Vec<GridJob>) -> Result<Grid, GridError> {
        if sites.is_empty() {
            return Err(GridError::NoSite);
        }
        if jobs.len() >= u32::MAX as usize {
            return Err(GridError::TooMany);
        }
        for (place, site) in sites.iter().enumerate() {
            if site.name.trim().is_empty() {
                return Err(GridError::NoName(place + 1));
            }
            if sites[..place].iter().any(|other| other.name == site.name) {
                return Err(GridError::SameName(site.name.clone()));
            }
            if site.procs.0 == 0 {
                return Err(GridError::NoProcessors(site.name.clone()));
            }
            if !(0.001..=1000.0).contains(&site.speed) {
                return Err(GridError::Speed { site: site.name.clone(), speed: site.speed });
            }
            if site.predictor == PredictorSpec::Perfect {
                return Err(GridError::Perfect(site.name.clone()));
            }
        }
        if let Some((job, home)) =
            jobs.iter().find_map(|one| Some((one, one.home.filter(|&home| home >= sites.len())?)))
        {
            return Err(GridError::NoHome { job: job.job.id.0, home, sites: sites.len() });
        }
        if !jobs.is_sorted_by_key(|one| one.job.submit) {
            order::sort_by_key(&mut jobs, |one| one.job.submit);
        }
        for (index, one) in (0..).zip(&mut jobs) {
            one.job.index = JobIndex(index);
        }
        Ok(Grid { sites, jobs, options: Options::default(), default_request: DEFAULT_REQUEST })
    }

    /// The sites.
    pub fn sites(&self) -> &[SiteSetup] {
        &self.sites
    }

    /// The jobs, in order of arrival.
    pub fn jobs(&self) -> &[GridJob] {
        &self.jobs
    }

    /// The speed that the times of a job are recorded at.
    fn speed_of(&self, one: &GridJob) -> f64 {
        one.home.and_then(|home| self.sites.get(home)).map_or(1.0, |home| home.speed)
    }

    /// Jobs that no site takes.
    pub fn unplaced(&self) -> impl Iterator<Item = &GridJob> {
        self.jobs.iter().filter(|one| {
            let takes = |(place, site): (usize, &SiteSetup)| {
                let is_home = one.home == Some(place);
                site.admitted(&one.job, is_home, self.speed_of(one), self.default_request).is_some()
            };
            !self.sites.iter().enumerate().any(takes)
        })
    }

    /// Simulates all jobs under a broker. `done` is told how many more jobs have arrived, now and then.
    pub fn simulate(
        &self,
        broker: &mut dyn Broker,
        done: &(dyn Fn(usize) + Sync),
    ) -> Result<GridSchedule, GridError> {
        let options = Options { event_order: Default::default(), ..self.options };
        let uses = broker.uses();
        let members = |uses: Uses| -> Vec<Member> {
            let sites = self.sites.iter();
            sites.map(|site| Member::new(site.clone(), options, self.default_request, uses.clone())).collect()
        };
        let own = if uses.history == WaitHistory::Own { members(uses.clone()) } else { Vec::new() };
        // With `WaitHistory::Own` the sites without a broker predict, so those under the broker need no predictor.
        let sent = if own.is_empty() { uses } else { Uses { waits: None, ..uses } };
        let mut run = GridRun {
            grid: self,
            options,
            members: members(sent),
            own,
            starts: vec![None; self.jobs.len()],
            copies: Copies::default(),
            withdrawn: 0,
            started: vec![0; self.sites.len()],
            longest_queues: vec![0; self.sites.len()],
        };
        let (mut next, mut told) = (0, 0);
        while let Some(now) = run.next(next) {
            run.settle(now)?;
            while let Some(job) = self.jobs.get(next).filter(|one| one.job.submit <= now) {
                run.route(job, now, broker)?;
                next += 1;
            }
            run.plan(now)?;
            if next - told >= 1000 {
                done(next - told);
                told = next;
            }
        }
        done(next - told);
        let GridRun { starts, withdrawn, started, longest_queues, .. } = run;
        Ok(GridSchedule { starts, withdrawn, started, longest_queues })
    }
}

/// Copies of jobs that have not started, by the number of the job.
#[derive(Debug, Default)]
struct Copies(std::collections::HashMap<u32, Vec<(usize, JobIndex)>>);

/// A simulation of a grid in progress.
struct GridRun<'a> {
    grid: &'a Grid,
    options: Options,
    members: Vec<Member>,
    /// The sites simulated without a broker; empty unless predictions learn from the sites' own jobs.
    own: Vec<Member>,
    starts: Vec<Option<GridStart>>,
    copies: Copies,
    withdrawn: usize,
    started: Vec<usize>,
    longest_queues: Vec<usize>,
}

impl GridRun<'_> {
    /// The next instant at which a site has an event or the job of this index arrives.
    fn next(&self, job: usize) -> Option<Time> {
        let arrival = self.grid.jobs.get(job).map(|one| one.job.submit);
        let sites = self.members.iter().chain(&self.own);
        sites.filter_map(|member| member.engine.next()).chain(arrival).min()
    }

    /// Processes the events that every site has due before arrivals.
    fn settle(&mut self, now: Time) -> Result<(), GridError> {
        for member in &mut self.own {
            if member.engine.next().is_some_and(|next| next <= now) {
                member.settle(now).map_err(|error| failed(member, error))?;
            }
        }
        for member in &mut self.members {
            if member.engine.next().is_some_and(|next| next <= now) {
                let settled = member.settle(now);
                settled.map_err(|error| failed(member, error))?;
                for happened in member.listener.happened.drain(..) {
                    if let Happened::Ended(job, ran) = happened
                        && let Some(start) = &mut self.starts[job as usize]
                    {
                        start.ran = ran;
                    }
                }
            }
        }
        Ok(())
    }

    /// A job arrives, and the broker says where it goes.
    fn route(&mut self, one: &GridJob, now: Time, broker: &mut dyn Broker) -> Result<(), GridError> {
        let mut offers: Vec<SiteOffer<'_>> = Vec::with_capacity(self.members.len());
        let speed = self.grid.speed_of(one);
        let mut own = self.own.iter_mut();
        for (site, member) in self.members.iter_mut().enumerate() {
            let own = own.next();
            let is_home = one.home == Some(site);
            let admitted = member.setup.admitted(&one.job, is_home, speed, self.grid.default_request);
            let Some(mut job) = admitted else { continue };
            job.submit = now;
            let truth = member.setup.truth(&one.truth, speed);
            let offer = SiteOffer {
                site,
                member,
                own,
                job,
                truth,
                now,
                is_home,
                options: self.options,
                features: None,
                forecast: None,
            };
            if is_home { offers.insert(0, offer) } else { offers.push(offer) }
        }
        if offers.is_empty() {
            return Ok(());
        }
        let wrong = || GridError::Routing(one.job.id.0);
        let mut places = match broker.choose(&mut offers) {
            Routing::One(place) => vec![place],
            Routing::Several(places) => places,
        };
        places.sort_unstable();
        places.dedup();
        if places.is_empty() || places.last().is_some_and(|&last| last >= offers.len()) {
            return Err(wrong());
        }
        let number = one.job.index.0;
        let mut copies = Vec::new();
        let is_one = places.len() == 1;
        for (place, offer) in offers.into_iter().enumerate() {
            if places.binary_search(&place).is_err() {
                continue;
            }
            let SiteOffer { site, member, job, truth, .. } = offer;
            let index = member.admit(number, job, truth, now).map_err(|error| failed(member, error))?;
            let waiting = member.engine.site().queue_length();
            self.longest_queues[site] = self.longest_queues[site].max(waiting);
            if !is_one {
                copies.push((site, index));
            }
        }
        if !is_one {
            self.copies.0.insert(number, copies);
        }
        self.admit_at_home(one, now)
    }

    /// Submits the job to its home in the simulation without a broker, if there is one.
    fn admit_at_home(&mut self, one: &GridJob, now: Time) -> Result<(), GridError> {
        let Some(member) = one.home.and_then(|home| self.own.get_mut(home)) else { return Ok(()) };
        let speed = member.setup.speed;
        let Some(job) = member.setup.admitted(&one.job, true, speed, self.grid.default_request) else {
            return Ok(());
        };
        let truth = member.setup.truth(&one.truth, speed);
        member.admit(one.job.index.0, job, truth, now).map_err(|error| failed(member, error))?;
        Ok(())
    }

    /// Plans every site with a pending event, in the order of the grid. When a job starts, its copies are withdrawn before
    /// the next site plans, so that no two copies run; sites that lose a copy plan again.
    fn plan(&mut self, now: Time) -> Result<(), GridError> {
        for member in self.own.iter_mut().filter(|member| member.plan_is_due) {
            member.plan(now).map_err(|error| failed(member, error))?;
            member.listener.happened.clear();
        }
        while let Some(site) = self.members.iter().position(|member| member.plan_is_due) {
            let member = &mut self.members[site];
            member.plan(now).map_err(|error| failed(member, error))?;
            let happened = std::mem::take(&mut member.listener.happened);
            for one in &happened {
                if let Happened::Started(job, index) = *one {
                    self.started[site] += 1;
                    self.starts[job as usize] = Some(GridStart { site, start: now, ran: Seconds::ZERO });
                    self.withdraw_others(job, (site, index), now)?;
                }
            }
            // Returns the buffer, so that its allocation is reused.
            let buffer = &mut self.members[site].listener.happened;
            if buffer.is_empty() {
                *buffer = happened;
                buffer.clear();
            }
        }
        Ok(())
    }

    fn withdraw_others(&mut self, job: u32, started: (usize, JobIndex), now: Time) -> Result<(), GridError> {
        for (site, index) in self.copies.0.remove(&job).unwrap_or_default() {
            if (site, index) != started {
                let member = &mut self.members[site];
                member.withdraw(index, now).map_err(|error| failed(member, error))?;
                self.withdrawn += 1;
            }
        }
        Ok(())
    }
}

fn failed(member: &Member, error: SimError) -> GridError {
    GridError::Simulation { site: member.setup.name.clone(), error: Box::new(error) }
}

//! The event loop of a simulation: integer time, a written order of events at one instant, and a plan after them.

mod interventions;
mod predictions;
mod resume;

pub use resume::Unknown;

use super::agenda::Agenda;
use super::arrivals::UpcomingJobs;
use super::error::SimError;
use super::options::{EventOrder, Options};
use super::policy::{Change, Policy, Start};
use super::schedule::{Placement, Reason, Schedule, Standing};
use super::secrets::Secret;
use crate::predict::{Question, Revision, RuntimePredictor};
use crate::site::ring::Ring;
use crate::site::rows::WAITING;
use crate::site::{Nodes, Site, View};
use queuecast_core::job::{End, Ending, Event, Job, JobIndex, Truth, What};
use queuecast_core::units::{Procs, Seconds, Time};
use queuecast_core::workload::{Machine, Workload};

/// Watches a simulation. It sees what can be known at the site.
pub trait Observer {
    /// After each event, with the state right after it.
    fn saw(&mut self, event: &Event<'_>, view: &View<'_>);
}

/// A simulation in progress: a site, the truth about its jobs, and what is due when.
#[derive(Debug, Clone)]
pub struct Engine<'w> {
    site: Site,
    options: Options,
    arrivals: UpcomingJobs<'w>,
    secrets: Ring<Secret>,
    /// One for each job submitted so far, those there at the beginning of a simulation that began in the middle included;
    /// the number of the first is `offset`.
    placements: Vec<Placement>,
    offset: u32,
    ends: Agenda,
    overruns: Agenda,
    /// When the policy wants to plan though nothing happens; the end of time if it does not.
    wake: i64,
    starts: Vec<Start>,
    revisions: Vec<Revision>,
    /// Of a simulation that began in the middle: jobs that had left by then, in order. Revisions of these are ignored.
    left: Option<Vec<JobIndex>>,
    /// How a predictor or a policy broke its contract.
    fault: Option<Box<SimError>>,
    plans: u64,
    longest_queue: usize,
}

/// What takes part in a simulation besides the engine.
pub struct Components<'a, 'o> {
    /// Decides which jobs start.
    pub policy: &'a mut dyn Policy,
    /// Predicts run times.
    pub predictor: &'a mut dyn RuntimePredictor,
    /// Watch.
    pub observers: &'a mut [&'o mut dyn Observer],
}

/// Simulates a whole workload. Fails only if the predictor or the policy breaks its contract.
pub fn simulate(
    workload: &Workload,
    options: Options,
    policy: &mut dyn Policy,
    predictor: &mut dyn RuntimePredictor,
    observers: &mut [&mut dyn Observer],
) -> Result<Schedule, SimError> {
    let mut engine = Engine::new(workload, options);
    let mut parts = Components { policy, predictor, observers };
    while let Some(now) = engine.next() {
        engine.advance(now.0, &mut parts);
        if engine.fault.is_some() {
            break;
        }
    }
    engine.result(())?;
    Ok(engine.into_schedule())
}

impl<'w> Engine<'w> {
    /// Before the first submission of a workload.
    pub fn new(workload: &'w Workload, options: Options) -> Engine<'w> {
        Engine::start_from(Site::new(workload.machine()), UpcomingJobs::of(workload), options)
    }

    /// An idle machine, to which jobs are submitted by [`Engine::submit`].
    pub fn idle(machine: Machine, options: Options) -> Engine<'static> {
        Engine::start_from(Site::new(machine), UpcomingJobs::none(), options)
    }

    fn start_from(site: Site, arrivals: UpcomingJobs<'w>, options: Options) -> Engine<'w> {
        Engine {
            site,
            options,
            secrets: Ring::new(Secret::EMPTY),
            placements: Vec::with_capacity(arrivals.len()),
            arrivals,
            offset: 0,
            ends: Agenda::new(),
            overruns: Agenda::new(),
            wake: i64::MAX,
            starts: Vec::new(),
            revisions: Vec::new(),
            left: None,
            fault: None,
            plans: 0,
            longest_queue: 0,
        }
    }

    /// Submits a job at its time of submission, or at the next instant if that is past. It gets its number when it arrives.
    pub fn submit(&mut self, job: Job, truth: Truth) {
        self.arrivals.push(job, truth);
    }

    /// The machine and its queue.
    pub fn site(&self) -> &Site {
        &self.site
    }

    /// The next instant at which something happens; `None` when all is done.
    #[inline]
    pub fn next(&self) -> Option<Time> {
        let next = self.arrivals.next().min(self.ends.next()).min(self.overruns.next()).min(self.wake);
        (next < i64::MAX).then_some(Time(next))
    }

    /// Goes to the next instant at which something happens and lets it happen; `None` when all is done. After
    /// a failure the simulation is of no further use.
    pub fn step(&mut self, parts: &mut Components<'_, '_>) -> Result<Option<Time>, SimError> {
        let Some(now) = self.next() else { return Ok(None) };
        self.advance(now.0, parts);
        self.result(Some(now))
    }

    #[inline]
    fn advance(&mut self, now: i64, parts: &mut Components<'_, '_>) {
        match self.options.event_order {
            EventOrder::Textbook => self.step_textbook(now, parts),
            EventOrder::Pyss => self.step_pyss(now, parts),
        }
    }

    /// Brings an instant to its end that was left in the middle: what is due at it happens, and a plan.
    pub fn conclude(&mut self, now: Time, parts: &mut Components<'_, '_>) -> Result<(), SimError> {
        match self.options.event_order {
            EventOrder::Textbook => {
                self.wake = now.0;
                self.step_textbook(now.0, parts);
            }
            // Each event has a plan of its own: that of the last one is still to come.
            EventOrder::Pyss => self.plan(now.0, parts),
        }
        self.result(())
    }

    /// When a job started, if it has.
    pub fn start(&self, job: JobIndex) -> Option<Time> {
        let placement = self.placements.get(job.0.checked_sub(self.offset)? as usize)?;
        Some(placement.start).filter(|start| start.0 != WAITING)
    }

    fn result<T>(&mut self, value: T) -> Result<T, SimError> {
        self.fault.take().map_or(Ok(value), |fault| Err(*fault))
    }

    fn placement(&mut self, job: JobIndex) -> &mut Placement {
        &mut self.placements[(job.0 - self.offset) as usize]
    }

    fn step_textbook(&mut self, now: i64, parts: &mut Components<'_, '_>) {
        let mut happened = self.wake <= now;
        while let Some(job) = self.ends.take(now) {
            self.end(job, now, parts);
            happened = true;
        }
        self.overrun_all(now, parts);
        while self.arrivals.next() <= now {
            self.arrive(now, parts);
            happened = true;
        }
        if happened {
            self.plan(now, parts);
        }
    }

    fn step_pyss(&mut self, now: i64, parts: &mut Components<'_, '_>) {
        self.overrun_all(now, parts);
        while self.arrivals.next() <= now {
            self.arrive(now, parts);
            self.plan(now, parts);
        }
        while let Some(job) = self.ends.take(now) {
            self.end(job, now, parts);
            self.plan(now, parts);
        }
        if self.wake <= now {
            self.plan(now, parts);
        }
    }

    /// The next arrival.
    fn arrive(&mut self, now: i64, parts: &mut Components<'_, '_>) {
        let Some((mut job, truth)) = self.arrivals.take() else { return };
        let secret = Secret::of(&job, &truth, self.options.limit);
        let index = self.site.submitted();
        if job.index != index {
            job.to_mut().index = index;
        }
        parts
            .predictor
            .observe(&Event { at: Time(now), job: &job, what: What::Arrived }, &mut self.revisions);
        let forecast = parts.predictor.estimate(&Question { job: &job, elapsed: Seconds::ZERO });
        let predicted = forecast.point();
        let mut placement = Placement::waiting(Seconds(secret.run), predicted, Reason::Immediate);
        placement.killed = secret.ending == Ending::Killed;
        self.placements.push(placement);
        self.secrets.push(self.site.rows().oldest(), index, secret);
        match parts.policy.confidence() {
            None => {
                let planned = self.planned(predicted);
                self.site.submit(&job, predicted, planned);
            }
            Some(confidence) => self.submit_bounded(&job, &forecast, confidence),
        }
        self.longest_queue = self.longest_queue.max(self.site.queue_length());
        self.revise_all(now, parts);
        self.tell(index, now, What::Arrived, parts.observers);
    }

    /// Lets the predictor learn from an event and takes over what it says of other jobs.
    fn learn(&mut self, job: JobIndex, now: i64, what: What, parts: &mut Components<'_, '_>) {
        let event = Event { at: Time(now), job: self.site.rows().job(job), what };
        parts.predictor.observe(&event, &mut self.revisions);
        self.revise_all(now, parts);
    }

    #[inline]
    fn revise_all(&mut self, now: i64, parts: &mut Components<'_, '_>) {
        if !self.revisions.is_empty() {
            self.revise_each(now, parts);
        }
    }

    /// What to plan a running job with: more than it has run.
    fn planned_beyond(&self, predicted: Seconds, elapsed: Seconds) -> Seconds {
        Some(self.planned(predicted)).filter(|planned| *planned > elapsed).unwrap_or(predicted)
    }

    #[inline]
    fn planned(&self, predicted: Seconds) -> Seconds {
        if self.options.factor == 1.0 {
            predicted
        } else {
            predicted.scaled(self.options.factor).max(Seconds(1))
        }
    }

    fn end(&mut self, index: JobIndex, now: i64, parts: &mut Components<'_, '_>) {
        // The agenda has the ends of running jobs only.
        let Ok(row) = self.site.end_row(index) else { return };
        let secret = &self.secrets[index];
        let what = What::Ended(End { ran: Seconds(secret.run), ending: secret.ending });
        if secret.changed {
            let placement = &mut self.placements[(index.0 - self.offset) as usize];
            placement.standing = secret.standing(&row, now, placement.standing);
        }
        let (procs, planned_end) = (Procs(row.procs), Time(row.planned_end()));
        parts.policy.note(Change::Ended { job: index, procs, planned_end, at: Time(now) });
        self.learn(index, now, what, parts);
        self.tell(index, now, what, parts.observers);
    }

    #[inline]
    fn overrun_all(&mut self, now: i64, parts: &mut Components<'_, '_>) {
        while self.overruns.next() <= now
            && let Some(index) = self.overruns.take(now)
        {
            self.overrun(index, now, parts);
        }
    }

    #[inline(never)]
    fn overrun(&mut self, index: JobIndex, now: i64, parts: &mut Components<'_, '_>) {
        let Some(&row) = self.site.rows().present(index) else { return };
        if row.deadline() > now {
            // It was revised since this was noted.
            return;
        }
        let placement = self.placement(index);
        let before = placement.corrections;
        placement.corrections = before.saturating_add(1);
        let elapsed = Seconds(now - row.start);
        let limit = self.site.rows().job(index).shape.limit;
        // With a factor below one only the plan is outlived at first, not the prediction.
        let corrected = match Seconds(row.predicted) {
            standing if standing > elapsed => standing,
            _ => self.options.correction.corrected_again(before, Seconds(row.first), elapsed, limit),
        };
        let planned = self.planned_end_beyond(index, corrected, elapsed, parts.policy);
        self.move_end(index, &row, now, Seconds(row.first), corrected, planned, parts);
        let what = What::Overran { elapsed, corrected };
        self.learn(index, now, what, parts);
        self.tell(index, now, what, parts.observers);
    }

    /// Notes when a running job will outlive its prediction, if it will.
    #[inline]
    fn expect_overrun(&mut self, index: JobIndex) {
        let row = &self.site.rows()[index];
        if row.predicted.min(row.planned) < self.secrets[index].run {
            self.overruns.add(row.deadline(), index);
        }
    }

    fn plan(&mut self, now: i64, parts: &mut Components<'_, '_>) {
        self.plan_on(now, parts, None);
    }

    /// Plans on processors or, if there are some, on nodes.
    #[inline]
    fn plan_on(&mut self, now: i64, parts: &mut Components<'_, '_>, nodes: Option<&dyn Nodes>) {
        if self.site.queue_length() == 0 {
            self.wake = i64::MAX;
            return;
        }
        self.plans += 1;
        let mut starts = std::mem::take(&mut self.starts);
        starts.clear();
        let view = self.view(now);
        let mut free = view.free;
        match nodes {
            None => parts.policy.plan(&view, &mut starts),
            Some(nodes) => {
                parts.policy.plan(&view.on(nodes), &mut starts);
                if !self.shape_on(nodes, &mut starts, now, parts.policy) {
                    return;
                }
            }
        }
        for start in &starts {
            if !self.begin(*start, now, &mut free, parts) {
                return;
            }
        }
        // Only once all of them run, so that no job is revised between being chosen and being started.
        for start in &starts {
            let shape = self.site.rows().job(start.job).shape_at(start.shape);
            self.learn(start.job, now, What::Started(shape), parts);
        }
        self.starts = starts;
        // A policy that wants to plan in the past would stop the clock.
        self.wake = parts.policy.wake().map_or(i64::MAX, |at| at.0).max(now.saturating_add(1));
    }

    /// Starts a job as the policy says; `false` if that is impossible.
    fn begin(&mut self, start: Start, now: i64, free: &mut i64, parts: &mut Components<'_, '_>) -> bool {
        let Start { job: index, shape: place, reason } = start;
        let Ok(row) = self.site.start_row(index, Time(now), place) else {
            return self.fail_start(index, now, parts.policy);
        };
        let (procs, outlived) = (row.procs, row.predicted.min(row.planned));
        *free -= i64::from(procs);
        if *free < 0 {
            let (policy, job) = (parts.policy.name(), self.site.rows().job(index).id);
            let free = u32::try_from(*free + i64::from(procs)).unwrap_or(0);
            return self.fail(SimError::TooFewFree { policy, job, procs, free, at: Time(now) });
        }
        if place > 0 {
            self.mold(index, place);
        }
        let placement = self.placement(index);
        (placement.start, placement.reason) = (Time(now), reason);
        let run = self.secrets[index].run;
        self.ends.add(now.saturating_add(run), index);
        if outlived < run {
            self.overruns.add(now.saturating_add(outlived), index);
        }
        if !parts.observers.is_empty() {
            let shape = self.site.rows().job(index).shape_at(place);
            self.tell(index, now, What::Started(shape), parts.observers);
        }
        true
    }

    #[cold]
    fn fail_start(&mut self, index: JobIndex, now: i64, policy: &dyn Policy) -> bool {
        let job = (index < self.site.submitted()).then(|| self.site.rows().job(index).id);
        let (policy, at) = (policy.name(), Time(now));
        self.fail(SimError::NotWaiting { policy, job, index: index.0, at })
    }

    /// A job starts in another shape than it prefers.
    fn mold(&mut self, index: JobIndex, place: u16) {
        let limit = self.site.rows().job(index).shape_at(place).limit;
        self.secrets[index].mold(place, limit, self.options.limit);
        let (run, ending) = (self.secrets[index].run, self.secrets[index].ending);
        let predicted = Seconds(self.site.rows()[index].predicted);
        let placement = self.placement(index);
        (placement.ran, placement.killed, placement.shape) = (Seconds(run), ending == Ending::Killed, place);
        placement.predicted = predicted;
    }

    /// Notes when a running job ends.
    #[inline]
    fn expect_end(&mut self, index: JobIndex) {
        let start = self.site.rows()[index].start;
        self.ends.add(start.saturating_add(self.secrets[index].run), index);
        self.expect_overrun(index);
    }

    #[cold]
    fn fail(&mut self, fault: SimError) -> bool {
        self.fault.get_or_insert(Box::new(fault));
        false
    }

    #[inline]
    fn tell(&self, job: JobIndex, now: i64, what: What, observers: &mut [&mut dyn Observer]) {
        if observers.is_empty() {
            return;
        }
        let view = self.view(now);
        let event = Event { at: Time(now), job: self.site.rows().job(job), what };
        for observer in observers.iter_mut() {
            observer.saw(&event, &view);
        }
    }

    #[inline]
    fn view(&self, now: i64) -> View<'_> {
        match self.options.event_order {
            EventOrder::Textbook => self.site.view(Time(now)),
            EventOrder::Pyss => self.site.view_after_planned_ends(Time(now)),
        }
    }

    /// What came of it. Jobs that have not started are left out, so this is for the end.
    pub fn into_schedule(mut self) -> Schedule {
        if self.site.queue_length() > 0 {
            self.placements.retain(|placement| placement.start.0 != WAITING);
        }
        // Most jobs keep their one prediction, and how right it was is computed here, out of the loop.
        for placement in &mut self.placements {
            if placement.corrections == 0 && placement.revisions == 0 {
                placement.standing = Standing::of(placement.predicted, placement.ran);
            }
        }
        Schedule { placements: self.placements, plans: self.plans, longest_queue: self.longest_queue }
    }
}

//! The event loop: integer time, a written order of events at one instant, and a plan after them.

mod mold;

use super::agenda::Agenda;
use super::error::SimError;
use super::options::{EventOrder, Options};
use super::policy::{Change, Policy, Start};
use super::queue::Queue;
use super::rows::{Row, Rows, WAITING};
use super::running::{PlannedEnd, Running};
use super::schedule::{Placement, Reason, Schedule, Standing};
use super::view::View;
use crate::job::{Ending, Event, Job, JobIndex, Outcome, Truth, What};
use crate::predict::{Question, Revision, RuntimePredictor};
use crate::units::{Procs, Seconds, Time};
use crate::workload::Workload;

/// Watches a simulation. What it sees is what anybody at the site could.
pub trait Observer {
    /// After each event, with the state right after it.
    fn saw(&mut self, event: &Event<'_>, view: &View<'_>);
}

/// A simulation in progress.
#[derive(Debug, Clone)]
pub struct Engine<'w> {
    machine: Procs,
    jobs: &'w [Job],
    truths: &'w [Truth],
    options: Options,
    rows: Rows,
    placements: Vec<Placement>,
    queue: Queue,
    running: Running,
    ends: Agenda,
    overruns: Agenda,
    free: i64,
    /// When the policy wants to plan though nothing happens; the end of time if it does not.
    wake: i64,
    starts: Vec<Start>,
    revisions: Vec<Revision>,
    /// Where the jobs are of a simulation that began in the middle: by their own index, which is not their place.
    places: Option<Vec<(JobIndex, JobIndex)>>,
    /// What a predictor did wrong.
    fault: Option<Box<SimError>>,
    /// How many have started.
    started: u32,
    plans: u64,
    longest_queue: usize,
}

/// The three who take part in a simulation besides the engine.
pub struct Company<'a, 'o> {
    /// Decides who starts.
    pub policy: &'a mut dyn Policy,
    /// Says how long jobs will run.
    pub predictor: &'a mut dyn RuntimePredictor,
    /// Watch.
    pub observers: &'a mut [&'o mut dyn Observer],
}

/// Simulates a whole workload. Fails only if the predictor breaks its contract.
pub fn simulate(
    workload: &Workload,
    options: Options,
    policy: &mut dyn Policy,
    predictor: &mut dyn RuntimePredictor,
    observers: &mut [&mut dyn Observer],
) -> Result<Schedule, SimError> {
    let mut engine = Engine::new(workload, options);
    let mut company = Company { policy, predictor, observers };
    while engine.step(&mut company)?.is_some() {}
    Ok(engine.into_schedule())
}

impl<'w> Engine<'w> {
    /// Before the first arrival.
    pub fn new(workload: &'w Workload, options: Options) -> Engine<'w> {
        Engine::empty(workload.machine().procs, workload.jobs(), workload.truths(), options)
    }

    /// From a state in the middle: the first jobs are in the rows, waiting or running; the others arrive.
    pub(super) fn resume(
        machine: Procs,
        jobs: &'w [Job],
        truths: &'w [Truth],
        options: Options,
        rows: &[Row],
    ) -> Engine<'w> {
        let mut engine = Engine::empty(machine, jobs, truths, options);
        let mut started: Vec<JobIndex> = Vec::new();
        for (job, row) in (0..).map(JobIndex).zip(rows) {
            engine.rows.push(*row);
            engine.placements.push(Placement {
                start: Time(row.start),
                ran: Seconds(row.run),
                predicted: Seconds(row.first),
                standing: Standing::default(),
                corrections: 0,
                revisions: 0,
                shape: 0,
                reason: Reason::Reserved,
                killed: false,
            });
            if row.is_waiting() { engine.queue.push(job, &mut engine.rows) } else { started.push(job) }
        }
        let mut places: Vec<(JobIndex, JobIndex)> =
            jobs.iter().map(|job| job.index).zip((0..).map(JobIndex)).collect();
        places.sort();
        engine.places = Some(places);
        // Simultaneous ends go in order of start, as they would where the state comes from.
        started.sort_by_key(|job| rows[job.at()].turn);
        for job in started {
            engine.occupy(job, &rows[job.at()]);
        }
        engine
    }

    fn empty(machine: Procs, jobs: &'w [Job], truths: &'w [Truth], options: Options) -> Engine<'w> {
        Engine {
            machine,
            jobs,
            truths,
            options,
            rows: Rows::new(),
            placements: Vec::with_capacity(jobs.len()),
            queue: Queue::new(),
            running: Running::new(),
            ends: Agenda::new(),
            overruns: Agenda::new(),
            free: i64::from(machine.0),
            wake: i64::MAX,
            starts: Vec::new(),
            revisions: Vec::new(),
            places: None,
            fault: None,
            started: 0,
            plans: 0,
            longest_queue: 0,
        }
    }

    /// Goes to the next instant at which something happens and lets it happen; `None` when all is done. After
    /// a failure the simulation is of no further use.
    pub fn step(&mut self, company: &mut Company<'_, '_>) -> Result<Option<Time>, SimError> {
        let Some(now) = self.next_instant() else { return Ok(None) };
        match self.options.event_order {
            EventOrder::Textbook => self.step_textbook(now, company),
            EventOrder::Pyss => self.step_pyss(now, company),
        }
        self.fault.take().map_or(Ok(Some(Time(now))), |fault| Err(*fault))
    }

    /// Brings an instant to its end that was left in the middle: what is due at it happens, and a plan.
    pub(super) fn conclude(&mut self, now: Time, company: &mut Company<'_, '_>) -> Result<(), SimError> {
        match self.options.event_order {
            EventOrder::Textbook => {
                self.wake = now.0;
                self.step_textbook(now.0, company);
            }
            // Each event has a plan of its own: that of the last one is still to come.
            EventOrder::Pyss => self.plan(now.0, company),
        }
        self.fault.take().map_or(Ok(()), |fault| Err(*fault))
    }

    /// When a job started, if it has.
    pub fn start(&self, job: JobIndex) -> Option<Time> {
        self.placements.get(job.at()).map(|placement| placement.start).filter(|start| start.0 != WAITING)
    }

    fn next_instant(&self) -> Option<i64> {
        let arrival = self.jobs.get(self.placements.len()).map_or(i64::MAX, |job| job.submit.0);
        let next = arrival.min(self.ends.next()).min(self.overruns.next()).min(self.wake);
        (next < i64::MAX).then_some(next)
    }

    fn step_textbook(&mut self, now: i64, company: &mut Company<'_, '_>) {
        let mut happened = self.wake <= now;
        while let Some(job) = self.ends.take(now) {
            self.end(job, now, company);
            happened = true;
        }
        self.overrun_all(now, company);
        while self.arrive(now, company) {
            happened = true;
        }
        if happened {
            self.plan(now, company);
        }
    }

    fn step_pyss(&mut self, now: i64, company: &mut Company<'_, '_>) {
        self.overrun_all(now, company);
        while self.arrive(now, company) {
            self.plan(now, company);
        }
        while let Some(job) = self.ends.take(now) {
            self.end(job, now, company);
            self.plan(now, company);
        }
        if self.wake <= now {
            self.plan(now, company);
        }
    }

    /// The next arrival of this instant, if there is one.
    fn arrive(&mut self, now: i64, company: &mut Company<'_, '_>) -> bool {
        let index = self.placements.len();
        let Some(job) = self.jobs.get(index).filter(|job| job.submit.0 <= now) else { return false };
        let truth = &self.truths[index];
        let run = self.options.limit.ran(job, truth);
        let killed = run < truth.run();
        let arrival = Event { at: Time(now), job, what: What::Arrived };
        company.predictor.observe(&arrival, &mut self.revisions);
        let question = Question { job, elapsed: Seconds::ZERO };
        let predicted = company.predictor.estimate(&question).point();
        self.rows.push(Row {
            submit: job.submit.0,
            start: WAITING,
            first: predicted.0,
            predicted: predicted.0,
            planned: self.planned(predicted).0,
            run: run.0,
            procs: job.shape.procs.0,
            turn: 0,
            ending: if killed { Ending::Killed } else { truth.ending },
            changed: false,
            since: job.submit.0,
            before: 0,
            after: 0,
        });
        self.placements.push(Placement {
            start: Time(WAITING),
            ran: run,
            predicted,
            standing: Standing::default(),
            corrections: 0,
            revisions: 0,
            shape: 0,
            reason: Reason::Immediate,
            killed,
        });
        self.queue.push(JobIndex(index as u32), &mut self.rows);
        self.longest_queue = self.longest_queue.max(self.queue.len());
        self.revise(now, company);
        self.tell(now, job, What::Arrived, company.observers);
        true
    }

    /// Lets the predictor learn from an event and takes over what it says of other jobs.
    fn learn(&mut self, event: &Event<'_>, company: &mut Company<'_, '_>) {
        company.predictor.observe(event, &mut self.revisions);
        self.revise(event.at.0, company);
    }

    fn revise(&mut self, now: i64, company: &mut Company<'_, '_>) {
        if self.revisions.is_empty() {
            return;
        }
        let mut revisions = std::mem::take(&mut self.revisions);
        for revision in revisions.drain(..) {
            self.revise_one(revision, now, company);
        }
        self.revisions = revisions;
    }

    fn revise_one(
        &mut self,
        Revision { job: named, forecast }: Revision,
        now: i64,
        company: &mut Company<'_, '_>,
    ) {
        let index = match &self.places {
            None => named,
            Some(places) => match places.binary_search_by_key(&named, |(own, _)| *own) {
                Ok(place) => places[place].1,
                // A fork leaves out whoever is about to go; the predictor need not know.
                Err(_) => return,
            },
        };
        let Some(&row) = self.rows.present(index) else {
            let predictor = company.predictor.name();
            let fault = SimError::AbsentJob { predictor, index: named.0, at: Time(now) };
            self.fault.get_or_insert(Box::new(fault));
            return;
        };
        let (predicted, was) = (forecast.point(), row.planned_end());
        let mut revised = Row { first: predicted.0, ..row };
        if row.is_waiting() {
            let planned = self.planned(predicted);
            revised.predict(now, predicted, planned, &mut self.placements[index.at()].standing);
            let (procs, from, to) = (Procs(row.procs), Seconds(row.planned), Seconds(revised.planned));
            company.policy.note(Change::Revised { job: index, procs, from, to });
        } else {
            let elapsed = Seconds(now - row.start);
            if predicted <= elapsed {
                let (predictor, job) = (company.predictor.name(), self.jobs[index.at()].id);
                let fault =
                    SimError::OutlivedPrediction { predictor, job, predicted, elapsed, at: Time(now) };
                self.fault.get_or_insert(Box::new(fault));
                return;
            }
            if self.counts_as_gone(&row, now) {
                return;
            }
            let planned = self.planned_beyond(predicted, elapsed);
            revised.predict(now, predicted, planned, &mut self.placements[index.at()].standing);
            self.move_end(index, was, &revised, company);
        }
        self.rows[index] = revised;
        let placement = &mut self.placements[index.at()];
        placement.revisions = placement.revisions.saturating_add(1);
    }

    /// Whether a running job ends at this instant, as planned, in an order where plans made before its end see
    /// it gone: somebody may hold its processors already, so it cannot be brought back.
    fn counts_as_gone(&self, row: &Row, now: i64) -> bool {
        let ends = row.start.saturating_add(row.run);
        self.options.event_order == EventOrder::Pyss && row.planned_end() <= now && ends <= now
    }

    /// A running job has another prediction, so it may be planned to end at another time.
    fn move_end(&mut self, index: JobIndex, was: i64, row: &Row, company: &mut Company<'_, '_>) {
        self.watch_for_overrun(index, row);
        let end = row.planned_end();
        if end == was {
            return;
        }
        self.running.remove(was, index);
        self.running.insert(PlannedEnd { end, job: index, procs: row.procs });
        company.policy.note(Change::Moved { job: index, from: Time(was), to: Time(end) });
    }

    /// What to plan a running job with: more than it has run.
    fn planned_beyond(&self, predicted: Seconds, elapsed: Seconds) -> Seconds {
        Some(self.planned(predicted)).filter(|planned| *planned > elapsed).unwrap_or(predicted)
    }

    fn planned(&self, predicted: Seconds) -> Seconds {
        if self.options.factor == 1.0 {
            predicted
        } else {
            predicted.scaled(self.options.factor).max(Seconds(1))
        }
    }

    fn end(&mut self, index: JobIndex, now: i64, company: &mut Company<'_, '_>) {
        let row = self.rows[index];
        let planned_end = row.planned_end();
        self.running.remove(planned_end, index);
        self.free += i64::from(row.procs);
        if row.changed {
            let placement = &mut self.placements[index.at()];
            placement.standing = row.standing(now, placement.standing);
        }
        self.rows.retire(index);
        let job = &self.jobs[index.at()];
        let what = What::Ended(Outcome { ran: Seconds(row.run), ending: row.ending });
        let (procs, planned_end) = (Procs(row.procs), Time(planned_end));
        company.policy.note(Change::Ended { job: index, procs, planned_end, at: Time(now) });
        self.learn(&Event { at: Time(now), job, what }, company);
        self.tell(now, job, what, company.observers);
    }

    fn overrun_all(&mut self, now: i64, company: &mut Company<'_, '_>) {
        while let Some(index) = self.overruns.take(now) {
            self.overrun(index, now, company);
        }
    }

    fn overrun(&mut self, index: JobIndex, now: i64, company: &mut Company<'_, '_>) {
        let row = self.rows[index];
        if row.deadline() > now {
            // It was revised since this was noted.
            return;
        }
        let was = row.planned_end();
        let job = &self.jobs[index.at()];
        let placement = &mut self.placements[index.at()];
        placement.corrections = placement.corrections.saturating_add(1);
        let elapsed = Seconds(now - row.start);
        // With a factor below one only the plan is outlived at first, not the prediction.
        let corrected = match Seconds(row.predicted) {
            standing if standing > elapsed => standing,
            _ => self.options.correction.corrected(Seconds(row.first), elapsed, job.shape.limit),
        };
        let mut row = row;
        let planned = self.planned_beyond(corrected, elapsed);
        row.predict(now, corrected, planned, &mut self.placements[index.at()].standing);
        self.rows[index] = row;
        self.move_end(index, was, &row, company);
        let what = What::Overran { elapsed, corrected };
        self.learn(&Event { at: Time(now), job, what }, company);
        self.tell(now, job, what, company.observers);
    }

    fn watch_for_overrun(&mut self, index: JobIndex, row: &Row) {
        if row.predicted.min(row.planned) < row.run {
            self.overruns.add(row.deadline(), index);
        }
    }

    fn plan(&mut self, now: i64, company: &mut Company<'_, '_>) {
        if self.queue.len() == 0 {
            self.wake = i64::MAX;
            return;
        }
        self.plans += 1;
        let mut starts = std::mem::take(&mut self.starts);
        starts.clear();
        let view = self.view(now);
        company.policy.plan(&view, &mut starts);
        for start in &starts {
            self.begin(*start, now, company.observers);
        }
        // Only once all of them run, so that nobody is revised between being chosen and being started.
        for start in &starts {
            let job = &self.jobs[start.job.at()];
            self.learn(
                &Event { at: Time(now), job, what: What::Started(job.shape_at(start.shape)) },
                company,
            );
        }
        self.starts = starts;
        // A policy that wants to be woken in the past would stop the clock.
        self.wake = company.policy.wake().map_or(i64::MAX, |at| at.0).max(now.saturating_add(1));
    }

    fn begin(&mut self, start: Start, now: i64, observers: &mut [&mut dyn Observer]) {
        let Start { job: index, shape, reason } = start;
        debug_assert!(self.rows[index].is_waiting(), "a policy starts waiting jobs only");
        self.queue.remove(index, &mut self.rows);
        if shape > 0 {
            self.mold(index, shape);
        }
        let row = Row { start: now, turn: self.started, ..self.rows[index] };
        self.started = self.started.wrapping_add(1);
        (self.rows[index].start, self.rows[index].turn) = (row.start, row.turn);
        let placement = &mut self.placements[index.at()];
        (placement.start, placement.reason) = (Time(now), reason);
        self.occupy(index, &row);
        let job = &self.jobs[index.at()];
        self.tell(now, job, What::Started(job.shape_at(shape)), observers);
    }

    /// Puts a started job on the machine.
    fn occupy(&mut self, index: JobIndex, row: &Row) {
        self.free -= i64::from(row.procs);
        self.running.insert(PlannedEnd { end: row.planned_end(), job: index, procs: row.procs });
        self.ends.add(row.start.saturating_add(row.run), index);
        self.watch_for_overrun(index, row);
    }

    fn tell(&self, now: i64, job: &Job, what: What, observers: &mut [&mut dyn Observer]) {
        if observers.is_empty() {
            return;
        }
        let view = self.view(now);
        for observer in observers.iter_mut() {
            observer.saw(&Event { at: Time(now), job, what }, &view);
        }
    }

    fn view(&self, now: i64) -> View<'_> {
        let (leaving, gone_by) = match self.options.event_order {
            EventOrder::Textbook => (0, i64::MIN),
            EventOrder::Pyss => (self.running.leaving(now), now),
        };
        View {
            now,
            gone_by,
            machine: self.machine,
            free: self.free + leaving,
            jobs: self.jobs,
            rows: &self.rows,
            queue: &self.queue,
            running: &self.running,
        }
    }

    /// What came of it. Jobs that have not started are left out, so this is for the end.
    pub fn into_schedule(mut self) -> Schedule {
        if self.queue.len() > 0 {
            self.placements.retain(|placement| placement.start.0 != WAITING);
        }
        // Most jobs keep their one prediction, and theirs is reckoned here, out of the loop.
        for placement in &mut self.placements {
            if placement.corrections == 0 && placement.revisions == 0 {
                placement.standing = Standing::of(placement.predicted, placement.ran);
            }
        }
        Schedule { placements: self.placements, plans: self.plans, longest_queue: self.longest_queue }
    }
}

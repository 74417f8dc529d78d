//! A backfill cycle from its begin to its end.

use super::cycle::Cycle;
use super::steps::NextStep;
use crate::cluster::BackfillSettings;
use crate::controller::job::{JobStage, StartedBy};
use crate::controller::placement::NodeSet;
use crate::controller::queue::{QueueRecord, RecordIndex};
use crate::controller::state::Controller;

impl<'c> Controller<'c> {
    /// A cycle that begins now; what running jobs hold is not looked up yet.
    pub fn begin_cycle(&mut self, settings: &'c BackfillSettings) -> Cycle<'c> {
        let memory = std::mem::take(&mut self.last_cycle);
        Cycle::begun(&self.now(), settings, memory)
    }

    /// Runs a backfill cycle; returns an upper bound of the queue records that it looks at.
    pub fn backfill(&mut self) -> usize {
        let settings = self.cluster.settings.backfill.as_ref().filter(|one| one.interval.is_some());
        let Some(settings) = settings else { return 0 };
        let queue = self.take_queue();
        let (records, of_arrays) = (queue.len(), queue.iter().filter(|record| record.is_task()).count());
        self.size_exclusive(&queue);
        let mut cycle = self.begin_cycle(settings);
        if !self.plan_mode.plans_all {
            cycle.find_candidates(&self.now(), &queue, RecordIndex(0));
        }
        if self.plan_mode.plans_all
            || cycle.candidates.latest_end(&self.now(), &queue, RecordIndex(0)).is_some()
        {
            let tests = queue.len() + of_arrays * settings.counts.max_job_array_resv as usize;
            cycle.defers_tasks = tests < settings.counts.max_job_test as usize;
            self.renew_core_holds();
            cycle.begin_plans();
            self.cycle(&queue, &mut cycle);
            self.renew_core_holds();
        }
        self.last_cycle = cycle.ended();
        self.queue.give_back(queue);
        records.min(settings.counts.max_job_test as usize)
    }

    fn cycle(&mut self, queue: &[QueueRecord], cycle: &mut Cycle<'_>) {
        let now = self.second();
        let settings = cycle.settings;
        let window = settings.window.0;
        for (index, queued) in queue.iter().enumerate() {
            let &QueueRecord { key, job, choice, user, .. } = queued;
            let record = RecordIndex(index);
            let has_no_reservation = key.0;
            if has_no_reservation && cycle.counts.is_full(user, settings)
                || !self.plan_mode.plans_limited
                    && queued.is_at_limit(&self.jobs, &self.limits, &mut cycle.full)
            {
                continue;
            }
            let first = job;
            let mut job = job;
            let (mut planned_tasks, mut is_counted) = (0, true);
            let is_in_cores = self.lift_core_hold(job, choice);
            cycle.knows_releases &= !is_in_cores;
            loop {
                if self.jobs[job].state != JobStage::Waiting || self.jobs[job].wait.eligible.is_none() {
                    break;
                }
                if cycle.tests >= settings.counts.max_job_test as usize {
                    return;
                }
                let at = &self.jobs[job].partitions[choice];
                let is_limited = || self.limits.before_selection(&at.limits, at.limit).is_some();
                if self.jobs.is_throttled(first, planned_tasks)
                    || !self.plan_mode.plans_limited && is_limited()
                {
                    break;
                }
                if job == first && !cycle.counts.count(&self.jobs[job], at, settings) {
                    break;
                }
                if job == first {
                    is_counted = cycle.counts.reserves(at.partition, settings);
                }
                cycle.tests += 1;
                if self.licenses.lack(self.jobs.submission(job)) {
                    break;
                }
                let at = at.clone();
                cycle.weights.clone_from(&self.pool.weights);
                let need = &at.kept.need;
                let planned = match self.planner().step(queue, record, job, &at, cycle) {
                    NextStep::Stop => return,
                    NextStep::Plan(None) => break,
                    NextStep::Plan(planned) => planned,
                    NextStep::Defer => None,
                };
                self.note_selection(&at, false);
                let is_now = |one: &&(i64, Vec<usize>)| one.0 <= now && self.planner().can_start(&one.1, &at);
                if let Some((_, nodes)) = planned.as_ref().filter(is_now) {
                    let shares = self.pool.given(nodes, need);
                    let amounts = self.limits.amounts(&shares, at.partition);
                    if self.limits.forbid(&at, &amounts, &shares) {
                        break;
                    }
                    self.note_selection(&at, true);
                    self.start(job, choice, shares, amounts, StartedBy::Backfill);
                    cycle.started += 1;
                    cycle.full.forget();
                    if settings.counts.max_job_start > 0 && cycle.started >= settings.counts.max_job_start {
                        return;
                    }
                    cycle.knows_releases = false;
                    if !self.plan_mode.plans_all {
                        cycle.find_candidates(&self.now(), queue, record.next());
                    }
                    match self.jobs[job].task.and_then(|_| self.jobs.next_task(job, planned_tasks)) {
                        Some(next) => job = next,
                        None => break,
                    }
                    continue;
                }
                let over = !self.plan_mode.plans_limited && self.limits.forbid_least(&at, &self.pool.layout);
                // It is tried to start on the nodes that are planned for it.
                if self.plan_mode.preempts
                    && !over
                    && let Some((_, nodes)) = planned.as_ref().filter(|one| one.0 <= now && !at.is_barred)
                {
                    let usable = NodeSet::of_list(self.cluster.nodes.len(), nodes);
                    self.make_way(job, &at, &usable);
                    cycle.full.forget();
                    let releases = self.planner().releases(queue, cycle);
                    cycle.renew(releases);
                    cycle.knows_releases = true;
                }
                if let Some((_, nodes)) =
                    planned.as_ref().filter(|_| job == first && self.now().takes_size_of(job, need))
                {
                    self.size_planned(job, need, nodes);
                }
                if !over && is_counted && self.planner().is_reserved_for(job, &at) {
                    match planned {
                        None => cycle.defer(job, at.clone()),
                        Some((start, nodes)) if start <= now + window => {
                            let kept = self.plan_mode.on_grid(start, at.limit, settings);
                            cycle.keep_for(kept, &nodes, self.planner().plans_idle(&at), &self.pool);
                        }
                        Some(_) => {}
                    }
                }
                planned_tasks += 1;
                let more = self.jobs[job].task.is_some()
                    && planned_tasks < settings.counts.max_job_array_resv as usize
                    && !over;
                match more.then(|| self.jobs.next_task(job, planned_tasks)).flatten() {
                    Some(next) => job = next,
                    None => break,
                }
            }
            if is_in_cores {
                self.renew_core_holds();
                cycle.knows_releases = false;
            }
        }
    }
}

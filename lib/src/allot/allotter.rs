//! The policy: first come, first served, and the job at the head takes as many processors as its strategy says.

use std::collections::{BTreeMap, HashMap};

use super::bias::Bias;
use super::choice::{Choice, Scales};
use super::sizes::{Size, Sizes};
use super::strategy::{Hold, Strategy};
use crate::job::JobIndex;
use crate::predict::Forecast;
use crate::sim::{Change, Policy, Reason, Start, View};
use crate::units::{Procs, Seconds, Time};
use crate::wait::{Holder, LifetimeFit, Outlook, QueueTime};

/// First come, first served over moldable jobs.
#[derive(Debug)]
pub struct Allotter {
    strategy: Strategy,
    /// What the job at the head holds out for.
    held: Option<Held>,
    /// The last that has arrived.
    newest: Option<JobIndex>,
    /// When those that run started. Looked up, never iterated.
    started: HashMap<JobIndex, Time>,
    fit: LifetimeFit,
    bias: Bias,
    /// Predictions by when their outcome will be known.
    open: BTreeMap<(Time, usize), Prediction>,
    predictions: Vec<Prediction>,
}

/// A job that holds out.
#[derive(Debug, Clone, Copy)]
struct Held {
    job: JobIndex,
    size: Size,
    /// When it thinks again.
    until: Time,
}

/// A predicted queue time and what became of it, in seconds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Prediction {
    /// As predicted, before anything was put right.
    pub raw: f64,
    /// As used.
    pub used: f64,
    /// Until the jobs that ran then had freed enough.
    pub actual: f64,
}

/// A running job: its processors, its age, its predicted run time, and how much of that is left.
#[derive(Debug, Clone, Copy)]
struct Resident {
    procs: Procs,
    age: Seconds,
    predicted: Seconds,
    left: Seconds,
}

impl Allotter {
    /// Before the first job.
    pub fn new(strategy: Strategy) -> Allotter {
        Allotter {
            strategy,
            held: None,
            newest: None,
            started: HashMap::new(),
            fit: LifetimeFit::new(),
            bias: Bias::default(),
            open: BTreeMap::new(),
            predictions: Vec::new(),
        }
    }

    /// Every queue time that a decision went by, with what became of it by the plans of the time: with exact run times, the
    /// truth.
    pub fn predictions(&self) -> &[Prediction] {
        &self.predictions
    }

    /// Learns from the predictions whose outcome is known by now.
    fn learn(&mut self, now: Time) {
        while let Some(first) = self.open.first_entry()
            && first.key().0 <= now
        {
            let Prediction { raw, actual, .. } = first.remove();
            self.bias.observe(raw, actual);
        }
    }

    /// What the job at the head starts in, or `None` if it holds out.
    fn decide(
        &mut self,
        job: JobIndex,
        sizes: &Sizes,
        free: Procs,
        queued: usize,
        now: Time,
        running: &[Resident],
    ) -> Option<Size> {
        let most = sizes.most()?;
        if most.procs <= free {
            return Some(most);
        }
        let Strategy { averse, social, .. } = self.strategy;
        let scales = Scales { queue: if social { queued as f64 } else { 1.0 }, averse };
        let more = |procs: Procs| (procs.0 - free.0) as usize;
        let (size, wait) = match self.strategy.hold {
            Hold::Never => return sizes.within(free),
            Hold::Planned => {
                let planned = planned(running, more(most.procs));
                let choice = Choice::of(sizes, free, scales, |procs| planned.get(more(procs)).copied());
                choice.later.filter(|_| choice.hold).ok_or(choice.now)
            }
            Hold::Predicted { by, outlook, corrected } => {
                let raw = self.queue_times(by, outlook, running, Procs(most.procs.0 - free.0));
                let used = |seconds: f64| if corrected { self.bias.corrected(seconds) } else { seconds };
                let choice = Choice::of(sizes, free, scales, |procs| {
                    raw.get(more(procs)).copied().flatten().map(used)
                });
                if let Some((size, used)) = choice.later {
                    self.note(
                        raw[more(size.procs)].unwrap_or(used),
                        used,
                        planned(running, more(size.procs)).last().copied(),
                        now,
                    );
                }
                choice.later.filter(|_| choice.hold).ok_or(choice.now)
            }
            Hold::Heuristic { longer, wider, fraction, patience } => {
                let alone =
                    sizes.all().first().map_or(0.0, |size| size.run.0 as f64 * f64::from(size.procs.0));
                let wanted =
                    sizes.at_least(fraction * f64::from(most.procs.0)).filter(|wanted| wanted.procs > free);
                let now = sizes.within(free);
                let saved = wanted.zip(now).map_or(0.0, |(wanted, now)| (now.run - wanted.run).0 as f64);
                wanted
                    .filter(|_| alone > longer && most.procs.0 > wider)
                    .map(|wanted| (wanted, patience * saved))
                    .ok_or(now)
            }
        }
        .map_or_else(|now| (now, None), |(size, wait)| (Some(size), Some(wait)));
        let Some(wait) = wait else { return size };
        // At least a second, so that the clock goes on.
        let until = now + Seconds(wait.ceil().clamp(1.0, 1e15) as i64);
        self.held = size.map(|size| Held { job, size, until });
        None
    }

    fn queue_times(
        &self,
        by: QueueTime,
        outlook: Outlook,
        running: &[Resident],
        more: Procs,
    ) -> Vec<Option<f64>> {
        let holder =
            |job: &Resident| outlook.holder(job.procs, job.age, &Forecast::exactly(job.predicted), &self.fit);
        let holders: Vec<Holder> = running.iter().map(holder).collect();
        by.predict_all(&holders, more)
    }

    fn note(&mut self, raw: f64, used: f64, actual: Option<f64>, now: Time) {
        let Some(actual) = actual else { return };
        let prediction = Prediction { raw, used, actual };
        self.open.insert((now + Seconds(actual.ceil() as i64), self.predictions.len()), prediction);
        self.predictions.push(prediction);
    }
}

/// Seconds until none, one, two … more processors are free, as the running jobs are planned.
fn planned(running: &[Resident], more: usize) -> Vec<f64> {
    let mut ends: Vec<(Seconds, Procs)> = running.iter().map(|job| (job.left, job.procs)).collect();
    ends.sort_unstable();
    let mut planned = vec![0.0];
    for (left, procs) in ends {
        let upto = (planned.len() + procs.0 as usize).min(more + 1);
        planned.resize(upto.max(planned.len()), left.0 as f64);
    }
    planned
}

impl Policy for Allotter {
    fn plan(&mut self, view: &View<'_>, starts: &mut Vec<Start>) {
        let now = view.now();
        self.learn(now);
        let newest = view.waiting().map(|job| job.index).last();
        let arrival = newest > self.newest;
        self.newest = newest.max(self.newest);
        let mut running: Vec<Resident> = view
            .running()
            .map(|job| Resident {
                procs: job.procs,
                age: now - job.start,
                predicted: job.predicted,
                left: job.planned_end - now,
            })
            .collect();
        let mut free = view.free();
        let mut queued = view.queue_length();
        for waiting in view.waiting() {
            if free.0 == 0 {
                break;
            }
            let sizes = Sizes::of(waiting.job, self.strategy.least);
            let held = self.held.filter(|held| held.job == waiting.index);
            let chosen = match held {
                Some(held) if held.size.procs <= free => {
                    if self.strategy.lock_in {
                        Some(held.size)
                    } else {
                        sizes.within(free)
                    }
                }
                Some(held) if now >= held.until && matches!(self.strategy.hold, Hold::Heuristic { .. }) => {
                    sizes.within(free)
                }
                Some(held) if now < held.until && !(arrival && self.reconsiders()) => None,
                _ => {
                    self.held = None;
                    self.decide(waiting.index, &sizes, free, queued, now, &running)
                }
            };
            let Some(size) = chosen else { break };
            self.held = None;
            free = Procs(free.0 - size.procs.0);
            queued -= 1;
            let reason = if waiting.job.submit == now { Reason::Immediate } else { Reason::Reserved };
            starts.push(Start { job: waiting.index, shape: size.shape, reason });
            self.started.insert(waiting.index, now);
            running.push(Resident {
                procs: size.procs,
                age: Seconds::ZERO,
                predicted: size.run,
                left: size.run,
            });
        }
    }

    fn note(&mut self, change: Change) {
        if let Change::Ended { job, at, .. } = change
            && let Some(start) = self.started.remove(&job)
        {
            self.fit.observe(at - start);
        }
    }

    fn wake(&self) -> Option<Time> {
        self.held.map(|held| held.until)
    }
}

impl Allotter {
    /// Whether an arrival makes the job at the head think again.
    fn reconsiders(&self) -> bool {
        matches!(self.strategy.hold, Hold::Planned | Hold::Predicted { .. })
    }
}

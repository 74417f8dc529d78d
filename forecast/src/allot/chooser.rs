//! Applies a strategy to the job at the head of the queue.

use std::collections::BTreeMap;
use std::iter;

use super::bias::{Bias, corrected_by};
use super::choice::{Choice, Scales};
use super::sizes::{Size, Sizes};
use super::strategy::{BiasLine, Hold, Prompting, Strategy};
use queuecast_core::units::{Procs, Seconds, Time};
use queuecast_sim::predict::Forecast;
use queuecast_wait::{Holder, LifetimeFit, Outlook};

/// A predicted queue time and the actual one, in seconds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Prediction {
    /// As predicted, before any correction.
    pub raw: f64,
    /// As used.
    pub used: f64,
    /// The seconds until the jobs running then had freed enough processors, by their planned ends.
    pub actual: f64,
}

/// A running job: its processors, when it started, its predicted run time, and when it is planned to end.
#[derive(Debug, Clone, Copy)]
pub(super) struct Occupant {
    pub(super) procs: Procs,
    pub(super) start: Time,
    pub(super) predicted: Seconds,
    pub(super) planned_end: Time,
}

/// What the job at the head is told when it is asked.
#[derive(Debug, Clone, Copy)]
pub(super) struct Prompt<'a> {
    pub(super) now: Time,
    pub(super) free: Procs,
    /// Waiting jobs, itself included.
    pub(super) queued: usize,
    pub(super) running: &'a [Occupant],
    /// Whether a job has just arrived.
    pub(super) arrival: bool,
}

/// A job that waits for more processors than are free.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Held {
    /// The size it waits for.
    pub(super) size: Size,
    /// When it decides again.
    pub(super) until: Time,
}

/// The decision of the job at the head.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Verdict {
    Start(Size),
    Hold(Held),
    /// No size that it accepts is free, and it is not known when one will be.
    Wait,
}

/// A strategy and what it has learned.
#[derive(Debug)]
pub(super) struct Chooser {
    pub(super) strategy: Strategy,
    bias: Bias,
    /// Predictions by the time at which the actual queue time is known.
    open: BTreeMap<(Time, usize), Prediction>,
    predictions: Vec<Prediction>,
}

/// State to restore after following one job into the future: what the chooser learns meanwhile is undone by `end`.
#[derive(Debug)]
pub(super) struct LookAhead {
    bias: Bias,
    learned: Vec<((Time, usize), Prediction)>,
}

impl LookAhead {
    /// Learns what will be known at this time.
    pub(super) fn learn(&mut self, chooser: &mut Chooser, at: Time) {
        self.learned.extend(iter::from_fn(|| chooser.learn_next(at)));
    }

    /// Returns to what was known when the look ahead began. Predictions made on the way stay.
    pub(super) fn end(self, chooser: &mut Chooser) {
        chooser.bias = self.bias;
        chooser.open.extend(self.learned);
    }
}

impl Chooser {
    pub(super) fn new(strategy: Strategy) -> Chooser {
        Chooser { strategy, bias: Bias::default(), open: BTreeMap::new(), predictions: Vec::new() }
    }

    pub(super) fn predictions(&self) -> &[Prediction] {
        &self.predictions
    }

    /// Learns from the predictions whose actual queue time is known by now.
    pub(super) fn learn(&mut self, now: Time) {
        while self.learn_next(now).is_some() {}
    }

    /// Learns from the earliest prediction whose actual queue time is known by now.
    fn learn_next(&mut self, now: Time) -> Option<((Time, usize), Prediction)> {
        let first = self.open.first_entry().filter(|first| first.key().0 <= now)?;
        let (key, prediction) = first.remove_entry();
        self.bias.observe(prediction.raw, prediction.actual);
        Some((key, prediction))
    }

    /// What it has learned so far, to return to after a look ahead.
    pub(super) fn look_ahead(&self) -> LookAhead {
        LookAhead { bias: self.bias, learned: Vec::new() }
    }

    /// Asks the job at the head, which has waited as `held` says or was not asked before.
    pub(super) fn ask(
        &mut self,
        held: Option<Held>,
        sizes: &Sizes,
        prompt: Prompt<'_>,
        fit: &LifetimeFit,
    ) -> Verdict {
        let Prompt { now, free, arrival, .. } = prompt;
        let most_free = || sizes.within(free).map_or(Verdict::Wait, Verdict::Start);
        match held {
            Some(held) if held.size.procs <= free => {
                if self.strategy.lock_in {
                    Verdict::Start(held.size)
                } else {
                    most_free()
                }
            }
            Some(held) if now >= held.until && matches!(self.strategy.hold, Hold::Heuristic { .. }) => {
                most_free()
            }
            Some(held) if now < held.until && !self.is_prompted(arrival) => Verdict::Hold(held),
            _ => self.decide(sizes, prompt, fit),
        }
    }

    /// Whether it decides again before the planned time.
    fn is_prompted(&self, arrival: bool) -> bool {
        let thinks = matches!(self.strategy.hold, Hold::Planned | Hold::Predicted { .. });
        thinks && (arrival || self.strategy.prompting == Prompting::Departures)
    }

    fn decide(&mut self, sizes: &Sizes, prompt: Prompt<'_>, fit: &LifetimeFit) -> Verdict {
        let Prompt { now, free, queued, running, .. } = prompt;
        let (Some(most), Some(fastest)) = (sizes.most(), sizes.fastest()) else { return Verdict::Wait };
        if most.procs <= free {
            return Verdict::Start(most);
        }
        let at_once = sizes.within(free);
        let Strategy { averse, social, .. } = self.strategy;
        let scales = Scales { queue: if social { queued as f64 } else { 1.0 }, averse };
        let more = |procs: Procs| (procs.0 - free.0) as usize;
        let later = match self.strategy.hold {
            Hold::Never => None,
            Hold::Planned => {
                let planned = planned(running, now, more(most.procs));
                let choice = Choice::of(sizes, free, scales, |procs| planned.get(more(procs)).copied());
                choice.later.filter(|_| choice.hold)
            }
            Hold::Predicted { by, outlook, literal, line, stretch } => {
                let corrected = |seconds: f64| match line {
                    BiasLine::None => seconds,
                    BiasLine::Fitted => self.bias.corrected(seconds),
                    BiasLine::Given { intercept, slope } => corrected_by(intercept, slope, seconds),
                };
                let used = |seconds: f64| stretch * corrected(seconds);
                // Larger sizes are skipped once even the fastest one could not beat the best turnaround so far. Where
                // corrections may reorder queue times, all sizes are predicted.
                let in_order = line != BiasLine::Fitted || self.bias.keeps_order();
                let mut best = f64::INFINITY;
                let goes_on = |more: Procs, seconds: f64| {
                    let turnaround = |size: Size| scales.queue * used(seconds) + size.run.0 as f64;
                    if let Some(size) = sizes.exactly(Procs(free.0 + more.0)) {
                        best = best.min(turnaround(size));
                    }
                    !in_order || turnaround(fastest) < best
                };
                let holders = holders(outlook, literal, running, now, fit);
                let raw = by.predict_while(&holders, Procs(most.procs.0 - free.0), goes_on);
                let choice = Choice::of(sizes, free, scales, |procs| {
                    raw.get(more(procs)).copied().flatten().map(used)
                });
                if let Some((size, used)) = choice.later {
                    let raw = raw[more(size.procs)].unwrap_or(used);
                    self.note(raw, used, planned(running, now, more(size.procs)).last().copied(), now);
                }
                choice.later.filter(|_| choice.hold)
            }
            Hold::Heuristic { longer, wider, fraction, patience } => {
                let alone =
                    sizes.all().first().map_or(0.0, |size| size.run.0 as f64 * f64::from(size.procs.0));
                let wanted = sizes.at_least(fraction).filter(|wanted| wanted.procs > free);
                // A job with no free size loses nothing by waiting; its patience begins once it could start.
                wanted
                    .zip(at_once)
                    .filter(|_| alone > longer && most.procs.0 > wider)
                    .map(|(wanted, now)| (wanted, patience * (now.run - wanted.run).0 as f64))
            }
        };
        match (later, at_once) {
            // At least a second, so that the clock goes on.
            (Some((size, wait)), _) => {
                Verdict::Hold(Held { size, until: now + Seconds(wait.ceil().clamp(1.0, 1e15) as i64) })
            }
            (None, Some(size)) => Verdict::Start(size),
            (None, None) => Verdict::Wait,
        }
    }

    fn note(&mut self, raw: f64, used: f64, actual: Option<f64>, now: Time) {
        let Some(actual) = actual else { return };
        let prediction = Prediction { raw, used, actual };
        self.open.insert((now + Seconds(actual.ceil() as i64), self.predictions.len()), prediction);
        self.predictions.push(prediction);
    }
}

fn holders(
    outlook: Outlook,
    literal: bool,
    running: &[Occupant],
    now: Time,
    fit: &LifetimeFit,
) -> Vec<Holder> {
    let holder =
        |job: &Occupant| outlook.holder(job.procs, now - job.start, &Forecast::exactly(job.predicted), fit);
    let literally = |holder: Holder| if literal { holder.from_its_start() } else { holder };
    running.iter().map(holder).map(literally).collect()
}

/// Seconds until none, one, two … more processors are free, as the running jobs are planned.
fn planned(running: &[Occupant], now: Time, more: usize) -> Vec<f64> {
    let mut ends: Vec<(Time, Procs)> = running.iter().map(|job| (job.planned_end, job.procs)).collect();
    ends.sort_unstable();
    let mut planned = vec![0.0];
    for (end, procs) in ends {
        let upto = (planned.len() + procs.0 as usize).min(more + 1);
        planned.resize(upto.max(planned.len()), (end - now).0 as f64);
    }
    planned
}

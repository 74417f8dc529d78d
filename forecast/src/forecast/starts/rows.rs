//! What the trees know of an arrival: the job, the queue, the machine, recent waits, simulated starts.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};

use super::learned_site::LearnedSite;
use super::recent_waits::{KINDS, RecentWaits, scaled};
use queuecast_core::job::{Event, What};
use queuecast_core::units::Seconds;
use queuecast_sim::sim::RunOn;
use queuecast_sim::site::View;
use queuecast_wait::Arrival;

/// Seconds of a day.
const DAY: i64 = 86_400;

/// Arrivals and starts are counted over these many last seconds.
const SPANS: [i64; 2] = [3_600, 6 * 3_600];

/// What is kept of the events of a site to describe arrivals.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct RowTracker {
    waits: RecentWaits,
    /// Instants of the last arrivals and starts, oldest first.
    arrivals: VecDeque<i64>,
    starts: VecDeque<i64>,
    simulates: bool,
    draws: u32,
}

/// One number of a row, by name.
struct RowBuilder<'a> {
    values: &'a mut Vec<f32>,
}

impl RowBuilder<'_> {
    fn add(&mut self, value: f64) {
        self.values.push(value as f32);
    }

    /// On a logarithmic scale, from 0.
    fn log(&mut self, value: f64) {
        self.add(value.max(0.0).ln_1p());
    }
}

/// How many of the ascending times are at `from` or later.
fn since(times: &VecDeque<i64>, from: i64) -> usize {
    times.len() - times.partition_point(|&at| at < from)
}

fn forget(times: &mut VecDeque<i64>, before: i64) {
    while times.front().is_some_and(|&at| at < before) {
        times.pop_front();
    }
}

impl RowTracker {
    /// Before the first event. Without simulation rows have no simulated starts.
    pub fn new(simulates: bool, draws: u32) -> RowTracker {
        RowTracker {
            waits: RecentWaits::default(),
            arrivals: VecDeque::new(),
            starts: VecDeque::new(),
            simulates,
            draws,
        }
    }

    /// Learns from an event.
    pub fn observe(&mut self, event: &Event<'_>) {
        let at = event.at.0;
        let times = match event.what {
            What::Arrived => &mut self.arrivals,
            What::Started(_) => {
                self.waits.learn(event.job, (event.at - event.job.submit).0 as f64, event.at);
                &mut self.starts
            }
            _ => return,
        };
        times.push_back(at);
        forget(times, at - SPANS[1]);
    }

    /// Simulated waits on a logarithmic scale: three single runs, then the mean and two quantiles of draws.
    fn simulated(
        &self,
        learned: &LearnedSite,
        arrival: &Arrival<'_>,
        site: View<'_>,
        run_on: &mut RunOn,
    ) -> [f64; 6] {
        if site.queue_length() == 0 && arrival.job.shape.procs <= site.free() {
            return [scaled(0.0); 6];
        }
        let (single, drawn) = learned.probes(site, arrival.job, self.draws, run_on);
        let [first, second, third] = single.map(|wait| if wait.is_nan() { wait } else { scaled(wait) });
        let count = drawn.len();
        let mean = drawn.iter().map(|&wait| scaled(wait)).sum::<f64>() / count as f64;
        let at = |place: usize| drawn.get(place).map_or(f64::NAN, |&wait| scaled(wait));
        [first, second, third, mean, at(count / 4), at(count * 3 / 4)]
    }

    /// The row of an arrival at a site of which this was learned, simulated in `run_on`.
    pub fn row(
        &self,
        learned: &LearnedSite,
        arrival: &Arrival<'_>,
        site: View<'_>,
        run_on: &mut RunOn,
    ) -> Vec<f32> {
        let mut values = Vec::with_capacity(72);
        let mut row = RowBuilder { values: &mut values };
        let job = arrival.job;
        let now = arrival.at.0;
        let procs = job.shape.procs.0;
        let request = learned.requested(job).0;
        let known = |id: Option<u32>| id.map_or(f64::NAN, f64::from);
        // The 19 of the paper, processors and requested time among them.
        arrival.features.0.iter().for_each(|&value| row.log(value));
        row.log(f64::from(procs) * request as f64);
        row.add(known(job.queue.map(|id| id.number())));
        row.add(known(job.partition.map(|id| id.number())));
        row.add(now.rem_euclid(DAY) as f64);
        row.add((now.div_euclid(DAY)).rem_euclid(7) as f64);
        let machine = f64::from(site.machine().0.max(1));
        row.add(f64::from(site.free().0) / machine);
        row.add(f64::from(site.free().0) / f64::from(procs.max(1)));
        queue_facts(learned, arrival, site, &mut row);
        for recent in self.waits.of(job) {
            row.add(recent.map_or(f64::NAN, |recent| recent.mean));
            row.add(recent.map_or(f64::NAN, |recent| recent.last));
            row.log(recent.map_or(f64::NAN, |recent| (now - recent.at.0) as f64));
        }
        for span in SPANS {
            row.log(since(&self.arrivals, now - span) as f64);
            row.log(since(&self.starts, now - span) as f64);
        }
        row.log(self.starts.back().map_or(f64::NAN, |&at| (now - at) as f64));
        if self.simulates {
            for wait in self.simulated(learned, arrival, site, run_on) {
                RowBuilder { values: &mut values }.add(wait);
            }
        }
        debug_assert!(values.len() > KINDS);
        values
    }
}

/// Facts of the waiting and running jobs that need a look at each of them.
fn queue_facts(learned: &LearnedSite, arrival: &Arrival<'_>, site: View<'_>, row: &mut RowBuilder<'_>) {
    let job = arrival.job;
    let (procs, request) = (job.shape.procs, learned.requested(job));
    let score = learned.order().score(job, Seconds::ZERO);
    let mut oldest: [i64; 6] = [0; 6];
    let mut counts = [0_u32; 4];
    let (mut easier, mut ahead, mut own) = (0.0, 0.0, 0.0);
    for one in site.waiting() {
        let age = (site.now() - one.job.submit).0;
        let asked = learned.requested(one.job);
        let area = f64::from(one.job.shape.procs.0) * asked.0 as f64;
        let mut note = |place: usize, is: bool| {
            if is {
                oldest[place] = oldest[place].max(age);
            }
            is
        };
        note(0, true);
        note(4, one.job.shape.procs <= procs);
        note(5, one.job.queue == job.queue);
        if note(1, one.job.shape.procs <= procs && asked <= request) {
            counts[0] += 1;
            easier += area;
        }
        if note(2, learned.order().score(one.job, Seconds(age)) >= score) {
            counts[1] += 1;
            ahead += area;
        }
        if note(3, one.job.user.is_some() && one.job.user == job.user) {
            counts[2] += 1;
            own += area;
        }
        counts[3] += u32::from(one.job.queue == job.queue);
    }
    let has = |place: usize| {
        let any = [site.queue_length() as u32, counts[0], counts[1], counts[2], 0, counts[3]][place];
        if any > 0 || place == 4 { (oldest[place] as f64).max(0.0).ln_1p() } else { f64::NAN }
    };
    for place in 0..6 {
        row.add(has(place));
    }
    counts.iter().for_each(|&count| row.log(f64::from(count)));
    row.log(easier);
    row.log(ahead);
    row.log(own);
    row.add(score);
    let (mut runs, mut held, mut youngest) = (0_u32, 0_u32, f64::NAN);
    for one in site.running() {
        if one.job.user.is_some() && one.job.user == job.user {
            runs += 1;
            held = held.saturating_add(one.procs.0);
            youngest = youngest.min((site.now() - one.start).0 as f64);
        }
    }
    row.log(f64::from(runs));
    row.log(f64::from(held));
    row.log(youngest);
}

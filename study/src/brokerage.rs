//! Brokers compared on one grid: waits, where jobs went, and what the users of each site gained or lost.

use queuecast_core::order;
use serde::Serialize;

use queuecast_core::parallel;
use queuecast_core::stats;
use queuecast_core::units::Seconds;
use queuecast_eval::{Outcome, RatioMeasure, Resampled, Spread, WeeklySums};
use queuecast_forecast::broker::{BrokerSpec, Grid, GridError, GridSchedule};

/// What came of a grid under several brokers.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Brokerage {
    /// Jobs that some site takes.
    pub jobs: usize,
    /// Jobs that no site takes; they are left out everywhere.
    pub unplaced: usize,
    /// The sites, in their order.
    pub sites: Vec<SiteOfGrid>,
    /// The brokers, in their order.
    pub brokers: Vec<BrokerResult>,
}

/// A site, whatever the broker.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SiteOfGrid {
    /// Its name.
    pub site: String,
    /// Its processors.
    pub procs: u32,
    /// Jobs submitted to it where there is no broker.
    pub jobs: usize,
}

/// What came of one broker. Times are in seconds, shares from 0 to 1.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct BrokerResult {
    /// The broker.
    pub broker: String,
    /// Mean wait.
    pub mean_wait: f64,
    /// Half of the jobs waited no longer.
    pub p50_wait: f64,
    /// Nine in ten waited no longer.
    pub p90_wait: f64,
    /// The share of the jobs that waited for at most an hour.
    pub within_hour: f64,
    /// The share of the jobs that waited for at least a day.
    pub over_day: f64,
    /// Mean time from submission to end.
    pub mean_response: f64,
    /// Mean bounded slowdown.
    pub mean_bounded_slowdown: f64,
    /// Copies of jobs that were withdrawn because another copy started.
    pub withdrawn: usize,
    /// The mean wait less that of `static`, as a share of it; with its 95 % confidence interval over weeks. `None` without
    /// `static`.
    pub against_static: Option<RelativeChange>,
    /// What it saves of the mean wait of `static`, as a share of what the oracle saves. `None` without both.
    pub of_oracle: Option<f64>,
    /// Where jobs went.
    pub sites: Vec<SiteShare>,
    /// What became of the jobs of each site's own users.
    pub homes: Vec<HomeResult>,
}

/// A relative change.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct RelativeChange {
    /// Below zero: less.
    pub change: f64,
    /// Its 95 % confidence interval, by drawing whole weeks; `None` with fewer than two.
    pub interval: Option<[f64; 2]>,
}

/// What ran at one site.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SiteShare {
    /// The site.
    pub site: String,
    /// Jobs that ran there.
    pub jobs: usize,
    /// Of all jobs.
    pub share: f64,
    /// Their mean wait; `None` of none.
    pub mean_wait: Option<f64>,
    /// Their processor time, over that of the machine from the first submission to the last.
    pub load: f64,
    /// The most jobs in its queue, those that arrived at the instant included.
    pub longest_queue: usize,
}

/// What became of the jobs of one site's own users, wherever they ran.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct HomeResult {
    /// The site.
    pub site: String,
    /// Their jobs.
    pub jobs: usize,
    /// The share that ran at home.
    pub stayed: f64,
    /// Their mean wait; `None` of none.
    pub mean_wait: Option<f64>,
    /// Their mean wait less that under `static`, in seconds: below zero they gain. `None` without `static`.
    pub change: Option<f64>,
}

impl Brokerage {
    /// How many steps [`Brokerage::compare`] tells of.
    pub fn steps(grid: &Grid, brokers: &[BrokerSpec]) -> usize {
        grid.jobs().len() * brokers.len()
    }

    /// Simulates the grid under each broker, on all cores.
    pub fn compare(
        grid: &Grid,
        brokers: &[BrokerSpec],
        done: &(dyn Fn(usize) + Sync),
    ) -> Result<Brokerage, GridError> {
        // The longest first, so that no core is left with it at the end.
        let mut order: Vec<usize> = (0..brokers.len()).collect();
        order::sort_by_key(&mut order, |&place| std::cmp::Reverse(brokers[place].effort()));
        let mut schedules = parallel::try_map(&order, |&place| {
            let schedule = grid.simulate(brokers[place].build().as_mut(), done)?;
            Ok::<_, GridError>((place, schedule))
        })?;
        order::sort_by_key(&mut schedules, |one| one.0);
        let schedules: Vec<GridSchedule> = schedules.into_iter().map(|one| one.1).collect();
        Ok(Brokerage::of(grid, brokers, &schedules))
    }

    /// Of schedules that there are already, one for each broker.
    pub fn of(grid: &Grid, brokers: &[BrokerSpec], schedules: &[GridSchedule]) -> Brokerage {
        let weekly: Vec<WeeklySums> = schedules.iter().map(|schedule| weekly(grid, schedule)).collect();
        let place = |broker: BrokerSpec| brokers.iter().position(|one| *one == broker);
        let (at_static, oracle) = (place(BrokerSpec::Static), place(BrokerSpec::Oracle));
        let resampled = Resampled::of(&MEASURES, &weekly.iter().collect::<Vec<_>>());
        let mut results: Vec<BrokerResult> =
            brokers.iter().zip(schedules).map(|(broker, schedule)| result(grid, broker, schedule)).collect();
        let means: Vec<f64> = results.iter().map(|one| one.mean_wait).collect();
        let base = at_static.map(|place| results[place].homes.clone());
        for (at, result) in results.iter_mut().enumerate() {
            let Some(base_at) = at_static else { continue };
            let saved = |mean: f64| means[base_at] - mean;
            result.against_static = (means[base_at] > 0.0).then(|| RelativeChange {
                change: -saved(means[at]) / means[base_at],
                interval: resampled.relative(0, at, base_at),
            });
            result.of_oracle = oracle
                .map(|oracle| saved(means[oracle]))
                .filter(|&most| most > 0.0)
                .map(|most| saved(means[at]) / most);
            for (home, before) in result.homes.iter_mut().zip(base.iter().flatten()) {
                home.change = home.mean_wait.zip(before.mean_wait).map(|(now, before)| now - before);
            }
        }
        let is_placed = |at: usize| schedules.first().is_none_or(|schedule| schedule.starts[at].is_some());
        let sites = grid.sites().iter().enumerate().map(|(place, site)| SiteOfGrid {
            site: site.name.clone(),
            procs: site.procs.0,
            jobs: grid
                .jobs()
                .iter()
                .enumerate()
                .filter(|(at, one)| one.home == Some(place) && is_placed(*at))
                .count(),
        });
        let unplaced = schedules.first().map_or_else(
            || grid.unplaced().count(),
            |schedule| schedule.starts.iter().filter(|start| start.is_none()).count(),
        );
        Brokerage { jobs: grid.jobs().len() - unplaced, unplaced, sites: sites.collect(), brokers: results }
    }

    /// What came of a broker.
    pub fn broker(&self, broker: BrokerSpec) -> Option<&BrokerResult> {
        let name = broker.to_string();
        self.brokers.iter().find(|one| one.broker == name)
    }
}

const MEASURES: [RatioMeasure; 1] = [RatioMeasure::mean("mean_wait")];

/// A job that ran: where it came from, where it ran, and what became of it.
struct Ran {
    home: Option<usize>,
    site: usize,
    outcome: Outcome,
}

impl Ran {
    fn wait(&self) -> f64 {
        self.outcome.wait().0 as f64
    }
}

fn ran<'a>(grid: &'a Grid, schedule: &'a GridSchedule) -> impl Iterator<Item = Ran> + 'a {
    grid.jobs().iter().zip(&schedule.starts).filter_map(|(one, start)| {
        let start = (*start)?;
        let (submit, procs) = (one.job.submit, one.job.shape.procs);
        let outcome = Outcome { submit, start: start.start, ran: start.ran, procs };
        Some(Ran { home: one.home, site: start.site, outcome })
    })
}

fn weekly(grid: &Grid, schedule: &GridSchedule) -> WeeklySums {
    let mut sums = WeeklySums::default();
    for one in ran(grid, schedule) {
        sums.add(one.outcome.submit, &[(one.wait(), 1.0)]);
    }
    sums
}

#[derive(Debug, Clone, Copy, Default)]
struct WaitSum {
    jobs: usize,
    wait: f64,
    work: f64,
    stayed: usize,
}

impl WaitSum {
    fn mean_wait(&self) -> Option<f64> {
        (self.jobs > 0).then(|| self.wait / self.jobs as f64)
    }
}

fn result(grid: &Grid, broker: &BrokerSpec, schedule: &GridSchedule) -> BrokerResult {
    let count = grid.sites().len();
    let (mut at_site, mut of_home) = (vec![WaitSum::default(); count], vec![WaitSum::default(); count]);
    for one in ran(grid, schedule) {
        let site = &mut at_site[one.site];
        (site.jobs, site.wait) = (site.jobs + 1, site.wait + one.wait());
        site.work += one.outcome.area() as f64;
        if let Some(home) = one.home {
            let own = &mut of_home[home];
            (own.jobs, own.wait) = (own.jobs + 1, own.wait + one.wait());
            own.stayed += usize::from(home == one.site);
        }
    }
    let outcomes = || ran(grid, schedule).map(|one| one.outcome);
    let jobs = outcomes().count().max(1) as f64;
    let part = |holds: fn(Seconds) -> bool| outcomes().filter(|one| holds(one.wait())).count() as f64 / jobs;
    let waits = Spread::of(outcomes().map(|one| one.wait()));
    let seconds = |length: Option<Seconds>| length.map_or(0.0, |length| length.0 as f64);
    let span = match (grid.jobs().first(), grid.jobs().last()) {
        (Some(first), Some(last)) => (last.job.submit - first.job.submit).0.max(1) as f64,
        _ => 1.0,
    };
    let sites = grid.sites().iter().zip(&at_site).zip(&schedule.longest_queues);
    let sites = sites.map(|((site, sum), &longest_queue)| SiteShare {
        site: site.name.clone(),
        jobs: sum.jobs,
        share: sum.jobs as f64 / jobs,
        mean_wait: sum.mean_wait(),
        load: sum.work / (f64::from(site.procs.0) * span),
        longest_queue,
    });
    let homes = grid.sites().iter().zip(&of_home).map(|(site, sum)| HomeResult {
        site: site.name.clone(),
        jobs: sum.jobs,
        stayed: sum.stayed as f64 / sum.jobs.max(1) as f64,
        mean_wait: sum.mean_wait(),
        change: None,
    });
    BrokerResult {
        broker: broker.to_string(),
        mean_wait: waits.mean.unwrap_or_default(),
        p50_wait: seconds(waits.p50),
        p90_wait: seconds(waits.p90),
        within_hour: part(|wait| wait <= Seconds(3_600)),
        over_day: part(|wait| wait >= Seconds(86_400)),
        mean_response: Spread::of(outcomes().map(|one| one.response())).mean.unwrap_or_default(),
        // Summed in the order of the jobs, which is the same under every broker.
        mean_bounded_slowdown: stats::mean(outcomes().map(|one| one.bounded_slowdown())),
        withdrawn: schedule.withdrawn,
        against_static: None,
        of_oracle: None,
        sites: sites.collect(),
        homes: homes.collect(),
    }
}

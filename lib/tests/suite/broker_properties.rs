//! What must hold for every grid, on random ones: each job runs exactly once, copies never run together, a static broker is
//! the same as one simulation for each site, and brokers decide as an obvious slow grid does.

use proptest::prelude::*;
use queuecast_core::job::{Job, Truth};
use queuecast_core::units::{Procs, Seconds, Time};
use queuecast_core::workload::{Machine, Workload};
use queuecast_forecast::broker::{
    Alignment, Broker, BrokerSpec, Grid, GridError, GridJob, GridSchedule, QueueLimits, Routing, SiteOffer,
    SiteSetup, Uses, merged,
};
use queuecast_sim::predict::PredictorSpec;
use queuecast_sim::sim::Backfill;
use queuecast_study::{Brokerage, Experiment};

/// Machines of these sizes.
const SIZES: [u32; 3] = [6, 10, 4];

/// Jobs of one site: small numbers, so that ties and same instants abound.
fn log(procs: u32, most: usize) -> impl Strategy<Value = Workload> {
    let job = (0..8_i64, 1..=procs, 0..40_i64, 1..60_i64);
    prop::collection::vec(job, 1..most).prop_map(move |rows| {
        let mut submit = 0;
        let jobs = (1..).zip(rows).map(|(id, (gap, procs, run, limit))| {
            submit += gap;
            (Job::rigid(id, Time(submit), Procs(procs), Some(Seconds(limit))), Truth::rigid(Seconds(run)))
        });
        Workload::new(Machine { procs: Procs(procs) }, jobs.collect()).unwrap()
    })
}

fn logs() -> impl Strategy<Value = Vec<Workload>> {
    SIZES.into_iter().map(|procs| log(procs, 40)).collect::<Vec<_>>()
}

fn grid_of(logs: &[Workload], policy: &Backfill) -> Grid {
    let sites = logs.iter().zip(["a", "b", "c"]).map(|(log, name)| SiteSetup {
        policy: policy.clone(),
        ..SiteSetup::easy(name, log.machine().procs)
    });
    let logs: Vec<&Workload> = logs.iter().collect();
    Grid::new(sites.collect(), merged(&logs, Alignment::Start, false, None)).unwrap()
}

fn simulated(grid: &Grid, broker: &str) -> GridSchedule {
    let broker: BrokerSpec = broker.parse().unwrap();
    grid.simulate(broker.build().as_mut(), &|_| {}).unwrap()
}

const BROKERS: [&str; 14] = [
    "static",
    "least-loaded",
    "k-distributed",
    "redundant",
    "least-predicted-wait:50",
    "least-predicted-wait:50,literal",
    "least-predicted-wait:50,history=own",
    "turnaround",
    "turnaround+by=knn:50",
    "turnaround+by=simulated:3",
    "risk-averse+by=downey",
    "risk-averse",
    "risk-averse+by=past",
    "oracle",
];

/// No site ever holds more processors than it has, by the starts that are reported.
fn holds_capacity(grid: &Grid, schedule: &GridSchedule) -> bool {
    let mut changes: Vec<(usize, i64, i64)> = Vec::new();
    for (one, start) in grid.jobs().iter().zip(&schedule.starts) {
        let Some(start) = start else { continue };
        let procs = i64::from(one.job.shape.procs.0);
        changes.push((start.site, start.start.0, procs));
        changes.push((start.site, (start.start + start.ran).0, -procs));
    }
    changes.sort_unstable();
    let mut used = vec![0; grid.sites().len()];
    changes.iter().all(|&(site, _, change)| {
        used[site] += change;
        used[site] <= i64::from(grid.sites()[site].procs.0)
    })
}

proptest! {
    #![proptest_config(crate::support::cases(60))]

    #[test]
    fn every_job_runs_exactly_once(logs in logs(), conservative in any::<bool>()) {
        let policy: Backfill = if conservative { "conservative" } else { "easy" }.parse().unwrap();
        let grid = grid_of(&logs, &policy);
        for broker in BROKERS {
            let schedule = simulated(&grid, broker);
            let mut at_site = vec![0; grid.sites().len()];
            for (one, start) in grid.jobs().iter().zip(&schedule.starts) {
                let start = start.expect("every job fits its home");
                prop_assert!(start.start >= one.job.submit);
                prop_assert_eq!(start.ran, one.truth.run().min(one.job.shape.limit.unwrap()));
                prop_assert!(one.job.shape.procs <= grid.sites()[start.site].procs);
                at_site[start.site] += 1;
            }
            // A copy that ran beside another would have been started too.
            prop_assert_eq!(&schedule.started, &at_site, "{}", broker);
            prop_assert!(holds_capacity(&grid, &schedule), "{}", broker);
        }
    }

    #[test]
    fn a_static_grid_is_one_simulation_for_each_site(logs in logs()) {
        for policy in ["easy", "fcfs", "conservative", "sjbf"] {
            let policy: Backfill = policy.parse().unwrap();
            let grid = grid_of(&logs, &policy);
            let schedule = simulated(&grid, "static");
            let alone: Vec<Vec<i64>> = logs.iter().map(|log| {
                let first = log.begins().unwrap();
                let experiment = Experiment::new(policy.clone(), PredictorSpec::Requested);
                let placements = experiment.run(log).unwrap().placements;
                placements.iter().map(|placement| (placement.start - first).0).collect()
            }).collect();
            let mut next = vec![0; logs.len()];
            for (one, start) in grid.jobs().iter().zip(&schedule.starts) {
                let (home, start) = (one.home.unwrap(), start.unwrap());
                prop_assert_eq!((start.site, start.start.0), (home, alone[home][next[home]]));
                next[home] += 1;
            }
        }
    }

    #[test]
    fn brokers_decide_as_an_obvious_grid_does(logs in logs()) {
        let grid = grid_of(&logs, &Backfill::fcfs());
        for (broker, copies) in [("least-loaded", Some(1)), ("k-distributed", Some(2)), ("redundant", None)] {
            let schedule = simulated(&grid, broker);
            let found: Vec<(usize, i64)> =
                schedule.starts.iter().flatten().map(|start| (start.site, start.start.0)).collect();
            prop_assert_eq!(found, slow(&grid, copies), "{}", broker);
        }
    }

    #[test]
    fn the_same_bytes_on_any_number_of_threads(logs in logs()) {
        let grid = grid_of(&logs, &Backfill::easy());
        let brokers: Vec<BrokerSpec> = BROKERS.iter().map(|broker| broker.parse().unwrap()).collect();
        let on = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let report = pool.install(|| Brokerage::compare(&grid, &brokers, &|_| {}).unwrap());
            serde_json::to_string(&report).unwrap()
        };
        prop_assert_eq!(on(1), on(3));
    }
}

/// First come, first served at several sites, second by second: copies to the `copies` least loaded sites, or to all. Where each
/// job ran and when.
fn slow(grid: &Grid, copies: Option<usize>) -> Vec<(usize, i64)> {
    #[derive(Clone)]
    struct SlowSite {
        free: i64,
        queue: Vec<usize>,
        /// Job, start, end.
        running: Vec<(usize, i64, i64)>,
    }
    let jobs = grid.jobs();
    let procs = |job: usize| i64::from(jobs[job].job.shape.procs.0);
    let limit = |job: usize| jobs[job].job.shape.limit.unwrap().0;
    let mut sites: Vec<SlowSite> = grid
        .sites()
        .iter()
        .map(|site| SlowSite { free: i64::from(site.procs.0), queue: Vec::new(), running: Vec::new() })
        .collect();
    let mut ran: Vec<Option<(usize, i64)>> = vec![None; jobs.len()];
    let mut now = 0;
    while ran.iter().any(Option::is_none) {
        // A job of no length ends at the instant it starts, once others have been planned for: so twice.
        loop {
            let mut ended = false;
            for site in &mut sites {
                while let Some(at) = site.running.iter().position(|one| one.2 <= now) {
                    site.free += procs(site.running[at].0);
                    site.running.remove(at);
                    ended = true;
                }
            }
            let arrived: Vec<usize> = (0..jobs.len())
                .filter(|&job| jobs[job].job.submit.0 == now && ran[job].is_none())
                .filter(|job| sites.iter().all(|site| !site.queue.contains(job)))
                .collect();
            for &job in &arrived {
                let load = |place: usize| {
                    let site = &sites[place];
                    let waiting: i64 = site.queue.iter().map(|&one| procs(one) * limit(one)).sum();
                    let left = |one: &(usize, i64, i64)| procs(one.0) * (one.1 + limit(one.0) - now).max(0);
                    let running: i64 = site.running.iter().map(left).sum();
                    (waiting + running) as f64 / f64::from(grid.sites()[place].procs.0)
                };
                let home = jobs[job].home.unwrap();
                let mut fitting: Vec<usize> = (0..sites.len())
                    .filter(|&place| procs(job) <= i64::from(grid.sites()[place].procs.0))
                    .collect();
                fitting.sort_by_key(|&place| place != home);
                if let Some(copies) = copies {
                    fitting.sort_by(|&one, &other| load(one).total_cmp(&load(other)));
                    fitting.truncate(copies);
                }
                fitting.iter().for_each(|&place| sites[place].queue.push(job));
            }
            let mut started = false;
            let head = |site: &SlowSite| site.queue.first().copied().filter(|&job| procs(job) <= site.free);
            // A site starts all that it can; then the first again that can start any.
            while let Some(place) = sites.iter().position(|site| head(site).is_some()) {
                while let Some(job) = head(&sites[place]) {
                    ran[job] = Some((place, now));
                    sites.iter_mut().for_each(|site| site.queue.retain(|&one| one != job));
                    let run = jobs[job].truth.run().0.min(limit(job));
                    sites[place].free -= procs(job);
                    sites[place].running.push((job, now, now + run));
                    started = true;
                }
            }
            if !(ended || started || !arrived.is_empty()) {
                break;
            }
        }
        now += 1;
    }
    ran.into_iter().flatten().collect()
}

fn one_job(procs: u32, submit: i64, home: Option<usize>) -> GridJob {
    let job = Job::rigid(7, Time(submit), Procs(procs), Some(Seconds(100)));
    GridJob { job, truth: Truth::rigid(Seconds(100)), home }
}

#[test]
fn a_job_that_fits_nowhere_is_counted_and_the_others_run() {
    let sites = vec![SiteSetup::easy("a", Procs(4)), SiteSetup::easy("b", Procs(8))];
    let jobs = vec![one_job(9, 0, None), one_job(8, 0, None), one_job(2, 5, Some(0))];
    let grid = Grid::new(sites, jobs).unwrap();
    assert_eq!(grid.unplaced().count(), 1);
    for broker in BROKERS {
        let schedule = simulated(&grid, broker);
        let placed: Vec<bool> = schedule.starts.iter().map(Option::is_some).collect();
        assert_eq!(placed, [false, true, true], "{broker}");
    }
    let report = Brokerage::compare(&grid, &BrokerSpec::ALL, &|_| {}).unwrap();
    assert_eq!((report.jobs, report.unplaced), (2, 1));
}

#[test]
fn queues_limit_what_comes_from_elsewhere() {
    let limits = QueueLimits { name: "short".into(), max_procs: Some(Procs(2)), max_time: Some(Seconds(99)) };
    let limited = SiteSetup { queues: vec![limits], ..SiteSetup::easy("limited", Procs(8)) };
    // It asks for 100 s, and the queue takes 99: only its own users may.
    let jobs = vec![one_job(2, 0, None), one_job(2, 1, Some(0))];
    let grid = Grid::new(vec![limited.clone(), SiteSetup::easy("b", Procs(2))], jobs.clone()).unwrap();
    let sites: Vec<usize> =
        simulated(&grid, "redundant").starts.iter().map(|one| one.unwrap().site).collect();
    assert_eq!(sites, [1, 0]);
    // Control: on processors of twice the speed it asks for 50 s there, and takes 50 s; a job of that site is recorded so.
    let faster = SiteSetup { speed: 2.0, ..limited };
    let grid = Grid::new(vec![faster, SiteSetup::easy("b", Procs(2))], jobs).unwrap();
    let starts = simulated(&grid, "redundant").starts;
    assert_eq!(
        starts.iter().map(|one| (one.unwrap().site, one.unwrap().ran.0)).collect::<Vec<_>>(),
        [(0, 50), (0, 100)]
    );
    for broker in ["turnaround", "risk-averse", "oracle"] {
        assert_eq!(simulated(&grid, broker).starts[0].unwrap().site, 0, "the sooner end: {broker}");
    }
}

#[test]
fn what_makes_no_grid_is_refused() {
    let site = |name: &str| SiteSetup::easy(name, Procs(4));
    let refused = |sites: Vec<SiteSetup>| Grid::new(sites, Vec::new()).unwrap_err().to_string();
    assert!(refused(vec![]).contains("no site"));
    assert!(refused(vec![site("a"), site("a")]).contains("'a'"));
    assert!(refused(vec![site(" ")]).contains("no name"));
    assert!(refused(vec![SiteSetup::easy("a", Procs(0))]).contains("no processors"));
    assert!(refused(vec![SiteSetup { speed: f64::NAN, ..site("a") }]).contains("speed"));
    assert!(refused(vec![SiteSetup { predictor: PredictorSpec::Perfect, ..site("a") }]).contains("perfect"));
    let stray = Grid::new(vec![site("a")], vec![one_job(1, 0, Some(1))]).unwrap_err();
    assert!(matches!(stray, GridError::NoHome { home: 1, sites: 1, .. }));
    // Control.
    let grid = Grid::new(vec![site("a"), site("b")], Vec::new()).unwrap();
    assert!(simulated(&grid, "redundant").starts.is_empty());
}

#[test]
fn a_broker_of_ones_own_is_held_to_the_offers() {
    struct Last(usize);
    impl Broker for Last {
        fn choose(&mut self, offers: &mut [SiteOffer<'_>]) -> Routing {
            Routing::One(offers.len() - 1 + self.0)
        }
    }
    let grid = Grid::new(
        vec![SiteSetup::easy("a", Procs(4)), SiteSetup::easy("b", Procs(4))],
        vec![one_job(1, 0, Some(0)), one_job(1, 0, Some(1))],
    )
    .unwrap();
    let schedule = grid.simulate(&mut Last(0), &|_| {}).unwrap();
    // The home comes first among the offers, so the last is the other.
    assert_eq!(schedule.starts.iter().map(|one| one.unwrap().site).collect::<Vec<_>>(), [1, 0]);
    assert_eq!(grid.simulate(&mut Last(1), &|_| {}), Err(GridError::Routing(7)));
}

/// Asks its first offer about large jobs and sends them to the second; the others go to the first unasked.
#[derive(Default)]
struct AsksOneSendsToAnother {
    /// Point and median of each answer.
    answers: Vec<(f64, f64)>,
}

impl Broker for AsksOneSendsToAnother {
    fn choose(&mut self, offers: &mut [SiteOffer<'_>]) -> Routing {
        if offers[0].job().shape.procs < Procs(4) {
            return Routing::One(0);
        }
        let forecast = offers[0].forecast().unwrap();
        self.answers.push((forecast.point, forecast.wait.quantile(0.5)));
        Routing::One(1)
    }

    fn uses(&self) -> Uses {
        Uses { loads: true, waits: Some("planned".parse().unwrap()), ..Uses::default() }
    }
}

#[test]
fn what_is_asked_of_one_job_is_not_learned_from_another() {
    let job = |submit: i64, procs: u32, time: i64| {
        let job = Job::rigid(1, Time(submit), Procs(procs), Some(Seconds(time)));
        GridJob { job, truth: Truth::rigid(Seconds(time)), home: Some(0) }
    };
    // Half of the first site is held for long: large jobs would wait for its end, small ones start at once.
    let mut jobs = vec![job(0, 2, 1_000_000)];
    jobs.extend((1..=40).flat_map(|round| [job(100 * round, 4, 10), job(100 * round + 50, 1, 10)]));
    let sites = ["a", "b"].map(|name| SiteSetup::easy(name, Procs(4))).to_vec();
    let mut broker = AsksOneSendsToAnother::default();
    Grid::new(sites, jobs).unwrap().simulate(&mut broker, &|_| {}).unwrap();
    assert_eq!(broker.answers.len(), 40);
    // No large job ever started there, so that nothing corrects the plan.
    assert!(broker.answers.iter().all(|&(point, median)| point > 900_000.0 && median == point));
}

/// Ten jobs of a whole machine each, submitted at once to one of two sites.
#[test]
fn copies_share_the_work_and_static_does_not() {
    let jobs: Vec<GridJob> = (0..10).map(|_| one_job(4, 0, Some(0))).collect();
    let grid = Grid::new(vec![SiteSetup::easy("a", Procs(4)), SiteSetup::easy("b", Procs(4))], jobs).unwrap();
    let report = Brokerage::compare(&grid, &BrokerSpec::ALL, &|_| {}).unwrap();
    let mean = |broker: BrokerSpec| report.broker(broker).unwrap().mean_wait;
    // One after the other: 0, 100, …, 900; on two machines 0, 0, 100, 100, …, 400, 400.
    assert_eq!(mean(BrokerSpec::Static), 450.0);
    for broker in [BrokerSpec::Redundant, BrokerSpec::Oracle, BrokerSpec::Turnaround { by: BrokerSpec::BY }] {
        assert_eq!(mean(broker.clone()), 200.0, "{broker}");
        let result = report.broker(broker).unwrap();
        assert_eq!(result.of_oracle, Some(1.0));
        assert_eq!((result.homes[0].stayed, result.homes[0].change), (0.5, Some(-250.0)));
        assert!((result.against_static.unwrap().change + 250.0 / 450.0).abs() < 1e-12);
    }
    assert_eq!(report.broker(BrokerSpec::Redundant).unwrap().withdrawn, 10);
}

//! Made-up logs and one small scenario.

use queuecast_core::job::{Job, Truth};
use queuecast_core::seed::Seed;
use queuecast_core::units::{Procs, Seconds, Time};
use queuecast_core::workload::{Machine, Workload};
use queuecast_forecast::broker::BrokerSpec;
use queuecast_sim::sim::LimitRule;
use queuecast_study::Brokerage;

use super::cells::{PAPERS, overall, reduction};
use super::*;
use crate::kumar2014::scenarios::{QUEUE_NAMES, Scenario};

#[test]
fn the_papers_brokers_are_where_the_tables_look_for_them() {
    let names = PAPERS.map(|(_, place)| COMPARED[place].to_string());
    assert_eq!(names, ["static", "least-loaded", "least-predicted-wait:distance=element,history=own"]);
    assert_eq!(COMPARED[5], BrokerSpec::Redundant);
    assert_eq!(
        (COMPARED[6].to_string(), COMPARED[7].to_string()),
        ("turnaround".into(), "risk-averse".into())
    );
    assert!(experiment::VARIANTS.iter().all(|spec| spec.parse::<BrokerSpec>().is_ok()));
}

fn log(procs: u32, gap: i64, jobs: i64) -> Workload {
    let job = |number: i64| {
        let job = Job::rigid(number as u64, Time(1000 + number * gap), Procs(procs), Some(Seconds(100)));
        (job, Truth::rigid(Seconds(150)))
    };
    Workload::new(Machine { procs: Procs(procs) }, (0..jobs).map(job).collect()).unwrap()
}

#[test]
fn super_experiments_have_the_jobs_of_their_reading_and_their_recorded_run_times() {
    let (short, long) = (log(4, 10, 11), log(8, 10, 51));
    let grid = |reading: SuperReading| super_grid(&[&short, &long], &["a", "b"], reading).unwrap();
    assert_eq!(grid(SuperReading::Whole).jobs().len(), 62);
    assert_eq!(grid(SuperReading::Together).jobs().len(), 22, "up to the last job of the first");
    let whole = grid(SuperReading::Whole);
    assert_eq!(whole.options.limit, LimitRule::Ignore);
    let schedule = whole.simulate(BrokerSpec::Static.build().as_mut(), &|_| {}).unwrap();
    assert!(schedule.starts.iter().all(|start| start.unwrap().ran == Seconds(150)), "not cut at 100");
}

#[test]
fn a_scenario_is_a_grid_of_four_queues_with_their_limits() {
    let scenario = Scenario::all()[0];
    let grid = synthetic_grid(&scenario, Seed(1), 400, Admission::Limits).unwrap();
    assert_eq!(grid.sites().len(), 4);
    assert_eq!(grid.unplaced().count(), 0);
    let homes: Vec<usize> =
        (0..4).map(|home| grid.jobs().iter().filter(|one| one.home == Some(home)).count()).collect();
    assert_eq!(homes.iter().sum::<usize>(), grid.jobs().len());
    assert!(homes.iter().all(|&jobs| jobs > 0), "{homes:?}");
    for (site, (queue, name)) in grid.sites().iter().zip(scenario.queues().iter().zip(QUEUE_NAMES)) {
        assert_eq!((site.procs, &*site.queues[0].name), (queue.partition, name));
        assert_eq!(site.queues[0].max_procs, Some(queue.procs));
    }
    // A job that queue IV alone admits stays there under every broker; control: not all jobs stay at home.
    let report = Brokerage::compare(&grid, &COMPARED, &|_| {}).unwrap();
    let large = grid.jobs().iter().filter(|one| one.job.shape.procs > scenario.queues()[2].procs);
    let large: Vec<usize> = large.map(|one| one.job.index.at()).collect();
    for broker in COMPARED {
        let schedule = grid.simulate(broker.build().as_mut(), &|_| {}).unwrap();
        assert!(large.iter().all(|&job| schedule.starts[job].unwrap().site == 3), "{broker}");
    }
    assert!(report.brokers[1].homes[0].stayed < 1.0);
    let open = synthetic_grid(&scenario, Seed(1), 400, Admission::Fits).unwrap();
    let schedule = open.simulate(BrokerSpec::Redundant.build().as_mut(), &|_| {}).unwrap();
    assert!(large.iter().any(|&job| schedule.starts[job].unwrap().site < 3), "where it fits");
    let [minutes, hour, day] = overall(std::slice::from_ref(&report), 0);
    assert!((minutes * 60.0 - report.brokers[0].mean_wait).abs() < 1e-9);
    assert!((0.0..=100.0).contains(&hour) && (0.0..=100.0).contains(&day));
}

#[test]
fn reductions_are_shares_of_what_is_reduced() {
    assert_eq!(reduction(25.0, 100.0), Some(75.0));
    assert_eq!(reduction(150.0, 100.0), Some(-50.0));
    assert_eq!(reduction(1.0, 0.0), None);
}

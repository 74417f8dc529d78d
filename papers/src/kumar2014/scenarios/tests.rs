//! The scenarios as printed, and generated traces within their limits.

use std::collections::BTreeSet;

use queuecast_core::job::{Job, Truth};
use queuecast_core::seed::Seed;
use queuecast_core::units::{Procs, Seconds, Time};
use queuecast_core::workload::{Machine, Workload};
use queuecast_synth::synth::LublinKinds;

use super::*;
use crate::kumar2014::tables::scenario_cells;

const SMALL: Scenario = Scenario { procs: 1024, partitioning: Partitioning::Unequal, load: LoadLevel::III };

/// What is wrong with the trace of a queue; nothing if it is within the limits.
fn faults(queue: &ScenarioQueue, workload: &Workload) -> Vec<String> {
    let mut faults = Vec::new();
    if workload.machine().procs != queue.partition {
        faults.push(format!("on {:?}", workload.machine()));
    }
    for (job, truth) in workload.jobs().iter().zip(workload.truths()) {
        let requested = job.shape.limit.unwrap_or_default();
        if !queue.admits(job.shape.procs, requested) {
            faults.push(format!("{:?} for {requested} s", job.shape.procs));
        }
        if truth.run() > requested {
            faults.push(format!("{} s of {requested}", truth.run()));
        }
    }
    let gap = mean_gap(workload) / queue.mean_gap.0 as f64;
    if (gap - 1.0).abs() > 0.04 {
        faults.push(format!("gaps {gap} times as long"));
    }
    faults
}

fn mean_gap(workload: &Workload) -> f64 {
    let ends = workload.jobs().first().zip(workload.jobs().last());
    let span = ends.map_or(0, |(first, last)| (last.submit - first.submit).0);
    span as f64 / (workload.len() - 1) as f64
}

#[test]
fn the_scenarios_are_as_printed() {
    let all = Scenario::all();
    let names: BTreeSet<String> = all.iter().map(Scenario::to_string).collect();
    assert_eq!((all.len(), names.len()), (32, 32));
    assert_eq!(
        [all[0], all[1], all[4], all[31]].map(|scenario| scenario.to_string()),
        ["1K equal, load I", "1K equal, load II", "1K unequal, load I", "256K unequal, load IV"]
    );
    for scenario in &all {
        let procs: u32 = scenario.partitions().iter().map(|procs| procs.0).sum();
        assert_eq!(procs, scenario.procs);
        assert!(scenario.queues().iter().all(|queue| queue.procs <= queue.partition));
        assert!(scenario.queues().is_sorted_by_key(|queue| (queue.procs, queue.time)));
    }
    let [first, .., last] = SMALL.queues();
    let hours = |hours: i64| Seconds(3600 * hours);
    let queue = |partition: u32, procs: u32, time: Seconds, mean_gap: Seconds| ScenarioQueue {
        partition: Procs(partition),
        procs: Procs(procs),
        time,
        mean_gap,
    };
    assert_eq!(first, queue(128, 32, hours(12), Seconds(900)));
    assert_eq!(last, queue(512, 256, hours(48), hours(5)));
    assert_eq!(SMALL.job_counts(5700), [4000, 1000, 500, 200]);
    assert_eq!(SMALL.job_counts(0), [1; 4]);
}

#[test]
fn traces_are_within_the_limits() {
    for compared in ComparedReading::all() {
        let row = compared.row();
        let queues = compared.reading.generate(&SMALL, Seed(3), 5700).unwrap();
        for (queue, workload) in SMALL.queues().iter().zip(&queues) {
            assert_eq!(faults(queue, workload), [""; 0], "{row}");
        }
        let numbers: BTreeSet<u64> =
            queues.iter().flat_map(|queue| queue.jobs().iter().map(|job| job.id.0)).collect();
        assert_eq!(numbers.len(), queues.iter().map(Workload::len).sum::<usize>());
        assert_eq!(queues.each_ref().map(Workload::len), SMALL.job_counts(5700).map(|jobs| jobs as usize));
        // Control: the jobs of queue IV are none of queue I.
        assert!(!faults(&SMALL.queues()[0], &queues[3]).is_empty(), "{row}");
    }
}

#[test]
fn a_job_is_in_the_first_queue_that_admits_it() {
    let beyond_the_queue_before = |reading: ScenarioReading| {
        let (queues, limits) = (reading.generate(&SMALL, Seed(5), 2000).unwrap(), SMALL.queues());
        (1..4).all(|place| {
            let mut each = queues[place].jobs().iter().zip(queues[place].truths());
            each.all(|(job, truth)| !limits[place - 1].admits(job.shape.procs, truth.run()))
        })
    };
    let default = ScenarioReading::default();
    assert!(beyond_the_queue_before(default));
    assert!(beyond_the_queue_before(ScenarioReading { selection: JobSelection::FirstBySize, ..default }));
    // Control: not if the requested time decides, or every job that fits is taken.
    for selection in [JobSelection::FirstByRequest, JobSelection::Admitted] {
        assert!(!beyond_the_queue_before(ScenarioReading { selection, ..default }));
    }
}

#[test]
fn a_trace_depends_on_seed_and_scenario_only() {
    let one = SMALL.generate(Seed(1), 600).unwrap();
    assert_eq!(one, SMALL.generate(Seed(1), 600).unwrap());
    assert_ne!(one, SMALL.generate(Seed(2), 600).unwrap());
    // Other scenarios have other jobs, even where a queue has the same limits.
    let equal = Scenario { partitioning: Partitioning::Equal, ..SMALL }.generate(Seed(1), 600).unwrap();
    assert_ne!(one[2].jobs(), equal[2].jobs());
}

#[test]
fn days_stay_days_unless_time_is_stretched() {
    let night_share = |arrivals: ArrivalScaling| {
        let reading = ScenarioReading { arrivals, kinds: LublinKinds::Untyped, ..ScenarioReading::default() };
        let [_, _, _, last] = reading.generate(&SMALL, Seed(1), 20_000).unwrap();
        let at_night = last.jobs().iter().filter(|job| job.submit.0.rem_euclid(86_400) < 6 * 3600).count();
        at_night as f64 / last.len() as f64
    };
    let (kept, stretched) = (night_share(ArrivalScaling::GapScale), night_share(ArrivalScaling::Stretched));
    assert!(kept < 0.15, "{kept}");
    assert!((0.2..0.3).contains(&stretched), "{stretched}");
}

#[test]
fn impossible_scenarios_are_refused() {
    for procs in [0, 31, u32::MAX] {
        assert!(Scenario { procs, ..SMALL }.generate(Seed(1), 100).is_err(), "{procs}");
    }
    assert!(Scenario { procs: 32, ..SMALL }.generate(Seed(1), 100).is_ok());
}

/// By hand: on one processor, a job of 2 h, one of 30 h behind it and one behind that.
#[test]
fn static_waits_are_counted() {
    let job = |number: u64, hours: i64| {
        let run = Seconds(3600 * hours);
        (Job::rigid(number, Time(0), Procs(1), Some(run)), Truth::rigid(run))
    };
    let busy = Workload::new(Machine { procs: Procs(1) }, vec![job(1, 2), job(2, 30), job(3, 1), job(4, 4)])
        .unwrap();
    let idle = Workload::new(Machine { procs: Procs(4) }, vec![job(1, 2)]).unwrap();
    let [first, second, ..] = static_scheduling(&[busy, idle.clone(), idle.clone(), idle]).unwrap();
    let expected =
        WaitCounts { jobs: 4, total: Seconds(3600 * (2 + 32 + 33)), up_to_hour: 1, day_or_more: 2 };
    assert_eq!(first.waits, expected);
    assert_eq!((first.waits.mean_minutes(), first.waits.percent_up_to_hour()), (1005.0, 25.0));
    assert_eq!((first.utilization, second.utilization), (1.0, 0.25));
    let both = first.waits.and(second.waits);
    assert_eq!((both.jobs, both.up_to_hour, both.percent_day_or_more()), (5, 2, 40.0));
}

#[test]
fn readings_are_compared_in_order_and_not_judged() {
    let small = |selection| ComparedReading {
        reading: ScenarioReading { selection, ..ScenarioReading::default() },
        jobs: 200,
    };
    let readings = [small(JobSelection::Admitted), small(JobSelection::Cut)];
    let results = readings_compared(&readings, Seed(1), &|_| ()).unwrap();
    assert_eq!(results.iter().map(|result| result.compared).collect::<Vec<_>>(), readings);
    for result in &results {
        let scenarios: Vec<Scenario> = result.scenarios.iter().map(|result| result.scenario).collect();
        assert_eq!(scenarios, Scenario::all());
        let each = (0..4).map(|place| result.waits(&[place]).jobs).sum::<usize>();
        assert_eq!(each, result.waits(&[0, 1, 2, 3]).jobs);
    }
    let cells = scenario_cells(&results);
    let average = cells.iter().find(|cell| cell.column == "average wait").unwrap();
    assert_eq!((average.paper, average.within), (Some(196.0), None));
    assert!(cells.iter().all(|cell| cell.within.is_none() && cell.ours.is_some()));
    // Control: jobs that are cut keep more of their work than jobs that are left out.
    let load =
        |result: &ReadingResult| result.scenarios.iter().map(|one| one.queues[0].offered_load).sum::<f64>();
    assert!(load(&results[0]) < load(&results[1]));
}

//! Workloads: what is refused, numbered and left out.

use super::*;

fn job(id: u64, submit: i64, procs: u32) -> (Job, Truth) {
    (Job::rigid(id, Time(submit), Procs(procs), Some(Seconds(10))), Truth::rigid(Seconds(5)))
}

#[test]
fn arrival_order_is_submission_then_place_in_the_log() {
    let machine = Machine { procs: Procs(4) };
    let workload = Workload::new(machine, vec![job(9, 5, 1), job(3, 0, 1), job(7, 5, 1)]).unwrap();
    let ids: Vec<u64> = workload.jobs().iter().map(|job| job.id.0).collect();
    assert_eq!(ids, [3, 9, 7]);
    assert!(workload.jobs().iter().enumerate().all(|(place, job)| job.index.at() == place));
}

#[test]
fn arranging_in_place_equals_arranging_a_copy() {
    for order in [vec![0], vec![2, 0, 1], vec![1, 0, 3, 2], vec![3, 1, 0, 4, 2], vec![4, 3, 2, 1, 0]] {
        let mut items: Vec<u32> = (10..10 + order.len() as u32).collect();
        let copy: Vec<u32> = order.iter().map(|&place| items[place as usize]).collect();
        arrange(&mut items, order);
        assert_eq!(items, copy);
    }
}

#[test]
fn sorting_keeps_every_job_with_its_truth() {
    let pairs = (0..1000_u64).map(|id| {
        let job = Job::rigid(id, Time((id * 7919 % 1000) as i64 / 2), Procs(1), None);
        (job, Truth::rigid(Seconds(id as i64)))
    });
    let (jobs, truths): (Vec<Job>, Vec<Truth>) = pairs.unzip();
    let starts = (0..1000).map(Time).collect();
    let workload = Workload::recorded(Machine { procs: Procs(4) }, jobs, truths, starts).unwrap();
    assert_eq!(workload.len(), 1000);
    assert!(workload.jobs().iter().zip(&workload.starts).all(|(job, start)| job.id.0 as i64 == start.0));
    assert!(workload.jobs().is_sorted_by_key(|job| job.submit));
    assert!(
        workload.jobs().iter().zip(workload.truths()).all(|(job, truth)| job.id.0 as i64 == truth.run().0)
    );
}

#[test]
fn starts_are_known_of_all_jobs_or_there_are_none() {
    let starts = |starts: &[Time]| {
        let (jobs, truths) = [job(1, 0, 1), job(2, 3, 1)].into_iter().unzip();
        Workload::recorded(Machine { procs: Procs(4) }, jobs, truths, starts.to_vec()).unwrap().starts
    };
    assert_eq!(starts(&[Time(4), Time::NEVER]), [Time(4), Time::NEVER]);
    assert_eq!(starts(&[Time::NEVER, Time::NEVER]), []);
    assert_eq!(starts(&[Time(4)]), []);
}

#[test]
fn withdrawn_jobs_are_ranked_among_the_arrivals() {
    let machine = Machine { procs: Procs(4) };
    let mut workload =
        Workload::new(machine, vec![job(1, 0, 1), job(2, 5, 1), job(3, 5, 1), job(4, 9, 1)]).unwrap();
    let withdrawn = |id, submit, before| {
        let (mut job, _) = job(id, submit, 1);
        job.index = JobIndex(before);
        Withdrawn { job, left: Time(submit + 7) }
    };
    // The number of jobs before it in the log decides among ties only.
    workload
        .set_withdrawn(vec![
            withdrawn(10, 20, 0),
            withdrawn(11, 5, 0),
            withdrawn(12, 5, 2),
            withdrawn(13, 5, 4),
            withdrawn(14, -1, 3),
        ])
        .unwrap();
    let ranks: Vec<(u64, u32)> =
        workload.withdrawn.iter().map(|one| (one.job.id.0, one.job.index.0)).collect();
    assert_eq!(ranks, [(14, 0), (11, 1), (12, 2), (13, 3), (10, 4)]);
    assert!(workload.withdrawn.iter().all(|one| one.waited() == Seconds(7)));
    let early = Withdrawn { left: Time(4), ..withdrawn(15, 5, 0) };
    assert!(workload.set_withdrawn(vec![early]).is_err());
    let (large, _) = job(16, 5, 5);
    assert!(workload.set_withdrawn(vec![Withdrawn { job: large, left: Time(9) }]).is_err());
    assert_eq!(workload.withdrawn.len(), 5, "control: a refusal changes nothing");
}

#[test]
fn the_load_so_far_knows_nothing_of_later() {
    let machine = Machine { procs: Procs(4) };
    let (jobs, truths) = [job(1, 0, 4), job(2, 0, 2), job(3, 10, 1)].into_iter().unzip();
    let starts = [Time(0), Time(8), Time(30)].to_vec();
    let mut workload = Workload::recorded(machine, jobs, truths, starts).unwrap();
    // 4 for 5 s, and 2 for the 2 s since 8 s.
    assert_eq!(workload.load_until(Time(10)), 24.0 / 40.0);
    let known = workload.load_until(Time(10));
    workload.truths[1] = Truth::rigid(Seconds(999));
    workload.starts[2] = Time(11);
    assert_eq!(workload.load_until(Time(10)), known);
    workload.starts.clear();
    assert_eq!(workload.load_until(Time(10)), (20.0 + 20.0) / 40.0, "as if started at submission");
    workload.set_machine(Machine { procs: Procs(8) }).unwrap();
    assert_eq!(workload.load_until(Time(10)), 40.0 / 80.0);
    assert!(workload.set_machine(Machine { procs: Procs(3) }).is_err());
    assert!(workload.set_machine(Machine { procs: Procs(0) }).is_err());
    assert_eq!(workload.machine().procs, Procs(8), "a refusal changes nothing");
}

#[test]
fn a_job_that_can_never_start_is_refused() {
    let machine = Machine { procs: Procs(4) };
    let refused = Workload::new(machine, vec![job(1, 0, 5)]);
    assert_eq!(refused, Err(WorkloadError::TooLarge { id: 1, procs: 5, machine: 4 }));
    assert_eq!(Workload::new(Machine { procs: Procs(0) }, vec![]), Err(WorkloadError::NoProcessors));
    for submit in [FARTHEST + 1, i64::MIN + 1] {
        let refused = Workload::new(machine, vec![job(1, submit, 1)]);
        assert!(matches!(refused, Err(WorkloadError::Impossible { id: 1, .. })), "{refused:?}");
    }
}

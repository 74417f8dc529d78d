//! The fast way of computing a metric against the obvious slow one, on random schedules.

use proptest::prelude::*;
use queuecast_core::job::Event;
use queuecast_core::units::{Seconds, Time};
use queuecast_core::workload::Workload;
use queuecast_eval::{Dimension, Evaluation, METRICS, Measured, Span, nearest_rank};
use queuecast_sim::predict::{DEFAULT_REQUEST, PredictorSpec};
use queuecast_sim::sim::{
    Backfill, EventOrder, LimitRule, Observer, Options, Placement, Reason, Schedule, Standing, View, simulate,
};

use crate::support;
use crate::support::jobs::{job, workload};

/// Random jobs on eight processors. Nothing here keeps within the machine: metrics must not care.
fn schedules() -> impl Strategy<Value = (Workload, Schedule)> {
    let row = (0_i64..200, 1_u32..=8, 0_i64..60, 0_i64..60, 0_i64..80, 0_u32..4);
    prop::collection::vec(row, 0..40).prop_map(|mut lines| {
        lines.sort_by_key(|line| line.0);
        let placement = |&(submit, _, wait, ran, predicted, _): &(i64, u32, i64, i64, i64, u32)| Placement {
            start: Time(submit + wait),
            ran: Seconds(ran),
            predicted: Seconds(predicted),
            standing: Standing::of(Seconds(predicted), Seconds(ran)),
            corrections: 0,
            revisions: 0,
            shape: 0,
            reason: Reason::Reserved,
            killed: false,
        };
        let placements = lines.iter().map(placement).collect();
        let jobs = lines.into_iter().map(|(submit, procs, _, ran, _, user)| {
            job(procs, ran).at(submit).user((user > 0).then_some(user))
        });
        (workload(8, jobs), Schedule { placements, plans: 0, longest_queue: 0 })
    })
}

/// The smallest value that at least `percent` percent of the values do not exceed, by trying each.
fn slow_percentile(values: &[i64], percent: u8) -> Option<i64> {
    let not_above = |value: i64| values.iter().filter(|&&other| other <= value).count();
    let enough = |value: &i64| not_above(*value) * 100 >= usize::from(percent) * values.len();
    values.iter().copied().filter(enough).min()
}

/// Jobs waiting, processors waiting and processors busy during the second that begins at `time`.
fn slow_levels(jobs: &[Measured<'_>], time: i64) -> [u64; 3] {
    let mut levels = [0; 3];
    for job in jobs {
        let procs = u64::from(job.job.shape.procs.0);
        let start = job.placement.start.0;
        if job.job.submit.0 <= time && time < start {
            levels[0] += 1;
            levels[1] += procs;
        }
        if start <= time && time < job.placement.end().0 {
            levels[2] += procs;
        }
    }
    levels
}

proptest! {
    #[test]
    fn percentiles_are_what_their_definition_says(
        mut values in prop::collection::vec(-50_i64..50, 0..120),
        percent in 0_u8..=100,
    ) {
        let slow = slow_percentile(&values, percent);
        values.sort_unstable();
        prop_assert_eq!(nearest_rank(&values, percent), slow);
    }

    #[test]
    fn the_queue_is_what_counting_every_second_finds(
        (workload, schedule) in schedules(),
        from in -20_i64..350,
        length in 0_i64..200,
        count in 1_u32..40,
    ) {
        let evaluation = Evaluation::of(&workload, &schedule).unwrap();
        let jobs: Vec<_> = (0..workload.len()).map(|index| evaluation.measured(index)).collect();
        let queue = evaluation.queue();
        for (place, step) in queue.steps.iter().enumerate() {
            let levels = [step.jobs_waiting, step.procs_waiting, step.procs_busy];
            prop_assert_eq!(levels, slow_levels(&jobs, step.time.0));
            // Nothing changes before the next step, and something changes at it.
            if let Some(next) = queue.steps.get(place + 1) {
                prop_assert_eq!(levels, slow_levels(&jobs, next.time.0 - 1));
                prop_assert_ne!(levels, [next.jobs_waiting, next.procs_waiting, next.procs_busy]);
            }
        }
        let span = Span { from: Time(from), until: Time(from + length) };
        let seconds: Vec<_> = (from..from + length).map(|time| slow_levels(&jobs, time)).collect();
        let summary = queue.summary_over(span);
        let most = |which: usize| seconds.iter().map(|levels| levels[which]).max().unwrap_or(0);
        let mean = |which: usize| {
            let total: u64 = seconds.iter().map(|levels| levels[which]).sum();
            (length > 0).then(|| total as f64 / length as f64)
        };
        prop_assert_eq!(summary.max_jobs_waiting, most(0));
        prop_assert_eq!(summary.max_procs_waiting, most(1));
        prop_assert_eq!(summary.max_procs_busy, most(2));
        prop_assert_eq!(summary.mean_jobs_waiting, mean(0));
        prop_assert_eq!(summary.mean_procs_waiting, mean(1));
        prop_assert_eq!(summary.mean_procs_busy, mean(2));

        // A part is the mean of `length` slices, each of 1/count second, looked up one by one.
        let bins = queue.bins_over(span, count);
        prop_assert_eq!(bins.len(), if length > 0 { count as usize } else { 0 });
        for (part, bin) in bins.iter().enumerate() {
            let slice = |slice: i64| (part as i64 * length + slice) / i64::from(count);
            let total: u64 = (0..length).map(|at| seconds[slice(at) as usize][2]).sum();
            prop_assert_eq!(bin.procs_busy, total as f64 / length as f64);
        }
    }

    #[test]
    fn what_waits_and_what_runs_agree_with_the_summary((workload, schedule) in schedules()) {
        let evaluation = Evaluation::of(&workload, &schedule).unwrap();
        let summary = evaluation.all().summary();
        let queue = evaluation.queue().summary();
        if let (Some(makespan), Some(waiting)) = (summary.makespan, queue.mean_jobs_waiting) {
            // Little's law: mean queue length · time = Σ waits. Both sides are exact but for two roundings.
            let total = summary.mean_wait.unwrap() * summary.jobs as f64;
            prop_assert!((waiting * makespan.0 as f64 - total).abs() <= 1e-9 * total.max(1.0));
            let busy = queue.mean_procs_busy.unwrap() / 8.0;
            prop_assert!((busy - summary.utilization.unwrap()).abs() <= 1e-12);
        }
    }

    #[test]
    fn groups_add_up_to_the_whole((workload, schedule) in schedules()) {
        let evaluation = Evaluation::of(&workload, &schedule).unwrap();
        let whole = evaluation.all().summary();
        for dimension in Dimension::ALL {
            let groups = evaluation.all().by(dimension).groups;
            let jobs: usize = groups.iter().map(|group| group.summary.jobs).sum();
            let area: u64 = groups.iter().map(|group| group.summary.area).sum();
            let used: f64 = groups.iter().filter_map(|group| group.summary.utilization).sum();
            prop_assert_eq!((jobs, area), (whole.jobs, whole.area));
            prop_assert!((used - whole.utilization.unwrap_or(0.0)).abs() <= 1e-12);
        }
    }

    #[test]
    fn the_order_of_jobs_changes_no_metric((workload, schedule) in schedules()) {
        // All at one instant, so that any order is an arrival order.
        let mut jobs: Vec<_> = workload.jobs().iter().cloned().zip(workload.truths().to_vec()).collect();
        jobs.iter_mut().for_each(|(job, _)| job.submit = Time(0));
        let mut reversed = schedule.clone();
        reversed.placements.reverse();
        let forth = Workload::new(workload.machine(), jobs.clone()).unwrap();
        jobs.reverse();
        let back = Workload::new(workload.machine(), jobs).unwrap();
        let forth = Evaluation::of(&forth, &schedule).unwrap().all().summary();
        let back = Evaluation::of(&back, &reversed).unwrap().all().summary();
        for metric in METRICS {
            let bits = |value: Option<f64>| value.map(f64::to_bits);
            prop_assert_eq!(bits(metric.value(&forth)), bits(metric.value(&back)), "{}", metric.name);
        }
    }
}

/// What was predicted of each job, from when on.
struct Said(Vec<Vec<(i64, i64)>>);

impl Observer for Said {
    fn saw(&mut self, _event: &Event<'_>, view: &View<'_>) {
        let now = view.now().0;
        let mut note = |index: usize, predicted: Seconds| {
            if self.0[index].last().is_none_or(|&(_, last)| last != predicted.0) {
                self.0[index].push((now, predicted.0));
            }
        };
        view.waiting().for_each(|waiting| note(waiting.job.index.at(), waiting.predicted));
        view.running().for_each(|running| note(running.job.index.at(), running.predicted));
    }
}

/// Equations 1 and 2 of Talby et al. 2005, from what was said between two instants.
fn slow_standing(said: &[(i64, i64)], ran: i64, submit: i64, end: i64) -> Standing {
    let mut sum = Standing { inaccuracy: 0.0, accuracy: 0.0 };
    let until = said.iter().skip(1).map(|&(from, _)| from).chain([end]);
    for (&(from, predicted), until) in said.iter().zip(until) {
        let stood = (until - from) as f64 / (end - submit) as f64;
        let (less, more) = (predicted.min(ran) as f64, predicted.max(ran) as f64);
        sum.inaccuracy += (more - less) * stood;
        sum.accuracy += less / more * stood;
    }
    sum
}

fn nearly(one: f64, other: f64) -> bool {
    (one - other).abs() <= 1e-9 * one.abs().max(1.0)
}

proptest! {
    #![proptest_config(support::cases(1000))]

    #[test]
    fn predictions_count_by_how_long_an_observer_saw_them_stand(
        rows in prop::collection::vec((0..20_i64, 1_u32..=8, 1..80_i64, 1..60_i64, 0..3_u32), 1..40),
        predictor in prop::sample::select(vec![
            "requested", "constant:7", "ruh:2,need=1,propagate", "sbh:propagate", "sbh:[*],learn=running,propagate",
        ]),
        pyss in any::<bool>(), kill in any::<bool>(),
    ) {
        let mut submit = 0;
        let jobs = rows.into_iter().map(|(gap, procs, run, limit, user)| {
            submit += gap;
            job(procs, run).at(submit).limit(limit).user(user)
        });
        let workload = workload(8, jobs);
        let options = Options {
            event_order: if pyss { EventOrder::Pyss } else { EventOrder::Textbook },
            limit: if kill { LimitRule::Kill } else { LimitRule::Ignore },
            ..Options::default()
        };
        let predictor: PredictorSpec = predictor.parse().expect("a predictor");
        let mut predictor = predictor.build(Vec::new, DEFAULT_REQUEST);
        let mut said = Said(vec![Vec::new(); workload.len()]);
        let schedule =
            simulate(&workload, options, Backfill::sjbf().build().as_mut(), predictor.as_mut(), &mut [&mut said])
                .expect("a sound predictor");
        for ((placed, job), said) in schedule.placements.iter().zip(workload.jobs()).zip(&said.0) {
            let slow = slow_standing(said, placed.ran.0, job.submit.0, placed.end().0);
            prop_assert!(nearly(placed.standing.inaccuracy, slow.inaccuracy), "{:?} {:?} {:?}", placed, slow, said);
            prop_assert!(nearly(placed.standing.accuracy, slow.accuracy), "{:?} {:?} {:?}", placed, slow, said);
            // A mean lies between the best and the worst of them; of one it is that one.
            let each: Vec<Standing> =
                said.iter().map(|&(_, predicted)| Standing::of(Seconds(predicted), placed.ran)).collect();
            let between = |of: fn(&Standing) -> f64| {
                let least = each.iter().map(of).fold(f64::INFINITY, f64::min);
                let most = each.iter().map(of).fold(f64::NEG_INFINITY, f64::max);
                (least - 1e-9..=most + 1e-9).contains(&of(&placed.standing))
            };
            prop_assert!(between(|standing| standing.inaccuracy) && between(|standing| standing.accuracy));
            if placed.corrections == 0 && placed.revisions == 0 {
                prop_assert_eq!(placed.standing, Standing::of(placed.predicted, placed.ran));
            }
        }
    }
}

#[test]
fn control_the_weights_matter() {
    // 20 for the first ten seconds, then 80, of a job that runs for 40 from 0: not the plain mean of the two.
    let weighted = slow_standing(&[(0, 20), (10, 80)], 40, 0, 40);
    assert!(nearly(weighted.inaccuracy, (20.0 * 10.0 + 40.0 * 30.0) / 40.0));
    assert!(!nearly(weighted.inaccuracy, (20.0 + 40.0) / 2.0));
}

//! Every metric against arithmetic done by hand, written beside it.

use queuecast_core::job::{Event, GroupId, Job, JobIndex, QueueId, UserId, What};
use queuecast_core::units::{Seconds, Time};
use queuecast_core::workload::Workload;
use queuecast_eval::{Dimension, EvalError, Evaluation, METRICS, Metric, Span, Summary, Window};
use queuecast_sim::predict::{Forecast, Question, Revision, RuntimePredictor};
use queuecast_sim::sim::{Backfill, Backfilled, Options, Placement, Reason, Schedule, Standing, simulate};

use crate::support::jobs::{job, workload};

/// One line of a hand-written schedule.
struct Line {
    submit: i64,
    procs: u32,
    start: i64,
    ran: i64,
    predicted: i64,
    reason: Reason,
    corrections: u16,
    killed: bool,
}

fn line(submit: i64, procs: u32, start: i64, ran: i64, predicted: i64, reason: Reason) -> Line {
    Line { submit, procs, start, ran, predicted, reason, corrections: 0, killed: false }
}

fn scheduled(machine: u32, lines: &[Line]) -> (Workload, Schedule) {
    let placement = |line: &Line| Placement {
        start: Time(line.start),
        ran: Seconds(line.ran),
        predicted: Seconds(line.predicted),
        standing: Standing::of(Seconds(line.predicted), Seconds(line.ran)),
        corrections: line.corrections,
        shape: 0,
        revisions: 0,
        reason: line.reason,
        killed: line.killed,
    };
    let placements = lines.iter().map(placement).collect();
    let workload = workload(machine, lines.iter().map(|line| job(line.procs, line.ran).at(line.submit)));
    (workload, Schedule { placements, plans: 0, longest_queue: 0 })
}

const IN_TIME: Reason = Reason::Backfilled(Backfilled::InTime);
const IN_SPACE: Reason = Reason::Backfilled(Backfilled::InSpace);

/// Five jobs on ten processors.
///
/// | job | submit | procs | start | ran | end | wait | response | bounded slowdown   | predicted |
/// |   1 |      0 |     6 |     0 | 100 | 100 |    0 |      100 | 1                  |       200 |
/// |   2 |     10 |     8 |   100 |  40 | 140 |   90 |      130 | 130 / 40 = 3.25    |        30 |
/// |   3 |     20 |     4 |    50 |  50 | 100 |   30 |       80 |  80 / 50 = 1.6     |        50 |
/// |   4 |     30 |     2 |   100 |   4 | 104 |   70 |       74 |  74 / 10 = 7.4     |         8 |
/// |   5 |     40 |    10 |   140 |  20 | 160 |  100 |      120 | 120 / 20 = 6       |         9 |
fn five() -> (Workload, Schedule) {
    let mut lines = [
        line(0, 6, 0, 100, 200, Reason::Immediate),
        line(10, 8, 100, 40, 30, Reason::Reserved),
        line(20, 4, 50, 50, 50, IN_TIME),
        line(30, 2, 100, 4, 8, IN_SPACE),
        line(40, 10, 140, 20, 9, Reason::Reserved),
    ];
    lines[1].corrections = 2;
    lines[4].corrections = 1;
    lines[4].killed = true;
    scheduled(10, &lines)
}

fn close(value: Option<f64>, expected: f64) {
    let value = value.expect("a value");
    assert!((value - expected).abs() <= 1e-12 * expected.abs(), "{value} is not {expected}");
}

#[test]
fn five_jobs_by_hand() {
    let (workload, schedule) = five();
    let summary = Evaluation::of(&workload, &schedule).unwrap().all().summary();
    assert_eq!(summary.jobs, 5);
    assert_eq!((summary.first_submit, summary.last_end), (Some(Time(0)), Some(Time(160))));
    assert_eq!(summary.makespan, Some(Seconds(160)));
    // 600 + 320 + 200 + 8 + 200 = 1328 processor-seconds, of 10 · 160 = 1600.
    assert_eq!(summary.area, 1328);
    close(summary.utilization, 0.83);
    close(summary.mean_run, 42.8); // 214 / 5
    close(summary.mean_wait, 58.0); // (0 + 90 + 30 + 70 + 100) / 5
    // Waits in order: 0 30 70 90 100. Ranks: 50 % of 5 = 2.5 → 3, 90 % = 4.5 → 5, and all above.
    assert_eq!(summary.p50_wait, Some(Seconds(70)));
    assert_eq!(summary.p90_wait, Some(Seconds(100)));
    assert_eq!(summary.max_wait, Some(Seconds(100)));
    close(summary.mean_response, 100.8); // (100 + 130 + 80 + 74 + 120) / 5 = 504 / 5
    assert_eq!(summary.p50_response, Some(Seconds(100))); // 74 80 100 120 130
    assert_eq!(summary.max_response, Some(Seconds(130)));
    close(summary.mean_bounded_slowdown, 3.85); // (1 + 3.25 + 1.6 + 7.4 + 6) / 5 = 19.25 / 5
    close(summary.p50_bounded_slowdown, 3.25); // 1 1.6 3.25 6 7.4
    close(summary.max_bounded_slowdown, 7.4);
    // Σ procs·ran·response = 600·100 + 320·130 + 200·80 + 8·74 + 200·120 = 142 192.
    close(summary.awrt, 142_192.0 / 1328.0);
    // Σ procs·response = 6·100 + 8·130 + 4·80 + 2·74 + 10·120 = 3308.
    close(summary.pwsrt, 3308.0 / 1328.0);
}

#[test]
fn reasons_corrections_and_kills_are_counted() {
    let (workload, schedule) = five();
    let summary = Evaluation::of(&workload, &schedule).unwrap().all().summary();
    assert_eq!((summary.immediate, summary.reserved, summary.backfilled), (1, 2, 2));
    assert_eq!((summary.backfilled_in_time, summary.backfilled_in_space), (1, 1));
    close(summary.immediate_share, 0.2);
    close(summary.reserved_share, 0.4);
    close(summary.backfilled_share, 0.4);
    close(summary.backfilled_in_time_share, 0.2);
    close(summary.backfilled_in_space_share, 0.2);
    assert_eq!((summary.killed, summary.corrections, summary.corrected), (1, 3, 2));
    close(summary.killed_share, 0.2);
}

#[test]
fn predictions_are_judged_by_the_first_one() {
    let (workload, schedule) = five();
    let summary = Evaluation::of(&workload, &schedule).unwrap().all().summary();
    assert_eq!(summary.underpredicted, 2); // 30 < 40 and 9 < 20
    close(summary.underprediction_rate, 0.4);
    // |200−100| + |30−40| + 0 + |8−4| + |9−20| = 100 + 10 + 0 + 4 + 11 = 125
    close(summary.mean_absolute_error, 25.0);
    close(summary.mean_absolute_error_percent, 100.0 * 125.0 / 214.0);
    // 200 is twice 100: within; 9 is less than half of 20: not.
    close(summary.within_factor_two_share, 0.8);
    close(summary.mean_accuracy, (0.5 + 0.75 + 1.0 + 0.5 + 0.45) / 5.0);
}

#[test]
fn priorities_weigh_the_specific_response_time_only() {
    let (workload, schedule) = five();
    let plain = Evaluation::of(&workload, &schedule).unwrap().all().summary();
    let priority = |job: &Job| if job.id.0 == 2 { 3 } else { 1 };
    let evaluation = Evaluation::of(&workload, &schedule).unwrap().with_priorities(priority);
    let weighed = evaluation.all().summary();
    // Job 2 counts three times: (3308 + 2·1040) / (1328 + 2·320) = 5388 / 1968.
    close(weighed.pwsrt, 5388.0 / 1968.0);
    assert_eq!(Summary { pwsrt: plain.pwsrt, ..weighed }, plain);
    let unweighted = Evaluation::of(&workload, &schedule).unwrap().with_priorities(|_| 0).all().summary();
    assert_eq!(unweighted.pwsrt, None);
}

#[test]
fn a_window_says_what_it_left_out_and_still_sees_the_whole_machine() {
    let (workload, schedule) = five();
    let evaluation = Evaluation::of(&workload, &schedule).unwrap();
    let summary = evaluation.over(&Window::Share { warm_up: 0.2, cool_down: 0.2 }).unwrap().summary();
    assert_eq!(summary.jobs, 3); // jobs 2, 3 and 4
    let excluded = &summary.excluded;
    assert_eq!((excluded.jobs, excluded.early, excluded.late), (2, 1, 1));
    assert_eq!(excluded.why, "warm-up: the first 20 % of the jobs; cool-down: the last 20 %");
    close(summary.mean_wait, 190.0 / 3.0);
    // Span: 10 to 140. Job 1 is left out but runs in it from 10 to 100: 6·90 + 320 + 200 + 8 = 1068 of 1300.
    assert_eq!(summary.makespan, Some(Seconds(130)));
    close(summary.utilization, 1068.0 / 1300.0);
    assert_eq!(summary.area, 528); // 320 + 200 + 8: the counted jobs' own
}

#[test]
fn an_empty_window_has_no_values_and_no_not_a_number() {
    let (workload, schedule) = five();
    let evaluation = Evaluation::of(&workload, &schedule).unwrap();
    let empty = evaluation.over(&Window::Submitted { from: Time(500), until: Time(600) }).unwrap();
    let summary = empty.summary();
    assert_eq!((summary.jobs, summary.excluded.jobs, summary.excluded.early), (0, 5, 5));
    for metric in METRICS {
        assert!(matches!(metric.value(&summary), None | Some(0.0)), "{}", metric.name);
    }
    assert_eq!((summary.mean_wait, summary.utilization, summary.max_bounded_slowdown), (None, None, None));
    let json = serde_json::to_value(&summary).unwrap();
    assert!(json["mean_wait"].is_null() && json["p99_wait"].is_null() && json["jobs"] == 0);

    let fairness = empty.fairness(&schedule).unwrap();
    assert_eq!((fairness.jobs, fairness.delayed_share, fairness.mean_delay), (0, None, None));
}

/// Jobs 2 to 5 of the table above arrive at 10, 20, 30 and 40; job 3 starts at 50, 2 and 4 at 100, 5 at 140.
#[test]
fn waiting_jobs_are_steps_since_the_span_began() {
    let (workload, schedule) = five();
    let queue = Evaluation::of(&workload, &schedule).unwrap().queue();
    let whole = [(0.0, 0.0), (10.0, 1.0), (20.0, 2.0), (30.0, 3.0), (40.0, 4.0), (50.0, 3.0), (100.0, 1.0)];
    assert_eq!(queue.jobs_waiting(None)[..7], whole);
    let part = Span { from: Time(35), until: Time(100) };
    assert_eq!(queue.jobs_waiting(Some(part)), [(0.0, 3.0), (5.0, 4.0), (15.0, 3.0), (65.0, 1.0)]);
    let after = Span { from: Time(1000), until: Time(900) };
    assert_eq!(queue.jobs_waiting(Some(after)), [(0.0, 0.0)]);
}

#[test]
fn a_workload_without_jobs_is_not_an_error() {
    let (workload, schedule) = scheduled(10, &[]);
    let evaluation = Evaluation::of(&workload, &schedule).unwrap();
    assert_eq!(evaluation.all().summary().jobs, 0);
    assert_eq!(evaluation.all().span(), None);
    assert!(evaluation.all().by(Dimension::User).groups.is_empty());
    let queue = evaluation.queue();
    assert!(queue.steps.is_empty() && queue.bins(4).is_empty() && queue.jobs_waiting(None).is_empty());
    assert_eq!((queue.summary().mean_jobs_waiting, queue.summary().max_jobs_waiting), (None, 0));
}

#[test]
fn one_job_is_every_percentile() {
    let (workload, schedule) = scheduled(4, &[line(5, 2, 15, 20, 40, Reason::Reserved)]);
    let summary = Evaluation::of(&workload, &schedule).unwrap().all().summary();
    let waits = [summary.p50_wait, summary.p90_wait, summary.p95_wait, summary.p99_wait, summary.max_wait];
    assert_eq!(waits, [Some(Seconds(10)); 5]);
    close(summary.mean_bounded_slowdown, 1.5); // 30 / 20
    close(summary.utilization, 40.0 / 120.0); // 2·20 of 4·30
    close(summary.awrt, 30.0);
    close(summary.pwsrt, 1.5); // with one job, the slowdown
}

#[test]
fn jobs_that_run_for_no_time_divide_nothing_by_zero() {
    let (workload, schedule) = scheduled(4, &[line(5, 2, 5, 0, 1, Reason::Immediate)]);
    let evaluation = Evaluation::of(&workload, &schedule).unwrap();
    let summary = evaluation.all().summary();
    close(summary.mean_bounded_slowdown, 1.0);
    assert_eq!(summary.makespan, Some(Seconds(0)));
    assert_eq!((summary.utilization, summary.awrt, summary.pwsrt), (None, None, None));
    assert_eq!(summary.mean_absolute_error, Some(1.0));
    assert_eq!(summary.mean_absolute_error_percent, None);
    assert_eq!(summary.within_factor_two_share, Some(1.0));
    assert!(evaluation.queue().steps.is_empty());
    assert_eq!(evaluation.queue().summary().mean_procs_busy, None);
}

#[test]
fn fairness_against_a_reference_by_hand() {
    let (workload, schedule) = five();
    // The reference starts the jobs at 0, 100, 140, 140 and 190: delays are 0, 0, −90, −40, −50 …
    let (_, mut reference) = five();
    for (placement, start) in reference.placements.iter_mut().zip([0, 100, 140, 140, 190]) {
        placement.start = Time(start);
    }
    let evaluation = Evaluation::of(&workload, &schedule).unwrap();
    let fairness = evaluation.all().fairness(&reference).unwrap();
    assert_eq!((fairness.jobs, fairness.delayed, fairness.advanced), (5, 0, 3));
    assert_eq!((fairness.mean_delay, fairness.max_delay), (None, None));
    close(fairness.advanced_share, 0.6);
    close(fairness.mean_advance, 60.0); // (90 + 40 + 50) / 3
    assert_eq!(fairness.max_advance, Some(Seconds(90)));
    // … and the other way round they are delays.
    let reverse = Evaluation::of(&workload, &reference).unwrap();
    let fairness = reverse.all().fairness(&schedule).unwrap();
    assert_eq!((fairness.delayed, fairness.advanced), (3, 0));
    close(fairness.mean_delay, 60.0);
    assert_eq!(fairness.max_delay, Some(Seconds(90)));
    // Over the last two jobs only: (40 + 50) / 2.
    let last = reverse.over(&Window::Submitted { from: Time(30), until: Time(99) }).unwrap();
    let fairness = last.fairness(&schedule).unwrap();
    assert_eq!((fairness.jobs, fairness.delayed, fairness.excluded.jobs), (2, 2, 3));
    close(fairness.delayed_share, 1.0);
    close(fairness.mean_delay, 45.0);
}

#[test]
fn the_queue_by_hand() {
    let (workload, schedule) = five();
    let queue = Evaluation::of(&workload, &schedule).unwrap().queue();
    let steps: Vec<_> = queue
        .steps
        .iter()
        .map(|step| (step.time.0, step.jobs_waiting, step.procs_waiting, step.procs_busy))
        .collect();
    let expected = [
        (0, 0, 0, 6),
        (10, 1, 8, 6),
        (20, 2, 12, 6),
        (30, 3, 14, 6),
        (40, 4, 24, 6),
        (50, 3, 20, 10),
        (100, 1, 10, 10),
        (104, 1, 10, 8),
        (140, 0, 0, 10),
        (160, 0, 0, 0),
    ];
    assert_eq!(steps, expected);

    let summary = queue.summary();
    close(summary.mean_jobs_waiting, 290.0 / 160.0); // the waits' sum
    close(summary.mean_procs_busy, 8.3); // utilization · 10
    assert_eq!((summary.max_jobs_waiting, summary.max_procs_waiting, summary.max_procs_busy), (4, 24, 10));

    // From 45 to 102: 5 s of 4 waiting, 50 s of 3, 2 s of 1.
    let part = queue.summary_over(Span { from: Time(45), until: Time(102) });
    close(part.mean_jobs_waiting, (5.0 * 4.0 + 50.0 * 3.0 + 2.0) / 57.0);
    assert_eq!(part.max_procs_waiting, 24);

    // Three parts of 160/3 s each; the first ends at 53⅓: (10 + 20 + 30 + 40 + 3⅓ · 3) · 3 / 160 jobs.
    let bins = queue.bins(3);
    assert_eq!(bins.len(), 3);
    close(Some(bins[0].jobs_waiting), (10.0 + 20.0 + 30.0 + 40.0 + 10.0) * 3.0 / 160.0);
    close(Some(bins[1].from), 160.0 / 3.0);
    let mean = bins.iter().map(|bin| bin.procs_busy).sum::<f64>() / 3.0;
    close(Some(mean), 8.3);
}

#[test]
fn groups_have_names_and_share_the_machine_between_them() {
    let (workload, schedule) = five();
    let mut jobs: Vec<_> = workload.jobs().iter().cloned().zip(workload.truths().to_vec()).collect();
    for (job, user) in jobs.iter_mut().zip([Some(7), Some(2), None, Some(2), Some(7)]) {
        job.0.user = user.and_then(UserId::new);
        job.0.group = GroupId::new(1);
        job.0.queue = user.and_then(QueueId::new);
    }
    let mut workload = Workload::new(workload.machine(), jobs).unwrap();
    workload.names.users.insert(7, "ada".into());
    workload.names.queues.insert(2, "short".into());
    let evaluation = Evaluation::of(&workload, &schedule).unwrap();
    let names = |dimension| -> Vec<(String, usize)> {
        let groups = evaluation.all().by(dimension).groups;
        groups.into_iter().map(|group| (group.name, group.summary.jobs)).collect()
    };
    let named = |pairs: &[(&str, usize)]| -> Vec<(String, usize)> {
        pairs.iter().map(|&(name, jobs)| (name.to_string(), jobs)).collect()
    };
    assert_eq!(names(Dimension::User), named(&[("2", 2), ("ada", 2), ("unknown", 1)]));
    assert_eq!(names(Dimension::Queue), named(&[("short", 2), ("7", 2), ("unknown", 1)]));
    assert_eq!(names(Dimension::Group), named(&[("1", 5)]));
    assert_eq!(names(Dimension::Partition), named(&[("unknown", 5)]));
    assert_eq!(names(Dimension::SizeClass), named(&[("2-3", 1), ("4-7", 2), ("8-15", 2)]));

    let by_user = evaluation.all().by(Dimension::User);
    let ada = &by_user.groups[1].summary;
    close(ada.mean_wait, 50.0); // (0 + 100) / 2
    close(ada.utilization, 0.5); // (600 + 200) / 1600
    let total: f64 = by_user.groups.iter().filter_map(|group| group.summary.utilization).sum();
    close(Some(total), 0.83);

    // The only job of the unknown user, number 3, is left out: it is still listed, as excluded.
    let window = Window::Submitted { from: Time(30), until: Time(99) };
    let unknown = &evaluation.over(&window).unwrap().by(Dimension::User).groups[2];
    assert_eq!((unknown.name.as_str(), unknown.number, unknown.summary.jobs), ("unknown", None, 0));
    assert_eq!((unknown.summary.excluded.jobs, unknown.summary.excluded.early), (1, 1));
    assert_eq!(unknown.summary.utilization, None);
}

#[test]
fn a_schedule_of_something_else_is_refused() {
    let (workload, mut schedule) = five();
    schedule.placements.pop();
    let refused = Evaluation::of(&workload, &schedule).unwrap_err();
    assert_eq!(refused, EvalError::OtherJobs { jobs: 5, placements: 4 });

    let spoil = |spoil: fn(&mut Placement)| {
        let (workload, mut schedule) = five();
        spoil(&mut schedule.placements[1]);
        Evaluation::of(&workload, &schedule).unwrap_err().to_string()
    };
    assert_eq!(
        spoil(|placement| placement.start = Time(9)),
        "job 2 (number 1 in arrival order) starts at 9, before its submission at 10"
    );
    assert!(spoil(|placement| placement.start = Time::NEVER).contains("never starts"));
    assert!(spoil(|placement| placement.ran = Seconds(-1)).contains("runs for -1 s"));
    assert!(spoil(|placement| placement.predicted = Seconds(-5)).contains("predicted to run for -5 s"));

    let (workload, schedule) = five();
    let evaluation = Evaluation::of(&workload, &schedule).unwrap();
    let (_, other) = scheduled(10, &[]);
    assert!(evaluation.all().fairness(&other).is_err());
}

#[test]
fn absurdly_large_numbers_neither_panic_nor_turn_negative() {
    // The longest a workload takes.
    let long = 1_000_000_000_000_000;
    let absurd = line(0, u32::MAX, long, long, 1, Reason::Reserved);
    let (workload, schedule) = scheduled(u32::MAX, &[absurd]);
    let evaluation = Evaluation::of(&workload, &schedule).unwrap();
    let summary = evaluation.all().summary();
    assert!(METRICS.iter().all(|metric| metric.value(&summary).is_none_or(|value| value >= 0.0)));
    assert!(evaluation.queue().bins(7).iter().all(|bin| bin.procs_busy >= 0.0));
}

#[test]
fn a_metric_is_found_by_its_name_or_the_known_ones_are_listed() {
    let (workload, schedule) = five();
    let summary = Evaluation::of(&workload, &schedule).unwrap().all().summary();
    assert_eq!(Metric::named("mean_wait").unwrap().value(&summary), Some(58.0));
    assert_eq!(Metric::named("p50_wait").unwrap().value(&summary), Some(70.0));
    let unknown = Metric::named("avg_wait").unwrap_err().to_string();
    assert!(unknown.starts_with("no metric is called \"avg_wait\"; the metrics are jobs, "), "{unknown}");
    assert!(unknown.contains("mean_bounded_slowdown"));
}

/// Says 20 of the first job and 200 of the second; of the second 25 when the first overruns for the first time, and
/// 100 when it ends.
struct Scripted {
    overran: bool,
}

impl RuntimePredictor for Scripted {
    fn estimate(&self, question: &Question<'_>) -> Forecast {
        Forecast::exactly(Seconds(if question.job.index == JobIndex(0) { 20 } else { 200 }))
    }

    fn observe(&mut self, event: &Event<'_>, revisions: &mut Vec<Revision>) {
        let says = match (event.job.index, event.what) {
            (JobIndex(0), What::Overran { .. }) if !self.overran => 25,
            (JobIndex(0), What::Ended(_)) => 100,
            _ => return,
        };
        self.overran = true;
        revisions.push(Revision { job: JobIndex(1), forecast: Forecast::exactly(Seconds(says)) });
    }
}

#[test]
fn predictions_count_by_how_long_they_stood() {
    // One processor. The first job arrives at 0 and runs for 100, the second arrives at 10, waits for it, and runs
    // for 50, until 150. Increments of 60 and 300 are added to what the predictor said.
    //
    // | job | from | until | prediction | abs. inaccuracy | rel. accuracy    |
    // |   1 |    0 |    20 |         20 |              80 | 20 / 100 = 0.2   |
    // |   1 |   20 |    80 |         80 |              20 | 80 / 100 = 0.8   |
    // |   1 |   80 |   100 |        320 |             220 | 100/320 = 0.3125 |
    // |   2 |   10 |    20 |        200 |             150 | 50 / 200 = 0.25  |
    // |   2 |   20 |   100 |         25 |              25 | 25 / 50 = 0.5    |
    // |   2 |  100 |   150 |        100 |              50 | 50 / 100 = 0.5   |
    let workload = workload(1, [job(1, 100).limit(1000), job(1, 50).at(10).limit(1000)]);
    let mut policy = Backfill::sjbf().build();
    let mut predictor = Scripted { overran: false };
    let schedule = simulate(&workload, Options::default(), policy.as_mut(), &mut predictor, &mut [])
        .expect("a sound predictor");
    let [one, two] = schedule.placements[..] else { panic!("two jobs") };
    assert_eq!((one.corrections, one.revisions, two.corrections, two.revisions), (2, 0, 0, 2));
    assert_eq!((one.predicted, two.predicted), (Seconds(20), Seconds(200)));
    let inaccuracies = [
        (80.0 * 20.0 + 20.0 * 60.0 + 220.0 * 20.0) / 100.0,
        (150.0 * 10.0 + 25.0 * 80.0 + 50.0 * 50.0) / 140.0,
    ];
    let accuracies =
        [(0.2 * 20.0 + 0.8 * 60.0 + 0.3125 * 20.0) / 100.0, (0.25 * 10.0 + 0.5 * 80.0 + 0.5 * 50.0) / 140.0];
    close(Some(one.standing.inaccuracy), 72.0);
    close(Some(one.standing.accuracy), 0.5825);
    let summary = Evaluation::of(&workload, &schedule).expect("they belong together").all().summary();
    close(summary.absolute_inaccuracy, (inaccuracies[0] + inaccuracies[1]) / 2.0);
    close(summary.relative_accuracy, (accuracies[0] + accuracies[1]) / 2.0);
    // The first predictions alone: 20 for 100, 200 for 50.
    close(summary.mean_accuracy, (0.2 + 0.25) / 2.0);
}

#[test]
fn a_plan_outlived_is_no_other_prediction() {
    // Plans are half of what is predicted, and outlived; the prediction is right all the time.
    let workload = workload(1, [100, 100].map(|time| job(1, time).limit(time)));
    let options = Options { factor: 0.5, ..Options::default() };
    let mut policy = Backfill::easy().build();
    let mut predictor = queuecast_sim::predict::Requested { default: Seconds(1) };
    let schedule =
        simulate(&workload, options, policy.as_mut(), &mut predictor, &mut []).expect("a sound predictor");
    for placed in schedule.placements {
        assert_eq!(placed.corrections, 1);
        assert_eq!(placed.standing, Standing { inaccuracy: 0.0, accuracy: 1.0 });
    }
}

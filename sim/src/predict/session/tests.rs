//! Predictions by sessions, worked by hand: two published sessions, and when sessions begin and end.

use super::super::PredictorSpec;
use super::super::history::stage::{Stage, Submission, asks};
use super::*;

fn stage(spec: &str) -> Stage<SessionHistory> {
    let PredictorSpec::Session(settings) = spec.parse().unwrap() else { panic!("{spec} is no sbh") };
    Stage::new(SessionHistory::new(settings, Requested { default: Seconds(777) }))
}

fn submission(procs: u32, limit: i64, executable: Option<u32>) -> Submission {
    Submission { procs, executable, ..asks(limit) }
}

/// One line of table 3 of Talby et al. 2005: arrival, size, estimate, executable, run time.
type Line = (i64, u32, i64, Option<u32>, i64);

/// Every job starts on arrival; what is predicted of each, and of one more like the last, when all have ended.
fn predictions(spec: &str, lines: &[Line]) -> Vec<i64> {
    let mut stage = stage(spec);
    let mut running: Vec<(i64, usize)> = Vec::new();
    let mut predicted = Vec::new();
    let again =
        lines.last().map(|&(at, procs, limit, executable, _)| (at + 1000, procs, limit, executable, 1));
    for (job, (at, procs, limit, executable, run)) in lines.iter().copied().chain(again).enumerate() {
        running.sort_unstable();
        while let Some(&(end, first)) = running.first().filter(|(end, _)| *end <= at) {
            stage.end(first, end);
            running.remove(0);
        }
        predicted.push(stage.arrive(at, submission(procs, limit, executable)));
        stage.start(job, at);
        running.push((at + run, job));
    }
    assert_eq!(stage.predictor.sessions(UserId::new(1).unwrap()), 1);
    predicted
}

fn clock(hours: i64, minutes: i64, seconds: i64) -> i64 {
    (hours * 60 + minutes) * 60 + seconds
}

/// User 289 of CTC on 20 September 1996. Jobs 3 and 4 overlap, and so do 10, 11 and 12; all others have ended
/// when the next one arrives.
fn ctc() -> [Line; 12] {
    let (a, b, c) = (Some(3012), Some(3032), Some(3033));
    [
        (clock(19, 49, 20), 16, 300, a, 91),
        (clock(19, 52, 32), 12, 300, a, 67),
        (clock(19, 57, 45), 12, 300, a, 348),
        (clock(19, 58, 33), 16, 300, a, 342),
        (clock(20, 5, 25), 16, 300, a, 105),
        (clock(20, 8, 17), 16, 300, a, 87),
        (clock(20, 10, 7), 200, 300, b, 332),
        (clock(20, 15, 54), 100, 300, c, 314),
        (clock(20, 22, 15), 200, 300, c, 389),
        (clock(20, 31, 34), 200, 1800, c, 168),
        (clock(20, 31, 45), 200, 1800, c, 352),
        (clock(20, 33, 25), 200, 1800, c, 348),
    ]
}

#[test]
fn the_ctc_session_by_size_and_estimate() {
    let expected = [
        300, // no job before it: the estimate
        91,  // 12 processors are new; alike in estimate is job 1
        67,  // 12 processors and 300 s: job 2
        91,  // 16 and 300: job 1; job 3 has not ended
        216, // 16 and 300: 91 and 342, the mean of the two rounded down
        105, // 16 and 300: 91, 342, 105
        98,  // 200 processors are new; 300 s: 67, 87, 91, 105, 342, 348, between 91 and 105
        105, // 100 processors are new; 300 s: 332 as well, so the middle one is 105
        332, // 200 and 300: job 7
        360, // 1800 s is new with 200 processors; alike in size: 332 and 389
        360, // job 10 has not ended
        360, // nor has job 11
        348, // 200 and 1800: 168, 352, 348
    ];
    assert_eq!(predictions("sbh:[PE,P,E,*]", &ctc()), expected);
}

#[test]
fn the_ctc_session_by_estimate_first() {
    let expected = [
        300, // the estimate
        91,  // alike in estimate: job 1, though it is of another size
        79,  // 91 and 67
        79,  // the same: job 3 has not ended
        216, // 67, 91, 342, 348
        105, // 67, 91, 105, 342, 348
        98,  // 67, 87, 91, 105, 342, 348
        105, // 332 as well
        209, // 314 as well: between 105 and 314
        360, // 1800 s is new; alike in size: 332 and 389
        360, // job 10 has not ended
        360, // nor has job 11
        348, // 1800 s: 168, 352, 348
    ];
    assert_eq!(predictions("sbh:[E,P,X]", &ctc()), expected);
}

#[test]
fn the_ctc_session_without_estimates() {
    let expected = [
        1,   // nothing to go by
        91,  // 12 processors are new; alike in executable: job 1
        67,  // 12 processors and executable 3012: job 2
        91,  // 16 and 3012: job 1
        216, // 16 and 3012: 91 and 342
        105, // 91, 342, 105
        98,  // a new size and a new executable: any job, 67, 87, 91, 105, 342, 348
        105, // a new size and a new executable again: 332 as well
        332, // 200 processors never ran 3033; alike in size: job 7
        389, // 200 and 3033: job 9
        389, // job 10 has not ended
        389, // nor has job 11
        350, // 200 and 3033: 168, 348, 352, 389
    ];
    assert_eq!(predictions("sbh:[PX,P,X,*],new=1", &ctc()), expected);
}

#[test]
fn the_ctc_session_by_time_alone() {
    // The median of all that have ended: at job 10 these are 67, 87, 91, 105, 314, 332, 342, 348, 389, and at
    // the end 168, 348 and 352 as well, with 314 and 332 in the middle.
    let expected = [300, 91, 79, 79, 216, 105, 98, 105, 209, 314, 314, 314, 323];
    assert_eq!(predictions("sbh:[*]", &ctc()), expected);
}

/// User 315 of BLUE on 21 April 2001: the same job again and again. Job 2 arrives while job 1 runs.
fn blue() -> [Line; 12] {
    [
        (clock(4, 29, 56), 31),
        (clock(4, 30, 14), 28),
        (clock(4, 33, 16), 31),
        (clock(4, 36, 26), 28),
        (clock(4, 37, 9), 43),
        (clock(4, 40, 33), 33),
        (clock(4, 43, 29), 29),
        (clock(4, 46, 34), 29),
        (clock(4, 49, 40), 28),
        (clock(4, 54, 37), 28),
        (clock(4, 58, 4), 30),
        (clock(5, 6, 57), 28),
    ]
    .map(|(at, run)| (at, 8, 30600, None, run))
}

#[test]
fn the_blue_session_predicts_itself() {
    let expected = [
        30600, // no job before it: the estimate
        30600, // job 1 has not ended
        29,    // 31 and 28
        31,    // 31, 28, 31
        29,    // 28, 28, 31, 31
        31,    // 43 as well
        31,    // 28, 28, 31, 31, 33, 43
        31,    // 28, 28, 29, 31, 31, 33, 43
        30,    // 28, 28, 29, 29, 31, 31, 33, 43
        29,    // 28, 28, 28, 29, 29, 31, 31, 33, 43
        29,    // 28 four times, 29, 29, 31, 31, 33, 43
        29,    // 30 as well
        29,    // 28 five times, then 29, 29
    ];
    // Everything is alike, by whatever it is compared; where executables are unknown, sizes decide.
    for spec in ["sbh", "sbh:[E,P,X]", "sbh:[PX,P,X,*]", "sbh:[*]", "sbh:[PX,P],unknown=different"] {
        assert_eq!(predictions(spec, &blue()), expected, "{spec}");
    }
    // Unless nothing else is compared and unknown executables are no match.
    assert_eq!(predictions("sbh:[X,PX],unknown=different", &blue()), [30600; 13]);
}

#[test]
fn an_end_in_the_blue_session_is_passed_on() {
    let mut stage = stage("sbh:propagate");
    let job = submission(8, 30600, None);
    stage.arrive(clock(4, 29, 56), job);
    stage.start(0, clock(4, 29, 56));
    assert_eq!(stage.arrive(clock(4, 30, 14), job), 30600);
    stage.start(1, clock(4, 30, 14));
    // Job 1 ends when job 2 has run for 13 s: 31 s will do.
    assert_eq!(stage.end(0, clock(4, 30, 27)), [(1, 31)]);
    assert_eq!(stage.end(1, clock(4, 30, 42)), []);
}

fn sessions(stage: &Stage<SessionHistory>) -> u32 {
    stage.predictor.sessions(UserId::new(1).unwrap())
}

#[test]
fn twenty_minutes_of_thought_end_a_session() {
    for (think, expected) in [(0, 1), (1199, 1), (1200, 2), (5000, 2)] {
        let mut stage = stage("sbh");
        stage.run(0, asks(600), 100);
        stage.run(100 + think, asks(600), 100);
        assert_eq!(sessions(&stage), expected, "{think}");
    }
    let mut stage = stage("sbh:think=60");
    stage.run(0, asks(600), 100);
    stage.run(159, asks(600), 100);
    assert_eq!(sessions(&stage), 1);
    stage.run(319, asks(600), 100);
    assert_eq!(sessions(&stage), 2);
    assert_eq!(stage.predictor.sessions(UserId::new(2).unwrap()), 0);
}

#[test]
fn a_job_that_waits_or_runs_keeps_its_session_open() {
    let mut stage = stage("sbh");
    stage.arrive(0, asks(600));
    stage.arrive(10_000, asks(600));
    stage.start(0, 10_000);
    stage.start(1, 10_000);
    stage.arrive(20_000, asks(600));
    assert_eq!(sessions(&stage), 1);
    // It is the job before that counts: job 2 ends, and job 1 runs on, but job 3 begins a session.
    stage.start(2, 20_000);
    stage.end(2, 20_010);
    stage.arrive(20_010 + 1200, asks(600));
    assert_eq!(sessions(&stage), 2);
    // The end of a job further back is not what counts either.
    stage.end(1, 20_010 + 1300);
    stage.arrive(99_000, asks(600));
    assert_eq!(sessions(&stage), 2);
}

#[test]
fn a_job_that_ends_late_belongs_to_the_session_it_arrived_in() {
    let mut stage = stage("sbh:[P,*]");
    stage.arrive(0, submission(4, 600, None));
    stage.start(0, 0);
    stage.run(10, submission(1, 600, None), 10);
    stage.run(2000, submission(4, 600, None), 30);
    assert_eq!(sessions(&stage), 2);
    // Four processors: 30 s in the second session. That job 0, of the first, ends now makes no difference.
    stage.end(0, 2100);
    assert_eq!(stage.arrive(2100, submission(4, 600, None)), 30);
    // For others it does: in the second session only 30 is known, whatever the size.
    assert_eq!(stage.arrive(2100, submission(9, 600, None)), 30);
}

#[test]
fn depth_first_prefers_an_exact_match_three_sessions_ago() {
    // Section 5.2 with [PEX,PX,EX]: three sessions ago a job matched in all three, in the present one another
    // in parallelism and executable only. Between them are two sessions of something else.
    let predicted = |settings: &str| {
        let mut stage = stage(&format!("sbh:[PEX,PX,EX]{settings}"));
        stage.run(0, submission(4, 600, Some(1)), 500);
        stage.run(10_000, submission(9, 999, Some(9)), 77);
        stage.run(20_000, submission(9, 999, Some(9)), 77);
        stage.run(30_000, submission(4, 900, Some(1)), 20);
        let predicted = stage.arrive(30_100, submission(4, 600, Some(1)));
        assert_eq!(sessions(&stage), 4);
        predicted
    };
    assert_eq!(predicted(""), 500);
    assert_eq!(predicted(",search=bfs"), 20);
    // Four sessions, the present one included, reach that far; three do not.
    assert_eq!(predicted(",depth=4"), 500);
    assert_eq!(predicted(",depth=3"), 20);
    assert_eq!(predicted(",depth=4,search=bfs"), 20);
}

#[test]
fn a_depth_of_one_is_the_present_session() {
    let mut stage = stage("sbh:[*],depth=1");
    assert_eq!(stage.run(0, asks(600), 100), 600);
    assert_eq!(stage.run(200, asks(600), 50), 100);
    // Another session: nothing in it is known yet.
    assert_eq!(stage.run(5000, asks(600), 30), 600);
    assert_eq!(stage.run(5100, asks(600), 30), 30);
    let mut deeper = self::stage("sbh:[*],depth=2");
    deeper.run(0, asks(600), 100);
    assert_eq!(deeper.run(5000, asks(600), 30), 100);
    assert_eq!(deeper.run(10_000, asks(600), 40), 30);
}

#[test]
fn what_slips_out_of_reach_is_forgotten_in_what_waits() {
    // Job 1 waits, predicted from job 0. Two sessions later only the newest is looked at, and holds no match.
    let mut stage = stage("sbh:[P],depth=1,propagate");
    stage.run(0, submission(4, 600, None), 50);
    assert_eq!(stage.arrive(60, submission(4, 600, None)), 50);
    stage.run(70, submission(2, 600, None), 10);
    stage.arrive(5000, submission(2, 600, None));
    assert_eq!(sessions(&stage), 2);
    stage.start(3, 5000);
    assert_eq!(stage.end(3, 5010), [(1, 600)]);
}

#[test]
fn caps_newcomers_and_missing_estimates() {
    let without = Submission { limit: None, ..asks(1) };
    assert_eq!(stage("sbh").run(0, without, 5), 777);
    assert_eq!(stage("sbh:new=1").run(0, asks(600), 5), 1);
    for (spec, expected) in [("sbh", 50), ("sbh:cap", 20)] {
        let mut stage = stage(spec);
        stage.run(0, asks(100), 50);
        assert_eq!(stage.run(100, asks(20), 0), expected);
    }
    // Two without an estimate are alike in it, unless unknown is different.
    for (spec, expected) in [("sbh:[E]", 5), ("sbh:[E],unknown=different", 777)] {
        let mut stage = stage(spec);
        stage.run(0, without, 5);
        assert_eq!(stage.run(10, without, 5), expected);
    }
    let mut unknown = stage("sbh:[*]");
    unknown.run(0, Submission { user: None, ..asks(600) }, 5);
    assert_eq!(unknown.run(10, Submission { user: None, ..asks(600) }, 5), 600);
}

#[test]
fn running_jobs_count_where_they_are_asked_to() {
    let mut stage = stage("sbh:[*],max,learn=running,propagate");
    stage.arrive(0, asks(30));
    stage.arrive(0, asks(600));
    stage.arrive(0, asks(600));
    stage.start(0, 0);
    // It counts as the 30 s predicted of it; a start is not passed on.
    assert_eq!(stage.arrive(1, asks(600)), 30);
    stage.start(1, 2);
    // It counts as 600; job 0 outlives its 30 and counts as 90; the longest is 600.
    assert_eq!(stage.overrun(0, 30, 90), [(3, 600)]);
    // Job 1 ends after 40: 40 and 90 are left, and job 0 runs.
    assert_eq!(stage.end(1, 42), [(2, 90), (3, 90)]);
    assert_eq!(stage.end(0, 50), [(2, 50), (3, 50)]);
}

#[test]
fn jobs_that_overran_count_only_once_they_did() {
    let mut stage = stage("sbh:[*],learn=overran");
    stage.arrive(0, asks(30));
    stage.start(0, 0);
    assert_eq!(stage.arrive(1, asks(600)), 600);
    stage.overrun(0, 30, 90);
    assert_eq!(stage.arrive(31, asks(600)), 90);
    stage.end(0, 40);
    assert_eq!(stage.arrive(41, asks(600)), 40);
}

#[test]
fn a_job_it_never_saw_arrive_does_not_end_the_session_of_one_it_did() {
    let mut stage = stage("sbh:[*],propagate");
    let unheard = stage.unheard(0, asks(600));
    assert_eq!(stage.arrive(50, asks(600)), 600);
    stage.start(1, 60);
    // It was there before; it teaches, but job 1 is still the one that arrived last, and it runs.
    assert_eq!(stage.end(unheard, 100), [(1, 100)]);
    assert_eq!(stage.arrive(5000, asks(600)), 100);
    assert_eq!(sessions(&stage), 1);
    // One that came and went unobserved, long after the others had ended, is a session.
    stage.start(2, 5000);
    stage.end(2, 5010);
    let unheard = stage.unheard(9000, asks(600));
    stage.end(unheard, 9100);
    assert_eq!(sessions(&stage), 2);
    stage.arrive(9100 + 1199, asks(600));
    assert_eq!(sessions(&stage), 2);
}

//! Forecasts of the mixture, in small histories.

use super::super::super::history::stage::{Stage, Submission, asks};
use super::*;
use queuecast_core::job::{End, Ending, UserId};
use queuecast_core::units::Procs;

fn stage() -> Stage<Mixture> {
    Stage::new(Mixture::new(MixtureSettings::default(), Seconds(777)))
}

/// What is said of a job of this user.
fn asked(mixture: &Mixture, user: Option<u32>, limit: Option<i64>, elapsed: i64) -> Forecast {
    let mut job = Job::rigid(1, Time(1_000_000), Procs(1), limit.map(Seconds));
    (job.index, job.user) = (JobIndex(u32::MAX), user.and_then(UserId::new));
    mixture.estimate(&Question { job: &job, elapsed: Seconds(elapsed) })
}

#[test]
fn without_history_it_is_what_is_known_of_user_queue_site_and_request() {
    let mut stage = stage();
    // Nothing has ended: the request, or the default. Neighbours are the prior of the request only.
    let first = stage.arrive(0, asks(600));
    assert!((12..=600).contains(&first), "{first}");
    assert_eq!(asked(&stage.predictor, None, None, 0).point(), Seconds(777));
    // All jobs of user 1 take half of what they ask for.
    for number in 1..60 {
        stage.run(number * 1000, asks(600), 300);
    }
    assert_eq!(asked(&stage.predictor, Some(1), Some(600), 0).point(), Seconds(300));
    // Another user: as usual at the site, within what is asked for. Without a request: as long as usual.
    let other = asked(&stage.predictor, Some(2), Some(600), 0).point().0;
    assert!((290..=310).contains(&other), "{other}");
    let shorter = asked(&stage.predictor, Some(2), Some(60), 0).point().0;
    assert!((1..=60).contains(&shorter), "{shorter}");
    let without = asked(&stage.predictor, Some(2), None, 0).point().0;
    assert!((290..=310).contains(&without), "{without}");
}

#[test]
fn jobs_without_user_or_request_learn_from_each_other() {
    let mut stage = stage();
    let bare = Submission { user: None, limit: None, ..asks(1) };
    let said: Vec<i64> = (0..60).map(|number| stage.run(number * 1000, bare, 120)).collect();
    assert_eq!((said[0], said[1], said[59]), (777, 120, 120));
    let forecast = asked(&stage.predictor, None, None, 0);
    assert!(forecast.quantile(0.1) <= Seconds(120) && forecast.quantile(0.9) >= Seconds(120));
}

#[test]
fn what_has_passed_is_given() {
    let mut stage = stage();
    // Half of the jobs fail after a minute, the others run for 2,000 s.
    for number in 0..200 {
        stage.run(number * 10_000, asks(3600), if number % 2 == 0 { 60 } else { 2000 });
    }
    let fresh = asked(&stage.predictor, Some(1), Some(3600), 0);
    assert!(fresh.quantile(0.1) <= Seconds(70) && fresh.quantile(0.9) >= Seconds(1900));
    let after = asked(&stage.predictor, Some(1), Some(3600), 600);
    assert!(after.point() > Seconds(600) && after.quantile(0.0) >= Seconds(600));
    assert!(after.quantile(0.9) >= Seconds(1900) && after.quantile(1.0) <= Seconds(3600));
    // Past its limit it runs on for a while.
    let past = asked(&stage.predictor, Some(1), Some(3600), 4000);
    assert!(past.point() > Seconds(4000) && past.point() <= Seconds(16_000));
}

#[test]
fn jobs_that_reach_their_limit_have_a_probability_of_their_own() {
    let mut stage = stage();
    for number in 0..200 {
        stage.run(number * 10_000, asks(600), if number % 2 == 0 { 60 } else { 605 });
    }
    let forecast = asked(&stage.predictor, Some(1), Some(600), 0);
    let killed = 1.0 - forecast.probability_before(Seconds(599));
    assert!((0.25..=0.75).contains(&killed), "{killed}");
    assert_eq!(forecast.distribution().survival(600.0), 0.0);
    // Control: where all end early, there is next to none.
    let mut early = Stage::new(Mixture::new(MixtureSettings::default(), Seconds(777)));
    for number in 0..200 {
        early.run(number * 10_000, asks(600), 60);
    }
    let early = 1.0 - asked(&early.predictor, Some(1), Some(600), 0).probability_before(Seconds(599));
    assert!(early < 0.1, "{early}");
}

#[test]
fn limits_that_do_not_bind_are_no_limits() {
    let mut stage = stage();
    for number in 0..200 {
        stage.run(number * 10_000, asks(600), 3000);
    }
    let forecast = asked(&stage.predictor, Some(1), Some(600), 0);
    assert_eq!(forecast.point(), Seconds(3000));
    assert!(forecast.quantile(0.9) >= Seconds(3000));
    assert!(forecast.quantile(1.0) <= Seconds(3000), "no job has run for longer");
}

#[test]
fn without_a_limit_no_quantile_is_beyond_all_that_has_been() {
    let mut stage = stage();
    let bare = Submission { limit: None, ..asks(1) };
    // Run times of 1 s to 10^6 s without any order: errors span many widths.
    for number in 0..300_i64 {
        let power = u32::try_from(number * 7919 % 7).unwrap();
        stage.run(number * 2_000_000, bare, 10_i64.pow(power));
    }
    let forecast = asked(&stage.predictor, Some(1), None, 0);
    assert!(forecast.quantile(0.9) >= Seconds(10_000) && forecast.quantile(1.0) <= Seconds(1_000_000));
    // Asked about one that has run for longer than any before.
    let past = asked(&stage.predictor, Some(1), None, 2_000_000);
    assert!(past.point() > Seconds(2_000_000));
}

#[test]
fn a_job_only_asked_about_is_not_taken_for_another_of_its_index() {
    let mut stage = stage();
    for number in 0..50 {
        stage.run(number * 1000, asks(600), 300);
    }
    let at = stage.arrive(60_000, asks(600));
    let mut other = Job::rigid(9, Time(60_000), Procs(1), Some(Seconds(60)));
    (other.index, other.user) = (JobIndex(50), UserId::new(1));
    let said = stage.predictor.estimate(&Question { job: &other, elapsed: Seconds::ZERO });
    assert!(at > 60 && said.point() <= Seconds(60));
    // Nor is its end taken for the other's.
    let end = What::Ended(End { ran: Seconds(5), ending: Ending::Completed });
    let before = stage.predictor.judge.weights(&stage.predictor.facts(&other), 0);
    stage.predictor.observe(&Event { at: Time(60_001), job: &other, what: end }, &mut Vec::new());
    assert_eq!(stage.predictor.judge.weights(&stage.predictor.facts(&other), 0), before);
}

#[test]
fn a_withdrawn_job_teaches_nothing() {
    let mut stage = stage();
    stage.arrive(0, asks(600));
    let job = Job::rigid(0, Time(0), Procs(1), Some(Seconds(600)));
    let gone = Event { at: Time(5), job: &job, what: What::Withdrawn };
    stage.predictor.observe(&gone, &mut Vec::new());
    assert!(stage.predictor.pending.is_empty());
    assert_eq!(asked(&stage.predictor, None, None, 0).point(), Seconds(777));
}

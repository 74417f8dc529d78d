//! Strategies by hand, on machines small enough to see through.

use super::*;
use queuecast_core::job::{Job, Runs, Shape, Truth};
use queuecast_core::units::{Procs, Seconds, Time};
use queuecast_core::workload::{Machine, Workload};
use queuecast_sim::predict::{DEFAULT_REQUEST, PredictorSpec};
use queuecast_sim::sim::{Options, Schedule, simulate};

/// A job of this work that runs as fast as it has processors, on up to `most` of them.
fn job(id: u64, at: i64, work: i64, most: u32) -> (Job, Truth) {
    let run = |procs: u32| Seconds(work / i64::from(procs));
    let shape = |procs: u32| Shape { procs: Procs(procs), limit: Some(run(procs)) };
    let mut job = Job::rigid(id, Time(at), Procs(most), None);
    job.shape = shape(most);
    job.other_shapes = Some((1..most).map(shape).collect());
    let runs = job.shapes().map(|shape| run(shape.procs.0)).collect();
    (job, Truth { runs: Runs::Moldable(runs), ..Truth::rigid(Seconds::ZERO) })
}

fn run(procs: u32, jobs: &[(Job, Truth)], strategy: &str) -> Schedule {
    let workload = Workload::new(Machine { procs: Procs(procs) }, jobs.to_vec()).unwrap();
    let mut predictor = PredictorSpec::Requested.build(Vec::new, DEFAULT_REQUEST);
    let mut allotter = Allotter::new(strategy.parse().unwrap());
    simulate(&workload, Options::default(), &mut allotter, &mut *predictor, &mut []).unwrap()
}

/// Start and end of each job.
fn placed(schedule: &Schedule) -> Vec<(i64, i64)> {
    schedule.placements.iter().map(|placement| (placement.start.0, placement.end().0)).collect()
}

/// Seven of eight processors are busy for 60 s when a job of 800 processor-seconds comes that could use all.
fn tempting() -> Vec<(Job, Truth)> {
    vec![job(1, 0, 7 * 60, 7), job(2, 1, 800, 8)]
}

#[test]
fn avg_starts_on_what_is_free() {
    assert_eq!(placed(&run(8, &tempting(), "avg")), [(0, 60), (1, 801)]);
}

#[test]
fn opt_waits_for_more_where_that_pays() {
    // 59 s of waiting and 100 s of running, instead of 800.
    assert_eq!(placed(&run(8, &tempting(), "opt")), [(0, 60), (60, 160)]);
    // With a long one in the way it does not pay: 799 s of waiting and 100 of running.
    let long = [job(1, 0, 7 * 800, 7), job(2, 1, 800, 8)];
    assert_eq!(placed(&run(8, &long, "opt")), [(0, 800), (1, 801)]);
}

#[test]
fn a_gain_may_be_too_small_and_others_may_count() {
    // It would save 641 s of 800: more than half, less than nine tenths.
    assert_eq!(placed(&run(8, &tempting(), "opt+averse=0.5"))[1], (60, 160));
    assert_eq!(placed(&run(8, &tempting(), "opt+averse=0.9"))[1], (1, 801));
    // Twelve more behind it: 13 · 59 s of waiting are not worth it any more.
    let mut crowd = tempting();
    crowd.extend((3..15).map(|id| job(id, 1, 8, 1)));
    assert_eq!(placed(&run(8, &crowd, "opt"))[1], (60, 160));
    assert_eq!(placed(&run(8, &crowd, "opt+social"))[1], (1, 801));
}

#[test]
fn who_is_locked_in_gets_no_more_than_he_held_out_for() {
    // Four of eight are planned to be free at 60 s, three more only at 500; so the best is to hold out for five. But the
    // three are free at 60 s as well.
    let mut early = job(2, 0, 3 * 500, 3);
    early.1 = Truth { runs: Runs::Moldable([Seconds(60); 3].into()), ..early.1 };
    let jobs = [job(1, 0, 4 * 60, 4), early, job(3, 1, 800, 8)];
    assert_eq!(placed(&run(8, &jobs, "opt"))[2], (60, 160));
    assert_eq!(placed(&run(8, &jobs, "opt+lock-in"))[2], (60, 220));
}

#[test]
fn a_least_share_is_waited_for() {
    // 3.2 of 8 are four, and one is free.
    assert_eq!(placed(&run(8, &tempting(), "avg+least=0.4"))[1], (60, 160));
    let rigid = [job(1, 0, 60, 1), job(2, 1, 800, 8)];
    assert_eq!(placed(&run(8, &rigid, "avg+least=1"))[1], (60, 160));
    assert_eq!(placed(&run(8, &rigid, "avg+least=0.4"))[1].0, 1, "seven of eight will do");
}

#[test]
fn heur_holds_out_for_a_part_of_what_it_would_save() {
    // It would save 700 s by having all 8, and waits a tenth of that: 60 s is within it, 100 s is not.
    assert_eq!(placed(&run(8, &tempting(), "heur+patience=0.1"))[1], (60, 160));
    let longer = [job(1, 0, 7 * 100, 7), job(2, 1, 800, 8)];
    assert_eq!(placed(&run(8, &longer, "heur+patience=0.1"))[1], (71, 871));
    // Narrow jobs do not hold out.
    assert_eq!(placed(&run(8, &tempting(), "heur+wider=8"))[1], (1, 801));
}

#[test]
fn pred_goes_by_the_age_of_running_jobs_and_learns() {
    // Jobs of about a minute, over and over, then the tempting one: by then a minute is known to be usual.
    let mut jobs: Vec<(Job, Truth)> =
        (0..60).map(|id| job(id, 100 * id as i64, 7 * (50 + id as i64 % 20), 7)).collect();
    jobs.push(job(60, 6000, 7 * 60, 7));
    jobs.push(job(61, 6001, 800, 8));
    let schedule = run(8, &jobs, "pred");
    assert_eq!(placed(&schedule)[61], (6060, 6160));
    // Given lifetimes of hours, it does not wait.
    assert_eq!(placed(&run(8, &jobs, "pred+outlook=between:3600,36000"))[61], (6001, 6801));
}

#[test]
fn bias_is_put_right_by_the_line_through_what_became_of_predictions() {
    let mut bias = Bias::default();
    assert_eq!(bias.corrected(100.0), 100.0);
    for number in 1..=40 {
        let predicted = f64::from(number * number);
        bias.observe(predicted, (2.0 + 0.5 * predicted.ln()).exp());
    }
    let line = bias.trend().unwrap();
    assert!((line.slope - 0.5).abs() < 1e-9 && (line.intercept - 2.0).abs() < 1e-9);
    assert!((line.correlation - 1.0).abs() < 1e-9 && line.points == 40);
    assert!((bias.corrected(100.0) - (2.0 + 0.5 * 100f64.ln()).exp()).abs() < 1e-6);
    let mut same = Bias::default();
    (0..40).for_each(|_| same.observe(5.0, 7.0));
    assert_eq!((same.trend(), same.corrected(5.0)), (None, 5.0));
}

#[test]
fn strategies_are_read_as_they_are_written() {
    for text in [
        "avg",
        "opt+social+departures",
        "pred",
        "bias+lock-in+averse=0.2",
        "avg+least=0.4",
        "heur",
        "heur+wider=4+patience=0.05",
        "pred+by=mean+outlook=between:7,100+stretch=2",
        "pred+outlook=between:7,100+literal",
        "bias+stretch=2+literal+intercept=1.7+slope=0.6",
    ] {
        assert_eq!(text.parse::<Strategy>().unwrap().to_string(), text);
    }
    let said = |text: &str| text.parse::<Strategy>().unwrap_err().to_string();
    assert!(said("best").contains("known are avg, opt"), "{}", said("best"));
    assert!(said("avg+averse=2").contains("give a number from 0 to 1"), "{}", said("avg+averse=2"));
    assert!(
        said("avg+patience=2").contains("is no setting; known are least=SHARE"),
        "{}",
        said("avg+patience=2")
    );
    assert!(said("avg+lock-in=maybe").contains("lock-in=maybe"));
    assert_eq!("avg+lock-in=yes".parse::<Strategy>(), "avg+lock-in".parse());
}

#[test]
fn a_witness_records_what_it_does_not_carry_out() {
    let strategies = ["opt", "heur+patience=0.05", "opt+averse=0.9", "avg+least=0.4"];
    let strategies: Vec<Strategy> = strategies.iter().map(|text| text.parse().unwrap()).collect();
    let workload = Workload::new(Machine { procs: Procs(8) }, tempting()).unwrap();
    let mut predictor = PredictorSpec::Requested.build(Vec::new, DEFAULT_REQUEST);
    let mut witness = StrategyRecorder::new(&workload, &strategies);
    let schedule = simulate(&workload, Options::default(), &mut witness, &mut *predictor, &mut []).unwrap();
    assert_eq!(placed(&schedule), placed(&run(8, &tempting(), "avg")));
    let spoiled: Vec<bool> = witness.decisions().iter().map(Decision::is_spoiled).collect();
    assert_eq!(spoiled, [true, false]);
    let course = |place: usize| {
        let [course] = witness.courses(place) else { panic!("one job was not spoiled") };
        (course.rebels, course.procs.0, course.saved)
    };
    assert_eq!(course(0), (true, 8, 641.0), "59 s of waiting, 100 s of running");
    assert_eq!(course(1), (true, 1, -35.0), "a twentieth of 700 s in vain");
    assert_eq!(course(2), (false, 1, 0.0), "too small a gain");
    assert_eq!(course(3), (true, 8, 641.0), "it has to");
    assert!(witness.courses(4).is_empty() && witness.predictions(0).is_empty());
}

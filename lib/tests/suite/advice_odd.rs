//! Advice from malformed states and logs.

use queuecast_core::distribution::Distribution;
use queuecast_core::job::{Job, Truth};
use queuecast_core::seed::Seed;
use queuecast_core::units::{Procs, Seconds, Time};
use queuecast_core::workload::{Machine, Workload};
use queuecast_forecast::advice::{
    AdviceError, Advisor, Past, Preference, RunTimeModel, RunTimeOutlook, Situation, SizeDraw,
};
use queuecast_forecast::allot::Sizes;
use queuecast_sim::predict::{DEFAULT_REQUEST, PredictorSpec};
use queuecast_sim::sim::Backfill;
use queuecast_sim::site::{Replay, Site};
use queuecast_synth::synth::Viable;
use queuecast_wait::QueueTime;

const MACHINE: u32 = 16;

fn past(log: &Workload) -> Past<'_> {
    let predictor = PredictorSpec::Requested.build(Vec::new, DEFAULT_REQUEST);
    let run_times = RunTimeModel::new(RunTimeOutlook::default(), predictor);
    Past::new(Replay::recorded(log, DEFAULT_REQUEST), run_times, DEFAULT_REQUEST)
}

/// An idle machine.
fn idle(procs: u32) -> Situation {
    let site = Site::new(Machine { procs: Procs(procs) });
    Situation::new(site, Time(0), |_, _| Distribution::point(1.0))
}

#[test]
fn a_job_that_ended_before_it_came_is_gone() {
    let job = |id, at| Job::rigid(id, Time(at), Procs(3), Some(Seconds(100)));
    // Submitted at 100 and recorded to have run from 50 to 60; one that ends at that very second; one from 95 to 105.
    let jobs = vec![job(1, 100), job(2, 100), job(3, 100), job(4, 1000)];
    let truths = [10, 50, 10, 10].map(|run| Truth::rigid(Seconds(run))).to_vec();
    let starts = [50, 50, 95, 1000].map(Time).to_vec();
    let log = Workload::recorded(Machine { procs: Procs(MACHINE) }, jobs, truths, starts).unwrap();
    let mut past = past(&log);
    for (at, running, ended) in [(99, 0, 0), (100, 1, 2), (104, 1, 2), (105, 0, 3), (999, 0, 3), (5000, 0, 4)]
    {
        past.to(Time(at));
        let state = past.situation(Time(at));
        assert_eq!((state.running().len(), state.waiting().len(), past.ended()), (running, 0, ended), "{at}");
    }
    assert!(past.sample(9).iter().all(|one| one.wait == Seconds::ZERO));
}

#[test]
fn an_empty_machine_starts_every_size_at_once_for_certain() {
    let runs: Vec<(Procs, Seconds)> =
        (1..=MACHINE).map(|procs| (Procs(procs), Seconds(1600 / i64::from(procs)))).collect();
    let sizes = Sizes::measured(&runs, Viable::ANY, Procs(MACHINE)).unwrap();
    for policy in ["fcfs", "easy", "conservative"] {
        let state = idle(MACHINE);
        let advisor = Advisor::new(state, sizes.clone(), policy.parse().unwrap(), f64::NAN);
        let drawn: Vec<SizeDraw> =
            (0..9).map(|number| advisor.draw(Seed(number.into()), number).unwrap()).collect();
        let advice = advisor.conclude(&drawn, Preference::default()).unwrap();
        for prospect in advice.prospects() {
            assert_eq!(
                (prospect.at_once, prospect.queue.high, prospect.queue.mean),
                (Some(1.0), Some(0.0), Some(0.0))
            );
            assert_eq!(prospect.run.low, prospect.run.high);
        }
        assert_eq!((advice.recommended().procs, advice.recommended().best), (Procs(MACHINE), Some(1.0)));
        assert_eq!(
            advisor.by(QueueTime::Exact, Preference::default()).unwrap().recommended().procs,
            Procs(MACHINE)
        );
    }
}

#[test]
fn a_job_that_cannot_fit_and_draws_of_another_job_do_not_panic() {
    let runs = [(Procs(4), Seconds(10)), (Procs(MACHINE), Seconds(5))];
    let sizes = Sizes::measured(&runs, Viable::ANY, Procs(MACHINE)).unwrap();
    let small = Advisor::new(idle(8), sizes, Backfill::easy(), 1.0);
    assert!(matches!(small.draw(Seed(1), 0), Err(AdviceError::Workload(_))));
    let none = Advisor::new(idle(0), Sizes::default(), Backfill::easy(), 1.0);
    assert_eq!(none.conclude(&[], Preference::default()), Err(AdviceError::Nothing));
    let one = Sizes::measured(&runs[..1], Viable::ANY, Procs(MACHINE)).unwrap();
    let one = Advisor::new(idle(MACHINE), one, Backfill::easy(), 1.0);
    let strange = SizeDraw { each: vec![(Seconds(9), Seconds(9)), (Seconds(0), Seconds(1))] };
    assert_eq!(one.conclude(&[strange], Preference::default()).unwrap().recommended().best, Some(0.0));
    // More sizes than a job has shapes.
    let many: Vec<(Procs, Seconds)> = (1..70_000).map(|procs| (Procs(procs), Seconds(10))).collect();
    assert_eq!(Sizes::measured(&many, Viable::ANY, Procs(100_000)).unwrap().all().len(), 69_999);
}

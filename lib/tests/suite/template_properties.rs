//! The fast way to score template sets equals the slow one, to the last bit, on random workloads.

use proptest::prelude::*;
use queuecast_core::units::Time;
use queuecast_core::workload::Workload;
use queuecast_eval::{Scorer, WalkForward};
use queuecast_sim::predict::template::{
    Characteristic, Data, Estimator, Nodes, Template, TemplatePredictor, TemplateSet,
};

use crate::support;
use crate::support::jobs::{job, recorded};

/// Submission, wait, run time, processors, request, and a number that user, executable and queue come from.
type Row = (i64, Option<i64>, i64, u32, Option<i64>, u32);

fn workload(rows: &[Row]) -> Workload {
    let jobs = rows.iter().map(|&(submit, wait, run, procs, limit, who)| {
        let user = Some(who % 3).filter(|user| *user > 0);
        let job = job(procs, run).at(submit).limit(limit).user(user).executable(who % 4).queue(who / 6);
        (job, wait.map_or(Time::NEVER, |wait| Time(submit + wait)))
    });
    recorded(64, jobs)
}

fn rows() -> impl Strategy<Value = Vec<Row>> {
    let row = (
        0_i64..300,
        prop::option::weighted(0.9, 0_i64..50),
        0_i64..60,
        1_u32..=64,
        prop::option::weighted(0.8, 1_i64..100),
        0_u32..12,
    );
    prop::collection::vec(row, 5..120)
}

fn template() -> impl Strategy<Value = Template> {
    let known = [Characteristic::User, Characteristic::Executable, Characteristic::Queue];
    let nodes = prop_oneof![
        Just(Nodes::Ignored),
        (0_u32..10).prop_map(|power| Nodes::Ranges(1 << power)),
        Just(Nodes::Exponential)
    ];
    (
        prop::collection::vec(any::<bool>(), 3),
        nodes,
        any::<(bool, bool)>(),
        0_usize..4,
        prop::option::of(1_u32..6),
    )
        .prop_map(move |(chosen, nodes, (age, relative), estimator, history)| Template {
            characteristics: known
                .into_iter()
                .zip(chosen)
                .filter(|(_, yes)| *yes)
                .map(|(one, _)| one)
                .collect(),
            nodes,
            age,
            data: if relative { Data::Relative } else { Data::Actual },
            predictor: Estimator::ALL[estimator],
            history,
        })
}

proptest! {
    #![proptest_config(support::cases(300))]

    #[test]
    fn the_fast_score_equals_the_slow_one(
        rows in rows(),
        templates in prop::collection::vec(template(), 1..8),
        (from, to) in (0_usize..60, 0_usize..130),
        at_submission in any::<bool>(),
    ) {
        let workload = workload(&rows);
        let replay = if at_submission { WalkForward::at_submission(&workload) } else { WalkForward::of(&workload) };
        let Ok(replay) = replay else { return Ok(()) };
        let set = TemplateSet(templates);
        let scorer = Scorer::new(&replay);
        prop_assert_eq!(scorer.len(), replay.len());
        for range in [0..replay.len(), from..to, from..from] {
            let slow = replay.score(&mut TemplatePredictor::new(&set), range.clone());
            prop_assert_eq!(scorer.score(&set, range.clone()), slow);
            let ended = replay.ended_before(range.end);
            let slow = replay.score_ended(&mut TemplatePredictor::new(&set), range.clone());
            prop_assert_eq!(scorer.score_ended(&set, range, &ended), slow);
        }
        prop_assert_eq!(set.to_string().parse::<TemplateSet>(), Ok(set));
    }
}

#[test]
fn control_other_templates_score_otherwise() {
    let rows: Vec<Row> = (0..60)
        .map(|n| (n * 9, Some(n % 4), 50 + n * n * 7 % 371, 1 + n as u32 % 5, Some(900), n as u32))
        .collect();
    let workload = workload(&rows);
    let replay = WalkForward::of(&workload).expect("a replay");
    let scorer = Scorer::new(&replay);
    let score = |set: &str| scorer.score(&set.parse().expect("a set"), 0..replay.len()).mean_error;
    let all = ["()", "(u)", "(n=1)", "(lr)", "(inv)", "(log)", "(h=2)", "(q,e)"].map(score);
    for (place, one) in all.iter().enumerate() {
        assert!(all[..place].iter().all(|other| other != one), "{all:?}");
    }
    assert_eq!(score("()"), score("(age)"), "nothing has run yet when it is predicted");
    assert_ne!(score("(u)"), score("(u),(h=2)"));
}

//! The whole reproduction on four logs made for it, and claims on numbers made up.

use super::performance::PerformanceMeasure;
use super::*;
use queuecast_core::job::{Job, Truth, UserId};
use queuecast_core::units::{Procs, Seconds, Time};
use queuecast_core::workload::{Machine, Workload};

/// A log of a small, busy machine: users with habits of their own, who use a third of what they ask for.
fn log(salt: i64) -> Workload {
    let job = |number: i64| {
        let user = (number / 6 * 7 + salt) % 11;
        // What the settings of the model tell it must be there to be told.
        let asked = match number % 10 {
            0 | 5 => 240,
            1 => 15,
            2 => 30,
            3 => 120,
            6 => 5,
            _ => 5 * (1 + (user * 7 + number % 4 * 3 + salt) % 48),
        };
        let limit = Seconds(60 * asked);
        let run = Seconds((limit.0 / 3 + 13 * (number % 17)).min(limit.0));
        let run = if number % 9 == 0 { limit } else { run };
        let procs = Procs(1 << ((number + user) % 5));
        let mut job = Job::rigid(number as u64, Time(number * 340), procs, Some(limit));
        job.user = UserId::new(user as u32 + 1);
        (job, Truth::rigid(run))
    };
    Workload::new(Machine { procs: Procs(16) }, (0..900).map(job).collect()).unwrap()
}

fn material() -> Material {
    let logs: Vec<Workload> = (0..4).map(log).collect();
    let sources: Vec<SourceLog<'_>> =
        logs.iter().map(|workload| SourceLog { workload, records: workload.len() as u64 }).collect();
    Material::of(&sources).unwrap()
}

fn performed(material: &Material, trials: &[EstimateTrial]) -> Vec<TrialResult> {
    let one = |trial: &EstimateTrial| {
        let subject = &material.subjects[trial.subject];
        trial.run(subject, &mut subject.workload.clone()).unwrap()
    };
    trials.iter().map(one).collect()
}

#[test]
fn every_table_and_figure_comes_of_four_logs() {
    let material = material();
    let trials = EstimateTrial::all(material.subjects.len(), 2);
    let outcomes = performed(&material, &trials);
    let reproduction = judge(&material, &trials, &outcomes, 2);
    for table in TABLES {
        assert!(reproduction.cells.iter().any(|cell| cell.table == *table), "{table}");
    }
    for figure in ["1", "3", "5", "7", "8", "9", "10", "14", "15", "16"] {
        let name = format!("Figure {figure}");
        let drawn: Vec<_> = reproduction.figures.iter().filter(|figure| figure.name == name).collect();
        assert!(!drawn.is_empty(), "{name}");
        let full = |figure: &&crate::Figure| {
            figure.curves.iter().all(|curve| !curve.points.is_empty())
                && figure.groups.iter().flat_map(|group| &group.bars).all(|bar| bar.value.is_some())
        };
        assert!(drawn.iter().all(full), "{name}");
    }
    // The logs are not the paper's, and that is seen.
    assert!(!reproduction.holds());
}

#[test]
fn a_desk_that_was_used_before_changes_nothing() {
    let material = material();
    let trial = |model| EstimateTrial { subject: 3, model, seed: 1 };
    let subject = &material.subjects[3];
    let mut desk = subject.workload.clone();
    let first = trial(Model::Original).run(subject, &mut desk).unwrap();
    let shuffled = trial(Model::Shuffled).run(subject, &mut desk).unwrap();
    assert_ne!(first, shuffled);
    assert_eq!(trial(Model::Original).run(subject, &mut desk).unwrap(), first);
    let other = EstimateTrial { seed: 2, ..trial(Model::Shuffled) };
    assert_ne!(other.run(subject, &mut desk).unwrap(), shuffled);
    // Neither doubled estimates nor run times depend on the seed.
    for model in [Model::Doubled, Model::Factor(0)] {
        let other = EstimateTrial { seed: 2, ..trial(model) };
        assert_eq!(other.run(subject, &mut desk).unwrap(), trial(model).run(subject, &mut desk).unwrap());
    }
}

#[test]
fn claims_of_figure_16_follow_the_numbers() {
    let material = material();
    let trials = EstimateTrial::all(material.subjects.len(), 1);
    // As the paper has it: shuffled estimates do a little better, the model likewise, f and feit much better.
    let slowdown = |model: Model, sessions: f64| match model {
        Model::Original | Model::Doubled | Model::Shaken => 10.0,
        Model::Vanilla => 9.0,
        Model::Improved => 8.4,
        Model::Shuffled | Model::Factor(0) | Model::Told => 8.2,
        Model::Sessions => sessions,
        Model::Factor(_) | Model::Feit => 4.0,
    };
    let claims = |sessions: f64| {
        let outcomes: Vec<TrialResult> = trials
            .iter()
            .map(|trial| {
                let slowdown = slowdown(trial.model, sessions);
                TrialResult::Performed(Performance { wait: 60.0 * slowdown, slowdown })
            })
            .collect();
        let results = ModelResults::of(material.subjects.len(), &trials, &outcomes);
        assert_eq!(results.mean(0, Model::Vanilla, PerformanceMeasure::Wait), 9.0);
        comparisons::judged(&material, &results)
    };
    // One seed has no deviation, so nothing is chance.
    assert_eq!(claims(9.9).iter().filter(|claim| !claim.holds).count(), 0);
    let failing: Vec<String> =
        claims(8.1).into_iter().filter(|claim| !claim.holds).map(|claim| claim.claim).collect();
    assert_eq!(failing.len(), 1);
    assert!(failing[0].starts_with("Estimates that stay put"), "{failing:?}");
}

#[test]
fn fewer_logs_or_none_are_no_reason_to_stop() {
    let material = Material::of(&[]).unwrap();
    let reproduction = judge(&material, &[], &[], 1);
    assert!(reproduction.cells.iter().all(|cell| cell.table == "fits"));
    assert!(!reproduction.holds());
}

#[test]
fn the_files_are_those_of_the_logs() {
    assert_eq!(PaperLog::ALL.map(PaperLog::file), LOGS);
    assert_eq!(PaperLog::ALL.map(PaperLog::name), setup::LOG_NAMES);
}

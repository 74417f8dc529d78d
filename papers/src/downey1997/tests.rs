//! The reproduction on workloads small enough to be quick.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use super::*;
use crate::PublishedCell;
use queuecast_study::molding::Molding;
use queuecast_synth::synth::DowneyArrivals;

const FEW: u32 = 200;

/// Every part, with few jobs and seeds.
static SMALL: LazyLock<(Plan, Vec<SeedTrial>, Vec<SeedRun>)> = LazyLock::new(|| {
    let mut plan = Plan::new(&Part::ALL, 2).unwrap();
    plan.settings.iter_mut().for_each(|setting| setting.molding.model.jobs = FEW);
    let trials = SeedTrial::all(&plan);
    let outcomes = trials.iter().map(|trial| trial.run(&plan).unwrap()).collect();
    (plan, trials, outcomes)
});

#[test]
fn every_table_is_filled_and_every_number_is_one() {
    let (plan, trials, outcomes) = &*SMALL;
    let all = judge(plan, trials, outcomes, None);
    let tables: BTreeSet<&str> = all.cells.iter().map(|cell| cell.table.as_str()).collect();
    assert_eq!(tables, TABLES.iter().copied().collect());
    let captioned: Vec<&str> = all.captions.iter().map(|caption| caption.table.as_str()).collect();
    assert_eq!(captioned, TABLES);
    let own: BTreeSet<&str> = Part::ALL.iter().flat_map(|part| part.tables()).copied().collect();
    assert_eq!(own, tables);
    for cell in all.cells.iter().filter(|cell| cell.column != "a loser loses, mean") {
        assert!(cell.ours.is_some() && cell.repeated.is_some_and(|repeated| repeated.times == 2), "{cell:?}");
    }
    let names = |cell: &PublishedCell| [&cell.table, &cell.row, &cell.column, &cell.log].map(String::clone);
    let distinct: BTreeSet<[String; 4]> = all.cells.iter().map(names).collect();
    assert_eq!(distinct.len(), all.cells.len());
    assert_eq!(all.claims.len(), 16);
    let figures: Vec<&str> = all.figures.iter().map(|figure| figure.name.as_str()).collect();
    assert_eq!(figures, ["Figure 3", "Figure 4", "Figure 5a", "Figure 5b", "Sweep", "Sweep", "Sweep"]);
}

#[test]
fn a_part_alone_is_simulated_alone_and_comes_out_the_same() {
    let (plan, trials, outcomes) = &*SMALL;
    let mut alone = Plan::new(&[Part::Caution], 2).unwrap();
    alone.settings[0].molding.model.jobs = FEW;
    let own = SeedTrial::all(&alone);
    assert_eq!(own.len(), 2);
    let simulated: Vec<SeedRun> = own.iter().map(|trial| trial.run(&alone).unwrap()).collect();
    let alone = judge(&alone, &own, &simulated, None);
    let mut together = judge(plan, trials, outcomes, None).cells;
    together.retain(|cell| cell.table == "caution");
    assert_eq!(alone.cells, together);
    assert!(alone.claims.is_empty() && alone.figures.is_empty());
    assert_ne!(
        simulated[0].enacted[0].turnaround, simulated[1].enacted[0].turnaround,
        "control: seeds differ"
    );
}

/// As the protocol runs them, on all cores, and one after the other.
#[test]
fn threads_change_nothing() {
    let (plan, trials, outcomes) = &*SMALL;
    let few = Downey1997 { plan: plan.clone(), trials: trials[..6].to_vec() };
    let together = few.run(&[], &|_| ()).unwrap();
    // As text: a mean over no jobs is no number, and equals nothing.
    assert_eq!(format!("{together:?}"), format!("{:?}", &outcomes[..6]));
}

#[test]
fn the_paper_has_its_days() {
    let mut plan = Plan::new(&[Part::Paper], 1).unwrap();
    let Molding { model, enacted, recorded } = &mut plan.settings[0].molding;
    assert_eq!((model.jobs, model.procs, model.load), (JOBS, 128, 0.75));
    assert_eq!(model.arrivals, DowneyArrivals::Apart);
    // What is looked at here no other strategy changes.
    enacted.truncate(1);
    recorded.clear();
    let outcome = SeedTrial { setting: 0, seed: 1 }.run(&plan).unwrap();
    assert!((117.0..=123.0).contains(&outcome.days), "120 days: {}", outcome.days);
    assert_eq!(outcome.jobs.len(), JOBS as usize);
    let enacted = &outcome.enacted[0];
    assert!(enacted.utilization > 0.3 && enacted.utilization < 0.75, "{}", enacted.utilization);
}

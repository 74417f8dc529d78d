//! Recorded runs of a real Slurm beside their simulation: free, and decision by decision from the recorded state.

use std::path::Path;

use libtest_mimic::{Failed, Trial};
use queuecast_core::seed::Seed;
use queuecast_core::units::{Micros, Seconds};
use queuecast_forecast::forecast::{ClusterDraws, ExpectedArrivals};
use queuecast_slurm_sim::cluster::Cluster;
use queuecast_slurm_sim::controller::{DecisionKind, DecisionShares, Phases, decisions, simulate_cluster};
use queuecast_slurm_texts::{SiteOptions, read_decisions, read_expected_starts, unmodelled};
use queuecast_study::{NamedRun, RunDifference, StartForecastScore, forecast_starts, run_difference};

use crate::fails;
use crate::slurm_sites::{folders, must, read, slurm, texts};

/// A recorded run, and the same simulated at the phase of its timers, which may be shifted.
fn beside_simulation(folder: &Path, shift: Micros) -> Result<(NamedRun, NamedRun), Failed> {
    let reading = read(&texts(folder)?);
    let recording = reading.recording.ok_or("no recording")?;
    must(unmodelled(&reading.cluster, &recording).is_empty(), "something is not modelled")?;
    let mut phases = Phases::of(&recording.clock, &reading.cluster.settings);
    phases.first_tick += shift;
    phases.first_backfill += shift;
    let zero = recording.clock.zero;
    let outcomes = simulate_cluster(&reading.cluster, &recording, phases);
    let simulated = NamedRun { name: "simulated".into(), zero, outcomes };
    let recorded = NamedRun { name: "recorded".into(), zero, outcomes: recording.outcomes };
    Ok((recorded, simulated))
}

/// Runs at the same phase repeat to the second, and so does their simulation.
fn small_runs_are_repeated() -> Result<(), Failed> {
    let micro = slurm().ok_or("no recordings")?.join("golden/micro");
    for number in 4..=6 {
        let folder = micro.join(format!("small-run{number}"));
        let (recorded, simulated) = beside_simulation(&folder, Micros::ZERO)?;
        let found = run_difference(&recorded, &simulated);
        must(found.jobs == recorded.outcomes.len(), format!("{} jobs", found.jobs))?;
        must(found.worst.is_some_and(|worst| worst <= 2), format!("run {number}: {found:?}"))?;
        must(found.same_nodes >= 95.0 && found.same_scheduler == Some(100.0), format!("{found:?}"))?;
        // Control: eleven seconds later, the timers find other queues.
        let (_, shifted) = beside_simulation(&folder, Micros::of_seconds(11))?;
        let shifted = run_difference(&recorded, &shifted);
        must(shifted.worst.is_some_and(|worst| worst > 2), format!("control: {shifted:?}"))?;
    }
    Ok(())
}

/// Every job of a recorded run is forecast when it is submitted, twice as near as what Slurm itself first showed.
fn starts_are_forecast_nearer_than_by_slurm() -> Result<(), Failed> {
    let site = slurm().ok_or("no recordings")?.join("golden/site");
    for name in ["seed41-run1", "seed42-run1"] {
        let texts = texts(&site.join(name))?;
        let reading = read(&texts);
        let recording = reading.recording.ok_or("no recording")?;
        let (expected, misread) = read_expected_starts(&texts, &recording.clock);
        must(misread.is_empty(), format!("{misread:?}"))?;
        let draws = ClusterDraws { draws: 6, arrivals: ExpectedArrivals::LikePast };
        let ours = forecast_starts(&reading.cluster, &recording, &expected, draws, Seed(1), &|_| {});
        let score = StartForecastScore::of(&ours);
        must(score.answered == score.jobs && score.jobs > 300, format!("{name}: {score:?}"))?;
        must(score.expected > 150, format!("{name}: {score:?}"))?;
        let (own, slurm) = (score.expected_median_error, score.site_error);
        must(own.zip(slurm).is_some_and(|(own, slurm)| 2 * own <= slurm), format!("{name}: {score:?}"))?;
        // Control: the forecasts of other jobs are not as near.
        let mut others = ours.clone();
        let half = ours.len() / 2;
        for (place, one) in others.iter_mut().enumerate() {
            one.start = ours[(place + half) % ours.len()].start;
        }
        let (others, slurm) = (StartForecastScore::of(&others).expected_median_error, score.site_error);
        must(
            others.zip(slurm).is_some_and(|(others, slurm)| 2 * others > slurm),
            format!("{name}: {others:?}"),
        )?;
    }
    Ok(())
}

/// Two real runs of 500 jobs at the same phase differ by 1 to 2 s in the median for starts in the first half hour, and so does
/// their simulation.
fn micro_runs_of_one_phase_are_followed() -> Result<(), Failed> {
    let micro = slurm().ok_or("no recordings")?.join("golden/micro");
    let early = |number: usize, shift: Micros| -> Result<RunDifference, Failed> {
        let (mut recorded, simulated) = beside_simulation(&micro.join(format!("run{number}")), shift)?;
        let until = recorded.zero + Seconds(1800);
        recorded.outcomes.retain(|one| one.start.is_some_and(|start| start < until));
        Ok(run_difference(&recorded, &simulated))
    };
    for number in [4, 5] {
        let found = early(number, Micros::ZERO)?;
        must(found.jobs > 200, format!("{} jobs", found.jobs))?;
        must(found.median.is_some_and(|median| median <= 5), format!("run {number}: {found:?}"))?;
        // Control: with timers eleven seconds off they are minutes apart.
        let shifted = early(number, Micros::of_seconds(11))?;
        must(shifted.median.is_some_and(|median| median > 5), format!("control: {shifted:?}"))?;
    }
    Ok(())
}

/// Runs of 500 jobs drift apart; their simulation is no farther from them than they are from each other.
fn micro_runs_are_as_near_as_each_other() -> Result<(), Failed> {
    let micro = slurm().ok_or("no recordings")?.join("golden/micro");
    let mut runs = Vec::new();
    for number in 1..=5 {
        let (recorded, simulated) = beside_simulation(&micro.join(format!("run{number}")), Micros::ZERO)?;
        let found = run_difference(&recorded, &simulated);
        runs.push((recorded, found));
    }
    let mut pairs = Vec::new();
    for (place, (one, _)) in runs.iter().enumerate() {
        pairs.extend(runs[place + 1..].iter().map(|(other, _)| run_difference(one, other)));
    }
    let mean = |of: fn(&RunDifference) -> Option<i64>| {
        pairs.iter().filter_map(of).sum::<i64>() as f64 / pairs.len() as f64
    };
    let (median, p90) = (mean(|pair| pair.median), mean(|pair| pair.p90));
    for (_, found) in &runs {
        must(found.jobs == 500, format!("{} jobs", found.jobs))?;
        let near = found.median.is_some_and(|own| own as f64 <= 1.25 * median)
            && found.p90.is_some_and(|own| own as f64 <= 1.25 * p90);
        must(near, format!("real runs differ by {median} and {p90}, this one by {found:?}"))?;
    }
    Ok(())
}

/// Recorded decisions of a run beside those of the controller on its cluster, which may be changed before.
fn decided(folder: &Path, change: impl Fn(&mut Cluster)) -> Result<DecisionShares, Failed> {
    let texts = texts(folder)?;
    let reading = read(&texts);
    let recording = reading.recording.ok_or("no recording")?;
    let zone = SiteOptions::default().time_zone;
    let found = read_decisions(&texts, &reading.cluster, &recording.clock, &zone);
    must(found.misread.is_empty(), format!("misread: {:?}", found.misread.first()))?;
    must(!found.decisions.steps.is_empty() && !found.decisions.priorities.is_empty(), "decisions")?;
    let mut cluster = reading.cluster;
    change(&mut cluster);
    let phases = Phases::of(&recording.clock, &cluster.settings);
    Ok(decisions(&cluster, &recording, phases, &found.decisions))
}

/// The shares that are asked for, in percent. The second of a priority timer and of a check of limits can differ from what the
/// log's clock says, in whole snapshots: these two are asked for over all runs.
const ASKED: [(DecisionKind, f64); 4] = [
    (DecisionKind::PlanStart, 99.0),
    (DecisionKind::PlanNodes, 98.0),
    (DecisionKind::BackfillStart, 99.0),
    (DecisionKind::StartNodes, 99.0),
];
const ASKED_OF_ALL: [(DecisionKind, f64); 2] = [(DecisionKind::Priority, 99.5), (DecisionKind::Kill, 95.0)];

fn reaches(found: &DecisionShares, what: DecisionKind, asked: f64) -> Result<(), Failed> {
    let share = found.share(what).ok_or_else(|| format!("no {} is recorded", what.name()))?;
    let first = found.misses.iter().find(|miss| miss.what == what);
    must(share >= asked, format!("{}: {share} % of {asked} %, first {first:?}", what.name()))
}

/// The controller put into the recorded state decides as the real one did.
fn decisions_are_the_recorded_ones(folder: &Path) -> Result<(), Failed> {
    let found = decided(folder, |_| {})?;
    ASKED.into_iter().try_for_each(|(what, asked)| reaches(&found, what, asked))
}

fn priorities_and_stops_are_the_recorded_ones() -> Result<(), Failed> {
    let mut counts = [(0, 0); 2];
    for folder in folders() {
        let found = decided(&folder, |_| {})?;
        for ((what, _), count) in ASKED_OF_ALL.iter().zip(&mut counts) {
            let own = found.shares.iter().find(|share| share.what == *what).ok_or("a share")?;
            *count = (count.0 + own.equal, count.1 + own.cases);
        }
    }
    for ((what, asked), (equal, cases)) in ASKED_OF_ALL.into_iter().zip(counts) {
        let share = 100.0 * equal as f64 / cases as f64;
        must(cases > 300 && share >= asked, format!("{}: {equal} of {cases}", what.name()))?;
    }
    Ok(())
}

/// Controls: of a cluster that differs in one rule, the decisions that follow from it are not the recorded ones, and others are.
fn another_rule_is_found() -> Result<(), Failed> {
    let golden = slurm().ok_or("no recordings")?.join("golden");
    let (micro, site) = (golden.join("micro/run4"), golden.join("site/seed42-run2"));
    let found = decided(&site, |cluster| {
        let heaviest = cluster.nodes.iter().map(|node| node.weight).max().unwrap_or(0);
        cluster.nodes.iter_mut().for_each(|node| node.weight = heaviest + 1 - node.weight);
    })?;
    fails(reaches(&found, DecisionKind::StartNodes, 99.0))?;
    fails(reaches(&found, DecisionKind::PlanNodes, 98.0))?;
    reaches(&found, DecisionKind::Priority, 99.5)?;
    let found = decided(&micro, |cluster| {
        if let Some(backfill) = &mut cluster.settings.backfill {
            backfill.resolution = Seconds(2 * backfill.resolution.0);
        }
    })?;
    fails(reaches(&found, DecisionKind::PlanStart, 99.0))?;
    reaches(&found, DecisionKind::Kill, 95.0)?;
    let found = decided(&micro, |cluster| {
        cluster.settings.priority.weights.age += 1000;
        cluster.settings.jobs.over_time_limit = Some(Seconds(60));
    })?;
    fails(reaches(&found, DecisionKind::Priority, 99.5))?;
    fails(reaches(&found, DecisionKind::Kill, 95.0))?;
    reaches(&found, DecisionKind::StartNodes, 99.0)
}

pub fn trials() -> Vec<Trial> {
    let missing = slurm().is_none();
    let mut trials = Vec::new();
    for (name, check) in [
        ("small_runs_are_repeated", small_runs_are_repeated as fn() -> Result<(), Failed>),
        ("starts_are_forecast_nearer_than_by_slurm", starts_are_forecast_nearer_than_by_slurm),
        ("micro_runs_of_one_phase_are_followed", micro_runs_of_one_phase_are_followed),
        ("micro_runs_are_as_near_as_each_other", micro_runs_are_as_near_as_each_other),
        ("priorities_and_stops_are_the_recorded_ones", priorities_and_stops_are_the_recorded_ones),
        ("control_another_rule_is_found", another_rule_is_found),
    ] {
        trials.push(Trial::test(format!("slurm_runs::{name}"), check).with_ignored_flag(missing));
    }
    for folder in folders() {
        let name = folder.iter().rev().take(2).map(|part| part.to_string_lossy()).collect::<Vec<_>>();
        let name = format!("slurm_runs::decisions_{}_{}", name[1], name[0]);
        trials.push(Trial::test(name, move || decisions_are_the_recorded_ones(&folder)));
    }
    trials
}

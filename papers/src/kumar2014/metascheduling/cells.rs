//! The tables of section 5.2.

use queuecast_forecast::broker::BrokerSpec;
use queuecast_study::{BrokerResult, Brokerage};

use super::experiment::{COMPARED, CURIE_NAME, Metascheduled, SuperReading};
use super::{ALTERNATIVES, DISTRIBUTION, GAINS, HOMES, LIMITED, SYNTHETIC, WAITS};
use crate::kumar2014::scenarios::Scenario;
use crate::printed::PrintedTables;
use crate::{Figure, PublishedCell};

/// The paper's metaschedulers: what Tables 7 and 8 call them, and the broker.
pub const PAPERS: [(&str, usize); 3] = [("Static", 0), ("Least_Loaded", 1), ("Least_Predictedqw", 2)];

/// How far Table 8 may be from the printed value: in minutes, and twice in points.
const TOLERANCES: [f64; 3] = [10.0, 3.0, 0.5];

/// A reduction in percent: how much less one is than another.
pub fn reduction(less: f64, than: f64) -> Option<f64> {
    (than > 0.0).then(|| 100.0 * (1.0 - less / than))
}

/// What came of a broker over all scenarios, in the units of Table 8: minutes, percent, percent. Every job counts alike.
pub fn overall(synthetic: &[Brokerage], place: usize) -> [f64; 3] {
    let jobs: f64 = synthetic.iter().map(|one| one.jobs as f64).sum();
    let sum = |of: fn(&BrokerResult) -> f64| -> f64 {
        synthetic.iter().map(|one| one.jobs as f64 * of(&one.brokers[place])).sum::<f64>() / jobs
    };
    [sum(|one| one.mean_wait) / 60.0, 100.0 * sum(|one| one.within_hour), 100.0 * sum(|one| one.over_day)]
}

/// All cells.
pub fn cells(results: &Metascheduled, printed: PrintedTables) -> Vec<PublishedCell> {
    let mut cells = Vec::new();
    for (reading, brokerage) in &results.super_experiments {
        cells.extend(waits(WAITS, *reading, brokerage));
        cells.extend(distribution(*reading, brokerage, printed));
        cells.extend(homes(*reading, brokerage));
    }
    if let Some(brokerage) = &results.variants {
        cells.extend(waits(ALTERNATIVES, SuperReading::Together, brokerage));
    }
    if !results.synthetic.is_empty() {
        cells.extend(synthetic(SYNTHETIC, &results.synthetic, printed));
        cells.extend(gains(results));
    }
    if !results.limited.is_empty() {
        cells.extend(synthetic(LIMITED, &results.limited, printed));
    }
    cells
}

/// A row for each broker, as Figure 3 has bars, with what it is less than others.
fn waits(table: &str, reading: SuperReading, brokerage: &Brokerage) -> Vec<PublishedCell> {
    let mean = |broker: BrokerSpec| brokerage.broker(broker).map(|one| one.mean_wait);
    let (least_loaded, redundant) = (mean(BrokerSpec::LeastLoaded), mean(BrokerSpec::Redundant));
    let row = |one: &BrokerResult| {
        let cell = |column: &str| PublishedCell::new(table, &*one.broker, column, reading.name());
        let mut cells = vec![
            cell("average wait").unit("min").ours(one.mean_wait / 60.0),
            cell("waits up to 1 h").unit("%").ours(100.0 * one.within_hour),
            cell("waits of 1 day or more").unit("%").ours(100.0 * one.over_day),
            cell("below static").unit("%").ours(one.against_static.map(|change| -100.0 * change.change)),
        ];
        if let (Some(least_loaded), Some(redundant)) = (least_loaded, redundant) {
            let against = |than: f64| reduction(one.mean_wait, than);
            cells.push(cell("below least loaded").unit("%").ours(against(least_loaded)));
            cells.push(cell("above redundant").unit("%").ours(against(redundant).map(|less| -less)));
            cells.push(cell("of the oracle's gain").unit("%").ours(one.of_oracle.map(|share| 100.0 * share)));
        }
        cells
    };
    brokerage.brokers.iter().flat_map(row).collect()
}

/// Table 7, with the shares of the other brokers beside it. Not judged: one of the six sites is another.
fn distribution(reading: SuperReading, brokerage: &Brokerage, printed: PrintedTables) -> Vec<PublishedCell> {
    let processors: f64 = brokerage.sites.iter().map(|site| f64::from(site.procs)).sum();
    let mut cells = Vec::new();
    for (place, site) in brokerage.sites.iter().enumerate() {
        let cell =
            |column: &str| PublishedCell::new(DISTRIBUTION, &*site.site, column, reading.name()).unit("%");
        let share = 100.0 * f64::from(site.procs) / processors;
        cells.push(cell("processors").ours(share));
        for (at, one) in brokerage.brokers.iter().enumerate() {
            let name = PAPERS.iter().find(|paper| paper.1 == at).map(|paper| paper.0);
            let row = if site.site == CURIE_NAME { "ANL" } else { &site.site };
            let paper = name.and_then(|name| printed.value("7", row, name));
            let ours = 100.0 * one.sites[place].share;
            cells.push(cell(name.unwrap_or(&one.broker)).paper(paper).ours(ours));
        }
    }
    cells
}

/// What the users of each site gain or lose, in minutes of their average wait.
fn homes(reading: SuperReading, brokerage: &Brokerage) -> Vec<PublishedCell> {
    let mut cells = Vec::new();
    for (place, site) in brokerage.sites.iter().enumerate() {
        for (at, one) in brokerage.brokers.iter().enumerate() {
            let home = &one.homes[place];
            let value = if at == 0 { home.mean_wait } else { home.change };
            let column = if at == 0 { "static, average wait" } else { &*one.broker };
            let cell = PublishedCell::new(HOMES, &*site.site, column, reading.name()).unit("min");
            cells.push(cell.ours(value.map(|seconds| seconds / 60.0)));
        }
    }
    cells
}

/// Table 8. Static and Least_Predictedqw are not judged, since readings are chosen by them, and nothing is where queues have
/// limits.
fn synthetic(table: &str, results: &[(Scenario, Brokerage)], printed: PrintedTables) -> Vec<PublishedCell> {
    let rows = [("average wait", "min"), ("waits up to 1 h", "%"), ("waits of 1 day or more", "%")];
    let brokerages: Vec<Brokerage> = results.iter().map(|one| one.1.clone()).collect();
    let mut cells = Vec::new();
    for (measure, (row, unit)) in rows.into_iter().enumerate() {
        for (at, broker) in COMPARED.iter().enumerate() {
            let name = PAPERS.iter().find(|paper| paper.1 == at).map(|paper| paper.0);
            let column = name.map_or_else(|| broker.to_string(), str::to_owned);
            let cell = PublishedCell::new(table, row, column, PublishedCell::AVERAGE).unit(unit);
            let cell = cell.paper(name.and_then(|name| printed.value("8", row, name)));
            let cell = cell.ours(overall(&brokerages, at)[measure]);
            let judged = table == SYNTHETIC && broker == &BrokerSpec::LeastLoaded;
            cells.push(if judged { cell.tolerance(TOLERANCES[measure]) } else { cell });
        }
    }
    cells
}

/// The paper's broker and the best of ours, scenario by scenario.
fn gains(results: &Metascheduled) -> Vec<PublishedCell> {
    let mut cells = Vec::new();
    for (scenario, brokerage) in &results.synthetic {
        let row = scenario.to_string();
        let mean = |place: usize| brokerage.brokers[place].mean_wait;
        let cell = |column: &str| PublishedCell::new(GAINS, &*row, column, PublishedCell::AVERAGE);
        cells.push(cell("static").unit("min").ours(mean(0) / 60.0));
        for (name, place) in
            [("Least_Predictedqw", 2), ("the same, sent", 3), ("turnaround", 6), ("risk-averse", 7)]
        {
            cells.push(cell(&format!("{name} below static")).unit("%").ours(reduction(mean(place), mean(0))));
            let column = format!("{name} below least loaded");
            cells.push(cell(&column).unit("%").ours(reduction(mean(place), mean(1))));
        }
    }
    cells
}

/// Figure 3: average waits of the super experiments.
pub fn figure(results: &Metascheduled) -> Option<Figure> {
    let mut figure = Figure::new("Figure 3", "average wait by broker, super experiments", "min");
    for (reading, brokerage) in &results.super_experiments {
        let bars = brokerage.brokers.iter().map(|one| (one.broker.clone(), Some(one.mean_wait / 60.0)));
        figure = figure.group(reading.name(), bars);
    }
    (!results.super_experiments.is_empty()).then_some(figure)
}

//! Strategies side by side: a table with AVG first, and bars of the change of turnaround against AVG.

use super::chart::{Bar, Bars};
use super::words::{number_of, percent};
use super::{Answer, Best, Cell, Chart, Column, Document, Table, VERSION, cleaning};
use queuecast_core::number;
use queuecast_forecast::allot::Strategy;
use queuecast_study::Repeated;
use queuecast_study::molding::{MoldingReport, StrategyComparison};
use queuecast_synth::synth::{Downey, DowneyArrivals, Rounding};
use queuecast_trace::{CleaningReport, Log, WorkloadFacts};
use serde::Serialize;

/// The log that a model was fitted to.
#[derive(Debug, Serialize)]
struct FittedLog {
    #[serde(flatten)]
    facts: WorkloadFacts,
    cleaning: CleaningReport,
}

/// Strategies on one model of jobs, for every format.
#[derive(Debug, Serialize)]
pub struct Molded {
    version: &'static str,
    model: Downey,
    #[serde(skip_serializing_if = "Option::is_none")]
    like: Option<FittedLog>,
    seeds: usize,
    spoiled: Repeated,
    strategies: Vec<StrategyComparison>,
}

impl Molded {
    /// A report, with the name and the log that the model is fitted to, if there is one.
    pub fn new(report: MoldingReport, like: Option<(&str, &Log)>) -> Molded {
        let MoldingReport { model, seeds, spoiled, strategies } = report;
        let like = like.map(|(name, log)| FittedLog { facts: log.facts(name), cleaning: log.report.clone() });
        Molded { version: VERSION, model, like, seeds, spoiled, strategies }
    }

    fn title(&self) -> String {
        format!(
            "{} on {} at load {}, {}",
            number_of(self.model.jobs, "moldable job"),
            number_of(self.model.procs, "processor"),
            number::decimal(self.model.load, 2),
            number_of(self.seeds, "seed"),
        )
    }

    fn text_table(&self) -> Table {
        let mut table = Table::new([
            Column::text("strategy").naming(),
            Column::duration("turnaround"),
            Column::share("against AVG"),
            Column::share("+/-"),
            Column::share("utilization against AVG").spare(2),
            Column::share("rebels"),
            Column::number("saved per job (min)"),
            Column::share("losers").spare(1),
        ])
        .titled(self.title());
        for one in &self.strategies {
            let told = one.recorded.as_ref();
            table.row([
                Cell::text(short(&one.strategy)),
                Cell::duration(one.turnaround.mean),
                mean(one.turnaround_change, Cell::share),
                half(one.turnaround_change),
                mean(one.utilization_change, Cell::share),
                mean(told.map(|told| told.rebels), Cell::share),
                mean(told.map(|told| told.saved), |saved| Cell::number(saved / 60.0, 1)),
                mean(told.and_then(|told| told.losers), Cell::share),
            ]);
        }
        table.notes = self.notes();
        table
    }

    fn notes(&self) -> Vec<String> {
        let arrivals = match self.model.arrivals {
            DowneyArrivals::Apart => "arrive from 8 to 20 o'clock of days that begin on an idle machine",
            DowneyArrivals::Daytime => "arrive from 8 to 20 o'clock",
            DowneyArrivals::Always => "arrive day and night",
        };
        let rounding = match self.model.rounding {
            Rounding::Up => "rounded up",
            Rounding::Down => "rounded down",
            Rounding::Whole => "a whole number",
        };
        let spoiled = percent(self.spoiled.mean);
        let mut notes = vec![
            format!(
                "jobs by the model of Downey 1997, the same for every strategy of a seed; they {arrivals}, and prefer \
                 their average parallelism, {rounding}"
            ),
            "against AVG: the mean over seeds, with half the width of its 95 % confidence interval"
                .to_owned(),
            format!(
                "on the schedule of AVG, {spoiled} of the jobs get all they want; of the others, rebels would hold out \
                 (share of all jobs), and losers (share of the rebels) would regret it"
            ),
        ];
        if let Some(like) = &self.like {
            notes.push(format!("fitted to {}", like.facts.source));
            notes.push(cleaning::line(&like.cleaning, cleaning::Overrun::Kept));
        }
        notes
    }

    /// The change of turnaround with the sign it has in the table.
    fn bars(&self) -> Chart {
        // What is shown as zero has no bar.
        let change = |one: &StrategyComparison| {
            one.turnaround_change.map_or(0.0, |change| (change.mean * 1000.0).round() / 1000.0)
        };
        // Zero has no sign.
        let bar = |one: &StrategyComparison| Bar::new(short(&one.strategy), Cell::share(change(one) + 0.0));
        let bars = Bars::new("Turnaround against AVG", self.strategies.iter().map(bar)).on(self.title());
        Chart::Bars(bars.best(Best::Lowest).broken())
    }
}

impl Answer for Molded {
    fn document(&self) -> Document {
        Document::new().with_table("strategies", self.text_table()).with_chart(self.bars())
    }

    /// One row per strategy.
    fn table(&self) -> Table {
        Table::records(self.strategies.iter().map(|one| {
            let told = one.recorded.as_ref();
            let share = |name: &str, cell: Cell| (Column::share(name), cell);
            let seconds = |name: &str, cell: Cell| (Column::duration(name).key(name), cell);
            vec![
                (Column::text("strategy"), Cell::text(one.strategy.to_string())),
                seconds("turnaround", Cell::duration(one.turnaround.mean)),
                seconds(
                    "turnaround_confidence",
                    one.turnaround.confidence.map_or(Cell::Missing, Cell::duration),
                ),
                share("turnaround_change", mean(one.turnaround_change, Cell::share)),
                share("turnaround_change_confidence", half(one.turnaround_change)),
                share("utilization", Cell::share(one.utilization.mean)),
                share("utilization_change", mean(one.utilization_change, Cell::share)),
                share("utilization_change_confidence", half(one.utilization_change)),
                share("rebels", mean(told.map(|told| told.rebels), Cell::share)),
                seconds("saved", mean(told.map(|told| told.saved), Cell::duration)),
                share("losers", mean(told.and_then(|told| told.losers), Cell::share)),
                share("spoiled", Cell::share(self.spoiled.mean)),
                (Column::integer("seeds"), Cell::count(self.seeds)),
                (Column::integer("jobs"), Cell::count(self.model.jobs)),
                (Column::integer("procs"), Cell::count(self.model.procs)),
                (Column::number("load"), Cell::number(self.model.load, 3)),
            ]
        }))
    }
}

fn mean(repeated: Option<Repeated>, cell: impl Fn(f64) -> Cell) -> Cell {
    repeated.map_or(Cell::Missing, |repeated| cell(repeated.mean))
}

fn half(repeated: Option<Repeated>) -> Cell {
    Cell::share_of(repeated.and_then(|repeated| repeated.confidence))
}

/// The short form: the name alone where all settings are the defaults.
fn short(strategy: &Strategy) -> String {
    let bare = ["avg", "opt", "pred", "bias", "heur"];
    let named = bare.iter().find(|name| name.parse().is_ok_and(|one: Strategy| one == *strategy));
    named.map_or_else(|| strategy.to_string(), |name| (*name).to_owned())
}

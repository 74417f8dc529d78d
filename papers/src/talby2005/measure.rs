//! The four columns of the paper's tables, and averages over its four logs.

use super::settings::SchedulerSetting;
use super::setup::{SHAKEN_BY, SHAKEN_SEEDS};
use queuecast_core::spec::SpecError;
use queuecast_core::units::Procs;
use queuecast_eval::Summary;
use queuecast_study::{Repeated, SimulationId, Sweep, SweepResults};
use queuecast_synth::synth::{Shaken, Variant};

/// How many logs there are.
pub const LOGS: usize = 4;

/// The place of CTC among them.
pub const CTC: usize = 1;

/// Table 1 says 56 % for CTC, which is what its jobs make of 512 processors: the whole SP2, not the 338 that
/// the log's header names.
pub const CTC_PROCS: Procs = Procs(512);

/// One of the four columns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TableColumn {
    Wait,
    Slowdown,
    Inaccuracy,
    Accuracy,
}

impl TableColumn {
    pub const ALL: [TableColumn; 4] =
        [TableColumn::Wait, TableColumn::Slowdown, TableColumn::Inaccuracy, TableColumn::Accuracy];

    pub fn heading(self) -> &'static str {
        match self {
            TableColumn::Wait => "Wait Time",
            TableColumn::Slowdown => "Bounded Slowdown",
            TableColumn::Inaccuracy => "Absolute Inaccuracy",
            TableColumn::Accuracy => "Relative Accuracy",
        }
    }

    pub fn of(self, summary: &Summary) -> f64 {
        let value = match self {
            TableColumn::Wait => summary.mean_wait,
            TableColumn::Slowdown => summary.mean_bounded_slowdown,
            TableColumn::Inaccuracy => summary.absolute_inaccuracy,
            TableColumn::Accuracy => summary.relative_accuracy,
        };
        value.unwrap_or(f64::NAN)
    }

    /// By how many percent one is better than the other: less of it, or more of relative accuracy.
    pub fn improvement(self, over: &Summary, of: &Summary) -> f64 {
        let (over, of) = (self.of(over), self.of(of));
        100.0 * if self == TableColumn::Accuracy { of / over - 1.0 } else { 1.0 - of / over }
    }
}

/// The same changes to every log, but for the machine of CTC.
pub fn changed(log: usize, variant: Variant) -> Variant {
    Variant { machine: (log == CTC).then_some(CTC_PROCS), ..variant }
}

/// A setting simulated on the four logs.
#[derive(Debug, Clone)]
pub struct OnLogs([SimulationId; LOGS]);

impl OnLogs {
    pub fn want(
        sweep: &mut Sweep,
        setting: &SchedulerSetting,
        variant: Variant,
    ) -> Result<OnLogs, SpecError> {
        let experiment = setting.experiment()?;
        Ok(OnLogs(std::array::from_fn(|log| sweep.want(log, changed(log, variant), experiment.clone()))))
    }

    /// These simulations, but for CTC on the processors its header names.
    pub fn with_small_ctc(&self, sweep: &mut Sweep, setting: &SchedulerSetting) -> Result<OnLogs, SpecError> {
        let mut simulations = self.0;
        simulations[CTC] = sweep.want(CTC, Variant::default(), setting.experiment()?);
        Ok(OnLogs(simulations))
    }

    pub fn summary<'r>(&self, results: &'r SweepResults, log: usize) -> &'r Summary {
        &results[self.0[log]].summary
    }

    /// Log by log.
    pub fn improvements(&self, results: &SweepResults, measure: TableColumn, over: &OnLogs) -> [f64; LOGS] {
        std::array::from_fn(|log| measure.improvement(over.summary(results, log), self.summary(results, log)))
    }

    /// As the paper averages: the mean of the logs' improvements.
    pub fn improvement(&self, results: &SweepResults, measure: TableColumn, over: &OnLogs) -> f64 {
        mean(&self.improvements(results, measure, over))
    }
}

/// A setting on the logs with their arrivals shaken, once for each seed.
#[derive(Debug, Clone)]
pub struct Shakes(Vec<OnLogs>);

impl Shakes {
    pub fn want(sweep: &mut Sweep, setting: &SchedulerSetting) -> Result<Shakes, SpecError> {
        let shakes = SHAKEN_SEEDS.map(|seed| {
            let shaken = Some(Shaken { by: SHAKEN_BY, seed });
            OnLogs::want(sweep, setting, Variant { shaken, ..Variant::default() })
        });
        shakes.collect::<Result<_, _>>().map(Shakes)
    }

    /// The mean over seeds of the averaged improvement, and its deviation.
    pub fn improvement(&self, results: &SweepResults, measure: TableColumn, over: &Shakes) -> Repeated {
        let pairs = self.0.iter().zip(&over.0);
        let each: Vec<f64> = pairs.map(|(of, over)| of.improvement(results, measure, over)).collect();
        Repeated { mean: mean(&each), deviation: deviation(&each), times: each.len(), confidence: None }
    }
}

pub fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// Of a sample.
fn deviation(values: &[f64]) -> f64 {
    let middle = mean(values);
    let squares: f64 = values.iter().map(|value| (value - middle).powi(2)).sum();
    (squares / (values.len() as f64 - 1.0).max(1.0)).sqrt()
}

//! Figures 3 to 5, as numbers. The paper prints no numbers with them.

use super::measure::{OnLogs, TableColumn};
use super::settings::SchedulerSetting;
use super::setup::LOG_NAMES;
use crate::Figure;
use queuecast_core::spec::SpecError;
use queuecast_study::{Sweep, SweepResults};
use queuecast_synth::synth::Variant;

/// A figure: for some measures and each log, a bar per setting.
pub struct FigureRuns {
    name: &'static str,
    title: &'static str,
    measures: &'static [TableColumn],
    bars: Vec<(String, OnLogs)>,
}

pub fn want(sweep: &mut Sweep) -> Result<Vec<FigureRuns>, SpecError> {
    let mut figure = |name, title, measures, settings: Vec<SchedulerSetting>| {
        let bars = settings
            .iter()
            .map(|setting| Ok((setting.name.clone(), OnLogs::want(sweep, setting, Variant::default())?)));
        Ok(FigureRuns { name, title, measures, bars: bars.collect::<Result<_, SpecError>>()? })
    };
    let named = |name: &str, setting: SchedulerSetting| setting.named(name);
    let estimates = named("user estimates", SchedulerSetting::easy());
    let performance: &[TableColumn] = &[TableColumn::Wait, TableColumn::Slowdown];
    Ok(vec![
        figure(
            "Figure 3",
            "EASY under different predictions",
            performance,
            vec![
                estimates.clone(),
                estimates.doubled(),
                SchedulerSetting::easy_perfect(),
                SchedulerSetting::easy_perfect().doubled(),
            ],
        )?,
        figure(
            "Figure 4",
            "reference predictors",
            &TableColumn::ALL,
            vec![
                SchedulerSetting::easy(),
                SchedulerSetting::estimate(),
                SchedulerSetting::ruh(),
                SchedulerSetting::ruh_propagation(),
                SchedulerSetting::perfect(),
            ],
        )?,
        figure(
            "Figure 5",
            "RUH, SBH and no estimates",
            &TableColumn::ALL,
            vec![
                named("RUH", SchedulerSetting::ruh_propagation()),
                named("SBH [PE,P,E,*]", SchedulerSetting::sbh_pe()),
                named("SBH [E,P,X]", SchedulerSetting::sbh_e()),
                named("Balanced", SchedulerSetting::balanced()),
                named("Unbalanced", SchedulerSetting::unbalanced()),
            ],
        )?,
    ])
}

impl FigureRuns {
    /// One figure per measure: each has a scale of its own.
    pub fn drawn(&self, results: &SweepResults) -> Vec<Figure> {
        let one = |measure: &TableColumn| {
            let unit = match measure {
                TableColumn::Wait | TableColumn::Inaccuracy => "s",
                TableColumn::Slowdown => "",
                TableColumn::Accuracy => "%",
            };
            let title = format!("{}, {}", self.title, measure.heading());
            let figure = Figure::new(self.name, title, unit);
            LOG_NAMES.iter().enumerate().fold(figure, |figure, (log, name)| {
                let bars = self.bars.iter().map(|(label, bar)| {
                    let value = measure.of(bar.summary(results, log));
                    (label.as_str(), if *measure == TableColumn::Accuracy { 100.0 * value } else { value })
                });
                figure.group(*name, bars)
            })
        };
        self.measures.iter().map(one).collect()
    }
}

//! Figures 3 to 5, as numbers. The paper prints no numbers with them.

use super::LOG_NAMES;
use super::measure::{Measure, OnLogs};
use super::settings::Setting;
use crate::eval::{Figure, Sweep, SweepResults};
use crate::spec::SpecError;
use crate::synth::Variant;

/// A figure: for some measures and each log, a bar per setting.
pub struct Wanted {
    name: &'static str,
    title: &'static str,
    measures: &'static [Measure],
    bars: Vec<(String, OnLogs)>,
}

pub fn want(sweep: &mut Sweep) -> Result<Vec<Wanted>, SpecError> {
    let mut figure = |name, title, measures, settings: Vec<Setting>| {
        let bars = settings
            .iter()
            .map(|setting| Ok((setting.name.clone(), OnLogs::want(sweep, setting, Variant::default())?)));
        Ok(Wanted { name, title, measures, bars: bars.collect::<Result<_, SpecError>>()? })
    };
    let named = |name: &str, setting: Setting| setting.named(name);
    let estimates = named("user estimates", Setting::easy());
    let performance: &[Measure] = &[Measure::Wait, Measure::Slowdown];
    Ok(vec![
        figure(
            "Figure 3",
            "EASY under different predictions",
            performance,
            vec![
                estimates.clone(),
                estimates.doubled(),
                Setting::easy_perfect(),
                Setting::easy_perfect().doubled(),
            ],
        )?,
        figure(
            "Figure 4",
            "reference predictors",
            &Measure::ALL,
            vec![
                Setting::easy(),
                Setting::estimate(),
                Setting::ruh(),
                Setting::ruh_propagation(),
                Setting::perfect(),
            ],
        )?,
        figure(
            "Figure 5",
            "RUH, SBH and no estimates",
            &Measure::ALL,
            vec![
                named("RUH", Setting::ruh_propagation()),
                named("SBH [PE,P,E,*]", Setting::sbh_pe()),
                named("SBH [E,P,X]", Setting::sbh_e()),
                named("Balanced", Setting::balanced()),
                named("Unbalanced", Setting::unbalanced()),
            ],
        )?,
    ])
}

impl Wanted {
    /// One figure per measure: each has a scale of its own.
    pub fn drawn(&self, results: &SweepResults) -> Vec<Figure> {
        let one = |measure: &Measure| {
            let unit = match measure {
                Measure::Wait | Measure::Inaccuracy => "s",
                Measure::Slowdown => "",
                Measure::Accuracy => "%",
            };
            let title = format!("{}, {}", self.title, measure.heading());
            let figure = Figure::new(self.name, title, unit);
            LOG_NAMES.iter().enumerate().fold(figure, |figure, (log, name)| {
                let bars = self.bars.iter().map(|(label, bar)| {
                    let value = measure.of(bar.summary(results, log));
                    (label.as_str(), if *measure == Measure::Accuracy { 100.0 * value } else { value })
                });
                figure.group(*name, bars)
            })
        };
        self.measures.iter().map(one).collect()
    }
}

//! Tables that the paper does not have: mixed information, which it describes (sections 6 and 7) and does not
//! evaluate, and the threshold of Balanced, which it does not print.

use super::measure::{OnLogs, TableColumn};
use super::settings::SchedulerSetting;
use super::setup::LOG_NAMES;
use crate::PublishedCell;
use queuecast_core::spec::SpecError;
use queuecast_study::{Sweep, SweepResults};
use queuecast_synth::synth::{Stripped, Variant};

/// A table of our own, with its simulations.
pub struct BeyondRuns {
    table: &'static str,
    caption: &'static str,
    over: OnLogs,
    rows: Vec<(String, OnLogs)>,
}

/// What jobs are stripped of.
const KINDS: [(&str, bool, bool); 3] =
    [("estimates", true, false), ("identities", false, true), ("both", true, true)];

/// Of how many.
const PERCENT: [u8; 4] = [25, 50, 75, 100];

/// Decides which jobs are stripped.
const SEED: u64 = 1;

/// Thresholds in hours.
const HOURS: [u32; 6] = [18, 24, 36, 48, 60, 100];

/// Some jobs lack an estimate, some their user, and one predictor serves them all.
pub fn mixed(sweep: &mut Sweep) -> Result<BeyondRuns, SpecError> {
    let over = OnLogs::want(sweep, &SchedulerSetting::easy(), Variant::default())?;
    let mixed = SchedulerSetting::mixed();
    let mut rows = vec![("nothing missing".to_owned(), OnLogs::want(sweep, &mixed, Variant::default())?)];
    for (name, estimates, identity) in KINDS {
        for percent in PERCENT {
            let stripped = Some(Stripped { percent, estimates, identity, seed: SEED });
            let variant = Variant { stripped, ..Variant::default() };
            rows.push((format!("{percent} % without {name}"), OnLogs::want(sweep, &mixed, variant)?));
        }
    }
    let caption = "mixed information: gain over EASY with every estimate known";
    Ok(BeyondRuns { table: "mixed", caption, over, rows })
}

/// Where the growth of Balanced may stop.
pub fn threshold(sweep: &mut Sweep) -> Result<BeyondRuns, SpecError> {
    let over = OnLogs::want(sweep, &SchedulerSetting::ruh_propagation(), Variant::default())?;
    let mut rows = Vec::new();
    for hours in HOURS {
        let setting = SchedulerSetting::balanced_at(hours);
        rows.push((format!("{hours} hours"), OnLogs::want(sweep, &setting, Variant::default())?));
    }
    rows.push((
        "never".to_owned(),
        OnLogs::want(sweep, &SchedulerSetting::unbalanced(), Variant::default())?,
    ));
    let caption = "Balanced by where its growth stops: gain over RUH";
    Ok(BeyondRuns { table: "threshold", caption, over, rows })
}

impl BeyondRuns {
    pub fn caption(&self) -> (&'static str, &'static str) {
        (self.table, self.caption)
    }

    pub fn cells(&self, results: &SweepResults) -> Vec<PublishedCell> {
        let mut cells = Vec::new();
        for (name, row) in &self.rows {
            for measure in TableColumn::ALL {
                let cell = |log: &str| PublishedCell::new(self.table, name, measure.heading(), log).unit("%");
                let each = row.improvements(results, measure, &self.over);
                cells.push(cell(PublishedCell::AVERAGE).ours(row.improvement(results, measure, &self.over)));
                cells.extend(LOG_NAMES.iter().zip(each).map(|(log, ours)| cell(log).ours(ours)));
            }
        }
        cells
    }
}

//! Mixed information, which the paper describes (sections 6 and 7) and does not evaluate: some jobs lack an
//! estimate, some their user, and one predictor serves them all.

use super::LOG_NAMES;
use super::measure::{Measure, OnLogs};
use super::settings::Setting;
use crate::eval::{PublishedCell, Results, Study};
use crate::spec::SpecError;
use crate::synth::{Stripped, Variant};

pub const CAPTION: &str = "mixed information: gain over EASY with every estimate known";

/// What jobs are stripped of.
const KINDS: [(&str, bool, bool); 3] =
    [("estimates", true, false), ("identities", false, true), ("both", true, true)];

const PERCENT: [u8; 4] = [25, 50, 75, 100];

/// Decides who is stripped.
const SEED: u64 = 1;

/// Its simulations.
pub struct Wanted {
    easy: OnLogs,
    rows: Vec<(String, OnLogs)>,
}

pub fn want(study: &mut Study) -> Result<Wanted, SpecError> {
    let easy = OnLogs::want(study, &Setting::easy(), Variant::default())?;
    let mixed = Setting::mixed();
    let mut rows = vec![("nothing missing".to_owned(), OnLogs::want(study, &mixed, Variant::default())?)];
    for (name, estimates, identity) in KINDS {
        for percent in PERCENT {
            let stripped = Some(Stripped { percent, estimates, identity, seed: SEED });
            let variant = Variant { stripped, ..Variant::default() };
            rows.push((format!("{percent} % without {name}"), OnLogs::want(study, &mixed, variant)?));
        }
    }
    Ok(Wanted { easy, rows })
}

impl Wanted {
    pub fn cells(&self, results: &Results) -> Vec<PublishedCell> {
        let mut cells = Vec::new();
        for (name, row) in &self.rows {
            for measure in Measure::ALL {
                let cell = |log: &str| PublishedCell::new("mixed", name, measure.heading(), log).unit("%");
                let each = row.improvements(results, measure, &self.easy);
                cells.push(cell(PublishedCell::AVERAGE).ours(row.improvement(results, measure, &self.easy)));
                cells.extend(LOG_NAMES.iter().zip(each).map(|(log, ours)| cell(log).ours(ours)));
            }
        }
        cells
    }
}

//! Tables 2, 4, 5 and 6: improvements over EASY or over the best RUH, averaged over the logs.

use super::explained;
use super::measure::{CTC, OnLogs, Shakes, TableColumn, mean};
use super::settings::SchedulerSetting;
use super::setup::LOG_NAMES;
use crate::printed::PrintedTables;
use crate::{Claim, PublishedCell};
use queuecast_core::spec::SpecError;
use queuecast_study::{Sweep, SweepResults};
use queuecast_synth::synth::Variant;

/// An averaged cell may differ from the paper's by this many percentage points.
const TOLERANCE: f64 = 7.0;

/// What the paper prints.
pub const PRINTED: PrintedTables = PrintedTables(include_str!("../../../experiments/talby2005/printed.md"));

/// A table: what its rows improve on, and the rows.
struct PublishedTable {
    name: &'static str,
    /// The paper's table.
    number: &'static str,
    caption: &'static str,
    over: SchedulerSetting,
    rows: Vec<SchedulerSetting>,
}

fn all() -> [PublishedTable; 6] {
    [
        PublishedTable {
            name: "2",
            number: "2",
            caption: "gain of SJBF with reference predictors over EASY",
            over: SchedulerSetting::easy(),
            rows: vec![
                SchedulerSetting::perfect(),
                SchedulerSetting::estimate(),
                SchedulerSetting::ruh(),
                SchedulerSetting::ruh_propagation(),
            ],
        },
        PublishedTable {
            name: "2-capped",
            number: "2",
            caption: "Table 2 with no prediction above the estimate",
            over: SchedulerSetting::easy(),
            rows: vec![SchedulerSetting::ruh().capped(), SchedulerSetting::ruh_propagation().capped()],
        },
        PublishedTable {
            name: "4",
            number: "4",
            caption: "the best SBH configurations and their gain over RUH",
            over: SchedulerSetting::ruh_propagation(),
            rows: vec![SchedulerSetting::sbh_pe(), SchedulerSetting::sbh_e()],
        },
        PublishedTable {
            name: "4-capped",
            number: "4",
            caption: "Table 4 with no prediction above the estimate, of SBH and of RUH",
            over: SchedulerSetting::ruh_propagation().capped(),
            rows: vec![SchedulerSetting::sbh_pe().capped(), SchedulerSetting::sbh_e().capped()],
        },
        PublishedTable {
            name: "5",
            number: "5",
            caption: "the best no-estimate SBH configurations relative to RUH",
            over: SchedulerSetting::ruh_propagation(),
            rows: vec![SchedulerSetting::balanced(), SchedulerSetting::unbalanced()],
        },
        PublishedTable {
            name: "6",
            number: "6",
            caption: "gain of Constant over EASY",
            over: SchedulerSetting::easy(),
            rows: vec![SchedulerSetting::constant(1), SchedulerSetting::ruh_propagation()],
        },
    ]
}

/// A setting on the logs as they are, with CTC on fewer processors, and shaken.
struct SettingRuns {
    plain: OnLogs,
    small_ctc: OnLogs,
    shaken: Shakes,
}

impl SettingRuns {
    fn want(sweep: &mut Sweep, setting: &SchedulerSetting) -> Result<SettingRuns, SpecError> {
        let plain = OnLogs::want(sweep, setting, Variant::default())?;
        let small_ctc = plain.with_small_ctc(sweep, setting)?;
        Ok(SettingRuns { plain, small_ctc, shaken: Shakes::want(sweep, setting)? })
    }
}

/// A table with its simulations.
pub struct TableRuns {
    table: PublishedTable,
    over: SettingRuns,
    rows: Vec<SettingRuns>,
}

/// Asks for the simulations of those tables that are wanted.
pub fn want(sweep: &mut Sweep, wants: impl Fn(&str) -> bool) -> Result<Vec<TableRuns>, SpecError> {
    let mut wanted = Vec::new();
    for table in all().into_iter().filter(|table| wants(table.name)) {
        let over = SettingRuns::want(sweep, &table.over)?;
        let rows = table.rows.iter().map(|row| SettingRuns::want(sweep, row)).collect::<Result<_, _>>()?;
        wanted.push(TableRuns { table, over, rows });
    }
    Ok(wanted)
}

impl TableRuns {
    fn printed(&self, row: &SchedulerSetting, column: TableColumn) -> Option<f64> {
        PRINTED.value(self.table.number, &row.name, column.heading())
    }

    pub fn caption(&self) -> (&'static str, &'static str) {
        (self.table.name, self.table.caption)
    }

    /// Whether it is the paper's own table, not one with another reading.
    pub fn is_papers_own(&self) -> bool {
        self.table.name == self.table.number
    }

    pub fn cells(&self, results: &SweepResults) -> Vec<PublishedCell> {
        let mut cells = Vec::new();
        for (setting, row) in self.table.rows.iter().zip(&self.rows) {
            for measure in TableColumn::ALL {
                let paper = self.printed(setting, measure);
                let cell = |log: &str| {
                    PublishedCell::new(self.table.name, &*setting.name, measure.heading(), log).unit("%")
                };
                let ours = row.plain.improvement(results, measure, &self.over.plain);
                let judged = cell(PublishedCell::AVERAGE).paper(paper).ours(ours).tolerance(TOLERANCE);
                let judged = judged.repeated(row.shaken.improvement(results, measure, &self.over.shaken));
                let why = explained::cell(&judged).filter(|_| judged.is_out());
                cells.push(match why {
                    Some(why) => judged.explained(why),
                    None => judged,
                });
                let each = row.plain.improvements(results, measure, &self.over.plain);
                cells.extend(LOG_NAMES.iter().zip(each).map(|(log, ours)| cell(log).ours(ours)));
                let small = row.small_ctc.improvements(results, measure, &self.over.small_ctc);
                cells.push(cell("CTC on 338").ours(small[CTC]));
                cells.push(cell("average, CTC on 338").ours(mean(&small)));
            }
        }
        cells
    }

    /// Whether the rows stand in the paper's order, column by column. Rows that the paper prints as equal have
    /// none.
    pub fn ordering(&self, results: &SweepResults) -> Claim {
        let mut pairs = 0;
        let mut wrong = Vec::new();
        for measure in TableColumn::ALL {
            let rows: Vec<(&str, Option<f64>, f64)> = self
                .table
                .rows
                .iter()
                .zip(&self.rows)
                .map(|(setting, row)| {
                    let ours = row.plain.improvement(results, measure, &self.over.plain);
                    (setting.name.as_str(), self.printed(setting, measure), ours)
                })
                .collect();
            for (place, (name, paper, ours)) in rows.iter().enumerate() {
                for (other, other_paper, other_ours) in &rows[place + 1..] {
                    let (Some(paper), Some(other_paper)) = (paper, other_paper) else { continue };
                    if paper == other_paper {
                        continue;
                    }
                    pairs += 1;
                    if (paper > other_paper) != (ours > other_ours) {
                        let heading = measure.heading();
                        wrong.push(format!("{heading}: {name} {ours:.2}, {other} {other_ours:.2}"));
                    }
                }
            }
        }
        let right = pairs - wrong.len();
        let mut measured = format!("{right} of {pairs} pairs of averaged cells in the paper's order");
        if !wrong.is_empty() {
            measured = format!("{measured}; not {}", wrong.join("; "));
        }
        let claim = format!("The rows of Table {} stand in this order, column by column", self.table.number);
        explained::claim(Claim::new(claim, wrong.is_empty(), measured))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_has_its_printed_values() {
        let rows = all()
            .into_iter()
            .filter(|table| table.name == table.number)
            .flat_map(|table| table.rows.into_iter().map(move |row| (table.number, row)));
        let mut values = Vec::new();
        for (number, row) in rows {
            let printed = TableColumn::ALL.map(|column| PRINTED.value(number, &row.name, column.heading()));
            let missing = printed.iter().filter(|value| value.is_none()).count();
            assert_eq!(missing, usize::from(row.name.starts_with("Unbalanced")), "{}", row.name);
            values.extend(printed.into_iter().flatten());
        }
        assert_eq!((values.len(), values.iter().sum::<f64>()), (39, 967.0));
    }
}

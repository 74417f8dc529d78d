//! Scores of forecasts of campaigns.

use serde::Serialize;

use crate::words::whole;
use crate::{Answer, Cell, Column, Document, Table, VERSION};
use queuecast_eval::{CampaignRanges, CampaignScore};

/// Forecasts of the campaigns of a log, by their size.
#[derive(Debug, Serialize)]
pub struct ScoredCampaigns {
    version: &'static str,
    log: String,
    campaigns: Vec<CampaignScore>,
}

/// Ranges of a campaign, and where they come from.
type Ranges = fn(&CampaignScore) -> &CampaignRanges;

const ROWS: [(&str, &str, Ranges); 5] = [
    ("first start", "queuecast when", |one| &one.first_start),
    ("first start", "past campaigns", |one| &one.past_first_start),
    ("half ended", "queuecast when", |one| &one.half_ended),
    ("last end", "queuecast when", |one| &one.last_end),
    ("last end", "past campaigns", |one| &one.past_last_end),
];

impl ScoredCampaigns {
    /// Those of a log.
    pub fn new(log: &str, campaigns: Vec<CampaignScore>) -> ScoredCampaigns {
        ScoredCampaigns { version: VERSION, log: log.to_owned(), campaigns }
    }
}

fn sizes(one: &CampaignScore) -> String {
    match one.most {
        Some(most) => format!("{} to {}", whole(one.fewest), whole(most)),
        None => "all".to_owned(),
    }
}

impl Answer for ScoredCampaigns {
    fn document(&self) -> Document {
        let mut document = Document::new().with_paragraph(format!(
            "Jobs of one user submitted within a minute, each such campaign asked about at its first submission with what was known then; {}.",
            self.log
        ));
        let mut table = Table::new([
            Column::text("jobs").naming(),
            Column::integer("campaigns"),
            Column::text("of").naming(),
            Column::text("ranges by").naming(),
            Column::share("inside"),
            Column::duration("interval score"),
            Column::duration("mean error"),
        ])
        .titled("Ranges of campaigns");
        for one in &self.campaigns {
            for (of, by, ranges) in ROWS {
                let ranges = ranges(one);
                table.row([
                    Cell::text(sizes(one)),
                    Cell::count(one.campaigns),
                    of.into(),
                    by.into(),
                    Cell::share(ranges.inside),
                    Cell::duration(ranges.interval_score),
                    Cell::duration(ranges.mean_error),
                ]);
            }
        }
        table.note(
            "inside: 80% should be; past campaigns: quantiles of how long the last 200 of that size took",
        );
        table.note(
            "interval score: width of the range and ten times the distance of what lies outside; less is better",
        );
        document = document.with_table("campaigns", table);
        document
    }

    fn table(&self) -> Table {
        let rows = self.campaigns.iter().flat_map(|one| ROWS.map(|row| (one, row)));
        Table::records(rows.map(|(one, (of, by, ranges))| {
            let ranges = ranges(one);
            vec![
                (Column::text("source"), Cell::text(&*self.log)),
                (Column::integer("fewest_jobs"), Cell::count(one.fewest)),
                (Column::integer("most_jobs"), one.most.into()),
                (Column::integer("campaigns"), Cell::count(one.campaigns)),
                (Column::text("of"), of.into()),
                (Column::text("ranges_by"), by.into()),
                (Column::share("inside"), Cell::share(ranges.inside)),
                (Column::duration("interval_score"), Cell::duration(ranges.interval_score)),
                (Column::duration("mean_error"), Cell::duration(ranges.mean_error)),
                (Column::text("version"), Cell::text(self.version)),
            ]
        }))
    }
}

//! A followed site at a moment: all that is told of it until the next look.

use std::collections::BTreeMap;
use std::sync::Arc;

use queuecast_core::asking::Refusal;
use queuecast_core::units::{Seconds, Time};
use queuecast_place::PlaceSnapshot;
use serde::Serialize;

use crate::forecast_record::ForecastRecord;
use crate::scorecard::Scorecard;
use crate::shadow_card::ShadowCard;

/// A followed site at a moment.
#[derive(Debug)]
pub struct SiteSnapshot {
    /// Its queue and machine, and what answers questions about it.
    pub place: PlaceSnapshot,
    /// How right forecasts of its waiting jobs were.
    pub scorecard: Scorecard,
    /// The forecasts of a played log; those of a site that is followed are in its store.
    pub forecasts: Option<ForecastRecord>,
    /// How far its simulated scheduler decided as the real one.
    pub shadow: ShadowCard,
    /// What was said of each job that waits.
    pub said: SaidByJob,
    /// The earliest moment that its store can be asked about, if it has one.
    pub past_from: Option<Time>,
    /// Its nodes, where they are known.
    pub nodes: Option<usize>,
}

/// What was said of jobs, by their numbers.
pub type SaidByJob = BTreeMap<String, Arc<Vec<SaidTimes>>>;

/// When a job was said to start, on the clock of the site.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct SaidTimes {
    /// When it was said.
    pub at: i64,
    /// Start of the 80 % range.
    pub low: i64,
    /// Even odds.
    pub median: i64,
    /// End of the 80 % range.
    pub high: i64,
}

/// What a followed site tells.
#[derive(Debug)]
pub enum SiteNews {
    /// It was looked at.
    Snapshot(Box<SiteSnapshot>),
    /// There is nothing new.
    Nothing,
    /// A log has been played to its end; what was seen last stays.
    Ended,
    /// It could not be looked at; what was seen before stays.
    Failed(Refusal),
}

/// A site that is followed.
pub trait FollowedSite: Send {
    /// Looks at it again and again. After each look it is told how far a played log is to go on; `None` ends it.
    ///
    /// # Errors
    /// If there is nothing to follow at all.
    fn follow(&mut self, heard: &mut dyn FnMut(SiteNews) -> Option<Seconds>) -> Result<(), Refusal>;
}

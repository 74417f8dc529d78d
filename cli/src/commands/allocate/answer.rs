//! What was advised: what JSON holds, and the rows for spreadsheets.

use queuecast::allot::advice::{Advice, Calibration, Preference, Prospect, Record, Spread, State, Target};
use queuecast::report::{Cell, Column, Table, date};
use queuecast::trace::TimeZone;
use queuecast::units::{Procs, Seconds, Time};
use serde::ser::SerializeStruct;
use serde::{Serialize, Serializer};

use super::job::Between;

/// When the job is submitted.
#[derive(Debug, Clone, Serialize)]
pub struct Moment {
    /// On the log's clock.
    pub time: Time,
    /// As a date, where the log has dates.
    pub date: Option<String>,
}

impl Moment {
    /// On a clock that began at this Unix time.
    pub fn of(time: Time, epoch: Option<i64>, zone: &TimeZone) -> Moment {
        Moment { time, date: epoch.and_then(|epoch| date::second(epoch.saturating_add(time.0), zone)) }
    }
}

/// What the machine was like then.
#[derive(Debug, Clone, Serialize)]
pub struct Seen {
    /// Processors of the machine.
    pub procs: Procs,
    /// Those nobody holds.
    pub free: Procs,
    /// Jobs running.
    pub running: usize,
    /// Jobs waiting.
    pub waiting: usize,
    /// Processors all waiting jobs want together.
    pub wanted: u64,
    /// Processors said to be held beyond those there are.
    pub excess: Procs,
    /// Jobs that had ended, which is what is learned from.
    pub ended: usize,
    /// Whether the log does not say when jobs started, so that they were simulated.
    pub simulated: bool,
}

impl Seen {
    /// Of a state.
    pub fn of(state: &State, ended: usize, simulated: bool) -> Seen {
        Seen {
            procs: state.machine(),
            free: state.free(),
            running: state.running().len(),
            waiting: state.waiting().len(),
            wanted: state.waiting().iter().map(|one| u64::from(one.job.shape.procs.0)).sum(),
            excess: state.excess(),
            ended,
            simulated,
        }
    }
}

/// All that decides the answer besides the log and the job.
#[derive(Debug, Clone, Serialize)]
pub struct Settings {
    pub policy: String,
    pub outlook: String,
    pub predictor: String,
    pub by: Option<String>,
    pub draws: Option<u32>,
    pub seed: Option<u64>,
    pub calibrate: Option<usize>,
    pub target: String,
    pub averse: f64,
    pub give_or_take: f64,
    pub default_request: Seconds,
}

/// What queue times were corrected by.
#[derive(Debug, Clone, Serialize)]
pub struct Calibrated {
    /// Past jobs asked about.
    pub jobs: usize,
    /// How far a difference in predictions is followed, from 0 to 1.
    pub slope: f64,
}

impl Calibrated {
    /// As learned.
    pub fn of(calibration: &Calibration) -> Calibrated {
        Calibrated { jobs: calibration.lessons().len(), slope: calibration.slope() }
    }
}

/// How many processors to ask for, and why. Says nothing of what the log says of later.
#[derive(Debug)]
pub struct Allocated {
    pub version: &'static str,
    pub source: String,
    pub moment: Moment,
    pub state: Seen,
    pub settings: Settings,
    /// By what the advice was chosen.
    pub preference: Preference,
    pub advice: Advice,
    /// Sizes of which the predictor says nothing.
    pub unknown: Vec<Procs>,
    pub between: Option<Between>,
    pub calibration: Option<Calibrated>,
    pub record: Option<Record>,
    pub plot: bool,
}

impl Serialize for Allocated {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut object = serializer.serialize_struct("Allocated", 12)?;
        object.serialize_field("version", self.version)?;
        object.serialize_field("source", &self.source)?;
        object.serialize_field("moment", &self.moment)?;
        object.serialize_field("state", &self.state)?;
        object.serialize_field("settings", &self.settings)?;
        object.serialize_field("recommended", &self.advice.recommended().procs)?;
        object.serialize_field("soonest", &self.advice.soonest().procs)?;
        object.serialize_field("sizes", self.advice.prospects())?;
        object.serialize_field("unknown", &self.unknown)?;
        object.serialize_field("between", &self.between)?;
        object.serialize_field("calibration", &self.calibration)?;
        object.serialize_field("record", &self.record)?;
        object.end()
    }
}

impl Allocated {
    /// One row for each size.
    pub fn rows(&self) -> Table {
        let mut columns = vec![Column::integer("procs")];
        for what in ["queue", "run", "turnaround"] {
            columns.extend(
                ["p10", "median", "p90", "mean"].map(|part| Column::duration(format!("{what} {part}"))),
            );
        }
        columns.extend([Column::share("at once"), Column::share("best"), Column::integer("recommended")]);
        let mut table = Table::new(columns);
        for prospect in self.advice.prospects() {
            let mut row = vec![prospect.procs.into()];
            for spread in [prospect.queue, prospect.run, prospect.turnaround] {
                let Spread { p10, median, p90, mean } = spread;
                row.extend([p10, Some(median), p90, mean].map(seconds));
            }
            let recommended = i64::from(self.is_recommended(prospect));
            row.extend(
                [prospect.at_once, prospect.best].map(|share| share.map_or(Cell::Missing, Cell::share)),
            );
            row.push(Cell::Integer(recommended));
            table.row(row);
        }
        table
    }
}

impl Allocated {
    /// Whether this is the size to ask for.
    pub fn is_recommended(&self, prospect: &Prospect) -> bool {
        prospect.procs == self.advice.recommended().procs
    }

    /// By what sizes were compared in fact: a formula knows no more than medians.
    pub fn target(&self) -> Target {
        let known = |prospect: &Prospect| match self.preference.target {
            Target::Median => true,
            Target::Mean => prospect.turnaround.mean.is_some(),
            Target::P90 => prospect.turnaround.p90.is_some(),
        };
        if self.advice.prospects().iter().all(known) { self.preference.target } else { Target::Median }
    }

    /// Whether the size done soonest by the median is simply the best.
    pub fn is_plain(&self) -> bool {
        self.target() == Target::Median && self.preference.averse == 0.0
    }

    /// The size of the least turnaround; of those alike the one to ask for, or else the smallest.
    pub fn least(&self) -> &Prospect {
        let target = self.target();
        let turnaround = |one: &Prospect| target.of(&one.turnaround);
        let mut least = self.advice.recommended();
        for one in self.advice.prospects() {
            if turnaround(one) < turnaround(least) {
                least = one;
            }
        }
        least
    }

    /// The size that would be done sooner than the one to ask for, but not by enough to wait for it.
    pub fn passed_over(&self) -> Option<&Prospect> {
        let least = self.least();
        (!self.is_recommended(least)).then_some(least)
    }
}

fn seconds(length: Option<f64>) -> Cell {
    length.map_or(Cell::Missing, Cell::duration)
}

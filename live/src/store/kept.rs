//! What was learned of a site and said of its jobs.

use std::collections::{HashMap, HashSet};

use queuecast_core::units::Time;

use super::database::{ColumnUpdate, Database, Insertion, SqlKind, SqlRow, SqlValue, values};
use super::{ClusterNumber, LearnedPart, StoreError};
use crate::forecasts::{JobForecast, JudgedForecast, SaidSeconds, WaitEnd};
use crate::look::started_job;

/// How many times of learning are kept: a question may begin with one while the next is written.
const TIMES_KEPT: i64 = 2;

pub(super) fn keep_learned(
    database: &dyn Database,
    cluster: ClusterNumber,
    until: Time,
    parts: &[LearnedPart],
) -> Result<(), StoreError> {
    for LearnedPart { name, bytes } in parts {
        database.run(
            "INSERT INTO learned (cluster, until, name, state) VALUES (?1, ?2, ?3, ?4)
             ON CONFLICT (cluster, until, name) DO UPDATE SET state = excluded.state",
            values![cluster, until, name.as_str(), bytes.as_slice()],
        )?;
    }
    // What a clock that was wrong learned in the future is forgotten too.
    database.run(
        "DELETE FROM learned WHERE cluster = ?1 AND (until > ?2 OR until NOT IN (
             SELECT DISTINCT until FROM learned WHERE cluster = ?1 AND until <= ?2 ORDER BY until DESC LIMIT ?3))",
        values![cluster, until, TIMES_KEPT],
    )?;
    Ok(())
}

pub(super) fn learned_until(
    database: &dyn Database,
    cluster: ClusterNumber,
    at: Time,
) -> Result<Option<Time>, StoreError> {
    let asked = "SELECT max(until) FROM learned WHERE cluster = ?1 AND until <= ?2";
    let found = database.one(asked, values![cluster, at], |row| row.maybe_integer(0))?;
    Ok(found.flatten().map(Time))
}

pub(super) fn learned(
    database: &dyn Database,
    cluster: ClusterNumber,
    until: Time,
    name: &str,
) -> Result<Option<Vec<u8>>, StoreError> {
    let asked = "SELECT state FROM learned WHERE cluster = ?1 AND until = ?2 AND name = ?3";
    database.one(asked, values![cluster, until, name], |row| row.bytes(0))
}

/// Forecasts by job and moment; a later one of the same moment replaces it, and is judged anew.
const FORECASTS: Insertion = Insertion {
    table: "forecast",
    columns: &[
        ("cluster", SqlKind::Integer),
        ("job", SqlKind::Text),
        ("at", SqlKind::Integer),
        ("submit", SqlKind::Integer),
        ("partition", SqlKind::Text),
        ("procs", SqlKind::Integer),
        ("ahead", SqlKind::Integer),
        ("low", SqlKind::Real),
        ("median", SqlKind::Real),
        ("high", SqlKind::Real),
        ("slurm", SqlKind::Integer),
        ("past_low", SqlKind::Real),
        ("past_median", SqlKind::Real),
        ("past_high", SqlKind::Real),
        ("unwidened_low", SqlKind::Real),
        ("unwidened_high", SqlKind::Real),
    ],
    key: 3,
    conflict: "ON CONFLICT (cluster, job, at) DO UPDATE SET submit = excluded.submit, partition = excluded.partition,
        procs = excluded.procs, ahead = excluded.ahead, low = excluded.low, median = excluded.median,
        high = excluded.high, slurm = excluded.slurm, past_low = excluded.past_low,
        past_median = excluded.past_median, past_high = excluded.past_high,
        unwidened_low = excluded.unwidened_low, unwidened_high = excluded.unwidened_high,
        started = NULL, withdrawn = NULL",
};

pub(super) fn add_forecasts(
    database: &dyn Database,
    cluster: ClusterNumber,
    forecasts: &[JobForecast],
) -> Result<(), StoreError> {
    let mut rows = forecasts.iter().map(|one| {
        let SaidSeconds { low, median, high } = one.said;
        let past = one.past;
        vec![
            SqlValue::from(cluster),
            one.job.as_str().into(),
            one.at.into(),
            one.submit.into(),
            one.partition.as_str().into(),
            one.procs.into(),
            one.ahead.into(),
            low.into(),
            median.into(),
            high.into(),
            one.slurm.into(),
            past.map(|past| past.low).into(),
            past.map(|past| past.median).into(),
            past.map(|past| past.high).into(),
            one.unwidened.map(|range| range.low).into(),
            one.unwidened.map(|range| range.high).into(),
        ]
    });
    database.insert_all(&FORECASTS, &mut rows)?;
    note_starts_since(database, cluster, forecasts)
}

/// Notes those of these jobs that started at a look that was made while this was computed.
fn note_starts_since(
    database: &dyn Database,
    cluster: ClusterNumber,
    forecasts: &[JobForecast],
) -> Result<(), StoreError> {
    let Some(at) = forecasts.iter().map(|one| one.at).min() else { return Ok(()) };
    let jobs: HashSet<&str> = forecasts.iter().map(|one| one.job.as_str()).collect();
    let mut starts = HashMap::new();
    database.rows(
        "SELECT job, line FROM queued WHERE cluster = ?1
         AND first > (SELECT coalesce(max(number), 0) FROM look WHERE cluster = ?1 AND at <= ?2) ORDER BY first",
        values![cluster, at],
        &mut |row| {
            if jobs.contains(row.text(0)?) {
                starts.extend(started_job(row.text(1)?));
            }
            Ok(())
        },
    )?;
    note_outcomes(database, cluster, starts.into_iter().map(|(job, start)| (job, WaitEnd::Started(start))))
}

/// Forecasts are kept this much longer than looks, in seconds: for seasons to be compared.
pub(super) const KEPT_LONGER: i64 = 335 * 86_400;

pub(super) fn forget_forecasts(
    database: &dyn Database,
    cluster: ClusterNumber,
    before: Time,
) -> Result<(), StoreError> {
    database.run(
        "DELETE FROM forecast WHERE cluster = ?1 AND at < ?2",
        values![cluster, before.0 - KEPT_LONGER],
    )?;
    Ok(())
}

pub(super) fn open_forecasts(
    database: &dyn Database,
    cluster: ClusterNumber,
) -> Result<Vec<(String, Time)>, StoreError> {
    database.all(
        "SELECT job, max(at) FROM forecast
         WHERE cluster = ?1 AND started IS NULL AND withdrawn IS NULL GROUP BY job ORDER BY job",
        values![cluster],
        |row| Ok((row.text(0)?.to_owned(), Time(row.integer(1)?))),
    )
}

/// What became of a job that something was said of, in one of two columns.
const fn outcome(columns: &'static [(&'static str, SqlKind)]) -> ColumnUpdate {
    ColumnUpdate {
        table: "forecast",
        columns,
        only: "forecast.started IS NULL AND forecast.withdrawn IS NULL",
    }
}

const STARTED: ColumnUpdate =
    outcome(&[("cluster", SqlKind::Integer), ("job", SqlKind::Text), ("started", SqlKind::Integer)]);
const WITHDRAWN: ColumnUpdate =
    outcome(&[("cluster", SqlKind::Integer), ("job", SqlKind::Text), ("withdrawn", SqlKind::Integer)]);

/// Notes what became of jobs that something was said of.
pub(super) fn note_outcomes(
    database: &dyn Database,
    cluster: ClusterNumber,
    outcomes: impl Iterator<Item = (String, WaitEnd)>,
) -> Result<(), StoreError> {
    let open = "SELECT at FROM forecast WHERE cluster = ?1 AND started IS NULL AND withdrawn IS NULL LIMIT 1";
    if database.one(open, values![cluster], |row| row.integer(0))?.is_none() {
        return Ok(());
    }
    let (mut started, mut withdrawn) = (Vec::new(), Vec::new());
    for (job, outcome) in outcomes {
        match outcome {
            WaitEnd::Started(at) => started.push((job, at)),
            WaitEnd::Withdrawn(at) => withdrawn.push((job, at)),
        }
    }
    for (column, ends) in [(&STARTED, started), (&WITHDRAWN, withdrawn)] {
        let mut rows = ends.iter().map(|(job, at)| vec![cluster.into(), job.as_str().into(), (*at).into()]);
        database.update_all(column, &mut rows)?;
    }
    Ok(())
}

pub(super) fn forecasts(
    database: &dyn Database,
    cluster: ClusterNumber,
    (since, at): (Time, Time),
    last: Option<usize>,
) -> Result<Vec<JudgedForecast>, StoreError> {
    let last = last.map_or(i64::MAX, |last| last as i64);
    database.all(
        "SELECT job, at, submit, partition, procs, ahead, low, median, high, slurm, past_low, past_median,
             past_high, started, withdrawn, unwidened_low, unwidened_high
         FROM (SELECT * FROM forecast WHERE cluster = ?1 AND at >= ?2 AND at <= ?3 ORDER BY at DESC, job DESC LIMIT ?4)
             AS said
         ORDER BY at, job",
        values![cluster, since, at, last],
        |row| judged(row, at),
    )
}

/// A row of [`forecasts`], with what was known of the job at a moment.
fn judged(row: &dyn SqlRow, at: Time) -> Result<JudgedForecast, StoreError> {
    let past = [row.maybe_real(10)?, row.maybe_real(11)?, row.maybe_real(12)?];
    let known = |at_: Option<i64>| at_.map(Time).filter(|&when| when <= at);
    let outcome = match (known(row.maybe_integer(13)?), known(row.maybe_integer(14)?)) {
        (Some(start), _) => Some(WaitEnd::Started(start)),
        (None, Some(left)) => Some(WaitEnd::Withdrawn(left)),
        (None, None) => None,
    };
    let said = SaidSeconds { low: row.real(6)?, median: row.real(7)?, high: row.real(8)? };
    let forecast = JobForecast {
        job: row.text(0)?.to_owned(),
        at: Time(row.integer(1)?),
        submit: Time(row.integer(2)?),
        partition: row.text(3)?.to_owned(),
        procs: row.integer(4)? as u32,
        ahead: row.integer(5)? as u32,
        said,
        unwidened: match [row.maybe_real(15)?, row.maybe_real(16)?] {
            [Some(low), Some(high)] => Some(SaidSeconds { low, high, ..said }),
            _ => None,
        },
        slurm: row.maybe_integer(9)?.map(Time),
        past: match past {
            [Some(low), Some(median), Some(high)] => Some(SaidSeconds { low, median, high }),
            _ => None,
        },
    };
    Ok(JudgedForecast { forecast, outcome })
}

//! What was learned of a site and said of its jobs, in SQLite.

use queuecast_core::units::Time;
use rusqlite::{Connection, OptionalExtension, params};

use super::{ClusterNumber, LearnedPart, StoreError};
use crate::forecasts::{JobForecast, JudgedForecast, SaidSeconds, WaitEnd};
use crate::look::started_job;

/// How many times of learning are kept: a question may begin with one while the next is written.
const TIMES_KEPT: i64 = 2;

pub(super) fn keep_learned(
    connection: &Connection,
    cluster: ClusterNumber,
    until: Time,
    parts: &[LearnedPart],
) -> Result<(), StoreError> {
    let mut keep = connection
        .prepare("INSERT OR REPLACE INTO learned (cluster, until, name, state) VALUES (?1, ?2, ?3, ?4)")?;
    for LearnedPart { name, bytes } in parts {
        keep.execute(params![cluster.0, until.0, name, bytes])?;
    }
    // What a clock that was wrong learned in the future is forgotten too.
    connection.execute(
        "DELETE FROM learned WHERE cluster = ?1 AND (until > ?2 OR until NOT IN (
             SELECT DISTINCT until FROM learned WHERE cluster = ?1 AND until <= ?2 ORDER BY until DESC LIMIT ?3))",
        params![cluster.0, until.0, TIMES_KEPT],
    )?;
    Ok(())
}

pub(super) fn learned_until(
    connection: &Connection,
    cluster: ClusterNumber,
    at: Time,
) -> Result<Option<Time>, StoreError> {
    let found: Option<i64> = connection.query_row(
        "SELECT max(until) FROM learned WHERE cluster = ?1 AND until <= ?2",
        params![cluster.0, at.0],
        |row| row.get(0),
    )?;
    Ok(found.map(Time))
}

pub(super) fn learned(
    connection: &Connection,
    cluster: ClusterNumber,
    until: Time,
    name: &str,
) -> Result<Option<Vec<u8>>, StoreError> {
    let found = connection.query_row(
        "SELECT state FROM learned WHERE cluster = ?1 AND until = ?2 AND name = ?3",
        params![cluster.0, until.0, name],
        |row| row.get(0),
    );
    Ok(found.optional()?)
}

pub(super) fn add_forecasts(
    connection: &Connection,
    cluster: ClusterNumber,
    forecasts: &[JobForecast],
) -> Result<(), StoreError> {
    let mut add = connection.prepare(
        "INSERT OR REPLACE INTO forecast (cluster, job, at, submit, partition, procs, ahead, low, median, high,
             slurm, past_low, past_median, past_high, unwidened_low, unwidened_high)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16)",
    )?;
    for one in forecasts {
        let SaidSeconds { low, median, high } = one.said;
        let past = one.past;
        add.execute(params![
            cluster.0,
            one.job,
            one.at.0,
            one.submit.0,
            one.partition,
            one.procs,
            one.ahead,
            low,
            median,
            high,
            one.slurm.map(|at| at.0),
            past.map(|past| past.low),
            past.map(|past| past.median),
            past.map(|past| past.high),
            one.unwidened.map(|range| range.low),
            one.unwidened.map(|range| range.high),
        ])?;
    }
    // A job may have started at a look that was made while this was computed.
    let mut asked = connection
        .prepare("SELECT line FROM queued WHERE cluster = ?1 AND job = ?2 ORDER BY first DESC LIMIT 1")?;
    let mut ends = Vec::new();
    for JobForecast { job, .. } in forecasts {
        let line: Option<String> = asked.query_row(params![cluster.0, job], |row| row.get(0)).optional()?;
        let start = line.and_then(|line| started_job(&line));
        ends.extend(start.map(|(job, start)| (job, WaitEnd::Started(start))));
    }
    note_outcomes(connection, cluster, ends.into_iter())
}

/// Forecasts are kept this much longer than looks, in seconds: for seasons to be compared.
const KEPT_LONGER: i64 = 335 * 86_400;

pub(super) fn forget_forecasts(
    connection: &Connection,
    cluster: ClusterNumber,
    before: Time,
) -> Result<(), StoreError> {
    connection.execute(
        "DELETE FROM forecast WHERE cluster = ?1 AND at < ?2",
        params![cluster.0, before.0 - KEPT_LONGER],
    )?;
    Ok(())
}

pub(super) fn open_forecasts(
    connection: &Connection,
    cluster: ClusterNumber,
) -> Result<Vec<(String, Time)>, StoreError> {
    let mut asked = connection.prepare(
        "SELECT job, max(at) FROM forecast
         WHERE cluster = ?1 AND started IS NULL AND withdrawn IS NULL GROUP BY job ORDER BY job",
    )?;
    let found = asked.query_map([cluster.0], |row| Ok((row.get(0)?, Time(row.get(1)?))))?;
    Ok(found.collect::<Result<_, _>>()?)
}

/// Notes what became of jobs that something was said of.
pub(super) fn note_outcomes(
    connection: &Connection,
    cluster: ClusterNumber,
    outcomes: impl Iterator<Item = (String, WaitEnd)>,
) -> Result<(), StoreError> {
    let is_open: bool = connection.query_row(
        "SELECT EXISTS (SELECT 1 FROM forecast
             WHERE cluster = ?1 AND started IS NULL AND withdrawn IS NULL)",
        [cluster.0],
        |row| row.get(0),
    )?;
    if !is_open {
        return Ok(());
    }
    let note = |column: &str| {
        connection.prepare(&format!(
            "UPDATE forecast SET {column} = ?3
             WHERE cluster = ?1 AND job = ?2 AND started IS NULL AND withdrawn IS NULL"
        ))
    };
    let (mut started, mut withdrawn) = (note("started")?, note("withdrawn")?);
    for (job, outcome) in outcomes {
        match outcome {
            WaitEnd::Started(at) => started.execute(params![cluster.0, job, at.0])?,
            WaitEnd::Withdrawn(at) => withdrawn.execute(params![cluster.0, job, at.0])?,
        };
    }
    Ok(())
}

pub(super) fn forecasts(
    connection: &Connection,
    cluster: ClusterNumber,
    (since, at): (Time, Time),
    last: Option<usize>,
) -> Result<Vec<JudgedForecast>, StoreError> {
    let mut asked = connection.prepare(
        "SELECT job, at, submit, partition, procs, ahead, low, median, high, slurm, past_low, past_median,
             past_high, started, withdrawn, unwidened_low, unwidened_high
         FROM (SELECT * FROM forecast WHERE cluster = ?1 AND at >= ?2 AND at <= ?3 ORDER BY at DESC, job DESC LIMIT ?4)
         ORDER BY at, job",
    )?;
    // A negative limit is none.
    let last = last.map_or(-1, |last| last as i64);
    let found = asked.query_map(params![cluster.0, since.0, at.0, last], |row| {
        let past: [Option<f64>; 3] = [row.get(10)?, row.get(11)?, row.get(12)?];
        let known = |at_: Option<i64>| at_.map(Time).filter(|&when| when <= at);
        let outcome = match (known(row.get(13)?), known(row.get(14)?)) {
            (Some(start), _) => Some(WaitEnd::Started(start)),
            (None, Some(left)) => Some(WaitEnd::Withdrawn(left)),
            (None, None) => None,
        };
        let said = SaidSeconds { low: row.get(6)?, median: row.get(7)?, high: row.get(8)? };
        let unwidened: [Option<f64>; 2] = [row.get(15)?, row.get(16)?];
        let forecast = JobForecast {
            job: row.get(0)?,
            at: Time(row.get(1)?),
            submit: Time(row.get(2)?),
            partition: row.get(3)?,
            procs: row.get(4)?,
            ahead: row.get(5)?,
            said,
            unwidened: match unwidened {
                [Some(low), Some(high)] => Some(SaidSeconds { low, high, ..said }),
                _ => None,
            },
            slurm: row.get::<_, Option<i64>>(9)?.map(Time),
            past: match past {
                [Some(low), Some(median), Some(high)] => Some(SaidSeconds { low, median, high }),
                _ => None,
            },
        };
        Ok(JudgedForecast { forecast, outcome })
    })?;
    Ok(found.collect::<Result<_, _>>()?)
}

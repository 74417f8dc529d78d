//! Texts that describe a site, and what was computed of its looks.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use queuecast_core::units::Time;

use super::database::{Database, values};
use super::{ClusterNumber, StoreError};

/// Looks of which the computed starts are kept: a question may begin with one while the next is written.
const LOOKS_KEPT: i64 = 3;

/// Remembers texts from a moment on; `packed` compresses one.
pub(super) fn keep_texts(
    database: &dyn Database,
    cluster: ClusterNumber,
    at: Time,
    texts: &BTreeMap<String, String>,
    packed: impl Fn(&str) -> Result<Vec<u8>, StoreError>,
) -> Result<(), StoreError> {
    let last = last_texts(database, cluster, Time::NEVER)?;
    let names: BTreeSet<&String> = texts.keys().chain(last.keys()).collect();
    for name in names {
        let body = packed(texts.get(name).map_or("", String::as_str))?;
        if last.get(name) != Some(&body) {
            database.run(
                "INSERT INTO site_text (cluster, name, first, body) VALUES (?1, ?2, ?3, ?4)
                 ON CONFLICT (cluster, name, first) DO UPDATE SET body = excluded.body",
                values![cluster, name.as_str(), at, body.as_slice()],
            )?;
        }
    }
    database.run("UPDATE cluster SET texts_kept = ?2 WHERE number = ?1", values![cluster, at])?;
    Ok(())
}

/// The last texts by a moment, compressed, those that are gone as empty ones.
pub(super) fn last_texts(
    database: &dyn Database,
    cluster: ClusterNumber,
    at: Time,
) -> Result<BTreeMap<String, Vec<u8>>, StoreError> {
    let all = database.all(
        "SELECT site_text.name, body FROM site_text JOIN
             (SELECT name, max(first) AS last FROM site_text WHERE cluster = ?1 AND first <= ?2 GROUP BY name)
             AS newest ON newest.name = site_text.name AND newest.last = first
         WHERE cluster = ?1",
        values![cluster, at],
        |row| Ok((row.text(0)?.to_owned(), row.bytes(1)?)),
    )?;
    Ok(all.into_iter().collect())
}

/// Remembers one text from a moment on, if it is another than before; whether it is.
pub(super) fn keep_text(
    database: &dyn Database,
    cluster: ClusterNumber,
    at: Time,
    (name, packed): (&str, &[u8]),
) -> Result<bool, StoreError> {
    let last = database.one(
        "SELECT body FROM site_text WHERE cluster = ?1 AND name = ?2 ORDER BY first DESC LIMIT 1",
        values![cluster, name],
        |row| row.bytes(0),
    )?;
    if last.as_deref() == Some(packed) {
        return Ok(false);
    }
    database.run(
        "INSERT INTO site_text (cluster, name, first, body) VALUES (?1, ?2, ?3, ?4)
         ON CONFLICT (cluster, name, first) DO UPDATE SET body = excluded.body",
        values![cluster, name, at, packed],
    )?;
    Ok(true)
}

/// Forgets texts that were replaced before a moment.
pub(super) fn forget_texts(
    database: &dyn Database,
    cluster: ClusterNumber,
    before: Time,
) -> Result<(), StoreError> {
    database.run(
        "DELETE FROM site_text WHERE cluster = ?1 AND first <
             (SELECT max(first) FROM site_text AS later
              WHERE later.cluster = ?1 AND later.name = site_text.name AND later.first <= ?2)",
        values![cluster, before],
    )?;
    Ok(())
}

pub(super) fn texts_kept(
    database: &dyn Database,
    cluster: ClusterNumber,
) -> Result<Option<Time>, StoreError> {
    let asked = "SELECT texts_kept FROM cluster WHERE number = ?1";
    let kept = database.one(asked, values![cluster], |row| row.maybe_integer(0))?;
    Ok(kept.flatten().map(Time))
}

pub(super) fn keep_starts(
    database: &dyn Database,
    cluster: ClusterNumber,
    look: i64,
    bytes: &[u8],
) -> Result<(), StoreError> {
    database.run(
        "INSERT INTO starts (cluster, look, state) VALUES (?1, ?2, ?3)
         ON CONFLICT (cluster, look) DO UPDATE SET state = excluded.state",
        values![cluster, look, bytes],
    )?;
    database.run(
        "DELETE FROM starts WHERE cluster = ?1 AND look NOT IN
             (SELECT look FROM starts WHERE cluster = ?1 ORDER BY look DESC LIMIT ?2)",
        values![cluster, LOOKS_KEPT],
    )?;
    Ok(())
}

pub(super) fn starts_of(
    database: &dyn Database,
    cluster: ClusterNumber,
    look: i64,
) -> Result<Option<Vec<u8>>, StoreError> {
    let asked = "SELECT state FROM starts WHERE cluster = ?1 AND look = ?2";
    database.one(asked, values![cluster, look], |row| row.bytes(0))
}

pub(super) fn starts_up_to(
    database: &dyn Database,
    cluster: ClusterNumber,
    look: i64,
) -> Result<Option<(i64, Time, Vec<u8>)>, StoreError> {
    database.one(
        "SELECT number, at, state FROM starts JOIN look ON look.cluster = starts.cluster AND number = look
         WHERE starts.cluster = ?1 AND look <= ?2 ORDER BY look DESC LIMIT 1",
        values![cluster, look],
        |row| Ok((row.integer(0)?, Time(row.integer(1)?), row.bytes(2)?)),
    )
}

pub(super) fn submission_before(
    database: &dyn Database,
    cluster: ClusterNumber,
    at: Time,
    places: usize,
) -> Result<Option<Time>, StoreError> {
    database.one(
        "SELECT submit FROM job WHERE cluster = ?1 AND submit <= ?2 ORDER BY submit DESC LIMIT 1 OFFSET ?3",
        values![cluster, at, places as i64],
        |row| row.integer(0).map(Time),
    )
}

pub(super) fn known_jobs(
    database: &dyn Database,
    cluster: ClusterNumber,
    jobs: &[u64],
) -> Result<HashSet<u64>, StoreError> {
    let asked =
        format!("SELECT DISTINCT id FROM job WHERE cluster = ?1 AND id IN ({})", database.numbers_in(2));
    let known = database.all(&asked, values![cluster, numbers(jobs).as_str()], |row| row.integer(0))?;
    Ok(known.into_iter().map(|id| id as u64).collect())
}

/// Numbers as [`Database::numbers_in`] reads them.
pub(super) fn numbers(jobs: &[u64]) -> String {
    let numbers: Vec<String> = jobs.iter().map(u64::to_string).collect();
    format!("[{}]", numbers.join(","))
}

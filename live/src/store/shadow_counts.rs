//! Decisions of a site beside those of its scheduler simulated, counted by the hour.

use queuecast_core::units::Time;
use queuecast_place::{ShadowCounts, ShadowMiss, ShadowTally};

use super::database::{Database, Insertion, SqlKind, SqlValues, values};
use super::kept::KEPT_LONGER;
use super::{ClusterNumber, StoreError};
use crate::shadow_card::{ShadowGroup, ShadowRecord};

/// Up to this number of decisions that are not alike are kept one by one.
const MISSES_KEPT: i64 = 200;

const HOUR: i64 = 3600;

/// Counts that are added to those of the hour.
const COUNTS: Insertion = Insertion {
    table: "shadow",
    columns: &[
        ("cluster", SqlKind::Integer),
        ("hour", SqlKind::Integer),
        ("sort", SqlKind::Text),
        ("name", SqlKind::Text),
        ("intervals", SqlKind::Integer),
        ("same_start", SqlKind::Integer),
        ("other_nodes", SqlKind::Integer),
        ("sooner", SqlKind::Integer),
        ("later", SqlKind::Integer),
        ("waited", SqlKind::Integer),
        ("passed_over", SqlKind::Integer),
    ],
    key: 4,
    conflict: "ON CONFLICT (cluster, hour, sort, name) DO UPDATE SET
        intervals = shadow.intervals + excluded.intervals,
        same_start = shadow.same_start + excluded.same_start,
        other_nodes = shadow.other_nodes + excluded.other_nodes,
        sooner = shadow.sooner + excluded.sooner, later = shadow.later + excluded.later,
        waited = shadow.waited + excluded.waited, passed_over = shadow.passed_over + excluded.passed_over",
};

const MISSES: Insertion = Insertion {
    table: "shadow_miss",
    columns: &[
        ("cluster", SqlKind::Integer),
        ("at", SqlKind::Integer),
        ("job", SqlKind::Text),
        ("partition", SqlKind::Text),
        ("verdict", SqlKind::Text),
        ("started", SqlKind::Integer),
        ("simulated", SqlKind::Integer),
    ],
    key: 3,
    conflict: "ON CONFLICT DO NOTHING",
};

pub(super) fn begun(database: &dyn Database, cluster: ClusterNumber) -> Result<Option<Time>, StoreError> {
    let asked = "SELECT shadow_begun FROM cluster WHERE number = ?1";
    let begun = database.one(asked, values![cluster], |row| row.maybe_integer(0))?;
    Ok(begun.flatten().map(Time))
}

pub(super) fn begin(database: &dyn Database, cluster: ClusterNumber, until: Time) -> Result<(), StoreError> {
    database.run("UPDATE cluster SET shadow_begun = ?2 WHERE number = ?1", values![cluster, until])?;
    Ok(())
}

pub(super) fn add(
    database: &dyn Database,
    cluster: ClusterNumber,
    tally: &ShadowTally,
) -> Result<(), StoreError> {
    let is_new = database.run(
        "UPDATE cluster SET shadow_until = ?2 WHERE number = ?1 AND (shadow_until IS NULL OR shadow_until < ?2)",
        values![cluster, tally.to],
    )?;
    if is_new == 0 {
        return Ok(());
    }
    let hour = tally.to.0.div_euclid(HOUR);
    let mut rows = tally.groups.iter().map(|((sort, name), counts)| {
        let ShadowCounts { same_start, other_nodes, sooner, later, waited, passed_over } = *counts;
        let key = [cluster.into(), hour.into(), (*sort).into(), name.as_str().into()];
        let numbers = [1, same_start, other_nodes, sooner, later, waited, passed_over];
        let row: SqlValues<'_> =
            key.into_iter().chain(numbers.map(|number| (number as i64).into())).collect();
        row
    });
    database.insert_all(&COUNTS, &mut rows)?;
    let mut misses = tally.misses.iter().map(|one| {
        vec![
            cluster.into(),
            one.at.into(),
            one.job.as_str().into(),
            one.partition.as_str().into(),
            one.verdict.as_str().into(),
            one.started.into(),
            one.simulated.into(),
        ]
    });
    database.insert_all(&MISSES, &mut misses)?;
    database.run(
        "DELETE FROM shadow_miss WHERE cluster = ?1 AND at < (
             SELECT at FROM shadow_miss WHERE cluster = ?1 ORDER BY at DESC LIMIT 1 OFFSET ?2)",
        values![cluster, MISSES_KEPT],
    )?;
    Ok(())
}

pub(super) fn counted(
    database: &dyn Database,
    cluster: ClusterNumber,
    (since, at): (Time, Time),
) -> Result<ShadowRecord, StoreError> {
    let groups = database.all(
        "SELECT sort, name, CAST(sum(intervals) AS BIGINT), CAST(sum(same_start) AS BIGINT),
             CAST(sum(other_nodes) AS BIGINT), CAST(sum(sooner) AS BIGINT), CAST(sum(later) AS BIGINT),
             CAST(sum(waited) AS BIGINT), CAST(sum(passed_over) AS BIGINT)
         FROM shadow WHERE cluster = ?1 AND hour BETWEEN ?2 AND ?3 GROUP BY sort, name ORDER BY sort, name",
        values![cluster, since.0.div_euclid(HOUR), at.0.div_euclid(HOUR)],
        |row| {
            let number = |column: usize| row.integer(column).map(|number| number.max(0) as u64);
            let counts = ShadowCounts {
                same_start: number(3)?,
                other_nodes: number(4)?,
                sooner: number(5)?,
                later: number(6)?,
                waited: number(7)?,
                passed_over: number(8)?,
            };
            let (by, group) = (row.text(0)?.to_owned(), row.text(1)?.to_owned());
            Ok(ShadowGroup { by, group, intervals: number(2)?, counts })
        },
    )?;
    let misses = database.all(
        "SELECT job, partition, at, verdict, started, simulated FROM shadow_miss
         WHERE cluster = ?1 AND at BETWEEN ?2 AND ?3 ORDER BY at DESC, job",
        values![cluster, since, at],
        |row| {
            Ok(ShadowMiss {
                job: row.text(0)?.to_owned(),
                partition: row.text(1)?.to_owned(),
                at: Time(row.integer(2)?),
                verdict: row.text(3)?.to_owned(),
                started: row.maybe_integer(4)?.map(Time),
                simulated: row.maybe_integer(5)?.map(Time),
            })
        },
    )?;
    Ok(ShadowRecord { groups, misses })
}

pub(super) fn forget(
    database: &dyn Database,
    cluster: ClusterNumber,
    before: Time,
) -> Result<(), StoreError> {
    let before = before.0 - KEPT_LONGER;
    database.run(
        "DELETE FROM shadow WHERE cluster = ?1 AND hour < ?2",
        values![cluster, before.div_euclid(HOUR)],
    )?;
    database.run("DELETE FROM shadow_miss WHERE cluster = ?1 AND at < ?2", values![cluster, before])?;
    Ok(())
}

//! A store in one file of SQLite: many processes read it while one writes.

use std::collections::{HashMap, HashSet};
use std::fs::OpenOptions;
use std::io::{Read, Write};
use std::path::Path;
use std::time::Duration;

use flate2::Compression;
use flate2::read::ZlibDecoder;
use flate2::write::ZlibEncoder;
use queuecast_core::units::Time;
use rusqlite::{Connection, OpenFlags, OptionalExtension, Transaction, TransactionBehavior, params};

use super::error::PATIENCE;
use super::{
    ClusterNumber, FailedLook, LearnedPart, Store, StoreError, StoredLook, UnendedJob, kept, schema,
};
use crate::forecasts::WaitEnd;
use crate::forecasts::{JobForecast, JudgedForecast};
use crate::look::{Look, QueueLine, passing_parts, passing_text, printed_line, queue_line, started_job};
use crate::rows::AccountingRows;

/// A store in a file of SQLite.
#[derive(Debug)]
pub struct SqliteStore {
    connection: Connection,
}

impl SqliteStore {
    /// Opens a store to write to; a file that does not exist is made, for its owner alone: it has the jobs of all users.
    pub fn open(file: &Path) -> Result<SqliteStore, StoreError> {
        let mut made = OpenOptions::new();
        made.write(true).create_new(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut made, 0o600);
        // A file that is there stays as it is; one that cannot be made is told of below.
        drop(made.open(file));
        let mut connection = Connection::open(file)?;
        connection.busy_timeout(Duration::from_secs(PATIENCE))?;
        connection.pragma_update(None, "journal_mode", "wal")?;
        // Of a power failure the last looks may be lost; the file stays whole.
        connection.pragma_update(None, "synchronous", "normal")?;
        schema::open(&mut connection, true)?;
        Ok(SqliteStore { connection })
    }

    /// Opens a store that exists, to read it.
    pub fn open_to_read(file: &Path) -> Result<SqliteStore, StoreError> {
        let mut connection = Connection::open_with_flags(
            file,
            OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX,
        )?;
        connection.busy_timeout(Duration::from_secs(PATIENCE))?;
        schema::open(&mut connection, false)?;
        Ok(SqliteStore { connection })
    }

    fn write(&mut self) -> Result<Transaction<'_>, StoreError> {
        Ok(self.connection.transaction_with_behavior(TransactionBehavior::Immediate)?)
    }

    /// The text of the nodes at a look.
    fn nodes_of(&self, cluster: ClusterNumber, number: i64) -> Result<String, StoreError> {
        let packed: Vec<u8> = self.connection.query_row(
            "SELECT text FROM nodes WHERE cluster = ?1 AND look = ?2",
            params![cluster.0, number],
            |row| row.get(0),
        )?;
        unpacked(&packed, "nodes")
    }
}

impl SqliteStore {
    /// When the first look was that is still kept.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn first_look(&self, cluster: ClusterNumber) -> Result<Option<Time>, StoreError> {
        let first = "SELECT min(at) FROM look WHERE cluster = ?1";
        let at: Option<i64> = self.connection.query_row(first, [cluster.0], |row| row.get(0))?;
        Ok(at.map(Time))
    }
}

impl Store for SqliteStore {
    fn cluster(&mut self, name: &str) -> Result<ClusterNumber, StoreError> {
        let transaction = self.write()?;
        transaction.execute("INSERT OR IGNORE INTO cluster (name) VALUES (?1)", [name])?;
        let number =
            transaction.query_row("SELECT number FROM cluster WHERE name = ?1", [name], |row| row.get(0))?;
        transaction.commit()?;
        Ok(ClusterNumber(number))
    }

    fn clusters(&self) -> Result<Vec<(String, ClusterNumber)>, StoreError> {
        let mut asked = self.connection.prepare("SELECT name, number FROM cluster ORDER BY name")?;
        let found = asked.query_map([], |row| Ok((row.get(0)?, ClusterNumber(row.get(1)?))))?;
        Ok(found.collect::<Result<_, _>>()?)
    }

    fn add_look(&mut self, cluster: ClusterNumber, look: &Look) -> Result<(i64, usize), StoreError> {
        let lines: Vec<QueueLine<'_>> = look.queue.lines().filter_map(queue_line).collect();
        let passing = packed(&passing_text(lines.iter()))?;
        let transaction = self.write()?;
        let last: Option<(i64, i64)> = transaction
            .query_row(
                "SELECT number, at FROM look WHERE cluster = ?1 ORDER BY number DESC LIMIT 1",
                [cluster.0],
                |row| Ok((row.get(0)?, row.get(1)?)),
            )
            .optional()?;
        // The same look once more.
        let number = match last {
            Some((number, at)) if at == look.at.0 => number,
            Some((number, _)) => number + 1,
            None => 1,
        };
        let changed = renew_queue(&transaction, cluster, number, &lines)?;
        let starts = look.queue.lines().filter_map(started_job);
        kept::note_outcomes(
            &transaction,
            cluster,
            starts.map(|(job, start)| (job, WaitEnd::Started(start))),
        )?;
        let nodes = renew_nodes(&transaction, cluster, number, &look.nodes)?;
        transaction.execute(
            "INSERT OR REPLACE INTO look (cluster, number, at, passing, nodes) VALUES (?1, ?2, ?3, ?4, ?5)",
            params![cluster.0, number, look.at.0, passing, nodes],
        )?;
        transaction.commit()?;
        Ok((number, changed))
    }

    fn add_failure(&mut self, cluster: ClusterNumber, failure: &FailedLook) -> Result<(), StoreError> {
        self.connection.execute(
            "INSERT OR IGNORE INTO failure (cluster, at, after, why)
             SELECT ?1, ?2, coalesce(max(number), 0), ?3 FROM look WHERE cluster = ?1",
            params![cluster.0, failure.at.0, failure.why],
        )?;
        Ok(())
    }

    fn last_look(&self, cluster: ClusterNumber) -> Result<Option<Time>, StoreError> {
        let at = self.connection.query_row(
            "SELECT at FROM look WHERE cluster = ?1 ORDER BY number DESC LIMIT 1",
            [cluster.0],
            |row| row.get(0),
        );
        Ok(at.optional()?.map(Time))
    }

    fn last_failure(&self, cluster: ClusterNumber) -> Result<Option<FailedLook>, StoreError> {
        let found = self.connection.query_row(
            "SELECT at, why FROM failure
             WHERE cluster = ?1 AND after = (SELECT coalesce(max(number), 0) FROM look WHERE cluster = ?1)
             ORDER BY at DESC LIMIT 1",
            [cluster.0],
            |row| Ok(FailedLook { at: Time(row.get(0)?), why: row.get(1)? }),
        );
        Ok(found.optional()?)
    }

    fn look_at(&self, cluster: ClusterNumber, at: Time) -> Result<Option<StoredLook>, StoreError> {
        let found: Option<(i64, i64, Vec<u8>, i64)> = self
            .connection
            .query_row(
                "SELECT number, at, passing, nodes FROM look WHERE cluster = ?1 AND at <= ?2
                 ORDER BY at DESC, number DESC LIMIT 1",
                params![cluster.0, at.0],
                |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?)),
            )
            .optional()?;
        let Some((number, at, passing, nodes)) = found else { return Ok(None) };
        let at = Time(at);
        let passing = unpacked(&passing, "a look")?;
        let passing = passing_parts(&passing);
        let mut asked = self.connection.prepare(
            "SELECT job, line FROM queued
             WHERE cluster = ?1 AND first <= ?2 AND (last >= ?2 OR last IS NULL) ORDER BY job",
        )?;
        let mut queue = String::new();
        let mut rows = asked.query(params![cluster.0, number])?;
        while let Some(row) = rows.next()? {
            let (job, line) = (row.get_ref(0)?.as_str(), row.get_ref(1)?.as_str());
            let (job, line) = (
                job.map_err(|_| StoreError::Unreadable("the queue"))?,
                line.map_err(|_| StoreError::Unreadable("the queue"))?,
            );
            let printed = printed_line(line, passing.get(job), at);
            queue.push_str(&printed.ok_or(StoreError::Unreadable("the queue"))?);
            queue.push('\n');
        }
        let look = Look { at, queue, nodes: self.nodes_of(cluster, nodes)? };
        Ok(Some(StoredLook { number, look }))
    }

    fn add_accounting(
        &mut self,
        cluster: ClusterNumber,
        rows: &AccountingRows<'_>,
        until: Option<Time>,
    ) -> Result<usize, StoreError> {
        let transaction = self.write()?;
        transaction.execute("INSERT OR IGNORE INTO titles (text) VALUES (?1)", [rows.titles])?;
        let titles: i64 =
            transaction
                .query_row("SELECT number FROM titles WHERE text = ?1", [rows.titles], |row| row.get(0))?;
        let mut changed = 0;
        {
            let mut add = transaction.prepare(
                "INSERT INTO job (cluster, id, submit, open, titles, row) VALUES (?1, ?2, ?3, ?4, ?5, ?6)
                 ON CONFLICT (cluster, id, submit)
                 DO UPDATE SET open = excluded.open, titles = excluded.titles, row = excluded.row
                 WHERE row <> excluded.row OR titles <> excluded.titles",
            )?;
            for row in rows.rows().flatten() {
                let open = row.end.is_none().then_some(row.name);
                let key = (cluster.0, row.id as i64, row.submit.0);
                changed += add.execute(params![key.0, key.1, key.2, open, titles, row.text])?;
            }
        }
        let outcomes = rows.rows().flatten().filter_map(|row| Some((row.outcome()?, row.keys())));
        let outcomes = outcomes.flat_map(|(end, keys)| keys.into_iter().map(move |key| (key, end)));
        kept::note_outcomes(&transaction, cluster, outcomes)?;
        if let Some(until) = until {
            transaction.execute(
                "UPDATE cluster SET history_until = max(coalesce(history_until, ?2), ?2) WHERE number = ?1",
                params![cluster.0, until.0],
            )?;
        }
        transaction.commit()?;
        Ok(changed)
    }

    fn open_jobs(&self, cluster: ClusterNumber) -> Result<Vec<UnendedJob>, StoreError> {
        let mut asked = self.connection.prepare(
            "SELECT id, open, submit FROM job WHERE cluster = ?1 AND open IS NOT NULL
             ORDER BY submit DESC, id DESC",
        )?;
        let found = asked.query_map([cluster.0], |row| {
            let id: i64 = row.get(0)?;
            Ok(UnendedJob { id: id as u64, name: row.get(1)?, submit: Time(row.get(2)?) })
        })?;
        Ok(found.collect::<Result<_, _>>()?)
    }

    fn history_until(&self, cluster: ClusterNumber) -> Result<Option<Time>, StoreError> {
        let until: Option<Option<i64>> = self
            .connection
            .query_row("SELECT history_until FROM cluster WHERE number = ?1", [cluster.0], |row| row.get(0))
            .optional()?;
        Ok(until.flatten().map(Time))
    }

    fn write_history(
        &self,
        cluster: ClusterNumber,
        at: Time,
        to: &mut dyn Write,
    ) -> Result<usize, StoreError> {
        let mut all = self.connection.prepare(
            "SELECT number, text FROM titles WHERE number IN (SELECT DISTINCT titles FROM job WHERE cluster = ?1)
             ORDER BY number",
        )?;
        let all = all.query_map([cluster.0], |row| Ok((row.get::<_, i64>(0)?, row.get::<_, String>(1)?)))?;
        let titles: Vec<(i64, String)> = all.collect::<Result<_, _>>()?;
        // The newest titles are those of the text; rows of others are put in their order.
        let Some((newest, text)) = titles.last() else { return Ok(0) };
        let orders: HashMap<i64, Vec<Option<usize>>> = titles
            .iter()
            .filter(|one| one.0 != *newest)
            .map(|(number, own)| (*number, places(own, text)))
            .collect();
        writeln!(to, "{text}")?;
        let mut asked = self
            .connection
            .prepare("SELECT titles, row FROM job WHERE cluster = ?1 AND submit <= ?2 ORDER BY id, submit")?;
        let mut rows = asked.query(params![cluster.0, at.0])?;
        let mut count = 0;
        while let Some(row) = rows.next()? {
            let line = row.get_ref(1)?.as_str().map_err(|_| StoreError::Unreadable("its history"))?;
            match orders.get(&row.get::<_, i64>(0)?) {
                Some(order) => writeln!(to, "{}", reordered(line, order))?,
                None => writeln!(to, "{line}")?,
            }
            count += 1;
        }
        Ok(count)
    }

    fn keep_learned(
        &mut self,
        cluster: ClusterNumber,
        until: Time,
        parts: &[LearnedPart],
    ) -> Result<(), StoreError> {
        let transaction = self.write()?;
        kept::keep_learned(&transaction, cluster, until, parts)?;
        Ok(transaction.commit()?)
    }

    fn learned_until(&self, cluster: ClusterNumber, at: Time) -> Result<Option<Time>, StoreError> {
        kept::learned_until(&self.connection, cluster, at)
    }

    fn learned(
        &self,
        cluster: ClusterNumber,
        until: Time,
        name: &str,
    ) -> Result<Option<Vec<u8>>, StoreError> {
        kept::learned(&self.connection, cluster, until, name)
    }

    fn add_forecasts(&mut self, cluster: ClusterNumber, forecasts: &[JobForecast]) -> Result<(), StoreError> {
        let transaction = self.write()?;
        kept::add_forecasts(&transaction, cluster, forecasts)?;
        Ok(transaction.commit()?)
    }

    fn open_forecasts(&self, cluster: ClusterNumber) -> Result<Vec<(String, Time)>, StoreError> {
        kept::open_forecasts(&self.connection, cluster)
    }

    fn forecasts(
        &self,
        cluster: ClusterNumber,
        since: Time,
        at: Time,
    ) -> Result<Vec<JudgedForecast>, StoreError> {
        kept::forecasts(&self.connection, cluster, (since, at), None)
    }

    fn last_forecasts(
        &self,
        cluster: ClusterNumber,
        (since, at): (Time, Time),
        most: usize,
    ) -> Result<Vec<JudgedForecast>, StoreError> {
        kept::forecasts(&self.connection, cluster, (since, at), Some(most))
    }

    fn forget_looks(&mut self, cluster: ClusterNumber, before: Time) -> Result<usize, StoreError> {
        let transaction = self.write()?;
        // The last look is never forgotten: the next one is told by its differences.
        let forgotten = transaction.execute(
            "DELETE FROM look WHERE cluster = ?1 AND at < ?2
             AND number < (SELECT max(number) FROM look WHERE cluster = ?1)",
            params![cluster.0, before.0],
        )?;
        transaction.execute(
            "DELETE FROM queued WHERE cluster = ?1
             AND last < (SELECT min(number) FROM look WHERE cluster = ?1)",
            [cluster.0],
        )?;
        transaction.execute(
            "DELETE FROM nodes WHERE cluster = ?1
             AND look NOT IN (SELECT nodes FROM look WHERE cluster = ?1)",
            [cluster.0],
        )?;
        kept::forget_forecasts(&transaction, cluster, before)?;
        transaction
            .execute("DELETE FROM failure WHERE cluster = ?1 AND at < ?2", params![cluster.0, before.0])?;
        transaction.commit()?;
        Ok(forgotten)
    }
}

/// Ends lines that are no longer there, and begins those that are new: how many of both.
fn renew_queue(
    transaction: &Transaction<'_>,
    cluster: ClusterNumber,
    number: i64,
    lines: &[QueueLine<'_>],
) -> Result<usize, StoreError> {
    // The same look once more: what it began is forgotten, and what it ended goes on.
    transaction
        .execute("DELETE FROM queued WHERE cluster = ?1 AND first = ?2", params![cluster.0, number])?;
    transaction.execute(
        "UPDATE queued SET last = NULL WHERE cluster = ?1 AND last = ?2 - 1",
        params![cluster.0, number],
    )?;
    // The lines that are there, each with the look that saw it first.
    let mut known: HashMap<String, (String, i64)> = {
        let mut asked =
            transaction.prepare("SELECT job, line, first FROM queued WHERE cluster = ?1 AND last IS NULL")?;
        let found = asked.query_map([cluster.0], |row| Ok((row.get(0)?, (row.get(1)?, row.get(2)?))))?;
        found.collect::<Result<_, _>>()?
    };
    let mut end =
        transaction.prepare("UPDATE queued SET last = ?4 WHERE cluster = ?1 AND first = ?2 AND job = ?3")?;
    let mut begin = transaction
        .prepare("INSERT INTO queued (cluster, first, job, last, line) VALUES (?1, ?2, ?3, NULL, ?4)")?;
    let (mut changed, mut seen) = (0, HashSet::new());
    for QueueLine { key, lasting, .. } in lines {
        // A job that is printed twice is there once.
        if !seen.insert(key.as_str()) {
            continue;
        }
        match known.remove(key) {
            Some((before, _)) if before == *lasting => {}
            before => {
                if let Some((_, first)) = before {
                    end.execute(params![cluster.0, first, key, number - 1])?;
                }
                begin.execute(params![cluster.0, number, key, lasting])?;
                changed += 1;
            }
        }
    }
    for (job, (_, first)) in &known {
        end.execute(params![cluster.0, first, job, number - 1])?;
        changed += 1;
    }
    Ok(changed)
}

/// Stores the text of the nodes unless it is that of the look before; which look has it.
fn renew_nodes(
    transaction: &Transaction<'_>,
    cluster: ClusterNumber,
    number: i64,
    text: &str,
) -> Result<i64, StoreError> {
    let last: Option<(i64, Vec<u8>)> = transaction
        .query_row(
            "SELECT look, text FROM nodes WHERE cluster = ?1 AND look < ?2 ORDER BY look DESC LIMIT 1",
            params![cluster.0, number],
            |row| Ok((row.get(0)?, row.get(1)?)),
        )
        .optional()?;
    let packed = packed(text)?;
    if let Some((look, _)) = last.filter(|(_, known)| *known == packed) {
        return Ok(look);
    }
    transaction.execute(
        "INSERT OR REPLACE INTO nodes (cluster, look, text) VALUES (?1, ?2, ?3)",
        params![cluster.0, number, packed],
    )?;
    Ok(number)
}

/// For each column of `to` its place in `from`.
fn places(from: &str, to: &str) -> Vec<Option<usize>> {
    to.split('\x1f').map(|title| from.split('\x1f').position(|own| own == title)).collect()
}

/// The cells of a row in another order; columns that it does not have are empty.
fn reordered(row: &str, order: &[Option<usize>]) -> String {
    let cells: Vec<&str> = row.split('\x1f').collect();
    let cell = |place: &Option<usize>| place.and_then(|place| cells.get(place).copied()).unwrap_or_default();
    order.iter().map(cell).collect::<Vec<&str>>().join("\x1f")
}

fn packed(text: &str) -> Result<Vec<u8>, StoreError> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(text.as_bytes())?;
    Ok(encoder.finish()?)
}

fn unpacked(bytes: &[u8], what: &'static str) -> Result<String, StoreError> {
    let mut text = String::new();
    ZlibDecoder::new(bytes).read_to_string(&mut text).map_err(|_| StoreError::Unreadable(what))?;
    Ok(text)
}

#[cfg(test)]
mod tests;

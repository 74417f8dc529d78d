//! A store on a server of PostgreSQL, in a schema of its own: several collectors write to it, each of its own cluster, and any number of
//! programs read it.

mod address;
mod connection;
mod login;

use std::cell::{Cell, RefCell};
use std::collections::HashSet;

use self::connection::{Connection, array, binary};
use super::database::{ColumnUpdate, Database, Insertion, SqlColumn, SqlKind, SqlRow, SqlValue, SqlValues};
use super::error::PATIENCE;
use super::{ClusterNumber, StoreError, schema};

pub use address::ServerAddress;

/// Rows that one statement writes.
const ROWS_AT_ONCE: usize = 5_000;

/// Locks of the server that stand for a collector of a cluster, and for what is written of a cluster at a time.
const COLLECTS: i64 = schema::APPLICATION;
const WRITES: i64 = schema::APPLICATION + 1;

/// A database on a server. A connection that has ended is made anew when something is asked next.
#[derive(Debug)]
pub(super) struct PostgresDatabase {
    address: ServerAddress,
    may_write: bool,
    held: Cell<Option<ClusterNumber>>,
    is_writing: Cell<bool>,
    connection: RefCell<Option<Connection>>,
}

impl PostgresDatabase {
    /// Opens a store, which is made if it may be written to and is not there.
    pub(super) fn open(address: &ServerAddress, may_write: bool) -> Result<PostgresDatabase, StoreError> {
        let database = PostgresDatabase {
            address: address.clone(),
            may_write,
            held: Cell::default(),
            is_writing: Cell::default(),
            connection: RefCell::default(),
        };
        database.asked(true, |_| Ok(()))?;
        Ok(database)
    }

    /// A connection with its settings, to a store of this form.
    fn connected(&self) -> Result<Connection, StoreError> {
        let mut connection = Connection::open(&self.address)?;
        // Of a crash of the server the last looks may be lost; the store stays whole.
        connection.run_all(&format!(
            "SET search_path = queuecast; SET lock_timeout = '{PATIENCE}s'; SET synchronous_commit = off;
             SET client_min_messages = warning; SET default_transaction_read_only = {}",
            !self.may_write
        ))?;
        if form(&mut connection)? != Some(schema::FORM) {
            bring_up_to_date(&mut connection, self.may_write)?;
        }
        if let Some(cluster) = self.held.get() {
            hold(&mut connection, cluster)?;
        }
        Ok(connection)
    }

    /// Asks something. What may be asked twice is, if the connection had ended before: a server may have been started anew since.
    fn asked<T>(
        &self,
        mut may_repeat: bool,
        mut ask: impl FnMut(&mut Connection) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        let mut slot = self.connection.borrow_mut();
        loop {
            let connection = match slot.as_mut() {
                Some(connection) => connection,
                None if self.is_writing.get() => {
                    return Err(StoreError::Away("it has ended the connection".to_owned()));
                }
                None => {
                    may_repeat = false;
                    slot.insert(self.connected()?)
                }
            };
            let answer = ask(connection);
            if connection.is_broken() {
                *slot = None;
                if may_repeat && !self.is_writing.get() {
                    continue;
                }
            }
            return answer;
        }
    }

    /// Runs a statement once for many rows, whose columns are its values as arrays. Rows of one key follow one another.
    fn run_for<'v>(
        &self,
        asked: &str,
        columns: &[SqlColumn],
        key: usize,
        rows: &mut dyn Iterator<Item = SqlValues<'v>>,
    ) -> Result<usize, StoreError> {
        let mut changed = 0;
        let mut waiting: Vec<SqlValues<'v>> = Vec::new();
        let mut keys = HashSet::new();
        let mut write = |rows: &mut Vec<SqlValues<'v>>| {
            let each = (0..).zip(columns);
            let values: Vec<_> = each.map(|(place, column)| Some(array(column.1, place, rows))).collect();
            changed += self.asked(false, |one| one.run(asked, &values, &mut |_| Ok(())))?;
            rows.clear();
            Ok::<(), StoreError>(())
        };
        for row in rows {
            let own: Vec<Option<Vec<u8>>> = row[..key].iter().map(|value| binary(*value)).collect();
            if waiting.len() == ROWS_AT_ONCE || keys.contains(&own) {
                write(&mut waiting)?;
                keys.clear();
            }
            keys.insert(own);
            waiting.push(row);
        }
        if !waiting.is_empty() {
            write(&mut waiting)?;
        }
        Ok(changed)
    }
}

fn kind_name(kind: SqlKind) -> &'static str {
    match kind {
        SqlKind::Integer => "bigint",
        SqlKind::Real => "double precision",
        SqlKind::Text => "text",
    }
}

/// The rows of a statement whose values are columns.
fn unnested(columns: &[SqlColumn]) -> String {
    let arrays = (1..).zip(columns).map(|(place, one)| format!("?{place}::{}[]", kind_name(one.1)));
    format!("unnest({})", arrays.collect::<Vec<_>>().join(", "))
}

impl Database for PostgresDatabase {
    fn begin(&self, cluster: Option<ClusterNumber>) -> Result<(), StoreError> {
        self.asked(true, |one| one.run_all("BEGIN"))?;
        self.is_writing.set(true);
        let locked = match cluster {
            Some(cluster) => self.run(
                "SELECT pg_advisory_xact_lock(CAST(?1 AS bigint)::int, CAST(?2 AS bigint)::int)",
                &[WRITES.into(), cluster.into()],
            ),
            None => Ok(0),
        };
        locked.map(|_| ()).inspect_err(|_| self.roll_back())
    }

    fn commit(&self) -> Result<(), StoreError> {
        let done = self.asked(false, |one| one.run_all("COMMIT"));
        self.is_writing.set(false);
        done
    }

    fn roll_back(&self) {
        // Of a connection that has ended the server has done so.
        drop(self.asked(false, |one| one.run_all("ROLLBACK")));
        self.is_writing.set(false);
    }

    fn run(&self, asked: &str, values: &[SqlValue<'_>]) -> Result<usize, StoreError> {
        let values: Vec<_> = values.iter().map(|value| binary(*value)).collect();
        self.asked(true, |one| one.run(asked, &values, &mut |_| Ok(())))
    }

    fn rows(
        &self,
        asked: &str,
        values: &[SqlValue<'_>],
        each: &mut dyn FnMut(&dyn SqlRow) -> Result<(), StoreError>,
    ) -> Result<(), StoreError> {
        let values: Vec<_> = values.iter().map(|value| binary(*value)).collect();
        let (mut told, mut given) = (0_u64, 0_u64);
        self.asked(true, |one| {
            // An answer that is asked for again goes on after the rows that were given.
            told = 0;
            one.run(asked, &values, &mut |row| {
                told += 1;
                if told <= given {
                    return Ok(());
                }
                given = told;
                each(row)
            })
        })?;
        Ok(())
    }

    fn insert_all<'v>(
        &self,
        into: &Insertion,
        rows: &mut dyn Iterator<Item = SqlValues<'v>>,
    ) -> Result<usize, StoreError> {
        let names: Vec<&str> = into.columns.iter().map(|one| one.0).collect();
        let (table, conflict) = (into.table, into.conflict);
        let all = unnested(into.columns);
        let asked = format!("INSERT INTO {table} ({}) SELECT * FROM {all} {conflict}", names.join(", "));
        self.run_for(&asked, into.columns, into.key, rows)
    }

    fn update_all<'v>(
        &self,
        what: &ColumnUpdate,
        rows: &mut dyn Iterator<Item = SqlValues<'v>>,
    ) -> Result<usize, StoreError> {
        let Some(((set, _), key)) = what.columns.split_last() else { return Ok(0) };
        let (table, all) = (what.table, unnested(what.columns));
        let names: Vec<&str> = what.columns.iter().map(|one| one.0).collect();
        let same: Vec<String> = key.iter().map(|one| format!("{table}.{0} = new.{0}", one.0)).collect();
        let asked = format!(
            "UPDATE {table} SET {set} = new.{set} FROM {all} AS new ({}) WHERE {} AND {}",
            names.join(", "),
            same.join(" AND "),
            what.only
        );
        self.run_for(&asked, what.columns, key.len(), rows)
    }

    fn numbers_in(&self, place: usize) -> String {
        format!("SELECT value::bigint FROM json_array_elements_text(?{place}::text::json)")
    }

    fn damage(&self) -> Result<Option<String>, StoreError> {
        Ok(None)
    }

    fn hold(&self, cluster: ClusterNumber) -> Result<(), StoreError> {
        self.asked(true, |one| hold(one, cluster))?;
        self.held.set(Some(cluster));
        Ok(())
    }
}

/// The only number of an answer.
fn number(connection: &mut Connection, asked: &str, values: &[SqlValue<'_>]) -> Result<i64, StoreError> {
    let values: Vec<_> = values.iter().map(|value| binary(*value)).collect();
    let mut found = None;
    connection.run(asked, &values, &mut |row| {
        found = Some(row.integer(0)?);
        Ok(())
    })?;
    found.ok_or(StoreError::Unreadable("its form"))
}

/// Takes the lock of a cluster's collector, which ends with the connection.
fn hold(connection: &mut Connection, cluster: ClusterNumber) -> Result<(), StoreError> {
    let asked = "SELECT pg_try_advisory_lock(CAST(?1 AS bigint)::int, CAST(?2 AS bigint)::int)";
    match number(connection, asked, &[COLLECTS.into(), cluster.into()])? {
        0 => Err(StoreError::Held),
        _ => Ok(()),
    }
}

/// The form of the store; `None` if there is none.
fn form(connection: &mut Connection) -> Result<Option<i64>, StoreError> {
    let tables = "SELECT count(*) FROM pg_catalog.pg_class WHERE relnamespace = to_regnamespace('queuecast')";
    if number(connection, &format!("{tables} AND relname = 'store'"), &[])? > 0 {
        return number(connection, "SELECT form FROM store", &[]).map(Some);
    }
    match number(connection, tables, &[])? {
        0 => Ok(None),
        _ => Err(StoreError::Foreign),
    }
}

/// Makes a store, or brings one up to date, and refuses what is newer than this program.
fn bring_up_to_date(connection: &mut Connection, may_write: bool) -> Result<(), StoreError> {
    if !may_write {
        let found = form(connection)?.ok_or(StoreError::Empty)?;
        return schema::missing(found, false).map(|_| ());
    }
    connection.run_all("BEGIN")?;
    // Another process may be at it, and be faster.
    connection.run_all(&format!("SELECT pg_advisory_xact_lock({WRITES}, 0)"))?;
    let found = form(connection)?;
    if found.is_none() {
        let there = "SELECT count(*) FROM pg_catalog.pg_namespace WHERE nspname = 'queuecast'";
        if number(connection, there, &[])? == 0 {
            connection.run_all("CREATE SCHEMA queuecast")?;
        }
        connection
            .run_all("CREATE TABLE store (form BIGINT NOT NULL); INSERT INTO store (form) VALUES (0)")?;
    }
    for step in schema::missing(found.unwrap_or(0), true)? {
        connection.run_all(&schema::of_postgres(step))?;
    }
    connection.run_all(&format!("UPDATE store SET form = {}; COMMIT", schema::FORM))
}

#[cfg(test)]
pub(super) mod tests;

//! What a store needs of a database: statements that all of them understand, and what differs between them.
//!
//! Statements name their values `?1`, `?2` and are written so that SQLite and PostgreSQL read them alike.

use std::fmt;

use queuecast_core::units::Time;

use super::{ClusterNumber, StoreError};

/// A value of a statement or of a row.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum SqlValue<'a> {
    Null,
    Integer(i64),
    Real(f64),
    Text(&'a str),
    Bytes(&'a [u8]),
}

/// The values of a statement.
macro_rules! values {
    ($($value:expr),* $(,)?) => { &[$($crate::store::database::SqlValue::from($value)),*] };
}
pub(super) use values;

impl From<ClusterNumber> for SqlValue<'_> {
    fn from(cluster: ClusterNumber) -> Self {
        SqlValue::Integer(cluster.0)
    }
}

impl From<Time> for SqlValue<'_> {
    fn from(time: Time) -> Self {
        SqlValue::Integer(time.0)
    }
}

impl From<i64> for SqlValue<'_> {
    fn from(number: i64) -> Self {
        SqlValue::Integer(number)
    }
}

impl From<u32> for SqlValue<'_> {
    fn from(number: u32) -> Self {
        SqlValue::Integer(i64::from(number))
    }
}

impl From<f64> for SqlValue<'_> {
    fn from(number: f64) -> Self {
        SqlValue::Real(number)
    }
}

impl<'a> From<&'a str> for SqlValue<'a> {
    fn from(text: &'a str) -> Self {
        SqlValue::Text(text)
    }
}

impl<'a> From<&'a [u8]> for SqlValue<'a> {
    fn from(bytes: &'a [u8]) -> Self {
        SqlValue::Bytes(bytes)
    }
}

impl<'a, T: Into<SqlValue<'a>>> From<Option<T>> for SqlValue<'a> {
    fn from(value: Option<T>) -> Self {
        value.map_or(SqlValue::Null, Into::into)
    }
}

/// A row of an answer.
pub(super) trait SqlRow {
    /// The value of a column, from 0.
    fn value(&self, column: usize) -> Result<SqlValue<'_>, StoreError>;
}

impl dyn SqlRow + '_ {
    pub(super) fn maybe_integer(&self, column: usize) -> Result<Option<i64>, StoreError> {
        match self.value(column)? {
            SqlValue::Null => Ok(None),
            SqlValue::Integer(number) => Ok(Some(number)),
            _ => Err(StoreError::Unreadable("a number")),
        }
    }

    pub(super) fn integer(&self, column: usize) -> Result<i64, StoreError> {
        self.maybe_integer(column)?.ok_or(StoreError::Unreadable("a number"))
    }

    pub(super) fn maybe_real(&self, column: usize) -> Result<Option<f64>, StoreError> {
        match self.value(column)? {
            SqlValue::Null => Ok(None),
            SqlValue::Real(number) => Ok(Some(number)),
            _ => Err(StoreError::Unreadable("a number")),
        }
    }

    pub(super) fn real(&self, column: usize) -> Result<f64, StoreError> {
        self.maybe_real(column)?.ok_or(StoreError::Unreadable("a number"))
    }

    pub(super) fn text(&self, column: usize) -> Result<&str, StoreError> {
        match self.value(column)? {
            SqlValue::Text(text) => Ok(text),
            _ => Err(StoreError::Unreadable("a text")),
        }
    }

    pub(super) fn bytes(&self, column: usize) -> Result<Vec<u8>, StoreError> {
        match self.value(column)? {
            SqlValue::Bytes(bytes) => Ok(bytes.to_owned()),
            _ => Err(StoreError::Unreadable("a packed text")),
        }
    }
}

/// What a column holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SqlKind {
    Integer,
    Real,
    Text,
}

/// A column of many rows.
pub(super) type SqlColumn = (&'static str, SqlKind);

/// Rows that are put into a table.
#[derive(Debug)]
pub(super) struct Insertion {
    pub table: &'static str,
    /// The columns; the first ones are the key.
    pub columns: &'static [SqlColumn],
    pub key: usize,
    /// What becomes of a row whose key is there.
    pub conflict: &'static str,
}

/// Rows of a table of which one column is set.
#[derive(Debug)]
pub(super) struct ColumnUpdate {
    pub table: &'static str,
    /// The columns of the key, and the one that is set.
    pub columns: &'static [SqlColumn],
    /// Which rows alone.
    pub only: &'static str,
}

/// What a row is made of, for each of its columns.
pub(super) type SqlValues<'v> = Vec<SqlValue<'v>>;

/// A database that a store is kept in.
pub(super) trait Database: fmt::Debug + Send {
    /// Begins what is done as a whole, alone of all that write of this cluster.
    fn begin(&self, cluster: Option<ClusterNumber>) -> Result<(), StoreError>;

    /// Ends it: all of it is stored.
    fn commit(&self) -> Result<(), StoreError>;

    /// Ends it: nothing of it is stored.
    fn roll_back(&self);

    /// Runs a statement: how many rows it changed.
    fn run(&self, asked: &str, values: &[SqlValue<'_>]) -> Result<usize, StoreError>;

    /// Runs a query. `each` may not ask the database.
    fn rows(
        &self,
        asked: &str,
        values: &[SqlValue<'_>],
        each: &mut dyn FnMut(&dyn SqlRow) -> Result<(), StoreError>,
    ) -> Result<(), StoreError>;

    /// Inserts rows in their order: how many rows changed.
    fn insert_all<'v>(
        &self,
        into: &Insertion,
        rows: &mut dyn Iterator<Item = SqlValues<'v>>,
    ) -> Result<usize, StoreError>;

    /// Sets a column of rows: how many rows changed.
    fn update_all<'v>(
        &self,
        what: &ColumnUpdate,
        rows: &mut dyn Iterator<Item = SqlValues<'v>>,
    ) -> Result<usize, StoreError>;

    /// The query for the numbers in the value of this place, which is a text like `[1,2]`.
    fn numbers_in(&self, place: usize) -> String;

    /// What is wrong with the files of the database first; `None` also if only its server can know.
    fn damage(&self) -> Result<Option<String>, StoreError>;

    /// Keeps other collectors from a cluster for as long as the database is open.
    fn hold(&self, cluster: ClusterNumber) -> Result<(), StoreError>;
}

impl dyn Database + '_ {
    /// All rows of a query.
    pub(super) fn all<T>(
        &self,
        asked: &str,
        values: &[SqlValue<'_>],
        mut of: impl FnMut(&dyn SqlRow) -> Result<T, StoreError>,
    ) -> Result<Vec<T>, StoreError> {
        let mut found = Vec::new();
        self.rows(asked, values, &mut |row| {
            found.push(of(row)?);
            Ok(())
        })?;
        Ok(found)
    }

    /// The only row of a query, if there is one.
    pub(super) fn one<T>(
        &self,
        asked: &str,
        values: &[SqlValue<'_>],
        of: impl FnMut(&dyn SqlRow) -> Result<T, StoreError>,
    ) -> Result<Option<T>, StoreError> {
        Ok(self.all(asked, values, of)?.into_iter().next())
    }
}

/// Does something as a whole or not at all.
pub(super) fn whole<T>(
    database: &dyn Database,
    cluster: Option<ClusterNumber>,
    write: impl FnOnce(&dyn Database) -> Result<T, StoreError>,
) -> Result<T, StoreError> {
    database.begin(cluster)?;
    let written = write(database);
    match &written {
        Ok(_) => database.commit()?,
        Err(_) => database.roll_back(),
    }
    written
}

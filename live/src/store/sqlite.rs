//! A store in one file of SQLite: many processes read it while one writes.

use std::cell::RefCell;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::types::{ToSqlOutput, ValueRef};
use rusqlite::{Connection, ErrorCode, OpenFlags, Row, ToSql, params_from_iter};

use super::database::{ColumnUpdate, Database, Insertion, SqlRow, SqlValue, SqlValues};
use super::error::PATIENCE;
use super::{ClusterNumber, StoreError, schema};

/// A file of SQLite.
#[derive(Debug)]
pub(super) struct SqliteDatabase {
    connection: Connection,
    file: PathBuf,
    /// Files that are locked for as long as this one is open, one for each cluster that is collected.
    held: RefCell<Vec<File>>,
}

impl SqliteDatabase {
    /// Opens a store to write to; a file that does not exist is made, for its owner alone: it has the jobs of all users.
    pub(super) fn open(file: &Path) -> Result<SqliteDatabase, StoreError> {
        let mut made = OpenOptions::new();
        made.write(true).create_new(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut made, 0o600);
        // A file that is there stays as it is; one that cannot be made is told of below.
        drop(made.open(file));
        let connection = Connection::open(file)?;
        connection.busy_timeout(Duration::from_secs(PATIENCE))?;
        connection.pragma_update(None, "journal_mode", "wal")?;
        // Of a power failure the last looks may be lost; the file stays whole.
        connection.pragma_update(None, "synchronous", "normal")?;
        SqliteDatabase::of(connection, file).with_form(true)
    }

    fn of(connection: Connection, file: &Path) -> SqliteDatabase {
        SqliteDatabase { connection, file: file.to_owned(), held: RefCell::default() }
    }

    /// Opens a store that exists, to read it.
    ///
    /// Readers share files beside it with the collector. Where no collector runs, these are gone, and a user who may not write to the folder
    /// cannot make them: then the file is read as one that does not change, which holds as long as nothing of it stands beside.
    pub(super) fn open_to_read(file: &Path) -> Result<SqliteDatabase, StoreError> {
        let usual = SqliteDatabase::read_with(file, file, OpenFlags::empty());
        match (&usual, unchanging(file)) {
            (Err(StoreError::Unopened(_) | StoreError::ReadOnly), Some(name)) => {
                SqliteDatabase::read_with(file, Path::new(&name), OpenFlags::SQLITE_OPEN_URI).or(usual)
            }
            _ => usual,
        }
    }

    fn read_with(file: &Path, name: &Path, more: OpenFlags) -> Result<SqliteDatabase, StoreError> {
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = Connection::open_with_flags(name, flags | more)?;
        connection.busy_timeout(Duration::from_secs(PATIENCE))?;
        SqliteDatabase::of(connection, file).with_form(false)
    }

    fn pragma(&self, name: &str) -> Result<i64, StoreError> {
        Ok(self.connection.pragma_query_value(None, name, |row| row.get(0))?)
    }

    /// Brings a store up to date, and refuses what is none or is newer than this program.
    fn with_form(self, may_write: bool) -> Result<SqliteDatabase, StoreError> {
        let tables = "SELECT count(*) FROM sqlite_schema";
        let tables: i64 = self.connection.query_row(tables, [], |row| row.get(0))?;
        if self.pragma("application_id")? != schema::APPLICATION && tables > 0 {
            return Err(StoreError::Foreign);
        }
        if schema::missing(self.pragma("user_version")?, may_write)?.is_empty() {
            return Ok(self);
        }
        self.begin(None)?;
        // Another process may have been faster.
        for step in schema::missing(self.pragma("user_version")?.max(0), may_write)? {
            self.connection.execute_batch(step)?;
        }
        self.connection.pragma_update(None, "application_id", schema::APPLICATION)?;
        self.connection.pragma_update(None, "user_version", schema::FORM)?;
        self.commit()?;
        Ok(self)
    }
}

impl ToSql for SqlValue<'_> {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(ToSqlOutput::Borrowed(match *self {
            SqlValue::Null => ValueRef::Null,
            SqlValue::Integer(number) => ValueRef::Integer(number),
            SqlValue::Real(number) => ValueRef::Real(number),
            SqlValue::Text(text) => ValueRef::Text(text.as_bytes()),
            SqlValue::Bytes(bytes) => ValueRef::Blob(bytes),
        }))
    }
}

impl SqlRow for Row<'_> {
    fn value(&self, column: usize) -> Result<SqlValue<'_>, StoreError> {
        Ok(match self.get_ref(column)? {
            ValueRef::Null => SqlValue::Null,
            ValueRef::Integer(number) => SqlValue::Integer(number),
            ValueRef::Real(number) => SqlValue::Real(number),
            ValueRef::Text(text) => {
                let text = std::str::from_utf8(text);
                SqlValue::Text(text.map_err(|_| StoreError::Unreadable("a text"))?)
            }
            ValueRef::Blob(bytes) => SqlValue::Bytes(bytes),
        })
    }
}

impl Database for SqliteDatabase {
    fn begin(&self, _: Option<ClusterNumber>) -> Result<(), StoreError> {
        Ok(self.connection.execute_batch("BEGIN IMMEDIATE")?)
    }

    fn commit(&self) -> Result<(), StoreError> {
        self.connection.execute_batch("COMMIT").map_err(|error| {
            self.roll_back();
            error.into()
        })
    }

    fn roll_back(&self) {
        // Some errors have ended it already.
        if !self.connection.is_autocommit() {
            drop(self.connection.execute_batch("ROLLBACK"));
        }
    }

    fn run(&self, asked: &str, values: &[SqlValue<'_>]) -> Result<usize, StoreError> {
        Ok(self.connection.prepare(asked)?.execute(params_from_iter(values))?)
    }

    fn rows(
        &self,
        asked: &str,
        values: &[SqlValue<'_>],
        each: &mut dyn FnMut(&dyn SqlRow) -> Result<(), StoreError>,
    ) -> Result<(), StoreError> {
        let mut asked = self.connection.prepare(asked)?;
        let mut rows = asked.query(params_from_iter(values))?;
        while let Some(row) = rows.next()? {
            each(row)?;
        }
        Ok(())
    }

    fn insert_all<'v>(
        &self,
        into: &Insertion,
        rows: &mut dyn Iterator<Item = SqlValues<'v>>,
    ) -> Result<usize, StoreError> {
        let names: Vec<&str> = into.columns.iter().map(|one| one.0).collect();
        let places: Vec<String> = (1..=names.len()).map(|place| format!("?{place}")).collect();
        let asked = format!(
            "INSERT INTO {} ({}) VALUES ({}) {}",
            into.table,
            names.join(", "),
            places.join(", "),
            into.conflict
        );
        self.run_all(&asked, rows)
    }

    fn update_all<'v>(
        &self,
        what: &ColumnUpdate,
        rows: &mut dyn Iterator<Item = SqlValues<'v>>,
    ) -> Result<usize, StoreError> {
        let Some(((set, _), key)) = what.columns.split_last() else { return Ok(0) };
        let key: Vec<String> = (1..).zip(key).map(|(place, one)| format!("{} = ?{place}", one.0)).collect();
        let (table, place, key) = (what.table, key.len() + 1, key.join(" AND "));
        self.run_all(&format!("UPDATE {table} SET {set} = ?{place} WHERE {key} AND {}", what.only), rows)
    }

    fn numbers_in(&self, place: usize) -> String {
        format!("SELECT value FROM json_each(?{place})")
    }

    fn damage(&self) -> Result<Option<String>, StoreError> {
        let found: String = self.connection.query_row("PRAGMA quick_check(1)", [], |row| row.get(0))?;
        Ok((found != "ok").then_some(found))
    }

    fn hold(&self, cluster: ClusterNumber) -> Result<(), StoreError> {
        // The lock ends with the process, however that ends: a file that is left over holds nothing.
        let mut made = OpenOptions::new();
        made.write(true).create(true).truncate(false);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut made, 0o600);
        let lock = made.open(beside(&self.file, &format!("-collector-{}", cluster.0)));
        let lock = lock.map_err(|error| match error.kind() {
            io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => StoreError::ReadOnly,
            _ => StoreError::Written(error),
        })?;
        match lock.try_lock() {
            Ok(()) => self.held.borrow_mut().push(lock),
            Err(TryLockError::WouldBlock) => return Err(StoreError::Held),
            // A file system without locks cannot tell; what is written is locked by SQLite in its own way.
            Err(TryLockError::Error(_)) => {}
        }
        Ok(())
    }
}

impl SqliteDatabase {
    fn run_all<'v>(
        &self,
        asked: &str,
        rows: &mut dyn Iterator<Item = SqlValues<'v>>,
    ) -> Result<usize, StoreError> {
        let mut asked = self.connection.prepare(asked)?;
        let mut changed = 0;
        for row in rows {
            changed += asked.execute(params_from_iter(&row))?;
        }
        Ok(changed)
    }
}

/// A file beside another one, with this at the end of its name.
fn beside(file: &Path, ending: &str) -> PathBuf {
    let mut name = file.as_os_str().to_owned();
    name.push(ending);
    name.into()
}

/// The name by which SQLite reads a file as one that does not change; `None` if what was written last stands beside it, or it cannot be
/// named so.
fn unchanging(file: &Path) -> Option<String> {
    let is_whole = fs::metadata(beside(file, "-wal")).map_or(true, |about| about.len() == 0);
    let path = std::path::absolute(file).ok()?;
    let path = path.to_str().filter(|_| is_whole)?;
    let path = path.replace('%', "%25").replace('?', "%3f").replace('#', "%23");
    Some(format!("file:{path}?immutable=1"))
}

impl From<rusqlite::Error> for StoreError {
    fn from(error: rusqlite::Error) -> StoreError {
        match error.sqlite_error_code() {
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => StoreError::Locked(PATIENCE),
            Some(ErrorCode::ReadOnly | ErrorCode::PermissionDenied) => StoreError::ReadOnly,
            Some(ErrorCode::CannotOpen) => StoreError::Unopened(error.to_string()),
            Some(ErrorCode::DiskFull) => StoreError::Full,
            Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => StoreError::Damaged,
            _ => StoreError::Database(error.to_string()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::{SqlStore, Store, StoreLocation};

    fn open(file: &Path) -> Result<SqlStore, StoreError> {
        SqlStore::open(&StoreLocation::File(file.to_owned()))
    }

    #[test]
    fn what_is_no_store_is_refused_and_left_as_it_is() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("other.sqlite");
        Connection::open(&file).unwrap().execute_batch("CREATE TABLE mine (a)").unwrap();
        assert!(matches!(open(&file), Err(StoreError::Foreign)));

        let text = folder.path().join("text");
        fs::write(&text, "no database, but long enough to look like one\n".repeat(99)).unwrap();
        assert!(matches!(open(&text), Err(StoreError::Damaged)));
        assert!(fs::read_to_string(&text).unwrap().starts_with("no database"));

        let newer = folder.path().join("newer.sqlite");
        drop(open(&newer).unwrap());
        Connection::open(&newer).unwrap().pragma_update(None, "user_version", 99).unwrap();
        assert!(matches!(open(&newer), Err(StoreError::Newer { found: 99, .. })));
        assert!(SqliteDatabase::open_to_read(&folder.path().join("none.sqlite")).is_err());
    }

    /// A user who may not make files beside a store reads it all the same: here what stands in the place of such a file cannot be opened,
    /// by no user.
    #[cfg(unix)]
    #[test]
    fn a_store_is_read_where_no_file_can_be_made_beside_it() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a store? #1 100%.sqlite");
        open(&file).unwrap().cluster("one").unwrap();
        assert!(!beside(&file, "-shm").exists(), "control: a store that is closed is one file");
        std::os::unix::fs::symlink("nowhere", beside(&file, "-shm")).unwrap();
        let read = || SqlStore::open_to_read(&StoreLocation::File(file.clone()));
        assert_eq!(read().unwrap().clusters().unwrap()[0].0, "one");
        // What a collector that was killed wrote last stands beside the file: without it the file is not read.
        fs::write(beside(&file, "-wal"), "the last look").unwrap();
        assert!(matches!(read(), Err(StoreError::Unopened(_))));
        assert!(read().unwrap_err().hint().is_some());
    }

    /// Of two collectors of a cluster the second is refused; what a process leaves behind that was killed holds nothing.
    #[test]
    fn a_cluster_has_one_collector() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("s");
        let (mut first, second) = (open(&file).unwrap(), open(&file).unwrap());
        let (one, two) = (first.cluster("one").unwrap(), first.cluster("two").unwrap());
        first.hold(one).unwrap();
        assert!(matches!(second.hold(one), Err(StoreError::Held)));
        second.hold(two).unwrap();
        drop(first);
        assert!(beside(&file, &format!("-collector-{}", one.0)).exists(), "control: it is left over");
        second.hold(one).unwrap();
    }

    #[cfg(unix)]
    #[test]
    fn a_new_store_is_its_owners_alone_and_an_old_one_stays_as_it_is() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("store.sqlite");
        let store = open(&file).unwrap();
        let mode = || fs::metadata(&file).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode(), 0o600);
        drop(store);
        fs::set_permissions(&file, fs::Permissions::from_mode(0o644)).unwrap();
        drop(open(&file).unwrap());
        assert_eq!(mode(), 0o644);
    }
}

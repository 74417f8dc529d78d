//! Where tests keep stores: a file of SQLite, or a database on the server of PostgreSQL that `scripts/with-postgres` starts.

use tempfile::TempDir;

use super::database::values;
use super::postgres::tests::TestDatabase;
use super::{ClusterNumber, SqlStore, Store, StoreLocation};

/// A place for a store, empty at first and gone afterwards.
pub(crate) struct TestPlace {
    pub location: StoreLocation,
    _kept: (TempDir, Option<TestDatabase>),
}

impl TestPlace {
    /// A file.
    pub(crate) fn file() -> TestPlace {
        let folder = tempfile::tempdir().unwrap();
        let location = StoreLocation::File(folder.path().join("s"));
        TestPlace { location, _kept: (folder, None) }
    }

    /// A database; `None` where there is no server.
    pub(crate) fn server() -> Option<TestPlace> {
        let database = TestDatabase::made()?;
        let location = StoreLocation::Server(database.address.clone());
        Some(TestPlace { location, _kept: (tempfile::tempdir().unwrap(), Some(database)) })
    }

    /// A store in it with one cluster.
    pub(crate) fn store(&self) -> (SqlStore, ClusterNumber) {
        let mut store = SqlStore::open(&self.location).unwrap();
        let cluster = store.cluster("one").unwrap();
        (store, cluster)
    }

    /// The rows of a table.
    pub(crate) fn count(&self, store: &SqlStore, table: &str) -> i64 {
        let asked = format!("SELECT count(*) FROM {table}");
        store.database.one(&asked, values![], |row| row.integer(0)).unwrap().unwrap()
    }
}

/// Tests that are run on a store of each kind. Without a server those of PostgreSQL pass without a check: `scripts/test` says so.
macro_rules! on_every_store {
    ($($name:ident),* $(,)?) => {
        mod on_sqlite {
            $(#[test] fn $name() { super::$name(&$crate::store::test_place::TestPlace::file()); })*
        }
        mod on_postgres {
            $(#[test] fn $name() {
                if let Some(place) = $crate::store::test_place::TestPlace::server() { super::$name(&place); }
            })*
        }
    };
}
pub(crate) use on_every_store;

//! A server of PostgreSQL that refuses, goes away and comes back.

use std::io::{Read, Write};
use std::net::TcpListener;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;

use super::*;
use crate::look::Look;
use crate::store::{SqlStore, Store, StoreLocation};
use queuecast_core::units::Time;

/// A database of a test, which is gone afterwards.
pub(crate) struct TestDatabase {
    pub address: ServerAddress,
    server: ServerAddress,
}

impl TestDatabase {
    /// A new one on the server of the tests; `None` if there is none.
    pub(crate) fn made() -> Option<TestDatabase> {
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        let url = std::env::var("QUEUECAST_TEST_POSTGRES").ok()?;
        let server = ServerAddress::of_url(&url).unwrap();
        let name = format!("t{}_{}", std::process::id(), NUMBER.fetch_add(1, Ordering::SeqCst));
        let mut address = server.clone();
        address.database.clone_from(&name);
        let made = TestDatabase { address, server };
        made.asked(&format!("CREATE DATABASE {name}"));
        Some(made)
    }

    /// Runs a statement as the owner of the server.
    fn asked(&self, text: &str) {
        Connection::open(&self.server).unwrap().run_all(text).unwrap();
    }

    /// Ends all connections to it, and allows new ones or not.
    fn cut(&self, may_connect: bool) {
        let name = &self.address.database;
        self.asked(&format!("ALTER DATABASE {name} ALLOW_CONNECTIONS {may_connect}"));
        self.asked(&format!(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{name}'"
        ));
    }

    fn store(&self) -> Result<SqlStore, StoreError> {
        SqlStore::open(&StoreLocation::Server(self.address.clone()))
    }

    fn reader(&self, address: &ServerAddress) -> Result<SqlStore, StoreError> {
        SqlStore::open_to_read(&StoreLocation::Server(address.clone()))
    }
}

impl Drop for TestDatabase {
    fn drop(&mut self) {
        let asked = format!("DROP DATABASE IF EXISTS {} WITH (FORCE)", self.address.database);
        drop(Connection::open(&self.server).and_then(|mut one| one.run_all(&asked)));
    }
}

fn look(at: i64) -> Look {
    let nodes = "c1|4/0/0/4|batch|up|1:00:00|1-infinite|UNLIMITED|1\n";
    Look { at: Time(at), queue: String::new(), nodes: nodes.to_owned() }
}

#[test]
fn a_connection_that_was_ended_is_made_anew() {
    let Some(database) = TestDatabase::made() else { return };
    let mut store = database.store().unwrap();
    let cluster = store.cluster("one").unwrap();
    store.add_look(cluster, &look(1000)).unwrap();
    database.cut(true);
    assert_eq!(store.last_look(cluster).unwrap(), Some(Time(1000)));
    database.cut(true);
    store.add_look(cluster, &look(1120)).unwrap();
    database.cut(false);
    for _ in 0..2 {
        let error = store.add_look(cluster, &look(1240)).unwrap_err();
        assert!(error.may_pass(), "{error}");
    }
    database.cut(true);
    assert_eq!(store.add_look(cluster, &look(1360)).unwrap().0, 3, "nothing of the failed looks is stored");
}

#[test]
fn nothing_is_stored_of_what_was_cut_off() {
    let Some(database) = TestDatabase::made() else { return };
    let mut store = database.store().unwrap();
    let cluster = store.cluster("one").unwrap();
    store.database.begin(Some(cluster)).unwrap();
    store.database.run("INSERT INTO cluster (name) VALUES (?1)", &["two".into()]).unwrap();
    database.cut(true);
    for _ in 0..2 {
        assert!(store.database.run("INSERT INTO cluster (name) VALUES (?1)", &["three".into()]).is_err());
    }
    assert!(store.database.commit().is_err());
    assert_eq!(store.clusters().unwrap().len(), 1);
}

#[test]
fn each_cluster_has_one_collector() {
    let Some(database) = TestDatabase::made() else { return };
    let (mut first, mut second) = (database.store().unwrap(), database.store().unwrap());
    let (one, two) = (first.cluster("one").unwrap(), second.cluster("two").unwrap());
    first.hold(one).unwrap();
    second.hold(two).unwrap();
    assert!(matches!(second.hold(one), Err(StoreError::Held)));
    // Both write at the same time.
    first.add_look(one, &look(1000)).unwrap();
    second.add_look(two, &look(1000)).unwrap();
    // A connection that is made anew holds it again.
    database.cut(true);
    first.add_look(one, &look(1120)).unwrap();
    assert!(matches!(database.store().unwrap().hold(one), Err(StoreError::Held)));
    drop(first);
    let mut tries = (0..100).map(|_| {
        thread::sleep(std::time::Duration::from_millis(50));
        second.hold(one).is_ok()
    });
    assert!(tries.any(|is_held| is_held), "a collector that ended gives its cluster back");
}

#[test]
fn what_is_no_store_is_refused_and_left_as_it_is() {
    let Some(database) = TestDatabase::made() else { return };
    assert!(matches!(database.reader(&database.address), Err(StoreError::Empty)));
    let mut owner = Connection::open(&database.address).unwrap();
    owner.run_all("CREATE SCHEMA queuecast; CREATE TABLE queuecast.mine (a INT)").unwrap();
    assert!(matches!(database.store(), Err(StoreError::Foreign)));
    owner.run_all("DROP TABLE queuecast.mine").unwrap();
    drop(database.store().unwrap());
    for (form, is_older) in [(99, false), (1, true)] {
        owner.run_all(&format!("UPDATE queuecast.store SET form = {form}")).unwrap();
        match (database.reader(&database.address), is_older) {
            (Err(StoreError::Newer { found: 99, .. }), false)
            | (Err(StoreError::Older { found: 1, .. }), true) => {}
            (other, _) => panic!("{other:?}"),
        }
    }
}

#[test]
fn users_are_refused_with_what_to_do() {
    let Some(database) = TestDatabase::made() else { return };
    let mut store = database.store().unwrap();
    let cluster = store.cluster("one").unwrap();
    store.add_look(cluster, &look(1000)).unwrap();
    let ServerAddress { host, port, database: name, .. } = &database.address;
    let url = |login: &str, name: &str| format!("postgresql://{login}@{host}:{port}/{name}");
    let open = |url: String| database.reader(&ServerAddress::of_url(&url).unwrap());
    let denied = |found: Result<SqlStore, StoreError>| match found {
        Err(StoreError::Denied(why)) => why,
        other => panic!("{other:?}"),
    };
    let wrong = denied(open(url("tester:wrong", name)));
    assert!(wrong.contains("password authentication failed for user \"tester\""), "{wrong}");
    assert!(denied(open(url("tester:secret", "none"))).contains("does not exist"));
    // A user of the server with no rights, and then with those to read.
    let reader = format!("reader_{name}");
    let mut owner = Connection::open(&database.address).unwrap();
    owner.run_all(&format!("CREATE ROLE {reader} LOGIN PASSWORD 'read:er'")).unwrap();
    let login = format!("{reader}:read%3Aer");
    assert!(matches!(open(url(&login, name)), Err(StoreError::ReadOnly | StoreError::Database(_))));
    owner
        .run_all(&format!(
            "GRANT USAGE ON SCHEMA queuecast TO {reader}; GRANT SELECT ON ALL TABLES IN SCHEMA queuecast TO {reader}"
        ))
        .unwrap();
    assert_eq!(open(url(&login, name)).unwrap().last_look(cluster).unwrap(), Some(Time(1000)));
    let as_writer = StoreLocation::Server(ServerAddress::of_url(&url(&login, name)).unwrap());
    let mut as_writer = SqlStore::open(&as_writer).unwrap();
    assert!(matches!(as_writer.add_look(cluster, &look(1120)), Err(StoreError::ReadOnly)));
    drop(as_writer);
    owner.run_all(&format!("DROP OWNED BY {reader}; DROP ROLE {reader}")).unwrap();
}

/// What is said by something that listens in place of a server.
fn said_by(answer: &'static [u8]) -> StoreError {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let other = thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let mut length = [0; 4];
        stream.read_exact(&mut length).unwrap();
        let mut begun = vec![0; u32::from_be_bytes(length) as usize - 4];
        stream.read_exact(&mut begun).unwrap();
        stream.write_all(answer).unwrap();
    });
    let address = ServerAddress::of_url(&format!("postgres://ann:word@127.0.0.1:{port}/x")).unwrap();
    let error = Connection::open(&address).unwrap_err();
    other.join().unwrap();
    error
}

#[test]
fn what_is_no_server_is_told() {
    for (answer, why) in [
        (&b"HTTP/1.1 400 Bad Request\r\n\r\n"[..], "does not speak PostgreSQL's protocol"),
        (b"", "ended the connection"),
        (b"R\xff\xff\xff\xff\0", "does not speak PostgreSQL's protocol"),
        (b"R\0\0\0\x0c\0\0\0\x05salt", "login that is not supported"),
        (b"R\0\0\0\x08\0\0\0\x03", "login that is not supported"),
        (b"R\0\0\0\x0e\0\0\0\x0aPLAIN\0", "other than scram-sha-256"),
        (b"R\0\0\0\x08\0\0\0\x0b", "out of order"),
        (b"R\0\0\0\x0c\0\0\0\x0cv=x=", "does not know the password"),
        (b"E\0\0\0\x1bSFATAL\0C57P03\0Mstarting\0\0", "starting"),
    ] {
        let error = said_by(answer).to_string();
        assert!(error.contains(why), "{answer:?}: {error}");
    }
    let closed = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let address = ServerAddress::of_url(&format!("postgres://ann@127.0.0.1:{closed}/x")).unwrap();
    let error = Connection::open(&address).unwrap_err();
    assert!(error.may_pass() && error.to_string().contains("refused"), "{error}");
    let socket = ServerAddress::of_url("postgres://ann@/x?host=/nowhere").unwrap();
    assert!(Connection::open(&socket).unwrap_err().to_string().contains("/nowhere/.s.PGSQL.5432"));
}

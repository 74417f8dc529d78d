//! The store in a database of SQL: what is written and asked, whichever database it is.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::io::Write;

use queuecast_core::units::Time;
use queuecast_place::ShadowTally;

use super::columns::{places, reordered};
use super::database::{Database, Insertion, SqlKind, SqlValue, SqlValues, values, whole};
use super::looks::{packed, renew_nodes, renew_queue, unpacked};
use super::postgres::PostgresDatabase;
use super::sqlite::SqliteDatabase;
use super::{
    ClusterNumber, FailedLook, LearnedPart, Store, StoreError, StoreLocation, StoredLook, UnendedJob, kept,
    shadow_counts, site_texts,
};
use crate::forecasts::{JobForecast, JudgedForecast, WaitEnd};
use crate::look::{Look, QueueLine, passing_parts, passing_text, printed_line, queue_line, started_job};
use crate::rows::AccountingRows;
use crate::shadow_card::ShadowRecord;

/// A store in a file of SQLite or on a server of PostgreSQL.
#[derive(Debug)]
pub struct SqlStore {
    pub(super) database: Box<dyn Database>,
}

impl SqlStore {
    /// Opens a store to write to; one that does not exist is made.
    ///
    /// # Errors
    /// If it is no store, is newer than this program, or cannot be written to.
    pub fn open(location: &StoreLocation) -> Result<SqlStore, StoreError> {
        Ok(SqlStore {
            database: match location {
                StoreLocation::File(file) => Box::new(SqliteDatabase::open(file)?),
                StoreLocation::Server(server) => Box::new(PostgresDatabase::open(server, true)?),
            },
        })
    }

    /// Opens a store that exists, to read it.
    ///
    /// # Errors
    /// If there is none, or it is not of this version.
    pub fn open_to_read(location: &StoreLocation) -> Result<SqlStore, StoreError> {
        Ok(SqlStore {
            database: match location {
                StoreLocation::File(file) => Box::new(SqliteDatabase::open_to_read(file)?),
                StoreLocation::Server(server) => Box::new(PostgresDatabase::open(server, false)?),
            },
        })
    }

    /// Keeps other collectors from a cluster for as long as this store is open, where several processes may write.
    ///
    /// # Errors
    /// If another one has it.
    pub fn hold(&self, cluster: ClusterNumber) -> Result<(), StoreError> {
        self.database.hold(cluster)
    }

    /// Whether the database is whole, as far as it can tell; what is wrong with it first, if it is not.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn damage(&self) -> Result<Option<String>, StoreError> {
        self.database.damage()
    }

    /// When the first look was that is still kept.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn first_look(&self, cluster: ClusterNumber) -> Result<Option<Time>, StoreError> {
        let first = "SELECT min(at) FROM look WHERE cluster = ?1";
        let at = self.database.one(first, values![cluster], |row| row.maybe_integer(0))?;
        Ok(at.flatten().map(Time))
    }

    /// The text of the nodes at a look.
    fn nodes_of(&self, cluster: ClusterNumber, number: i64) -> Result<String, StoreError> {
        let asked = "SELECT text FROM nodes WHERE cluster = ?1 AND look = ?2";
        let packed = self.database.one(asked, values![cluster, number], |row| row.bytes(0))?;
        unpacked(&packed.ok_or(StoreError::Unreadable("nodes"))?, "nodes")
    }

    /// Writes rows of accounting, a query for their titles and texts, as `sacct` prints them: how many.
    fn write_rows(
        &self,
        cluster: ClusterNumber,
        (asked, values): (&str, &[SqlValue<'_>]),
        to: &mut dyn Write,
    ) -> Result<usize, StoreError> {
        let titles = self.database.all(
            "SELECT number, text FROM titles WHERE number IN (SELECT DISTINCT titles FROM job WHERE cluster = ?1)
             ORDER BY number",
            values![cluster],
            |row| Ok((row.integer(0)?, row.text(1)?.to_owned())),
        )?;
        // The newest titles are those of the text; rows of others are put in their order.
        let Some((newest, text)) = titles.last() else { return Ok(0) };
        let orders: HashMap<i64, Vec<Option<usize>>> = titles
            .iter()
            .filter(|one| one.0 != *newest)
            .map(|(number, own)| (*number, places(own, text)))
            .collect();
        writeln!(to, "{text}")?;
        let mut count = 0;
        self.database.rows(asked, values, &mut |row| {
            let line = row.text(1)?;
            match orders.get(&row.integer(0)?) {
                Some(order) => writeln!(to, "{}", reordered(line, order))?,
                None => writeln!(to, "{line}")?,
            }
            count += 1;
            Ok(())
        })?;
        Ok(count)
    }
}

/// Rows of accounting, each in place of what was known of its job and submission.
const JOBS: Insertion = Insertion {
    table: "job",
    columns: &[
        ("cluster", SqlKind::Integer),
        ("id", SqlKind::Integer),
        ("submit", SqlKind::Integer),
        ("open", SqlKind::Text),
        ("titles", SqlKind::Integer),
        ("row", SqlKind::Text),
    ],
    key: 3,
    conflict: "ON CONFLICT (cluster, id, submit)
        DO UPDATE SET open = excluded.open, titles = excluded.titles, row = excluded.row
        WHERE job.row <> excluded.row OR job.titles <> excluded.titles",
};

/// Why a look failed is kept up to this many letters.
const LONGEST_WHY: usize = 1000;

impl Store for SqlStore {
    fn cluster(&mut self, name: &str) -> Result<ClusterNumber, StoreError> {
        let asked = "SELECT number FROM cluster WHERE name = ?1";
        let find = |database: &dyn Database| database.one(asked, values![name], |row| row.integer(0));
        let number = match find(&*self.database)? {
            Some(number) => number,
            None => whole(&*self.database, None, |database| {
                database
                    .run("INSERT INTO cluster (name) VALUES (?1) ON CONFLICT DO NOTHING", values![name])?;
                find(database)?.ok_or(StoreError::Unreadable("its clusters"))
            })?,
        };
        Ok(ClusterNumber(number))
    }

    fn clusters(&self) -> Result<Vec<(String, ClusterNumber)>, StoreError> {
        self.database.all("SELECT name, number FROM cluster ORDER BY name", &[], |row| {
            Ok((row.text(0)?.to_owned(), ClusterNumber(row.integer(1)?)))
        })
    }

    fn add_look(&mut self, cluster: ClusterNumber, look: &Look) -> Result<(i64, usize), StoreError> {
        let lines: Vec<QueueLine<'_>> = look.queue.lines().filter_map(queue_line).collect();
        let passing = packed(&passing_text(lines.iter()))?;
        whole(&*self.database, Some(cluster), |database| {
            let last = database.one(
                "SELECT number, at FROM look WHERE cluster = ?1 ORDER BY number DESC LIMIT 1",
                values![cluster],
                |row| Ok((row.integer(0)?, row.integer(1)?)),
            )?;
            // The same look once more.
            let number = match last {
                Some((number, at)) if at == look.at.0 => number,
                Some((number, _)) => number + 1,
                None => 1,
            };
            let changed = renew_queue(database, cluster, number, &lines)?;
            let starts = look.queue.lines().filter_map(started_job);
            kept::note_outcomes(
                database,
                cluster,
                starts.map(|(job, start)| (job, WaitEnd::Started(start))),
            )?;
            let nodes = renew_nodes(database, cluster, number, &look.nodes)?;
            database.run(
                "INSERT INTO look (cluster, number, at, passing, nodes) VALUES (?1, ?2, ?3, ?4, ?5)
                 ON CONFLICT (cluster, number)
                 DO UPDATE SET at = excluded.at, passing = excluded.passing, nodes = excluded.nodes",
                values![cluster, number, look.at, passing.as_slice(), nodes],
            )?;
            Ok((number, changed))
        })
    }

    fn add_failure(&mut self, cluster: ClusterNumber, failure: &FailedLook) -> Result<(), StoreError> {
        let why: String = failure.why.chars().take(LONGEST_WHY).collect();
        whole(&*self.database, Some(cluster), |database| {
            let looks = "SELECT coalesce(max(number), 0) FROM look WHERE cluster = ?1";
            let after = database.one(looks, values![cluster], |row| row.integer(0))?;
            database.run(
                "INSERT INTO failure (cluster, at, after, why) VALUES (?1, ?2, ?3, ?4) ON CONFLICT DO NOTHING",
                values![cluster, failure.at, after, why.as_str()],
            )?;
            Ok(())
        })
    }

    fn last_look(&self, cluster: ClusterNumber) -> Result<Option<Time>, StoreError> {
        let asked = "SELECT at FROM look WHERE cluster = ?1 ORDER BY number DESC LIMIT 1";
        self.database.one(asked, values![cluster], |row| row.integer(0).map(Time))
    }

    fn last_failure(&self, cluster: ClusterNumber) -> Result<Option<FailedLook>, StoreError> {
        self.database.one(
            "SELECT at, why FROM failure
             WHERE cluster = ?1 AND after = (SELECT coalesce(max(number), 0) FROM look WHERE cluster = ?1)
             ORDER BY at DESC LIMIT 1",
            values![cluster],
            |row| Ok(FailedLook { at: Time(row.integer(0)?), why: row.text(1)?.to_owned() }),
        )
    }

    fn look_at(&self, cluster: ClusterNumber, at: Time) -> Result<Option<StoredLook>, StoreError> {
        let found = self.database.one(
            "SELECT number, at, passing, nodes FROM look WHERE cluster = ?1 AND at <= ?2
             ORDER BY at DESC, number DESC LIMIT 1",
            values![cluster, at],
            |row| Ok((row.integer(0)?, Time(row.integer(1)?), row.bytes(2)?, row.integer(3)?)),
        )?;
        let Some((number, at, passing, nodes)) = found else { return Ok(None) };
        let passing = unpacked(&passing, "a look")?;
        let passing = passing_parts(&passing);
        let mut queue = String::new();
        self.database.rows(
            "SELECT job, line FROM queued
             WHERE cluster = ?1 AND first <= ?2 AND (last >= ?2 OR last IS NULL) ORDER BY job",
            values![cluster, number],
            &mut |row| {
                let printed = printed_line(row.text(1)?, passing.get(row.text(0)?), at);
                queue.push_str(&printed.ok_or(StoreError::Unreadable("the queue"))?);
                queue.push('\n');
                Ok(())
            },
        )?;
        let look = Look { at, queue, nodes: self.nodes_of(cluster, nodes)? };
        Ok(Some(StoredLook { number, look }))
    }

    fn add_accounting(
        &mut self,
        cluster: ClusterNumber,
        rows: &AccountingRows<'_>,
        until: Option<Time>,
    ) -> Result<usize, StoreError> {
        whole(&*self.database, Some(cluster), |database| {
            database
                .run("INSERT INTO titles (text) VALUES (?1) ON CONFLICT DO NOTHING", values![rows.titles])?;
            let number = "SELECT number FROM titles WHERE text = ?1";
            let titles = database.one(number, values![rows.titles], |row| row.integer(0))?;
            let mut all = rows.rows().flatten().map(|row| {
                let open = row.end.is_none().then_some(row.name);
                let key = [cluster.into(), (row.id as i64).into(), row.submit.into()];
                let values: SqlValues<'_> =
                    key.into_iter().chain([open.into(), titles.into(), row.text.into()]).collect();
                values
            });
            let changed = database.insert_all(&JOBS, &mut all)?;
            let outcomes = rows.rows().flatten().filter_map(|row| Some((row.outcome()?, row.keys())));
            let outcomes = outcomes.flat_map(|(end, keys)| keys.into_iter().map(move |key| (key, end)));
            kept::note_outcomes(database, cluster, outcomes)?;
            if let Some(until) = until {
                database.run(
                    "UPDATE cluster SET history_until = ?2
                     WHERE number = ?1 AND (history_until IS NULL OR history_until < ?2)",
                    values![cluster, until],
                )?;
            }
            Ok(changed)
        })
    }

    fn open_jobs(&self, cluster: ClusterNumber) -> Result<Vec<UnendedJob>, StoreError> {
        self.database.all(
            "SELECT id, open, submit FROM job WHERE cluster = ?1 AND open IS NOT NULL
             ORDER BY submit DESC, id DESC",
            values![cluster],
            |row| {
                let name = row.text(1)?.to_owned();
                Ok(UnendedJob { id: row.integer(0)? as u64, name, submit: Time(row.integer(2)?) })
            },
        )
    }

    fn history_until(&self, cluster: ClusterNumber) -> Result<Option<Time>, StoreError> {
        let asked = "SELECT history_until FROM cluster WHERE number = ?1";
        let until = self.database.one(asked, values![cluster], |row| row.maybe_integer(0))?;
        Ok(until.flatten().map(Time))
    }

    fn write_history(
        &self,
        cluster: ClusterNumber,
        at: Time,
        to: &mut dyn Write,
    ) -> Result<usize, StoreError> {
        let asked = "SELECT titles, row FROM job WHERE cluster = ?1 AND submit <= ?2 ORDER BY id, submit";
        self.write_rows(cluster, (asked, values![cluster, at]), to)
    }

    fn write_recent(
        &self,
        cluster: ClusterNumber,
        (since, at): (Time, Time),
        jobs: &[u64],
        to: &mut dyn Write,
    ) -> Result<usize, StoreError> {
        let asked = format!(
            "SELECT titles, row, id, submit FROM job WHERE cluster = ?1 AND submit BETWEEN ?2 AND ?3
             UNION ALL SELECT titles, row, id, submit FROM job
             WHERE cluster = ?1 AND submit < ?2 AND id IN ({})
             ORDER BY id, submit",
            self.database.numbers_in(4)
        );
        let numbers = site_texts::numbers(jobs);
        self.write_rows(cluster, (&asked, values![cluster, since, at, numbers.as_str()]), to)
    }

    fn submission_before(
        &self,
        cluster: ClusterNumber,
        at: Time,
        places: usize,
    ) -> Result<Option<Time>, StoreError> {
        site_texts::submission_before(&*self.database, cluster, at, places)
    }

    fn known_jobs(&self, cluster: ClusterNumber, jobs: &[u64]) -> Result<HashSet<u64>, StoreError> {
        site_texts::known_jobs(&*self.database, cluster, jobs)
    }

    fn keep_texts(
        &mut self,
        cluster: ClusterNumber,
        at: Time,
        texts: &BTreeMap<String, String>,
    ) -> Result<(), StoreError> {
        whole(&*self.database, Some(cluster), |database| {
            site_texts::keep_texts(database, cluster, at, texts, packed)
        })
    }

    fn keep_text(
        &mut self,
        cluster: ClusterNumber,
        at: Time,
        (name, text): (&str, &str),
    ) -> Result<bool, StoreError> {
        let body = packed(text)?;
        whole(&*self.database, Some(cluster), |database| {
            site_texts::keep_text(database, cluster, at, (name, &body))
        })
    }

    fn texts_at(&self, cluster: ClusterNumber, at: Time) -> Result<BTreeMap<String, String>, StoreError> {
        let texts = site_texts::last_texts(&*self.database, cluster, at)?;
        let texts = texts.into_iter().map(|(name, body)| Ok((name, unpacked(&body, "a text of the site")?)));
        let mut texts: BTreeMap<String, String> = texts.collect::<Result<_, StoreError>>()?;
        texts.retain(|_, text| !text.is_empty());
        Ok(texts)
    }

    fn texts_kept(&self, cluster: ClusterNumber) -> Result<Option<Time>, StoreError> {
        site_texts::texts_kept(&*self.database, cluster)
    }

    fn keep_starts(&mut self, cluster: ClusterNumber, look: i64, bytes: &[u8]) -> Result<(), StoreError> {
        whole(&*self.database, Some(cluster), |database| {
            site_texts::keep_starts(database, cluster, look, bytes)
        })
    }

    fn starts_of(&self, cluster: ClusterNumber, look: i64) -> Result<Option<Vec<u8>>, StoreError> {
        site_texts::starts_of(&*self.database, cluster, look)
    }

    fn starts_up_to(
        &self,
        cluster: ClusterNumber,
        look: i64,
    ) -> Result<Option<(i64, Time, Vec<u8>)>, StoreError> {
        site_texts::starts_up_to(&*self.database, cluster, look)
    }

    fn keep_learned(
        &mut self,
        cluster: ClusterNumber,
        until: Time,
        parts: &[LearnedPart],
    ) -> Result<(), StoreError> {
        whole(&*self.database, Some(cluster), |database| kept::keep_learned(database, cluster, until, parts))
    }

    fn learned_until(&self, cluster: ClusterNumber, at: Time) -> Result<Option<Time>, StoreError> {
        kept::learned_until(&*self.database, cluster, at)
    }

    fn learned(
        &self,
        cluster: ClusterNumber,
        until: Time,
        name: &str,
    ) -> Result<Option<Vec<u8>>, StoreError> {
        kept::learned(&*self.database, cluster, until, name)
    }

    fn add_forecasts(&mut self, cluster: ClusterNumber, forecasts: &[JobForecast]) -> Result<(), StoreError> {
        whole(&*self.database, Some(cluster), |database| kept::add_forecasts(database, cluster, forecasts))
    }

    fn open_forecasts(&self, cluster: ClusterNumber) -> Result<Vec<(String, Time)>, StoreError> {
        kept::open_forecasts(&*self.database, cluster)
    }

    fn forecasts(
        &self,
        cluster: ClusterNumber,
        since: Time,
        at: Time,
    ) -> Result<Vec<JudgedForecast>, StoreError> {
        kept::forecasts(&*self.database, cluster, (since, at), None)
    }

    fn last_forecasts(
        &self,
        cluster: ClusterNumber,
        (since, at): (Time, Time),
        most: usize,
    ) -> Result<Vec<JudgedForecast>, StoreError> {
        kept::forecasts(&*self.database, cluster, (since, at), Some(most))
    }

    fn look_times(&self, cluster: ClusterNumber, (from, to): (Time, Time)) -> Result<Vec<Time>, StoreError> {
        let asked = "SELECT at FROM look WHERE cluster = ?1 AND at BETWEEN ?2 AND ?3 ORDER BY at, number";
        self.database.all(asked, values![cluster, from, to], |row| row.integer(0).map(Time))
    }

    fn shadow_begun(&self, cluster: ClusterNumber) -> Result<Option<Time>, StoreError> {
        shadow_counts::begun(&*self.database, cluster)
    }

    fn begin_shadow(&mut self, cluster: ClusterNumber, until: Time) -> Result<(), StoreError> {
        shadow_counts::begin(&*self.database, cluster, until)
    }

    fn add_shadow(&mut self, cluster: ClusterNumber, tally: &ShadowTally) -> Result<(), StoreError> {
        whole(&*self.database, Some(cluster), |database| shadow_counts::add(database, cluster, tally))
    }

    fn shadow(&self, cluster: ClusterNumber, between: (Time, Time)) -> Result<ShadowRecord, StoreError> {
        shadow_counts::counted(&*self.database, cluster, between)
    }

    fn forget_looks(&mut self, cluster: ClusterNumber, before: Time) -> Result<usize, StoreError> {
        whole(&*self.database, Some(cluster), |database| {
            // The last look is never forgotten: the next one is told by its differences.
            let forgotten = database.run(
                "DELETE FROM look WHERE cluster = ?1 AND at < ?2
                 AND number < (SELECT max(number) FROM look WHERE cluster = ?1)",
                values![cluster, before],
            )?;
            database.run(
                "DELETE FROM queued WHERE cluster = ?1
                 AND last < (SELECT min(number) FROM look WHERE cluster = ?1)",
                values![cluster],
            )?;
            database.run(
                "DELETE FROM nodes WHERE cluster = ?1
                 AND look NOT IN (SELECT nodes FROM look WHERE cluster = ?1)",
                values![cluster],
            )?;
            site_texts::forget_texts(database, cluster, before)?;
            kept::forget_forecasts(database, cluster, before)?;
            shadow_counts::forget(database, cluster, before)?;
            database.run("DELETE FROM failure WHERE cluster = ?1 AND at < ?2", values![cluster, before])?;
            Ok(forgotten)
        })
    }
}

//! The lines of a queue and the nodes, each stored once for as long as it stays as it is.

use std::collections::{HashMap, HashSet};
use std::io::{Read, Write};

use flate2::Compression;
use flate2::read::ZlibDecoder;
use flate2::write::ZlibEncoder;

use super::database::{ColumnUpdate, Database, Insertion, SqlKind, values};
use super::{ClusterNumber, StoreError};
use crate::look::QueueLine;

/// Lines of the queue that begin.
const BEGUN: Insertion = Insertion {
    table: "queued",
    columns: &[
        ("cluster", SqlKind::Integer),
        ("first", SqlKind::Integer),
        ("job", SqlKind::Text),
        ("line", SqlKind::Text),
    ],
    key: 3,
    conflict: "",
};

/// Lines of the queue that were seen last.
const SEEN_LAST: ColumnUpdate = ColumnUpdate {
    table: "queued",
    columns: &[
        ("cluster", SqlKind::Integer),
        ("first", SqlKind::Integer),
        ("job", SqlKind::Text),
        ("last", SqlKind::Integer),
    ],
    only: "queued.last IS NULL",
};

/// Ends lines that are no longer there, and begins those that are new: how many of both.
pub(super) fn renew_queue(
    database: &dyn Database,
    cluster: ClusterNumber,
    number: i64,
    lines: &[QueueLine<'_>],
) -> Result<usize, StoreError> {
    // The same look once more: what it began is forgotten, and what it ended goes on.
    database.run("DELETE FROM queued WHERE cluster = ?1 AND first = ?2", values![cluster, number])?;
    database.run(
        "UPDATE queued SET last = NULL WHERE cluster = ?1 AND last = ?2",
        values![cluster, number - 1],
    )?;
    // The lines that are there, each with the look that saw it first.
    let known = database.all(
        "SELECT job, line, first FROM queued WHERE cluster = ?1 AND last IS NULL",
        values![cluster],
        |row| Ok((row.text(0)?.to_owned(), (row.text(1)?.to_owned(), row.integer(2)?))),
    )?;
    let mut known: HashMap<String, (String, i64)> = known.into_iter().collect();
    let (mut ended, mut begun, mut seen) = (Vec::new(), Vec::new(), HashSet::new());
    let mut changed = 0;
    for QueueLine { key, lasting, .. } in lines {
        // A job that is printed twice is there once.
        if !seen.insert(key.as_str()) {
            continue;
        }
        match known.remove(key) {
            Some((before, _)) if before == *lasting => {}
            before => {
                ended.extend(before.map(|(_, first)| (first, key.clone())));
                begun.push((key, lasting));
                changed += 1;
            }
        }
    }
    changed += known.len();
    ended.extend(known.into_iter().map(|(job, (_, first))| (first, job)));
    let last = number - 1;
    let mut ended = ended
        .iter()
        .map(|(first, job)| vec![cluster.into(), (*first).into(), job.as_str().into(), last.into()]);
    database.update_all(&SEEN_LAST, &mut ended)?;
    let mut begun = begun
        .iter()
        .map(|(job, line)| vec![cluster.into(), number.into(), job.as_str().into(), line.as_str().into()]);
    database.insert_all(&BEGUN, &mut begun)?;
    Ok(changed)
}

/// Stores the text of the nodes unless it is that of the look before; which look has it.
pub(super) fn renew_nodes(
    database: &dyn Database,
    cluster: ClusterNumber,
    number: i64,
    text: &str,
) -> Result<i64, StoreError> {
    let last = database.one(
        "SELECT look, text FROM nodes WHERE cluster = ?1 AND look < ?2 ORDER BY look DESC LIMIT 1",
        values![cluster, number],
        |row| Ok((row.integer(0)?, row.bytes(1)?)),
    )?;
    let packed = packed(text)?;
    if let Some((look, _)) = last.filter(|(_, known)| *known == packed) {
        return Ok(look);
    }
    database.run(
        "INSERT INTO nodes (cluster, look, text) VALUES (?1, ?2, ?3)
         ON CONFLICT (cluster, look) DO UPDATE SET text = excluded.text",
        values![cluster, number, packed.as_slice()],
    )?;
    Ok(number)
}

/// A text, compressed.
pub(super) fn packed(text: &str) -> Result<Vec<u8>, StoreError> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(text.as_bytes())?;
    Ok(encoder.finish()?)
}

/// A text that was compressed; what it is, for the case that it cannot be read.
pub(super) fn unpacked(bytes: &[u8], what: &'static str) -> Result<String, StoreError> {
    let mut text = String::new();
    ZlibDecoder::new(bytes).read_to_string(&mut text).map_err(|_| StoreError::Unreadable(what))?;
    Ok(text)
}

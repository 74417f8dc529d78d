//! What real Slurms of three versions printed, hostile names among it, goes through the store and comes out again.
//!
//! The samples are not part of the repository: `QUEUECAST_SLURM` names their directory (default `../shared/slurm` beside the checkout).
//! Where there are none this is skipped, and says so.
#![expect(clippy::print_stderr, reason = "it says if it is skipped")]

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use queuecast_core::units::Time;
use queuecast_trace::{RawLog, ReadOptions};

use crate::rows::AccountingRows;
use crate::store::{SqlStore, Store, StoreLocation};

const VERSIONS: [&str; 3] = ["22.05", "24.11", "26.05"];

fn sample(version: &str, name: &str) -> Option<String> {
    let folder = std::env::var_os("QUEUECAST_SLURM")
        .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/slurm"), PathBuf::from);
    let text = std::fs::read(folder.join("samples").join(version).join(name)).ok()?;
    Some(String::from_utf8_lossy(&text).into_owned())
}

/// Days since 1970 of a date (Hinnant's algorithm).
fn days(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let (era, of_era) = (year.div_euclid(400), year.rem_euclid(400));
    let of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468
}

/// The text with every `2026-11-15T01:19:55` as the Unix seconds that a collector asks for.
fn with_unix_seconds(text: &str) -> String {
    let stamp = |text: &str| -> Option<i64> {
        let shape = text.bytes().zip(*b"0000-00-00T00:00:00").all(|(byte, shape)| match shape {
            b'0' => byte.is_ascii_digit(),
            other => byte == other,
        });
        let part = |from: usize, to: usize| text.get(from..to)?.parse::<i64>().ok();
        let day = days(part(0, 4)?, part(5, 7)?, part(8, 10)?);
        shape.then_some(day * 86_400 + part(11, 13)? * 3_600 + part(14, 16)? * 60 + part(17, 19)?)
    };
    let mut result = String::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let length = match rest.get(..19).and_then(stamp) {
            Some(seconds) => {
                result += &seconds.to_string();
                19
            }
            None => {
                result.push(first);
                first.len_utf8()
            }
        };
        rest = &rest[length..];
    }
    result
}

/// Stores a text of accounting twice, and reads it back: whole rows, broken lines.
fn stored(text: &str) -> (usize, usize) {
    let folder = tempfile::tempdir().unwrap();
    let mut store = SqlStore::open(&StoreLocation::File(folder.path().join("s"))).unwrap();
    let cluster = store.cluster("sample").unwrap();
    let rows = AccountingRows::of(text).expect("a table of jobs");
    let whole: Vec<_> = rows.rows().flatten().collect();
    let broken = rows.rows().filter(Result::is_err).count();
    let keys: BTreeSet<(u64, Time)> = whole.iter().map(|row| (row.id, row.submit)).collect();
    let changed = store.add_accounting(cluster, &rows, Some(Time(2_000_000_000))).unwrap();
    assert!(changed >= keys.len(), "{changed} of {}", keys.len());
    assert_eq!(store.add_accounting(cluster, &rows, None).unwrap(), changed - keys.len(), "twice is once");
    let mut written = Vec::new();
    let count = store.write_history(cluster, Time(2_000_000_000), &mut written).unwrap();
    assert_eq!(count, keys.len(), "no job is lost");
    let written = String::from_utf8(written).unwrap();
    let back: BTreeSet<&str> = written.lines().skip(1).collect();
    let last: BTreeSet<&str> = whole.iter().map(|row| row.text).collect();
    assert!(back.is_subset(&last), "every row is as it was printed");
    match RawLog::read(written.as_bytes(), &ReadOptions::default()) {
        Ok(raw) => drop(raw.known_at(Time(1_900_000_000)).unwrap()),
        // The hostile samples were asked for without processors.
        Err(error) => assert!(error.to_string().contains("ReqCPUS"), "{error}"),
    }
    (whole.len(), broken)
}

#[test]
fn accounting_of_three_versions_is_stored_without_loss() {
    if sample(VERSIONS[0], "busy/VERSION").is_none() {
        eprintln!("skipped: there are no samples of {} versions of Slurm (QUEUECAST_SLURM)", VERSIONS.len());
        return;
    }
    for version in VERSIONS {
        for moment in ["busy", "done"] {
            let text = sample(version, &format!("{moment}/sacct-jobs-ingest.txt")).unwrap();
            let lines = text.lines().filter(|line| !line.is_empty()).count() - 1;
            assert_eq!(stored(&text), (lines, 0), "{version} {moment}");
            assert!(lines > 100, "{version} {moment}: {lines}");
        }
        let hostile = with_unix_seconds(&sample(version, "hostile/sacct-us.txt").unwrap());
        // One job has line feeds in its name, its comment and its command; the seven others are whole.
        let (whole, broken) = stored(&hostile);
        assert_eq!((whole, broken), (7, 6), "{version} hostile");
    }
}

#[test]
fn moments_are_as_a_collector_asks_for_them() {
    assert_eq!(with_unix_seconds("a\x1f2026-11-15T01:19:55\x1fé"), "a\x1f1794705595\x1fé");
    assert_eq!(with_unix_seconds("1970-01-01T00:00:00"), "0");
    assert_eq!(with_unix_seconds("2024-02-29T12:00:00"), "1709208000");
}

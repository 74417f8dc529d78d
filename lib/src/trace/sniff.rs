//! Detects the format of a file from its first bytes; for a file that is not a log, says what it looks like and what
//! to do.

use super::LogFormat;
use super::error::{TraceError, shortened};
use super::sacct::state;

const EITHER: &str = "give it a log in the Standard Workload LogFormat (.swf) or the output of `sacct -P`, plain, gzip or zstd";

/// The format of a log that begins with these bytes, or an error that says what the file looks like.
pub(super) fn sniff(beginning: &[u8]) -> Result<LogFormat, TraceError> {
    let Some(line) = first_line(beginning) else {
        return if beginning.is_empty() || beginning.trim_ascii().is_empty() {
            Err(TraceError::Empty)
        } else {
            Err(not("binary data", EITHER))
        };
    };
    if beginning.starts_with(b"\xff\xfe") || beginning.starts_with(b"\xfe\xff") {
        return Err(not("UTF-16 text", "convert it first: iconv -f UTF-16 -t UTF-8"));
    }
    if beginning.starts_with(b"\x1f\x8b") || beginning.starts_with(b"\x28\xb5\x2f\xfd") {
        return Err(not("a file that was compressed twice", "decompress it once"));
    }
    if let Some(archive) = archive(beginning) {
        return Err(not(archive, "decompress or unpack it first; gzip and zstd are read as they are"));
    }
    if beginning.iter().take(4096).any(|&byte| byte == 0) {
        return Err(not("binary data", EITHER));
    }
    if line.starts_with(b";") {
        return Ok(LogFormat::Swf);
    }
    if columns(line).any(|name| name.eq_ignore_ascii_case(b"JobID") || name.eq_ignore_ascii_case(b"JobIDRaw"))
    {
        return if delimiter(line).is_some_and(|byte| byte != b' ') {
            Ok(LogFormat::Sacct)
        } else {
            Err(not(
                "a table that sacct prints without -P",
                "run sacct again with -P (and -X -D): its columns then have a delimiter",
            ))
        };
    }
    if numbers(line) >= 2 {
        return Ok(LogFormat::Swf);
    }
    Err(match line[0] {
        b'{' | b'[' => not(
            "JSON",
            "for accounting records use the text output `sacct -P`, which is also far smaller than `sacct --json`",
        ),
        b'<' => not("HTML or XML", "perhaps an error page was saved instead of the log; download it again"),
        _ if has_state(line) => not(
            "a table without the header line of sacct",
            "run sacct with -P and without -n (--noheader): the header line names the columns",
        ),
        _ if line.contains(&b'|') => not(
            &format!("another table of Slurm (\"{}\")", shortened(line)),
            "give it the output of `sacct -P`, with its header line; what sinfo, squeue and sacctmgr print is no log",
        ),
        b'#' => not(
            "a script or a table with # comments",
            "comments of the Standard Workload LogFormat begin with a semicolon",
        ),
        _ if line.contains(&b',') => not(
            &format!("comma-separated values (\"{}\")", shortened(line)),
            "the Standard Workload LogFormat separates its 18 numbers by blanks; convert it first",
        ),
        _ => not(&format!("other text (\"{}\")", shortened(line)), EITHER),
    })
}

/// Splits a line at the first character that tables use as a delimiter.
fn columns(line: &[u8]) -> impl Iterator<Item = &[u8]> {
    let delimiter = delimiter(line);
    line.split(move |&byte| Some(byte) == delimiter).map(<[u8]>::trim_ascii)
}

/// Whether a job state of Slurm stands in a column of its own, as in a row of sacct.
fn has_state(line: &[u8]) -> bool {
    let mut columns = line.split(|byte| matches!(byte, b'|' | b'\x1f' | b',' | b';' | b'\t'));
    let first = columns.next().unwrap_or_default();
    first.len() < line.len() && columns.any(|word| state(word.trim_ascii()).is_some())
}

fn not(looks_like: &str, hint: &str) -> TraceError {
    TraceError::NotALog { looks_like: looks_like.into(), hint: hint.into() }
}

fn first_line(beginning: &[u8]) -> Option<&[u8]> {
    beginning.split(|&byte| byte == b'\n').map(<[u8]>::trim_ascii).find(|line| !line.is_empty())
}

fn archive(beginning: &[u8]) -> Option<&'static str> {
    let magics: [(&[u8], &str); 6] = [
        (b"\xfd7zXZ", "a file compressed with xz"),
        (b"BZh", "a file compressed with bzip2"),
        (b"PK\x03\x04", "a zip archive"),
        (b"\x1f\x9d", "a file compressed with compress (.Z)"),
        (b"7z\xbc\xaf", "a 7z archive"),
        (b"PAR1", "a Parquet file"),
    ];
    let tar = beginning.get(257..262).is_some_and(|magic| magic == b"ustar");
    let known = magics.iter().find(|(magic, _)| beginning.starts_with(magic)).map(|(_, name)| *name);
    known.or(tar.then_some("a tar archive"))
}

/// How many leading words of the line are numbers.
fn numbers(line: &[u8]) -> usize {
    let number = |word: &&[u8]| {
        word.iter().any(u8::is_ascii_digit)
            && word
                .iter()
                .all(|byte| byte.is_ascii_digit() || matches!(byte, b'-' | b'+' | b'.' | b'e' | b'E'))
    };
    line.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty()).take_while(number).count()
}

/// The first byte of a header line that cannot be part of a column's name.
pub(super) fn delimiter(header: &[u8]) -> Option<u8> {
    header.iter().copied().find(|byte| !(byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'%' | b'.')))
}

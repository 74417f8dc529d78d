//! Detects the format of a file from its first bytes; for a file that is not a log, says what it looks like and what
//! to do.

use super::columns::{columns, second_line};
use super::error::{TraceError, shortened};
use super::formats::{FORMATS, any_file};
use super::options::{Evidence, LogFormat};
use super::record::Field;
use super::sacct::{EXAMPLE_COMMAND, state};

/// How many bytes tell a text from a binary file.
const LOOKED_AT: usize = 1 << 18;

/// The format of a log that begins with these bytes, or an error that says what the file looks like.
pub fn sniff(beginning: &[u8]) -> Result<LogFormat, TraceError> {
    let Some(line) = first_line(beginning) else {
        return if beginning.is_empty() || beginning.trim_ascii().is_empty() {
            Err(TraceError::Empty { expected: any_file() })
        } else {
            Err(not("binary data", &any_of_these()))
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
    if is_binary(beginning) {
        return Err(not("binary data", &any_of_these()));
    }
    let detected = FORMATS.into_iter().filter_map(|format| Some((format, format.detect(beginning, line)?)));
    let detected = detected.min_by_key(|(_, detected)| detected.evidence);
    let is_marked = detected.as_ref().is_some_and(|(_, detected)| detected.evidence == Evidence::Mark);
    if let Some(known) = known_text(beginning, line).filter(|_| !is_marked) {
        return Err(known);
    }
    if let Some((format, detected)) = detected {
        return detected.refused.map_or(Ok(format), Err);
    }
    Err(match line[0] {
        b'{' | b'[' => not(
            "JSON",
            "for accounting records use the text output `sacct -P`, which is also far smaller than `sacct --json`",
        ),
        b'<' => not("HTML or XML", "perhaps an error page was saved instead of the log; download it again"),
        _ if has_state(line) => not(
            "a table without the header line of sacct",
            "run sacct with -P and without -n (--noheader), or name its columns: --columns JobID,User,…",
        ),
        _ if line.contains(&b'|') => not(
            &format!("another table of Slurm (\"{}\")", shortened(line)),
            "give it the output of `sacct -P`, with its header line; what sinfo, squeue and sacctmgr print is no log",
        ),
        b'#' => not(
            "a script or a table with # comments",
            "comments of the Standard Workload Format begin with a semicolon",
        ),
        _ if line.contains(&b',') => not(
            &format!("comma-separated values (\"{}\")", shortened(line)),
            "the Standard Workload Format separates its 18 numbers by blanks; convert it first",
        ),
        _ if line.contains(&b';') => not(
            &format!("values separated by semicolons (\"{}\")", shortened(line)),
            "as a log it needs the 18 columns of the Standard Workload Format, in their order; or the columns of `sacct -P`",
        ),
        _ => not(&format!("other text (\"{}\")", shortened(line)), &any_of_these()),
    })
}

/// The error for a text that looks like a log and is another output of Slurm, or a log of another format.
fn known_text(beginning: &[u8], line: &[u8]) -> Option<TraceError> {
    let has = |text: &[u8], word: &[u8]| text.windows(word.len()).any(|window| window == word);
    let command = format!("the history of jobs is in the accounting: {EXAMPLE_COMMAND}");
    if line.starts_with(b"JobId=") {
        let completed = has(line, b" ProcCnt=") || !has(line, b" JobName=");
        let looks_like = if completed {
            "Slurm's log of completed jobs (jobcomp/filetxt), which lacks the processors and times that jobs requested"
        } else {
            "the output of scontrol show job, which has only jobs that Slurm still holds in memory"
        };
        return Some(not(looks_like, &command));
    }
    if has(line, b"JobID=") && has(line, b"State=") {
        return Some(not(
            "accounting records as pairs of name and value",
            "give it the output of `sacct -P`: a header line that names the columns, and rows of values",
        ));
    }
    if line.starts_with(b"NodeName=") || line.starts_with(b"PartitionName=") {
        let looks_like = "the output of scontrol, which shows nodes and partitions and no jobs";
        return Some(not(looks_like, &command));
    }
    let top = &beginning[..beginning.len().min(LOOKED_AT)];
    let grid = || [&b"SubmitTime"[..], b"WaitTime", b"ReqNProcs"].iter().all(|name| has(top, name));
    let wide = || second_line(beginning).is_none_or(|row| words(row) != Field::ALL.len());
    if !line[0].is_ascii_digit() && grid() && wide() {
        return Some(not(
            "a log in the Grid Workloads Format (GWF)",
            "its first 16 columns are those of the Standard Workload Format, in which all are numbers: number its users and groups, and write 18 columns and no names",
        ));
    }
    let queue = columns(line).any(|name| name.split(u8::is_ascii_whitespace).any(|word| word == b"JOBID"));
    let now = [&b"ST"[..], b"STATE", b"NODES", b"TIME_LEFT", b"NODELIST(REASON)", b"REASON", b"PRIORITY"];
    let listed = |name: &[u8]| words_of(line).any(|word| word == name);
    if queue && now.iter().any(|name| listed(name)) && !listed(b"SUBMIT") && !listed(b"ELIGIBLE") {
        let hint = format!("queuecast allocate --live asks squeue itself; {command}");
        return Some(not(
            "the output of squeue or sprio, which shows the jobs of this moment and no past ones",
            &hint,
        ));
    }
    None
}

fn words_of(line: &[u8]) -> impl Iterator<Item = &[u8]> {
    let separates = |byte: &u8| byte.is_ascii_whitespace() || matches!(byte, b'|' | b',' | b';');
    line.split(separates).filter(|word| !word.is_empty())
}

fn words(line: &[u8]) -> usize {
    words_of(line).count()
}

/// Whether a job state of Slurm stands in a column of its own, as in a row of sacct.
fn has_state(line: &[u8]) -> bool {
    let mut columns = line.split(|byte| matches!(byte, b'|' | b'\x1f' | b',' | b';' | b'\t'));
    let first = columns.next().unwrap_or_default();
    first.len() < line.len() && columns.any(|word| state(word.trim_ascii()).is_some())
}

/// What to give instead of something else.
fn any_of_these() -> String {
    format!("give it {}, plain, gzip or zstd", any_file())
}

fn not(looks_like: &str, hint: &str) -> TraceError {
    TraceError::NotALog { looks_like: looks_like.into(), hint: hint.into() }
}

/// The first line that tells something: the first that is text, else the first.
fn first_line(beginning: &[u8]) -> Option<&[u8]> {
    let lines = || beginning.split(|&byte| byte == b'\n').map(<[u8]>::trim_ascii);
    let mut said = lines().filter(|line| !line.is_empty());
    let first = said.clone().next()?;
    said.find(|line| !has_control(line)).or(Some(first))
}

/// Whether a line has a byte in it that no text has: most control characters, NUL among them.
fn has_control(line: &[u8]) -> bool {
    // Tabs and other blanks separate, the unit separator and its like are delimiters, and an escape begins a colour.
    line.iter().any(|byte| matches!(byte, 0x00..=0x08 | 0x0e..=0x1a | 0x7f))
}

/// Whether more of the bytes are in lines that no text has than in others. A few damaged lines do not make a file binary: they
/// are counted as malformed.
fn is_binary(beginning: &[u8]) -> bool {
    let lines = beginning[..beginning.len().min(LOOKED_AT)].split(|&byte| byte == b'\n');
    let (mut damaged, mut all) = (0, 0);
    for line in lines {
        all += line.len();
        damaged += if has_control(line) { line.len() } else { 0 };
    }
    damaged * 2 > all
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_few_damaged_lines_are_not_a_binary_file() {
        let row = "1 0 -1 100 70 -1 -1 70 100 -1 1 1 1 1 1 1 -1 -1\n";
        let log = format!("{row}2 0 -1 1\000 70\n{row}{row}");
        assert_eq!(sniff(log.as_bytes()).unwrap(), LogFormat::SWF);
        assert_eq!(sniff(format!("\0\0\0\n{row}").as_bytes()).unwrap(), LogFormat::SWF);
        assert_eq!(sniff(format!("; Ver\0sion: 2\n{row}{row}").as_bytes()).unwrap(), LogFormat::SWF);
        // Random bytes, a program, a text with two bytes for each letter, and zeros.
        let random: Vec<u8> = (0..8192_u32).map(|at| (at.wrapping_mul(2_654_435_761) >> 11) as u8).collect();
        let program: Vec<u8> =
            (0..4096_u32).map(|at| if at % 5 == 0 { b'\n' } else { (at % 3) as u8 }).collect();
        let wide: Vec<u8> = row.bytes().flat_map(|byte| [byte, 0]).collect();
        for binary in [random, program, wide, vec![0; 4096]] {
            let refused = sniff(&binary).unwrap_err().to_string();
            assert!(refused.contains("binary data"), "{refused}");
        }
    }
}

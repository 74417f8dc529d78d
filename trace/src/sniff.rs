//! Detects the format of a file from its first bytes; for a file that is not a log, says what it looks like and what
//! to do.

use super::LogFormat;
use super::error::{TraceError, shortened};
use super::record::Field;
use super::sacct::{EXAMPLE_COMMAND, state};
use super::swf::column_names;

const EITHER: &str =
    "give it a log in the Standard Workload Format (.swf) or the output of `sacct -P`, plain, gzip or zstd";

/// How many bytes tell a text from a binary file.
const LOOKED_AT: usize = 1 << 18;

/// The format of a log that begins with these bytes, or an error that says what the file looks like.
pub fn sniff(beginning: &[u8]) -> Result<LogFormat, TraceError> {
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
    if is_binary(beginning) {
        return Err(not("binary data", EITHER));
    }
    if line.starts_with(b";") {
        return Ok(LogFormat::Swf);
    }
    if let Some(known) = known_text(beginning, line) {
        return Err(known);
    }
    if column_names(line).is_some() && second_line(beginning).is_some_and(|row| numbers(row) >= 10) {
        return Ok(LogFormat::Swf);
    }
    if columns(line).any(|name| name.eq_ignore_ascii_case(b"JobID") || name.eq_ignore_ascii_case(b"JobIDRaw"))
    {
        return if delimiter(line).is_some_and(|delimiter| delimiter != Delimiter::byte(b' ')) {
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
        _ => not(&format!("other text (\"{}\")", shortened(line)), EITHER),
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
    let grid = [&b"SubmitTime"[..], b"WaitTime", b"ReqNProcs"].iter().all(|name| has(beginning, name));
    let wide = second_line(beginning).is_none_or(|row| words(row) != Field::ALL.len());
    if grid && wide && !line[0].is_ascii_digit() {
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

/// The first line after the first that is neither blank nor a comment.
fn second_line(beginning: &[u8]) -> Option<&[u8]> {
    let lines = beginning.split(|&byte| byte == b'\n').map(<[u8]>::trim_ascii);
    let mut lines = lines.filter(|line| !line.is_empty());
    lines.next()?;
    lines.find(|line| !matches!(line[0], b'#' | b';'))
}

/// Splits a line at the first character that tables use as a delimiter.
fn columns(line: &[u8]) -> impl Iterator<Item = &[u8]> {
    let delimiter = delimiter(line).unwrap_or(Delimiter::byte(b'\n'));
    let mut rest = Some(line);
    std::iter::from_fn(move || {
        let text = rest?;
        let (name, more) = match delimiter.find(text) {
            Some(at) => (&text[..at], Some(&text[at + delimiter.len()..])),
            None => (text, None),
        };
        rest = more;
        Some(unquoted(name.trim_ascii()))
    })
}

fn unquoted(name: &[u8]) -> &[u8] {
    name.strip_prefix(b"\"").and_then(|name| name.strip_suffix(b"\"")).unwrap_or(name)
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

/// How many leading words of the line are numbers.
fn numbers(line: &[u8]) -> usize {
    let number = |word: &&[u8]| {
        word.iter().any(u8::is_ascii_digit)
            && word
                .iter()
                .all(|byte| byte.is_ascii_digit() || matches!(byte, b'-' | b'+' | b'.' | b'e' | b'E'))
    };
    let separates = |byte: &u8| byte.is_ascii_whitespace() || *byte == b';';
    line.split(separates).filter(|word| !word.is_empty()).take_while(number).count()
}

/// What separates the columns of accounting: one byte, or several (`sacct --delimiter='|#'`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Delimiter {
    bytes: [u8; Delimiter::LONGEST],
    length: usize,
}

impl Delimiter {
    /// Bytes of the longest.
    const LONGEST: usize = 8;

    /// Of one byte.
    pub const fn byte(byte: u8) -> Delimiter {
        let mut bytes = [0; Delimiter::LONGEST];
        bytes[0] = byte;
        Delimiter { bytes, length: 1 }
    }

    /// Of several bytes; `None` if they are too many, or none.
    pub fn of(text: &[u8]) -> Option<Delimiter> {
        let mut bytes = [0; Delimiter::LONGEST];
        bytes.get_mut(..text.len())?.copy_from_slice(text);
        (!text.is_empty()).then_some(Delimiter { bytes, length: text.len() })
    }

    /// Its bytes.
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes[..self.length]
    }

    /// How many bytes it has.
    pub fn len(&self) -> usize {
        self.length
    }

    /// Where it first stands.
    pub fn find(&self, text: &[u8]) -> Option<usize> {
        let first = self.bytes[0];
        if self.length == 1 {
            return text.iter().position(|&byte| byte == first);
        }
        text.windows(self.length).position(|window| window == self.as_bytes())
    }

    /// Whether it is one of these bytes.
    pub fn is_one_of(&self, bytes: &[u8]) -> bool {
        self.length == 1 && bytes.contains(&self.bytes[0])
    }
}

/// What separates the names in a header line: the first bytes that cannot be part of a column's name. Names may be quoted, or
/// padded with blanks in front of a delimiter.
pub(super) fn delimiter(header: &[u8]) -> Option<Delimiter> {
    // Formats of columns may stand in their names (`JobID%20`).
    let in_name = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'%' | b'.' | b'"');
    let Some(begin) = header.iter().position(|&byte| !in_name(byte)) else {
        return header.contains(&b'%').then_some(Delimiter::byte(b'%'));
    };
    if header[begin] == b' ' {
        let known = header.iter().copied().find(|byte| b"|;,\t\x1f^~".contains(byte));
        return Some(Delimiter::byte(known.unwrap_or(b' ')));
    }
    // Several bytes, if they stand between all names; otherwise a column has no name.
    let one = header[begin].is_ascii().then(|| Delimiter::byte(header[begin]));
    let length = header[begin..].iter().take_while(|&&byte| !in_name(byte) && byte != b' ').count();
    let Some(several) = Delimiter::of(&header[begin..begin + length]) else { return one };
    let mut rest = &header[begin + length..];
    while let Some(at) = rest.iter().position(|&byte| !in_name(byte)) {
        match rest[at..].strip_prefix(several.as_bytes()) {
            Some(more) if more.first().is_none_or(|&byte| in_name(byte)) => rest = more,
            _ => return one,
        }
    }
    Some(several)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn delimiters_are_found_in_headers() {
        for (header, found) in [
            ("JobID|State|End", "|"),
            ("JobID|#State|#End", "|#"),
            ("JobID|#State|#End|#", "|#"),
            ("JobID%State%End", "%"),
            ("JobID%20|State%10|End", "|"),
            ("JobID||State|End", "|"),
            ("JobID@@@State@@@End", "@@@"),
            ("JobID§State§End", "§"),
            ("JobID| State | End", "|"),
            ("JobID   |  State |End", "|"),
            ("\"JobID\",\"State\"", ","),
            ("JobID\u{1f}State\u{1f}End", "\u{1f}"),
            ("JobID  State", " "),
            ("JobID|#=+~!$&/State|#=+~!$&/End", "|"),
        ] {
            let delimiter = delimiter(header.as_bytes()).unwrap();
            assert_eq!(String::from_utf8_lossy(delimiter.as_bytes()), found, "{header}");
        }
        assert_eq!(delimiter(b"JobID"), None);
    }

    #[test]
    fn a_few_damaged_lines_are_not_a_binary_file() {
        let row = "1 0 -1 100 70 -1 -1 70 100 -1 1 1 1 1 1 1 -1 -1\n";
        let log = format!("{row}2 0 -1 1\000 70\n{row}{row}");
        assert_eq!(sniff(log.as_bytes()).unwrap(), LogFormat::Swf);
        assert_eq!(sniff(format!("\0\0\0\n{row}").as_bytes()).unwrap(), LogFormat::Swf);
        assert_eq!(sniff(format!("; Ver\0sion: 2\n{row}{row}").as_bytes()).unwrap(), LogFormat::Swf);
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

//! Reads record lines of the Standard Workload Format, also as tables: with a line of column names, or with semicolons.

use super::parse::{Oddity, parse};
use crate::trace::clean::{Example, Rule, RuleCounts};
use crate::trace::error::{Malformed, TraceError, shortened};
use crate::trace::identities::beyond;
use crate::trace::parsed::{NoRecord, Parsed};
use crate::trace::record::{Field, Record, UNKNOWN};

/// Reader of record lines, with what the first of them told.
#[derive(Debug, Default)]
pub(in crate::trace) struct SwfReader {
    /// Whether a line other than a comment was read.
    begun: bool,
    semicolons: bool,
    /// The current line, semicolons replaced.
    rewritten: Vec<u8>,
}

impl SwfReader {
    /// Fills `record` from a line that is neither blank nor a comment, or says why it is none.
    pub fn parse(
        &mut self,
        line: &[u8],
        number: u64,
        record: &mut Record,
        counts: &mut RuleCounts,
    ) -> Parsed {
        if !self.begun {
            self.begun = true;
            self.semicolons = line.iter().filter(|&&byte| byte == b';').count() + 1 >= Field::ALL.len();
            if let Some(names) = column_names(line) {
                // Whether the records have semicolons is told by the first of them.
                self.begun = false;
                if let Some(name) = misplaced(&names) {
                    return Parsed::Refused(Box::new(other_order(&name)));
                }
                let value = shortened(line);
                return Parsed::NoRecord(NoRecord { rule: Rule::ColumnNames, job: None, value });
            }
        }
        let parsed =
            if self.semicolons { self.rewrite(line, number, record) } else { parse(line, number, record) };
        let oddity = match parsed {
            Ok(oddity) => oddity,
            Err(malformed) => return Parsed::Malformed(malformed),
        };
        if self.semicolons {
            counts.count(Rule::Semicolons, || example(record, "separated by semicolons".into()));
        }
        if let Some(oddity) = oddity {
            note(counts, oddity, record);
        }
        if let Some((field, value)) = beyond(record) {
            let value = || format!("{} {value}", field.name());
            counts.count(Rule::IdentifierRange, || example(record, value()));
        }
        Parsed::Record
    }

    /// Parses a line with semicolons as one with blanks; what is empty between two of them is unknown.
    fn rewrite(
        &mut self,
        line: &[u8],
        number: u64,
        record: &mut Record,
    ) -> Result<Option<Oddity>, Malformed> {
        self.rewritten.clear();
        for (place, field) in line.split(|&byte| byte == b';').map(<[u8]>::trim_ascii).enumerate() {
            // A semicolon at the end begins no further column.
            if place >= Field::ALL.len() && field.is_empty() {
                continue;
            }
            self.rewritten.extend_from_slice(if field.is_empty() { b"-1" } else { field });
            self.rewritten.push(b' ');
        }
        parse(&self.rewritten, number, record)
    }
}

/// The names, in lower case, if a line is a line of column names: as many words as a record has columns, none a number.
pub(in crate::trace) fn column_names(line: &[u8]) -> Option<Vec<String>> {
    let by = if line.contains(&b';') { b';' } else { b' ' };
    let words = line.split(|&byte| byte == by || (by == b' ' && byte == b'\t')).map(<[u8]>::trim_ascii);
    let words: Vec<&[u8]> = words.filter(|word| !word.is_empty()).collect();
    let is_name = |word: &&[u8]| word.iter().any(u8::is_ascii_alphabetic);
    let named = words.len() >= Field::ALL.len() && words.iter().all(is_name);
    named.then(|| words.iter().map(|word| String::from_utf8_lossy(word).to_ascii_lowercase()).collect())
}

/// The first name that stands where the format has another column.
fn misplaced(names: &[String]) -> Option<String> {
    // Names of several words cannot be told apart where blanks separate them.
    if names.len() > Field::ALL.len() + 2 {
        return None;
    }
    let places =
        [("submit", Field::Submit), ("user", Field::User), ("group", Field::Group), ("queue", Field::Queue)];
    places.into_iter().find_map(|(word, field)| {
        let at = names.iter().position(|name| name.contains(word))?;
        (at + 1 != field.column()).then(|| names[at].clone())
    })
}

fn other_order(name: &str) -> TraceError {
    TraceError::NotALog {
        looks_like: format!(
            "a table with columns in another order than the Standard Workload Format has (\"{}\")",
            shortened(name.as_bytes())
        ),
        hint: "the format has job number, submit, wait and run time first, user in column 12; put the columns into its order".into(),
    }
}

fn note(counts: &mut RuleCounts, oddity: Oddity, record: &Record) {
    let (rule, value) = match oddity {
        Oddity::ExtraColumns(extra) => (Rule::ExtraColumns, format!("{extra} more")),
        Oddity::Fraction(field) => (Rule::Fraction, format!("field {} ({})", field.column(), field.name())),
    };
    counts.count(rule, || example(record, value));
}

fn example(record: &Record, value: String) -> Example {
    Example { line: Some(record.line), job: (record.job > UNKNOWN).then_some(record.job), value }
}

//! Reads record lines of the Standard Workload Format, also as tables: with a line of column names, with semicolons between
//! the columns, with names of users and queues instead of numbers.

use super::number;
use super::parse::{Oddity, is_list, parse};
use crate::clean::{Example, Rule, RuleCounts};
use crate::error::{TraceError, shortened};
use crate::identities::beyond;
use crate::names::Interner;
use crate::parsed::{NoRecord, Parsed, RecordReader};
use crate::record::{Field, Record, UNKNOWN};
use queuecast_core::workload::Names;

/// The places of the columns that hold identities, from 0.
const IDENTITIES: std::ops::Range<usize> = Field::User as usize..Field::Partition as usize + 1;

/// What a column of identities holds, as its first known value tells.
#[derive(Debug, Default)]
enum IdentityColumn {
    #[default]
    Unknown,
    Numbers,
    Names(Interner),
}

impl IdentityColumn {
    /// Takes note of a known value.
    fn see(&mut self, field: &[u8]) {
        if matches!(self, IdentityColumn::Unknown) {
            let is_name = number::whole(field).is_err();
            *self =
                if is_name { IdentityColumn::Names(Interner::default()) } else { IdentityColumn::Numbers };
        }
    }
}

/// Reader of record lines, with what the first of them told.
#[derive(Debug, Default)]
pub(crate) struct SwfReader {
    /// Whether a record was read.
    begun: bool,
    semicolons: bool,
    has_names: bool,
    /// What the columns of identities hold.
    identities: [IdentityColumn; IDENTITIES.end - IDENTITIES.start],
    /// The current line, with blanks for semicolons and numbers for names.
    rewritten: Vec<u8>,
}

impl RecordReader for SwfReader {
    fn parse(&mut self, line: &[u8], number: u64, record: &mut Record, counts: &mut RuleCounts) -> Parsed {
        if line.trim_ascii_start().starts_with(b";") {
            return Parsed::Comment;
        }
        if !self.begun {
            if let Some(names) = column_names(line) {
                if let Some(name) = misplaced(&names) {
                    return Parsed::Refused(Box::new(other_order(&name)));
                }
                let value = shortened(line);
                return Parsed::NoRecord(NoRecord { rule: Rule::ColumnNames, job: None, value });
            }
            self.begin(line);
        }
        let mut parsed = if self.semicolons || self.has_names {
            self.rewrite(line);
            parse(&self.rewritten, number, record)
        } else {
            parse(line, number, record)
        };
        if parsed.is_ok() {
            self.see_numbers(record);
        } else if !self.has_names && self.find_names(line) {
            self.rewrite(line);
            parsed = parse(&self.rewritten, number, record);
        }
        let oddity = match parsed {
            Ok(oddity) => oddity,
            Err(malformed) => return Parsed::Malformed(malformed),
        };
        if self.semicolons {
            counts.count(Rule::Semicolons, || example(record, "separated by semicolons".into()));
        }
        if self.has_names {
            counts.count(Rule::IdentityNames, || example(record, shortened(line)));
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

    /// The names of identities: those of the header, and in columns that hold names, these.
    fn names(&self, header: &Names) -> Names {
        let mut names = header.clone();
        let tables = [
            &mut names.users,
            &mut names.groups,
            &mut names.executables,
            &mut names.queues,
            &mut names.partitions,
        ];
        for (table, column) in tables.into_iter().zip(&self.identities) {
            if let IdentityColumn::Names(names) = column {
                *table = names.names();
            }
        }
        names
    }
}

impl SwfReader {
    /// Looks at the first record: how its columns are separated, and which hold names.
    fn begin(&mut self, line: &[u8]) {
        let semicolons = line.iter().filter(|&&byte| byte == b';').count() + 1 >= Field::ALL.len();
        if let Some(fields) = fields_of_record(line, semicolons) {
            self.begun = true;
            self.semicolons = semicolons;
            self.see(&fields);
        }
    }

    /// Whether a line that cannot be read as numbers has names in columns of which nothing was known.
    fn find_names(&mut self, line: &[u8]) -> bool {
        if !self.identities.iter().any(|column| matches!(column, IdentityColumn::Unknown)) {
            return false;
        }
        if let Some(fields) = fields_of_record(line, self.semicolons) {
            self.see(&fields);
        }
        self.has_names
    }

    /// Takes note of the identities of a record.
    fn see(&mut self, fields: &[&[u8]]) {
        for (field, column) in fields[IDENTITIES].iter().zip(&mut self.identities) {
            if is_known(field) {
                column.see(field);
            }
        }
        self.has_names = self.identities.iter().any(|column| matches!(column, IdentityColumn::Names(_)));
    }

    /// Takes note of the columns that hold numbers in a record that was read.
    fn see_numbers(&mut self, record: &Record) {
        let values = [record.user, record.group, record.executable, record.queue, record.partition];
        for (value, column) in values.into_iter().zip(&mut self.identities) {
            if value > UNKNOWN && matches!(column, IdentityColumn::Unknown) {
                *column = IdentityColumn::Numbers;
            }
        }
    }

    /// Writes a line with blanks between its columns and numbers for names. What is empty between semicolons is unknown.
    fn rewrite(&mut self, line: &[u8]) {
        self.rewritten.clear();
        for (place, field) in fields(line, self.semicolons).enumerate() {
            // A semicolon at the end begins no further column.
            if place >= Field::ALL.len() && field.is_empty() {
                continue;
            }
            let column = place.checked_sub(IDENTITIES.start).and_then(|at| self.identities.get_mut(at));
            match column {
                Some(column) if is_known(field) => {
                    column.see(field);
                    if let IdentityColumn::Names(names) = column {
                        self.has_names = true;
                        self.rewritten.extend_from_slice(names.number(field).to_string().as_bytes());
                    } else {
                        self.rewritten.extend_from_slice(field);
                    }
                }
                _ if field.is_empty() => self.rewritten.extend_from_slice(b"-1"),
                _ => self.rewritten.extend_from_slice(field),
            }
            self.rewritten.push(b' ');
        }
    }
}

/// The columns of a record; `None` if one that holds no identities is not a number, or columns are missing.
fn fields_of_record(line: &[u8], semicolons: bool) -> Option<Vec<&[u8]>> {
    let fields: Vec<&[u8]> = fields(line, semicolons).take(Field::ALL.len()).collect();
    let fits = |(place, field): (usize, &&[u8])| {
        let is_list = place == Field::PrecedingJob as usize && is_list(field);
        IDENTITIES.contains(&place) || field.is_empty() || is_list || number::real(field).is_ok()
    };
    (fields.len() == Field::ALL.len() && fields.iter().enumerate().all(fits)).then_some(fields)
}

fn is_known(field: &[u8]) -> bool {
    !field.is_empty() && !field.starts_with(b"-")
}

/// The columns of a line, without blanks around them.
fn fields(line: &[u8], semicolons: bool) -> impl Iterator<Item = &[u8]> {
    let separates = move |byte: &u8| if semicolons { *byte == b';' } else { byte.is_ascii_whitespace() };
    line.split(separates).map(<[u8]>::trim_ascii).filter(move |field| semicolons || !field.is_empty())
}

/// The names, in lower case, if a line is a line of column names: as many words as a record has columns, none a number.
pub(crate) fn column_names(line: &[u8]) -> Option<Vec<String>> {
    let words: Vec<&[u8]> = fields(line, line.contains(&b';')).filter(|word| !word.is_empty()).collect();
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
        Oddity::SeveralPreceding => (Rule::PrecedingList, "a list of job numbers".into()),
        Oddity::Fraction(field) => (Rule::Fraction, format!("field {} ({})", field.column(), field.name())),
    };
    counts.count(rule, || example(record, value));
}

fn example(record: &Record, value: String) -> Example {
    Example { line: Some(record.line), job: (record.job > UNKNOWN).then_some(record.job), value }
}

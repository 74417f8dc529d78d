//! Hand-written parser for one record line: this loop dominates the time of reading a log.

use super::number::{self, Whole};
use crate::error::{FieldPlace, Malformed, shortened};
use crate::record::{Field, Record, UNKNOWN};

/// Something unusual about a readable line, to be counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Oddity {
    /// More than 18 columns; the rest was ignored.
    ExtraColumns(usize),
    /// A fraction in a column of whole numbers, rounded.
    Fraction(Field),
    /// Several preceding jobs; the field is unknown.
    SeveralPreceding,
}

const FIELDS: usize = Field::ALL.len();
const CPU: usize = Field::Cpu as usize;
const PRECEDING: usize = Field::PrecedingJob as usize;

fn blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r' | 0x0b | 0x0c)
}

/// Fills `record` from a line that is neither blank nor a comment.
pub(crate) fn parse(line: &[u8], number: u64, record: &mut Record) -> Result<Option<Oddity>, Malformed> {
    let mut values = [0i64; FIELDS];
    let mut cpu = 0.0;
    let mut oddity = None;
    let (mut at, mut count) = (0, 0);
    loop {
        while at < line.len() && blank(line[at]) {
            at += 1;
        }
        if at == line.len() {
            break;
        }
        let begin = at;
        if count == FIELDS {
            let extra = line[at..].split(|&byte| blank(byte)).filter(|token| !token.is_empty()).count();
            // A changed value is more important to report.
            oddity = oddity.or(Some(Oddity::ExtraColumns(extra)));
            break;
        }
        let negative = line[at] == b'-';
        at += usize::from(negative);
        let digits = at;
        let mut value = 0i64;
        while at < line.len() {
            let digit = line[at].wrapping_sub(b'0');
            if digit > 9 {
                break;
            }
            value = value.wrapping_mul(10).wrapping_add(i64::from(digit));
            at += 1;
        }
        // Up to 18 digits cannot overflow.
        let plain = at > digits && at - digits <= 18 && (at == line.len() || blank(line[at]));
        if plain {
            values[count] = if negative { -value } else { value };
            if count == CPU {
                cpu = values[CPU] as f64;
            }
        } else {
            while at < line.len() && !blank(line[at]) {
                at += 1;
            }
            let token = &line[begin..at];
            let bad = |reason| malformed(number, count, token, reason);
            if count == PRECEDING && is_list(token) {
                values[count] = UNKNOWN;
                oddity = Some(Oddity::SeveralPreceding);
            } else if count == CPU {
                cpu = decimal(token).map_or_else(|| number::real(token), Ok).map_err(bad)?;
            } else {
                values[count] = match number::whole(token).map_err(bad)? {
                    Whole::Exact(value) => value,
                    Whole::Rounded(value) => {
                        oddity = Some(Oddity::Fraction(Field::ALL[count]));
                        value
                    }
                };
            }
        }
        count += 1;
    }
    if count < FIELDS {
        let reason = format!("has {count} columns, a record has {FIELDS}");
        return Err(Malformed { line: number, field: None, value: shortened(line), reason });
    }
    fill(record, number, &values, cpu);
    Ok(oddity)
}

/// Whether a token lists several job numbers, as `1&2&3`.
pub(super) fn is_list(token: &[u8]) -> bool {
    let is_number = |part: &[u8]| !part.is_empty() && part.iter().all(u8::is_ascii_digit);
    token.contains(&b'&') && token.split(|&byte| byte == b'&').all(is_number)
}

/// The common decimal (`552.21`): exact as long as its digits fit a float's, which 15 always do.
fn decimal(token: &[u8]) -> Option<f64> {
    if token.len() > 16 {
        return None;
    }
    let (mut digits, mut scale, mut point) = (0u64, 1.0, false);
    for &byte in token {
        match byte {
            b'0'..=b'9' => {
                digits = digits * 10 + u64::from(byte - b'0');
                scale *= if point { 10.0 } else { 1.0 };
            }
            b'.' if !point => point = true,
            _ => return None,
        }
    }
    (scale > 1.0 && token[0] != b'.').then(|| digits as f64 / scale)
}

fn malformed(line: u64, index: usize, token: &[u8], reason: &str) -> Malformed {
    let field = Field::ALL[index];
    let place = FieldPlace { column: field.column(), name: field.name().into() };
    Malformed { line, field: Some(place), value: shortened(token), reason: reason.into() }
}

fn fill(record: &mut Record, line: u64, values: &[i64; FIELDS], cpu: f64) {
    let [
        job,
        submit,
        wait,
        run,
        allocated_procs,
        _,
        memory,
        requested_procs,
        requested_time,
        requested_memory,
        status,
        user,
        group,
        executable,
        queue,
        partition,
        preceding_job,
        think_time,
    ] = *values;
    *record = Record {
        line,
        job,
        submit,
        wait,
        run,
        allocated_procs,
        cpu,
        memory,
        requested_procs,
        requested_time,
        requested_memory,
        status,
        user,
        group,
        executable,
        queue,
        partition,
        preceding_job,
        think_time,
        ending: Record::ending_of_status(status),
        ..Record::default()
    };
}

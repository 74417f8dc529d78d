//! Splits a row into fields, and rejoins fields that a delimiter within a name has split.

use crate::columns::Delimiter;

/// Begin and end of a field in its row.
pub(super) type Span = (usize, usize);

/// The cost of a text that a column cannot hold.
pub(super) const IMPOSSIBLE: u32 = 1 << 20;

/// A row with more surplus fields is not rejoined.
const MOST_SURPLUS: usize = 1_000;

/// Splits a row. Fields separated by commas, semicolons or tabs may be quoted, as spreadsheets write them.
pub(super) fn split(row: &[u8], delimiter: Delimiter, fields: &mut Vec<Span>) {
    fields.clear();
    let quotes = delimiter.is_one_of(b",;\t");
    let mut begin = 0;
    loop {
        if let Some(end) = quotes.then(|| quoted(&row[begin..], delimiter)).flatten() {
            fields.push((begin + 1, begin + end));
            begin += end + 2;
        } else {
            let length = delimiter.find(&row[begin..]);
            let end = begin + length.unwrap_or(row.len() - begin);
            fields.push((begin, end));
            begin = end + if length.is_some() { delimiter.len() } else { 1 };
        }
        if begin > row.len() {
            return;
        }
    }
}

/// Where the closing quote is, if the text begins with a quoted field.
fn quoted(text: &[u8], delimiter: Delimiter) -> Option<usize> {
    let inside = text.strip_prefix(b"\"")?;
    let mut at = 0;
    loop {
        at += inside[at..].iter().position(|&byte| byte == b'"')?;
        match inside.get(at + 1) {
            None => return Some(at + 1),
            Some(&byte) if delimiter.is_one_of(&[byte]) => return Some(at + 1),
            // A doubled quote stands for one.
            Some(b'"') => at += 2,
            Some(_) => return None,
        }
    }
}

/// Joins the fields of a row such that it has `count` of them and delimiters are in the columns at the places `free` only,
/// in the way that costs least: `cost` is that of a field in another column. Of ways that cost the same, the one that gives most to the last of
/// the free columns is taken; `None` if every way is impossible.
pub(super) fn rejoined(
    fields: &[Span],
    count: usize,
    free: &[usize],
    cost: impl Fn(usize, Span) -> u32,
) -> Option<Vec<Span>> {
    let surplus = fields.len().checked_sub(count).filter(|&surplus| surplus <= MOST_SURPLUS)?;
    let width = surplus + 1;
    // For each column and each number of fields given away before it: the least cost from there on, and how many further
    // fields the column takes for that.
    let mut least = vec![IMPOSSIBLE; (count + 1) * width];
    let mut taken = vec![0; count * width];
    least[count * width + surplus] = 0;
    for place in (0..count).rev() {
        let is_free = free.contains(&place);
        for given in 0..width {
            let here = place * width + given;
            let after = (place + 1) * width + given;
            if !is_free {
                least[here] = least[after].saturating_add(cost(place, fields[place + given])).min(IMPOSSIBLE);
                continue;
            }
            for extra in 0..width - given {
                if least[after + extra] < least[here] {
                    (least[here], taken[here]) = (least[after + extra], extra);
                }
            }
        }
    }
    if least[0] >= IMPOSSIBLE {
        return None;
    }
    let mut given = 0;
    let joined = (0..count).map(|place| {
        let begin = fields[place + given].0;
        given += taken[place * width + given];
        (begin, fields[place + given].1)
    });
    Some(joined.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(row: &str, delimiter: u8) -> Vec<&str> {
        separated(row, Delimiter::byte(delimiter))
    }

    fn separated(row: &str, delimiter: Delimiter) -> Vec<&str> {
        let mut fields = Vec::new();
        split(row.as_bytes(), delimiter, &mut fields);
        fields.iter().map(|&(begin, end)| &row[begin..end]).collect()
    }

    #[test]
    fn a_delimiter_may_have_several_bytes() {
        let by = Delimiter::of(b"|#").unwrap();
        assert_eq!(separated("a|#b|c|#|##|#", by), ["a", "b|c", "", "#", ""]);
        assert_eq!(separated("", by), [""]);
        assert_eq!(separated("a|", by), ["a|"]);
    }

    #[test]
    fn quotes_protect_delimiters_where_spreadsheets_write_them() {
        assert_eq!(texts("a|\"b|c\"|", b'|'), ["a", "\"b", "c\"", ""]);
        assert_eq!(texts("a,\"cpu=1,mem=2\",,\"\"", b','), ["a", "cpu=1,mem=2", "", ""]);
        assert_eq!(texts("\"say \"\"no\"\", \",2", b','), ["say \"\"no\"\", ", "2"]);
        assert_eq!(texts("\"a\" b,2", b','), ["\"a\" b", "2"]);
        assert_eq!(texts("\"open,2", b','), ["\"open", "2"]);
        assert_eq!(texts("", b','), [""]);
    }

    /// The row, joined where texts of column 0 are digits and a blank is unlikely elsewhere.
    fn joined<'a>(row: &'a str, count: usize, free: &[usize]) -> Option<Vec<&'a str>> {
        let mut fields = Vec::new();
        split(row.as_bytes(), Delimiter::byte(b'|'), &mut fields);
        let cost = |place: usize, (begin, end): Span| {
            let text = &row[begin..end];
            let is_number = text.bytes().all(|byte| byte.is_ascii_digit());
            if place == 0 && !is_number { IMPOSSIBLE } else { 10 * u32::from(text.contains(' ')) }
        };
        let way = rejoined(&fields, count, free, cost)?;
        Some(way.iter().map(|&(begin, end)| &row[begin..end]).collect())
    }

    #[test]
    fn surplus_fields_go_to_columns_of_free_text_the_last_one_first() {
        assert_eq!(joined("1|a|b|c|d", 3, &[1, 2]), Some(vec!["1", "a", "b|c|d"]));
        assert_eq!(joined("1|a|b|c|d", 3, &[1]), Some(vec!["1", "a|b|c", "d"]));
        assert_eq!(joined("1|a|b", 3, &[1]), Some(vec!["1", "a", "b"]));
        assert_eq!(joined("1|a|b|c|d", 3, &[]), None);
        assert_eq!(joined("x|a|b|c|d", 3, &[1]), None);
        assert_eq!(joined("1|a", 3, &[1]), None);
    }

    #[test]
    fn the_likeliest_way_to_rejoin_is_taken() {
        let row = "1|env | grep x | sort|ada|a|b";
        assert_eq!(joined(row, 4, &[1, 3]), Some(vec!["1", "env | grep x | sort", "ada", "a|b"]));
        let bars = "|".repeat(MOST_SURPLUS + 2);
        assert_eq!(joined(&format!("1{bars}"), 3, &[1]).map(|way| way.len()), Some(3));
        assert_eq!(joined(&format!("1{bars}|"), 3, &[1]), None);
    }
}

//! Splits a row into fields, and rejoins fields that a delimiter within a name has split.

/// Begin and end of a field in its row.
pub(super) type Span = (usize, usize);

/// More ways to rejoin a row are not tried.
const MOST_WAYS: usize = 1_000;

/// Splits a row. Fields separated by commas, semicolons or tabs may be quoted, as spreadsheets write them.
pub(super) fn split(row: &[u8], delimiter: u8, fields: &mut Vec<Span>) {
    fields.clear();
    let quotes = matches!(delimiter, b',' | b';' | b'\t');
    let mut begin = 0;
    loop {
        if let Some(end) = quotes.then(|| quoted(&row[begin..], delimiter)).flatten() {
            fields.push((begin + 1, begin + end));
            begin += end + 2;
        } else {
            let length = row[begin..].iter().position(|&byte| byte == delimiter);
            let end = begin + length.unwrap_or(row.len() - begin);
            fields.push((begin, end));
            begin = end + 1;
        }
        if begin > row.len() {
            return;
        }
    }
}

/// Where the closing quote is, if the text begins with a quoted field.
fn quoted(text: &[u8], delimiter: u8) -> Option<usize> {
    let inside = text.strip_prefix(b"\"")?;
    let mut at = 0;
    loop {
        at += inside[at..].iter().position(|&byte| byte == b'"')?;
        match inside.get(at + 1) {
            None => return Some(at + 1),
            Some(&byte) if byte == delimiter => return Some(at + 1),
            // A doubled quote stands for one.
            Some(b'"') => at += 2,
            Some(_) => return None,
        }
    }
}

/// The ways to rejoin the fields of a row that has too many of them, given the places of the columns that may hold
/// delimiters: first those that give all of them to the last such column.
pub(super) fn rejoined(fields: &[Span], count: usize, free: &[usize]) -> impl Iterator<Item = Vec<Span>> {
    let surplus = fields.len().saturating_sub(count);
    let mut ways = Vec::new();
    if surplus > 0 && !free.is_empty() {
        share(surplus, free.len(), &mut Vec::new(), &mut ways);
    }
    ways.into_iter().map(move |shares| {
        let mut rest = fields.iter();
        let mut joined = Vec::with_capacity(count);
        for place in 0..count {
            let extra = free.iter().position(|&free| free == place).map_or(0, |at| shares[at]);
            let Some(&(begin, end)) = rest.next() else { break };
            let end = (0..extra).filter_map(|_| rest.next()).last().map_or(end, |&(_, end)| end);
            joined.push((begin, end));
        }
        joined
    })
}

/// Shares delimiters among columns, the last column first.
fn share(surplus: usize, columns: usize, later: &mut Vec<usize>, ways: &mut Vec<Vec<usize>>) {
    if ways.len() >= MOST_WAYS {
        return;
    }
    if columns == 1 {
        ways.push(std::iter::once(surplus).chain(later.iter().rev().copied()).collect());
        return;
    }
    for here in (0..=surplus).rev() {
        later.push(here);
        share(surplus - here, columns - 1, later, ways);
        later.pop();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(row: &str, delimiter: u8) -> Vec<&str> {
        let mut fields = Vec::new();
        split(row.as_bytes(), delimiter, &mut fields);
        fields.iter().map(|&(begin, end)| &row[begin..end]).collect()
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

    #[test]
    fn surplus_fields_go_to_columns_of_free_text_the_last_one_first() {
        let row = "1|a|b|c|d";
        let mut fields = Vec::new();
        split(row.as_bytes(), b'|', &mut fields);
        let ways: Vec<Vec<&str>> = rejoined(&fields, 3, &[1, 2])
            .map(|way| way.iter().map(|&(begin, end)| &row[begin..end]).collect())
            .collect();
        assert_eq!(ways, [["1", "a", "b|c|d"], ["1", "a|b", "c|d"], ["1", "a|b|c", "d"]]);
        assert_eq!(rejoined(&fields, 3, &[]).count(), 0);
        assert_eq!(rejoined(&fields, 5, &[1]).count(), 0);
        let many: Vec<Span> = (0..2_000).map(|at| (at, at)).collect();
        assert_eq!(rejoined(&many, 20, &[3, 4, 5, 6, 7, 8]).count(), MOST_WAYS);
    }
}

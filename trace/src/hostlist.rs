//! Lists of nodes as Slurm writes them: `node[01-04,07],login1`.

/// More nodes than this are no list of a site's nodes.
const MOST: usize = 1 << 20;

/// The names in a list of nodes; `None` if it is not one. Ranges keep their leading zeros; a name may have several of them.
pub fn expanded(list: &str) -> Option<Vec<String>> {
    let mut names = Vec::new();
    for part in parts(list)? {
        let more = names_of(part)?;
        if names.len() + more.len() > MOST {
            return None;
        }
        names.extend(more);
    }
    Some(names)
}

/// Names that differ in the number at their end: what is before it, the width of numbers, and ranges of them.
type NumberedNames<'a> = (&'a str, usize, Vec<(u32, u32)>);

/// A list of nodes as short as Slurm writes it: neighbouring names that differ in the number at their end are one part.
pub fn compressed(names: &[&str]) -> String {
    let mut parts: Vec<NumberedNames<'_>> = Vec::new();
    for name in names {
        let digits = name.bytes().rev().take_while(u8::is_ascii_digit).count();
        let (before, number) = name.split_at(name.len() - digits);
        let Some(value) = number.parse::<u32>().ok().filter(|_| digits < 10) else {
            parts.push((name, 0, Vec::new()));
            continue;
        };
        // Numbers without leading zeros may have several widths.
        let width = if number.starts_with('0') || value == 0 { digits } else { 0 };
        let fits = |&&mut (other, wide, ref ranges): &&mut NumberedNames<'_>| {
            other == before && !ranges.is_empty() && (wide == width || (width == 0 && wide == digits))
        };
        match parts.last_mut().filter(fits) {
            Some((_, _, ranges)) => match ranges.last_mut() {
                Some((_, last)) if last.checked_add(1) == Some(value) => *last = value,
                _ => ranges.push((value, value)),
            },
            None => parts.push((before, width, vec![(value, value)])),
        }
    }
    let shown = |(before, width, ranges): &NumberedNames<'_>| {
        let width = *width;
        let range = |&(first, last): &(u32, u32)| match last - first {
            0 => format!("{first:0width$}"),
            _ => format!("{first:0width$}-{last:0width$}"),
        };
        let ranges: Vec<String> = ranges.iter().map(range).collect();
        match &ranges[..] {
            [] => (*before).to_owned(),
            [one] if !one.contains('-') => format!("{before}{one}"),
            several => format!("{before}[{}]", several.join(",")),
        }
    };
    parts.iter().map(shown).collect::<Vec<_>>().join(",")
}

/// Splits at the commas outside brackets.
fn parts(list: &str) -> Option<Vec<&str>> {
    let (mut parts, mut from, mut inside) = (Vec::new(), 0, false);
    for (place, letter) in list.char_indices() {
        match letter {
            '[' if inside => return None,
            '[' => inside = true,
            ']' if !inside => return None,
            ']' => inside = false,
            ',' if !inside => {
                parts.push(&list[from..place]);
                from = place + 1;
            }
            _ => {}
        }
    }
    parts.push(&list[from..]);
    (!inside && parts.iter().all(|part| !part.is_empty())).then_some(parts)
}

/// The names that one part stands for: the first bracket is expanded, then the rest.
fn names_of(part: &str) -> Option<Vec<String>> {
    let Some((before, rest)) = part.split_once('[') else { return Some(vec![part.to_owned()]) };
    let (ranges, after) = rest.split_once(']')?;
    let ends = names_of(after)?;
    let mut names = Vec::new();
    for range in ranges.split(',') {
        let (first, last) = range.split_once('-').unwrap_or((range, range));
        let (from, to) = (first.parse::<u32>().ok()?, last.parse::<u32>().ok()?);
        if (to.checked_sub(from)? as usize + 1).checked_mul(ends.len())? > MOST {
            return None;
        }
        let width = first.len();
        for number in from..=to {
            for end in &ends {
                let mut name = String::with_capacity(before.len() + width.max(10) + end.len());
                name.push_str(before);
                push_number(&mut name, number, width);
                name.push_str(end);
                names.push(name);
            }
        }
    }
    Some(names)
}

/// Writes a number in at least this many digits, as `{number:0width$}` does: a row may name thousands of nodes.
fn push_number(text: &mut String, number: u32, width: usize) {
    let (mut digits, mut from, mut rest) = ([b'0'; 10], 10, number);
    while rest > 0 || from == 10 {
        from -= 1;
        digits[from] = b'0' + (rest % 10) as u8;
        rest /= 10;
    }
    text.extend(std::iter::repeat_n('0', width.saturating_sub(10 - from)));
    text.extend(digits[from..].iter().map(|&digit| char::from(digit)));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_at_least_their_width() {
        for number in [0, 7, 10, 99, 12_345, u32::MAX] {
            for width in [0, 1, 2, 5, 6, 10, 12] {
                let mut text = "n".to_owned();
                push_number(&mut text, number, width);
                assert_eq!(text, format!("n{number:0width$}"));
            }
        }
    }

    #[test]
    fn lists_are_expanded() {
        for (list, names) in [
            ("node01", "node01"),
            ("node[01-03]", "node01 node02 node03"),
            ("node[01,05],login", "node01 node05 login"),
            ("n[8-11]", "n8 n9 n10 n11"),
            ("rack[1-2]n[01-02]x", "rack1n01x rack1n02x rack2n01x rack2n02x"),
        ] {
            assert_eq!(expanded(list).unwrap().join(" "), names, "{list}");
        }
        for odd in ["", "a,,b", "n[1-", "n]1[", "n[[1]]", "n[a-b]", "n[5-1]", "n[0-4294967295]", "n[1-2-3]"] {
            assert_eq!(expanded(odd), None, "{odd}");
        }
    }

    #[test]
    fn short_lists_stand_for_the_same_names() {
        for (names, list) in [
            ("c01 c02 c03", "c[01-03]"),
            ("b1 g1 m1 m2 m4", "b1,g1,m[1-2,4]"),
            ("n8 n9 n10 n11", "n[8-11]"),
            ("n08 n09 n10 n11", "n[08-11]"),
            ("n099 n100 n1000", "n[099-100],n1000"),
            ("login n1", "login,n1"),
            ("n1 n01 n2", "n1,n01,n2"),
            ("n99999999999 x", "n99999999999,x"),
            ("n0 n1", "n[0-1]"),
            ("n00 n1", "n00,n1"),
        ] {
            let all: Vec<&str> = names.split(' ').collect();
            assert_eq!(compressed(&all), list);
            assert_eq!(expanded(list).unwrap(), all);
        }
        assert_eq!(compressed(&[]), "");
    }
}

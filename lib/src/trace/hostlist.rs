//! Lists of nodes as Slurm writes them: `node[01-04,07],login1`.

/// More nodes than this are no list of a site's nodes.
const MOST: usize = 1 << 20;

/// The names in a list of nodes; `None` if it is not one. Ranges keep their leading zeros; a name may have several of them.
pub(crate) fn expanded(list: &str) -> Option<Vec<String>> {
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
        for number in from..=to {
            let width = first.len();
            names.extend(ends.iter().map(|end| format!("{before}{number:0width$}{end}")));
        }
    }
    Some(names)
}

#[cfg(test)]
mod tests {
    use super::*;

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
}

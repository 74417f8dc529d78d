//! Tables in texts: what separates their columns, and what a line of one looks like.

/// What separates the columns of accounting: one byte, or several (`sacct --delimiter='|#'`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Delimiter {
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
pub(crate) fn delimiter(header: &[u8]) -> Option<Delimiter> {
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

/// Splits a line at the first character that tables use as a delimiter.
pub(crate) fn columns(line: &[u8]) -> impl Iterator<Item = &[u8]> {
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

/// The first line after the first that is neither blank nor a comment.
pub(crate) fn second_line(beginning: &[u8]) -> Option<&[u8]> {
    let lines = beginning.split(|&byte| byte == b'\n').map(<[u8]>::trim_ascii);
    let mut lines = lines.filter(|line| !line.is_empty());
    lines.next()?;
    lines.find(|line| !matches!(line[0], b'#' | b';'))
}

/// How many leading words of the line are numbers.
pub(crate) fn numbers(line: &[u8]) -> usize {
    let number = |word: &&[u8]| {
        word.iter().any(u8::is_ascii_digit)
            && word
                .iter()
                .all(|byte| byte.is_ascii_digit() || matches!(byte, b'-' | b'+' | b'.' | b'e' | b'E'))
    };
    let separates = |byte: &u8| byte.is_ascii_whitespace() || *byte == b';';
    line.split(separates).filter(|word| !word.is_empty()).take_while(number).count()
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
}

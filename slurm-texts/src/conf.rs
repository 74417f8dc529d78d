//! Configuration files: lines of `Key=Value` pairs, with comments, quotes and continued lines; and records of
//! `scontrol show`, on one line or on several.

use super::notes::{KeyValue, Notes};

/// One logical line: its pairs, in order; never empty.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ConfEntry(pub Vec<KeyValue>);

impl ConfEntry {
    /// The first pair, which says what the line is about.
    pub fn head(&self) -> &KeyValue {
        &self.0[0]
    }

    /// The pair of a key.
    pub fn pair(&self, key: &str) -> Option<&KeyValue> {
        self.0.iter().find(|said| said.key.eq_ignore_ascii_case(key))
    }

    /// The value of a key.
    pub fn value(&self, key: &str) -> Option<&str> {
        self.pair(key).map(|said| said.value.as_str())
    }
}

/// The lines of a configuration file. Files it includes are named in the notes and not followed.
pub(super) fn entries(file: &str, text: &str, notes: &mut Notes) -> Vec<ConfEntry> {
    let mut entries = Vec::new();
    for (line, text) in logical_lines(text) {
        let text = text.trim();
        if text.is_empty() {
            continue;
        }
        let first = text.split_whitespace().next().unwrap_or_default();
        if first.eq_ignore_ascii_case("include") {
            let included = text[first.len()..].trim();
            let said = KeyValue { file: file.into(), line, key: "Include".into(), value: included.into() };
            notes.not_modelled(&said);
            continue;
        }
        match pairs(text) {
            Some(pairs) if !pairs.is_empty() => {
                let said = |(key, value)| KeyValue { file: file.to_owned(), line, key, value };
                entries.push(ConfEntry(pairs.into_iter().map(said).collect()));
            }
            _ => notes.unread_line(file, line, text, "Key=Value pairs"),
        }
    }
    entries
}

/// Lines of one kind, each with its head, what it says itself and what the `DEFAULT` lines before it say besides.
pub(super) fn with_defaults<'a>(
    entries: &'a [ConfEntry],
    kind: &str,
) -> Vec<(&'a KeyValue, Vec<&'a KeyValue>)> {
    let (mut found, mut defaults) = (Vec::new(), Vec::<&KeyValue>::new());
    for entry in entries.iter().filter(|entry| entry.head().name() == kind) {
        let own = &entry.0[1..];
        let is_said_again = |one: &KeyValue| own.iter().any(|new| new.name() == one.name());
        let inherited = defaults.iter().copied().filter(|one| !is_said_again(one));
        let said: Vec<&KeyValue> = inherited.chain(own).collect();
        if entry.head().value.eq_ignore_ascii_case("DEFAULT") {
            defaults = said;
        } else {
            found.push((entry.head(), said));
        }
    }
    found
}

/// Lines without comments, continued ones joined, each with the number of its first line.
fn logical_lines(text: &str) -> Vec<(usize, String)> {
    let (mut lines, mut open) = (Vec::new(), None::<(usize, String)>);
    for (number, line) in (1..).zip(text.lines()) {
        let bare = without_comment(line);
        let (begun, mut whole) = open.take().unwrap_or((number, String::new()));
        match bare.trim_end().strip_suffix('\\') {
            Some(part) => {
                whole.push_str(part);
                open = Some((begun, whole));
            }
            None => {
                whole.push_str(bare);
                lines.push((begun, whole));
            }
        }
    }
    lines.extend(open);
    lines
}

/// The line up to a `#` that is neither escaped nor quoted.
fn without_comment(line: &str) -> &str {
    let (mut escaped, mut quoted) = (false, false);
    for (at, letter) in line.char_indices() {
        match letter {
            '#' if !escaped && !quoted => return &line[..at],
            '"' if !escaped => quoted = !quoted,
            _ => {}
        }
        escaped = letter == '\\' && !escaped;
    }
    // A quote that does not end hides no comment.
    if quoted { line.split('#').next().unwrap_or_default() } else { line }
}

/// `Key=Value` pairs with blanks between; values may be quoted; blanks around the `=` do not count.
fn pairs(text: &str) -> Option<Vec<(String, String)>> {
    let (mut pairs, mut rest) = (Vec::new(), text.trim_start());
    while !rest.is_empty() {
        let (key, after) = rest.split_once('=')?;
        // `Key+=Value` adds to what a DEFAULT line says; it is read as a value.
        let key = key.trim_end().trim_end_matches(['+', '-']);
        if key.is_empty() || key.contains(char::is_whitespace) {
            return None;
        }
        let after = after.trim_start_matches([' ', '\t']);
        let (value, more) = match after.strip_prefix('"') {
            Some(quoted) => quoted.split_once('"')?,
            None => after.split_at(after.find(char::is_whitespace).unwrap_or(after.len())),
        };
        pairs.push((key.to_owned(), value.to_owned()));
        rest = more.trim_start();
    }
    Some(pairs)
}

/// The records of `scontrol show node|partition|reservation`: each begins with `head` at the begin of a line. A value goes on
/// until the next key; of a key that comes twice the first counts, since users choose the texts at the end of a record.
pub(super) fn records(file: &str, text: &str, head: &str, notes: &mut Notes) -> Vec<ConfEntry> {
    let mut records: Vec<ConfEntry> = Vec::new();
    for (line, content) in (1..).zip(text.lines()) {
        if content.trim().is_empty() {
            continue;
        }
        let begins = content.strip_prefix(head).is_some_and(|rest| rest.starts_with('='));
        if begins {
            records.push(ConfEntry(Vec::new()));
        }
        let Some(record) = records.last_mut().filter(|_| begins || content.starts_with(char::is_whitespace))
        else {
            notes.unread_line(file, line, content, &format!("{head}="));
            continue;
        };
        let mut last = None;
        for word in content.split_whitespace() {
            match word.split_once('=').filter(|(key, _)| is_key(key)) {
                Some((key, value)) => {
                    let known = record.0.iter().any(|said| said.key == key);
                    if known {
                        last = None;
                    } else {
                        let (key, value) = (key.to_owned(), value.to_owned());
                        record.0.push(KeyValue { file: file.to_owned(), line, key, value });
                        last = Some(record.0.len() - 1);
                    }
                }
                None => {
                    if let Some(said) = last.and_then(|at| record.0.get_mut(at)) {
                        said.value.push(' ');
                        said.value.push_str(word);
                    }
                }
            }
        }
    }
    records
}

/// Whether it looks like a key of `scontrol`.
fn is_key(text: &str) -> bool {
    text.starts_with(|letter: char| letter.is_ascii_uppercase())
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b':' | b'/'))
}

/// The settings of `scontrol show config`: `Key = Value`, one a line; other lines are headings.
pub(super) fn settings(file: &str, text: &str) -> Vec<KeyValue> {
    let lines = (1..).zip(text.lines());
    let setting = |(line, text): (usize, &str)| {
        let (key, value) = text.split_once('=')?;
        let key = key.trim();
        let key = key.split('[').next().unwrap_or(key);
        let plain = !key.is_empty() && key.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
        plain.then(|| KeyValue {
            file: file.to_owned(),
            line,
            key: key.to_owned(),
            value: value.trim().to_owned(),
        })
    };
    lines.filter_map(setting).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> (Vec<ConfEntry>, Notes) {
        let mut notes = Notes::default();
        (entries("f", text, &mut notes), notes)
    }

    #[test]
    fn lines_have_comments_continuations_and_quotes() {
        let (entries, notes) = read(
            "# all\nKillWait=30 # why\nNodeName=n[1-2] \\\n  CPUs=4 Reason=\"a b#c\"\n\nInclude more.conf\nSchedulerType = sched/backfill\n",
        );
        assert_eq!(entries.len(), 3);
        assert_eq!((entries[0].head().value.as_str(), entries[0].head().line), ("30", 2));
        assert_eq!((entries[1].value("cpus"), entries[1].value("reason")), (Some("4"), Some("a b#c")));
        assert_eq!(entries[2].head().value, "sched/backfill");
        assert_eq!((notes.unmodelled.len(), notes.unmodelled[0].line), (1, Some(6)));
        let (entries, notes) = read("what is this\n=5\nA=\"x\n");
        assert_eq!((entries.len(), notes.misread.len(), notes.misread[1].line), (0, 3, 2));
    }

    #[test]
    fn records_are_on_one_line_or_several() {
        let one = "NodeName=a Arch=x OS=Linux 6.1 #1 SMP  State=IDLE Reason=he said State=DOWN\nNodeName=b State=DOWN\n";
        let several = "NodeName=a Arch=x \n   OS=Linux 6.1 #1 SMP \n   State=IDLE\n   Reason=he said State=DOWN\n\nNodeName=b State=DOWN\n";
        for text in [one, several] {
            let mut notes = Notes::default();
            let records = records("f", text, "NodeName", &mut notes);
            assert_eq!(records.len(), 2);
            assert_eq!(records[0].value("OS"), Some("Linux 6.1 #1 SMP"));
            assert_eq!((records[0].value("State"), records[1].value("State")), (Some("IDLE"), Some("DOWN")));
            assert!(notes.misread.is_empty());
        }
        let mut notes = Notes::default();
        assert!(records("f", "slurm_load_node error\n", "NodeName", &mut notes).is_empty());
        assert_eq!(notes.misread.len(), 1);
    }

    #[test]
    fn settings_are_one_a_line() {
        let text = "Configuration data as of 5\nKillWait   = 30 sec\nSlurmctldHost[0] = a(1)\nOdd line\nPowerPlugin = \n";
        let read = settings("f", text);
        let keys: Vec<&str> = read.iter().map(|said| said.key.as_str()).collect();
        assert_eq!(keys, ["KillWait", "SlurmctldHost", "PowerPlugin"]);
        assert_eq!((read[0].value.as_str(), read[0].line, read[2].value.as_str()), ("30 sec", 2, ""));
    }
}

//! Header comments: kept byte by byte, with the known entries parsed.

use std::collections::BTreeMap;

use serde::{Serialize, Serializer};

use queuecast_core::workload::Names;

/// Beginning of the note that marks `MaxProcs` as a guess.
pub(crate) const GUESSED: &str = "MaxProcs is the size of the largest job";

/// Beginning of the note that makes the allocated processors a job's size.
pub(crate) const HELD: &str = "jobs are as large as their allocated processors";

/// One comment line as it stands in the file, without its line end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Comment {
    /// Line in the file, from 1.
    pub line: u64,
    /// The line from its first byte on, semicolon and indentation included. Need not be UTF-8.
    pub bytes: Vec<u8>,
}

impl Serialize for Comment {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&String::from_utf8_lossy(&self.bytes))
    }
}

/// `Key: value`, continuation lines joined by line feeds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Entry {
    /// Spelled as in the file.
    pub key: String,
    /// The text after the colon.
    pub value: String,
}

/// The header comments of a log.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Header {
    /// Every comment in the file, in order, those between records included.
    pub comments: Vec<Comment>,
    /// Every `Key: value` among them, known keys or not, in order (`Acknowledge`, `Copyright`, `Note`…).
    pub entries: Vec<Entry>,
    /// Version of the format.
    pub version: Option<String>,
    /// The machine.
    pub computer: Option<String>,
    /// The site.
    pub installation: Option<String>,
    /// Whom to acknowledge, one element per entry.
    pub acknowledge: Vec<String>,
    /// References.
    pub information: Vec<String>,
    /// Who converted the log.
    pub conversion: Option<String>,
    /// Jobs in the log, according to its author.
    pub max_jobs: Option<i64>,
    /// Records in the log, according to its author.
    pub max_records: Option<i64>,
    /// Whether jobs were preempted.
    pub preemption: Option<String>,
    /// Unix time of second 0.
    pub unix_start_time: Option<i64>,
    /// Seconds east of Greenwich; deprecated in favour of the next.
    pub time_zone: Option<i64>,
    /// Name of the time zone.
    pub time_zone_string: Option<String>,
    /// When the log begins, as text.
    pub start_time: Option<String>,
    /// When it ends, as text.
    pub end_time: Option<String>,
    /// Nodes of the machine.
    pub max_nodes: Option<i64>,
    /// Processors of the machine.
    pub max_procs: Option<i64>,
    /// Whether a note says that `MaxProcs` is only the size of the largest job, as this library writes it if
    /// the size is unknown.
    #[serde(skip)]
    pub max_procs_guessed: bool,
    /// Whether a note says that jobs are as large as what they were allocated, as this library writes it when
    /// it converts accounting records.
    #[serde(skip)]
    pub accounting: bool,
    /// Longest run time allowed, seconds.
    pub max_runtime: Option<i64>,
    /// Memory per processor, kilobytes.
    pub max_memory: Option<i64>,
    /// Whether jobs may use more than they asked for.
    pub allow_overuse: Option<String>,
    /// How many queues there are.
    pub max_queues: Option<i64>,
    /// Description of the queues.
    pub queues: Option<String>,
    /// How many partitions there are.
    pub max_partitions: Option<i64>,
    /// Description of the partitions.
    pub partitions: Option<String>,
    /// Remarks.
    pub notes: Vec<String>,
    /// Names for the numbers in the records: of queues and partitions, and of users, groups and executables
    /// where notes of the form `User 3 = alice` give them.
    #[serde(serialize_with = "serialize_names")]
    pub names: Names,
    /// Whether the next comment may continue the last entry.
    #[serde(skip)]
    open: bool,
}

fn serialize_names<S: Serializer>(names: &Names, serializer: S) -> Result<S::Ok, S::Error> {
    let tables: BTreeMap<&str, &BTreeMap<u32, String>> = BTreeMap::from([
        ("users", &names.users),
        ("groups", &names.groups),
        ("accounts", &names.accounts),
        ("executables", &names.executables),
        ("queues", &names.queues),
        ("partitions", &names.partitions),
        ("qos", &names.qos),
    ]);
    tables.serialize(serializer)
}

impl Header {
    /// Takes in one comment line (`line` begins, after blanks, with a semicolon).
    pub fn push(&mut self, number: u64, line: &[u8]) {
        self.comments.push(Comment { line: number, bytes: line.to_vec() });
        let text = String::from_utf8_lossy(line);
        let body = text.trim_start().trim_start_matches(';');
        let content = body.trim();
        if content.is_empty() {
            self.open = false;
            return;
        }
        let indented = body.starts_with("  ") || body.trim_start_matches(' ').starts_with('\t');
        match content.split_once(':') {
            Some((key, value)) if known(key) || (is_key(key, value) && !(indented && self.open)) => {
                self.entries.push(Entry { key: key.trim().into(), value: value.trim().into() });
                self.understand(key.trim(), value.trim());
                self.open = true;
            }
            _ if self.open && indented => self.continue_entry(content),
            _ => self.open = false,
        }
    }

    fn continue_entry(&mut self, content: &str) {
        let Some(entry) = self.entries.last_mut() else { return };
        entry.value.push('\n');
        entry.value.push_str(content);
        let (key, value) = (entry.key.to_ascii_lowercase(), entry.value.clone());
        let list = match key.as_str() {
            "acknowledge" => &mut self.acknowledge,
            "information" => &mut self.information,
            "note" => &mut self.notes,
            _ => return,
        };
        if let Some(last) = list.last_mut() {
            *last = value;
        }
    }

    fn understand(&mut self, key: &str, value: &str) {
        let text = || Some(value.to_owned()).filter(|text| !text.is_empty());
        match key.to_ascii_lowercase().as_str() {
            "version" => self.version = text(),
            "computer" => self.computer = text(),
            "installation" => self.installation = text(),
            "acknowledge" => self.acknowledge.push(value.into()),
            "information" => self.information.push(value.into()),
            "conversion" => self.conversion = text(),
            "maxjobs" => self.max_jobs = leading_integer(value),
            "maxrecords" => self.max_records = leading_integer(value),
            "preemption" => self.preemption = text(),
            "unixstarttime" => self.unix_start_time = leading_integer(value),
            "timezone" => self.time_zone = leading_integer(value),
            "timezonestring" => self.time_zone_string = text(),
            "starttime" => self.start_time = text(),
            "endtime" => self.end_time = text(),
            "maxnodes" => self.max_nodes = leading_integer(value),
            "maxprocs" => {
                self.max_procs = leading_integer(value);
                self.max_procs_guessed = false;
            }
            "maxruntime" => self.max_runtime = leading_integer(value),
            "maxmemory" => self.max_memory = leading_integer(value),
            "allowoveruse" => self.allow_overuse = text(),
            "maxqueues" => self.max_queues = leading_integer(value),
            "queues" => self.queues = text(),
            "queue" => name_number(&mut self.names.queues, value),
            "maxpartitions" => self.max_partitions = leading_integer(value),
            "partitions" => self.partitions = text(),
            "partition" => name_number(&mut self.names.partitions, value),
            "note" => {
                self.notes.push(value.into());
                self.accounting |= value.starts_with(HELD);
                self.max_procs_guessed |= value.starts_with(GUESSED);
                self.name_in_note(value);
            }
            _ => {}
        }
    }

    /// `User 3 = alice`, as this library writes names for which the format has no header of their own.
    fn name_in_note(&mut self, note: &str) {
        let Some((left, name)) = note.split_once(" = ") else { return };
        let Some((kind, number)) = left.split_once(' ') else { return };
        let Ok(number) = number.trim().parse() else { return };
        let names = match kind {
            "User" => &mut self.names.users,
            "Group" => &mut self.names.groups,
            "Executable" => &mut self.names.executables,
            _ => return,
        };
        names.insert(number, name.trim().into());
    }
}

/// Key, in lower case, and value of a comment of the form `; Key: value`.
pub(crate) fn entry(comment: &[u8]) -> Option<(String, String)> {
    let text = String::from_utf8_lossy(comment);
    let (key, value) = text.trim_start().trim_start_matches(';').split_once(':')?;
    Some((key.trim().to_ascii_lowercase(), value.trim().to_owned()))
}

/// Whether `key: value` is an entry, though of a kind the format does not define; an address is not.
fn is_key(key: &str, value: &str) -> bool {
    let key = key.trim();
    let word = key.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    word && !key.is_empty() && !value.starts_with("//")
}

fn known(key: &str) -> bool {
    const KEYS: [&str; 25] = [
        "version",
        "computer",
        "installation",
        "acknowledge",
        "information",
        "conversion",
        "maxjobs",
        "maxrecords",
        "preemption",
        "unixstarttime",
        "timezone",
        "timezonestring",
        "starttime",
        "endtime",
        "maxnodes",
        "maxprocs",
        "maxruntime",
        "maxmemory",
        "allowoveruse",
        "maxqueues",
        "queues",
        "queue",
        "maxpartitions",
        "partitions",
        "partition",
    ];
    let key = key.trim();
    key.eq_ignore_ascii_case("note") || KEYS.iter().any(|known| known.eq_ignore_ascii_case(key))
}

/// `338` out of `338 (batch partition; 512 total)`.
fn leading_integer(value: &str) -> Option<i64> {
    let digits =
        value.bytes().skip(usize::from(value.starts_with('-'))).take_while(u8::is_ascii_digit).count();
    let end = digits + usize::from(value.starts_with('-'));
    value[..end].parse().ok()
}

/// `3 normal`: number, then name.
fn name_number(names: &mut BTreeMap<u32, String>, value: &str) {
    let (number, name) = value.split_once(char::is_whitespace).unwrap_or((value, ""));
    let name = name.trim();
    if let (Ok(number), false) = (number.parse(), name.is_empty()) {
        names.insert(number, name.to_owned());
    }
}

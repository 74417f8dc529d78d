//! One connection to a server, by version 3.0 of PostgreSQL's protocol: statements with values in their binary form, and nothing else.
//!
//! A blocking client of a few messages, since those at hand bring a runtime of their own: they would add 27 CPU-seconds to the first build.

use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};
use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{TcpStream, ToSocketAddrs};
use std::time::Duration;

use super::address::ServerAddress;
use super::login::{Exchange, MECHANISM};
use crate::store::StoreError;
use crate::store::database::{SqlKind, SqlRow, SqlValue, SqlValues};
use crate::store::error::PATIENCE;

/// How long a server may take to accept a connection.
const CONNECTED_WITHIN: Duration = Duration::from_secs(10);

/// How long a server may be silent while it answers.
const ANSWERED_WITHIN: Duration = Duration::from_secs(300);

/// No message is longer, by the protocol.
const LONGEST: usize = 1 << 30;

/// A way to a server.
trait Stream: Read + Write + Send {}

impl<S: Read + Write + Send> Stream for S {}

/// A connection that is logged in.
pub(super) struct Connection {
    stream: BufReader<Box<dyn Stream>>,
    /// The statements that the server knows, by their text.
    statements: HashMap<String, usize>,
    /// Whether the connection has ended.
    is_broken: bool,
}

/// What an answer ends with.
#[derive(Default)]
struct Ended {
    /// Rows that were changed.
    changed: usize,
    /// What went wrong; the first of it.
    wrong: Option<StoreError>,
}

impl Connection {
    /// Connects and logs in.
    pub(super) fn open(address: &ServerAddress) -> Result<Connection, StoreError> {
        let stream = stream(address).map_err(away)?;
        let stream = BufReader::with_capacity(1 << 16, stream);
        let mut connection = Connection { stream, statements: HashMap::new(), is_broken: false };
        let mut start = 196_608_u32.to_be_bytes().to_vec();
        let settings = [
            ("user", address.user.as_str()),
            ("database", &address.database),
            ("application_name", "queuecast"),
            ("client_encoding", "UTF8"),
        ];
        for text in settings.iter().flat_map(|(name, value)| [name, value]) {
            start.extend(text.bytes());
            start.push(0);
        }
        start.push(0);
        let mut message = Vec::new();
        put_length(&mut message, &start);
        connection.send(&message)?;
        connection.log_in(address)?;
        Ok(connection)
    }

    /// Whether it has ended: nothing can be asked any more.
    pub(super) fn is_broken(&self) -> bool {
        self.is_broken
    }

    fn log_in(&mut self, address: &ServerAddress) -> Result<(), StoreError> {
        let mut exchange: Option<Exchange> = None;
        loop {
            let (kind, body) = self.message()?;
            if kind == b'E' {
                return Err(refused(&body));
            }
            if kind == b'Z' {
                return Ok(());
            }
            if kind != b'R' {
                continue;
            }
            let said =
                |from: usize| String::from_utf8_lossy(body.get(from..).unwrap_or_default()).into_owned();
            let denied = |why: &str| StoreError::Denied(why.to_owned());
            match body.get(..4).map(|code| u32::from_be_bytes([code[0], code[1], code[2], code[3]])) {
                Some(0) => {}
                Some(10) => {
                    if !said(4).split('\0').any(|name| name == MECHANISM) {
                        return Err(denied("it asks for a login other than scram-sha-256"));
                    }
                    let password = address.password().ok_or_else(|| denied("it asks for a password"))?;
                    let begun = exchange.insert(Exchange::with(password, random()));
                    let mut answer = Vec::new();
                    put_text(&mut answer, MECHANISM);
                    put_length_before(&mut answer, begun.begin().as_bytes());
                    self.send_message(b'p', &answer)?;
                }
                Some(11) => {
                    let begun = exchange.as_mut().ok_or_else(|| denied("its login is out of order"))?;
                    let answer = begun.answer(&said(4)).map_err(StoreError::Denied)?;
                    self.send_message(b'p', answer.as_bytes())?;
                }
                Some(12) => {
                    if !exchange.as_ref().is_some_and(|begun| begun.is_signed(&said(4))) {
                        return Err(denied("it does not know the password itself"));
                    }
                }
                _ => {
                    let why = "it asks for a login that is not supported: scram-sha-256, peer and trust are";
                    return Err(denied(why));
                }
            }
        }
    }

    /// Runs statements without values.
    pub(super) fn run_all(&mut self, asked: &str) -> Result<(), StoreError> {
        let mut body = Vec::new();
        put_text(&mut body, asked);
        self.send_message(b'Q', &body)?;
        let ended = self.answer(&mut |_| Ok(()))?;
        ended.wrong.map_or(Ok(()), Err)
    }

    /// Runs a statement with values: how many rows it changed. `each` gets the rows that it has.
    pub(super) fn run(
        &mut self,
        asked: &str,
        values: &[Option<Vec<u8>>],
        each: &mut dyn FnMut(&dyn SqlRow) -> Result<(), StoreError>,
    ) -> Result<usize, StoreError> {
        let mut sent = Vec::new();
        let known = self.statements.len();
        let (number, is_new) = match self.statements.get(asked) {
            Some(&number) => (number, false),
            None => (known, true),
        };
        let name = format!("s{number}");
        if is_new {
            let mut parse = Vec::new();
            put_text(&mut parse, &name);
            put_text(&mut parse, &of_postgres(asked));
            parse.extend(0_u16.to_be_bytes());
            put_message(&mut sent, b'P', &parse);
        }
        let mut bind = Vec::new();
        put_text(&mut bind, "");
        put_text(&mut bind, &name);
        // Values and results in their binary form.
        bind.extend([0, 1, 0, 1]);
        bind.extend((values.len() as u16).to_be_bytes());
        for value in values {
            match value {
                Some(bytes) => put_length_before(&mut bind, bytes),
                None => bind.extend((-1_i32).to_be_bytes()),
            }
        }
        bind.extend([0, 1, 0, 1]);
        put_message(&mut sent, b'B', &bind);
        put_message(&mut sent, b'D', b"P\0");
        put_message(&mut sent, b'E', b"\0\0\0\0\0");
        put_message(&mut sent, b'S', b"");
        self.send(&sent)?;
        let ended = self.answer(each)?;
        match ended.wrong {
            // A statement that the server refused it may know or not: its number is used by no other.
            Some(error) => {
                if is_new {
                    self.statements.insert(format!("refused {number}"), number);
                }
                Err(error)
            }
            None => {
                if is_new {
                    self.statements.insert(asked.to_owned(), number);
                }
                Ok(ended.changed)
            }
        }
    }

    /// Reads an answer up to its end, whatever goes wrong with it.
    fn answer(
        &mut self,
        each: &mut dyn FnMut(&dyn SqlRow) -> Result<(), StoreError>,
    ) -> Result<Ended, StoreError> {
        let mut ended = Ended::default();
        let mut columns: Vec<u32> = Vec::new();
        loop {
            let (kind, body) = self.message()?;
            match kind {
                b'T' => columns = column_types(&body).ok_or_else(|| self.garbled())?,
                b'D' if ended.wrong.is_none() => {
                    let cells = cells(&body).ok_or_else(|| self.garbled())?;
                    ended.wrong = each(&BinaryRow { columns: &columns, cells }).err();
                }
                b'C' => {
                    let tag = String::from_utf8_lossy(&body);
                    let number = tag.trim_end_matches('\0').rsplit(' ').next().unwrap_or_default();
                    ended.changed = number.parse().unwrap_or(0);
                }
                b'E' => {
                    let error = refused(&body);
                    self.is_broken |= is_fatal(&body);
                    if self.is_broken {
                        return Err(error);
                    }
                    ended.wrong.get_or_insert(error);
                }
                b'Z' => return Ok(ended),
                _ => {}
            }
        }
    }

    fn garbled(&mut self) -> StoreError {
        self.is_broken = true;
        StoreError::Away("it does not speak PostgreSQL's protocol".to_owned())
    }

    /// The next message: its kind, and what it says.
    fn message(&mut self) -> Result<(u8, Vec<u8>), StoreError> {
        let mut head = [0; 5];
        self.read(&mut head)?;
        let length = u32::from_be_bytes([head[1], head[2], head[3], head[4]]) as usize;
        if !head[0].is_ascii_alphanumeric() || !(4..LONGEST).contains(&length) {
            return Err(self.garbled());
        }
        let mut body = vec![0; length - 4];
        self.read(&mut body)?;
        Ok((head[0], body))
    }

    fn read(&mut self, bytes: &mut [u8]) -> Result<(), StoreError> {
        self.stream.read_exact(bytes).map_err(|error| {
            self.is_broken = true;
            away(error)
        })
    }

    fn send_message(&mut self, kind: u8, body: &[u8]) -> Result<(), StoreError> {
        let mut sent = Vec::new();
        put_message(&mut sent, kind, body);
        self.send(&sent)
    }

    fn send(&mut self, bytes: &[u8]) -> Result<(), StoreError> {
        let sent = self.stream.get_mut().write_all(bytes);
        sent.map_err(|error| {
            self.is_broken = true;
            // A server that ends a connection says why before.
            let why = self.stream.fill_buf().ok().filter(|said| said.first() == Some(&b'E'));
            why.and_then(|said| said.get(5..)).map_or_else(|| away(error), refused)
        })
    }
}

impl std::fmt::Debug for Connection {
    fn fmt(&self, to: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        to.debug_struct("Connection").field("is_broken", &self.is_broken).finish_non_exhaustive()
    }
}

/// A way to the server, with limits on how long it may be silent.
fn stream(address: &ServerAddress) -> io::Result<Box<dyn Stream>> {
    if let Some(socket) = address.socket() {
        #[cfg(unix)]
        {
            let stream = std::os::unix::net::UnixStream::connect(&socket)
                .map_err(|error| io::Error::new(error.kind(), format!("{}: {error}", socket.display())))?;
            stream.set_read_timeout(Some(ANSWERED_WITHIN))?;
            stream.set_write_timeout(Some(ANSWERED_WITHIN))?;
            return Ok(Box::new(stream));
        }
        #[cfg(not(unix))]
        return Err(io::Error::other(format!("{}: there are no such sockets here", socket.display())));
    }
    let mut last = io::Error::other(format!("{} has no address", address.host));
    for place in (address.host.as_str(), address.port).to_socket_addrs()? {
        match TcpStream::connect_timeout(&place, CONNECTED_WITHIN) {
            Ok(stream) => {
                stream.set_nodelay(true)?;
                stream.set_read_timeout(Some(ANSWERED_WITHIN))?;
                stream.set_write_timeout(Some(ANSWERED_WITHIN))?;
                return Ok(Box::new(stream));
            }
            Err(error) => last = error,
        }
    }
    Err(last)
}

/// Bytes that are not known before: the keys of a hasher are drawn by the system.
fn random() -> [u8; 18] {
    let keyed = RandomState::new();
    let words = (0..3_u8).flat_map(|number| keyed.hash_one(number).to_be_bytes());
    let mut bytes = [0; 18];
    bytes.iter_mut().zip(words).for_each(|(byte, word)| *byte = word);
    bytes
}

fn away(error: io::Error) -> StoreError {
    StoreError::Away(match error.kind() {
        io::ErrorKind::UnexpectedEof => "it has ended the connection".to_owned(),
        io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut => "it is silent".to_owned(),
        _ => error.to_string(),
    })
}

/// The fields of an error, by their letters.
fn field(body: &[u8], letter: u8) -> String {
    let found = body.split(|byte| *byte == 0).find(|one| one.first() == Some(&letter));
    String::from_utf8_lossy(found.map_or(&[][..], |one| &one[1..])).into_owned()
}

/// Whether an error ends the connection.
fn is_fatal(body: &[u8]) -> bool {
    ["FATAL", "PANIC"].contains(&field(body, b'V').as_str())
}

/// What an error of the server means, by its code.
fn refused(body: &[u8]) -> StoreError {
    let (code, said) = (field(body, b'C'), field(body, b'M'));
    match code.as_str() {
        "28P01" | "28000" | "3D000" => StoreError::Denied(said),
        "42501" | "25006" => StoreError::ReadOnly,
        "53100" => StoreError::Full,
        "55P03" => StoreError::Locked(PATIENCE),
        "53300" | "55000" => StoreError::Away(said),
        _ if code.starts_with("57P") || code.starts_with("08") => StoreError::Away(said),
        "" => StoreError::Away("it has ended the connection".to_owned()),
        _ => StoreError::Database(format!("PostgreSQL says: {said} ({code})")),
    }
}

/// A statement as PostgreSQL names its values.
fn of_postgres(asked: &str) -> String {
    asked.replace('?', "$")
}

fn put_message(to: &mut Vec<u8>, kind: u8, body: &[u8]) {
    to.push(kind);
    put_length(to, body);
}

/// A body after its length, which counts itself.
fn put_length(to: &mut Vec<u8>, body: &[u8]) {
    to.extend((body.len() as u32 + 4).to_be_bytes());
    to.extend(body);
}

fn put_length_before(to: &mut Vec<u8>, bytes: &[u8]) {
    to.extend((bytes.len() as u32).to_be_bytes());
    to.extend(bytes);
}

fn put_text(to: &mut Vec<u8>, text: &str) {
    to.extend(text.bytes().filter(|byte| *byte != 0));
    to.push(0);
}

/// A value in its binary form; `None` for none.
pub(super) fn binary(value: SqlValue<'_>) -> Option<Vec<u8>> {
    match value {
        SqlValue::Null => None,
        SqlValue::Integer(number) => Some(number.to_be_bytes().to_vec()),
        SqlValue::Real(number) => Some(number.to_be_bytes().to_vec()),
        // A text of PostgreSQL has no zero byte.
        SqlValue::Text(text) if text.contains('\0') => Some(text.replace('\0', "\u{fffd}").into_bytes()),
        SqlValue::Text(text) => Some(text.as_bytes().to_vec()),
        SqlValue::Bytes(bytes) => Some(bytes.to_vec()),
    }
}

/// The type of an element, by its number.
fn type_of(kind: SqlKind) -> u32 {
    match kind {
        SqlKind::Integer => 20,
        SqlKind::Real => 701,
        SqlKind::Text => 25,
    }
}

/// One column of many rows as an array.
pub(super) fn array(kind: SqlKind, column: usize, rows: &[SqlValues<'_>]) -> Vec<u8> {
    let mut bytes = Vec::new();
    // One dimension, perhaps with nulls, from 1 on.
    for word in [1, 1, type_of(kind), rows.len() as u32, 1] {
        bytes.extend(word.to_be_bytes());
    }
    for row in rows {
        match binary(row[column]) {
            Some(value) => put_length_before(&mut bytes, &value),
            None => bytes.extend((-1_i32).to_be_bytes()),
        }
    }
    bytes
}

/// The types of the columns of an answer.
fn column_types(body: &[u8]) -> Option<Vec<u32>> {
    let (count, mut rest) = body.split_at_checked(2)?;
    let mut types = Vec::new();
    for _ in 0..u16::from_be_bytes([count[0], count[1]]) {
        let name = rest.iter().position(|byte| *byte == 0)?;
        let (field, after) = rest.get(name + 1..)?.split_at_checked(18)?;
        types.push(u32::from_be_bytes([field[6], field[7], field[8], field[9]]));
        rest = after;
    }
    Some(types)
}

/// The cells of a row.
fn cells(body: &[u8]) -> Option<Vec<Option<&[u8]>>> {
    let (count, mut rest) = body.split_at_checked(2)?;
    let mut cells = Vec::new();
    for _ in 0..u16::from_be_bytes([count[0], count[1]]) {
        let (length, after) = rest.split_at_checked(4)?;
        let length = i32::from_be_bytes([length[0], length[1], length[2], length[3]]);
        let (cell, after) = match usize::try_from(length) {
            Ok(length) => after.split_at_checked(length).map(|(cell, after)| (Some(cell), after))?,
            Err(_) => (None, after),
        };
        cells.push(cell);
        rest = after;
    }
    Some(cells)
}

/// A row in its binary form.
struct BinaryRow<'a> {
    columns: &'a [u32],
    cells: Vec<Option<&'a [u8]>>,
}

impl SqlRow for BinaryRow<'_> {
    fn value(&self, column: usize) -> Result<SqlValue<'_>, StoreError> {
        let unreadable = || StoreError::Unreadable("a column");
        let (kind, cell) = (self.columns.get(column), self.cells.get(column));
        let (Some(kind), Some(cell)) = (kind, cell) else { return Err(unreadable()) };
        let Some(cell) = *cell else { return Ok(SqlValue::Null) };
        let long = || <[u8; 8]>::try_from(cell).map_err(|_| unreadable());
        match kind {
            20 => Ok(SqlValue::Integer(i64::from_be_bytes(long()?))),
            23 => {
                let short = <[u8; 4]>::try_from(cell).map_err(|_| unreadable())?;
                Ok(SqlValue::Integer(i64::from(i32::from_be_bytes(short))))
            }
            701 => Ok(SqlValue::Real(f64::from_be_bytes(long()?))),
            16 => Ok(SqlValue::Integer(i64::from(cell == [1]))),
            17 => Ok(SqlValue::Bytes(cell)),
            25 | 19 | 1043 => std::str::from_utf8(cell).map(SqlValue::Text).map_err(|_| unreadable()),
            _ => Err(unreadable()),
        }
    }
}

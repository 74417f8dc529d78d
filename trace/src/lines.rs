//! Reads lines from one large buffer, without a copy or an allocation per line.

use std::io::{self, Read};
use std::ops::Range;

use super::error::TraceError;
use super::input::{Compression, Decompressed, Source, TrailingData};

const BUFFER: usize = 1 << 18;
/// The longest line accepted; without a limit a binary file could be read into memory whole.
const LONGEST_LINE: usize = 1 << 24;

pub(super) struct Lines<'a> {
    input: Decompressed<Source<'a>>,
    buffer: Vec<u8>,
    /// The part of the buffer that has been read but not returned.
    pending: Range<usize>,
    ended: bool,
    number: u64,
}

impl<'a> Lines<'a> {
    /// Opens the source and reads its first bytes, past a byte-order mark.
    pub fn open(source: Source<'a>) -> Result<Lines<'a>, TraceError> {
        let input = Decompressed::open(source).map_err(|source| TraceError::Read { line: 0, source })?;
        let mut lines = Lines { input, buffer: vec![0; BUFFER], pending: 0..0, ended: false, number: 0 };
        while lines.pending.len() < 4096 && !lines.ended {
            lines.fill()?;
        }
        if lines.beginning().starts_with(b"\xef\xbb\xbf") {
            lines.pending.start += 3;
        }
        Ok(lines)
    }

    /// The bytes in the buffer: enough to detect the format.
    pub fn beginning(&self) -> &[u8] {
        &self.buffer[self.pending.clone()]
    }

    pub fn compression(&self) -> Compression {
        self.input.compression()
    }

    /// The next line without its end (`\n` or `\r\n`), and its number from 1.
    pub fn next(&mut self) -> Result<Option<(u64, &[u8])>, TraceError> {
        let mut searched = 0;
        let (content, consumed) = loop {
            let unseen = &self.buffer[self.pending.start + searched..self.pending.end];
            if let Some(at) = unseen.iter().position(|&byte| byte == b'\n') {
                break (searched + at, searched + at + 1);
            }
            searched = self.pending.len();
            if self.ended {
                if searched == 0 {
                    return Ok(None);
                }
                break (searched, searched);
            }
            self.fill()?;
        };
        let begin = self.pending.start;
        self.pending.start += consumed;
        self.number += 1;
        let line = &self.buffer[begin..begin + content];
        Ok(Some((self.number, line.strip_suffix(b"\r").unwrap_or(line))))
    }

    /// Reads more into the buffer, after moving what is pending to its front.
    fn fill(&mut self) -> Result<(), TraceError> {
        if self.pending.end == self.buffer.len() {
            self.buffer.copy_within(self.pending.clone(), 0);
            self.pending = 0..self.pending.len();
            if self.pending.end == self.buffer.len() {
                if self.buffer.len() >= LONGEST_LINE {
                    return Err(TraceError::LineTooLong { line: self.number + 1, limit: LONGEST_LINE });
                }
                self.buffer.resize(self.buffer.len() * 2, 0);
            }
        }
        loop {
            match self.input.read(&mut self.buffer[self.pending.end..]) {
                Ok(0) => self.ended = true,
                Ok(read) => self.pending.end += read,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(self.explain(error)),
            }
            return Ok(());
        }
    }

    fn explain(&self, source: io::Error) -> TraceError {
        let complete = self.buffer[self.pending.clone()].iter().filter(|&&byte| byte == b'\n').count();
        let (line, compression) = (self.number + complete as u64, self.input.compression());
        if source.get_ref().is_some_and(|cause| cause.is::<TrailingData>()) {
            return TraceError::Trailing { compression, line };
        }
        match (compression, source.kind()) {
            (Compression::None, _) => TraceError::Read { line, source },
            (_, io::ErrorKind::UnexpectedEof) => TraceError::Truncated { compression, line },
            (_, io::ErrorKind::InvalidInput | io::ErrorKind::InvalidData | io::ErrorKind::Other) => {
                TraceError::Damaged { compression, line, source }
            }
            _ => TraceError::Read { line, source },
        }
    }
}

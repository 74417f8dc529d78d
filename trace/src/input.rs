//! Compressed input and output. Compression of input is detected from the first bytes, never from the file name.

use std::fmt;
use std::io::{self, BufRead, BufReader, Chain, Cursor, Read, Write};

use flate2::bufread::GzDecoder;
use flate2::write::GzEncoder;
use serde::Serialize;

use super::zstd::{Frames, ZstdOutput};

/// A source of bytes. One type, so that reading is compiled here, once, and not for every caller's type.
pub(super) type Source<'a> = Box<dyn Read + 'a>;

/// How a file is compressed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Compression {
    /// Not at all.
    #[default]
    None,
    /// gzip, of one or several members.
    Gzip,
    /// Zstandard, of one or several frames.
    Zstd,
}

impl Compression {
    /// The compression for writing a file of this name: by `.gz` or `.zst`, else none.
    pub fn of_name(name: &str) -> Compression {
        match name.rsplit_once('.').map(|(_, extension)| extension.to_ascii_lowercase()).as_deref() {
            Some("gz" | "gzip") => Compression::Gzip,
            Some("zst" | "zstd") => Compression::Zstd,
            _ => Compression::None,
        }
    }
}

impl fmt::Display for Compression {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Compression::None => "plain",
            Compression::Gzip => "gzip",
            Compression::Zstd => "zstd",
        })
    }
}

/// The error if unknown bytes follow the compressed data.
#[derive(Debug, thiserror::Error)]
#[error("data after the end of the compressed data")]
pub(super) struct TrailingData;

/// gzip of one or several members. Zeros after the last are padding, as of tapes; anything else is an error.
pub(super) struct Members<R: Read> {
    /// `None` only while one member is replaced by the next.
    member: Option<GzDecoder<BufReader<R>>>,
    is_first: bool,
}

impl<R: Read> Members<R> {
    fn new(source: R) -> Members<R> {
        Members { member: Some(GzDecoder::new(BufReader::with_capacity(1 << 15, source))), is_first: true }
    }
}

impl<R: Read> Read for Members<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let trailing = || io::Error::new(io::ErrorKind::InvalidData, TrailingData);
        while let Some(member) = &mut self.member {
            match member.read(buffer) {
                Ok(0) if !buffer.is_empty() => {}
                Err(error) if error.kind() == io::ErrorKind::InvalidInput => {
                    let header_is_bad = !self.is_first && member.header().is_none();
                    return Err(if header_is_bad { trailing() } else { error });
                }
                read => return read,
            }
            let source = member.get_mut();
            let zeros = match source.fill_buf()? {
                [] => return Ok(0),
                [0x1f, ..] => 0,
                rest if rest.iter().all(|&byte| byte == 0) => rest.len(),
                _ => return Err(trailing()),
            };
            source.consume(zeros);
            if zeros == 0 {
                self.member = self.member.take().map(|member| GzDecoder::new(member.into_inner()));
                self.is_first = false;
            }
        }
        Ok(0)
    }
}

type Replayed<R> = Chain<Cursor<Vec<u8>>, R>;

/// The text of a source, compressed or not, of at most `most` bytes; what is not UTF-8 is replaced.
///
/// # Errors
/// If the source fails, the compressed data are damaged, or the text is longer.
pub fn plain_text(source: impl Read, most: u64) -> io::Result<String> {
    let mut bytes = Vec::new();
    let source: Source<'_> = Box::new(source);
    Decompressed::open(source)?.take(most.saturating_add(1)).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most {
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, format!("longer than {most} bytes")));
    }
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// A source of decompressed bytes.
pub(super) enum Decompressed<R: Read> {
    Plain(Replayed<R>),
    Gzip(Box<Members<Replayed<R>>>),
    Zstd(Box<Frames<Replayed<R>>>),
}

impl<R: Read> Decompressed<R> {
    /// Detects the compression from the first four bytes.
    pub fn open(mut source: R) -> io::Result<Decompressed<R>> {
        let mut magic = Vec::with_capacity(4);
        source.by_ref().take(4).read_to_end(&mut magic)?;
        let compression = match magic.as_slice() {
            [0x1f, 0x8b, ..] => Compression::Gzip,
            [0x28, 0xb5, 0x2f, 0xfd] => Compression::Zstd,
            _ => Compression::None,
        };
        let replayed = Cursor::new(magic).chain(source);
        Ok(match compression {
            Compression::None => Decompressed::Plain(replayed),
            Compression::Gzip => Decompressed::Gzip(Box::new(Members::new(replayed))),
            Compression::Zstd => Decompressed::Zstd(Box::new(Frames::new(replayed))),
        })
    }

    pub fn compression(&self) -> Compression {
        match self {
            Decompressed::Plain(_) => Compression::None,
            Decompressed::Gzip(_) => Compression::Gzip,
            Decompressed::Zstd(_) => Compression::Zstd,
        }
    }
}

impl<R: Read> Read for Decompressed<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self {
            Decompressed::Plain(reader) => reader.read(buffer),
            Decompressed::Gzip(reader) => reader.read(buffer),
            Decompressed::Zstd(reader) => reader.read(buffer),
        }
    }
}

/// A sink that compresses what is written to it. Call [`CompressedOutput::finish`]: a compressed file that was not
/// finished is truncated.
pub enum CompressedOutput<W: Write> {
    /// Uncompressed.
    Plain(W),
    /// gzip.
    Gzip(GzEncoder<W>),
    /// Zstandard.
    Zstd(ZstdOutput<W>),
}

impl<W: Write> CompressedOutput<W> {
    /// Compresses into `sink` (gzip at level 6, zstd at its fastest).
    pub fn new(sink: W, compression: Compression) -> CompressedOutput<W> {
        match compression {
            Compression::None => CompressedOutput::Plain(sink),
            Compression::Gzip => CompressedOutput::Gzip(GzEncoder::new(sink, flate2::Compression::default())),
            Compression::Zstd => CompressedOutput::Zstd(ZstdOutput::new(sink)),
        }
    }

    /// Writes the end of the compressed stream and returns the sink.
    pub fn finish(self) -> io::Result<W> {
        let mut sink = match self {
            CompressedOutput::Plain(sink) => sink,
            CompressedOutput::Gzip(encoder) => encoder.finish()?,
            CompressedOutput::Zstd(encoder) => encoder.finish()?,
        };
        sink.flush()?;
        Ok(sink)
    }
}

impl<W: Write> Write for CompressedOutput<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            CompressedOutput::Plain(sink) => sink.write(bytes),
            CompressedOutput::Gzip(encoder) => encoder.write(bytes),
            CompressedOutput::Zstd(encoder) => encoder.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            CompressedOutput::Plain(sink) => sink.flush(),
            CompressedOutput::Gzip(encoder) => encoder.flush(),
            CompressedOutput::Zstd(encoder) => encoder.flush(),
        }
    }
}

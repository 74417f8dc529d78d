//! Zstandard: frames one after another, read and written.

use std::error::Error;
use std::io::{self, BufRead, BufReader, ErrorKind, Read, Write};

use ruzstd::decoding::errors::{FrameDecoderError, ReadFrameHeaderError};
use ruzstd::decoding::{BlockDecodingStrategy, FrameDecoder};
use ruzstd::encoding::{CompressionLevel, compress_to_vec};

/// The largest window that is accepted: the limit of the `zstd` command, too.
const LARGEST_WINDOW: u64 = 1 << 27;
/// Bytes decoded at once, at least.
const STEP: usize = 1 << 16;
/// Bytes of text in one frame that is written.
const FRAME: usize = 1 << 22;

/// The text of all frames; frames that hold no text are skipped.
pub(super) struct Frames<R: Read> {
    source: BufReader<R>,
    decoder: FrameDecoder,
    in_frame: bool,
}

impl<R: Read> Frames<R> {
    pub fn new(source: R) -> Frames<R> {
        let mut decoder = FrameDecoder::new();
        decoder.set_max_window_size(LARGEST_WINDOW);
        Frames { source: BufReader::with_capacity(1 << 15, source), decoder, in_frame: false }
    }

    /// Reads the header of the next frame. Whether there is one.
    fn open(&mut self) -> io::Result<bool> {
        while !self.source.fill_buf()?.is_empty() {
            match self.decoder.reset(&mut self.source) {
                Ok(()) => return Ok(true),
                Err(FrameDecoderError::ReadFrameHeaderError(ReadFrameHeaderError::SkipFrame {
                    length,
                    ..
                })) => {
                    let skipped = io::copy(&mut (&mut self.source).take(length.into()), &mut io::sink())?;
                    if skipped < u64::from(length) {
                        return Err(ErrorKind::UnexpectedEof.into());
                    }
                }
                Err(error) => return Err(broken(error)),
            }
        }
        Ok(false)
    }

    /// Fails where the text is not the one that was compressed.
    fn check(&self) -> io::Result<()> {
        match (self.decoder.get_checksum_from_data(), self.decoder.get_calculated_checksum()) {
            (Some(said), Some(found)) if said != found => {
                Err(io::Error::new(ErrorKind::InvalidData, "zstd: the checksum of a frame is wrong"))
            }
            _ => Ok(()),
        }
    }
}

impl<R: Read> Read for Frames<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if buffer.is_empty() {
            return Ok(0);
        }
        loop {
            if !self.in_frame {
                if !self.open()? {
                    return Ok(0);
                }
                self.in_frame = true;
            }
            while self.decoder.can_collect() == 0 && !self.decoder.is_finished() {
                self.decoder
                    .decode_blocks(&mut self.source, BlockDecodingStrategy::UptoBytes(STEP))
                    .map_err(broken)?;
            }
            let read = self.decoder.read(buffer)?;
            if read > 0 {
                return Ok(read);
            }
            self.check()?;
            self.in_frame = false;
        }
    }
}

/// An error of the decoder, or of the source where that was the cause.
fn broken(error: FrameDecoderError) -> io::Error {
    let mut cause: Option<&(dyn Error + 'static)> = Some(&error);
    while let Some(inner) = cause {
        if let Some(source) = inner.downcast_ref::<io::Error>() {
            return io::Error::new(source.kind(), source.to_string());
        }
        cause = inner.source();
    }
    io::Error::new(ErrorKind::InvalidData, format!("zstd: {error}"))
}

/// A sink that compresses what is written to it, a frame for every few megabytes.
pub struct ZstdOutput<W: Write> {
    sink: W,
    text: Vec<u8>,
    has_frame: bool,
}

impl<W: Write> ZstdOutput<W> {
    pub(super) fn new(sink: W) -> ZstdOutput<W> {
        ZstdOutput { sink, text: Vec::new(), has_frame: false }
    }

    fn write_frame(&mut self) -> io::Result<()> {
        self.sink.write_all(&compress_to_vec(self.text.as_slice(), CompressionLevel::Fastest))?;
        self.text.clear();
        self.has_frame = true;
        Ok(())
    }

    /// Writes the rest and returns the sink.
    pub(super) fn finish(mut self) -> io::Result<W> {
        if !self.text.is_empty() || !self.has_frame {
            self.write_frame()?;
        }
        Ok(self.sink)
    }
}

impl<W: Write> Write for ZstdOutput<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let taken = bytes.len().min(FRAME - self.text.len());
        self.text.extend_from_slice(&bytes[..taken]);
        if self.text.len() == FRAME {
            self.write_frame()?;
        }
        Ok(taken)
    }

    /// What has been compressed is passed on; a frame is not ended early.
    fn flush(&mut self) -> io::Result<()> {
        self.sink.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What the `zstd` command makes of `hello\n`, with a checksum.
    const HELLO: &[u8] = &[
        0x28, 0xb5, 0x2f, 0xfd, 0x04, 0x58, 0x31, 0x00, 0x00, 0x68, 0x65, 0x6c, 0x6c, 0x6f, 0x0a, 0x53, 0x88,
        0xbd, 0x91,
    ];

    fn read(bytes: &[u8]) -> io::Result<Vec<u8>> {
        let mut text = Vec::new();
        Frames::new(bytes).read_to_end(&mut text).map(|_| text)
    }

    fn written(text: &[u8]) -> Vec<u8> {
        let mut output = ZstdOutput::new(Vec::new());
        output.write_all(text).unwrap();
        output.finish().unwrap()
    }

    #[test]
    fn what_is_written_is_read_again() {
        let long: Vec<u8> =
            (0..3_000_000_u32).flat_map(|number| (number.wrapping_mul(number) / 7).to_le_bytes()).collect();
        for text in [&b""[..], b"a", b"abcabcabcabc", &long] {
            assert!(read(&written(text)).unwrap() == text, "{} bytes", text.len());
        }
    }

    #[test]
    fn frames_follow_each_other_and_frames_without_text_are_skipped() {
        let skipped = [&[0x50, 0x2a, 0x4d, 0x18, 3, 0, 0, 0][..], b"xyz"].concat();
        let several = [HELLO, &skipped, HELLO, &skipped].concat();
        assert_eq!(read(&several).unwrap(), b"hello\nhello\n");
    }

    #[test]
    fn a_broken_file_is_an_error() {
        for end in 1..HELLO.len() {
            assert!(read(&HELLO[..end]).is_err(), "cut to {end} bytes");
        }
        let mut altered = HELLO.to_vec();
        altered[10] ^= 1;
        assert!(read(&altered).is_err(), "an altered byte");
        assert!(read(&[HELLO, b"junk"].concat()).is_err(), "junk at the end");
        assert!(
            read(&[HELLO, &[0x50, 0x2a, 0x4d, 0x18, 9, 0, 0, 0]].concat()).is_err(),
            "a cut frame without text"
        );
    }
}

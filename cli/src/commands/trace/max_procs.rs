//! A trace's header on its way out, with the machine's size replaced.

use std::io::{self, Write};

/// Passes a trace in the Standard Workload Format on, with `; MaxProcs:` in its header as given: replaced where
/// it stands, added before the first record where it does not. From the first record on nothing is looked at.
#[derive(Debug)]
pub struct MaxProcs<W> {
    sink: W,
    procs: Option<u32>,
    /// The beginning of a line of the header.
    line: Vec<u8>,
    said: bool,
}

impl<W: Write> MaxProcs<W> {
    /// With this size; without one, everything passes as it is.
    pub fn new(sink: W, procs: Option<u32>) -> MaxProcs<W> {
        MaxProcs { sink, procs, line: Vec::new(), said: false }
    }

    /// The sink, with everything in it.
    pub fn finish(mut self) -> io::Result<W> {
        if !self.line.is_empty() {
            self.end_line()?;
        }
        self.say_at_last()?;
        self.sink.flush()?;
        Ok(self.sink)
    }

    fn end_line(&mut self) -> io::Result<()> {
        let line = std::mem::take(&mut self.line);
        if !line.starts_with(b";") {
            self.say_at_last()?;
            return self.sink.write_all(&line);
        }
        let name = line.trim_ascii_start().strip_prefix(b";").unwrap_or_default().trim_ascii_start();
        match self.procs {
            Some(procs) if name.starts_with(b"MaxProcs:") => {
                // Said twice, it would be asked which of them counts.
                if std::mem::replace(&mut self.said, true) {
                    Ok(())
                } else {
                    writeln!(self.sink, "; MaxProcs: {procs}")
                }
            }
            _ => self.sink.write_all(&line),
        }
    }

    /// The header is over: says the size if nothing has, and looks no further.
    fn say_at_last(&mut self) -> io::Result<()> {
        match self.procs.take() {
            Some(procs) if !self.said => writeln!(self.sink, "; MaxProcs: {procs}"),
            _ => Ok(()),
        }
    }
}

impl<W: Write> Write for MaxProcs<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.procs.is_none() {
            return self.sink.write(bytes);
        }
        let end = bytes.iter().position(|&byte| byte == b'\n').map_or(bytes.len(), |place| place + 1);
        self.line.extend_from_slice(&bytes[..end]);
        if self.line.ends_with(b"\n") {
            self.end_line()?;
        }
        Ok(end)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.sink.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn passed(text: &str, procs: Option<u32>, at_once: usize) -> String {
        let mut writer = MaxProcs::new(Vec::new(), procs);
        text.as_bytes().chunks(at_once).for_each(|part| writer.write_all(part).unwrap());
        String::from_utf8(writer.finish().unwrap()).unwrap()
    }

    #[test]
    fn the_size_is_replaced_or_added_once_and_nothing_else_changes() {
        for at_once in [1, 7, 1000] {
            let text = "; Computer: A\n;MaxProcs: 4\n; MaxNodes: 2\n1 2\n; MaxProcs: 9\n3 4\n";
            assert_eq!(passed(text, None, at_once), text);
            let expected = "; Computer: A\n; MaxProcs: 8\n; MaxNodes: 2\n1 2\n; MaxProcs: 9\n3 4\n";
            assert_eq!(passed(text, Some(8), at_once), expected);
            assert_eq!(passed("; A\n1 2\n", Some(8), at_once), "; A\n; MaxProcs: 8\n1 2\n");
            assert_eq!(passed("; A\n", Some(8), at_once), "; A\n; MaxProcs: 8\n");
            assert_eq!(passed("; MaxProcs: 1\n; MaxProcs: 2\n", Some(8), at_once), "; MaxProcs: 8\n");
        }
    }
}

//! Writes records and comments.

use std::io::{self, Write};

use super::header::Header;
use crate::record::{Record, UNKNOWN};
use queuecast_core::workload::Names;

/// Writes the Standard Workload Format, columns aligned as the archive's are.
#[derive(Debug)]
pub struct SwfWriter<W: Write> {
    sink: W,
    line: Vec<u8>,
}

impl<W: Write> SwfWriter<W> {
    /// Writes to `sink`; give it a buffered one, or an [`crate::CompressedOutput`].
    pub fn new(sink: W) -> SwfWriter<W> {
        SwfWriter { sink, line: Vec::with_capacity(160) }
    }

    /// One comment line, as it is. Line ends and zero bytes within it are replaced by spaces, and a semicolon is put in
    /// front if it has none, so that a comment is never taken for a record, nor the file for binary data.
    pub fn comment(&mut self, comment: &[u8]) -> io::Result<()> {
        self.line.clear();
        if !comment.trim_ascii_start().starts_with(b";") {
            self.line.extend_from_slice(b"; ");
        }
        let harmless = |&byte: &u8| if matches!(byte, b'\n' | b'\r' | 0) { b' ' } else { byte };
        self.line.extend(comment.iter().map(harmless));
        self.line.push(b'\n');
        self.sink.write_all(&self.line)
    }

    /// Writes all comments of a log byte by byte: its authors ask to be acknowledged in derived files.
    pub fn header(&mut self, header: &Header) -> io::Result<()> {
        header.comments.iter().try_for_each(|comment| self.comment(&comment.bytes))
    }

    /// Writes the names behind the numbers in the records: queues (or, where there are none, qualities of service,
    /// which stand in their column), partitions, and as notes users, groups and executables.
    pub fn names(&mut self, names: &Names) -> io::Result<()> {
        let mut say = |text: String| self.comment(format!("; {text}").as_bytes());
        let queues = if names.queues.is_empty() { &names.qos } else { &names.queues };
        if names.queues.is_empty() && !names.qos.is_empty() {
            say("Queues: these are qualities of service".into())?;
        }
        for (how_many, what, list) in
            [("MaxQueues", "Queue", queues), ("MaxPartitions", "Partition", &names.partitions)]
        {
            if !list.is_empty() {
                say(format!("{how_many}: {}", list.len()))?;
            }
            for (number, name) in list {
                say(format!("{what}: {number} {name}"))?;
            }
        }
        for (what, list) in
            [("User", &names.users), ("Group", &names.groups), ("Executable", &names.executables)]
        {
            for (number, name) in list {
                say(format!("Note: {what} {number} = {name}"))?;
            }
        }
        if !names.accounts.is_empty() {
            let accounts = names.accounts.len();
            say(format!("Note: {accounts} accounts are left out, for which the format has no column"))?;
        }
        Ok(())
    }

    /// One record of 18 fields. The format has no column for a quality of service: it goes into the queue
    /// column where that is unknown.
    pub fn record(&mut self, record: &Record) -> io::Result<()> {
        let queue = if record.queue < 0 && record.qos >= 0 { record.qos } else { record.queue };
        // From the last column to the first: where a number ends is known before where it begins.
        let mut line = Backwards::new();
        line.number(record.think_time, 2);
        line.number(record.preceding_job, 2);
        line.number(record.partition, 2);
        line.number(queue, 2);
        line.number(record.executable, 3);
        line.number(record.group, 3);
        line.number(record.user, 3);
        line.number(record.status, 2);
        line.number(record.requested_memory, 5);
        line.number(record.requested_time, 6);
        line.number(record.requested_procs, 4);
        line.number(record.memory, 5);
        if record.cpu == UNKNOWN as f64 {
            line.number(UNKNOWN, 6);
        } else {
            self.line.clear();
            write!(self.line, "{:6}", record.cpu)?;
            line.text(&self.line);
        }
        line.number(record.allocated_procs, 4);
        line.number(record.run, 6);
        line.number(record.wait, 6);
        line.number(record.submit, 8);
        line.number(record.job, 5);
        self.sink.write_all(line.whole())
    }

    /// Flushes and returns the sink.
    pub fn finish(mut self) -> io::Result<W> {
        self.sink.flush()?;
        Ok(self.sink)
    }
}

/// A line written from its end, columns separated by blanks: five times as fast as the formatter of the standard
/// library, which would dominate the time of writing.
struct Backwards {
    bytes: [u8; Backwards::LONGEST],
    from: usize,
}

impl Backwards {
    /// 17 whole numbers of at most 20 characters, one with a fraction of at most 330, blanks, and the line end.
    const LONGEST: usize = 720;

    fn new() -> Backwards {
        let mut bytes = [b' '; Backwards::LONGEST];
        bytes[Backwards::LONGEST - 1] = b'\n';
        Backwards { bytes, from: Backwards::LONGEST - 1 }
    }

    /// A number at the right end of a column of at least this width, and a blank in front.
    fn number(&mut self, value: i64, width: usize) {
        let end = self.from;
        // The common case.
        if value == UNKNOWN {
            self.bytes[end - 2..end].copy_from_slice(b"-1");
            self.from = end - width.max(2) - 1;
            return;
        }
        let mut left = value.unsigned_abs();
        loop {
            self.from -= 1;
            self.bytes[self.from] = b'0' + (left % 10) as u8;
            left /= 10;
            if left == 0 {
                break;
            }
        }
        if value < 0 {
            self.from -= 1;
            self.bytes[self.from] = b'-';
        }
        // Blanks are there already.
        self.from = self.from.min(end - width) - 1;
    }

    /// Text formatted elsewhere, and a blank in front.
    fn text(&mut self, text: &[u8]) {
        let end = self.from;
        self.from -= text.len();
        self.bytes[self.from..end].copy_from_slice(text);
        self.from -= 1;
    }

    /// The line, without the blank in front of its first column.
    fn whole(&self) -> &[u8] {
        &self.bytes[self.from + 1..]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_stand_where_the_formatter_would_put_them() {
        let values = [0, 7, -1, 12, 99, 100, 12_345, 123_456, -98_765, 999_999_999_999, i64::MAX, i64::MIN];
        for (place, &one) in values.iter().enumerate() {
            let other = values[(place + 5) % values.len()];
            let record = Record { job: one, submit: other, run: one, user: other, ..Record::default() };
            let mut writer = SwfWriter::new(Vec::new());
            writer.record(&record).unwrap();
            let written = String::from_utf8(writer.finish().unwrap()).unwrap();
            let expected = format!(
                "{one:5} {other:8} {:6} {one:6} {:4} {:6} {:5} {:4} {:6} {:5} {:2} {other:3} {:3} {:3} {:2} {:2} {:2} {:2}\n",
                -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1
            );
            assert_eq!(written, expected);
        }
        for (cpu, shown) in [(142.5, " 142.5"), (-2.0, "    -2"), (f64::MAX, "179769313486")] {
            let mut writer = SwfWriter::new(Vec::new());
            writer.record(&Record { cpu, ..Record::default() }).unwrap();
            let written = String::from_utf8(writer.finish().unwrap()).unwrap();
            assert!(written.contains(&format!("   -1 {shown}")), "{written}");
        }
    }
}

//! Records and comments back into a file.

use std::io::{self, Write};

use super::header::Header;
use crate::trace::record::{Record, UNKNOWN};
use crate::workload::Names;

/// Writes the Standard Workload Format, columns aligned as the archive's are.
#[derive(Debug)]
pub struct SwfWriter<W: Write> {
    sink: W,
    line: Vec<u8>,
}

impl<W: Write> SwfWriter<W> {
    /// Writes to `sink`; give it a buffered one, or an [`crate::trace::Output`].
    pub fn new(sink: W) -> SwfWriter<W> {
        SwfWriter { sink, line: Vec::with_capacity(160) }
    }

    /// One comment line, as it is. Line ends within it are replaced by spaces, and a semicolon is put in
    /// front if it has none, so that a comment can never be taken for a record.
    pub fn comment(&mut self, comment: &[u8]) -> io::Result<()> {
        self.line.clear();
        if !comment.trim_ascii_start().starts_with(b";") {
            self.line.extend_from_slice(b"; ");
        }
        self.line.extend(comment.iter().map(|&byte| if matches!(byte, b'\n' | b'\r') { b' ' } else { byte }));
        self.line.push(b'\n');
        self.sink.write_all(&self.line)
    }

    /// All comments of a log, to the byte: its makers ask to be acknowledged in what is derived from it.
    pub fn header(&mut self, header: &Header) -> io::Result<()> {
        header.comments.iter().try_for_each(|comment| self.comment(&comment.bytes))
    }

    /// Writes what the numbers in the records stand for: queues (or, where there are none, qualities of service,
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
        self.line.clear();
        for (value, width) in [
            (record.job, 5),
            (record.submit, 9),
            (record.wait, 7),
            (record.run, 7),
            (record.allocated_procs, 5),
        ] {
            self.number(value, width);
        }
        if record.cpu == UNKNOWN as f64 {
            self.number(UNKNOWN, 7);
        } else {
            write!(self.line, " {:6}", record.cpu)?;
        }
        for (value, width) in [
            (record.memory, 6),
            (record.requested_procs, 5),
            (record.requested_time, 7),
            (record.requested_memory, 6),
            (record.status, 3),
            (record.user, 4),
            (record.group, 4),
            (record.executable, 4),
            (queue, 3),
            (record.partition, 3),
            (record.preceding_job, 3),
            (record.think_time, 3),
        ] {
            self.number(value, width);
        }
        self.line.push(b'\n');
        self.sink.write_all(&self.line)
    }

    /// A number at the right end of a column of this width, of which the first is a blank but at the beginning of a line.
    /// The formatter of the standard library takes five times as long, which is most of what writing costs.
    fn number(&mut self, value: i64, width: usize) {
        let mut digits = [b' '; 32];
        let mut at = digits.len();
        let mut left = value.unsigned_abs();
        loop {
            at -= 1;
            digits[at] = b'0' + (left % 10) as u8;
            left /= 10;
            if left == 0 {
                break;
            }
        }
        if value < 0 {
            at -= 1;
            digits[at] = b'-';
        }
        let blank = usize::from(!self.line.is_empty());
        let from = (at - blank).min(digits.len() - width);
        self.line.extend_from_slice(&digits[from..]);
    }

    /// Hands the sink back, flushed.
    pub fn finish(mut self) -> io::Result<W> {
        self.sink.flush()?;
        Ok(self.sink)
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
        let record = Record { cpu: 142.5, ..Record::default() };
        let mut writer = SwfWriter::new(Vec::new());
        writer.record(&record).unwrap();
        assert!(String::from_utf8(writer.finish().unwrap()).unwrap().contains("   -1  142.5    -1 "));
    }
}

//! Records and comments back into a file.

use std::io::{self, Write};

use super::header::Header;
use crate::trace::record::Record;
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
        write!(
            self.line,
            "{:5} {:8} {:6} {:6} {:4} {:6} {:5} {:4} {:6} {:5} {:2} {:3} {:3} {:3} {:2} {:2} {:2} {:2}",
            record.job,
            record.submit,
            record.wait,
            record.run,
            record.allocated_procs,
            record.cpu,
            record.memory,
            record.requested_procs,
            record.requested_time,
            record.requested_memory,
            record.status,
            record.user,
            record.group,
            record.executable,
            queue,
            record.partition,
            record.preceding_job,
            record.think_time,
        )?;
        self.line.push(b'\n');
        self.sink.write_all(&self.line)
    }

    /// Hands the sink back, flushed.
    pub fn finish(mut self) -> io::Result<W> {
        self.sink.flush()?;
        Ok(self.sink)
    }
}

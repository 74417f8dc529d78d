//! The answers for several partitions of a live site.

use queuecast::allot::advice::JobLimits;
use queuecast::report::{Answer, Document, Table, duration};
use serde::Serialize;

use super::answer::Allocated;
use super::text;

/// A partition that allows none of the sizes.
#[derive(Debug, Serialize)]
pub struct Refused {
    pub partition: String,
    pub limits: JobLimits,
    pub why: String,
}

/// One answer for each partition; never empty.
#[derive(Debug, Serialize)]
pub struct AllocatedByPartition {
    #[serde(rename = "partitions")]
    pub answers: Vec<Allocated>,
    pub refused: Vec<Refused>,
}

impl AllocatedByPartition {
    /// Each answer in a line, then the partition whose recommended size is done soonest.
    fn sentences(&self) -> String {
        let name = |one: &Allocated| one.partition.clone().unwrap_or_default();
        let mut lines: Vec<String> =
            self.answers.iter().map(|one| format!("{}: {}", name(one), text::sentence(one))).collect();
        lines.extend(self.refused.iter().map(|one| format!("{}: {}", one.partition, one.why)));
        let done = |one: &Allocated| one.target().of(&one.answer.advice.recommended().turnaround);
        let soonest = self.answers.iter().min_by(|one, other| done(one).total_cmp(&done(other)));
        lines.extend(soonest.map(|one| {
            let procs = one.answer.advice.recommended().procs;
            format!(
                "Of all, {procs} in {} are done soonest, in about {}.",
                name(one),
                duration::about(done(one))
            )
        }));
        lines.join("\n")
    }
}

impl Answer for AllocatedByPartition {
    fn document(&self) -> Document {
        let mut document = Document::new();
        for one in &self.answers {
            let name = one.partition.clone().unwrap_or_default();
            let shown = text::shown(one);
            let sizes = text::sizes(one, &shown).titled(format!("Sizes in {name}"));
            document = document
                .with_table(format!("machine {name}"), text::machine(one).titled(format!("Partition {name}")))
                .with_table(format!("sizes {name}"), sizes);
            if shown.len() > 1 {
                document = document.with_chart(text::plot(one, &shown, &format!(" in {name}")));
            }
        }
        // Past jobs are those of the whole site.
        if let Some(record) = self.answers.iter().find_map(|one| one.answer.record.as_ref()) {
            document = document.with_table("record", text::table_of(record));
        }
        document.with_paragraph(self.sentences())
    }

    fn table(&self) -> Table {
        let mut table = Table::new(Allocated::columns());
        self.answers.iter().for_each(|one| one.add_rows(&mut table));
        table
    }
}

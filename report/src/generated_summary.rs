//! The summary of a generated workload that was written.

use super::words::{number_of, percent, whole};
use super::{Answer, Cell, Column, Document, Table, VERSION, log};
use queuecast_synth::synth::generate::{Description, Generated, HEAD, Parameter};
use queuecast_trace::WorkloadFacts;
use serde::Serialize;
use serde_json::{Map, Value};

/// The summary of a generated workload.
#[derive(Debug, Serialize)]
pub struct GeneratedSummary {
    version: &'static str,
    output: String,
    command: String,
    seed: Option<u64>,
    parameters: Map<String, Value>,
    #[serde(flatten)]
    description: Description,
    workload: WorkloadFacts,
    #[serde(skip)]
    submitted: String,
}

impl GeneratedSummary {
    /// Of a workload that this command makes and writes to `output`.
    pub fn new(generated: &Generated, command: String, output: &str) -> GeneratedSummary {
        let workload = &generated.workload;
        let parameters = generated.parameters.iter().map(|Parameter { name, value }| {
            let value = serde_json::from_str(value).unwrap_or_else(|_| Value::String(value.clone()));
            (name.clone(), value)
        });
        GeneratedSummary {
            version: VERSION,
            output: output.to_owned(),
            command,
            seed: generated.seed,
            parameters: parameters.collect(),
            description: Description::of(workload),
            workload: WorkloadFacts::of(workload, "generated"),
            submitted: log::period(workload),
        }
    }

    /// On one line.
    pub fn line(&self) -> String {
        let jobs = number_of(self.workload.jobs, "job");
        let users = match self.description.users {
            0 => "without users".to_owned(),
            users => format!("of {}", number_of(users, "user")),
        };
        let load = percent(self.workload.offered_load);
        format!(
            "{jobs} {users}, submitted {}, offered load {load}, {}; written to {}",
            self.submitted,
            self.estimated(),
            self.output
        )
    }

    fn estimated(&self) -> String {
        let Some(share) = self.description.head_share else { return "no requested times".to_owned() };
        let times = number_of(self.description.estimates, "requested time");
        if self.description.estimates <= HEAD {
            times
        } else {
            format!("{times}, the {HEAD} most used by {} of the jobs", percent(share))
        }
    }
}

impl Answer for GeneratedSummary {
    fn document(&self) -> Document {
        let fact = |heading: &str, words: String| (Column::text(heading), Cell::text(words));
        let facts = Table::facts([
            fact("jobs", whole(self.workload.jobs)),
            fact("machine", number_of(self.workload.procs, "processor")),
            fact("submitted", self.submitted.clone()),
            (Column::share("offered load"), Cell::share(self.workload.offered_load)),
            fact("users", whole(self.description.users)),
            fact("executables", whole(self.description.executables)),
            fact("requested times", self.estimated()),
            fact("digest", self.workload.digest.clone()),
        ]);
        Document::new()
            .with_table("generated", facts.titled("Generated"))
            .with_paragraph(format!("{} written to {}", number_of(self.workload.jobs, "job"), self.output))
            .with_command("Make it again:", &*self.command)
    }

    fn table(&self) -> Table {
        Table::records([vec![
            (Column::text("output"), Cell::text(&*self.output)),
            (Column::text("version"), Cell::text(self.version)),
            (Column::text("command"), Cell::text(&*self.command)),
            (Column::integer("seed"), self.seed.map(|seed| seed.to_string()).into()),
            (Column::integer("jobs"), Cell::count(self.workload.jobs)),
            (Column::integer("procs"), Cell::count(self.workload.procs)),
            (Column::number("offered_load"), Cell::number(self.workload.offered_load, 6)),
            (Column::integer("users"), Cell::count(self.description.users)),
            (Column::integer("executables"), Cell::count(self.description.executables)),
            (Column::integer("estimates"), Cell::count(self.description.estimates)),
            (Column::share("head_share"), Cell::share_of(self.description.head_share)),
            (Column::text("digest"), Cell::text(&*self.workload.digest)),
        ]])
    }
}

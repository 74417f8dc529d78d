//! `queuecast simulate --site`: submissions at a Slurm site, by Slurm's own scheduler or another policy.

use std::io::Write;
use std::path::{Path, PathBuf};

use queuecast::report::{Answer, Document, Table, schedule};
use queuecast::slurm::{SiteChange, SiteOptions, read_what_if, write_submissions};
use queuecast::study::{SiteAnswer, SitePolicy, simulate_site};
use queuecast::trace::TimeZone;
use serde::Serialize;

use super::files::FileNames;
use super::site_tables;
use crate::commands::site_texts::{log_texts, texts, what_if_failure};
use crate::failure::Failure;
use crate::output::PlannedFile;
use crate::printer::Printer;
use crate::progress::Progress;

/// `--site`, `--set` and `--submissions`.
#[derive(Debug, Clone, Default, clap::Args)]
#[command(next_help_heading = "A Slurm site")]
pub struct SiteOptionsGiven {
    /// Simulate Slurm's own scheduler, or the --policy given, on the configuration in this folder (see site check)
    #[arg(long, value_name = "DIR", conflicts_with_all = NOT_AT_A_SITE)]
    pub site: Option<PathBuf>,
    /// Change a setting of the site: PriorityWeightAge=2000, bf_interval=60, partition.debug.nodes=+4,
    /// qos.high.Priority=9
    #[arg(long, value_name = "KEY=VALUE", requires = "site", value_parser = |text: &str| text.parse::<SiteChange>())]
    pub set: Vec<SiteChange>,
    /// Write what is submitted as a list of sbatch's arguments (docs/reference/submissions.md)
    #[arg(long, value_name = "OUT.csv", requires = "site")]
    pub submissions: Option<PathBuf>,
}

/// Options that mean nothing at a site: its configuration decides, or the answer has it anyway.
const NOT_AT_A_SITE: [&str; 22] = [
    "predictor",
    "correction",
    "depth",
    "backfill_order",
    "priority",
    "event_order",
    "prediction_factor",
    "limit",
    "default_request",
    "window",
    "input_format",
    "strict",
    "cluster",
    "columns",
    "procs",
    "clean",
    "timings",
    "group_by",
    "schedule_swf",
    "queue_series",
    "plot",
    "no_plot",
];

/// What would become of submissions at a site.
#[derive(Debug, Serialize)]
pub struct SimulatedSite {
    pub version: &'static str,
    /// The folder of the site.
    pub site: String,
    /// The file of the submissions.
    pub source: String,
    #[serde(flatten)]
    pub answer: SiteAnswer,
}

/// Reads both, simulates, and shows what became of the jobs.
pub fn run(
    (file, site): (&Path, &Path),
    policy: &SitePolicy,
    given: &SiteOptionsGiven,
    files: &FileNames,
    zone: &TimeZone,
    printer: &Printer,
) -> Result<(), Failure> {
    // Nothing that is read is written over: neither the log nor a file of the folders.
    let folders = [site, file].into_iter().filter_map(|folder| folder.read_dir().ok());
    let mut inputs: Vec<PathBuf> = folders.flatten().flatten().map(|entry| entry.path()).collect();
    inputs.push(file.to_owned());
    let inputs: Vec<&Path> = inputs.iter().map(PathBuf::as_path).collect();
    let plan =
        |path: &Option<PathBuf>| path.as_deref().map(|path| PlannedFile::new(path, &inputs)).transpose();
    if given.submissions.is_some() && given.submissions == files.schedule {
        return Err(Failure::usage("--submissions and --schedule name the same file")
            .hint("name a file of its own for each output"));
    }
    let (schedule_file, list_file) = (plan(&files.schedule)?, plan(&given.submissions)?);
    let (site_texts, log) = (texts(site, printer)?, log_texts(file, printer)?);
    let options = SiteOptions { time_zone: zone.clone(), ..SiteOptions::default() };
    let (name, source) = (site.display().to_string(), file.display().to_string());
    let what_if = read_what_if(&site_texts, &log, &given.set, &options)
        .map_err(|error| what_if_failure(error, &name, &source))?;
    drop((site_texts, log));
    let progress = Progress::uncounted(printer, &format!("simulating {} jobs", what_if.log.jobs));
    let (answer, outcomes) = simulate_site(&what_if, policy);
    drop(progress);
    if let Some(planned) = list_file {
        let mut output = planned.begin()?;
        let list = write_submissions(&what_if.run.submissions);
        output.write_all(list.as_bytes()).map_err(|cause| output.failed(cause))?;
        output.commit()?;
    }
    if let Some(planned) = schedule_file {
        let mut output = planned.begin()?;
        schedule::write_outcomes_csv(&mut output, &outcomes).map_err(|cause| output.failed(cause))?;
        output.commit()?;
    }
    for misread in answer.misread.iter().take(3) {
        printer.warning(&misread.to_string());
    }
    if answer.misread.len() > 3 {
        printer.warning(&format!("and {} more places could not be read", answer.misread.len() - 3));
    }
    printer.answer(&SimulatedSite { version: env!("CARGO_PKG_VERSION"), site: name, source, answer })
}

impl Answer for SimulatedSite {
    fn document(&self) -> Document {
        site_tables::document(&self.site, &self.source, &self.answer)
    }

    fn table(&self) -> Table {
        site_tables::waits(&self.answer.report, None)
    }
}

//! Talby, Tsafrir, Goldberg and Feitelson, "Session-Based, Estimation-less, and Information-less Runtime
//! Prediction Algorithms for Parallel and Grid Job Scheduling", 2005.

use queuecast::eval::{PublishedCell, Reproduction};

use super::paper::{Paper, Tables};
use crate::commands::loaded::{Loaded, number_of};
use crate::failure::Failure;
use crate::progress::Progress;

/// What it needs, and how it is recomputed.
pub const PAPER: Paper = Paper {
    name: "talby2005",
    title: TITLE,
    tables: &["1"],
    logs: &[
        "SDSC-SP2-1998-4.2-cln",
        "CTC-SP2-1996-3.1-cln",
        "KTH-SP2-1996-2.1-cln",
        "SDSC-BLUE-2000-4.2-cln",
    ],
    clean: "default",
    simulations: 1,
    run,
};

const TITLE: &str = "Session-Based, Estimation-less, and Information-less Runtime Prediction Algorithms for \
                     Parallel and Grid Job Scheduling";

/// Seconds of a week.
const WEEK: f64 = 7.0 * 86_400.0;

/// Of the jobs it counted; the archive's logs have been cleaned again since.
const JOBS_TOLERANCE: f64 = 0.001;

/// A line of Table 1: the log's abbreviation, processors, jobs, weeks, utilization.
type Described = (&'static str, f64, f64, f64, f64);

/// Table 1, in the order of the logs.
const TABLE_1: [Described; 4] = [
    ("SDSP2", 128.0, 59_725.0, 105.2, 84.0),
    ("CTC", 128.0, 77_222.0, 48.5, 56.0),
    ("KTH", 100.0, 28_490.0, 48.6, 69.0),
    ("BLUE", 1_152.0, 243_314.0, 140.1, 76.0),
];

/// Recomputes its tables from its logs, in the order of [`PAPER`].
pub fn run(traces: &[Loaded], tables: &Tables, progress: &Progress) -> Result<Reproduction, Failure> {
    let mut reproduction = Reproduction::new(PAPER.name, TITLE);
    if tables.wants("1") {
        reproduction = reproduction.captioned("1", "the logs");
        reproduction.notes.push(
            "Table 1: jobs are the records of the log, before cleaning; weeks are from the first to the last \
             submission, where the paper's fit the time from the log's second 0 to its last end; utilization \
             is the offered load"
                .to_owned(),
        );
        for ((log, printed), trace) in PAPER.logs.iter().zip(TABLE_1).zip(traces) {
            reproduction.cells.extend(described(log, printed, trace));
        }
    }
    progress.advance();
    Ok(reproduction)
}

/// A log's line of Table 1. It describes the log, not what is simulated; only the number of jobs is judged.
fn described(log: &str, printed: Described, trace: &Loaded) -> [PublishedCell; 4] {
    let (row, procs, jobs, weeks, utilization) = printed;
    let workload = &trace.log.workload;
    let machine = f64::from(workload.machine().procs.0);
    let load = workload.offered_load() * 100.0;
    let span = match (workload.jobs().first(), workload.jobs().last()) {
        (Some(first), Some(last)) => (last.submit - first.submit).0 as f64 / WEEK,
        _ => 0.0,
    };
    let cell = |column: &str, unit: &str| PublishedCell::new("1", row, column, log).unit(unit);
    let mut procs = cell("Processors", "processors").paper(procs).ours(machine);
    let records = trace.log.report.lines;
    let mut jobs = cell("Jobs", "jobs").paper(jobs).ours(records as f64).tolerance(jobs * JOBS_TOLERANCE);
    let mut utilization = cell("Utilization", "%").paper(utilization).ours(load);
    if trace.log.report.removed > 0 {
        jobs = jobs.note(format!("of these, {} can be simulated", number_of(workload.len(), "job")));
    }
    if row == "CTC" {
        procs = procs.note("the paper's is a misprint: the log is of 338 processors");
        let on_512 = load * machine / 512.0;
        utilization = utilization.note(format!("on 512 processors, the same work would be {on_512:.1} %"));
    }
    [procs, jobs, cell("Weeks", "weeks").paper(weeks).ours(span), utilization]
}

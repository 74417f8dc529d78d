//! Table 1: the logs.

use queuecast_trace::Log;

use super::setup::LOG_NAMES;
use super::tables::PRINTED;
use crate::PublishedCell;

/// What is said of Table 1.
pub const NOTE: &str = "Table 1: jobs are the records of the log, before cleaning; weeks are from the first to the \
                        last submission, where the paper's fit the time from the log's second 0 to its last end; \
                        utilization is the offered load";

/// Of the jobs it counted; the archive's logs have been cleaned again since.
const JOBS_TOLERANCE: f64 = 0.001;

/// Seconds of a week.
const WEEK: f64 = 7.0 * 86_400.0;

/// A log as it was read.
#[derive(Debug, Clone, Copy)]
pub struct LogFacts {
    /// Processors its header names.
    pub procs: u32,
    /// Its records.
    pub records: u64,
    /// Those of them that can be simulated.
    pub jobs: usize,
    /// From the first to the last submission, in seconds.
    pub span: i64,
    /// Work offered, in parts of what the machine could do.
    pub load: f64,
}

impl LogFacts {
    /// Of this log.
    pub fn of(log: &Log) -> LogFacts {
        let workload = &log.workload;
        let span = match (workload.jobs().first(), workload.jobs().last()) {
            (Some(first), Some(last)) => (last.submit - first.submit).0,
            _ => 0,
        };
        LogFacts {
            procs: workload.machine().procs.0,
            records: log.report.lines,
            jobs: workload.len(),
            span,
            load: workload.offered_load(),
        }
    }
}

/// It describes the logs, not what is simulated; only the number of jobs is judged.
pub fn cells(logs: &[LogFacts]) -> Vec<PublishedCell> {
    LOG_NAMES.iter().zip(logs).flat_map(|(name, log)| row(name, log)).collect()
}

fn row(name: &str, log: &LogFacts) -> [PublishedCell; 4] {
    let [procs, jobs, weeks, utilization] =
        ["Nodes", "Jobs", "Weeks", "Utilization"].map(|column| PRINTED.value("1", name, column));
    let cell = |column: &str, unit: &str| PublishedCell::new("1", name, column, name).unit(unit);
    let load = log.load * 100.0;
    let mut procs = cell("Nodes", "processors").paper(procs).ours(f64::from(log.procs));
    let mut counted = cell("Jobs", "jobs")
        .paper(jobs)
        .ours(log.records as f64)
        .tolerance(jobs.map(|jobs| jobs * JOBS_TOLERANCE));
    let mut utilization = cell("Utilization", "%").paper(utilization).ours(load);
    if (log.jobs as u64) < log.records {
        counted = counted.note(format!("of these, {} can be simulated", log.jobs));
    }
    if name == "CTC" {
        procs = procs.note("the paper's is a misprint: the header says 338, the 56 % say 512");
        let on_512 = load * f64::from(log.procs) / 512.0;
        utilization = utilization.note(format!("on 512 processors, the same work is {on_512:.1} %"));
    }
    [procs, counted, cell("Weeks", "weeks").paper(weeks).ours(log.span as f64 / WEEK), utilization]
}

//! Real logs: all ten of the archive are read with the numbers of jobs they are known to have, and two are
//! cleaned to exactly the job lists that another simulator was given.
//!
//! They are not part of the repository. `QUEUECAST_TRACES` names their directory (default
//! `../shared/traces` beside the checkout), `QUEUECAST_PEERS` that of the job lists (default `../peers`
//! beside the traces), `QUEUECAST_SLURM` that of accounting samples (default `../slurm` beside the traces). What is
//! missing shows as ignored.

use std::collections::BTreeMap;
use std::env;
use std::fs::{self, File};
use std::path::{Path, PathBuf};

use libtest_mimic::{Failed, Trial};
use queuecast_core::job::{Job, Truth};
use queuecast_trace as trace;
use queuecast_trace::{
    CleaningReport, CompressedOutput, Compression, LogFormat, ReadOptions, Records, Rule, Ruleset, SwfWriter,
};

/// Name, data lines, processors, and jobs left by the default rules. Lines and processors as published;
/// jobs left: lines minus those without run time or processors, or larger than the machine.
const LOGS: [(&str, u64, u32, usize); 10] = [
    ("KTH-SP2-1996-2.1-cln", 28_476, 100, 28_475),
    ("KTH-SP2-1996-2", 28_489, 100, 28_489),
    ("CTC-SP2-1996-3.1-cln", 77_222, 338, 77_222),
    ("SDSC-SP2-1998-4.2-cln", 59_715, 128, 54_044),
    ("SDSC-BLUE-2000-4.2-cln", 243_306, 1_152, 232_562),
    ("LANL-CM5-1994-4.1-cln", 122_060, 1_024, 122_057),
    ("HPC2N-2002-2.2-cln", 202_871, 240, 202_871),
    ("SDSC-Par-1996-3.1-cln", 32_135, 400, 32_135),
    ("CEA-Curie-2011-2.1-cln", 312_826, 93_312, 312_807),
    ("NASA-iPSC-1993-3.1-cln", 18_239, 128, 18_239),
];

/// Jobs that left the queue before they started and their share of all queue time in per cent, by ruleset; none in
/// the other logs. On Curie they have a run time of zero, which the default rules keep as one second.
const WITHDRAWN: [(&str, &str, usize, f64); 4] = [
    ("SDSC-SP2-1998-4.2-cln", "default", 5_671, 12.3),
    ("SDSC-BLUE-2000-4.2-cln", "default", 10_744, 7.5),
    ("CEA-Curie-2011-2.1-cln", "default", 0, 0.0),
    ("CEA-Curie-2011-2.1-cln", "default,run-zero=drop", 15_268, 16.2),
];

const PEERS: [(&str, &str, usize); 2] =
    [("KTH-SP2", "KTH-SP2-1996-2", 28_481), ("CTC-SP2", "CTC-SP2-1996-3.1-cln", 77_199)];

const SLURMS: [&str; 3] = ["22.05", "24.11", "26.05"];

pub fn trials() -> Vec<Trial> {
    let traces = env::var_os("QUEUECAST_TRACES")
        .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/traces"), PathBuf::from);
    let peers = env::var_os("QUEUECAST_PEERS").map_or_else(|| traces.join("../peers"), PathBuf::from);
    let slurm = env::var_os("QUEUECAST_SLURM").map_or_else(|| traces.join("../slurm"), PathBuf::from);
    let mut trials = Vec::new();
    for (name, lines, procs, jobs) in LOGS {
        let path = log(&traces, name);
        let missing = !path.exists();
        let again = path.clone();
        let read = move || known_numbers(&path, lines, procs, jobs);
        trials.push(Trial::test(format!("trace_real::reads {name}"), read).with_ignored_flag(missing));
        let rewrite = move || written_and_read_again(&again);
        trials.push(Trial::test(format!("trace_real::rewrites {name}"), rewrite).with_ignored_flag(missing));
    }
    for (name, ruleset, jobs, percent) in WITHDRAWN {
        let path = log(&traces, name);
        let missing = !path.exists();
        let read = move || withdrawn(&path, ruleset, jobs, percent);
        let name = format!("trace_real::withdrawn jobs of {name}, {ruleset}");
        trials.push(Trial::test(name, read).with_ignored_flag(missing));
    }
    for (name, source, jobs) in PEERS {
        let path = log(&traces, source);
        let list = peers.join("predictsim").join(name).join("input_rebuilt.swf.gz");
        let missing = !path.exists() || !list.exists();
        let compare = move || same_job_list(&path, &list, jobs);
        trials.push(
            Trial::test(format!("trace_real::predictsim's jobs of {name}"), compare)
                .with_ignored_flag(missing),
        );
    }
    for version in SLURMS {
        for (when, unfinished) in [("done", false), ("busy", true)] {
            let path = slurm.join("samples").join(version).join(when).join("sacct-jobs-ingest.txt");
            let local = path.with_file_name("sacct-jobs.psv");
            let missing = !path.exists() || !local.exists();
            let read = move || accounting(&path, &local, unfinished);
            let name = format!("trace_real::Slurm {version}, {when}");
            trials.push(Trial::test(name, read).with_ignored_flag(missing));
        }
        let path = slurm.join("samples").join(version).join("hostile/sacct-us.txt");
        let missing = !path.exists();
        let read = move || hostile_names(&path);
        trials.push(
            Trial::test(format!("trace_real::Slurm {version}, hostile names"), read)
                .with_ignored_flag(missing),
        );
    }
    trials
}

fn log(traces: &Path, name: &str) -> PathBuf {
    traces.join(format!("{name}.swf.gz"))
}

fn options(ruleset: Ruleset) -> ReadOptions {
    ReadOptions { ruleset, ..ReadOptions::default() }
}

fn known_numbers(path: &Path, lines: u64, procs: u32, jobs: usize) -> Result<(), Failed> {
    let log = trace::read(File::open(path)?, &ReadOptions::default())?;
    assert_eq!(log.compression, Compression::Gzip);
    assert_eq!(log.report.lines, lines);
    assert_eq!(log.workload.machine().procs.0, procs);
    assert_eq!(log.workload.len(), jobs, "{}", log.report);
    assert_eq!(log.report.jobs, jobs as u64, "{}", log.report);
    let withdrawn = WITHDRAWN.iter().any(|(name, ..)| path.ends_with(format!("{name}.swf.gz")));
    assert!(withdrawn || log.workload.withdrawn.is_empty(), "{}", log.report);
    assert_eq!(log.workload.epoch, log.header.unix_start_time);
    assert!(log.workload.epoch.is_some());
    assert_eq!(log.report.fired(Rule::Malformed), 0);
    assert!(!log.header.acknowledge.is_empty());
    // A control: without its rule, a zero run stays zero.
    let none = trace::read(File::open(path)?, &options(Ruleset::none()))?;
    let zeros = |log: &trace::Log| log.workload.truths().iter().filter(|truth| truth.run().0 == 0).count();
    assert_eq!(zeros(&log), 0);
    assert_eq!(zeros(&none) as u64, none.report.fired(Rule::RunZero));
    Ok(())
}

fn withdrawn(path: &Path, ruleset: &str, jobs: usize, percent: f64) -> Result<(), Failed> {
    let log = trace::read(File::open(path)?, &options(ruleset.parse()?))?;
    let workload = &log.workload;
    let report = log.report.withdrawn.ok_or("no account of withdrawn jobs")?;
    assert_eq!((workload.withdrawn.len(), report.jobs), (jobs, jobs as u64), "{}", log.report);
    let share = report.queue_time_share.ok_or("no waits")?;
    assert!((share * 100.0 - percent).abs() < 0.05, "{}", log.report);
    assert!(workload.withdrawn.is_sorted_by_key(|one| (one.job.submit, one.job.index)));
    for one in &workload.withdrawn {
        let rank = one.job.index.at();
        assert!(workload.jobs()[..rank].last().is_none_or(|job| job.submit <= one.job.submit));
        assert!(workload.jobs()[rank..].first().is_none_or(|job| job.submit >= one.job.submit));
        assert!(one.waited().0 >= 0 && one.job.shape.procs <= workload.machine().procs);
    }
    Ok(())
}

fn written_and_read_again(path: &Path) -> Result<(), Failed> {
    let mut records = Records::open(File::open(path)?, &ReadOptions::default())?;
    let originals: Vec<_> = records.by_ref().collect::<Result<_, _>>()?;
    let mut writer = SwfWriter::new(CompressedOutput::new(Vec::new(), Compression::Zstd));
    writer.header(records.header())?;
    originals.iter().try_for_each(|record| writer.record(record))?;
    let bytes = writer.finish()?.finish()?;
    let mut again = Records::open(bytes.as_slice(), &ReadOptions::default())?;
    let mut count = 0;
    for (original, record) in originals.iter().zip(again.by_ref()) {
        assert_eq!(original, &record?);
        count += 1;
    }
    assert_eq!(count, originals.len());
    assert_eq!(records.header(), again.header());
    Ok(())
}

fn same_job_list(source: &Path, list: &Path, jobs: usize) -> Result<(), Failed> {
    let ours = trace::read(File::open(source)?, &options(Ruleset::predictsim()))?;
    let theirs = trace::read(fs::read(list)?.as_slice(), &options(Ruleset::none()))?;
    assert_eq!(ours.workload.len(), jobs, "{}", ours.report);
    if source.ends_with("KTH-SP2-1996-2.swf.gz") {
        sample_of_the_reference_page(&ours.report);
    }
    assert_eq!(theirs.workload.len(), jobs, "{}", theirs.report);
    let facts = |(job, truth): (&Job, &Truth)| (job.id, job.submit, truth.run(), job.shape, job.user);
    let rows = |log: &trace::Log| -> Vec<_> {
        log.workload.jobs().iter().zip(log.workload.truths()).map(facts).collect()
    };
    let (ours_rows, theirs_rows) = (rows(&ours), rows(&theirs));
    for (ours, theirs) in ours_rows.iter().zip(&theirs_rows) {
        assert_eq!(ours, theirs);
    }
    assert_eq!(ours.workload.machine(), theirs.workload.machine());
    // A control: the default rules give another list.
    let default = trace::read(File::open(source)?, &options(Ruleset::default()))?;
    let by_id: BTreeMap<_, _> = theirs_rows.iter().map(|row| (row.0, row)).collect();
    assert!(rows(&default).iter().any(|row| by_id.get(&row.0) != Some(&row)));
    Ok(())
}

/// The page shows every rule that fires on this log, with what it says.
fn sample_of_the_reference_page(report: &CleaningReport) {
    let page = include_str!("../../../docs/reference/cleaning.md");
    for rule in &report.rules {
        let name = format!("{} ", rule.rule);
        let line = page.lines().find(|line| line.starts_with(&name)).unwrap_or_default();
        let example = rule.example.as_ref().map_or_else(String::new, ToString::to_string);
        let parts = [rule.count.to_string(), rule.effect.to_string(), rule.description.into(), example];
        assert!(parts.iter().all(|part| line.contains(part.as_str())), "{parts:?}: {line}");
    }
}

/// The same accounting twice, as Unix seconds between unit separators and as local times between bars.
fn accounting(path: &Path, local: &Path, unfinished: bool) -> Result<(), Failed> {
    let text = fs::read_to_string(path)?;
    let log = trace::read(text.as_bytes(), &ReadOptions::default())?;
    assert_eq!(log.format, LogFormat::SACCT);
    assert_eq!(log.report.lines, text.lines().count() as u64 - 1);
    assert_eq!(log.report.fired(Rule::Malformed), 0, "{}", log.report);
    assert_eq!(log.report.fired(Rule::Unfinished) > 0, unfinished, "{}", log.report);
    assert_eq!(log.workload.names.users.len(), 4);
    // Of the jobs cancelled before they started, the others never became eligible.
    let withdrawn: Vec<u64> = log.workload.withdrawn.iter().map(|one| one.job.id.0).collect();
    assert_eq!(withdrawn, if unfinished { vec![] } else { vec![149] });
    let separated = trace::clean(text.as_bytes(), &ReadOptions::default())?;
    let barred = trace::clean(File::open(local)?, &ReadOptions::default())?;
    let times = |cleaned: &trace::Cleaned| -> Vec<_> {
        cleaned
            .records
            .iter()
            .map(|one| (one.job, one.submit, one.wait, one.run, one.requested_time))
            .collect()
    };
    // While jobs run, two queries a moment apart differ. Afterwards only the job with a bar in its name does.
    if !unfinished {
        let (separated_rows, barred_rows) = (times(&separated), times(&barred));
        let lost: Vec<_> = separated_rows.iter().filter(|row| !barred_rows.contains(row)).collect();
        assert_eq!(lost.len() as u64, barred.report.fired(Rule::Malformed), "{lost:?} {}", barred.report);
        assert_eq!(barred_rows.len() + lost.len(), separated_rows.len());
    }
    let converted = trace::convert(text.as_bytes(), Vec::new(), &ReadOptions::default())?;
    let swf = trace::read(converted.sink.as_slice(), &ReadOptions::default())?;
    assert_eq!(swf.workload.len(), log.workload.len());
    let users = |log: &trace::Log| -> Vec<String> {
        let name = |job: &Job| job.user.map(|user| log.workload.names.users[&user.number()].clone());
        log.workload.jobs().iter().filter_map(name).collect()
    };
    assert_eq!(users(&swf), users(&log));
    Ok(())
}

fn hostile_names(path: &Path) -> Result<(), Failed> {
    // The sample has no processor column; a made one shows that rows in one piece survive their neighbours.
    let text = fs::read_to_string(path)?;
    let refused = trace::read(text.as_bytes(), &ReadOptions::default());
    assert!(refused.is_err_and(|error| error.to_string().contains("lacks ReqCPUS")));
    let lines: Vec<String> = text
        .lines()
        .enumerate()
        .map(|(number, line)| format!("{}\x1f{line}", if number == 0 { "ReqCPUS" } else { "1" }))
        .collect();
    let log = trace::read(lines.join("\n").as_bytes(), &ReadOptions::default())?;
    let malformed = log.report.fired(Rule::Malformed);
    assert!(malformed > 0 && log.workload.len() >= 3, "{}", log.report);
    Ok(())
}

//! What was said of each job beside what happened, as CSV: one row for each method and job. Numbers are as exact as they were computed.

use std::io::{self, BufWriter, Write};

use super::schedule::write_name;
use super::table::csv_field;
use queuecast_core::job::Job;
use queuecast_core::workload::Names;
use queuecast_eval::{
    AskedAt, LIMIT_RISKS, RuntimePrediction, SAID_LEVELS, SaidTime, TimeRank, WaitPrediction,
};
use queuecast_forecast::forecast::WaitOutcome;
use queuecast_wait::{NamedClasses, WAIT_CLASSES};

/// Who asked for what, and when.
const JOB: &str = "method,job,submit,month,user,queue,procs,requested";

/// How the columns of quantiles are called: `p05` to `p95`.
fn quantile_names() -> String {
    SAID_LEVELS.map(|level| format!("p{:02}", (100.0 * level).round())).join(",")
}

/// Writes what methods said of waits. `names` are those of the log.
pub fn write_waits(
    out: &mut dyn Write,
    names: &Names,
    methods: &[(String, Vec<WaitPrediction>)],
) -> io::Result<()> {
    let mut out = BufWriter::new(out);
    let classes: Vec<String> = (1..=WAIT_CLASSES).map(|class| format!("class_{class}")).collect();
    writeln!(
        out,
        "{JOB},{},low,high,point,response_point,{},one_class,two_classes,three_classes,outcome,wait,shorter,up_to",
        quantile_names(),
        classes.join(",")
    )?;
    for (method, predictions) in methods {
        for WaitPrediction { job, month, said, outcome, rank } in predictions {
            write_job(&mut out, names, method, job, month)?;
            write_time(&mut out, &said.time)?;
            write!(out, ",{}", said.response_point)?;
            said.classes.iter().try_for_each(|probability| write!(out, ",{probability}"))?;
            write_named(&mut out, said.named)?;
            write_outcome(&mut out, *outcome)?;
            write_rank(&mut out, *rank)?;
        }
    }
    out.flush()
}

/// Writes what methods said of run times, at submission and at the start. `names` are those of the log.
pub fn write_run_times(
    out: &mut dyn Write,
    names: &Names,
    methods: &[(String, Vec<RuntimePrediction>)],
) -> io::Result<()> {
    let mut out = BufWriter::new(out);
    let limits = LIMIT_RISKS.map(|risk| format!("limit_{risk},stopped_{risk}"));
    writeln!(
        out,
        "{JOB},asked_at,{},low,high,point,range,{},outcome,wait,run,shorter,up_to",
        quantile_names(),
        limits.join(",")
    )?;
    for (method, predictions) in methods {
        for RuntimePrediction { job, month, asked, said, outcome, ran } in predictions {
            write_job(&mut out, names, method, job, month)?;
            write!(out, ",{}", if *asked == AskedAt::Submission { "submission" } else { "start" })?;
            write_time(&mut out, &said.time)?;
            write!(out, ",{}", u8::from(said.is_range))?;
            match said.limits {
                Some(limits) => {
                    limits.iter().try_for_each(|advice| write!(out, ",{},{}", advice.limit, advice.risk))?
                }
                None => LIMIT_RISKS.iter().try_for_each(|_| write!(out, ",,"))?,
            }
            write_outcome(&mut out, *outcome)?;
            match ran {
                Some(ran) => write!(out, ",{}", ran.run)?,
                None => write!(out, ",")?,
            }
            write_rank(&mut out, ran.map(|ran| ran.rank))?;
        }
    }
    out.flush()
}

fn write_job(out: &mut dyn Write, names: &Names, method: &str, job: &Job, month: &str) -> io::Result<()> {
    write!(out, "{},{},{},{month}", csv_field(method), job.id.0, job.submit)?;
    write_name(out, job.user.map(|id| id.number()), &names.users)?;
    write_name(out, job.queue.map(|id| id.number()), &names.queues)?;
    write!(out, ",{},", job.shape.procs)?;
    job.shape.limit.map_or(Ok(()), |limit| write!(out, "{limit}"))
}

fn write_time(out: &mut dyn Write, time: &SaidTime) -> io::Result<()> {
    time.quantiles.iter().try_for_each(|quantile| write!(out, ",{quantile}"))?;
    write!(out, ",{},{},{}", time.low, time.high, time.point)
}

/// Classes are numbered from 1, several with blanks between.
fn write_named(out: &mut dyn Write, named: NamedClasses) -> io::Result<()> {
    let [one, other] = named.two;
    write!(out, ",{},{} {},", named.one + 1, one + 1, other + 1)?;
    let three: Vec<String> = (named.three.0..=named.three.1).map(|class| (class + 1).to_string()).collect();
    write!(out, "{}", three.join(" "))
}

/// What became of a job, and after how long.
fn write_outcome(out: &mut dyn Write, outcome: WaitOutcome) -> io::Result<()> {
    match outcome {
        WaitOutcome::Started(wait) => write!(out, ",started,{wait}"),
        WaitOutcome::Withdrawn(after) => write!(out, ",withdrawn,{after}"),
        WaitOutcome::Unknown => write!(out, ",unknown,"),
    }
}

/// Ends the row.
fn write_rank(out: &mut dyn Write, rank: Option<TimeRank>) -> io::Result<()> {
    match rank {
        Some(TimeRank { shorter, up_to }) => writeln!(out, ",{shorter},{up_to}"),
        None => writeln!(out, ",,"),
    }
}

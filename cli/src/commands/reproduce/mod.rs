//! `queuecast reproduce`: a published paper's tables, recomputed on real logs and judged cell by cell.

mod answer;
mod logs;
mod paper;
mod people;
mod smith1998;
mod talby2005;
mod tsafrir2005;

use std::path::{Path, PathBuf};

use queuecast::eval::{Reproduction, Tally};
use queuecast::trace::{ReadOptions, Ruleset};
use rayon::prelude::*;

use self::answer::{Reproduced, Used};
use self::paper::{Paper, Tables};
use super::loaded::{Loaded, number_of};
use super::source::{InputFormat, Reading, Source};
use super::{cleaning, grid};
use crate::failure::{Failure, Kind};
use crate::printer::Printer;
use crate::spec;

const EXAMPLES: &str = "\
Examples:
  Recompute a paper on logs of the Parallel Workloads Archive:
    queuecast reproduce talby2005 --traces traces/

  One of its tables, for a document:
    queuecast reproduce talby2005 --traces traces/ --table 1 --format markdown

  Which cells are out of tolerance, and by how much? (QUEUECAST_TRACES is set)
    queuecast reproduce talby2005 --format json | jq '.cells[] | select(.within == false)'

Ends with exit code 4 if a cell is out of tolerance or a claim does not hold, unless that is explained.";

/// No paper has work for more.
const MOST_THREADS: usize = 256;

/// Recompute a published paper's tables on real logs, and judge each cell
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Arguments {
    /// Which paper
    #[arg(value_name = "PAPER", value_parser = paper::named())]
    pub paper: &'static Paper,
    /// The directory the logs are in; by default what QUEUECAST_TRACES says
    #[arg(long, value_name = "DIR")]
    pub traces: Option<PathBuf>,
    /// Only this table, without claims and figures; may be repeated
    #[arg(long, value_name = "N", help_heading = "Results")]
    pub table: Vec<String>,
    /// How many simulations run at once; by default as many as there are cores
    #[arg(long, value_name = "N", help_heading = "Results")]
    #[arg(value_parser = spec::at_least_one::<u16>, allow_negative_numbers = true)]
    pub threads: Option<u16>,
    /// Leave out the charts
    #[arg(long, help_heading = "Results")]
    pub no_plot: bool,
}

/// Finds and reads the logs, recomputes the paper, shows it, and fails if it does not agree.
pub fn run(arguments: &Arguments, printer: &Printer) -> Result<(), Failure> {
    let paper = arguments.paper;
    let tables = Tables::of(paper, &arguments.table)?;
    let folder = logs::folder(arguments.traces.as_deref(), std::env::var_os(logs::VARIABLE), paper)?;
    let files = logs::find(&folder, paper)?;
    let source = source(paper)?;
    let (traces, reproduction) = grid::on_threads(arguments.threads, MOST_THREADS, || {
        let traces = read(&files, &source, printer)?;
        let reproduction = (paper.run)(&traces, &tables, printer)?;
        Ok((traces, tables.only(reproduction)))
    })?;
    for trace in traces.iter().filter(|_| printer.shows_rows_only()) {
        cleaning::note(&trace.name, &trace.log.report, printer);
    }
    let used = paper.logs.iter().zip(&traces).map(|(name, trace)| Used::new(name, trace)).collect();
    let verdict = verdict(&reproduction);
    printer.answer(&Reproduced::new(reproduction, used, !arguments.no_plot))?;
    verdict
}

/// How a paper's logs are read.
fn source(paper: &Paper) -> Result<Source, Failure> {
    let clean: Ruleset = paper
        .clean
        .parse()
        .map_err(|cause| Failure::unexpected(format!("the ruleset of {}", paper.name)).because(cause))?;
    let time_zone = ReadOptions::default().time_zone;
    let reading = Reading { input_format: InputFormat::Swf, strict: false, time_zone };
    Ok(Source { reading, procs: None, clean })
}

fn read(files: &[PathBuf], source: &Source, printer: &Printer) -> Result<Vec<Loaded>, Failure> {
    let one = |path: &PathBuf| Loaded::read(Path::new(path), source, printer);
    let traces: Vec<Result<Loaded, Failure>> = files.par_iter().map(one).collect();
    // Which failure is told does not depend on which thread was first.
    traces.into_iter().collect()
}

/// What does not agree with the paper and is not explained, as a failure.
fn verdict(reproduction: &Reproduction) -> Result<(), Failure> {
    if reproduction.holds() {
        return Ok(());
    }
    let tally = reproduction.tally();
    Err(Failure::new(Kind::Tolerance, format!("{}: {}", reproduction.paper, disagreement(&tally))))
}

fn disagreement(tally: &Tally) -> String {
    let (out, failing) = (tally.cells_out(), tally.claims_failing());
    let cells = (out > 0).then(|| {
        let are = if out == 1 { "is" } else { "are" };
        format!("{out} of {} {are} out of tolerance", number_of(tally.cells, "cell"))
    });
    let claims = (failing > 0).then(|| {
        let does = if failing == 1 { "does" } else { "do" };
        format!("{failing} of {} {does} not hold", number_of(tally.claims, "claim"))
    });
    let unexplained: Vec<String> = cells.into_iter().chain(claims).collect();
    format!("{}, and nothing explains it", unexplained.join("; "))
}

#[cfg(test)]
mod tests {
    use queuecast::eval::{Claim, PublishedCell};

    use super::*;

    #[test]
    fn what_is_out_is_counted_and_ends_with_code_4() {
        let mut all = Reproduction::new("p", "t");
        let cell = PublishedCell::new("1", "r", "c", "average").paper(1.0).tolerance(0.5);
        all.cells = vec![cell.clone().ours(1.25), cell.clone().ours(9.0).explained("another log")];
        all.claims = vec![Claim::new("c", true, "m")];
        assert!(verdict(&all).is_ok());
        all.cells.push(cell.ours(9.0));
        let refused = verdict(&all).unwrap_err();
        assert_eq!(refused.kind(), Kind::Tolerance);
        assert_eq!(refused.to_string(), "p: 1 of 3 cells is out of tolerance, and nothing explains it");
        all.claims.extend([Claim::new("c", false, "m"), Claim::new("d", false, "m")]);
        assert_eq!(
            verdict(&all).unwrap_err().to_string(),
            "p: 1 of 3 cells is out of tolerance; 2 of 3 claims do not hold, and nothing explains it"
        );
    }
}

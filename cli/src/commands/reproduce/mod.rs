//! `queuecast reproduce`: a published paper's tables, recomputed and judged cell by cell.

mod answer;
mod logs;
mod request;
mod text;

use std::ffi::OsString;
use std::path::PathBuf;

use queuecast::parallel;
use queuecast::trace::{Log, ReadOptions, Ruleset};
use queuecast_papers::{Paper, Reproduction, Tally};

use self::answer::{Reproduced, Used};
use self::logs::Found;
use super::loaded::{Loaded, number_of};
use super::source::{InputFormat, Reading, Source};
use super::{cleaning, threads};
use crate::failure::{Failure, Kind};
use crate::plot::Plotting;
use crate::printer::Printer;
use crate::progress::Progress;
use crate::spec;

const EXAMPLES: &str = "\
Examples:
  Recompute a paper on logs of the Parallel Workloads Archive:
    queuecast reproduce talby2005 --traces traces/

  One of its tables, for a document:
    queuecast reproduce talby2005 --traces traces/ --table 1 --format markdown

  A first look at results that are means over 100 seeds:
    queuecast reproduce tsafrir2005 --traces traces/ --seeds 20

  Which cells are out of tolerance, and by how much? (QUEUECAST_TRACES is set)
    queuecast reproduce talby2005 --format json |
      jq '.cells[] | select(.within == false)'

Ends with exit code 4 if a cell is out of tolerance or a claim does not hold, unless that is explained.";

/// No paper has work for more.
const MOST_THREADS: usize = 256;

/// Recompute a published paper's tables, and judge each cell
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Arguments {
    /// Which paper
    #[arg(value_name = "PAPER", value_parser = request::named())]
    pub paper: &'static Paper,
    /// The directory the logs are in, for papers that use any; by default what QUEUECAST_TRACES says
    #[arg(long, value_name = "DIR")]
    pub traces: Option<PathBuf>,
    /// Only this table, without claims and figures; may be repeated
    #[arg(long, value_name = "N", help_heading = "Results")]
    pub table: Vec<String>,
    /// How many seeds results are means over, from 2 to 1000; by default each paper's own number here
    #[arg(long, value_name = "N", help_heading = "Results")]
    #[arg(value_parser = spec::seeds, allow_negative_numbers = true)]
    pub seeds: Option<u64>,
    /// How many simulations run at once; by default as many as there are cores
    #[arg(long, value_name = "N", help_heading = "Results")]
    #[arg(value_parser = spec::at_least_one::<u16>, allow_negative_numbers = true)]
    pub threads: Option<u16>,
    #[command(flatten)]
    pub plotting: Plotting,
}

/// Finds and reads the logs, recomputes the paper, shows it, and fails if it does not agree.
pub fn run(arguments: &Arguments, printer: &Printer) -> Result<(), Failure> {
    let plot = arguments.plotting.plan(&[])?;
    let reproduced = reproduced(arguments, std::env::var_os(logs::VARIABLE), printer)?;
    let verdict = verdict(&reproduced.reproduction);
    plot.answer(&reproduced, printer)?;
    verdict
}

/// The paper, recomputed; `variable` is where the environment says the logs are.
fn reproduced(
    arguments: &Arguments,
    variable: Option<OsString>,
    printer: &Printer,
) -> Result<Reproduced, Failure> {
    let paper = arguments.paper;
    let mut request = request::request(paper, &arguments.table, arguments.seeds)?;
    let found = if paper.logs.is_empty() || paper.needs_logs(&request.tables) {
        let folder = logs::folder(arguments.traces.as_deref(), variable, paper)?;
        folder.map_or_else(|| Ok(Vec::new()), |folder| logs::find(&folder, paper))?
    } else {
        Vec::new()
    };
    request.optional = found.iter().skip(paper.logs.len()).map(|(name, _)| *name).collect();
    let source = source(paper)?;
    let (traces, reproduction) = threads::on_threads(arguments.threads, MOST_THREADS, || {
        let traces = read(&found, &source, printer)?;
        let logs: Vec<&Log> = traces.iter().map(|trace| &trace.log).collect();
        let preparing = Progress::uncounted(printer, "preparing");
        let prepared = (paper.prepare)(&logs, &request)?;
        drop(preparing);
        let progress = Progress::new(printer, prepared.work().what, prepared.work().steps);
        let reproduction = prepared.reproduce(&|steps| progress.advance_by(steps))?;
        drop(prepared);
        Ok((traces, reproduction))
    })?;
    for trace in traces.iter().filter(|_| printer.shows_rows_only()) {
        cleaning::note(&trace.name, &trace.log.report, cleaning::Overrun::Kept, printer);
    }
    let used = found.iter().zip(&traces).map(|((name, _), trace)| Used::new(name, trace)).collect();
    Ok(Reproduced::new(reproduction, used))
}

/// How a paper's logs are read.
fn source(paper: &Paper) -> Result<Source, Failure> {
    let clean: Ruleset = paper
        .clean
        .parse()
        .map_err(|cause| Failure::unexpected(format!("the ruleset of {}", paper.name)).because(cause))?;
    let time_zone = ReadOptions::default().time_zone;
    let input_format = InputFormat::Swf;
    let reading = Reading { input_format, strict: false, time_zone, cluster: None, columns: None };
    Ok(Source { reading, procs: None, clean })
}

fn read(found: &[Found], source: &Source, printer: &Printer) -> Result<Vec<Loaded>, Failure> {
    // Which failure is told does not depend on which thread was first.
    let progress = Progress::new(printer, "reading", found.len());
    let below = printer.below_progress();
    parallel::try_map(found, |(_, path): &Found| {
        let read = Loaded::read(path, source, &below);
        progress.advance();
        read
    })
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
    use queuecast::eval::EvalError;
    use queuecast_papers::{Claim, Done, Protocol, PublishedCell, Request, Work, prepare};

    use super::*;

    /// A paper of our own that needs no logs, and notes which it got and how many seeds.
    static MADE_UP: Paper = Paper {
        name: "author1997",
        title: "A Title",
        tables: &["1"],
        logs: &[],
        optional: &["KTH-1", "KTH-2"],
        without_logs: &[],
        clean: "default",
        seeds: Some(20),
        prepare: prepare::<Noting>,
    };

    struct Noting(Request);

    impl Protocol for Noting {
        type Results = ();

        fn plan(_logs: &[&Log], request: &Request) -> Result<Noting, EvalError> {
            Ok(Noting(request.clone()))
        }

        fn work(&self) -> Work {
            Work { what: "noting", steps: 0 }
        }

        fn run(&self, _logs: &[&Log], _done: &Done<'_>) -> Result<(), EvalError> {
            Ok(())
        }

        fn judge(&self, logs: &[&Log], (): &()) -> Reproduction {
            let mut all = Reproduction::new("author1997", "A Title");
            let seeds = self.0.seeds.unwrap_or(0);
            all.notes = vec![format!("{} of {:?}, {seeds} seeds", logs.len(), self.0.optional)];
            all
        }
    }

    #[test]
    fn a_paper_without_logs_needs_no_directory() {
        let asked = |traces: Option<PathBuf>, seeds: Option<u64>| Arguments {
            paper: &MADE_UP,
            traces,
            table: Vec::new(),
            seeds,
            threads: Some(1),
            plotting: Plotting::default(),
        };
        let note = |traces: Option<PathBuf>, variable: Option<OsString>, seeds: Option<u64>| {
            let mut all = reproduced(&asked(traces, seeds), variable, &Printer::silent()).unwrap();
            (all.reproduction.notes.remove(0), all.traces.len())
        };
        assert_eq!(note(None, None, None), ("0 of [], 20 seeds".to_owned(), 0));
        assert_eq!(note(None, Some("nowhere at all".into()), Some(3)), ("0 of [], 3 seeds".to_owned(), 0));
        let there = tempfile::tempdir().unwrap();
        let log = "1 0 -1 10 1 -1 -1 1 20 -1 1 1 1 1 1 1 -1 -1\n";
        std::fs::write(there.path().join("KTH-2.swf"), log).unwrap();
        let path = there.path().to_owned();
        let one = ("1 of [\"KTH-2\"], 20 seeds".to_owned(), 1);
        assert_eq!(note(Some(path.clone()), None, None), one);
        assert_eq!(note(None, Some(path.clone().into()), None), one);
        // Control: a directory that is named has to be there.
        let refused = reproduced(&asked(Some(path.join("nowhere")), None), None, &Printer::silent());
        assert_eq!(refused.unwrap_err().kind(), Kind::Input);
    }

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

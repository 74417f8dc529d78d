//! `queuecast reproduce`: a published paper's tables, recomputed and judged cell by cell.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};

use queuecast_core::parallel;
use queuecast_papers::{PAPERS, Paper, Reproduced, Reproduction, RequestError, UsedLog};
use queuecast_process::failure::{Failure, Kind};
use queuecast_process::printer::Printer;
use queuecast_process::progress::Progress;
use queuecast_trace::{Log, LogFormat, ReadOptions, Ruleset};

use super::loaded::Loaded;
use super::source::{InputFormat, Reading, Source};
use super::{cleaning, threads};
use crate::plot::Plotting;
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

/// Where the directory is told when it is not an argument.
const VARIABLE: &str = "QUEUECAST_TRACES";

/// A log's name and its file.
type FoundFile = (&'static str, PathBuf);

/// No paper has work for more.
const MOST_THREADS: usize = 256;

/// Recompute a published paper's tables, and judge each cell
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Arguments {
    /// Which paper
    #[arg(value_name = "PAPER", value_parser = named())]
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
    let reproduced = reproduced(arguments, std::env::var_os(VARIABLE), printer)?;
    let verdict = verdict(&reproduced.reproduction);
    plot.answer(&reproduced, printer)?;
    verdict
}

/// The directory: the argument, else what the environment says. A paper that needs no logs needs no directory; then
/// only the argument has to be one.
fn folder(
    argument: Option<&Path>,
    variable: Option<OsString>,
    paper: &Paper,
) -> Result<Option<PathBuf>, Failure> {
    if argument.is_some() {
        return Ok(argument.map(Path::to_owned));
    }
    let told = variable.filter(|value| !value.is_empty()).map(PathBuf::from);
    if paper.logs.is_empty() {
        return Ok(told.filter(|folder| folder.is_dir()));
    }
    told.map(Some).ok_or_else(|| {
        Failure::usage(format!("where are the logs of {}? say --traces DIR or set {VARIABLE}", paper.name))
            .hint(paper.source())
    })
}

/// A paper's logs in a directory: their names and their files.
fn find(folder: &Path, paper: &Paper) -> Result<Vec<FoundFile>, Failure> {
    let name = folder.display();
    let entries = fs::read_dir(folder).map_err(|cause| {
        let refused = if !folder.exists() {
            Failure::input(format!("{name}: no such directory"))
        } else if !folder.is_dir() {
            Failure::input(format!("{name} is not a directory"))
        } else {
            Failure::input(format!("cannot look into {name}")).because(cause)
        };
        refused.hint("--traces names the directory that the logs are in")
    })?;
    let files = entries.flatten().filter(|entry| entry.path().is_file());
    let names = files.filter_map(|entry| entry.file_name().into_string().ok());
    let found = paper.find(names).map_err(|lacking| {
        lacking.hints().into_iter().fold(Failure::input(format!("{name} {lacking}")), Failure::hint)
    })?;
    Ok(found.into_iter().map(|(log, file)| (log, folder.join(file))).collect())
}

/// The paper, recomputed; `variable` is where the environment says the logs are.
fn reproduced(
    arguments: &Arguments,
    variable: Option<OsString>,
    printer: &Printer,
) -> Result<Reproduced, Failure> {
    let paper = arguments.paper;
    let mut request = paper.request(&arguments.table, arguments.seeds).map_err(refused)?;
    let found = if paper.logs.is_empty() || paper.needs_logs(&request.tables) {
        let folder = folder(arguments.traces.as_deref(), variable, paper)?;
        folder.map_or_else(|| Ok(Vec::new()), |folder| find(&folder, paper))?
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
    let used = found
        .iter()
        .zip(&traces)
        .map(|((name, _), trace)| UsedLog::new(name, &trace.name, &trace.log))
        .collect();
    Ok(Reproduced::new(reproduction, used))
}

/// Reads a paper's name.
fn named() -> impl TypedValueParser<Value = &'static Paper> {
    let values = PAPERS.iter().map(|paper| PossibleValue::new(paper.name).help(paper.title));
    PossibleValuesParser::new(values).try_map(|name| {
        let known = PAPERS.iter().find(|paper| paper.name == name);
        known.ok_or_else(|| format!("no paper is called {name}"))
    })
}

/// Why a paper cannot be asked for this.
fn refused(error: RequestError) -> Failure {
    let failure = Failure::usage(error.to_string());
    match error {
        RequestError::Table { tables, .. } => failure.hint(format!("its tables: {}", tables.join(", "))),
        RequestError::Seeds { .. } => failure,
    }
}

/// How a paper's logs are read.
fn source(paper: &Paper) -> Result<Source, Failure> {
    let clean: Ruleset = paper
        .clean
        .parse()
        .map_err(|cause| Failure::unexpected(format!("the ruleset of {}", paper.name)).because(cause))?;
    let time_zone = ReadOptions::default().time_zone;
    let input_format = InputFormat::Of(LogFormat::SWF);
    let reading = Reading { input_format, strict: false, time_zone, cluster: None, columns: None };
    Ok(Source { reading, procs: None, clean })
}

fn read(found: &[FoundFile], source: &Source, printer: &Printer) -> Result<Vec<Loaded>, Failure> {
    // Which failure is told does not depend on which thread was first.
    let progress = Progress::new(printer, "reading", found.len());
    let below = printer.below_progress();
    parallel::try_map(found, |(_, path): &FoundFile| {
        let read = Loaded::read(path, source, &below);
        progress.advance();
        read
    })
}

/// What does not agree with the paper and is not explained, as a failure.
fn verdict(reproduction: &Reproduction) -> Result<(), Failure> {
    let disagreement = reproduction.tally().disagreement();
    disagreement
        .map_or(Ok(()), |said| Err(Failure::new(Kind::Tolerance, format!("{}: {said}", reproduction.paper))))
}

#[cfg(test)]
mod tests {
    use queuecast_eval::EvalError;
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
    fn the_argument_comes_before_the_environment() {
        let paper = &PAPERS[0];
        let environment = || Some(OsString::from("there"));
        let named = |argument, variable| folder(argument, variable, paper).unwrap().unwrap();
        assert_eq!(named(Some(Path::new("here")), environment()), Path::new("here"));
        assert_eq!(named(None, environment()), Path::new("there"));
        for nowhere in [None, Some(OsString::new())] {
            let refused = folder(None, nowhere, paper).unwrap_err();
            assert_eq!(refused.kind(), Kind::Usage);
            assert!(paper.logs.iter().all(|log| refused.hints()[0].contains(log)), "{:?}", refused.hints());
        }
    }

    #[test]
    fn a_directory_is_needed_only_for_logs() {
        let paper = Paper { logs: &[], optional: &["KTH-1", "KTH-2"], ..PAPERS[0] };
        let nowhere = Path::new("no such directory");
        for variable in [None, Some(OsString::new()), Some(nowhere.into())] {
            assert_eq!(folder(None, variable, &paper).unwrap(), None);
        }
        // What is named has to be there.
        assert_eq!(folder(Some(nowhere), None, &paper).unwrap().as_deref(), Some(nowhere));
        assert_eq!(find(nowhere, &paper).unwrap_err().kind(), Kind::Input);
        let there = tempfile::tempdir().unwrap();
        let path = there.path();
        assert_eq!(folder(None, Some(path.into()), &paper).unwrap().as_deref(), Some(path));
        fs::write(path.join("KTH-2.1.swf"), "").unwrap();
        assert_eq!(find(path, &paper).unwrap(), [("KTH-2", path.join("KTH-2.1.swf"))]);
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
        fs::write(there.path().join("KTH-2.swf"), log).unwrap();
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

//! `queuecast score wait`.

use std::path::PathBuf;

use queuecast_eval::WaitScorer;
use queuecast_forecast::forecast::WaitMethod;
use queuecast_process::failure::Failure;
use queuecast_process::printer::Printer;
use queuecast_report::predictions::write_waits;
use queuecast_report::score::Scored;

use super::asked::{ScoreArguments, ScoreFiles, refused};
use crate::commands::cleaning;
use crate::commands::loaded::Loaded;
use crate::spec::{self, Several, SpecList};

const EXAMPLES: &str = "\
Examples:
  Nearest neighbours beside the baselines:
    queuecast score wait CTC-SP2.swf.gz --method knn

  Two histories, on the jobs that Kumar & Vadhiyar 2014 predict:
    queuecast score wait CTC-SP2.swf.gz --method knn,knn:10000 --jobs 40000

  A short log, for a program, with what was said of each job:
    queuecast score wait site.sacct --procs 4096 --from 1000 --format json \\
      --predictions said.csv";

/// Score predicted waits: each job is predicted at its submission and learned from at its start
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Arguments {
    /// The trace, compressed or not; - for standard input
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    #[arg(long, value_name = "METHOD,...", default_value = "best", value_parser = SpecList(method()), hide_possible_values = true)]
    #[arg(help = method().help("How waits are predicted; several are separated by commas, and the baselines zero and past are always added"), long_help = method().long_help("How waits are predicted; several are separated by commas, and the baselines zero and past are always added"))]
    pub method: Vec<Several<WaitMethod>>,
    #[command(flatten)]
    pub scoring: ScoreArguments,
}

fn method() -> spec::SpecParser<WaitMethod> {
    spec::of()
}

impl Arguments {
    /// The methods asked for, then the baselines.
    fn methods(&self) -> Vec<WaitMethod> {
        let mut methods = Several::together(&self.method);
        for baseline in ["past", "zero"] {
            if let Ok(baseline) = baseline.parse()
                && !methods.contains(&baseline)
            {
                methods.push(baseline);
            }
        }
        methods
    }
}

/// Scores the methods and shows them side by side.
pub fn run(arguments: &Arguments, printer: &Printer) -> Result<(), Failure> {
    let ScoreFiles { predictions, plot } = arguments.scoring.plan(&[&arguments.file])?;
    let trace = Loaded::read(&arguments.file, &arguments.scoring.source, printer)?;
    let methods = arguments.methods();
    let prepare = || {
        let scorer = WaitScorer::new(&trace.log.workload, arguments.scoring.window());
        let scorer = scorer.map_err(|error| {
            refused(&trace.name, "there is nothing to compare predicted waits with", error)
        })?;
        Ok((scorer.jobs(), scorer))
    };
    let is_kept = predictions.is_some();
    let (jobs, (methods, said)) =
        arguments.scoring.run(methods.len(), printer, prepare, |scorer, watch| match is_kept {
            true => scorer.score_each(&methods, watch),
            false => (scorer.score(&methods, watch), Vec::new()),
        })?;
    if let Some(planned) = predictions {
        let said: Vec<_> = methods.iter().map(|score| score.method.clone()).zip(said).collect();
        planned.write_by(|out| write_waits(out, &trace.log.workload.names, &said))?;
    }
    let label = |method: &str| method.to_owned();
    let scored = Scored::new((&trace.name, &trace.log), arguments.scoring.from, jobs, methods, &label);
    if printer.shows_rows_only() {
        cleaning::note(&trace.name, &trace.log.report, cleaning::Overrun::Kept, printer);
    }
    plot.answer(&scored, printer)
}

//! `queuecast score runtime`.

use std::path::PathBuf;

use queuecast_eval::{RuntimeMethod, RuntimeScorer};
use queuecast_process::failure::Failure;
use queuecast_process::printer::Printer;
use queuecast_report::predictions::write_run_times;
use queuecast_report::score::Scored;
use queuecast_sim::predict::PredictorSpec;

use super::asked::{ScoreArguments, ScoreFiles, refused};
use crate::commands::cleaning;
use crate::commands::loaded::Loaded;
use crate::spec::{self, NamedPredictor, Several, SpecList};

const EXAMPLES: &str = "\
Examples:
  The user's last two jobs beside the requested time:
    queuecast score runtime KTH-SP2.swf.gz --method recent:2

  With ranges to plan with:
    queuecast score runtime KTH-SP2.swf.gz --method mixture

  What a set of templates is worth:
    queuecast score runtime KTH-SP2.swf.gz --method template:@templates.txt

  Several predictors, for a program:
    queuecast score runtime site.sacct --procs 4096 --from 1000 \\
      --method recent:2,sbh,gibbons --format json";

/// Score predicted run times: each job is predicted at its submission and at its start, and learned from at its end
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Arguments {
    /// The trace, compressed or not; - for standard input
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    #[arg(long, value_name = "METHOD,...", default_value = "recent:2,sbh", value_parser = SpecList(spec::predictor()), hide_possible_values = true)]
    #[arg(help = spec::predictor().help(METHOD), long_help = spec::predictor().long_help(METHOD))]
    pub method: Vec<Several<NamedPredictor>>,
    #[command(flatten)]
    pub scoring: ScoreArguments,
}

const METHOD: &str = "How run times are predicted; several are separated by commas, and the baselines requested and past (the last run times of all jobs) are always added";

/// Scores the methods and shows them side by side.
pub fn run(arguments: &Arguments, printer: &Printer) -> Result<(), Failure> {
    let ScoreFiles { predictions: planned, plot } = arguments.scoring.plan(&[&arguments.file])?;
    let predictors = Several::together(&arguments.method);
    let mut specs: Vec<PredictorSpec> = Vec::new();
    for spec in predictors.iter().map(|named| &named.spec).chain([&PredictorSpec::Requested]) {
        if !specs.contains(spec) {
            specs.push(spec.clone());
        }
    }
    let trace = Loaded::read(&arguments.file, &arguments.scoring.source, printer)?;
    let jobs = trace.log.workload.jobs();
    if let Some(error) = specs.iter().find_map(|spec| spec.check(jobs).err()) {
        return Err(Failure::usage(format!("{}: {error}", trace.name)));
    }
    let methods: Vec<RuntimeMethod> =
        specs.into_iter().map(RuntimeMethod::Predictor).chain([RuntimeMethod::Past]).collect();
    let prepare = || {
        let scorer = RuntimeScorer::new(&trace.log.workload, arguments.scoring.window());
        let lacks = "it is unknown which run times were known when a job was submitted";
        let scorer = scorer.map_err(|error| refused(&trace.name, lacks, error))?;
        Ok((scorer.jobs(), scorer))
    };
    let is_kept = planned.is_some();
    let (jobs, (methods, said)) =
        arguments.scoring.run(methods.len(), printer, prepare, |scorer, watch| match is_kept {
            true => scorer.score_each(&methods, watch),
            false => (scorer.score(&methods, watch), Vec::new()),
        })?;
    if let Some(planned) = planned {
        let said: Vec<_> = methods.iter().map(|score| score.method.clone()).zip(said).collect();
        planned.write_by(|out| write_run_times(out, &trace.log.workload.names, &said))?;
    }
    let labels = spec::labels(&predictors);
    let label = |written: &str| labels.label(written);
    let scored = Scored::new((&trace.name, &trace.log), arguments.scoring.from, jobs, methods, &label);
    if printer.shows_rows_only() {
        cleaning::note(&trace.name, &trace.log.report, cleaning::Overrun::Kept, printer);
    }
    plot.answer(&scored, printer)
}

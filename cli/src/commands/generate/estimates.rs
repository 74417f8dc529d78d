//! `queuecast generate estimates`.

use queuecast::seed::Seed;

use super::asking::{self, Asking, Kind};
use super::dealing::Known;
use super::derived::{Changed, Derived};
use super::parameters::{self, Setting};
use crate::failure::Failure;
use crate::invocation::Invocation;
use crate::printer::Printer;

const EXAMPLES: &str = "\
Examples:
  Requested times for a log that has none:
    queuecast generate estimates NASA-iPSC.swf --max-estimate 18h -o asked.swf

  The log's own, given to other jobs:
    queuecast generate estimates CTC.swf --estimates shuffled -o other.swf

  The model, told the three most used times of the log:
    queuecast generate estimates CTC.swf --modes-of-log 3 -o model.swf";

/// A trace with other requested times: modelled, dealt anew, or made from run times
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Arguments {
    #[arg(long, value_name = "WHAT", default_value = "tsafrir", value_parser = asking::replaced(), hide_possible_values = true)]
    #[arg(help = asking::replaced().help("What jobs ask for"), long_help = asking::replaced().long_help("What jobs ask for"))]
    pub estimates: Kind,
    /// Another seed is another trace; the same seed is always the same one
    #[arg(long, value_name = "SEED", default_value_t = 1, allow_negative_numbers = true)]
    pub seed: u64,
    /// Give any parameter of the model another value, by the name it has in the header; may be repeated
    #[arg(long, value_name = "NAME=VALUE", value_parser = parameters::setting)]
    pub set: Vec<Setting>,
    #[command(flatten)]
    pub asking: Asking,
    #[command(flatten)]
    pub derived: Derived,
}

/// Makes them and writes the trace.
pub fn run(arguments: &Arguments, invocation: &Invocation, printer: &Printer) -> Result<(), Failure> {
    let kind = arguments.estimates;
    arguments.asking.check(kind)?;
    parameters::check(&arguments.set, arguments.asking.models(kind))?;
    arguments.derived.run(
        |trace| {
            let mut workload = trace.log.workload.clone();
            let known = Known { log: trace, modes: arguments.asking.modes_of_log.unwrap_or(0) };
            let seed = Seed(arguments.seed);
            let asked = arguments.asking.deal(kind, &mut workload, Some(known), &arguments.set, seed)?;
            asked.warnings.iter().for_each(|warning| printer.warning(warning));
            let chance = !matches!(kind, Kind::Doubled | Kind::Exact | Kind::None);
            let seed = chance.then_some(arguments.seed);
            Ok(Changed { workload, how: asked.how, parameters: asked.parameters, seed })
        },
        invocation,
        printer,
    )
}

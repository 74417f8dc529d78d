//! The record of a generated workload as text: what was done, and what differs from what was asked for.

use super::{Cell, duration};
use crate::synth::generate::{Generated, LoadLimit, RequestedTimesSource, Step, Warning};

/// The steps, the seed and every parameter, one line each: enough to generate the workload again.
pub fn notes(generated: &Generated) -> Vec<String> {
    let mut notes: Vec<String> = generated.steps.iter().map(step).collect();
    notes.extend(generated.seed.map(|seed| format!("seed = {seed}")));
    notes.extend(generated.parameters.iter().map(|one| format!("{} = {}", one.name, one.value)));
    notes
}

/// One step in words.
pub fn step(step: &Step) -> String {
    match step {
        Step::Drawn { paper } => format!("jobs by the model of {paper}; nobody ran them"),
        Step::DrawnFromHabits => "jobs by a model of people of habit; nobody ran them".to_owned(),
        Step::Fitted { log, digest } => format!("fitted to {log} (digest {digest})"),
        Step::Stopped { jobs, limit } => {
            format!(
                "{} stopped after {limit} s, the longest that is asked for there",
                number_of(*jobs as u64, "job")
            )
        }
        Step::GivenUsers => "rearranged among users and their sessions".to_owned(),
        Step::GivenRequestedTimes { source, raised: 0 } => requested(*source).to_owned(),
        Step::GivenRequestedTimes { source, raised: count } => {
            format!("{}; {}", requested(*source), raised(*count))
        }
        Step::Read { log, digest } => {
            format!("made of {log} (digest {digest}): waits, memory and processor times are left out")
        }
        Step::Cleaned { line } => format!("cleaned: {line}"),
        Step::Rescaled { by, from, to } => {
            format!("rescaled by {} from an offered load of {from:.6} to {to:.6}", by.name())
        }
        Step::Resampled => "users' weeks mixed anew".to_owned(),
        Step::Shaken { by } => format!("every arrival moved by up to {} either way", duration::human(*by)),
    }
}

fn requested(source: RequestedTimesSource) -> &'static str {
    match source {
        RequestedTimesSource::None => "no requested times",
        RequestedTimesSource::Tsafrir => "requested times by the model of Tsafrir, Etsion & Feitelson 2005",
        RequestedTimesSource::OwnShuffled => "requested times are the trace's own, shuffled",
        RequestedTimesSource::OwnBySession => {
            "requested times are the trace's own, kept together within sessions"
        }
        RequestedTimesSource::OwnDoubled => "requested times are twice the trace's own",
        RequestedTimesSource::Exact => "requested times are the run times",
        RequestedTimesSource::Factor => {
            "requested times are between once and F + 1 times the run times (the f-model)"
        }
        RequestedTimesSource::Feit => "requested times by the model of Mu'alem & Feitelson 2001",
    }
}

fn raised(count: u64) -> String {
    format!("{} raised for jobs that would outlive them", number_of(count, "requested time"))
}

/// A warning in words; `log` is the name of the log.
pub fn warning(warning: &Warning, log: &str) -> String {
    match warning {
        Warning::Raised { requested_times } => {
            format!("{}: fewer jobs than modelled ask for short times", raised(*requested_times))
        }
        Warning::NoRequestedTimes => {
            format!("{log} has no requested times: these are the model's alone")
        }
        Warning::LoadMissed { reached, asked, limit } => {
            let shown = |load: f64| Cell::share(load).shown(&Default::default());
            let limit = match limit {
                LoadLimit::MachineSize => "jobs cannot be larger than the machine",
                LoadLimit::WholeProcessors => "jobs have whole processors, one at least",
                LoadLimit::WholeSeconds => "times are whole seconds, and no run loses its last",
                LoadLimit::Sampling => "it is met on average only; another seed may be nearer",
            };
            format!("reached {}, asked {}: {limit}", shown(*reached), shown(*asked))
        }
    }
}

/// "1 job", "2,000 jobs".
fn number_of(count: u64, what: &str) -> String {
    let shown = Cell::Integer(i64::try_from(count).unwrap_or(i64::MAX)).shown(&Default::default());
    format!("{shown} {what}{}", if count == 1 { "" } else { "s" })
}

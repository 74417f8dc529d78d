//! The record of a generated workload as text: what was done, and what differs from what was asked for.

use super::duration;
use crate::words::{number_of, percent};
use queuecast_synth::synth::generate::{Generated, GenerationStep, LoadLimit, RequestedTimesSource, Warning};

/// The steps, the seed and every parameter, one line each: enough to generate the workload again.
pub fn notes(generated: &Generated) -> Vec<String> {
    let mut notes: Vec<String> = generated.steps.iter().map(step).collect();
    notes.extend(generated.seed.map(|seed| format!("seed = {seed}")));
    notes.extend(generated.parameters.iter().map(|one| format!("{} = {}", one.name, one.value)));
    notes
}

/// One step in words.
pub fn step(step: &GenerationStep) -> String {
    match step {
        GenerationStep::Drawn { paper } => format!("synthetic jobs by the model of {paper}"),
        GenerationStep::DrawnFromHabits => "synthetic jobs by the model of users with habits".to_owned(),
        GenerationStep::Fitted { log, digest } => format!("fitted to {log} (digest {digest})"),
        GenerationStep::Stopped { jobs, limit } => {
            format!(
                "{} stopped after {limit} s, the longest requested time of the log",
                number_of(*jobs, "job")
            )
        }
        GenerationStep::GivenUsers => "rearranged among users and their sessions".to_owned(),
        GenerationStep::GivenRequestedTimes { source, raised: 0 } => requested(*source).to_owned(),
        GenerationStep::GivenRequestedTimes { source, raised: count } => {
            format!("{}; {}", requested(*source), raised(*count))
        }
        GenerationStep::Read { log, digest } => {
            format!("made of {log} (digest {digest}): waits, memory and processor times are left out")
        }
        GenerationStep::Cleaned { line } => format!("cleaned: {line}"),
        GenerationStep::Rescaled { by, from, to } => {
            format!("rescaled by {} from an offered load of {from:.6} to {to:.6}", by.name())
        }
        GenerationStep::Resampled => "users' weeks resampled".to_owned(),
        GenerationStep::Shaken { by } => {
            format!("every arrival moved by up to {} either way", duration::human(*by))
        }
    }
}

fn requested(source: RequestedTimesSource) -> &'static str {
    match source {
        RequestedTimesSource::None => "no requested times",
        RequestedTimesSource::Tsafrir => "requested times by the model of Tsafrir, Etsion & Feitelson 2005",
        RequestedTimesSource::OwnShuffled => "requested times are the trace's own, shuffled",
        RequestedTimesSource::OwnBySession => "requested times are the trace's own, assigned by session",
        RequestedTimesSource::OwnDoubled => "requested times are twice the trace's own",
        RequestedTimesSource::Exact => "requested times are the run times",
        RequestedTimesSource::Factor => {
            "requested times are between once and F + 1 times the run times (the f-model)"
        }
        RequestedTimesSource::Feit => "requested times by the model of Mu'alem & Feitelson 2001",
    }
}

fn raised(count: u64) -> String {
    format!("{} raised to the run times of longer jobs", number_of(count, "requested time"))
}

/// A warning in words; `log` is the name of the log.
pub fn warning(warning: &Warning, log: &str) -> String {
    match warning {
        Warning::Raised { requested_times } => {
            format!("{}: fewer jobs than modelled request short times", raised(*requested_times))
        }
        Warning::Outlived { jobs, longest, run } => format!(
            "{} longer than {}, the longest requested time (the longest run: {}): these request it and outlive it",
            if *jobs == 1 { "1 job runs".to_owned() } else { format!("{} run", number_of(*jobs, "job")) },
            duration::human(*longest),
            duration::human(*run)
        ),
        Warning::NoRequestedTimes => {
            format!("{log} has no requested times: these are the model's defaults")
        }
        Warning::LoadMissed { reached, asked, limit } => {
            let shown = percent;
            let limit = match limit {
                LoadLimit::MachineSize => "jobs cannot be larger than the machine",
                LoadLimit::WholeProcessors => "jobs have whole processors, at least one",
                LoadLimit::WholeSeconds => "times are whole seconds, and run times at least one",
                LoadLimit::Sampling => "the load is met on average over seeds only",
            };
            format!("reached {}, asked {}: {limit}", shown(*reached), shown(*asked))
        }
    }
}

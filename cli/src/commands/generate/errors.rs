//! Errors of the library in the words of the command line: a parameter goes by its option, or by its name in `--set`.

use queuecast_process::failure::Failure;
use queuecast_synth::synth::SynthError;
use queuecast_synth::synth::generate::GenerateError;

/// Parameters with an option of their own: model, parameter, option.
pub type Options = &'static [(&'static str, &'static str, &'static str)];

/// The options of `generate`.
pub const OPTIONS: Options = &[
    ("lublin", "jobs", "--jobs"),
    ("lublin", "procs", "--procs"),
    ("downey", "jobs", "--jobs"),
    ("downey", "procs", "--procs"),
    ("population", "users", "--users"),
    ("population", "jobs_per_session", "--jobs-per-session"),
    ("population", "think", "--think"),
    ("population", "applications", "--applications"),
    ("estimates", "longest", "--max-estimate"),
    ("estimates", "longest_percent", "--max-estimate-percent"),
    ("estimates", "supplied", "--mode"),
    ("estimates", "supplied.time", "--mode"),
    ("estimates", "supplied.percent", "--mode"),
    ("rescale", "load", "--load"),
    ("rescale", "factor", "--load-factor"),
    ("resample", "weeks", "--weeks"),
    ("resample", "load", "--load"),
    ("habits", "jobs", "--jobs"),
    ("habits", "procs", "--procs"),
    ("habits", "load", "--load"),
    ("habits", "users", "--users"),
    ("habits", "jobs_per_session", "--jobs-per-session"),
    ("habits", "overestimate", "--overestimate"),
    ("habits", "failures", "--failures"),
    ("habits", "endless", "--endless"),
    ("habits", "longest", "--max-estimate"),
];

/// The failure that says why nothing was generated. `log` is the name of the log, if there is one.
pub fn failure(error: GenerateError, options: Options, log: Option<&str>) -> Failure {
    let refused =
        |name: String, value: String, why: &str| Failure::usage(format!("--set {name}={value}: {why}"));
    match error {
        GenerateError::Parameters { model, error } => refusal(model, error, options, None),
        GenerateError::Log { model: "population", error } => refusal("population", error, options, log)
            .hint("--users N generates N users, --users none leaves them out"),
        GenerateError::Log { model, error } => refusal(model, error, options, log),
        GenerateError::RequestedTimes(error) => refusal("estimates", error, options, log)
            .hint("--clean predictsim removes jobs without requested times, and cuts run times to them"),
        GenerateError::UnknownParameter { name, value, known } => {
            let why = format!("no such parameter{}", similar(&name, &known));
            refused(name, value, &why).hint(LISTED)
        }
        GenerateError::UnusedModel { name, value, used } => {
            refused(name, value, "this model is not used here")
                .hint(format!("names here begin with {}.", used.join(". or ")))
        }
        GenerateError::Setting { name, value, why } => refused(name, value, &why).hint(LISTED),
        GenerateError::DaysFixed { load, instead } => Failure::usage(format!(
            "--load {load}: stretching time would change the days of the model"
        ))
        .hint(format!("use --set {instead}={load} for the load while jobs arrive")),
        GenerateError::LongestTooShort { longest, run } => Failure::usage(format!(
            "--max-estimate {longest}: must be at least {run}, the longest run in seconds, and at most 31536000"
        ))
        .hint("jobs cannot run longer than requested"),
        error @ GenerateError::Unlistable(_) => Failure::unexpected(error.to_string()),
    }
}

const LISTED: &str = "the header of a generated trace lists every parameter by name";

/// The failure of a model; `log` is the name of the log, if it is at fault.
pub fn refusal(model: &str, error: SynthError, options: Options, log: Option<&str>) -> Failure {
    match error {
        SynthError::OutOfRange { field, value, expected } => {
            let option = options.iter().find(|(owner, name, _)| *owner == model && *name == field);
            Failure::usage(match option {
                Some((_, _, option)) => format!("{option} {value}: must be {expected}"),
                None => format!("--set {model}.{field}={value}: must be {expected}"),
            })
        }
        error => match (log, &error) {
            (Some(name), error) => Failure::input(format!("{name}: {error}")),
            (None, SynthError::Workload(error)) => Failure::unexpected(error.to_string()),
            (None, error) => Failure::usage(error.to_string()),
        },
    }
}

/// The most similar of some names, as a question.
fn similar(name: &str, known: &[String]) -> String {
    let similarity = |known: &str| strsim::jaro_winkler(name, known);
    let nearest = known.iter().max_by(|a, b| similarity(a).total_cmp(&similarity(b)));
    nearest.map(|nearest| format!("; did you mean {nearest}?")).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use queuecast_process::failure::Kind;

    use super::*;

    fn outside(field: &'static str) -> SynthError {
        SynthError::OutOfRange { field, value: "-3".into(), expected: "between 1 and 9".into() }
    }

    #[test]
    fn a_parameter_goes_by_its_option_or_by_how_it_is_set() {
        let said = |field| refusal("estimates", outside(field), OPTIONS, None).to_string();
        assert_eq!(said("longest"), "--max-estimate -3: must be between 1 and 9");
        assert_eq!(said("tail.rho"), "--set estimates.tail.rho=-3: must be between 1 and 9");
    }

    #[test]
    fn an_unsuitable_trace_is_an_input_error_with_its_name() {
        let unsuitable = || SynthError::Unsuitable("it has no users".into());
        let failure = refusal("estimates", unsuitable(), OPTIONS, Some("a.swf"));
        assert_eq!((failure.kind(), failure.to_string().as_str()), (Kind::Input, "a.swf: it has no users"));
        assert_eq!(refusal("estimates", unsuitable(), OPTIONS, None).kind(), Kind::Usage);
    }

    #[test]
    fn a_misspelt_parameter_is_answered_with_the_nearest() {
        let known = ["downey.lifetime", "downey.variance"].map(str::to_owned).to_vec();
        let (name, value) = ("downey.lifetime.least".to_owned(), "5".to_owned());
        let said = failure(GenerateError::UnknownParameter { name, value, known }, OPTIONS, None).to_string();
        let expected = "--set downey.lifetime.least=5: no such parameter; did you mean downey.lifetime?";
        assert_eq!(said, expected);
    }
}

//! What the library refuses, said in the words of the command line: by the option that was typed, or the name that
//! `--set` has for it.

use queuecast::synth::SynthError;

use crate::failure::Failure;

/// Whose parameters they are, and which of them have an option of their own.
#[derive(Debug, Clone, Copy)]
pub struct Refused {
    /// The model's name in front of its parameters.
    pub model: &'static str,
    /// Parameter and option.
    pub options: &'static [(&'static str, &'static str)],
}

impl Refused {
    /// Says why nothing can be made. `of` is the trace it was to be made of, if there is one.
    pub fn because(self, error: SynthError, of: Option<&str>) -> Failure {
        match error {
            SynthError::OutOfRange { field, value, expected } => {
                let option = self.options.iter().find(|(parameter, _)| *parameter == field);
                let what = match option {
                    Some((_, option)) => format!("{option} {value}: must be {expected}"),
                    None => format!("--set {}.{field}={value}: must be {expected}", self.model),
                };
                Failure::usage(what)
            }
            error @ (SynthError::TooShort { .. } | SynthError::Outlived { .. }) => match of {
                Some(name) => Failure::input(format!("{name}: {error}")),
                None => Failure::usage(error.to_string()),
            },
            SynthError::Unsuitable(why) => match of {
                Some(name) => Failure::input(format!("{name}: {why}")),
                None => Failure::usage(why),
            },
            SynthError::Workload(error) => match of {
                Some(name) => Failure::input(format!("{name}: {error}")),
                None => Failure::unexpected(error.to_string()),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::failure::Kind;

    const SOME: Refused = Refused { model: "estimates", options: &[("longest", "--max-estimate")] };

    fn outside(field: &'static str) -> SynthError {
        SynthError::OutOfRange { field, value: "-3".into(), expected: "between 1 and 9".into() }
    }

    #[test]
    fn a_parameter_goes_by_its_option_or_by_how_it_is_set() {
        let said = |field| SOME.because(outside(field), None).to_string();
        assert_eq!(said("longest"), "--max-estimate -3: must be between 1 and 9");
        assert_eq!(said("tail.rho"), "--set estimates.tail.rho=-3: must be between 1 and 9");
    }

    #[test]
    fn a_trace_that_does_not_do_is_an_input_and_goes_by_its_name() {
        let unsuitable = || SynthError::Unsuitable("it has no users".into());
        let failure = SOME.because(unsuitable(), Some("a.swf"));
        assert_eq!((failure.kind(), failure.to_string().as_str()), (Kind::Input, "a.swf: it has no users"));
        assert_eq!(SOME.because(unsuitable(), None).kind(), Kind::Usage);
    }
}

//! Policies, predictors and cleaning rules are written as short texts; this is what is said of a wrong one.

/// A specification nobody can build, with what would have been possible.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{kind} {text:?}: {why}")]
pub struct SpecError {
    /// What was being named: a policy, a predictor …
    pub kind: &'static str,
    /// What was written.
    pub text: String,
    /// What is wrong with it.
    pub why: String,
    /// The names there are, for an unknown one.
    pub known: Vec<&'static str>,
}

impl SpecError {
    /// A name that does not exist.
    pub fn unknown(kind: &'static str, text: &str, known: &[&'static str]) -> SpecError {
        let why = format!("no such {kind}; known are {}", known.join(", "));
        SpecError { kind, text: text.into(), why, known: known.to_vec() }
    }

    /// A known name with an impossible value.
    pub fn value(kind: &'static str, text: &str, why: impl Into<String>) -> SpecError {
        SpecError { kind, text: text.into(), why: why.into(), known: Vec::new() }
    }
}

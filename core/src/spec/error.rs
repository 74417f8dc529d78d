//! What is wrong with a spec, and what is possible instead.

/// A text that specifies nothing.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{kind} {text:?}: {why}")]
pub struct SpecError {
    /// What the text should specify: a policy, a predictor.
    pub kind: &'static str,
    /// The text.
    pub text: String,
    /// The reason, with what is possible.
    pub why: String,
    /// Every form, if the name is unknown; otherwise empty.
    pub known: Vec<String>,
}

impl SpecError {
    /// An unknown name.
    pub fn unknown<T: ToString>(kind: &'static str, text: &str, known: &[T]) -> SpecError {
        let known: Vec<String> = known.iter().map(T::to_string).collect();
        let why = format!("no such {kind}; known are {}", known.join(", "));
        SpecError { kind, text: text.into(), why, known }
    }

    /// A known name with an impossible setting.
    pub fn value(kind: &'static str, text: &str, why: impl Into<String>) -> SpecError {
        SpecError { kind, text: text.into(), why: why.into(), known: Vec::new() }
    }
}

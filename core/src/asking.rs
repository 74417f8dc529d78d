//! What passes between a question and its caller besides the answer: what is said on the way, and why there is no answer.

use std::error::Error;
use std::fmt;

/// Told what is going on while an answer is computed.
pub trait Messages: Sync {
    /// Something that is worth knowing.
    fn note(&self, text: &str);

    /// Something that may make the answer wrong.
    fn warning(&self, text: &str);

    /// Something begins that takes this many steps.
    fn begins(&self, what: &str, steps: usize);

    /// How many more steps of it are done.
    fn done(&self, steps: usize);

    /// Where what was learned is kept for the next question; nowhere by default.
    fn kept(&self) -> Option<&dyn Kept> {
        None
    }
}

/// Hears nothing.
#[derive(Debug, Clone, Copy)]
pub struct Unheard;

impl Messages for Unheard {
    fn note(&self, _: &str) {}
    fn warning(&self, _: &str) {}
    fn begins(&self, _: &str, _: usize) {}
    fn done(&self, _: usize) {}
}

/// Keeps what was learned from one question to the next, in memory or in files. It may forget at any time.
pub trait Kept: Sync {
    /// What was kept under a key: letters and digits.
    fn recall(&self, key: &str) -> Option<Vec<u8>>;

    /// Keeps this under a key, in place of what was there.
    fn keep(&self, key: &str, bytes: &[u8]);

    /// What was kept under a key cannot be used, and is made anew.
    fn refused(&self, key: &str, why: &str);
}

/// What learning is given by its caller: what is told of its progress, and where what is learned is kept for the next question.
#[derive(Clone, Copy)]
pub struct Learning<'a> {
    /// Told how many more steps are done.
    pub done: &'a (dyn Fn(usize) + Sync),
    /// Where what is learned is kept.
    pub kept: Option<&'a dyn Kept>,
}

impl Learning<'_> {
    /// Told to no caller and kept nowhere.
    pub const ALONE: Learning<'static> = Learning { done: &|_| {}, kept: None };
}

/// What a refusal is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RefusedPart {
    /// The question does not make sense.
    Question,
    /// What it is asked of cannot be used.
    Input,
    /// Neither: it is a bug.
    Computation,
}

/// Why a question has no answer, and what helps.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    /// What it is about.
    pub part: RefusedPart,
    /// What is wrong: one line, without a full stop.
    pub what: String,
    /// What to do about it.
    pub hints: Vec<String>,
}

impl Refusal {
    /// The question does not make sense.
    pub fn question(what: impl Into<String>) -> Refusal {
        Refusal { part: RefusedPart::Question, what: what.into(), hints: Vec::new() }
    }

    /// What it is asked of cannot be used.
    pub fn input(what: impl Into<String>) -> Refusal {
        Refusal { part: RefusedPart::Input, what: what.into(), hints: Vec::new() }
    }

    /// A bug.
    pub fn bug(what: impl Into<String>) -> Refusal {
        Refusal { part: RefusedPart::Computation, what: what.into(), hints: Vec::new() }
    }

    /// Adds what to do about it.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Refusal {
        self.hints.push(hint.into());
        self
    }

    /// Says what it is about, before the rest.
    #[must_use]
    pub fn about(mut self, what: &str) -> Refusal {
        self.what = format!("{what}: {}", self.what);
        self
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.what)
    }
}

impl Error for Refusal {}

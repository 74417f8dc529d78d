//! Why a command failed: a kind, the cause, and hints.
//!
//! | exit code | meaning |
//! | --- | --- |
//! | 0 | done; also when the reader of a pipe went away |
//! | 1 | something unexpected: a full disk, a bug |
//! | 2 | the arguments do not make sense |
//! | 3 | the input cannot be used |
//! | 4 | a reproduced table is out of tolerance, or a reviewed change is over its threshold |
//! | 130 | interrupted with Ctrl-C |

use std::error::Error;
use std::fmt::{self, Write as _};
use std::io;
use std::process::ExitCode;

use queuecast_eval::EvalError;
use queuecast_sim::sim::SimError;
use queuecast_trace::sacct::EXAMPLE_COMMAND;
use queuecast_trace::{FORMATS, LogFormat, TraceError, places};

/// What kind of failure it is; decides the exit code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// The reader closed the output. Nothing is printed.
    ReaderGone,
    /// An unexpected error, such as a full disk or a bug.
    Unexpected,
    /// The arguments do not make sense.
    Usage,
    /// The input cannot be used.
    Input,
    /// A reproduced table is out of tolerance, a claim does not hold, or a change is over its threshold.
    Tolerance,
    /// Interrupted with Ctrl-C; the message says what was kept.
    Interrupted,
}

impl Kind {
    /// The documented exit code.
    pub fn code(self) -> u8 {
        match self {
            Kind::ReaderGone => 0,
            Kind::Unexpected => 1,
            Kind::Usage => 2,
            Kind::Input => 3,
            Kind::Tolerance => 4,
            Kind::Interrupted => 130,
        }
    }
}

/// Why a command failed.
#[derive(Debug)]
pub struct Failure {
    kind: Kind,
    what: String,
    cause: Option<Box<dyn Error + Send + Sync>>,
    hints: Vec<String>,
}

impl Failure {
    /// A failure of this kind. `what` is one line, without a full stop.
    pub fn new(kind: Kind, what: impl Into<String>) -> Failure {
        Failure { kind, what: what.into(), cause: None, hints: Vec::new() }
    }

    /// The arguments do not make sense.
    pub fn usage(what: impl Into<String>) -> Failure {
        Failure::new(Kind::Usage, what)
    }

    /// The input cannot be used.
    pub fn input(what: impl Into<String>) -> Failure {
        Failure::new(Kind::Input, what)
    }

    /// An unexpected error, such as a full disk or a bug.
    pub fn unexpected(what: impl Into<String>) -> Failure {
        Failure::new(Kind::Unexpected, what)
    }

    /// Writing failed; not an error if the reader closed the output.
    pub fn writing(to: &str, cause: io::Error) -> Failure {
        if cause.kind() == io::ErrorKind::BrokenPipe {
            return Failure::new(Kind::ReaderGone, "the reader went away");
        }
        Failure::unexpected(format!("cannot write to {to}")).because(cause)
    }

    /// A trace has nothing in it.
    pub fn empty(name: &str) -> Failure {
        let expected = FORMATS.map(LogFormat::source).join(", or ");
        Failure::input(format!("{name} is empty")).hint(format!("expected a job trace: {expected}"))
    }

    /// A trace cannot be read.
    pub fn reading(name: &str, error: TraceError) -> Failure {
        match error {
            TraceError::Empty { .. } => Failure::empty(name),
            TraceError::NotALog { looks_like, hint } => {
                Failure::input(format!("{name} is not a job trace: it looks like {looks_like}")).hint(hint)
            }
            TraceError::MostlyMalformed { malformed, lines, format, first, at, hint } => Failure::input(format!(
                "{name} cannot be read as {format}: {malformed} of {lines} data lines are malformed ({}); the first: {first}",
                places(&at, malformed)
            ))
            .hint(hint),
            TraceError::SeveralClusters { ref clusters } => {
                let first = clusters.first().map_or("NAME", |one| one.cluster.as_str());
                let hint = format!("choose one, as in --cluster {first}: each is a machine of its own");
                let what = error.to_string();
                let what = what.split("; name one").next().unwrap_or_default();
                Failure::input(format!("{name}: {what}")).hint(hint)
            }
            TraceError::NoClusterColumn => Failure::input(format!(
                "{name} has no Cluster column that --cluster could select by"
            ))
            .hint("add Cluster to sacct's --format, or leave --cluster out"),
            TraceError::MissingColumns { missing } => {
                Failure::input(format!("{name}: the header line lacks {missing}"))
                    .hint(format!("an example that has all: {EXAMPLE_COMMAND}"))
            }
            TraceError::Truncated { compression, line } => Failure::input(format!(
                "{name}: the {compression} data are truncated: they end after line {line}, in the middle of the file"
            ))
            .hint("copy or download it again"),
            TraceError::Write(cause) => Failure::writing("the output", cause),
            error @ (TraceError::Strict { .. } | TraceError::Malformed(_)) => {
                Failure::input(format!("{name}: {error}")).hint(
                    "without --strict, such records are counted, reported, and repaired or left out; \
                     queuecast trace clean shows all of them",
                )
            }
            error @ TraceError::NoJobs { .. } => Failure::input(format!("{name}: {error}"))
                .hint("queuecast trace info shows what is in it; --procs and --clean decide what is kept"),
            error => Failure::input(format!("{name}: {error}")),
        }
    }

    /// A panic, whose message has been printed already.
    pub fn panicked() -> Failure {
        Failure::unexpected("queuecast stopped because of a bug in it")
            .hint("please report the message above together with the command you ran")
    }

    /// Adds the cause.
    #[must_use]
    pub fn because(mut self, cause: impl Into<Box<dyn Error + Send + Sync>>) -> Failure {
        self.cause = Some(cause.into());
        self
    }

    /// Adds a hint: what to do about it.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Failure {
        self.hints.push(hint.into());
        self
    }

    /// Says what it is about, before the rest.
    #[must_use]
    pub fn about(mut self, what: &str) -> Failure {
        self.what = format!("{what}: {}", self.what);
        self
    }

    /// Its kind.
    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// The hints.
    pub fn hints(&self) -> &[String] {
        &self.hints
    }

    /// The exit code of the process.
    pub fn exit_code(&self) -> ExitCode {
        ExitCode::from(self.kind.code())
    }
}

/// The message and its causes, on one line.
impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut line = self.what.clone();
        let mut cause = self.cause.as_deref().map(|cause| cause as &dyn Error);
        while let Some(error) = cause {
            write!(line, ": {error}")?;
            cause = error.source();
        }
        f.write_str(&line.replace(['\n', '\r'], " "))
    }
}

impl Error for Failure {}

/// Impossible windows and unknown metrics are usage errors.
impl From<EvalError> for Failure {
    fn from(error: EvalError) -> Failure {
        match error {
            EvalError::ImpossibleWindow { .. } | EvalError::UnknownMetric { .. } => {
                Failure::usage(error.to_string())
            }
            _ => Failure::unexpected(error.to_string()),
        }
    }
}

/// A predictor broke its contract.
impl From<SimError> for Failure {
    fn from(error: SimError) -> Failure {
        Failure::unexpected(error.to_string()).hint("this is a bug in the predictor; please report it")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_has_its_documented_code() {
        let kinds = [Kind::ReaderGone, Kind::Unexpected, Kind::Usage, Kind::Input, Kind::Tolerance];
        assert_eq!(kinds.map(Kind::code), [0, 1, 2, 3, 4]);
        assert_eq!(Kind::Interrupted.code(), 130, "as shells have it: 128 and the number of the signal");
    }

    #[test]
    fn the_chain_of_causes_is_one_line() {
        let failure = Failure::input("cannot read \"a.swf\"").because(io::Error::other("line 3:\nbad"));
        assert_eq!(failure.to_string(), "cannot read \"a.swf\": line 3: bad");
        assert_eq!(failure.kind(), Kind::Input);
    }

    #[test]
    fn a_reader_that_went_away_is_not_an_error() {
        let gone = Failure::writing("stdout", io::ErrorKind::BrokenPipe.into());
        assert_eq!(gone.kind(), Kind::ReaderGone);
        let full = Failure::writing("stdout", io::ErrorKind::StorageFull.into());
        assert_eq!(
            (full.kind(), full.to_string().as_str()),
            (Kind::Unexpected, "cannot write to stdout: no storage space")
        );
    }
}

//! `--no-cache`: whether what was learned is kept for the next question.

/// Whether it is used.
#[derive(Debug, Clone, Default, clap::Args)]
#[group(skip)]
pub struct Arguments {
    /// Learn from the log anew, and keep nothing
    ///
    /// What was learned is kept in the user's cache directory (queuecast in $XDG_CACHE_HOME or ~/.cache), so that the next question to the
    /// same log is answered at once. At most 1 GB is kept, what was used last. It can be deleted at any time.
    #[arg(long, help_heading = "The answer")]
    pub no_cache: bool,
}

impl Arguments {
    /// Whether what was learned is kept.
    pub fn is_kept(&self) -> bool {
        !self.no_cache
    }
}

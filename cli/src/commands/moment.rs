//! `--at`: a moment of a log, as people write it.

/// The last submission of a log; at a live site now.
pub const END: &str = "end";

/// The moment of a log that is asked about.
#[derive(Debug, Clone, clap::Args)]
#[group(skip)]
pub struct Arguments {
    /// The moment the job is submitted: a length of time since the log's start (200d, or seconds), a date (1996-12-24,
    /// 1996-12-24T12:00), or end, the last submission. The start is that of the log's header (UnixStartTime), which may be
    /// long before the first submission. Nothing the log says of later is looked at
    #[arg(long, value_name = "MOMENT", default_value = END, allow_hyphen_values = true)]
    pub at: String,
}

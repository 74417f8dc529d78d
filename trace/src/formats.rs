//! The formats of logs that are read.

use super::options::LogFormat;

/// Every format, in the order in which they are named.
pub const FORMATS: [LogFormat; 2] = [LogFormat::SWF, LogFormat::SACCT];

/// A file of any of them, in words.
pub(crate) fn any_file() -> String {
    FORMATS.map(LogFormat::file).join(" or ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_said_of_formats_follows_from_their_rows() {
        assert_eq!(any_file(), "a log in the Standard Workload Format (.swf) or the output of `sacct -P`");
        assert_eq!(
            FORMATS.map(LogFormat::about),
            ["The Standard Workload Format", "Slurm's accounting: sacct -P"]
        );
        assert_eq!(FORMATS.map(LogFormat::source), ["SWF", "the output of sacct -P"]);
        assert_eq!(FORMATS.map(LogFormat::brief), ["SWF", "sacct -P"]);
        assert_eq!(FORMATS.map(LogFormat::word), ["swf", "sacct"]);
        assert_eq!(FORMATS.map(LogFormat::ending), [Some(".swf"), None]);
    }
}

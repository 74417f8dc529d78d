//! Run times of a job as they are written: by size, or on one processor.

use std::str::FromStr;

use queuecast_core::units::{Procs, Seconds};
use queuecast_core::{duration, number};

/// Run times by size: `8=4h,16=2h10m`.
#[derive(Debug, Clone, PartialEq)]
pub struct MeasuredRuns {
    /// Processors and run times.
    pub runs: Vec<(Procs, Seconds)>,
    /// Those given as a plain number below a minute, as written: perhaps another unit is meant.
    pub bare: Vec<String>,
}

/// The run time on one processor.
#[derive(Debug, Clone, PartialEq)]
pub struct SerialRun {
    /// How long it is.
    pub length: Seconds,
    /// As for [`MeasuredRuns`].
    pub bare: Option<String>,
}

/// A plain number below this many seconds may be meant in another unit.
const SHORT: i64 = 60;

/// Whether a length of time is written as a plain number below [`SHORT`].
fn is_bare(text: &str) -> bool {
    text.trim().parse::<i64>().is_ok_and(|seconds| seconds < SHORT)
}

/// The warning that run times may be meant in another unit; `option` is where they are given.
pub fn bare_warning(option: &str, text: &str) -> String {
    let number = text.rsplit('=').next().unwrap_or(text).trim();
    format!(
        "{option} {text}: a plain number is in seconds; write {text}m or {text}h if {number} minutes or hours are meant"
    )
}

impl FromStr for SerialRun {
    type Err = String;

    fn from_str(text: &str) -> Result<SerialRun, String> {
        let length = duration::parse_positive(text)?;
        Ok(SerialRun { length, bare: is_bare(text).then(|| text.trim().to_owned()) })
    }
}

impl FromStr for MeasuredRuns {
    type Err = String;

    fn from_str(text: &str) -> Result<MeasuredRuns, String> {
        let mut bare = Vec::new();
        let each = text.split(',').map(|piece| {
            let (procs, run) = piece
                .split_once('=')
                .ok_or_else(|| format!("\"{}\" is no size with a run time, such as 8=2h10m", piece.trim()))?;
            let procs = number::at_least_one(procs.trim())
                .map_err(|why| format!("processors \"{}\": {why}", procs.trim()))?;
            if is_bare(run) {
                bare.push(piece.trim().to_owned());
            }
            Ok((Procs(procs), duration::parse_positive(run)?))
        });
        let runs = each.collect::<Result<_, String>>()?;
        Ok(MeasuredRuns { runs, bare })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn run_times_by_size() {
        let runs = |text: &str| text.parse::<MeasuredRuns>();
        let read = runs("8=4h, 16=2h10m,32=80m").unwrap();
        assert_eq!(
            read,
            MeasuredRuns {
                runs: vec![
                    (Procs(8), Seconds(14_400)),
                    (Procs(16), Seconds(7_800)),
                    (Procs(32), Seconds(4_800))
                ],
                bare: Vec::new()
            }
        );
        assert_eq!(runs("8=4, 16=59,32=60,64=4s,65=1:00").unwrap().bare, ["8=4", "16=59"]);
        for (text, why) in [
            ("", "no size with a run time"),
            ("8", "such as 8=2h10m"),
            ("x=4h", "expected a whole number"),
            ("0=4h", "at least 1"),
            ("-8=4h", "at least 1"),
            ("8=0", "above zero"),
            ("8=-1h", "negative"),
            ("8=NaN", "not a length of time"),
            ("8=4h,", "no size"),
            ("99999999999=4h", "too large"),
            ("8=99999999999999999999d", "too long"),
        ] {
            assert!(runs(text).is_err_and(|said| said.contains(why)), "{text}: {:?}", runs(text));
        }
    }
}

//! Which jobs are counted, and what was left out. Hidden windows are how two papers come to disagree, so
//! the excluded jobs are part of every result.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use super::EvalError;
use queuecast_core::units::{Seconds, Time};
use queuecast_core::workload::Workload;

/// The jobs to count. Every kind of window is a stretch of the arrival order, and none looks at the
/// schedule, so two schedules of one workload are always compared over the same jobs.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum Window {
    /// All of them.
    #[default]
    All,
    /// All but a share of the jobs at each end.
    ///
    /// # Formula
    /// leaves out the first `round(warm_up · n)` and the last `round(cool_down · n)` jobs in arrival order
    Share {
        /// 0 to 1.
        warm_up: f64,
        /// 0 to 1; the two add up to 1 at most.
        cool_down: f64,
    },
    /// All but the jobs submitted near either end.
    ///
    /// # Formula
    /// counts `first submit + warm_up ≤ submit ≤ last submit − cool_down`
    Seconds {
        /// After the first submission.
        warm_up: Seconds,
        /// Before the last submission.
        cool_down: Seconds,
    },
    /// The jobs submitted in an interval of time.
    ///
    /// # Formula
    /// counts `from ≤ submit < until`
    Submitted {
        /// The first instant that counts.
        from: Time,
        /// The first instant that does not count any more.
        until: Time,
    },
}

/// The jobs a window leaves out, and why.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Excluded {
    /// How many in all.
    pub jobs: usize,
    /// How many because they came too early.
    pub early: usize,
    /// How many because they came too late.
    pub late: usize,
    /// The window in words.
    pub why: String,
}

/// A stretch of time, from its first instant up to but without its last.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Span {
    /// Its first instant.
    pub from: Time,
    /// The instant that ends it.
    pub until: Time,
}

impl Span {
    /// How long it is; zero if it ends before it begins.
    pub fn length(&self) -> Seconds {
        (self.until - self.from).max(Seconds::ZERO)
    }
}

impl Window {
    /// The jobs it counts, as places in arrival order.
    pub fn select(&self, workload: &Workload) -> Result<Range<usize>, EvalError> {
        self.check()?;
        let jobs = workload.jobs();
        let submitted_before = |time: Time| jobs.partition_point(|job| job.submit < time);
        let (from, until) = match *self {
            Window::All => (0, jobs.len()),
            Window::Share { warm_up, cool_down } => {
                let share = |share: f64| (share * jobs.len() as f64).round() as usize;
                (share(warm_up), jobs.len().saturating_sub(share(cool_down)))
            }
            Window::Seconds { warm_up, cool_down } => match (jobs.first(), jobs.last()) {
                (Some(first), Some(last)) => {
                    let end = last.submit - cool_down;
                    (submitted_before(first.submit + warm_up), jobs.partition_point(|job| job.submit <= end))
                }
                _ => (0, 0),
            },
            Window::Submitted { from, until } => (submitted_before(from), submitted_before(until)),
        };
        Ok(from..until.max(from))
    }

    /// The window in words, for the reader of a result.
    pub fn describe(&self) -> String {
        match self {
            Window::All => "all jobs are counted".into(),
            Window::Share { warm_up, cool_down } => {
                format!(
                    "warm-up: the first {} of the jobs; cool-down: the last {}",
                    percent(*warm_up),
                    percent(*cool_down)
                )
            }
            Window::Seconds { warm_up, cool_down } => format!(
                "warm-up: submitted in the first {warm_up} s; cool-down: submitted in the last {cool_down} s"
            ),
            Window::Submitted { from, until } => {
                format!("counted: submitted at or after {from} and before {until}")
            }
        }
    }

    fn check(&self) -> Result<(), EvalError> {
        let refuse =
            |field, value: String, expected| Err(EvalError::ImpossibleWindow { field, value, expected });
        match *self {
            Window::All => Ok(()),
            Window::Share { warm_up, cool_down } => {
                for (field, share) in [("warm_up", warm_up), ("cool_down", cool_down)] {
                    if !(0.0..=1.0).contains(&share) {
                        return refuse(field, share.to_string(), "a share of the jobs is between 0 and 1");
                    }
                }
                if warm_up + cool_down > 1.0 {
                    let value = (warm_up + cool_down).to_string();
                    return refuse("warm_up + cool_down", value, "together they are at most 1");
                }
                Ok(())
            }
            Window::Seconds { warm_up, cool_down } => {
                for (field, length) in [("warm_up", warm_up), ("cool_down", cool_down)] {
                    if length < Seconds::ZERO {
                        return refuse(field, length.to_string(), "a number of seconds is at least 0");
                    }
                }
                Ok(())
            }
            Window::Submitted { from, until } if until < from => {
                refuse("until", until.to_string(), "the interval ends before it begins")
            }
            Window::Submitted { .. } => Ok(()),
        }
    }
}

/// A share in percent, without the noise that binary fractions add to decimal ones.
fn percent(share: f64) -> String {
    let hundredths = (share * 10_000.0).round() / 100.0;
    format!("{hundredths} %")
}

#[cfg(test)]
mod tests {
    use super::*;
    use queuecast_core::job::{Job, Truth};
    use queuecast_core::units::Procs;
    use queuecast_core::workload::Machine;

    fn arrivals(submits: &[i64]) -> Workload {
        let job = |&submit| (Job::rigid(1, Time(submit), Procs(1), None), Truth::rigid(Seconds(1)));
        Workload::new(Machine { procs: Procs(1) }, submits.iter().map(job).collect()).unwrap()
    }

    #[test]
    fn a_share_is_rounded_to_whole_jobs() {
        let hundred = arrivals(&(0..100).collect::<Vec<_>>());
        let select = |warm_up, cool_down| Window::Share { warm_up, cool_down }.select(&hundred).unwrap();
        assert_eq!(select(0.01, 0.0), 1..100);
        assert_eq!(select(0.29, 0.29), 29..71); // 0.29 · 100 is 28.999… in binary
        assert_eq!(select(0.004, 0.005), 0..99);
        assert_eq!(select(0.5, 0.5), 50..50);
        assert_eq!(select(1.0, 0.0), 100..100);
    }

    #[test]
    fn seconds_count_from_the_first_and_the_last_submission() {
        let five = arrivals(&[100, 110, 120, 130, 140]);
        let select = |warm_up, cool_down| {
            Window::Seconds { warm_up: Seconds(warm_up), cool_down: Seconds(cool_down) }
                .select(&five)
                .unwrap()
        };
        assert_eq!(select(0, 0), 0..5);
        assert_eq!(select(10, 0), 1..5);
        assert_eq!(select(11, 9), 2..4);
        assert_eq!(select(0, 10), 0..4);
        assert!(select(30, 30).is_empty());
    }

    #[test]
    fn an_interval_includes_its_beginning_only() {
        let five = arrivals(&[100, 110, 120, 130, 140]);
        let select =
            |from, until| Window::Submitted { from: Time(from), until: Time(until) }.select(&five).unwrap();
        assert_eq!(select(110, 130), 1..3);
        assert_eq!(select(0, 1000), 0..5);
        assert!(select(141, 1000).is_empty());
    }

    #[test]
    fn nothing_is_selected_from_nothing() {
        let none = arrivals(&[]);
        for window in [
            Window::All,
            Window::Share { warm_up: 0.1, cool_down: 0.1 },
            Window::Seconds { warm_up: Seconds(5), cool_down: Seconds(5) },
            Window::Submitted { from: Time(0), until: Time(9) },
        ] {
            assert_eq!(window.select(&none), Ok(0..0));
        }
    }

    #[test]
    fn an_impossible_window_says_which_part_is_wrong() {
        let one = arrivals(&[0]);
        let complain = |window: Window| window.select(&one).unwrap_err().to_string();
        let share = |warm_up, cool_down| complain(Window::Share { warm_up, cool_down });
        assert_eq!(share(1.5, 0.0), "window: warm_up = 1.5: a share of the jobs is between 0 and 1");
        assert!(share(0.0, f64::NAN).contains("cool_down = NaN"));
        assert!(share(0.75, 0.5).contains("together they are at most 1"));
        let seconds = Window::Seconds { warm_up: Seconds(0), cool_down: Seconds(-1) };
        assert!(complain(seconds).contains("cool_down = -1"));
        assert!(complain(Window::Submitted { from: Time(5), until: Time(4) }).contains("until = 4"));
    }

    #[test]
    fn a_window_is_data() {
        let window = Window::Share { warm_up: 0.01, cool_down: 0.05 };
        let json = serde_json::to_string(&window).unwrap();
        assert_eq!(json, r#"{"kind":"share","warm_up":0.01,"cool_down":0.05}"#);
        assert_eq!(serde_json::from_str::<Window>(&json).unwrap(), window);
        assert_eq!(window.describe(), "warm-up: the first 1 % of the jobs; cool-down: the last 5 %");
    }
}

//! Hours and days of arrivals.

use serde::{Deserialize, Serialize};

use queuecast_core::spec::choices;
use queuecast_core::units::{Seconds, Time};

/// When jobs arrive.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DowneyArrivals {
    /// As a Poisson process from 8 to 20 o'clock, with none at night (section 4).
    #[default]
    Daytime,
    /// As a Poisson process from 8 to 20 o'clock of days at least twice the longest lifetime apart, so that the machine is
    /// idle when the next one begins.
    Apart,
    /// As a Poisson process day and night.
    Always,
}

choices! { DowneyArrivals, "arrivals":
    Daytime = "daytime", "from 8 to 20 o'clock";
    Apart = "apart", "the same, on days so far apart that the machine is idle between them";
    Always = "always", "day and night";
}

/// The hours of the day in which jobs arrive, in seconds: from when, and for how long.
const HOURS: (i64, i64) = (8 * 3600, 12 * 3600);

const DAY: i64 = 86_400;

impl DowneyArrivals {
    /// The time from one day with arrivals to the next, for this longest lifetime.
    pub fn period(self, longest: Seconds) -> Seconds {
        let days = match self {
            DowneyArrivals::Apart => (HOURS.1 + 2 * longest.0.max(0) + DAY - 1) / DAY,
            DowneyArrivals::Daytime | DowneyArrivals::Always => 1,
        };
        Seconds(days * DAY)
    }

    /// The time after `passed` seconds in which jobs can arrive.
    pub(super) fn moment(self, passed: i64, period: Seconds) -> Time {
        let (begins, length) = HOURS;
        match self {
            DowneyArrivals::Daytime | DowneyArrivals::Apart => {
                Time((passed / length).saturating_mul(period.0).saturating_add(begins + passed % length))
            }
            DowneyArrivals::Always => Time(passed),
        }
    }

    /// The hours in which jobs arrive on the day of this moment, from and to; `None` if they arrive at all hours.
    pub fn hours(self, at: Time, period: Seconds) -> Option<(Time, Time)> {
        let day = at.0.div_euclid(period.0.max(1)) * period.0;
        let (begins, length) = HOURS;
        (self != DowneyArrivals::Always).then_some((Time(day + begins), Time(day + begins + length)))
    }
}

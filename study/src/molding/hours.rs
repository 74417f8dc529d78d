//! The hours in which jobs arrive: only then is a machine judged by how much of it is put to use.

use queuecast_core::units::{Seconds, Time};
use queuecast_synth::synth::{Downey, DowneyArrivals, DowneyJob};

/// The hours in which the jobs of a seed arrive.
pub(super) struct Hours {
    arrivals: DowneyArrivals,
    period: Seconds,
    last: Time,
}

impl Hours {
    /// Those of jobs that were drawn from this model.
    pub(super) fn of(model: &Downey, drawn: &[DowneyJob]) -> Hours {
        let longest = drawn.iter().map(|job| job.lifetime).max().unwrap_or_default();
        let last = drawn.last().map_or(Time(0), |job| job.submit);
        Hours { arrivals: model.arrivals, period: model.arrivals.period(longest), last }
    }

    /// The days with arrivals.
    pub(super) fn days(&self) -> f64 {
        (self.last.0 / self.period.0.max(1) + 1) as f64
    }

    /// All of them together, in seconds. Where jobs arrive day and night, it is the time up to the last arrival.
    pub(super) fn open(&self) -> f64 {
        match self.arrivals.hours(Time(0), self.period) {
            Some((from, to)) => (to - from).0 as f64 * self.days(),
            None => self.last.0.max(1) as f64,
        }
    }

    /// How much of this time lies within them.
    pub(super) fn within(&self, start: Time, end: Time) -> i64 {
        let mut within = 0;
        let mut at = start;
        while at < end && at <= self.last + self.period {
            let Some((from, to)) = self.arrivals.hours(at, self.period) else {
                // All that is begun gets done in the end, so that counting to the end would tell no strategies apart.
                return (end.min(self.last) - start).0.max(0);
            };
            within += (end.min(to) - start.max(from)).0.max(0);
            at = from + self.period;
        }
        within
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hours(arrivals: DowneyArrivals, last: i64) -> Hours {
        Hours { arrivals, period: Seconds(86_400), last: Time(last) }
    }

    #[test]
    fn nights_do_not_count() {
        let two_days = hours(DowneyArrivals::Daytime, 86_400 + 9 * 3600);
        assert_eq!((two_days.days(), two_days.open()), (2.0, 86_400.0));
        let within = |from: i64, to: i64| two_days.within(Time(from * 3600), Time(to * 3600));
        assert_eq!(within(19, 21), 3600);
        assert_eq!(within(19, 24 + 10), 3 * 3600);
        assert_eq!(within(21, 23), 0);
    }

    #[test]
    fn day_and_night_count_up_to_the_last_arrival() {
        let always = hours(DowneyArrivals::Always, 1000);
        assert_eq!(always.open(), 1000.0);
        let within = |from: i64, to: i64| always.within(Time(from), Time(to));
        assert_eq!((within(0, 300), within(900, 5000), within(2000, 3000)), (300, 100, 0));
    }
}

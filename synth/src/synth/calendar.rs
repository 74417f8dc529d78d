//! Rates of submission over the day and the week.

/// The relative rate of submissions in each hour of a week, which begins on Monday at midnight, local time.
#[derive(Debug, Clone, PartialEq)]
pub struct Calendar {
    /// The cumulative weight before each hour of the week, and of the whole week.
    before: [f64; Calendar::HOURS + 1],
}

impl Calendar {
    /// Hours in a week.
    pub const HOURS: usize = 168;

    /// A constant rate.
    pub fn flat() -> Calendar {
        Calendar::weekly(|_, _| 1.0)
    }

    /// Working hours, as in production logs: about six times as many submissions in the afternoon as before dawn, and half
    /// as many on a day of the weekend as on a working day.
    pub fn office() -> Calendar {
        const HOURS: [f64; 24] = [
            0.55, 0.45, 0.35, 0.30, 0.28, 0.28, 0.35, 0.55, 0.95, 1.50, 1.80, 1.75, //
            1.55, 1.70, 1.85, 1.85, 1.80, 1.60, 1.25, 1.00, 0.90, 0.85, 0.80, 0.70,
        ];
        const DAYS: [f64; 7] = [1.10, 1.20, 1.20, 1.15, 1.10, 0.55, 0.60];
        Calendar::weekly(|day, hour| DAYS[day] * HOURS[hour])
    }

    /// From a weight for each day (0 is Monday) and hour.
    fn weekly(weight: impl Fn(usize, usize) -> f64) -> Calendar {
        let mut before = [0.0; Calendar::HOURS + 1];
        for hour in 0..Calendar::HOURS {
            before[hour + 1] = before[hour] + weight(hour / 24, hour % 24);
        }
        Calendar { before }
    }

    /// The number of seconds after Monday midnight by which a `share` (0 to 1) of everything submitted in
    /// the first `length` seconds has been submitted.
    ///
    /// # Formula
    /// `t` with `W(t) = share · W(length)`, W the integral of the weights
    pub fn moment(&self, share: f64, length: f64) -> f64 {
        self.inverse(share * self.weight(length)).clamp(0.0, length)
    }

    /// The integral of the weights over the first `seconds`, in weight · hours.
    fn weight(&self, seconds: f64) -> f64 {
        let hours = seconds / 3600.0;
        let weeks = (hours / Calendar::HOURS as f64).floor();
        let within = hours - weeks * Calendar::HOURS as f64;
        let hour = (within as usize).min(Calendar::HOURS - 1);
        let slope = self.before[hour + 1] - self.before[hour];
        weeks * self.before[Calendar::HOURS] + self.before[hour] + slope * (within - hour as f64)
    }

    fn inverse(&self, weight: f64) -> f64 {
        let whole = self.before[Calendar::HOURS];
        let weeks = (weight / whole).floor();
        let within = weight - weeks * whole;
        let hour = self.before.partition_point(|&before| before <= within).clamp(1, Calendar::HOURS) - 1;
        let slope = self.before[hour + 1] - self.before[hour];
        (weeks * Calendar::HOURS as f64 + hour as f64 + (within - self.before[hour]) / slope) * 3600.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flat_calendar_changes_nothing() {
        let flat = Calendar::flat();
        for share in [0.0, 0.25, 0.5, 0.999] {
            assert!((flat.moment(share, 1e7) - share * 1e7).abs() < 1e-3);
        }
    }

    #[test]
    fn moments_ascend_and_stay_inside() {
        let office = Calendar::office();
        let length = 40.0 * 86_400.0;
        let moments: Vec<f64> =
            (0..=1000).map(|share| office.moment(f64::from(share) / 1000.0, length)).collect();
        assert!(moments.is_sorted());
        assert_eq!(moments[0], 0.0);
        assert!((moments[1000] - length).abs() < 1e-3);
    }

    #[test]
    fn a_share_of_the_weight_has_passed_at_its_moment() {
        let office = Calendar::office();
        let length = 12.3 * 86_400.0;
        for share in [0.1, 0.37, 0.92] {
            let passed = office.weight(office.moment(share, length)) / office.weight(length);
            assert!((passed - share).abs() < 1e-9);
        }
    }

    #[test]
    fn more_is_submitted_by_day_and_in_the_week() {
        let office = Calendar::office();
        let week = 7.0 * 86_400.0;
        let mut hours = [0; Calendar::HOURS];
        for share in 0..100_000 {
            hours[(office.moment(f64::from(share) / 100_000.0, week) / 3600.0) as usize] += 1;
        }
        assert!(hours[14] > 5 * hours[4]); // Monday, two in the afternoon and four at night
        let day = |day: usize| hours[24 * day..24 * (day + 1)].iter().sum::<i32>();
        assert!(day(1) > 2 * day(5)); // Tuesday and Saturday
    }
}

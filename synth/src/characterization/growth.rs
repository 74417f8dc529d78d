//! Growth of the number of distinct estimates with the number of jobs (section 6, Figure 7).

use serde::Serialize;

use super::Modes;
use queuecast_core::workload::Workload;

/// The number of distinct estimates as jobs arrive.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Growth {
    /// About twenty points per factor of ten, and those of Table 3.
    pub points: Vec<GrowthPoint>,
}

/// A point of the curve.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct GrowthPoint {
    /// Jobs with an estimate, counted as they arrive: the paper's *N*.
    pub jobs: u64,
    /// Distinct estimates among them: the paper's *K*.
    pub values: u64,
    /// The number by [`Growth::expected`].
    pub expected: f64,
}

impl Growth {
    /// The points of Table 3: jobs, and distinct estimates.
    pub const TABLE_3: [(u64, u64); 7] =
        [(0, 0), (20, 10), (200, 20), (1_000, 35), (10_000, 90), (70_000, 340), (250_000, 565)];

    /// The growth in a workload; `None` if it has no estimates.
    pub fn of(workload: &Workload) -> Option<Growth> {
        Growth::among(workload, &Modes::of(workload))
    }

    /// The growth, given modes computed already.
    pub(super) fn among(workload: &Workload, modes: &Modes) -> Option<Growth> {
        let wanted = jobs_to_look_at(modes.jobs());
        let mut wanted = wanted.iter().peekable();
        let mut seen = vec![false; modes.len()];
        let (mut jobs, mut values) = (0, 0);
        let mut points = Vec::new();
        for limit in workload.jobs().iter().filter_map(|job| job.shape.limit) {
            let Some(place) = modes.place(limit) else { continue };
            jobs += 1;
            values += u64::from(!std::mem::replace(&mut seen[place], true));
            if wanted.next_if_eq(&&jobs).is_some() {
                points.push(GrowthPoint { jobs, values, expected: Growth::expected(jobs) });
            }
        }
        (!points.is_empty()).then_some(Growth { points })
    }

    /// The paper's model of *K*: linear between the points of Table 3, extrapolated beyond the last.
    pub fn expected(jobs: u64) -> f64 {
        let after = Growth::TABLE_3.partition_point(|&(n, _)| n <= jobs).clamp(1, Growth::TABLE_3.len() - 1);
        let ((n, k), (next_n, next_k)) = (Growth::TABLE_3[after - 1], Growth::TABLE_3[after]);
        k as f64 + (jobs - n) as f64 * (next_k - k) as f64 / (next_n - n) as f64
    }
}

/// The numbers of jobs at which a point is taken, ascending.
fn jobs_to_look_at(last: u64) -> Vec<u64> {
    let mut all: Vec<u64> =
        (0..=200).map(|step| 10_f64.powf(f64::from(step) / 20.0).round() as u64).collect();
    all.extend(Growth::TABLE_3.map(|(jobs, _)| jobs));
    all.push(last);
    all.retain(|&jobs| (1..=last).contains(&jobs));
    all.sort_unstable();
    all.dedup();
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_model_goes_through_the_points_of_table_3_and_on() {
        for (jobs, values) in Growth::TABLE_3 {
            assert_eq!(Growth::expected(jobs), values as f64);
        }
        assert_eq!(Growth::expected(10), 5.0);
        assert_eq!(Growth::expected(110), 15.0);
        assert_eq!(Growth::expected(250_800), 566.0);
    }

    #[test]
    fn points_are_the_last_job_those_of_the_table_and_steps_between() {
        assert_eq!(jobs_to_look_at(0), [0; 0]);
        assert_eq!(jobs_to_look_at(12), [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]);
        let many = jobs_to_look_at(123_457);
        assert!(many.is_sorted_by(|a, b| a < b));
        assert_eq!(many.last(), Some(&123_457));
        assert!([20, 200, 1_000, 10_000, 70_000, 100_000].iter().all(|jobs| many.contains(jobs)));
        assert!(many.len() < 110, "{}", many.len());
    }
}

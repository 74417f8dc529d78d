//! Variants of a workload: another machine size, facts removed, arrivals shaken.

use rand::RngExt;
use serde::{Deserialize, Serialize};

use queuecast_core::job::Job;
use queuecast_core::seed::Seed;
use queuecast_core::units::{Procs, Seconds};
use queuecast_core::workload::{Machine, Workload, WorkloadError};

/// Changes to a workload before it is simulated; none by default.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize)]
pub struct Variant {
    /// Another size of machine.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub machine: Option<Procs>,
    /// Facts removed from some jobs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stripped: Option<Stripped>,
    /// Arrivals moved at random.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shaken: Option<Shaken>,
}

/// Facts removed from some jobs. The jobs chosen at a lower percentage are also chosen at a higher one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
pub struct Stripped {
    /// The percentage of jobs.
    pub percent: u8,
    /// Whether they lose their requested time.
    pub estimates: bool,
    /// Whether they lose user, group, account and executable.
    pub identity: bool,
    /// Chooses the jobs.
    pub seed: u64,
}

/// Every arrival moved by a random number of seconds (input shaking, Tsafrir, Ouaknine & Feitelson 2007), to measure how
/// sensitive results are to details of the input.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Shaken {
    /// The largest change, in either direction.
    pub by: Seconds,
    /// Chooses the changes.
    pub seed: u64,
}

impl Variant {
    /// The workload with the changes made. Fails if a job does not fit the other machine.
    pub fn of(&self, workload: &Workload) -> Result<Workload, WorkloadError> {
        let machine = self.machine.map_or(workload.machine(), |procs| Machine { procs });
        let mut jobs = workload.jobs().to_vec();
        if let Some(stripped) = self.stripped {
            stripped.strip(&mut jobs);
        }
        if let Some(shaken) = self.shaken {
            shaken.shake(&mut jobs);
        }
        let mut changed = Workload::from_columns(machine, jobs, workload.truths().to_vec())?;
        changed.names.clone_from(&workload.names);
        changed.epoch = workload.epoch;
        // Recorded starts do not belong to shaken arrivals.
        if self.shaken.is_none() {
            changed.starts.clone_from(&workload.starts);
        }
        Ok(changed)
    }
}

impl Stripped {
    fn strip(&self, jobs: &mut [Job]) {
        let mut rng = Seed(self.seed).stream("stripped jobs");
        for job in jobs {
            if rng.random_range(0..100) >= self.percent {
                continue;
            }
            if self.estimates {
                job.shape.limit = None;
            }
            if self.identity {
                (job.user, job.group, job.account, job.executable) = (None, None, None, None);
            }
        }
    }
}

impl Shaken {
    fn shake(&self, jobs: &mut [Job]) {
        let mut rng = Seed(self.seed).stream("shaken arrivals");
        let first = jobs.iter().map(|job| job.submit).min().unwrap_or_default();
        // The sign does not matter.
        let by = self.by.0.saturating_abs();
        for job in jobs {
            let moved = job.submit + Seconds(rng.random_range(-by..=by));
            job.submit = moved.max(first);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use queuecast_core::job::{Truth, UserId};
    use queuecast_core::units::Time;

    fn workload() -> Workload {
        let job = |number: u32| {
            let mut job =
                Job::rigid(number.into(), Time(i64::from(number) * 100), Procs(2), Some(Seconds(60)));
            job.user = UserId::new(number % 7);
            (job, Truth::rigid(Seconds(i64::from(number))))
        };
        Workload::new(Machine { procs: Procs(4) }, (0..1000).map(job).collect()).unwrap()
    }

    fn stripped(percent: u8, estimates: bool, identity: bool) -> Workload {
        let stripped = Some(Stripped { percent, estimates, identity, seed: 1 });
        Variant { stripped, ..Variant::default() }.of(&workload()).unwrap()
    }

    #[test]
    fn nothing_changed_is_the_same() {
        assert_eq!(Variant::default().of(&workload()).unwrap(), workload());
        assert_eq!(stripped(0, true, true), workload());
    }

    #[test]
    fn as_many_are_stripped_as_asked_and_more_include_fewer() {
        let lacks = |workload: &Workload| -> Vec<bool> {
            workload.jobs().iter().map(|job| job.shape.limit.is_none()).collect()
        };
        let [few, many, all] = [25, 75, 100].map(|percent| lacks(&stripped(percent, true, false)));
        let count = |lacks: &[bool]| lacks.iter().filter(|lacks| **lacks).count();
        assert!((200..300).contains(&count(&few)) && (700..800).contains(&count(&many)), "{}", count(&few));
        assert_eq!(count(&all), 1000);
        assert!(few.iter().zip(&many).all(|(few, many)| !few || *many));
        assert!(stripped(100, true, false).jobs().iter().all(|job| job.user.is_some()));
        assert!(
            stripped(100, false, true)
                .jobs()
                .iter()
                .all(|job| job.user.is_none() && job.shape.limit.is_some())
        );
    }

    #[test]
    fn arrivals_move_a_little_and_truths_stay_with_their_jobs() {
        let shaken = Some(Shaken { by: Seconds(150), seed: 3 });
        let shaken = Variant { shaken, ..Variant::default() }.of(&workload()).unwrap();
        assert!(shaken.jobs().is_sorted_by_key(|job| job.submit));
        assert_ne!(shaken.jobs(), workload().jobs());
        for (job, truth) in shaken.jobs().iter().zip(shaken.truths()) {
            assert!((job.submit.0 - job.id.0 as i64 * 100).abs() <= 150);
            assert_eq!(truth.run().0, job.id.0 as i64);
        }
    }

    #[test]
    fn a_smaller_machine_may_be_too_small() {
        let on = |procs| Variant { machine: Some(Procs(procs)), ..Variant::default() }.of(&workload());
        assert_eq!(on(9).unwrap().machine().procs, Procs(9));
        assert!(on(1).is_err());
    }
}

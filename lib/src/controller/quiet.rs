//! Times in which nothing happens.

use super::phases::SECOND;
use super::state::{Controller, LAST_MS};

/// Longer times in which nothing happens are skipped but for their last half day, in microseconds.
pub const LONG: i64 = 86_400 * SECOND;

/// Since when nothing has happened, in microseconds.
///
/// What waits is looked at many times a day. What has not started for a day in which nothing happened, and for as long as the
/// order of the queue changes with the age of jobs, does not start before something does.
#[derive(Debug)]
pub struct QuietTime {
    since: i64,
    /// How many jobs ran and waited.
    jobs: (usize, usize),
    /// The longest delay of a dependency.
    delay: i64,
}

impl QuietTime {
    pub fn new(controller: &Controller<'_>) -> QuietTime {
        let needed = controller.submissions.iter().flat_map(|one| &one.request.dependency);
        let delay = needed.flat_map(|one| &one.on).map(|on| on.delay.0).max().unwrap_or(0);
        let delay = delay.clamp(0, LAST_MS / 1000) * SECOND;
        QuietTime { since: controller.now_us, jobs: (0, 0), delay }
    }

    /// Something happens now.
    pub fn end(&mut self, now_us: i64) {
        self.since = now_us;
    }

    /// When something happens next, if nothing has for long; `happens` is when a job next comes or ends. The end of time where
    /// nothing will.
    pub fn next(&mut self, controller: &Controller<'_>, happens: i64) -> Option<i64> {
        let now = controller.now_us;
        let jobs = (controller.running.len(), controller.waiting.len());
        if std::mem::replace(&mut self.jobs, jobs) != jobs {
            self.since = now;
        }
        let least = LONG.saturating_add(self.delay);
        if now - self.since <= least {
            return None;
        }
        // The clock alone brings changes too.
        let past = controller.changes().map(|at| at * SECOND).filter(|&at| at <= now).max();
        self.since = self.since.max(past.unwrap_or(i64::MIN));
        let next = controller.changes().map(|at| at * SECOND).filter(|&at| at > now).min();
        let next = happens.min(next.unwrap_or(i64::MAX));
        let ageing = controller.cluster.settings.priority.max_age.0.clamp(0, LAST_MS / 1000) * SECOND;
        let is_long = now - self.since > if next == i64::MAX { least } else { least.max(ageing) };
        is_long.then_some(next)
    }
}

impl Controller<'_> {
    /// When jobs that wait may begin, reservations begin or end, and the first of the running jobs is stopped at its limit, in
    /// seconds.
    fn changes(&self) -> impl Iterator<Item = i64> {
        let over = self.cluster.settings.over_time_limit;
        let first = self.running.first().map(|&job| self.jobs[job].limit_end);
        let stop = over.and_then(|over| Some(first?.saturating_add(over.0)));
        let begins = self.waiting.iter().map(|&job| self.jobs[job].begin);
        begins
            .chain(self.reserved_times())
            .chain(stop)
            .filter(|at| (-LAST_MS..=LAST_MS).contains(&(at.saturating_mul(1000))))
    }

    fn reserved_times(&self) -> impl Iterator<Item = i64> {
        self.reservations.iter().flat_map(|one| [one.start.0, one.end.0])
    }

    /// The next second at which a job that waits may begin, or a reservation begins or ends.
    pub(super) fn next_opening(&self) -> Option<i64> {
        let begins = self.unready.iter().map(|&job| self.jobs[job].begin);
        begins.chain(self.reserved_times()).filter(|&at| at > self.now() && at <= LAST_MS / 1000).min()
    }
}

#[cfg(test)]
mod tests {
    use super::super::phases::Phases;
    use super::super::simulate::simulate_cluster;
    use super::super::tests::{cluster, job};
    use crate::cluster::{
        AdvanceReservation, Allowed, Begin, Cluster, Dependency, DependencyKind, DependencyOn, RecordedRun,
        SubmittedJob,
    };
    use crate::units::{Seconds, Time};

    const DAY: i64 = 86_400;

    fn starts(cluster: &Cluster, submissions: Vec<SubmittedJob>) -> Vec<Option<i64>> {
        let run = RecordedRun { submissions, ..RecordedRun::default() };
        let outcomes = simulate_cluster(cluster, &run, Phases::from_start(-60_000_000, 30));
        outcomes.iter().map(|one| one.start.map(|start| start.0)).collect()
    }

    fn is_soon_after(start: Option<i64>, at: i64) -> bool {
        start.is_some_and(|start| (at..=at + 60).contains(&start))
    }

    #[test]
    fn what_is_to_begin_in_days_begins_then() {
        let later = |days: i64| {
            let mut later = job(1, 0, 4, 10, 60);
            later.request.begin = Some(Begin::After(Seconds(days * DAY)));
            later
        };
        for days in [3, 40] {
            let found = starts(&cluster(1), vec![job(0, 0, 4, 10, 60), later(days)]);
            assert!(is_soon_after(found[1], days * DAY), "{found:?}");
        }
        // Beside a job that cannot start: for longer than its nodes have without a reservation.
        let mut reserved = cluster(1);
        reserved.reservations = vec![AdvanceReservation {
            name: "course".into(),
            start: Time(20 * DAY),
            end: Time(21 * DAY),
            nodes: vec![0],
            users: Allowed::Only(vec!["teacher".into()]),
            accounts: Allowed::All,
            partition: None,
            cores: None,
            licenses: Default::default(),
            flags: Default::default(),
        }];
        let found = starts(&reserved, vec![job(0, 0, 4, 30 * 24 * 60, 60), later(9)]);
        // Cycles that look behind a job that waits are not as frequent.
        let is_about =
            |start: Option<i64>, at: i64| start.is_some_and(|start| (at..=at + 330).contains(&start));
        assert!(is_soon_after(found[0], 21 * DAY) && is_about(found[1], 9 * DAY), "{found:?}");
    }

    #[test]
    fn a_dependency_with_a_long_delay_is_waited_for() {
        let mut later = job(1, 0, 4, 10, 60);
        let on = DependencyOn { kind: DependencyKind::After, job: "j0".into(), delay: Seconds(3 * DAY) };
        later.request.dependency = Some(Dependency { any: false, on: vec![on] });
        let found = starts(&cluster(1), vec![job(0, 0, 4, 10, 60), later]);
        assert!(is_soon_after(found[1], 3 * DAY), "{found:?}");
    }

    #[test]
    fn centuries_pass_beside_a_job_that_never_starts() {
        let mut never = job(0, 0, 4, 10, 60);
        never.request.hold = true;
        let long_after = 1_000 * 365 * DAY;
        let found = starts(&cluster(1), vec![never, job(1, 10, 4, 10, 60), job(2, long_after, 4, 10, 60)]);
        assert_eq!(found[0], None);
        assert!(is_soon_after(found[1], 10) && is_soon_after(found[2], long_after), "{found:?}");
        // And behind one that runs for long.
        let run = 300 * DAY;
        let found = starts(&cluster(1), vec![job(0, 0, 4, run / 60 + 10, run), job(1, 1, 4, 1, 60)]);
        assert!(is_soon_after(found[1], run), "{found:?}");
    }
}

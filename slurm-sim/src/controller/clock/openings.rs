//! What the clock alone changes for pending jobs: begin times, dependency delays and reservations.

use super::timers::LAST_SECOND;
use crate::cluster::AdvanceReservation;
use crate::controller::handles::JobHandle;
use crate::controller::lifecycle::Jobs;
use crate::controller::limits::Limits;

/// When jobs that wait for used minutes to decay are looked at again, in seconds: every day, until nothing is used any more.
pub fn next_decay(limits: &Limits, now: i64) -> Option<i64> {
    Some(now.saturating_add(86_400)).filter(|&at| limits.have_decaying_minutes() && at <= LAST_SECOND)
}

/// When begin times and dependency delays of some jobs end and when reservations begin or end, in seconds.
pub fn openings(
    jobs: &Jobs<'_>,
    some: &[JobHandle],
    reservations: &[AdvanceReservation],
) -> impl Iterator<Item = i64> {
    let begins = some.iter().map(|&job| jobs[job].terms.begin);
    let delays = some.iter().flat_map(|&job| jobs.delayed_until(job));
    let reserved = reservations.iter().flat_map(|one| [one.start.0, one.end.0]);
    begins.chain(delays).chain(reserved).filter(|at| (-LAST_SECOND..=LAST_SECOND).contains(at))
}

#[cfg(test)]
mod tests {
    use super::super::phases::Phases;
    use crate::cluster::{
        AdvanceReservation, Allowed, Begin, Cluster, Dependency, DependencyKind, DependencyOn, RecordedRun,
        SubmittedJob,
    };
    use crate::controller::at_once::SiteRules;
    use crate::controller::simulate::{simulate_by_rules, simulate_cluster};
    use crate::controller::tests::{cluster, job};
    use queuecast_core::units::{Micros, Seconds, Time};
    use queuecast_sim::predict::Requested;
    use queuecast_sim::sim::{Backfill, Options};

    const DAY: i64 = 86_400;

    fn starts(cluster: &Cluster, submissions: Vec<SubmittedJob>) -> Vec<Option<i64>> {
        let run = RecordedRun { submissions, ..RecordedRun::default() };
        let outcomes =
            simulate_cluster(cluster, &run, Phases::from_start(Micros::of_seconds(-60), Seconds(30)));
        outcomes.iter().map(|one| one.start.map(|start| start.0)).collect()
    }

    fn is_soon_after(start: Option<i64>, at: i64) -> bool {
        start.is_some_and(|start| (at..=at + 60).contains(&start))
    }

    #[test]
    fn what_is_to_begin_in_days_begins_then() {
        let later = |days: i64| {
            let mut later = job(1, 0, 4, 10, 60);
            later.request.terms.begin = Some(Begin::After(Seconds(days * DAY)));
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
        let submissions = vec![job(0, 0, 4, 10, 60), later];
        let found = starts(&cluster(1), submissions.clone());
        assert!(is_soon_after(found[1], 3 * DAY), "{found:?}");
        // Other policies too.
        let run = RecordedRun { submissions, ..RecordedRun::default() };
        let (mut policy, mut predictor) =
            (Backfill::fcfs().build_plain(), Requested { default: Seconds(60) });
        let rules = SiteRules {
            policy: policy.as_mut(),
            predictor: &mut predictor,
            options: Options::default(),
            plans_at_limits: true,
        };
        let found = simulate_by_rules(&cluster(1), &run, rules).unwrap().jobs[1].outcome.start;
        assert_eq!(found, Some(Time(3 * DAY)));
    }

    #[test]
    fn centuries_pass_beside_a_job_that_never_starts() {
        let mut never = job(0, 0, 4, 10, 60);
        never.request.terms.hold = true;
        let long_after = 1_000 * 365 * DAY;
        // The delay of a dependency on a job that is not there makes no difference.
        let on = DependencyOn { kind: DependencyKind::After, job: "x".into(), delay: Seconds(long_after) };
        never.request.dependency = Some(Dependency { any: false, on: vec![on] });
        let found = starts(&cluster(1), vec![never, job(1, 10, 4, 10, 60), job(2, long_after, 4, 10, 60)]);
        assert_eq!(found[0], None);
        assert!(is_soon_after(found[1], 10) && is_soon_after(found[2], long_after), "{found:?}");
    }
}

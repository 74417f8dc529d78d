//! Limits in a few words.

use crate::duration;
use queuecast_core::units::Seconds;
use queuecast_slurm_sim::cluster::{Allowed, GroupLimits, HolderLimits, PerJobLimits, Tres};

/// Limits of all jobs together, of each user, of each account and of each job, as far as there are some.
pub fn told(group: &GroupLimits, holders: &[(&str, &HolderLimits)], job: &PerJobLimits) -> String {
    let mut parts = vec![part("all", group_parts(group))];
    parts.extend(holders.iter().map(|(whose, limits)| part(whose, holder_parts(limits))));
    parts.push(part("job", job_parts(job)));
    parts.into_iter().flatten().collect::<Vec<_>>().join("; ")
}

fn part(whose: &str, limits: Vec<String>) -> Option<String> {
    (!limits.is_empty()).then(|| format!("{whose}: {}", limits.join(" ")))
}

fn amounts(tres: &Tres, suffix: &str) -> Vec<String> {
    tres.0.iter().map(|(name, amount)| format!("{name}{suffix}={amount}")).collect()
}

fn counts(named: &[(&str, Option<u32>)]) -> Vec<String> {
    named.iter().filter_map(|(name, count)| count.map(|count| format!("{name}={count}"))).collect()
}

fn wall(length: Option<Seconds>) -> Vec<String> {
    length.into_iter().map(|length| format!("time={}", duration::human(length))).collect()
}

fn group_parts(group: &GroupLimits) -> Vec<String> {
    let counts =
        counts(&[("jobs", group.jobs), ("accruing", group.jobs_accruing), ("submitted", group.submitted)]);
    [
        amounts(&group.tres, ""),
        amounts(&group.tres_minutes, "-minutes"),
        amounts(&group.tres_run_minutes, "-run-minutes"),
        counts,
        wall(group.wall),
    ]
    .concat()
}

fn holder_parts(limits: &HolderLimits) -> Vec<String> {
    let counts =
        counts(&[("jobs", limits.jobs), ("accruing", limits.jobs_accruing), ("submitted", limits.submitted)]);
    [amounts(&limits.tres, ""), amounts(&limits.tres_run_minutes, "-run-minutes"), counts].concat()
}

fn job_parts(job: &PerJobLimits) -> Vec<String> {
    [
        amounts(&job.tres, ""),
        amounts(&job.tres_per_node, "/node"),
        amounts(&job.tres_minutes, "-minutes"),
        wall(job.wall),
        amounts(&job.min_tres, ">"),
    ]
    .concat()
}

/// The names that are allowed; nothing if all are.
pub fn allowed(whose: &str, names: &Allowed) -> Option<String> {
    match names {
        Allowed::All => None,
        Allowed::Only(names) => Some(format!("{whose} {}", names.join(","))),
        Allowed::Except(names) => Some(format!("{whose} not {}", names.join(","))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_told_by_whose_they_are() {
        let tres = |name: &str, amount| Tres([(name.to_owned(), amount)].into());
        let group = GroupLimits { tres: tres("cpu", 8), wall: Some(Seconds(3600)), ..GroupLimits::default() };
        let user = HolderLimits { jobs: Some(3), ..HolderLimits::default() };
        let job = PerJobLimits { min_tres: tres("node", 2), ..PerJobLimits::default() };
        assert_eq!(told(&group, &[("user", &user)], &job), "all: cpu=8 time=1 h; user: jobs=3; job: node>=2");
        assert_eq!(told(&GroupLimits::default(), &[], &PerJobLimits::default()), "");
        assert_eq!(
            allowed("accounts", &Allowed::Except(vec!["a".into(), "b".into()])).unwrap(),
            "accounts not a,b"
        );
    }
}

//! Slurm's reasons for waiting, as `squeue` shows them, and what they mean.

use super::waits_for::{LimitReached, WaitsFor};
use queuecast_trace::squeue::Queued;
use queuecast_trace::{Moment, TimeZone};

/// What a job waits for besides its turn and processors, by Slurm's own word; `None` if it is in line. `all` are the jobs of the site.
pub(super) fn shown_reason(job: &Queued, all: &[Queued], zone: &TimeZone) -> Option<WaitsFor> {
    let reason = &job.reason;
    let code = reason.code.as_str();
    let begins = || reason.start.map(|at| Moment::of(at, Some(0), zone));
    let is = |words: &[&str]| words.iter().any(|word| code.starts_with(word));
    Some(match code {
        _ if is(&["ReqNodeNotAvail", "Nodes required for job are"]) => {
            WaitsFor::Other { reason: code.to_owned() }
        }
        _ if job.in_line => return None,
        "Dependency" => WaitsFor::Dependency { on: reason.dependency.clone(), never: false },
        "DependencyNeverSatisfied" => WaitsFor::Dependency { on: reason.dependency.clone(), never: true },
        "BeginTime" => WaitsFor::BeginTime { at: begins() },
        "Reservation" => WaitsFor::Reservation { name: reason.reservation.clone(), begins: begins() },
        "JobHeldUser" => WaitsFor::Held { by: Some("its user") },
        "JobHeldAdmin" => WaitsFor::Held { by: Some("an administrator") },
        "JobArrayTaskLimit" => WaitsFor::ArrayLimit,
        "Licenses" => WaitsFor::Licenses,
        _ => match limit(job, all) {
            Some(limit) => WaitsFor::Limit(limit),
            None => WaitsFor::Other { reason: code.to_owned() },
        },
    })
}

/// What a running job has of something that is limited.
type AmountOf = fn(&Queued) -> u64;

/// Whose jobs count for a limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum CountedJobs {
    OneJob,
    User,
    Account,
    All,
}

/// The limit that a word of Slurm names, and what running jobs have of it as far as `squeue` shows that.
fn limit(job: &Queued, all: &[Queued]) -> Option<LimitReached> {
    let code = job.reason.code.as_str();
    let small = code.to_ascii_lowercase();
    let (is_qos, is_association) = (small.starts_with("qos"), small.starts_with("assoc"));
    let per_account = small.ends_with("peraccount");
    if !(is_qos || is_association || small.starts_with("max") && per_account) {
        return None;
    }
    let counted = match () {
        () if small.contains("grp") => CountedJobs::All,
        () if small.contains("perjob") => CountedJobs::OneJob,
        () if per_account => CountedJobs::Account,
        () => CountedJobs::User,
    };
    let (what, amount): (&str, Option<AmountOf>) = match () {
        () if small.contains("minutes") => ("processor minutes", None),
        () if small.contains("wall") || small.contains("time") => ("run time", None),
        () if small.contains("submit") => ("submitted jobs", None),
        () if small.contains("cpu") => ("processors", Some(|job| u64::from(job.procs.0))),
        () if small.contains("node") => ("nodes", Some(|job| job.nodes.len() as u64)),
        () if small.contains("mem") => ("memory", None),
        () if small.contains("gres") || small.contains("gpu") => ("generic resources", None),
        () if small.contains("maxjobs") || small.contains("grpjobs") || small.contains("joblimit") => {
            ("running jobs", Some(|_| 1))
        }
        () => ("resources", None),
    };
    let qos = job.reason.qos.as_deref();
    let account = job.reason.account.as_deref();
    let named = |kind: &str, name: Option<&str>| match name {
        Some(name) => format!("{kind} {name}"),
        None => format!("its {kind}"),
    };
    let within = if is_association { named("account", account) } else { named("QOS", qos) };
    let of = match counted {
        CountedJobs::OneJob => format!("one job in {within}"),
        CountedJobs::User => format!("user {} in {within}", job.user),
        CountedJobs::Account => format!("{} in {}", named("account", account), named("QOS", qos)),
        CountedJobs::All => format!("all jobs of {within}"),
    };
    let is_known = if is_association { account.is_some() } else { qos.is_some() };
    let is_counted = |other: &&Queued| {
        let same_qos = is_association || other.reason.qos == job.reason.qos;
        let same_account = other.reason.account == job.reason.account;
        let same = match counted {
            CountedJobs::OneJob => false,
            CountedJobs::User => other.user == job.user && (!is_association || same_account),
            CountedJobs::Account => same_account,
            CountedJobs::All => !is_association || same_account,
        };
        other.elapsed.is_some() && same_qos && same
    };
    // Limits of an account count the jobs of accounts below it too, which squeue does not tell.
    let is_hidden = is_association && counted == CountedJobs::All;
    let countable = is_known && counted != CountedJobs::OneJob && !is_hidden;
    let in_use = amount.filter(|_| countable).map(|amount| all.iter().filter(is_counted).map(amount).sum());
    Some(LimitReached { what: what.to_owned(), of, name: code.to_owned(), most: None, in_use, own: None })
}

#[cfg(test)]
mod tests {
    use super::*;
    use queuecast_trace::squeue::squeue;

    fn words(reason: &str) -> String {
        let line = |id: u32, state: &str, told: &str| format!("{id}|{state}|8|1:00|0:10|7|ada|9|p||{told}\n");
        let running = line(1, "RUNNING", "phys|high|(null)|N/A|(null)|None")
            + &line(2, "RUNNING", "phys|low|(null)|N/A|(null)|None");
        let text = running + &line(3, "PENDING", reason);
        let all = squeue(&text).unwrap();
        let waits = all.iter().find(|job| job.id == 3).unwrap();
        shown_reason(waits, &all, &TimeZone::UTC).map_or_else(|| "in line".to_owned(), |one| one.words())
    }

    #[test]
    fn slurm_s_words_are_told_in_plain_ones() {
        for (told, expected) in [
            ("phys|high|(null)|N/A|(null)|Priority", "in line"),
            (
                "phys|high|(null)|N/A|(null)|QOSMaxJobsPerUserLimit",
                "a limit on running jobs of user ada in QOS high (QOSMaxJobsPerUserLimit): 1 in use now",
            ),
            (
                "phys|high|(null)|N/A|(null)|QOSGrpCpuLimit",
                "a limit on processors of all jobs of QOS high (QOSGrpCpuLimit): 8 in use now",
            ),
            (
                "phys|high|(null)|N/A|(null)|AssocGrpCPUMinutesLimit",
                "a limit on processor minutes of all jobs of account phys (AssocGrpCPUMinutesLimit)",
            ),
            (
                "phys|high|(null)|N/A|afterok:12(unfulfilled)|Dependency",
                "other jobs: afterok:12(unfulfilled)",
            ),
            (
                "phys|high|maint|1763222400|(null)|Reservation",
                "its reservation maint to begin, 2025-11-15 16:00:00",
            ),
            ("phys|high|(null)|1763222400|(null)|BeginTime", "its begin time, 2025-11-15 16:00:00"),
            ("phys|high|(null)|N/A|(null)|JobHeldUser", "being released: its user holds it"),
            (
                "phys|high|(null)|N/A|(null)|Cleaning",
                "what is left of its earlier run to be cleaned up (Cleaning)",
            ),
            (
                "phys|high|(null)|N/A|(null)|ReqNodeNotAvail, UnavailableNodes:n[1-3]",
                "nodes that it asks for and that are not available (ReqNodeNotAvail, UnavailableNodes:n[1-3])",
            ),
            (
                "phys|high|(null)|N/A|(null)|InvalidQOS",
                "a change, and does not start until it has another QOS: its own is not valid (InvalidQOS)",
            ),
            ("phys|high|(null)|N/A|(null)|NewReason", "what Slurm calls NewReason"),
            ("JobArrayTaskLimit", "other tasks of its array: only some of them may run at one time"),
            ("QOSMaxCpuPerUserLimit", "a limit on processors of user ada in its QOS (QOSMaxCpuPerUserLimit)"),
        ] {
            assert_eq!(words(told), expected, "{told}");
        }
    }
}

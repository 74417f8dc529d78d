//! Names in submissions that a site does not have.

use std::collections::BTreeMap;

use queuecast_core::order;
use queuecast_slurm_sim::cluster::{Association, Cluster, RecordedRun};

/// How many names are listed; the others are counted.
const LISTED: usize = 3;

/// What of the submissions a site does not know, with how many name it and what is taken instead: QOS, and users in their accounts. A site
/// without any QOS or associations is not asked, since a simulation has no rules of them then.
pub(crate) fn unknown_names(cluster: &Cluster, run: &RecordedRun) -> Vec<String> {
    let (mut qos, mut users): (BTreeMap<String, usize>, BTreeMap<String, usize>) = Default::default();
    for job in &run.submissions {
        let named = job.request.qos.iter().filter(|name| cluster.qos(name).is_none());
        for name in named.filter(|_| !cluster.qos.is_empty()) {
            *qos.entry(name.clone()).or_default() += 1;
        }
        let account = job.request.account.as_deref().unwrap_or_default();
        let is_own = |one: &Association| one.account == account && one.user.as_deref() == Some(&job.user);
        let all = &cluster.associations.0;
        if !all.is_empty() && !all.iter().any(is_own) {
            let account = job.request.account.as_deref().map(|name| format!(" in account {name}"));
            *users.entry(format!("{}{}", job.user, account.unwrap_or_default())).or_default() += 1;
        }
    }
    let described = [
        ("QOS", qos, "they count for no QOS, so without its priority and limits"),
        ("users", users, "they count for no account, so without fair-share and limits"),
    ];
    let described = described.into_iter().filter(|(_, names, _)| !names.is_empty());
    described.map(|(what, names, taken)| sentence(what, names, taken)).collect()
}

fn sentence(what: &str, names: BTreeMap<String, usize>, taken: &str) -> String {
    let jobs: usize = names.values().sum();
    let mut names: Vec<(String, usize)> = names.into_iter().collect();
    order::sort_by_key(&mut names, |(_, jobs)| std::cmp::Reverse(*jobs));
    let more = names.len().saturating_sub(LISTED);
    let mut listed: Vec<String> =
        names.into_iter().take(LISTED).map(|(name, jobs)| format!("{name} ({jobs})")).collect();
    if more > 0 {
        listed.push(format!("{more} more"));
    }
    let submissions = if jobs == 1 { "1 submission is" } else { &format!("{jobs} submissions are") };
    format!("{submissions} of {what} that the site does not have: {}; {taken}", listed.join(", "))
}

#[cfg(test)]
mod tests {
    use super::unknown_names;
    use queuecast_core::units::Micros;
    use queuecast_slurm_sim::cluster::{
        Association, Associations, Cluster, JobRequest, Qos, RecordedRun, SubmittedJob,
    };

    fn job(user: &str, account: Option<&str>, qos: &[&str]) -> SubmittedJob {
        let request = JobRequest {
            account: account.map(str::to_owned),
            qos: qos.iter().map(|&name| name.to_owned()).collect(),
            ..JobRequest::default()
        };
        SubmittedJob {
            key: user.into(),
            id: None,
            submit: Micros(0),
            user: user.into(),
            request: request.into(),
            runs: Vec::new(),
            not_modelled: Vec::new(),
        }
    }

    #[test]
    fn names_that_a_site_lacks_are_counted() {
        let own = |user: Option<&str>| Association {
            account: "phys".into(),
            user: user.map(str::to_owned),
            ..Association::default()
        };
        let mut cluster = Cluster {
            qos: vec![Qos { name: "normal".into(), ..Qos::default() }],
            associations: Associations(vec![own(None), own(Some("ann"))]),
            ..Cluster::default()
        };
        let submissions = vec![
            job("ann", Some("phys"), &["normal"]),
            job("ann", Some("bio"), &["urgent"]),
            job("bob", Some("phys"), &["urgent", "normal"]),
            job("bob", None, &[]),
        ];
        let run = RecordedRun { submissions, ..RecordedRun::default() };
        assert_eq!(
            unknown_names(&cluster, &run),
            [
                "2 submissions are of QOS that the site does not have: urgent (2); they count for no QOS, so without its priority and limits",
                "3 submissions are of users that the site does not have: ann in account bio (1), bob (1), bob in account phys (1); they count for no account, so without fair-share and limits",
            ]
        );
        // Without accounting there are no rules of it.
        cluster.qos.clear();
        cluster.associations.0.clear();
        assert!(unknown_names(&cluster, &run).is_empty());
    }
}

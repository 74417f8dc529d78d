//! A Slurm site as it is now, by what its commands print.

use std::collections::BTreeMap;

use super::accounted::accounted;
use super::rules::{CountedRule, RuleCounter};
use super::site::SiteOptions;
use queuecast_core::units::Time;
use queuecast_slurm_sim::cluster::{Association, Cluster, ClusterMoment, NodeState, RecordedRun};
use queuecast_trace::{TimeZone, TraceError};

/// Arguments of `sacct` for jobs that ran or waited within the last five minutes. Free text comes last, since `-P` escapes
/// nothing.
pub const SACCT_NOW: [&str; 13] = [
    "-a",
    "-X",
    "-D",
    "-P",
    "--delimiter=\x1f",
    "-S",
    "now-5minutes",
    "-E",
    "now",
    "-s",
    "PENDING,RUNNING,SUSPENDED,REQUEUED",
    "-o",
    "JobID,JobIDRaw,Cluster,User,Account,Partition,QOS,State,Submit,Eligible,Start,End,ElapsedRaw,TimelimitRaw,\
     ReqCPUS,NCPUS,NNodes,ReqTRES,AllocTRES,ReqMem,NodeList,Constraints,Reservation,JobName,SubmitLine",
];

/// Arguments of `sshare` for the raw usage of every user.
pub const SSHARE_NOW: [&str; 3] = ["-a", "-P", "--format=Account,User,RawUsage"];

/// The jobs of a site now, as [`SACCT_NOW`] lists them, and what was left out of them.
pub fn read_accounted(
    sacct: &str,
    cluster: &Cluster,
    zone: &TimeZone,
) -> Result<(RecordedRun, Vec<CountedRule>), TraceError> {
    let mut rules = RuleCounter::default();
    let options = SiteOptions { time_zone: zone.clone(), ..SiteOptions::default() };
    let run = accounted(sacct, cluster, &options, &mut rules)?;
    Ok((run, rules.into_rules()))
}

/// The site now: its jobs, its nodes, and the usage of its users by `sshare` ([`SSHARE_NOW`]), or by the history if
/// `sshare` shows none.
pub fn moment_now(
    cluster: &Cluster,
    jobs: &RecordedRun,
    sshare: Option<&str>,
    history: Option<&RecordedRun>,
    now: Time,
) -> ClusterMoment {
    let now = now.into();
    let mut moment = ClusterMoment::recorded(cluster, jobs, now);
    moment.closed_nodes =
        (0..cluster.nodes.len()).filter(|&node| cluster.nodes[node].state != NodeState::Up).collect();
    let shown = usage_now(cluster, sshare);
    let learned = || history.map(|history| ClusterMoment::recorded(cluster, history, now).usage);
    if let Some(usage) = shown.or_else(learned) {
        moment.usage = usage;
    }
    moment
}

/// What users have used by `sshare` ([`SSHARE_NOW`]), in the order of the cluster's associations; `None` if it shows nothing.
pub fn usage_now(cluster: &Cluster, sshare: Option<&str>) -> Option<Vec<f64>> {
    sshare.map(|text| usage(text, cluster)).filter(|usage| usage.iter().any(|one| *one > 0.0))
}

fn usage(text: &str, cluster: &Cluster) -> Vec<f64> {
    let mut lines = text.lines();
    let titles: Vec<&str> = lines.next().map_or(Vec::new(), |line| line.split('|').map(str::trim).collect());
    let place = |name: &str| titles.iter().position(|title| *title == name);
    let (account, user, used) = (place("Account"), place("User"), place("RawUsage"));
    let mut known: BTreeMap<(&str, &str), f64> = BTreeMap::new();
    for line in lines {
        let cells: Vec<&str> = line.split('|').map(str::trim).collect();
        let cell = |place: Option<usize>| place.and_then(|place| cells.get(place).copied());
        let amount = cell(used).and_then(|text| text.parse::<f64>().ok()).filter(|amount| *amount >= 0.0);
        if let (Some(account), Some(user), Some(amount)) = (cell(account), cell(user), amount) {
            known.insert((account, user), amount);
        }
    }
    let own = |one: &Association| {
        let user = one.user.as_deref()?;
        known.get(&(one.account.as_str(), user)).copied()
    };
    cluster.associations.0.iter().map(|one| own(one).unwrap_or(0.0)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use queuecast_slurm_sim::cluster::{
        Associations, ClusterNode, ClusterPartition, PartitionIndex, StandingState,
    };

    #[test]
    fn jobs_nodes_and_usage_are_as_shown() {
        let association = |account: &str, user: Option<&str>| Association {
            account: account.into(),
            user: user.map(str::to_owned),
            ..Association::default()
        };
        let node = |name: &str| ClusterNode { name: name.into(), cpus: 4, ..ClusterNode::default() };
        let mut partition = ClusterPartition { name: "batch".into(), is_default: true, ..Default::default() };
        partition.nodes = vec![0, 1];
        let cluster = Cluster {
            nodes: ["c1", "c2"].map(node).to_vec(),
            partitions: vec![partition],
            associations: Associations(vec![association("root", None), association("physics", Some("anna"))]),
            ..Cluster::default()
        };
        let sacct = "JobID\x1fUser\x1fAccount\x1fPartition\x1fState\x1fSubmit\x1fEligible\x1fStart\x1fEnd\x1fTimelimitRaw\x1fReqCPUS\x1fNCPUS\x1fNNodes\x1fNodeList
7\x1fanna\x1fphysics\x1fbatch\x1fRUNNING\x1f900\x1f900\x1f950\x1fUnknown\x1f60\x1f4\x1f4\x1f1\x1fc2
8\x1fanna\x1fphysics\x1fbatch\x1fPENDING\x1f980\x1f980\x1fUnknown\x1fUnknown\x1f60\x1f8\x1f8\x1f2\x1fNone assigned
9\x1fanna\x1fphysics\x1fbatch\x1fCOMPLETED\x1f900\x1f900\x1f910\x1f990\x1f60\x1f4\x1f4\x1f1\x1fc1
";
        let (jobs, _) = read_accounted(sacct, &cluster, &TimeZone::UTC).unwrap();
        let sshare = "Account|User|RawUsage\nroot||500\n physics||500\n  physics|anna|500\n";
        let moment = moment_now(&cluster, &jobs, Some(sshare), None, Time(1000));
        assert_eq!(moment.usage, [0.0, 500.0]);
        let keys: Vec<&str> = moment.submissions.iter().map(|one| one.key.as_str()).collect();
        assert_eq!(keys, ["7", "8"], "what has ended is not there");
        let running =
            StandingState::Running { start: Time(950), nodes: vec![1], partition: Some(PartitionIndex(0)) };
        let states: Vec<&StandingState> = moment.standings.iter().map(|one| &one.state).collect();
        assert_eq!(states, [&running, &StandingState::Waiting { eligible: Some(Time(980)) }]);
    }
}

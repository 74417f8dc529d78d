//! What a text of a site is.

use std::fmt;

use serde::Serialize;

use super::accounting::column;

/// What a text of a site is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum SiteFileKind {
    /// `scontrol show config`.
    Config,
    /// `scontrol show node`.
    Nodes,
    /// `scontrol show partition`.
    Partitions,
    /// `scontrol show reservation`.
    Reservations,
    /// `slurm.conf` or a file that it includes.
    SlurmConf,
    /// `gres.conf`.
    GresConf,
    /// `topology.conf`, or `scontrol show topology`.
    TopologyConf,
    /// `sacctmgr show qos`.
    Qos,
    /// `sacctmgr show assoc`.
    Associations,
    /// `sacctmgr show event`.
    NodeEvents,
    /// `sacct`.
    Accounting,
    /// A list of submissions, with what became of them or not.
    Jobs,
    /// The calls of a recorded run.
    Calls,
    /// How the clock of a recorded run stood.
    RunClock,
    /// The log of the main scheduler's passes.
    PassLog,
    /// The controller's own log.
    ControllerLog,
    /// Snapshots of `sprio`.
    ShownPriorities,
    /// Snapshots of `squeue`.
    ShownQueue,
    /// What jobs were given of their nodes.
    GivenNodes,
    /// The planned calls of a run, as JSON.
    Plan,
    /// The planned calls of a run, as events of a simulator.
    SimulatorEvents,
    /// What a capture consists of, and what it lacks.
    Capture,
}

impl fmt::Display for SiteFileKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            SiteFileKind::Config => "scontrol show config",
            SiteFileKind::Nodes => "scontrol show node",
            SiteFileKind::Partitions => "scontrol show partition",
            SiteFileKind::Reservations => "scontrol show reservation",
            SiteFileKind::SlurmConf => "slurm.conf",
            SiteFileKind::GresConf => "gres.conf",
            SiteFileKind::TopologyConf => "topology.conf",
            SiteFileKind::Qos => "sacctmgr show qos",
            SiteFileKind::Associations => "sacctmgr show assoc",
            SiteFileKind::NodeEvents => "sacctmgr show event",
            SiteFileKind::Accounting => "sacct",
            SiteFileKind::Jobs => "a list of submissions",
            SiteFileKind::Calls => "the calls of a recorded run",
            SiteFileKind::RunClock => "the clock of a recorded run",
            SiteFileKind::PassLog => "the log of the main scheduler",
            SiteFileKind::ControllerLog => "the log of the controller",
            SiteFileKind::ShownPriorities => "snapshots of sprio",
            SiteFileKind::ShownQueue => "snapshots of squeue",
            SiteFileKind::GivenNodes => "snapshots of scontrol show job",
            SiteFileKind::Plan => "the plan of a run",
            SiteFileKind::SimulatorEvents => "the events of a simulator",
            SiteFileKind::Capture => "the record of a capture",
        })
    }
}

impl SiteFileKind {
    /// Whether it tells what happened at a site, not how it is configured.
    pub fn is_recorded(self) -> bool {
        matches!(
            self,
            SiteFileKind::Accounting
                | SiteFileKind::Jobs
                | SiteFileKind::Calls
                | SiteFileKind::RunClock
                | SiteFileKind::PassLog
                | SiteFileKind::ControllerLog
                | SiteFileKind::ShownPriorities
                | SiteFileKind::ShownQueue
                | SiteFileKind::GivenNodes
                | SiteFileKind::Plan
                | SiteFileKind::SimulatorEvents
        )
    }

    /// What a text is, by what is in it; its name decides only for configuration files. `None` if it says nothing about a
    /// site. A configuration file of any name is known by its keys (`slurm.conf.example`).
    pub fn of(name: &str, text: &str) -> Option<SiteFileKind> {
        let name = name.rsplit('/').next().unwrap_or(name).trim_end_matches(".gz");
        match name {
            "slurm.conf" => return Some(SiteFileKind::SlurmConf),
            "gres.conf" => return Some(SiteFileKind::GresConf),
            "topology.conf" => return Some(SiteFileKind::TopologyConf),
            _ => {}
        }
        let first = text.lines().find(|line| !line.trim().is_empty())?;
        by_first_line(first, text).or_else(|| {
            let conf = is_conf(name) && !["cgroup.conf", "slurmdbd.conf"].contains(&name);
            if conf { by_keys(text) } else { is_slurm_conf(text).then_some(SiteFileKind::SlurmConf) }
        })
    }

    /// Whether it is only by its keys that a text is a configuration file: it may be a copy of another one.
    pub(super) fn is_by_keys(self, name: &str) -> bool {
        self == SiteFileKind::SlurmConf && !is_conf(name.rsplit('/').next().unwrap_or(name))
    }
}

fn by_first_line(first: &str, text: &str) -> Option<SiteFileKind> {
    let has = |part: &str| text.contains(part);
    if first.starts_with("Configuration data as of") {
        return Some(SiteFileKind::Config);
    }
    if first.starts_with("NodeName=") && (has("CPUTot=") || has("CPUAlloc=")) {
        return Some(SiteFileKind::Nodes);
    }
    if first.starts_with("PartitionName=") && (has("TotalNodes=") || has("AllocNodes=")) {
        return Some(SiteFileKind::Partitions);
    }
    if first.starts_with("ReservationName=") || first.starts_with("No reservations in the system") {
        return Some(SiteFileKind::Reservations);
    }
    if first.starts_with("SwitchName=") {
        return Some(SiteFileKind::TopologyConf);
    }
    if first.starts_with("sched: [") {
        return Some(SiteFileKind::PassLog);
    }
    if first.starts_with('[') && (has("] slurmctld version ") || has("] sched/backfill: ")) {
        return Some(SiteFileKind::ControllerLog);
    }
    if first.starts_with('#') && first.contains("|JOBID|") && first.contains("|FAIRSHARE|") {
        return Some(SiteFileKind::ShownPriorities);
    }
    if first.starts_with('#') && first.contains("JOBID|") && first.contains("|CPU_IDS|") {
        return Some(SiteFileKind::GivenNodes);
    }
    if first.starts_with('#') && first.contains("|JOBID|") && first.contains("|START|") {
        return Some(SiteFileKind::ShownQueue);
    }
    if first.starts_with("-dt ") {
        return Some(SiteFileKind::SimulatorEvents);
    }
    if first.starts_with('{') {
        if has("\"queuecast_capture\"") {
            return Some(SiteFileKind::Capture);
        }
        if has("\"t0_epoch\"") {
            return Some(SiteFileKind::RunClock);
        }
        return (first.contains("\"dt\"") && first.contains("\"op\"")).then_some(SiteFileKind::Plan);
    }
    if first.starts_with("dt_planned\t") {
        return Some(SiteFileKind::Calls);
    }
    // Accounting may be separated by what no job name has.
    let titles: Vec<String> = first.split(['|', '\x1f']).map(column).collect();
    let named = |title: &str| titles.iter().any(|one| one == title);
    if titles.len() > 1 {
        if named("nodename") && named("timestart") && named("timeend") {
            return Some(SiteFileKind::NodeEvents);
        }
        if named("jobidraw") && named("submit") {
            return Some(SiteFileKind::Accounting);
        }
        if named("account")
            && !named("rawshares")
            && (named("share") || named("parentname") || named("user") && named("cluster"))
            && !named("jobid")
        {
            return Some(SiteFileKind::Associations);
        }
        let of_qos = ["usagefactor", "maxtrespu", "preemptmode", "gracetime", "maxjobspu", "priority"];
        if named("name") && !named("account") && of_qos.iter().any(|title| named(title)) {
            return Some(SiteFileKind::Qos);
        }
    }
    let columns: Vec<String> = first.split(',').map(column).collect();
    let needed = ["submit", "user", "args"].iter().all(|name| columns.iter().any(|one| one == name));
    needed.then_some(SiteFileKind::Jobs)
}

fn is_conf(name: &str) -> bool {
    name.trim_end_matches(".gz").trim_end_matches(".zst").ends_with(".conf")
}

/// Whether a text of any name is a `slurm.conf`: it has nodes or partitions, and what every cluster has.
fn is_slurm_conf(text: &str) -> bool {
    let has = |keys: &[&str]| {
        let begins = |line: &str| {
            let key = line.split('=').next().unwrap_or_default().trim();
            keys.iter().any(|one| key.eq_ignore_ascii_case(one))
        };
        text.lines().filter(|line| line.contains('=')).any(begins)
    };
    has(&["NodeName", "PartitionName"])
        && has(&["ClusterName", "ControlMachine", "SlurmctldHost", "SelectType", "SchedulerType"])
}

/// A configuration file of another name.
fn by_keys(text: &str) -> Option<SiteFileKind> {
    let begins = |key: &str| {
        text.lines()
            .any(|line| line.trim_start().get(..key.len()).is_some_and(|part| part.eq_ignore_ascii_case(key)))
    };
    if begins("SwitchName=") {
        Some(SiteFileKind::TopologyConf)
    } else if ["NodeName=", "PartitionName=", "ClusterName=", "SchedulerParameters="]
        .iter()
        .any(|key| begins(key))
    {
        Some(SiteFileKind::SlurmConf)
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_known_by_what_is_in_them() {
        for (name, text, kind) in [
            ("a", "Configuration data as of 5\nX = 1\n", Some(SiteFileKind::Config)),
            ("a", "NodeName=n1 Arch=x CPUTot=4\n", Some(SiteFileKind::Nodes)),
            ("parts.conf", "# x\nPartitionName=p Nodes=n1\n", Some(SiteFileKind::SlurmConf)),
            ("a", "\nPartitionName=p\n AllocNodes=ALL\n", Some(SiteFileKind::Partitions)),
            ("a", "No reservations in the system\n", Some(SiteFileKind::Reservations)),
            ("a", "SwitchName=s1 Level=0 Nodes=n1\n", Some(SiteFileKind::TopologyConf)),
            ("a", "Cluster|Account|User|Share|Def QOS\n", Some(SiteFileKind::Associations)),
            ("a", "Cluster|NodeName|TimeStart|TimeEnd|State\n", Some(SiteFileKind::NodeEvents)),
            ("sshare.psv", "Account|User|RawShares|NormShares\n", None),
            ("a", "Name|Priority|Flags\n", Some(SiteFileKind::Qos)),
            ("a", "JobID|JobIDRaw|Account|User|Submit\n", Some(SiteFileKind::Accounting)),
            ("a", "submit,user,account,run,args\n", Some(SiteFileKind::Jobs)),
            ("x/slurm.conf.gz", "", Some(SiteFileKind::SlurmConf)),
            ("cgroup.conf", "CgroupPlugin=disabled\n", None),
            (
                "slurm.conf.example",
                "# x\nClusterName = c\nNodeName=n1 CPUs=4\n",
                Some(SiteFileKind::SlurmConf),
            ),
            ("cluster", "SlurmctldHost=c0\n\nPartitionName=p Nodes=ALL\n", Some(SiteFileKind::SlurmConf)),
            ("README", "The file has lines such as\nNodeName=n1 CPUs=4\n", None),
            ("README", "# ClusterName=c\nand so on\n", None),
            ("a", "{\n  \"queuecast_capture\": 1\n}\n", Some(SiteFileKind::Capture)),
            ("a", "", None),
            ("a", "anything\n", None),
        ] {
            assert_eq!(SiteFileKind::of(name, text), kind, "{name} {text}");
        }
    }
}

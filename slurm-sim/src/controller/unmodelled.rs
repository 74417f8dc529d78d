//! What a site uses and a simulation leaves out.

use crate::cluster::{
    Allowed, BackfillSettings, Begin, Cluster, ClusterPartition, Exclusivity, GroupLimits, HolderLimits,
    JobRequest, MainPassSettings, PreemptAction, PreemptKind, RecordedRun, SelectKind, Sharing, Topology,
};

/// Settings and options that are in use and that [`simulate_cluster`](super::simulate_cluster) does not follow, each once.
pub fn unmodelled(cluster: &Cluster, run: &RecordedRun) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    let mut note = |is_used: bool, what: &str| {
        if is_used && !all.iter().any(|one| one == what) {
            all.push(what.to_owned());
        }
    };
    let settings = &cluster.settings;
    let suspends = |action: Option<PreemptAction>| action == Some(PreemptAction::Suspend);
    let any_suspends = suspends(Some(settings.preempt.action))
        || cluster.partitions.iter().any(|one| suspends(one.preempt))
        || cluster.qos.iter().any(|one| suspends(one.preempt));
    note(settings.preempt.kind != PreemptKind::None && any_suspends, "preemption by suspending jobs");
    note(settings.preempt.gang, "gang scheduling");
    note(settings.complete_wait.0 > 0, "CompleteWait");
    note(settings.select.least_loaded_nodes, "CR_LLN");
    note(settings.select.pack_nodes, "CR_Pack_Nodes");
    note(settings.select.one_task_per_core, "CR_ONE_TASK_PER_CORE");
    let flags = &settings.priority.flags;
    let has_switches = !matches!(cluster.topology, Topology::Flat);
    note(settings.select.kind == SelectKind::Linear && has_switches, "select/linear with switches");
    note(flags.depth_oblivious, "PriorityFlags=DEPTH_OBLIVIOUS");
    main_pass(&settings.main, &mut note);
    if let Some(backfill) = &settings.backfill {
        backfilling(backfill, &mut note);
    }
    cluster.partitions.iter().for_each(|one| partition(one, &mut note));
    let (is_safe, preempts) = (settings.enforce.safe, settings.preempt.kind != PreemptKind::None);
    for qos in cluster.qos.iter().filter(|_| settings.enforce.limits) {
        let group = &qos.group;
        limits(group, [&qos.per_user, &qos.per_account], is_safe, &mut note);
        note(qos.usage_threshold.is_some(), "UsageThreshold of a QOS");
        note(qos.limit_factor.is_some(), "LimitFactor of a QOS");
        let minutes = !group.tres_minutes.is_empty() || !group.tres_run_minutes.is_empty();
        note(minutes && qos.flags.no_decay, "QOS flag NoDecay");
        note(qos.flags.usage_factor_safe, "QOS flag UsageFactorSafe");
    }
    let no_reserve = cluster.qos.iter().any(|one| one.flags.no_reserve);
    note(no_reserve && preempts, "QOS flag NoReserve with preemption");
    for one in cluster.associations.0.iter().filter(|_| settings.enforce.limits) {
        limits(&one.group, [&one.own], is_safe, &mut note);
    }
    note(cluster.associations.0.iter().any(|one| one.partition.is_some()), "associations of a partition");
    note(cluster.reservations.iter().any(|one| !one.licenses.is_empty()), "reservations of licenses");
    note(cluster.reservations.iter().any(|one| one.cores.is_some()), "reservations of cores");
    note(
        !cluster.outages.is_empty() && !run.clock.is_unix,
        "past outages of nodes, since the log has no dates",
    );
    run.submissions.iter().for_each(|one| request(&one.request, &mut note));
    let mut licenses = run.submissions.iter().flat_map(|one| &one.request.licenses);
    let is_unknown = licenses.any(|one| !cluster.licenses.0.contains_key(&one.name));
    note(is_unknown, "--licenses that the site does not name");
    all
}

fn limits<'l>(
    group: &GroupLimits,
    own: impl IntoIterator<Item = &'l HolderLimits>,
    is_safe: bool,
    note: &mut impl FnMut(bool, &str),
) {
    note(group.wall.is_some(), "GrpWall");
    let is_known = |name: &String| {
        ["cpu", "mem", "node", "billing"].contains(&name.as_str()) || name.starts_with("gres/")
    };
    note(group.tres.0.keys().any(|name| !is_known(name)), "GrpTRES of other resources");
    note(!group.tres_minutes.is_empty(), "GrpTRESMins used before the first job");
    note(!group.tres_minutes.is_empty() && !is_safe, "jobs stopped by GrpTRESMins");
    for own in own {
        note(!own.tres_run_minutes.is_empty(), "MaxTRESRunMins");
    }
}

fn main_pass(settings: &MainPassSettings, note: &mut impl FnMut(bool, &str)) {
    note(settings.assoc_limit_stop, "assoc_limit_stop");
    note(settings.pack_serial_at_end, "pack_serial_at_end");
    note(settings.reduce_completing_frag, "reduce_completing_frag");
    note(settings.max_rpc_count > 0, "max_rpc_cnt");
}

fn backfilling(settings: &BackfillSettings, note: &mut impl FnMut(bool, &str)) {
    note(settings.job_part_count_reserve > 0, "bf_job_part_count_reserve");
    note(settings.one_resv_per_job, "bf_one_resv_per_job");
    note(settings.busy_nodes, "bf_busy_nodes");
    note(settings.running_job_reserve, "bf_running_job_reserve");
    note(settings.licenses, "bf_licenses");
}

fn partition(partition: &ClusterPartition, note: &mut impl FnMut(bool, &str)) {
    note(matches!(partition.sharing, Sharing::Yes(_) | Sharing::Force(_)), "OverSubscribe=YES or FORCE");
    note(partition.exclusive_user, "ExclusiveUser");
    note(partition.least_loaded_nodes, "LLN");
    note(partition.max_cpus_per_socket.is_some(), "MaxCPUsPerSocket");
    note(partition.needs_reservation, "ReqResv");
    note(partition.groups != Allowed::All, "AllowGroups");
    note(partition.root_only, "RootOnly");
    note(partition.over_time_limit.is_some(), "OverTimeLimit of a partition");
}

fn request(request: &JobRequest, note: &mut impl FnMut(bool, &str)) {
    note(request.time_min.is_some(), "--time-min");
    let at_a_clock = |begin: &Begin| matches!(begin, Begin::Clock(_) | Begin::Local(_));
    note(request.begin.as_ref().is_some_and(at_a_clock), "--begin at a date or time of day");
    let on = || request.dependency.iter().flat_map(|dependency| &dependency.on);
    note(on().any(|one| one.delay.0 > 0), "--dependency with a delay");
    note(request.deadline.is_some(), "--deadline");
    note(request.contiguous, "--contiguous");
    note(request.spread, "--spread-job");
    note(request.switches.is_some(), "--switches");
    note(request.prefer.is_some(), "--prefer");
    note(request.overcommit, "--overcommit");
    note(request.spare_cores.is_some(), "--core-spec");
    note(!request.gres_per_socket.is_empty(), "--gpus-per-socket");
    note(request.tasks_per_gpu.is_some(), "--ntasks-per-gpu");
    note(request.constraint.as_ref().is_some_and(|one| !one.counts().is_empty()), "counts in --constraint");
    let odd = |one: &Exclusivity| !matches!(one, Exclusivity::Exclusive | Exclusivity::Oversubscribe);
    note(request.exclusivity.as_ref().is_some_and(odd), "--exclusive=user, mcs or topo");
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cluster::ClusterSettings;

    #[test]
    fn what_is_left_out_is_named_once() {
        let mut cluster = Cluster { settings: ClusterSettings::default(), ..Cluster::default() };
        let run = RecordedRun::default();
        assert_eq!(unmodelled(&cluster, &run), Vec::<String>::new());
        cluster.settings.preempt.kind = PreemptKind::Qos;
        cluster.settings.preempt.action = PreemptAction::Suspend;
        let partition = ClusterPartition { least_loaded_nodes: true, ..ClusterPartition::default() };
        cluster.partitions = vec![partition.clone(), partition];
        assert_eq!(unmodelled(&cluster, &run), ["preemption by suspending jobs", "LLN"]);
        let mut cluster = Cluster::default();
        cluster.settings.select.kind = SelectKind::Linear;
        cluster.settings.priority.flags.no_fair_tree = true;
        assert_eq!(unmodelled(&cluster, &run), Vec::<String>::new());
        cluster.topology = Topology::Tree(Vec::new());
        assert_eq!(unmodelled(&cluster, &run), ["select/linear with switches"]);
    }
}

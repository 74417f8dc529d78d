//! What a site uses and a simulation leaves out.

use super::setting::{Setting, SettingEffect, differences};
use super::site::SiteReading;
use super::table::{PARTITION, of_association, of_cluster, of_qos};
use queuecast_core::units::{Seconds, Time};
use queuecast_slurm_sim::cluster::{
    Begin, Cluster, ClusterAction, Exclusivity, GresRequest, GroupLimits, JobRequest, PreemptAction,
    PreemptKind, RecordedRun, SelectKind, Sharing, SubmittedJob, Topology,
};

/// All that is used and that a simulation of these submissions at a site leaves out, each once: what
/// [`unmodelled`] finds, what the texts of the site say that the types do not represent, and such options of the submissions.
pub fn left_out(reading: &SiteReading, run: &RecordedRun) -> Vec<String> {
    let mut all = unmodelled(&reading.cluster, run);
    let settings = reading.not_modelled.iter().map(|one| &one.name);
    let options = run.submissions.iter().flat_map(|job| &job.not_modelled);
    for name in settings.chain(options) {
        if !all.contains(name) {
            all.push(name.clone());
        }
    }
    all
}

/// Settings and options that are in use and that [`simulate_cluster`](queuecast_slurm_sim::controller::simulate_cluster) does not follow,
/// each once.
pub fn unmodelled(cluster: &Cluster, run: &RecordedRun) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    let preempts = cluster.settings.preempt.kind != PreemptKind::None;
    let mut note = |is_used: bool, what: &str| {
        // Without preemption it makes no difference.
        let is_used = is_used && (preempts || what != "GraceTime");
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
    let has_switches = !matches!(cluster.topology, Topology::Flat);
    note(settings.select.kind == SelectKind::Linear && has_switches, "select/linear with switches");
    rows_left_out(of_cluster(), cluster, "", &mut note);
    for one in &cluster.partitions {
        let asks = |job: &SubmittedJob| job.request.wishes.exclusivity == Some(Exclusivity::Oversubscribe);
        let shares = match one.sharing {
            Sharing::Yes(rows) => rows > 1 && run.submissions.iter().any(asks),
            Sharing::Force(rows) => rows > 1,
            Sharing::No | Sharing::Exclusive => false,
        };
        note(shares, "CPUs that several jobs share (OverSubscribe)");
        rows_left_out(PARTITION.iter(), one, "a partition", &mut note);
    }
    let is_safe = settings.jobs.enforce.safe;
    for qos in cluster.qos.iter().filter(|_| settings.jobs.enforce.limits) {
        let group = &qos.group;
        rows_left_out(of_qos(), qos, "a QOS", &mut note);
        limits(group, is_safe, &mut note);
        let minutes = !group.tres_minutes.is_empty() || !group.tres_run_minutes.is_empty();
        note(minutes && qos.flags.no_decay, "QOS flag NoDecay");
        note(qos.flags.usage_factor_safe, "QOS flag UsageFactorSafe");
    }
    for one in cluster.associations.0.iter().filter(|_| settings.jobs.enforce.limits) {
        rows_left_out(of_association(), one, "an association", &mut note);
        limits(&one.group, is_safe, &mut note);
    }
    note(cluster.associations.0.iter().any(|one| one.partition.is_some()), "associations of a partition");
    note(cluster.reservations.iter().any(|one| !one.licenses.is_empty()), "reservations of licenses");
    reservations(cluster, run, &mut note);
    note(known_at_once(run, settings.jobs.min_job_age) > settings.jobs.max_job_count as usize, "MaxJobCount");
    let largest =
        |name: &str| cluster.nodes.iter().map(|node| node.gres_count(name, None)).max().unwrap_or(0);
    let is_gpu = |one: &GresRequest| one.name == "gpu" && one.count > 0;
    // Where each node's number is said as well, it is known what each gives.
    let of_job = run.submissions.iter().map(|one| &one.request.gres);
    let of_job = of_job.filter(|gres| !gres.per_node.iter().any(is_gpu)).flat_map(|gres| &gres.per_job);
    note(
        of_job.clone().any(|one| one.name == "gpu" && one.count > largest("gpu")),
        "--gpus on several nodes",
    );
    note(
        !cluster.outages.is_empty() && !run.clock.is_unix,
        "past outages of nodes, since the log has no dates",
    );
    run.submissions.iter().for_each(|one| request(&one.request, &mut note));
    // Accounting numbers their parts so: 143+0, 143+1.
    let is_part =
        |key: &str| key.split_once('+').is_some_and(|(id, part)| [id, part].map(is_number) == [true; 2]);
    note(run.submissions.iter().any(|one| is_part(&one.key)), "heterogeneous-jobs");
    let mut licenses = run.submissions.iter().flat_map(|one| &one.request.gres.licenses);
    let is_unknown = licenses.any(|one| !cluster.licenses.0.contains_key(&one.name));
    note(is_unknown, "--licenses that the site does not name");
    all
}

/// Parameters that are left out and are not the default. A name that the whole cluster has too says whose it is.
fn rows_left_out<'s, T: Clone + Default + 'static>(
    rows: impl Iterator<Item = &'s Setting<T>>,
    one: &T,
    of: &str,
    note: &mut impl FnMut(bool, &str),
) {
    let rows = rows.filter(|row| row.effect == SettingEffect::LeftOut);
    for (name, _, _) in differences(rows, one, &T::default()) {
        let is_shared = !of.is_empty() && of_cluster().any(|row| row.name() == name);
        note(true, &if is_shared { format!("{name} of {of}") } else { name.to_owned() });
    }
}

/// Kinds of reservations that are left out: those that the site has and those made in a recording.
fn reservations(cluster: &Cluster, run: &RecordedRun, note: &mut impl FnMut(bool, &str)) {
    let made = run.events.iter().filter_map(|event| match &event.action {
        ClusterAction::Reserve(made) => Some(made),
        _ => None,
    });
    for flags in cluster.reservations.iter().chain(made).map(|one| one.flags) {
        let again = [flags.hourly, flags.daily, flags.weekly, flags.weekday, flags.weekend];
        note(again.contains(&true), "reservations that come again (DAILY and the like)");
        note(flags.magnetic, "reservations that are MAGNETIC");
        note(flags.floating, "reservations with TIME_FLOAT");
        note(flags.replace || flags.replace_down, "reservations whose nodes are replaced (REPLACE)");
        note(flags.purge_when_idle, "reservations with PURGE_COMP");
    }
}

/// The largest number of jobs that a controller knew at one time in a recorded run: from their submission to some time after their end.
fn known_at_once(run: &RecordedRun, remembered: Seconds) -> usize {
    let mut changes: Vec<(Time, i64)> = Vec::new();
    for one in &run.outcomes {
        changes.push((one.submit, 1));
        changes.extend(one.end.map(|end| (end + remembered, -1)));
    }
    changes.sort_unstable();
    let counts = changes.iter().scan(0, |count, (_, change)| {
        *count += change;
        Some(*count)
    });
    counts.max().map_or(0, |most: i64| most as usize)
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|letter| letter.is_ascii_digit())
}

fn limits(group: &GroupLimits, is_safe: bool, note: &mut impl FnMut(bool, &str)) {
    let is_known = |name: &String| {
        ["cpu", "mem", "node", "billing"].contains(&name.as_str()) || name.starts_with("gres/")
    };
    note(group.tres.0.keys().any(|name| !is_known(name)), "GrpTRES of other resources");
    note(!group.tres_minutes.is_empty(), "GrpTRESMins used before the first job");
    note(!group.tres_minutes.is_empty() && !is_safe, "jobs stopped by GrpTRESMins");
}

fn request(request: &JobRequest, note: &mut impl FnMut(bool, &str)) {
    note(request.terms.time_min.is_some(), "--time-min");
    let at_a_clock = |begin: &Begin| matches!(begin, Begin::Clock(_) | Begin::Local(_));
    note(request.terms.begin.as_ref().is_some_and(at_a_clock), "--begin at a date or time of day");
    let on = || request.dependency.iter().flat_map(|dependency| &dependency.on);
    note(on().any(|one| one.delay.0 > 0), "--dependency with a delay");
    note(request.terms.deadline.is_some(), "--deadline");
    note(request.wishes.contiguous, "--contiguous");
    note(request.wishes.switches.is_some(), "--switches");
    note(request.wishes.prefer.is_some(), "--prefer");
    note(request.tasks_on.overcommit, "--overcommit");
    note(request.tasks_on.spare_cores.is_some(), "--core-spec");
    note(!request.gres.per_socket.is_empty(), "--gpus-per-socket");
    note(request.tasks_on.tasks_per_gpu.is_some(), "--ntasks-per-gpu");
    note(request.tasks_on.tasks_per_socket.is_some(), "--ntasks-per-socket");
    note(request.tasks_on.tasks_per_core.is_some_and(|tasks| tasks > 1), "--ntasks-per-core");
    note(
        request.wishes.constraint.as_ref().is_some_and(|one| !one.counts().is_empty()),
        "counts in --constraint",
    );
    let odd = |one: &Exclusivity| !matches!(one, Exclusivity::Exclusive | Exclusivity::Oversubscribe);
    note(request.wishes.exclusivity.as_ref().is_some_and(odd), "--exclusive=user, mcs or topo");
}

#[cfg(test)]
mod tests {
    use super::*;
    use queuecast_slurm_sim::cluster::{ClusterPartition, ClusterSettings};

    #[test]
    fn what_is_left_out_is_named_once() {
        let mut cluster = Cluster { settings: ClusterSettings::default(), ..Cluster::default() };
        let run = RecordedRun::default();
        assert_eq!(unmodelled(&cluster, &run), Vec::<String>::new());
        cluster.settings.preempt.kind = PreemptKind::Qos;
        cluster.settings.preempt.action = PreemptAction::Suspend;
        let partition = ClusterPartition { exclusive_user: true, ..ClusterPartition::default() };
        cluster.partitions = vec![partition.clone(), partition];
        assert_eq!(unmodelled(&cluster, &run), ["preemption by suspending jobs", "ExclusiveUser"]);
        cluster.partitions[0].sharing = Sharing::Force(2);
        cluster.partitions[1].exclusive_user = false;
        let shared = "CPUs that several jobs share (OverSubscribe)";
        assert_eq!(unmodelled(&cluster, &run), ["preemption by suspending jobs", shared, "ExclusiveUser"]);
        let mut cluster = Cluster::default();
        cluster.settings.select.kind = SelectKind::Linear;
        cluster.settings.priority.flags.no_fair_tree = true;
        assert_eq!(unmodelled(&cluster, &run), Vec::<String>::new());
        cluster.topology = Topology::Tree(Vec::new());
        assert_eq!(unmodelled(&cluster, &run), ["select/linear with switches"]);
    }
}

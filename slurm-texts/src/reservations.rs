//! Reservations, from `scontrol show reservation` and from the commands that create them.

use jiff::tz::TimeZone;

use super::conf::ConfEntry;
use super::forms::licenses;
use super::notes::{KeyValue, Notes};
use super::partitions::NodePlaces;
use super::values::{BareNumber, allowed, is_null, length_limit, list};
use queuecast_core::units::{Seconds, Time};
use queuecast_slurm_sim::cluster::{AdvanceReservation, Allowed, ReservationFlags, Tres};
use queuecast_trace::sacct::unix_second;

/// The reservations that `scontrol` lists.
pub(super) fn live(
    records: &[ConfEntry],
    nodes: &NodePlaces<'_>,
    zone: &TimeZone,
    notes: &mut Notes,
) -> Vec<AdvanceReservation> {
    let time = |text: &str| unix_second(text, zone).flatten().map(Time);
    records.iter().filter_map(|record| reservation(&record.0, nodes, &time, notes)).collect()
}

/// A reservation of `Key=Value` pairs. `None`, with a note, if it has no name, begin or end.
pub(super) fn reservation(
    said: &[KeyValue],
    nodes: &NodePlaces<'_>,
    time: &dyn Fn(&str) -> Option<Time>,
    notes: &mut Notes,
) -> Option<AdvanceReservation> {
    let pair = |key: &str| said.iter().find(|one| one.key.eq_ignore_ascii_case(key));
    let named = |key: &str| pair(key).map(|one| one.value.clone()).filter(|value| !is_null(value));
    let first = said.first()?;
    let Some(name) = named("ReservationName").or_else(|| named("Reservation")) else {
        notes.unread(first, "ReservationName=NAME");
        return None;
    };
    let begin = pair("StartTime")?;
    let Some(start) = time(&begin.value) else {
        notes.unread(begin, "a time");
        return None;
    };
    let end = match (pair("EndTime"), pair("Duration")) {
        (Some(end), _) if !is_null(&end.value) => match time(&end.value) {
            Some(end) => end,
            None => {
                notes.unread(end, "a time");
                return None;
            }
        },
        (_, Some(lasts)) => match length_limit(&lasts.value, BareNumber::Minutes) {
            Some(Some(length)) => start + length,
            // A year, as Slurm has it.
            Some(None) => start + Seconds(365 * 86_400),
            None => {
                notes.unread(lasts, "a length of time");
                return None;
            }
        },
        _ => {
            notes.unread(first, "EndTime or Duration");
            return None;
        }
    };
    let whose = format!("reservation {name}");
    let flags = pair("Flags").map_or(ReservationFlags::default(), |one| flags_of(one, notes));
    let part_of_node = pair("CoreCnt").filter(|_| !said.iter().any(|one| one.value.contains("SPEC_NODES")));
    let of_nodes = pair("Nodes").map_or(Vec::new(), |one| nodes.indices(one, &whose, notes));
    let cores_of = |at: &usize| nodes.nodes[*at].cpus / nodes.nodes[*at].threads_per_core.max(1);
    let all: u64 = of_nodes.iter().map(|at| u64::from(cores_of(at))).sum();
    let cores = part_of_node.and_then(|one| super::values::count32(&one.value));
    for key in ["Features", "Groups", "BurstBuffer", "NodeCnt", "QOS", "AllowedPartitions", "MaxStartDelay"] {
        let Some(one) = pair(key).filter(|one| !is_null(&one.value)) else { continue };
        // The number of nodes follows from their names.
        if key != "NodeCnt" || of_nodes.is_empty() {
            notes.part_not_modelled(one, &format!("reservation:{key}"), &one.value);
        }
    }
    let admitted = |key: &str| pair(key).map_or(Allowed::All, |one| allowed(&one.value));
    Some(AdvanceReservation {
        nodes: of_nodes,
        start,
        end: end.max(start),
        users: admitted("Users"),
        accounts: admitted("Accounts"),
        partition: named("PartitionName"),
        cores: cores.filter(|&cores| u64::from(cores) < all),
        licenses: named("Licenses").and_then(|text| licenses(&text)).unwrap_or_else(Tres::default),
        flags,
        name,
    })
}

fn flags_of(said: &KeyValue, notes: &mut Notes) -> ReservationFlags {
    let mut flags = ReservationFlags::default();
    for word in list(&said.value) {
        match word.to_ascii_uppercase().split(['=', ':']).next().unwrap_or_default() {
            "MAINT" => flags.maintenance = true,
            "IGNORE_JOBS" => flags.ignore_jobs = true,
            "OVERLAP" => flags.overlap = true,
            "FLEX" => flags.flexible = true,
            "MAGNETIC" => flags.magnetic = true,
            "DAILY" => flags.daily = true,
            "WEEKLY" => flags.weekly = true,
            "WEEKDAY" => flags.weekday = true,
            "WEEKEND" => flags.weekend = true,
            "HOURLY" => flags.hourly = true,
            "NO_HOLD_JOBS" | "NO_HOLD_JOBS_AFTER_END" => flags.no_hold_jobs_after_end = true,
            "REPLACE" => flags.replace = true,
            "REPLACE_DOWN" => flags.replace_down = true,
            "STATIC" | "STATIC_ALLOC" => flags.static_nodes = true,
            "PART_NODES" => flags.part_nodes = true,
            "ALL_NODES" => flags.all_nodes = true,
            "ANY_NODES" => flags.any_nodes = true,
            "PURGE_COMP" => flags.purge_when_idle = true,
            "TIME_FLOAT" => flags.floating = true,
            // Says that its nodes are named, which they are.
            "SPEC_NODES" => {}
            _ => notes.part_not_modelled(said, "reservation:Flags", &word),
        }
    }
    flags
}

#[cfg(test)]
mod tests {
    use super::super::conf::records;
    use super::*;
    use queuecast_slurm_sim::cluster::ClusterNode;

    #[test]
    fn reservations_of_users_and_accounts() {
        let node = |name: &str| ClusterNode { name: name.into(), cpus: 4, ..ClusterNode::default() };
        let (nodes, mut notes) = (["n1", "n2"].map(node).to_vec(), Notes::default());
        let places = NodePlaces::of(&nodes, &[], &mut notes);
        let text = "ReservationName=maint StartTime=2026-11-15T02:20:38 EndTime=1794709238 Duration=00:30:00 Nodes=n[1-2] NodeCnt=2 CoreCnt=8 Features=(null) PartitionName=(null) Flags=MAINT,IGNORE_JOBS,SPEC_NODES,ALL_NODES TRES=cpu=8 Users=root Groups=(null) Accounts=-a,-b Licenses=(null) State=INACTIVE\nReservationName=odd StartTime=now EndTime=5 Nodes=n1\n";
        let records = records("r", text, "ReservationName", &mut notes);
        let found = live(&records, &places, &TimeZone::UTC, &mut notes);
        let [maint] = &found[..] else { panic!("{found:?}") };
        assert_eq!(
            (maint.start, maint.end, maint.nodes.len()),
            (Time(1_794_709_238), Time(1_794_709_238), 2)
        );
        assert!(maint.flags.maintenance && maint.flags.all_nodes && maint.cores.is_none());
        assert!(maint.users.allows("root") && !maint.users.allows("alice"));
        assert!(!maint.accounts.allows("a") && maint.accounts.allows("c"));
        assert_eq!((notes.misread.len(), notes.misread[0].line), (1, 2));
    }
}

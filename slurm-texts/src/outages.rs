//! Outages of nodes, from `sacctmgr show event -P`.

use jiff::tz::TimeZone;
use queuecast_core::order;

use super::accounting::column;
use super::notes::Notes;
use super::partitions::NodePlaces;
use queuecast_core::units::Time;
use queuecast_slurm_sim::cluster::Outage;
use queuecast_trace::sacct::unix_second;

/// The outages of known nodes, by begin. Events of the whole cluster and of nodes that are gone are left out.
pub(super) fn outages(
    file: &str,
    text: &str,
    nodes: &NodePlaces<'_>,
    zone: &TimeZone,
    notes: &mut Notes,
) -> Vec<Outage> {
    let mut lines = (1..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty());
    let titles: Vec<String> =
        lines.next().map_or(Vec::new(), |(_, line)| line.split('|').map(column).collect());
    let mut found = Vec::new();
    for (line, content) in lines {
        let cells: Vec<&str> = content.split('|').collect();
        let cell = |name: &str| cells.get(titles.iter().position(|title| title == name)?).copied();
        // A reason is free text and may have bars in it; what is needed comes before.
        let (Some(node), Some(from), Some(to)) = (cell("nodename"), cell("timestart"), cell("timeend"))
        else {
            notes.unread_line(file, line, content, "a node, a begin and an end");
            continue;
        };
        let Some(&node) = nodes.places.get(node) else { continue };
        match (unix_second(from, zone).flatten(), unix_second(to, zone)) {
            (Some(from), Some(to)) => {
                let state = cell("state").unwrap_or_default().to_ascii_uppercase();
                let drained = state.contains("DRAIN") && !state.contains("DOWN");
                found.push(Outage { node, from: Time(from), to: to.map_or(Time::NEVER, Time), drained });
            }
            _ => notes.unread_line(file, line, content, "times"),
        }
    }
    order::sort_by_key(&mut found, |one| (one.from, one.node));
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use queuecast_slurm_sim::cluster::ClusterNode;

    #[test]
    fn outages_end_or_go_on() {
        let node = |name: &str| ClusterNode { name: name.into(), ..ClusterNode::default() };
        let (nodes, mut notes) = (["n1", "n2"].map(node).to_vec(), Notes::default());
        let places = NodePlaces::of(&nodes, &[], &mut notes);
        let text = "Cluster|NodeName|TimeStart|TimeEnd|State|Reason|User\nc||2026-11-15T01:15:35|Unknown||Cluster Registered TRES|\nc|n2|2026-11-15T01:15:59|Unknown|DRAIN|a|b|root\nc|n1|1794705337|1794705400|DOWN*|x|root\nc|gone|1|2|DOWN||\nc|n1|soon|2|DOWN||\nc|n1\n";
        let found = outages("events", text, &places, &TimeZone::UTC, &mut notes);
        let told: Vec<(usize, i64, bool, bool)> =
            found.iter().map(|one| (one.node, one.from.0, one.to == Time::NEVER, one.drained)).collect();
        assert_eq!(told, [(0, 1_794_705_337, false, false), (1, 1_794_705_359, true, true)]);
        assert_eq!(notes.misread.iter().map(|one| one.line).collect::<Vec<_>>(), [6, 7]);
    }
}

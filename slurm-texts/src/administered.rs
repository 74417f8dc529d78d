//! What administrators did during a recording, by commands of `scontrol`.

use jiff::tz::TimeZone;

use super::job_change::job_change;
use super::notes::{KeyValue, Notes};
use super::partitions::NodePlaces;
use super::reservations::reservation;
use queuecast_core::units::{Seconds, Time};
use queuecast_slurm_sim::cluster::{Begin, ClusterAction, NodeChange, NodeState, RunClock};
use queuecast_trace::sacct::unix_second;

/// What a command of `scontrol` did, as far as it matters here.
pub(super) fn administered(
    words: &[String],
    at: Time,
    clock: &RunClock,
    (file, line): (&str, usize),
    nodes: &NodePlaces<'_>,
    zone: &TimeZone,
    notes: &mut Notes,
) -> Option<ClusterAction> {
    let pairs: Vec<KeyValue> = words
        .iter()
        .filter_map(|word| word.split_once('='))
        .map(|(key, value)| KeyValue {
            file: file.to_owned(),
            line,
            key: key.to_owned(),
            value: value.to_owned(),
        })
        .collect();
    let pair = |key: &str| pairs.iter().find(|said| said.key.eq_ignore_ascii_case(key));
    let has = |word: &str| words.iter().any(|one| one.eq_ignore_ascii_case(word));
    let time = |text: &str| -> Option<Time> {
        if let Some(after) = text.strip_prefix("@T+") {
            return Some(clock.zero + Seconds(after.parse().ok()?));
        }
        match super::request_values::begin(text) {
            Some(Begin::After(length)) => Some(at + length),
            _ => unix_second(text, zone).flatten().map(Time),
        }
    };
    let named = pair("ReservationName").or_else(|| pair("Reservation"));
    if has("create") && (has("reservation") || named.is_some()) {
        return reservation(&pairs, nodes, &time, notes).map(ClusterAction::Reserve);
    }
    if let (true, Some(said)) = (has("delete"), named) {
        return Some(ClusterAction::Unreserve { name: said.value.clone() });
    }
    if let (true, Some(named), Some(state)) = (has("update"), pair("NodeName"), pair("State")) {
        let state = match state.value.to_ascii_uppercase().as_str() {
            "DRAIN" | "FAIL" => Some(NodeState::Drained),
            "DOWN" => Some(NodeState::Down),
            "RESUME" | "IDLE" | "UNDRAIN" => Some(NodeState::Up),
            "FUTURE" => Some(NodeState::Future),
            _ => None,
        };
        if let Some(state) = state {
            let nodes = nodes.indices(named, "a command", notes);
            return Some(ClusterAction::Nodes(NodeChange { nodes, state }));
        }
    }
    if let Some(action) = job_change(words) {
        return Some(action);
    }
    let said = KeyValue { file: file.to_owned(), line, key: "scontrol".into(), value: words.join(" ") };
    notes.not_modelled(&said);
    None
}

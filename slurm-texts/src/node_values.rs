//! Values of nodes: states and generic resources.

use super::notes::{KeyValue, Notes};
use super::values::{count as number, is_null};
use queuecast_slurm_sim::cluster::{GenericResource, NodeState};

/// The state of a node, which may be several words: `IDLE+DRAIN`, `DOWN*`.
pub(super) fn node_state(pair: &KeyValue, notes: &mut Notes) -> NodeState {
    let upper = pair.value.to_ascii_uppercase();
    if upper.contains("POWER") || upper.contains("CLOUD") {
        notes.part_not_modelled(pair, "power saving", &pair.value);
    }
    state_of(&pair.value)
}

pub(super) fn state_of(text: &str) -> NodeState {
    let upper = text.to_ascii_uppercase();
    let words: Vec<&str> = upper
        .split('+')
        .map(|word| word.trim_end_matches(['~', '#', '$', '@', '^', '!', '%', '-']))
        .collect();
    let is = |one: &str| words.iter().any(|word| word.trim_end_matches('*') == one);
    if is("FUTURE") {
        NodeState::Future
    } else if is("DOWN")
        || is("ERROR")
        || is("NOT_RESPONDING")
        || words.iter().any(|word| word.ends_with('*'))
    {
        NodeState::Down
    } else if is("DRAIN")
        || is("DRAINING")
        || is("DRAINED")
        || is("FAIL")
        || is("FAILING")
        || is("REBOOT_REQUESTED")
    {
        NodeState::Drained
    } else {
        NodeState::Up
    }
}

/// Generic resources of a node: `gpu:2`, `gpu:a100:4(S:0-1),fpga:1`.
pub(super) fn gres(text: &str) -> Option<Vec<GenericResource>> {
    let mut found: Vec<GenericResource> = Vec::new();
    if is_null(text) {
        return Some(found);
    }
    for part in outside_brackets(text) {
        let bare = part.split('(').next().unwrap_or_default().trim();
        let bare = bare.trim_end_matches(":no_consume");
        let mut words = bare.split(':');
        let name = words.next().filter(|name| !name.is_empty())?;
        let rest: Vec<&str> = words.collect();
        let (kind, count) = match rest[..] {
            [] => (None, 1),
            [one] => match number(one) {
                Some(count) => (None, count),
                None => (Some(one.to_owned()), 1),
            },
            [kind, count] => (Some(kind.to_owned()), number(count)?),
            _ => return None,
        };
        let same = found.iter_mut().find(|one| one.name == name && one.kind == kind);
        match same {
            Some(one) => one.count = one.count.saturating_add(count),
            None => found.push(GenericResource { name: name.to_owned(), kind, count }),
        }
    }
    Some(found)
}

/// The parts between commas that are not in parentheses.
fn outside_brackets(text: &str) -> Vec<&str> {
    let (mut parts, mut from, mut depth) = (Vec::new(), 0, 0_usize);
    for (at, letter) in text.char_indices() {
        match letter {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => {
                parts.push(&text[from..at]);
                from = at + 1;
            }
            _ => {}
        }
    }
    parts.push(&text[from..]);
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn states_are_words() {
        for (text, state) in [
            ("IDLE", NodeState::Up),
            ("MIXED+PLANNED", NodeState::Up),
            ("UNKNOWN", NodeState::Up),
            ("IDLE+MAINTENANCE+RESERVED", NodeState::Up),
            ("DOWN*+DRAIN", NodeState::Down),
            ("IDLE*", NodeState::Down),
            ("IDLE+NOT_RESPONDING", NodeState::Down),
            ("ALLOCATED+DRAIN", NodeState::Drained),
            ("DRAINED", NodeState::Drained),
            ("FUTURE", NodeState::Future),
        ] {
            assert_eq!(state_of(text), state, "{text}");
        }
    }

    #[test]
    fn control_odd_generic_resources_are_not_read() {
        for odd in ["gpu:a:b:c", ":2", "gpu:a:x"] {
            assert_eq!(gres(odd), None, "{odd}");
        }
    }
}

//! The space of template sets that the arguments ask for, limited to what the jobs of the trace differ in.

use queuecast::eval::search::{HISTORIES, Space};
use queuecast::job::Job;
use queuecast::predict::template::Characteristics;

use super::arguments::{Arguments, How};
use super::choices::Letter;
use crate::failure::Failure;

/// What was asked for, of what the jobs offer.
pub fn space(arguments: &Arguments, jobs: &[Job], name: &str) -> Result<Space, Failure> {
    let offered = Space::of(jobs);
    let mut space = Space { most: usize::from(arguments.max_templates), ..offered.clone() };
    if !arguments.characteristics.is_empty() {
        let chosen = |one: &Letter| match one {
            Letter::Of(one) => Some(*one),
            Letter::Nodes => None,
        };
        space.characteristics = arguments.characteristics.iter().filter_map(chosen).collect();
        space.nodes = arguments.characteristics.contains(&Letter::Nodes);
    }
    let absent = space.characteristics.beyond(offered.characteristics);
    if !absent.is_empty() || (space.nodes && !offered.nodes) {
        let missing = listed(absent, space.nodes && !offered.nodes);
        let present = listed(offered.characteristics, offered.nodes);
        return Err(Failure::input(format!(
            "the jobs of {name} do not differ in {missing}; they do in {present}"
        ))
        .hint("give --characteristics among those, or leave it out to search all of them"));
    }
    space.estimators = once(&arguments.estimators);
    space.histories = match (arguments.histories.is_empty(), arguments.method) {
        (false, _) => once(&arguments.histories.iter().map(|one| one.0).collect::<Vec<_>>()),
        (true, How::Genetic) if !arguments.no_history => HISTORIES.to_vec(),
        (true, _) => vec![None],
    };
    Ok(space)
}

/// The same for a greedy search, which searches histories only where asked to: it would take that much longer.
pub fn without_default_histories(arguments: &Arguments, space: &Space) -> Space {
    let histories = if arguments.histories.is_empty() { vec![None] } else { space.histories.clone() };
    Space { histories, ..space.clone() }
}

/// Each once, in the order given.
fn once<T: Copy + PartialEq>(given: &[T]) -> Vec<T> {
    let mut kept: Vec<T> = Vec::new();
    for &one in given {
        if !kept.contains(&one) {
            kept.push(one);
        }
    }
    kept
}

/// Characteristics and node ranges as people read them.
pub fn listed(characteristics: Characteristics, nodes: bool) -> String {
    match (characteristics.is_empty(), nodes) {
        (true, true) => "n (processors)".to_owned(),
        (_, false) => characteristics.to_string(),
        (false, true) => format!("{characteristics}, n (processors)"),
    }
}

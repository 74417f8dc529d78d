//! What is searched: the arguments, held to what the jobs of a log offer.

use queuecast::eval::search::{HISTORIES, Space};
use queuecast::job::Job;
use queuecast::predict::template::{Characteristic, Characteristics, Estimator};

use super::{Arguments, How};
use crate::failure::Failure;

/// What may make jobs similar.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Letter {
    /// A fact of each job.
    Of(Characteristic),
    /// `n`: ranges of processors.
    Nodes,
}

/// How many jobs a category may remember; all of them without a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Remembered(pub Option<u32>);

/// Reads one letter of `--characteristics`.
pub fn letter(text: &str) -> Result<Letter, String> {
    match Characteristic::read(text.trim()) {
        Some(one) => Ok(Letter::Of(one)),
        None if text.trim() == "n" => Ok(Letter::Nodes),
        None => {
            let known: Vec<&str> = Characteristic::ALL.iter().map(|one| one.letter()).collect();
            Err(format!("no such characteristic; known are {}, n", known.join(", ")))
        }
    }
}

/// Reads one word of `--estimators`.
pub fn estimator(text: &str) -> Result<Estimator, String> {
    let known = Estimator::ALL.into_iter().find(|one| one.word() == text.trim());
    known.ok_or_else(|| {
        format!("no such estimator; known are {}", Estimator::ALL.map(Estimator::word).join(", "))
    })
}

/// Reads one of `--histories`.
pub fn history(text: &str) -> Result<Remembered, String> {
    match text.trim() {
        "all" => Ok(Remembered(None)),
        number => match number.parse() {
            Ok(jobs) if jobs >= 1 => Ok(Remembered(Some(jobs))),
            _ => Err("expected a number of jobs from 1 on, or all".to_owned()),
        },
    }
}

/// Reads `--holdout`.
pub fn share(text: &str) -> Result<f64, String> {
    let share: Option<f64> = text.parse().ok().filter(|share| *share > 0.0 && *share < 1.0);
    share.ok_or_else(|| "expected a share of the jobs between 0 and 1, as in 0.5".to_owned())
}

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

//! Readers of the values of single options.

use queuecast::predict::template::{Characteristic, Estimator};

/// What may make jobs similar.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Letter {
    /// A fact of each job.
    Of(Characteristic),
    /// `n`: ranges of processors.
    Nodes,
}

impl Letter {
    /// The fact of a job, unless it is ranges of processors.
    pub fn characteristic(self) -> Option<Characteristic> {
        match self {
            Letter::Of(one) => Some(one),
            Letter::Nodes => None,
        }
    }
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

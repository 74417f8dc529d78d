//! The models of Figure 16, and what a log gets from each.

use serde::Serialize;

use super::Subject;
use crate::seed::Seed;
use crate::synth::{Estimates, Pairing, Routine, SynthError};
use crate::units::Seconds;

/// Where the estimates of a simulation come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Model {
    /// The users.
    Original,
    /// The users, doubled.
    Doubled,
    /// The users, given to other jobs at random.
    Shuffled,
    /// The f-model: up to so many times the run time more.
    Factor(u32),
    /// The model of accuracies.
    Feit,
    /// The estimate model in its vanilla setting.
    Vanilla,
    /// The same, improved.
    Improved,
    /// The users, given to other jobs so that they stay put within a sitting: not in the paper.
    Sittings,
}

impl Model {
    /// In the order of the figure.
    pub const ALL: [Model; 13] = [
        Model::Original,
        Model::Doubled,
        Model::Shuffled,
        Model::Factor(0),
        Model::Factor(1),
        Model::Factor(3),
        Model::Factor(10),
        Model::Factor(100),
        Model::Factor(300),
        Model::Feit,
        Model::Vanilla,
        Model::Improved,
        Model::Sittings,
    ];

    /// Those that make estimates of run times and know nothing of users: every f above 0, and feit.
    pub const RIVALS: [Model; 6] = [
        Model::Factor(1),
        Model::Factor(3),
        Model::Factor(10),
        Model::Factor(100),
        Model::Factor(300),
        Model::Feit,
    ];

    /// As the paper calls it.
    pub fn name(self) -> String {
        match self {
            Model::Original => "original".into(),
            Model::Doubled => "X2".into(),
            Model::Shuffled => "shfl".into(),
            Model::Factor(factor) => format!("f{factor}"),
            Model::Feit => "feit".into(),
            Model::Vanilla => "vanl".into(),
            Model::Improved => "impr".into(),
            Model::Sittings => "sittings".into(),
        }
    }

    /// Whether another seed gives other estimates.
    pub fn is_random(self) -> bool {
        !matches!(self, Model::Original | Model::Doubled | Model::Factor(0))
    }

    /// An estimate for each job of a log.
    pub(super) fn estimates(self, subject: &Subject, seed: Seed) -> Result<Vec<Seconds>, SynthError> {
        let workload = &subject.workload;
        let made = match self {
            Model::Original => {
                return Ok(workload.jobs().iter().map(|job| job.shape.limit.unwrap_or(Seconds(1))).collect());
            }
            Model::Doubled => Estimates::Doubled,
            Model::Shuffled => Estimates::Own(Pairing::Shuffled),
            Model::Factor(factor) => Estimates::Factor(f64::from(factor)),
            Model::Feit => Estimates::Feit(subject.peak),
            Model::Vanilla => Estimates::Model(subject.vanilla.clone(), Pairing::Shuffled),
            Model::Improved => Estimates::Model(subject.improved.clone(), Pairing::Shuffled),
            Model::Sittings => Estimates::Own(Pairing::Sittings(Routine::default())),
        };
        made.of(workload, seed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thirteen_models_ten_of_them_random() {
        let mut names: Vec<String> = Model::ALL.iter().map(|model| model.name()).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), 13);
        assert_eq!(Model::ALL.iter().filter(|model| model.is_random()).count(), 10);
        assert!(Model::RIVALS.iter().all(|rival| Model::ALL.contains(rival) && rival.is_random()));
    }
}

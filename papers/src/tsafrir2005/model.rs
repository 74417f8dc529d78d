//! The models of Figure 16, and what a log gets from each.

use serde::Serialize;

use super::subject::Subject;
use queuecast_core::seed::Seed;
use queuecast_core::units::Seconds;
use queuecast_synth::synth::{Estimates, Pairing, Routine, SynthError};

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
    /// The f-model: up to this multiple of the run time more.
    Factor(u32),
    /// The model of accuracies.
    Feit,
    /// The estimate model in its vanilla setting.
    Vanilla,
    /// The estimate model, improved.
    Improved,
    /// The users, given to other jobs so that they stay put within a session: not in the paper.
    Sessions,
    /// The estimate model told all 20 modes of the head: not in the paper. What it still misses, the paper's
    /// improvements cannot give it.
    Told,
    /// The users, with arrivals moved by seconds: not in the paper. What differs from the original by less is chance.
    Shaken,
}

impl Model {
    /// In the order of the figure, then three of our own.
    pub const ALL: [Model; 15] = [
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
        Model::Sessions,
        Model::Told,
        Model::Shaken,
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
            Model::Sessions => "sessions".into(),
            Model::Told => "told 20".into(),
            Model::Shaken => "shaken".into(),
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
            Model::Original | Model::Shaken => {
                return Ok(workload.jobs().iter().map(|job| job.shape.limit.unwrap_or(Seconds(1))).collect());
            }
            Model::Doubled => Estimates::Doubled,
            Model::Shuffled => Estimates::Own(Pairing::Shuffled),
            Model::Factor(factor) => Estimates::Factor(f64::from(factor)),
            Model::Feit => Estimates::Feit(subject.peak),
            Model::Vanilla => Estimates::Model(subject.vanilla.clone(), Pairing::Shuffled),
            Model::Improved => Estimates::Model(subject.improved.clone(), Pairing::Shuffled),
            Model::Told => Estimates::Model(subject.told.clone(), Pairing::Shuffled),
            Model::Sessions => Estimates::Own(Pairing::Sessions(Routine::default())),
        };
        made.of(workload, seed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_papers_twelve_models_and_three_more() {
        let mut names: Vec<String> = Model::ALL.iter().map(|model| model.name()).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), 12 + 3);
        assert_eq!(Model::ALL.iter().filter(|model| model.is_random()).count(), 9 + 3);
        assert!(Model::RIVALS.iter().all(|rival| Model::ALL.contains(rival) && rival.is_random()));
    }
}

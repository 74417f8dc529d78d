//! Whether an answer is to be relied on.

use queuecast_core::number::number_of;

use super::range_record::MethodRecord;
use super::regime::RegimeRecord;

/// Why an answer is not to be relied on.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Doubt<'a> {
    /// Ranges of jobs in the same situation have failed.
    Regime(&'a RegimeRecord),
    /// There are too few of these, and ranges of all jobs have failed.
    All(&'a MethodRecord),
}

impl<'a> Doubt<'a> {
    /// By how right the method was in the situation of the job, else for all jobs; `None` if its ranges have held, or too little is known.
    pub fn of(regime: Option<&'a RegimeRecord>, record: Option<&'a MethodRecord>) -> Option<Doubt<'a>> {
        match regime {
            Some(regime) => (!regime.is_reliable()).then_some(Doubt::Regime(regime)),
            None => record.filter(|all| all.inside < RegimeRecord::RELIABLE).map(Doubt::All),
        }
    }

    /// In words, to follow "No reliable answer here: ".
    pub fn words(&self) -> String {
        match self {
            Doubt::Regime(regime) => regime.words("only "),
            Doubt::All(MethodRecord { jobs, inside, .. }) => format!(
                "of the last {} so predicted, only {:.1}% started within such a range",
                number_of(i64::try_from(*jobs).unwrap_or(i64::MAX), "job"),
                100.0 * inside
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_situation_of_the_job_decides_else_all_jobs_do() {
        let regime = |inside| RegimeRecord {
            fits: false,
            procs: None,
            same_queue: false,
            jobs: 60,
            inside,
            at_once: 0.0,
        };
        let all = |inside| MethodRecord {
            method: String::new(),
            jobs: 60,
            inside,
            by_p90: 0.9,
            interval_score: 1.0,
            mean_error: 1.0,
        };
        let (failed, held) = (regime(0.5), regime(0.65));
        let (bad, good) = (all(0.64), all(0.66));
        assert_eq!(Doubt::of(Some(&failed), Some(&good)), Some(Doubt::Regime(&failed)));
        assert_eq!(Doubt::of(None, Some(&bad)), Some(Doubt::All(&bad)));
        assert_eq!(Doubt::of(Some(&held), Some(&bad)), None);
        assert_eq!((Doubt::of(None, Some(&good)), Doubt::of(None, None)), (None, None));
    }
}

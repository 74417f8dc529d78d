//! All of Tsafrir, Etsion & Feitelson 2005, "Modeling User Runtime Estimates": its logs and how they are prepared, what
//! is simulated, and what its tables, figures and claims come to.

mod claims;
mod comparisons;
mod draws;
mod explained;
mod figures;
mod fit;
mod fits;
mod head;
mod logs;
mod model;
mod performance;
mod printed;
mod setup;
mod subject;
mod tables;
mod trial;

use queuecast_core::parallel;
use queuecast_eval::EvalError;
use queuecast_trace::Log;

use self::draws::Draws;
use self::fits::Fits;
pub use self::logs::PaperLog;
pub use self::model::Model;
use self::performance::ModelResults;
pub use self::subject::{Material, SourceLog, Subject};
pub use self::trial::{EstimateTrial, Performance, TrialResult};
use crate::{Done, Paper, Protocol, Reproduction, Request, Work, prepare};

/// The paper's title.
pub const TITLE: &str = "Modeling User Runtime Estimates";

/// The tables, in order. The last three are the coefficients of figures, how far generated estimates are from the
/// logs', and the numbers of Figure 16.
pub const TABLES: &[&str] = &["1", "2", "3", "4", "5", "6", "fits", "distance", "performance"];

/// What is simulated for.
pub const PERFORMANCE: &str = "performance";

/// The logs, by how their files are called: those of [`PaperLog::ALL`].
pub const LOGS: [&str; 4] =
    ["SDSC-SP2-1998-4.2-cln", "CTC-SP2-1996-3.1-cln", "KTH-SP2-1996-2.1-cln", "SDSC-BLUE-2000-4.2-cln"];

/// How they are cleaned to be what the paper calls sane: jobs whose allocated processors are unknown are left out, and
/// a job that ran past its estimate was killed there.
pub const CLEAN: &str = "default,processors=held,run-above-request=cut";

/// How many seeds the paper averages over.
pub const SEEDS: u64 = 100;

/// What each table shows.
const CAPTIONS: [(&str, &str); 9] = [
    ("1", "the logs"),
    ("2", "mass disparity: the fewest estimates that cover so many jobs"),
    ("3", "different estimates by number of jobs: the points of the linear model, and the logs"),
    ("4", "the spread of estimates"),
    ("5", "the 20 most popular estimates"),
    ("6", "popularity ranks by time rank"),
    ("fits", "coefficients of figures"),
    ("distance", "generated estimates against the log's"),
    (PERFORMANCE, "EASY with the estimates of each model (Figure 16)"),
];

/// The paper and what it needs.
pub const PAPER: Paper = Paper {
    name: "tsafrir2005",
    title: TITLE,
    tables: TABLES,
    logs: &LOGS,
    optional: &[],
    without_logs: &[],
    clean: CLEAN,
    seeds: Some(SEEDS),
    prepare: prepare::<Tsafrir2005>,
};

/// The logs, and the trials of Figure 16 where they are wanted.
pub struct Tsafrir2005 {
    material: Material,
    trials: Vec<EstimateTrial>,
    seeds: u64,
}

/// Trials of one log that one thread runs on one copy of it.
const TOGETHER: usize = 8;

impl Protocol for Tsafrir2005 {
    type Results = Vec<TrialResult>;

    fn plan(logs: &[&Log], request: &Request) -> Result<Tsafrir2005, EvalError> {
        let sources: Vec<SourceLog<'_>> =
            logs.iter().map(|log| SourceLog { workload: &log.workload, records: log.report.lines }).collect();
        let material = Material::of(&sources)?;
        let seeds = request.seeds.unwrap_or(SEEDS);
        let simulated = request.tables.wants(PERFORMANCE);
        let trials = if simulated { EstimateTrial::all(material.subjects.len(), seeds) } else { Vec::new() };
        Ok(Tsafrir2005 { material, trials, seeds })
    }

    fn work(&self) -> Work {
        Work { what: "simulating", steps: self.trials.len() }
    }

    fn run(&self, _logs: &[&Log], done: &Done<'_>) -> Result<Vec<TrialResult>, EvalError> {
        let of_one_log = self.trials.chunk_by(|one, other| one.subject == other.subject);
        let groups: Vec<&[EstimateTrial]> = of_one_log.flat_map(|trials| trials.chunks(TOGETHER)).collect();
        let results = parallel::try_map(&groups, |group| {
            let subject = &self.material.subjects[group[0].subject];
            let mut copy = subject.workload.clone();
            let trial = |trial: &EstimateTrial| {
                let result = trial.run(subject, &mut copy);
                done(1);
                result
            };
            group.iter().map(trial).collect::<Result<Vec<_>, EvalError>>()
        });
        Ok(results?.into_iter().flatten().collect())
    }

    fn judge(&self, _logs: &[&Log], results: &Vec<TrialResult>) -> Reproduction {
        judge(&self.material, &self.trials, results, self.seeds)
    }
}

/// What came of it, judged. `trials` and `outcomes` belong together, and may be none where the tables that need them
/// are not wanted; `seeds` is how often the model is drawn.
pub fn judge(
    material: &Material,
    trials: &[EstimateTrial],
    outcomes: &[TrialResult],
    seeds: u64,
) -> Reproduction {
    let mut reproduction = Reproduction::new("tsafrir2005", TITLE);
    reproduction.notes.extend(notes(seeds));
    for (table, caption) in CAPTIONS {
        reproduction = reproduction.captioned(table, caption);
    }
    let fits = Fits::of(material);
    let draws = Draws::of(material, seeds);
    let cells = &mut reproduction.cells;
    cells.extend(tables::logs(material));
    cells.extend(tables::disparity(material));
    cells.extend(tables::growth(material));
    cells.extend(fits.table_4());
    cells.extend(head::popular(material));
    cells.extend(head::mapping(material));
    cells.extend(fits.coefficients());
    cells.extend(draws::distances(material, &draws));
    reproduction.claims = claims::judged(material, &fits, &draws);
    reproduction.figures = figures::drawn(material, &fits, &draws);
    if !trials.is_empty() {
        let results = ModelResults::of(material.subjects.len(), trials, outcomes);
        reproduction.cells.extend(results.cells(material));
        reproduction.claims.extend(comparisons::judged(material, &results));
        reproduction.figures.extend(results.figures(material));
    }
    reproduction
}

/// What a reader has to know.
fn notes(seeds: u64) -> [String; 3] {
    [
        "CTC is simulated on the 512 processors of Table 1, and beside that on the 338 of its header".into(),
        "jobs that ran past their estimate were killed there: their run times are cut; jobs that ask for no time \
         count in Table 1 only; jobs that ask for more than the site permits (1 of SDSC-106, 21 of BLUE) in Tables 1, 2 \
         and 5 only"
            .into(),
        format!("what is random is the mean of {seeds} seeds; deviations are mean absolute deviations"),
    ]
}

#[cfg(test)]
mod tests;

//! What is done with one log: searches, and the baselines beside them.

use std::convert::Infallible;

use queuecast_core::workload::Workload;
use queuecast_eval::{EvalError, Score, Scorer, WalkForward};
use queuecast_sim::predict::template::TemplateSet;
use queuecast_sim::predict::{DEFAULT_REQUEST, PredictorSpec};
use queuecast_study::search::{Evolution, Genetic, Greedy, HISTORIES, Space};

/// What came of one log.
#[derive(Debug, Clone)]
pub struct LogSearches {
    /// Processors of the machine.
    pub procs: u32,
    /// Whether users ask for times.
    pub requests: bool,
    /// The greedy searches, without and with ranges of processors.
    pub greedy: Greedy,
    /// The best of them without ranges of processors (Table 4), and with (Table 5).
    pub best_greedy: [(TemplateSet, Score); 2],
    /// The genetic search.
    pub genetic: Genetic,
    /// Its best.
    pub best_genetic: (TemplateSet, Score),
    /// Both searches with sizes of history in their space, which the authors left out: greedy, genetic. Only of
    /// the paper's own workloads.
    pub with_history: Option<[(TemplateSet, Score); 2]>,
    /// Gibbons; the second with relative run times, where times are requested.
    pub gibbons: [Option<Score>; 2],
    /// Downey: conditional median, conditional average.
    pub downey: [Score; 2],
    /// The requested time, where there is one.
    pub requested: Option<Score>,
    /// The mean of all jobs so far.
    pub everything: Score,
    /// Searched on the past, scored on the future. Only of the paper's own workloads.
    pub holdout: Option<Holdout>,
}

/// A search on the first half of the jobs, scored on the second.
#[derive(Debug, Clone)]
pub struct Holdout {
    /// What the search found in the first half.
    pub found: TemplateSet,
    /// That on the first half, which it has seen.
    pub seen: Score,
    /// That on the second half.
    pub unseen: Score,
    /// What a search of the whole log found, on the second half.
    pub hindsight: Score,
}

/// Scores a batch of template sets on the jobs in a range: mean errors in seconds, in order.
pub type Batch<'a> = dyn Fn(&Scorer<'_>, &[TemplateSet], std::ops::Range<usize>) -> Vec<f64> + 'a;

/// Searches a log as the paper does, and beyond that where `thorough`. `stepped` is called after each generation
/// of a genetic search.
pub fn search(
    workload: &Workload,
    thorough: bool,
    evolution: Evolution,
    batch: &Batch<'_>,
    stepped: &dyn Fn(),
) -> Result<LogSearches, EvalError> {
    let replay = WalkForward::of(workload)?;
    let scorer = Scorer::new(&replay);
    let all = 0..scorer.len();
    let space = Space::of(workload.jobs());
    let searcher = Searcher { scorer: &scorer, batch, stepped };

    let greedy = searcher.greedy(&space, all.clone());
    let best_greedy = [false, true].map(|nodes| {
        let series = greedy.series().iter().filter(|series| nodes || !series.nodes);
        let steps = series.filter_map(|series| series.steps.last());
        let best = steps.min_by(|a, b| a.error.total_cmp(&b.error));
        let set = best.map(|step| step.templates.clone()).unwrap_or_default();
        let score = scorer.score(&set, all.clone());
        (set, score)
    });
    let scored = |set: TemplateSet, range: std::ops::Range<usize>| {
        let score = scorer.score(&set, range);
        (set, score)
    };
    let genetic = searcher.genetic(&space, evolution, best_greedy[1].0.clone(), all.clone());
    let best_genetic = scored(best(&genetic), all.clone());
    let with_history = thorough.then(|| {
        let longer = Space { histories: HISTORIES.to_vec(), ..space.clone() };
        let greedy = searcher.greedy(&longer, all.clone());
        let greedy = greedy.best().map(|(_, step)| step.templates.clone()).unwrap_or_default();
        let genetic = best(&searcher.genetic(&longer, evolution, greedy.clone(), all.clone()));
        [scored(greedy, all.clone()), scored(genetic, all.clone())]
    });

    let half = scorer.len() / 2;
    let (past, future) = (0..half, half..scorer.len());
    let holdout = thorough.then(|| {
        let early = searcher.greedy(&space, past.clone());
        let seed = early.best().map(|(_, step)| step.templates.clone()).unwrap_or_default();
        let found = best(&searcher.genetic(&space, evolution, seed, past.clone()));
        Holdout {
            seen: scorer.score(&found, past),
            unseen: scorer.score(&found, future.clone()),
            hindsight: scorer.score(&best_genetic.0, future),
            found,
        }
    });

    let baseline = |spec: &str| -> Result<Score, EvalError> {
        let spec: PredictorSpec = spec.parse()?;
        Ok(replay.score(spec.build(Vec::new, DEFAULT_REQUEST).as_mut(), all.clone()))
    };
    let requests = space.relative;
    Ok(LogSearches {
        procs: workload.machine().procs.0,
        requests,
        gibbons: [Some(baseline("gibbons")?), if requests { Some(baseline("gibbons:rel")?) } else { None }],
        downey: [baseline("downey:median")?, baseline("downey:mean")?],
        requested: if requests { Some(baseline("requested")?) } else { None },
        everything: baseline("template:()")?,
        greedy,
        best_greedy,
        genetic,
        best_genetic,
        with_history,
        holdout,
    })
}

/// Steps searches.
struct Searcher<'a> {
    scorer: &'a Scorer<'a>,
    batch: &'a Batch<'a>,
    stepped: &'a dyn Fn(),
}

impl Searcher<'_> {
    fn greedy(&self, space: &Space, range: std::ops::Range<usize>) -> Greedy {
        let mut greedy = Greedy::new(space.clone());
        while !greedy.is_done() {
            let Ok(()) =
                greedy.step(&mut |sets| Ok::<_, Infallible>((self.batch)(self.scorer, sets, range.clone())));
        }
        greedy
    }

    fn genetic(
        &self,
        space: &Space,
        evolution: Evolution,
        seed: TemplateSet,
        range: std::ops::Range<usize>,
    ) -> Genetic {
        let mut genetic = Genetic::new(space.clone(), evolution, Some(seed));
        while !genetic.is_done() {
            let Ok(()) = genetic
                .generation(&mut |sets| Ok::<_, Infallible>((self.batch)(self.scorer, sets, range.clone())));
            (self.stepped)();
        }
        genetic
    }
}

fn best(genetic: &Genetic) -> TemplateSet {
    genetic.best().map(|(set, _)| set).unwrap_or_default()
}

//! Scores template sets quickly: what `WalkForward::score` says of a `TemplatePredictor`, one template at a time.
//!
//! What one template says of a job does not depend on the others, so a set is scored template by template; of a
//! job only the most confident estimate so far is kept. Which category a job falls into is a number, found once
//! for each choice of characteristics and node ranges and shared by all sets that are scored.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

use super::walk_forward::ScoreTally;
use super::{Score, WalkForward};
use queuecast_core::units::Seconds;
use queuecast_core::workload::Workload;
use queuecast_sim::predict::template::{
    Characteristics, Comoments, Data, Estimate, Estimator, LEVEL, Moments, Newcomers, Nodes, Template,
    TemplateSet,
};
use queuecast_sim::predict::{Forecast, Lookup};

/// Category numbers that are remembered at most: a quarter of a gigabyte of them.
const REMEMBERED: usize = 64 << 20;

/// No job.
const NO_JOB: u32 = u32::MAX;

/// Something happened to a job: the lowest bit says whether it ended or is predicted.
#[derive(Debug, Clone, Copy)]
struct ScoredEvent(u32);

impl ScoredEvent {
    fn job(self) -> usize {
        (self.0 >> 1) as usize
    }

    fn asks(self) -> bool {
        self.0 & 1 == 1
    }
}

/// Which category each job falls into.
#[derive(Debug)]
struct Grouping {
    category: Vec<u32>,
    count: usize,
}

/// What is remembered of each job: with no requested time, nothing relative ([`NOTHING`]).
type Column = Vec<i64>;

const NOTHING: i64 = -1;

/// Scores template sets on one log; may be shared between threads.
#[derive(Debug)]
pub struct Scorer<'a> {
    workload: &'a Workload,
    lessons: Vec<ScoredEvent>,
    /// Where in the lessons each prediction is.
    asked: Vec<u32>,
    runs: Vec<Seconds>,
    limits: Vec<Option<Seconds>>,
    actual: Column,
    relative: Column,
    /// By estimator; none for means.
    regressors: [Vec<i64>; 4],
    groupings: Mutex<BTreeMap<(Characteristics, Nodes), Arc<Grouping>>>,
}

/// The most confident estimate of a job so far, in seconds.
const UNKNOWN: Estimate = Estimate { point: 0.0, half_width: f64::INFINITY };

impl<'a> Scorer<'a> {
    /// Prepares a log for being scored many times.
    pub fn new(replay: &WalkForward<'a>) -> Scorer<'a> {
        let workload = replay.workload();
        let lessons: Vec<ScoredEvent> =
            replay.lessons().map(|(asks, job)| ScoredEvent(job << 1 | u32::from(asks))).collect();
        let asked = (0..).zip(&lessons).filter(|(_, lesson)| lesson.asks()).map(|(place, _)| place).collect();
        let column = |data: Data| -> Column {
            let each = workload.jobs().iter().zip(workload.truths());
            each.map(|(job, truth)| data.of(job, truth.run()).unwrap_or(NOTHING)).collect()
        };
        let regressors = Estimator::ALL.map(|estimator| match estimator {
            Estimator::Mean => Vec::new(),
            other => workload.jobs().iter().map(|job| other.regressor(job.shape.procs.0)).collect(),
        });
        Scorer {
            workload,
            lessons,
            asked,
            runs: workload.truths().iter().map(|truth| truth.run()).collect(),
            limits: workload.jobs().iter().map(|job| job.shape.limit).collect(),
            actual: column(Data::Actual),
            relative: column(Data::Relative),
            regressors,
            groupings: Mutex::default(),
        }
    }

    /// How many jobs are predicted.
    pub fn len(&self) -> usize {
        self.asked.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.asked.is_empty()
    }

    /// What [`WalkForward::score`] says of a [`queuecast_sim::predict::template::TemplatePredictor`] with this set, to the last
    /// bit.
    pub fn score(&self, set: &TemplateSet, range: Range<usize>) -> Score {
        self.score_where(set, range, |_| true)
    }

    /// What [`WalkForward::score_ended`] says, where `ended` is [`WalkForward::ended_before`] of the end of the range.
    pub fn score_ended(&self, set: &TemplateSet, range: Range<usize>, ended: &[bool]) -> Score {
        self.score_where(set, range, |job| ended.get(job).is_some_and(|&ended| ended))
    }

    /// The score of the jobs of a range that count.
    fn score_where(&self, set: &TemplateSet, range: Range<usize>, counts: impl Fn(usize) -> bool) -> Score {
        let until = range.end.min(self.len());
        let lessons = match until.checked_sub(1) {
            Some(last) => &self.lessons[..=self.asked[last] as usize],
            None => &[],
        };
        let mut best = vec![UNKNOWN; self.workload.len()];
        for template in &set.0 {
            self.improve(template, lessons, &mut best);
        }
        let (mut tally, mut newcomers, mut asked) = (ScoreTally::default(), Newcomers::default(), 0);
        for lesson in lessons {
            let index = lesson.job();
            let ran = self.runs[index];
            if !lesson.asks() {
                newcomers.learn(ran);
                continue;
            }
            if range.contains(&asked) && counts(index) {
                let forecast = match best[index] {
                    UNKNOWN => newcomers.forecast(&self.workload.jobs()[index]),
                    Estimate { point, half_width } => Forecast::around(point, half_width, LEVEL),
                };
                tally.add(forecast, ran);
            }
            asked += 1;
        }
        tally.score()
    }

    /// Takes what one template says of each job where it is more confident than what was said before.
    fn improve(&self, template: &Template, lessons: &[ScoredEvent], best: &mut [Estimate]) {
        let grouping = self.grouping(template.characteristics, template.nodes);
        let points = match template.data {
            Data::Actual => &self.actual,
            Data::Relative => &self.relative,
        };
        let pass = Pass { template, limits: &self.limits, grouping: &grouping, points, lessons };
        let mut moments = vec![Moments::default(); grouping.count];
        if template.predictor == Estimator::Mean {
            pass.run(
                best,
                &mut moments,
                |moments, _, y| moments.add(y),
                |moments, _, y| moments.remove(y),
                |moments, _| moments.estimate(),
            );
            return;
        }
        let regressor = &self.regressors[template.predictor as usize];
        let mut both: Vec<(Moments, Comoments)> = vec![Default::default(); grouping.count];
        pass.run(
            best,
            &mut both,
            |both, job, y| {
                both.0.add(y);
                both.1.add(regressor[job], y);
            },
            |both, job, y| {
                both.0.remove(y);
                both.1.remove(regressor[job], y);
            },
            |both, job| both.1.estimate(&both.0, regressor[job]),
        );
    }

    /// Which category each job falls into, from memory if possible.
    fn grouping(&self, characteristics: Characteristics, nodes: Nodes) -> Arc<Grouping> {
        let key = (characteristics, nodes);
        let known = self.groupings.lock().unwrap_or_else(PoisonError::into_inner).get(&key).cloned();
        if let Some(known) = known {
            return known;
        }
        let found = Arc::new(self.group(characteristics, nodes));
        let mut groupings = self.groupings.lock().unwrap_or_else(PoisonError::into_inner);
        if groupings.len() < REMEMBERED / self.workload.len().max(1) {
            groupings.insert(key, Arc::clone(&found));
        }
        found
    }

    /// Numbers categories in the order of their first job; one characteristic more divides what fewer made.
    fn group(&self, characteristics: Characteristics, nodes: Nodes) -> Grouping {
        let jobs = self.workload.jobs();
        if nodes != Nodes::Ignored {
            let coarser = self.grouping(characteristics, Nodes::Ignored);
            return divided(&coarser, jobs.iter().map(|job| nodes.range(job.shape.procs.0)));
        }
        let Some(one) = characteristics.iter().last() else {
            return Grouping { category: vec![0; jobs.len()], count: 1 };
        };
        let coarser = self.grouping(characteristics.without(one), Nodes::Ignored);
        // A known value is never 0: that is for what is unknown.
        divided(&coarser, jobs.iter().map(|job| one.of(job).map_or(0, |value| value.saturating_add(1))))
    }
}

fn divided(coarser: &Grouping, values: impl Iterator<Item = u32>) -> Grouping {
    let mut numbers: Lookup<u64, u32> = Lookup::default();
    let pairs = coarser.category.iter().zip(values);
    let category = pairs
        .map(|(&group, value)| {
            let next = numbers.len() as u32;
            *numbers.entry(u64::from(group) << 32 | u64::from(value)).or_insert(next)
        })
        .collect();
    Grouping { category, count: numbers.len() }
}

/// One template on its way through a log.
struct Pass<'a> {
    template: &'a Template,
    limits: &'a [Option<Seconds>],
    grouping: &'a Grouping,
    points: &'a [i64],
    lessons: &'a [ScoredEvent],
}

/// For each category with a limited history, its oldest and its last job; for each job, the next one of its category.
struct Chain {
    ends: Vec<(u32, u32)>,
    next: Vec<u32>,
}

impl Pass<'_> {
    fn run<S: Counted>(
        &self,
        best: &mut [Estimate],
        sums: &mut [S],
        add: impl Fn(&mut S, usize, i64),
        remove: impl Fn(&mut S, usize, i64),
        estimate: impl Fn(&S, usize) -> Option<Estimate>,
    ) {
        let mut chain = self.template.history.map(|history| {
            let chain = Chain {
                ends: vec![(NO_JOB, NO_JOB); self.grouping.count],
                next: vec![NO_JOB; self.limits.len()],
            };
            (i64::from(history), chain)
        });
        for lesson in self.lessons {
            let job = lesson.job();
            let category = self.grouping.category[job] as usize;
            let sums = &mut sums[category];
            if lesson.asks() {
                let said = estimate(sums, job);
                if let Some(said) =
                    said.and_then(|said| self.template.data.in_seconds(said, self.limits[job]))
                    && said.half_width < best[job].half_width
                {
                    best[job] = said;
                }
                continue;
            }
            let y = self.points[job];
            if y == NOTHING {
                continue;
            }
            if let Some((history, chain)) = &mut chain {
                let (oldest, newest) = chain.ends[category];
                let mut first = if oldest == NO_JOB { job as u32 } else { oldest };
                if newest != NO_JOB {
                    chain.next[newest as usize] = job as u32;
                }
                if sums.count() >= *history {
                    remove(sums, oldest as usize, self.points[oldest as usize]);
                    first = chain.next[oldest as usize];
                }
                chain.ends[category] = (first, job as u32);
            }
            add(sums, job, y);
        }
    }
}

/// Sums that know how many there are.
trait Counted {
    fn count(&self) -> i64;
}

impl Counted for Moments {
    fn count(&self) -> i64 {
        Moments::count(self)
    }
}

impl Counted for (Moments, Comoments) {
    fn count(&self) -> i64 {
        self.0.count()
    }
}

//! What is remembered of ended and running jobs, and what the experts make of it.

use serde::{Deserialize, Serialize};

use super::super::scatter::Lookup;
use super::experts::{
    AGE, COUNT, HIGH, LAST_TWO, LOW, NEIGHBOURS as NEIGHBOUR_EXPERTS, REQUEST, SHARE, Values,
};
use super::likeness::{Alike, JobFacts, Likeness};
use super::neighbours::{KERNELS, Neighbours, OwnRuns, Weighted, kernel_quantiles};
use super::runs::RecentRuns;
use queuecast_core::job::{Job, JobIndex, UserId};
use queuecast_core::units::{Seconds, Time};

/// How many run times are remembered of jobs that are alike; of a queue and of the site there are more.
const WINDOW: usize = 20;
const WIDE_WINDOW: usize = 200;

/// How much is kept at each end of the share of jobs that ran past their limit, and the share from which limits do not bind.
const KEPT: f64 = 0.999;
const UNBOUND: f64 = 0.1;

/// How many experts' names are made for each kernel of neighbours: their 30 %, 50 % and 70 % quantiles.
const NEIGHBOUR_LEVELS: [f64; 3] = [0.3, 0.5, 0.7];

/// How much history a job has, by which experts are judged apart: 9 classes.
pub(super) const DEPTHS: usize = 9;

/// What the experts say of a job.
#[derive(Debug, Clone)]
pub(super) struct Opinions {
    pub values: Values,
    /// How much history there is: 0 for a lot, `DEPTHS − 1` for none.
    pub depth: usize,
    /// The run times of neighbours by the first kernel, ascending; empty where there is neither history nor request.
    pub near: Vec<Weighted>,
    /// How many jobs the neighbours are.
    pub neighbours: usize,
    /// The longest time possible.
    pub limit: f64,
}

/// What is remembered.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Archive {
    default_request: Seconds,
    runs: Lookup<Alike, RecentRuns>,
    /// Run time over requested time, by queue and of all.
    shares: Lookup<Alike, RecentRuns>,
    /// By user, by queue, and of all.
    neighbours: Lookup<Alike, Neighbours>,
    /// When jobs that run started, by user and requested time.
    running: Lookup<Alike, Vec<(JobIndex, Time)>>,
    /// When the user's last job was submitted.
    submitted: Lookup<Option<UserId>, Time>,
    /// The share of jobs that ran well past their limit, lately.
    overstayed: f64,
    /// The longest run time so far.
    longest: f64,
}

impl Archive {
    pub fn new(default_request: Seconds) -> Archive {
        Archive {
            default_request,
            runs: Lookup::default(),
            shares: Lookup::default(),
            neighbours: Lookup::default(),
            running: Lookup::default(),
            submitted: Lookup::default(),
            overstayed: 0.0,
            longest: 0.0,
        }
    }

    /// The facts of a job that is submitted now, or is asked about without having been.
    pub fn facts(&self, job: &Job) -> JobFacts {
        JobFacts::of(job, self.submitted.get(&job.user).copied())
    }

    /// The last jobs of the user of a job; `None` if there are none.
    pub fn own_runs(&self, job: &Job) -> Option<OwnRuns> {
        job.user?;
        let facts = self.facts(job);
        self.neighbours.get(&facts.alike(Likeness::User))?.own_runs(&facts)
    }

    /// How long the last jobs of the user of a job say it would run, where none of them had its limit; ascending.
    pub fn own_runs_under_another_limit(&self, job: &Job) -> Option<Vec<f64>> {
        job.user?;
        let facts = self.facts(job);
        self.neighbours.get(&facts.alike(Likeness::User))?.runs_under_another_limit(&facts)
    }

    /// How many jobs of the user of such a job have ended so far.
    pub fn ended_of_user(&self, facts: &JobFacts) -> u64 {
        self.neighbours.get(&facts.alike(Likeness::User)).map_or(0, Neighbours::ended)
    }

    pub fn submit(&mut self, job: &Job) {
        self.submitted.insert(job.user, job.submit);
    }

    pub fn start(&mut self, job: JobIndex, facts: &JobFacts, at: Time) {
        self.running.entry(facts.alike(Likeness::UserRequest)).or_default().push((job, at));
    }

    pub fn end(&mut self, job: JobIndex, facts: &JobFacts, at: Time, run: f64) {
        if let Some(running) = self.running.get_mut(&facts.alike(Likeness::UserRequest)) {
            running.retain(|(other, _)| *other != job);
        }
        self.longest = self.longest.max(run);
        for likeness in Likeness::ALL {
            let window = match likeness {
                Likeness::Queue | Likeness::Any => WIDE_WINDOW,
                _ => WINDOW,
            };
            self.runs.entry(facts.alike(likeness)).or_default().add(run, window);
        }
        if let Some(request) = facts.requested() {
            for likeness in [Likeness::Queue, Likeness::Any] {
                self.shares.entry(facts.alike(likeness)).or_default().add(run / request, WIDE_WINDOW);
            }
            let past = if run > 1.1 * request + 60.0 { 1.0 } else { 0.0 };
            self.overstayed = KEPT * self.overstayed + (1.0 - KEPT) * past;
        }
        for likeness in [Likeness::User, Likeness::Queue, Likeness::Any] {
            self.neighbours.entry(facts.alike(likeness)).or_default().add(run, at, *facts);
        }
    }

    /// No run time is longer: the requested time, unless many jobs run past it.
    pub fn limit(&self, facts: &JobFacts) -> f64 {
        facts.requested().filter(|_| self.overstayed < UNBOUND).unwrap_or(f64::INFINITY)
    }

    /// Beyond this no distribution reaches: the limit; without one, the longest run time so far or what is asked for or predicted,
    /// whichever is longest. A corrected quantile could otherwise be any number.
    pub fn ceiling(&self, facts: &JobFacts, predicted: f64) -> f64 {
        let plausible = self.longest.max(facts.requested().unwrap_or(0.0)).max(predicted);
        self.limit(facts).min(plausible)
    }

    /// What the experts say now of a job with these facts.
    pub fn opinions(&self, facts: &JobFacts, now: Time) -> Opinions {
        let groups = Likeness::ALL.map(|likeness| self.runs.get(&facts.alike(likeness)));
        let limit = self.limit(facts);
        let without = self.without_likeness(facts, &groups);
        let ask = |likeness: Likeness, what: &dyn Fn(&RecentRuns) -> Option<f64>| {
            let mut sense = Some(likeness);
            while let Some(likeness) = sense {
                if let Some(value) = groups[likeness as usize].and_then(what) {
                    return value;
                }
                sense = likeness.coarser();
            }
            without
        };
        let mut values = [0.0; COUNT];
        for (place, &likeness) in Likeness::ALL[..Likeness::WITH_EXPERTS].iter().enumerate() {
            values[2 * place] = ask(likeness, &|runs| runs.quantile(0.5));
            values[2 * place + 1] = ask(likeness, &|runs| runs.newest(0));
        }
        values[LAST_TWO] = ask(Likeness::User, &|runs| {
            let last = runs.newest(0)?;
            Some((last + runs.newest(1).unwrap_or(last)) / 2.0)
        });
        values[REQUEST] = facts.requested().unwrap_or(without);
        values[SHARE] = without;
        values[LOW] = ask(Likeness::UserRequest, &|runs| runs.quantile(0.1));
        values[HIGH] = ask(Likeness::UserRequest, &|runs| runs.quantile(0.9));
        let usual = values[2 * Likeness::UserRequest as usize];
        values[AGE] = usual.max(self.age(facts, now));
        let (near, neighbours) = self.neighbour_values(facts, now, without, &mut values);
        for value in &mut values {
            *value = value.max(1.0).min(limit);
        }
        Opinions { values, depth: depth(&groups), near, neighbours, limit }
    }

    /// What is said of a job without history of its own: the share of the request that is usual in the queue, or at the site;
    /// without a request, how long jobs of the queue, or of the site, usually run; without those, the request.
    fn without_likeness(&self, facts: &JobFacts, groups: &[Option<&RecentRuns>; Likeness::ALL.len()]) -> f64 {
        let share = |likeness| self.shares.get(&facts.alike(likeness))?.quantile(0.5);
        let usual = |likeness: Likeness| groups[likeness as usize]?.quantile(0.5);
        let request = facts.requested();
        let relative = request
            .and_then(|request| Some(request * share(Likeness::Queue).or_else(|| share(Likeness::Any))?));
        relative
            .or_else(|| usual(Likeness::Queue))
            .or_else(|| usual(Likeness::Any))
            .or(request)
            .unwrap_or_else(|| self.default_request.0.max(1) as f64)
    }

    /// How long the oldest of the user's running jobs with this request has run.
    fn age(&self, facts: &JobFacts, now: Time) -> f64 {
        let running = self.running.get(&facts.alike(Likeness::UserRequest)).into_iter().flatten();
        running.map(|&(_, start)| (now - start).0).max().unwrap_or(0) as f64
    }

    /// The neighbours by each kernel: of the user, or else of the queue, or else of the site. Returns those of the first kernel.
    fn neighbour_values(
        &self,
        facts: &JobFacts,
        now: Time,
        without: f64,
        values: &mut Values,
    ) -> (Vec<Weighted>, usize) {
        let of = |likeness| self.neighbours.get(&facts.alike(likeness));
        let own = of(Likeness::User).or_else(|| of(Likeness::Queue)).or_else(|| of(Likeness::Any));
        let nothing = Neighbours::default();
        let own = own.unwrap_or(&nothing);
        let weighted = own.weigh(facts, now);
        let said = kernel_quantiles(&weighted, &NEIGHBOUR_LEVELS);
        let said = said.unwrap_or([[without; NEIGHBOUR_LEVELS.len()]; KERNELS.len()]);
        let first = NEIGHBOUR_EXPERTS;
        values[first..first + said.as_flattened().len()].copy_from_slice(said.as_flattened());
        let mut near = Vec::with_capacity(weighted.len() + COUNT);
        near.extend(weighted.iter().map(|(run, weights)| (*run, weights[0])));
        (near, own.len())
    }
}

/// How much history there is: the narrowest of the first four senses in which there are jobs alike, and whether three are.
fn depth(groups: &[Option<&RecentRuns>]) -> usize {
    let senses = groups.iter().take((DEPTHS - 1) / 2).enumerate();
    let mut found = senses.filter_map(|(place, runs)| {
        let runs = runs.filter(|runs| runs.len() > 0)?;
        Some(2 * place + usize::from(runs.len() < 3))
    });
    found.next().unwrap_or(DEPTHS - 1)
}

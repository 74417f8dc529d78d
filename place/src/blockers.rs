//! What was left out to find what keeps a job from starting, and the sentence about it.

use serde::Serialize;

use queuecast_core::duration;
use queuecast_core::number::number_of;

/// What keeps a job from starting.
#[derive(Debug, Clone, Serialize)]
pub struct StartWhy {
    /// In plain words.
    pub sentence: String,
    /// Simulations of each case.
    pub draws: u32,
    /// Seconds until its start as the site is, as simulated: even odds; `None` if it never starts in most simulations.
    pub median: Option<f64>,
    /// Jobs that run, or wait before it.
    pub candidates: usize,
    /// What was left out in turn: the largest jobs by processors times expected time, the jobs of one user or array together, limits and
    /// reservations of a Slurm site. What matters most comes first.
    pub tried: Vec<TriedBlocker>,
}

/// Something that may keep a job from starting.
#[derive(Debug, Clone, Serialize)]
pub struct TriedBlocker {
    /// What it is: "job 1234", "the 5 jobs of user anna", "your own array 1234".
    pub what: String,
    /// Its jobs; none of a limit or a reservation.
    pub jobs: Vec<String>,
    /// Processors that these hold or ask for.
    pub procs: u64,
    /// Seconds until the start without it: even odds.
    pub median: Option<f64>,
    /// How many seconds sooner that is; `None` if it starts only without it.
    pub gain: Option<f64>,
    /// The share of simulations in which it starts sooner.
    pub sooner: f64,
    /// Whether it matters: sooner by more than a minute and a tenth of the simulated wait, in six of ten simulations or more.
    pub matters: bool,
}

/// Blockers that a sentence names.
const NAMED: usize = 3;

impl StartWhy {
    /// With the sentence about what was tried, the most important first. `candidates` is how many jobs run, or wait before it.
    pub(super) fn new(draws: u32, median: f64, candidates: usize, tried: Vec<TriedBlocker>) -> StartWhy {
        let known = |seconds: f64| seconds.is_finite().then_some(seconds);
        let sentence = sentence(median, candidates, &tried);
        StartWhy { sentence, draws, median: known(median), candidates, tried }
    }
}

fn sentence(median: f64, candidates: usize, tried: &[TriedBlocker]) -> String {
    if median < 1.0 {
        return "In simulations nothing keeps it from starting: with all jobs it starts at once. Where the answer is later, such \
                jobs have waited for what is not recorded."
            .to_owned();
    }
    let mattering: Vec<&TriedBlocker> = tried.iter().filter(|one| one.matters).collect();
    // Answers also count how such jobs fared before, so that what is simulated is told as such, with and without each.
    let starts = |seconds: Option<f64>| match seconds {
        Some(seconds) if seconds < 1.0 => "at once".to_owned(),
        Some(seconds) => format!("in {}", duration::about(seconds)),
        None => "not at all".to_owned(),
    };
    let with_all = format!("in simulations it starts {}", starts(Some(median).filter(|one| one.is_finite())));
    let without = |one: &&TriedBlocker| format!("without {} {}", one.what, starts(one.median));
    let mut parts: Vec<String> =
        std::iter::once(with_all).chain(mattering.iter().take(NAMED).map(without)).collect();
    let singles = tried.iter().filter(|one| one.jobs.len() == 1).count();
    let of = if singles < candidates {
        format!(" of the {singles} largest of {}", number_of(candidates, "job"))
    } else {
        String::new()
    };
    parts.push(match mattering.len() {
        0 if candidates == 0 => "no job runs, or waits before it".to_owned(),
        0 => format!("no single job{of} matters, nor do all jobs of one user"),
        count if count == NAMED + 1 => "one more matters".to_owned(),
        count if count > NAMED => format!("{} more matter", count - NAMED),
        _ => format!("no other single job{of} matters"),
    });
    let text = parts.join("; ");
    let mut letters = text.chars();
    let first: String = letters.next().map(|letter| letter.to_uppercase().collect()).unwrap_or_default();
    format!("{first}{}.", letters.as_str())
}

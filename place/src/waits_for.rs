//! What a waiting job waits for, in words.

use serde::Serialize;

use super::slurm_words::{in_words, stays};
use queuecast_core::number::number_of;
use queuecast_trace::Moment;

/// What a waiting job waits for.
#[derive(Debug, Clone, Serialize)]
#[serde(tag = "for", rename_all = "kebab-case")]
pub enum WaitsFor {
    /// The scheduler to look at it: enough is free, and no job is before it.
    NextPass,
    /// Something that is not recorded: enough is free, and no job is before it, but such jobs have waited on.
    NotRecorded,
    /// Processors: it is the first, and too few are free.
    Processors {
        /// That it asks for.
        wanted: u64,
        /// That are free.
        free: u64,
        /// Jobs that are expected to free enough, the first one to end first.
        frees: Vec<String>,
    },
    /// Nodes: it is the first, and too few are free.
    Nodes {
        /// What it asks for, in words: "2 nodes of gpu".
        wanted: String,
        /// Nodes that it may use and that no job holds a part of.
        idle: usize,
        /// Nodes that it may use.
        all: usize,
        /// Whether jobs are before it, for which idle nodes may be kept.
        follows: bool,
    },
    /// Its turn.
    Turn {
        /// Jobs before it.
        ahead: usize,
        /// Processors that they ask for.
        wanted: u64,
        /// Whether enough is free for it now, but not for it and all jobs before it.
        fits: bool,
    },
    /// The scheduler to look at it: it can start before the jobs ahead of it.
    Beside {
        /// Jobs before it.
        ahead: usize,
    },
    /// A limit.
    Limit(LimitReached),
    /// Other tasks of its array, of which only some may run at one time.
    ArrayLimit,
    /// Other jobs.
    Dependency {
        /// As Slurm shows it: `afterok:12(unfulfilled)`.
        on: Option<String>,
        /// Whether it can never be met.
        never: bool,
    },
    /// Its reservation to begin.
    Reservation {
        /// Its name.
        name: Option<String>,
        /// When that begins, if it is known.
        begins: Option<Moment>,
    },
    /// The time at which it may begin.
    BeginTime {
        /// When that is, if it is known.
        at: Option<Moment>,
    },
    /// Licenses that other jobs have.
    Licenses,
    /// To be released.
    Held {
        /// By whom it is held, if that is known.
        by: Option<&'static str>,
    },
    /// A partition that starts jobs, or has enough processors in service.
    OutOfService,
    /// A limit that is not told, or a partition that takes its account and QOS.
    Barred,
    /// Something else.
    Other {
        /// What Slurm says.
        reason: String,
    },
}

/// A limit that keeps a job waiting. What is not known is left out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct LimitReached {
    /// What is limited: "running jobs", "processors".
    pub what: String,
    /// Whose: "user anna in QOS high".
    pub of: String,
    /// The limit as Slurm names it.
    pub name: String,
    /// The limit.
    pub most: Option<u64>,
    /// What running jobs have of it.
    pub in_use: Option<u64>,
    /// What the job itself asks for.
    pub own: Option<u64>,
}

impl LimitReached {
    /// How far beyond the limit its start would go.
    pub fn over(&self) -> Option<u64> {
        Some((self.in_use.unwrap_or(0) + self.own?).saturating_sub(self.most?)).filter(|over| *over > 0)
    }

    fn words(&self) -> String {
        let LimitReached { what, of, name, .. } = self;
        let counts = match (self.most, self.in_use, self.own) {
            (Some(most), Some(in_use), Some(own)) => {
                let over = self.over().map_or_else(String::new, |over| format!(", {over} too many"));
                format!(": {in_use} in use and {own} asked for, of at most {most}{over}")
            }
            (Some(most), None, Some(own)) => format!(": {own} asked for, of at most {most}"),
            (Some(most), _, None) => format!(": at most {most}"),
            (None, Some(in_use), _) => format!(": {in_use} in use now"),
            (None, None, _) => String::new(),
        };
        format!("a limit on {what} of {of} ({name}){counts}")
    }
}

impl WaitsFor {
    /// In words, after "it waits for".
    pub fn words(&self) -> String {
        let of = |name: &Option<String>| name.as_ref().map_or_else(String::new, |name| format!(" {name}"));
        let date = |at: &Moment| at.date.clone().unwrap_or_else(|| format!("second {}", at.time));
        let from = |at: &Option<Moment>| at.as_ref().map_or_else(String::new, |at| format!(", {}", date(at)));
        match self {
            WaitsFor::NextPass => {
                "the scheduler to look at it: enough is free, and no job is before it".to_owned()
            }
            WaitsFor::NotRecorded => {
                "something that is not recorded: enough is free, and no job is before it".to_owned()
            }
            WaitsFor::Processors { wanted, free, frees } => {
                let free = match free {
                    0 => "none is free".to_owned(),
                    1 => "1 is free".to_owned(),
                    free => format!("{free} are free"),
                };
                let enough = match frees.is_empty() {
                    true => String::new(),
                    false => format!(
                        "; enough when {} {}",
                        jobs(frees),
                        if frees.len() == 1 { "ends" } else { "end" }
                    ),
                };
                format!("{}, {free}{enough}", number_of(*wanted, "processor"))
            }
            WaitsFor::Nodes { wanted, idle, all, follows } => {
                let why = match (idle, follows) {
                    (0, _) => "",
                    (_, true) => ", kept for jobs before it or without what it asks for",
                    (_, false) => ", too few or without what it asks for",
                };
                format!(
                    "{wanted}: of {} that it may use {idle} {} idle{why}",
                    number_of(*all, "node"),
                    if *idle == 1 { "is" } else { "are" }
                )
            }
            WaitsFor::Turn { ahead, wanted, fits } => {
                let turn = format!(
                    "its turn behind {} for {}",
                    number_of(*ahead, "job"),
                    number_of(*wanted, "processor")
                );
                match fits {
                    true => format!("{turn}; enough is free for it, but not for those before it too"),
                    false => turn,
                }
            }
            WaitsFor::Beside { ahead } => format!(
                "the scheduler to look at it: enough is free, and it can start before the {} ahead of it",
                match ahead {
                    1 => "job".to_owned(),
                    ahead => number_of(*ahead, "job"),
                }
            ),
            WaitsFor::Limit(limit) => limit.words(),
            WaitsFor::ArrayLimit => {
                "other tasks of its array: only some of them may run at one time".to_owned()
            }
            WaitsFor::Dependency { on, never: false } => format!("other jobs:{}", of(on)),
            WaitsFor::Dependency { on, never: true } => {
                format!("other jobs, in vain: what it depends on cannot be met any more:{}", of(on))
            }
            WaitsFor::Reservation { name, begins } => {
                format!("its reservation{} to begin{}", of(name), from(begins))
            }
            WaitsFor::BeginTime { at } => format!("its begin time{}", from(at)),
            WaitsFor::Licenses => "licenses that other jobs have".to_owned(),
            WaitsFor::Held { by } => match by {
                Some(by) => format!("being released: {by} holds it"),
                None => "being released".to_owned(),
            },
            WaitsFor::OutOfService => {
                "processors: its partitions have fewer in service than it asks for, or start no jobs"
                    .to_owned()
            }
            WaitsFor::Barred => {
                "a limit that is not told, or a partition that takes its account and QOS".to_owned()
            }
            WaitsFor::Other { reason } => in_words(reason),
        }
    }

    /// What has to be changed before it starts, after "until", if it waits for something that does not pass by itself.
    pub fn stays_until(&self) -> Option<String> {
        match self {
            WaitsFor::Dependency { never: true, .. } => stays("DependencyNeverSatisfied").map(str::to_owned),
            WaitsFor::Held { by: Some(by) } => Some(format!("it is released: {by} holds it")),
            WaitsFor::Held { by: None } => Some("it is released".to_owned()),
            WaitsFor::Other { reason } => stays(reason).map(str::to_owned),
            _ => None,
        }
    }

    /// What a job waits for that is known to start at once: no other job, and no nodes.
    pub(super) fn of_one_that_starts(self, median: f64) -> WaitsFor {
        match self {
            WaitsFor::Turn { ahead, .. } if median < AT_ONCE && ahead > 0 => WaitsFor::Beside { ahead },
            WaitsFor::Nodes { follows: false, .. } if median < AT_ONCE => WaitsFor::NextPass,
            other => other,
        }
    }

    /// Whether it is in line for processors, and for nothing else.
    pub fn is_in_line(&self) -> bool {
        matches!(
            self,
            WaitsFor::NextPass
                | WaitsFor::NotRecorded
                | WaitsFor::Processors { .. }
                | WaitsFor::Nodes { .. }
                | WaitsFor::Turn { .. }
                | WaitsFor::Beside { .. }
        )
    }
}

/// A job that starts within this many seconds, by even odds, is told to start at once.
const AT_ONCE: f64 = 10.0;

/// Names that are listed; of more, how many others there are.
const LISTED: usize = 3;

/// Jobs by their names: "job 7", "jobs 7 and 9", "jobs 7, 9, 12 and 5 others".
pub(super) fn jobs(names: &[String]) -> String {
    match names {
        [one] => format!("job {one}"),
        names if names.len() <= LISTED + 1 => {
            let (last, first) =
                names.split_last().map_or(("", names), |(last, first)| (last.as_str(), first));
            format!("jobs {} and {last}", first.join(", "))
        }
        names => format!("jobs {} and {} others", names[..LISTED].join(", "), names.len() - LISTED),
    }
}

//! What the screen knows: the last answer, what is being computed, what went wrong, and where its reader is.

use queuecast_core::units::{Seconds, Time};
use queuecast_place::{PendingAnswer, PendingJob};

use super::clock::WallClock;
use super::job_list::ShownJobs;
use super::trail::{ForecastTrail, SaidStart};

/// What is watched.
#[derive(Debug, Clone, PartialEq)]
pub struct WatchedPlace {
    /// What to call it.
    pub name: String,
    /// How many seconds of a log pass in one second; `None` at a live site.
    pub speed: Option<f64>,
    /// A look that is older than this is an outage.
    pub fresh: Seconds,
}

/// What reaches the screen from where answers are computed.
#[derive(Debug)]
pub enum WatchNews {
    /// Something begins that takes this many steps; 0 if they are not counted.
    Begins {
        /// What is being done.
        what: String,
        /// Its steps; 0 if they are not counted.
        steps: usize,
    },
    /// How many more steps of it are done.
    Done(usize),
    /// An answer, and what was said on the way.
    Answered {
        /// Every waiting job.
        answer: Box<PendingAnswer>,
        /// What was said beside it.
        notes: Vec<String>,
    },
    /// There is no new answer, and why.
    Failed {
        /// In one line.
        why: String,
    },
    /// What was said of a job before.
    Earlier {
        /// The job.
        job: String,
        /// Forecasts of it, the first one first.
        said: Vec<SaidStart>,
    },
    /// The log that is played has no more.
    PlayedOut,
}

/// What the screen wants done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WatchWish {
    /// To end.
    End,
    /// To know what was said of a job before.
    EarlierOf(String),
    /// A played log to stand still, or to go on.
    Pause(bool),
}

/// Where the reader is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WatchPage {
    /// At the table.
    Table,
    /// Typing a filter, that had been this before.
    Filter { before: String },
    /// Choosing columns, at this one.
    Columns { at: usize },
    /// At the page of a job.
    Job { job: String },
    /// Reading about keys.
    Help,
}

/// What is being computed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WatchWork {
    /// In words.
    pub what: String,
    /// Steps that are done.
    pub done: usize,
    /// All steps; 0 if they are not counted.
    pub steps: usize,
}

/// The state of the screen.
#[derive(Debug)]
pub struct WatchState {
    /// What is watched.
    pub place: WatchedPlace,
    /// Now, as a Unix time.
    pub now: Time,
    /// Columns and lines of the terminal.
    pub size: (u16, u16),
    /// The last answer.
    pub answer: Option<PendingAnswer>,
    /// What was said with it.
    pub notes: Vec<String>,
    /// What is being computed.
    pub work: Option<WatchWork>,
    /// Why there was no answer after the last one.
    pub trouble: Option<String>,
    /// Whether a played log stands still.
    pub paused: bool,
    /// Whether a played log has no more.
    pub played_out: bool,
    /// The jobs.
    pub list: ShownJobs,
    /// How forecasts have moved.
    pub trail: ForecastTrail,
    /// The job whose page is open, as it was last answered: it may have left the queue.
    pub open: Option<PendingJob>,
    /// Where the reader is.
    pub page: WatchPage,
}

impl WatchState {
    /// Before the first answer.
    pub fn new(place: WatchedPlace, now: Time, size: (u16, u16)) -> WatchState {
        let work = WatchWork { what: "looking".to_owned(), done: 0, steps: 0 };
        let mut state = WatchState {
            place,
            now,
            size,
            answer: None,
            notes: Vec::new(),
            work: Some(work),
            trouble: None,
            paused: false,
            played_out: false,
            list: ShownJobs::new(),
            trail: ForecastTrail::default(),
            open: None,
            page: WatchPage::Table,
        };
        state.resized(size);
        state
    }

    /// The terminal's columns and lines.
    pub fn resized(&mut self, size: (u16, u16)) {
        self.size = size;
        self.list.set_room(self.table_room());
    }

    /// Lines for the bars of the machine, or of groups of partitions.
    pub fn bar_lines(&self) -> usize {
        let queues = self.answer.as_ref().map_or(1, |answer| answer.queues.len().max(1));
        let most = if self.size.1 >= 40 { 6 } else { 3 };
        queues.min(most)
    }

    /// Lines that the table has for jobs: without the heading, bars, counts, what is said, a blank line, titles and keys.
    fn table_room(&self) -> usize {
        usize::from(self.size.1).saturating_sub(6 + self.bar_lines())
    }

    /// The clock that moments are told by: of a played log that of the answer, else that of this machine.
    pub fn clock(&self) -> Option<WallClock> {
        let answer = self.answer.as_ref()?;
        let now = if self.place.speed.is_some() { answer.moment.time } else { self.now };
        Some(WallClock::of(answer, now))
    }

    /// Seconds since the last look at a live site.
    pub fn age(&self) -> Option<i64> {
        let answer = self.answer.as_ref().filter(|_| self.place.speed.is_none())?;
        Some((self.now - answer.moment.time).0.max(0))
    }

    /// Whether the last look is so old that it is an outage.
    pub fn is_outage(&self) -> bool {
        self.age().is_some_and(|age| age > self.place.fresh.0)
    }

    /// The name of the chosen job.
    fn chosen(&self) -> Option<String> {
        Some(self.list.chosen(self.answer.as_ref()?)?.job.clone())
    }

    /// Arranges the jobs anew after what they are arranged by has changed.
    pub fn arrange(&mut self) {
        let chosen = self.chosen();
        if let Some(answer) = &self.answer {
            self.list.arrange(answer, chosen.as_deref());
        }
    }

    /// Takes what was computed.
    pub fn told(&mut self, news: WatchNews) {
        match news {
            WatchNews::Begins { what, steps } => self.work = Some(WatchWork { what, done: 0, steps }),
            WatchNews::Done(more) => {
                if let Some(work) = &mut self.work {
                    work.done = (work.done + more).min(work.steps);
                }
            }
            WatchNews::Answered { answer, notes } => {
                let chosen = self.chosen();
                let open = self.open.as_ref().map(|job| job.job.as_str());
                self.trail.add(&answer, open);
                if let Some(open) = &mut self.open
                    && let Some(job) = answer.jobs.iter().find(|job| job.job == open.job)
                {
                    *open = job.clone();
                }
                (self.work, self.trouble, self.notes) = (None, None, notes);
                self.list.arrange(&answer, chosen.as_deref());
                self.answer = Some(*answer);
                self.list.set_room(self.table_room());
            }
            WatchNews::Failed { why } => (self.work, self.trouble) = (None, Some(why)),
            WatchNews::Earlier { job, said } => self.trail.add_earlier(&job, said),
            WatchNews::PlayedOut => (self.work, self.played_out) = (None, true),
        }
    }

    /// Opens the page of the chosen job.
    pub fn open_chosen(&mut self) -> Option<WatchWish> {
        let job = self.list.chosen(self.answer.as_ref()?)?.clone();
        let name = job.job.clone();
        self.open = Some(job);
        self.page = WatchPage::Job { job: name.clone() };
        Some(WatchWish::EarlierOf(name))
    }

    /// Whether the job of the open page still waits.
    pub fn open_waits(&self) -> bool {
        match (&self.open, &self.answer) {
            (Some(open), Some(answer)) => answer.jobs.iter().any(|job| job.job == open.job),
            _ => false,
        }
    }
}

//! Where the answers of `watch` are computed: in a thread of its own, so that the screen never waits.

use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, Sender};
use std::time::{Duration, Instant};

use queuecast_core::asking::Messages;
use queuecast_core::units::{Seconds, Time};
use queuecast_forecast::forecast::WhenSettings;
use queuecast_live::{FRESH, OpenStore};
use queuecast_operate::site_now;
use queuecast_place::{PendingAnswer, PlayedLog, pending_at};
use queuecast_process::failure::Failure;
use queuecast_process::printer::Printer;
use queuecast_trace::TimeZone;
use queuecast_watch::{SaidStart, WatchNews};

use super::place::{ReadPlace, StoreUse, read_live};
use super::source::Source;
use super::{live, moment, replayed};

/// What the screen asks for.
#[derive(Debug)]
pub enum WatchOrder {
    /// A look; of a played log, this time after the last one.
    Look(Seconds),
    /// What was said of a job before.
    EarlierOf(String),
}

/// What every answer needs.
pub struct WatchDesk {
    /// What the screen is told.
    pub news: Sender<WatchNews>,
    /// Hears notes and warnings.
    pub printer: Printer,
    /// Whose jobs come first.
    pub user: Option<String>,
    /// The zone of moments.
    pub zone: TimeZone,
    /// How files are read.
    pub source: Source,
}

/// Tells the screen how far an answer has come.
struct TellScreen<'a>(&'a WatchDesk);

impl Messages for TellScreen<'_> {
    fn note(&self, text: &str) {
        self.0.printer.note(text);
    }

    fn warning(&self, text: &str) {
        self.0.printer.warning(text);
    }

    fn begins(&self, what: &str, steps: usize) {
        self.0.tell(WatchNews::Begins { what: what.to_owned(), steps });
    }

    fn done(&self, steps: usize) {
        self.0.tell(WatchNews::Done(steps));
    }
}

/// Forecasts of a job are looked for so far back.
const LONGEST_WAIT: Seconds = Seconds(30 * 86_400);

impl WatchDesk {
    /// A screen that is gone needs no news.
    fn tell(&self, news: WatchNews) {
        let _ = self.news.send(news);
    }

    fn answered(&self, answer: PendingAnswer) {
        let notes = self.printer.take_heard();
        self.tell(WatchNews::Answered { answer: Box::new(answer), notes });
    }

    /// Plays a log from a moment on, by default from the middle, until the screen is gone.
    ///
    /// # Errors
    /// If it cannot be read, or has nothing to learn from by then.
    pub fn play(&self, orders: &Receiver<WatchOrder>, named: &Path, at: Option<&str>) -> Result<(), Failure> {
        self.tell(WatchNews::Begins { what: format!("reading {}", named.display()), steps: 0 });
        let raw = replayed::read(named, &self.source, &self.printer)?;
        let span = raw.span()?;
        let mut now = match at {
            Some(text) => raw.moment(text, &self.zone)?,
            None => Time(span.first.0 + (span.last - span.first).0 / 2),
        };
        let mut trace = raw.whole(&self.printer)?;
        trace.take_unfinished(span.until, &self.printer)?;
        let mut played = PlayedLog::from(trace.named(), now, &WhenSettings::default(), &TellScreen(self))?;
        while let Ok(order) = orders.recv() {
            let WatchOrder::Look(ahead) = order else { continue };
            now = Time(now.0.saturating_add(ahead.0)).min(span.until);
            self.answered(played.pending(now, self.user.as_deref(), &self.zone)?);
            if now >= span.until {
                self.tell(WatchNews::PlayedOut);
            }
        }
        Ok(())
    }

    /// Watches a live site until the screen is gone.
    ///
    /// # Errors
    /// If there is no answer at first; later that is told, and the last one stays.
    pub fn follow(&self, orders: &Receiver<WatchOrder>, site: &mut WatchedSite) -> Result<(), Failure> {
        while let Ok(order) = orders.recv() {
            match order {
                WatchOrder::Look(_) => site.look(self)?,
                WatchOrder::EarlierOf(job) => {
                    let said = site.earlier(self, &job).unwrap_or_default();
                    self.tell(WatchNews::Earlier { job, said });
                }
            }
        }
        Ok(())
    }
}

/// A live site that is watched.
pub struct WatchedSite {
    live: live::Arguments,
    file: Option<PathBuf>,
    every: Duration,
    /// When Slurm was asked last.
    asked: Option<Instant>,
    /// The look that is shown.
    shown: Option<Time>,
}

impl WatchedSite {
    /// Learned from a file if there is one; Slurm is asked at most once in `every`.
    pub fn new(live: live::Arguments, file: Option<PathBuf>, every: Seconds) -> WatchedSite {
        let every = Duration::from_secs(every.0.unsigned_abs());
        WatchedSite { live, file, every, asked: None, shown: None }
    }

    fn store(&self, desk: &WatchDesk) -> Result<Option<OpenStore>, Failure> {
        self.live.store.open(desk.source.reading.cluster.as_deref())
    }

    /// Answers if there is something new: a look in the store while it is fresh, else Slurm's own answer when it is time to ask.
    fn look(&mut self, desk: &WatchDesk) -> Result<(), Failure> {
        let is_first = self.shown.is_none();
        let last =
            match self.store(desk).and_then(|store| Ok(store.map_or(Ok(None), |store| store.last_look())?)) {
                Ok(last) => last,
                Err(failure) if is_first => return Err(failure),
                Err(failure) => {
                    desk.tell(WatchNews::Failed { why: failure.to_string() });
                    return Ok(());
                }
            };
        if last.is_some_and(|at| site_now::now() - at <= FRESH) {
            if last == self.shown {
                return Ok(());
            }
        } else if self.asked.is_some_and(|asked| asked.elapsed() < self.every) {
            return Ok(());
        } else {
            self.asked = Some(Instant::now());
        }
        desk.tell(WatchNews::Begins { what: "looking".to_owned(), steps: 0 });
        match self.answer(desk, moment::END) {
            Ok(answer) => {
                desk.answered(answer);
                Ok(())
            }
            Err(failure) => {
                // What the store remembers is better than nothing, with how old it is.
                if is_first {
                    match last.map(|_| self.answer(desk, &site_now::now().0.to_string())) {
                        Some(Ok(answer)) => desk.answered(answer),
                        _ => return Err(failure),
                    }
                }
                desk.tell(WatchNews::Failed { why: failure.to_string() });
                Ok(())
            }
        }
    }

    fn answer(&mut self, desk: &WatchDesk, at: &str) -> Result<PendingAnswer, Failure> {
        let from = (self.file.as_ref(), &desk.source, StoreUse::Learned, None);
        let (site, history) = read_live(from, &self.live, at, &desk.printer)?;
        let read = ReadPlace::Live { site, history };
        let place = read.asked(&self.live, desk.source.procs);
        let (user, settings) = (desk.user.as_deref(), WhenSettings::default());
        let answer = pending_at(place, user, &settings, &desk.zone, &TellScreen(desk))?;
        self.shown = Some(answer.moment.time);
        Ok(answer)
    }

    /// What the collector said of a job.
    fn earlier(&self, desk: &WatchDesk, job: &str) -> Result<Vec<SaidStart>, Failure> {
        let Some(store) = self.store(desk)? else { return Ok(Vec::new()) };
        let now = site_now::now();
        let said = store.said_of(job, now - LONGEST_WAIT, now)?;
        let after = |at: Time, seconds: f64| Time(at.0.saturating_add(seconds.round() as i64));
        let said = said.iter().map(|one| SaidStart {
            at: one.at,
            low: after(one.at, one.said.low),
            median: after(one.at, one.said.median),
            high: after(one.at, one.said.high),
        });
        Ok(said.collect())
    }
}

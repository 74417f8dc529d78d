//! `queuecast watch`: the queue and its forecasts on a screen that keeps itself up to date.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{self, Receiver, Sender, TryRecvError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use queuecast_core::units::Seconds;
use queuecast_live::FRESH;
use queuecast_operate::site_now;
use queuecast_process::failure::Failure;
use queuecast_process::interrupt::StopRequest;
use queuecast_process::invocation::Invocation;
use queuecast_process::printer::Printer;
use queuecast_process::program;
use queuecast_process::screen::{self, Screen};
use queuecast_trace::TimeZone;
use queuecast_watch::{WatchNews, WatchState, WatchTheme, WatchWish, WatchedPlace, draw};

use super::source::Source;
use super::watched::{WatchDesk, WatchOrder, WatchedSite};
use super::{live, replayed};
use crate::spec;

const EXAMPLES: &str = "\
Examples:
  The queue of this Slurm site, one's own jobs first:
    queuecast watch

  Without Slurm: made-up jobs, an hour in a second:
    queuecast watch --replay demo

  A log from a day on, a minute in a second:
    queuecast watch --replay LOG.swf.gz --at 1997-02-03T10:00 --speed 60

Keys: arrows move, Enter opens a job's page, s sorts, / filters, ? tells all, q ends.";

/// Watch the queue on a screen that keeps itself up to date: when each job starts, and what it waits for
///
/// A live site is answered from the store of queuecast collect while that is fresh, else Slurm is asked, at most once every --every. With --replay a log is played as if it were live.
#[derive(Debug, Clone, clap::Args)]
#[command(after_help = EXAMPLES)]
#[command(mut_arg("live", |live| live.help("Watch this Slurm site, which is the default").conflicts_with("replay")))]
#[command(mut_arg("partition", |partition| partition.help("Watch this partition only; of a log, its queue")))]
#[command(mut_arg("time_zone", |zone| zone.help("Time zone of what is shown, and of local times in accounting records; by default that of this machine, for a log UTC").hide_default_value(true)))]
pub struct Arguments {
    /// At a live site, accounting to learn from, instead of the store's
    #[arg(value_name = "FILE", conflicts_with = "replay")]
    file: Option<PathBuf>,
    /// Play a log as if it were live; demo plays the made-up jobs of queuecast demo
    #[arg(long, value_name = "LOG", help_heading = "A log")]
    replay: Option<PathBuf>,
    /// Seconds of the log that pass in one second
    #[arg(long, value_name = "N", default_value = "3600", value_parser = spec::positive, allow_negative_numbers = true, help_heading = "A log")]
    speed: f64,
    /// The moment of the log to begin at, as for when; by default its middle
    #[arg(
        long,
        value_name = "MOMENT",
        requires = "replay",
        allow_hyphen_values = true,
        help_heading = "A log"
    )]
    at: Option<String>,
    /// Whose jobs come first; by default one's own, of demo those of user01
    #[arg(short = 'u', long, value_name = "USER")]
    user: Option<String>,
    /// One's own jobs come first, as of the user that id -un names; this is the default
    #[arg(long, conflicts_with = "user")]
    me: bool,
    /// Slurm is asked at most once in this time; sites may forbid to ask more often
    #[arg(long, value_name = "DURATION", default_value = "120s", value_parser = spec::positive_duration, allow_hyphen_values = true, help_heading = "The site")]
    every: Seconds,
    #[command(flatten)]
    live: live::Arguments,
    #[command(flatten)]
    source: Source,
}

impl Arguments {
    fn is_demo(&self) -> bool {
        self.replay.as_deref() == Some(Path::new(replayed::DEMO))
    }

    /// Whose jobs come first. Without a name all jobs are alike.
    fn user(&self, printer: &Printer) -> Option<String> {
        if self.user.is_some() {
            return self.user.clone();
        }
        if self.is_demo() && !self.me {
            return Some(replayed::DEMO_USER.to_owned());
        }
        let name = self.live.outside.commands(printer).printed("id", &["-un"]).ok()?;
        Some(name.trim().to_owned()).filter(|name| !name.is_empty())
    }

    fn zone(&self, invocation: &Invocation) -> TimeZone {
        let is_typed = invocation.given().1.iter().any(|option| option == "time-zone");
        let own = (!is_typed && self.replay.is_none()).then(own_zone).flatten();
        own.unwrap_or_else(|| self.source.reading.time_zone.clone())
    }

    /// What to call a live site.
    fn cluster(&self) -> String {
        let named = self.source.reading.cluster.clone();
        // A store that cannot be used is told of when it is asked.
        let store = || self.live.store.open(None).ok().flatten();
        named
            .or_else(|| store().map(|store| store.cluster_name().to_owned()))
            .unwrap_or("this site".to_owned())
    }

    fn place(&self) -> WatchedPlace {
        let fresh = Seconds(FRESH.0.max(self.every.0.saturating_mul(5) / 2));
        match &self.replay {
            Some(log) => WatchedPlace { name: log.display().to_string(), speed: Some(self.speed), fresh },
            None => WatchedPlace { name: self.cluster(), speed: None, fresh },
        }
    }

    /// Computes until the screen is gone.
    fn compute(&self, desk: &WatchDesk, orders: &Receiver<WatchOrder>) -> Result<(), Failure> {
        match &self.replay {
            Some(log) => desk.play(orders, log, self.at.as_deref()),
            None => {
                desk.follow(orders, &mut WatchedSite::new(self.live.clone(), self.file.clone(), self.every))
            }
        }
    }
}

/// The zone of this machine: of `TZ`, else of the link that the system has for it.
fn own_zone() -> Option<TimeZone> {
    let named = env::var("TZ").ok().map(|name| name.trim_start_matches(':').to_owned());
    let linked = || {
        let link = fs::read_link("/etc/localtime").ok()?;
        Some(link.to_str()?.split_once("zoneinfo/")?.1.to_owned())
    };
    let name = named.filter(|name| !name.is_empty()).or_else(linked)?;
    spec::time_zone(&name).ok()
}

/// Watches until it is told to end.
pub fn run(arguments: &Arguments, invocation: &Invocation, printer: &Printer) -> Result<(), Failure> {
    if !screen::is_there() {
        return Err(Failure::usage("watch needs a terminal, and standard output is none")
            .hint("queuecast pending prints the queue once, in any format"));
    }
    let page = printer.page();
    let theme = WatchTheme { coloured: page.coloured, charset: page.charset };
    let (user, zone) = (arguments.user(printer), arguments.zone(invocation));
    let stop = StopRequest::listen();
    let mut screen = Screen::open()?;
    let mut state = WatchState::new(arguments.place(), site_now::now(), screen.size());
    if arguments.replay.is_some() {
        state.list.partition = arguments.live.partition.clone();
    }
    let mut worker = WatchWorker::start(arguments.clone(), (user, zone), printer)?;
    let mut drawn = None;
    let ended = loop {
        state.now = site_now::now();
        let is_news = match worker.news(&mut state) {
            Ok(is_news) => is_news,
            Err(failure) => break Err(failure),
        };
        worker.ask(&state);
        if is_news || drawn != Some(state.now) {
            screen.draw(|buffer| draw(&state, theme, buffer))?;
            drawn = Some(state.now);
        }
        let mut within = LOOK_AROUND;
        let mut wish = None;
        // Keys that were typed together are drawn once.
        while let Some(event) = screen.event(within)? {
            (within, drawn) = (Duration::ZERO, None);
            wish = state.happened(&event);
            if wish.is_some() {
                break;
            }
        }
        match wish {
            Some(WatchWish::End) => break Ok(()),
            Some(WatchWish::EarlierOf(job)) => worker.order(WatchOrder::EarlierOf(job)),
            Some(WatchWish::Pause(_)) => worker.since = Instant::now(),
            None => {}
        }
        if stop.is_asked() {
            break Ok(());
        }
    };
    drop(screen);
    program::end_all();
    ended
}

/// How long a key is waited for before news are looked at.
const LOOK_AROUND: Duration = Duration::from_millis(100);

/// Time between two looks: at a played log, and at a store that may have something new.
const BETWEEN: [Duration; 2] = [Duration::from_secs(1), Duration::from_secs(5)];

/// The thread that computes answers, as the screen sees it.
struct WatchWorker {
    orders: Sender<WatchOrder>,
    news: Receiver<WatchNews>,
    thread: Option<JoinHandle<Result<(), Failure>>>,
    /// When the last look was asked for; of a log that stood still, when it went on.
    since: Instant,
    speed: Option<f64>,
    /// Whether a look was asked for that has not been answered.
    is_busy: bool,
}

impl WatchWorker {
    fn start(
        arguments: Arguments,
        (user, zone): (Option<String>, TimeZone),
        printer: &Printer,
    ) -> Result<WatchWorker, Failure> {
        let ((orders, taken), (tell, news)) = (mpsc::channel(), mpsc::channel());
        let speed = arguments.replay.is_some().then_some(arguments.speed);
        let (printer, source) = (printer.heard(), arguments.source.clone());
        let desk = WatchDesk { news: tell, printer, user, zone, source };
        let thread = std::thread::Builder::new()
            .name("answers".to_owned())
            .spawn(move || arguments.compute(&desk, &taken))
            .map_err(|cause| Failure::unexpected("cannot start a thread").because(cause))?;
        let mut worker =
            WatchWorker { orders, news, thread: Some(thread), since: Instant::now(), speed, is_busy: true };
        worker.order(WatchOrder::Look(Seconds::ZERO));
        Ok(worker)
    }

    /// A thread that has ended is noticed when its news are read.
    fn order(&mut self, order: WatchOrder) {
        let _ = self.orders.send(order);
    }

    /// Asks for the next look when it is time for it.
    fn ask(&mut self, state: &WatchState) {
        if state.paused || state.played_out {
            self.since = Instant::now();
            return;
        }
        let passed = self.since.elapsed();
        let between = if self.speed.is_some() { BETWEEN[0] } else { BETWEEN[1] };
        // Of a live site a look may bring nothing new, which is no answer.
        let is_busy = if self.speed.is_some() { self.is_busy } else { state.work.is_some() };
        if is_busy || passed < between {
            return;
        }
        (self.since, self.is_busy) = (Instant::now(), true);
        let ahead = self.speed.map_or(0.0, |speed| speed * passed.as_secs_f64());
        self.order(WatchOrder::Look(Seconds(ahead.round() as i64)));
    }

    /// Tells the state what is new; whether there was anything.
    fn news(&mut self, state: &mut WatchState) -> Result<bool, Failure> {
        let mut is_news = false;
        loop {
            match self.news.try_recv() {
                Ok(news) => {
                    if matches!(news, WatchNews::Answered { .. }) {
                        // A log goes on from what is shown, not from what was asked for while it was learned.
                        if state.answer.is_none() {
                            self.since = Instant::now();
                        }
                        self.is_busy = false;
                    }
                    state.told(news);
                    is_news = true;
                }
                Err(TryRecvError::Empty) => return Ok(is_news),
                Err(TryRecvError::Disconnected) => {
                    let ended = self.thread.take().and_then(|thread| thread.join().ok());
                    return Err(match ended {
                        Some(Err(failure)) => failure,
                        _ => Failure::unexpected("the thread that computes has ended"),
                    });
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::commands::arguments_alone;

    #[test]
    fn what_makes_no_sense_is_refused() {
        let watch = arguments_alone::parse::<Arguments>("watch").unwrap();
        assert_eq!((watch.speed, watch.every, watch.replay), (3600.0, Seconds(120), None));
        for nonsense in
            ["--at 5", "--replay x --live", "--replay x file", "--speed 0", "--every 0", "-u a --me"]
        {
            let refused = arguments_alone::parse::<Arguments>(&format!("watch {nonsense}"));
            assert_eq!(refused.unwrap_err().exit_code(), 2, "{nonsense}");
        }
    }
}

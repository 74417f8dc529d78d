//! What a collector computes between two looks, in a process of its own: looks do not wait for it, and if it crashes, is killed or needs
//! too much memory, the collector goes on. That is told, counted, and tried again.

use std::ffi::OsString;
use std::process::Command;
use std::sync::mpsc::{self, Receiver, TryRecvError};
use std::time::{Duration, Instant};

use queuecast_live::Computed;
use queuecast_process::program::{Unanswered, answered};

use crate::settings;

/// Learning takes at most one part in this many of the time.
const SHARE_OF_TIME: u32 = 10;

/// A process that computes for longer is ended.
const LONGEST: Duration = Duration::from_secs(6 * 3600);

/// Computes in processes of its own: one that learns at a time, and one that forecasts. Learning may take many looks, and forecasts do not
/// wait for it.
pub struct BetweenLooks {
    /// The arguments of such a process but for what it computes.
    arguments: Vec<OsString>,
    /// The name of the store. The environment tells it, since others see the arguments of a process, and it may have a password.
    store: OsString,
    learning: Option<Begun>,
    forecasting: Option<Begun>,
    /// When learning was tried last, and how long that took.
    tried: Option<(Instant, Duration)>,
    /// Whether there is accounting that was not learned from, or the site has changed.
    is_due: bool,
    /// Whether the history is complete, so that there is something to learn from.
    is_complete: bool,
    /// Processes that crashed since the collector began.
    crashes: usize,
}

struct Begun {
    at: Instant,
    told: Receiver<Result<Computed, String>>,
}

impl BetweenLooks {
    /// With the arguments of this program that say what to make, and the name of the store.
    pub fn with(arguments: Vec<OsString>, store: OsString) -> BetweenLooks {
        BetweenLooks {
            arguments,
            store,
            learning: None,
            forecasting: None,
            tried: None,
            is_due: false,
            is_complete: false,
            crashes: 0,
        }
    }

    /// Processes from now on have other arguments.
    pub fn change(&mut self, arguments: Vec<OsString>) {
        self.arguments = arguments;
    }

    /// Accounting was loaded; `is_complete` tells whether up to now.
    pub fn loaded(&mut self, is_complete: bool) {
        self.is_due |= is_complete;
        self.is_complete = is_complete;
    }

    /// Begins after a look, unless the last time is still running. It is learned if accounting is new or the site has changed, and not
    /// all the time.
    pub fn begin(&mut self) {
        let has_time = self.tried.is_none_or(|(when, took)| when.elapsed() >= took * SHARE_OF_TIME);
        let learns = self.learning.is_none() && has_time && self.is_complete && self.is_due;
        if learns {
            self.learning = self.spawned(true);
        } else {
            self.forecast();
        }
    }

    fn forecast(&mut self) {
        if self.forecasting.is_none() {
            self.forecasting = self.spawned(false);
        }
    }

    /// A process that learns, or forecasts; without a thread for it there is none at this look.
    fn spawned(&self, learns: bool) -> Option<Begun> {
        let (tell, told) = mpsc::channel();
        let (arguments, store) = (self.arguments.clone(), self.store.clone());
        let compute = move || {
            // Without a listener, the collector ends.
            let _ = tell.send(computed(&arguments, &store, learns));
        };
        let spawned = std::thread::Builder::new().name("between looks".to_owned()).spawn(compute);
        spawned.ok().map(|_| Begun { at: Instant::now(), told })
    }

    /// What was computed, once it is; or what became of it, and how often that was so.
    pub fn done(&mut self) -> Option<Result<Computed, String>> {
        let (result, learns) = match ended(&mut self.learning) {
            Some((result, begun)) => {
                self.tried = Some((Instant::now(), begun.elapsed()));
                (result, true)
            }
            None => (ended(&mut self.forecasting)?.0, false),
        };
        Some(match result {
            Ok(computed) => {
                let learned = learns && computed.learned_until.is_some();
                if learns {
                    self.forecast();
                }
                self.is_due = (self.is_due && !learned) || (self.is_complete && !computed.is_learned);
                Ok(computed)
            }
            Err(why) => {
                self.crashes += 1;
                let times = if self.crashes == 1 { "once" } else { &format!("{} times", self.crashes) };
                Err(format!(
                    "not learned or forecast: {why} ({times} since this collector began); it is tried again after the next look"
                ))
            }
        })
    }
}

/// What was told by a process that has ended, and when it began.
fn ended(running: &mut Option<Begun>) -> Option<(Result<Computed, String>, Instant)> {
    let result = match running.as_ref()?.told.try_recv() {
        Ok(result) => result,
        Err(TryRecvError::Empty) => return None,
        Err(TryRecvError::Disconnected) => Err("its thread is gone".to_owned()),
    };
    running.take().map(|begun| (result, begun.at))
}

/// Computes in a process of its own; what went wrong, if it did.
fn computed(arguments: &[OsString], store: &OsString, learns: bool) -> Result<Computed, String> {
    let program = std::env::current_exe().map_err(|cause| format!("this program is not found: {cause}"))?;
    let mut command = Command::new(program);
    let what = if learns { "learn" } else { "forecast" };
    // All other settings are arguments.
    command.env(settings::VARIABLE, "").env(settings::STORE_VARIABLE, store);
    command.args(["collect", "--compute", what, "--format", "json", "--quiet"]).args(arguments);
    let (status, stdout, stderr) = answered(command, LONGEST, || {}).map_err(|why| match why {
        Unanswered::TooSlow(_) => "it took hours, and was ended".to_owned(),
        why => why.to_string(),
    })?;
    let said = String::from_utf8_lossy(&stderr);
    let said = said.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or("it does not say why");
    if !status.success() {
        return Err(format!("the process that computes ended with {status}: {said}"));
    }
    serde_json::from_slice(&stdout)
        .map_err(|_| format!("the process that computes said something else: {said}"))
}

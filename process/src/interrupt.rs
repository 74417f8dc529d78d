//! Ctrl-C: files that are being written are removed, and one line says what became of the work.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::failure::{Failure, Kind};
use crate::printer::Printer;
use crate::{output, program, screen};

/// A command that stops by itself when it is asked to, and whether SIGTERM asks it too.
static ASKED: Mutex<Option<(StopRequest, bool)>> = Mutex::new(None);

/// Whether a command is to stop.
#[derive(Debug, Clone, Default)]
pub struct StopRequest(Arc<AtomicBool>);

impl StopRequest {
    /// From now on, the first Ctrl-C asks instead of ending the process; the second ends it.
    pub fn listen() -> StopRequest {
        StopRequest::listening(false)
    }

    /// As [`StopRequest::listen`], also for SIGTERM: for a service, which is ended so.
    pub fn listen_as_service() -> StopRequest {
        StopRequest::listening(true)
    }

    fn listening(to_terminate: bool) -> StopRequest {
        let request = StopRequest::default();
        *ASKED.lock().unwrap_or_else(PoisonError::into_inner) = Some((request.clone(), to_terminate));
        request
    }

    /// Whether the command is to stop.
    pub fn is_asked(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    /// Waits for a length of time, doing what there is `between`; `false` if the command is to stop.
    ///
    /// # Errors
    /// Those of `between`.
    pub fn waited(
        &self,
        length: Duration,
        mut between: impl FnMut() -> Result<(), Failure>,
    ) -> Result<bool, Failure> {
        let begun = Instant::now();
        while begun.elapsed() < length {
            if self.is_asked() {
                return Ok(false);
            }
            between()?;
            std::thread::sleep(Duration::from_millis(100).min(length.saturating_sub(begun.elapsed())));
        }
        Ok(!self.is_asked())
    }

    /// Asks the command to stop; `false` if it has been asked before.
    #[cfg(any(unix, test))]
    fn ask(&self) -> bool {
        !self.0.swap(true, Ordering::Relaxed)
    }
}

/// A service that reads its settings again when it is asked to.
static RELOADS: Mutex<Option<ReloadRequest>> = Mutex::new(None);

/// Whether a service is to read its settings again.
#[derive(Debug, Clone)]
pub struct ReloadRequest {
    asked: Arc<AtomicBool>,
    /// Whether the service was begun at a terminal, which ends it with SIGHUP when it is closed.
    has_terminal: bool,
}

impl ReloadRequest {
    /// From now on SIGHUP asks for it. It still ends a service whose terminal is gone.
    pub fn listen() -> ReloadRequest {
        let request = ReloadRequest { asked: Arc::default(), has_terminal: has_terminal() };
        *RELOADS.lock().unwrap_or_else(PoisonError::into_inner) = Some(request.clone());
        request
    }

    /// Whether it has been asked for since the last time.
    pub fn take(&self) -> bool {
        self.asked.swap(false, Ordering::Relaxed)
    }

    /// Asks for it; `false` if the terminal is gone.
    #[cfg(any(unix, test))]
    fn ask(&self) -> bool {
        let is_gone = self.has_terminal && !has_terminal();
        self.asked.fetch_or(!is_gone, Ordering::Relaxed);
        !is_gone
    }
}

/// Whether this process has a terminal that it can be ended from.
fn has_terminal() -> bool {
    std::fs::OpenOptions::new().read(true).open("/dev/tty").is_ok()
}

/// Ends the process in order at Ctrl-C, when it is told to terminate, and when its terminal is gone.
#[cfg(unix)]
pub fn watch(printer: &Printer) -> Result<(), Failure> {
    use std::io::Read;
    use std::os::unix::net::UnixStream;

    use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM};
    use signal_hook::low_level::{emulate_default_handler, pipe};

    let refused = |cause| Failure::unexpected("cannot listen for Ctrl-C").because(cause);
    // What the user has told this process to ignore (nohup) does not end it. A service reads its settings again all the same.
    let ignored = ignored();
    let is_ignored = move |signal: i32| ignored >> (signal - 1) & 1 == 1;
    let others = [SIGQUIT].into_iter().filter(|&signal| !is_ignored(signal));
    for signal in [SIGINT, SIGTERM, SIGHUP].into_iter().chain(others) {
        let (mut told, tell) = UnixStream::pair().map_err(refused)?;
        pipe::register(signal, tell).map_err(refused)?;
        let printer = printer.clone();
        std::thread::spawn(move || {
            while told.read_exact(&mut [0]).is_ok() {
                if signal == SIGHUP && (has_asked_to_reload() || is_ignored(signal)) {
                    continue;
                }
                // A terminal that is closed ends a service as SIGTERM does.
                if [SIGTERM, SIGHUP].contains(&signal) && has_asked(true) {
                    continue;
                }
                if signal != SIGINT {
                    screen::restore();
                    program::end_all();
                    output::abandon();
                    // Ends the process as if there were no handler.
                    let _ = emulate_default_handler(signal);
                } else if !has_asked(false) {
                    screen::restore();
                    program::end_all();
                    let failure =
                        Failure::new(Kind::Interrupted, format!("interrupted; {}", output::abandon()));
                    printer.interrupted(&failure);
                    std::process::exit(i32::from(Kind::Interrupted.code()));
                }
            }
        });
    }
    Ok(())
}

/// The signals that this process ignores, a bit for each; all where that is not told.
#[cfg(unix)]
fn ignored() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(u64::MAX)
}

/// Elsewhere, the system ends the process.
#[cfg(not(unix))]
pub fn watch(_: &Printer) -> Result<(), Failure> {
    Ok(())
}

/// Asks the command to read its settings again; `false` if it has none, or its terminal is gone.
#[cfg(unix)]
fn has_asked_to_reload() -> bool {
    RELOADS.lock().unwrap_or_else(PoisonError::into_inner).as_ref().is_some_and(ReloadRequest::ask)
}

/// Asks the command to stop; `false` if it does not listen, or has been asked before.
#[cfg(unix)]
fn has_asked(to_terminate: bool) -> bool {
    let request = ASKED.lock().unwrap_or_else(PoisonError::into_inner);
    request.as_ref().is_some_and(|(request, listens)| (*listens || !to_terminate) && request.ask())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reload_is_asked_for_once_for_each_signal() {
        let request = ReloadRequest { asked: Arc::default(), has_terminal: false };
        assert!(!request.take());
        assert!(request.ask() && request.ask());
        assert!(request.take() && !request.take());
    }

    #[test]
    fn the_first_request_reaches_the_command_and_the_second_is_told_apart() {
        let request = StopRequest::default();
        let of_command = request.clone();
        assert!(!of_command.is_asked());
        assert!(request.ask(), "the first is left to the command");
        assert!(of_command.is_asked());
        assert!(!request.ask(), "the second ends the process");
        assert!(of_command.is_asked());
        // Another command has a request of its own.
        assert!(!StopRequest::default().is_asked());
    }
}

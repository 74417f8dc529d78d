//! Other programs, run to read what they print: within a time limit, and never left behind.

use std::fmt;
use std::io::{self, Read};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use crate::failure::Failure;

/// After this, a program is called slow.
pub const PATIENCE: Duration = Duration::from_secs(2);
/// What a program has to end in order before it is killed.
const GRACE: Duration = Duration::from_millis(300);
/// More is nothing that is read here.
const LONGEST: u64 = 1 << 30;

/// Why a program did not answer.
#[derive(Debug)]
pub enum Unanswered {
    /// There is no such program.
    Absent,
    /// It could not be run, or what it printed could not be read.
    Broken(io::Error),
    /// It failed, and said this.
    Failed(String),
    /// It took longer than this.
    TooSlow(Duration),
    /// It printed more than anything that is read here.
    TooLong,
}

impl Unanswered {
    /// The failure of a command that cannot do without the answer.
    pub fn failure(self, command: &str, hint: &str) -> Failure {
        let program = command.split(' ').next().unwrap_or_default();
        match self {
            Unanswered::Absent => Failure::input(format!("there is no {program} here")).hint(hint),
            Unanswered::Broken(cause) => {
                Failure::input(format!("cannot run {program}")).because(cause).hint(hint)
            }
            Unanswered::TooSlow(_) => Failure::input(format!("{command}: {self}"))
                .hint("--slurm-timeout sets how long it may take; do Slurm's daemons (slurmctld; for sacct and sacctmgr slurmdbd) answer?"),
            Unanswered::Failed(_) | Unanswered::TooLong => {
                Failure::input(format!("{command} failed: {self}")).hint(hint)
            }
        }
    }
}

impl fmt::Display for Unanswered {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Unanswered::Absent => f.write_str("there is no such program here"),
            Unanswered::Broken(cause) => write!(f, "it cannot be run: {cause}"),
            Unanswered::Failed(said) => f.write_str(said),
            Unanswered::TooSlow(limit) => {
                write!(f, "no answer within {} s; it was ended", limit.as_secs())
            }
            Unanswered::TooLong => write!(f, "it printed more than {} MB", LONGEST >> 20),
        }
    }
}

/// The programs that run now. A program is started, and its end is taken note of, under this lock, so that a program that is
/// ended is never another one of the same number.
static RUNNING: Mutex<Vec<u32>> = Mutex::new(Vec::new());

fn running() -> MutexGuard<'static, Vec<u32>> {
    RUNNING.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Ends the programs that run now, for a process that ends too. None can be started afterwards.
pub fn end_all() {
    let running = running();
    if !running.is_empty() {
        running.iter().for_each(|&id| signal(id, Force::Ask));
        thread::sleep(GRACE);
        running.iter().for_each(|&id| signal(id, Force::Kill));
    }
    std::mem::forget(running);
}

/// Runs a program until it ends and its output is closed; at the time limit, it is ended with all that it started.
/// `slow` is called once if it takes longer than [`PATIENCE`].
pub fn answered(
    mut command: Command,
    limit: Duration,
    slow: impl FnOnce(),
) -> Result<(ExitStatus, Vec<u8>, Vec<u8>), Unanswered> {
    let begun = Instant::now();
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    // A group of its own, so that what it starts is ended with it.
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    let mut known = running();
    let mut child = command.spawn().map_err(|cause| match cause.kind() {
        io::ErrorKind::NotFound => Unanswered::Absent,
        _ => Unanswered::Broken(cause),
    })?;
    known.push(child.id());
    drop(known);
    let stdout = child.stdout.take().map(read_in_background);
    let stderr = child.stderr.take().map(read_in_background);
    let mut slow = Some(slow);
    let mut outputs = Vec::new();
    for output in [stdout, stderr].into_iter().flatten() {
        outputs.push(match received(&output, begun, limit, &mut slow) {
            Ok(Ok(bytes)) if bytes.len() as u64 <= LONGEST => bytes,
            refused => {
                end(child);
                return Err(match refused {
                    Ok(Err(cause)) => Unanswered::Broken(cause),
                    Ok(Ok(_)) => Unanswered::TooLong,
                    Err(_) => Unanswered::TooSlow(limit),
                });
            }
        });
    }
    let status = loop {
        match reaped(&mut child) {
            Ok(Some(status)) => break status,
            Ok(None) if begun.elapsed() < limit => thread::sleep(Duration::from_millis(2)),
            Ok(None) => {
                end(child);
                return Err(Unanswered::TooSlow(limit));
            }
            Err(cause) => return Err(Unanswered::Broken(cause)),
        }
        if begun.elapsed() >= PATIENCE
            && let Some(slow) = slow.take()
        {
            slow();
        }
    };
    let stderr = outputs.pop().unwrap_or_default();
    Ok((status, outputs.pop().unwrap_or_default(), stderr))
}

/// All that a program prints to one of its outputs, read by a thread of its own.
fn read_in_background(source: impl Read + Send + 'static) -> Receiver<io::Result<Vec<u8>>> {
    let (tell, told) = mpsc::channel();
    thread::spawn(move || {
        let mut bytes = Vec::new();
        let read = source.take(LONGEST + 1).read_to_end(&mut bytes).map(|_| bytes);
        // Without a listener, the program has been ended.
        let _ = tell.send(read);
    });
    told
}

/// What was read, unless that takes longer than the limit.
fn received(
    output: &Receiver<io::Result<Vec<u8>>>,
    begun: Instant,
    limit: Duration,
    slow: &mut Option<impl FnOnce()>,
) -> Result<io::Result<Vec<u8>>, RecvTimeoutError> {
    if slow.is_some() && PATIENCE < limit {
        match output.recv_timeout(PATIENCE.saturating_sub(begun.elapsed())) {
            Err(RecvTimeoutError::Timeout) => {
                if let Some(slow) = slow.take() {
                    slow();
                }
            }
            answered => return answered,
        }
    }
    output.recv_timeout(limit.saturating_sub(begun.elapsed()))
}

/// Whether a program has ended; it is no longer known then.
fn reaped(child: &mut Child) -> io::Result<Option<ExitStatus>> {
    let mut known = running();
    let status = child.try_wait()?;
    if status.is_some() {
        known.retain(|&id| id != child.id());
    }
    Ok(status)
}

/// Ends a program with all that it started: first in order, then by force.
fn end(mut child: Child) {
    signal(child.id(), Force::Ask);
    thread::sleep(GRACE);
    // The program has not been waited for, so its number is still its own, even if it has ended by now.
    signal(child.id(), Force::Kill);
    #[cfg(not(unix))]
    let _ = child.kill();
    // A process that waits for a device that does not answer cannot be killed; it is not waited for.
    for _ in 0..100 {
        if !matches!(reaped(&mut child), Ok(None)) {
            return;
        }
        thread::sleep(Duration::from_millis(5));
    }
}

enum Force {
    Ask,
    Kill,
}

/// Signals a program and all that it started. Those that have ended are no error.
#[cfg(unix)]
fn signal(id: u32, force: Force) {
    use rustix::process::{Pid, Signal, kill_process_group};
    let signal = match force {
        Force::Ask => Signal::TERM,
        Force::Kill => Signal::KILL,
    };
    if let Some(group) = i32::try_from(id).ok().and_then(Pid::from_raw) {
        let _ = kill_process_group(group, signal);
    }
}

#[cfg(not(unix))]
fn signal(_: u32, _: Force) {}

#[cfg(unix)]
#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str) -> Command {
        let mut command = Command::new("sh");
        command.args(["-c", script]);
        command
    }

    const LONG: Duration = Duration::from_secs(60);

    #[test]
    fn a_program_that_answers_is_read_whole() {
        let script = "i=0; while [ $i -lt 20000 ]; do echo line $i; i=$((i+1)); done; echo oops >&2; exit 3";
        let (status, stdout, stderr) = answered(shell(script), LONG, || {}).unwrap();
        assert_eq!(status.code(), Some(3));
        assert_eq!(stdout.iter().filter(|&&byte| byte == b'\n').count(), 20_000);
        assert_eq!(stderr, b"oops\n");
        assert!(matches!(answered(Command::new("no-such-program"), LONG, || {}), Err(Unanswered::Absent)));
    }

    #[test]
    fn a_program_that_does_not_answer_is_ended_with_all_that_it_started() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name).display().to_string();
        // The first sleeps itself, the second has closed its outputs, the third ends and leaves a child with the outputs, and the
        // last two ignore that they are asked to end.
        for (number, script) in [
            "sleep 600",
            "exec >&- 2>&-; sleep 600",
            "sleep 600 & exit 0",
            "trap '' TERM; sleep 600",
            "trap '' TERM; sleep 600 & wait",
        ]
        .iter()
        .enumerate()
        {
            let mark = path(&format!("mark{number}"));
            let script = format!("sh -c 'sleep 2.4; echo alive > {mark}' & {script}");
            let begun = Instant::now();
            let refused = answered(shell(&script), Duration::from_millis(700), || {}).unwrap_err();
            assert!(matches!(refused, Unanswered::TooSlow(_)), "{script}: {refused}");
            assert!(begun.elapsed() < Duration::from_secs(60), "{script}: {:?}", begun.elapsed());
        }
        thread::sleep(Duration::from_millis(2500));
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0, "what they started has ended");
    }

    #[test]
    fn a_slow_program_is_told_of_once_and_a_quick_one_never() {
        let mut told = 0;
        answered(shell("sleep 2.3; echo done"), LONG, || told += 1).unwrap();
        assert_eq!(told, 1);
        answered(shell("exec >&- 2>&-; sleep 2.3"), LONG, || told += 1).unwrap();
        assert_eq!(told, 2);
        answered(shell("echo done"), LONG, || told += 1).unwrap();
        assert_eq!(told, 2);
    }
}

//! Ctrl-C: the first stops a search between two scores, the second stops it at once.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::failure::{Failure, Kind};

/// Whether somebody wants a search to stop.
#[derive(Debug, Clone, Default)]
pub struct Interrupt(Arc<AtomicBool>);

impl Interrupt {
    /// From now on, Ctrl-C asks instead of ending the process, once.
    pub fn listen() -> Result<Interrupt, Failure> {
        let asked = Interrupt::default();
        let refused = |cause| Failure::unexpected("cannot listen for Ctrl-C").because(cause);
        let interrupt = signal_hook::consts::SIGINT;
        // In this order: the first Ctrl-C finds the flag down and raises it.
        let code = i32::from(Kind::Interrupted.code());
        signal_hook::flag::register_conditional_shutdown(interrupt, code, Arc::clone(&asked.0))
            .map_err(refused)?;
        signal_hook::flag::register(interrupt, Arc::clone(&asked.0)).map_err(refused)?;
        Ok(asked)
    }

    /// Whether it was asked.
    pub fn is_asked(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    /// One that is asked already.
    #[cfg(test)]
    pub fn asked() -> Interrupt {
        Interrupt(Arc::new(AtomicBool::new(true)))
    }
}

/// The command line of this process with `--resume`, as it can be typed.
pub fn again() -> String {
    let mut words: Vec<String> =
        std::env::args_os().skip(1).map(|word| quoted(&word.to_string_lossy())).collect();
    if words.iter().all(|word| word != "--resume") {
        words.push("--resume".to_owned());
    }
    format!("queuecast {}", words.join(" "))
}

/// A word that a shell reads as it stands, or in quotes.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./,:=@+%".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', "'\\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_quoted_where_a_shell_would_change_them() {
        assert_eq!(quoted("--holdout=0.5"), "--holdout=0.5");
        assert_eq!(quoted("my log.swf"), "'my log.swf'");
        assert_eq!(quoted("it's"), "'it'\\''s'");
        assert_eq!(quoted(""), "''");
    }

    #[test]
    fn nobody_has_asked_yet() {
        assert!(!Interrupt::default().is_asked() && Interrupt::asked().is_asked());
    }
}

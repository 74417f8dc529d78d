//! The only place that prints. Standard output is data; notes, warnings, hints and failures go to standard
//! error, where `--quiet` silences all but warnings and failures.

use std::io::{self, BufWriter, IsTerminal, Write};
use std::sync::{Arc, Mutex, PoisonError};

use anstyle::{AnsiColor, Style};
use queuecast_report as report;
use queuecast_report::{Answer, Charset, Format, Page, render};
use queuecast_serve::{LogEvent, LogLevel, LogLineFormat};
use serde::Serialize;

use crate::failure::{Failure, Kind};
use crate::output;
use crate::roles;

/// When to use colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Colour {
    /// On a terminal, unless that is declined.
    #[default]
    Auto,
    /// Also in files and pipes.
    Always,
    /// Not on terminals either.
    Never,
}

/// How results are shown.
#[derive(Debug, Clone, Copy)]
pub struct PrinterSettings {
    /// The format of results.
    pub format: Format,
    /// Whether notes and hints are left out.
    pub quiet: bool,
    /// Whether tables and charts are drawn in ASCII.
    pub ascii: bool,
    /// When messages and charts are coloured.
    pub color: Colour,
}

/// Renders answers, and prints messages.
#[derive(Debug, Clone)]
pub struct Printer {
    format: Format,
    page: Page,
    quiet: bool,
    /// Whether standard error is coloured.
    coloured: bool,
    /// Columns of standard error, if it is a terminal.
    columns: Option<usize>,
    /// Whether a progress bar is shown already.
    busy: bool,
    /// Where notes and warnings go in place of standard error.
    heard: Option<Arc<Mutex<Vec<String>>>>,
    /// How messages of a service are written: a format of logs, or as text.
    log: Arc<Mutex<Option<LogLineFormat>>>,
}

/// A text in which nothing commands a terminal: names in it may be of anyone's making.
fn printable(text: &str) -> String {
    let harmless = |letter: char| {
        if letter.is_control() && !['\n', '\t'].contains(&letter) { '\u{FFFD}' } else { letter }
    };
    text.chars().map(harmless).collect()
}

impl Printer {
    /// Reads the environment and the two streams, once.
    pub fn new(showing: PrinterSettings) -> Printer {
        roles::prints_to(&io::stdout());
        let told = terminal_size::terminal_size_of(io::stdout()).map(|(width, _)| usize::from(width.0));
        let width = width(told, io::stdout().is_terminal(), std::env::var("COLUMNS").ok().as_deref());
        let charset = if showing.ascii { Charset::Ascii } else { Charset::Unicode };
        let terminal = io::stderr().is_terminal();
        let coloured = colours(showing.color, terminal, |name| std::env::var(name).ok());
        let columns = terminal_size::terminal_size_of(io::stderr()).map(|(width, _)| usize::from(width.0));
        let on_page = colours(showing.color, io::stdout().is_terminal(), |name| std::env::var(name).ok());
        let page = Page { width, charset, coloured: on_page };
        let columns = columns.filter(|_| terminal);
        let (format, quiet) = (showing.format, showing.quiet);
        Printer { format, page, quiet, coloured, columns, busy: false, heard: None, log: Arc::default() }
    }

    /// Prints warnings and failures only.
    pub fn silent() -> Printer {
        Printer {
            format: Format::Text,
            page: Page::default(),
            quiet: true,
            coloured: false,
            columns: None,
            busy: false,
            heard: None,
            log: Arc::default(),
        }
    }

    /// This printer, whose notes and warnings are heard by the caller instead of printed.
    pub fn heard(&self) -> Printer {
        Printer { busy: true, heard: Some(Arc::default()), ..self.clone() }
    }

    /// The notes and warnings since the last time.
    pub fn take_heard(&self) -> Vec<String> {
        let taken = |heard: &Arc<Mutex<Vec<String>>>| {
            std::mem::take(&mut *heard.lock().unwrap_or_else(PoisonError::into_inner))
        };
        self.heard.as_ref().map(taken).unwrap_or_default()
    }

    /// The page that is drawn on: its characters, and whether it is coloured.
    pub fn page(&self) -> &Page {
        &self.page
    }

    /// The format asked for.
    pub fn format(&self) -> Format {
        self.format
    }

    /// Whether the format has no place for anything but one table.
    pub fn shows_rows_only(&self) -> bool {
        self.format == Format::Csv
    }

    /// Whether a progress bar would be seen.
    pub fn shows_progress(&self) -> bool {
        !self.quiet && !self.busy && io::stderr().is_terminal()
    }

    /// This printer for work below a progress bar that is shown already.
    pub fn below_progress(&self) -> Printer {
        Printer { busy: true, ..self.clone() }
    }

    /// Writes a result to standard output in the format asked for.
    pub fn answer(&self, answer: &impl Answer) -> Result<(), Failure> {
        self.show(answer, true)
    }

    /// Prints an answer, with or without charts.
    pub fn show(&self, answer: &impl Answer, charts: bool) -> Result<(), Failure> {
        self.write(render(answer, self.format, &self.page, charts).map_err(no_json)?.as_bytes())
    }

    /// Standard output, for results too large to hold in memory.
    pub fn stdout(&self) -> impl Write {
        output::streaming();
        BufWriter::with_capacity(1 << 16, io::stdout().lock())
    }

    /// Writes bytes to standard output as they are.
    pub fn write(&self, bytes: &[u8]) -> Result<(), Failure> {
        let mut stdout = io::stdout().lock();
        stdout
            .write_all(bytes)
            .and_then(|()| stdout.flush())
            .map_err(|cause| Failure::writing("standard output", cause))
    }

    /// Writes one of several things that happen over time: a line of text, or of JSON.
    pub fn told(&self, what: &impl Serialize, text: &str) -> Result<(), Failure> {
        match self.format {
            Format::Json => {
                let line = serde_json::to_string(what).map_err(no_json)?;
                self.write(format!("{line}\n").as_bytes())
            }
            _ => self.write(format!("{text}\n").as_bytes()),
        }
    }

    /// Prints a note.
    pub fn note(&self, text: &str) {
        if !self.quiet {
            self.say("note", AnsiColor::Cyan.on_default().bold(), text);
        }
    }

    /// Prints a warning: something that may make the results wrong.
    pub fn warning(&self, text: &str) {
        self.say("warning", AnsiColor::Yellow.on_default().bold(), text);
    }

    /// From now on messages are lines of a log in this format, or text again.
    pub fn log_as(&self, format: Option<LogLineFormat>) {
        *self.log.lock().unwrap_or_else(PoisonError::into_inner) = format;
    }

    fn log_format(&self) -> Option<LogLineFormat> {
        *self.log.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Prints a line of a service's log.
    pub fn log_line(&self, event: &LogEvent) {
        if event.level != LogLevel::Info || !self.quiet {
            let line = event.line(self.log_format().unwrap_or(LogLineFormat::Logfmt));
            let _ = writeln!(io::stderr().lock(), "{line}");
        }
    }

    /// Prints a line for a person who has started a service at a terminal, beside the lines of its log.
    pub fn tell_person(&self, text: &str) {
        if !self.quiet && io::stderr().is_terminal() {
            let _ = writeln!(io::stderr().lock(), "{text}");
        }
    }

    /// Prints what became of an interrupted command, in place of its progress bar.
    pub fn interrupted(&self, failure: &Failure) {
        if self.columns.is_some() {
            let _ = write!(io::stderr().lock(), "\r\x1b[2K");
        }
        self.failure(failure);
    }

    /// Prints why a command failed, and its hints.
    pub fn failure(&self, failure: &Failure) {
        if failure.kind() == Kind::ReaderGone {
            return;
        }
        self.say("error", AnsiColor::Red.on_default().bold(), &failure.to_string());
        for hint in failure.hints() {
            self.say("hint", AnsiColor::Green.on_default().bold(), hint);
        }
    }

    /// The text broken between words, where standard error is a terminal.
    fn wrapped(&self, word: &str, text: &str) -> String {
        self.columns.map_or_else(|| text.to_owned(), |columns| broken(text, columns, word.len() + 1))
    }

    fn say(&self, word: &str, style: Style, text: &str) {
        let text = &printable(text);
        if let Some(heard) = &self.heard {
            heard.lock().unwrap_or_else(PoisonError::into_inner).push(text.to_owned());
            return;
        }
        if self.log_format().is_some() {
            let event = LogEvent::new(word, &[("text", text)]);
            return self.log_line(&match word {
                "warning" => event.warning(),
                "error" | "hint" => event.error(),
                _ => event,
            });
        }
        let style = if self.coloured { style } else { Style::new() };
        // If standard error is closed too, the message is lost.
        let _ = writeln!(io::stderr().lock(), "{style}{word}:{style:#} {}", self.wrapped(word, text));
    }
}

/// The text in lines of at most `columns` columns, broken between words; the first begins after `used` columns.
fn broken(text: &str, columns: usize, used: usize) -> String {
    let mut out = String::new();
    let mut at = used;
    for word in text.split(' ') {
        let wide = word.chars().count();
        if at > 0 && at + 1 + wide > columns {
            out.push('\n');
            at = wide;
        } else {
            if !out.is_empty() {
                out.push(' ');
            }
            at += 1 + wide;
        }
        out.push_str(word);
    }
    out
}

/// Indented JSON, ending in a newline.
pub fn json(value: &impl Serialize) -> Result<String, Failure> {
    report::json(value).map_err(no_json)
}

fn no_json(cause: serde_json::Error) -> Failure {
    Failure::unexpected("cannot write the result as JSON").because(cause)
}

/// The width of tables: the terminal's, else that in `COLUMNS`, else 80 on a terminal and unlimited in a pipe.
fn width(told: Option<usize>, terminal: bool, columns: Option<&str>) -> Option<usize> {
    let said = || columns.and_then(|columns| columns.trim().parse().ok());
    let width = told.filter(|_| terminal).filter(|&width| width > 0).or_else(said).filter(|&width| width > 0);
    width.or(terminal.then_some(80))
}

/// Whether to colour: as asked, or on a terminal unless `NO_COLOR` is set (<https://no-color.org>).
fn colours(when: Colour, terminal: bool, variable: impl Fn(&str) -> Option<String>) -> bool {
    match when {
        Colour::Always => true,
        Colour::Never => false,
        Colour::Auto => {
            let declined = variable("NO_COLOR").is_some_and(|value| !value.is_empty());
            terminal && !declined && variable("TERM").as_deref() != Some("dumb")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_width_comes_from_the_terminal_or_from_columns() {
        assert_eq!(width(Some(100), true, Some("60")), Some(100));
        assert_eq!(width(Some(500), true, None), Some(500));
        assert_eq!(width(None, true, Some("60")), Some(60));
        assert_eq!(width(Some(0), true, Some("60")), Some(60));
        assert_eq!(width(None, true, Some("wide")), Some(80));
        assert_eq!(width(None, false, Some("60")), Some(60));
        assert_eq!(width(None, false, Some("0")), None);
        assert_eq!(width(None, false, None), None);
    }

    #[test]
    fn messages_are_broken_between_words() {
        assert_eq!(broken("one two three", 20, 5), "one two three");
        assert_eq!(broken("one two three", 14, 5), "one two\nthree");
        assert_eq!(broken("one twothreefour five", 9, 5), "one\ntwothreefour\nfive");
    }

    #[test]
    fn colour_is_for_terminals_that_have_not_declined() {
        let with = |name: &'static str, value: &'static str| {
            move |asked: &str| (asked == name).then(|| value.to_owned())
        };
        assert!(colours(Colour::Auto, true, with("TERM", "xterm")));
        assert!(colours(Colour::Auto, true, with("NO_COLOR", "")));
        assert!(!colours(Colour::Auto, true, with("NO_COLOR", "1")));
        assert!(!colours(Colour::Auto, true, with("TERM", "dumb")));
        assert!(!colours(Colour::Auto, false, with("TERM", "xterm")));
        assert!(colours(Colour::Always, false, with("NO_COLOR", "1")));
        assert!(!colours(Colour::Never, true, with("TERM", "xterm")));
    }
}

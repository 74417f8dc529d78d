//! What a service tells on standard error: one line for each event.

use std::fmt::Write;
use std::time::SystemTime;

use queuecast_trace::date;

use crate::cluster::unix;

/// How lines are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LogLineFormat {
    /// `level=info event=ready cluster=hpc1`.
    Logfmt,
    /// An object of JSON in each line.
    Json,
}

/// How much an event matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LogLevel {
    /// Worth knowing.
    Info,
    /// Something is wrong, and what runs goes on.
    Warning,
    /// What was asked is not done.
    Error,
}

/// Something that is told.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LogEvent {
    /// What happened.
    pub event: String,
    /// Its values by name.
    pub values: Vec<(String, String)>,
    /// How much it matters.
    pub level: LogLevel,
}

/// Values that are numbers in JSON.
const NUMBERS: [&str; 4] = ["status", "milliseconds", "waiting", "connections"];

impl LogEvent {
    /// Something worth knowing.
    pub fn new(event: &str, values: &[(&str, &str)]) -> LogEvent {
        let values = values.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
        LogEvent { event: event.to_owned(), values: values.collect(), level: LogLevel::Info }
    }

    /// This event as a warning.
    #[must_use]
    pub fn warning(self) -> LogEvent {
        LogEvent { level: LogLevel::Warning, ..self }
    }

    /// This event as an error.
    #[must_use]
    pub fn error(self) -> LogEvent {
        LogEvent { level: LogLevel::Error, ..self }
    }

    /// As a line, without its end, that is told now.
    pub fn line(&self, format: LogLineFormat) -> String {
        self.line_at(format, &date::utc(unix(SystemTime::now())).unwrap_or_default())
    }

    fn line_at(&self, format: LogLineFormat, time: &str) -> String {
        let level = match self.level {
            LogLevel::Info => "info",
            LogLevel::Warning => "warning",
            LogLevel::Error => "error",
        };
        let fixed = [("time", time), ("level", level), ("event", &self.event)];
        let values = self.values.iter().map(|(name, value)| (name.as_str(), value.as_str()));
        let mut line = String::new();
        for (name, value) in fixed.into_iter().chain(values) {
            let separator =
                if line.is_empty() { "" } else { [" ", ","][usize::from(format == LogLineFormat::Json)] };
            let _ = match format {
                LogLineFormat::Logfmt => write!(line, "{separator}{name}={}", plain_or_quoted(value)),
                LogLineFormat::Json => {
                    write!(line, "{separator}{}:{}", json_text(name), json_value(name, value))
                }
            };
        }
        if format == LogLineFormat::Json { format!("{{{line}}}") } else { line }
    }
}

/// Control characters of a client's making do not reach a terminal.
fn plain_or_quoted(value: &str) -> String {
    let is_plain =
        !value.is_empty() && value.chars().all(|c| c.is_ascii_graphic() && c != '"' && c != '=' && c != '\\');
    if is_plain { value.to_owned() } else { format!("{value:?}") }
}

fn json_text(text: &str) -> String {
    // A text can always be serialised.
    serde_json::to_string(text).unwrap_or_default()
}

fn json_value(name: &str, value: &str) -> String {
    let number = value.parse::<serde_json::Number>().ok().filter(|_| NUMBERS.contains(&name));
    number.map_or_else(|| json_text(value), |number| number.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_told_is_one_line_whatever_a_client_sends() {
        let values = [("path", "/x"), ("by", "a b"), ("agent", "x\n\u{1b}[2J\""), ("status", "200")];
        let told = LogEvent::new("request", &values).warning();
        assert_eq!(
            told.line_at(LogLineFormat::Logfmt, "T"),
            "time=T level=warning event=request path=/x by=\"a b\" agent=\"x\\n\\u{1b}[2J\\\"\" status=200"
        );
        let line = told.line_at(LogLineFormat::Json, "T");
        let read: serde_json::Value = serde_json::from_str(&line).unwrap();
        assert!(!line.contains('\n'), "{line}");
        assert_eq!(
            (&read["time"], &read["level"], &read["event"]),
            (&"T".into(), &"warning".into(), &"request".into())
        );
        assert_eq!((&read["agent"], &read["status"]), (&"x\n\u{1b}[2J\"".into(), &200.into()));
    }
}

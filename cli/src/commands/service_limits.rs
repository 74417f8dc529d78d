//! What a service takes on at once, and how long it waits.

use std::time::Duration;

use queuecast_core::units::Seconds;
use queuecast_serve::ServiceLimits;

use crate::spec;

#[derive(Debug, Clone, clap::Args)]
pub struct Arguments {
    /// How long an answer may take
    #[arg(long, value_name = "DURATION", default_value = "20s", value_parser = spec::positive_duration, allow_hyphen_values = true, help_heading = "Limits")]
    answer_timeout: Seconds,
    /// How long a client may take to send a request, and to take some of an answer
    #[arg(long, value_name = "DURATION", default_value = "10s", value_parser = spec::positive_duration, allow_hyphen_values = true, help_heading = "Limits")]
    client_timeout: Seconds,
    /// Connections at once
    #[arg(long, value_name = "N", default_value = "4096", value_parser = at_most_a_million, allow_negative_numbers = true, help_heading = "Limits")]
    max_connections: usize,
    /// Viewers of events at once
    #[arg(long, value_name = "N", default_value = "3000", value_parser = at_most_a_million, allow_negative_numbers = true, help_heading = "Limits")]
    max_viewers: usize,
    /// Questions that are computed at once; by default as many as there are cores
    #[arg(long, value_name = "N", value_parser = at_most_a_million, allow_negative_numbers = true, help_heading = "Limits")]
    max_computed: Option<usize>,
    /// Questions about arrays and chains that are computed at once, beside the others; by default half as many
    #[arg(long, value_name = "N", value_parser = at_most_a_million, allow_negative_numbers = true, help_heading = "Limits")]
    max_campaigns: Option<usize>,
}

impl Arguments {
    pub fn limits(&self) -> ServiceLimits {
        let mut limits = ServiceLimits {
            reading: length(self.client_timeout),
            request: length(self.answer_timeout),
            connections: self.max_connections,
            viewers: self.max_viewers,
            ..ServiceLimits::default()
        };
        limits.computed = self.max_computed.unwrap_or(limits.computed);
        limits.campaigns =
            self.max_campaigns.unwrap_or_else(|| ServiceLimits::campaigns_beside(limits.computed));
        limits
    }
}

fn at_most_a_million(text: &str) -> Result<usize, String> {
    let number = text.parse().ok().filter(|number| (1..=1_000_000).contains(number));
    number.ok_or_else(|| "expected a whole number from 1 to 1000000".to_owned())
}

fn length(seconds: Seconds) -> Duration {
    Duration::from_secs(seconds.0.unsigned_abs())
}

//! `--shake` and `--seeds`: arrivals that are moved at random.

use queuecast_core::units::Seconds;
use queuecast_study::Shaking;

use crate::spec;

/// `--shake` and `--seeds`.
#[derive(Debug, Clone, Copy, Default, clap::Args)]
#[command(next_help_heading = "Shaken arrivals")]
pub struct ShakeOptions {
    /// Move every arrival at random by up to this time, once for each seed, and give means over the seeds: 1m
    #[arg(long, value_name = "DURATION", value_parser = spec::positive_duration, allow_hyphen_values = true)]
    shake: Option<Seconds>,
    /// How many seeds [default: 20]
    #[arg(long, value_name = "N", requires = "shake", value_parser = spec::at_least_one::<u16>, allow_negative_numbers = true)]
    seeds: Option<u16>,
}

impl ShakeOptions {
    /// How arrivals are shaken, if they are.
    pub fn shaking(self) -> Option<Shaking> {
        self.shake.map(|by| Shaking { by, seeds: self.seeds.unwrap_or(20) })
    }
}

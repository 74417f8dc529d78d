//! Who submits the jobs of a model: `--users` and what belongs to it.

use queuecast::report::duration;
use queuecast::synth::Population;
use queuecast::units::Seconds;

use super::refused::Refused;
use crate::commands::loaded::Loaded;
use crate::failure::Failure;

/// How many people there are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Users {
    /// So many.
    Many(u32),
    /// None: the bare model.
    Nobody,
}

/// Who they are. What is not given comes from the log, if there is one, else from the library.
#[derive(Debug, Clone, clap::Args)]
#[command(next_help_heading = "Users")]
pub struct People {
    /// How many users there are, 1 to 1000000, or none for the bare model; by default 300, or as in the log
    #[arg(long, value_name = "N|none", value_parser = users, allow_negative_numbers = true)]
    pub users: Option<Users>,
    /// Jobs in one sitting on average, 1 to 1000; by default 3, or as in the log
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub jobs_per_sitting: Option<f64>,
    /// The median time between two submissions of a sitting, 1s to 1h; by default 3m, or as in the log
    #[arg(long, value_name = "DURATION", value_parser = length, allow_hyphen_values = true)]
    pub think: Option<Seconds>,
    /// Applications of a user on average, 1 to 100; by default 6, or as in the log
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub applications: Option<f64>,
}

fn users(text: &str) -> Result<Users, String> {
    match text.parse() {
        _ if text == "none" => Ok(Users::Nobody),
        Ok(users) => Ok(Users::Many(users)),
        Err(_) => Err("must be a whole number between 1 and 1000000, or none".to_owned()),
    }
}

fn length(text: &str) -> Result<Seconds, String> {
    duration::parse(text).map_err(|error| error.to_string())
}

/// What the library refuses of them.
pub const REFUSED: Refused = Refused {
    model: "population",
    options: &[
        ("users", "--users"),
        ("jobs_per_sitting", "--jobs-per-sitting"),
        ("think", "--think"),
        ("applications", "--applications"),
    ],
};

impl People {
    /// The people, before anything is set by name; `None` for nobody.
    pub fn population(&self, log: Option<&Loaded>) -> Result<Option<Population>, Failure> {
        let users = match self.users {
            Some(Users::Nobody) => return self.nobody().map(|()| None),
            Some(Users::Many(users)) => Some(users),
            None => None,
        };
        let unknown = |log: &Loaded| log.log.workload.jobs().iter().all(|job| job.user.is_none());
        let mut population = match log {
            // Somebody who says how many there are need not be told that the log does not.
            Some(log) if !(users.is_some() && unknown(log)) => {
                Population::like(&log.log.workload).map_err(|error| {
                    REFUSED
                        .because(error, Some(&log.name))
                        .hint("--users N makes up so many, --users none leaves them out")
                })?
            }
            _ => Population::default(),
        };
        population.users = users.unwrap_or(population.users);
        population.jobs_per_sitting = self.jobs_per_sitting.unwrap_or(population.jobs_per_sitting);
        population.think = self.think.unwrap_or(population.think);
        population.applications = self.applications.unwrap_or(population.applications);
        Ok(Some(population))
    }

    /// Refuses what would be said of nobody.
    fn nobody(&self) -> Result<(), Failure> {
        let given = [
            ("--jobs-per-sitting", self.jobs_per_sitting.is_some()),
            ("--think", self.think.is_some()),
            ("--applications", self.applications.is_some()),
        ];
        match given.into_iter().find(|(_, given)| *given) {
            Some((option, _)) => Err(Failure::usage(format!("{option} means nothing with --users none"))),
            None => Ok(()),
        }
    }
}

//! Who submits the jobs of a model: `--users` and the options beside it.

use queuecast_core::units::Seconds;
use queuecast_process::failure::Failure;
use queuecast_synth::synth::Population;
use queuecast_synth::synth::generate::UserSettings;

use crate::spec;

/// How many users there are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UserCount {
    /// This number, at least one.
    Many(u32),
    /// None: jobs without users.
    Zero,
}

/// The users. What is not given comes from the log, if there is one, else from the library.
#[derive(Debug, Clone, clap::Args)]
#[command(next_help_heading = "Users")]
pub struct UserOptions {
    #[arg(help = by_default("Number of users, 1 to 1000000, or none for jobs without users", |made| made.users.to_string()))]
    #[arg(long, value_name = "N|none", value_parser = count, allow_negative_numbers = true)]
    pub users: Option<UserCount>,
    #[arg(help = by_default("Jobs in a session on average, 1 to 1000", |made| made.jobs_per_session.to_string()))]
    #[arg(long, alias = "jobs-per-sitting", value_name = "N", allow_negative_numbers = true)]
    pub jobs_per_session: Option<f64>,
    #[arg(help = by_default("Median time between two submissions of a session, 1s to 1h", |made| format!("{}s", made.think.0)))]
    #[arg(long, value_name = "DURATION", value_parser = spec::duration, allow_hyphen_values = true)]
    pub think: Option<Seconds>,
    #[arg(help = by_default("Applications of a user on average, 1 to 100", |made| made.applications.to_string()))]
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub applications: Option<f64>,
}

/// Help of an option, with what the library takes if it is not given.
fn by_default(what: &str, taken: fn(&Population) -> String) -> String {
    format!("{what}; by default {}, or as in the log", taken(&Population::default()))
}

fn count(text: &str) -> Result<UserCount, String> {
    match text.parse() {
        _ if text == "none" => Ok(UserCount::Zero),
        Ok(users) => Ok(UserCount::Many(users)),
        Err(_) => Err("must be a whole number between 1 and 1000000, or none".to_owned()),
    }
}

impl UserOptions {
    /// The settings for the library; `None` for jobs without users. Fails if an option has no effect.
    pub fn settings(&self) -> Result<Option<UserSettings>, Failure> {
        let users = match self.users {
            Some(UserCount::Zero) => return self.without_users().map(|()| None),
            Some(UserCount::Many(users)) => Some(users),
            None => None,
        };
        Ok(Some(UserSettings {
            users,
            jobs_per_session: self.jobs_per_session,
            think: self.think,
            applications: self.applications,
        }))
    }

    fn without_users(&self) -> Result<(), Failure> {
        let given = [
            ("--jobs-per-session", self.jobs_per_session.is_some()),
            ("--think", self.think.is_some()),
            ("--applications", self.applications.is_some()),
        ];
        match given.into_iter().find(|(_, given)| *given) {
            Some((option, _)) => Err(Failure::usage(format!("{option} has no effect with --users none"))),
            None => Ok(()),
        }
    }
}

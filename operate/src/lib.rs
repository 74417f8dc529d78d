//! Running on a site: Slurm's commands and what they answer now, the settings of the services, the loop of the collector and what it
//! computes between looks, the check-up of both services, and where notices go. Arguments are read, and answers printed, elsewhere.

mod between_looks;
mod check_up;
mod collecting;
pub mod settings;
pub mod site_now;
mod slurm_commands;
mod submission_files;
mod token_file;

pub use check_up::{ToldStore, check_up};
pub use collecting::{CollectPlan, SiteCollector, cluster_name};
pub use slurm_commands::SlurmCommands;
pub use submission_files::script;
pub use token_file::{is_readable_by_all, token_in};

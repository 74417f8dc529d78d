//! `--site`, for a job that is asked about.

use std::path::PathBuf;

/// Whether and where.
#[derive(Debug, Clone, Default, clap::Args)]
#[group(skip)]
#[command(next_help_heading = "A Slurm site")]
pub struct Arguments {
    /// Answer by Slurm's own scheduler on the configuration in this folder (see site check)
    ///
    /// The log is accounting of the site (sacct -P), or a folder with a recorded run.
    #[arg(long, value_name = "DIR")]
    pub site: Option<PathBuf>,
    /// What else the job asks for, as for sbatch: '-N 2 --gres=gpu:1 --mem=64G -A physics --qos high'
    #[arg(long, value_name = "ARGS", requires = "site", allow_hyphen_values = true)]
    pub sbatch: Option<String>,
}

//! What a job script asks for.

use super::NewJob;
use queuecast_core::asking::Refusal;
use queuecast_core::units::{Procs, Seconds};
use queuecast_slurm_sim::cluster::TimeLimit;
use queuecast_slurm_texts::{beyond_processors, is_job_script, sbatch_line, script_arguments};

/// What the `#SBATCH` lines of a job script ask for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScriptJob {
    /// All of it, as arguments of sbatch.
    pub arguments: String,
    /// Processors.
    pub procs: Procs,
    /// The time limit, if there is one.
    pub time: Option<Seconds>,
    /// Whether it asks for no limit.
    pub is_unlimited: bool,
    /// The first partition.
    pub partition: Option<String>,
    /// What is not looked at where the machine is taken as processors.
    pub ignored: Vec<String>,
}

impl ScriptJob {
    /// Reads a script, which is called `name`.
    ///
    /// # Errors
    /// If it is none, or sbatch would not understand it.
    pub fn read(name: &str, text: &str) -> Result<ScriptJob, Refusal> {
        if !is_job_script(text) {
            return Err(Refusal::input(format!(
                "{name}: no job script: it neither begins with #! nor has #SBATCH lines"
            )));
        }
        let arguments = script_arguments(text);
        let read = sbatch_line(&arguments).map_err(|error| {
            Refusal::input(format!("{name}: {error}")).hint("its #SBATCH lines are read as sbatch reads them")
        })?;
        let request = &read.request;
        let mut ignored = read.not_modelled.clone();
        ignored.extend(beyond_processors(request));
        Ok(ScriptJob {
            procs: Procs(request.processors()),
            time: match request.time_limit {
                Some(TimeLimit::Of(limit)) => Some(limit),
                Some(TimeLimit::Unlimited) | None => None,
            },
            is_unlimited: request.time_limit == Some(TimeLimit::Unlimited),
            partition: request.partitions.first().cloned(),
            ignored,
            arguments,
        })
    }

    /// The job, where what is said besides (size, time, user, queue) counts for more.
    pub fn job(
        self,
        procs: Option<Procs>,
        time: Option<Seconds>,
        (user, queue): (Option<String>, Option<String>),
    ) -> NewJob {
        NewJob {
            procs: procs.unwrap_or(self.procs),
            time: time.or(self.time),
            user,
            queue: queue.or(self.partition),
        }
    }
}

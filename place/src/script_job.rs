//! What a job script asks for.

use serde::Serialize;

use super::NewJob;
use queuecast_core::asking::Refusal;
use queuecast_core::units::{Procs, Seconds};
use queuecast_slurm_sim::cluster::{JobArray, TimeLimit};
use queuecast_slurm_texts::{beyond_processors, is_job_script, sbatch_line, script_arguments};

/// What the `#SBATCH` lines of a job script ask for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
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
    /// The indices of an array, as sbatch takes them: `1-500%20`.
    pub array: Option<String>,
    /// What is not looked at where the machine is taken as processors.
    pub ignored: Vec<String>,
    /// What is not looked at by the scheduler of a site either.
    #[serde(skip)]
    pub not_modelled: Vec<String>,
    /// All partitions, with commas between.
    #[serde(skip)]
    pub partitions: Option<String>,
}

/// The indices of an array, as sbatch takes them.
fn indices(array: &JobArray) -> String {
    let mut runs: Vec<(u32, u32)> = Vec::new();
    for &index in &array.indices {
        match runs.last_mut() {
            Some(last) if last.1.checked_add(1) == Some(index) => last.1 = index,
            _ => runs.push((index, index)),
        }
    }
    let run = |&(first, last): &(u32, u32)| match first == last {
        true => first.to_string(),
        false => format!("{first}-{last}"),
    };
    let list = runs.iter().map(run).collect::<Vec<_>>().join(",");
    match array.throttle.filter(|most| *most > 0) {
        Some(most) => format!("{list}%{most}"),
        None => list,
    }
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
            partitions: Some(request.partitions.join(",")).filter(|names| !names.is_empty()),
            array: request.array.as_ref().map(indices),
            ignored,
            not_modelled: read.not_modelled.clone(),
            arguments,
        })
    }

    /// All of it, as arguments of sbatch, with another number of tasks if one is given: later arguments replace earlier ones.
    pub fn sbatch(&self, tasks: Option<Procs>) -> String {
        let tasks = tasks.map_or_else(String::new, |tasks| format!(" --ntasks={tasks}"));
        format!("{}{tasks}", self.arguments)
    }

    /// The job, where what is said besides (size, time, user, queue) counts for more.
    pub fn job(
        self,
        procs: Option<Procs>,
        time: Option<Seconds>,
        (user, queue): (Option<String>, Option<String>),
    ) -> NewJob {
        let sbatch = Some(self.sbatch(procs));
        NewJob {
            procs: procs.unwrap_or(self.procs),
            time: time.or(self.time),
            user,
            queue: queue.or(self.partitions),
            sbatch,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_array_is_told_as_sbatch_takes_it() {
        let read = |lines: &str| ScriptJob::read("script", &format!("#!/bin/sh\n{lines}\n")).unwrap();
        let array = |list: &str| read(&format!("#SBATCH -n 2 --array={list}")).array;
        for (given, told) in
            [("1-500%20", "1-500%20"), ("7", "7"), ("1,2,3,9-10", "1-3,9-10"), ("0-6:3", "0,3,6")]
        {
            assert_eq!(array(given).as_deref(), Some(told), "{given}");
        }
        let job = read("#SBATCH -N 2 --ntasks-per-node=3 -c 4 -t 2:00:00 -p long --gres=gpu:1");
        assert_eq!((job.procs, job.time, job.array), (Procs(24), Some(Seconds(7200)), None));
        assert_eq!(job.partition.as_deref(), Some("long"));
        assert!(job.ignored.iter().any(|one| one.contains("gres")), "{:?}", job.ignored);
    }
}

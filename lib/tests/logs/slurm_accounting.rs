//! Accounting of recorded runs and of three Slurm versions as submissions: nothing is lost, and it says the same as the lists.

use std::collections::BTreeMap;
use std::path::Path;

use libtest_mimic::{Failed, Trial};
use queuecast_slurm_sim::cluster::{Begin, ClusterAction, ClusterEvent, JobOutcome, SubmittedJob};
use queuecast_slurm_texts::{SiteOptions, WhatIf, read_what_if, write_submissions};
use queuecast_study::{SitePolicy, simulate_site};

use crate::fails;
use crate::slurm_sites::{folders, must, same, slurm, texts};

/// One text of a folder as a log for the site of the same folder.
fn log_of(folder: &Path, name: &str) -> Result<WhatIf, Failed> {
    let site = texts(folder)?;
    let text = site.get(name).ok_or_else(|| format!("{name} is not there"))?;
    let log = [(name.to_owned(), text.clone())].into();
    Ok(read_what_if(&site, &log, &[], &SiteOptions::default())?)
}

/// Processors that a request needs at least, by number of the job.
fn asked(jobs: &[SubmittedJob]) -> BTreeMap<u64, u32> {
    let cpus = |job: &SubmittedJob| {
        let request = &job.request;
        let nodes = request.min_nodes.unwrap_or(1);
        let tasks = request.tasks.unwrap_or(nodes * request.tasks_per_node.unwrap_or(1));
        (tasks * request.cpus_per_task.unwrap_or(1)).max(nodes)
    };
    jobs.iter().filter_map(|job| Some((job.id?, cpus(job)))).collect()
}

/// Accounting and the list of a run have the same jobs, asking for as much, with the same waits.
fn accounting_is_the_list(folder: &Path) -> Result<(), Failed> {
    let (accounting, list) = (log_of(folder, "sacct.psv")?, log_of(folder, "jobs.csv")?);
    same("kinds", &(accounting.log.kind, list.log.kind), &("sacct", "list"))?;
    same("processors", &asked(&accounting.run.submissions), &asked(&list.run.submissions))?;
    let numbers: BTreeMap<&str, u64> =
        list.run.submissions.iter().filter_map(|job| Some((job.key.as_str(), job.id?))).collect();
    let waits = |outcomes: &[JobOutcome],
                 number: &dyn Fn(&str) -> Option<u64>|
     -> BTreeMap<(u64, Option<u32>), Option<i64>> {
        let wait = |one: &JobOutcome| {
            Some(((number(&one.key)?, one.task), one.start.map(|start| (start - one.submit).0)))
        };
        outcomes.iter().filter_map(wait).collect()
    };
    let by_key = waits(&list.run.outcomes, &|key| numbers.get(key).copied());
    let by_number = waits(&accounting.run.outcomes, &|key| key.parse().ok());
    must(by_key.len() == list.run.outcomes.len() && by_key.len() > 10, "each outcome once")?;
    same("waits", &by_number, &by_key)?;
    every_job_is_counted(&accounting)
}

fn every_job_is_counted(what_if: &WhatIf) -> Result<(), Failed> {
    let (answer, outcomes) = simulate_site(what_if, &SitePolicy::SLURM).unwrap();
    same("outcomes", &outcomes.len(), &answer.log.jobs)?;
    same("states", &answer.report.states.values().sum::<usize>(), &answer.log.jobs)?;
    same("recorded", &what_if.run.outcomes.len(), &answer.log.jobs)?;
    // Written as a list and read again, it is the same; a list has begin times for when jobs became eligible.
    let list =
        [("list.csv".to_owned(), write_submissions(&what_if.run.submissions, &what_if.run.events))].into();
    let again = queuecast_slurm_texts::read_site(&list, &SiteOptions::default());
    same("misread", &again.misread, &Vec::new())?;
    let again = again.recording.ok_or("a list")?;
    let mut listed = what_if.run.submissions.clone();
    for job in &mut listed {
        if let Some(Begin::Eligible(at)) = job.request.terms.begin {
            job.request.terms.begin = Some(Begin::At(at));
        }
    }
    let is_cancelled = |event: &&ClusterEvent| matches!(event.action, ClusterAction::Cancel { .. });
    let cancelled: Vec<&ClusterEvent> = what_if.run.events.iter().filter(is_cancelled).collect();
    same("cancelled", &again.events.iter().collect(), &cancelled)?;
    same("submissions", &again.submissions, &listed)
}

/// Jobs and tasks of an output of `sacct`, by its own first column.
fn sample_is_read(version: &str, moment: &str) -> Result<(), Failed> {
    let folder = slurm().ok_or("no samples")?.join("samples").join(version).join(moment);
    let what_if = log_of(&folder, "sacct-jobs.psv")?;
    let all = texts(&folder)?;
    let rows = all["sacct-jobs.psv"]
        .lines()
        .skip(1)
        .filter(|line| line.starts_with(|letter: char| letter.is_ascii_digit()));
    let mut numbers: Vec<&str> = rows.filter_map(|line| line.split('|').nth(1)).collect();
    numbers.sort_unstable();
    numbers.dedup();
    let tasks: usize = numbers
        .iter()
        .map(|number| match number.split_once("_[") {
            Some((_, list)) => {
                let list = list.split(['%', ']']).next().unwrap_or_default();
                let (first, last) = list.split_once('-').unwrap_or((list, list));
                let number = |text: &str| text.parse::<usize>().unwrap_or(0);
                number(last) - number(first) + 1
            }
            None => 1,
        })
        .sum();
    same("jobs", &what_if.log.jobs, &tasks)?;
    must(what_if.run.submissions.iter().any(|job| job.request.array.is_some()), "an array")?;
    every_job_is_counted(&what_if)
}

pub fn trials() -> Vec<Trial> {
    let missing = slurm().is_none();
    let mut trials = Vec::new();
    for folder in folders() {
        let name = folder.iter().rev().take(2).map(|part| part.to_string_lossy()).collect::<Vec<_>>();
        let name = format!("slurm_accounting::run_{}_{}", name[1], name[0]);
        trials.push(Trial::test(name, move || accounting_is_the_list(&folder)));
    }
    for version in ["22.05", "24.11", "26.05"] {
        for moment in ["busy", "done"] {
            let check = move || sample_is_read(version, moment);
            let name = format!("slurm_accounting::sample_{version}_{moment}");
            trials.push(Trial::test(name, check).with_ignored_flag(missing));
        }
    }
    let control = || {
        let folder = slurm().ok_or("no recordings")?.join("golden/site/seed41-run1");
        let mut what_if = log_of(&folder, "sacct.psv")?;
        what_if.run.outcomes.pop();
        fails(every_job_is_counted(&what_if))
    };
    trials.push(
        Trial::test("slurm_accounting::control_a_lost_job_is_found", control).with_ignored_flag(missing),
    );
    trials
}

//! Jobs that a recording names: by their numbers, by their keys, or wrongly.

use std::collections::{BTreeMap, BTreeSet};

use super::notes::Notes;
use super::values::digits;
use queuecast_core::order;
use queuecast_slurm_sim::cluster::{ClusterAction, ClusterEvent, SubmittedJob};

/// Replaces numbers of jobs by keys where they are known, in dependencies and in what was cancelled or changed.
pub(super) fn resolve(submissions: &mut [SubmittedJob], events: &mut [ClusterEvent], notes: &mut Notes) {
    let keys: BTreeMap<u64, String> =
        order::map_of(submissions.iter().filter_map(|job| Some((job.id?, job.key.clone()))));
    let known = |name: &str| -> Option<String> {
        let end = name.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(name.len());
        let key = keys.get(&digits(&name[..end])?)?;
        Some(format!("{key}{}", &name[end..]))
    };
    let names: BTreeSet<String> = submissions.iter().map(|job| job.key.clone()).collect();
    for job in submissions.iter_mut() {
        let key_of_job = job.key.clone();
        for on in job.request.dependency.iter_mut().flat_map(|one| &mut one.on) {
            let (name, is_key) = match on.job.strip_prefix('@') {
                Some(key) => (key.to_owned(), true),
                None => (known(&on.job).unwrap_or_else(|| on.job.clone()), false),
            };
            let is_task = || name.rsplit_once('_').is_some_and(|(bare, _)| names.contains(bare));
            let is_number = name.starts_with(|letter: char| letter.is_ascii_digit());
            if !name.is_empty() && !names.contains(&name) && !is_task() && (is_key || !is_number) {
                let met =
                    if is_key { "so it counts as met" } else { "so it is never met; a key is written @KEY" };
                notes.warn(format!("{key_of_job} waits for {}, and no job is called so, {met}", on.job));
            }
            on.job = name;
        }
    }
    for event in events {
        if let ClusterAction::Cancel { key, task } | ClusterAction::Job { key, task, .. } = &mut event.action
            && !names.contains(key)
        {
            let resolved = known(key).unwrap_or_else(|| key.clone());
            match resolved.rsplit_once('_').filter(|_| !names.contains(&resolved)) {
                Some((name, number)) => {
                    *task = digits(number).and_then(|number| u32::try_from(number).ok());
                    *key = if task.is_some() { name.to_owned() } else { resolved };
                }
                None => *key = resolved,
            }
        }
    }
}

//! When jobs of many sizes and limits would start at a live site, in one go: for a table that is looked up at submission.

use super::asked::{Asking, in_queue, refused};
use super::queue_past::by_scheduler;
use super::{LivePast, LiveQueue, LiveSite, LostRegime, NewJob, SlurmJob, SlurmPlace};
use queuecast_core::asking::{Learning, Messages, Refusal, Unheard};
use queuecast_core::job::Job;
use queuecast_core::units::{Procs, Seconds};
use queuecast_forecast::forecast::{PredictedWait, WhenSettings, when_each, when_each_at_cluster};
use queuecast_slurm_sim::cluster::SubmittedJob;
use queuecast_trace::{MachineSource, TimeZone};

/// When jobs would start that are submitted to a partition now.
#[derive(Debug, Clone, PartialEq)]
pub struct PartitionStarts {
    /// The partition.
    pub name: String,
    /// The most processors of one of its nodes.
    pub on_node: Procs,
    /// The longest limit that it allows, if there is one.
    pub longest: Option<Seconds>,
    /// By size, then by limit.
    pub cells: Vec<StartCell>,
}

/// When a job of this size and limit would start, in seconds from the look.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StartCell {
    /// Processors.
    pub procs: Procs,
    /// Its limit.
    pub limit: Seconds,
    /// Nine in ten start later.
    pub low: f64,
    /// Even odds.
    pub median: f64,
    /// Nine in ten start sooner.
    pub high: f64,
    /// Whether such ranges have held lately; else it is widened.
    pub is_reliable: bool,
}

/// Limits of the table, in minutes; and the longest that a partition allows.
const LIMITS: [i64; 9] = [15, 30, 60, 120, 240, 480, 1440, 4320, 10_080];

/// When jobs of any user would start in each partition of a site that starts jobs: for every power of two processors, every limit of a
/// list, and the most that the partition allows. Partitions whose jobs cannot be forecast are left out.
///
/// # Errors
/// If no processor of the site is in use or ready, or what was learned cannot be read.
pub fn starts_by_size(
    site: &LiveSite,
    history: LivePast<'_>,
    settings: &WhenSettings,
    messages: &dyn Messages,
) -> Result<Vec<PartitionStarts>, Refusal> {
    let mut found = Vec::new();
    let scheduler = by_scheduler(Some(history), None).map(|(_, scheduler)| scheduler);
    for queue in site.whole_queues(None, None)? {
        let most = queue.limits.most.unwrap_or(queue.machine).min(queue.machine);
        let (sizes, limits) = (sizes(most), limits(queue.limits.longest));
        let each: Vec<(Procs, Seconds)> =
            sizes.iter().flat_map(|&procs| limits.iter().map(move |&limit| (procs, limit))).collect();
        let new =
            NewJob { procs: Procs(1), time: limits.first().copied(), user: None, queue: None, sbatch: None };
        let asked = (site, &queue, MachineSource::Sinfo);
        let cells = match scheduler {
            Some(scheduler) => scheduler.cells(&queue, history, &each),
            None => in_queue(&new, asked, Some(history), settings, &TimeZone::UTC, &mut |facts, asking| {
                let waiting = asking.waiting();
                let Asking::Jobs { job, source, settings } = asking else { return Ok(Vec::new()) };
                let sized = |&(procs, limit): &(Procs, Seconds)| {
                    let mut one = job.clone();
                    (one.shape.procs, one.shape.limit) = (procs, Some(limit));
                    one
                };
                let jobs: Vec<Job> = each.iter().map(sized).collect();
                let learning = Learning { done: &|steps| messages.done(steps), kept: messages.kept() };
                let waits = when_each(&jobs, &source, &settings, learning)
                    .map_err(|error| refused(facts.name, error))?;
                let is_first = waiting == 0;
                let cell = |(job, wait): (&Job, PredictedWait)| {
                    let asked = (job.shape.procs, job.shape.limit.unwrap_or(Seconds::ZERO));
                    StartCell::of(asked, &wait, history.lost(&queue.name, job.shape.procs, is_first))
                };
                Ok(jobs.iter().zip(waits).map(cell).collect())
            })?,
        };
        found.extend(queue.name.split(',').map(|name| PartitionStarts {
            name: name.to_owned(),
            on_node: site.largest_node(name),
            longest: queue.limits.longest,
            cells: cells.clone(),
        }));
    }
    Ok(found)
}

impl StartCell {
    fn of((procs, limit): (Procs, Seconds), wait: &PredictedWait, lost: Option<&LostRegime>) -> StartCell {
        let widened = lost.map(|lost| lost.wait(wait));
        let &PredictedWait { low, median, high, .. } = widened.as_ref().unwrap_or(wait);
        StartCell { procs, limit, low, median, high, is_reliable: lost.is_none() }
    }
}

impl SlurmPlace {
    /// When jobs of these sizes and limits would start in a queue, as the same jobs are answered by themselves; those that the site refuses
    /// are left out.
    fn cells(&self, queue: &LiveQueue, history: LivePast<'_>, each: &[(Procs, Seconds)]) -> Vec<StartCell> {
        let submitted = |&(procs, limit): &(Procs, Seconds)| {
            let new = NewJob { procs, time: Some(limit), user: None, queue: None, sbatch: None };
            let job = SlurmJob::in_partition(&new, &queue.name, limit);
            Some(((procs, limit), self.newcomer(&job, &Unheard).ok()?.0))
        };
        let (asked, jobs): (Vec<_>, Vec<SubmittedJob>) = each.iter().filter_map(submitted).unzip();
        let Some(first) = jobs.first() else { return Vec::new() };
        let question = self.question_about(first);
        let is_first = question.waiting() == 0;
        let waits = when_each_at_cluster(&question, self.asked_settings(), &jobs);
        let cell = |(asked, wait): (&(Procs, Seconds), Option<PredictedWait>)| {
            Some(StartCell::of(*asked, &wait?, history.lost(&queue.name, asked.0, is_first)))
        };
        asked.iter().zip(waits).filter_map(cell).collect()
    }
}

/// Powers of two, and the most.
fn sizes(most: Procs) -> Vec<Procs> {
    let powers = (0..u32::BITS).map(|power| Procs(1 << power)).take_while(|&size| size < most);
    powers.chain([most]).collect()
}

/// Those that a partition allows, and its longest.
fn limits(longest: Option<Seconds>) -> Vec<Seconds> {
    let listed = LIMITS.iter().map(|minutes| Seconds(60 * minutes));
    match longest {
        Some(longest) => listed.take_while(|&limit| limit < longest).chain([longest]).collect(),
        None => listed.collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_partition_has_cells_up_to_what_it_allows() {
        assert_eq!(sizes(Procs(1)), [Procs(1)]);
        assert_eq!(sizes(Procs(4)), [1, 2, 4].map(Procs));
        assert_eq!(sizes(Procs(6)), [1, 2, 4, 6].map(Procs));
        assert_eq!(sizes(Procs(u32::MAX)).len(), 33);
        assert_eq!(limits(Some(Seconds(600))), [Seconds(600)]);
        assert_eq!(limits(Some(Seconds(3600))), [900, 1800, 3600].map(Seconds));
        assert_eq!(limits(None).last(), Some(&Seconds(604_800)));
    }
}

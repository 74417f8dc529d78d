//! The jobs of a controller, and the submissions they come from.

use queuecast_core::order;
use std::ops::Index;
use std::sync::{Arc, OnceLock};

use super::needed::{NeededBySubmission, NeededTasks};
use crate::cluster::SubmittedJob;
use crate::controller::handles::{JobHandle, SubmissionHandle};
use crate::controller::job::{ControlledJob, JobStage};

/// The tasks of one submission.
#[derive(Debug, Clone, Copy, Default)]
struct ArrayTasks {
    /// How many run.
    running: usize,
    /// The record of those that wait.
    record: u64,
    /// None before this one waits.
    waiting_from: usize,
}

/// Indices of submissions, sorted by key, and by number those that have one; of equal ones by index.
#[derive(Debug)]
struct SubmissionNames {
    by_key: Vec<u32>,
    by_number: Vec<u32>,
}

impl SubmissionNames {
    fn of(submissions: &[SubmittedJob]) -> SubmissionNames {
        let mut by_key: Vec<u32> = (0..submissions.len() as u32).collect();
        let mut by_number: Vec<u32> =
            by_key.iter().copied().filter(|&index| submissions[index as usize].id.is_some()).collect();
        by_key.sort_by(|&a, &b| submissions[a as usize].key.cmp(&submissions[b as usize].key));
        order::sort_by_key(&mut by_number, |&index| submissions[index as usize].id);
        SubmissionNames { by_key, by_number }
    }

    /// The last submission with this key or number.
    fn named(&self, submissions: &[SubmittedJob], name: &str) -> Option<SubmissionHandle> {
        let job = |index: u32| &submissions[index as usize];
        let last = |sorted: &[u32], end: usize| end.checked_sub(1).map(|at| sorted[at]);
        let by_key = self.by_key.partition_point(|&index| *job(index).key <= *name);
        let by_key = last(&self.by_key, by_key).filter(|&index| job(index).key == name);
        // A number is written in one way only.
        let number = name.parse::<u64>().ok().filter(|number| number.to_string() == name);
        let by_number = number.and_then(|number| {
            let end = self.by_number.partition_point(|&index| job(index).id <= Some(number));
            last(&self.by_number, end).filter(|&index| job(index).id == Some(number))
        });
        by_key.max(by_number).map(|index| SubmissionHandle(index as usize))
    }
}

/// All jobs, array tasks one by one, and what is known of their submissions.
#[derive(Debug)]
pub struct Jobs<'c> {
    all: Vec<ControlledJob>,
    submissions: &'c [SubmittedJob],
    /// The handles of all jobs, and where those of each submission begin; one more at the end.
    handles: Vec<JobHandle>,
    begins: Vec<usize>,
    /// The submissions in the order in which they come.
    by_submission: Vec<SubmissionHandle>,
    /// Where each submission stands among these.
    ranks: Vec<usize>,
    /// Submissions by key and by number. Made when first asked for.
    names: OnceLock<SubmissionNames>,
    /// What dependencies name. Made when first asked for.
    needed: OnceLock<NeededBySubmission>,
    arrays: Vec<ArrayTasks>,
    /// Running jobs by limit end, then in the order of their records.
    running: Vec<JobHandle>,
    /// How often that list has changed.
    running_version: u64,
    /// Records made so far.
    records: u64,
}

impl<'c> Jobs<'c> {
    /// Jobs made of submissions; they come later.
    pub fn of(submissions: &'c [SubmittedJob]) -> Jobs<'c> {
        let mut by_submission: Vec<SubmissionHandle> = (0..submissions.len()).map(SubmissionHandle).collect();
        order::sort_by_key(&mut by_submission, |&one| (submissions[one.0].submit, one));
        let mut jobs = Jobs {
            all: Vec::with_capacity(submissions.len()),
            submissions,
            handles: Vec::new(),
            begins: Vec::with_capacity(submissions.len() + 1),
            ranks: vec![0; submissions.len()],
            names: OnceLock::new(),
            needed: OnceLock::new(),
            arrays: vec![ArrayTasks::default(); submissions.len()],
            running: Vec::new(),
            running_version: 0,
            records: 0,
            by_submission,
        };
        jobs.by_submission.iter().enumerate().for_each(|(rank, one)| jobs.ranks[one.0] = rank);
        let no_limits = Arc::default();
        for (index, submission) in submissions.iter().enumerate() {
            jobs.begins.push(jobs.all.len());
            jobs.all.extend(ControlledJob::all_of(SubmissionHandle(index), submission, &no_limits));
        }
        jobs.begins.push(jobs.all.len());
        jobs.handles = (0..jobs.all.len()).map(JobHandle).collect();
        jobs
    }

    /// All jobs, in the order of their handles.
    pub fn all(&self) -> &[ControlledJob] {
        &self.all
    }

    /// All jobs, taken out.
    pub fn into_all(self) -> Vec<ControlledJob> {
        self.all
    }

    /// How often the list of running jobs has changed.
    pub fn running_version(&self) -> u64 {
        self.running_version
    }

    /// Running jobs by limit end, then in the order of their records.
    pub fn running(&self) -> &[JobHandle] {
        &self.running
    }

    /// The submissions in the order in which they come.
    pub fn by_submission(&self) -> &[SubmissionHandle] {
        &self.by_submission
    }

    /// A submission by its key or number.
    pub fn named(&self, name: &str) -> Option<SubmissionHandle> {
        self.names.get_or_init(|| SubmissionNames::of(self.submissions)).named(self.submissions, name)
    }

    /// What the conditions of a submission's dependency name, in their order.
    pub(super) fn needed_by(&self, submission: SubmissionHandle) -> &[NeededTasks] {
        self.needed.get_or_init(|| self.all_needed()).get(&submission).map_or(&[], Vec::as_slice)
    }

    /// A job, to be changed. Only this room does: others say what becomes of the job.
    pub(super) fn at_mut(&mut self, job: JobHandle) -> &mut ControlledJob {
        &mut self.all[job.0]
    }

    /// What a submission asks for.
    pub fn asked(&self, submission: SubmissionHandle) -> &'c SubmittedJob {
        &self.submissions[submission.0]
    }

    /// What a job's submission asks for.
    pub fn submission(&self, job: JobHandle) -> &'c SubmittedJob {
        self.asked(self[job].submission)
    }

    /// The jobs of a submission.
    pub fn tasks(&self, submission: SubmissionHandle) -> &[JobHandle] {
        &self.handles[self.begins[submission.0]..self.begins[submission.0 + 1]]
    }

    /// Whether some jobs of a submission are still to come.
    pub fn are_to_come(&self, submission: SubmissionHandle) -> bool {
        self.tasks(submission).iter().any(|&job| self[job].state == JobStage::ToCome)
    }

    /// The position of a submission in the order of submission.
    pub fn rank_of(&self, submission: SubmissionHandle) -> usize {
        self.ranks[submission.0]
    }

    /// The position of a job's submission in the order of submission.
    pub fn rank(&self, job: JobHandle) -> usize {
        self.rank_of(self[job].submission)
    }

    /// The record of the waiting tasks of a submission; zero before it has one.
    pub fn record_of_waiting(&self, submission: SubmissionHandle) -> u64 {
        self.arrays[submission.0].record
    }

    /// The waiting tasks of a submission get a record, after all others.
    pub fn new_record(&mut self, submission: SubmissionHandle) {
        self.records += 1;
        self.arrays[submission.0].record = self.records;
    }

    /// Where a job's record stands among those of all jobs.
    pub fn record_of(&self, job: JobHandle) -> u64 {
        let one = &self[job];
        if one.last.incarnation > 0 { one.last.record } else { self.record_of_waiting(one.submission) }
    }

    /// A job runs: it is put among the running ones by its limit end.
    pub(super) fn runs(&mut self, job: JobHandle) {
        let of = |other: JobHandle| (self[other].last.limit_end, self[other].last.record);
        let at = self.running.partition_point(|&other| of(other) <= of(job));
        self.running.insert(at, job);
        self.running_version += 1;
        let submission = self[job].submission;
        self.arrays[submission.0].running += 1;
    }

    /// A job runs no more.
    pub(super) fn runs_no_more(&mut self, job: JobHandle) {
        self.running.retain(|&other| other != job);
        self.running_version += 1;
        let submission = self[job].submission;
        self.arrays[submission.0].running -= 1;
    }

    /// The tasks of a submission may wait again, also those before the first that does.
    pub(super) fn all_may_wait(&mut self, submission: SubmissionHandle) {
        self.arrays[submission.0].waiting_from = 0;
    }

    /// The tasks of a job's submission from the first on that may wait.
    pub fn may_wait(&self, submission: SubmissionHandle) -> &[JobHandle] {
        &self.tasks(submission)[self.arrays[submission.0].waiting_from..]
    }

    /// The task of this job's array that has not started yet and comes after `after` others; none after a task that was requeued.
    pub fn next_task(&self, job: JobHandle, after: usize) -> Option<JobHandle> {
        let starts = |one: &ControlledJob| {
            one.last.incarnation.saturating_sub(u32::from(one.state == JobStage::Running))
        };
        if starts(&self[job]) > 0 {
            return None;
        }
        let waits = |one: &JobHandle| {
            let one = &self[*one];
            // A task that is held is none of those that wait together.
            one.state == JobStage::Waiting && one.last.incarnation == 0 && !one.terms.is_held
        };
        self.may_wait(self[job].submission).iter().copied().filter(waits).nth(after)
    }

    /// A job does not wait any more: the first task of its array that may wait is another.
    pub fn waits_no_more(&mut self, job: JobHandle) {
        let submission = self[job].submission;
        let is_over = |one: &&JobHandle| !matches!(self[**one].state, JobStage::Waiting | JobStage::ToCome);
        let over = self.may_wait(submission).iter().take_while(is_over).count();
        self.arrays[submission.0].waiting_from += over;
    }

    /// A job is held, by itself.
    pub fn is_held(&mut self, job: JobHandle) {
        self.at_mut(job).terms.is_held = true;
    }

    /// A task of an array could start already, whatever others of it depend on.
    pub fn could_start(&mut self, job: JobHandle) {
        let one = self.at_mut(job);
        one.terms.is_free = one.task.is_some();
    }

    /// Whether a task has never started, and as many of its array run as may at one time.
    pub fn waits_for_turn(&self, job: JobHandle) -> bool {
        self[job].last.incarnation == 0 && self.is_throttled(job, 0)
    }

    /// Whether as many tasks of a job's array run as may at one time, with this number of further ones.
    pub fn is_throttled(&self, job: JobHandle, planned: usize) -> bool {
        if self[job].task.is_none() {
            return false;
        }
        let array = self.submission(job).request.array.as_ref();
        let most = array.and_then(|array| array.throttle).filter(|most| *most > 0);
        most.is_some_and(|most| self.arrays[self[job].submission.0].running + planned >= most as usize)
    }
}

impl Index<JobHandle> for Jobs<'_> {
    type Output = ControlledJob;
    fn index(&self, job: JobHandle) -> &ControlledJob {
        &self.all[job.0]
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::controller::tests::job;

    /// As with one map into which keys and numbers are put in the order of the submissions, where the last one stays.
    #[test]
    fn submissions_are_found_by_key_and_number() {
        let named = |key: &str, id: Option<u64>| SubmittedJob { key: key.into(), id, ..job(0, 0, 1, 10, 10) };
        let all = [
            named("7", Some(12)),
            named("a", None),
            named("12", Some(7)),
            named("b", Some(3)),
            named("3", None),
            named("a", Some(40)),
            named("007", Some(0)),
        ];
        let mut plain: BTreeMap<String, SubmissionHandle> = BTreeMap::new();
        for (index, one) in all.iter().enumerate() {
            plain.insert(one.key.clone(), SubmissionHandle(index));
            plain.extend(one.id.map(|id| (id.to_string(), SubmissionHandle(index))));
        }
        let jobs = Jobs::of(&all);
        for name in
            ["7", "12", "a", "b", "3", "40", "0", "007", "07", "+7", "", "zz", "41", "99999999999999999999"]
        {
            assert_eq!(jobs.named(name), plain.get(name).copied(), "{name}");
        }
        assert_eq!(jobs.named("7"), Some(SubmissionHandle(2)), "control");
    }
}

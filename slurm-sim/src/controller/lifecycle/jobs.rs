//! The jobs of a controller, and the submissions they come from.

use std::collections::BTreeMap;
use std::ops::{Index, IndexMut};

use crate::cluster::SubmittedJob;
use crate::controller::job::{ControlledJob, CtlState};

/// The tasks of one submission.
#[derive(Debug, Clone, Copy, Default)]
pub struct ArrayTasks {
    /// How many run.
    pub running: usize,
    /// The record of those that wait.
    pub record: u64,
    /// None before this one waits.
    pub waiting_from: usize,
}

/// All jobs, array tasks one by one, and what is known of their submissions.
#[derive(Debug)]
pub struct Jobs<'c> {
    pub all: Vec<ControlledJob>,
    pub submissions: &'c [SubmittedJob],
    pub of_submission: Vec<Vec<usize>>,
    /// Where each submission stands among all in the order in which they come.
    pub ranks: Vec<usize>,
    pub keys: BTreeMap<String, usize>,
    pub arrays: Vec<ArrayTasks>,
    /// Running jobs by limit end, then in the order of their records.
    pub running: Vec<usize>,
    /// Records made so far.
    records: u64,
}

impl<'c> Jobs<'c> {
    /// None yet of these submissions.
    pub fn none(submissions: &'c [SubmittedJob]) -> Jobs<'c> {
        Jobs {
            all: Vec::new(),
            submissions,
            of_submission: Vec::new(),
            ranks: Vec::new(),
            keys: BTreeMap::new(),
            arrays: vec![ArrayTasks::default(); submissions.len()],
            running: Vec::new(),
            records: 0,
        }
    }

    /// What a job's submission asks for.
    pub fn submission(&self, job: usize) -> &'c SubmittedJob {
        &self.submissions[self[job].submission]
    }

    /// The position of a job's submission in the order of submission.
    pub fn rank(&self, job: usize) -> usize {
        self.ranks[self[job].submission]
    }

    /// The waiting tasks of a submission get a record, after all others.
    pub fn new_record(&mut self, submission: usize) {
        self.records += 1;
        self.arrays[submission].record = self.records;
    }

    /// Where a job's record stands among those of all jobs.
    pub fn record_of(&self, job: usize) -> u64 {
        let one = &self[job];
        if one.last.incarnation > 0 { one.last.record } else { self.arrays[one.submission].record }
    }

    /// A job runs: it is put among the running ones by its limit end.
    pub fn runs(&mut self, job: usize) {
        let of = |other: usize| (self[other].last.limit_end, self[other].last.record);
        let at = self.running.partition_point(|&other| of(other) <= of(job));
        self.running.insert(at, job);
    }

    /// The tasks of a job's submission from the first on that may wait.
    pub fn may_wait(&self, submission: usize) -> &[usize] {
        &self.of_submission[submission][self.arrays[submission].waiting_from..]
    }

    /// The pending task of this job's array that comes after `after` others.
    pub fn next_task(&self, job: usize, after: usize) -> Option<usize> {
        let waits = |one: &usize| self[*one].state == CtlState::Waiting;
        self.may_wait(self[job].submission).iter().copied().filter(waits).nth(after)
    }

    /// A job does not wait any more: the first task of its array that may wait is another.
    pub fn waits_no_more(&mut self, job: usize) {
        let submission = self[job].submission;
        let is_over = |one: &&usize| !matches!(self[**one].state, CtlState::Waiting | CtlState::ToCome);
        let over = self.may_wait(submission).iter().take_while(is_over).count();
        self.arrays[submission].waiting_from += over;
    }

    /// Whether as many tasks of a job's array run as may at one time, with this number of further ones.
    pub fn is_throttled(&self, job: usize, planned: usize) -> bool {
        let submission = self[job].submission;
        let array = self.submissions[submission].request.array.as_ref();
        let most = array.and_then(|array| array.throttle).filter(|most| *most > 0);
        most.is_some_and(|most| self.arrays[submission].running + planned >= most as usize)
    }
}

impl Index<usize> for Jobs<'_> {
    type Output = ControlledJob;
    fn index(&self, job: usize) -> &ControlledJob {
        &self.all[job]
    }
}

impl IndexMut<usize> for Jobs<'_> {
    fn index_mut(&mut self, job: usize) -> &mut ControlledJob {
        &mut self.all[job]
    }
}

//! What dependencies name, looked up.

use std::collections::BTreeMap;

use crate::controller::handles::SubmissionHandle;

/// What one condition of a dependency names: a submission, unless it is not known, and one of its tasks, or all.
#[derive(Debug, Clone, Copy)]
pub(super) struct NeededTasks {
    pub submission: Option<SubmissionHandle>,
    pub task: Option<u32>,
}

/// What the conditions of each submission name, in their order.
pub(super) type NeededBySubmission = BTreeMap<SubmissionHandle, Vec<NeededTasks>>;

//! What is computed of requests, kept for jobs that ask for the same.

use std::collections::HashMap;
use std::sync::Arc;

use crate::cluster::{AssociationIndex, QosIndex};
use crate::controller::job::RequestedPartitions;
use crate::controller::limits::LimitSet;

/// What is computed of a request of a user.
#[derive(Debug)]
pub struct DescribedRequest {
    pub partitions: RequestedPartitions,
    pub limits: Arc<LimitSet>,
    pub user: u32,
    pub qos: Option<QosIndex>,
    pub association: Option<AssociationIndex>,
    pub size_cpus: u32,
}

/// Requests by where they are in memory, and the numbers of their users: jobs of a user often ask for the same.
pub type DescribedRequests = HashMap<(usize, u32), DescribedRequest>;
